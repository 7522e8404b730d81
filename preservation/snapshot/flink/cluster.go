package flink

import (
	"time"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// Cluster reads the status of a FlinkCluster:
//
//  1. Phase: components.job.state. Updating and Restarting are Pending, Deploying is
//     Starting, DeployFailed is Failed; no job is Pending; an unknown text is an
//     error, and Unknown (L6).
//  2. Snapshot: components.job, with savepointTime as ObservedAt, since the operator
//     writes when it saw the savepoint (R3).
//  3. A location that the job was itself started from, or may have been, as nobody can
//     read from what, has no time unless that is known to be after the start: the
//     operator pins a path without touching the time, which may be another path's.
//  4. The snapshot's JobID: the id of the job, if it is final or was seen since the
//     start (R1).
//  5. Attempt: savepoint. Reasons scheduled, "scheduled initial" and "user requested"
//     are Periodic, Periodic and Manual; update and "job cancel" are final. Its location is empty: the operator
//     records a success as the snapshot itself.
//  6. StartedAt: startTime; StoppedAt: completionTime; Inherited: fromSavepoint.
//
// The error joins a [*FieldError] for each field that cannot be read; the reading has
// the rest, and a state that nobody can name where it found none. A nil status is
// Pending. The status is not changed (L1).
func Cluster(status map[string]any, facts Facts) (Reading, error) {
	const job = "components.job."
	r := &reader{status: status}
	r.objects("components", "components.job", "savepoint")
	out := Reading{
		JobID: r.text(job + "id"), Inherited: r.location(job + "fromSavepoint"),
		StartedAt: r.time(job + "startTime"), StoppedAt: r.time(job + "completionTime"),
	}
	out.Phase = clusterPhase(r, job+"state")
	started := out.StartedAt
	if started.IsZero() {
		started = r.time(job + "deployTime")
	}
	pin := out.Inherited
	if pin == LastState {
		out.Inherited = ""
	}
	s := snapshot.Snapshot{
		Location: r.location(job + "savepointLocation"), ObservedAt: r.time(job + "savepointTime"),
		Generation: r.count(job + "savepointGeneration"), Final: r.flag(job + "finalSavepoint"),
		Cluster: facts.Cluster,
	}
	if (s.Location == pin || pin == LastState) && (started.IsZero() || !s.ObservedAt.After(started)) {
		s.ObservedAt = time.Time{}
	}
	s.JobID = producer(s, out.JobID, started)
	out.Attempt = clusterAttempt(r, facts)
	out.Snapshot = r.whole(s)
	return out, r.err()
}

func clusterPhase(r *reader, path string) snapshot.Phase {
	switch state := r.text(path); state {
	case "Pending", "Updating", "Restarting":
		return snapshot.PhasePending
	case "Deploying":
		return snapshot.PhaseStarting
	case "Running":
		return snapshot.PhaseRunning
	case "Succeeded":
		return snapshot.PhaseSucceeded
	case "DeployFailed", "Failed":
		return snapshot.PhaseFailed
	case "Cancelled":
		return snapshot.PhaseCancelled
	case "Lost":
		return snapshot.PhaseLost
	case "Unknown":
	case "":
		if len(r.errs) == 0 {
			return snapshot.PhasePending
		}
	default:
		r.unknown(path, "job state", state)
	}
	return snapshot.PhaseUnknown
}

func clusterAttempt(r *reader, facts Facts) snapshot.Attempt {
	const record = "savepoint."
	reason := r.text(record + "triggerReason")
	a := snapshot.Attempt{
		ID: r.text(record + "triggerID"), JobID: r.text(record + "jobID"), Cluster: facts.Cluster,
		Trigger: trigger(reason), Final: reason == "update" || reason == "job cancel",
		TriggeredAt: r.time(record + "triggerTime"), UpdatedAt: r.time(record + "requestTime"),
		Message: r.text(record + "message"),
	}
	switch state := r.text(record + "state"); state {
	case "InProgress":
		a.State = snapshot.AttemptInProgress
	case "TriggerFailed":
		a.State = snapshot.AttemptTriggerFailed
	case "Succeeded":
		a.State = snapshot.AttemptSucceeded
	case "Failed":
		a.State = snapshot.AttemptFailed
	case "", "NotTriggered":
		return snapshot.Attempt{}
	default:
		r.unknown(record+"state", "savepoint state", state)
		return snapshot.Attempt{}
	}
	return a
}
