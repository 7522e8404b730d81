package failover_test

import (
	"testing"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/internal/wiretest"
)

func TestEmbedsInResources(t *testing.T) {
	t.Parallel()
	wiretest.Check[failover.Behavior](t)
	wiretest.Check[failover.ApplicationBehavior](t)
	wiretest.Check[failover.ClusterBehavior](t)
	wiretest.Check[failover.Waits](t)
	wiretest.Check[failover.DecisionConditions](t)
	wiretest.Check[failover.Taint](t)
	wiretest.Check[failover.Toleration](t)
	wiretest.Check[failover.TaintSeen](t)
	wiretest.Check[failover.Record](t)
	wiretest.Check[failover.ClusterRecord](t)
	wiretest.Check[failover.Move](t)
	wiretest.Check[failover.PendingEviction](t)
	wiretest.Check[failover.Delivery](t)
	wiretest.Check[failover.Failover](t)
	wiretest.Check[failover.HistoryItem](t)
	wiretest.Check[failover.Request](t)
	wiretest.Check[failover.Decision](t)
	wiretest.Check[failover.PurgeDecision](t)
	wiretest.Check[failover.Placement](t)
	wiretest.Check[failover.ExcludedCluster](t)
	wiretest.Check[failover.Warning](t)
}
