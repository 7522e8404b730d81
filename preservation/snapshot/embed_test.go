package snapshot_test

import (
	"testing"

	"github.com/carryover-io/carryover/internal/wiretest"
	"github.com/carryover-io/carryover/preservation/snapshot"
)

func TestEmbedsInResources(t *testing.T) {
	t.Parallel()
	wiretest.Check[snapshot.Snapshot](t)
	wiretest.Check[snapshot.Attempt](t)
	wiretest.Check[snapshot.Schedule](t)
}
