package failover_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

func TestPlanTimers(t *testing.T) {
	t.Parallel()
	tests := map[string]episode{
		"unknown in between": {
			reason: "F2: Unknown neither clears nor evicts; the toleration ends at its very second",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 60), "east").see("east", eviction.Unhealthy, "A")
				s.run(0).decides("east", failover.Wait, failover.BelowToleration).looksAgain(60)
				s.see("east", eviction.HealthUnknown, "A").run(30).decides("east", failover.Wait, failover.HealthUnknown).looksAgain(0)
				s.see("east", eviction.Unhealthy, "A").run(59).decides("east", failover.Wait, failover.BelowToleration).looksAgain(1)
				s.run(60).decides("east", failover.Evict, failover.ApplicationFailure)
			},
		},
		"unknown at the end": {
			reason: "F2: only an item that is Unhealthy now evicts",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 60), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.lose("east").run(3600).decides("east", failover.Wait, failover.HealthUnknown).looksAgain(0)
				s.see("east", eviction.Unhealthy, "A").run(3601).decides("east", failover.Evict, failover.ApplicationFailure)
			},
		},
		"unknown does not start": {
			reason: "F2: the toleration begins with Unhealthy",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 60), "east").see("east", eviction.HealthUnknown, "A")
				s.run(0).decides("east", failover.None, failover.HealthUnknown)
				s.see("east", eviction.Unhealthy, "A").run(600).decides("east", failover.Wait, failover.BelowToleration).looksAgain(60)
			},
		},
		"healthy clears": {
			reason: "F2: only Healthy ends the toleration",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 60), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.see("east", eviction.Healthy, "A").run(30).decides("east", failover.None, failover.ApplicationHealthy).looksAgain(0)
				s.see("east", eviction.Unhealthy, "A").run(60).decides("east", failover.Wait, failover.BelowToleration).looksAgain(60)
			},
		},
		"at once": {
			reason: "F2: toleration 0 evicts in the first call",
			play: func(t *testing.T) {
				t.Helper()
				newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").
					run(0).decides("east", failover.Evict, failover.ApplicationFailure)
			},
		},
		"lost record": {
			reason: "a lost record starts the toleration once, not at every call",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 60), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.in.Record = failover.Record{}
				s.run(30).looksAgain(60)
				s.run(89).looksAgain(1)
				s.run(90).decides("east", failover.Evict, failover.ApplicationFailure)
			},
		},
		"another target": {
			reason: "F2: a timer ends when the cluster stops being a target",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 60), "east", "west").see("east", eviction.Unhealthy, "A").run(0)
				s.unchoose("east").run(10)
				s.choose("east").run(15).decides("east", failover.None, failover.HealthUnknown)
				s.see("east", eviction.Unhealthy, "another").run(20)
				s.run(60).decides("east", failover.Wait, failover.BelowToleration).looksAgain(20)
			},
		},
		"longer toleration": {
			reason: "F11: a policy edit changes tolerations, from the same start",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 60), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.in.Policy = stateful(purge.Directly, 600)
				s.run(60).decides("east", failover.Wait, failover.BelowToleration).looksAgain(540)
			},
		},
	}
	play(t, tests)
}

func TestPlanState(t *testing.T) {
	t.Parallel()
	// moved is an application that failed on east with job A, whose copy is gone, and
	// that west received at 10.
	moved := func(t *testing.T, mode purge.Mode) *session {
		t.Helper()
		s := newSession(t, stateful(mode, 0), "east").see("east", eviction.Healthy, "A").run(0)
		s.see("east", eviction.Unhealthy, "A").run(1).decides("east", failover.Evict, failover.ApplicationFailure)
		return s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
	}
	tests := map[string]episode{
		"second failover": {
			reason: "F6: a copy that was never healthy is not asked, whatever it reports",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t, purge.Directly).see("west", eviction.Unhealthy, "B").run(20).decides("west", failover.Evict, failover.ApplicationFailure)
				s.gone("west").lose("west").choose("north").run(30).places("north", failover.Apply, failover.Injected, "A")
			},
		},
		"second failover without a status": {
			reason: "F6: its errors do not block",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t, purge.Directly).see("west", eviction.Unhealthy, "").run(20).decides("west", failover.Evict, failover.ApplicationFailure)
				s.gone("west").lose("west").choose("north").run(30).places("north", failover.Apply, failover.Injected, "A")
			},
		},
		"healthy in between": {
			reason: "F7: a copy that was healthy has state of its own, and nothing of the older one stays",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t, purge.Directly).see("west", eviction.Healthy, "B").run(20).places("west", failover.Apply, failover.NoState, "")
				s.see("west", eviction.Unhealthy, "B").run(30).decides("west", failover.Evict, failover.ApplicationFailure)
				s.gone("west").lose("west").choose("north").run(40).places("north", failover.Apply, failover.Injected, "B")
			},
		},
		"healthy in the same call": {
			reason: "F7: health in the call of the delivery is that of an older copy",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(1)
				s.gone("east").choose("west").see("west", eviction.Healthy, "old").run(10).places("west", failover.Apply, failover.Injected, "A")
				s.lose("west").run(11).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"unreachable": {
			reason: "P5: no time makes Directly proceed, and the state stays",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.choose("west").run(3600).places("west", failover.Hold, failover.OldCopyNotGone, "").
					purges("east", eviction.Purge, purge.OldCopyUnreachable).looksAgain(0)
				s.know("east", failover.ClusterFacts{Fenced: true}).run(3700).places("west", failover.Apply, failover.Injected, "A").
					purges("east", eviction.Purge, purge.Fenced)
				s.know("east", failover.ClusterFacts{Presence: purge.Present}).run(3800).places("west", failover.Apply, failover.Injected, "A").
					purges("east", eviction.Purge, purge.FencedCopyReturned)
				s.gone("east").run(3900).purges("east", eviction.Finish, purge.OldCopyGone).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"unreachable, then gone": {
			reason: "P5: news that the copy is gone releases, too",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.choose("west").run(3600).places("west", failover.Hold, failover.OldCopyNotGone, "")
				s.gone("east").run(3700).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"fenced and there": {
			reason: "a copy that is fenced and never went away has not come back (F13)",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.know("east", failover.ClusterFacts{Presence: purge.Present, Fenced: true}).choose("west").
					run(10).purges("east", eviction.Purge, purge.Fenced).places("west", failover.Apply, failover.Injected, "A")
				s.run(20).purges("east", eviction.Purge, purge.Fenced)
				s.know("east", failover.ClusterFacts{Presence: purge.Present}).run(30).purges("east", eviction.Purge, purge.FencedCopyReturned)
			},
		},
		"back and forth": {
			reason: "two clusters only: east receives its own state again, once its copy is gone (I1)",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t, purge.Directly).see("west", eviction.Unhealthy, "B").run(20).decides("west", failover.Evict, failover.ApplicationFailure)
				s.gone("west").lose("west").choose("east").run(30).places("east", failover.Apply, failover.Injected, "A")
				s.know("east", failover.ClusterFacts{Presence: purge.Present}).run(40).places("east", failover.Apply, failover.Injected, "A")
				s.run(3600)
				if len(s.out.Excluded) > 0 {
					t.Errorf("excluded after the cool-down: %v", s.out.Excluded)
				}
			},
		},
		"scaling out": {
			reason: "I1: neither is the label removed from the first copy nor given to the second",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t, purge.Directly).choose("north").run(20)
				s.places("west", failover.Apply, failover.Injected, "A").places("north", failover.Apply, failover.DeliveredElsewhere, "")
			},
		},
		"never, fail-back": {
			reason: "a planned move back carries the state of the healthy copy",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t, purge.Directly).see("west", eviction.Healthy, "B").run(20)
				s.ask(failover.Request{Cluster: "west", Action: failover.RequestEvict}).run(30).decides("west", failover.Evict, failover.PlannedMove)
				s.ask().gone("west").lose("west").choose("east").run(40).places("east", failover.Apply, failover.Injected, "B")
			},
		},
		"the scheduler moves": {
			reason: "F9: what was delivered to a target that vanished goes to its successor, once that copy is gone",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t, purge.Directly).unchoose("west").choose("north").run(20).places("north", failover.Hold, failover.OldCopyNotGone, "")
				s.gone("west").run(30).places("north", failover.Apply, failover.Injected, "A")
			},
		},
		"a running copy": {
			reason: "nothing is handed to a copy that already runs",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east", "west").see("east", eviction.Healthy, "A").see("west", eviction.Healthy, "W").run(0)
				s.see("east", eviction.Unhealthy, "A").run(10).decides("east", failover.Evict, failover.ApplicationFailure)
				s.gone("east").lose("east").run(20).places("west", failover.Apply, failover.AlreadyRunning, "")
			},
		},
		"acknowledged": {
			reason: "F7: an acknowledgement ends the state at once",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t, purge.Directly).ask(failover.Request{Cluster: "west", Action: failover.RequestAcknowledge})
				s.run(11).places("west", failover.Apply, failover.NoState, "")
			},
		},
	}
	play(t, tests)
}

func TestPlanWithdrawal(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		mode   purge.Mode
		want   failover.Outcome
		why    failover.Reason
	}{
		"Gracefully": {reason: "E11: the only cluster recovers before there is a replacement", mode: purge.Gracefully, want: failover.None, why: failover.ApplicationHealthy},
		"Directly":   {reason: "E11: its copy is being deleted already", mode: purge.Directly, want: failover.AlreadyEvicting, why: failover.UnderEviction},
		"Never":      {reason: "E11: only a person withdraws it", mode: purge.Never, want: failover.AlreadyEvicting, why: failover.UnderEviction},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Log(test.reason)
			s := newSession(t, stateful(test.mode, 0), "east").see("east", eviction.Healthy, "A").run(0)
			s.see("east", eviction.Unhealthy, "A").run(10).decides("east", failover.Evict, failover.ApplicationFailure)
			s.see("east", eviction.Healthy, "A").run(20).decides("east", test.want, test.why)
		})
	}
}

func TestPlanLimits(t *testing.T) {
	t.Parallel()
	most := int32(2)
	policy := stateful(purge.Gracefully, 0)
	policy.Application.StatePreservation = nil
	policy.Application.DecisionConditions.MaxFailovers = &most
	s := newSession(t, policy, "east")
	s.in.Revision = "7"
	for i, name := range []string{"east", "west"} {
		s.run(10*i + 1)
		s.see(name, eviction.Unhealthy, "A").run(10*i+2).decides(name, failover.Evict, failover.ApplicationFailure)
		s.choose([]string{"west", "north"}[i]).run(10*i + 3)
	}
	s.see("north", eviction.Unhealthy, "A").run(100).decides("north", failover.None, failover.FailoverLimit).looksAgain(502)
	s.in.Revision = "8"
	s.run(110).decides("north", failover.Evict, failover.ApplicationFailure)
}

func TestPlanMissingState(t *testing.T) {
	t.Parallel()
	deadline := int32(120)
	with := func(on preservation.OnMissingState, seconds *int32) failover.Behavior {
		b := stateful(purge.Directly, 0)
		b.Application.StatePreservation.OnMissingState = on
		b.Application.StatePreservation.MissingStateDeadlineSeconds = seconds
		return b
	}
	t.Run("block", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, with("", nil), "east").see("east", eviction.Unhealthy, "").run(0)
		s.decides("east", failover.Blocked, failover.MissingState).looksAgain(0)
		if got := fails[*preservation.RuleError](s); got != nil && got.Class != preservation.StatusNotCollected {
			t.Errorf("class %s", got.Class)
		}
		s.see("east", eviction.Unhealthy, "A").run(3600).decides("east", failover.Evict, failover.ApplicationFailure)
	})
	t.Run("until the deadline", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, with(preservation.Block, &deadline), "east").see("east", eviction.Unhealthy, "").run(0).looksAgain(120)
		s.run(119).decides("east", failover.Blocked, failover.MissingState).looksAgain(1)
		s.run(120).decides("east", failover.Evict, failover.MissingStateDeadline)
		s.gone("east").choose("west").run(130).places("west", failover.Apply, failover.NoState, "")
	})
	t.Run("evict without", func(t *testing.T) {
		t.Parallel()
		newSession(t, with(preservation.EvictWithout, nil), "east").see("east", eviction.Unhealthy, "").run(0).
			decides("east", failover.Evict, failover.EvictedWithoutState)
	})
	t.Run("use previous", func(t *testing.T) {
		t.Parallel()
		b := with(preservation.UsePrevious, nil)
		b.Application.StatePreservation.Retention = preservation.UntilNextFailover
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
		s.gone("east").lose("east").choose("west").run(10)
		s.see("west", eviction.Healthy, "B").run(20).places("west", failover.Apply, failover.Injected, "A")
		s.see("west", eviction.Unhealthy, "").run(30).decides("west", failover.Evict, failover.PreviousStateUsed)
		s.gone("west").lose("west").choose("north").run(40).places("north", failover.Apply, failover.Injected, "A")
	})
	t.Run("no previous", func(t *testing.T) {
		t.Parallel()
		newSession(t, with(preservation.UsePrevious, nil), "east").see("east", eviction.Unhealthy, "").run(0).
			decides("east", failover.Blocked, failover.MissingState)
	})
}

func TestPlanTaints(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 300), "east").see("east", eviction.Healthy, "A").run(0)
	s.know("east", failover.ClusterFacts{Taints: lostCluster()}).run(10).decides("east", failover.Evict, failover.TaintUntolerated)
	s.choose("west").run(20).places("west", failover.Hold, failover.OldCopyNotGone, "")
	s.know("east", failover.ClusterFacts{Taints: lostCluster(), Fenced: true}).run(30).places("west", failover.Apply, failover.Injected, "A")
}

func TestPlanLeavesAnEmptyTarget(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
	s.choose("west").run(10).places("west", failover.Hold, failover.OldCopyNotGone, "")
	s.know("west", failover.ClusterFacts{Taints: lostCluster()}).run(20).decides("west", failover.Evict, failover.TaintUntolerated)
	s.gone("west").gone("east").choose("north").run(30).places("north", failover.Apply, failover.Injected, "A")
}

func TestCompareDecisions(t *testing.T) {
	t.Parallel()
	decisions := []failover.Decision{
		{Cluster: "a", Outcome: failover.Evict, Cause: preservation.Cluster, Since: stamp(5)},
		{Cluster: "b", Outcome: failover.Evict, Cause: preservation.Application, Since: stamp(1)},
		{Cluster: "c", Outcome: failover.Evict, Cause: preservation.Application, Since: stamp(2)},
		{Cluster: "a", Outcome: failover.Evict, Cause: preservation.Planned},
		{Cluster: "b", Outcome: failover.Evict, Cause: preservation.Planned, Since: stamp(9)},
		{Cluster: "e", Outcome: failover.Evict, Since: stamp(1)},
		{Cluster: "d", Outcome: failover.None},
		{Cluster: "c", Outcome: failover.Wait, Cause: preservation.Cluster, Since: stamp(1)},
	}
	want := slices.Clone(decisions)
	slices.Reverse(decisions)
	slices.SortFunc(decisions, failover.CompareDecisions)
	if diff := cmp.Diff(want, decisions); diff != "" {
		t.Errorf("order (-want +got)\n%s", diff)
	}
}

// TestPlanOlderLife is E8 and F7: what is left of an older copy on a cluster says
// nothing about the new one.
func TestPlanOlderLife(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, memory eviction.Health) *session {
		t.Helper()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").see("west", memory, "old").run(0)
		return s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
	}
	t.Run("healthy", func(t *testing.T) {
		t.Parallel()
		s := begin(t, eviction.Healthy).run(20).places("west", failover.Apply, failover.Injected, "A").decides("west", failover.None, failover.HealthUnknown)
		s.see("west", eviction.Healthy, "new").run(30).places("west", failover.Apply, failover.NoState, "").decides("west", failover.None, failover.ApplicationHealthy)
	})
	t.Run("unhealthy", func(t *testing.T) {
		t.Parallel()
		s := begin(t, eviction.Unhealthy).run(20).decides("west", failover.None, failover.HealthUnknown)
		s.lose("west").run(30).see("west", eviction.Unhealthy, "old").run(40).decides("west", failover.Evict, failover.ApplicationFailure)
	})
	t.Run("dated", func(t *testing.T) {
		t.Parallel()
		s := begin(t, eviction.Healthy)
		observed := func(second int) {
			s.see("west", eviction.Healthy, "new")
			s.in.Items[len(s.in.Items)-1].ObservedAt = stamp(second)
		}
		observed(9)
		s.run(20).places("west", failover.Apply, failover.Injected, "A")
		observed(11)
		s.run(30).places("west", failover.Apply, failover.NoState, "")
	})
	t.Run("dated, beside one that is not", func(t *testing.T) {
		t.Parallel()
		s := begin(t, eviction.Unhealthy)
		item := s.in.Items[0]
		item.Health, item.ObservedAt = eviction.Healthy, stamp(11)
		s.in.Items = append(s.in.Items, item)
		s.run(20).decides("west", failover.None, failover.ApplicationHealthy)
	})
	t.Run("in another order", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").see("west", eviction.Healthy, "old").run(0)
		s.gone("east").lose("east").choose("west")
		s.in.Items = append(s.in.Items, eviction.AggregatedStatusItem{ClusterName: "west", Health: eviction.Unhealthy})
		s.run(10)
		slices.Reverse(s.in.Items)
		s.run(20).decides("west", failover.None, failover.HealthUnknown)
	})
}
