package eviction

import (
	"time"

	"github.com/carryover-io/carryover/purge"
)

// WithdrawInput is all that [Withdraw] looks at (E11).
type WithdrawInput struct {
	// Cluster whose eviction is withdrawn.
	Cluster string
	// Requested says that a person asks for it.
	Requested bool
	// Targets are the clusters chosen by the scheduler.
	Targets []TargetCluster
	// Tasks are the stored tasks.
	Tasks []Task
	// Items are what was observed.
	Items []AggregatedStatusItem
	// Now is the caller's time; required (L2).
	Now time.Time
}

// WithdrawOutcome is what happened to a withdrawal (E11).
type WithdrawOutcome string

const (
	// Withdrawn means that the task is gone and the cluster is a target.
	Withdrawn WithdrawOutcome = "Withdrawn"
	// WithdrawRefused means that nothing changed.
	WithdrawRefused WithdrawOutcome = "Refused"
	// NotEvicting means that the cluster has no task, so nothing changed.
	NotEvicting WithdrawOutcome = "NotEvicting"
)

// Withdrawal is what [Withdraw] returns (E11). Nothing in it aliases the input (L1).
type Withdrawal struct {
	// Outcome is never empty.
	Outcome WithdrawOutcome
	// Reason is never empty.
	Reason Reason
	// Message says the same to people. It holds no state.
	Message string
	// Targets in input order, the cluster last if it was put back.
	Targets []TargetCluster
	// Tasks in stored order, without the cluster's if it was withdrawn.
	Tasks []Task
}

// Withdraw takes an eviction back (E11): the cluster is a target again, with the
// replicas and components of its task, and the task goes. If the cluster is a
// target already only the task goes. The first rule that matches decides:
//
//  1. No task of that cluster, or no name: NotEvicting.
//  2. The mode is no mode, or Directly: refused. The old copy of Directly is
//     being deleted already.
//  3. A person asks: withdrawn.
//  4. Never: refused, since only a person may withdraw it.
//  5. The cluster is a target already: withdrawn (E13).
//  6. A person confirmed the deletion with suppressDeletion false: refused.
//  7. The cluster is not Healthy, or its status is known to be older than the
//     task: refused. The status of a lost cluster is frozen; only a host that
//     fills observedAt, or withdraws no eviction of a lost cluster, is safe from
//     reading it as recovery.
//  8. There is a target outside the task's clustersBeforeFailover: refused, since
//     a replacement may exist. An empty list is not known, and every other target
//     is outside it.
//  9. Withdrawn.
//
// If the cluster has several tasks all go or none: the first rule that refuses
// one of them, newest first, refuses; the replicas are the newest's. A refused
// withdrawal returns copies of what it was given.
func Withdraw(in WithdrawInput) Withdrawal {
	own := func(t Task) bool { return t.FromCluster == in.Cluster && in.Cluster != "" }
	tasks := newestFirst(cloneTasks(in.Tasks, own), in.Now)
	w := Withdrawal{
		Targets: cloneTargets(in.Targets, nil),
		Tasks:   cloneTasks(in.Tasks, func(t Task) bool { return !own(t) }),
	}
	s := standing{in: in, status: observedOn(in.Items, in.Cluster)}
	for _, t := range in.Targets {
		s.isTarget = s.isTarget || t.Name == in.Cluster
	}
	w.Outcome, w.Reason, w.Message = s.judgeAll(tasks)
	if w.Outcome != Withdrawn {
		w.Tasks = cloneTasks(in.Tasks, nil)
		return w
	}
	if !s.isTarget {
		w.Targets = append(w.Targets, TargetCluster{
			Name: in.Cluster, Replicas: tasks[0].Replicas, Components: tasks[0].Components,
		})
	}
	return w
}

// standing is an input with what is known of its cluster.
type standing struct {
	in       WithdrawInput
	isTarget bool
	status   observed
}

func (s standing) judgeAll(tasks []Task) (WithdrawOutcome, Reason, string) {
	if len(tasks) == 0 {
		return NotEvicting, ReasonNotEvicting, "the cluster is not under eviction"
	}
	var reason Reason
	var message string
	for _, t := range tasks {
		var outcome WithdrawOutcome
		outcome, reason, message = s.judge(t)
		if outcome != Withdrawn {
			return outcome, reason, message
		}
	}
	return Withdrawn, reason, message
}

// judge is rules 2 to 9 for one task.
func (s standing) judge(t Task) (WithdrawOutcome, Reason, string) {
	mode, err := purge.Normalize(t.PurgeMode)
	switch {
	case err != nil:
		return WithdrawRefused, purge.InvalidMode, err.Error()
	case mode == purge.Directly:
		return WithdrawRefused, ReasonModeDirectly, "the old copy is being deleted already: an eviction with the mode Directly is not withdrawn"
	case s.in.Requested:
		return Withdrawn, ReasonRequested, "a person asked for the withdrawal"
	case mode == purge.Never:
		return WithdrawRefused, ReasonNeedsRequest, "only a person may withdraw an eviction with the mode Never"
	case s.isTarget:
		return Withdrawn, ReasonAlreadyTarget, "the cluster is a target already"
	case t.SuppressDeletion != nil && !*t.SuppressDeletion:
		return WithdrawRefused, purge.Confirmed, "a person confirmed that the old copy may go: only a person may withdraw this eviction"
	case s.status.health != Healthy || s.status.olderThan(created(t.CreationTimestamp, s.in.Now)):
		return WithdrawRefused, ReasonSourceNotHealthy, "the cluster is not known to be healthy since it was evicted"
	case s.replaced(t):
		return WithdrawRefused, ReasonReplacementChosen, "another cluster was chosen already: a replacement may exist there"
	default:
		return Withdrawn, ReasonSourceHealthy, "the cluster is healthy again and was not replaced yet"
	}
}

// replaced says that a target was added since the eviction.
func (s standing) replaced(t Task) bool {
	before := map[string]bool{}
	for _, name := range t.ClustersBeforeFailover {
		before[name] = true
	}
	for _, target := range s.in.Targets {
		if !before[target.Name] {
			return true
		}
	}
	return false
}
