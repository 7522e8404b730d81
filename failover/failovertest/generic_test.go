package failovertest_test

import (
	"encoding/json"
	"testing"

	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// TestExploreAnyPolicy explores a policy with other rules than the one for jobs: a label,
// a field that stays longer, and a label that tells of the move. The promises hold, and
// the states are as many as with the one rule, or nearly: what tells copies apart is
// found in what they report (F7, F13).
func TestExploreAnyPolicy(t *testing.T) {
	t.Parallel()
	rules := []preservation.Rule{
		{AliasLabelName: "example.com/id", JSONPath: "{.id}"},
		{JSONPath: "{.path}", Target: preservation.Field, FieldPath: ".spec.path"},
		{AliasLabelName: "example.com/attempt", JSONPath: "{.attempt}", From: preservation.FromFailover},
	}
	explore := func(change func(*failovertest.World)) failovertest.Result {
		world := failovertest.World{Clusters: []string{"east", "west"}, Policy: policy(purge.Directly)}
		change(&world)
		r := failovertest.Explore(failovertest.Exploration{
			World: world, Setup: steps(t, "schedule east", "healthy east", "tick"), Depth: 5, Heal: true,
			Limits: map[failovertest.Verb]int{
				failovertest.Schedule: -1, failovertest.Healthy: -1, failovertest.Unhealthy: -1, failovertest.Deleted: -1,
				failovertest.Taint: 1, failovertest.Lose: 1, failovertest.Fence: 1, failovertest.Tick: -1,
			},
		})
		if r.Broken != nil {
			t.Errorf("%v: %v", r.Timeline, r.Broken)
		}
		return r
	}
	jobs := explore(func(*failovertest.World) {})
	generic := explore(func(w *failovertest.World) {
		w.Policy = policy(purge.Directly, preserved(func(sp *preservation.StatePreservation) { sp.Rules = rules }))
		w.Status = json.RawMessage(`{"id":"id-$n","path":"s3p://ckpt/$n"}`)
	})
	if jobs.States < 50 || generic.States < jobs.States || generic.States > jobs.States*5/4 {
		t.Errorf("%d states, and %d with one rule", generic.States, jobs.States)
	}
	t.Logf("%d states, and %d with one rule", generic.States, jobs.States)
}
