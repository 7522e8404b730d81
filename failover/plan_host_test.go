package failover_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// E9: the scheduler answers to the targets that an eviction leaves, and not before.
func TestPlanEvictsBeforeTheSchedulerAnswers(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Gracefully, 0), "east", "west").
		see("east", eviction.Unhealthy, "A").see("west", eviction.Healthy, "A")
	s.run(0).decides("east", failover.Evict, failover.ApplicationFailure)
	s.purges("east", eviction.Keep, purge.ReplacementNotHealthy).looksAgain(1)
	s.run(1).purges("east", eviction.Purge, purge.ReplacementHealthy)
}

// L3: of several tasks that hold a copy the same one gives the reason, in any order.
func TestPlanOrderOfTasks(t *testing.T) {
	t.Parallel()
	var tasks []eviction.Task
	for i, mode := range []purge.Mode{purge.Directly, "wrong", purge.Gracefully} {
		created := metav1.NewTime(at(-i))
		tasks = append(tasks, eviction.Task{
			FromCluster: []string{"c", "b", "a"}[i], PurgeMode: mode, Reason: "R", Producer: "test", CreationTimestamp: &created,
			ClustersBeforeFailover: []string{"a", "b", "c"},
		})
	}
	in := failover.PlanInput{Now: at(10), Targets: []eviction.TargetCluster{{Name: "north"}}, Tasks: tasks}
	want, err := failover.Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Tasks = slices.Clone(tasks)
	slices.Reverse(in.Tasks)
	got, err := failover.Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	want.Tasks, got.Tasks = nil, nil // in the order of the input
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +reversed)\n%s", diff)
	}
}

// The attempts of a host that keeps no record are counted by nobody.
func TestPlanCountsNoAttemptsWithoutARecord(t *testing.T) {
	t.Parallel()
	for noRecord, want := range map[bool]string{false: "1", true: "none"} {
		policy := stateful(purge.Directly, 0)
		policy.Application.StatePreservation.Rules = []preservation.Rule{{
			AliasLabelName: job, From: preservation.FromFailover, JSONPath: "{.attempt}", Default: "none",
		}}
		s := newSession(t, policy, "east").see("east", eviction.Unhealthy, "A")
		s.in.Host.NoRecord = noRecord
		s.run(0)
		if got := s.out.Tasks[0].PreservedLabelState[job]; got != want {
			t.Errorf("no record %t: attempt %q, want %q", noRecord, got, want)
		}
	}
}

// F6 without a record: a target that was to receive the state of a task, and is not
// known to have been healthy, is not asked, whether a copy is there or not.
func TestPlanReadsFromTasksWhoWasToReceive(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{false, true} {
		created := metav1.NewTime(at(-600))
		s := newSession(t, stateful(purge.Directly, 0), "west")
		s.in.Tasks = []eviction.Task{{
			FromCluster: "east", PurgeMode: purge.Directly, Reason: "R", Producer: "test", CreationTimestamp: &created,
			ClustersBeforeFailover: []string{"east"}, PreservedLabelState: map[string]string{job: "A"},
		}}
		if running {
			s.see("west", eviction.HealthUnknown, "bad")
		}
		s.ask(failover.Request{Cluster: "west", Action: failover.RequestEvict, Cause: preservation.Application}).run(0)
		s.decides("west", failover.Evict, failover.ApplicationFailure)
		s.ask().lose("west").gone("east").gone("west").choose("north").run(10)
		s.places("north", failover.Apply, failover.Injected, "A")
	}
}

// L7: what blocks nothing is told all the same.
func TestPlanTellsWhatBlocksNothing(t *testing.T) {
	t.Parallel()
	policy := stateful(purge.Directly, 0)
	policy.Application.StatePreservation.Rules = append(policy.Application.StatePreservation.Rules, preservation.Rule{
		AliasLabelName: "example.com/more", JSONPath: "{.more}", Policy: preservation.Optional,
	})
	s := newSession(t, policy, "east").see("east", eviction.Unhealthy, "").
		know("east", failover.ClusterFacts{Taints: []failover.Taint{{Key: "example.com/odd", Effect: "Later"}}})
	s.run(0).decides("east", failover.Blocked, failover.MissingState)
	var got []failover.WarningReason
	for _, w := range s.out.Warnings {
		got = append(got, w.Reason)
	}
	want := []failover.WarningReason{failover.StateIncomplete, failover.UnknownTaintEffect}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
}
