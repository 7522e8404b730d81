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
	directly, gracefully, never := short(purge.Directly), short(purge.Gracefully), short(purge.Never)
	injecting := short(purge.Gracefully)
	injecting.Policy.Application.StatePreservation.InjectWhenNotDirectly = true
	injecting.Policy.Cluster.StatePreservation.InjectWhenNotDirectly = true
	two := short(purge.Directly)
	two.Clusters, two.Copies = []string{"east", "west", "north"}, 2
	tests := map[string]struct {
		world  failovertest.World
		after  string // a healthy application on east
		reason string
	}{
		"a pending eviction is emitted again": {
			directly, "taint east !2, later",
			"its task counts as seen in a later call than the one that emits it (F13)",
		},
		"chosen while it is evicted, and left alone again": {
			directly, "taint east, schedule east, unschedule east, deleted east",
			"the record does not take it for a target once its task has ended (F13)",
		},
		"evicted again before the withdrawal is written": {
			gracefully, "taint east, tick, schedule east !2, unhealthy east",
			"the new task takes the place of the old one, whose move has ended (F14)",
		},
		"off the targets and on again with its copy": {
			directly, "unschedule east !2, schedule east",
			"the copy that the host sees is the one that the status is about (E8, F13)",
		},
		"an acknowledgement beside an eviction": {
			directly, "taint east !1, acknowledge east",
			"the state that leaves in the same second is not the one that is acknowledged (F7)",
		},
		"a withdrawal from a tainted cluster": {
			gracefully, "taint east, withdraw east",
			"it would be evicted again in the same call, so the withdrawal is refused (E11)",
		},
		"a target again that is still tainted": {
			gracefully, "taint east, schedule east",
			"the move of the new task is the one that is assessed, not that of the ended one (F13)",
		},
		"healthy in the second of the delivery": {
			directly, "fence east, taint east, schedule west, healthy west",
			"the next second proves the state, so there is a next check (L5)",
		},
		"healthy in the second of the delivery, and left in it": {
			directly, "taint east, deleted east, schedule west, healthy west, taint west",
			"no copy is left whose health the next second could tell (L5, F13)",
		},
		"a target removed before its eviction is written": {
			gracefully, "taint east !2, unschedule east, schedule west",
			"the next second concludes it, so there is a next check (L5)",
		},
		"a withdrawal that is not written, then unhealthy": {
			never, "evict east, withdraw east !2, unhealthy east",
			"the timer begins, and nothing panics (L4)",
		},
		"a withdrawal that is not written, then gone": {
			gracefully, "taint east, untaint east !2, vanish east",
			"whether it is withdrawn is asked anew (F14)",
		},
		"an end that is not written": {
			gracefully, "taint east, vanish east !2, wait",
			"the task ends again, in this second (F13)",
		},
		"a withdrawn cluster is left again": {
			never, "evict east, schedule west, withdraw east, unschedule east",
			"a second later the state is not taken for one that waits (L5)",
		},
		"a withdrawal to a cluster without a copy": {
			injecting, "evict east, vanish east !1, withdraw east",
			"the new copy on it receives the state (L6)",
		},
		"a withdrawal after a delivery": {
			injecting, "evict east, schedule west, withdraw east",
			"the copy on west keeps what it received until it was healthy (F7)",
		},
		"a withdrawal before the delivered copy is created": {
			injecting, "evict east, schedule west !2, withdraw east",
			"the state stays with the copy on east (I1)",
		},
		"a copy that ends was taken for the new one": {
			directly, "unschedule east, schedule west, taint west, schedule east",
			"what is confirmed gone is not there, so the next copy receives the state (L6)",
		},
		"off the targets and on again": {
			directly, "fence east, taint east, schedule west, unschedule west !2",
			"the copy keeps what it received (F7)",
		},
		"the replacement leaves while the source recovered": {
			gracefully, "taint east, schedule west, untaint east, evict west",
			"the withdrawal waits for the next second (F13)",
		},
		"a target leaves that waits for its first copy": {
			directly, "fence east, taint east, schedule west !1, evict west",
			"no copy ran there, so no state is missing (F6)",
		},
		"a target that ran before without a copy": {
			two, "schedule west !1, taint east",
			"its first copy receives no state while the old one is there (L6)",
		},
		"a dropped eviction holds nothing": {
			two, "taint east !2, untaint east, schedule west",
			"the copy on east is no old one (P5)",
		},
		"a copy of an earlier stay that nobody can reach": {
			never, "lose east, unschedule east, schedule east !1, taint east",
			"it may be there, although nothing was let start since (P4)",
		},
		"the same under Directly": {
			directly, "lose east, unschedule east, schedule east !1, taint east, schedule west",
			"it may be there, although nothing was let start since (P5)",
		},
		"a vanished task leaves nothing behind": {
			gracefully, "taint east !2, unschedule east, tick",
			"what the mode never gives to a copy waits for none (L4)",
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
			tc.world.TaintsKnown = true
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
