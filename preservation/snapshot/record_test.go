package snapshot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// TestRecord is PEERS 1.1 and 1.8: what an attempt makes of the last good snapshot.
func TestRecord(t *testing.T) {
	t.Parallel()
	last := snapshot.Snapshot{Location: path, TakenAt: noon.Add(-hour), Generation: 7, Final: true, JobID: "a"}
	done := func(change func(a *snapshot.Attempt)) snapshot.Attempt {
		a := snapshot.Attempt{
			State: snapshot.AttemptSucceeded, ID: "t-1", JobID: "a", Cluster: "east", Trigger: "update", Final: true,
			Location: "s3p://bucket/sp-2", TriggeredAt: noon.Add(-3 * time.Minute), CompletedAt: noon.Add(-2*time.Minute + 1),
			UpdatedAt: noon.Add(-time.Minute + 1),
		}
		if change != nil {
			change(&a)
		}
		return a
	}
	recorded := func(change func(s *snapshot.Snapshot)) snapshot.Snapshot {
		s := snapshot.Snapshot{
			Location: "s3p://bucket/sp-2", TakenAt: noon.Add(-2 * time.Minute), ObservedAt: noon.Add(-time.Minute),
			Generation: 8, Final: true, JobID: "a", Cluster: "east", Trigger: "update",
		}
		if change != nil {
			change(&s)
		}
		return s
	}
	abandoned := progress(10*time.Minute + 1)
	abandoned.State = snapshot.AttemptAbandoned
	tests := map[string]struct {
		attempt snapshot.Attempt
		want    snapshot.Snapshot
		after   *snapshot.Attempt // nil = as it was
		why     snapshot.Reason
		next    snapshot.NextCheck
		reason  string
	}{
		"none":       {snapshot.Attempt{}, last, nil, snapshot.NoAttempt, snapshot.NextCheck{}, "R1"},
		"none named": {snapshot.Attempt{State: snapshot.AttemptNone}, last, nil, snapshot.NoAttempt, snapshot.NextCheck{}, "R1"},
		"1.8 in progress": {
			progress(time.Minute), last, nil, snapshot.AttemptPending, in(9*time.Minute + time.Second), "F73: so is one that was not read",
		},
		"1.8 in progress at its deadline": {
			progress(10 * time.Minute), last, nil, snapshot.AttemptPending, in(time.Second), "R8: inclusive",
		},
		"1.8 in progress past its deadline": {
			progress(10*time.Minute + 1), last, &abandoned, snapshot.AttemptOverdue, snapshot.NextCheck{}, "R8: the older good one stands",
		},
		"in progress since nobody knows when": {
			snapshot.Attempt{State: snapshot.AttemptInProgress},
			last, &snapshot.Attempt{State: snapshot.AttemptAbandoned},
			snapshot.AttemptOverdue,
			snapshot.NextCheck{},
			"R8: it would never end",
		},
		"1.8 trigger failed": {
			snapshot.Attempt{State: snapshot.AttemptTriggerFailed}, last, nil, snapshot.AttemptUnsuccessful, snapshot.NextCheck{}, "R1: spoils nothing",
		},
		"1.8 failed": {
			snapshot.Attempt{State: snapshot.AttemptFailed, Location: "x"}, last, nil, snapshot.AttemptUnsuccessful, snapshot.NextCheck{}, "R1: spoils nothing",
		},
		"abandoned": {
			snapshot.Attempt{State: snapshot.AttemptAbandoned}, last, nil, snapshot.AttemptUnsuccessful, snapshot.NextCheck{}, "R1: spoils nothing",
		},
		"2.7 succeeded without a location": {
			done(func(a *snapshot.Attempt) { a.Location = "" }), last, nil, snapshot.LocationMissing, snapshot.NextCheck{}, "F72",
		},
		"succeeded, the same": {
			done(func(a *snapshot.Attempt) { a.Location = path }), last, nil, snapshot.AlreadyRecorded, snapshot.NextCheck{}, "R1: counted once",
		},
		"succeeded, older": {
			done(func(a *snapshot.Attempt) { a.CompletedAt = noon.Add(-hour - time.Second) }), last, nil,
			snapshot.AlreadyRecorded,
			snapshot.NextCheck{},
			"R1: an answer from an older life",
		},
		"1.8 succeeded": {
			done(nil), recorded(nil), nil, snapshot.SnapshotRecorded, snapshot.NextCheck{}, "R1, L2: UTC, whole seconds",
		},
		"1.1 succeeded, not final": {
			done(func(a *snapshot.Attempt) { a.Final = false }), recorded(func(s *snapshot.Snapshot) { s.Final = false }), nil,
			snapshot.SnapshotRecorded,
			snapshot.NextCheck{},
			"the finality of the last one is not inherited",
		},
		"1.1 succeeded, another job": {
			done(func(a *snapshot.Attempt) { a.JobID = "b" }),
			recorded(func(s *snapshot.Snapshot) { s.JobID, s.Final = "b", false }), nil,
			snapshot.SnapshotRecorded,
			snapshot.NextCheck{},
			"F76: final only for the present job",
		},
		"succeeded, completion not known": {
			done(func(a *snapshot.Attempt) { a.CompletedAt = time.Time{} }),
			recorded(func(s *snapshot.Snapshot) { s.TakenAt = noon.Add(-3 * time.Minute) }), nil,
			snapshot.SnapshotRecorded,
			snapshot.NextCheck{},
			"F80: the trigger is never too young",
		},
		"succeeded, no times": {
			done(func(a *snapshot.Attempt) {
				a.CompletedAt, a.TriggeredAt, a.UpdatedAt = time.Time{}, time.Time{}, time.Time{}
			}),
			recorded(func(s *snapshot.Snapshot) { s.TakenAt, s.ObservedAt = time.Time{}, noon }), nil,
			snapshot.SnapshotRecorded,
			snapshot.NextCheck{},
			"F80: seen now",
		},
		"unknown state": {
			snapshot.Attempt{State: "COMPLETED", Location: "x"}, last, nil, snapshot.InvalidInput, snapshot.NextCheck{}, "L6",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.after == nil {
				tt.after = &tt.attempt
			}
			got := snapshot.Record(snapshot.RecordInput{Last: last, Attempt: tt.attempt, JobID: "a", Now: noon})
			want := snapshot.Recording{Snapshot: tt.want, Attempt: *tt.after, Reason: tt.why, Message: got.Message, NextCheck: tt.next}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if got.Message == "" || strings.Contains(got.Message, "s3p") {
				t.Errorf("L5, L7: message %q", got.Message)
			}
			again := snapshot.Record(snapshot.RecordInput{Last: got.Snapshot, Attempt: got.Attempt, JobID: "a", Now: noon})
			if diff := cmp.Diff(got.Snapshot, again.Snapshot); diff != "" {
				t.Errorf("R1: recorded twice (-once +twice)\n%s", diff)
			}
		})
	}
}

// TestRecordAfterUnnamed: a location that is known again replaces the mark.
func TestRecordAfterUnnamed(t *testing.T) {
	t.Parallel()
	got := snapshot.Record(snapshot.RecordInput{
		Last:    snapshot.Snapshot{Location: path, Unnamed: true},
		Attempt: snapshot.Attempt{State: snapshot.AttemptSucceeded, Location: path}, Now: noon,
	})
	if got.Reason != snapshot.SnapshotRecorded || got.Snapshot.Unnamed || got.Snapshot.Location != path {
		t.Errorf("R1, R2: %+v", got)
	}
}
