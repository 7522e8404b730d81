package snapshot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

func every(interval, retry int64) snapshot.Schedule {
	return snapshot.Schedule{IntervalSeconds: &interval, RetrySeconds: retry}
}

func attempt(state snapshot.AttemptState, trigger string, ago time.Duration) snapshot.Attempt {
	return snapshot.Attempt{State: state, Trigger: trigger, TriggeredAt: noon.Add(-ago - time.Second), UpdatedAt: noon.Add(-ago)}
}

// TestNextSnapshot is the second table of 1.6, the second of 1.8, and 2.6 of
// docs/flink.md.
func TestNextSnapshot(t *testing.T) {
	t.Parallel()
	hourly := every(3600, 10)
	none, failed, success := snapshot.Attempt{}, snapshot.AttemptFailed, snapshot.AttemptSucceeded
	const auto, user = snapshot.TriggerPeriodic, snapshot.TriggerManual
	running := func(last snapshot.Snapshot, a snapshot.Attempt, s snapshot.Schedule) snapshot.NextInput {
		return snapshot.NextInput{Phase: snapshot.PhaseRunning, Last: last, Attempt: a, Schedule: s, Now: noon}
	}
	asked := func(in snapshot.NextInput) snapshot.NextInput {
		in.Requested = true
		return in
	}
	started := func(ago time.Duration) snapshot.NextInput {
		in := running(snapshot.Snapshot{}, snapshot.Attempt{}, hourly)
		in.StartedAt = noon.Add(-ago)
		return in
	}
	of := func(in snapshot.NextInput, now, tried string) snapshot.NextInput {
		in.JobID, in.Attempt.JobID = now, tried
		return in
	}
	phase := func(p snapshot.Phase) snapshot.NextInput {
		in := asked(running(aged(2*hour), none, hourly))
		in.Phase = p
		return in
	}
	tests := map[string]struct {
		in      snapshot.NextInput
		timing  snapshot.Timing
		trigger string
		why     snapshot.Reason
		next    snapshot.NextCheck
		reason  string
	}{
		"2.6 not running": {
			snapshot.NextInput{Phase: snapshot.PhaseStarting, Requested: true, Schedule: hourly, Now: noon},
			snapshot.SnapshotNone, "", snapshot.NotRunning,
			snapshot.NextCheck{},
			"none",
		},
		"1.8 stopped": {
			snapshot.NextInput{Phase: snapshot.PhaseFailed, Requested: true, Schedule: hourly, Now: noon},
			snapshot.SnapshotNone, "", snapshot.NotRunning,
			snapshot.NextCheck{},
			"cannot take",
		},
		"1.8 pending": {
			phase(snapshot.PhasePending), snapshot.SnapshotNone, "", snapshot.NotRunning,
			snapshot.NextCheck{},
			"a difference: spotify excludes stopped jobs only",
		},
		"1.8 lost":        {phase(snapshot.PhaseLost), snapshot.SnapshotNone, "", snapshot.NotRunning, snapshot.NextCheck{}, "cannot take"},
		"1.8 succeeded":   {phase(snapshot.PhaseSucceeded), snapshot.SnapshotNone, "", snapshot.NotRunning, snapshot.NextCheck{}, "cannot take"},
		"1.8 cancelled":   {phase(snapshot.PhaseCancelled), snapshot.SnapshotNone, "", snapshot.NotRunning, snapshot.NextCheck{}, "cannot take"},
		"1.8 job unknown": {phase(snapshot.PhaseUnknown), snapshot.SnapshotNone, "", snapshot.NotRunning, snapshot.NextCheck{}, "as pending"},
		"2.6 in progress": {
			running(aged(2*hour), progress(time.Minute), hourly),
			snapshot.SnapshotWait, "", snapshot.AttemptPending, in(9*time.Minute + time.Second), "none: and it says until when",
		},
		"2.6 nonce changed": {
			asked(running(aged(2*hour), none, hourly)),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"MANUAL is before PERIODIC",
		},
		"2.6 interval over": {
			running(aged(hour+1), none, hourly), snapshot.SnapshotDue, auto, snapshot.IntervalElapsed, snapshot.NextCheck{}, "PERIODIC",
		},
		"2.6 interval over since the trigger, not since the last": {
			running(aged(30*time.Minute), attempt(failed, auto, 2*hour), hourly),
			snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(30 * time.Minute), "a difference: apache counts from the last trigger",
		},
		"2.6 interval zero": {
			running(aged(2*hour), none, every(0, 0)),
			snapshot.SnapshotNone, "", snapshot.InvalidInput,
			snapshot.NextCheck{},
			"a difference: apache turns it off; leave it out",
		},
		"2.6 no expression": {
			running(aged(2*hour), none, snapshot.Schedule{}), snapshot.SnapshotNone, "", snapshot.NotScheduled, snapshot.NextCheck{}, "none",
		},
		"2.6 failed a minute ago": {
			running(aged(2*hour), attempt(failed, auto, time.Minute), hourly),
			snapshot.SnapshotDue, auto, snapshot.IntervalElapsed,
			snapshot.NextCheck{},
			"a difference: apache retries for a minute and then waits for the interval",
		},
		"1.8 no job": {
			snapshot.NextInput{Requested: true, Schedule: hourly, Now: noon},
			snapshot.SnapshotNone, "", snapshot.NotRunning,
			snapshot.NextCheck{},
			"a difference: spotify lets nil pass",
		},
		"1.8 in progress": {
			asked(running(aged(2*hour), progress(time.Minute), hourly)),
			snapshot.SnapshotWait, "", snapshot.AttemptPending, in(9*time.Minute + time.Second), "one at a time",
		},
		"in progress, its deadline a moment early": {
			running(aged(2*hour), progress(time.Minute+1), hourly),
			snapshot.SnapshotWait, "", snapshot.AttemptPending, in(9 * time.Minute), "L5: over just after, so no second later",
		},
		"1.8 in progress, overdue": {
			running(aged(2*hour), progress(10*time.Minute+1), hourly),
			snapshot.SnapshotDue, auto, snapshot.IntervalElapsed,
			snapshot.NextCheck{},
			"a difference: spotify has no deadline",
		},
		"in progress, given deadline": {
			snapshot.NextInput{
				Phase: snapshot.PhaseRunning, Attempt: progress(time.Minute), AttemptDeadline: time.Minute, Schedule: hourly, Now: noon,
			},
			snapshot.SnapshotWait, "", snapshot.AttemptPending, in(time.Second), "R8: inclusive",
		},
		"1.8 requested": {
			asked(running(aged(0), none, hourly)),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"at once",
		},
		"1.8 requested, no schedule": {
			asked(running(aged(0), none, snapshot.Schedule{})),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"at once",
		},
		"requested, failed, no schedule": {
			asked(running(aged(0), attempt(failed, user, 9*time.Second), snapshot.Schedule{})),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(time.Second), "R8: a retry too; spotify cannot repeat it",
		},
		"requested, failed, retry over": {
			asked(running(aged(0), attempt(failed, user, 10*time.Second), snapshot.Schedule{})),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"R8: inclusive",
		},
		"requested, failed, interval runs": {
			asked(running(aged(hour-2*time.Second), attempt(failed, user, 5*time.Second), hourly)),
			snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(2 * time.Second), "L5: the earlier check",
		},
		"requested, failed, interval runs for longer": {
			asked(running(aged(30*time.Minute), attempt(failed, user, 5*time.Second), hourly)),
			snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(5 * time.Second), "L5: the earlier check",
		},
		"requested, failed, interval over": {
			asked(running(aged(2*hour), attempt(failed, user, 5*time.Second), hourly)),
			snapshot.SnapshotDue, auto, snapshot.IntervalElapsed,
			snapshot.NextCheck{},
			"R8: the periodic one is not delayed, and what is due needs no check",
		},
		"no attempt, with times": {
			asked(running(aged(0), snapshot.Attempt{UpdatedAt: noon}, snapshot.Schedule{})),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"R1: an empty state is no attempt, so none that failed",
		},
		"no attempt by name, with times": {
			asked(running(aged(0), attempt(snapshot.AttemptNone, user, 0), snapshot.Schedule{})),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"R1: none that failed",
		},
		"overdue, just looked at": {
			asked(running(aged(0), snapshot.Attempt{
				State: snapshot.AttemptInProgress, Trigger: user, TriggeredAt: noon.Add(-hour), UpdatedAt: noon,
			}, snapshot.Schedule{})),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"R8: it was waited for long enough",
		},
		"failed, now not known": {
			snapshot.NextInput{Phase: snapshot.PhaseRunning, Attempt: snapshot.Attempt{State: failed, Trigger: auto}, Schedule: hourly},
			snapshot.SnapshotDue, auto, snapshot.NeverTaken,
			snapshot.NextCheck{},
			"R8: no time to wait for",
		},
		"1.6 suspend, trigger failed": {
			asked(running(aged(0), attempt(snapshot.AttemptTriggerFailed, user, 0), snapshot.Schedule{})),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(10 * time.Second), "again after 10 s; spotify a moment later",
		},
		"1.6 suspend, no attempt": {
			asked(running(aged(0), none, snapshot.Schedule{})), snapshot.SnapshotDue, user, snapshot.Requested, snapshot.NextCheck{}, "yes",
		},
		"1.6 suspend, other job in progress": {
			of(asked(running(aged(0), progress(time.Minute), snapshot.Schedule{})), "b", "a"),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"yes: it ended with its job",
		},
		"1.6 suspend, other job failed": {
			of(asked(running(aged(0), attempt(failed, "update", 0), snapshot.Schedule{})), "b", "a"),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"yes",
		},
		"same job in progress": {
			of(asked(running(aged(0), progress(time.Minute), snapshot.Schedule{})), "a", "a"),
			snapshot.SnapshotWait, "", snapshot.AttemptPending, in(9*time.Minute + time.Second), "R8: one at a time",
		},
		"in progress, its job not known": {
			of(asked(running(aged(0), progress(time.Minute), snapshot.Schedule{})), "b", ""),
			snapshot.SnapshotWait, "", snapshot.AttemptPending, in(9*time.Minute + time.Second), "L6: not known to be another",
		},
		"in progress, this job not known": {
			of(asked(running(aged(0), progress(time.Minute), snapshot.Schedule{})), "", "a"),
			snapshot.SnapshotWait, "", snapshot.AttemptPending, in(9*time.Minute + time.Second), "L6: not known to be another",
		},
		"other job succeeded": {
			of(running(aged(2*hour), attempt(success, auto, time.Minute), hourly), "b", "a"),
			snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(59 * time.Minute), "1.8: a success counts, whose ever it is",
		},
		"1.6 suspend, a periodic one in progress": {
			asked(running(aged(0), attempt(snapshot.AttemptInProgress, auto, time.Minute-time.Second), hourly)),
			snapshot.SnapshotWait, "", snapshot.AttemptPending, in(9*time.Minute + time.Second), "a difference: spotify starts a second one",
		},
		"1.6 suspend, a periodic one failed": {
			asked(running(aged(0), attempt(failed, auto, 0), hourly)),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"yes: reason not update or job cancel",
		},
		"1.6 suspend, succeeded, as PR 107": {
			running(aged(0), attempt(success, "update", 0), snapshot.Schedule{}),
			snapshot.SnapshotNone, "", snapshot.NotScheduled,
			snapshot.NextCheck{},
			"no: one was taken, so nobody asks any more",
		},
		"1.6 suspend, succeeded, as HEAD": {
			asked(running(aged(0), attempt(success, "update", 0), snapshot.Schedule{})),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"yes: a host that still asks gets another",
		},
		"1.6 suspend, update failed -1 ns": {
			asked(running(aged(0), attempt(failed, "update", 10*time.Second-1), snapshot.Schedule{})),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(time.Second), "no: 10 s are not over, whatever word the source has",
		},
		"1.6 suspend, update failed 0 ns": {
			asked(running(aged(0), attempt(failed, "update", 10*time.Second), snapshot.Schedule{})),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"a difference of an instant: spotify wants more than 10 s",
		},
		"1.6 suspend, job cancel not accepted": {
			asked(running(aged(0), attempt(snapshot.AttemptTriggerFailed, "job cancel", 0), snapshot.Schedule{})),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(10 * time.Second), "no: 10 s are not over",
		},
		"failed, trigger not known, requested": {
			asked(running(aged(0), attempt(failed, "", 0), snapshot.Schedule{})),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(10 * time.Second), "R8: it may have been for the request",
		},
		"failed, trigger not known, periodic": {
			running(aged(2*hour), attempt(failed, "", 0), hourly),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(10 * time.Second), "R8: it may have been the periodic one",
		},
		"failed, for an update, periodic": {
			running(aged(2*hour), attempt(failed, "update", 0), hourly),
			snapshot.SnapshotDue, auto, snapshot.IntervalElapsed,
			snapshot.NextCheck{},
			"1.8: only a scheduled one delays the scheduled one",
		},
		"1.6 suspend, in progress": {
			asked(running(aged(0), finalProgress(time.Minute), snapshot.Schedule{})),
			snapshot.SnapshotWait, "", snapshot.AttemptPending, in(9*time.Minute + time.Second), "no",
		},
		"requested, periodic one failed": {
			asked(running(aged(0), attempt(failed, auto, 0), hourly)),
			snapshot.SnapshotDue, user, snapshot.Requested,
			snapshot.NextCheck{},
			"R8: only its own trigger delays it",
		},
		"1.8 no interval": {
			running(aged(0), none, snapshot.Schedule{}),
			snapshot.SnapshotNone, "", snapshot.NotScheduled,
			snapshot.NextCheck{},
			"none",
		},
		"1.8 interval -1 ns": {
			running(aged(hour-1), none, hourly), snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(time.Second), "not yet",
		},
		"1.8 interval 0 ns": {
			running(aged(hour), none, hourly),
			snapshot.SnapshotDue, auto, snapshot.IntervalElapsed,
			snapshot.NextCheck{},
			"a difference of an instant: both operators want more than the interval",
		},
		"1.8 interval +1 ns": {
			running(aged(hour+1), none, hourly), snapshot.SnapshotDue, auto, snapshot.IntervalElapsed, snapshot.NextCheck{}, "due",
		},
		"1.8 no snapshot yet": {
			started(hour - time.Minute), snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(time.Minute), "from the start",
		},
		"1.8 no snapshot yet, over": {
			started(hour), snapshot.SnapshotDue, auto, snapshot.IntervalElapsed, snapshot.NextCheck{}, "from the start",
		},
		"1.8 neither time known": {
			running(snapshot.Snapshot{}, none, hourly), snapshot.SnapshotDue, auto, snapshot.NeverTaken, snapshot.NextCheck{}, "at once",
		},
		"1.8 failed, interval runs": {
			running(aged(30*time.Minute), attempt(failed, auto, time.Minute), hourly),
			snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(30 * time.Minute), "R8, a difference: the retry of 10 s does not override the 3600 s",
		},
		"1.8 failed, interval over": {
			running(aged(2*hour), attempt(failed, auto, 9*time.Second), hourly),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(time.Second), "R8: the later of the two",
		},
		"1.8 failed, both over": {
			running(aged(2*hour), attempt(failed, auto, 10*time.Second), hourly),
			snapshot.SnapshotDue, auto, snapshot.IntervalElapsed,
			snapshot.NextCheck{},
			"due again",
		},
		"1.8 trigger failed, neither time known": {
			running(snapshot.Snapshot{}, attempt(snapshot.AttemptTriggerFailed, auto, 0), hourly),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(10 * time.Second), "R8: no attempt at each pass",
		},
		"2.6 abandoned": {
			running(aged(2*hour), attempt(snapshot.AttemptAbandoned, auto, 0), hourly),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(10 * time.Second), "R8",
		},
		"failed, retry longer than the interval": {
			running(aged(30*time.Minute), attempt(failed, auto, 0), every(3600, 7200)),
			snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(2 * hour), "R8: the later of the two",
		},
		"failed, default retry": {
			running(aged(2*hour), attempt(failed, auto, time.Second), every(3600, 0)),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(9 * time.Second), "R8: 10 s",
		},
		"failed, nobody knows when": {
			running(aged(2*hour), snapshot.Attempt{State: failed, Trigger: auto}, hourly),
			snapshot.SnapshotDue, auto, snapshot.IntervalElapsed,
			snapshot.NextCheck{},
			"R8: no retry time to wait for",
		},
		"failed, start known only": {
			running(aged(2*hour), snapshot.Attempt{State: failed, Trigger: auto, TriggeredAt: noon}, hourly),
			snapshot.SnapshotWait, "", snapshot.RetryLater, in(10 * time.Second), "R8",
		},
		"failed in the future": {
			running(aged(2*hour), attempt(failed, auto, -61*time.Second), hourly),
			snapshot.SnapshotDue, auto, snapshot.IntervalElapsed,
			snapshot.NextCheck{},
			"R2: not believed",
		},
		"1.8 failed user one": {
			running(aged(hour), attempt(failed, user, 0), hourly),
			snapshot.SnapshotDue, auto, snapshot.IntervalElapsed,
			snapshot.NextCheck{},
			"does not delay the scheduled one",
		},
		"F72 success without a location": {
			running(aged(2*hour), attempt(success, auto, time.Minute), hourly),
			snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(59 * time.Minute), "it counts: the next has none either",
		},
		"success, older than the last": {
			running(aged(time.Minute), attempt(success, auto, hour), hourly),
			snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(59 * time.Minute), "R8: the later one",
		},
		"last from the future": {
			running(aged(-hour), none, hourly), snapshot.SnapshotDue, auto, snapshot.NeverTaken, snapshot.NextCheck{}, "R2: not believed",
		},
		"last within the skew": {
			running(aged(-60*time.Second), none, hourly),
			snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(hour + time.Minute), "R2: believed",
		},
		"1.8 interval 0": {
			running(aged(2*hour), none, every(0, 0)),
			snapshot.SnapshotNone, "", snapshot.InvalidInput,
			snapshot.NextCheck{},
			"a difference: spotify takes one at each pass, apache turns it off",
		},
		"interval negative": {
			running(aged(2*hour), none, every(-1, 0)), snapshot.SnapshotNone, "", snapshot.InvalidInput, snapshot.NextCheck{}, "R8",
		},
		"retry negative": {
			running(aged(2*hour), none, every(1, -1)), snapshot.SnapshotNone, "", snapshot.InvalidInput, snapshot.NextCheck{}, "R8",
		},
		"longest interval": {
			running(aged(0), none, every(1<<62, 0)),
			snapshot.SnapshotWait, "", snapshot.IntervalRunning, in(9223372036 * time.Second), "L4: no overflow",
		},
		"unknown phase": {
			snapshot.NextInput{Phase: "RUNNING", Now: noon}, snapshot.SnapshotNone, "", snapshot.InvalidInput, snapshot.NextCheck{}, "L6",
		},
		"unknown attempt state": {
			running(aged(2*hour), snapshot.Attempt{State: "IN_PROGRESS"}, hourly),
			snapshot.SnapshotNone, "", snapshot.InvalidInput,
			snapshot.NextCheck{},
			"L6: it may be one in progress",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := snapshot.NextSnapshot(tt.in)
			want := snapshot.Next{Timing: tt.timing, Trigger: tt.trigger, Reason: tt.why, Message: got.Message, NextCheck: tt.next}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if got.Message == "" || strings.Contains(got.Message, path) {
				t.Errorf("L5, L7: message %q", got.Message)
			}
			if !got.NextCheck.OK {
				return
			}
			before, at := tt.in, tt.in
			before.Now, at.Now = noon.Add(got.NextCheck.After-time.Second), noon.Add(got.NextCheck.After)
			if then := snapshot.NextSnapshot(before); then.Timing != got.Timing {
				t.Errorf("L5: %+v before the next check", then)
			}
			if then := snapshot.NextSnapshot(at); then.Timing == snapshot.SnapshotWait && then.NextCheck == got.NextCheck {
				t.Errorf("L5: %+v at the next check", then)
			}
		})
	}
}

func TestValidateSchedule(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		schedule snapshot.Schedule
		want     []string
		reason   string
	}{
		"zero":     {snapshot.Schedule{}, nil, "no periodic snapshots"},
		"one":      {every(1, 0), nil, "the least"},
		"0":        {every(0, 0), []string{"spec.intervalSeconds"}, "R8"},
		"negative": {every(-1, -1), []string{"spec.intervalSeconds", "spec.retrySeconds"}, "L7: all errors"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, err := range snapshot.ValidateSchedule(tt.schedule, field.NewPath("spec")) {
				got = append(got, err.Field)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}
