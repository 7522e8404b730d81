package preservation

import (
	"fmt"
	"slices"

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
//  4. Unchanged, Kept and Conflicted: nothing happens.
//
// So a key that somebody changed since is left as it is now, and removing twice
// equals removing once. Maps of labels or annotations that the injection created
// go away with the last of them. A report of another version is BadReport: one with
// a target or an effect that is not known, or with a key that Inject never writes.
// Other errors and aliasing are those of Inject, but they name no cluster: a report
// does not know it.
func Remove(manifest *unstructured.Unstructured, report Report) (*unstructured.Unstructured, error) {
	var keys []Ref
	options := InjectOptions{Force: true}
	for _, change := range report.Changes {
		keys = append(keys, change.Ref)
		options.PodTemplate = options.PodTemplate || change.Target == PodTemplateLabel
	}
	e, err := open(manifest, options, keys)
	if err != nil {
		return nil, err
	}
	for _, set := range e.sets {
		set.absent = set.absent || slices.Contains(report.Created, set.target)
		set.null = set.null || slices.Contains(report.Null, set.target)
		set.made = set.made || report.PodMetadataCreated
	}
	// What is around comes back before what is within.
	changes := slices.SortedFunc(slices.Values(report.Changes), func(a, b Change) int { return compareRefs(a.Ref, b.Ref) })
	for _, change := range changes {
		if err := e.undo(change); err != nil {
			return nil, atKey(err, change.Ref)
		}
	}
	return e.close(), nil
}

// undo takes one change back.
func (e *editor) undo(change Change) error {
	at := e.place(change.Target)
	if at == nil {
		return &InjectError{Class: BadReport, Detail: fmt.Sprintf("the target %q is not known", change.Target)}
	}
	if f := change.problem(); f != nil {
		return &InjectError{Class: BadReport, Detail: f.detail}
	}
	now, found, _ := at.get(change.Key) // where somebody took its place away, nothing of ours is left
	ours := found && sameValue(change.Target, now, change.Value)
	switch change.Effect {
	case Written:
		if ours {
			at.drop(change.Key)
		}
	case Replaced:
		if ours {
			return at.restore(change.Key, change.Old)
		}
	case Removed:
		if !found {
			return at.restore(change.Key, change.Old)
		}
	case Unchanged, Kept, Conflicted:
	default:
		return &InjectError{Class: BadReport, Detail: fmt.Sprintf("the effect %q is not known", change.Effect)}
	}
	return nil
}

// RemoveRules takes the values of the given rules away, for a host that lost the
// report (I6). It cannot bring back a value that was replaced, and leaves an empty
// map behind where there was none; only keys go, so items of lists stay. Keys that
// are not there, and fields whose parent is not there, are no error; the rest of
// the manifest stays. So do keys that [Inject] with the same options would refuse
// to write: whatever the rules say, they were not written by it.
//
// No rules give a plain copy. Errors and aliasing are those of Inject.
func RemoveRules(manifest *unstructured.Unstructured, rules []Rule, options InjectOptions) (*unstructured.Unstructured, error) {
	options.Owned = nil
	for _, rule := range rules {
		options.Owned = append(options.Owned, rule.Ref())
	}
	e, err := open(manifest, options, options.Owned)
	if err != nil {
		return nil, inCluster(err, options.Cluster)
	}
	e.dropOwned(State{})
	return e.close(), nil
}
