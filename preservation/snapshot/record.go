package snapshot

import "time"

// RecordInput is all that Record looks at (R1).
type RecordInput struct {
	// Last is the last good snapshot; zero = none (R1).
	Last Snapshot
	// Attempt is what was last seen of the attempt; zero = none (R1).
	Attempt Attempt
	// Phase of the work; empty = Unknown (R9).
	Phase Phase
	// JobID is the job that runs, or ran last, now: a snapshot of another job is not
	// final (R2). Where work has no ids, all are empty, and so the same.
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
	// Reason is never empty; with SnapshotRecorded the snapshot is a new one, else it
	// is the last one (L5).
	Reason Reason
	// Message says the same to people, without any location (L7).
	Message string
	// NextCheck is when an attempt in progress is overdue (L5).
	NextCheck NextCheck
}

// Record says what the last good snapshot is after an attempt (R1). The first rule
// that matches decides; all but the last keep the snapshot as it was, but for its
// finality:
//
//  1. An unknown phase or attempt state, [InvalidInput] (L6).
//  2. No attempt, [NoAttempt].
//  3. In progress: [AttemptPending] until its deadline, inclusive; past it, or if
//     nobody knows since when, the attempt is Abandoned, [AttemptOverdue] (R8).
//  4. Not accepted, failed or abandoned, [AttemptUnsuccessful].
//  5. Succeeded without a location, [LocationMissing] (R1).
//  6. Succeeded with the location of the last snapshot, or completed before it
//     was taken, [AlreadyRecorded]. Where nobody knows when the last one was taken,
//     the times at which the two were seen decide. A last one from beyond
//     DefaultSkew in the future is not believed to be newer than anything (R2).
//  7. Succeeded, [SnapshotRecorded]: its generation is one more, and it is final if
//     the attempt is. TakenAt is CompletedAt, else TriggeredAt, which is never too
//     young; ObservedAt is UpdatedAt, else now.
//
// Whichever rule decides, no snapshot is final while the work is Lost, and none of
// another job than JobID, but while that job is Pending or Starting: it did nothing
// yet (R9). What is stored so stays so: a job that is found again did something in
// the meantime, for all that anybody knows.
//
// A snapshot stays good when its job fails: nothing but finality depends on what the
// work does next.
// Recorded times are UTC, in whole seconds; one that lies in no year from 0 to 9999
// then is not known, since nobody could store it (L2).
func Record(in RecordInput) Recording {
	out := Recording{Snapshot: in.Last, Attempt: in.Attempt}
	if _, err := ParsePhase(string(in.Phase)); err != nil {
		out.Reason, out.Message = InvalidInput, err.Error()
		return out
	}
	out.Snapshot.Final = final(in, in.Last.Final, in.Last.JobID)
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
	case a.Location == in.Last.Location && !in.Last.Unnamed, outdated(in, taken):
		out.Reason, out.Message = AlreadyRecorded, "the last good snapshot is this one or newer"
		return out
	}
	out.Snapshot = Snapshot{
		Location: a.Location, Generation: in.Last.Generation + 1, Final: final(in, a.Final, a.JobID),
		TakenAt: stored(taken), ObservedAt: stored(firstTime(a.UpdatedAt, in.Now)),
		JobID: a.JobID, Cluster: a.Cluster, Trigger: a.Trigger,
	}
	out.Reason, out.Message = SnapshotRecorded, "the attempt gave a new snapshot"
	return out
}

// outdated says whether the last snapshot is newer than one taken at the given time.
// Only times of the same kind are compared.
func outdated(in RecordInput, taken time.Time) bool {
	last := in.Last.TakenAt
	if last.IsZero() {
		last, taken = in.Last.ObservedAt, firstTime(in.Attempt.UpdatedAt, taken)
	}
	if !in.Now.IsZero() {
		last = believed(last, in.Now)
	}
	return !taken.IsZero() && !last.IsZero() && taken.Before(last)
}

// final says whether a snapshot of a job that was marked as final is so now.
func final(in RecordInput, marked bool, jobID string) bool {
	idle := in.Phase == PhasePending || in.Phase == PhaseStarting
	return marked && in.Phase != PhaseLost && (jobID == in.JobID || idle)
}
