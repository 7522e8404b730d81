package snapshot

// RestartInput is all that Restart looks at (R6).
type RestartInput struct {
	Input

	// Policy says what a restart needs; empty = RequireState (R6).
	Policy Policy
	// Moving says that the work was cancelled in order to move, so that Cancelled is
	// not its end (R9).
	Moving bool
}

// Restarting is the answer of Restart (R6).
type Restarting struct {
	// Outcome is one of the constants, never empty (R6).
	Outcome Outcome
	// From is the snapshot to restore, for RestoreFrom; else zero (R6).
	From Snapshot
	// Verdict is what the state is worth, also where the policy ignores it (R2).
	Verdict Verdict
	// Reason is never empty (L5).
	Reason Reason
	// Message says the same to people, without any location (L7).
	Message string
	// Warning says that a person should look: work is lost, or the state is not
	// usable and nothing repairs it by itself.
	Warning bool
	// NextCheck says when time alone can change the outcome (L5).
	NextCheck NextCheck
}

// Restart says what happens to work that failed (R6). The first rule that matches
// decides:
//
//  1. An unknown policy, and what [Freshness] cannot read, is Refuse,
//     [InvalidInput] (L6).
//  2. Work that is neither Failed nor Lost, nor Cancelled in order to move, is
//     Refuse, [NotFailed].
//  3. IgnoreState is StartEmpty, [StateIgnored].
//  4. Final and Fresh are RestoreFrom, [RestoredFinal] and [RestoredFresh].
//  5. Wait is Wait, [AttemptPending].
//  6. Suspect and Unknown are Refuse, [StateSuspect] and [StateUnnamed]: somebody
//     has to look.
//  7. Stale is Refuse, [StateStale], under RequireState, and RestoreFrom,
//     [RestoredStale], under PreferState.
//  8. None is Refuse, [StateMissing], under RequireState, and StartEmpty,
//     [StartedEmpty], under PreferState.
//
// A start without state happens only where the policy names it, and always says so.
// Restart never fails. The answer does not alias the input (L1).
func Restart(in RestartInput) Restarting {
	judged := Freshness(in.Input)
	out := Restarting{Verdict: judged.Verdict, NextCheck: judged.NextCheck}
	switch in.Policy {
	case RequireState, PreferState, IgnoreState, "":
	default:
		judged.Reason = InvalidInput
		judged.Message = (&TextError{Set: "policy", Text: string(in.Policy)}).Error() +
			": use RequireState, PreferState or IgnoreState"
	}
	switch {
	case judged.Reason == InvalidInput:
		return Restarting{
			Outcome: Refuse, Verdict: judged.Verdict, Reason: InvalidInput, Message: judged.Message, Warning: true,
		}
	case !in.Phase.Failure() && (in.Phase != PhaseCancelled || !in.Moving):
		return Restarting{
			Outcome: Refuse, Verdict: judged.Verdict, Reason: NotFailed, Message: "the work did not fail: there is nothing to restart",
		}
	case in.Policy == IgnoreState:
		return Restarting{
			Outcome: StartEmpty, Verdict: judged.Verdict, Reason: StateIgnored, Message: "the policy starts without state",
		}
	}
	return byPolicy(in, judged, out)
}

// byPolicy is the table of R6, for RequireState and PreferState.
func byPolicy(in RestartInput, judged Assessment, out Restarting) Restarting {
	prefer := in.Policy == PreferState
	out.Outcome, out.Warning, out.Message = Refuse, true, judged.Message
	switch judged.Verdict {
	case VerdictFinal:
		return out.restore(in, RestoredFinal, false)
	case VerdictFresh:
		return out.restore(in, RestoredFresh, false)
	case VerdictWait:
		out.Outcome, out.Warning, out.Reason = Wait, false, AttemptPending
	case VerdictStale:
		if prefer {
			return out.restore(in, RestoredStale, true)
		}
		out.Reason = StateStale
	case VerdictNone:
		out.Reason = StateMissing
		if prefer {
			out.Outcome, out.Reason = StartEmpty, StartedEmpty
			out.Message += ": the work starts without state"
		}
	case VerdictSuspect:
		out.Reason = StateSuspect
	case VerdictUnknown:
		out.Reason = StateUnnamed
	}
	return out
}

func (r Restarting) restore(in RestartInput, reason Reason, warning bool) Restarting {
	r.Outcome, r.From, r.Reason, r.Warning = RestoreFrom, in.Snapshot, reason, warning
	return r
}
