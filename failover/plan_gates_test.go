package failover_test

import (
	"testing"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// TestPlanGates is I1 and P5 where one fact decides.
func TestPlanGates(t *testing.T) {
	t.Parallel()
	leaves := func(t *testing.T, b failover.Behavior) *session {
		t.Helper()
		return newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
	}
	tests := map[string]episode{
		"a mode that is none": {
			reason: "P3: the task of somebody else holds new copies",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "west")
				s.in.Tasks = []eviction.Task{leaving("directly", "east", 0, "east", "")}
				s.gone("east").run(10).places("west", failover.Hold, failover.GateReason(purge.InvalidMode), "")
			},
		},
		"a person's hold": {
			reason: "P7: suppressed under Directly holds new copies, though the old one is gone",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "west")
				task := left("east", 0, "east", "")
				task.SuppressDeletion = ptr(true)
				s.in.Tasks = []eviction.Task{task}
				s.gone("east").run(10).places("west", failover.Hold, failover.GateReason(purge.Suppressed), "")
			},
		},
		"target and under eviction": {
			reason: "E13: Never keeps and holds",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Never, 0), "east")
				s.in.Tasks = []eviction.Task{leaving(purge.Never, "east", 0, "east", "")}
				s.run(10).places("east", failover.Hold, failover.GateReason(eviction.ReasonTargetUnderEviction), "")
			},
		},
		"released for ever": {
			reason: "P5: a copy that was fenced once holds no later copy",
			play: func(t *testing.T) {
				t.Helper()
				s := leaves(t, stateful(purge.Directly, 0)).know("east", failover.ClusterFacts{Fenced: true}).lose("east").choose("west")
				s.run(10).places("west", failover.Apply, failover.Injected, "A")
				s.know("east", failover.ClusterFacts{}).see("west", eviction.Unhealthy, "B").run(20).decides("west", failover.Evict, failover.ApplicationFailure)
				s.gone("west").lose("west").choose("north").run(30).places("north", failover.Apply, failover.Injected, "A")
			},
		},
		"a fence is about the copy that left last": {
			reason: "P5: that an older copy was fenced says nothing about this one",
			play: func(t *testing.T) {
				t.Helper()
				s := leaves(t, stateful(purge.Directly, 0)).choose("west")
				s.run(10).places("west", failover.Hold, failover.OldCopyNotGone, "")
				s.know("west", failover.ClusterFacts{Fenced: true}).run(20).places("west", failover.Hold, failover.OldCopyNotGone, "")
			},
		},
		"required by others": {
			reason: "P5: not waited for, and the state stays with that copy",
			play: func(t *testing.T) {
				t.Helper()
				s := leaves(t, stateful(purge.Directly, 0)).know("east", failover.ClusterFacts{Presence: purge.Present, RequiredByOthers: true})
				s.choose("west").run(10).places("west", failover.Apply, failover.OldCopyNotGone, "")
			},
		},
		"a target that others require": {
			reason: "I1: it has a copy whatever moves",
			play: func(t *testing.T) {
				t.Helper()
				s := leaves(t, stateful(purge.Directly, 0)).gone("east").know("west", failover.ClusterFacts{RequiredByOthers: true})
				s.choose("west").run(10).places("west", failover.Apply, failover.AlreadyRunning, "")
			},
		},
		"the receiver leaves gracefully": {
			reason: "I1: its old copy runs on with the state, so that no other receives it",
			play: func(t *testing.T) {
				t.Helper()
				s := leaves(t, stateful(purge.Directly, 0)).gone("east").lose("east").choose("west")
				s.run(10).places("west", failover.Apply, failover.Injected, "A")
				s.in.Policy = stateful(purge.Gracefully, 0)
				s.see("west", eviction.Unhealthy, "B").run(20).decides("west", failover.Evict, failover.ApplicationFailure)
				s.choose("north").run(30).places("north", failover.Apply, failover.ModeNotDirectly, "")
			},
		},
		"optional values": {
			reason: "S10: they hold nobody",
			play: func(t *testing.T) {
				t.Helper()
				b := stateful(purge.Directly, 0)
				b.Application.StatePreservation.Rules[0].Policy = preservation.Optional
				b.Cluster.StatePreservation.Rules[0].Policy = preservation.Optional
				s := leaves(t, b).gone("east").choose("north", "west").run(10)
				s.places("north", failover.Apply, failover.SeveralTargets, "").places("west", failover.Apply, failover.SeveralTargets, "")
				s.warns("north", failover.StartedWithoutState, false)
			},
		},
		"required by the other block": {
			reason: "I1: what either block requires is required",
			play: func(t *testing.T) {
				t.Helper()
				b := stateful(purge.Directly, 0)
				b.Application.StatePreservation.Rules[0].Policy = preservation.Optional
				s := leaves(t, b).gone("east").choose("north", "west").run(10)
				s.places("north", failover.Hold, failover.SeveralTargets, "")
			},
		},
		"nothing to report": {
			reason: "F9: one state with one way to go, or one that arrived, is no partial move",
			play: func(t *testing.T) {
				t.Helper()
				s := leaves(t, stateful(purge.Directly, 0)).gone("east").lose("east").choose("west").run(10)
				s.warns("east", failover.PartialMove, false).warns("east", failover.SeveralOrigins, false)
				s.choose("north").run(20).warns("east", failover.PartialMove, false)
			},
		},
		"gracefully is no partial move": {
			reason: "F9: what is never injected waits for nobody",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Gracefully, 0), "east", "west").see("east", eviction.Unhealthy, "A").see("west", eviction.Healthy, "W")
				s.run(0).warns("east", failover.PartialMove, false)
			},
		},
		"two origins with one state": {
			reason: "F9: equal states do not differ",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east", "west").see("east", eviction.Unhealthy, "A").see("west", eviction.Unhealthy, "A").run(0)
				s.gone("east").gone("west").choose("north").run(10).warns("east", failover.SeveralOrigins, false).places("north", failover.Apply, failover.Injected, "A")
			},
		},
	}
	play(t, tests)
}
