package compare_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/karmada-io/karmada/pkg/controllers/gracefuleviction"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	controllerruntime "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

// store holds the one binding that Karmada's controller works on.
type store struct {
	client.Client
	binding *workv1alpha2.ResourceBinding
}

func (s *store) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	s.binding.DeepCopyInto(into.(*workv1alpha2.ResourceBinding))
	return nil
}

func (s *store) Patch(_ context.Context, changed client.Object, _ client.Patch, _ ...client.PatchOption) error {
	s.binding = changed.(*workv1alpha2.ResourceBinding)
	return nil
}

// karmadaTasks are the tasks that Karmada's own controller keeps.
func karmadaTasks(t testing.TB, binding *workv1alpha2.ResourceBinding) []workv1alpha2.GracefulEvictionTask {
	t.Helper()
	s := &store{binding: binding.DeepCopy()}
	controller := gracefuleviction.RBGracefulEvictionController{
		Client: s, EventRecorder: &record.FakeRecorder{}, GracefulEvictionTimeout: 10 * time.Minute,
	}
	_, err := controller.Reconcile(context.Background(), controllerruntime.Request{})
	require.NoError(t, err)
	return s.binding.Spec.GracefulEvictionTasks
}

// assessment is what both make of one task.
type assessment struct {
	binding              *workv1alpha2.ResourceBinding
	task                 workv1alpha2.GracefulEvictionTask
	decision             eviction.Decision
	theirsKeep, oursKeep bool
}

func (a assessment) keptHere(reasons ...eviction.Reason) bool {
	return !a.theirsKeep && a.oursKeep && slices.Contains(reasons, a.decision.Reason)
}

func (a assessment) droppedHere(reasons ...eviction.Reason) bool {
	return a.theirsKeep && !a.oursKeep && slices.Contains(reasons, a.decision.Reason)
}

var assessmentDifferences = []difference[assessment]{
	{
		"a task under Directly waits for the old copy, time-out or not", "P5", "the new copy would start without state beside the old one",
		func(a assessment) bool {
			return a.keptHere(purge.AwaitingOldCopyGone, purge.OldCopyUnreachable, purge.Confirmed) && a.decision.Mode == purge.Directly
		},
	},
	{
		"the end of the grace period does not delete the last copy", "P6", "there is no replacement, or none that was applied",
		func(a assessment) bool { return a.keptHere(purge.ExpiredNoReplacement, purge.ExpiredNotApplied) },
	},
	{
		"the end of the grace period does not delete a healthy copy beside one that is not", "P6", "a failover must not make things worse",
		func(a assessment) bool { return a.keptHere(purge.ExpiredSourceHealthy) },
	},
	{
		"no target is no healthy replacement", "E8", "there nothing counts as all healthy",
		func(a assessment) bool {
			return a.keptHere(purge.NoReplacement) && len(a.binding.Spec.Clusters) == 0
		},
	},
	{
		"a task under Never stays until a person says otherwise", "P7", "there it goes by time or health unless it is suppressed",
		func(a assessment) bool { return a.keptHere(purge.Suppressed) && a.decision.Mode == purge.Never },
	},
	{
		"the default grace period is that of the task alone", "E5", "there a task without one takes that of the task before it in the list",
		func(a assessment) bool {
			return a.task.GracePeriodSeconds == nil && (a.keptHere(purge.NoReplacement, purge.ReplacementNotHealthy, purge.ReplacementNotApplied) ||
				a.droppedHere(purge.GracePeriodExpired))
		},
	},
	{
		"a confirmed task ends at once", "P7", "there one without a creation time waits for a pass",
		func(a assessment) bool { return a.droppedHere(purge.Confirmed) && a.task.CreationTimestamp == nil },
	},
	{
		"an eviction ends when its cluster is a target again", "E13", "the copy that it would delete is wanted",
		func(a assessment) bool { return a.droppedHere(eviction.ReasonWithdrawn) },
	},
	{
		"a task under eviction that is a target as well needs a person", "E13", "what is wanted must not be deleted",
		func(a assessment) bool { return a.keptHere(eviction.ReasonTargetUnderEviction) },
	},
	{
		"a task without a creation time was created now", "E6", "there it waits for a pass, whatever is healthy",
		func(a assessment) bool {
			return a.droppedHere(purge.ReplacementHealthy) && a.task.CreationTimestamp == nil
		},
	},
}

// TestAssessment runs Karmada's own controller. This library is told what such a host
// knows: nothing of what is left on the evicted clusters.
func TestAssessment(t *testing.T) {
	t.Parallel()
	e := explain(assessmentDifferences)
	random := rand.New(rand.NewPCG(9, 10))
	clock := time.Now().Truncate(time.Second) // Karmada reads the clock itself
	for range 20_000 {
		binding := &workv1alpha2.ResourceBinding{Spec: randomSpec(random)}
		tasks := binding.Spec.GracefulEvictionTasks
		for i := range tasks {
			// Far enough from any deadline.
			tasks[i].CreationTimestamp = ptr(metav1.NewTime(clock.Add(-time.Duration(90+random.IntN(20)*300) * time.Second)))
			if tasks[i].GracePeriodSeconds != nil {
				tasks[i].GracePeriodSeconds = ptr(int32(300 * (1 + random.IntN(4))))
			}
			if random.IntN(10) == 0 {
				tasks[i].CreationTimestamp = nil
			}
		}
		for _, cluster := range clusterNames {
			if random.IntN(4) > 0 {
				binding.Status.AggregatedStatus = append(binding.Status.AggregatedStatus, workv1alpha2.AggregatedStatusItem{
					ClusterName: cluster, Applied: random.IntN(4) > 0, Health: pick(random, workv1alpha2.ResourceHealthy, workv1alpha2.ResourceHealthy, workv1alpha2.ResourceUnhealthy, workv1alpha2.ResourceUnknown, ""),
				})
			}
		}
		binding.Generation = 2
		binding.Status.SchedulerObservedGeneration = int64(1 + random.IntN(2))

		theirs := convert[[]eviction.Task](t, karmadaTasks(t, binding))
		stored := convert[[]eviction.Task](t, tasks)
		assessed := eviction.Assess(eviction.AssessInput{
			Tasks: stored, Targets: convert[[]eviction.TargetCluster](t, binding.Spec.Clusters), Items: convert[[]eviction.AggregatedStatusItem](t, binding.Status.AggregatedStatus),
			Scheduled: binding.Status.SchedulerObservedGeneration == binding.Generation, Now: clock,
		})
		ours := eviction.Apply(stored, assessed.Decisions, eviction.ApplyOptions{DropOnPurge: true})
		for i, d := range assessed.Decisions {
			is := func(task eviction.Task) bool { return task.FromCluster == d.FromCluster }
			a := assessment{binding, tasks[i], d, slices.ContainsFunc(theirs, is), slices.ContainsFunc(ours, is)}
			e.check(t, a.theirsKeep != a.oursKeep, a)
		}
	}
	e.done(t)
}
