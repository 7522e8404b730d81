package purge

import "time"

// Presence says what is known of the copy that ran on the evicted cluster when
// its task was made (P4). A copy that is created there later is another one:
// once an old copy was confirmed gone, callers keep saying Gone.
type Presence string

const (
	// Present means that the old copy is there, perhaps terminating (P4).
	Present Presence = "Present"
	// Gone means that the old copy is confirmed gone. Absence of news is not Gone
	// (L6).
	Gone Presence = "Gone"
	// Unknown means that nobody can tell; the empty text means the same (P4).
	Unknown Presence = "Unknown"
)

// Replacement says how far the replacement of the old copy has come (P4).
type Replacement string

const (
	// None means that no cluster was chosen; the empty text means the same (P4).
	None Replacement = "None"
	// Scheduled means that a cluster was chosen and nothing is applied there (P4).
	Scheduled Replacement = "Scheduled"
	// Applied means that a replacement exists and is not known to be healthy (P4).
	Applied Replacement = "Applied"
	// Ready means that the whole replacement is healthy, since Input.ReadySince
	// (P4; E8 says what "whole" is).
	Ready Replacement = "Ready"
)

// OldCopy is what to do with the old copy (P4).
type OldCopy string

const (
	// Keep leaves the old copy where it is (P4).
	Keep OldCopy = "Keep"
	// Delete removes the old copy now; it is harmless where the copy is gone (P4).
	Delete OldCopy = "Delete"
)

// NewCopy is what to do with a copy that does not exist yet (P4).
type NewCopy string

const (
	// Hold means that no new copy may be created. It never touches a copy that
	// exists already (P5).
	Hold NewCopy = "Hold"
	// Create means that new copies may be created (P4).
	Create NewCopy = "Create"
)

// Reason is the stable, machine-readable cause of a decision (L5).
type Reason string

const (
	// InvalidMode means that the stored mode is no mode (P3).
	InvalidMode Reason = "InvalidMode"
	// InvalidInput means that presence or replacement is an unknown text (L6).
	InvalidInput Reason = "InvalidInput"
	// Suppressed means that suppressDeletion, or the mode Never, keeps the old
	// copy until a person decides (P7).
	Suppressed Reason = "Suppressed"
	// RequiredByOthers means that something else needs the old copy: it stays
	// and is not waited for (P5).
	RequiredByOthers Reason = "RequiredByOthers"
	// OldCopyGone means that the old copy is confirmed gone and the task ends (P4).
	OldCopyGone Reason = "OldCopyGone"
	// AwaitingReplacementHealthy means that the old copy is gone and the state
	// lives in the task only, so under Directly the task stays until a replacement
	// was healthy (P4).
	AwaitingReplacementHealthy Reason = "AwaitingReplacementHealthy"
	// AwaitingOldCopyGone means that the old copy is being deleted and the new
	// one is held until it is gone (P5).
	AwaitingOldCopyGone Reason = "AwaitingOldCopyGone"
	// OldCopyUnreachable means that nobody can tell whether the old copy still
	// runs, and the new one is held (P5).
	OldCopyUnreachable Reason = "OldCopyUnreachable"
	// NeedsFencing means that the old copy was unreachable until the fencing
	// deadline: only a fence, or news that it is gone, moves on (P5).
	NeedsFencing Reason = "NeedsFencing"
	// Fenced means that the old copy cannot act any more, so new copies may be
	// created while its deletion is still due (P5).
	Fenced Reason = "Fenced"
	// Released means that new copies were allowed before, which is never taken
	// back, while the deletion of the old copy is still due (P5).
	Released Reason = "Released"
	// FencedCopyReturned means that an old copy is there again after new copies
	// were allowed: it is deleted at once. It is a warning (P5).
	FencedCopyReturned Reason = "FencedCopyReturned"
	// Confirmed means that a person allowed the deletion (P7).
	Confirmed Reason = "Confirmed"
	// ReplacementHealthy means that the replacement is healthy, for as long as
	// asked, and the old copy goes (P6).
	ReplacementHealthy Reason = "ReplacementHealthy"
	// Soaking means that the replacement is healthy, not yet for long enough (P6).
	Soaking Reason = "Soaking"
	// NoReplacement means that no replacement is scheduled yet (P6).
	NoReplacement Reason = "NoReplacement"
	// ReplacementNotApplied means that the replacement does not exist yet (P6).
	ReplacementNotApplied Reason = "ReplacementNotApplied"
	// ReplacementNotHealthy means that the replacement is not healthy yet (P6).
	ReplacementNotHealthy Reason = "ReplacementNotHealthy"
	// GracePeriodExpired means that the grace period ended and an applied
	// replacement takes over from an old copy that is not healthy (P6).
	GracePeriodExpired Reason = "GracePeriodExpired"
	// ExpiredNoReplacement means that the grace period ended without any
	// replacement: the last copy stays (P6).
	ExpiredNoReplacement Reason = "ExpiredNoReplacement"
	// ExpiredNotApplied means that the grace period ended before a replacement
	// existed: the last copy stays (P6).
	ExpiredNotApplied Reason = "ExpiredNotApplied"
	// ExpiredSourceHealthy means that the grace period ended while the old copy
	// is healthy and its replacement is not: the old copy stays (P6).
	ExpiredSourceHealthy Reason = "ExpiredSourceHealthy"
)

// DefaultGracePeriod is how long Gracefully waits for a healthy replacement
// where nothing else is said (E5).
const DefaultGracePeriod = 600 * time.Second

// Input is all that Decide looks at, for one old copy (P4).
type Input struct {
	// Mode as stored; Decide normalises it (P1 to P3).
	Mode Mode
	// Presence of the old copy; empty = Unknown (P4).
	Presence Presence
	// Fenced says that the caller made sure that the old copy cannot act (P5).
	Fenced bool
	// SourceHealthy says that the old copy itself reports Healthy. Unknown,
	// missing and not applicable are false (P6).
	SourceHealthy bool
	// Replacement says how far the replacement has come; empty = None (P4).
	Replacement Replacement
	// ReadySince is when the replacement became healthy, for Ready. Zero means
	// that it is not known, and a soak time then never ends; from a future time
	// the soak time counts like from any other (P6).
	ReadySince time.Time
	// Released says that an earlier decision under Directly was Create because the
	// old copy was gone or fenced (P5). A Create for RequiredByOthers does not count.
	Released bool
	// RequiredByOthers says that something else needs the old copy to stay
	// (Karmada's requiredBy, P5).
	RequiredByOthers bool
	// StateCarried says that the state of this task is kept elsewhere, in a
	// failover record, so that the task may go before a replacement is healthy (P4).
	StateCarried bool
	// SuppressDeletion: nil = by mode, true = keep, false = a person confirmed
	// the deletion (P7).
	SuppressDeletion *bool
	// Created is when the task was made. Zero or in the future = now (E6).
	Created time.Time
	// GracePeriod is for Gracefully; zero or negative = DefaultGracePeriod (P6).
	GracePeriod time.Duration
	// Soak is how long a replacement must be healthy before the old copy goes;
	// zero or negative = no soak (P6). The end of the grace period ends it early,
	// unless the old copy is healthy.
	Soak time.Duration
	// FencingDeadline is how long after Created an unreachable old copy is
	// waited for before the verdict is NeedsFencing; nil = never asked, zero or
	// negative = asked at once (P5).
	FencingDeadline *time.Duration
	// Now is the caller's time (L2).
	Now time.Time
}

// Decision is the answer for one old copy (P4).
type Decision struct {
	// Old says what to do with the old copy (P4).
	Old OldCopy
	// New says whether copies that do not exist yet may be created. Under
	// Directly, Create is final: callers store it and give it back as Released,
	// unless the reason is RequiredByOthers (P5).
	New NewCopy
	// Done says that the task has served and may be dropped (P4).
	Done bool
	// Reason is one of the constants above, never empty (L5).
	Reason Reason
	// Message says the same to people. It holds no state and no relative times, so
	// it changes only when the decision does (L5).
	Message string
	// Warning says that a person should look. It comes with InvalidMode,
	// InvalidInput, NeedsFencing and FencedCopyReturned, and with nothing else.
	Warning bool
	// NextCheck says when time alone can change this decision (L5).
	NextCheck NextCheck
}
