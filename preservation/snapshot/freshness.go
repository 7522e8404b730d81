package snapshot

import (
	"strconv"
	"time"
)

// Input is all that is known of some work and of its state (R2, R3).
type Input struct {
	// Phase of the work; empty = Unknown (R9).
	Phase Phase
	// Snapshot is the last good one; zero = none (R1).
	Snapshot Snapshot
	// Attempt is what is being tried; zero = nothing (R1).
	Attempt Attempt
	// AttemptDeadline is how long after TriggeredAt an attempt in progress is waited
	// for; zero or negative = DefaultAttemptDeadline (R8).
	AttemptDeadline time.Duration
	// Reachable says that the source can be reached, so that an attempt there can
	// complete and be seen (R2).
	Reachable bool
	// StoppedAt is when the work stopped; zero = it runs, or not known. It does not
	// count while the work is Active: then it is of an earlier run (R3).
	StoppedAt time.Time
	// LastRunning is when the work was last known to run; zero = not known (R3).
	LastRunning time.Time
	// Limit is how old a state may be; zero = FinalOnly (R2).
	Limit Limit
	// Skew is how far in the future a time may lie; zero or negative = DefaultSkew
	// (R2).
	Skew time.Duration
	// Now is the caller's time; zero = not known (L2).
	Now time.Time
}

// Assessment is the answer of Freshness (R2).
type Assessment struct {
	// Verdict is one of the constants, never empty (R2).
	Verdict Verdict
	// Reason is never empty (L5).
	Reason Reason
	// Message says the same to people. It holds no location and no relative times
	// (L7).
	Message string
	// Age is from the snapshot to the reference, never negative. It is 0 if AgeKnown
	// is false (R3).
	Age time.Duration
	// AgeKnown says that both times are known (R3).
	AgeKnown bool
	// NextCheck says when time alone can change the verdict (L5).
	NextCheck NextCheck
}

// Freshness says what the last good state is worth (R2). The first rule that
// matches decides:
//
//  1. An unknown phase or attempt state, or a negative limit, is Unknown,
//     [InvalidInput] (L6).
//  2. A state that nobody can name is Unknown, [StateUnnamed].
//  3. A final snapshot with a location is Final, whatever its age; not while the
//     work is Lost (R9).
//  4. Without a location: Wait while an attempt is pending, else None.
//  5. A snapshot from the future is Suspect: taken after the work stopped, or after
//     now, by more than the skew.
//  6. Fresh, if the limit is Unlimited, or the age at most the limit, inclusive.
//  7. Wait, while an attempt is pending.
//  8. Stale. FinalOnly, and an unknown age, always come to here.
//
// The age is measured from TakenAt, else ObservedAt, to the reference (R3): when the
// work stopped, unless it is Active again, else when it was last known to run, else
// now. Work that is down
// loses nothing more, so a state does not age while it is. A snapshot that is
// younger than LastRunning proves that the work ran then, and has age 0.
//
// An attempt is pending while it is in progress, its source is reachable, its
// deadline is known not to be over, and what it gives would be good enough: with
// Seconds it started within the limit before the reference, with FinalOnly it is
// final.
//
// Freshness never fails. The answer does not alias the input (L1).
func Freshness(in Input) Assessment {
	if message, ok := unreadable(in); ok {
		return Assessment{Verdict: VerdictUnknown, Reason: InvalidInput, Message: message}
	}
	in.Skew = positive(in.Skew, DefaultSkew)
	if in.Phase.Active() {
		in.StoppedAt = time.Time{}
	}
	out := Assessment{}
	out.Age, out.AgeKnown = measure(in)
	exists := named(in.Snapshot.Location)
	waiting, waitingCheck := pending(in)
	future, futureCheck := fromFuture(in)
	switch {
	case in.Snapshot.Unnamed:
		out.Verdict, out.Reason, out.Message = VerdictUnknown, StateUnnamed, "a state exists but nobody can say where"
	case exists && in.Snapshot.Final && in.Phase != PhaseLost:
		out.Verdict, out.Reason, out.Message = VerdictFinal, FinalSnapshot, "nothing was done after the snapshot"
	case !exists && !waiting:
		out.Verdict, out.Reason, out.Message = VerdictNone, NoSnapshot, "there is no snapshot"
		out.NextCheck = waitingCheck
	case exists && future:
		out.Verdict, out.Reason, out.Message = VerdictSuspect, FromTheFuture, "the snapshot is from the future: compare the clocks"
		out.NextCheck = futureCheck
	case exists && fresh(in.Limit, out):
		return freshAnswer(in, out)
	case waiting:
		out.Verdict, out.Reason = VerdictWait, AttemptPending
		out.Message = "an attempt is in progress since " + stamp(in.Attempt.TriggeredAt)
		out.NextCheck = waitingCheck
	default:
		out.Verdict, out.NextCheck = VerdictStale, waitingCheck
		out.Reason, out.Message = whyStale(in, out)
	}
	return out
}

// unreadable says which part of the input no rule can be about.
func unreadable(in Input) (string, bool) {
	if _, err := ParsePhase(string(in.Phase)); err != nil {
		return err.Error(), true
	}
	if err := knownAttempt(in.Attempt.State); err != nil {
		return err.Error(), true
	}
	if errs := ValidateLimit(in.Limit, nil); len(errs) > 0 {
		return "the limit is negative: use 0 or more seconds", true
	}
	return "", false
}

func knownAttempt(state AttemptState) error {
	switch state {
	case AttemptNone, AttemptInProgress, AttemptTriggerFailed, AttemptSucceeded, AttemptFailed, AttemptAbandoned, "":
		return nil
	default:
		return &TextError{Set: "attempt state", Text: string(state)}
	}
}

func taken(s Snapshot) time.Time { return firstTime(s.TakenAt, s.ObservedAt) }

// reference is R3. It is fixed as soon as the work stopped or was last seen.
func reference(in Input) time.Time { return firstTime(in.StoppedAt, in.LastRunning, in.Now) }

// moving says that the reference is now, so that ages grow.
func moving(in Input) bool { return in.StoppedAt.IsZero() && in.LastRunning.IsZero() }

func measure(in Input) (time.Duration, bool) {
	at, to := taken(in.Snapshot), reference(in)
	if !named(in.Snapshot.Location) || in.Snapshot.Unnamed || at.IsZero() || to.IsZero() {
		return 0, false
	}
	return max(to.Sub(at), 0), true
}

// fromFuture says whether the snapshot is from the future, and else-wise when it is
// not any more: a stop stays where it is, only now catches up.
func fromFuture(in Input) (bool, NextCheck) {
	at := taken(in.Snapshot)
	switch {
	case !in.StoppedAt.IsZero() && at.After(in.StoppedAt.Add(in.Skew)):
		return true, NextCheck{}
	case !in.Now.IsZero() && at.After(in.Now.Add(in.Skew)):
		return true, checkAt(at.Add(-in.Skew), in.Now)
	default:
		return false, NextCheck{}
	}
}

func fresh(l Limit, a Assessment) bool {
	return l.kind == unlimited || l.kind == limited && a.AgeKnown && a.Age <= l.duration()
}

func freshAnswer(in Input, out Assessment) Assessment {
	out.Verdict = VerdictFresh
	if in.Limit.kind == unlimited {
		out.Reason, out.Message = AnyAge, "a snapshot of any age will do"
		return out
	}
	out.Reason, out.Message = WithinLimit, "the snapshot is within the limit of "+seconds(in.Limit)
	if moving(in) {
		// The limit is inclusive: it is over a moment later.
		out.NextCheck = checkAt(taken(in.Snapshot).Add(in.Limit.duration()+1), in.Now)
	}
	return out
}

// pending says whether an attempt is worth waiting for, and when that changes.
func pending(in Input) (bool, NextCheck) {
	a := in.Attempt
	if a.State != AttemptInProgress || !in.Reachable || in.Now.IsZero() || !enough(in) {
		return false, NextCheck{}
	}
	end, ok := pendingUntil(a, in.AttemptDeadline, in.Skew, in.Now)
	if !ok {
		if a.TriggeredAt.After(in.Now) {
			return false, checkAt(a.TriggeredAt.Add(-in.Skew), in.Now)
		}
		return false, NextCheck{}
	}
	check := checkAt(end.Add(1), in.Now)
	if in.Limit.kind == limited && moving(in) {
		check = earlier(check, checkAt(a.TriggeredAt.Add(in.Limit.duration()+1), in.Now))
	}
	return true, check
}

// enough says whether the snapshot of the attempt would be good enough for the
// limit.
func enough(in Input) bool {
	switch in.Limit.kind {
	case limited:
		return reference(in).Sub(in.Attempt.TriggeredAt) <= in.Limit.duration()
	case unlimited:
		return true
	case finalOnly:
	}
	return in.Attempt.Final && in.Phase != PhaseLost
}

func whyStale(in Input, a Assessment) (Reason, string) {
	switch {
	case in.Limit.kind == finalOnly:
		return NotFinal, "the snapshot is not final, and no other is good enough"
	case taken(in.Snapshot).IsZero():
		return TimeMissing, "nobody knows when the snapshot was taken"
	case !a.AgeKnown:
		return ReferenceMissing, "there is no time to measure the age of the snapshot to"
	default:
		return TooOld, "the snapshot is older than the limit of " + seconds(in.Limit)
	}
}

func seconds(l Limit) string { return strconv.FormatInt(l.seconds, 10) + " seconds" }
