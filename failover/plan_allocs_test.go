package failover_test

import (
	"testing"

	"github.com/carryover-io/carryover/failover"
)

// A host plans every application in every resync, and most are healthy and as they were: that
// costs few allocations, whatever the mode and the number of targets.
func TestPlanAllocations(t *testing.T) { //nolint:paralleltest // others would be counted, too
	const most = 30
	for i := range 15 { // every mode with every number of targets
		in := settle(t, benchApplication(i))
		got := testing.AllocsPerRun(20, func() { _, _ = failover.Plan(in) })
		if got > most {
			t.Errorf("application %d with %d targets: %.0f allocations, want at most %d", i, len(in.Targets), got, most)
		}
	}
}
