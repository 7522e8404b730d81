package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/failover"
)

// The groups of Karmada's own kinds; any version of them is understood.
const (
	workGroup    = "work.karmada.io"
	clusterGroup = "cluster.karmada.io"
)

// input is what the files say.
type input struct {
	kind      string                     // of the binding
	document  map[string]any             // the binding as it was read
	binding   binding                    // the same, decoded
	unknown   []string                   // paths of fields of the binding that are not known
	manifest  *unstructured.Unstructured // nil = none belongs to the binding
	manifests int                        // how many were given

	annotations map[string]any                  // of the binding, as they were read
	stored      storedStates                    // what the one for preserved state said
	documents   map[string]runtime.RawExtension // that rules name
	taints      map[string][]failover.Taint     // by cluster that was given
	record      failover.Record
}

// load reads the files and finds the binding, its manifest and the clusters.
func load(opts options, stdin io.Reader) (input, error) {
	documents, err := readFiles(opts.files, stdin)
	if err != nil {
		return input{}, err
	}
	var bindings, manifests, clusters []document
	for _, d := range documents {
		switch kind := text(d.object, "kind"); {
		case group(d) == workGroup && (kind == "ResourceBinding" || kind == "ClusterResourceBinding"):
			bindings = append(bindings, d)
		case group(d) == clusterGroup && kind == "Cluster":
			clusters = append(clusters, d)
		default:
			manifests = append(manifests, d)
		}
	}
	if len(bindings) != 1 {
		return input{}, fmt.Errorf("give exactly one ResourceBinding or ClusterResourceBinding, not %d", len(bindings))
	}
	in := input{kind: text(bindings[0].object, "kind"), document: bindings[0].object, manifests: len(manifests)}
	if in.binding, in.unknown, err = decode[binding](in.document); err != nil {
		return input{}, fmt.Errorf("%s: %w", bindings[0].where, err)
	}
	if err := in.binding.check(); err != nil {
		return input{}, fmt.Errorf("%s: %w", bindings[0].where, err)
	}
	if in.annotations, err = annotationsOf(in.document); err != nil {
		return input{}, fmt.Errorf("%s: %w", bindings[0].where, err)
	}
	in.stored = restoreStates(in.annotations, in.binding.Spec.Tasks)
	if in.documents, err = readNamed(opts.from, stdin); err != nil {
		return input{}, err
	}
	if in.taints, err = readTaints(clusters); err != nil {
		return input{}, err
	}
	if in.record, err = readRecord(opts.record); err != nil {
		return input{}, err
	}
	in.manifest, err = choose(manifests, in.binding.Spec.Resource)
	return in, err
}

// readTaints reads the clusters. One that is there twice has two truths.
func readTaints(documents []document) (map[string][]failover.Taint, error) {
	out := map[string][]failover.Taint{}
	for _, d := range documents {
		c, _, err := decode[cluster](d.object)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.where, err)
		}
		if _, twice := out[c.Metadata.Name]; twice || c.Metadata.Name == "" {
			return nil, fmt.Errorf("%s: metadata.name: must name a cluster, and each once", d.where)
		}
		out[c.Metadata.Name] = c.Spec.Taints
	}
	return out, nil
}

// readNamed reads the documents that rules name: one object each, of any kind.
func readNamed(files map[string]string, stdin io.Reader) (map[string]runtime.RawExtension, error) {
	out := map[string]runtime.RawExtension{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data, label, err := readFile(files[name], stdin)
		if err != nil {
			return nil, err
		}
		values, err := readValues(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", label, err)
		}
		values = slices.DeleteFunc(values, func(v any) bool { return v == nil })
		if len(values) != 1 {
			return nil, fmt.Errorf("%s: give exactly one document, not %d", label, len(values))
		}
		object, ok := values[0].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: must be an object, is %s", label, kindOf(values[0]))
		}
		raw, err := encodeJSON(object)
		if err != nil {
			return nil, err
		}
		out[name] = runtime.RawExtension{Raw: raw}
	}
	return out, nil
}

func group(d document) string {
	name, _, _ := strings.Cut(text(d.object, "apiVersion"), "/")
	return name
}

// choose finds the manifest that the binding is about, the first one if it does
// not say. Two that fit would make the answer depend on their order.
func choose(manifests []document, wanted reference) (*unstructured.Unstructured, error) {
	var found *document
	for i, d := range manifests {
		switch {
		case !wanted.matches(d.object):
		case found == nil:
			found = &manifests[i]
		case wanted != (reference{}):
			return nil, fmt.Errorf("%s: a second manifest that spec.resource of the binding names, after %s", d.where, found.where)
		}
	}
	if found == nil {
		return nil, nil //nolint:nilnil // no manifest is a valid input with a plan of its own
	}
	return &unstructured.Unstructured{Object: found.object}, nil
}

// reference is spec.resource of a binding.
type reference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// matches compares a manifest. A reference that is empty names nothing, so it
// matches; a manifest without a namespace may be meant for any.
func (r reference) matches(manifest map[string]any) bool {
	if r == (reference{}) {
		return true
	}
	metadata, _ := manifest["metadata"].(map[string]any)
	namespace := text(metadata, "namespace")
	return text(manifest, "apiVersion") == r.APIVersion && text(manifest, "kind") == r.Kind &&
		text(metadata, "name") == r.Name &&
		(namespace == "" || r.Namespace == "" || namespace == r.Namespace)
}
