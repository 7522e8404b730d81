package failover_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/metrics"
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
// fails over. Time, bytes and allocations are those of one: they must not grow with the
// number.
//
//   - streamed: a thousand inputs are made, planned and dropped at a time, as a host makes
//     each when its application is reconciled. That is the time of Plan.
//   - held: all inputs are made first and stay in memory, so that reading them costs more, and
//     so does the garbage collector, which walks all of them: gc-ns is its share.
//
// With -short it stops at ten thousand; to prepare a million takes minutes.
func BenchmarkPlanScale(b *testing.B) {
	for _, count := range []int{1_000, 10_000, 100_000, 1_000_000} {
		if testing.Short() && count > 10_000 {
			break
		}
		b.Run(fmt.Sprintf("streamed/applications=%d", count), func(b *testing.B) { benchScale(b, count, 1_000) })
		b.Run(fmt.Sprintf("held/applications=%d", count), func(b *testing.B) { benchScale(b, count, count) })
	}
}

func benchScale(b *testing.B, count, atOnce int) {
	b.Helper()
	inputs := make([]failover.PlanInput, atOnce)
	var spent spending
	for b.Loop() {
		for first := 0; first < count; first += atOnce {
			b.StopTimer()
			for i := range inputs {
				if spent.planned == 0 || atOnce < count {
					inputs[i] = benchOne(b, first+i)
				}
			}
			before := counters()
			b.StartTimer()
			for i := range inputs {
				_, _ = failover.Plan(inputs[i])
			}
			spent.add(before, atOnce)
		}
	}
	spent.report(b)
}

// benchOne is the input of one of many, of which every tenth fails.
func benchOne(tb testing.TB, i int) failover.PlanInput {
	tb.Helper()
	if i%10 == 0 {
		return failing(tb, i)
	}
	return settle(tb, benchApplication(i))
}

// spending is what planning took beside time.
type spending struct {
	planned            int
	bytes, mallocs, gc float64 // gc in seconds of all cores
}

// counters are the totals of the process.
func counters() spending {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	gc := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(gc)
	return spending{bytes: float64(m.TotalAlloc), mallocs: float64(m.Mallocs), gc: gc[0].Value.Float64()}
}

func (s *spending) add(before spending, planned int) {
	now := counters()
	s.planned += planned
	s.bytes += now.bytes - before.bytes
	s.mallocs += now.mallocs - before.mallocs
	s.gc += now.gc - before.gc
}

func (s *spending) report(b *testing.B) {
	b.Helper()
	each := func(total float64, unit string) { b.ReportMetric(total/float64(s.planned), unit+"/application") }
	each(float64(b.Elapsed().Nanoseconds()), "ns")
	each(s.gc*1e9, "gc-ns")
	each(s.bytes, "B")
	each(s.mallocs, "allocs")
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
