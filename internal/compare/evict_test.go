package compare_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/karmada-io/karmada/pkg/util/helper"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

// now is whole, as stored times are.
var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

var clusterNames = []string{"a", "b", "c", "d"}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

func ptr[T any](value T) *T { return &value }

// randomSpec is a binding that Karmada could have stored: each cluster is a target
// once at most, and has one task at most.
func randomSpec(random *rand.Rand) workv1alpha2.ResourceBindingSpec {
	spec := workv1alpha2.ResourceBindingSpec{}
	for _, name := range clusterNames {
		if random.IntN(2) == 0 {
			spec.Clusters = append(spec.Clusters, workv1alpha2.TargetCluster{Name: name, Replicas: int32(random.IntN(3))})
		}
		if random.IntN(4) == 0 {
			spec.GracefulEvictionTasks = append(spec.GracefulEvictionTasks, randomTask(random, name))
		}
		if random.IntN(6) == 0 {
			spec.RequiredBy = append(spec.RequiredBy, workv1alpha2.BindingSnapshot{Clusters: []workv1alpha2.TargetCluster{{Name: name}}})
		}
	}
	return spec
}

func randomTask(random *rand.Rand, cluster string) workv1alpha2.GracefulEvictionTask {
	task := workv1alpha2.GracefulEvictionTask{
		FromCluster: cluster, Reason: "TaintUntolerated", Producer: "TaintManager", Message: pick(random, "", "gone"),
		PurgeMode:         policyv1alpha1.PurgeMode(pick(random, "Directly", "Gracefully", "Never", "", "Immediately", "Graciously")),
		CreationTimestamp: ptr(metav1.NewTime(now.Add(-time.Duration(random.IntN(1200)) * time.Second))),
	}
	if random.IntN(2) == 0 {
		task.PreservedLabelState = map[string]string{"example.com/job": pick(random, "1", "2")}
		task.ClustersBeforeFailover = []string{cluster}
	}
	switch random.IntN(4) {
	case 0:
		task.GracePeriodSeconds = ptr(int32(1 + random.IntN(900)))
	case 1:
		task.SuppressDeletion = ptr(random.IntN(2) == 0)
	}
	return task
}

func randomEviction(random *rand.Rand, cluster string) eviction.Eviction {
	e := eviction.Eviction{
		FromCluster: cluster, Reason: "ApplicationFailure", Producer: "carryover", Message: pick(random, "", "unhealthy"),
		PurgeMode: pick(random, purge.Directly, purge.Gracefully, purge.Never),
	}
	if e.PurgeMode == purge.Gracefully && random.IntN(2) == 0 {
		e.GracePeriodSeconds = ptr(int32(1 + random.IntN(900)))
	}
	if random.IntN(3) == 0 {
		e.SuppressDeletion = ptr(random.IntN(2) == 0)
	}
	if random.IntN(2) == 0 {
		e.PreservedLabelState = map[string]string{"example.com/job": "3"}
	}
	return e
}

// karmadaOptions are what Karmada is told about the same eviction.
func karmadaOptions(e eviction.Eviction) *workv1alpha2.TaskOptions {
	return workv1alpha2.NewTaskOptions(
		workv1alpha2.WithPurgeMode(policyv1alpha1.PurgeMode(e.PurgeMode)), workv1alpha2.WithReason(e.Reason), workv1alpha2.WithMessage(e.Message),
		workv1alpha2.WithProducer(e.Producer), workv1alpha2.WithGracePeriodSeconds(e.GracePeriodSeconds),
		workv1alpha2.WithSuppressDeletion(e.SuppressDeletion), workv1alpha2.WithPreservedLabelState(e.PreservedLabelState),
	)
}

// TestEviction evicts a cluster on both sides. The targets are the same, and the tasks
// are once the named differences are put into Karmada's.
func TestEviction(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	used := map[string]int{}
	for range 20_000 {
		spec := randomSpec(random)
		e := randomEviction(random, pick(random, clusterNames...))
		targets, tasks := convert[[]eviction.TargetCluster](t, spec.Clusters), convert[[]eviction.Task](t, spec.GracefulEvictionTasks)
		ours, err := eviction.Evict(eviction.EvictInput{Targets: targets, Tasks: tasks, Evictions: []eviction.Eviction{e}, Now: now})
		if err != nil {
			// P7: suppressDeletion that contradicts the rest is refused; there it is stored.
			require.NotNil(t, e.SuppressDeletion)
			used["P7"]++
			continue
		}

		var before []string
		for _, target := range spec.Clusters {
			before = append(before, target.Name)
		}
		wasTarget := spec.TargetContains(e.FromCluster)
		hadTask := spec.ClusterInGracefulEvictionTasks(e.FromCluster)
		spec.GracefulEvictCluster(e.FromCluster, karmadaOptions(e))
		if want := jsonOf(t, convert[[]eviction.TargetCluster](t, spec.Clusters)); want != jsonOf(t, ours.Targets) && len(ours.Targets) > 0 {
			t.Fatalf("other targets: want %s, got %s", want, jsonOf(t, ours.Targets))
		}
		theirs := convert[[]eviction.Task](t, spec.GracefulEvictionTasks)
		if wasTarget && hadTask {
			// E2: there the second eviction is lost; here it is merged into the task.
			used["E2"]++
			theirs = slices.DeleteFunc(theirs, func(task eviction.Task) bool { return task.FromCluster == e.FromCluster })
			if last := ours.Tasks[len(ours.Tasks)-1]; last.FromCluster != e.FromCluster || last.PurgeMode != e.PurgeMode {
				t.Fatalf("the task is not renewed: %s", jsonOf(t, last))
			}
			ours.Tasks = ours.Tasks[:len(ours.Tasks)-1]
		} else if wasTarget {
			explainTask(&theirs[len(theirs)-1], before, used)
		}
		if len(theirs)+len(ours.Tasks) > 0 && jsonOf(t, theirs) != jsonOf(t, ours.Tasks) {
			t.Fatalf("other tasks:\nwant %s\ngot  %s", jsonOf(t, theirs), jsonOf(t, ours.Tasks))
		}
	}
	for _, rule := range []string{"E2", "E4", "E5 grace", "E5 never", "E6", "P7"} {
		t.Logf("%6d %s", used[rule], rule)
		if used[rule] == 0 {
			t.Errorf("nothing needs %s", rule)
		}
	}
}

// explainTask puts the differences into a task that Karmada made.
func explainTask(task *eviction.Task, before []string, used map[string]int) {
	// E6: the creation time is written at once.
	used["E6"]++
	task.CreationTimestamp = ptr(metav1.NewTime(now))
	// E4: all targets at that time, for every eviction.
	used["E4"]++
	slices.Sort(before)
	task.ClustersBeforeFailover = before
	// E5: Gracefully has 600 s of grace unless it is suppressed, and Never suppresses.
	suppressed := task.SuppressDeletion != nil && *task.SuppressDeletion
	if task.PurgeMode == purge.Gracefully && task.GracePeriodSeconds == nil && !suppressed {
		used["E5 grace"]++
		task.GracePeriodSeconds = ptr(int32(600))
	}
	if task.PurgeMode == purge.Never && task.SuppressDeletion == nil {
		used["E5 never"]++
		task.SuppressDeletion = ptr(true)
	}
}

// TestRemoval: an evicted cluster is off the targets, as if it had been removed.
func TestRemoval(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for range 5_000 {
		spec := randomSpec(random)
		e := randomEviction(random, pick(random, clusterNames...))
		e.SuppressDeletion = nil
		ours, err := eviction.Evict(eviction.EvictInput{Targets: convert[[]eviction.TargetCluster](t, spec.Clusters), Evictions: []eviction.Eviction{e}, Now: now})
		require.NoError(t, err)
		spec.RemoveCluster(e.FromCluster)
		if want := jsonOf(t, convert[[]eviction.TargetCluster](t, spec.Clusters)); len(ours.Targets) > 0 && want != jsonOf(t, ours.Targets) {
			t.Fatalf("want %s, got %s", want, jsonOf(t, ours.Targets))
		}
	}
}

// TestDirectly: which clusters are purged at once. The modes of older releases mean the
// same on both sides (P1).
func TestDirectly(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for range 5_000 {
		spec := randomSpec(random)
		want := helper.ObtainClustersWithPurgeModeDirectly(spec)
		got := map[string]bool{}
		for _, task := range convert[[]eviction.Task](t, spec.GracefulEvictionTasks) {
			if mode, err := purge.Normalize(task.PurgeMode); err == nil && mode == purge.Directly {
				got[task.FromCluster] = true
			}
		}
		if len(want) != len(got) || !want.HasAll(slices.Collect(maps.Keys(got))...) {
			t.Fatalf("want %v, got %v", want, got)
		}
	}
}
