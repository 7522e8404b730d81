package failover

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// answer deals with the requests of people, and withdraws evictions whose source
// recovered (E11). Evictions that are asked for are decided with the others.
func (p *planner) answer() {
	for _, r := range p.requests() {
		switch r.Action {
		case RequestAcknowledge:
			p.acknowledge(r)
		case RequestWithdraw:
			p.withdraw(r.Cluster, true)
		case RequestEvict:
			if p.outdated(r) {
				p.warn(r.Cluster, OutdatedRequest, "the request to leave "+r.Cluster+" was made before the application came there, and is answered")
			}
		default:
			p.warn(r.Cluster, InvalidRequest, fmt.Sprintf("the action %.64q is unknown: use Evict, Withdraw or Acknowledge", string(r.Action)))
		}
	}
	// A target that left in this very second may be why nothing replaces the source: then
	// the next second tells, so that Plan agrees with its own output (F13).
	settled := !slices.ContainsFunc(p.moves, func(m *Move) bool { return !p.later(m.Created) })
	for _, cluster := range p.taskedClusters() {
		if (settled || p.isTarget(cluster)) && p.recovered(cluster) {
			p.withdraw(cluster, false)
		}
	}
}

// requests are sorted, withdrawals first: a copy that stays keeps its state, which then waits
// for none. Of several that differ in their time only, the last counts.
func (p *planner) requests() []Request {
	same := func(a, b Request) int {
		return cmp.Or(cmp.Compare(b.Action, a.Action), cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Cause, b.Cause))
	}
	sorted := slices.Clone(p.in.Requests)
	slices.SortFunc(sorted, func(a, b Request) int { return cmp.Or(same(a, b), p.asked(b).Compare(p.asked(a))) })
	return slices.CompactFunc(sorted, func(a, b Request) bool { return same(a, b) == 0 })
}

// lookAgain says when evictions that were just made let another one be withdrawn, or a state
// go on or end (L5).
func (p *planner) lookAgain() {
	for _, m := range p.moves {
		withdrawn := !p.later(m.Created) && slices.ContainsFunc(p.taskedClusters(), p.recovered)
		matters := func(c *ClusterRecord) bool { return c.Target && c.outdates(m) }
		if withdrawn || p.letGo(m) && p.holder(m) == "" && slices.ContainsFunc(p.clusters, matters) {
			p.since(p.second)
			return
		}
	}
}

// recovered says that an eviction is withdrawn without a request (E11).
func (p *planner) recovered(cluster string) bool {
	return p.mayWithdraw(cluster) && p.withdrawal(cluster, false).Outcome == eviction.Withdrawn
}

func (p *planner) withdrawal(cluster string, requested bool) eviction.Withdrawal {
	return eviction.Withdraw(eviction.WithdrawInput{
		Cluster: cluster, Requested: requested, Targets: p.targets, Tasks: p.tasks, Items: p.items, Now: p.now,
	})
}

// requested returns what a person asks for there, if anything.
func (p *planner) requested(cluster string, action RequestAction) (Request, bool) {
	var found []Request
	for _, r := range p.in.Requests {
		if r.Cluster == cluster && r.Action == action && !p.outdated(r) {
			r.Cause = cmp.Or(r.Cause, preservation.Planned)
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return Request{}, false
	}
	return slices.MinFunc(found, func(a, b Request) int { return cmp.Compare(a.Cause, b.Cause) }), true
}

// outdated says that an eviction was asked for before the stay on the cluster began: it
// was about an earlier one.
func (p *planner) outdated(r Request) bool {
	if r.Action != RequestEvict {
		return false
	}
	placed := p.cluster(r.Cluster).PlacedAt
	return placed != nil && placed.After(p.asked(r))
}

// asked is when a request was made.
func (p *planner) asked(r Request) time.Time {
	if r.At.IsZero() {
		return p.now
	}
	return r.At.Time
}

func (p *planner) taskedClusters() []string {
	var names []string
	for _, task := range p.tasks {
		names = append(names, task.FromCluster)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// acknowledge ends the state that the copy on the cluster received; where it received
// none, that which came from there and that no copy received (F7). What left or was
// received in this very second is not meant: the request may be older than that, and a
// second call with it must not end what the first one saved (F13).
func (p *planner) acknowledge(r Request) {
	cluster := r.Cluster
	meant := func(at metav1.Time) bool { return p.later(at) && !at.After(p.asked(r)) }
	if d := p.deliveries[cluster]; d != nil {
		if !meant(d.At) {
			return
		}
		p.provenBy(d)
		p.conclude(cluster)
		p.event(cluster, EventNormal, "StateAcknowledged", "the state that the copy on "+cluster+" received is not needed any more")
		return
	}
	for _, m := range p.moves {
		if m.From == cluster && p.waits(m) && meant(m.Created) {
			m.Proven = true
			p.event(cluster, EventNormal, "StateAcknowledged", "the state of "+cluster+" is not needed any more")
		}
	}
}

// conclude ends a delivery: the copy stays, without the values.
func (p *planner) conclude(cluster string) {
	delete(p.deliveries, cluster)
	p.cluster(cluster).Started = Injected
}

// mayWithdraw says whether an eviction may be withdrawn without a request, as far as
// eviction.Withdraw cannot know: its cause must be over, not only the health good. The
// status of a lost cluster is frozen, and a planned move leaves a healthy one.
func (p *planner) mayWithdraw(cluster string) bool {
	m := p.underway(cluster)
	switch {
	case m == nil || m.Gone:
		return false
	case p.isTarget(cluster): // E13: somebody chose it again
		return true
	}
	return m.Cause == preservation.Application || m.Cause == preservation.Cluster && p.untainted(cluster)
}

// taintedOut says that the taints of a cluster that is being left would evict now (F4).
func (p *planner) taintedOut(m *Move) bool {
	if p.policy.Cluster == nil || p.in.Host.RequestsOnly {
		return false
	}
	verdict := Tolerate(TaintInput{Taints: p.in.Clusters[m.From].Taints, Tolerations: p.in.Tolerations, Now: p.now})
	if m.Cause == preservation.Cluster && verdict.Outcome == EvictAfter {
		return len(verdict.Seen) > 0 // the record forgot since when, and they evicted already
	}
	return verdict.Outcome == EvictNow
}

// withdraw takes the eviction of a cluster back, if the rules let it (E11).
func (p *planner) withdraw(cluster string, requested bool) {
	if m := p.underway(cluster); requested && m != nil && p.taintedOut(m) {
		p.warn(cluster, WithdrawRefused, "the withdrawal is refused: the taints of "+cluster+" would evict the application again at once")
		return
	}
	w := p.withdrawal(cluster, requested)
	if w.Outcome != eviction.Withdrawn {
		// Where nothing is under eviction, the decision about the cluster answers.
		if w.Outcome == eviction.WithdrawRefused {
			p.warn(cluster, WithdrawRefused, "the withdrawal is refused: "+w.Message)
		}
		return
	}
	p.tasks = w.Tasks
	p.setTargets(w.Targets)
	back := Move{From: cluster}
	for _, m := range p.moves {
		if m.From == cluster && !m.over() {
			back.merge(m)
			p.takeBack(m)
		}
	}
	p.event(cluster, EventNormal, "Withdrawn", "the eviction of "+cluster+" is withdrawn: "+w.Message)
	p.comeBack(&back)
}

// merge makes m what several evictions of one cluster say together: the newest, with what any of
// them says that the copy had received, and since when.
func (m *Move) merge(newer *Move) {
	received := m.Received
	*m = *newer
	m.Received = cmp.Or(m.Received, received)
	if m.Pending != nil && m.Pending.Delivery != nil {
		m.Created = m.Pending.Delivery.At
	}
}

// takeBack ends a move as withdrawn. Its state stays with the copy that comes back; it
// waits for another one only where that copy is gone, or goes on where one received it.
func (p *planner) takeBack(m *Move) {
	for _, one := range []*Move{m, p.move(m.Received)} {
		if one != nil && one.Proven {
			p.ended = append(p.ended, one)
		}
	}
	m.Stage, m.StageSince, m.Pending = StageWithdrawing, p.second, nil
	p.recall(m)
	if !m.InjectWhenNotDirectly || !m.Gone && p.holder(m) == "" {
		m.Proven = true
	}
	p.uncount(m)
	p.historyOf(m.Attempt, func(item *HistoryItem) { item.Outcome = OutcomeWithdrawn })
}

// recall takes the state of a move back from copies that were not created yet.
func (p *planner) recall(m *Move) {
	maps.DeleteFunc(p.deliveries, func(to string, d *Delivery) bool {
		return p.isTarget(to) && p.in.Clusters[to].Presence == purge.Gone && p.gave(d, m)
	})
}

// comeBack makes a cluster a target again whose copy was never deleted, with what that
// copy had received.
func (p *planner) comeBack(m *Move) {
	c := p.enter(p.cluster(m.From))
	c.EvictedAt, c.CooldownSeconds = nil, nil
	if m.Gone || m.NeverStarted {
		return // what comes there is a new copy
	}
	c.PlacedAt, c.Started = nil, AlreadyRunning
	p.recall(p.move(m.Received))
	p.handBack(m, m.Created)
	p.items = p.current() // those there are about this copy
	p.look(c)
}

// settle ends the tasks that have served, before anything is decided about their
// clusters: those may be ordinary targets from now on (E13).
func (p *planner) settle() {
	if len(p.tasks) == 0 {
		return
	}
	p.judge()
	for _, d := range p.kept.Decisions {
		if d.Outcome == eviction.Finish {
			p.purged(d)
		}
	}
	finished := filterDecisions(p.kept.Decisions, func(d eviction.Decision) bool { return d.Outcome == eviction.Finish })
	if len(finished) == 0 {
		return
	}
	p.tasks = eviction.Apply(p.tasks, finished, eviction.ApplyOptions{})
	p.items = p.current() // the copy that is there is the new one
	p.observe()
}

func filterDecisions(list []eviction.Decision, keep func(eviction.Decision) bool) []eviction.Decision {
	return slices.DeleteFunc(slices.Clone(list), func(d eviction.Decision) bool { return !keep(d) })
}
