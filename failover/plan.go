package failover

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Plan is the one call of a reconcile loop (F12). It composes the functions of this
// library over a [Record] and adds no decision of its own. In this order:
//
//  1. The record is compared with the tasks and targets: a pending eviction whose
//     task is missing is emitted again, or dropped if its cause is over (F14); a task
//     without a move is adopted with its labels; a target that vanished without a
//     task is a move of the scheduler (F9).
//  2. Health is observed: timers start and end (F2), a copy that is healthy in a
//     later call than its delivery proves the state (F7).
//  3. Requests are answered, and evictions withdrawn whose source recovered (E11).
//  4. Tasks that have served end.
//  5. Each target is decided about, by request, taints (F4) and health (F2, F3). Those
//     that are due are prepared as [Prepare] does, and evicted in one call.
//  6. All old copies are assessed (P4, E7).
//  7. The gates are asked for each target (I1), deliveries are remembered, and values
//     end by retention (F7).
//
// Plan applied to its own output at the same instant changes nothing, and at any
// time before its next check, with the same input, it decides the same (F13).
//
// The error joins a [*ClusterError] for each cluster that is blocked; the answer is
// valid beside it. A [*RecordError], and a *field.Error for a Now before 1970 or after
// 9999, are of another kind: then nothing is decided, the record, targets and tasks are
// those of the input, and every target is held.
// Inputs are not changed, and the answer shares nothing with them.
func Plan(in PlanInput) (PlanOutput, error) {
	if err := in.check(); err != nil {
		return refuse(in, err), err
	}
	var p planner // it stays on the stack: a resync plans every application, and most are as they were
	p.read(in)
	p.sync()
	p.observe()
	p.answer()
	p.settle()
	p.decide()
	p.assess()
	p.place()
	return p.finish()
}

// check says whether anything can be decided at all.
func (in PlanInput) check() error {
	if in.Now.Unix() <= 0 || in.Now.UTC().Year() > 9999 {
		return field.Invalid(field.NewPath("now"), in.Now.String(), "give the time of the call")
	}
	return in.Record.Check()
}

// ClusterError says what keeps the application on a cluster (L7). errors.As finds
// what [Prepare] says.
type ClusterError struct {
	// Cluster that is not left.
	Cluster string
	// Err says why.
	Err error
}

// Error names the cluster and what blocks (L7).
func (e *ClusterError) Error() string { return "cluster " + e.Cluster + ": " + e.Err.Error() }

// Unwrap returns what blocks (L7).
func (e *ClusterError) Unwrap() error { return e.Err }

// Retryable is true if a retry with newer input can cure all that blocks; what does not
// say so, such as a *field.Error, cannot be cured (L7).
func (e *ClusterError) Retryable() bool { return retryable(e.Err) }

func retryable(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(joined.Unwrap(), func(one error) bool { return !retryable(one) })
	}
	var known interface{ Retryable() bool }
	return errors.As(err, &known) && known.Retryable()
}

// planner is the state of one call.
type planner struct {
	in     PlanInput
	policy Behavior
	now    time.Time // UTC
	second metav1.Time
	first  bool // there was no record
	memory

	targets []eviction.TargetCluster
	names   []string   // of the targets
	past    *GateInput // what a new record reads from the tasks
	tasks   []eviction.Task
	items   []eviction.AggregatedStatusItem // those that are about copies of now
	tasked  map[*Move]bool                  // its task is in the input
	stages  map[*Move]Stage                 // what the record said of those

	ready     map[string]decision // of clusters that are due
	evictions []eviction.Eviction
	ended     []*Move             // whose state had ended when this call withdrew them, or a copy that had it
	kept      eviction.Assessment // of the last pass
	out       PlanOutput
	errs      []error
}

func (p *planner) read(in PlanInput) {
	now := in.Now.UTC()
	*p = planner{
		in: in, policy: in.Policy, now: now, second: metav1.Time{Time: now.Truncate(time.Second)},
		first: in.Record.Version == 0, memory: remember(in.Record, now),
		targets: cloneTargets(in.Targets), tasks: eviction.Apply(in.Tasks, nil, eviction.ApplyOptions{}),
	}
	if p.policy.Cluster == nil && in.Host.ClusterPurgeMode != "" {
		p.policy.Cluster = &ClusterBehavior{PurgeMode: in.Host.ClusterPurgeMode}
	}
}

func cloneTargets(targets []eviction.TargetCluster) []eviction.TargetCluster {
	out := slices.Clone(targets)
	for i := range out {
		targets[i].DeepCopyInto(&out[i])
	}
	return out
}

func refuse(in PlanInput, err error) PlanOutput {
	out := PlanOutput{
		Record: *in.Record.DeepCopy(), Targets: cloneTargets(in.Targets),
		Tasks: eviction.Apply(in.Tasks, nil, eviction.ApplyOptions{}),
	}
	out.Warnings = append(out.Warnings, Warning{Reason: UnusableInput, Message: err.Error()})
	for _, target := range targetNames(in.Targets) {
		out.Placements = append(out.Placements, Placement{
			Cluster: target, Action: Hold, Reason: GateReason(UnusableInput), Message: err.Error(),
		})
		out.Decisions = append(out.Decisions, Decision{
			Cluster: target, Outcome: Blocked, Reason: Reason(UnusableInput), Message: err.Error(),
		})
	}
	return out.orEmpty()
}

func (p *planner) finish() (PlanOutput, error) {
	p.lookAgain()
	p.exclude()
	p.out.Warnings = append(p.out.Warnings, warningsUnder(p.policy, "policy.")...)
	p.prune()
	p.out.Record, p.out.Targets, p.out.Tasks = p.record(), p.targets, p.tasks
	for _, d := range p.out.Decisions {
		p.out.NextCheck = p.out.NextCheck.Or(d.NextCheck)
	}
	for _, d := range p.out.Purges {
		p.out.NextCheck = p.out.NextCheck.Or(d.NextCheck)
	}
	for _, d := range p.out.Placements {
		p.out.NextCheck = p.out.NextCheck.Or(d.NextCheck)
	}
	slices.SortFunc(p.out.Decisions, func(a, b Decision) int { return cmp.Compare(a.Cluster, b.Cluster) })
	slices.SortFunc(p.out.Purges, func(a, b PurgeDecision) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), a.Created.Compare(b.Created.Time), cmp.Compare(a.Reason, b.Reason))
	})
	slices.SortStableFunc(p.out.Events, func(a, b Event) int { return cmp.Compare(a.Cluster, b.Cluster) })
	slices.SortFunc(p.out.Warnings, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	p.out.Warnings = slices.Compact(p.out.Warnings)
	return p.out.orEmpty(), errors.Join(p.errs...)
}

// orEmpty gives every list, so that JSON has no null.
func (o PlanOutput) orEmpty() PlanOutput {
	o.Targets, o.Tasks = orEmpty(o.Targets), orEmpty(o.Tasks)
	o.Decisions, o.Purges, o.Placements = orEmpty(o.Decisions), orEmpty(o.Purges), orEmpty(o.Placements)
	o.Excluded, o.Events, o.Warnings = orEmpty(o.Excluded), orEmpty(o.Events), orEmpty(o.Warnings)
	return o
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// at is the second of this call, for storing.
func (p *planner) at() *metav1.Time { return clone(&p.second) }

// later says that a stored time lies in an earlier second than this call.
func (p *planner) later(stored metav1.Time) bool { return stored.Before(&p.second) }

// mark says that the task of a move is in the list.
func (p *planner) mark(m *Move) {
	if p.tasked == nil {
		p.tasked = map[*Move]bool{}
	}
	p.tasked[m] = true
}

// underway is the newest move from a cluster that has not ended; nil = none.
func (p *planner) underway(cluster string) *Move {
	for _, m := range slices.Backward(p.moves) {
		if m.From == cluster && m.Stage != StageEnded {
			return m
		}
	}
	return nil
}

func (p *planner) move(attempt int64) *Move {
	for _, m := range p.moves {
		if m.Attempt == attempt {
			return m
		}
	}
	return nil
}

// over says that the move is not underway any more.
func (m *Move) over() bool { return m.Stage == StageEnded || m.Stage == StageWithdrawing }

// live says that the state of the move waits for a copy, or for the health of one.
func (m *Move) live() bool {
	return m != nil && m.State != nil && !m.State.IsEmpty() && !m.Proven
}

func (p *planner) add(m Move) *Move {
	p.attempts++
	m.Attempt = p.attempts
	if m.State != nil && m.State.IsEmpty() {
		m.State = nil
	}
	added := &m
	p.moves = append(p.moves, added)
	p.history = append(p.history, HistoryItem{
		Attempt: m.Attempt, From: m.From, Cause: m.Cause, At: m.Created, Outcome: OutcomeUnderway,
	})
	p.history = p.history[max(0, len(p.history)-MaxHistory):]
	return added
}

// end ends a move. State that the mode never gives to a copy waits for none.
func (p *planner) end(m *Move, outcome MoveOutcome) {
	if !m.InjectWhenNotDirectly && !injects(m.Mode) {
		m.State = nil
	}
	m.Stage, m.StageSince, m.Pending = StageEnded, p.second, nil
	p.historyOf(m.Attempt, func(item *HistoryItem) { item.Outcome = outcome })
}

func (p *planner) historyOf(attempt int64, change func(*HistoryItem)) {
	for i := range p.history {
		if p.history[i].Attempt == attempt {
			change(&p.history[i])
		}
	}
}

// event tells of a change; the message names the cluster, since an event is about the
// whole application.
func (p *planner) event(cluster string, kind EventType, reason, message string) {
	if !strings.Contains(message, cluster) {
		message = cluster + ": " + message
	}
	p.out.Events = append(p.out.Events, Event{Cluster: cluster, Type: kind, Reason: reason, Message: message})
}

func (p *planner) warn(cluster string, reason WarningReason, message string) {
	p.out.Warnings = append(p.out.Warnings, Warning{Cluster: cluster, Reason: reason, Message: message})
}

// targetNames are sorted, each once; they are put together once for each list.
func (p *planner) targetNames() []string {
	if p.names == nil {
		p.names = targetNames(p.targets)
	}
	return p.names
}

func (p *planner) setTargets(targets []eviction.TargetCluster) { p.targets, p.names = targets, nil }

func (p *planner) isTarget(cluster string) bool {
	return slices.ContainsFunc(p.targets, func(t eviction.TargetCluster) bool { return t.Name == cluster })
}

// termsOf are the terms of the policy as it is now, for a move that was made before.
func (p *planner) termsOf(cause preservation.Cause) Terms {
	return TermsFor(p.policy, cmp.Or(cause, preservation.Application))
}

// exclude is E12, and ends cool-downs.
func (p *planner) exclude() {
	var cooldowns []eviction.Cooldown
	for _, c := range p.clusters {
		if c.EvictedAt == nil {
			continue
		}
		block := eviction.DefaultBlockPredecessor
		if c.CooldownSeconds != nil && *c.CooldownSeconds >= 0 {
			block = time.Duration(*c.CooldownSeconds) * time.Second
		}
		if !p.now.Before(c.EvictedAt.Add(block)) {
			c.EvictedAt, c.CooldownSeconds = nil, nil
			continue
		}
		cooldowns = append(cooldowns, eviction.Cooldown{Cluster: c.Name, Since: c.EvictedAt.Time, Seconds: c.CooldownSeconds})
	}
	if len(p.tasks)+len(cooldowns) == 0 {
		return
	}
	exclusion := eviction.Exclude(eviction.ExcludeInput{Tasks: p.tasks, Targets: p.targets, Cooldowns: cooldowns, Now: p.now})
	for _, e := range exclusion.Clusters {
		one := ExcludedCluster{Cluster: e.Cluster, Reason: e.Reason}
		if !e.Until.IsZero() {
			one.Until = &metav1.Time{Time: e.Until}
		}
		p.out.Excluded = append(p.out.Excluded, one)
	}
	p.report(exclusion.Reports)
	p.out.NextCheck = p.out.NextCheck.Or(exclusion.NextCheck)
}

func (p *planner) report(reports []eviction.Report) {
	for _, r := range reports {
		p.warn(r.Cluster, WarningReason(r.Reason), r.Message)
	}
}

// prune forgets what counts no more: moves, their states, and clusters. What ended in this
// very second stays until its task is seen to be gone (F14).
func (p *planner) prune() {
	delivered := map[int64]bool{}
	for _, d := range p.deliveries {
		delivered[d.Attempt] = true
	}
	for _, m := range p.moves {
		if m.Proven && !delivered[m.Attempt] && (!p.goingBack(m) || slices.Contains(p.ended, m)) {
			m.State = nil
		}
	}
	p.moves = slices.DeleteFunc(p.moves, func(m *Move) bool {
		return m.Stage == StageEnded && p.later(m.StageSince) && !delivered[m.Attempt] && !p.counts(m)
	})
	p.clusters = slices.DeleteFunc(p.clusters, func(c *ClusterRecord) bool { return !c.Target && c.EvictedAt == nil })
}

// goingBack says that the state of the move went back with a withdrawal that may not be
// written yet (F14).
func (p *planner) goingBack(m *Move) bool {
	return slices.ContainsFunc(p.moves, func(other *Move) bool {
		return other.Stage == StageWithdrawing && (other == m || other.Received == m.Attempt)
	})
}

// counts says that a move that ended is still needed: for its state, for its old copy that
// is not gone, or because no newer one tells that a copy is gone which an older state names.
func (p *planner) counts(m *Move) bool {
	if m.live() || p.goingBack(m) || m.Mode == purge.Directly && !m.Gone && !m.Released && !p.stayed(m) {
		return true
	}
	tellsSame := func(other *Move) bool {
		newer := cmp.Or(other.Created.Compare(m.Created.Time), cmp.Compare(other.Attempt, m.Attempt)) > 0
		return other.From == m.From && other.Gone && newer
	}
	names := func(other *Move) bool {
		listed := slices.Contains(other.ClustersBeforeFailover, m.From) && !m.Created.Before(&other.Created)
		return other.live() && (listed || other.Attempt == m.Received && !m.Gone)
	}
	return !slices.ContainsFunc(p.moves, tellsSame) && slices.ContainsFunc(p.moves, names)
}

// limit keeps the failovers that can still count: the last of each revision, of the
// last revisions.
func (p *planner) limit() {
	perRevision, out := map[string]int{}, []Failover{}
	for _, f := range slices.Backward(p.failovers) {
		if _, known := perRevision[f.Revision]; !known && len(perRevision) == MaxHistory {
			continue
		}
		if perRevision[f.Revision]++; perRevision[f.Revision] <= MaxFailovers {
			out = append(out, f)
		}
	}
	slices.Reverse(out)
	p.failovers = out
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
