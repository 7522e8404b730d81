package snapshot

import "time"

// RecordInput is all that Record looks at (R1).
type RecordInput struct {
	// Last is the last good snapshot; zero = none (R1).
	Last Snapshot
	// Attempt is what was last seen of the attempt; zero = none (R1).
	Attempt Attempt
	// JobID is the job that runs, or ran last, now: a snapshot of another job is
	// never final (R2).
	JobID string
	// AttemptDeadline is how long after TriggeredAt an attempt in progress is waited
	// for; zero or negative = DefaultAttemptDeadline (R8).
	AttemptDeadline time.Duration
	// Now is the caller's time (L2).
	Now time.Time
}

// Recording is the answer of Record (R1).
type Recording struct {
	// Snapshot is the last good one, to be stored (R1).
	Snapshot Snapshot
	// Attempt is the attempt, Abandoned if it is overdue, to be stored (R1, R8).
	Attempt Attempt
	// Reason is never empty; only SnapshotRecorded changes the snapshot (L5).
	Reason Reason
	// Message says the same to people, without any location (L7).
	Message string
	// NextCheck is when an attempt in progress is overdue (L5).
	NextCheck NextCheck
}

// Record says what the last good snapshot is after an attempt (R1). The first rule
// that matches decides; all but the last keep the snapshot as it was:
//
//  1. An unknown attempt state, [InvalidInput] (L6).
//  2. No attempt, [NoAttempt].
//  3. In progress: [AttemptPending] until its deadline, inclusive; past it, or if
//     nobody knows since when, the attempt is Abandoned, [AttemptOverdue] (R8).
//  4. Not accepted, failed or abandoned, [AttemptUnsuccessful].
//  5. Succeeded without a location, [LocationMissing] (R1).
//  6. Succeeded with the location of the last snapshot, or completed before it
//     was taken, [AlreadyRecorded].
//  7. Succeeded, [SnapshotRecorded]: its generation is one more, and it is final if
//     the attempt is and its job is the present one. TakenAt is CompletedAt, else
//     TriggeredAt, which is never too young; ObservedAt is UpdatedAt, else now.
//
// What the work does next is no input: a snapshot stays good when its job fails.
// Recorded times are UTC, in whole seconds (L2).
func Record(in RecordInput) Recording {
	out := Recording{Snapshot: in.Last, Attempt: in.Attempt}
	switch in.Attempt.State {
	case AttemptNone, "":
		out.Reason, out.Message = NoAttempt, "nothing was tried"
	case AttemptInProgress:
		return progress(in, out)
	case AttemptTriggerFailed, AttemptFailed, AttemptAbandoned:
		out.Reason, out.Message = AttemptUnsuccessful, "the attempt gave no snapshot; the last good one stands"
	case AttemptSucceeded:
		return succeeded(in, out)
	default:
		out.Reason = InvalidInput
		out.Message = (&TextError{Set: "attempt state", Text: string(in.Attempt.State)}).Error()
	}
	return out
}

func progress(in RecordInput, out Recording) Recording {
	end, ok := pendingUntil(in.Attempt, in.AttemptDeadline, DefaultSkew, in.Now)
	if !ok {
		out.Attempt.State = AttemptAbandoned
		out.Reason, out.Message = AttemptOverdue, "the attempt did not end in time; the last good snapshot stands"
		return out
	}
	out.Reason, out.Message = AttemptPending, "the attempt is in progress until "+stamp(end)
	out.NextCheck = checkAt(end.Add(1), in.Now)
	return out
}

// pendingUntil says whether an attempt in progress can still be waited for, and
// until when. Without a start, or with one of the future, there is no deadline
// that would ever be over, so it cannot.
func pendingUntil(a Attempt, deadline, skew time.Duration, now time.Time) (time.Time, bool) {
	if a.State != AttemptInProgress || a.TriggeredAt.IsZero() || a.TriggeredAt.After(now.Add(skew)) {
		return time.Time{}, false
	}
	end := a.TriggeredAt.Add(positive(deadline, DefaultAttemptDeadline))
	return end, !now.After(end)
}

func succeeded(in RecordInput, out Recording) Recording {
	a := in.Attempt
	taken := firstTime(a.CompletedAt, a.TriggeredAt)
	switch {
	case !named(a.Location):
		out.Reason, out.Message = LocationMissing, "the attempt succeeded but nobody knows where its snapshot is"
		return out
	case a.Location == in.Last.Location && !in.Last.Unnamed, !taken.IsZero() && taken.Before(in.Last.TakenAt):
		out.Reason, out.Message = AlreadyRecorded, "the last good snapshot is this one or newer"
		return out
	}
	out.Snapshot = Snapshot{
		Location: a.Location, Generation: in.Last.Generation + 1, Final: a.Final && a.JobID == in.JobID,
		TakenAt: stored(taken), ObservedAt: stored(firstTime(a.UpdatedAt, in.Now)),
		JobID: a.JobID, Cluster: a.Cluster, Trigger: a.Trigger,
	}
	out.Reason, out.Message = SnapshotRecorded, "the attempt gave a new snapshot"
	return out
}
