package failover_test

import (
	"strings"
	"testing"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// says checks the cause and the beginning of a decision, and what its message must
// tell; since is a second of the session, -1 = none.
func (s *session) says(cluster string, cause preservation.Cause, since int, words ...string) *session {
	s.t.Helper()
	for _, d := range s.out.Decisions {
		if d.Cluster != cluster {
			continue
		}
		if d.Cause != cause {
			s.t.Errorf("%s: cause %q, want %q", cluster, d.Cause, cause)
		}
		if since < 0 && d.Since != nil || since >= 0 && !d.Since.Equal(stamp(since)) {
			s.t.Errorf("%s: since %v, want second %d", cluster, d.Since, since)
		}
		for _, word := range words {
			if !strings.Contains(d.Message, word) {
				s.t.Errorf("%s: the message does not tell %q: %s", cluster, word, d.Message)
			}
		}
		return s
	}
	s.t.Errorf("no decision about %s", cluster)
	return s
}

// TestPlanWords is L5: every answer says why, since when and until when.
func TestPlanWords(t *testing.T) {
	t.Parallel()
	const t0, t60, t300 = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z", "2026-01-01T00:05:00Z"
	application, cluster := preservation.Application, preservation.Cluster
	tests := map[string]func(t *testing.T){
		"below toleration": func(t *testing.T) {
			t.Helper()
			s := newSession(t, plain(purge.Directly, 60), "east").see("east", eviction.Unhealthy, "A").run(0)
			s.says("east", application, 0, "unhealthy on east since "+t0, t60)
			s.see("east", eviction.HealthUnknown, "A").run(10).says("east", application, 0, "not known", "since "+t0)
			s.see("east", eviction.Unhealthy, "A").run(60).says("east", application, 0, "since "+t0, "Directly")
			s.run(70).says("east", application, 60, "leaving east")
		},
		"default toleration": func(t *testing.T) {
			t.Helper()
			b := plain(purge.Directly, 0)
			b.Application.DecisionConditions.TolerationSeconds = nil
			newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0).says("east", application, 0, t300).looksAgain(300)
		},
		"a limit that Validate refuses": func(t *testing.T) {
			t.Helper()
			for _, most := range []int32{0, -1} {
				b := plain(purge.Directly, 0)
				b.Application.DecisionConditions.MaxFailovers, b.Application.DecisionConditions.WindowSeconds = &most, ptr(int32(10))
				newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0).decides("east", failover.Blocked, failover.InvalidPolicy)
			}
		},
		"one failover": func(t *testing.T) {
			t.Helper()
			b := plain(purge.Directly, 0)
			b.Application.DecisionConditions.MaxFailovers = ptr(int32(1))
			s := newSession(t, b, "east", "north").see("east", eviction.Unhealthy, "A").run(0)
			s.see("north", eviction.Unhealthy, "N").run(10).decides("north", failover.None, failover.FailoverLimit).says("north", application, 10, "1 times")
		},
		"limits of other revisions and of older times": func(t *testing.T) {
			t.Helper()
			b := plain(purge.Directly, 0)
			b.Application.DecisionConditions.MaxFailovers = ptr(int32(2))
			b.Application.DecisionConditions.WindowSeconds = ptr(int32(100))
			s := newSession(t, b, "east")
			s.in.Record = failover.Record{Version: failover.RecordVersion, Failovers: []failover.Failover{
				{Revision: "", Attempt: 1, At: *stamp(0)},
				{Revision: "old", Attempt: 2, At: *stamp(190)},
				{Revision: "", Attempt: 4, At: *stamp(195)},
				{Revision: "", Attempt: 3, At: *stamp(150)},
			}}
			s.run(199)
			s.see("east", eviction.Unhealthy, "A").run(200).decides("east", failover.Wait, failover.FailoverLimit).
				says("east", application, 200, "2 times", "2026-01-01T00:04:10Z").looksAgain(50)
		},
		"never healthy": func(t *testing.T) {
			t.Helper()
			b := plain(purge.Directly, 0)
			b.Application.DecisionConditions.RequireHealthyBefore = true
			newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0).says("east", application, 0, "never healthy")
		},
		"taints": func(t *testing.T) {
			t.Helper()
			s := newSession(t, plain(purge.Directly, 0), "east").know("east", failover.ClusterFacts{Taints: lostCluster()})
			s.in.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr(int64(300))}}
			s.run(0).says("east", cluster, -1, "example.com/lost", t300)
			s.in.Policy.Cluster = nil
			s.run(1).decides("east", failover.None, failover.NotConfigured).says("east", cluster, -1, "east", "taints")
		},
		"a request": func(t *testing.T) {
			t.Helper()
			s := newSession(t, plain(purge.Directly, 0), "east").ask(failover.Request{Cluster: "east", Action: failover.RequestEvict})
			s.run(0).says("east", preservation.Planned, -1, "asks to leave east")
		},
		"switched off": func(t *testing.T) {
			t.Helper()
			s := newSession(t, plain(purge.Directly, 0), "east")
			s.in.Host.RequestsOnly = true
			s.run(0).says("east", "", -1, "switched off")
		},
		"target and under eviction": func(t *testing.T) {
			t.Helper()
			s := newSession(t, plain(purge.Never, 0), "east", "west").see("east", eviction.Unhealthy, "A").run(0)
			s.choose("east").see("west", eviction.Unhealthy, "W").run(10).
				decides("east", failover.AlreadyEvicting, failover.Reason(eviction.ReasonTargetUnderEviction)).says("east", "", -1, "target", "under eviction").
				decides("west", failover.Evict, failover.ApplicationFailure)
		},
		"an eviction of somebody else": func(t *testing.T) {
			t.Helper()
			s := newSession(t, plain(purge.Directly, 0), "west")
			task := left("east", 0, "east", "")
			task.Reason = "Maintenance"
			s.in.Tasks = []eviction.Task{task}
			s.run(10).says("east", "", 0, "leaving east")
		},
		"empty names": func(t *testing.T) {
			t.Helper()
			s := newSession(t, plain(purge.Directly, 0), "east").ask(failover.Request{Action: failover.RequestEvict}).run(0)
			if len(s.out.Decisions) != 1 {
				t.Errorf("decisions %v", s.out.Decisions)
			}
		},
		"a blocked target that recovers": func(t *testing.T) {
			t.Helper()
			b := stateful(purge.Directly, 0)
			b.Application.StatePreservation.MissingStateDeadlineSeconds = ptr(int32(100))
			s := newSession(t, b, "east").see("east", eviction.Unhealthy, "").run(0).looksAgain(100)
			s.see("east", eviction.Healthy, "").run(50)
			s.see("east", eviction.Unhealthy, "").run(60).looksAgain(100)
		},
		"blocked for something else in between": func(t *testing.T) {
			t.Helper()
			b := stateful(purge.Directly, 0)
			b.Application.StatePreservation.MissingStateDeadlineSeconds = ptr(int32(100))
			s := newSession(t, b, "east").see("east", eviction.Unhealthy, "").run(0).looksAgain(100)
			s.in.Producer = ""
			s.see("east", eviction.Unhealthy, "A").run(50).decides("east", failover.Blocked, failover.InvalidEviction).looksAgain(0)
			s.in.Producer = "test"
			s.see("east", eviction.Unhealthy, "").run(60).looksAgain(100)
		},
		"an eviction needs no look": func(t *testing.T) {
			t.Helper()
			s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").
				know("east", failover.ClusterFacts{Taints: lostCluster()})
			s.in.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr(int64(300))}}
			s.run(0).decides("east", failover.Evict, failover.ApplicationFailure).looksAgain(0)
		},
		"two evictions at once": func(t *testing.T) {
			t.Helper()
			s := newSession(t, plain(purge.Directly, 0), "east", "west").see("east", eviction.Unhealthy, "A").
				know("west", failover.ClusterFacts{Taints: lostCluster()}).run(0)
			s.says("east", application, 0, "unhealthy on east").says("west", cluster, -1, "example.com/lost")
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}
