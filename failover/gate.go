package failover

import (
	"slices"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Action is what to do with the manifest for one target (I1).
type Action string

const (
	// Apply writes the manifest to the cluster.
	Apply Action = "Apply"
	// Hold writes nothing there (P5).
	Hold Action = "Hold"
)

// GateReason is the stable, machine-readable cause of a gate's answer (I1). A
// Hold that no gate asks for has the reason of the decision that holds, which is
// one of package purge's or package eviction's.
type GateReason string

const (
	// Injected means that every gate was passed.
	Injected GateReason = "Injected"
	// NoState means that no state waits for a copy.
	NoState GateReason = "NoState"
	// UnknownOrigin means that a task with state does not say which clusters ran
	// the application before: any target may be one of them.
	UnknownOrigin GateReason = "UnknownOrigin"
	// AlreadyRunning means that the target ran the application before the move.
	AlreadyRunning GateReason = "AlreadyRunning"
	// AmbiguousOrigin means that moves with different state end here.
	AmbiguousOrigin GateReason = "AmbiguousOrigin"
	// SeveralTargets means that the state has more than one new target, or that
	// only a part of the application moved.
	SeveralTargets GateReason = "SeveralTargets"
	// ModeNotDirectly means that the purge mode lets an old copy run on, which
	// then owns the state.
	ModeNotDirectly GateReason = "ModeNotDirectly"
	// OldCopyNotGone means that an old copy is neither gone nor fenced (P5).
	OldCopyNotGone GateReason = "OldCopyNotGone"
	// DeliveredElsewhere means that another copy received the state already: a
	// second one never does. Only [Plan] knows.
	DeliveredElsewhere GateReason = "DeliveredElsewhere"
)

// GateInput is all that [Gate] looks at (I1).
type GateInput struct {
	// Targets, Tasks and Items as they are now; Tasks are those that
	// eviction.Apply left.
	Targets []eviction.TargetCluster
	Tasks   []eviction.Task
	Items   []eviction.AggregatedStatusItem
	// Assessment of these tasks, for what it holds. A Directly task that it lacks
	// holds all the same.
	Assessment eviction.Assessment
	// Clusters are the facts that the assessment was made with; a cluster that is
	// missing is unknown. For a cluster without a task, Gone means that the copy
	// which older moves name is confirmed gone.
	Clusters map[string]eviction.Facts
	// LastHealthy as for [Carry].
	LastHealthy map[string]time.Time
	// Rules of the policy, to tell Optional values. A value counts as Required
	// unless all rules with its key are Optional.
	Rules []preservation.Rule
	// OnMissingState of the policy: EvictWithout lets a copy start without a Required
	// value, anything else does not (F6).
	OnMissingState preservation.OnMissingState
	// InjectWhenNotDirectly of the policy gives the state of every mode to new copies.
	InjectWhenNotDirectly bool
}

// Gated is the answer for one target (I1).
type Gated struct {
	// Cluster is the target.
	Cluster string
	// Action says whether the manifest may be written there.
	Action Action
	// Inject says that State goes into the manifest first. It is never true
	// beside Hold.
	Inject bool
	// State to inject; empty unless Inject.
	State preservation.State
	// Origin is the cluster that the state comes from; empty unless Inject.
	Origin string
	// LeftOut are clusters whose tasks hold newer state that is not used, because
	// they are not known to have been healthy since they received this one; sorted,
	// empty unless Inject. A host that keeps nothing beside the tasks cannot know
	// better, and a person may want to (I1).
	LeftOut []string
	// Reason is never empty.
	Reason GateReason
	// Message says the same to people, without any state (L7).
	Message string
}

// Gate decides, for each target, whether its manifest may be written and whether
// the carried state goes into it (I1). Of the gates those are asked that need no
// record. The first that fails gives the reason:
//
//  1. NoState: no state waits for a copy ([Carry]).
//  2. UnknownOrigin: a move with state lacks clustersBeforeFailover.
//  3. AlreadyRunning: the target is one of them, and its copy of that time is not
//     confirmed gone. Where the target's newest task is older than the move, Gone
//     is about an older copy and does not count. Others that require the copy on
//     the target keep one running there, too.
//  4. AmbiguousOrigin: moves with different state are to end here.
//  5. SeveralTargets: more than one target is new, or one that is not new stays.
//  6. ModeNotDirectly, without InjectWhenNotDirectly: the move is not Directly; or the
//     state went on to a copy that left under another mode and is neither gone nor
//     fenced: two copies never hold the same state.
//  7. OldCopyNotGone: the old copy of a Directly task that does not list the
//     target is neither gone nor fenced, nor was released before (P5).
//
// Beside state that moves Directly, what Gracefully or Never preserved is left
// out, since it is never injected and must not make the other ambiguous.
//
// A target is held (P5, L6)
//
//   - while a decision of the assessment holds it;
//   - when it has a Directly task that the assessment lacks, and its old copy is
//     not gone (E13);
//   - when it has no copy and gate 7 fails, even if the assessment does not know
//     the task; but not because of a copy that others require, which stays and is
//     not waited for: the new copy then starts without the state, since two
//     copies never hold the same one;
//   - when it has no copy, gate 2, 4 or 5 fails, and a Required value of a move
//     that injects would stay behind, unless OnMissingState is EvictWithout: no copy
//     starts empty in silence.
//
// Otherwise the manifest is applied, with or without state. A target has a copy
// if an item with a status or a successful apply says so, unless the item is
// known to be older than a task that does not list the target, or undated where
// the target's own old copy is gone.
//
// Without a record Gate cannot know which copies received the state: a copy that
// no move lists is taken for the one that did. The result has one entry per name
// of a target, sorted; targets without a name are left out. Inputs are not
// changed, and the result shares nothing with them. Gate never fails.
func Gate(in GateInput) []Gated {
	t := tell(in)
	g := t.gates()
	out := make([]Gated, 0, len(g.targets))
	for _, target := range g.targets {
		gated, _ := g.decide(t.target(target))
		out = append(out, gated)
	}
	return out
}

// told is what tasks and the facts of their clusters tell.
type told struct {
	GateInput
	moves []Carried // of all tasks, newest first
}

func tell(in GateInput) told { return told{in, movesOf(in.Tasks)} }

// gates asks about tasks alone: what a record would know is what they say and what
// the caller gives beside them.
func (t told) gates() gates {
	live := Carry(t.Tasks, t.LastHealthy)
	g := gates{targets: targetNames(t.Targets), assessment: t.Assessment, rules: t.Rules}
	for _, move := range t.moves {
		facts := t.Clusters[move.Origin]
		free := facts.Presence == purge.Gone || facts.Fenced || facts.Released
		g.moves = append(g.moves, gateMove{
			Carried: move, anyMode: t.InjectWhenNotDirectly, free: free, awaited: !free && !facts.RequiredByOthers,
			stay: slices.DeleteFunc(slices.Clone(move.ClustersBeforeFailover), func(c string) bool { return t.goneSince(c, move) }),
			live: slices.ContainsFunc(live, func(c Carried) bool { return compareMoves(c, move) == 0 }),
			owns: slices.ContainsFunc(live, func(c Carried) bool { return move.newerThan(c) && c.gives(move.Origin) }),
		})
	}
	return g
}

func (t told) target(name string) gateTarget {
	return gateTarget{
		name: name, required: t.Clusters[name].RequiredByOthers, hasCopy: t.hasCopy(name),
		unassessed: t.unassessed(name), without: t.OnMissingState == preservation.EvictWithout,
	}
}

// goneSince says that the copy of the time of the move is confirmed gone. Where
// the cluster's newest task is older than the move, Gone is about an older copy.
func (t told) goneSince(cluster string, move Carried) bool {
	if t.Clusters[cluster].Presence != purge.Gone {
		return false
	}
	for _, m := range t.moves {
		if m.Origin == cluster {
			return !move.newerThan(m)
		}
	}
	return true
}

// unassessed says that a Directly task of the cluster itself is missing from the
// assessment while its old copy is not gone: what runs there is to be deleted.
func (t told) unassessed(cluster string) bool {
	own := slices.ContainsFunc(t.moves, func(m Carried) bool { return m.Origin == cluster && m.Mode == purge.Directly })
	return own && t.Clusters[cluster].Presence != purge.Gone &&
		!slices.ContainsFunc(t.Assessment.Decisions, func(d eviction.Decision) bool { return d.FromCluster == cluster })
}

// hasCopy says that something was observed on the target that is no memory of an
// older copy.
func (t told) hasCopy(target string) bool {
	return slices.ContainsFunc(t.Items, func(item eviction.AggregatedStatusItem) bool {
		return item.ClusterName == target && observedCopy(item) && !t.outlived(item)
	})
}

// observedCopy says that the item tells of a copy.
func observedCopy(item eviction.AggregatedStatusItem) bool {
	return item.Applied || item.Status != nil && len(item.Status.Raw) > 0
}

// outlived says that the item was observed on a copy that is gone: before a move
// that does not list the cluster, or before the cluster's own move.
func (t told) outlived(item eviction.AggregatedStatusItem) bool {
	return slices.ContainsFunc(t.moves, func(m Carried) bool {
		own := m.Origin == item.ClusterName
		if own && t.Clusters[m.Origin].Presence != purge.Gone || !own && slices.Contains(m.ClustersBeforeFailover, item.ClusterName) {
			return false
		}
		if item.ObservedAt.IsZero() { // nil, too
			return own
		}
		return m.Created.IsZero() || item.ObservedAt.Time.Before(m.Created)
	})
}
