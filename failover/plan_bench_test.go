package failover_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// BenchmarkPlan is one application of many, in the pass of a host that looks at all of
// them: healthy and unchanged, and with one that fails.
func BenchmarkPlan(b *testing.B) {
	for _, targets := range []int{1, 3} {
		in := failover.PlanInput{Policy: stateful(purge.Directly, 300), Producer: "bench", Scheduled: true, Now: at(0)}
		for i := range targets {
			name := fmt.Sprintf("member-%d", i)
			in.Targets = append(in.Targets, eviction.TargetCluster{Name: name})
			in.Items = append(in.Items, eviction.AggregatedStatusItem{
				ClusterName: name, Health: eviction.Healthy, Applied: true, Status: &runtime.RawExtension{Raw: []byte(`{"job":"a"}`)},
			})
		}
		first, err := failover.Plan(in)
		if err != nil {
			b.Fatal(err)
		}
		in.Record, in.Now = first.Record, at(60)
		b.Run(fmt.Sprintf("healthy/%d", targets), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := failover.Plan(in); err != nil {
					b.Fatal(err)
				}
			}
		})
		failing := in
		failing.Policy = stateful(purge.Directly, 0)
		failing.Items = append([]eviction.AggregatedStatusItem(nil), in.Items...)
		failing.Items[0].Health = eviction.Unhealthy
		b.Run(fmt.Sprintf("failing/%d", targets), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := failover.Plan(failing); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
