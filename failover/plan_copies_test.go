package failover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// TestPlanCopies is about what counts as a copy that runs (I1, P5, F9).
func TestPlanCopies(t *testing.T) {
	t.Parallel()
	// scaledOut has A on west, which was not healthy with it, and a copy on north that
	// started without.
	scaledOut := func(t *testing.T) *session {
		t.Helper()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
		s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
		s.tells("east Normal OldCopyGone", "west Normal Injected")
		if got := s.out.Record.History[0].To; got != "west" {
			t.Errorf("history: to %q", got)
		}
		s.choose("north").run(20).places("north", failover.Apply, failover.DeliveredElsewhere, "")
		return s.see("west", eviction.Unhealthy, "W").run(30).decides("west", failover.Evict, failover.ApplicationFailure).lose("west").gone("west")
	}
	foreign := func(s *session) {
		s.in.Tasks = append(s.in.Tasks, left("south", 35, "south", ""))
	}
	tests := map[string]episode{
		"started without state": {
			reason: "nothing is handed to a copy that runs, though no move lists it",
			play: func(t *testing.T) {
				t.Helper()
				scaledOut(t).run(40).places("north", failover.Apply, failover.AlreadyRunning, "")
			},
		},
		"started, and gone": {
			reason: "the next copy there is a new one, and receives the state",
			play: func(t *testing.T) {
				t.Helper()
				scaledOut(t).gone("north").run(40).places("north", failover.Apply, failover.Injected, "A")
			},
		},
		"started, and another copy stands": {
			reason: "P5: a copy that exists is never held for the task of another cluster",
			play: func(t *testing.T) {
				t.Helper()
				s := scaledOut(t)
				foreign(s)
				s.run(40).places("north", failover.Apply, failover.OldCopyNotGone, "")
			},
		},
		"started, gone, and another copy stands": {
			reason: "L6: the next copy there is a new one, and waits",
			play: func(t *testing.T) {
				t.Helper()
				s := scaledOut(t)
				foreign(s)
				s.gone("north").run(40).places("north", failover.Hold, failover.OldCopyNotGone, "")
			},
		},
		"seen by the host": {
			reason: "a copy that nobody allowed runs all the same: it is neither held nor given anything",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.choose("west").know("west", failover.ClusterFacts{Presence: purge.Present}).run(10).places("west", failover.Apply, failover.OldCopyNotGone, "")
				s.gone("east").run(20).places("west", failover.Apply, failover.AlreadyRunning, "")
			},
		},
		"seen, and nothing stands in the way": {
			reason: "in the first call, too",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.gone("east").choose("west").know("west", failover.ClusterFacts{Presence: purge.Present}).run(10).
					places("west", failover.Apply, failover.AlreadyRunning, "")
			},
		},
		"observed before there was a record": {
			reason: "a copy of a new record is one that was observed",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").see("west", eviction.HealthUnknown, "W")
				s.in.Tasks = []eviction.Task{left("east", 0, "east", "A")}
				s.run(10).places("west", failover.Apply, failover.OldCopyNotGone, "")
				s.run(20).places("west", failover.Apply, failover.OldCopyNotGone, "")
			},
		},
		"chosen again, never left": {
			reason: "F9: the scheduler took the target away and chose it again while its copy ran",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east", "west").see("east", eviction.Unhealthy, "A").see("west", eviction.Healthy, "W").run(0)
				s.gone("east").lose("east").unchoose("west").run(10)
				s.choose("west").run(20).places("west", failover.Apply, failover.AlreadyRunning, "")
			},
		},
		"chosen again, gone in between": {
			reason: "I1: the copy that an older move lists is gone, so that the new one may receive",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east", "west").see("east", eviction.Unhealthy, "A").see("west", eviction.Healthy, "W").run(0)
				s.gone("east").lose("east").unchoose("west").run(10)
				s.gone("west").lose("west").choose("west").run(20).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"a receiver that somebody evicts in place": {
			reason: "E13: its own task deletes that copy: nothing is written there",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.gone("east").lose("east").choose("west").run(10)
				s.in.Tasks = append(s.in.Tasks, left("west", 15, "west", ""))
				s.run(20).places("west", failover.Hold, failover.OldCopyNotGone, "")
			},
		},
		"a delivery that nothing belongs to": {
			reason: "L4: a record that lost its move keeps no copy from anything",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west")
				s.in.Record = failover.Record{
					Version: failover.RecordVersion, Clusters: []failover.ClusterRecord{{Name: "west", Target: true}},
					Deliveries: []failover.Delivery{{To: "west", Attempt: 7, At: *stamp(0)}},
				}
				s.run(10).places("west", failover.Apply, failover.NoState, "")
				if len(s.out.Record.Deliveries) != 0 {
					t.Errorf("deliveries %v", s.out.Record.Deliveries)
				}
			},
		},
	}
	play(t, tests)
}

// TestPlanRetainsConflicts is F7: what is kept until the next failover keeps what its rule
// says about conflicts, and nothing else does.
func TestPlanRetainsConflicts(t *testing.T) {
	t.Parallel()
	b := stateful(purge.Directly, 0)
	b.Application.StatePreservation.Rules = []preservation.Rule{
		{AliasLabelName: job, JSONPath: "{.job}", Conflict: preservation.KeepExisting},
		{JSONPath: "{.job}", Target: preservation.Field, FieldPath: ".spec.job", Conflict: preservation.Fail},
	}
	s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
	s.gone("east").lose("east").choose("west").run(10)
	conflicts := func() []preservation.RefConflict { return s.out.Placements[0].State.Conflicts }
	if got := len(conflicts()); got != 2 {
		t.Fatalf("%d conflicts", got)
	}
	s.see("west", eviction.Healthy, "W").run(20).tells("west Normal StateProven")
	want := []preservation.RefConflict{{Ref: preservation.Ref{Target: preservation.Field, Key: ".spec.job"}, Conflict: preservation.Fail}}
	if diff := cmp.Diff(want, conflicts()); diff != "" {
		t.Errorf("conflicts (-want +got)\n%s", diff)
	}
	s.in.Policy.Application.StatePreservation.Retention = preservation.UntilHealthy
	s.run(30).tells("west Normal StateReleased").places("west", failover.Apply, failover.NoState, "")
}

// TestPlanHeldSince is F6: a wait for state that was interrupted begins anew.
func TestPlanHeldSince(t *testing.T) {
	t.Parallel()
	b := stateful(purge.Directly, 0)
	b.Application.StatePreservation.MissingStateDeadlineSeconds = ptr(int32(100))
	s := newSession(t, b, "east", "west").see("east", eviction.Unhealthy, "A").see("west", eviction.Unhealthy, "W").run(0)
	s.gone("east").gone("west").lose("east").lose("west").choose("north").run(10).places("north", failover.Hold, failover.AmbiguousOrigin, "").looksAgain(100)
	s.in.Tasks = append(s.in.Tasks, left("south", 15, "south", ""))
	s.run(60).places("north", failover.Hold, failover.OldCopyNotGone, "")
	s.gone("south").run(70).places("north", failover.Hold, failover.AmbiguousOrigin, "").looksAgain(100)
	s.run(170).places("north", failover.Apply, failover.AmbiguousOrigin, "")
	for _, p := range s.out.Placements {
		if p.Cluster == "north" && p.Message == "" {
			t.Errorf("no message: %+v", p)
		}
	}
	// The deadline stays over: a copy that vanishes is replaced at once.
	s.gone("north").run(180).places("north", failover.Apply, failover.AmbiguousOrigin, "")
}
