package failover_test

import (
	"runtime"
	"testing"

	"github.com/carryover-io/carryover/failover"
)

// A host plans every application in every resync, and most are healthy and as they were: that
// costs few allocations and little memory, whatever the mode and the number of targets.
func TestPlanAllocations(t *testing.T) { //nolint:paralleltest // others would be counted, too
	const most, mostBytes, runs = 30, 4096, 100
	for i := range 15 { // every mode with every number of targets
		in := settle(t, benchApplication(i))
		plan := func() { _, _ = failover.Plan(in) }
		if got := testing.AllocsPerRun(runs, plan); got > most {
			t.Errorf("application %d with %d targets: %.0f allocations, want at most %d", i, len(in.Targets), got, most)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			plan()
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) / runs; got > mostBytes {
			t.Errorf("application %d with %d targets: %d bytes, want at most %d", i, len(in.Targets), got, mostBytes)
		}
	}
}
