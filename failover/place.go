package failover

import (
	"cmp"
	"slices"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// place decides for each target whether its manifest may be written, and which state
// goes into it (I1).
func (p *planner) place() {
	g := p.gates()
	p.reportMoves(g)
	p.out.Placements = make([]Placement, 0, len(g.targets))
	for _, name := range g.targets {
		c := p.cluster(name)
		placement := p.placeOne(g, c)
		p.out.Placements = append(p.out.Placements, placement)
		p.tell(c, placement)
	}
}

// reportMoves tells where state has no single way to go (F9).
func (p *planner) reportMoves(g gates) {
	waiting := filter(g.moves, func(m gateMove) bool { return m.live && m.injectable() && m.holder == "" })
	for _, m := range waiting {
		if !m.State.Equal(waiting[0].State) {
			p.warn(m.Origin, SeveralOrigins, "the states of "+waiting[0].Origin+" and "+m.Origin+" wait for a copy, and differ")
		}
		if len(g.targets) > 1 {
			p.warn(m.Origin, PartialMove, "the state of "+m.Origin+" waits for a copy, and the application has several targets")
		}
	}
}

// gates asks over the record.
func (p *planner) gates() gates {
	g := gates{targets: p.targetNames(), assessment: p.kept}
	if len(p.moves) > 0 {
		g.rules = p.rules()
	}
	for _, m := range p.moves {
		facts := p.in.Clusters[m.From]
		free := m.Gone || m.Released || facts.Fenced || p.stayed(m)
		one := gateMove{
			move: m, live: m.live(), anyMode: m.InjectWhenNotDirectly, free: free,
			awaited: !free && !facts.RequiredByOthers, holder: p.holder(m),
			owns:    p.move(m.Received).live(),
			stay:    slices.DeleteFunc(slices.Clone(m.ClustersBeforeFailover), func(c string) bool { return p.goneSince(c, m) }),
			Carried: p.carried(m),
		}
		g.moves = append(g.moves, one)
	}
	slices.SortStableFunc(g.moves, func(a, b gateMove) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.move.Attempt, a.move.Attempt))
	})
	return g
}

// stayed says that the eviction is over and the application on its cluster: the copy
// there is no old one.
func (p *planner) stayed(m *Move) bool {
	return m.Stage == StageEnded && p.isTarget(m.From) && !p.tasksOf(m.From)
}

// latestOf is the newest move from a cluster.
func (p *planner) latestOf(cluster string) *Move {
	for _, m := range slices.Backward(p.moves) {
		if m.From == cluster {
			return m
		}
	}
	return nil
}

// rules are those of both blocks: what either requires is required.
func (p *planner) rules() []preservation.Rule {
	return slices.Concat(
		TermsFor(p.policy, preservation.Application).StatePreservation.Rules,
		TermsFor(p.policy, preservation.Cluster).StatePreservation.Rules)
}

// hasCopy says that a copy of this stay is there, on a target that received no state: one
// that was allowed, one that the host sees, and in a new record one that was observed. What
// is confirmed gone is not there, whatever was allowed: the next copy is a new one. While
// the cluster is under eviction, what the host sees is the old copy.
func (p *planner) hasCopy(cluster string) bool {
	facts := p.in.Clusters[cluster]
	switch {
	case facts.Presence == purge.Gone:
		return false
	case p.cluster(cluster).Started != "":
		return true
	case p.tasksOf(cluster):
		return false
	}
	if facts.Presence == purge.Present {
		return true
	}
	if !p.first {
		return false
	}
	in := p.told()
	return tell(in).hasCopy(cluster)
}

// goneSince says that the copy of the time of the move is confirmed gone.
func (p *planner) goneSince(cluster string, move *Move) bool {
	if p.in.Clusters[cluster].Presence == purge.Gone {
		return true
	}
	return slices.ContainsFunc(p.moves, func(m *Move) bool {
		return m.From == cluster && m.Gone && !m.Created.Before(&move.Created)
	})
}

// goesWithout says that the policy lets a copy start without state: at once, or since
// it was held for as long as the deadline (F6).
func (p *planner) goesWithout(c *ClusterRecord, live []gateMove) bool {
	if len(live) == 0 {
		return false
	}
	sp := p.termsOf(live[0].move.Cause).StatePreservation
	if sp.OnMissingState == preservation.EvictWithout {
		return true
	}
	end, limited := heldUntil(c, sp, p.now)
	return limited && !p.now.Before(end)
}

func heldUntil(c *ClusterRecord, sp preservation.StatePreservation, now time.Time) (time.Time, bool) {
	if sp.MissingStateDeadlineSeconds == nil {
		return time.Time{}, false
	}
	since := now.Truncate(time.Second)
	if c.HeldSince != nil {
		since = c.HeldSince.Time
	}
	return since.Add(time.Duration(*sp.MissingStateDeadlineSeconds) * time.Second), true
}

func (p *planner) placeOne(g gates, c *ClusterRecord) Placement {
	if d := p.deliveries[c.Name]; d != nil {
		if out, stays := p.received(g, c, d); stays {
			return out
		}
	}
	target := gateTarget{ // Plan assesses every task
		name: c.Name, required: p.in.Clusters[c.Name].RequiredByOthers, hasCopy: p.hasCopy(c.Name),
		without: p.goesWithout(c, g.candidates(c.Name)),
	}
	ran := target.hasCopy && (!p.first || c.Started != "")
	gated, missing := g.decide(target)
	out := Placement{Cluster: c.Name, Action: gated.Action, Reason: gated.Reason, Message: gated.Message}
	switch {
	case gated.Action == Hold:
		out.NextCheck = p.hold(g, c, missing)
		return out
	case ran && gated.Inject:
		out.Reason, out.Message = AlreadyRunning, "a copy runs on "+c.Name+" already, and receives nothing"
	case gated.Inject:
		p.deliver(c, g, gated, &out)
		return out
	}
	if c.Started == "" {
		if !ran {
			p.start(c)
		}
		c.Started = out.Reason
	}
	if !missesState(c.Started) {
		c.HeldSince = nil // else it tells that the deadline is over
	}
	if missesState(c.Started) && g.wouldStartEmpty(out.Reason, g.candidates(c.Name)) {
		out.Message += "; the copy goes without it"
		p.warn(c.Name, StartedWithoutState, out.Message)
	}
	return out
}

// received answers for a target that received state, as long as it keeps some.
func (p *planner) received(g gates, c *ClusterRecord, d *Delivery) (Placement, bool) {
	if seen := eviction.Observe(p.items, c.Name, time.Time{}); seen.Health == eviction.Healthy && seen.Applied {
		p.since(d.At) // else the next second proves the state (L5)
	}
	there := p.in.Clusters[c.Name].Presence != purge.Gone
	_, held := g.assessment.Holds(c.Name, there)
	_, waiting := g.standing(c.Name, func(m gateMove) bool { return m.awaited })
	if held || waiting && !there {
		return Placement{}, false // its own task deletes that copy (E13), or the next one must wait (P5)
	}
	state, m := p.retained(d)
	if state.IsEmpty() {
		p.conclude(c.Name)
		p.event(c.Name, EventNormal, "StateReleased", "the copy on "+c.Name+" was healthy with the state that it received, which is not kept longer")
		return Placement{}, false
	}
	return Placement{
		Cluster: c.Name, Action: Apply, State: &state, Origin: m.From, Attempt: m.Attempt, Reason: Injected,
		Message: "the state of " + m.From + " goes along",
	}, true
}

// hold remembers since when a new copy waits for its state, and says when the policy
// lets it start without (F6).
func (p *planner) hold(g gates, c *ClusterRecord, missing bool) purge.NextCheck {
	if !missing {
		c.HeldSince = nil
		return purge.NextCheck{}
	}
	if c.HeldSince == nil {
		c.HeldSince = p.at()
	}
	end, limited := heldUntil(c, p.termsOf(g.candidates(c.Name)[0].move.Cause).StatePreservation, p.now)
	if !limited {
		return purge.NextCheck{}
	}
	return purge.CheckAt(end, p.now)
}

// deliver remembers that the target receives state (I1).
func (p *planner) deliver(c *ClusterRecord, g gates, gated Gated, out *Placement) {
	m := g.candidates(c.Name)[0].move
	d := &Delivery{To: c.Name, Attempt: m.Attempt, At: p.second}
	p.receive(d)
	c.HeldSince, c.Started = nil, ""
	p.start(c)
	p.historyOf(m.Attempt, func(item *HistoryItem) { item.To = c.Name })
	state, _ := p.retained(d)
	out.State, out.Origin, out.Attempt = &state, gated.Origin, m.Attempt
}

// retained is what a copy keeps of the state that it received (F7): all of it until it
// was healthy; then what the policy of the move retains until the next failover. The move
// is nil where it keeps nothing.
func (p *planner) retained(d *Delivery) (preservation.State, *Move) {
	m := p.move(d.Attempt)
	if m == nil || m.State == nil {
		return preservation.State{}, nil
	}
	state := *m.State.DeepCopy()
	if !d.Healthy {
		return state, m
	}
	retention := p.termsOf(m.Cause).StatePreservation.Retention
	if retention == preservation.UntilNextFailover {
		return state, m
	}
	if retention == preservation.UntilHealthy {
		return preservation.State{}, nil
	}
	if !p.in.Host.Injection.PodTemplate {
		state.Labels = nil
	}
	state.Annotations = nil
	state.Conflicts = slices.DeleteFunc(state.Conflicts, func(c preservation.RefConflict) bool {
		return !slices.Contains(state.Keys(), c.Ref)
	})
	return state, m
}

// tell makes an event where the answer for a target is a new one.
func (p *planner) tell(c *ClusterRecord, placement Placement) {
	if c.Gate == placement.Reason {
		return
	}
	c.Gate = placement.Reason
	switch {
	case placement.Action == Hold:
		p.event(c.Name, EventWarning, string(placement.Reason), c.Name+" waits: "+placement.Message)
	case placement.State != nil:
		p.event(c.Name, EventNormal, string(placement.Reason), c.Name+" receives state: "+placement.Message)
	case missesState(placement.Reason):
		p.event(c.Name, EventWarning, string(StartedWithoutState), c.Name+" starts without state: "+placement.Message)
	}
}
