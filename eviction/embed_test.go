package eviction_test

import (
	"testing"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/internal/wiretest"
)

func TestEmbedsInResources(t *testing.T) {
	t.Parallel()
	wiretest.Check[eviction.Task](t)
	wiretest.Check[eviction.TargetCluster](t)
	wiretest.Check[eviction.Component](t)
	wiretest.Check[eviction.AggregatedStatusItem](t)
}
