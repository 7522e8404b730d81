package failover

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// sync compares the record with the tasks and targets that are stored: what was
// written, what was not yet, and what others did (F9, F14).
func (p *planner) sync() {
	adopted := p.match()
	for _, m := range p.moves {
		if !p.tasked[m] {
			p.missing(m)
		}
	}
	p.adopt(adopted)
	if p.first {
		p.inherit()
	}
	p.findGone()
	p.removeTargets()
	for _, name := range p.targetNames() {
		if c := p.cluster(name); !c.Target {
			p.enter(c)
			p.stays(name)
		}
	}
	p.items = p.current()
}

// stays gives a cluster back what its copy received, where the scheduler took it off the
// targets and chose it again before that copy was gone: nothing moved (F9).
func (p *planner) stays(cluster string) {
	m := p.latestOf(cluster)
	if m != nil && p.removed(m) && !m.Gone && p.handBack(m, p.second) {
		p.moves = slices.DeleteFunc(p.moves, func(one *Move) bool { return one == m })
	}
}

// handBack gives the source of a move what its copy had received, if that still waits, or may be
// with two copies.
func (p *planner) handBack(m *Move, at metav1.Time) bool {
	received := p.move(m.Received)
	shared := m.InjectWhenNotDirectly && m.Mode != purge.Directly
	if !received.live() || p.holder(received) != "" && !shared {
		return false
	}
	p.receive(&Delivery{To: m.From, Attempt: m.Received, At: at})
	p.cluster(m.From).Started = ""
	return true
}

// match finds the move of each task, and returns the tasks without one.
func (p *planner) match() []eviction.Task {
	var unknown []eviction.Task
	stored := slices.Clone(p.tasks)
	for i, task := range stored {
		same := func(t eviction.Task) bool { return compareMoves(moveOf(t), moveOf(task)) == 0 }
		if first := slices.IndexFunc(stored[:i], same); first >= 0 { // once more tells nothing new
			p.tasks[i].CreationTimestamp = p.tasks[first].CreationTimestamp.DeepCopy()
			continue
		}
		m := p.moveOf(task)
		p.date(&p.tasks[i], m)
		if m == nil {
			unknown = append(unknown, p.tasks[i])
			continue
		}
		p.mark(m)
		if m.Stage == StagePending && p.later(m.StageSince) {
			m.Stage, m.StageSince, m.Pending = StageEvicting, p.second, nil
		}
		if p.stages == nil {
			p.stages = map[*Move]Stage{}
		}
		p.stages[m] = m.Stage
		switch m.Stage {
		case StageWithdrawing:
			p.evictedStill(m)
		case StageEnded: // the end was not written: whether it ends is asked anew (F14)
			m.Stage, m.StageSince = StageEvicting, p.second
			p.historyOf(m.Attempt, func(item *HistoryItem) { item.Outcome = OutcomeUnderway })
		case StagePending, StageEvicting:
		}
	}
	return unknown
}

// date writes the time of a task that was not written yet: that of its move, else now (E6).
func (p *planner) date(task *eviction.Task, m *Move) {
	at, dated := p.created(*task)
	if dated {
		return
	}
	if m != nil {
		at = m.Created
	}
	task.CreationTimestamp = clone(&at)
}

// evictedStill forgets a withdrawal that was not written, since the task is there. Whether
// it is withdrawn is asked anew: what spoke for it may be over (F14).
func (p *planner) evictedStill(m *Move) {
	m.Stage, m.StageSince = StageEvicting, p.second
	for _, one := range p.moves {
		if (one == m || one.Attempt == m.Received) && p.holder(one) == "" {
			one.Proven = false // by the copy that leaves after all
		}
	}
	p.leave(m)
	p.coolDown(m)
	if m.Cause == preservation.Application {
		p.failovers = append(p.failovers, Failover{Revision: m.Revision, Attempt: m.Attempt, At: m.Created})
	}
	p.historyOf(m.Attempt, func(item *HistoryItem) { item.Outcome = OutcomeUnderway })
}

// moveOf finds the move of a stored task by cluster and creation second (E10). A task
// without a time that can be used is that of the move from there that has none yet.
func (p *planner) moveOf(task eviction.Task) *Move {
	at, dated := p.created(task)
	for _, m := range slices.Backward(p.moves) {
		if m.From != task.FromCluster || p.removed(m) || p.tasked[m] {
			continue
		}
		emitted := m.Pending != nil && m.Pending.Task.CreationTimestamp.Equal(task.CreationTimestamp)
		if dated && m.Created.Equal(&at) || !dated && (m.Stage == StageEvicting || emitted) {
			return m
		}
	}
	return nil
}

// removed says that the move is one of the scheduler, which has no task.
func (*planner) removed(m *Move) bool { return m.Reason == reasonRemoved }

// reasonRemoved marks the move of a target that vanished without a task.
const reasonRemoved eviction.Reason = "TargetRemoved"

// created is the creation time to use, and whether the stored one is (E6).
func (p *planner) created(task eviction.Task) (metav1.Time, bool) {
	if task.CreationTimestamp.IsZero() || task.CreationTimestamp.After(p.now) {
		return p.second, false
	}
	return metav1.Time{Time: task.CreationTimestamp.UTC().Truncate(time.Second)}, true
}

// missing looks at a move whose task is not there.
func (p *planner) missing(m *Move) {
	switch {
	case m.Stage == StageEnded:
	case m.Stage == StagePending && (p.isTarget(m.From) || p.nothingWritten(m)):
		p.emitAgain(m)
	case m.Stage == StageWithdrawing && !p.later(m.StageSince):
	case m.Stage == StageWithdrawing: // the cluster may have been left again since
		p.end(m, OutcomeWithdrawn)
	case !p.since(m.StageSince):
	default:
		p.end(m, OutcomeVanished)
		p.event(m.From, EventWarning, string(OutcomeVanished), "the eviction of "+m.From+" was taken away by somebody else")
		if p.isTarget(m.From) && !m.Gone && !m.NeverStarted {
			// Whoever put the cluster back left the copy where it was, with what it received.
			p.enter(p.cluster(m.From)).Started = AlreadyRunning
			p.handBack(m, p.second)
		}
	}
}

// nothingWritten says that the task is still there whose withdrawal made the cluster a target,
// before the pending eviction took it off again: neither was written.
func (p *planner) nothingWritten(pending *Move) bool {
	return slices.ContainsFunc(p.moves, func(m *Move) bool { return m.From == pending.From && p.stages[m] == StageWithdrawing })
}

// emitAgain writes a pending eviction again, unless its cause is over (F14).
func (p *planner) emitAgain(m *Move) {
	if why, over := p.over(m); over {
		was := m.Pending
		c := p.cluster(m.From)
		*c = was.Cluster // unless an older task is still there: then removeTargets takes it back
		c.Name = m.From  // by which it is found, whatever a record says
		if was.Delivery != nil {
			p.receive(was.Delivery)
		}
		p.uncount(m)
		m.State = nil
		p.end(m, OutcomeDropped)
		p.event(m.From, EventNormal, string(OutcomeDropped), "the eviction of "+m.From+" was not written yet and is dropped: "+why)
		return
	}
	p.setTargets(slices.DeleteFunc(p.targets, func(t eviction.TargetCluster) bool { return t.Name == m.From }))
	for _, older := range p.moves { // over when this one began, and not written either
		if older.From != m.From || older.Attempt >= m.Attempt || !p.tasked[older] {
			continue
		}
		p.tasks = slices.DeleteFunc(p.tasks, func(t eviction.Task) bool {
			at, _ := p.created(t)
			return t.FromCluster == m.From && older.Created.Equal(&at)
		})
		outcome := OutcomeFinished
		if p.stages[older] == StageWithdrawing {
			p.takeBack(older)
			outcome = OutcomeWithdrawn
		}
		p.end(older, outcome)
	}
	p.tasks = append(p.tasks, *m.Pending.Task.DeepCopy())
	p.mark(m)
	p.coolDown(m)
	m.StageSince = p.second // seen in a later call than this one (F13)
}

// over says that the cause of a pending eviction is over: the application is
// Healthy, or the cluster is not to be left for its taints any more. A planned move
// stays planned.
func (p *planner) over(m *Move) (string, bool) {
	if _, back := p.requested(m.From, RequestWithdraw); back {
		return "somebody asks to stay on " + m.From, true
	}
	switch m.Cause {
	case preservation.Application:
		c := m.Pending.Cluster
		items := slices.DeleteFunc(slices.Clone(p.in.Items), func(i eviction.AggregatedStatusItem) bool {
			return !p.counted(i, &c, true) // others are not looked at
		})
		seen := eviction.Observe(items, m.From, time.Time{})
		return "the application is healthy", seen.Health == eviction.Healthy
	case preservation.Cluster:
		return "the cluster has no taint any more that evicts", p.untainted(m.From)
	case preservation.Planned:
	}
	return "", false
}

// untainted says that the cluster is known and its taints evict nothing.
func (p *planner) untainted(cluster string) bool {
	facts := p.in.Clusters[cluster]
	if len(facts.Taints) == 0 && !facts.TaintsKnown {
		return false
	}
	verdict := Tolerate(TaintInput{Taints: facts.Taints, Tolerations: p.in.Tolerations, Now: p.now})
	return verdict.Outcome == TaintNone || verdict.Outcome == TolerateForever
}

func (p *planner) uncount(m *Move) {
	p.failovers = slices.DeleteFunc(p.failovers, func(f Failover) bool { return f.Attempt == m.Attempt })
}

// adopt makes moves of tasks that nothing is known of: of others, or of a record that
// was lost (F14).
func (p *planner) adopt(tasks []eviction.Task) {
	for _, task := range p.byAge(tasks) {
		at, _ := p.created(task)
		cause := causeOf(task.Reason)
		mode, _ := purge.Normalize(task.PurgeMode) // empty for what is no mode
		state, terms := task.State(), p.termsOf(cause)
		m := p.add(Move{
			From: task.FromCluster, Cause: cause, Mode: mode, Created: at, Revision: p.in.Revision,
			ClustersBeforeFailover: slices.Compact(slices.Sorted(slices.Values(task.ClustersBeforeFailover))), State: &state,
			InjectWhenNotDirectly: terms.StatePreservation.InjectWhenNotDirectly, Waits: terms.Waits,
			Stage: StageEvicting, StageSince: p.second,
		})
		p.mark(m)
		if !p.isTarget(m.From) {
			p.leave(m)
			p.coolDown(m)
		}
		if !p.first {
			p.event(m.From, EventNormal, "TaskAdopted", "the eviction of "+m.From+" by "+cmp.Or(task.Producer, "somebody else")+" is followed from here on")
		}
	}
}

// inherit reads from the tasks of a new record what they tell about the past: which
// state was already received, and by whom ([Carry], [Gate]).
func (p *planner) inherit() {
	in := p.told()
	moves, live := movesOf(in.Tasks), Carry(in.Tasks, in.LastHealthy)
	for _, m := range p.moves {
		own := p.carried(m)
		if given, unproven := receivedUnproven(m.From, olderThan(own, moves), in.LastHealthy[m.From]); unproven {
			m.Received = p.attemptOf(given)
		}
		if m.State != nil && !slices.ContainsFunc(live, func(c Carried) bool { return compareMoves(c, own) == 0 }) {
			m.Proven = true
			p.warn(m.From, SourceNotAsked, "the state of "+m.From+" is left out: its copy received other state and is not known to have been healthy since, or newer state replaced it")
		}
	}
	t := tell(in)
	g := t.gates() // without an assessment, which does not change what copies received that are there
	for _, name := range g.targets {
		target := t.target(name)
		if gated, _ := g.decide(target); gated.Inject && target.hasCopy && !p.tasksOf(name) {
			from := g.candidates(name)[0].Carried
			p.receive(&Delivery{To: name, Attempt: p.attemptOf(from), At: metav1.Time{Time: from.Created}})
		}
	}
}

// told is the input as a host without a record gives it; it is read once.
func (p *planner) told() GateInput {
	if p.past == nil {
		past := p.readPast()
		p.past = &past
	}
	return *p.past
}

func (p *planner) readPast() GateInput {
	in := GateInput{
		Targets: p.in.Targets, Tasks: eviction.Apply(p.in.Tasks, nil, eviction.ApplyOptions{}), Items: p.in.Items,
		Clusters: map[string]eviction.Facts{}, LastHealthy: map[string]time.Time{},
	}
	for i := range in.Tasks {
		at, _ := p.created(in.Tasks[i])
		in.Tasks[i].CreationTimestamp = &at
	}
	for name, facts := range p.in.Clusters {
		in.Clusters[name] = eviction.Facts{Presence: facts.Presence, Fenced: facts.Fenced, RequiredByOthers: facts.RequiredByOthers}
	}
	for _, item := range in.Items {
		if in.LastHealthy[item.ClusterName].IsZero() &&
			eviction.Observe(in.Items, item.ClusterName, time.Time{}).Health == eviction.Healthy {
			in.LastHealthy[item.ClusterName] = p.now
		}
	}
	return in
}

// carried is a move as tasks tell of it.
func (*planner) carried(m *Move) Carried {
	c := Carried{Origin: m.From, Mode: m.Mode, ClustersBeforeFailover: m.ClustersBeforeFailover, Created: m.Created.Time}
	if m.State != nil {
		c.State = *m.State
	}
	return c
}

// attemptOf is the number of a move that tasks told of; 0 = none.
func (p *planner) attemptOf(c Carried) int64 {
	for _, m := range p.moves {
		if compareMoves(p.carried(m), c) == 0 {
			return m.Attempt
		}
	}
	return 0
}

// byAge sorts tasks by creation, then by cluster, so that attempts do not depend on
// the order of the list.
func (p *planner) byAge(tasks []eviction.Task) []eviction.Task {
	return slices.SortedStableFunc(slices.Values(tasks), func(a, b eviction.Task) int {
		first, _ := p.created(a)
		second, _ := p.created(b)
		return cmp.Or(first.Compare(second.Time), compareMoves(moveOf(a), moveOf(b)))
	})
}

func causeOf(reason string) preservation.Cause {
	for _, cause := range []preservation.Cause{preservation.Application, preservation.Cluster, preservation.Planned} {
		if own, _ := reasonOf(cause); string(own) == reason {
			return cause
		}
	}
	return ""
}

// leave ends the stay on a cluster: timers end, and what its copy received and was
// not healthy with goes on (F2, F6).
func (p *planner) leave(m *Move) {
	if d := p.deliveries[m.From]; d != nil && p.move(d.Attempt).live() {
		m.Received = d.Attempt
	}
	delete(p.deliveries, m.From)
	c := p.cluster(m.From)
	*c = ClusterRecord{Name: c.Name, EvictedAt: c.EvictedAt, CooldownSeconds: c.CooldownSeconds}
}

// coolDown begins with the eviction (E12).
func (p *planner) coolDown(m *Move) {
	block := m.Waits.BlockPredecessorSeconds
	if block != nil && *block == 0 {
		return
	}
	c := p.cluster(m.From)
	c.EvictedAt, c.CooldownSeconds = clone(&m.Created), clone(block)
}

// enter begins the stay on a cluster. In a new record nobody knows since when.
func (p *planner) enter(c *ClusterRecord) *ClusterRecord {
	*c = ClusterRecord{Name: c.Name, Target: true, EvictedAt: c.EvictedAt, CooldownSeconds: c.CooldownSeconds}
	if !p.first {
		c.PlacedAt = p.at()
	}
	return c
}

// findGone remembers which old copies are confirmed gone, for ever (P4).
func (p *planner) findGone() {
	for _, m := range p.moves {
		facts := p.in.Clusters[m.From]
		if facts.Presence == purge.Gone {
			m.Gone = true
		}
		if m.Released && facts.Presence != purge.Present {
			m.Away = true
		}
	}
}

// targetsBefore are the targets of the last call, sorted.
func (p *planner) targetsBefore() []string {
	var before []string
	for _, c := range p.clusters {
		if c.Target {
			before = append(before, c.Name)
		}
	}
	return before
}

// removeTargets finds targets that vanished without a task: the scheduler moved the
// application (F9). State that the copy was not healthy with waits for a successor,
// which under Directly waits for that copy to be gone.
func (p *planner) removeTargets() {
	var before []string
	for _, c := range p.clusters {
		name := c.Name
		if !c.Target || p.isTarget(name) {
			continue
		}
		if before == nil { // none has left yet
			before = p.targetsBefore()
		}
		if p.tasksOf(name) { // it was chosen while under eviction, and is left alone again (E13)
			p.leave(&Move{From: name})
			continue
		}
		p.event(name, EventNormal, string(OutcomeRemoved), name+" is no target any more, and nothing evicted the application from there")
		d := p.deliveries[name]
		if d == nil || !p.move(d.Attempt).live() {
			p.leave(&Move{From: name})
			continue
		}
		received := p.move(d.Attempt)
		m := p.add(Move{
			From: name, Mode: received.Mode, InjectWhenNotDirectly: received.InjectWhenNotDirectly, Created: p.second, Revision: p.in.Revision,
			ClustersBeforeFailover: before, Stage: StageEnded, StageSince: p.second, Reason: reasonRemoved,
			Gone: p.in.Clusters[name].Presence == purge.Gone,
		})
		p.leave(m)
		p.historyOf(m.Attempt, func(item *HistoryItem) { item.Outcome = OutcomeRemoved })
		p.warn(name, WarningReason(OutcomeRemoved), "the copy on "+name+" received state, was not healthy with it and is no target any more: the state waits for a successor")
	}
}

func (p *planner) tasksOf(cluster string) bool {
	return slices.ContainsFunc(p.tasks, func(t eviction.Task) bool { return t.FromCluster == cluster })
}

func timeOf(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}
