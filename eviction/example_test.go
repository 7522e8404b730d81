package eviction_test

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// noon is the time of the examples.
func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// A move, from the eviction to the end of its task.
func Example() {
	evicted, err := eviction.Evict(eviction.EvictInput{
		Targets: []eviction.TargetCluster{{Name: "east"}},
		Evictions: []eviction.Eviction{{
			FromCluster: "east", PurgeMode: purge.Gracefully, Reason: "ApplicationFailure", Producer: "my-controller",
		}},
		Now: noon(),
	})
	if err != nil {
		fmt.Println(err)
	}
	tasks := evicted.Tasks
	in := eviction.AssessInput{
		Tasks:     tasks,
		Targets:   []eviction.TargetCluster{{Name: "west"}}, // the scheduler's choice
		Scheduled: true,
		Now:       noon().Add(time.Minute),
	}
	a := eviction.Assess(in)
	fmt.Println(a.Decisions[0].Outcome, a.Decisions[0].Reason, a.NextCheck.After)

	in.Items = []eviction.AggregatedStatusItem{{ClusterName: "west", Applied: true, Health: eviction.Healthy}}
	a = eviction.Assess(in)
	fmt.Println(a.Decisions[0].Outcome, a.Decisions[0].Reason)

	in.Clusters = map[string]eviction.Facts{"east": {Presence: purge.Gone}}
	a = eviction.Assess(in)
	tasks = eviction.Apply(tasks, a.Decisions, eviction.ApplyOptions{})
	fmt.Println(a.Decisions[0].Outcome, a.Decisions[0].Reason, len(tasks))
	// Output:
	// Keep ReplacementNotApplied 9m0s
	// Purge ReplacementHealthy
	// Finish OldCopyGone 0
}

func ExampleValidate() {
	errs := eviction.Validate(eviction.Eviction{
		FromCluster: "east", PurgeMode: "gracefully", Reason: "cluster is down", Producer: "my-controller",
		PreservedLabelState: map[string]string{"savepoint": "s3://bucket/savepoint-1"},
	}, nil)
	for _, err := range errs {
		fmt.Println(err.Type, err.Field)
	}
	// Output:
	// Invalid value reason
	// Invalid value purgeMode
	// Invalid value preservedLabelState[savepoint]
}

func ExampleEvict() {
	replicas := int32(2)
	got, err := eviction.Evict(eviction.EvictInput{
		Targets: []eviction.TargetCluster{{Name: "west"}, {Name: "east", Replicas: &replicas}},
		Evictions: []eviction.Eviction{
			{FromCluster: "east", PurgeMode: purge.Directly, Reason: "ApplicationFailure", Producer: "my-controller"},
			{FromCluster: "north", Reason: "ApplicationFailure", Producer: "my-controller"},
			{FromCluster: "west", Reason: "not a word", Producer: "my-controller"},
		},
		Now: noon(),
	})
	for _, r := range got.Results {
		fmt.Println(r.FromCluster, r.Outcome)
	}
	task := got.Tasks[0]
	fmt.Println(task.FromCluster, task.PurgeMode, *task.Replicas, task.ClustersBeforeFailover)
	fmt.Println("still targets:", len(got.Targets), "- refused:", err != nil)
	// Output:
	// east Added
	// north NotTarget
	// west Refused
	// east Directly 2 [east west]
	// still targets: 1 - refused: true
}

func ExampleAssess() {
	created := metav1.NewTime(noon())
	a := eviction.Assess(eviction.AssessInput{
		Tasks: []eviction.Task{
			{FromCluster: "east", PurgeMode: "Immediately", CreationTimestamp: &created},
			{FromCluster: "north", PurgeMode: purge.Gracefully, CreationTimestamp: &created},
		},
		Targets:   []eviction.TargetCluster{{Name: "west"}},
		Scheduled: true,
		Now:       noon().Add(10 * time.Minute),
	})
	for _, d := range a.Decisions {
		fmt.Println(d.FromCluster, d.Mode, d.Outcome, d.Old, d.New, d.Reason)
	}
	// Output:
	// east Directly Purge Delete Hold OldCopyUnreachable
	// north Gracefully Keep Keep Create ExpiredNotApplied
}

func ExampleAssessment_Holds() {
	created := metav1.NewTime(noon())
	a := eviction.Assess(eviction.AssessInput{
		Tasks: []eviction.Task{{
			FromCluster: "east", PurgeMode: purge.Directly, CreationTimestamp: &created,
			ClustersBeforeFailover: []string{"east", "north"},
		}},
		Targets: []eviction.TargetCluster{{Name: "north"}, {Name: "west"}},
		Now:     noon(),
	})
	for _, target := range []string{"north", "west"} {
		if by, held := a.Holds(target, false); held {
			fmt.Println(target, "waits for", by.FromCluster, by.Reason)
			continue
		}
		fmt.Println(target, "goes on")
	}
	// Output:
	// north goes on
	// west waits for east OldCopyUnreachable
}

// A task keeps labels and the rest apart, as Karmada's type has only the labels.
func ExampleTask_State() {
	task := eviction.Task{
		PreservedLabelState: map[string]string{"example.com/job-id": "e6fd"},
		PreservedState:      &preservation.State{Annotations: map[string]string{"example.com/path": "s3p://b/sp-1"}},
	}
	for _, ref := range task.State().Keys() {
		fmt.Println(ref.Target, ref.Key)
	}
	// Output:
	// Annotation example.com/path
	// Label example.com/job-id
}

func ExampleApply() {
	created := metav1.NewTime(noon())
	seen := []eviction.Task{{FromCluster: "east", CreationTimestamp: &created}}
	a := eviction.Assess(eviction.AssessInput{
		Tasks: seen, Now: noon(), Clusters: map[string]eviction.Facts{"east": {Presence: purge.Gone}},
	})
	// Another controller added a task before this one could write.
	latest := slices.Concat(seen, []eviction.Task{{FromCluster: "west", CreationTimestamp: &created}})
	for _, t := range eviction.Apply(latest, a.Decisions, eviction.ApplyOptions{}) {
		fmt.Println(t.FromCluster)
	}
	// Output:
	// west
}

func ExampleWithdraw() {
	created := metav1.NewTime(noon())
	in := eviction.WithdrawInput{
		Cluster: "east",
		Tasks: []eviction.Task{{
			FromCluster: "east", PurgeMode: purge.Gracefully, CreationTimestamp: &created, ClustersBeforeFailover: []string{"east"},
		}},
		Now: noon().Add(time.Minute),
	}
	w := eviction.Withdraw(in)
	fmt.Println(w.Outcome, w.Reason, len(w.Targets), len(w.Tasks))

	in.Items = []eviction.AggregatedStatusItem{{ClusterName: "east", Health: eviction.Healthy}}
	w = eviction.Withdraw(in)
	fmt.Println(w.Outcome, w.Reason, w.Targets[0].Name, len(w.Tasks))
	// Output:
	// Refused SourceNotHealthy 0 1
	// Withdrawn SourceHealthy east 0
}

func ExampleExclude() {
	x := eviction.Exclude(eviction.ExcludeInput{
		Tasks:     []eviction.Task{{FromCluster: "east"}},
		Cooldowns: []eviction.Cooldown{{Cluster: "north", Since: noon().Add(-9 * time.Minute)}},
		Now:       noon(),
	})
	for _, e := range x.Clusters {
		fmt.Println(e.Cluster, e.Reason)
	}
	fmt.Println("look again in", x.NextCheck.After)
	// Output:
	// east UnderEviction
	// north InCooldown
	// look again in 1m0s
}
