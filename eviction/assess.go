package eviction

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/purge"
)

// Facts are what the caller knows of one cluster. The zero value knows nothing, and
// what is not known is never read as success (L6, E7).
type Facts struct {
	// Presence of the old copy there; empty = Unknown.
	Presence purge.Presence
	// Fenced says that the caller made sure that the old copy cannot act.
	Fenced bool
	// Released says that an earlier decision for the cluster's task was Create
	// under Directly (P5).
	Released bool
	// RequiredByOthers says that something else needs the copy (P5).
	RequiredByOthers bool
	// StateCarried says that the state of the cluster's task is kept elsewhere.
	StateCarried bool
	// HealthySince is since when the copy there is Healthy without interruption;
	// zero = not known, and a soak time then does not end.
	HealthySince time.Time
}

// AssessInput is all that [Assess] looks at (E7).
type AssessInput struct {
	// Tasks are the stored tasks.
	Tasks []Task
	// Targets are the clusters chosen by the scheduler.
	Targets []TargetCluster
	// Items are what was observed.
	Items []AggregatedStatusItem
	// Scheduled says that the scheduler has seen the current generation (E9).
	Scheduled bool
	// DesiredReplicas is how many the targets must have together before the
	// replacement is complete; nil = do not count (E8).
	DesiredReplicas *int32
	// Clusters is what the caller knows of each; a missing one is unknown.
	Clusters map[string]Facts
	// Soak is how long a replacement must be healthy; zero or less = no soak (P6).
	Soak time.Duration
	// FencingDeadline is how long an unreachable old copy is waited for before a
	// person is asked to fence it; nil = never (P5).
	FencingDeadline *time.Duration
	// Waits are Soak and FencingDeadline by evicted cluster, where they differ from
	// those above.
	Waits map[string]Waits
	// Now is the caller's time; required (L2).
	Now time.Time
}

// Waits are the times that belong to the task of one cluster (P5, P6).
type Waits struct {
	// Soak and FencingDeadline as in [AssessInput].
	Soak            time.Duration
	FencingDeadline *time.Duration
}

// Outcome is what becomes of one task (E7).
type Outcome string

const (
	// Keep means that the task and the old copy stay.
	Keep Outcome = "Keep"
	// Purge means that the old copy goes now and the task stays until it is gone.
	Purge Outcome = "Purge"
	// Finish means that the task has served and is dropped.
	Finish Outcome = "Finish"
)

// Decision is what to do about one task (E7).
type Decision struct {
	// FromCluster and CreationTimestamp are as stored: the key by which [Apply]
	// finds the task again (E10).
	FromCluster       string
	CreationTimestamp *metav1.Time
	// Created is the creation time to use, UTC, whole seconds: now, if the stored
	// one is missing or in the future (E6).
	Created metav1.Time
	// Mode is normalised; empty if the stored text is no mode (P3).
	Mode purge.Mode
	// Presence of the old copy, as the caller gave it.
	Presence purge.Presence
	// Outcome is never empty.
	Outcome Outcome
	// Old says what to do with the old copy.
	Old purge.OldCopy
	// New says whether copies that do not exist yet may be created; use
	// [Assessment.Holds] to ask for one target.
	New purge.NewCopy
	// Reason is never empty.
	Reason Reason
	// Message says the same to people. It holds no state and no relative times.
	Message string
	// Warning says that a person should look.
	Warning bool
	// ClustersBeforeFailover are those of the task: a Hold does not concern them.
	ClustersBeforeFailover []string
	// NextCheck says when time alone can change this decision.
	NextCheck purge.NextCheck
}

// Report is something that a person may want to know (E8, E12, E13, F5). It changes
// no decision.
type Report struct {
	// Cluster that it is about; empty = none in particular.
	Cluster string
	// Reason is never empty.
	Reason Reason
	// Message says the same to people. It holds no state and no relative times.
	Message string
}

// Assessment is what [Assess] returns (E7). Nothing in it aliases the input (L1).
type Assessment struct {
	// Decisions has one element for each task, in input order.
	Decisions []Decision
	// Reports are sorted by cluster, reason and message, without repetitions.
	Reports []Report
	// NextCheck is the earliest of the decisions'.
	NextCheck purge.NextCheck
}

// Assess decides about every task, each as if the others did not exist, in any
// order (E7):
//
//  1. The creation time is the stored one; missing or in the future, it is Now
//     (E6). A grace period that is not positive counts as 600 s, reported.
//  2. The replacement is judged by targets and items: it is healthy if there is
//     a target besides the evicted cluster, every one is Healthy (NotApplicable
//     once applied), no status is known to be older than the task, the scheduler
//     is done, and the replicas are enough (E8, E9). Missing items, empty, unknown
//     and strange health are not healthy. Of two items for one cluster the worse
//     counts.
//  3. The old copy is Healthy if its items say so, however old they are: an old
//     copy never goes because its news is old.
//  4. purge.Decide decides (P4).
//  5. If the evicted cluster is also a target (E13): Gracefully is withdrawn,
//     which ends the task and keeps the copy, suppressed or not; Never without a
//     confirmation keeps and holds; otherwise rule 4 stands, but once the old
//     copy is gone a copy there is a new one and stays.
//  6. The outcome is Finish if the task has served, else Purge if the old copy
//     goes, else Keep. Presence Unknown finishes only a withdrawn task.
//
// An invalid mode, or an unknown presence, keeps and holds for that task only
// (P3). Reported are rule 1's grace periods, targets under eviction, several
// items for one cluster, strange health, and items of clusters that are neither
// target nor under eviction, which are ignored otherwise (F5).
//
// Assess never fails. Carry the answer out with [Apply].
func Assess(in AssessInput) Assessment {
	a := Assessment{Decisions: make([]Decision, 0, len(in.Tasks)), Reports: reports(in)}
	if len(in.Tasks) == 0 {
		return a // as for nearly every application in a resync
	}
	s := situation{in: in, seen: observe(in.Items, nil)}
	for _, t := range in.Tasks {
		d := s.assess(t)
		a.Decisions = append(a.Decisions, d)
		a.NextCheck = a.NextCheck.Or(d.NextCheck)
	}
	return a
}

// situation is an input with its lists made ready to look things up.
type situation struct {
	in   AssessInput
	seen []observed // by cluster
}

// on is what was observed on a cluster; the zero value, if nothing was.
func (s situation) on(cluster string) observed {
	if i, found := slices.BinarySearchFunc(s.seen, cluster, observed.compare); found {
		return s.seen[i]
	}
	return observed{}
}

func (s situation) isTarget(cluster string) bool {
	return slices.ContainsFunc(s.in.Targets, func(t TargetCluster) bool { return t.Name == cluster })
}

func (s situation) isTasked(cluster string) bool {
	return slices.ContainsFunc(s.in.Tasks, func(t Task) bool { return t.FromCluster == cluster })
}

func (s situation) assess(t Task) Decision {
	facts := s.in.Clusters[t.FromCluster]
	at := created(t.CreationTimestamp, s.in.Now)
	mode, _ := purge.Normalize(t.PurgeMode) // Decide answers for an invalid one
	waits, differ := s.in.Waits[t.FromCluster]
	if !differ {
		waits = Waits{s.in.Soak, s.in.FencingDeadline}
	}
	level, since := s.replacement(t.FromCluster, at, facts.Presence == purge.Gone)
	verdict := purge.Decide(purge.Input{
		Mode:             t.PurgeMode,
		Presence:         facts.Presence,
		Fenced:           facts.Fenced,
		SourceHealthy:    s.on(t.FromCluster).health == Healthy,
		Replacement:      level,
		ReadySince:       since,
		Released:         facts.Released,
		RequiredByOthers: facts.RequiredByOthers,
		StateCarried:     facts.StateCarried,
		SuppressDeletion: t.SuppressDeletion,
		Created:          at,
		GracePeriod:      gracePeriod(t),
		Soak:             waits.Soak,
		FencingDeadline:  waits.FencingDeadline,
		Now:              s.in.Now,
	})
	if s.isTarget(t.FromCluster) {
		verdict = whileTarget(mode, t.SuppressDeletion, facts.Presence, verdict)
	}
	return Decision{
		FromCluster:            t.FromCluster,
		CreationTimestamp:      t.CreationTimestamp,
		Created:                metav1.Time{Time: at},
		Mode:                   mode,
		Presence:               facts.Presence,
		Outcome:                outcome(verdict),
		Old:                    verdict.Old,
		New:                    verdict.New,
		Reason:                 verdict.Reason,
		Message:                verdict.Message,
		Warning:                verdict.Warning,
		ClustersBeforeFailover: t.ClustersBeforeFailover,
		NextCheck:              verdict.NextCheck,
	}.clone()
}

// gracePeriod is 0 for the default; 64 bits, so that no number of seconds wraps.
func gracePeriod(t Task) time.Duration {
	if t.GracePeriodSeconds == nil {
		return 0
	}
	return time.Duration(*t.GracePeriodSeconds) * time.Second
}

// whileTarget is E13: the evicted cluster is a target as well.
func whileTarget(mode purge.Mode, flag *bool, presence purge.Presence, d purge.Decision) purge.Decision {
	switch {
	case d.Reason == purge.InvalidInput: // what is no mode matches none below
		return d
	case mode == purge.Gracefully:
		return purge.Decision{
			Old: purge.Keep, New: purge.Create, Done: true, Reason: ReasonWithdrawn,
			Message: "the cluster is a target again: its eviction is withdrawn and the copy there stays",
		}
	case mode == purge.Never && (flag == nil || *flag):
		return purge.Decision{
			Old: purge.Keep, New: purge.Hold, Reason: ReasonTargetUnderEviction, Warning: true,
			Message: "the cluster is a target and under eviction: withdraw the eviction, or set suppressDeletion to false",
		}
	case presence == purge.Gone:
		// What is there now, or soon, is the new copy.
		d.Old = purge.Keep
	}
	return d
}

func outcome(d purge.Decision) Outcome {
	switch {
	case d.Done:
		return Finish
	case d.Old == purge.Delete:
		return Purge
	default:
		return Keep
	}
}

// reports lists what is wrong with the input, and is decided about all the same.
func reports(in AssessInput) []Report {
	var few [8]observed // mostly enough, and on the stack
	s := situation{in: in, seen: observe(in.Items, few[:0])}
	var out []Report
	for _, t := range in.Tasks {
		if t.GracePeriodSeconds != nil && *t.GracePeriodSeconds <= 0 {
			out = append(out, Report{
				t.FromCluster, ReasonInvalidGracePeriod,
				fmt.Sprintf("gracePeriodSeconds %d is not greater than 0: it counts as 600", *t.GracePeriodSeconds),
			})
		}
		if s.isTarget(t.FromCluster) {
			out = append(out, Report{t.FromCluster, ReasonTargetUnderEviction, "the cluster is a target and under eviction"})
		}
	}
	for _, o := range s.seen {
		if !s.isTarget(o.cluster) && !s.isTasked(o.cluster) {
			out = append(out, Report{
				o.cluster, ReasonItemIgnored,
				"the cluster is neither a target nor under eviction: its status is ignored",
			})
			continue
		}
		out = append(out, o.reports()...)
	}
	slices.SortFunc(out, func(a, b Report) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(out)
}
