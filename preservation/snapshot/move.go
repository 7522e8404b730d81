package snapshot

import "time"

// MoveInput is all that ReadyToMove looks at (R7).
type MoveInput struct {
	Input

	// NoWork says that there is no work at all, and never was (R7).
	NoWork bool
	// ExplicitStart is the location that a person wants the work to start from;
	// empty, blank, "0" and "null" = none (R7).
	ExplicitStart string
	// TakeSnapshot says that the move takes a final snapshot of running work (R7).
	TakeSnapshot bool
}

// Moving is the answer of ReadyToMove (R7).
type Moving struct {
	// Readiness is one of the constants, never empty (R7).
	Readiness Readiness
	// Verdict is what the state is worth (R2).
	Verdict Verdict
	// Reason is never empty (L5).
	Reason Reason
	// Message says the same to people, without any location (L7).
	Message string
	// NextCheck says when time alone can change the answer (L5).
	NextCheck NextCheck
}

// ReadyToMove says whether work may be stopped now, for an update or a planned
// hand-over (R7). The first rule that matches decides:
//
//  1. What [Freshness] cannot read is Refuse, [InvalidInput] (L6).
//  2. No work is Ready, [NothingToMove].
//  3. An explicit start point is Ready, whatever else, [ExplicitStart].
//  4. Starting or running, and taking a snapshot: Ready only once it is Final, else
//     Wait, [AwaitingFinal]. A failed attempt does not change that.
//  5. Starting or running, and not taking: by verdict, against now, as the work
//     moves on.
//  6. Every other phase: by verdict, against when the work stopped (R3).
//
// By verdict, Final and Fresh are Ready, Wait is Wait, and all else is Refuse.
// ReadyToMove never fails. The answer does not alias the input (L1).
func ReadyToMove(in MoveInput) Moving {
	active := in.Phase.Active()
	if active {
		in.LastRunning = time.Time{}
	}
	judged := Freshness(in.Input)
	out := Moving{Readiness: MoveReady, Verdict: judged.Verdict}
	switch {
	case judged.Reason == InvalidInput:
		out.Readiness, out.Reason, out.Message = MoveRefuse, InvalidInput, judged.Message
	case in.NoWork:
		out.Reason, out.Message = NothingToMove, "there is no work to move"
	case named(in.ExplicitStart):
		out.Reason, out.Message = ExplicitStart, "the specification names the start point"
	case active && in.TakeSnapshot && judged.Verdict != VerdictFinal:
		out.Readiness, out.Reason, out.Message = MoveWait, AwaitingFinal, "the final snapshot is still to be taken"
	default:
		out.Readiness, out.Reason = byVerdict(judged.Verdict)
		out.Message, out.NextCheck = judged.Message, judged.NextCheck
	}
	return out
}

func byVerdict(v Verdict) (Readiness, Reason) {
	switch v {
	case VerdictFinal:
		return MoveReady, StateFinal
	case VerdictFresh:
		return MoveReady, StateFresh
	case VerdictWait:
		return MoveWait, AttemptPending
	case VerdictStale:
		return MoveRefuse, StateStale
	case VerdictNone:
		return MoveRefuse, StateMissing
	case VerdictSuspect:
		return MoveRefuse, StateSuspect
	case VerdictUnknown:
	}
	return MoveRefuse, StateUnnamed
}
