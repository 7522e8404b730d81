package failover

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Carried is state that waits for a copy to receive it, with where it comes from
// (I1).
type Carried struct {
	// State is never empty.
	State preservation.State
	// Origin is the cluster that was evicted with it.
	Origin string
	// Mode of that eviction, normalised; empty if it is no mode (P3).
	Mode purge.Mode
	// ClustersBeforeFailover were the targets then, sorted, each once; empty = not
	// known (E4).
	ClustersBeforeFailover []string
	// Created is when that was, UTC, whole seconds; zero = not written yet, which
	// means just now (E6).
	Created time.Time
}

// Carry chooses, among the tasks of one application, the state that goes on: that
// of the newest move whose source was healthy since it last received state, else
// the next older (I1). It is for hosts that keep no record beside the tasks, so
// what tasks cannot tell is an argument: lastHealthy gives, per cluster, when the
// application was last known healthy there; nil, and a cluster that it lacks,
// mean not known.
//
//  1. A source has received what an older Directly task preserved if it was not
//     among that task's clustersBeforeFailover, or left by that task itself and
//     came back. A task that lacks the list gives nothing to anybody for sure.
//  2. A source that has received state, and is not known to have been healthy
//     between its return and its own eviction, adds nothing: what it received
//     goes on, and what its own task holds does not (F6).
//  3. A source that was healthy with what it received ends that state, even if
//     its own task preserved none: the older state is of the past. Health in the
//     second of an eviction belongs to the life that the eviction ended (E2).
//
// What is left is returned, newest first, then by origin: usually one. Several
// mean that copies which ran side by side were evicted, or that a task does not
// say what ran before; [Gate] then decides. Rule 2 is generous to a task that
// holds state: health after its own eviction counts too, since hosts that watch a
// copy under Gracefully report it; a task without state ends nothing by it.
//
// Neither the order of the tasks nor repeated ones matter. Times are compared in
// whole seconds. The result shares nothing with the tasks.
func Carry(tasks []eviction.Task, lastHealthy map[string]time.Time) []Carried {
	moves := movesOf(tasks)
	var live, healthy []Carried
	for _, move := range moves {
		last := lastHealthy[move.Origin]
		if _, unproven := receivedUnproven(move.Origin, olderThan(move, moves), last); unproven {
			continue
		}
		ended := slices.ContainsFunc(healthy, func(newer Carried) bool {
			return newer.newerThan(move) && move.gives(newer.Origin)
		})
		if !ended && !move.State.IsEmpty() {
			live = append(live, move)
		}
		if !move.State.IsEmpty() || !move.before(last) {
			healthy = append(healthy, move)
		}
	}
	return live
}

// movesOf are the tasks as moves, with state or without, each once, newest first.
func movesOf(tasks []eviction.Task) []Carried {
	moves := make([]Carried, 0, len(tasks))
	for _, task := range tasks {
		moves = append(moves, moveOf(task))
	}
	slices.SortFunc(moves, compareMoves)
	return slices.CompactFunc(moves, func(a, b Carried) bool { return compareMoves(a, b) == 0 })
}

func moveOf(task eviction.Task) Carried {
	move := Carried{
		State:                  task.State(),
		Origin:                 task.FromCluster,
		ClustersBeforeFailover: slices.Compact(slices.Sorted(slices.Values(task.ClustersBeforeFailover))),
	}
	move.Mode, _ = purge.Normalize(task.PurgeMode) // empty for what is no mode
	if at := task.CreationTimestamp; at != nil {
		move.Created = at.UTC().Truncate(time.Second)
	}
	return move
}

// compareMoves is a total order, so that no input order ever shows (L3).
func compareMoves(a, b Carried) int {
	switch {
	case a.newerThan(b):
		return -1
	case b.newerThan(a):
		return 1
	}
	return cmp.Or(
		cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Mode, b.Mode),
		slices.Compare(a.ClustersBeforeFailover, b.ClustersBeforeFailover),
		compareStates(a.State, b.State),
	)
}

// compareStates tells any two states apart that differ in anything.
func compareStates(a, b preservation.State) int {
	first, _ := json.Marshal(a) // maps of texts always encode
	second, _ := json.Marshal(b)
	return bytes.Compare(first, second)
}

// newerThan says that the move was made in a later second; a time that is not
// written yet is now.
func (c Carried) newerThan(other Carried) bool {
	if c.Created.IsZero() || other.Created.IsZero() {
		return !other.Created.IsZero()
	}
	return c.Created.After(other.Created)
}

// olderThan keeps the order.
func olderThan(move Carried, moves []Carried) []Carried {
	var out []Carried
	for _, other := range moves {
		if move.newerThan(other) {
			out = append(out, other)
		}
	}
	return out
}

// outside says that a copy on cluster is younger than the move.
func (c Carried) outside(cluster string) bool {
	return cluster == c.Origin || len(c.ClustersBeforeFailover) > 0 && !slices.Contains(c.ClustersBeforeFailover, cluster)
}

// gives says that a later copy on cluster was to receive the state of the move.
// Only Directly delivers.
func (c Carried) gives(cluster string) bool {
	return !c.State.IsEmpty() && c.Mode == purge.Directly && c.outside(cluster)
}

// before says that the move was made in an earlier second than the instant.
func (c Carried) before(instant time.Time) bool {
	return !c.Created.IsZero() && instant.Truncate(time.Second).After(c.Created)
}

// receivedUnproven returns the newest of the older moves whose state a copy on
// cluster was to receive, if the copy is not known to have been healthy. Health
// counts from the newest move that the copy is younger than: before, it was that
// of another copy.
func receivedUnproven(cluster string, older []Carried, lastHealthy time.Time) (Carried, bool) {
	given := slices.IndexFunc(older, func(move Carried) bool { return move.gives(cluster) })
	if given < 0 {
		return Carried{}, false
	}
	born := slices.IndexFunc(older, func(move Carried) bool { return move.outside(cluster) })
	return older[given], !older[born].before(lastHealthy)
}
