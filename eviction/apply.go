package eviction

import "github.com/carryover-io/carryover/purge"

// ApplyOptions adapt [Apply] to the host (E7).
type ApplyOptions struct {
	// DropOnPurge is for hosts that delete a copy because its cluster is in no
	// list any more, as Karmada does: tasks whose outcome is Purge are dropped
	// too. Tasks with the mode Directly stay until they finish: their copy is
	// deleted for its mode, and the task may hold the only copy of the state.
	DropOnPurge bool
}

// Apply carries decisions out on the latest list of tasks, which may have
// changed since it was assessed, and returns the new list in the same order. A
// decision belongs to the tasks with its cluster and its stored creation second;
// a missing creation time matches a missing one (E10):
//
//  1. A task that no decision belongs to is left alone, verbatim.
//  2. Finish drops the task; so does Purge with DropOnPurge, unless the mode is
//     Directly. Anything else keeps it.
//  3. Where several tasks or decisions share a key nobody can tell them apart:
//     they are dropped only if all decisions say so and there are as many
//     decisions as tasks. Until then they stay.
//  4. A task that stays gets the creation time of its decision where its own was
//     missing or in the future (E6), unless another decision has that key: the
//     next Apply would take the task for that other one.
//
// Applying to the result again changes nothing. Two writers of one list need
// optimistic locking.
func Apply(latest []Task, decisions []Decision, opts ApplyOptions) []Task {
	verdicts := map[key]*verdict{}
	for _, d := range decisions {
		k := keyOf(d.FromCluster, d.CreationTimestamp)
		if verdicts[k] == nil {
			verdicts[k] = &verdict{drop: true, decision: d}
		}
		verdicts[k].drop = verdicts[k].drop && drops(d, opts)
		verdicts[k].unseen++
	}
	for _, t := range latest {
		if v := verdicts[keyOf(t.FromCluster, t.CreationTimestamp)]; v != nil {
			v.unseen--
		}
	}
	out := make([]Task, 0, len(latest))
	for _, t := range latest {
		v := verdicts[keyOf(t.FromCluster, t.CreationTimestamp)]
		switch {
		case v == nil || v.unseen < 0:
			out = append(out, *t.DeepCopy())
		case !v.drop:
			t = *t.DeepCopy()
			if at := v.decision.Created; !at.IsZero() && verdicts[keyOf(t.FromCluster, &at)] == nil {
				t.CreationTimestamp = &at
			}
			out = append(out, t)
		}
	}
	return out
}

// verdict is what all decisions with one key say.
type verdict struct {
	drop     bool
	decision Decision // the first of them
	unseen   int      // decisions minus tasks
}

func drops(d Decision, opts ApplyOptions) bool {
	switch d.Outcome {
	case Finish:
		return true
	case Purge:
		return opts.DropOnPurge && d.Mode != purge.Directly
	case Keep:
		return false
	default:
		return false
	}
}
