package preservation

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

// InjectOptions are what an injection needs to know besides the state. The zero
// value is fine.
type InjectOptions struct {
	// Owned are keys that an older failover wrote. Those without a value in the
	// new state are removed, so that two generations never mix (I6). A key that
	// [Inject] would refuse to write was not written by it, and is left alone.
	// Leave it empty for a manifest that was rendered afresh.
	Owned []string
	// Protection refuses keys besides those that are always protected (S11).
	Protection Protection
}

// Inject writes the state into a copy of the manifest, as labels of the object
// itself, never of a pod template (I2, I3, I4):
//
//  1. A manifest whose metadata or labels cannot be read whole is BadManifest:
//     metadata missing or null, labels of another type, a label that is not text,
//     a Go value that JSON cannot hold.
//  2. A key or value that is not legal is InvalidValue, empty text included; a
//     protected key, or one that spec.selector uses, is Refused.
//  3. Each key of the state is written, replacing what was there; the report
//     keeps the old value. Keys in Owned that the state lacks are removed.
//
// Any error means that nothing is returned: never go on without the state. The
// error joins an [*InjectError] for each key, in the order of the keys.
//
// The manifest is not changed and the result shares nothing with it. Injecting
// twice equals injecting once (I6). An empty state gives a plain copy. Labels that
// are absent or null are none. In the copy, Go numbers and maps of texts take the
// types that apimachinery can deep-copy; its JSON differs in the labels only.
func Inject(manifest *unstructured.Unstructured, state State, options InjectOptions) (*unstructured.Unstructured, Report, error) {
	out, err := copyManifest(manifest)
	if err != nil {
		return nil, Report{}, err
	}
	labels, err := readLabels(out)
	if err != nil {
		return nil, Report{}, err
	}
	keys := guard{protection: options.Protection, selected: selectorKeys(out)}
	if err := keys.check(state); err != nil {
		return nil, Report{}, err
	}
	report := Report{LabelsCreated: labels.absent, LabelsNull: labels.null}
	report.Changes = append(labels.put(state), labels.drop(state, options.Owned, keys)...)
	slices.SortFunc(report.Changes, func(a, b Change) int { return cmp.Compare(a.Key, b.Key) })
	labels.write()
	return out, report, nil
}

// guard knows which keys of one manifest are not ours to touch.
type guard struct {
	protection Protection
	selected   map[string]bool
}

// refusal says why a key is not ours; empty = it may be.
func (g guard) refusal(key string) string {
	switch {
	case g.protection.Protects(key):
		return "the key is protected"
	case g.selected[key]:
		return "spec.selector uses the key"
	}
	return ""
}

// check refuses what must not be written, all of it at once.
func (g guard) check(state State) error {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(state.Labels)) {
		f, refusal := checkLabel(state.Labels[key]), g.refusal(key)
		switch {
		case len(validation.IsQualifiedName(key)) > 0:
			errs = append(errs, &InjectError{Class: InvalidValue, Key: key, Detail: "not a legal label key"})
		case refusal != "":
			errs = append(errs, &InjectError{Class: Refused, Key: key, Detail: refusal})
		case f != nil:
			errs = append(errs, &InjectError{Class: f.class, Key: key, Detail: f.detail})
		}
	}
	return errors.Join(errs...)
}

// put writes the state and says how, in any order.
func (l *labelSet) put(state State) []Change {
	changes := make([]Change, 0, len(state.Labels))
	for key, value := range state.Labels {
		change := Change{Target: Label, Key: key, Value: value, Effect: Written}
		if old, found := l.values[key]; found {
			change.Old, change.Effect = old, Replaced
			if old == value {
				change.Effect = Unchanged
			}
		}
		l.values[key] = value
		changes = append(changes, change)
	}
	return changes
}

// drop removes what an older failover wrote and the state lacks.
func (l *labelSet) drop(state State, owned []string, keys guard) []Change {
	var changes []Change
	for _, key := range owned {
		_, wanted := state.Labels[key]
		old, found := l.values[key]
		if !found || wanted || keys.refusal(key) != "" {
			continue
		}
		delete(l.values, key)
		changes = append(changes, Change{Target: Label, Key: key, Old: old, Effect: Removed})
	}
	return changes
}
