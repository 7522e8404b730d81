package failover_test

import (
	"errors"
	"testing"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// L5: what blocks one cause, and who asks to stay, does not hide that a taint is
// tolerated for a time only, since the cluster block has terms of its own.
func TestPlanLooksAgainForTheOtherCause(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, status string) *session {
		t.Helper()
		b := stateful(purge.Directly, 0)
		b.Cluster.StatePreservation = nil
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, status).know("east", failover.ClusterFacts{Taints: lostCluster()})
		s.in.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr(int64(120))}}
		return s
	}
	t.Run("blocked", func(t *testing.T) {
		t.Parallel()
		s := begin(t, "").run(0).decides("east", failover.Blocked, failover.MissingState).looksAgain(120)
		s.run(120).decides("east", failover.Evict, failover.TaintUntolerated)
	})
	t.Run("asked to stay", func(t *testing.T) {
		t.Parallel()
		s := begin(t, "A").ask(failover.Request{Cluster: "east", Action: failover.RequestWithdraw})
		s.run(0).decides("east", failover.None, failover.WithdrawRequested).looksAgain(120)
		s.run(120).decides("east", failover.Evict, failover.TaintUntolerated)
	})
}

// F6, F53: Unknown does not start the deadline for missing state anew.
func TestPlanStaysBlockedThroughUnknown(t *testing.T) {
	t.Parallel()
	b := stateful(purge.Directly, 0)
	b.Application.StatePreservation.MissingStateDeadlineSeconds = ptr(int32(120))
	s := newSession(t, b, "east").see("east", eviction.Unhealthy, "").run(0).looksAgain(120)
	s.see("east", eviction.HealthUnknown, "").run(60).decides("east", failover.Wait, failover.HealthUnknown)
	s.see("east", eviction.Unhealthy, "").run(61).decides("east", failover.Blocked, failover.MissingState).looksAgain(59)
	s.run(120).decides("east", failover.Evict, failover.MissingStateDeadline)
}

// A status item that is there twice says nothing new: it is as old as it was.
func TestPlanItemsThatAreRepeated(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").see("west", eviction.Healthy, "old").run(0)
	s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
	s.in.Items = append(s.in.Items, s.in.Items...)
	s.run(20).places("west", failover.Apply, failover.Injected, "A").decides("west", failover.None, failover.HealthUnknown)
}

// E8, L4: an item without a status is the memory of an older copy as well, until it changes.
func TestPlanItemsWithoutAStatus(t *testing.T) {
	t.Parallel()
	s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "").see("west", eviction.Unhealthy, "").run(0)
	s.gone("east").lose("east").choose("west").run(10).run(20).decides("west", failover.None, failover.HealthUnknown)
	s.see("west", eviction.Healthy, "").run(30).decides("west", failover.None, failover.ApplicationHealthy)
}

// E11, E13: a cluster that is chosen again before its copy went runs the same copy, whose
// status is no memory of an older one.
func TestPlanChosenAgain(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, mode purge.Mode) *session {
		t.Helper()
		s := newSession(t, stateful(mode, 60), "east").see("east", eviction.Unhealthy, "A").run(0)
		return s.run(60).decides("east", failover.Evict, failover.ApplicationFailure).choose("east")
	}
	t.Run("Gracefully", func(t *testing.T) {
		t.Parallel()
		s := begin(t, purge.Gracefully).run(70).decides("east", failover.Wait, failover.BelowToleration).looksAgain(60)
		s.run(130).decides("east", failover.Evict, failover.ApplicationFailure)
	})
	t.Run("Never, and somebody asks to stay", func(t *testing.T) {
		t.Parallel()
		s := begin(t, purge.Never).run(65).decides("east", failover.AlreadyEvicting, "TargetUnderEviction")
		s.ask(failover.Request{Cluster: "east", Action: failover.RequestWithdraw}).run(70).ask()
		s.run(71).decides("east", failover.Wait, failover.BelowToleration)
		s.run(130).decides("east", failover.Evict, failover.ApplicationFailure)
	})
	t.Run("while its taints evict", func(t *testing.T) {
		t.Parallel()
		b := stateful(purge.Gracefully, 60)
		b.Cluster.StatePreservation.InjectWhenNotDirectly = true
		s := newSession(t, b, "east").see("east", eviction.Healthy, "A").know("east", failover.ClusterFacts{Taints: lostCluster()})
		s.run(0).decides("east", failover.Evict, failover.TaintUntolerated).choose("east").see("east", eviction.Healthy, "B")
		s.run(10).decides("east", failover.Evict, failover.TaintUntolerated).warns("east", failover.NoCopyToAsk, false)
		s.choose("west").run(20).places("west", failover.Apply, failover.Injected, "B")
	})
}

// I1: the same state is one state, whichever of its origins a copy received it from.
func TestPlanOriginsOfOneState(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east", "west").see("east", eviction.Unhealthy, "A").see("west", eviction.Unhealthy, "A").run(0)
	s.gone("east").gone("west").lose("east").lose("west").choose("north").run(10).places("north", failover.Apply, failover.Injected, "A")
	s.choose("south").run(20).places("north", failover.Apply, failover.Injected, "A").places("south", failover.Apply, failover.DeliveredElsewhere, "")
	s.unchoose("south").run(30)
	s.see("north", eviction.Healthy, "B").run(40).places("north", failover.Apply, failover.NoState, "")
	s.see("north", eviction.Unhealthy, "B").run(50).decides("north", failover.Evict, failover.ApplicationFailure)
	s.gone("north").lose("north").choose("east").run(60).places("east", failover.Apply, failover.Injected, "B")
}

// F11: what an eviction waits for is that of its own policy.
func TestPlanWaitsOfAnOlderPolicy(t *testing.T) {
	t.Parallel()
	t.Run("soak", func(t *testing.T) {
		t.Parallel()
		b := plain(purge.Gracefully, 0)
		b.Application.SoakSeconds = ptr(int32(300))
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
		s.choose("west").run(10).see("west", eviction.Healthy, "W").run(20).purges("east", eviction.Keep, purge.Soaking)
		s.in.Policy = failover.Behavior{}
		s.run(30).purges("east", eviction.Keep, purge.Soaking).looksAgain(290)
		s.run(320).purges("east", eviction.Purge, purge.ReplacementHealthy)
	})
	t.Run("fencing", func(t *testing.T) {
		t.Parallel()
		b := plain(purge.Directly, 0)
		b.Application.FencingDeadlineSeconds = ptr(int32(300))
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
		s.in.Policy = failover.Behavior{}
		s.run(10).looksAgain(290).run(300).purges("east", eviction.Purge, purge.NeedsFencing)
	})
}

// E12: an eviction that is dropped leaves the cool-down of the one before.
func TestPlanDropKeepsAnOlderCoolDown(t *testing.T) {
	t.Parallel()
	s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
	s.gone("east").lose("east").run(10).avoids("east InCooldown")
	s.know("east", failover.ClusterFacts{}).choose("east").run(20)
	s.see("east", eviction.Unhealthy, "B").crash(30)
	s.see("east", eviction.Healthy, "B").run(31).tells("east Normal Dropped").avoids("east InCooldown").looksAgain(569)
}

// E6, F1: a controller whose clock is behind that of the last one finds its own task.
func TestPlanClockThatIsBehind(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(100)
	s.run(99).tells().run(101).tells()
	s.gone("east").lose("east").choose("west").run(110).places("west", failover.Apply, failover.Injected, "A")
	s.see("west", eviction.Healthy, "B").run(120).see("west", eviction.Unhealthy, "B").run(130)
	s.gone("west").lose("west").choose("north").run(140).places("north", failover.Apply, failover.Injected, "B")
}

// F6: a copy that somebody else leaves where it is keeps what it received.
func TestPlanEvictionThatSomebodyTakesBack(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 10), "east").see("east", eviction.Unhealthy, "A").run(0).run(10)
	s.gone("east").lose("east").choose("west").run(20).places("west", failover.Apply, failover.Injected, "A")
	s.see("west", eviction.Unhealthy, "B").run(30).run(40).decides("west", failover.Evict, failover.ApplicationFailure).run(41)
	s.in.Tasks, s.in.Targets = nil, on("west")
	s.run(50).places("west", failover.Apply, failover.Injected, "A").run(60).decides("west", failover.Evict, failover.ApplicationFailure)
	s.gone("west").lose("west").choose("north").run(70).places("north", failover.Apply, failover.Injected, "A")
}

// E10: a task that is there twice is one, whether the record knows it or not.
func TestPlanTasksThatAreRepeated(t *testing.T) {
	t.Parallel()
	next := func(s *session) {
		s.gone("east").lose("east").choose("west").run(20).places("west", failover.Apply, failover.Injected, "A")
		s.see("west", eviction.Healthy, "B").run(30).see("west", eviction.Unhealthy, "B").run(40)
		s.gone("west").lose("west").choose("north").run(50).places("north", failover.Apply, failover.Injected, "B")
	}
	t.Run("new", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0))
		s.in.Tasks = []eviction.Task{left("east", 0, "east", "A"), left("east", 0, "east", "A")}
		next(s.run(10).tells("east Normal OldCopyUnreachable"))
	})
	t.Run("known", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
		s.in.Tasks = append(s.in.Tasks, s.in.Tasks...)
		next(s.run(10).tells())
	})
}

// F2, F13: a copy that the host sees counts in the call that finds it, not in the next.
func TestPlanCopiesThatAreSeen(t *testing.T) {
	t.Parallel()
	t.Run("on a new target", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Healthy, "A").run(0)
		s.choose("west").see("west", eviction.Unhealthy, "W").know("west", failover.ClusterFacts{Presence: purge.Present})
		s.run(10).decides("west", failover.Evict, failover.ApplicationFailure)
	})
	t.Run("where an eviction ends", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, plain(purge.Never, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
		s.gone("east").choose("east").run(10)
		s.in.Tasks[0].SuppressDeletion = ptr(false)
		s.know("east", failover.ClusterFacts{Presence: purge.Present}).see("east", eviction.Healthy, "B")
		s.run(20).decides("east", failover.None, failover.ApplicationHealthy)
	})
	t.Run("not where a new record finds its eviction", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Healthy, "A")
		s.in.Tasks = []eviction.Task{left("east", 0, "east", "")}
		s.run(10).decides("east", failover.AlreadyEvicting, "TargetUnderEviction")
	})
}

// F14: an eviction that follows a withdrawal, neither of which was written.
func TestPlanPendingAfterAWithdrawal(t *testing.T) {
	t.Parallel()
	s := newSession(t, plain(purge.Gracefully, 0), "east").see("east", eviction.Unhealthy, "A").run(0).run(1)
	s.choose("east").crash(10).decides("east", failover.Evict, failover.ApplicationFailure)
	s.run(20).tells().run(21).tells()
	if len(s.out.Tasks) != 1 || !s.out.Tasks[0].CreationTimestamp.Equal(stamp(10)) || len(s.out.Record.Failovers) != 1 {
		t.Errorf("tasks %v, failovers %v", s.out.Tasks, s.out.Record.Failovers)
	}
}

// E7, E13: a host that deletes what is in no list does not delete what is on a target.
func TestPlanDropOnPurgeOfATarget(t *testing.T) {
	t.Parallel()
	s := newSession(t, plain(purge.Never, 0), "east").see("east", eviction.Unhealthy, "A")
	s.in.Host.DropOnPurge = true
	s.run(0).choose("east").run(10)
	s.in.Tasks[0].SuppressDeletion = ptr(false)
	s.run(20).purges("east", eviction.Purge, purge.Confirmed).places("east", failover.Hold, "Confirmed", "")
	if len(s.out.Tasks) != 1 {
		t.Errorf("tasks %v", s.out.Tasks)
	}
	s.gone("east").run(30).purges("east", eviction.Finish, purge.OldCopyGone)
}

// E11: nobody knows any more when a taint was first seen that evicted.
func TestPlanWithdrawalUnderATaintWithoutATime(t *testing.T) {
	t.Parallel()
	s := newSession(t, plain(purge.Gracefully, 60), "east").see("east", eviction.Healthy, "A").know("east", failover.ClusterFacts{Taints: lostCluster()})
	s.in.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr(int64(30))}}
	s.run(0).run(30).decides("east", failover.Evict, failover.TaintUntolerated)
	s.ask(failover.Request{Cluster: "east", Action: failover.RequestWithdraw}).run(31).warns("east", failover.WithdrawRefused, true)
	s.know("east", failover.ClusterFacts{TaintsKnown: true}).run(40).tells("east Normal Withdrawn")
}

// L4: what has no name is no target, whatever else is without one.
func TestPlanNothingHasAName(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "").see("", eviction.Unhealthy, "A").know("", failover.ClusterFacts{Presence: purge.Present})
	s.in.Tasks = []eviction.Task{left("", 0, "", "A"), leaving(purge.Gracefully, "", 1, "", "A")}
	s.ask(failover.Request{Action: failover.RequestEvict}, failover.Request{Action: failover.RequestWithdraw}, failover.Request{Action: failover.RequestAcknowledge})
	s.choose("west").see("west", eviction.Healthy, "W").run(10).run(11)
}

// F14: an eviction that follows the end of another, neither of which was written, leaves
// the state of that one where it is.
func TestPlanPendingAfterAnEnd(t *testing.T) {
	t.Parallel()
	lost := failover.ClusterFacts{Presence: purge.Gone, Taints: lostCluster()}
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
	s.gone("east").lose("east").choose("west").crash(10).places("west", failover.Apply, failover.Injected, "A")
	s.know("east", failover.ClusterFacts{Taints: lostCluster()}).choose("east").crash(20).decides("east", failover.Evict, failover.TaintUntolerated)
	s.run(30).places("west", failover.Apply, failover.Injected, "A")
	s.know("west", lost).run(40).decides("west", failover.Evict, failover.TaintUntolerated)
	s.gone("east").choose("north").run(50).places("north", failover.Apply, failover.Injected, "A")
}

// F14: that end is one, whenever its task is taken away.
func TestPlanEndBeforeAPendingEviction(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
	s.gone("east").lose("east").choose("west").crash(10).places("west", failover.Apply, failover.Injected, "A")
	s.in.Tasks = append(s.in.Tasks, left("north", 0, "north west", "")) // of the same second
	s.know("east", failover.ClusterFacts{Taints: lostCluster(), Presence: purge.Present}).choose("east").see("east", eviction.HealthUnknown, "B")
	s.crash(20).decides("east", failover.Evict, failover.TaintUntolerated)
	s.run(30).places("west", failover.Apply, failover.Injected, "A")
	s.run(40).ended(failover.OutcomeFinished, failover.OutcomeUnderway, failover.OutcomeUnderway).tells()
	if len(s.out.Tasks) != 2 {
		t.Errorf("tasks %v", s.out.Tasks)
	}
}

// TestPlanPendingWithdrawn is F14: what was never written can be taken back in every mode.
func TestPlanPendingWithdrawn(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 60), "east").see("east", eviction.Healthy, "A").
		ask(failover.Request{Cluster: "east", Action: failover.RequestEvict}).crash(0).decides("east", failover.Evict, failover.PlannedMove)
	s.ask(failover.Request{Cluster: "east", Action: failover.RequestWithdraw}).run(10).decides("east", failover.None, failover.ApplicationHealthy)
	s.warns("east", failover.WithdrawRefused, false)
	if len(s.out.Tasks) != 0 || len(s.out.Targets) != 1 {
		t.Errorf("tasks %v, targets %v", s.out.Tasks, s.out.Targets)
	}
}

// TestPlanPutBack is E2 over a record: the state of a copy that somebody put back goes on
// as long as it was not healthy since.
func TestPlanPutBack(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) *session {
		t.Helper()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0).run(5)
		s.in.Tasks = nil
		return s.choose("east").see("east", eviction.HealthUnknown, "B").run(10)
	}
	again := func(s *session, want string) {
		s.see("east", eviction.Unhealthy, "B").run(30).decides("east", failover.Evict, failover.ApplicationFailure)
		s.gone("east").lose("east").choose("west").run(40).places("west", failover.Apply, failover.Injected, want)
	}
	t.Run("not healthy since", func(t *testing.T) {
		t.Parallel()
		again(begin(t), "A")
	})
	t.Run("healthy since", func(t *testing.T) {
		t.Parallel()
		again(begin(t).see("east", eviction.Healthy, "B").run(20), "B")
	})
}

// TestClusterErrorRetryable is L7: a retry helps where it cures all that blocks.
func TestClusterErrorRetryable(t *testing.T) {
	t.Parallel()
	curable := &preservation.RuleError{Class: preservation.StatusNotCollected}
	lasting := &preservation.RuleError{Class: preservation.MissingKey}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"curable":              {curable, true},
		"joined":               {errors.Join(curable, curable), true},
		"one that stays":       {errors.Join(curable, lasting), false},
		"one that stays first": {errors.Join(lasting, curable), false},
		"says nothing":         {errors.Join(curable, errors.New("the policy is invalid")), false},
		"joined twice":         {errors.Join(errors.Join(curable), errors.Join(curable, lasting)), false},
	} {
		if got := (&failover.ClusterError{Cluster: "east", Err: test.err}).Retryable(); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
