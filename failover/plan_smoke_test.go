package failover_test

import (
	"encoding/json"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

func TestPlanSmoke(t *testing.T) {
	t.Parallel()
	t0 := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tol := int32(60)
	pol := failover.Behavior{Application: &failover.ApplicationBehavior{
		DecisionConditions: failover.DecisionConditions{TolerationSeconds: &tol}, PurgeMode: purge.Directly,
		StatePreservation: &preservation.StatePreservation{Rules: []preservation.Rule{{AliasLabelName: "a.example.com/job", JSONPath: "{.job}"}}},
	}}
	item := func(c string, h eviction.Health, job string) eviction.AggregatedStatusItem {
		return eviction.AggregatedStatusItem{ClusterName: c, Applied: true, Health: h, Status: &runtime.RawExtension{Raw: []byte(`{"job":"` + job + `"}`)}}
	}
	in := failover.PlanInput{Policy: pol, Producer: "me", Scheduled: true, Targets: []eviction.TargetCluster{{Name: "east"}}, Clusters: map[string]failover.ClusterFacts{}}
	step := func(name string, at int) failover.PlanOutput {
		in.Now = t0.Add(time.Duration(at) * time.Second)
		out, err := failover.Plan(in)
		if err != nil {
			t.Log("err", err)
		}
		b, _ := json.Marshal(out)
		t.Logf("%s T%d\n%s", name, at, b)
		var back failover.PlanOutput
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		in.Targets, in.Tasks, in.Record = back.Targets, back.Tasks, back.Record
		again, _ := failover.Plan(in)
		a1, _ := json.Marshal(back.Record)
		a2, _ := json.Marshal(again.Record)
		if string(a1) != string(a2) {
			t.Errorf("not idempotent:\n%s\n%s", a1, a2)
		}
		return out
	}
	in.Items = []eviction.AggregatedStatusItem{item("east", eviction.Healthy, "A")}
	step("healthy", 0)
	in.Items = []eviction.AggregatedStatusItem{item("east", eviction.Unhealthy, "A")}
	step("unhealthy", 1)
	in.Items = []eviction.AggregatedStatusItem{item("east", eviction.HealthUnknown, "A")}
	step("unknown", 31)
	in.Items = []eviction.AggregatedStatusItem{item("east", eviction.Unhealthy, "A")}
	step("wait", 60)
	step("evict", 61)
	in.Targets = append(in.Targets, eviction.TargetCluster{Name: "west"})
	step("held", 70)
	in.Clusters["east"] = failover.ClusterFacts{Presence: purge.Gone}
	step("delivered", 80)
	in.Items = []eviction.AggregatedStatusItem{item("west", eviction.Unhealthy, "B")}
	step("west unhealthy", 90)
	step("west evicted", 150)
	in.Targets = append(in.Targets, eviction.TargetCluster{Name: "north"})
	in.Clusters["west"] = failover.ClusterFacts{Presence: purge.Gone}
	step("north", 160)
	in.Items = []eviction.AggregatedStatusItem{item("north", eviction.Healthy, "C")}
	step("north healthy", 170)
	step("later", 180)
}
