package failover_test

import (
	"testing"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// TestPlanReleasesAStateOfTwoOrigins is F13: a copy that gives back what it received, since
// the policy retains nothing any more, is judged in that call as in the next one. East and
// north had the same state.
func TestPlanReleasesAStateOfTwoOrigins(t *testing.T) {
	t.Parallel()
	move := func(attempt int, from, value string) failover.Move {
		state := stateOf(map[string]string{job: value})
		return failover.Move{
			Attempt: int64(attempt), From: from, Mode: purge.Directly, Created: *stamp(3 * attempt), ClustersBeforeFailover: []string{from},
			State: &state, Proven: attempt == 1, Stage: failover.StageEnded, StageSince: *stamp(3 * attempt), Gone: true,
		}
	}
	tests := map[string]struct {
		reason string
		moves  []failover.Move
		want   failover.GateReason
	}{
		"the same": {"the copy has it", []failover.Move{move(1, "east", "A"), move(2, "north", "A")}, failover.AlreadyRunning},
		"another":  {"which is a second one", []failover.Move{move(1, "east", "A"), move(2, "north", "A"), move(3, "south", "B")}, failover.AmbiguousOrigin},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Log(tc.reason)
			s := newSession(t, stateful(purge.Directly, 60), "west").see("west", eviction.Healthy, "W")
			s.in.Record = failover.Record{
				Version: failover.RecordVersion, Attempts: 3, Moves: tc.moves,
				Clusters:   []failover.ClusterRecord{{Name: "west", Target: true, HealthySince: stamp(8), HealthyRevision: ptr("")}},
				Deliveries: []failover.Delivery{{To: "west", Attempt: 1, At: *stamp(7), Healthy: true}},
			}
			s.run(10).places("west", failover.Apply, tc.want, "")
		})
	}
}

// TestPlanWithdrawnCopyVanishes is L5: what vanishes in the second of its withdrawal was no
// old copy, whatever the mode was that a person changed before.
func TestPlanWithdrawnCopyVanishes(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0).run(1)
	s.in.Tasks[0].PurgeMode = purge.Never
	s.ask(failover.Request{Cluster: "east", Action: failover.RequestWithdraw}).run(2)
	s.gone("east").run(2).places("east", failover.Apply, failover.NoState, "")
}
