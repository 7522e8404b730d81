package failover_test

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/failover"
)

// A cluster is unreachable, which is tolerated for five minutes. Nobody noted
// since when, so the time runs from the first call.
func ExampleTolerate() {
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	minutes := int64(300)
	in := failover.TaintInput{
		Taints: []failover.Taint{
			{Key: "example.com/unreachable", Effect: failover.NoExecute},
			{Key: "example.com/draining", Effect: failover.NoExecute, TimeAdded: &metav1.Time{Time: start.Add(-time.Hour)}},
		},
		Tolerations: []failover.Toleration{
			{Key: "example.com/unreachable", Operator: failover.Exists, TolerationSeconds: &minutes},
			{Key: "example.com/draining", Operator: failover.Exists},
		},
	}
	for _, wait := range []time.Duration{0, 299 * time.Second, 300 * time.Second} {
		in.Now = start.Add(wait)
		verdict := failover.Tolerate(in)
		fmt.Println(verdict.Outcome, verdict.Reason, verdict.NextCheck.After)
		fmt.Println(verdict.Message)
		in.FirstSeen = verdict.Seen // the caller stores it
	}
	// Output:
	// EvictAfter TaintToleratedUntil 5m0s
	// taints that are tolerated until 2026-01-01T00:05:00Z: "example.com/unreachable"
	// EvictAfter TaintToleratedUntil 1s
	// taints that are tolerated until 2026-01-01T00:05:00Z: "example.com/unreachable"
	// EvictNow TaintUntolerated 0s
	// taints that were tolerated until 2026-01-01T00:05:00Z: "example.com/unreachable"
}

func ExampleValidateTolerations() {
	for _, err := range failover.ValidateTolerations([]failover.Toleration{
		{Key: "example.com/unreachable", Operator: failover.Exists},
		{Key: "example.com/load", Operator: "Gt", Value: "80"},
		{Operator: failover.Exists, Value: "true"},
	}, field.NewPath("spec", "placement", "clusterTolerations")) {
		fmt.Println(err.Type, err.Field)
	}
	// Output:
	// Unsupported value spec.placement.clusterTolerations[1].operator
	// Invalid value spec.placement.clusterTolerations[2].value
}
