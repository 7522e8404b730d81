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
	// NoState means that no task carries state.
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
//  1. NoState: no task carries state ([Carry]).
//  2. UnknownOrigin: a move with state lacks clustersBeforeFailover.
//  3. AlreadyRunning: the target is one of them, and its copy of that time is not
//     confirmed gone. Where the target's newest task is older than the move, Gone
//     is about an older copy and does not count. Others that require the copy on
//     the target keep one running there, too.
//  4. AmbiguousOrigin: moves with different state are to end here.
//  5. SeveralTargets: more than one target is new, or one that is not new stays.
//  6. ModeNotDirectly: the move is not Directly; or the state went on to a copy
//     that left under another mode and is neither gone nor fenced: two copies
//     never hold the same state.
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
//   - when it has no copy, gate 2, 4 or 5 fails, and a Required value of a
//     Directly move would stay behind: no copy starts empty in silence.
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
	g := newGates(in)
	out := make([]Gated, 0, len(g.targets))
	for _, target := range g.targets {
		out = append(out, g.decide(target))
	}
	return out
}

// gates is the input with what all targets share.
type gates struct {
	GateInput
	targets []string  // names, sorted, each once
	moves   []Carried // of all tasks, newest first
	live    []Carried // those whose state may end here, newest first
}

func newGates(in GateInput) gates {
	g := gates{GateInput: in, targets: targetNames(in.Targets), moves: movesOf(in.Tasks), live: Carry(in.Tasks, in.LastHealthy)}
	if slices.ContainsFunc(g.live, Carried.injectable) {
		g.live = slices.DeleteFunc(g.live, func(c Carried) bool { return !c.injectable() })
	}
	return g
}

// injectable says that the mode may inject. What is no mode may be a misspelt
// Directly: it injects nothing, and still makes other state ambiguous.
func (c Carried) injectable() bool { return c.Mode != purge.Gracefully && c.Mode != purge.Never }

func (g gates) decide(target string) Gated {
	out := Gated{Cluster: target, Action: Apply}
	out.Reason, out.Message = g.first(target)
	hasCopy := g.hasCopy(target)
	if by, held := g.Assessment.Holds(target, hasCopy); held {
		out.Action = Hold
		out.Reason, out.Message = holdReason(by), "held because of "+by.FromCluster+": "+by.Message
		return out
	}
	if g.unassessed(target) {
		out.Action = Hold
		out.Reason, out.Message = OldCopyNotGone, notGone(target)+", and its task is not assessed"
		return out
	}
	if origin, waiting := g.standing(target, g.notAwaited); waiting && !hasCopy {
		out.Action = Hold
		out.Reason, out.Message = OldCopyNotGone, notGone(origin)+": the new copy waits"
		return out
	}
	if !hasCopy && g.wouldStartEmpty(out.Reason) {
		out.Action = Hold
		out.Message += "; the copy would start without it, so it waits"
		return out
	}
	if out.Reason == Injected {
		out.Inject, out.Origin, out.LeftOut = true, g.live[0].Origin, g.leftOut()
		out.State = g.live[0].State.Clone()
	}
	return out
}

// first returns the first gate that fails.
func (g gates) first(target string) (GateReason, string) {
	if len(g.live) == 0 {
		return NoState, "no task carries state"
	}
	if move, found := g.find(func(m Carried) bool { return len(m.ClustersBeforeFailover) == 0 }); found {
		return UnknownOrigin, "the task of " + move.Origin + " does not say which clusters ran the application before"
	}
	if g.Clusters[target].RequiredByOthers {
		return AlreadyRunning, "others require a copy on " + target + ", whatever moves"
	}
	if move, found := g.ranBefore(target); found {
		return AlreadyRunning, target + " ran the application before " + move.Origin + " was evicted"
	}
	newest := g.live[0]
	if move, found := g.find(func(m Carried) bool { return !m.State.Equal(newest.State) }); found {
		return AmbiguousOrigin, "the states of " + newest.Origin + " and " + move.Origin + " differ"
	}
	if len(g.targets) > 1 { // another one is new too, or ran before and stays
		return SeveralTargets, "the state of " + newest.Origin + " can go to one copy only, and the application has several"
	}
	if move, found := g.ownedElsewhere(); found {
		return ModeNotDirectly, "the old copy on " + move.Origin + " does not go first and keeps the state"
	}
	if origin, stands := g.standing(target, g.settled); stands {
		return OldCopyNotGone, notGone(origin)
	}
	return Injected, "the state of " + newest.Origin + " goes along"
}

func (g gates) find(match func(Carried) bool) (Carried, bool) {
	i := slices.IndexFunc(g.live, match)
	if i < 0 {
		return Carried{}, false
	}
	return g.live[i], true
}

// ranBefore returns a move at the time of which the application ran on the
// cluster, on a copy that is not confirmed gone since.
func (g gates) ranBefore(cluster string) (Carried, bool) {
	return g.find(func(m Carried) bool {
		return slices.Contains(m.ClustersBeforeFailover, cluster) && !g.goneSince(cluster, m)
	})
}

// goneSince says that the copy of the time of the move is confirmed gone. Where
// the cluster's newest task is older than the move, Gone is about an older copy.
func (g gates) goneSince(cluster string, move Carried) bool {
	if g.Clusters[cluster].Presence != purge.Gone {
		return false
	}
	for _, m := range g.moves {
		if m.Origin == cluster {
			return !move.newerThan(m)
		}
	}
	return true
}

// ownedElsewhere returns a move that leaves the state with its old copy.
func (g gates) ownedElsewhere() (Carried, bool) {
	if move, found := g.find(func(m Carried) bool { return m.Mode != purge.Directly }); found {
		return move, true
	}
	i := slices.IndexFunc(g.moves, func(m Carried) bool {
		return m.Mode != purge.Directly && !g.settled(m.Origin) && slices.ContainsFunc(g.live, func(source Carried) bool {
			return m.newerThan(source) && source.gives(m.Origin)
		})
	})
	if i < 0 {
		return Carried{}, false
	}
	return g.moves[i], true
}

// standing returns the source of a Directly task that does not list the target
// and whose old copy is not free.
func (g gates) standing(target string, free func(cluster string) bool) (string, bool) {
	i := slices.IndexFunc(g.moves, func(m Carried) bool {
		return m.Mode == purge.Directly && !free(m.Origin) && !slices.Contains(m.ClustersBeforeFailover, target)
	})
	if i < 0 {
		return "", false
	}
	return g.moves[i].Origin, true
}

// unassessed says that a Directly task of the cluster itself is missing from the
// assessment while its old copy is not gone: what runs there is to be deleted.
func (g gates) unassessed(cluster string) bool {
	own := slices.ContainsFunc(g.moves, func(m Carried) bool { return m.Origin == cluster && m.Mode == purge.Directly })
	return own && g.Clusters[cluster].Presence != purge.Gone &&
		!slices.ContainsFunc(g.Assessment.Decisions, func(d eviction.Decision) bool { return d.FromCluster == cluster })
}

// leftOut are the sources of newer state than the one that is used.
func (g gates) leftOut() []string {
	var out []string
	for _, move := range g.moves {
		if move.newerThan(g.live[0]) && move.injectable() && !move.State.IsEmpty() && !move.State.Equal(g.live[0].State) {
			out = append(out, move.Origin)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// settled says that the old copy on the cluster cannot act beside a new one.
func (g gates) settled(cluster string) bool {
	facts := g.Clusters[cluster]
	return facts.Presence == purge.Gone || facts.Fenced || facts.Released
}

// notAwaited says that no new copy waits for the old one on the cluster.
func (g gates) notAwaited(cluster string) bool {
	return g.settled(cluster) || g.Clusters[cluster].RequiredByOthers
}

func notGone(origin string) string {
	return "the old copy on " + origin + " is neither gone nor fenced"
}

// hasCopy says that something was observed on the target that is no memory of an
// older copy.
func (g gates) hasCopy(target string) bool {
	return slices.ContainsFunc(g.Items, func(item eviction.AggregatedStatusItem) bool {
		found := item.Applied || item.Status != nil && len(item.Status.Raw) > 0
		return found && item.ClusterName == target && !g.outlived(item)
	})
}

// outlived says that the item was observed on a copy that is gone: before a move
// that does not list the cluster, or before the cluster's own move.
func (g gates) outlived(item eviction.AggregatedStatusItem) bool {
	return slices.ContainsFunc(g.moves, func(m Carried) bool {
		own := m.Origin == item.ClusterName
		if own && g.Clusters[m.Origin].Presence != purge.Gone || !own && slices.Contains(m.ClustersBeforeFailover, item.ClusterName) {
			return false
		}
		if item.ObservedAt.IsZero() { // nil, too
			return own
		}
		return m.Created.IsZero() || item.ObservedAt.Time.Before(m.Created)
	})
}

// wouldStartEmpty says that the failed gate means missing state, for a Directly
// move with a Required value.
func (g gates) wouldStartEmpty(reason GateReason) bool {
	if !slices.Contains([]GateReason{UnknownOrigin, AmbiguousOrigin, SeveralTargets}, reason) {
		return false
	}
	_, found := g.find(func(m Carried) bool { return m.Mode == purge.Directly && g.hasRequired(m.State) })
	return found
}

// hasRequired reads a policy that is no known text as Required (L6).
func (g gates) hasRequired(state preservation.State) bool {
	for _, ref := range state.Keys() {
		named := func(rule preservation.Rule) bool { return rule.Ref() == ref }
		demanding := func(rule preservation.Rule) bool { return named(rule) && rule.Policy != preservation.Optional }
		if !slices.ContainsFunc(g.Rules, named) || slices.ContainsFunc(g.Rules, demanding) {
			return true
		}
	}
	return false
}

// holdReason names what a decision waits for in the words of the gates.
func holdReason(by eviction.Decision) GateReason {
	waits := []purge.Reason{purge.AwaitingOldCopyGone, purge.OldCopyUnreachable, purge.NeedsFencing}
	if slices.Contains(waits, by.Reason) {
		return OldCopyNotGone
	}
	return GateReason(by.Reason)
}
