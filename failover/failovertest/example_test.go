package failovertest_test

import (
	"fmt"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// myPolicy is what a user would test: jobs move with their id, and never run twice.
func myPolicy() failover.Behavior {
	return failover.Behavior{Application: &failover.ApplicationBehavior{
		PurgeMode: purge.Directly,
		StatePreservation: &preservation.StatePreservation{
			Rules: []preservation.Rule{{AliasLabelName: failovertest.Label, JSONPath: "{.job}"}},
		},
	}}
}

func ExampleExplore() {
	result := failovertest.Explore(failovertest.Exploration{
		World: failovertest.World{Clusters: []string{"east", "west"}, Policy: myPolicy()},
		Limits: map[failovertest.Verb]int{
			failovertest.Schedule: -1, failovertest.Healthy: -1, failovertest.Unhealthy: -1, failovertest.Deleted: -1,
			failovertest.Lose: 1, failovertest.Return: -1, failovertest.Wait: -1,
		},
		Crashes: 1, Depth: 6, Heal: true,
	})
	fmt.Println("broken:", result.Broken)
	fmt.Println("depth:", result.Depth, "states:", result.States > 100)
	// Output:
	// broken: <nil>
	// depth: 6 states: true
}

func ExampleReplay() {
	var timeline []failovertest.Step
	for _, text := range []string{"schedule east", "healthy east", "tick", "unhealthy east", "wait", "lose east !2", "schedule west"} {
		step, err := failovertest.ParseStep(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		timeline = append(timeline, step)
	}
	steps, err := failovertest.Replay(failovertest.World{Clusters: []string{"east", "west"}, Policy: myPolicy()}, timeline, true)
	fmt.Println(steps, err)
	// Output: 7 <nil>
}

func ExampleParseStep() {
	step, err := failovertest.ParseStep("taint east !2")
	fmt.Println(step.Event.Verb, step.Event.Cluster, step.CrashBefore == failovertest.BindingWrite, err)
	_, err = failovertest.ParseStep("lose")
	fmt.Println(err)
	// Output:
	// taint east true <nil>
	// event "lose" names no cluster
}
