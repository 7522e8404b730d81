package preservation

import (
	"errors"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// InjectOptions are what an injection needs to know besides the state (I4 to I6).
// The zero value is fine.
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
	// Cluster names where the manifest goes, for errors (L7); empty is fine, as for
	// a template, which belongs to no cluster.
	Cluster string
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
//     the old value, beside that error, too. Null and empty text are no value to
//     conflict with, nor is what an older failover wrote, as Owned says. Fields
//     are compared as JSON values: 1.50 is 1.5.
//  5. Keys in Owned that the state lacks are removed.
//  6. Annotations that hold more than 256 KiB together are TooLarge.
//  7. A state with a conflict that is not known, or with a field within another
//     one, is BadState; so is an owned key whose target is not known, or that is
//     around a field of the state.
//
// Any error means that there is no manifest: never go on without the state. The
// error joins an [*InjectError] for each key, in the order of targets and keys, and
// each names the Cluster of the options. Of the report only the conflicts are left
// then.
//
// The manifest is not changed and the result shares nothing with it. Injecting
// twice equals injecting once (I6). An empty state gives a plain copy. Labels and
// annotations that are absent or null are none. In the copy, Go numbers and maps
// of texts take the types that apimachinery can deep-copy; its JSON differs in
// what the report lists only.
func Inject(manifest *unstructured.Unstructured, state State, options InjectOptions) (*unstructured.Unstructured, Report, error) {
	out, report, err := inject(manifest, state, options)
	return out, report, inCluster(err, options.Cluster)
}

func inject(manifest *unstructured.Unstructured, state State, options InjectOptions) (*unstructured.Unstructured, Report, error) {
	e, err := open(manifest, options, append(state.Keys(), options.Owned...))
	if err == nil {
		err = errors.Join(state.coherent(), e.checkOwned(state))
	}
	if err != nil {
		return nil, Report{}, err
	}
	changes, err := e.putAll(state)
	if err != nil {
		return nil, Report{Changes: conflictsOf(changes)}, err
	}
	changes = append(changes, e.dropOwned(state)...)
	if err := e.checkBudget(); err != nil {
		return nil, Report{}, err
	}
	slices.SortFunc(changes, func(a, b Change) int { return compareRefs(a.Ref, b.Ref) })
	return e.close(), e.report(changes), nil
}

func conflictsOf(changes []Change) []Change {
	var out []Change
	for _, change := range changes {
		if change.Effect == Conflicted {
			out = append(out, change)
		}
	}
	return out
}

// checkOwned refuses keys of an older failover that can neither go nor stay: those
// whose target is not known, and fields around one of the state, which would be
// removed with them. To leave them would mix two generations.
func (e *editor) checkOwned(state State) error {
	for _, key := range e.options.Owned {
		if !slices.Contains([]Target{Label, Annotation, Field, PodTemplateLabel}, key.Target) {
			return &InjectError{Class: BadState, Target: key.Target, Key: key.Key, Detail: "the target of an owned key is not known"}
		}
	}
	isOwned := func(around string) bool { return e.owned[Ref{Field, around}] }
	for _, key := range slices.Sorted(maps.Keys(state.Fields)) {
		if around, found := fieldAround(key, isOwned); found {
			return &InjectError{Class: BadState, Target: Field, Key: key, Detail: "it lies within the owned field " + around}
		}
	}
	return nil
}

// putAll writes every value of the state, or says everything that is against it.
func (e *editor) putAll(state State) ([]Change, error) {
	var changes []Change
	var errs []error
	conflicts := state.conflicts()
	for _, key := range e.withPodTemplate(state.Keys()) {
		conflict := conflicts[key.rule()]
		if e.owned[key] || e.owned[key.rule()] {
			conflict = Replace
		}
		change, err := e.put(key, state, conflict)
		changes, errs = append(changes, change), append(errs, atKey(err, key))
	}
	return changes, errors.Join(errs...)
}

// put writes one value of the state and says how.
func (e *editor) put(key Ref, state State, conflict Conflict) (Change, error) {
	value := state.values(key.Target)[key.Key]
	if f := e.fault(key, value); f != nil {
		return Change{}, &InjectError{Class: f.class, Detail: f.detail}
	}
	at := e.place(key.Target)
	old, found, err := at.get(key.Key)
	if err != nil {
		return Change{}, err
	}
	change := Change{Ref: key, Value: value, Old: old, Effect: Written}
	switch {
	case sameValue(key.Target, old, value): // nothing is not the same: the value is none
		change.Effect = Unchanged
		return change, nil
	case !isNothing(key.Target, old) && conflict == KeepExisting:
		change.Effect, change.Value = Kept, ""
		return change, nil
	case !isNothing(key.Target, old) && conflict == Fail:
		change.Effect = Conflicted
		return change, &InjectError{Class: Conflicting, Detail: "the manifest holds another value, and the rule says Fail"}
	case found:
		change.Effect = Replaced
	}
	return change, at.put(key.Key, change.Value)
}

// sameValue says whether two values of one target are the same.
func sameValue(target Target, a, b string) bool {
	if target == Field {
		return sameField(a, b)
	}
	return a == b
}

// isNothing says that what the manifest holds is no value, as in S4; what is not
// there is empty.
func isNothing(target Target, old string) bool {
	return old == "" || target == Field && (old == "null" || old == `""`)
}

// dropOwned removes what an older failover wrote and the state lacks.
func (e *editor) dropOwned(state State) []Change {
	var changes []Change
	for _, key := range e.withPodTemplate(e.options.Owned) {
		at := e.place(key.Target)
		if at == nil || state.writes(key) || e.keyFault(key) != nil {
			continue
		}
		old, found, _ := at.get(key.Key) // where nothing can be, nothing is
		if !found {
			continue
		}
		at.drop(key.Key)
		if _, still, _ := at.get(key.Key); !still { // an item of a list stays
			changes = append(changes, Change{Ref: key, Old: old, Effect: Removed})
		}
	}
	return changes
}
