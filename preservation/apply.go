package preservation

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ApplyConfiguration returns the smallest object that, applied on the server side
// by an owner of its own, has the effect of [Inject] on an object with the content
// of the manifest (I7): what identifies the object, and the keys of the state.
//
//  1. Everything that fails for Inject fails here with the same error.
//  2. Without apiVersion, kind and name it is BadManifest: there is nothing to
//     apply to.
//  3. A field path with a list index is Refused: a list is applied by its keys or
//     as a whole, and neither is known here.
//  4. So is an object or a list that replaces another one: Inject writes it as a
//     whole, and the server would merge the two.
//  5. A key that Keep leaves alone is left out. A key that holds the value already
//     is there all the same, so that its owner keeps it.
//
// Keys in Owned need no removal: the server removes what its owner applied before
// and does not apply any more. Apply it with force, as Replace does. The result
// shares nothing with the manifest; the report is Inject's.
func ApplyConfiguration(manifest *unstructured.Unstructured, state State, options InjectOptions) (*unstructured.Unstructured, Report, error) {
	injected, report, err := Inject(manifest, state, options)
	if err != nil {
		return nil, report, err
	}
	if injected.GetAPIVersion() == "" || injected.GetKind() == "" || injected.GetName() == "" {
		err := badManifest("apiVersion, kind and metadata.name say what to apply to, and one of them is missing")
		return nil, Report{}, inCluster(err, options.Cluster)
	}
	out := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": injected.GetAPIVersion(), "kind": injected.GetKind(),
		"metadata": map[string]any{"name": injected.GetName()},
	}}
	out.SetNamespace(injected.GetNamespace()) // empty = none
	for _, change := range report.Changes {
		if change.Effect == Kept || change.Effect == Removed {
			continue
		}
		if err := applyChange(out.Object, change, workloadOf(injected)); err != nil {
			return nil, Report{}, inCluster(atKey(err, change.Ref), options.Cluster)
		}
	}
	return out, report, nil
}

// applyChange adds one value, which Inject wrote, and the objects around it.
func applyChange(object map[string]any, change Change, w workload) error {
	if change.Target != Field {
		return applyAt(object, textPath(change.Ref, w), change.Value)
	}
	path, _ := parseFieldPath(change.Key)
	value, _ := decodeField(change.Value)
	kind := kindOf(value)
	if (kind == "an object" || kind == "a list") && change.Effect == Replaced && !isNothing(Field, change.Old) {
		return &InjectError{Class: Refused, Detail: "the server would merge " + kind + " with what is there"}
	}
	return applyAt(object, path, value)
}

// textPath is where a label or an annotation stands.
func textPath(key Ref, w workload) fieldPath {
	path, name := fieldPath{}, "labels"
	switch key.Target {
	case PodTemplateLabel:
		path = append(path, w.template...)
	case Annotation:
		name = "annotations"
	case Label, Field: // a field has a path of its own
	}
	return append(path, fieldStep{key: "metadata"}, fieldStep{key: name}, fieldStep{key: key.Key})
}

// applyAt writes a value and makes the objects around it.
func applyAt(object map[string]any, path fieldPath, value any) error {
	for _, step := range path[:len(path)-1] {
		if step.isIndex {
			return notApplicable()
		}
		inner, ok := object[step.key].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[step.key] = inner
		}
		object = inner
	}
	last := path[len(path)-1]
	if last.isIndex {
		return notApplicable()
	}
	object[last.key] = value
	return nil
}

func notApplicable() error {
	return &InjectError{Class: Refused, Detail: "an item of a list cannot be applied alone"}
}
