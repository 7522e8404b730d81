package failover_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/preservation/snapshot"
	"github.com/carryover-io/carryover/purge"
)

// TestPlanStateTakenAt is R2 to R4 through a policy: takenAt names the time, the verdict is
// told, and the missing-state policy decides.
func TestPlanStateTakenAt(t *testing.T) {
	t.Parallel()
	policy := func(on preservation.OnMissingState) failover.Behavior {
		b := stateful(purge.Directly, 0)
		sp := b.Application.StatePreservation
		sp.MaxStateAgeSeconds, sp.TakenAt, sp.OnMissingState = ptr(int32(300)), "{.at}", on
		return b
	}
	// failing is an application that fails at 1000 with a status that holds this time.
	failing := func(t *testing.T, b failover.Behavior, taken any) *session {
		t.Helper()
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A")
		raw, err := json.Marshal(map[string]any{"job": "A", "at": taken})
		if err != nil {
			t.Fatal(err)
		}
		s.in.Items[0].Status = &runtime.RawExtension{Raw: raw}
		return s
	}
	millis := func(second int) json.Number { return json.Number(fmt.Sprint(at(second).UnixMilli())) }
	tests := map[string]struct {
		reason  string
		taken   any
		verdict snapshot.Verdict // empty = it may go along
	}{
		"milliseconds":       {"R4: a number", millis(700), ""},
		"text":               {"R4: RFC 3339 with a zone", at(700).Format("2006-01-02T15:04:05Z07:00"), ""},
		"digits":             {"R4: the same number as text", string(millis(700)), ""},
		"at the limit":       {"R2: the limit is inclusive", millis(700), ""},
		"past the limit":     {"R2: one second more", millis(699), snapshot.VerdictStale},
		"from the future":    {"R2: beyond the skew", millis(1061), snapshot.VerdictSuspect},
		"within the skew":    {"R2: 60 s are believed", millis(1060), ""},
		"without a zone":     {"R4: nobody knows which time that is", "2026-01-01T00:15:00", snapshot.VerdictStale},
		"zero":               {"R4: none, never 1970", 0, snapshot.VerdictStale},
		"null":               {"R4: none", nil, snapshot.VerdictStale},
		"something else":     {"R4: no time", map[string]any{"t": 1}, snapshot.VerdictStale},
		"a negative number":  {"R4: no time", -5, snapshot.VerdictStale},
		"seconds, not milli": {"R4: told apart by size", at(900).Unix(), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Log(test.reason)
			s := failing(t, policy(""), test.taken).run(1000)
			if test.verdict == "" {
				s.decides("east", failover.Evict, failover.ApplicationFailure).warns("east", failover.StateTooOld, false)
				return
			}
			s.decides("east", failover.Blocked, failover.MissingState).warns("east", failover.StateTooOld, true)
			if got := fails[*failover.StateAgeError](s); got != nil && (got.Verdict != test.verdict || got.Cluster != "east" || got.Retryable()) {
				t.Errorf("%+v", got)
			}
			without := failing(t, policy(preservation.EvictWithout), test.taken).run(1000).decides("east", failover.Evict, failover.EvictedWithoutState)
			if got := without.out.Tasks[0].PreservedLabelState; len(got) > 0 {
				t.Errorf("state of that time goes along: %d labels", len(got))
			}
		})
	}
	t.Run("a snapshot is being taken", func(t *testing.T) {
		t.Parallel()
		s := failing(t, policy(""), millis(0))
		s.know("east", failover.ClusterFacts{Snapshotting: &snapshot.Attempt{State: snapshot.AttemptInProgress, TriggeredAt: at(990)}})
		s.run(1000).decides("east", failover.Blocked, failover.MissingState)
		if s.out.NextCheck.After <= 0 {
			t.Error("nobody looks again")
		}
		if got := fails[*failover.StateAgeError](s); got != nil && (got.Verdict != snapshot.VerdictWait || !got.Retryable()) {
			t.Errorf("%+v", got)
		}
		failed := failing(t, policy(""), millis(0))
		failed.know("east", failover.ClusterFacts{Snapshotting: &snapshot.Attempt{State: snapshot.AttemptFailed, TriggeredAt: at(990)}})
		failed.run(1000)
		if got := fails[*failover.StateAgeError](failed); got != nil && got.Verdict != snapshot.VerdictStale {
			t.Errorf("%+v", got)
		}
	})
	t.Run("only optional values", func(t *testing.T) {
		t.Parallel()
		b := policy("")
		b.Application.StatePreservation.Rules[0].Policy = preservation.Optional
		s := failing(t, b, millis(0)).run(1000).decides("east", failover.Evict, failover.ApplicationFailure).warns("east", failover.StateTooOld, true)
		if got := s.out.Tasks[0].PreservedLabelState; len(got) > 0 {
			t.Errorf("%d labels", len(got))
		}
	})
	t.Run("a mode that never injects", func(t *testing.T) {
		t.Parallel()
		b := policy("")
		b.Application.PurgeMode = purge.Gracefully
		failing(t, b, millis(0)).run(1000).decides("east", failover.Evict, failover.ApplicationFailure)
	})
}
