package flink

import "github.com/carryover-io/carryover/preservation/snapshot"

// StateSnapshot reads the status of a FlinkStateSnapshot:
//
//  1. TRIGGER_PENDING, and no state yet, is an attempt in progress since its trigger
//     time, else since it was created; IN_PROGRESS is one since its trigger time.
//  2. COMPLETED is a succeeded attempt and a snapshot, taken at resultTimestamp. A
//     checkpoint without a path, and [LastState], is a state that nobody can name
//     (R2).
//  3. FAILED and ABANDONED are attempts of those states.
//  4. Any other state is an error, no attempt, and a state that nobody can name (L6).
//
// The phase is Unknown: the object says nothing of the job. The snapshot is not
// final: whether the job stopped with it is not in this status. An object with
// alreadyExists records a foreign path with the time of the recording, which no
// status tells apart, so callers leave such objects out or give them a time.
//
// The error joins a [*FieldError] for each field that cannot be read; the reading has
// the rest, and without a snapshot a state that nobody can name (L6). The status is not changed (L1).
func StateSnapshot(status map[string]any, facts Facts) (Reading, error) {
	r := &reader{status: status}
	result := r.time("resultTimestamp")
	a := snapshot.Attempt{
		ID: r.text("triggerId"), JobID: facts.JobID, Cluster: facts.Cluster,
		TriggeredAt: r.time("triggerTimestamp"), UpdatedAt: result, Message: r.text("error"),
	}
	out := Reading{Phase: snapshot.PhaseUnknown, JobID: facts.JobID}
	switch state := r.text("state"); state {
	case "TRIGGER_PENDING", "":
		a.State = snapshot.AttemptInProgress
		if a.TriggeredAt.IsZero() {
			a.TriggeredAt = facts.CreatedAt
		}
	case "IN_PROGRESS":
		a.State = snapshot.AttemptInProgress
	case "COMPLETED":
		a.State, a.CompletedAt = snapshot.AttemptSucceeded, result
		out.Snapshot = snapshot.Snapshot{
			Unnamed: true, TakenAt: result, ObservedAt: result, JobID: a.JobID, Cluster: a.Cluster,
		}
		if path := r.text("path"); located(path) {
			a.Location, out.Snapshot.Location, out.Snapshot.Unnamed = path, path, false
		}
	case "FAILED":
		a.State = snapshot.AttemptFailed
	case "ABANDONED":
		a.State = snapshot.AttemptAbandoned
	default:
		r.unknown("state", "snapshot state", state)
		out.Snapshot = r.whole(out.Snapshot)
		return out, r.err()
	}
	out.Attempt, out.Snapshot = a, r.whole(out.Snapshot)
	return out, r.err()
}
