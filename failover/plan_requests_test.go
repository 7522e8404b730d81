package failover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// asked is a request of a certain time, as it stands in a specification; below 0 = it has
// none.
func asked(cluster string, action failover.RequestAction, seconds int) failover.Request {
	r := failover.Request{Cluster: cluster, Action: action}
	if seconds >= 0 {
		r.At = &metav1.Time{Time: at(seconds)}
	}
	return r
}

// A request that a host gives again and again is answered once, if it has a time.
func TestPlanRequestsThatStay(t *testing.T) {
	t.Parallel()
	// west received job A of east at 10.
	moved := func(t *testing.T) *session {
		t.Helper()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
		return s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
	}
	tests := map[string]episode{
		"an eviction of an earlier stay": {
			reason: "the application came back to east later: it was not asked to leave again",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Healthy, "A").run(0).
					ask(asked("east", failover.RequestEvict, 10)).run(10).decides("east", failover.Evict, failover.PlannedMove)
				s.lose("east").gone("east").run(20)
				s.choose("east").run(30).decides("east", failover.None, failover.HealthUnknown).warns("east", failover.OutdatedRequest, true)
				s.see("east", eviction.Healthy, "B").run(40).decides("east", failover.None, failover.ApplicationHealthy)
				s.ask(asked("east", failover.RequestEvict, 41)).run(41).decides("east", failover.Evict, failover.PlannedMove).warns("east", failover.OutdatedRequest, false)
			},
		},
		"an eviction in the second of the arrival": {
			reason: "nobody knows which came first, and a person asks to leave",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "north").run(0).unchoose("north").choose("east").run(10)
				s.see("east", eviction.Healthy, "A").ask(asked("east", failover.RequestEvict, 10)).run(11).decides("east", failover.Evict, failover.PlannedMove)
			},
		},
		"an eviction without a time": {
			reason: "it is asked for in each call that has it",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "north").run(0).unchoose("north").choose("east").run(10)
				s.see("east", eviction.Healthy, "A").ask(asked("east", failover.RequestEvict, -1)).run(20).decides("east", failover.Evict, failover.PlannedMove)
			},
		},
		"an eviction of a stay that is older than the record": {
			reason: "nobody knows since when, and a person asks to leave",
			play: func(t *testing.T) {
				t.Helper()
				newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Healthy, "A").
					ask(asked("east", failover.RequestEvict, 0)).run(100).decides("east", failover.Evict, failover.PlannedMove)
			},
		},
		"an acknowledgement of an earlier state": {
			reason: "west received another state since: that one is still needed",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t).ask(asked("west", failover.RequestAcknowledge, 5))
				s.run(20).places("west", failover.Apply, failover.Injected, "A")
				s.ask(asked("west", failover.RequestAcknowledge, 20)).run(21).places("west", failover.Apply, failover.NoState, "")
			},
		},
		"an acknowledgement of a state that left later": {
			reason: "what left after the request waits on",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Healthy, "A").run(0).
					see("east", eviction.Unhealthy, "A").run(10).ask(asked("east", failover.RequestAcknowledge, 9))
				s.gone("east").lose("east").choose("west").run(20).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"a withdrawal of an earlier stay": {
			reason: "it counts as long as it is given",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "north").run(0).unchoose("north").choose("east").run(10)
				s.see("east", eviction.Unhealthy, "A").ask(asked("east", failover.RequestWithdraw, 5)).
					run(20).decides("east", failover.None, failover.WithdrawRequested)
			},
		},
		"an eviction that is asked for again": {
			reason: "the later request counts, and nothing is to be said of the earlier one",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "north").run(0).unchoose("north").choose("east").run(10)
				s.see("east", eviction.Healthy, "A").ask(asked("east", failover.RequestEvict, 5), asked("east", failover.RequestEvict, 15)).
					run(20).decides("east", failover.Evict, failover.PlannedMove).warns("east", failover.OutdatedRequest, false)
			},
		},
		"acknowledgements of two clusters": {
			reason: "each is answered",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east", "west").
					see("east", eviction.Unhealthy, "A").see("west", eviction.Unhealthy, "B").run(0)
				s.gone("east").gone("west").lose("east").lose("west").run(10)
				s.ask(asked("east", failover.RequestAcknowledge, 11), asked("west", failover.RequestAcknowledge, 11)).run(11).ask()
				s.choose("north").run(20).places("north", failover.Apply, failover.NoState, "")
			},
		},
		"two acknowledgements": {
			reason: "the later one counts, and the second ends nothing more",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t).ask(asked("west", failover.RequestAcknowledge, 5), asked("west", failover.RequestAcknowledge, 20))
				s.run(21).places("west", failover.Apply, failover.NoState, "")
			},
		},
		"an acknowledgement with a time and one without": {
			reason: "the one without is of now",
			play: func(t *testing.T) {
				t.Helper()
				s := moved(t).ask(asked("west", failover.RequestAcknowledge, 5), asked("west", failover.RequestAcknowledge, -1))
				s.run(21).places("west", failover.Apply, failover.NoState, "")
			},
		},
	}
	play(t, tests)
}

// L3: of two requests to leave, for different causes, the same one counts in any order.
func TestPlanRequestsOfTwoCauses(t *testing.T) {
	t.Parallel()
	cluster, planned := asked("east", failover.RequestEvict, -1), asked("east", failover.RequestEvict, -1)
	cluster.Cause = preservation.Cluster
	for _, requests := range [][]failover.Request{{cluster, planned}, {planned, cluster}} {
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Healthy, "A").ask(requests...)
		s.run(0).decides("east", failover.Evict, failover.TaintUntolerated)
		if diff := cmp.Diff(preservation.Cluster, s.out.Decisions[0].Cause); diff != "" {
			t.Errorf("cause (-want +got)\n%s", diff)
		}
	}
}

// E11, P4: the last status of a copy that is gone says Healthy: nothing of that can come
// back.
func TestPlanHealthyAndGone(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Gracefully, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
	s.see("east", eviction.Healthy, "A").gone("east").run(10).
		purges("east", eviction.Finish, purge.OldCopyGone).ended(failover.OutcomeFinished)
}

// F14, F4: an eviction for taints that was not written is dropped where those that are
// left evict nobody, or nobody any more.
func TestPlanPendingUntainted(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) *session {
		t.Helper()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Healthy, "A").run(0)
		return s.know("east", failover.ClusterFacts{Taints: lostCluster()}).crash(10).decides("east", failover.Evict, failover.TaintUntolerated)
	}
	t.Run("others are left", func(t *testing.T) {
		t.Parallel()
		s := begin(t).know("east", failover.ClusterFacts{Taints: []failover.Taint{{Key: "example.com/full", Effect: "NoSchedule"}}})
		s.run(20).ended(failover.OutcomeDropped).places("east", failover.Apply, failover.NoState, "")
	})
	t.Run("tolerated for ever", func(t *testing.T) {
		t.Parallel()
		s := begin(t)
		s.in.Tolerations = []failover.Toleration{{Operator: failover.Exists}}
		s.run(20).ended(failover.OutcomeDropped).decides("east", failover.Tolerated, failover.TaintTolerated)
	})
	t.Run("tolerated for a while", func(t *testing.T) {
		t.Parallel()
		s := begin(t)
		s.in.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr(int64(60))}}
		s.run(20).ended(failover.OutcomeUnderway)
	})
}
