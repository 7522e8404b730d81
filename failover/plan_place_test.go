package failover_test

import (
	"testing"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// TestPlanPlacesBesideOldCopies is about old copies that stand, stay or are under eviction in
// place, and what that means for the next one (I1, P5, E13).
func TestPlanPlacesBesideOldCopies(t *testing.T) {
	t.Parallel()
	// takenBack has an eviction of east that somebody took away, with the cluster put back.
	takenBack := func(t *testing.T, b failover.Behavior, also ...string) *session {
		t.Helper()
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0).run(5)
		s.in.Tasks = nil
		return s.see("east", eviction.HealthUnknown, "A").choose("east").choose(also...).run(10).ended(failover.OutcomeVanished)
	}
	tests := map[string]episode{
		"an eviction that somebody took away": {
			reason: "I1: the application stays there, so that no other copy waits for its end",
			play: func(t *testing.T) {
				t.Helper()
				takenBack(t, plain(purge.Directly, 0), "west").places("west", failover.Apply, failover.NoState, "")
			},
		},
		"an eviction that is missing in the second in which it was seen": {
			reason: "F13: nothing is concluded from that yet, and the new copy waits",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0).run(5)
				s.in.Tasks = nil
				s.see("east", eviction.HealthUnknown, "A").choose("east", "west").run(5).places("west", failover.Hold, failover.OldCopyNotGone, "")
			},
		},
		"an eviction that somebody took away, and another one": {
			reason: "L6: that copy is an old one again, and the state that left with it goes nowhere before",
			play: func(t *testing.T) {
				t.Helper()
				s := takenBack(t, stateful(purge.Directly, 0)).choose("west")
				s.in.Tasks = []eviction.Task{leaving(purge.Never, "east", 15, "east west", "")}
				s.run(20).places("west", failover.Hold, failover.OldCopyNotGone, "")
			},
		},
		"an eviction that somebody took away, and a fence": {
			reason: "P5: nothing on east can act, whichever eviction is about it",
			play: func(t *testing.T) {
				t.Helper()
				s := takenBack(t, stateful(purge.Directly, 0)).see("east", eviction.Unhealthy, "A").run(20).decides("east", failover.Evict, failover.ApplicationFailure)
				s.lose("east").choose("west").run(30).places("west", failover.Hold, failover.OldCopyNotGone, "")
				s.know("east", failover.ClusterFacts{Fenced: true}).run(40).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"withdrawn in a call without a record": {
			reason: "E11: the copy that comes back runs, and receives nothing of another cluster",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Gracefully, 0)).gone("south").ask(asked("east", failover.RequestWithdraw, -1))
				s.in.Tasks = []eviction.Task{leaving(purge.Gracefully, "east", 0, "east south", ""), left("south", 5, "south", "S")}
				s.run(10).places("east", failover.Apply, failover.AlreadyRunning, "")
			},
		},
		"chosen again while nobody may delete": {
			reason: "E13: what the host sees there is the old copy: the new one is held",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Never, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.know("east", failover.ClusterFacts{Presence: purge.Present}).choose("east").run(10).places("east", failover.Hold, "TargetUnderEviction", "")
			},
		},
		"chosen again, and a withdrawal that is not written": {
			reason: "E13, F14: the eviction goes on, and so does the wait",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Never, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.choose("east").run(10).ask(asked("east", failover.RequestWithdraw, -1)).crash(20).places("east", failover.Apply, failover.NoState, "")
				s.ask().run(30).places("east", failover.Hold, "TargetUnderEviction", "")
			},
		},
		"asked back after another copy received its state": {
			reason: "F7: two copies hold the same state only where the policy says so",
			play: func(t *testing.T) {
				t.Helper()
				b := stateful(purge.Directly, 0)
				b.Cluster.PurgeMode = purge.Gracefully
				s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
				s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
				s.know("west", failover.ClusterFacts{Taints: lostCluster()}).run(20).decides("west", failover.Evict, failover.TaintUntolerated)
				s.know("west", failover.ClusterFacts{Fenced: true}).choose("north").run(30).places("north", failover.Apply, failover.Injected, "A")
				s.know("west", failover.ClusterFacts{}).ask(asked("west", failover.RequestWithdraw, -1)).run(40)
				s.places("west", failover.Apply, failover.DeliveredElsewhere, "").places("north", failover.Apply, failover.Injected, "A")
			},
		},
		"gone in place while nobody may delete": {
			reason: "E13: the copy that was allowed is gone, and the next one is held",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Never, 0), "north").run(0).places("north", failover.Apply, failover.NoState, "")
				s.in.Tasks = []eviction.Task{leaving(purge.Never, "north", 5, "north", "")}
				s.run(10).places("north", failover.Apply, failover.NoState, "")
				s.gone("north").run(20).places("north", failover.Hold, "TargetUnderEviction", "")
			},
		},
		"a receiver beside the task of another cluster": {
			reason: "P5: a copy that received state runs, and is not held",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
				s.in.Tasks = append(s.in.Tasks, left("south", 15, "south", ""))
				s.run(20).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"withdrawn after another one left": {
			reason: "I1: west was left, and not gone: it ran before east was evicted, and does so still",
			play: func(t *testing.T) {
				t.Helper()
				b := stateful(purge.Directly, 60)
				b.Application.PurgeMode = purge.Gracefully
				s := newSession(t, b, "east", "west").see("east", eviction.Healthy, "A").see("west", eviction.Healthy, "W").run(0)
				s.know("east", failover.ClusterFacts{Taints: lostCluster()}).run(10).decides("east", failover.Evict, failover.TaintUntolerated)
				s.ask(asked("west", failover.RequestEvict, -1)).run(20).decides("west", failover.Evict, failover.PlannedMove)
				s.ask(asked("west", failover.RequestWithdraw, -1)).run(30).places("west", failover.Apply, failover.AlreadyRunning, "").warns("west", failover.WithdrawRefused, false)
			},
		},
		"a copy that runs beside a state of unknown origin": {
			reason: "I1: it started with what there was, and goes without nothing",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").run(0).places("west", failover.Apply, failover.NoState, "")
				s.in.Tasks = []eviction.Task{left("east", 5, "", "A")}
				s.run(10).places("west", failover.Apply, failover.UnknownOrigin, "").warns("west", failover.StartedWithoutState, false)
			},
		},
		"seen in a call without a record": {
			reason: "F14: whoever lost the record let that copy start, with the state of the task",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").gone("east").know("west", failover.ClusterFacts{Presence: purge.Present})
				s.in.Tasks = []eviction.Task{left("east", 0, "east", "A")}
				s.run(10).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"under eviction in a call without a record": {
			reason: "E13: what runs on west is the old copy, whose health proves no state: that one waits for the next copy",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").gone("east").see("west", eviction.Healthy, "W")
				s.in.Tasks = []eviction.Task{leaving(purge.Never, "west", 0, "west", ""), left("east", 5, "east", "A")}
				s.run(10).places("west", failover.Hold, "TargetUnderEviction", "")
				s.unchoose("west").choose("north").run(20).places("north", failover.Apply, failover.Injected, "A")
			},
		},
		"a receiver that is healthy and not applied": {
			reason: "E8: it proves nothing, now or in the next second",
			play: func(t *testing.T) {
				t.Helper()
				b := stateful(purge.Directly, 0)
				b.Application.BlockPredecessorSeconds = ptr(int32(0))
				s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
				s.gone("east").lose("east").choose("west").run(10).see("west", eviction.Healthy, "W")
				s.in.Items[0].Applied = false
				s.run(10).looksAgain(0).run(20).tells().places("west", failover.Apply, failover.Injected, "A")
			},
		},
	}
	play(t, tests)
}

// TestPlanRulesOfBothBlocks is L6: what either block requires is required, and what neither
// does is not.
func TestPlanRulesOfBothBlocks(t *testing.T) {
	t.Parallel()
	required, some := preserving(rule(job, "{.job}")), preserving(optional(job, "{.job}"))
	tests := map[string]struct {
		application, cluster *preservation.StatePreservation
		want                 failover.Action
	}{
		"optional, for the application only":        {application: some, want: failover.Apply},
		"optional, for the cluster only":            {cluster: some, want: failover.Apply},
		"optional in both":                          {application: some, cluster: some, want: failover.Apply},
		"required by the application":               {application: required, cluster: some, want: failover.Hold},
		"required when the cluster fails":           {application: some, cluster: required, want: failover.Hold},
		"required for the application, and no more": {application: required, want: failover.Hold},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := stateful(purge.Directly, 0)
			b.Application.StatePreservation, b.Cluster.StatePreservation = test.application, test.cluster
			s := newSession(t, b, "north")
			s.in.Tasks = []eviction.Task{left("east", 0, "east west", "A"), left("west", 0, "east west", "W")}
			s.gone("east").gone("west").run(10).places("north", test.want, failover.AmbiguousOrigin, "")
		})
	}
}
