package failover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
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
	tests := map[string]struct {
		reason string
		play   func(t *testing.T)
	}{
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
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Log(test.reason)
			test.play(t)
		})
	}
}

// F14, F7: a withdrawal that is not written, whose request is taken away, and a state that
// its receiver was healthy with: it stays proven, so that nobody receives it again.
func TestPlanWithdrawalNotWrittenAfterProof(t *testing.T) {
	t.Parallel()
	b := stateful(purge.Gracefully, 0)
	b.Application.StatePreservation.InjectWhenNotDirectly = true
	b.Cluster.StatePreservation.InjectWhenNotDirectly = true
	s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
	s.choose("west").run(11).places("west", failover.Apply, failover.Injected, "A")
	s.see("west", eviction.Healthy, "B").run(12)
	s.ask(asked("east", failover.RequestWithdraw, -1)).crash(13).ask()
	s.see("east", eviction.Unhealthy, "A").run(14).see("west", eviction.Unhealthy, "B").run(20).decides("west", failover.Evict, failover.ApplicationFailure)
	s.choose("north").run(30).places("north", failover.Apply, failover.Injected, "B")
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
