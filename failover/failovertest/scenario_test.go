package failovertest_test

import (
	"testing"

	"github.com/carryover-io/carryover/failover/failovertest"
)

// TestScenarios are what other failover controllers get wrong, each with the right end.
func TestScenarios(t *testing.T) {
	t.Parallel()
	failovertest.RunFiles(t, "testdata/scenarios/*.yaml")
}
