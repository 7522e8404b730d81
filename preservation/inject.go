package preservation

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

// InjectOptions are what an injection needs to know besides the state. The zero
// value is fine.
type InjectOptions struct {
	// Owned are keys that an older failover wrote. Those without a value in the
	// new state are removed, so that two generations never mix (I6). A key that
	// [Inject] would refuse to write was not written by it, and is left alone; an
	// item of a list stays too, since its neighbours would move. Leave it empty
	// for a manifest that was rendered afresh.
	Owned []Ref
	// Protection refuses keys besides those that are always protected (S11).
	Protection Protection
	// PodTemplate writes the labels to the pod template too, and lets fields lead
	// into it (I4, I5).
	PodTemplate bool
	// Force writes also what restarts the pods of a copy that runs, or what the API
	// server lets nobody change later (I4).
	Force bool
}

// Inject writes the state into a copy of the manifest (I2 to I5):
//
//  1. A manifest whose metadata or labels cannot be read whole is BadManifest:
//     metadata missing or null, labels of another type, a label that is not text,
//     a Go value that JSON cannot hold. So are annotations, where the state has
//     some, and labels of the pod template, where PodTemplate asks for them.
//  2. A key or value that is not legal is InvalidValue, empty text included; a
//     protected key, or a label that spec.selector uses, is Refused. So is a field
//     that is not for state, that is immutable in objects of this kind, or in the
//     pod template: the last two unless the options say otherwise.
//  3. A field is written where its parent is there, and nothing is created on the
//     way: else MissingParent. A value there, unless it is null, must have the
//     type of the new one: else TypeMismatch.
//  4. Where the manifest holds another value, the rule's conflict decides: Replace
//     writes, Keep leaves it, Fail is a Conflicting error. The report always has
//     the old value.
//  5. Keys in Owned that the state lacks are removed.
//  6. Annotations that hold more than 256 KiB together are TooLarge.
//
// Any error means that nothing is returned: never go on without the state. The
// error joins an [*InjectError] for each key, in the order of targets and keys.
//
// The manifest is not changed and the result shares nothing with it. Injecting
// twice equals injecting once (I6). An empty state gives a plain copy. Labels and
// annotations that are absent or null are none. In the copy, Go numbers and maps
// of texts take the types that apimachinery can deep-copy; its JSON differs in
// what the report lists only.
func Inject(manifest *unstructured.Unstructured, state State, options InjectOptions) (*unstructured.Unstructured, Report, error) {
	e, err := open(manifest, options, append(state.Keys(), options.Owned...))
	if err != nil {
		return nil, Report{}, err
	}
	if err := state.overlap(); err != nil {
		return nil, Report{}, err
	}
	var changes []Change
	var errs []error
	for _, key := range e.targetsOf(state.Keys()) {
		change, err := e.put(key, state)
		if err != nil {
			errs = append(errs, atKey(err, key))
		}
		changes = append(changes, change)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, Report{}, err
	}
	changes = append(changes, e.dropOwned(state)...)
	if err := e.checkBudget(); err != nil {
		return nil, Report{}, err
	}
	slices.SortFunc(changes, func(a, b Change) int { return compareRefs(a.Ref, b.Ref) })
	report := Report{Changes: changes}
	for _, set := range e.sets {
		if set.absent {
			report.Created = append(report.Created, set.target)
		}
		if set.null {
			report.Null = append(report.Null, set.target)
		}
	}
	return e.close(), report, nil
}

// place is where the values of one target go.
type place interface {
	get(key string) (string, bool, error)
	put(key, value string) error
	// restore puts back what was there, whatever it was.
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
}

// open copies the manifest and reads what the keys need. The labels are always
// read: a manifest with broken ones is not fit to be written anywhere.
func open(manifest *unstructured.Unstructured, options InjectOptions, keys []Ref) (*editor, error) {
	out, err := copyManifest(manifest)
	if err != nil {
		return nil, err
	}
	e := &editor{manifest: out, options: options, selected: selectorKeys(out), workload: workloadOf(out)}
	metadata := out.Object["metadata"]
	if slices.ContainsFunc(keys, func(k Ref) bool { return k.Target == Annotation }) {
		err = e.add(readTexts(Annotation, "annotations", "metadata", metadata))
	}
	if err == nil {
		err = e.add(readTexts(Label, "labels", "metadata", metadata))
	}
	if err == nil && options.PodTemplate && slices.ContainsFunc(keys, func(k Ref) bool { return k.Target == Label || k.Target == PodTemplateLabel }) {
		if refusal := e.workload.templateRefusal(options); refusal != "" {
			return nil, &InjectError{Class: Refused, Target: PodTemplateLabel, Detail: refusal}
		}
		err = e.add(podLabels(out))
	}
	return e, err
}

func (e *editor) add(set *textSet, err error) error {
	if err == nil {
		e.sets = append(e.sets, set)
	}
	return err
}

func (e *editor) close() *unstructured.Unstructured {
	for _, set := range e.sets {
		set.write()
	}
	return e.manifest
}

// place finds where a target's values go; nil = the target is not known, or was
// not opened.
func (e *editor) place(target Target) place {
	if target == Field {
		return fieldSet{e.manifest.Object}
	}
	i := slices.IndexFunc(e.sets, func(s *textSet) bool { return s.target == target })
	if i < 0 {
		return nil
	}
	return e.sets[i]
}

// targetsOf adds to the labels those of the pod template, where they are asked
// for.
func (e *editor) targetsOf(keys []Ref) []Ref {
	out := slices.Clone(keys)
	for _, key := range keys {
		if key.Target == Label && e.options.PodTemplate {
			out = append(out, Ref{PodTemplateLabel, key.Key})
		}
	}
	return out
}

// put writes one value of the state and says how.
func (e *editor) put(key Ref, state State) (Change, error) {
	source := key
	if key.Target == PodTemplateLabel {
		source.Target = Label
	}
	change := Change{Ref: key, Value: state.value(source), Effect: Written}
	if err := e.check(key, change.Value); err != nil {
		return change, err
	}
	at := e.place(key.Target)
	old, found, err := at.get(key.Key)
	if err != nil {
		return change, err
	}
	change.Old = old
	occupied := found && (key.Target != Field || old != "null")
	switch conflict := state.conflict(source); {
	case found && sameValue(key.Target, old, change.Value):
		change.Effect, change.Old = Unchanged, old
		return change, nil
	case occupied && conflict == KeepExisting:
		change.Effect, change.Value = Kept, ""
		return change, nil
	case occupied && conflict == Fail:
		return change, &InjectError{Class: Conflicting, Detail: "the manifest holds another value, and the rule says Fail"}
	case found:
		change.Effect = Replaced
	}
	return change, at.put(key.Key, change.Value)
}

// sameValue compares fields as JSON values, so that the spelling of an object in
// a stored state does not matter.
func sameValue(target Target, old, value string) bool {
	if target != Field || old == value {
		return old == value
	}
	decoded, err := fieldValue(value)
	if err != nil {
		return false
	}
	text, err := marshal(decoded)
	return err == nil && text == old
}

// check says why a value must not be written.
func (e *editor) check(key Ref, value string) error {
	if refusal := e.refusal(key); refusal != "" {
		return &InjectError{Class: Refused, Detail: refusal}
	}
	target := key.Target
	if target == PodTemplateLabel {
		target = Label
	}
	if target != Field && len(validation.IsQualifiedName(key.Key)) > 0 {
		return &InjectError{Class: InvalidValue, Detail: "not a legal key"}
	}
	if f := checkValue(target, value); f != nil {
		return &InjectError{Class: f.class, Detail: f.detail}
	}
	return nil
}

// refusal says why a key is not ours; empty = it may be.
func (e *editor) refusal(key Ref) string {
	switch {
	case key.Target == Field:
		path, err := parseFieldPath(key.Key)
		if err != nil {
			return err.Error()
		}
		if path.String() != key.Key {
			return fmt.Sprintf("a state spells this path %s", path)
		}
		return e.workload.fieldRefusal(path, e.options)
	case e.options.Protection.Protects(key.Key):
		return "the key is protected"
	case key.Target != Annotation && e.selected[key.Key]:
		return "spec.selector uses the key"
	}
	return ""
}

// dropOwned removes what an older failover wrote and the state lacks.
func (e *editor) dropOwned(state State) []Change {
	var changes []Change
	for _, key := range e.targetsOf(e.options.Owned) {
		source := key
		if key.Target == PodTemplateLabel {
			source.Target = Label
		}
		at := e.place(key.Target)
		_, wanted := state.byTarget()[source.Target][source.Key]
		if at == nil || wanted || e.refusal(key) != "" {
			continue
		}
		old, found, err := at.get(key.Key)
		if err != nil || !found {
			continue
		}
		at.drop(key.Key)
		if _, still, _ := at.get(key.Key); !still {
			changes = append(changes, Change{Ref: key, Old: old, Effect: Removed})
		}
	}
	return changes
}

func (e *editor) checkBudget() error {
	set, ok := e.place(Annotation).(*textSet)
	if !ok || set.size() <= MaxAnnotationsBytes {
		return nil
	}
	return &InjectError{
		Class: TooLarge, Target: Annotation,
		Detail: fmt.Sprintf("the annotations would hold %d bytes together, and %d is the limit", set.size(), MaxAnnotationsBytes),
	}
}

// atKey says which key an error is about.
func atKey(err error, key Ref) error {
	var inject *InjectError
	if errors.As(err, &inject) {
		named := *inject
		named.Target, named.Key = key.Target, key.Key
		return &named
	}
	return err
}
