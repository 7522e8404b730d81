package failover_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// A controller calls Plan in each pass, stores the answer, and starts anew in between:
// only the record, the targets and the tasks go from pass to pass. The job fails on
// east, then on west before it ever worked there, and reaches north with its state.
func ExamplePlan() {
	toleration := int32(60)
	in := failover.PlanInput{
		Policy: failover.Behavior{Application: &failover.ApplicationBehavior{
			DecisionConditions: failover.DecisionConditions{TolerationSeconds: &toleration},
			PurgeMode:          purge.Directly,
			StatePreservation: &preservation.StatePreservation{Rules: []preservation.Rule{
				{AliasLabelName: "example.com/job-id", JSONPath: "{.jobId}"},
			}},
		}},
		Producer: "example", Scheduled: true,
		Targets: []eviction.TargetCluster{{Name: "east"}},
	}
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	pass := func(seconds int, cluster string, health eviction.Health, presence purge.Presence) {
		in.Now = start.Add(time.Duration(seconds) * time.Second)
		in.Items = []eviction.AggregatedStatusItem{{
			ClusterName: cluster, Applied: true, Health: health,
			Status: &runtime.RawExtension{Raw: []byte(`{"jobId":"job-on-` + cluster + `"}`)},
		}}
		in.Clusters = map[string]failover.ClusterFacts{cluster: {Presence: presence}}
		out, err := failover.Plan(in)
		if err != nil {
			fmt.Println(err)
		}
		for _, d := range out.Decisions {
			fmt.Println(seconds, d.Cluster, d.Outcome, d.Reason)
		}
		for _, p := range out.Placements {
			if p.State != nil {
				fmt.Println(seconds, p.Cluster, p.Action, p.State.Labels)
			} else {
				fmt.Println(seconds, p.Cluster, p.Action, p.Reason)
			}
		}
		stored, err := json.Marshal(out.Record)
		if err != nil {
			fmt.Println(err)
		}
		in.Record = failover.Record{}
		if err := json.Unmarshal(stored, &in.Record); err != nil {
			fmt.Println(err)
		}
		in.Targets, in.Tasks = out.Targets, out.Tasks
	}
	schedule := func(cluster string) { in.Targets = append(in.Targets, eviction.TargetCluster{Name: cluster}) }

	pass(0, "east", eviction.Unhealthy, purge.Present)
	pass(60, "east", eviction.Unhealthy, purge.Present)
	schedule("west")
	pass(65, "east", eviction.Unhealthy, purge.Present)
	pass(70, "east", eviction.HealthUnknown, purge.Gone)
	pass(80, "west", eviction.Unhealthy, purge.Present)
	pass(140, "west", eviction.Unhealthy, purge.Present)
	schedule("north")
	pass(150, "west", eviction.HealthUnknown, purge.Gone)
	// Output:
	// 0 east Wait BelowToleration
	// 0 east Apply NoState
	// 60 east Evict ApplicationFailure
	// 65 east AlreadyEvicting UnderEviction
	// 65 west None HealthUnknown
	// 65 west Hold OldCopyNotGone
	// 70 west None HealthUnknown
	// 70 west Apply map[example.com/job-id:job-on-east]
	// 80 west Wait BelowToleration
	// 80 west Apply map[example.com/job-id:job-on-east]
	// 140 west Evict ApplicationFailure
	// 150 north None HealthUnknown
	// 150 north Apply map[example.com/job-id:job-on-east]
}

func ExampleRecord_Check() {
	fmt.Println(failover.Record{}.Check())
	fmt.Println(failover.Record{Version: 99}.Check())
	// Output:
	// <nil>
	// the record of version 99 cannot be used: this library reads version 1
}

// A host that may evict three applications in a minute takes the first three.
func ExampleCompareDecisions() {
	decisions := []failover.Decision{
		{Cluster: "east", Outcome: failover.Evict, Reason: failover.PlannedMove, Cause: preservation.Planned},
		{Cluster: "east", Outcome: failover.Wait, Reason: failover.BelowToleration, Cause: preservation.Application},
		{Cluster: "west", Outcome: failover.Evict, Reason: failover.ApplicationFailure, Cause: preservation.Application},
		{Cluster: "north", Outcome: failover.Evict, Reason: failover.TaintUntolerated, Cause: preservation.Cluster},
	}
	slices.SortFunc(decisions, failover.CompareDecisions)
	for _, d := range decisions {
		fmt.Println(d.Cluster, d.Outcome, d.Reason)
	}
	// Output:
	// north Evict TaintUntolerated
	// west Evict ApplicationFailure
	// east Evict PlannedMove
	// east Wait BelowToleration
}
