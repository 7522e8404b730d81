package failover

import (
	"slices"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// gates are the questions of I1, over what [Gate] reads from tasks and [Plan] from
// its record. They are about all targets of one application.
type gates struct {
	targets    []string   // names, sorted, each once
	moves      []gateMove // newest first
	assessment eviction.Assessment
	rules      []preservation.Rule // of the policy
}

// gateTarget is what the gates ask about one target.
type gateTarget struct {
	name       string
	required   bool // others require a copy there
	hasCopy    bool // a copy of this life is there
	unassessed bool // its own task was not assessed
	without    bool // a copy may start there without the state
}

// gateMove is a move with what the gates ask about it.
type gateMove struct {
	Carried
	move    *Move    // of a record; nil = of a task
	stay    []string // clusters that ran the application before, whose copy of then is not known to be gone
	live    bool     // its state waits for a copy, or for the health of one
	anyMode bool     // its state is for new copies under every mode
	free    bool     // its old copy cannot act: gone, fenced, or released before
	awaited bool     // new copies wait for its old copy, as long as it is not free
	owns    bool     // its old copy received a state that is live
	holder  string   // the target that received its state; empty = none
}

// injectable says that the mode may inject. What is no mode may be a misspelt
// Directly: it injects nothing, and still makes other state ambiguous.
func (m gateMove) injectable() bool { return m.anyMode || injects(m.Mode) }

func injects(mode purge.Mode) bool { return mode != purge.Gracefully && mode != purge.Never }

// candidates are the moves whose state may go to the target, newest first: those
// that inject, if there are any, and those that no other target received, if there
// are any.
func (g gates) candidates(target string) []gateMove {
	live := filter(g.moves, func(m gateMove) bool { return m.live })
	if some := filter(live, gateMove.injectable); len(some) > 0 {
		live = some
	}
	if some := filter(live, func(m gateMove) bool { return m.holder == "" || m.holder == target }); len(some) > 0 {
		live = some
	}
	return live
}

func filter(moves []gateMove, keep func(gateMove) bool) []gateMove {
	return slices.DeleteFunc(slices.Clone(moves), func(m gateMove) bool { return !keep(m) })
}

// decide answers for one target. True beside Hold says that only missing state holds.
func (g gates) decide(target gateTarget) (Gated, bool) {
	live := g.candidates(target.name)
	out := Gated{Cluster: target.name, Action: Apply}
	out.Reason, out.Message = g.first(target, live)
	by, held := g.assessment.Holds(target.name, target.hasCopy)
	origin, waiting := g.standing(target.name, func(m gateMove) bool { return m.awaited })
	switch {
	case held:
		out.Action = Hold
		out.Reason, out.Message = heldBy(by)
	case target.unassessed:
		out.Action = Hold
		out.Reason, out.Message = OldCopyNotGone, notGone(target.name)+", and its task is not assessed"
	case waiting && !target.hasCopy:
		out.Action = Hold
		out.Reason, out.Message = OldCopyNotGone, notGone(origin)+": the new copy waits"
	case !target.hasCopy && g.wouldStartEmpty(out.Reason, live) && !target.without:
		out.Action = Hold
		out.Message += "; the copy would start without it, so it waits"
	case out.Reason == Injected:
		out.Inject, out.Origin, out.LeftOut = true, live[0].Origin, g.leftOut(live[0])
		out.State = *live[0].State.DeepCopy()
	}
	return out, missesState(out.Reason)
}

// first returns the first gate that fails.
func (g gates) first(target gateTarget, live []gateMove) (GateReason, string) {
	if len(live) == 0 {
		return NoState, "no state waits for a copy"
	}
	if move, found := find(live, func(m gateMove) bool { return len(m.ClustersBeforeFailover) == 0 }); found {
		return UnknownOrigin, "the task of " + move.Origin + " does not say which clusters ran the application before"
	}
	if target.required {
		return AlreadyRunning, "others require a copy on " + target.name + ", whatever moves"
	}
	if move, found := find(live, func(m gateMove) bool { return slices.Contains(m.stay, target.name) }); found {
		return AlreadyRunning, target.name + " ran the application before " + move.Origin + " was evicted"
	}
	newest := live[0]
	if move, found := find(live, func(m gateMove) bool { return !m.State.Equal(newest.State) }); found {
		return AmbiguousOrigin, "the states of " + newest.Origin + " and " + move.Origin + " differ"
	}
	if move, found := find(live, func(m gateMove) bool { return m.holder != "" && m.holder != target.name }); found {
		return DeliveredElsewhere, "the state of " + move.Origin + " went to " + move.holder + ", and no second copy receives it"
	}
	if len(g.targets) > 1 { // another one is new too, or ran before and stays
		return SeveralTargets, "the state of " + newest.Origin + " can go to one copy only, and the application has several"
	}
	if move, found := g.ownedElsewhere(live); found {
		return ModeNotDirectly, "the old copy on " + move.Origin + " does not go first and keeps the state"
	}
	if origin, stands := g.standing(target.name, func(m gateMove) bool { return !m.free }); stands {
		return OldCopyNotGone, notGone(origin)
	}
	return Injected, "the state of " + newest.Origin + " goes along"
}

func find(moves []gateMove, match func(gateMove) bool) (gateMove, bool) {
	i := slices.IndexFunc(moves, match)
	if i < 0 {
		return gateMove{}, false
	}
	return moves[i], true
}

// ownedElsewhere returns a move that leaves the state with its old copy.
func (g gates) ownedElsewhere(live []gateMove) (gateMove, bool) {
	keeps := func(m gateMove) bool { return m.Mode != purge.Directly && !m.anyMode }
	if move, found := find(live, keeps); found {
		return move, true
	}
	return find(g.moves, func(m gateMove) bool { return keeps(m) && m.owns && !m.free })
}

// standing returns the source of a Directly move that does not list the target, or
// whose copy of that time on the target is gone, and whose old copy stands.
func (g gates) standing(target string, stands func(gateMove) bool) (string, bool) {
	move, found := find(g.moves, func(m gateMove) bool {
		own := m.Origin == target && slices.Contains(m.ClustersBeforeFailover, target)
		return m.Mode == purge.Directly && stands(m) && !own && !slices.Contains(m.stay, target)
	})
	return move.Origin, found
}

// leftOut are the sources of newer state than the one that is used.
func (g gates) leftOut(used gateMove) []string {
	var out []string
	for _, move := range g.moves {
		if move.newerThan(used.Carried) && move.injectable() && !move.State.IsEmpty() && !move.State.Equal(used.State) {
			out = append(out, move.Origin)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func notGone(origin string) string {
	return "the old copy on " + origin + " is neither gone nor fenced"
}

// wouldStartEmpty says that the failed gate means missing state, for a move that
// injects a Required value.
func (g gates) wouldStartEmpty(reason GateReason, live []gateMove) bool {
	if !missesState(reason) {
		return false
	}
	_, found := find(live, func(m gateMove) bool {
		return (m.anyMode || m.Mode == purge.Directly) && g.hasRequired(m.State)
	})
	return found
}

// hasRequired reads a policy that is no known text as Required (L6).
func (g gates) hasRequired(state preservation.State) bool {
	for _, ref := range state.Keys() {
		named := func(rule preservation.Rule) bool { return rule.Ref() == ref }
		demanding := func(rule preservation.Rule) bool { return named(rule) && rule.Policy != preservation.Optional }
		if !slices.ContainsFunc(g.rules, named) || slices.ContainsFunc(g.rules, demanding) {
			return true
		}
	}
	return false
}

// heldBy tells what a decision waits for in the words of the gates.
func heldBy(by eviction.Decision) (GateReason, string) {
	message := "held because of " + by.FromCluster + ": " + by.Message
	waits := []purge.Reason{purge.AwaitingOldCopyGone, purge.OldCopyUnreachable, purge.NeedsFencing}
	if slices.Contains(waits, by.Reason) {
		return OldCopyNotGone, message
	}
	return GateReason(by.Reason), message
}
