package eviction_test

import (
	"fmt"
	"time"

	"github.com/carryover-io/carryover/eviction"
)

// Of two items for one cluster the worse counts, and no item is not healthy.
func ExampleObserve() {
	items := []eviction.AggregatedStatusItem{
		{ClusterName: "east", Applied: true, Health: eviction.Healthy},
		{ClusterName: "east", Applied: true, Health: eviction.Unhealthy},
		{ClusterName: "west", Applied: true, Health: eviction.NotApplicable},
	}
	for _, cluster := range []string{"east", "west", "north"} {
		seen := eviction.Observe(items, cluster, time.Time{})
		fmt.Println(cluster, seen.Health, seen.Applied)
	}
	// Output:
	// east Unhealthy true
	// west Healthy true
	// north Unknown false
}
