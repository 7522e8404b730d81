package eviction

import (
	"maps"
	"slices"

	"github.com/carryover-io/carryover/preservation"
)

// clone is a deep copy: nothing that is returned aliases an input (L1).
func (t Task) clone() Task {
	t.Replicas = copied(t.Replicas)
	t.Components = slices.Clone(t.Components)
	t.GracePeriodSeconds = copied(t.GracePeriodSeconds)
	t.SuppressDeletion = copied(t.SuppressDeletion)
	t.PreservedLabelState = maps.Clone(t.PreservedLabelState)
	if t.PreservedState != nil {
		state := t.PreservedState.Clone()
		t.PreservedState = &state
	}
	t.CreationTimestamp = copied(t.CreationTimestamp)
	t.ClustersBeforeFailover = slices.Clone(t.ClustersBeforeFailover)
	return t
}

func (t TargetCluster) clone() TargetCluster {
	t.Replicas = copied(t.Replicas)
	t.Components = slices.Clone(t.Components)
	return t
}

func (d Decision) clone() Decision {
	d.CreationTimestamp = copied(d.CreationTimestamp)
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
			out = append(out, t.clone())
		}
	}
	return out
}

// cloneTargets copies all targets but those of the given names.
func cloneTargets(targets []TargetCluster, without map[string]bool) []TargetCluster {
	out := make([]TargetCluster, 0, len(targets))
	for _, t := range targets {
		if !without[t.Name] {
			out = append(out, t.clone())
		}
	}
	return out
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
