package preservation

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// place is where the values of one target go.
type place interface {
	// get returns what is there; an error means that nothing can be, and put is not
	// for such a key.
	get(key string) (string, bool, error)
	// put writes a value that is legal.
	put(key, value string) error
	// restore puts back what was there, whatever it was, where something can be.
	restore(key, value string) error
	drop(key string)
}

// editor is one manifest that is ours to change.
type editor struct {
	manifest *unstructured.Unstructured
	options  InjectOptions
	selected map[string]bool
	workload workload
	sets     []*textSet // sorted by target
	owned    map[Ref]bool
}

// open copies the manifest and reads what the keys need. The labels are always
// read: a manifest with broken ones is not fit to be written anywhere.
func open(manifest *unstructured.Unstructured, options InjectOptions, keys []Ref) (*editor, error) {
	out, err := copyManifest(manifest)
	if err != nil {
		return nil, err
	}
	e := &editor{manifest: out, options: options, selected: selectorKeys(out), workload: workloadOf(out), owned: map[Ref]bool{}}
	for _, key := range options.Owned {
		e.owned[key] = true
	}
	metadata := out.Object["metadata"]
	annotated, labelled := false, false
	for _, key := range keys {
		annotated = annotated || key.Target == Annotation
		labelled = labelled || key.rule().Target == Label
	}
	if annotated {
		err = e.add(readTexts(Annotation, "annotations", "metadata", metadata))
	}
	if err == nil {
		err = e.add(readTexts(Label, "labels", "metadata", metadata))
	}
	if err == nil && labelled && options.PodTemplate {
		err = e.add(e.podLabels())
	}
	return e, err
}

// add passes the error on: it ends the injection.
func (e *editor) add(set *textSet, err error) error {
	e.sets = append(e.sets, set)
	return err
}

// close writes the texts back and gives the manifest away.
func (e *editor) close() *unstructured.Unstructured {
	for _, set := range e.sets {
		set.write()
	}
	return e.manifest
}

func (e *editor) report(changes []Change) Report {
	report := Report{Changes: changes}
	for _, set := range e.sets {
		if set.absent {
			report.Created = append(report.Created, set.target)
		}
		if set.null {
			report.Null = append(report.Null, set.target)
		}
		if set.made {
			report.PodMetadataCreated = true
		}
	}
	return report
}

// place finds where a target's values go; nil = the target is not known, or was
// not opened.
func (e *editor) place(target Target) place {
	if target == Field {
		return fieldSet{e.manifest.Object}
	}
	if set := e.texts(target); set != nil {
		return set
	}
	return nil
}

func (e *editor) texts(target Target) *textSet {
	for _, set := range e.sets {
		if set.target == target {
			return set
		}
	}
	return nil
}

// withPodTemplate adds to the labels those of the pod template, where they are
// asked for.
func (e *editor) withPodTemplate(keys []Ref) []Ref {
	out := slices.Clone(keys)
	for _, key := range keys {
		if key.Target == Label && e.options.PodTemplate {
			out = append(out, Ref{PodTemplateLabel, key.Key})
		}
	}
	return out
}

// fault says why a value must not be written.
func (e *editor) fault(key Ref, value string) *fault {
	if f := e.keyFault(key); f != nil {
		return f
	}
	return checkValue(key.Target, value)
}

// keyFault says why a key is not ours to write.
func (e *editor) keyFault(key Ref) *fault {
	if f := key.problem(); f != nil {
		return f
	}
	refusal := ""
	switch {
	case key.Target == Field:
		path, _ := parseFieldPath(key.Key) // it has no problem
		refusal = e.workload.fieldRefusal(path, e.options)
	case e.options.Protection.Protects(key.Key):
		refusal = "the key is protected"
	case key.Target != Annotation && e.selected[key.Key]:
		refusal = "spec.selector uses the key"
	}
	if refusal == "" {
		return nil
	}
	return &fault{Refused, refusal}
}

// checkBudget is S8 for the annotations of the whole object.
func (e *editor) checkBudget() error {
	set := e.texts(Annotation)
	if set == nil || set.size() <= MaxAnnotationsBytes {
		return nil
	}
	return &InjectError{
		Class: TooLarge, Target: Annotation,
		Detail: fmt.Sprintf("the annotations would hold %d bytes together, and %d is the limit", set.size(), MaxAnnotationsBytes),
	}
}

// atKey says which key an error is about. The error is new, and nobody else has it.
func atKey(err error, key Ref) error {
	var inject *InjectError
	if errors.As(err, &inject) {
		inject.Target, inject.Key = key.Target, key.Key
	}
	return err
}

// inCluster says in each error of an injection which cluster it is about (L7). They
// are new, too.
func inCluster(err error, cluster string) error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		for _, one := range joined.Unwrap() {
			_ = inCluster(one, cluster)
		}
		return err
	}
	var inject *InjectError
	if errors.As(err, &inject) {
		inject.Cluster = cluster
	}
	return err
}
