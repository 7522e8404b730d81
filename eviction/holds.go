package eviction

import (
	"slices"

	"github.com/carryover-io/carryover/purge"
)

// Holds says whether a target must wait, and returns the decision that makes it
// wait; hasCopy says whether the application has a copy on that cluster now. The
// first decision that holds it is returned, in the order of Decisions:
//
//  1. The cluster's own task deletes the old copy there, which is not gone: held,
//     even though there is a copy, since that is the old one (E13).
//  2. A copy that exists is never held otherwise (P5).
//  3. The cluster's own task holds new copies: held.
//  4. A task of another cluster holds new copies and the cluster is not in that
//     task's clustersBeforeFailover: held. An empty list is not known, and every
//     cluster is outside it (P5, E4).
//
// A finished task holds nothing, and one holding task is enough. The decision
// is the zero value if nothing holds.
func (a Assessment) Holds(cluster string, hasCopy bool) (Decision, bool) {
	for _, d := range a.Decisions {
		if d.holds(cluster, hasCopy) {
			return d.clone(), true
		}
	}
	return Decision{}, false
}

func (d Decision) holds(cluster string, hasCopy bool) bool {
	switch own := d.FromCluster == cluster; {
	case d.Outcome == Finish:
		return false
	case own && d.Old == purge.Delete && d.Presence != purge.Gone:
		return true
	case hasCopy || d.New != purge.Hold:
		return false
	default:
		return own || !slices.Contains(d.ClustersBeforeFailover, cluster)
	}
}
