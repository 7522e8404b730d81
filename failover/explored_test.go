package failover_test

import (
	"strings"
	"testing"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// TestExplored replays what the explorer once found. After every step each promise of
// failovertest is checked, and that the application recovers once all is well.
func TestExplored(t *testing.T) {
	t.Parallel()

	two := short(purge.Directly)
	two.Clusters, two.Copies = []string{"east", "west", "north"}, 2
	tests := map[string]struct {
		world  failovertest.World
		after  string // a healthy application on east
		reason string
	}{
		"a dropped eviction holds nothing": {
			two, "taint east !2, untaint east, schedule west",
			"the copy on east is no old one (P5)",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var timeline []failovertest.Step
			for text := range strings.SplitSeq("schedule east, healthy east, tick, "+tc.after, ", ") {
				step, err := failovertest.ParseStep(text)
				if err != nil {
					t.Fatal(err)
				}
				timeline = append(timeline, step)
			}
			if n, err := failovertest.Replay(tc.world, timeline, true); err != nil {
				t.Errorf("%s\nstep %d, %q: %v", tc.reason, n, timeline[n-1], err)
			}
		})
	}
}

// short is a world with short times and one mode for both causes.
func short(mode purge.Mode) failovertest.World {
	block := func() *preservation.StatePreservation { return preserving(rule(failovertest.Label, "{.job}")) }
	waits := failover.Waits{BlockPredecessorSeconds: ptr[int32](3)}
	b := failover.Behavior{
		Application: &failover.ApplicationBehavior{
			PurgeMode: mode, StatePreservation: block(), Waits: waits,
			DecisionConditions: failover.DecisionConditions{TolerationSeconds: ptr[int32](2)},
		},
		Cluster: &failover.ClusterBehavior{PurgeMode: mode, StatePreservation: block(), Waits: waits},
	}
	if mode == purge.Gracefully {
		b.Application.GracePeriodSeconds, b.Cluster.GracePeriodSeconds = ptr[int32](4), ptr[int32](4)
	}
	return failovertest.World{Clusters: []string{"east", "west"}, Policy: b}
}
