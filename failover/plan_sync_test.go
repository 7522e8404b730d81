package failover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// ended checks the outcomes of the moves that the record remembers.
func (s *session) ended(want ...failover.MoveOutcome) *session {
	s.t.Helper()
	got := []failover.MoveOutcome{}
	for _, item := range s.out.Record.History {
		got = append(got, item.Outcome)
	}
	if diff := cmp.Diff(append([]failover.MoveOutcome{}, want...), got); diff != "" {
		s.t.Errorf("at %s: history (-want +got)\n%s", s.in.Now.Format("04:05"), diff)
	}
	return s
}

// counts checks how many failovers count for maxFailovers.
func (s *session) counts(want int) *session {
	s.t.Helper()
	if got := len(s.out.Record.Failovers); got != want {
		s.t.Errorf("at %s: %d failovers count, want %d", s.in.Now.Format("04:05"), got, want)
	}
	return s
}

// TestPlanFollows is F14 and F9: what was written, what was not, and what others did.
func TestPlanFollows(t *testing.T) {
	t.Parallel()
	delivered := func(t *testing.T) *session {
		t.Helper()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
		return s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
	}
	tests := map[string]episode{
		"finished": {
			reason: "F8: each move has its end",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0).ended(failover.OutcomeUnderway)
				s.run(5).ended(failover.OutcomeUnderway).gone("east").run(10).ended(failover.OutcomeFinished)
			},
		},
		"the end is not written": {
			reason: "F14: it comes again, also when nobody can tell any more that the copy is gone",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0).gone("east").crash(10)
				s.know("east", failover.ClusterFacts{}).run(20).purges("east", eviction.Finish, purge.OldCopyGone).ended(failover.OutcomeFinished)
				s.lose("east").choose("west").run(30).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"withdrawn": {
			reason: "E11: it does not count, and the cluster is not avoided",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Gracefully, 0), "east").see("east", eviction.Unhealthy, "A").run(0).counts(1).avoids("east UnderEviction")
				s.see("east", eviction.Healthy, "A").run(10).counts(0).avoids().tells("east Normal Withdrawn").ended(failover.OutcomeWithdrawn)
				s.run(20).ended(failover.OutcomeWithdrawn).tells()
				if len(s.out.Record.Moves) != 0 {
					s.run(30)
				}
				if got := len(s.out.Record.Moves); got != 0 {
					t.Errorf("%d moves are left", got)
				}
			},
		},
		"healthy before it was evicted": {
			reason: "E8, E11: a status of before is no recovery",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Gracefully, 0), "east").see("east", eviction.Unhealthy, "A").run(10)
				s.see("east", eviction.Healthy, "A").in.Items[0].ObservedAt = stamp(5)
				s.run(20).decides("east", failover.AlreadyEvicting, failover.UnderEviction)
				s.in.Items[0].ObservedAt = stamp(15)
				s.run(30).decides("east", failover.None, failover.ApplicationHealthy)
			},
		},
		"asked back while another taint is tolerated": {
			reason: "E11, F4: that one says since when it is there, and does not evict yet",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Gracefully, 0), "east").see("east", eviction.Healthy, "A").know("east", failover.ClusterFacts{Taints: lostCluster()}).run(0)
				s.in.Tolerations = []failover.Toleration{{Key: "example.com/slow", Operator: failover.Exists, TolerationSeconds: ptr(int64(60))}}
				s.know("east", failover.ClusterFacts{Taints: []failover.Taint{{Key: "example.com/slow", Effect: failover.NoExecute, TimeAdded: stamp(5)}}})
				s.ask(asked("east", failover.RequestWithdraw, -1)).run(10).ended(failover.OutcomeWithdrawn).warns("east", failover.WithdrawRefused, false)
			},
		},
		"asked back where the policy lets no taint evict": {
			reason: "E11, F10: it would not be evicted again",
			play: func(t *testing.T) {
				t.Helper()
				b := plain(purge.Gracefully, 0)
				b.Cluster = nil
				s := newSession(t, b, "east").see("east", eviction.Healthy, "A").know("east", failover.ClusterFacts{Taints: lostCluster()})
				s.ask(asked("east", failover.RequestEvict, -1)).run(0).decides("east", failover.Evict, failover.PlannedMove)
				s.ask(asked("east", failover.RequestWithdraw, -1)).run(10).ended(failover.OutcomeWithdrawn)
			},
		},
		"the withdrawal is not written, and cannot be any more": {
			reason: "F14: the eviction goes on as if nobody had withdrawn it",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Gracefully, 0), "east").see("east", eviction.Unhealthy, "A").run(0).run(5)
				s.see("east", eviction.Healthy, "A").crash(10).counts(0)
				s.see("east", eviction.Unhealthy, "A").run(20).decides("east", failover.AlreadyEvicting, failover.UnderEviction)
				s.counts(1).ended(failover.OutcomeUnderway).avoids("east UnderEviction")
				s.choose("west").run(30).see("west", eviction.Healthy, "W").run(40).gone("east").run(50).ended(failover.OutcomeFinished).avoids("east InCooldown")
			},
		},
		"the withdrawal of a lost cluster is not written": {
			reason: "F3: only failovers for health count",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Gracefully, 0), "east").see("east", eviction.Healthy, "A").
					know("east", failover.ClusterFacts{Taints: lostCluster()}).run(0).run(5).counts(0)
				s.know("east", failover.ClusterFacts{TaintsKnown: true}).crash(10)
				s.know("east", failover.ClusterFacts{Taints: lostCluster()}).run(20).decides("east", failover.AlreadyEvicting, failover.UnderEviction).counts(0)
			},
		},
		"somebody takes the task away": {
			reason: "F14: told once; the state waits, and so does the new copy",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0).run(5)
				s.in.Tasks = nil
				s.choose("west").run(10).ended(failover.OutcomeVanished).tells("east Warning TaskVanished", "west Warning OldCopyNotGone")
				s.run(20).tells().gone("east").run(30).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"somebody puts the application back": {
			reason: "F14: the copy runs on and receives nothing",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 60), "east").see("east", eviction.Unhealthy, "A").run(0).run(60).run(65)
				s.in.Tasks = nil
				s.choose("east").run(70).places("east", failover.Apply, failover.AlreadyRunning, "").decides("east", failover.Wait, failover.BelowToleration)
				s.see("east", eviction.Healthy, "A").run(80).places("east", failover.Apply, failover.NoState, "")
			},
		},
		"somebody puts it back after its copy went": {
			reason: "I1: what comes there is a new copy",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0).gone("east").lose("east").run(5)
				s.choose("east").run(10).places("east", failover.Apply, failover.Injected, "A")
			},
		},
		"dropped": {
			reason: "F14: the stay goes on with what the copy received",
			play: func(t *testing.T) {
				t.Helper()
				s := delivered(t).know("west", failover.ClusterFacts{Taints: lostCluster()}).crash(20).decides("west", failover.Evict, failover.TaintUntolerated)
				s.know("west", failover.ClusterFacts{TaintsKnown: true}).run(30).places("west", failover.Apply, failover.Injected, "A")
				s.ended(failover.OutcomeFinished, failover.OutcomeDropped).tells("west Normal Dropped").avoids("east InCooldown")
				s.see("west", eviction.Unhealthy, "W").run(40).decides("west", failover.Evict, failover.ApplicationFailure)
				s.gone("west").lose("west").choose("north").run(50).places("north", failover.Apply, failover.Injected, "A")
			},
		},
		"dropped, and healthy again": {
			reason: "F14: so is one for health, where the host says nothing but the status",
			play: func(t *testing.T) {
				t.Helper()
				s := delivered(t).see("west", eviction.Unhealthy, "W").crash(20).decides("west", failover.Evict, failover.ApplicationFailure)
				s.see("west", eviction.Healthy, "W").run(30).ended(failover.OutcomeFinished, failover.OutcomeDropped)
			},
		},
		"not dropped": {
			reason: "F14: taints that nobody looked at are not gone",
			play: func(t *testing.T) {
				t.Helper()
				s := delivered(t).know("west", failover.ClusterFacts{Taints: lostCluster()}).crash(20)
				s.know("west", failover.ClusterFacts{}).run(30).decides("west", failover.AlreadyEvicting, failover.UnderEviction)
			},
		},
		"taken away and chosen again": {
			reason: "F9: while its copy ran nothing moved",
			play: func(t *testing.T) {
				t.Helper()
				s := delivered(t).unchoose("west").run(20).tells("west Normal TargetRemoved").warns("west", "TargetRemoved", true)
				s.choose("west").run(30).places("west", failover.Apply, failover.Injected, "A")
				if got := len(s.out.Record.Moves); got != 1 {
					t.Errorf("%d moves", got)
				}
				s.choose("north").run(40).places("west", failover.Apply, failover.Injected, "A").places("north", failover.Apply, failover.DeliveredElsewhere, "")
			},
		},
		"taken away, gone and chosen again": {
			reason: "F9: the next copy receives the state anew",
			play: func(t *testing.T) {
				t.Helper()
				s := delivered(t).see("west", eviction.HealthUnknown, "W").run(15).unchoose("west").run(20).gone("west").run(25)
				s.choose("west").run(30).places("west", failover.Apply, failover.Injected, "A")
				if got := s.out.Record.Deliveries[0].At; !got.Equal(stamp(30)) {
					t.Errorf("delivered at %v", got)
				}
			},
		},
		"a plain target vanishes": {
			reason: "F9: told, and nothing waits for it",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east", "west").run(0).unchoose("west").run(10).tells("west Normal TargetRemoved")
				s.choose("north").run(20).places("north", failover.Apply, failover.NoState, "").ended()
			},
		},
		"several targets vanish at once": {
			reason: "F9, E13: one that was under eviction, and others",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east", "north", "west").see("east", eviction.Unhealthy, "").run(0)
				s.choose("east").run(10).unchoose("east", "north", "west").run(20)
				s.tells("north Normal TargetRemoved", "west Normal TargetRemoved")
			},
		},
		"an eviction of another cause and release": {
			reason: "F10: what the reason of the task says, and the revision of today",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "west")
				s.in.Revision = "7"
				task := left("east", 0, "west east east", "")
				task.Reason = string(failover.TaintUntolerated)
				s.in.Tasks = []eviction.Task{task}
				s.run(10)
				want := failover.Move{
					Attempt: 1, From: "east", Cause: preservation.Cluster, Mode: purge.Directly, Created: *stamp(0), Revision: "7",
					ClustersBeforeFailover: []string{"east", "west"}, Stage: failover.StageEvicting, StageSince: *stamp(10), Reason: purge.OldCopyUnreachable,
				}
				got := s.out.Record.Moves[0]
				got.Waits = failover.Waits{}
				if diff := cmp.Diff(asText(t, want), asText(t, got)); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			},
		},
	}
	play(t, tests)
}
