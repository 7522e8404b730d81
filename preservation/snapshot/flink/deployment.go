package flink

import "github.com/carryover-io/carryover/preservation/snapshot"

// Deployment reads the status of a FlinkDeployment:
//
//  1. Phase: jobStatus.state. None of a job without id is Pending; of one with an
//     id, and an unknown text, which is an error, Unknown. FINISHED of a deployment
//     that is SUSPENDED or UPGRADING is Cancelled: the operator stopped it.
//  2. Snapshot of a job that is CANCELED, FAILED or FINISHED: upgradeSavepointPath,
//     else the last savepoint. The other way round for every other job, and for one
//     that is FAILED and not trusted, if the savepoint was taken since startTime: the
//     path may then be of an earlier upgrade. [LastState] is a state that nobody can
//     name, and as upgradeSavepointPath of a stopped job before all else.
//  3. The operator trusts a job that is CANCELED, or FAILED or FINISHED with its HA
//     metadata absent or its JobManager READY. Of every other stopped job a newer
//     state may exist that nobody saw.
//  4. Without either path, a completed checkpoint is such a state too: the status
//     never holds its path. Not after CANCELED, which leaves no checkpoints. And so
//     is nothing at all of a stopped job that is not trusted. Of a job that is not
//     stopped it is none.
//  5. Final: upgradeSavepointPath of a job that is trusted.
//  6. TakenAt: the time of the last savepoint, if it is the one with that path.
//  7. Attempt: the savepoint in progress, else the checkpoint in progress; the
//     operator forgets failed ones. Final for an upgrade. Trigger ids are never
//     state (R1).
//  8. The snapshot's JobID: jobStatus.jobId, if it is final or was taken since
//     startTime. The operator changes the id at a deploy, and an old path with a new
//     id would be a mix of two jobs (R1).
//  9. StartedAt: jobStatus.startTime; StoppedAt: updateTime of a stopped job.
//
// The error joins a [*FieldError] for each field that cannot be read; the reading has
// the rest, and a state that nobody can name where it found none. A nil status is
// Pending. The status is not changed (L1).
func Deployment(status map[string]any, facts Facts) (Reading, error) {
	r := &reader{status: status}
	r.objects("jobStatus", "jobStatus.savepointInfo", "jobStatus.savepointInfo.lastSavepoint",
		"jobStatus.checkpointInfo", "jobStatus.checkpointInfo.lastCheckpoint")
	state := r.text("jobStatus.state")
	out := Reading{JobID: r.text("jobStatus.jobId"), StartedAt: r.time("jobStatus.startTime")}
	out.Phase = flinkPhase(r, "jobStatus.state", state, out.JobID)
	if lifecycle := r.text("lifecycleState"); state == "FINISHED" && (lifecycle == "SUSPENDED" || lifecycle == "UPGRADING") {
		out.Phase = snapshot.PhaseCancelled
	}
	if updated := r.time("jobStatus.updateTime"); out.Phase.Stopped() {
		out.StoppedAt = updated
	}
	out.Snapshot = deploymentSnapshot(r, out, state, facts)
	out.Snapshot.JobID, out.Snapshot.Cluster = producer(out.Snapshot, out.JobID, out.StartedAt), facts.Cluster
	out.Attempt = deploymentAttempt(r)
	out.Snapshot = r.whole(out.Snapshot)
	if out.Attempt.State == snapshot.AttemptInProgress {
		out.Attempt.JobID, out.Attempt.Cluster = out.JobID, facts.Cluster
	}
	return out, r.err()
}

// flinkPhase maps a state of a Flink job. What still stops runs: only a terminal
// state is an end (R9).
func flinkPhase(r *reader, path, state, jobID string) snapshot.Phase {
	switch state {
	case "INITIALIZING", "CREATED", "RUNNING", "FAILING", "CANCELLING", "RESTARTING", "RECONCILING", "SUSPENDED":
		return snapshot.PhaseRunning
	case "FINISHED":
		return snapshot.PhaseSucceeded
	case "CANCELED":
		return snapshot.PhaseCancelled
	case "FAILED":
		return snapshot.PhaseFailed
	case "":
		// A jobStatus that is no object was reported and says nothing.
		if jobID == "" && len(r.errs) == 0 {
			return snapshot.PhasePending
		}
	default:
		r.unknown(path, "Flink job state", state)
	}
	return snapshot.PhaseUnknown
}

func deploymentSnapshot(r *reader, job Reading, state string, facts Facts) snapshot.Snapshot {
	const info = "jobStatus.savepointInfo.lastSavepoint."
	last := snapshot.Snapshot{
		Location: r.location(info + "location"), TakenAt: r.time(info + "timeStamp"), Trigger: trigger(r.text(info + "triggerType")),
	}
	upgrade := snapshot.Snapshot{Location: r.location("jobStatus.upgradeSavepointPath")}
	if upgrade.Location == last.Location {
		upgrade = last
	}
	stopped, reachable := job.Phase.Stopped(), r.text("jobManagerDeploymentStatus") == "READY"
	trusted := state == "CANCELED" || stopped && (facts.HAMetadataAbsent || reachable)
	upgrade.Final = trusted
	first, second := upgrade, last
	if !stopped || state == "FAILED" && !trusted && since(last, job.StartedAt) {
		first, second = last, upgrade
	}
	checkpoint := r.time("jobStatus.checkpointInfo.lastCheckpoint.timeStamp")
	switch {
	case stopped && upgrade.Location == LastState:
		return snapshot.Snapshot{Unnamed: true}
	case located(first.Location):
		return first
	case first.Location == LastState:
		return snapshot.Snapshot{Unnamed: true}
	case located(second.Location):
		return second
	case second.Location == LastState:
		return snapshot.Snapshot{Unnamed: true}
	case !checkpoint.IsZero() && state != "CANCELED":
		return snapshot.Snapshot{Unnamed: true, TakenAt: checkpoint}
	case stopped && !trusted:
		return snapshot.Snapshot{Unnamed: true}
	default:
		return snapshot.Snapshot{}
	}
}

func deploymentAttempt(r *reader) snapshot.Attempt {
	for _, info := range []string{"jobStatus.savepointInfo.", "jobStatus.checkpointInfo."} {
		id := r.text(info + "triggerId")
		if !located(id) {
			continue
		}
		kind := r.text(info + "triggerType")
		return snapshot.Attempt{
			State: snapshot.AttemptInProgress, ID: id, Trigger: trigger(kind), Final: kind == "UPGRADE",
			TriggeredAt: r.time(info + "triggerTimestamp"),
		}
	}
	return snapshot.Attempt{}
}
