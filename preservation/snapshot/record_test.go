package snapshot_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// TestRecord is 1.1 and 1.8 of docs/flink.md: what an attempt makes of the last good snapshot.
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
		"in progress, its deadline a moment early": {
			progress(time.Minute + 1), last, nil, snapshot.AttemptPending, in(9 * time.Minute), "L5: over just after, so no second later",
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

// TestRecordFinality is 1.7 of docs/flink.md: what the work does next voids the
// finality of the last snapshot, and of a new one, and nothing else.
func TestRecordFinality(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		phase  snapshot.Phase
		jobID  string
		want   bool
		reason string
	}{
		"1.7 running, itself":       {snapshot.PhaseRunning, "a", true, "it is stopping: 1.6 moves on a final one of a running job"},
		"1.7 running, the next job": {snapshot.PhaseRunning, "b", false, "spotify clears it when the job enters Running"},
		"running, no id":            {snapshot.PhaseRunning, "", false, "L6: not known to be the same job"},
		"pending, the next job":     {snapshot.PhasePending, "b", true, "R2: it did nothing yet"},
		"starting, the next job":    {snapshot.PhaseStarting, "b", true, "R2: spotify keeps it while Deploying"},
		"failed, itself":            {snapshot.PhaseFailed, "a", true, "R1: good whatever the job does next"},
		"failed, the next job":      {snapshot.PhaseFailed, "b", false, "L6: it may have run unseen"},
		"succeeded, the next job":   {snapshot.PhaseSucceeded, "b", false, "R2: it ran"},
		"cancelled, itself":         {snapshot.PhaseCancelled, "a", true, "1.7: cancelled in order to move"},
		"unknown, the next job":     {snapshot.PhaseUnknown, "b", false, "L6: it may run"},
		"1.7 lost":                  {snapshot.PhaseLost, "a", false, "R9: nobody can vouch for it"},
		"1.7 lost, the next job":    {snapshot.PhaseLost, "b", false, "R9"},
		"no phase":                  {"", "a", true, "R9: the same as Unknown"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			last := snapshot.Snapshot{Location: path, TakenAt: noon, Generation: 7, Final: true, JobID: "a"}
			kept := snapshot.Record(snapshot.RecordInput{Last: last, Phase: tt.phase, JobID: tt.jobID, Now: noon})
			last.Final = tt.want
			if diff := cmp.Diff(last, kept.Snapshot); diff != "" || kept.Reason != snapshot.NoAttempt {
				t.Errorf("%s: %s (-want +got)\n%s", tt.reason, kept.Reason, diff)
			}
			added := snapshot.Record(snapshot.RecordInput{
				Attempt: snapshot.Attempt{State: snapshot.AttemptSucceeded, Location: path, JobID: "a", Final: true},
				Phase:   tt.phase, JobID: tt.jobID, Now: noon,
			})
			if added.Reason != snapshot.SnapshotRecorded || added.Snapshot.Final != tt.want {
				t.Errorf("%s: a new one: %+v", tt.reason, added)
			}
			found := snapshot.Record(snapshot.RecordInput{Last: kept.Snapshot, Phase: snapshot.PhaseCancelled, JobID: "a", Now: noon})
			if found.Snapshot.Final != tt.want {
				t.Errorf("R9: found again: %+v", found)
			}
		})
	}
	unnamed := snapshot.Record(snapshot.RecordInput{
		Last:  snapshot.Snapshot{Location: path, Final: true},
		Phase: snapshot.PhaseRunning, Now: noon,
	})
	if !unnamed.Snapshot.Final {
		t.Error("R1: work without job ids has one job")
	}
	last := snapshot.Snapshot{Location: path, Final: true}
	invalid := snapshot.Record(snapshot.RecordInput{
		Last: last, Attempt: snapshot.Attempt{State: snapshot.AttemptSucceeded, Location: "s3p://bucket/sp-2"}, Phase: "running", Now: noon,
	})
	if invalid.Reason != snapshot.InvalidInput || invalid.Message != `phase "running" is unknown` || invalid.Snapshot != last {
		t.Errorf("L6: %+v", invalid)
	}
}

// TestRecordStorable: what Record returns can be stored as JSON, whatever its input.
func TestRecordStorable(t *testing.T) {
	t.Parallel()
	west, east := time.FixedZone("west", -3600), time.FixedZone("east", 3600)
	second := func(year int, zone *time.Location) time.Time {
		return time.Date(year, time.January, 1, 0, 0, 0, 0, zone)
	}
	tests := map[string]struct {
		at     time.Time
		known  bool
		reason string
	}{
		"end of 9999, in UTC":        {second(10000, time.UTC).Add(-time.Second), true, "L2: the last that can be stored"},
		"end of 9999, in the west":   {second(10000, west).Add(-time.Second), false, "L4: JSON can hold it as it stands, but not in UTC"},
		"end of 9999, in the east":   {second(10000, east).Add(-time.Second), true, "L2"},
		"year 10000":                 {second(10000, time.UTC), false, "L4"},
		"start of 0, in UTC":         {second(0, time.UTC), true, "L2: the first that can be stored"},
		"start of 0, in the east":    {second(0, east), false, "L4"},
		"the longest that Go has":    {time.Unix(1<<62, 0), false, "L4"},
		"the earliest that Go has":   {time.Unix(-1<<62, 0), false, "L4"},
		"an ordinary one, in a zone": {noon.In(west), true, "L2"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := snapshot.Record(snapshot.RecordInput{
				Attempt: snapshot.Attempt{State: snapshot.AttemptSucceeded, Location: path, CompletedAt: tt.at, UpdatedAt: tt.at}, Now: noon,
			}).Snapshot
			text, err := json.Marshal(got)
			require.NoError(t, err, tt.reason)
			var again snapshot.Snapshot
			require.NoError(t, json.Unmarshal(text, &again), tt.reason)
			if diff := cmp.Diff(got, again); diff != "" || got.TakenAt.IsZero() == tt.known || got.ObservedAt.IsZero() == tt.known {
				t.Errorf("%s: %s (-stored +read)\n%s", tt.reason, text, diff)
			}
		})
	}
}

// TestRecordKnowsNothing: without any time an attempt in progress cannot be awaited.
func TestRecordKnowsNothing(t *testing.T) {
	t.Parallel()
	got := snapshot.Record(snapshot.RecordInput{Attempt: snapshot.Attempt{State: snapshot.AttemptInProgress}})
	if got.Reason != snapshot.AttemptOverdue || got.Attempt.State != snapshot.AttemptAbandoned || got.NextCheck.OK {
		t.Errorf("R8: %+v", got)
	}
}

// TestRecordOrder: an answer that is older than the last snapshot does not replace it,
// and a time that nobody believes does not keep later ones out.
func TestRecordOrder(t *testing.T) {
	t.Parallel()
	const second = time.Second
	at := noon.Add
	seen := func(d time.Duration) snapshot.Snapshot { return snapshot.Snapshot{Location: path, ObservedAt: at(d)} }
	tests := map[string]struct {
		last    snapshot.Snapshot
		attempt snapshot.Attempt
		now     time.Time
		want    snapshot.Reason
		reason  string
	}{
		"taken before": {
			snapshot.Snapshot{Location: path, TakenAt: at(-hour)},
			snapshot.Attempt{CompletedAt: at(-hour - second), UpdatedAt: noon},
			noon,
			snapshot.AlreadyRecorded, "F76: an answer from an older life, however late it was seen",
		},
		"taken in the same second": {
			snapshot.Snapshot{Location: path, TakenAt: at(-hour)},
			snapshot.Attempt{CompletedAt: at(-hour)},
			noon,
			snapshot.SnapshotRecorded, "R1: another location, not known to be older",
		},
		"triggered before": {
			snapshot.Snapshot{Location: path, TakenAt: at(-hour)},
			snapshot.Attempt{TriggeredAt: at(-hour - second)},
			noon,
			snapshot.AlreadyRecorded, "F80: the trigger is never too young",
		},
		"last only seen, seen before": {
			seen(-hour),
			snapshot.Attempt{CompletedAt: noon, UpdatedAt: at(-hour - second)},
			noon,
			snapshot.AlreadyRecorded, "R1: the time it was seen stands in on both sides",
		},
		"last only seen, taken before": {
			seen(-hour),
			snapshot.Attempt{CompletedAt: at(-hour - second)},
			noon,
			snapshot.AlreadyRecorded, "R1: an attempt is seen after it completed, if at all",
		},
		"last only seen, taken before, seen after": {
			seen(-hour),
			snapshot.Attempt{CompletedAt: at(-hour - second), UpdatedAt: at(-hour + second)},
			noon,
			snapshot.SnapshotRecorded, "F80: the last one was seen late; times of one kind decide",
		},
		"no time at all": {
			seen(-hour), snapshot.Attempt{}, noon, snapshot.SnapshotRecorded, "R1: not known to be older",
		},
		"last from the future": {
			snapshot.Snapshot{Location: path, TakenAt: at(60*second + 1)},
			snapshot.Attempt{CompletedAt: noon},
			noon,
			snapshot.SnapshotRecorded, "R2: one broken clock must not keep every later snapshot out",
		},
		"last within the skew": {
			snapshot.Snapshot{Location: path, TakenAt: at(60 * second)},
			snapshot.Attempt{CompletedAt: noon},
			noon,
			snapshot.AlreadyRecorded, "R2: believed",
		},
		"last seen in the future": {
			seen(hour), snapshot.Attempt{UpdatedAt: noon}, noon, snapshot.SnapshotRecorded, "R2: not believed",
		},
		"now not known": {
			snapshot.Snapshot{Location: path, TakenAt: at(hour)},
			snapshot.Attempt{CompletedAt: noon},
			time.Time{},
			snapshot.AlreadyRecorded, "R1: without a now nothing is from the future",
		},
		"last unnamed, and newer": {
			snapshot.Snapshot{Unnamed: true, TakenAt: at(-hour)},
			snapshot.Attempt{CompletedAt: at(-2 * hour)},
			noon,
			snapshot.AlreadyRecorded, "R2: an older state does not stand in for one that nobody can name",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.attempt.State, tt.attempt.Location = snapshot.AttemptSucceeded, "s3p://bucket/sp-2"
			got := snapshot.Record(snapshot.RecordInput{Last: tt.last, Attempt: tt.attempt, Now: tt.now})
			if got.Reason != tt.want || (got.Snapshot == tt.last) != (tt.want == snapshot.AlreadyRecorded) {
				t.Errorf("%s: %+v", tt.reason, got)
			}
		})
	}
}
