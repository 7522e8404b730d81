package preservation_test

import (
	"testing"

	"github.com/carryover-io/carryover/internal/wiretest"
	"github.com/carryover-io/carryover/preservation"
)

func TestEmbedsInResources(t *testing.T) {
	t.Parallel()
	wiretest.Check[preservation.StatePreservation](t)
	wiretest.Check[preservation.Rule](t)
	wiretest.Check[preservation.State](t)
	wiretest.Check[preservation.Ref](t)
	wiretest.Check[preservation.RefConflict](t)
	wiretest.Check[preservation.Failover](t)
	wiretest.Check[preservation.Change](t)
	wiretest.Check[preservation.Report](t)
}
