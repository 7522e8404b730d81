package snapshot

import "time"

// Snapshot is the last good state of some work, and where it comes from (R1).
// What is being tried is an [Attempt]: it never changes a Snapshot but by
// [Record]. The zero Snapshot is no state at all.
type Snapshot struct {
	// Location is where the state lies. Empty, blank, "0" and "null" are no
	// location (R2).
	Location string `json:"location,omitempty"`
	// Unnamed says that a state exists whose location nobody can tell, so that
	// neither "none" nor Location is true; Location is then ignored (R2).
	Unnamed bool `json:"unnamed,omitempty"`
	// TakenAt is when the state was taken; zero = not known (R1).
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	TakenAt time.Time `json:"takenAt,omitzero"`
	// ObservedAt is when somebody saw that it was there; zero = not known. It
	// stands in for TakenAt where that is missing, and the age is then too small by
	// the delay of the observer (R3).
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	ObservedAt time.Time `json:"observedAt,omitzero"`
	// Generation counts the snapshots of the work, by 1 for each (R1).
	Generation int64 `json:"generation,omitempty"`
	// Final says that the work did nothing after this snapshot. It counts only
	// with a location, and not while the work is Lost (R2, R9).
	Final bool `json:"final,omitempty"`
	// JobID and Cluster say who produced it; a new job never owns an old state (R1).
	JobID   string `json:"jobID,omitempty"`
	Cluster string `json:"cluster,omitempty"`
	// Trigger says why it was taken, as the source spells it (R1).
	Trigger string `json:"trigger,omitempty"`
}

// AttemptState says how far an attempt to take a snapshot has come (R1).
type AttemptState string

const (
	// AttemptNone means that there was no attempt; the empty text means the same (R1).
	AttemptNone AttemptState = "None"
	// AttemptInProgress means that it was accepted and its end was not seen. A read
	// that failed leaves an attempt here (R1).
	AttemptInProgress AttemptState = "InProgress"
	// AttemptTriggerFailed means that it was not accepted (R1).
	AttemptTriggerFailed AttemptState = "TriggerFailed"
	// AttemptSucceeded means that it completed (R1).
	AttemptSucceeded AttemptState = "Succeeded"
	// AttemptFailed means that it ended without a snapshot (R1).
	AttemptFailed AttemptState = "Failed"
	// AttemptAbandoned means that nobody waits for it any more (R1, R8).
	AttemptAbandoned AttemptState = "Abandoned"
)

// Attempt is what is being tried (R1). The zero Attempt is none.
type Attempt struct {
	// State is how far it has come; empty = AttemptNone (R1).
	// +kubebuilder:validation:Enum=None;InProgress;TriggerFailed;Succeeded;Failed;Abandoned;""
	State AttemptState `json:"state,omitempty"`
	// ID names the attempt at the source. It is never state (R1).
	ID string `json:"id,omitempty"`
	// JobID and Cluster say whose snapshot it is (R1).
	JobID   string `json:"jobID,omitempty"`
	Cluster string `json:"cluster,omitempty"`
	// Trigger says why: TriggerPeriodic, TriggerManual, or as the source spells it (R8).
	Trigger string `json:"trigger,omitempty"`
	// Final says that its snapshot ends the work: nothing is done after it (R2).
	Final bool `json:"final,omitempty"`
	// TriggeredAt is when it started; zero = not known, and then nobody waits for
	// it (R8).
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	TriggeredAt time.Time `json:"triggeredAt,omitzero"`
	// CompletedAt is when it completed, as the source says; zero = not known (R1).
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	CompletedAt time.Time `json:"completedAt,omitzero"`
	// UpdatedAt is when State was last seen to change; zero = not known (R8).
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	UpdatedAt time.Time `json:"updatedAt,omitzero"`
	// Location is where the snapshot lies, for AttemptSucceeded (R1).
	Location string `json:"location,omitempty"`
	// Message is what the source says of a failure (R1).
	Message string `json:"message,omitempty"`
}

// The triggers that [NextSnapshot] knows (R8).
const (
	// TriggerPeriodic is the trigger of a snapshot that the interval asks for (R8).
	TriggerPeriodic = "Periodic"
	// TriggerManual is the trigger of a snapshot that somebody asks for (R8).
	TriggerManual = "Manual"
)

const (
	// DefaultSkew is how far in the future a time may lie before it is not
	// believed (R2).
	DefaultSkew = 60 * time.Second
	// DefaultAttemptDeadline is how long an attempt in progress is waited for where
	// nothing else is said (R8).
	DefaultAttemptDeadline = 10 * time.Minute
	// DefaultRetry is the time between a failed attempt and the next one where
	// nothing else is said (R8).
	DefaultRetry = 10 * time.Second
)

// Verdict says what a state is worth (R2).
type Verdict string

const (
	// VerdictUnknown means that a state exists and nobody can name it (R2). It is
	// also the verdict on an input that cannot be read (L6).
	VerdictUnknown Verdict = "Unknown"
	// VerdictFinal means that nothing was done after the snapshot (R2).
	VerdictFinal Verdict = "Final"
	// VerdictNone means that there is no state (R2).
	VerdictNone Verdict = "None"
	// VerdictWait means that a better snapshot is pending and can still arrive (R2).
	VerdictWait Verdict = "Wait"
	// VerdictSuspect means that the snapshot is from the future (R2).
	VerdictSuspect Verdict = "Suspect"
	// VerdictFresh means that the age of the snapshot is within the limit (R2).
	VerdictFresh Verdict = "Fresh"
	// VerdictStale means that its age is not known to be within the limit (R2, R3).
	VerdictStale Verdict = "Stale"
)

// Policy says what a restart needs (R6).
type Policy string

const (
	// RequireState restarts only from the last state (R6).
	RequireState Policy = "RequireState"
	// PreferState restarts from a stale state too, and empty if there is none (R6).
	PreferState Policy = "PreferState"
	// IgnoreState restarts empty (R6).
	IgnoreState Policy = "IgnoreState"
)

// Outcome is what happens to failed work (R6).
type Outcome string

const (
	// RestoreFrom restarts the work from a snapshot (R6).
	RestoreFrom Outcome = "RestoreFrom"
	// StartEmpty restarts the work without state (R6).
	StartEmpty Outcome = "StartEmpty"
	// Wait does nothing yet (R6).
	Wait Outcome = "Wait"
	// Refuse does nothing until something else changes, or a person does (R6).
	Refuse Outcome = "Refuse"
)

// Readiness says whether work may be moved by plan (R7).
type Readiness string

const (
	// MoveReady means that the work may be stopped and moved now (R7).
	MoveReady Readiness = "Ready"
	// MoveWait means that a snapshot that is being taken, or is still to be taken,
	// will make it ready (R7).
	MoveWait Readiness = "Wait"
	// MoveRefuse means that moving now would lose work, and that nothing pending
	// changes it (R7).
	MoveRefuse Readiness = "Refuse"
)

// Timing says when the next snapshot is to be taken (R8).
type Timing string

const (
	// SnapshotDue means now (R8).
	SnapshotDue Timing = "Due"
	// SnapshotWait means later; the next check says when (R8).
	SnapshotWait Timing = "Wait"
	// SnapshotNone means that none is planned (R8).
	SnapshotNone Timing = "None"
)

// Source says where a restore takes its state from (R5).
type Source string

const (
	// SourceExplicit is the location that a person wrote into the specification (R5).
	SourceExplicit Source = "Explicit"
	// SourceLatest is the latest recorded snapshot (R5).
	SourceLatest Source = "Latest"
	// SourceInherited is what the last run was started from itself (R5).
	SourceInherited Source = "Inherited"
	// SourceNone means that there is nothing to restore from (R5).
	SourceNone Source = "None"
	// SourceUnknown means that a newer state exists that nobody can name, so no
	// older one is taken in its place (R2, R5).
	SourceUnknown Source = "Unknown"
)

// Reason is the stable, machine-readable cause of an answer (L5).
type Reason string

const (
	// InvalidInput means that a closed set holds an unknown text, or a number is
	// out of range (L6).
	InvalidInput Reason = "InvalidInput"

	// StateUnnamed means that a state exists and nobody can name it (R2).
	StateUnnamed Reason = "StateUnnamed"
	// FinalSnapshot means that nothing was done after the snapshot (R2).
	FinalSnapshot Reason = "FinalSnapshot"
	// NoSnapshot means that there is no snapshot with a location (R2).
	NoSnapshot Reason = "NoSnapshot"
	// FromTheFuture means that the snapshot is younger than time allows (R2).
	FromTheFuture Reason = "FromTheFuture"
	// AnyAge means that the limit asks for no age (R2).
	AnyAge Reason = "AnyAge"
	// WithinLimit means that the age is at most the limit (R2).
	WithinLimit Reason = "WithinLimit"
	// AttemptPending means that an attempt is in progress (R2, R8).
	AttemptPending Reason = "AttemptPending"
	// NotFinal means that only a final snapshot is good enough (R2).
	NotFinal Reason = "NotFinal"
	// TimeMissing means that nobody knows when the snapshot was taken (R3).
	TimeMissing Reason = "TimeMissing"
	// ReferenceMissing means that there is no time to measure the age to (R3).
	ReferenceMissing Reason = "ReferenceMissing"
	// TooOld means that the age is more than the limit (R2).
	TooOld Reason = "TooOld"

	// NotFailed means that the work is in no phase that a restart is for (R6).
	NotFailed Reason = "NotFailed"
	// RestoredFinal means a restart from a final snapshot (R6).
	RestoredFinal Reason = "RestoredFinal"
	// RestoredFresh means a restart from a fresh snapshot (R6).
	RestoredFresh Reason = "RestoredFresh"
	// RestoredStale means a restart from a stale snapshot: work is lost (R6).
	RestoredStale Reason = "RestoredStale"
	// StartedEmpty means a restart without state, as there is none (R6).
	StartedEmpty Reason = "StartedEmpty"
	// StateIgnored means a restart without state, as the policy asks for (R6).
	StateIgnored Reason = "StateIgnored"
	// StateStale means that the state is too old for the policy (R6, R7).
	StateStale Reason = "StateStale"
	// StateSuspect means that the time of the state is not believed (R6, R7).
	StateSuspect Reason = "StateSuspect"
	// StateMissing means that there is no state and the policy needs one (R6, R7).
	StateMissing Reason = "StateMissing"

	// NothingToMove means that there is no work (R7).
	NothingToMove Reason = "NothingToMove"
	// ExplicitStart means that a person named the start point (R7).
	ExplicitStart Reason = "ExplicitStart"
	// StateFinal means that a final snapshot is there (R7).
	StateFinal Reason = "StateFinal"
	// StateFresh means that a fresh snapshot is there (R7).
	StateFresh Reason = "StateFresh"
	// AwaitingFinal means that the final snapshot is still to be taken (R7).
	AwaitingFinal Reason = "AwaitingFinal"

	// NotRunning means that only running work can take a snapshot (R8).
	NotRunning Reason = "NotRunning"
	// Requested means that somebody asked for a snapshot (R8).
	Requested Reason = "Requested"
	// NotScheduled means that there is no interval (R8).
	NotScheduled Reason = "NotScheduled"
	// IntervalElapsed means that the interval is over (R8).
	IntervalElapsed Reason = "IntervalElapsed"
	// IntervalRunning means that the interval is not over (R8).
	IntervalRunning Reason = "IntervalRunning"
	// NeverTaken means that there is no time to count the interval from (R8).
	NeverTaken Reason = "NeverTaken"
	// RetryLater means that the last attempt failed a moment ago (R8).
	RetryLater Reason = "RetryLater"

	// NoAttempt means that nothing was tried (R1).
	NoAttempt Reason = "NoAttempt"
	// AttemptOverdue means that an attempt is past its deadline, or that nobody
	// knows since when it is in progress (R8).
	AttemptOverdue Reason = "AttemptOverdue"
	// AttemptUnsuccessful means that an attempt ended without a snapshot (R1).
	AttemptUnsuccessful Reason = "AttemptUnsuccessful"
	// LocationMissing means that an attempt succeeded without a location (R1).
	LocationMissing Reason = "LocationMissing"
	// AlreadyRecorded means that the snapshot of the attempt is the last one, or
	// older (R1).
	AlreadyRecorded Reason = "AlreadyRecorded"
	// SnapshotRecorded means that the attempt gave a new last snapshot (R1).
	SnapshotRecorded Reason = "SnapshotRecorded"

	// RevisionChanged means that a person changed the explicit start point (R5).
	RevisionChanged Reason = "RevisionChanged"
	// LatestRecorded means that the latest recorded snapshot is the best (R5).
	LatestRecorded Reason = "LatestRecorded"
	// LastStartPoint means that the run recorded no snapshot of its own (R5).
	LastStartPoint Reason = "LastStartPoint"
	// FirstStart means that there is nothing but the explicit start point (R5).
	FirstStart Reason = "FirstStart"
	// NothingRecorded means that there is no state of any source (R5).
	NothingRecorded Reason = "NothingRecorded"
	// Outranked means that a better source has a state (R5).
	Outranked Reason = "Outranked"
	// PinNotNew means that an explicit start point is older than what ran since (R5).
	PinNotNew Reason = "PinNotNew"
)

// NextCheck says when time alone can change an answer (L5). The zero value means
// that it cannot.
type NextCheck struct {
	// After is the time to wait: whole seconds, rounded up, at least one. It is 0
	// if OK is false.
	After time.Duration
	// OK says that there is a next check.
	OK bool
}
