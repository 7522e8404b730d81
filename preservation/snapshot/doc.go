// Package snapshot decides what the last state of some work is worth, and what may
// be done with it: which state to restore, whether it is fresh enough, whether to
// restart, wait or refuse, whether to move now, and when to take the next one.
//
// # Problem
//
// Stateful work lives by its snapshots: savepoints, checkpoints, copies of volumes.
// Whoever restarts it must not confuse "there is no state" with "nobody knows where
// the state is", a snapshot that is being taken with one that is there, or the age
// of a state with the time since a failure was noticed. Each confusion starts the
// work from nothing, or from too long ago, and nobody notices.
//
// # Use
//
//	r := snapshot.Restart(snapshot.RestartInput{
//		Input: snapshot.Input{
//			Phase:     snapshot.PhaseFailed,
//			Snapshot:  last, // as Record returned it
//			StoppedAt: stopped,
//			Limit:     snapshot.Seconds(3600),
//			Now:       now,
//		},
//		Policy: snapshot.RequireState,
//	})
//	switch r.Outcome {
//	case snapshot.RestoreFrom: // start from r.From.Location
//	case snapshot.StartEmpty: // start without state
//	case snapshot.Wait: // come back after r.NextCheck.After
//	case snapshot.Refuse: // a person decides; r.Message says why
//	}
//
// [Record] keeps the last good snapshot apart from attempts (R1). [Freshness] is
// the verdict (R2, R3), [ParseTime] reads its times (R4). [Choose] picks among
// several states (R5). [Restart] is for failed work (R6), [ReadyToMove] for planned
// moves (R7), [NextSnapshot] for periodic and requested snapshots (R8). [Phase] is
// what the work is doing (R9). Rule numbers refer to docs/semantics.md.
//
// # Input
//
// Valid: the zero value of each input means that nothing is known, and gives the
// most careful answer. Empty texts are None, Unknown, FinalOnly and RequireState.
//
//	Location: "s3p://bucket/sp-1"  a location
//	Location: "0", "null", " "     none
//	Phase: "running"               invalid: every answer is InvalidInput
//	Seconds(-1)                    invalid, ValidateLimit says so
//	"2026-01-01T12:00:00"          invalid time: without a zone
//
// Nothing here reads a clock, a cluster or a store: whether a location still exists
// is for the caller to check (L2). No message holds a location.
//
// # Stability
//
// Settled: the verdicts, the outcomes, their order and the reasons. Unsettled:
// whether Attempt keeps more than one attempt.
package snapshot
