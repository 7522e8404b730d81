package preservation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Remove takes an injection back: the exact inverse of the [Inject] call that gave
// the report (I6). Applied to the manifest that Inject returned, the result is, as
// JSON, the manifest that Inject was given. For each change of the report, in any
// order:
//
//  1. Written: the key goes away, if it still holds the value.
//  2. Replaced: the key gets its old value, if it still holds the new one.
//  3. Removed: the key comes back, if there is none of its name.
//  4. Unchanged: nothing happens.
//
// So a key that somebody changed since is left as it is now, and removing twice
// equals removing once. Labels that the injection created go away with the last of
// them. A report of another version, with a target or an effect that is not known,
// is BadReport; other errors and aliasing are those of Inject.
func Remove(manifest *unstructured.Unstructured, report Report) (*unstructured.Unstructured, error) {
	return editLabels(manifest, func(labels *labelSet, _ map[string]bool) error {
		labels.absent = labels.absent || report.LabelsCreated
		labels.null = labels.null || report.LabelsNull
		for _, change := range report.Changes {
			if err := labels.undo(change); err != nil {
				return err
			}
		}
		return nil
	})
}

// undo takes one change back.
func (l *labelSet) undo(change Change) error {
	if change.Target != Label {
		return badChange(change, "target", string(change.Target))
	}
	now, found := l.values[change.Key]
	ours := found && now == change.Value
	switch change.Effect {
	case Written:
		if ours {
			delete(l.values, change.Key)
		}
	case Replaced:
		if ours {
			l.values[change.Key] = change.Old
		}
	case Removed:
		if !found {
			l.values[change.Key] = change.Old
		}
	case Unchanged:
	default:
		return badChange(change, "effect", string(change.Effect))
	}
	return nil
}

func badChange(change Change, what, text string) error {
	return &InjectError{Class: BadReport, Key: change.Key, Detail: fmt.Sprintf("the %s %q is not known", what, text)}
}

// RemoveRules takes the labels of the given rules away, for a host that lost the
// report (I6). It cannot bring back a value that was replaced, and leaves empty
// labels behind where there were none. Keys that are not there are no error; other
// labels stay. So do keys that [Inject] with the same protection would refuse to
// write: whatever the rules say, they were not written by it.
//
// No rules give a plain copy. Errors and aliasing are those of Inject.
func RemoveRules(manifest *unstructured.Unstructured, rules []Rule, protection Protection) (*unstructured.Unstructured, error) {
	return editLabels(manifest, func(labels *labelSet, selected map[string]bool) error {
		keys := guard{protection: protection, selected: selected}
		for _, rule := range rules {
			if keys.refusal(rule.AliasLabelName) == "" {
				delete(labels.values, rule.AliasLabelName)
			}
		}
		return nil
	})
}

// editLabels changes the labels of a copy.
func editLabels(
	manifest *unstructured.Unstructured, edit func(labels *labelSet, selected map[string]bool) error,
) (*unstructured.Unstructured, error) {
	out, err := copyManifest(manifest)
	if err != nil {
		return nil, err
	}
	labels, err := readLabels(out)
	if err != nil {
		return nil, err
	}
	if err := edit(labels, selectorKeys(out)); err != nil {
		return nil, err
	}
	labels.write()
	return out, nil
}
