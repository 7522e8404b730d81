package flink_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation/snapshot"
	"github.com/carryover-io/carryover/preservation/snapshot/flink"
)

// row is a row of a table of docs/flink.md: a status as the operator leaves it, and
// what the decisions make of it an hour later.
type row struct {
	read   read
	status string
	absent bool // HA metadata
	// The host's part.
	policy       snapshot.Policy
	limit        snapshot.Limit
	moving, take bool
	lost         bool // the host knows better than the status

	phase snapshot.Phase
	// Verdict, outcome and reason of Restart, readiness and reason of ReadyToMove.
	want   [5]string
	reason string
}

func (r row) check(t *testing.T) {
	t.Helper()
	reading, err := r.read(decode(t, r.status), flink.Facts{Cluster: "east", HAMetadataAbsent: r.absent})
	require.NoError(t, err)
	if reading.Phase != r.phase {
		t.Errorf("%s: phase %s, want %s", r.reason, reading.Phase, r.phase)
	}
	in := snapshot.Input{
		Phase: reading.Phase, Snapshot: reading.Snapshot, Attempt: reading.Attempt, Reachable: true, StoppedAt: reading.StoppedAt,
		Limit: r.limit, Now: noon.Add(time.Hour),
	}
	if r.lost {
		in.Phase, in.Reachable = snapshot.PhaseLost, false
	}
	restart := snapshot.Restart(snapshot.RestartInput{Input: in, Policy: r.policy, Moving: r.moving})
	move := snapshot.ReadyToMove(snapshot.MoveInput{Input: in, TakeSnapshot: r.take})
	got := [5]string{
		string(restart.Verdict), string(restart.Outcome), string(restart.Reason), string(move.Readiness), string(move.Reason),
	}
	if diff := cmp.Diff(r.want, got); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", r.reason, diff)
	}
}

// TestClusterRows is 1.7 of docs/flink.md: the states that deriveJobStatus writes, and
// what it does at a change.
func TestClusterRows(t *testing.T) {
	t.Parallel()
	const (
		location = `"savepointLocation": "gs://b/7", "savepointTime": "2026-01-01T11:58:00Z"`
		ended    = location + `, "id": "a", "startTime": "2026-01-01T09:00:00Z", "completionTime": "2026-01-01T12:00:00Z"`
		update   = `"savepoint": {"state": "Succeeded", "triggerReason": "update", "jobID": "a"}`
	)
	job := func(fields string) string { return `{"components": {"job": {` + fields + `}}}` }
	five, hour := snapshot.Seconds(300), snapshot.Seconds(3600)
	for name, r := range map[string]row{
		"1.7 row 1: no job": {
			status: `{"components": {}}`, phase: snapshot.PhasePending,
			want: [5]string{"None", "Refuse", "NotFailed", "Refuse", "StateMissing"}, reason: "Pending; a host that knows says NoWork",
		},
		"1.7 row 2: update in progress": {
			status: job(`"state": "Updating", ` + ended), limit: five, phase: snapshot.PhasePending,
			want:   [5]string{"Fresh", "Refuse", "NotFailed", "Ready", "StateFresh"},
			reason: "Updating is Pending, and aged to its end",
		},
		"1.7 row 3: stopped, submitter active": {
			status: job(`"state": "Deploying", "deployTime": "2026-01-01T12:30:00Z", ` + location), limit: five, phase: snapshot.PhaseStarting,
			want: [5]string{"Stale", "Refuse", "NotFailed", "Refuse", "StateStale"}, reason: "Deploying is Starting: aged to now",
		},
		"1.7 row 3, as PR 107": {
			status: job(`"state": "Restarting", ` + ended), limit: five, phase: snapshot.PhasePending,
			want: [5]string{"Fresh", "Refuse", "NotFailed", "Ready", "StateFresh"}, reason: "Restarting is Pending; Restart decided it before",
		},
		"1.7 row 4: stopped otherwise": {
			status: job(`"state": "Failed", ` + ended), limit: five, phase: snapshot.PhaseFailed,
			want: [5]string{"Fresh", "RestoreFrom", "RestoredFresh", "Ready", "StateFresh"}, reason: "unchanged",
		},
		"1.7 row 5: pending and deployed": {
			status: job(`"state": "Deploying", "deployTime": "2026-01-01T12:59:00Z"`), limit: five, phase: snapshot.PhaseStarting, take: true,
			want: [5]string{"None", "Refuse", "NotFailed", "Wait", "AwaitingFinal"}, reason: "Starting",
		},
		"1.7 row 6: Flink job observed": {
			status: job(`"state": "Running", "startTime": "2026-01-01T11:00:00Z", ` + location), limit: hour, phase: snapshot.PhaseRunning,
			want: [5]string{"Stale", "Refuse", "NotFailed", "Refuse", "StateStale"}, reason: "aged to now: 62 minutes",
		},
		"1.7 row 6: Flink state unknown": {
			status: job(`"state": "Unknown", ` + location), limit: snapshot.Unlimited(), phase: snapshot.PhaseUnknown,
			want: [5]string{"Fresh", "Refuse", "NotFailed", "Ready", "StateFresh"}, reason: "PR 107 panics before it is written",
		},
		"1.7 row 7: submitter succeeded": {
			status: job(`"state": "Succeeded", ` + ended), limit: five, phase: snapshot.PhaseSucceeded,
			want: [5]string{"Fresh", "Refuse", "NotFailed", "Ready", "StateFresh"}, reason: "done: no restart",
		},
		"1.7 row 7: submitter failed": {
			status: job(`"state": "Failed", ` + ended), limit: five, policy: snapshot.IgnoreState, phase: snapshot.PhaseFailed,
			want: [5]string{"Fresh", "StartEmpty", "StateIgnored", "Ready", "StateFresh"}, reason: "failed: by policy",
		},
		"1.7 row 8: cancel requested": {
			status: job(`"state": "Cancelled", ` + ended), limit: five, phase: snapshot.PhaseCancelled,
			want: [5]string{"Fresh", "Refuse", "NotFailed", "Ready", "StateFresh"}, reason: "a person stopped it: terminal",
		},
		"1.7 row 9: lost": {
			status: job(`"state": "Lost", "finalSavepoint": false, ` + ended), phase: snapshot.PhaseLost,
			want: [5]string{"Stale", "Refuse", "StateStale", "Refuse", "StateStale"}, reason: "not final",
		},
		"1.7 row 9: lost, mark not cleared": {
			status: job(`"state": "Lost", "finalSavepoint": true, ` + ended), phase: snapshot.PhaseLost,
			want: [5]string{"Stale", "Refuse", "StateStale", "Refuse", "StateStale"}, reason: "R9: the mark does not count, whoever cleared it",
		},
		"1.7 row 10: not deploying": {
			status: job(`"state": "Pending", ` + location), limit: five, phase: snapshot.PhasePending,
			want: [5]string{"Stale", "Refuse", "NotFailed", "Refuse", "StateStale"}, reason: "unchanged; no end is known: aged to now",
		},
		"1.7 row 11: lost while deploying": {
			status: job(`"state": "Lost", "completionTime": "2026-01-01T12:00:00Z", ` + location), limit: five, phase: snapshot.PhaseLost,
			want: [5]string{"Fresh", "RestoreFrom", "RestoredFresh", "Ready", "StateFresh"}, reason: "a restart may be due",
		},
		"1.7 row 12: submitter failed while deploying": {
			status: job(`"state": "DeployFailed", ` + ended), limit: five, phase: snapshot.PhaseFailed,
			want: [5]string{"Fresh", "RestoreFrom", "RestoredFresh", "Ready", "StateFresh"}, reason: "Failed",
		},
		"1.7 row 13: deploying otherwise": {
			status: job(`"state": "Deploying", "finalSavepoint": true, ` + location), phase: snapshot.PhaseStarting, take: true,
			want: [5]string{"Final", "Refuse", "NotFailed", "Ready", "StateFinal"}, reason: "unchanged: the mark is cleared at Running",
		},
		"1.7 change to running": {
			status: job(`"state": "Running", "startTime": "2026-01-01T12:59:00Z", "completionTime": null, "finalSavepoint": false, ` + location),
			phase:  snapshot.PhaseRunning, take: true,
			want: [5]string{"Stale", "Refuse", "NotFailed", "Wait", "AwaitingFinal"}, reason: "no longer final, and no end",
		},
		"1.7 running, end not cleared": {
			status: job(`"state": "Running", ` + ended), limit: five, phase: snapshot.PhaseRunning,
			want: [5]string{"Stale", "Refuse", "NotFailed", "Refuse", "StateStale"}, reason: "R3: what runs has not stopped",
		},
		"1.7 cancelled by an update": {
			status: `{"components": {"job": {"state": "Cancelled", "finalSavepoint": true, ` + ended + `}}, ` + update + `}`,
			phase:  snapshot.PhaseCancelled, moving: true, take: true,
			want: [5]string{"Final", "RestoreFrom", "RestoredFinal", "Ready", "StateFinal"}, reason: "not terminal: cancelled in order to move",
		},
		"1.7 cancelled by an update, not said": {
			status: `{"components": {"job": {"state": "Cancelled", "finalSavepoint": true, ` + ended + `}}, ` + update + `}`,
			phase:  snapshot.PhaseCancelled,
			want:   [5]string{"Final", "Refuse", "NotFailed", "Ready", "StateFinal"}, reason: "R9: only the host knows whether it goes on",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r.read = flink.Cluster
			r.check(t)
		})
	}
}

// TestDeploymentRows is 2.1, 2.2, 2.3 and 2.5 of docs/flink.md.
func TestDeploymentRows(t *testing.T) {
	t.Parallel()
	const (
		ready   = `"jobManagerDeploymentStatus": "READY", `
		missing = `"jobManagerDeploymentStatus": "MISSING", `
		ended   = `, "jobId": "a", "updateTime": "1767268800000"` // noon
		up      = `, "upgradeSavepointPath": "s3p://b/up"`
		dummy   = `, "upgradeSavepointPath": "KUBERNETES_OPERATOR_LAST_STATE"`
		saved   = `, "savepointInfo": {"lastSavepoint": {"location": "s3p://b/sp", "timeStamp": 1767268680000}}` // two minutes before
		point   = `, "checkpointInfo": {"lastCheckpoint": {"timeStamp": 1767268680000}}`
		pending = `, "savepointInfo": {"triggerId": "t", "triggerTimestamp": 1767272340000, "triggerType": "MANUAL",
			"lastSavepoint": {"location": "s3p://b/sp", "timeStamp": 1767268680000}}` // one minute ago
	)
	job := func(manager, state, fields string) string {
		return `{` + manager + `"jobStatus": {"state": "` + state + `"` + fields + `}}`
	}
	running, failed, cancelled := snapshot.PhaseRunning, snapshot.PhaseFailed, snapshot.PhaseCancelled
	minutes := func(n int64) snapshot.Limit { return snapshot.Seconds(60 * n) }
	for name, r := range map[string]row{
		"2.1 stateless, restore": {
			status: job(ready, "FAILED", ended+up), policy: snapshot.IgnoreState, phase: failed,
			want: [5]string{"Final", "StartEmpty", "StateIgnored", "Ready", "StateFinal"}, reason: "empty: the path is not used",
		},
		"2.1 stateless, needs": {
			status: job(missing, "FAILED", ended+dummy), policy: snapshot.IgnoreState, phase: failed,
			want: [5]string{"Unknown", "StartEmpty", "StateIgnored", "Refuse", "StateUnnamed"}, reason: "needs nothing",
		},
		"2.1 last-state, stopped by deleting": {
			status: `{"lifecycleState": "SUSPENDED", "jobStatus": {"state": "FINISHED"` + ended + dummy + `}}`,
			phase:  cancelled, moving: true, policy: snapshot.PreferState,
			want:   [5]string{"Unknown", "Refuse", "StateUnnamed", "Refuse", "StateUnnamed"},
			reason: "a difference: the dummy is for HA metadata, which stays with the old cluster; loud, as there",
		},
		"2.1 last-state, stopped by cancelling": {
			status: job(missing, "CANCELED", ended+up), phase: cancelled, moving: true,
			want: [5]string{"Final", "RestoreFrom", "RestoredFinal", "Ready", "StateFinal"}, reason: "recorded path: restore mode SAVEPOINT",
		},
		"2.1 savepoint, stop": {
			status: job(ready, "RUNNING", saved), limit: minutes(600), phase: running, take: true,
			want: [5]string{"Fresh", "Refuse", "NotFailed", "Wait", "AwaitingFinal"}, reason: "cancel with savepoint: the host takes it",
		},
		"2.1 savepoint, restore": {
			status: `{"lifecycleState": "SUSPENDED", "jobStatus": {"state": "FINISHED"` + ended + up + `}}`, absent: true, phase: cancelled, moving: true,
			want: [5]string{"Final", "RestoreFrom", "RestoredFinal", "Ready", "StateFinal"}, reason: "recorded path",
		},
		"2.1 savepoint, restore, while it is upgraded": {
			status: `{"lifecycleState": "UPGRADING", "jobStatus": {"state": "FINISHED"` + ended + up + `}}`, absent: true, phase: cancelled, moving: true,
			want: [5]string{"Final", "RestoreFrom", "RestoredFinal", "Ready", "StateFinal"}, reason: "the operator stopped it, too",
		},
		"2.1 savepoint, finished by itself": {
			status: `{"lifecycleState": "STABLE", "jobStatus": {"state": "FINISHED"` + ended + up + `}}`, absent: true,
			phase: snapshot.PhaseSucceeded, moving: true,
			want: [5]string{"Final", "Refuse", "NotFailed", "Ready", "StateFinal"}, reason: "done: nobody stopped it",
		},
		"2.1 savepoint, not running": {
			status: job(missing, "FAILED", ended+point), phase: failed,
			want: [5]string{"Unknown", "Refuse", "StateUnnamed", "Refuse", "StateUnnamed"}, reason: "falls back to last-state, which is HA metadata",
		},

		"2.2 row 1: stateless": {
			status: job(ready, "FAILED", ended), policy: snapshot.IgnoreState, phase: failed,
			want: [5]string{"None", "StartEmpty", "StateIgnored", "Refuse", "StateMissing"}, reason: "go; who ignores state does not ask ReadyToMove",
		},
		"2.2 row 1: stateless, terminal": {
			status: job(ready, "FINISHED", ended), policy: snapshot.IgnoreState, phase: snapshot.PhaseSucceeded,
			want: [5]string{"None", "Refuse", "NotFailed", "Refuse", "StateMissing"}, reason: "NOOP",
		},
		"2.2 row 2: usable and known": {
			status: job(missing, "CANCELED", ended+up+saved), phase: cancelled, moving: true,
			want: [5]string{"Final", "RestoreFrom", "RestoredFinal", "Ready", "StateFinal"}, reason: "go from the recorded path",
		},
		"2.2 row 3: usable, unknown": {
			status: job(ready, "FAILED", ended+dummy+saved), policy: snapshot.PreferState, limit: snapshot.Unlimited(), phase: failed,
			want: [5]string{"Unknown", "Refuse", "StateUnnamed", "Refuse", "StateUnnamed"}, reason: "manual restore required",
		},
		"2.2 row 4: cancelling, taking": {
			status: job(ready, "CANCELLING", saved), limit: minutes(600), phase: running, take: true,
			want: [5]string{"Fresh", "Refuse", "NotFailed", "Wait", "AwaitingFinal"}, reason: "F84: wait",
		},
		"2.2 row 4: cancelling, not taking": {
			status: job(ready, "CANCELLING", saved), limit: minutes(600), phase: running,
			want:   [5]string{"Fresh", "Refuse", "NotFailed", "Ready", "StateFresh"},
			reason: "a difference: the state is good enough; that the job stopped is another question",
		},
		"2.2 row 5: savepoint, running": {
			status: job(ready, "RUNNING", ""), phase: running, take: true,
			want: [5]string{"None", "Refuse", "NotFailed", "Wait", "AwaitingFinal"}, reason: "take a savepoint",
		},
		"2.2 row 6: savepoint, not running, fallback": {
			status: job(missing, "FAILED", ended+up), limit: minutes(60), policy: snapshot.PreferState, phase: failed,
			want:   [5]string{"Stale", "RestoreFrom", "RestoredStale", "Refuse", "StateStale"},
			reason: "a difference: there is no HA metadata to fall back to, so an older path, with a warning",
		},
		"2.2 row 7: savepoint, not running, no fallback": {
			status: job(missing, "FAILED", ended+up), limit: minutes(60), phase: failed,
			want: [5]string{"Stale", "Refuse", "StateStale", "Refuse", "StateStale"}, reason: "wait: for a person",
		},
		"2.2 row 8: last-state, version changed": {
			status: job(ready, "RUNNING", saved), limit: minutes(60), phase: running, take: true,
			want: [5]string{"Stale", "Refuse", "NotFailed", "Wait", "AwaitingFinal"}, reason: "a savepoint where one can be taken",
		},
		"2.2 row 9: last-state, running, young": {
			status: job(ready, "RUNNING", saved), limit: minutes(62), phase: running,
			want: [5]string{"Fresh", "Refuse", "NotFailed", "Ready", "StateFresh"}, reason: "by age (2.4)",
		},
		"2.2 row 9: last-state, running, old": {
			status: job(ready, "RUNNING", saved), limit: minutes(61), phase: running,
			want: [5]string{"Stale", "Refuse", "NotFailed", "Refuse", "StateStale"}, reason: "by age (2.4): the host takes a savepoint",
		},
		"2.2 row 10: last-state, not running, cancelled": {
			status: job(ready, "RESTARTING", ""), phase: running,
			want: [5]string{"None", "Refuse", "NotFailed", "Refuse", "StateMissing"}, reason: "a difference: cancelling is an action of the host",
		},
		"2.2 row 11: unavailable": {
			status: job(ready, "RECONCILING", saved), phase: running,
			want: [5]string{"Stale", "Refuse", "NotFailed", "Refuse", "StateStale"}, reason: "not final, no limit: unavailable",
		},
		"2.2 row 12: HA metadata present": {
			status: job(missing, "FAILED", ended+point), policy: snapshot.PreferState, phase: failed,
			want:   [5]string{"Unknown", "Refuse", "StateUnnamed", "Refuse", "StateUnnamed"},
			reason: "a difference: on another cluster there is none",
		},
		"2.2 row 13: job manager never started": {
			status: job(missing, "", ""), phase: snapshot.PhasePending,
			want: [5]string{"None", "Refuse", "NotFailed", "Refuse", "StateMissing"}, reason: "not failed yet",
		},
		"2.2 row 13: marked as failed": {
			status: job(missing, "FAILED", ended), absent: true, policy: snapshot.PreferState, phase: failed,
			want: [5]string{"None", "StartEmpty", "StartedEmpty", "Refuse", "StateMissing"}, reason: "it never had any state",
		},
		"2.2 row 14: HA metadata absent": {
			status: job(missing, "RECONCILING", saved+point), absent: true, phase: running,
			want: [5]string{"Stale", "Refuse", "NotFailed", "Refuse", "StateStale"}, reason: "manual restore required",
		},
		"2.2 row 14: HA metadata absent, with a limit": {
			status: job(missing, "RECONCILING", saved), absent: true, limit: minutes(62), phase: running,
			want:   [5]string{"Fresh", "Refuse", "NotFailed", "Ready", "StateFresh"},
			reason: "a difference: the limit says how much work may be lost",
		},
		"2.2 row 14: HA metadata absent, no path": {
			status: job(missing, "RECONCILING", point), absent: true, limit: minutes(62), policy: snapshot.PreferState, phase: running, lost: true,
			want: [5]string{"Unknown", "Refuse", "StateUnnamed", "Refuse", "StateUnnamed"}, reason: "manual restore required",
		},

		"2.3 known to be empty": {
			status: job(ready, "FAILED", ended), policy: snapshot.PreferState, phase: failed,
			want: [5]string{"None", "StartEmpty", "StartedEmpty", "Refuse", "StateMissing"}, reason: "trusted, and no location: none",
		},
		"2.3 not known to be empty": {
			status: job(missing, "FAILED", ended), policy: snapshot.PreferState, phase: failed,
			want:   [5]string{"Unknown", "Refuse", "StateUnnamed", "Refuse", "StateUnnamed"},
			reason: "not trusted: a state may exist that nobody saw, so never empty",
		},
		"2.3 canceled, nothing": {
			status: job(missing, "CANCELED", ended+point), policy: snapshot.PreferState, phase: cancelled, moving: true,
			want: [5]string{"None", "StartEmpty", "StartedEmpty", "Refuse", "StateMissing"}, reason: "none is definite",
		},

		"2.5 restore, upgrade path": {
			status: job(missing, "CANCELED", ended+up+saved), phase: cancelled, moving: true,
			want: [5]string{"Final", "RestoreFrom", "RestoredFinal", "Ready", "StateFinal"}, reason: "first",
		},
		"2.5 restore, last savepoint": {
			status: job(missing, "CANCELED", ended+saved), limit: minutes(2), phase: cancelled, moving: true,
			want:   [5]string{"Fresh", "RestoreFrom", "RestoredFresh", "Ready", "StateFresh"},
			reason: "else; a difference: by age, since it is not the last state",
		},
		"2.5 restore, none": {
			status: job(missing, "CANCELED", ended), phase: cancelled, moving: true,
			want: [5]string{"None", "Refuse", "StateMissing", "Refuse", "StateMissing"}, reason: "a difference: apache starts empty",
		},
		"2.5 resubmit, HA required": {
			status: job(missing, "FAILED", ended+point), phase: failed,
			want: [5]string{"Unknown", "Refuse", "StateUnnamed", "Refuse", "StateUnnamed"}, reason: "last-state: a difference, as 2.2 row 12",
		},
		"2.5 resubmit, path known": {
			status: job(ready, "FAILED", ended+saved), limit: minutes(2), phase: failed,
			want: [5]string{"Fresh", "RestoreFrom", "RestoredFresh", "Ready", "StateFresh"}, reason: "savepoint",
		},
		"2.5 resubmit, stateless": {
			status: job(ready, "FAILED", ended+saved), policy: snapshot.IgnoreState, phase: failed,
			want: [5]string{"Stale", "StartEmpty", "StateIgnored", "Refuse", "StateStale"}, reason: "mode as it is",
		},
		"2.5 missing job manager": {
			status: job(missing, "RUNNING", point), phase: running, lost: true,
			want: [5]string{"Unknown", "Refuse", "StateUnnamed", "Refuse", "StateUnnamed"}, reason: "only with HA metadata, which is elsewhere",
		},
		"2.5 missing job manager, stateless": {
			status: job(missing, "RUNNING", point), policy: snapshot.IgnoreState, phase: running, lost: true,
			want: [5]string{"Unknown", "StartEmpty", "StateIgnored", "Refuse", "StateUnnamed"}, reason: "recovered",
		},
		"2.5 unhealthy": {
			status: job(ready, "RUNNING", saved), limit: minutes(600), phase: running,
			want: [5]string{"Fresh", "Refuse", "NotFailed", "Ready", "StateFresh"}, reason: "a difference: health is no phase; the host moves it",
		},
		"2.5 pending savepoint": {
			status: job(ready, "RUNNING", pending), limit: minutes(61), phase: running,
			want: [5]string{"Wait", "Refuse", "NotFailed", "Wait", "AttemptPending"}, reason: "wait",
		},
		"2.5 pending savepoint, fresh": {
			status: job(ready, "RUNNING", pending), limit: minutes(62), phase: running,
			want: [5]string{"Fresh", "Refuse", "NotFailed", "Ready", "StateFresh"}, reason: "a difference: what is there is good enough",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r.read = flink.Deployment
			r.check(t)
		})
	}
}
