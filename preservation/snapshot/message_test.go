package snapshot_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// TestMessages: messages have absolute times in UTC, limits in seconds, and the
// texts that are in no closed set; they change only when the answer does.
func TestMessages(t *testing.T) {
	t.Parallel()
	elsewhere := noon.In(time.FixedZone("elsewhere", 3600))
	pending := snapshot.Attempt{State: snapshot.AttemptInProgress, TriggeredAt: elsewhere}
	input := func(s snapshot.Snapshot, a snapshot.Attempt, l snapshot.Limit) snapshot.Input {
		return snapshot.Input{Phase: snapshot.PhaseFailed, Snapshot: s, Attempt: a, Reachable: true, Limit: l, Now: noon}
	}
	next := func(a snapshot.Attempt, last snapshot.Snapshot) string {
		return snapshot.NextSnapshot(snapshot.NextInput{
			Phase: snapshot.PhaseRunning, Last: last, Attempt: a, Schedule: every(3600, 10), Now: noon,
		}).Message
	}
	tests := map[string]struct{ got, want, reason string }{
		"wait": {
			snapshot.Freshness(input(snapshot.Snapshot{}, pending, snapshot.Seconds(60))).Message,
			"an attempt is in progress since 2026-01-01T12:00:00Z", "R2",
		},
		"fresh": {
			snapshot.Freshness(input(aged(0), snapshot.Attempt{}, snapshot.Seconds(60))).Message,
			"the snapshot is within the limit of 60 seconds", "R2",
		},
		"stale": {
			snapshot.Freshness(input(aged(hour), snapshot.Attempt{}, snapshot.Seconds(60))).Message,
			"the snapshot is older than the limit of 60 seconds", "R2",
		},
		"phase": {
			snapshot.Freshness(snapshot.Input{Phase: "running"}).Message, `phase "running" is unknown`, "L6",
		},
		"attempt state": {
			snapshot.Record(snapshot.RecordInput{Attempt: snapshot.Attempt{State: "Done"}}).Message, `attempt state "Done" is unknown`, "L6",
		},
		"attempt state, judged": {
			snapshot.Freshness(snapshot.Input{Attempt: snapshot.Attempt{State: "Done"}}).Message, `attempt state "Done" is unknown`, "L6",
		},
		"limit": {
			snapshot.Freshness(snapshot.Input{Limit: snapshot.Seconds(-1)}).Message, "the limit is negative: use 0 or more seconds", "L6",
		},
		"policy": {
			snapshot.Restart(snapshot.RestartInput{Policy: "Always"}).Message,
			`policy "Always" is unknown: use RequireState, PreferState or IgnoreState`, "L6",
		},
		"start empty": {
			snapshot.Restart(snapshot.RestartInput{
				Input: input(snapshot.Snapshot{}, snapshot.Attempt{}, snapshot.FinalOnly()), Policy: snapshot.PreferState,
			}).Message,
			"there is no snapshot: the work starts without state", "R6: never in silence",
		},
		"record, pending": {
			snapshot.Record(snapshot.RecordInput{Attempt: pending, Now: noon}).Message,
			"the attempt is in progress until 2026-01-01T12:10:00Z", "R8",
		},
		"next, pending":  {next(pending, aged(0)), "an attempt is in progress until 2026-01-01T12:10:00Z", "R8"},
		"next, interval": {next(snapshot.Attempt{}, aged(0)), "the interval ends at 2026-01-01T13:00:00Z", "R8"},
		"next, due":      {next(snapshot.Attempt{}, aged(2*hour)), "the interval ended at 2026-01-01T11:00:00Z", "R8"},
		"next, retry": {
			next(attempt(snapshot.AttemptFailed, snapshot.TriggerPeriodic, 0), aged(2*hour)),
			"the last attempt failed; the next one is at 2026-01-01T12:00:10Z", "R8",
		},
		"next, invalid": {
			snapshot.NextSnapshot(snapshot.NextInput{Schedule: every(0, 0)}).Message,
			"intervalSeconds: Invalid value: 0: an interval is at least 1 second: leave it out to take no periodic snapshots", "R8",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}

// TestRecordedTimes are UTC and whole seconds, whatever zone they come in (L2).
func TestRecordedTimes(t *testing.T) {
	t.Parallel()
	elsewhere := noon.Add(time.Millisecond).In(time.FixedZone("elsewhere", 3600))
	got := snapshot.Record(snapshot.RecordInput{
		Attempt: snapshot.Attempt{State: snapshot.AttemptSucceeded, Location: path, CompletedAt: elsewhere}, Now: elsewhere,
	}).Snapshot
	for name, at := range map[string]time.Time{"TakenAt": got.TakenAt, "ObservedAt": got.ObservedAt} {
		if at != noon {
			t.Errorf("L2: %s is %v", name, at)
		}
	}
}
