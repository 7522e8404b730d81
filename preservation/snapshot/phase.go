package snapshot

import "fmt"

// Phase says what the work is doing (R9). It is a closed set; the map from the
// words of a source is the caller's, or package flink's.
type Phase string

const (
	// PhasePending means that the work was not submitted yet (R9).
	PhasePending Phase = "Pending"
	// PhaseStarting means that it was submitted and is not known to run (R9).
	PhaseStarting Phase = "Starting"
	// PhaseRunning means that it runs, or is still stopping (R9).
	PhaseRunning Phase = "Running"
	// PhaseSucceeded means that it stopped because it was done (R9).
	PhaseSucceeded Phase = "Succeeded"
	// PhaseFailed means that it stopped by a failure (R9).
	PhaseFailed Phase = "Failed"
	// PhaseCancelled means that somebody stopped it (R9).
	PhaseCancelled Phase = "Cancelled"
	// PhaseLost means that it was known to run and cannot be found (R9).
	PhaseLost Phase = "Lost"
	// PhaseUnknown means that nobody can tell; the empty text means the same (R9).
	PhaseUnknown Phase = "Unknown"
)

// Phases returns all phases, in the order of a life (R9). The slice is the caller's.
func Phases() []Phase {
	return []Phase{
		PhasePending, PhaseStarting, PhaseRunning, PhaseSucceeded, PhaseFailed, PhaseCancelled, PhaseLost, PhaseUnknown,
	}
}

// ParsePhase returns the phase that a stored text means (R9): one of [Phases] is
// itself, the empty text is Unknown, and anything else is a [*TextError], never
// Unknown (L6). Matching is exact.
func ParsePhase(text string) (Phase, error) {
	switch p := Phase(text); p {
	case PhasePending, PhaseStarting, PhaseRunning, PhaseSucceeded, PhaseFailed, PhaseCancelled, PhaseLost, PhaseUnknown:
		return p, nil
	case "":
		return PhaseUnknown, nil
	default:
		return "", &TextError{Set: "phase", Text: text}
	}
}

// Active says that the work may make progress: Starting or Running (R9). An unknown
// text is none of these predicates.
func (p Phase) Active() bool { return p == PhaseStarting || p == PhaseRunning }

// Stopped says that the work is known to have stopped: Succeeded, Failed or
// Cancelled. Lost is not known to have stopped (R9).
func (p Phase) Stopped() bool {
	return p == PhaseSucceeded || p == PhaseFailed || p == PhaseCancelled
}

// Failure says that the work ended in a way that a restart is for: Failed or Lost
// (R6, R9).
func (p Phase) Failure() bool { return p == PhaseFailed || p == PhaseLost }

// Terminal says that the work is over for good: Succeeded, or Cancelled unless it
// was cancelled in order to move (R9). Failed and Lost are not: [Restart] decides
// about them.
func (p Phase) Terminal(moving bool) bool {
	return p == PhaseSucceeded || p == PhaseCancelled && !moving
}

// TextError says that a text is not in its closed set (L6). A retry cannot help.
type TextError struct {
	// Set names the closed set: phase, attempt state or policy.
	Set string
	// Text is the text as it was given.
	Text string
}

// Error names the set and the text, of which it has at most 64 characters (L7).
func (e *TextError) Error() string { return fmt.Sprintf("%s %.64q is unknown", e.Set, e.Text) }

// Retryable is false: the same text stays unknown (L7).
func (*TextError) Retryable() bool { return false }
