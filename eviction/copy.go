package eviction

import (
	"slices"

	"github.com/carryover-io/carryover/preservation"
)

// clone is a deep copy: nothing that is returned aliases an input (L1).
func (d Decision) clone() Decision {
	d.CreationTimestamp = d.CreationTimestamp.DeepCopy()
	d.ClustersBeforeFailover = slices.Clone(d.ClustersBeforeFailover)
	return d
}

// State is all that the next copy receives: the preserved labels and the rest, which
// a merge keeps or replaces together (E2). It shares nothing with the task (L1).
func (t Task) State() preservation.State {
	return preservation.Join(t.PreservedLabelState, t.PreservedState)
}

// cloneTasks copies those tasks that keep accepts; all, if it is nil.
func cloneTasks(tasks []Task, keep func(Task) bool) []Task {
	out := make([]Task, 0, len(tasks))
	for _, t := range tasks {
		if keep == nil || keep(t) {
			out = append(out, *t.DeepCopy())
		}
	}
	return out
}

// cloneTargets copies all targets but those of the given names.
func cloneTargets(targets []TargetCluster, without map[string]bool) []TargetCluster {
	out := make([]TargetCluster, 0, len(targets))
	for _, t := range targets {
		if !without[t.Name] {
			out = append(out, *t.DeepCopy())
		}
	}
	return out
}
