package failover

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// prepare asks for one target what Prepare asks, with what the record knows.
func (p *planner) prepare(c *ClusterRecord, cause preservation.Cause) (Preparation, error) {
	facts := p.in.Clusters[c.Name]
	d := departure{PrepareInput: PrepareInput{
		Policy: p.policy, Cause: cause, Cluster: c.Name, Targets: p.targets, Items: p.items,
		Object: document(facts.Object), Documents: documents(facts.Documents),
		Attempt: p.nextAttempt(), Now: p.now, BlockedSince: timeOf(c.BlockedSince),
		Template: p.in.Template, Injection: p.in.Host.Injection, Protection: p.in.Host.Protection, Producer: p.in.Producer,
		LastHealthy: map[string]time.Time{c.Name: timeOf(c.LastHealthy)}, TakenAt: timeOf(facts.StateTakenAt), Snapshotting: facts.Snapshotting,
	}}
	d.received, d.goesOn = p.receivedBy(c.Name)
	d.absent = p.absent(c)
	var waiting []preservation.State
	for _, m := range p.moves {
		if holder := p.holder(m); m.live() && (holder == "" || holder == c.Name) {
			waiting = append(waiting, *m.State)
		}
	}
	d.next = func(_ purge.Mode, state preservation.State) []preservation.State {
		if state.IsEmpty() {
			return waiting
		}
		return append([]preservation.State{state}, waiting...)
	}
	return d.prepare()
}

// absent says that no copy was let start on a target, and none is seen: there is nobody
// to ask.
func (p *planner) absent(c *ClusterRecord) bool {
	return !p.first && c.Started == "" && p.deliveries[c.Name] == nil && p.in.Clusters[c.Name].Presence != purge.Present
}

// nextAttempt counts the moves; 0 = nobody counts them, since the record is not kept.
func (p *planner) nextAttempt() int64 {
	if p.in.Host.NoRecord {
		return 0
	}
	return p.attempts + int64(len(p.evictions)) + 1
}

// receivedBy is the state that the copy on a cluster received and was healthy with, and the
// origin of the one that goes on since it was not: the copy is not asked (F6).
func (p *planner) receivedBy(cluster string) (preservation.State, string) {
	delivery := p.deliveries[cluster]
	if delivery == nil {
		return preservation.State{}, p.goesOn(cluster)
	}
	m := p.move(delivery.Attempt)
	switch {
	case m == nil || m.State == nil:
		return preservation.State{}, ""
	case m.live():
		return preservation.State{}, m.From
	default:
		return *m.State, ""
	}
}

// goesOn is the origin of a state that goes on from a copy of which no delivery is known.
// An older move may have taken it from that very copy.
func (p *planner) goesOn(cluster string) string {
	if given, unproven := p.toldReceived(cluster); unproven {
		return given.Origin
	}
	if slices.ContainsFunc(p.moves, func(m *Move) bool { return p.cluster(cluster).keeps(m) && p.waits(m) }) {
		return cluster
	}
	return ""
}

// toldReceived is what a new record, which has seen nobody receive anything, reads
// from the tasks: the state that the copy was to receive, if it is not known to have
// been healthy since (as for [Prepare]).
func (p *planner) toldReceived(cluster string) (Carried, bool) {
	if !p.first {
		return Carried{}, false
	}
	in := p.told()
	return receivedUnproven(cluster, movesOf(in.Tasks), in.LastHealthy[cluster])
}

func document(raw *runtime.RawExtension) preservation.Document {
	if raw == nil {
		return preservation.Document{}
	}
	return preservation.RawDocument(raw.Raw)
}

func documents(raw map[string]runtime.RawExtension) map[string]preservation.Document {
	out := make(map[string]preservation.Document, len(raw))
	for name, one := range raw {
		out[name] = document(&one)
	}
	return out
}

// evict carries out what is due, in one call, and remembers it before anything is
// written (F14).
func (p *planner) evict() {
	if len(p.evictions) == 0 {
		return
	}
	evicted, err := eviction.Evict(eviction.EvictInput{Targets: p.targets, Tasks: p.tasks, Evictions: p.evictions, Now: p.now})
	p.errs = append(p.errs, err) // nil: Prepare validated each of them, and no target with a task is asked
	p.tasks = evicted.Tasks
	p.setTargets(evicted.Targets)
	for _, e := range p.evictions {
		c := p.cluster(e.FromCluster)
		d := p.ready[c.Name]
		p.say(c, d)
		p.depart(c, d, e)
	}
}

// depart remembers one eviction.
func (p *planner) depart(c *ClusterRecord, d decision, e eviction.Eviction) {
	var task eviction.Task
	for _, t := range p.tasks {
		if t.FromCluster == c.Name {
			task = *t.DeepCopy()
		}
	}
	terms := TermsFor(p.policy, d.cause)
	state := task.State()
	before := *c.DeepCopy()
	if p.first && p.deliveries[c.Name] == nil {
		before.Started = AlreadyRunning // nobody knows since when
	}
	m := p.add(Move{
		From: c.Name, Cause: d.cause, Mode: e.PurgeMode, Created: p.second, Revision: p.in.Revision,
		ClustersBeforeFailover: task.ClustersBeforeFailover, State: &state,
		InjectWhenNotDirectly: terms.StatePreservation.InjectWhenNotDirectly, Waits: terms.Waits,
		Stage: StagePending, StageSince: p.second,
		Gone: p.in.Clusters[c.Name].Presence == purge.Gone, NeverStarted: p.absent(c),
		Pending: &PendingEviction{Task: task, Cluster: before, Delivery: clone(p.deliveries[c.Name])},
	})
	p.mark(m)
	if given, unproven := p.toldReceived(c.Name); unproven {
		m.Received = p.attemptOf(given)
	}
	p.leave(m)
	p.coolDown(m)
	if d.cause == preservation.Application {
		p.failovers = append(p.failovers, Failover{Revision: p.in.Revision, Attempt: m.Attempt, At: p.second})
		p.limit()
	}
	kind := EventWarning
	if d.cause == preservation.Planned {
		kind = EventNormal
	}
	p.event(c.Name, kind, string(d.reason), d.message)
}

// judge asks what becomes of the old copies (E7).
func (p *planner) judge() {
	in := eviction.AssessInput{
		Tasks: p.tasks, Targets: p.targets, Items: p.items, Scheduled: p.in.Scheduled && !p.unscheduled(),
		DesiredReplicas: p.in.DesiredReplicas, Now: p.now,
	}
	if len(p.tasks) == 0 {
		p.kept = eviction.Assess(in) // for what it reports
		return
	}
	in.Clusters, in.Waits = p.facts()
	p.kept = eviction.Assess(in)
	if p.in.Scheduled && !in.Scheduled {
		p.foresee(in)
	}
	slices.SortStableFunc(p.kept.Decisions, func(a, b eviction.Decision) int { // the first one that holds gives the reason (L3)
		return cmp.Or(cmp.Compare(a.FromCluster, b.FromCluster), a.Created.Compare(b.Created.Time), cmp.Compare(a.Reason, b.Reason))
	})
}

// facts are what is known of each cluster, and the waits of those under eviction.
func (p *planner) facts() (map[string]eviction.Facts, map[string]eviction.Waits) {
	all, waits := map[string]eviction.Facts{}, map[string]eviction.Waits{}
	for _, c := range p.clusters {
		all[c.Name] = eviction.Facts{HealthySince: timeOf(c.HealthySince)}
	}
	for _, name := range p.taskedClusters() {
		known := p.in.Clusters[name]
		f := all[name]
		f.Presence, f.Fenced, f.RequiredByOthers, f.StateCarried = known.Presence, known.Fenced, known.RequiredByOthers, !p.in.Host.NoRecord
		if m := p.latest(name); m != nil {
			if m.Gone {
				f.Presence = purge.Gone
			}
			// One that is fenced and never went away has not come back.
			f.Released = m.Released && (m.Away || !known.Fenced)
			waits[name] = waitsOf(m.Waits)
		}
		all[name] = f
	}
	return all, waits
}

// foresee gives a next check to what the next second changes, when the scheduler can
// have seen the evictions of this one (L5).
func (p *planner) foresee(in eviction.AssessInput) {
	in.Scheduled = true
	for i, soon := range eviction.Assess(in).Decisions {
		if d := &p.kept.Decisions[i]; d.Reason != soon.Reason {
			d.NextCheck = d.NextCheck.Or(purge.CheckAt(p.now, p.now))
		}
	}
}

// unscheduled says that an eviction was made in this very second: no scheduler has seen
// the targets that it left (E9).
func (p *planner) unscheduled() bool {
	return slices.ContainsFunc(p.moves, func(m *Move) bool { return m.Created.Equal(&p.second) })
}

// latest is the newest move from a cluster that has, or had, a task.
func (p *planner) latest(cluster string) *Move {
	var found *Move
	for _, m := range p.moves {
		if m.From == cluster && p.tasked[m] {
			found = m
		}
	}
	return found
}

func waitsOf(w Waits) eviction.Waits {
	var out eviction.Waits
	if w.SoakSeconds != nil {
		out.Soak = time.Duration(*w.SoakSeconds) * time.Second
	}
	if w.FencingDeadlineSeconds != nil {
		deadline := time.Duration(*w.FencingDeadlineSeconds) * time.Second
		out.FencingDeadline = &deadline
	}
	return out
}

// assess decides about all old copies and applies that to the tasks (P4, E7).
func (p *planner) assess() {
	p.judge()
	for _, d := range p.kept.Decisions {
		p.purged(d)
	}
	p.report(p.kept.Reports)
	for _, drop := range []bool{true, false} {
		some := filterDecisions(p.kept.Decisions, func(d eviction.Decision) bool { return p.dropsOnPurge(d) == drop })
		p.tasks = eviction.Apply(p.tasks, some, eviction.ApplyOptions{DropOnPurge: drop})
	}
}

// dropsOnPurge says that the host deletes the old copy when its task goes. What stands on
// a target is in a list all the same (E13).
func (p *planner) dropsOnPurge(d eviction.Decision) bool {
	return p.in.Host.DropOnPurge && !p.isTarget(d.FromCluster)
}

// purged gives the answer for one old copy and remembers it.
func (p *planner) purged(d eviction.Decision) {
	p.out.Purges = append(p.out.Purges, PurgeDecision{
		Cluster: d.FromCluster, Created: d.Created, Outcome: d.Outcome, Old: d.Old, New: d.New,
		Reason: d.Reason, Message: d.Message, Warning: d.Warning, NextCheck: d.NextCheck,
	})
	if d.Warning {
		p.warn(d.FromCluster, WarningReason(d.Reason), d.Message)
	}
	m := p.moveAt(d)
	if m == nil {
		return
	}
	if d.Mode == purge.Directly && d.New == purge.Create && d.Reason != purge.RequiredByOthers && !m.Gone {
		m.Released = true
		m.Away = m.Away || p.in.Clusters[m.From].Presence != purge.Present
	}
	if m.Reason != d.Reason {
		m.Reason = d.Reason
		kind := EventNormal
		if d.Warning {
			kind = EventWarning
		}
		p.event(m.From, kind, string(d.Reason), m.From+": "+d.Message)
	}
	dropped := p.dropsOnPurge(d) && d.Outcome == eviction.Purge && d.Mode != purge.Directly
	if d.Outcome == eviction.Finish || dropped {
		p.end(m, OutcomeFinished)
	}
}

func (p *planner) moveAt(d eviction.Decision) *Move {
	for _, m := range slices.Backward(p.moves) { // an older one may have ended in this very second
		if m.From == d.FromCluster && m.Created.Equal(&d.Created) {
			return m
		}
	}
	return nil
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "; ") }
