package failover_test

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// A job fails on east and moves to west with its id: from the decision to the
// manifest.
func Example() {
	now := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	job := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Job", "metadata": map[string]any{"name": "counter"},
	}}
	policy := failover.Behavior{Application: &failover.ApplicationBehavior{
		PurgeMode: purge.Directly,
		StatePreservation: &preservation.StatePreservation{Rules: []preservation.Rule{
			{AliasLabelName: "example.com/job-id", JSONPath: "{.jobStatus.jobId}"},
		}},
	}}
	targets := []eviction.TargetCluster{{Name: "east"}}
	items := []eviction.AggregatedStatusItem{{
		ClusterName: "east", Applied: true, Health: eviction.Unhealthy,
		Status: &runtime.RawExtension{Raw: []byte(`{"jobStatus":{"jobId":"a1b2"}}`)},
	}}

	prepared, err := failover.Prepare(failover.PrepareInput{
		Policy: policy, Cause: preservation.Application, Cluster: "east",
		Targets: targets, Items: items, Template: job, Producer: "example",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	evicted, err := eviction.Evict(eviction.EvictInput{
		Targets: targets, Evictions: []eviction.Eviction{prepared.Eviction}, Now: now,
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	// The scheduler chose west. One pass while the old copy is there, and one when
	// it is gone.
	targets = append(evicted.Targets, eviction.TargetCluster{Name: "west"})
	for _, presence := range []purge.Presence{purge.Present, purge.Gone} {
		facts := map[string]eviction.Facts{"east": {Presence: presence}}
		assessment := eviction.Assess(eviction.AssessInput{
			Tasks: evicted.Tasks, Targets: targets, Items: items, Clusters: facts, Scheduled: true, Now: now,
		})
		for _, gated := range failover.Gate(failover.GateInput{
			Targets: targets, Tasks: eviction.Apply(evicted.Tasks, assessment.Decisions, eviction.ApplyOptions{}),
			Items: items, Assessment: assessment, Clusters: facts,
			Rules: policy.Application.StatePreservation.Rules,
		}) {
			fmt.Println(gated.Cluster, gated.Action, gated.Reason)
			if gated.Action == failover.Hold {
				continue
			}
			manifest, _, err := preservation.Inject(job, gated.State, preservation.InjectOptions{Cluster: gated.Cluster})
			fmt.Println(manifest.GetLabels(), err)
		}
	}
	// Output:
	// west Hold OldCopyNotGone
	// west Apply Injected
	// map[example.com/job-id:a1b2] <nil>
}

func ExampleDefault() {
	b := failover.Default(failover.Behavior{
		Application: &failover.ApplicationBehavior{PurgeMode: "Graciously"},
		Cluster:     &failover.ClusterBehavior{PurgeMode: "Immediately"},
	})
	fmt.Println(b.Application.PurgeMode, *b.Application.GracePeriodSeconds, *b.Application.DecisionConditions.TolerationSeconds)
	fmt.Println(b.Cluster.PurgeMode)
	// Output:
	// Gracefully 600 300
	// Directly
}

func ExampleValidate() {
	seconds := int32(30)
	errs := failover.Validate(failover.Behavior{
		Application: &failover.ApplicationBehavior{
			PurgeMode: purge.Directly, GracePeriodSeconds: &seconds,
			StatePreservation: &preservation.StatePreservation{Rules: []preservation.Rule{
				{AliasLabelName: "kubernetes.io/job", JSONPath: "{.jobId}"},
			}},
		},
	}, preservation.Protection{}, field.NewPath("spec", "failover"))
	for _, err := range errs {
		fmt.Println(err.Type, err.Field)
	}
	// Output:
	// Forbidden spec.failover.application.gracePeriodSeconds
	// Forbidden spec.failover.application.statePreservation.rules[0].aliasLabelName
}

func ExampleWarnings() {
	for _, w := range failover.Warnings(failover.Behavior{
		Application: &failover.ApplicationBehavior{
			PurgeMode: purge.Gracefully,
			StatePreservation: &preservation.StatePreservation{Rules: []preservation.Rule{
				{AliasLabelName: "example.com/job-id", JSONPath: "{.jobStatus.jobId}"},
			}},
		},
		Cluster: &failover.ClusterBehavior{},
	}, field.NewPath("failover")) {
		fmt.Println(w.Field, w.Reason)
	}
	// Output:
	// failover.application.statePreservation.rules NeverInjected
	// failover.cluster.statePreservation RulesOnlyUnderApplication
}

func ExampleTermsFor() {
	b := failover.Behavior{Application: &failover.ApplicationBehavior{PurgeMode: "Immediately"}}
	for _, cause := range []preservation.Cause{preservation.Application, preservation.Cluster, preservation.Planned} {
		terms := failover.TermsFor(b, cause)
		fmt.Println(cause, terms.Mode, terms.Configured)
	}
	// Output:
	// Application Directly true
	// Cluster Gracefully false
	// Planned Directly true
}

// The job went from east to west, failed there too, and goes on to north.
func ExampleCarry() {
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	tasks := []eviction.Task{
		{
			FromCluster: "east", PurgeMode: purge.Directly, ClustersBeforeFailover: []string{"east"},
			PreservedLabelState: map[string]string{"example.com/job-id": "A"}, CreationTimestamp: &metav1.Time{Time: start},
		},
		{
			FromCluster: "west", PurgeMode: purge.Directly, ClustersBeforeFailover: []string{"west"},
			PreservedLabelState: map[string]string{"example.com/job-id": "B"}, CreationTimestamp: &metav1.Time{Time: start.Add(time.Hour)},
		},
	}
	// West was never healthy: what it reports is worth nothing.
	for _, c := range failover.Carry(tasks, nil) {
		fmt.Println(c.State.Labels, c.Origin)
	}
	// West worked for a while.
	for _, c := range failover.Carry(tasks, map[string]time.Time{"west": start.Add(time.Minute)}) {
		fmt.Println(c.State.Labels, c.Origin)
	}
	// Output:
	// map[example.com/job-id:A] east
	// map[example.com/job-id:B] west
}

// A rule that gives no value blocks the move before anything is evicted.
func ExamplePrepare() {
	prepared, err := failover.Prepare(failover.PrepareInput{
		Policy: failover.Behavior{Application: &failover.ApplicationBehavior{
			PurgeMode: purge.Directly,
			StatePreservation: &preservation.StatePreservation{Rules: []preservation.Rule{
				{AliasLabelName: "example.com/job-id", JSONPath: "{.jobStatus.jobId}"},
			}},
		}},
		Cause: preservation.Application, Cluster: "east", Targets: []eviction.TargetCluster{{Name: "east"}}, Producer: "example",
	})
	fmt.Println(prepared.Outcome, prepared.Reason)
	var missing *preservation.RuleError
	if errors.As(err, &missing) {
		fmt.Println(missing.Alias, missing.Class, missing.Retryable())
	}
	// Output:
	// Blocked MissingState
	// example.com/job-id StatusNotCollected true
}

// East and west ran side by side; east left, and west was joined by nobody.
func ExampleGate() {
	tasks := []eviction.Task{{
		FromCluster: "east", PurgeMode: purge.Directly, ClustersBeforeFailover: []string{"east", "west"},
		PreservedLabelState: map[string]string{"example.com/job-id": "A"},
		CreationTimestamp:   &metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)},
	}}
	for _, gated := range failover.Gate(failover.GateInput{
		Targets: []eviction.TargetCluster{{Name: "west"}}, Tasks: tasks,
		Clusters: map[string]eviction.Facts{"east": {Presence: purge.Gone}},
	}) {
		fmt.Println(gated.Cluster, gated.Action, gated.Inject, gated.Reason)
		fmt.Println(gated.Message)
	}
	// Output:
	// west Apply false AlreadyRunning
	// west ran the application before east was evicted
}
