package policytest_test

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/examples/policytest"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/preservation"
)

// TestPolicyIsValid is what a webhook would say, and what it would warn of.
func TestPolicyIsValid(t *testing.T) {
	t.Parallel()
	for _, err := range failover.Validate(policytest.Policy(), preservation.Protection{}, field.NewPath("failover")) {
		t.Error(err)
	}
	for _, warning := range failover.Warnings(policytest.Policy(), field.NewPath("failover")) {
		t.Error(warning.Message)
	}
}

// TestStories plays the scenarios in YAML with the policy as it is in Go. All promises of
// failovertest are checked after each step, besides what the story expects.
func TestStories(t *testing.T) {
	t.Parallel()
	scenarios, err := failovertest.ReadFiles("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i := range scenarios {
		scenarios[i].World.Policy = policytest.Policy()
	}
	failovertest.Run(t, scenarios...)
}

// TestMissingState is a story in Go: what happens if the job reports no id?
func TestMissingState(t *testing.T) {
	t.Parallel()
	failovertest.Check(t, failovertest.Scenario{
		Name:  "a job without an id is not moved",
		World: failovertest.World{Clusters: []string{"east", "west"}, Policy: policytest.Policy()},
		Steps: []failovertest.ScenarioStep{
			{Do: events(t, "schedule east", "healthy east", "tick")},
			{Status: map[string]json.RawMessage{"east": json.RawMessage(`{"job": {}}`)}},
			{
				Do: events(t, "taint east", "later"),
				Expect: &failovertest.Expectation{
					Targets:   []string{"east"},
					Decisions: map[string]*failovertest.DecisionExpectation{"east": {Outcome: failover.Blocked, Reason: failover.MissingState}},
				},
			},
		},
	})
}

// TestEveryOrder lets the explorer try every order of these events, and a crash at every
// write, up to five events deep.
func TestEveryOrder(t *testing.T) {
	t.Parallel()
	result := failovertest.Explore(failovertest.Exploration{
		World: failovertest.World{
			Clusters: []string{"east", "west"}, Policy: policytest.Policy(),
			Status: json.RawMessage(`{"job": {"id": "job-$n", "checkpoint": "s3p://ckpt/job-$n/chk-1"}}`),
		},
		Setup: events(t, "schedule east", "healthy east", "tick"),
		Limits: map[failovertest.Verb]int{
			failovertest.Schedule: -1, failovertest.Unhealthy: -1, failovertest.Healthy: -1, failovertest.Deleted: -1,
			failovertest.Lose: 1, failovertest.Return: -1, failovertest.Fence: 1, failovertest.Wait: -1,
		},
		Crashes: 1, Depth: 5, Heal: true,
	})
	if result.Broken != nil {
		t.Errorf("%v\n%v", result.Timeline, result.Broken)
	}
	if result.States < 400 {
		t.Errorf("only %d states: what could happen?", result.States)
	}
	t.Logf("%d states, %d transitions", result.States, result.Transitions)
}

func events(t *testing.T, texts ...string) []failovertest.Step {
	t.Helper()
	var out []failovertest.Step
	for _, text := range texts {
		step, err := failovertest.ParseStep(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, step)
	}
	return out
}
