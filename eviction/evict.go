package eviction

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Eviction asks to move an application away from one cluster (E1).
type Eviction struct {
	// FromCluster is the cluster to leave; required.
	FromCluster string
	// PurgeMode says what happens to the old copy; empty = Gracefully (P2).
	PurgeMode purge.Mode
	// Reason is a CamelCase word of 1 to 32 characters; required (E3).
	Reason string
	// Message is for people; it is cut at 1024 runes (E3).
	Message string
	// Producer names the controller that evicts; required (E3).
	Producer string
	// GracePeriodSeconds is for Gracefully only, greater than 0; nil = 600 (E5).
	GracePeriodSeconds *int32
	// SuppressDeletion: nil = by mode, true = keep the old copy, false = a person
	// confirmed its deletion (P7).
	SuppressDeletion *bool
	// PreservedLabelState is what the next copy receives as labels.
	PreservedLabelState map[string]string
	// PreservedState is what it receives besides labels; its own labels do not
	// count.
	PreservedState *preservation.State
	// LastHealthy is when the application was last known to be Healthy on that
	// cluster; zero = not known (E2). A future time counts as now.
	LastHealthy time.Time
}

// EvictInput is all that [Evict] looks at (E1).
type EvictInput struct {
	// Targets are the clusters chosen by the scheduler.
	Targets []TargetCluster
	// Tasks are the stored tasks.
	Tasks []Task
	// Evictions are carried out in this order.
	Evictions []Eviction
	// Now is the caller's time; required (L2).
	Now time.Time
}

// EvictOutcome is what happened to one eviction (E1).
type EvictOutcome string

const (
	// Added means that the cluster has a new task and is no target any more.
	Added EvictOutcome = "Added"
	// Merged means that the cluster's task was renewed, and the cluster is no
	// target any more (E2).
	Merged EvictOutcome = "Merged"
	// Unchanged means that the cluster's task is what it was before.
	Unchanged EvictOutcome = "Unchanged"
	// NotTarget means that the cluster is neither a target nor under eviction, so
	// nothing happened.
	NotTarget EvictOutcome = "NotTarget"
	// Refused means that the eviction is invalid, so nothing happened; the error
	// of [Evict] says why.
	Refused EvictOutcome = "Refused"
)

// Result is what happened to one eviction (E1).
type Result struct {
	// FromCluster is the cluster of the eviction.
	FromCluster string
	// Outcome is never empty.
	Outcome EvictOutcome
	// Reason is never empty.
	Reason Reason
	// Message says the same to people. It holds no state.
	Message string
}

// Evicted is what [Evict] returns (E1). Nothing in it aliases the input (L1).
type Evicted struct {
	// Targets without the evicted clusters, in input order.
	Targets []TargetCluster
	// Tasks in stored order; added and merged ones are last, in the order of
	// their evictions, because Karmada looks at the last task.
	Tasks []Task
	// Results has one element for each eviction, in input order.
	Results []Result
}

// Evict turns evictions into tasks and takes their clusters off the targets. It
// answers each eviction by the first rule that matches; which clusters are
// targets is what the input says, whatever this call evicted before:
//
//  1. [Validate] refuses it: Refused. The others are carried out (F5).
//  2. Neither a target nor under eviction: NotTarget.
//  3. No target, but under eviction: Unchanged. Evicting again on every
//     reconcile must not restart the grace period for ever.
//  4. A target without a task: Added.
//  5. A target with a task: Merged into one task, at the end of the list. All
//     fields are the newer eviction's; only the preserved state stays, together
//     with its clustersBeforeFailover, if the newer eviction has none, or if
//     LastHealthy is not known, or not after the second in which the older task
//     was created (E2). An older task whose creation time is missing or in the
//     future was made now (E6), so its state stays. Without older state the
//     newer pair is used. Several stored tasks of the cluster fold into the one
//     by the same rule, newest first.
//  6. If merging gives exactly the one stored task: Unchanged, and it keeps its
//     place.
//
// A task gets the replicas and components of the target (the first one, if the
// name is there twice): nil stays nil and 0 stays 0. Its mode is normalised
// (P1), its message valid UTF-8 and cut at 1024 runes (E3), its creation time
// Now (E6). Never gets suppressDeletion true; Gracefully gets 600 s of grace
// where none is given and suppressDeletion is not true (E5).
// clustersBeforeFailover holds all targets of the input, sorted (E4).
//
// The error joins one *[RefusedError] for each refused eviction, in input
// order; the rest of the answer is valid beside it. Two writers of one list
// need optimistic locking.
func Evict(in EvictInput) (Evicted, error) {
	w := start(in)
	results := make([]Result, 0, len(in.Evictions))
	var errs []error
	for i, e := range in.Evictions {
		if invalid := Validate(e, field.NewPath("evictions").Index(i)); len(invalid) > 0 {
			refused := &RefusedError{Index: i, Cluster: e.FromCluster, Errors: invalid}
			errs = append(errs, refused)
			results = append(results, Result{
				FromCluster: e.FromCluster, Outcome: Refused, Reason: ReasonInvalidEviction, Message: refused.Error(),
			})
			continue
		}
		results = append(results, w.evict(e))
	}
	return Evicted{Targets: cloneTargets(in.Targets, w.left), Tasks: w.tasks, Results: results}, errors.Join(errs...)
}

// work is the state of one call of Evict.
type work struct {
	now    time.Time
	tasks  []Task
	atHome map[string]TargetCluster // by name, at the start of the call
	before []string                 // their names, sorted (E4)
	left   map[string]bool          // targets that were evicted
}

func start(in EvictInput) *work {
	w := &work{
		now:    second(in.Now),
		tasks:  cloneTasks(in.Tasks, nil),
		atHome: map[string]TargetCluster{},
		left:   map[string]bool{},
	}
	for _, t := range in.Targets {
		if _, twice := w.atHome[t.Name]; !twice && t.Name != "" {
			w.atHome[t.Name] = t
		}
	}
	w.before = slices.Sorted(maps.Keys(w.atHome))
	return w
}

// evict carries out one valid eviction: rules 2 to 6.
func (w *work) evict(e Eviction) Result {
	older, others := w.split(e.FromCluster)
	target, isTarget := w.atHome[e.FromCluster]
	switch {
	case !isTarget && len(older) == 0:
		return Result{e.FromCluster, NotTarget, ReasonNotTarget, "the cluster is neither a target nor under eviction"}
	case !isTarget:
		return Result{e.FromCluster, Unchanged, ReasonAlreadyEvicting, "the cluster is under eviction already: its task goes on as it is"}
	}
	w.left[e.FromCluster] = true
	task := w.build(e, target)
	if len(older) == 0 {
		w.tasks = append(w.tasks, task)
		return Result{e.FromCluster, Added, ReasonEvicted, "the cluster is under eviction"}
	}
	task, reason := w.carry(task, e.LastHealthy, older)
	if len(older) == 1 && equality.Semantic.DeepEqual(task, older[0]) {
		return Result{e.FromCluster, Unchanged, ReasonSameTask, "the cluster has exactly this task already"}
	}
	others = append(others, task)
	w.tasks = others
	message := "the cluster's task was renewed, with the state of the newer eviction"
	if reason == ReasonOlderStateKept {
		message = "the cluster's task was renewed, with the state of the older eviction"
	}
	return Result{e.FromCluster, Merged, reason, message}
}

// split returns the tasks of a cluster, newest first, and the others.
func (w *work) split(cluster string) ([]Task, []Task) {
	var of, others []Task
	for _, t := range w.tasks {
		if t.FromCluster == cluster {
			of = append(of, t)
		} else {
			others = append(others, t)
		}
	}
	return newestFirst(of, w.now), others
}

// newestFirst sorts in place; of two tasks with one time the later in the list
// is the newer.
func newestFirst(tasks []Task, now time.Time) []Task {
	slices.Reverse(tasks)
	slices.SortStableFunc(tasks, func(a, b Task) int {
		return created(b.CreationTimestamp, now).Compare(created(a.CreationTimestamp, now))
	})
	return tasks
}

// build makes the task of one eviction, as if the cluster had none.
func (w *work) build(e Eviction, target TargetCluster) Task {
	// Validate let it pass, so there is no error.
	mode, _ := purge.Normalize(e.PurgeMode)
	suppress := e.SuppressDeletion
	if mode == purge.Never {
		suppress = ptr(true)
	}
	grace := e.GracePeriodSeconds
	if mode == purge.Gracefully && grace == nil && (suppress == nil || !*suppress) {
		grace = ptr(int32(purge.DefaultGracePeriod / time.Second))
	}
	task := Task{
		FromCluster:            e.FromCluster,
		PurgeMode:              mode,
		Replicas:               target.Replicas,
		Components:             target.Components,
		Reason:                 e.Reason,
		Message:                cut(e.Message),
		Producer:               e.Producer,
		GracePeriodSeconds:     grace,
		SuppressDeletion:       suppress,
		PreservedLabelState:    e.PreservedLabelState,
		PreservedState:         e.rest(),
		CreationTimestamp:      &metav1.Time{Time: w.now},
		ClustersBeforeFailover: w.before,
	}
	return *task.DeepCopy()
}

// carry is the second half of E2: whose state the merged task has. It goes back
// through the older tasks; each keeps its state unless the workload was healthy
// after it, and so had a life whose state replaces it.
func (w *work) carry(task Task, lastHealthy time.Time, older []Task) (Task, Reason) {
	reason := ReasonNewerStateUsed
	for _, old := range older {
		if old.State().IsEmpty() {
			continue
		}
		if !task.State().IsEmpty() && w.healthyAfter(old, lastHealthy) {
			continue
		}
		task.PreservedLabelState, task.PreservedState = old.PreservedLabelState, old.PreservedState
		task.ClustersBeforeFailover = old.ClustersBeforeFailover
		reason = ReasonOlderStateKept
	}
	return task, reason
}

// healthyAfter compares whole seconds: health in the very second of an eviction
// belongs to the life that it ended. A time that is not known is after nothing.
func (w *work) healthyAfter(old Task, lastHealthy time.Time) bool {
	last := second(lastHealthy)
	if last.After(w.now) {
		last = w.now
	}
	return last.After(created(old.CreationTimestamp, w.now))
}

// rest is the state without labels, nil if there is none.
func (e Eviction) rest() *preservation.State {
	if e.PreservedState == nil {
		return nil
	}
	_, rest := e.PreservedState.Split()
	return rest
}

// cut shortens by rune and replaces what is not UTF-8, which the API server
// would refuse.
func cut(message string) string {
	runes := 0
	for i := range message {
		if runes == MaxMessageLength {
			message = message[:i]
			break
		}
		runes++
	}
	return strings.ToValidUTF8(message, "\uFFFD")
}

func ptr[T any](v T) *T { return &v }
