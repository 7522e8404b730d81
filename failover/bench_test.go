package failover_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

var benchStart = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// benchStatus is what a status holds that a rule reads, with something around it.
func benchStatus(i int) []byte {
	return fmt.Appendf(nil, `{"jobManagerDeploymentStatus":"READY","jobStatus":{"checkpointInfo":{"lastCheckpoint":{"formatType":"FULL","timeStamp":%d,"triggerType":"PERIODIC"}},`+
		`"jobId":"e6fd1d0c2b9a4f7c%016d","jobName":"orders-%d","state":"RUNNING","upgradeSavepointPath":"s3p://bucket/savepoints/savepoint-%d"},"lifecycleState":"STABLE","observedGeneration":%d}`, 1753948861123+i, i, i, i, i)
}

// benchApplication is one of many: each mode, 1 to 3 rules, 1 to 5 targets.
func benchApplication(i int) failover.PlanInput {
	rules := []preservation.Rule{
		{AliasLabelName: "example.com/job-id", JSONPath: "{.jobStatus.jobId}"},
		{AliasLabelName: "example.com/checkpoint", JSONPath: "{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}"},
		{AliasLabelName: "example.com/generation", JSONPath: "{.observedGeneration}"},
	}
	modes := purge.Modes()
	in := failover.PlanInput{
		Policy: failover.Behavior{Application: &failover.ApplicationBehavior{
			PurgeMode: modes[i%len(modes)], StatePreservation: &preservation.StatePreservation{Rules: rules[:1+i%3]},
		}},
		Producer: "bench", Scheduled: true, Revision: strconv.Itoa(i), Clusters: map[string]failover.ClusterFacts{}, Now: benchStart,
	}
	for c := range 1 + i%5 {
		name := fmt.Sprintf("member-%d", (i+c)%50)
		in.Targets = append(in.Targets, eviction.TargetCluster{Name: name})
		in.Items = append(in.Items, eviction.AggregatedStatusItem{
			ClusterName: name, Applied: true, Health: eviction.Healthy, Status: &apiruntime.RawExtension{Raw: benchStatus(i)},
		})
		in.Clusters[name] = failover.ClusterFacts{Presence: purge.Present, TaintsKnown: true}
	}
	return in
}

// settle makes the calls before the one that is measured: a host starts from what it
// stored.
func settle(tb testing.TB, in failover.PlanInput) failover.PlanInput {
	tb.Helper()
	for range 2 {
		out, err := failover.Plan(in)
		require.NoError(tb, err)
		stored, err := json.Marshal(out.Record)
		require.NoError(tb, err)
		in.Record = failover.Record{}
		require.NoError(tb, json.Unmarshal(stored, &in.Record))
		in.Targets, in.Tasks, in.Now = out.Targets, out.Tasks, in.Now.Add(time.Minute)
	}
	return in
}

// BenchmarkPlan is one application: healthy and as it was, by its number of targets, or
// due to fail over.
func BenchmarkPlan(b *testing.B) {
	for _, targets := range []int{1, 2, 3, 4, 5} {
		b.Run(fmt.Sprintf("healthy/targets=%d", targets), func(b *testing.B) {
			in := settle(b, benchApplication(targets-1))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = failover.Plan(in)
			}
		})
	}
	b.Run("failing/targets=1", func(b *testing.B) {
		in := failing(b, 0)
		b.ReportAllocs()
		for b.Loop() {
			_, _ = failover.Plan(in)
		}
	})
}

// failing is an application whose first target fails, and is due.
func failing(tb testing.TB, i int) failover.PlanInput {
	tb.Helper()
	in := settle(tb, benchApplication(i))
	in.Items[0].Health = eviction.Unhealthy
	in = settle(tb, in)
	in.Now = in.Now.Add(time.Hour)
	return in
}

// BenchmarkPlanScale plans many applications one after the other, of which one in ten
// fails over. Time, bytes and allocations are those of one: they must not grow with
// the number. With -short it stops at ten thousand; to prepare a million takes minutes.
func BenchmarkPlanScale(b *testing.B) {
	for _, count := range []int{1_000, 10_000, 100_000, 1_000_000} {
		if testing.Short() && count > 10_000 {
			break
		}
		b.Run(fmt.Sprintf("applications=%d", count), func(b *testing.B) {
			inputs := make([]failover.PlanInput, count)
			for i := range inputs {
				if inputs[i] = settle(b, benchApplication(i)); i%10 == 0 {
					inputs[i] = failing(b, i)
				}
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			planned := 0
			for b.Loop() {
				for i := range inputs {
					_, _ = failover.Plan(inputs[i])
				}
				planned += count
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(planned), "ns/application")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(planned), "B/application")
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(planned), "allocs/application")
		})
	}
}

// BenchmarkPlanParallel plans on all cores: nothing is shared, so nothing waits.
func BenchmarkPlanParallel(b *testing.B) {
	in := settle(b, benchApplication(2))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, _ = failover.Plan(in)
		}
	})
}
