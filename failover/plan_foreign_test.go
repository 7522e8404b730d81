package failover_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// foreign is a task of another controller that writes no creation time.
func foreign(from, value string) eviction.Task {
	t := undated(left(from, 0, from, value))
	t.Producer = "other"
	return t
}

// moves checks which moves there are: "from stage job".
func (s *session) moves(want ...string) *session {
	s.t.Helper()
	got := []string{}
	for _, m := range s.out.Record.Moves {
		text := m.From + " " + string(m.Stage)
		if m.State != nil {
			text += " " + m.State.Labels[job]
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		s.t.Errorf("at %s: moves (-want +got)\n%s", s.in.Now.Format("04:05"), diff)
	}
	return s
}

// keep writes all but the tasks, which stay as others wrote them.
func (s *session) keep(seconds int) *session {
	s.t.Helper()
	tasks := s.in.Tasks
	s.run(seconds)
	s.in.Tasks = tasks
	return s
}

// A task without a time is one eviction, in whatever call it is seen (E6, E10, F14).
func TestPlanTasksWithoutATime(t *testing.T) {
	t.Parallel()
	tests := map[string]episode{
		"seen again": {
			reason: "the second call finds the move of the first",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").run(0)
				s.in.Tasks = []eviction.Task{foreign("east", "A")}
				s.keep(10).moves("east Evicting A").keep(20).moves("east Evicting A").keep(90).moves("east Evicting A").ended(failover.OutcomeUnderway)
			},
		},
		"repeated": {
			reason: "the same task twice is one eviction, in the first call and later",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").run(0)
				s.in.Tasks = []eviction.Task{foreign("east", "A"), foreign("east", "A"), foreign("north", "N")}
				s.keep(10).moves("east Evicting A", "north Evicting N").keep(20).moves("east Evicting A", "north Evicting N")
			},
		},
		"of two clusters": {
			reason: "each finds its own",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").run(0)
				s.in.Tasks = []eviction.Task{foreign("east", "A"), foreign("north", "N")}
				s.keep(10).keep(20).moves("east Evicting A", "north Evicting N")
			},
		},
		"two of one cluster": {
			reason: "two evictions stay two, and do not multiply",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").run(0)
				other := foreign("east", "B")
				s.in.Tasks = []eviction.Task{foreign("east", "A"), other}
				s.keep(10).moves("east Evicting A", "east Evicting B").keep(20).moves("east Evicting A", "east Evicting B")
			},
		},
		"beside one with a time": {
			reason: "the one with a time has a move of its own",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").run(0)
				s.in.Tasks = []eviction.Task{left("east", 5, "east", "A")}
				s.keep(10).moves("east Evicting A")
				s.in.Tasks = []eviction.Task{left("east", 5, "east", "A"), foreign("east", "B")}
				s.keep(20).moves("east Evicting A", "east Evicting B").keep(30).moves("east Evicting A", "east Evicting B")
			},
		},
		"after an older eviction": {
			reason: "that one has ended: this is another",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.gone("east").lose("east").run(10).moves("east Ended A")
				s.know("east", failover.ClusterFacts{Presence: purge.Present})
				s.in.Tasks = []eviction.Task{foreign("east", "B")}
				s.keep(20).moves("east Ended A", "east Evicting B")
			},
		},
		"beside a pending eviction": {
			reason: "what another controller wrote is not the task that this one has still to write",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").crash(0).moves("east Pending A")
				s.in.Tasks = []eviction.Task{foreign("east", "B")}
				s.run(10).moves("east Pending A", "east Evicting B")
			},
		},
		"beside a pending eviction of this very second": {
			reason: "that one has a time of its own, whatever the other one's is",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").crash(0)
				s.in.Tasks = []eviction.Task{foreign("east", "B")}
				s.run(0).moves("east Pending A", "east Evicting B")
			},
		},
		"as the first thing that is known": {
			reason: "a new record follows it, and its state goes on",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").gone("east")
				s.in.Tasks = []eviction.Task{foreign("east", "A")}
				s.keep(10).places("west", failover.Apply, failover.Injected, "A").warns("east", failover.SourceNotAsked, false)
			},
		},
		"of the future": {
			reason: "a clock that is ahead wrote it: it counts from the call that sees it first",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").run(0)
				task := foreign("east", "A")
				task.CreationTimestamp = &metav1.Time{Time: at(500)}
				s.in.Tasks = []eviction.Task{task}
				s.keep(10).moves("east Evicting A").keep(20).moves("east Evicting A")
				if diff := cmp.Diff(at(10), s.out.Record.Moves[0].Created.Time); diff != "" {
					t.Errorf("created (-want +got)\n%s", diff)
				}
			},
		},
	}
	play(t, tests)
}

// E10: tasks of one cluster are told apart by their second, and each ends by itself.
func TestPlanTasksOfOneCluster(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "west").run(0)
	s.in.Tasks = []eviction.Task{left("east", 5, "east", "A"), left("east", 7, "east", "B")}
	s.keep(10).moves("east Evicting A", "east Evicting B")
	s.in.Tasks = []eviction.Task{left("east", 5, "east", "A")}
	s.keep(20).moves("east Evicting A", "east Ended B").ended(failover.OutcomeUnderway, failover.OutcomeVanished)
	s.says("east", preservation.Application, 5)
}

// F11: what an eviction waits for is not what a newer one did, whose task is gone.
func TestPlanWaitsOfTheTaskThatIsLeft(t *testing.T) {
	t.Parallel()
	s := newSession(t, plain(purge.Directly, 0), "west").run(0)
	s.in.Tasks = []eviction.Task{left("east", 5, "east", "")}
	s.run(10).in.Policy.Application.FencingDeadlineSeconds = ptr(int32(1))
	s.in.Tasks = append(s.in.Tasks, left("east", 15, "east", ""))
	s.run(20).purges("east", eviction.Purge, purge.NeedsFencing)
	s.in.Tasks = s.in.Tasks[:1]
	s.run(30).purges("east", eviction.Purge, purge.OldCopyUnreachable)
}

// F14, L4: what others wrote before an eviction that has still to be written is followed
// beside it, and what they know goes on.
func TestPlanTasksOlderThanAPendingEviction(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").crash(20).moves("east Pending A")
	s.in.Tasks = []eviction.Task{left("east", 5, "east", "B"), left("east", 7, "east", "C"), left("north", 3, "north", "")}
	s.crash(25).moves("east Pending A", "north Evicting", "east Evicting B", "east Evicting C")
	s.run(30).moves("east Pending A", "north Evicting", "east Evicting B", "east Evicting C")
	s.run(31).moves("east Evicting A", "north Evicting", "east Evicting B", "east Evicting C")
}

// F14, E10: what replaces a withdrawn eviction, of which neither was written, takes the place
// of that one's task, and of no other one of the cluster.
func TestPlanTaskBesideAPendingEviction(t *testing.T) {
	t.Parallel()
	s := newSession(t, plain(purge.Gracefully, 0), "east").see("east", eviction.Unhealthy, "A").run(0).run(5)
	s.see("east", eviction.Healthy, "A").ask(asked("east", failover.RequestEvict, -1)).crash(10).decides("east", failover.Evict, failover.PlannedMove)
	s.in.Tasks = append(s.in.Tasks, left("east", 8, "east", ""))
	s.run(20).moves("east Ended", "east Pending", "east Evicting").ended(failover.OutcomeWithdrawn, failover.OutcomeUnderway, failover.OutcomeUnderway)
	got := []time.Time{}
	for _, task := range s.out.Tasks {
		got = append(got, task.CreationTimestamp.Time)
	}
	if diff := cmp.Diff([]time.Time{at(8), at(10)}, got); diff != "" {
		t.Errorf("tasks (-want +got)\n%s", diff)
	}
}

// F14: a withdrawal of one cluster that was not written says nothing of the pending eviction
// of another one, which somebody took off the targets.
func TestPlanPendingBesideAWithdrawal(t *testing.T) {
	t.Parallel()
	s := newSession(t, plain(purge.Gracefully, 0), "east", "west").see("east", eviction.Healthy, "A").see("west", eviction.Unhealthy, "W").run(0)
	s.see("west", eviction.Healthy, "W").know("east", failover.ClusterFacts{Taints: lostCluster()}).crash(10).decides("east", failover.Evict, failover.TaintUntolerated)
	s.unchoose("east").run(20).ended(failover.OutcomeWithdrawn, failover.OutcomeVanished)
}

// F9, F14: what the scheduler took away has no task. One of that very second is somebody
// else's eviction.
func TestPlanTaskOfARemovedTarget(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
	s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
	s.unchoose("west").run(20).ended(failover.OutcomeFinished, failover.OutcomeRemoved)
	s.in.Tasks = []eviction.Task{left("west", 20, "west", "")}
	s.keep(20).ended(failover.OutcomeFinished, failover.OutcomeRemoved, failover.OutcomeUnderway).moves("east Ended A", "west Ended", "west Evicting")
}

// F10, E12: a cause that nobody knows has the terms of the application, whose cool-down is the
// usual one where it is no length at all.
func TestPlanTaskOfAnUnknownCause(t *testing.T) {
	t.Parallel()
	b := plain(purge.Directly, 0)
	b.Application.BlockPredecessorSeconds, b.Cluster.BlockPredecessorSeconds = ptr(int32(-5)), ptr(int32(0))
	s := newSession(t, b, "west").run(0)
	task := left("east", 5, "east", "")
	task.Reason = "Maintenance"
	s.in.Tasks = []eviction.Task{task}
	s.run(10).gone("east").run(20).avoids("east InCooldown")

	b.Application.BlockPredecessorSeconds = ptr(int32(1))
	s = newSession(t, b, "west").run(0)
	s.in.Tasks = []eviction.Task{task}
	s.gone("east").run(5).avoids("east InCooldown").run(6).avoids()
}

// E10: the time of a task that others wrote stays as they wrote it.
func TestPlanLeavesTimesAlone(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "west").run(0)
	written := at(5).Add(time.Second / 2).In(time.FixedZone("CET", 3600))
	task := left("east", 0, "east", "A")
	task.CreationTimestamp = &metav1.Time{Time: written}
	s.in.Tasks = []eviction.Task{task}
	s.run(10).run(20).moves("east Evicting A")
	if diff := cmp.Diff(written.Format(time.RFC3339Nano), s.out.Tasks[0].CreationTimestamp.Format(time.RFC3339Nano)); diff != "" {
		t.Errorf("created (-want +got)\n%s", diff)
	}
}

// L4: a record that tells of a delivery and not of its move: nothing can go on.
func TestPlanDeliveryWithoutAMove(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "west").run(0)
	s.in.Record.Deliveries = []failover.Delivery{{To: "west", Attempt: 7, At: *stamp(0)}}
	s.unchoose("west").run(10).ended().moves()
}

// F14, F7: a withdrawal that is not written, whose request is taken away, and a state that
// its receiver was healthy with: it stays proven, so that nobody receives it again.
func TestPlanWithdrawalNotWrittenAfterProof(t *testing.T) {
	t.Parallel()
	for _, retention := range []preservation.Retention{preservation.UntilHealthy, preservation.UntilNextFailover} {
		t.Run(string(retention), func(t *testing.T) {
			t.Parallel()
			b := stateful(purge.Gracefully, 0)
			b.Application.StatePreservation.InjectWhenNotDirectly = true
			b.Application.StatePreservation.Retention = retention
			b.Cluster.StatePreservation.InjectWhenNotDirectly = true
			s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
			s.choose("west").run(11).places("west", failover.Apply, failover.Injected, "A")
			s.see("west", eviction.Healthy, "B").run(12)
			s.ask(asked("east", failover.RequestWithdraw, -1)).crash(13).ask()
			s.see("east", eviction.Unhealthy, "A").run(14).see("west", eviction.Unhealthy, "B").run(20).decides("west", failover.Evict, failover.ApplicationFailure)
			s.choose("north").run(30).places("north", failover.Apply, failover.Injected, "B")
		})
	}
}

// F14, L6: somebody takes the task of a target away. Where its old copy is gone, the next one
// there is new, and receives the state; where it is not, it is that copy, and receives
// nothing.
func TestPlanTaskOfATargetThatVanishes(t *testing.T) {
	t.Parallel()
	t.Run("gone", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
		s.lose("east").choose("east").run(10).know("east", failover.ClusterFacts{Presence: purge.Gone})
		s.in.Tasks = nil
		s.run(20).places("east", failover.Apply, failover.Injected, "A").ended(failover.OutcomeVanished)
	})
	t.Run("never started", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
		s.lose("east").choose("west").ask(asked("west", failover.RequestEvict, -1)).run(10).decides("west", failover.Evict, failover.PlannedMove)
		s.ask().run(15).choose("west")
		s.in.Tasks = slices.DeleteFunc(slices.Clone(s.in.Tasks), func(task eviction.Task) bool { return task.FromCluster == "west" })
		s.run(20).places("west", failover.Hold, failover.OldCopyNotGone, "") // what comes there waits for the copy on east
	})
	t.Run("there", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
		s.lose("east").choose("east").run(10).know("east", failover.ClusterFacts{Presence: purge.Present})
		s.in.Tasks = nil
		s.run(20).places("east", failover.Apply, failover.AlreadyRunning, "").ended(failover.OutcomeVanished)
		if diff := cmp.Diff(failover.AlreadyRunning, s.out.Record.Clusters[0].Started); diff != "" {
			t.Errorf("started (-want +got)\n%s", diff)
		}
	})
}

// L4, F1: a dropped eviction gives the stay back under the name of its move, whatever the
// record says: two clusters of one name are a record that nobody can read again. The task of
// another name is written again as it is.
func TestPlanPendingOfAnotherName(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) *session {
		t.Helper()
		return newSession(t, plain(purge.Directly, 0), "east", "west").see("west", eviction.Healthy, "").see("east", eviction.Unhealthy, "").crash(0)
	}
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		s := begin(t)
		s.in.Record.Moves[0].Pending.Cluster.Name = "west"
		s.see("east", eviction.Healthy, "").run(10).ended(failover.OutcomeDropped)
		if err := s.out.Record.Check(); err != nil {
			t.Error(err)
		}
	})
	t.Run("task", func(t *testing.T) {
		t.Parallel()
		s := begin(t)
		s.in.Record.Moves[0].Pending.Task.FromCluster = "north"
		s.crash(10)
		s.purges("north", eviction.Purge, purge.OldCopyUnreachable).moves("east Pending")
	})
}

// A copy that received state and is gone is not created again while an old copy stands that
// it was not created beside, whoever evicts that one (P5, I1).
func TestPlanDeliveredCopyIsGoneBesideAForeignTask(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
	s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
	s.know("west", failover.ClusterFacts{Presence: purge.Present}).know("north", failover.ClusterFacts{Presence: purge.Present})
	s.in.Tasks = append(s.in.Tasks, left("north", 15, "north", ""))
	s.run(20).places("west", failover.Apply, failover.Injected, "A") // that copy runs
	s.know("west", failover.ClusterFacts{Presence: purge.Gone}).run(30).places("west", failover.Hold, failover.OldCopyNotGone, "")
	s.in.Tasks = nil // taken away: the old copy stands all the same
	s.run(35).places("west", failover.Hold, failover.OldCopyNotGone, "")
	s.gone("north").run(40).places("west", failover.Apply, failover.Injected, "A")
}
