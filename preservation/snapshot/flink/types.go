package flink

import (
	"fmt"
	"time"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// LastState is what the apache operator writes where a state exists whose path it
// does not know (R2).
const LastState = "KUBERNETES_OPERATOR_LAST_STATE"

// Facts are what a status does not say. The zero Facts claim nothing (L6).
type Facts struct {
	// Cluster is where the status is from (R1).
	Cluster string
	// JobID is the job of a FlinkStateSnapshot, whose status does not name it (R1).
	JobID string
	// CreatedAt is when the FlinkStateSnapshot was created. It stands in for the
	// trigger time of one that was not triggered yet (R8).
	CreatedAt time.Time
	// HAMetadataAbsent says that the caller looked for the HA metadata of a
	// FlinkDeployment and that there is none: the job shut down cleanly.
	HAMetadataAbsent bool
}

// Reading is what a status says, as the decisions take it (R1, R9).
type Reading struct {
	// Phase of the job; Unknown where the status does not say (R9).
	Phase snapshot.Phase
	// JobID is the job that the phase is about (R9).
	JobID string
	// Snapshot is the last good one (R1).
	Snapshot snapshot.Snapshot
	// Attempt is what is being tried, or was last (R1).
	Attempt snapshot.Attempt
	// Inherited is the location that the job was started from (R5).
	Inherited string
	// StartedAt and StoppedAt are when the job began to run and stopped; zero = not
	// known (R3, R8).
	StartedAt, StoppedAt time.Time
}

// FieldError says that a field of a status cannot be read (L7). A retry can help only
// if the status changes.
type FieldError struct {
	// Path of the field in the status, with dots.
	Path string
	// Err says why, without the value, but for a word that is in no closed set (L7).
	Err error
}

// Error names the field and the cause (L7).
func (e *FieldError) Error() string { return fmt.Sprintf("status.%s: %v", e.Path, e.Err) }

// Unwrap returns the cause (L7).
func (e *FieldError) Unwrap() error { return e.Err }
