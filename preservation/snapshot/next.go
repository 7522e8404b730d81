package snapshot

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Schedule says how often snapshots are taken (R8).
//
// +kubebuilder:object:generate=true
type Schedule struct {
	// IntervalSeconds is the time between two periodic snapshots; nil = none are
	// taken. 0 and less is invalid (R8).
	// +kubebuilder:validation:Minimum=1
	IntervalSeconds *int64 `json:"intervalSeconds,omitempty"`
	// RetrySeconds is the time between a failed attempt and the next one of the same
	// trigger; 0 = 10. Less is invalid (R8).
	// +kubebuilder:validation:Minimum=0
	RetrySeconds int64 `json:"retrySeconds,omitempty"`
}

// NextInput is all that NextSnapshot looks at (R8).
type NextInput struct {
	// Phase of the work; empty = Unknown (R9).
	Phase Phase
	// JobID is the job that runs now; empty = not known. What an attempt of another
	// job did not bring will not come, so it is none (R8).
	JobID string
	// StartedAt is when the work began to run; zero = not known. The interval counts
	// from it until there is a snapshot (R8).
	StartedAt time.Time
	// Last is the last good snapshot; zero = none (R1).
	Last Snapshot
	// Attempt is the last attempt; zero = none (R1).
	Attempt Attempt
	// AttemptDeadline is how long after TriggeredAt an attempt in progress is waited
	// for; zero or negative = DefaultAttemptDeadline (R8).
	AttemptDeadline time.Duration
	// Requested says that somebody asks for a snapshot, and that none was taken for
	// it yet (R8).
	Requested bool
	// Schedule of the periodic ones; zero = none (R8).
	Schedule Schedule
	// Now is the caller's time (L2).
	Now time.Time
}

// Next is the answer of NextSnapshot (R8).
type Next struct {
	// Timing is one of the constants, never empty (R8).
	Timing Timing
	// Trigger is TriggerManual or TriggerPeriodic, for SnapshotDue, to be stored in
	// the attempt; else empty (R8).
	Trigger string
	// Reason is never empty (L5).
	Reason Reason
	// Message says the same to people, without any location (L7).
	Message string
	// NextCheck is when a snapshot that is not due can be due (L5).
	NextCheck NextCheck
}

// NextSnapshot says whether to take a snapshot of running work now (R8). The first
// rule that matches decides:
//
//  1. An unknown phase or attempt state, an interval of 0 or less, or a negative
//     retry is None, [InvalidInput] (L6).
//  2. Work that does not run is None, [NotRunning].
//  3. An attempt in progress is Wait, [AttemptPending], until its deadline. There is
//     at most one at a time. An attempt of another job, where both ids are known,
//     counts from here on only if it succeeded.
//  4. A request is Due, [Requested].
//  5. Without an interval, None, [NotScheduled].
//  6. An interval that is over is Due, [IntervalElapsed], inclusive; so is one that
//     nobody knows the start of, [NeverTaken]. It counts from the last snapshot or
//     attempt that succeeded, else from StartedAt.
//  7. Wait, [IntervalRunning].
//
// After an attempt that failed, rules 4 and 6 wait for the retry time too,
// [RetryLater], each only after an attempt of its own trigger: rule 6 after
// TriggerPeriodic, rule 4 after every other, and both after one without a trigger,
// which may have been of either. A retry never overrides the interval: the later of
// the two decides. A success without a location counts for the interval, as the next
// would have none either (R8). Times beyond DefaultSkew in the future are not
// believed, and count as not known.
func NextSnapshot(in NextInput) Next {
	if message, ok := unreadableSchedule(in); ok {
		return Next{Timing: SnapshotNone, Reason: InvalidInput, Message: message}
	}
	if in.Phase != PhaseRunning {
		return Next{Timing: SnapshotNone, Reason: NotRunning, Message: "only running work can take a snapshot"}
	}
	if otherJob(in) && in.Attempt.State != AttemptSucceeded {
		in.Attempt = Attempt{}
	}
	if end, ok := pendingUntil(in.Attempt, in.AttemptDeadline, DefaultSkew, in.Now); ok {
		return Next{
			Timing: SnapshotWait, Reason: AttemptPending, Message: "an attempt is in progress until " + stamp(end),
			NextCheck: checkAt(end.Add(1), in.Now),
		}
	}
	asked, planned := manual(in), periodic(in)
	switch {
	case asked.Timing == SnapshotDue || planned.Timing == SnapshotNone && asked.Timing != SnapshotNone:
		return asked
	case asked.Timing == SnapshotWait && planned.Timing == SnapshotWait:
		planned.NextCheck = earlier(planned.NextCheck, asked.NextCheck)
	}
	return planned
}

// ValidateSchedule refuses an interval of 0 or less, and a negative retry, at path
// (R8, L7). All errors, in the order of the fields; nil = valid.
func ValidateSchedule(s Schedule, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.IntervalSeconds != nil && *s.IntervalSeconds <= 0 {
		errs = append(errs, field.Invalid(path.Child("intervalSeconds"), *s.IntervalSeconds,
			"an interval is at least 1 second: leave it out to take no periodic snapshots"))
	}
	if s.RetrySeconds < 0 {
		errs = append(errs, field.Invalid(path.Child("retrySeconds"), s.RetrySeconds,
			"a time is never negative: leave it out for the default"))
	}
	return errs
}

func unreadableSchedule(in NextInput) (string, bool) {
	if message, ok := unreadable(Input{Phase: in.Phase, Attempt: in.Attempt}); ok {
		return message, true
	}
	if errs := ValidateSchedule(in.Schedule, nil); len(errs) > 0 {
		return errs.ToAggregate().Error(), true
	}
	return "", false
}

func otherJob(in NextInput) bool {
	return in.JobID != "" && in.Attempt.JobID != "" && in.JobID != in.Attempt.JobID
}

func manual(in NextInput) Next {
	if !in.Requested {
		return Next{Timing: SnapshotNone}
	}
	if at := retryAt(in, in.Attempt.Trigger != TriggerPeriodic); in.Now.Before(at) {
		return retryLater(at, in.Now)
	}
	return Next{Timing: SnapshotDue, Trigger: TriggerManual, Reason: Requested, Message: "a snapshot was asked for"}
}

func periodic(in NextInput) Next {
	if in.Schedule.IntervalSeconds == nil {
		return Next{Timing: SnapshotNone, Reason: NotScheduled, Message: "no periodic snapshots are taken"}
	}
	retry := retryAt(in, in.Attempt.Trigger == TriggerPeriodic || in.Attempt.Trigger == "")
	due := Next{
		Timing: SnapshotDue, Trigger: TriggerPeriodic, Reason: NeverTaken,
		Message: "nobody knows when the last snapshot was taken",
	}
	if from := lastSuccess(in); !from.IsZero() {
		end := from.Add(Seconds(*in.Schedule.IntervalSeconds).duration())
		if in.Now.Before(end) {
			return Next{
				Timing: SnapshotWait, Reason: IntervalRunning, Message: "the interval ends at " + stamp(end),
				// A retry that is later than the interval wins.
				NextCheck: checkAt(later(end, retry), in.Now),
			}
		}
		due.Reason, due.Message = IntervalElapsed, "the interval ended at "+stamp(end)
	}
	if in.Now.Before(retry) {
		return retryLater(retry, in.Now)
	}
	return due
}

func retryLater(at, now time.Time) Next {
	return Next{
		Timing: SnapshotWait, Reason: RetryLater, Message: "the last attempt failed; the next one is at " + stamp(at),
		NextCheck: checkAt(at, now),
	}
}

// lastSuccess is where the interval counts from; zero = not known.
func lastSuccess(in NextInput) time.Time {
	last := believed(taken(in.Last), in.Now)
	if in.Attempt.State == AttemptSucceeded {
		done := firstTime(in.Attempt.CompletedAt, in.Attempt.UpdatedAt, in.Attempt.TriggeredAt)
		last = later(last, believed(done, in.Now))
	}
	return firstTime(last, believed(in.StartedAt, in.Now))
}

// retryAt is when an attempt that failed may be followed by the next; zero = at
// once, as after an attempt of another trigger. An overdue attempt was waited for
// long enough.
func retryAt(in NextInput, own bool) time.Time {
	if !own {
		return time.Time{}
	}
	switch in.Attempt.State {
	case AttemptTriggerFailed, AttemptFailed, AttemptAbandoned:
	case AttemptNone, AttemptInProgress, AttemptSucceeded, "":
		return time.Time{}
	}
	failed := believed(firstTime(in.Attempt.UpdatedAt, in.Attempt.TriggeredAt), in.Now)
	if failed.IsZero() {
		return time.Time{}
	}
	return failed.Add(positive(Seconds(in.Schedule.RetrySeconds).duration(), DefaultRetry))
}

func believed(t, now time.Time) time.Time {
	if t.After(now.Add(DefaultSkew)) {
		return time.Time{}
	}
	return t
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
