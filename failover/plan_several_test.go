package failover_test

import (
	"slices"
	"testing"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// TestPlanSeveralStates is about an application with several states, which are told apart
// by what they hold and by when they left (I1, F7).
func TestPlanSeveralStates(t *testing.T) {
	t.Parallel()
	// delivered has A of east on north, which is not known to be healthy with it.
	delivered := func(t *testing.T) *session {
		t.Helper()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
		return s.gone("east").lose("east").choose("north").run(10).places("north", failover.Apply, failover.Injected, "A")
	}
	tests := map[string]episode{
		"another one left after the delivery": {
			reason: "I1: north received A, and not what west had, were it the same: that one waits",
			play: func(t *testing.T) {
				t.Helper()
				for _, job := range []string{"W", "A"} {
					s := delivered(t).choose("west").run(20).places("west", failover.Apply, failover.DeliveredElsewhere, "")
					s.see("west", eviction.Unhealthy, job).run(30).decides("west", failover.Evict, failover.ApplicationFailure)
					s.gone("west").lose("west").choose("south").run(40).places("south", failover.Hold, failover.SeveralTargets, "")
				}
			},
		},
		"acknowledged where it came from": {
			reason: "F7: north received it and was not healthy with it, so that nobody may end it there",
			play: func(t *testing.T) {
				t.Helper()
				s := delivered(t).ask(asked("east", failover.RequestAcknowledge, -1)).run(20).places("north", failover.Apply, failover.Injected, "A")
				s.ask().see("north", eviction.Unhealthy, "N").run(30).gone("north").lose("north").choose("south").run(40)
				s.places("south", failover.Apply, failover.Injected, "A")
			},
		},
		"another one left before north got its own back": {
			reason: "F9: what is handed back to north is not what center had",
			play: func(t *testing.T) {
				t.Helper()
				s := delivered(t).choose("center").run(20).see("center", eviction.Unhealthy, "C").run(30).decides("center", failover.Evict, failover.ApplicationFailure)
				s.gone("center").lose("center").unchoose("north").run(40).choose("north").run(50).places("north", failover.Apply, failover.Injected, "A")
				s.see("north", eviction.Healthy, "N").run(60).choose("south").run(70).places("south", failover.Hold, failover.SeveralTargets, "")
			},
		},
		"acknowledged with another": {
			reason: "F7: a person ends both, the one that waits and the one that north received",
			play: func(t *testing.T) {
				t.Helper()
				s := delivered(t).choose("center").run(20).see("center", eviction.Unhealthy, "C").run(30).decides("center", failover.Evict, failover.ApplicationFailure)
				s.gone("center").lose("center").ask(asked("center", failover.RequestAcknowledge, -1), asked("north", failover.RequestAcknowledge, -1)).run(40)
				s.ask().choose("south").run(50).places("south", failover.Apply, failover.NoState, "")
			},
		},
		"a copy that is older than the record": {
			reason: "L6: nobody knows that the policy let it start without the state, so its health ends nothing",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "north").see("north", eviction.Healthy, "N")
				s.in.Tasks = []eviction.Task{left("east", 0, "", "A")}
				s.run(10).places("north", failover.Apply, failover.UnknownOrigin, "")
				s.gone("east").run(20).run(30).moves("east Ended A")
			},
		},
		"a delivery of a move without state": {
			reason: "L4: a record that lost a state keeps the copy from nothing, and no other state from its copy",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").see("west", eviction.Healthy, "W")
				lost := failover.Move{Attempt: 1, From: "east", Mode: purge.Directly, Created: *stamp(0), Stage: failover.StageEnded, StageSince: *stamp(0), Gone: true}
				waits := lost
				state := stateOf(map[string]string{job: "S"})
				waits.Attempt, waits.From, waits.State, waits.ClustersBeforeFailover = 2, "south", &state, []string{"south"}
				s.in.Record = failover.Record{
					Version: failover.RecordVersion, Attempts: 2, Clusters: []failover.ClusterRecord{{Name: "west", Target: true}},
					Moves: []failover.Move{lost, waits}, Deliveries: []failover.Delivery{{To: "west", Attempt: 1, At: *stamp(0)}},
				}
				s.run(10).places("west", failover.Apply, failover.AlreadyRunning, "")
			},
		},
		"back where it came from, after a move without state": {
			reason: "F7: the health of that copy ends its older state, whatever else left before",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").see("west", eviction.Healthy, "W")
				plain := failover.Move{Attempt: 1, From: "east", Mode: purge.Directly, Created: *stamp(0), Stage: failover.StageEnded, StageSince: *stamp(0)}
				waits, state := plain, stateOf(map[string]string{job: "S"})
				waits.Attempt, waits.From, waits.State, waits.ClustersBeforeFailover, waits.Gone = 2, "west", &state, []string{"west"}, true
				s.in.Record = failover.Record{
					Version: failover.RecordVersion, Attempts: 2, Moves: []failover.Move{plain, waits},
					Clusters: []failover.ClusterRecord{{Name: "west", Target: true, Started: failover.AlreadyRunning}},
				}
				s.run(10)
				if !slices.ContainsFunc(s.out.Events, func(e failover.Event) bool { return e.Cluster == "west" && e.Reason == "StateOutdated" }) {
					t.Errorf("events %v", s.out.Events)
				}
			},
		},
		"back where it came from, and never gone": {
			reason: "F13: the health of that copy ends its older state in one call",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0).run(2)
				s.in.Tasks = nil
				s.run(5).moves("east Ended A")
				s.know("east", failover.ClusterFacts{Presence: purge.Present}).see("east", eviction.Healthy, "A").choose("east").run(10).run(20).moves()
			},
		},
		"a state without values": {
			reason: "L4: a record that holds one has nothing to give",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west")
				s.in.Record = failover.Record{Version: failover.RecordVersion, Moves: []failover.Move{{
					Attempt: 1, From: "east", Mode: purge.Directly, Created: *stamp(0), ClustersBeforeFailover: []string{"east"},
					State: &preservation.State{}, Stage: failover.StageEnded, StageSince: *stamp(0), Gone: true,
				}}}
				s.run(10).places("west", failover.Apply, failover.NoState, "")
			},
		},
		"a healthy copy that received nothing that is known": {
			reason: "L4: a record that lost the move of a delivery proves nothing",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").see("west", eviction.Healthy, "W")
				state := stateOf(map[string]string{job: "S"})
				s.in.Record = failover.Record{
					Version: failover.RecordVersion, Clusters: []failover.ClusterRecord{{Name: "west", Target: true}},
					Deliveries: []failover.Delivery{{To: "west", Attempt: 7, At: *stamp(0)}},
					Moves: []failover.Move{{
						Attempt: 1, From: "south", Mode: purge.Directly, Created: *stamp(0), ClustersBeforeFailover: []string{"south"},
						State: &state, Stage: failover.StageEnded, StageSince: *stamp(0), Gone: true,
					}},
				}
				s.run(10).places("west", failover.Apply, failover.AlreadyRunning, "").tells("west Normal StateReleased").moves("south Ended S")
			},
		},
	}
	play(t, tests)
}
