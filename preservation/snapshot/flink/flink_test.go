package flink_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation/snapshot"
	"github.com/carryover-io/carryover/preservation/snapshot/flink"
)

var noon = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

const (
	apacheJob  = "fa5a0b5e4a0a7f1f6a4a0c4f7a3c2b1d"
	spotifyJob = "e1f0a7c2b3d4e5f60718293a4b5c6d7e"
)

type read func(status map[string]any, facts flink.Facts) (flink.Reading, error)

func file(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	require.NoError(t, err)
	return decode(t, string(text))
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var status map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &status))
	return status
}

func milli(n int64) time.Time { return time.UnixMilli(n).UTC() }

// TestFiles reads statuses as the operators write them.
func TestFiles(t *testing.T) {
	t.Parallel()
	facts := flink.Facts{Cluster: "east", JobID: apacheJob}
	suspended := snapshot.Snapshot{
		Location: "s3p://bucket/savepoint-fa5a0b-2", TakenAt: noon, Trigger: "UPGRADE", JobID: apacheJob, Cluster: "east",
	}
	clean := suspended
	clean.Final = true
	suspendedReading := flink.Reading{
		Phase: snapshot.PhaseCancelled, JobID: apacheJob, StartedAt: milli(1767258000000), StoppedAt: noon.Add(10 * time.Second),
	}
	tests := map[string]struct {
		file   string
		read   read
		absent bool // HA metadata
		want   flink.Reading
		reason string
	}{
		"running": {"deployment-running", flink.Deployment, false, flink.Reading{
			Phase: snapshot.PhaseRunning, JobID: apacheJob, StartedAt: milli(1767258000000),
			Snapshot: snapshot.Snapshot{
				Location: "s3p://bucket/savepoint-fa5a0b-1", TakenAt: milli(1767265200000), Trigger: snapshot.TriggerManual,
				JobID: apacheJob, Cluster: "east",
			},
			Attempt: snapshot.Attempt{
				State: snapshot.AttemptInProgress, ID: "0c2e5fd4b2f0a7a4e0f4c1f2d3b4a596", Trigger: snapshot.TriggerPeriodic,
				TriggeredAt: milli(1767268506836), JobID: apacheJob, Cluster: "east",
			},
		}, "F74: the pending trigger is no state; 2.3: no trust in the path of an earlier upgrade"},
		"suspended": {"deployment-suspended", flink.Deployment, false, func() flink.Reading {
			r := suspendedReading
			r.Snapshot = suspended
			return r
		}(), "2.3: FINISHED, HA metadata perhaps there, manager gone: a newer state may exist"},
		"suspended, clean": {"deployment-suspended", flink.Deployment, true, func() flink.Reading {
			r := suspendedReading
			r.Snapshot = clean
			return r
		}(), "2.3: FINISHED without HA metadata is a clean shutdown"},
		"last state": {"deployment-laststate", flink.Deployment, false, flink.Reading{
			Phase: snapshot.PhaseFailed, JobID: apacheJob, StoppedAt: noon.Add(10 * time.Second),
			Snapshot: snapshot.Snapshot{Unnamed: true, Cluster: "east"},
		}, "F75: unknown, not none"},
		"savepoint object": {"statesnapshot-savepoint", flink.StateSnapshot, false, flink.Reading{
			Phase: snapshot.PhaseUnknown, JobID: apacheJob,
			Snapshot: snapshot.Snapshot{
				Location: "s3p://bucket/savepoint-fa5a0b-3", TakenAt: milli(1767268805123), ObservedAt: milli(1767268805123),
				JobID: apacheJob, Cluster: "east",
			},
			Attempt: snapshot.Attempt{
				State: snapshot.AttemptSucceeded, ID: "0c2e5fd4b2f0a7a4e0f4c1f2d3b4a596", JobID: apacheJob, Cluster: "east",
				TriggeredAt: milli(1767268800456), CompletedAt: milli(1767268805123), UpdatedAt: milli(1767268805123),
				Location: "s3p://bucket/savepoint-fa5a0b-3",
			},
		}, "2.7"},
		"failed object": {"statesnapshot-failed", flink.StateSnapshot, false, flink.Reading{
			Phase: snapshot.PhaseUnknown, JobID: apacheJob,
			Attempt: snapshot.Attempt{
				State: snapshot.AttemptFailed, ID: "0c2e5fd4b2f0a7a4e0f4c1f2d3b4a596", JobID: apacheJob, Cluster: "east",
				TriggeredAt: noon, UpdatedAt: noon.Add(time.Minute), Message: "Checkpoint triggering task Source is not running.",
			},
		}, "2.7: no snapshot, and why"},
		"checkpoint object": {"statesnapshot-checkpoint", flink.StateSnapshot, false, flink.Reading{
			Phase: snapshot.PhaseUnknown, JobID: apacheJob,
			Snapshot: snapshot.Snapshot{
				Unnamed: true, TakenAt: noon.Add(5 * time.Second), ObservedAt: noon.Add(5 * time.Second), JobID: apacheJob, Cluster: "east",
			},
			Attempt: snapshot.Attempt{
				State: snapshot.AttemptSucceeded, ID: "0c2e5fd4b2f0a7a4e0f4c1f2d3b4a596", JobID: apacheJob, Cluster: "east",
				TriggeredAt: noon, CompletedAt: noon.Add(5 * time.Second), UpdatedAt: noon.Add(5 * time.Second),
			},
		}, "F72: completed, and nobody can say where"},
		"failed": {"cluster-failed", flink.Cluster, false, flink.Reading{
			Phase: snapshot.PhaseFailed, JobID: spotifyJob, Inherited: "gs://bucket/savepoint-e1f0a7-6",
			StartedAt: noon.Add(-3*time.Hour + time.Minute), StoppedAt: noon.Add(2 * time.Minute),
			Snapshot: snapshot.Snapshot{
				Location: "gs://bucket/savepoint-e1f0a7-7", ObservedAt: noon, Generation: 7, JobID: spotifyJob, Cluster: "east",
			},
			Attempt: snapshot.Attempt{
				State: snapshot.AttemptFailed, ID: "7d1f0a2b3c4d5e6f708192a3b4c5d6e7", JobID: spotifyJob, Cluster: "east",
				Trigger: snapshot.TriggerPeriodic, TriggeredAt: noon.Add(90 * time.Second), UpdatedAt: noon.Add(130 * time.Second),
				Message: "job is stopped",
			},
		}, "R1: the failed attempt spoils nothing"},
		"pinned": {"cluster-pinned", flink.Cluster, false, flink.Reading{
			Phase: snapshot.PhaseRunning, JobID: spotifyJob, Inherited: "gs://bucket/pinned-last-year",
			StartedAt: noon.Add(-54 * time.Minute),
			Snapshot:  snapshot.Snapshot{Location: "gs://bucket/pinned-last-year", Generation: 7, Cluster: "east"},
		}, "1.1: a pinned path does not inherit the newer time"},
		"updating": {"cluster-updating", flink.Cluster, false, flink.Reading{
			Phase: snapshot.PhaseCancelled, JobID: spotifyJob,
			StartedAt: noon.Add(-3*time.Hour + time.Minute), StoppedAt: noon.Add(20 * time.Second),
			Snapshot: snapshot.Snapshot{
				Location: "gs://bucket/savepoint-e1f0a7-8", ObservedAt: noon, Generation: 8, Final: true, JobID: spotifyJob, Cluster: "east",
			},
			Attempt: snapshot.Attempt{
				State: snapshot.AttemptSucceeded, ID: "7d1f0a2b3c4d5e6f708192a3b4c5d6e7", JobID: spotifyJob, Cluster: "east",
				Trigger: "update", Final: true, TriggeredAt: noon.Add(-30 * time.Second), UpdatedAt: noon,
			},
		}, "1.7: cancelled in order to move, with a final savepoint"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status := file(t, tt.file)
			facts := facts
			facts.HAMetadataAbsent = tt.absent
			got, err := tt.read(status, facts)
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if diff := cmp.Diff(file(t, tt.file), status); diff != "" {
				t.Errorf("L1: the status changed (-before +after)\n%s", diff)
			}
		})
	}
}

// TestPhases is 1.3 of docs/flink.md and the map of Flink states in 1.7.
func TestPhases(t *testing.T) {
	t.Parallel()
	apache := map[string]snapshot.Phase{
		"INITIALIZING": snapshot.PhaseRunning, "CREATED": snapshot.PhaseRunning, "RUNNING": snapshot.PhaseRunning,
		"FAILING": snapshot.PhaseRunning, "CANCELLING": snapshot.PhaseRunning, "RESTARTING": snapshot.PhaseRunning,
		"RECONCILING": snapshot.PhaseRunning, "SUSPENDED": snapshot.PhaseRunning, "FINISHED": snapshot.PhaseSucceeded,
		"CANCELED": snapshot.PhaseCancelled, "FAILED": snapshot.PhaseFailed, "": snapshot.PhasePending,
	}
	spotify := map[string]snapshot.Phase{
		"Pending": snapshot.PhasePending, "Updating": snapshot.PhasePending, "Restarting": snapshot.PhasePending,
		"Deploying": snapshot.PhaseStarting, "Running": snapshot.PhaseRunning, "Succeeded": snapshot.PhaseSucceeded,
		"DeployFailed": snapshot.PhaseFailed, "Failed": snapshot.PhaseFailed, "Cancelled": snapshot.PhaseCancelled,
		"Lost": snapshot.PhaseLost, "Unknown": snapshot.PhaseUnknown, "": snapshot.PhasePending,
	}
	check := func(read read, format string, want map[string]snapshot.Phase) {
		for state, phase := range want {
			got, err := read(decode(t, fmt.Sprintf(format, state)), flink.Facts{})
			require.NoError(t, err, state)
			if got.Phase != phase {
				t.Errorf("R9: %q gives %s, want %s", state, got.Phase, phase)
			}
		}
		got, err := read(decode(t, fmt.Sprintf(format, "running")), flink.Facts{})
		var text *snapshot.TextError
		require.ErrorAs(t, err, &text)
		if !strings.HasSuffix(err.Error(), `job state "running" is unknown`) {
			t.Errorf("L7: %v", err)
		}
		if got.Phase != snapshot.PhaseUnknown {
			t.Errorf("L6: an unknown state gives %s; PR 107 panics", got.Phase)
		}
		got, err = read(nil, flink.Facts{})
		require.NoError(t, err)
		if diff := cmp.Diff(flink.Reading{Phase: snapshot.PhasePending}, got); diff != "" {
			t.Errorf("nil: (-want +got)\n%s", diff)
		}
	}
	check(flink.Deployment, `{"jobStatus": {"state": %q}}`, apache)
	check(flink.Cluster, `{"components": {"job": {"state": %q}}}`, spotify)

	got, err := flink.Deployment(decode(t, `{"jobStatus": {"jobId": "a"}}`), flink.Facts{})
	require.NoError(t, err)
	if got.Phase != snapshot.PhaseUnknown {
		t.Errorf("R9: a job without a state gives %s", got.Phase)
	}
}

// TestDeployment is 2.3 of docs/flink.md row by row, and the choice between two paths.
func TestDeployment(t *testing.T) {
	t.Parallel()
	const (
		saved   = `"savepointInfo": {"lastSavepoint": {"location": "s3p://b/sp", "timeStamp": 1767268800000}}`
		upgrade = `"upgradeSavepointPath": "s3p://b/up"`
		dummy   = `"upgradeSavepointPath": "KUBERNETES_OPERATOR_LAST_STATE"`
		point   = `"checkpointInfo": {"lastCheckpoint": {"timeStamp": 1767268800000}}`
		ready   = `"jobManagerDeploymentStatus": "READY"`
		missing = `"jobManagerDeploymentStatus": "MISSING"`
		begun   = `"startTime": "1767268800000"`
		later   = `"startTime": "1767268800001"`
	)
	sp := snapshot.Snapshot{Location: "s3p://b/sp", TakenAt: noon}
	up := snapshot.Snapshot{Location: "s3p://b/up"}
	upFinal := snapshot.Snapshot{Location: "s3p://b/up", Final: true}
	unnamed := snapshot.Snapshot{Unnamed: true}
	tests := map[string]struct {
		state, manager string
		fields         []string
		absent         bool
		want           snapshot.Snapshot
		reason         string
	}{
		"2.3 running":                {"RUNNING", ready, []string{upgrade, saved}, false, sp, "no trust"},
		"2.3 running, upgrade only":  {"RUNNING", ready, []string{upgrade}, false, up, "a state, of unknown age, not final"},
		"2.3 canceled":               {"CANCELED", missing, []string{upgrade, saved}, false, upFinal, "trust"},
		"2.3 failed, HA absent":      {"FAILED", missing, []string{upgrade}, true, upFinal, "trust: clean shutdown"},
		"2.3 finished, HA absent":    {"FINISHED", missing, []string{upgrade}, true, upFinal, "trust: clean shutdown"},
		"2.3 failed, reachable":      {"FAILED", ready, []string{upgrade}, false, upFinal, "trust"},
		"2.3 failed, not reachable":  {"FAILED", missing, []string{upgrade}, false, up, "no trust: a newer state may exist"},
		"2.3 failed, manager silent": {"FAILED", `"x": 0`, []string{upgrade}, false, up, "no trust"},
		"2.3 failed, not reachable, saved in this run": {
			"FAILED", missing, []string{upgrade, saved, begun}, false, sp, "the path may be of the upgrade before: the savepoint is not",
		},
		"2.3 failed, not reachable, saved before this run": {
			"FAILED", missing, []string{upgrade, saved, later}, false, up, "nothing says which is newer: the path, whose age is not known",
		},
		"2.3 failed, reachable, saved in this run": {
			"FAILED", ready, []string{upgrade, saved, begun}, false, upFinal, "trust",
		},
		"2.3 canceled, saved in this run": {
			"CANCELED", missing, []string{upgrade, saved, begun}, false, upFinal, "trust",
		},
		"2.3 finished, not reachable, saved in this run": {
			"FINISHED", missing, []string{upgrade, saved, begun}, false, up, "a job that ends in order leaves its path last",
		},
		"2.3 failed, not reachable, dummy, saved in this run": {
			"FAILED", missing, []string{dummy, saved, begun}, false, unnamed, "a newer state exists",
		},
		"2.3 canceled, none":       {"CANCELED", missing, []string{point}, false, snapshot.Snapshot{}, "none is definite"},
		"2.5 canceled, legacy":     {"CANCELED", missing, []string{saved}, false, sp, "the last savepoint, not final"},
		"2.2 failed, dummy":        {"FAILED", ready, []string{dummy, saved}, true, unnamed, "row 3: unknown, also with an older savepoint"},
		"running, dummy":           {"RUNNING", ready, []string{dummy}, false, unnamed, "F75"},
		"running, dummy and saved": {"RUNNING", ready, []string{dummy, saved}, false, sp, "the dummy is of an earlier upgrade"},
		"dummy in the last savepoint": {
			"RUNNING", ready,
			[]string{`"savepointInfo": {"lastSavepoint": {"location": "KUBERNETES_OPERATOR_LAST_STATE"}}`},
			false, unnamed, "F75",
		},
		"checkpoint only": {
			"FAILED", ready, []string{point}, false, snapshot.Snapshot{Unnamed: true, TakenAt: noon}, "2.3: a checkpoint has no path in the status",
		},
		"never": {
			"RUNNING", ready,
			[]string{`"checkpointInfo": {"lastCheckpoint": null, "lastPeriodicCheckpointTimestamp": 0}`, `"savepointInfo": {}`},
			false,
			snapshot.Snapshot{},
			"F71",
		},
		"zero path": {"FAILED", ready, []string{`"upgradeSavepointPath": "0"`}, true, snapshot.Snapshot{}, "F71"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status := fmt.Sprintf(`{%s, "jobStatus": {"state": %q, %s}}`, tt.manager, tt.state, strings.Join(tt.fields, ", "))
			got, err := flink.Deployment(decode(t, status), flink.Facts{HAMetadataAbsent: tt.absent})
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, got.Snapshot); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}

// TestAttempts is 1.8 and 2.7 of docs/flink.md.
func TestAttempts(t *testing.T) {
	t.Parallel()
	created := noon.Add(-time.Minute)
	tests := map[string]struct {
		read    read
		status  string
		state   snapshot.AttemptState
		trigger string
		final   bool
		at      time.Time
		bad     bool
		reason  string
	}{
		"upgrade": {
			flink.Deployment, `{"jobStatus": {"savepointInfo": {"triggerId": "a", "triggerType": "UPGRADE", "triggerTimestamp": 1767268800000}}}`,
			snapshot.AttemptInProgress, "UPGRADE", true, noon, false, "2.1: it ends the job",
		},
		"checkpoint": {
			flink.Deployment, `{"jobStatus": {"checkpointInfo": {"triggerId": "a", "triggerTimestamp": "1767268800"}}}`,
			snapshot.AttemptInProgress, "", false, noon, false, "2.4: may be waited for",
		},
		"nothing": {
			flink.Deployment, `{"jobStatus": {"savepointInfo": {"triggerId": "", "triggerTimestamp": 0}}}`, "", "", false, time.Time{}, false, "F71",
		},
		"trigger pending": {
			flink.StateSnapshot, `{"state": "TRIGGER_PENDING"}`, snapshot.AttemptInProgress, "", false, created, false, "2.7: since it was created",
		},
		"trigger pending, triggered": {
			flink.StateSnapshot, `{"triggerTimestamp": "2026-01-01T12:00:00Z"}`, snapshot.AttemptInProgress, "", false, noon, false, "2.7: the initial state",
		},
		"in progress": {
			flink.StateSnapshot, `{"state": "IN_PROGRESS", "triggerTimestamp": "2026-01-01T12:00:00Z"}`,
			snapshot.AttemptInProgress, "", false, noon, false, "2.7",
		},
		"failed":    {flink.StateSnapshot, `{"state": "FAILED"}`, snapshot.AttemptFailed, "", false, time.Time{}, false, "2.7"},
		"abandoned": {flink.StateSnapshot, `{"state": "ABANDONED"}`, snapshot.AttemptAbandoned, "", false, time.Time{}, false, "2.7"},
		"unknown":   {flink.StateSnapshot, `{"state": "Completed"}`, "", "", false, time.Time{}, true, "L6"},
		"spotify in progress": {
			flink.Cluster, `{"savepoint": {"state": "InProgress", "triggerReason": "user requested", "triggerTime": "2026-01-01T12:00:00Z"}}`,
			snapshot.AttemptInProgress, snapshot.TriggerManual, false, noon, false, "1.8",
		},
		"spotify job cancel": {
			flink.Cluster, `{"savepoint": {"state": "TriggerFailed", "triggerReason": "job cancel"}}`,
			snapshot.AttemptTriggerFailed, "job cancel", true,
			time.Time{},
			false, "1.8: update and job cancel make it final",
		},
		"spotify scheduled initial": {
			flink.Cluster, `{"savepoint": {"state": "Failed", "triggerReason": "scheduled initial"}}`,
			snapshot.AttemptFailed, snapshot.TriggerPeriodic, false,
			time.Time{},
			false, "1.8: of older releases",
		},
		"spotify scheduled": {
			flink.Cluster, `{"savepoint": {"state": "Succeeded", "triggerReason": "scheduled"}}`,
			snapshot.AttemptSucceeded, snapshot.TriggerPeriodic, false,
			time.Time{},
			false, "1.8: not final",
		},
		"spotify update": {
			flink.Cluster, `{"savepoint": {"state": "Failed", "triggerReason": "update", "message": "the update is postponed"}}`,
			snapshot.AttemptFailed, "update", true,
			time.Time{},
			false, "1.8: it would have been final",
		},
		"apache manual": {
			flink.Deployment, `{"jobStatus": {"savepointInfo": {"triggerId": "a", "triggerType": "MANUAL", "triggerTimestamp": 1767268800000}}}`,
			snapshot.AttemptInProgress, snapshot.TriggerManual, false, noon, false, "2.6",
		},
		"apache periodic": {
			flink.Deployment, `{"jobStatus": {"savepointInfo": {"triggerId": "a", "triggerType": "PERIODIC", "triggerTimestamp": 1767268800000}}}`,
			snapshot.AttemptInProgress, snapshot.TriggerPeriodic, false, noon, false, "2.6",
		},
		"apache unknown trigger": {
			flink.Deployment, `{"jobStatus": {"savepointInfo": {"triggerId": "a", "triggerType": "UNKNOWN", "triggerTimestamp": 1767268800000}}}`,
			snapshot.AttemptInProgress, "", false, noon, false, "2.6: no word, so that it may be of either trigger",
		},
		"spotify never":   {flink.Cluster, `{"savepoint": {"state": "NotTriggered"}}`, "", "", false, time.Time{}, false, "1.8: of older releases"},
		"spotify unknown": {flink.Cluster, `{"savepoint": {"state": "Done"}}`, "", "", false, time.Time{}, true, "L6"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.read(decode(t, tt.status), flink.Facts{CreatedAt: created})
			if (err != nil) != tt.bad {
				t.Errorf("%s: %v", tt.reason, err)
			}
			a := got.Attempt
			if diff := cmp.Diff([]any{tt.state, tt.trigger, tt.final, tt.at}, []any{a.State, a.Trigger, a.Final, a.TriggeredAt}); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if tt.bad && !got.Snapshot.Unnamed {
				t.Errorf("L6: what cannot be read is not none: %+v", got.Snapshot)
			}
		})
	}
}

// TestUnreadable has fields of the wrong type: each is named, none hides the others,
// none panics, and none makes a state that may be there into none.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		read   read
		status string
		want   []string
		state  snapshot.Snapshot
		reason string
	}{
		"no object": {
			flink.Deployment, `{"jobStatus": []}`, []string{"jobStatus"}, snapshot.Snapshot{Unnamed: true}, "L4",
		},
		"inner list": {
			flink.Deployment, `{"jobStatus": {"state": "FAILED", "savepointInfo": 7}}`,
			[]string{"jobStatus.savepointInfo"},
			snapshot.Snapshot{Unnamed: true},
			"L4",
		},
		"path is a number": {
			flink.Deployment, `{"jobStatus": {"state": "CANCELED", "upgradeSavepointPath": 7}}`,
			[]string{"jobStatus.upgradeSavepointPath"},
			snapshot.Snapshot{Unnamed: true},
			"L6: not none",
		},
		"two bad times": {
			flink.Cluster,
			`{"components": {"job": {"savepointLocation": "gs://b/1", "savepointTime": "soon", "startTime": "2026-01-01 12:00"}}}`,
			[]string{"components.job.startTime", "components.job.savepointTime"},
			snapshot.Snapshot{Location: "gs://b/1"},
			"1.1: spotify panics; here the age is not known",
		},
		"generation and final": {
			flink.Cluster,
			`{"components": {"job": {"state": "Failed", "savepointLocation": "gs://b/1", "savepointGeneration": 1.5, "finalSavepoint": "true"}}}`,
			[]string{"components.job.savepointGeneration", "components.job.finalSavepoint"},
			snapshot.Snapshot{Location: "gs://b/1"},
			"L6: the text true is not true",
		},
		"spotify location": {
			flink.Cluster, `{"components": {"job": {"state": "Failed", "savepointLocation": ["gs://b/1"]}}}`,
			[]string{"components.job.savepointLocation"},
			snapshot.Snapshot{Unnamed: true},
			"L6: not none",
		},
		"no job object": {
			flink.Cluster, `{"components": {"job": "a"}}`, []string{"components.job"}, snapshot.Snapshot{Unnamed: true}, "L4",
		},
		"path of an object": {
			flink.StateSnapshot, `{"state": "COMPLETED", "path": {"a": "b"}}`, []string{"path"}, snapshot.Snapshot{Unnamed: true}, "L6: not none",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.read(decode(t, tt.status), flink.Facts{})
			var first *flink.FieldError
			require.ErrorAs(t, err, &first)
			var paths []string
			if joined, ok := err.(interface{ Unwrap() []error }); ok {
				for _, err := range joined.Unwrap() {
					var field *flink.FieldError
					require.ErrorAs(t, err, &field)
					paths = append(paths, field.Path)
					if !strings.HasPrefix(field.Error(), "status."+field.Path+": ") || errors.Unwrap(field) == nil {
						t.Errorf("L7: %v", field)
					}
				}
			}
			if diff := cmp.Diff(tt.want, paths); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if diff := cmp.Diff(tt.state, got.Snapshot); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}

// TestUnreadablePhase: a job without a state is Pending only where all could be read.
func TestUnreadablePhase(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		read   read
		status string
		want   snapshot.Phase
		reason string
	}{
		"spotify, nothing":      {flink.Cluster, `{"components": {"job": {}}}`, snapshot.PhasePending, "R9: no job yet"},
		"spotify, no object":    {flink.Cluster, `{"components": {"job": "Running"}}`, snapshot.PhaseUnknown, "L6: there is a job"},
		"spotify, bad time":     {flink.Cluster, `{"components": {"job": {"startTime": "noon"}}}`, snapshot.PhaseUnknown, "L6: there is a job"},
		"spotify, bad state":    {flink.Cluster, `{"components": {"job": {"state": 7}}}`, snapshot.PhaseUnknown, "L6"},
		"spotify, bad parent":   {flink.Cluster, `{"components": []}`, snapshot.PhaseUnknown, "L6"},
		"apache, nothing":       {flink.Deployment, `{"jobStatus": {}}`, snapshot.PhasePending, "R9: no job yet"},
		"apache, no object":     {flink.Deployment, `{"jobStatus": "RUNNING"}`, snapshot.PhaseUnknown, "L6: there is a job"},
		"apache, bad time":      {flink.Deployment, `{"jobStatus": {"startTime": "noon"}}`, snapshot.PhaseUnknown, "L6: there is a job"},
		"apache, bad state":     {flink.Deployment, `{"jobStatus": {"state": 7}}`, snapshot.PhaseUnknown, "L6"},
		"apache, bad id":        {flink.Deployment, `{"jobStatus": {"jobId": 7}}`, snapshot.PhaseUnknown, "L6: there is a job"},
		"apache, bad savepoint": {flink.Deployment, `{"jobStatus": {"savepointInfo": 7}}`, snapshot.PhaseUnknown, "L6: there is a job"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.read(decode(t, tt.status), flink.Facts{})
			if (err == nil) != (tt.want == snapshot.PhasePending) {
				t.Errorf("%s: %v", tt.reason, err)
			}
			if got.Phase != tt.want || (err != nil) != got.Snapshot.Unnamed {
				t.Errorf("%s: %+v", tt.reason, got)
			}
		})
	}
}

// TestProducer: a state is of the job that took it, not of the one that came after.
func TestProducer(t *testing.T) {
	t.Parallel()
	const apache = `{"jobStatus": {"state": "RUNNING", "jobId": "a", "startTime": "1767268800000", "savepointInfo": {"lastSavepoint": {
		"location": "s3p://b/sp", "timeStamp": %d}}}}`
	const spotify = `{"components": {"job": {"state": "Running", "id": "a", "startTime": "2026-01-01T12:00:00Z",
		"savepointLocation": "s3p://b/sp", "savepointTime": "%s"}}}`
	tests := map[string]struct {
		read   read
		status string
		want   string
		reason string
	}{
		"apache, before the start":  {flink.Deployment, fmt.Sprintf(apache, 1767268799999), "", "F76: the id changes at a deploy"},
		"apache, at the start":      {flink.Deployment, fmt.Sprintf(apache, 1767268800000), "a", "F76"},
		"apache, never started":     {flink.Deployment, strings.Replace(fmt.Sprintf(apache, 1767268800000), "1767268800000", "0", 1), "", "F76"},
		"spotify, before the start": {flink.Cluster, fmt.Sprintf(spotify, "2026-01-01T11:59:59Z"), "", "F76"},
		"spotify, at the start":     {flink.Cluster, fmt.Sprintf(spotify, "2026-01-01T12:00:00Z"), "a", "F76"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.read(decode(t, tt.status), flink.Facts{})
			require.NoError(t, err)
			if got.JobID != "a" || got.Snapshot.JobID != tt.want || got.Snapshot.Location == "" {
				t.Errorf("%s: %+v", tt.reason, got)
			}
		})
	}
}

// TestPinned is 1.1 of docs/flink.md: a path that the job was started from has a time
// only if a savepoint was seen after that start.
func TestPinned(t *testing.T) {
	t.Parallel()
	const seen = `"savepointTime": "2026-01-01T12:00:00Z"`
	tests := map[string]struct {
		from, times string
		bad         bool
		want        time.Time
		reason      string
	}{
		"path not readable":   {`7`, seen + `, "startTime": "2026-01-01T12:00:00Z"`, true, time.Time{}, "L6: perhaps this very path"},
		"placeholder":         {`"KUBERNETES_OPERATOR_LAST_STATE"`, seen, false, time.Time{}, "F75: perhaps this very path"},
		"none":                {`null`, seen, false, noon, "started from nothing"},
		"another path":        {`"gs://b/0"`, seen, false, noon, "the time is of this path"},
		"seen after":          {`"gs://b/1"`, seen + `, "startTime": "2026-01-01T11:59:59Z"`, false, noon, "the time is of this run"},
		"seen at":             {`"gs://b/1"`, seen + `, "startTime": "2026-01-01T12:00:00Z"`, false, time.Time{}, "not known to be of this run"},
		"seen before":         {`"gs://b/1"`, seen + `, "startTime": "2026-01-01T12:00:01Z"`, false, time.Time{}, "of another path"},
		"deployed after":      {`"gs://b/1"`, seen + `, "deployTime": "2026-01-01T12:00:01Z"`, false, time.Time{}, "startTime is cleared at each deploy"},
		"deployed before":     {`"gs://b/1"`, seen + `, "deployTime": "2026-01-01T11:59:59Z"`, false, noon, "the time is of this run"},
		"start not known":     {`"gs://b/1"`, seen, false, time.Time{}, "L6: not known to be of this run"},
		"start not readable":  {`"gs://b/1"`, seen + `, "startTime": "noon"`, true, time.Time{}, "L6: not known to be of this run"},
		"deploy not readable": {`"gs://b/1"`, seen + `, "deployTime": 1.5`, true, time.Time{}, "L6: not known to be of this run"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status := fmt.Sprintf(`{"components": {"job": {"savepointLocation": "gs://b/1", "fromSavepoint": %s, %s}}}`, tt.from, tt.times)
			got, err := flink.Cluster(decode(t, status), flink.Facts{})
			if (err != nil) != tt.bad {
				t.Errorf("%s: %v", tt.reason, err)
			}
			if inherited := strings.Trim(tt.from, `"`); strings.HasPrefix(inherited, "gs:") != (got.Inherited == inherited) {
				t.Errorf("%s: started from %q", tt.reason, got.Inherited)
			}
			if got.Snapshot.Location != "gs://b/1" || !got.Snapshot.ObservedAt.Equal(tt.want) {
				t.Errorf("%s: %+v", tt.reason, got.Snapshot)
			}
		})
	}
}

func TestGenerations(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		value  any
		want   int64
		bad    bool
		reason string
	}{
		"int64":                   {int64(7), 7, false, "how apimachinery decodes"},
		"int":                     {7, 7, false, "L4: a Go int in unstructured"},
		"float64":                 {7.0, 7, false, "how encoding/json decodes"},
		"json.Number":             {json.Number("7"), 7, false, "L4"},
		"null":                    {nil, 0, false, "none yet"},
		"largest float64":         {float64(1<<53 - 1), 1<<53 - 1, false, "every digit is certain"},
		"float64 too large":       {float64(1 << 53), 0, true, "the last digit may be lost"},
		"negative, too large":     {-float64(1 << 53), 0, true, "the last digit may be lost"},
		"float64 with a fraction": {7.5, 0, true, "no count"},
		"json.Number, fraction":   {json.Number("7.5"), 0, true, "no count"},
		"json.Number, too large":  {json.Number("99999999999999999999"), 0, true, "L4"},
		"text":                    {"7", 0, true, "no number"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := flink.Cluster(map[string]any{"components": map[string]any{"job": map[string]any{
				"savepointLocation": "gs://b/1", "savepointGeneration": tt.value,
			}}}, flink.Facts{})
			if (err != nil) != tt.bad || got.Snapshot.Generation != tt.want || got.Snapshot.Location != "gs://b/1" {
				t.Errorf("%s: %+v, %v", tt.reason, got.Snapshot, err)
			}
		})
	}
}

// TestUnnamed: a state that nobody can name still says whose it is.
func TestUnnamed(t *testing.T) {
	t.Parallel()
	const (
		spotify = `{"components": {"job": {"id": "a", "finalSavepoint": true, "savepointLocation": %s}}}`
		apache  = `{"jobStatus": {"state": "CANCELED", "jobId": "a", "upgradeSavepointPath": %s}}`
	)
	unnamed := snapshot.Snapshot{Unnamed: true, JobID: "a", Cluster: "east"}
	noJob := snapshot.Snapshot{Unnamed: true, Cluster: "east"}
	named := snapshot.Snapshot{Location: "s3p://b/1", Final: true, JobID: "a", Cluster: "east"}
	tests := map[string]struct {
		read   read
		status string
		want   snapshot.Snapshot
		reason string
	}{
		"spotify, placeholder": {flink.Cluster, fmt.Sprintf(spotify, `"KUBERNETES_OPERATOR_LAST_STATE"`), unnamed, "F75: no location, and not none"},
		"spotify, number":      {flink.Cluster, fmt.Sprintf(spotify, `7`), unnamed, "L6"},
		"spotify, named":       {flink.Cluster, fmt.Sprintf(spotify, `"s3p://b/1"`), named, "R1: final, so of this job, whatever the times"},
		"spotify, none":        {flink.Cluster, fmt.Sprintf(spotify, `"0"`), snapshot.Snapshot{}, "F71"},
		"spotify, null text":   {flink.Cluster, fmt.Sprintf(spotify, `"null"`), snapshot.Snapshot{}, "F71: how a template writes none"},
		"apache, null text":    {flink.Deployment, fmt.Sprintf(apache, `"null"`), snapshot.Snapshot{}, "F71: how a template writes none"},
		"apache, placeholder":  {flink.Deployment, fmt.Sprintf(apache, `"KUBERNETES_OPERATOR_LAST_STATE"`), noJob, "F75: not known of which job"},
		"apache, number":       {flink.Deployment, fmt.Sprintf(apache, `7`), noJob, "L6"},
		"apache, named":        {flink.Deployment, fmt.Sprintf(apache, `"s3p://b/1"`), named, "R1: final, so of this job, whatever the times"},
		"apache, none":         {flink.Deployment, fmt.Sprintf(apache, `" "`), snapshot.Snapshot{}, "F71: definite after CANCELED"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := tt.read(decode(t, tt.status), flink.Facts{Cluster: "east"})
			if diff := cmp.Diff(tt.want, got.Snapshot); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	require.NoError(f, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var status map[string]any
		if json.Unmarshal(text, &status) != nil {
			return
		}
		for _, read := range []read{flink.Deployment, flink.StateSnapshot, flink.Cluster} {
			got, err := read(status, flink.Facts{})
			a := snapshot.Freshness(snapshot.Input{
				Phase: got.Phase, Snapshot: got.Snapshot, Attempt: got.Attempt, StoppedAt: got.StoppedAt,
				Limit: snapshot.Seconds(60), Now: noon,
			})
			if a.Reason == snapshot.InvalidInput {
				t.Fatalf("L6: %s gives %+v", text, got)
			}
			if err != nil && a.Verdict == snapshot.VerdictNone {
				t.Fatalf("L6: %s is read as none: %v", text, err)
			}
		}
	})
}

// A FlinkCluster failed at 12:02, two minutes after its last savepoint.
func ExampleCluster() {
	text, err := os.ReadFile("testdata/cluster-failed.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	var status map[string]any
	if err := json.Unmarshal(text, &status); err != nil {
		fmt.Println(err)
		return
	}
	r, err := flink.Cluster(status, flink.Facts{Cluster: "east"})
	if err != nil {
		fmt.Println(err)
	}
	got := snapshot.Restart(snapshot.RestartInput{
		Input: snapshot.Input{
			Phase: r.Phase, Snapshot: r.Snapshot, Attempt: r.Attempt, StoppedAt: r.StoppedAt,
			Limit: snapshot.Seconds(300), Now: time.Date(2026, time.January, 1, 13, 0, 0, 0, time.UTC),
		},
		Policy: snapshot.RequireState,
	})
	fmt.Println(got.Outcome, got.From.Location, got.Reason)
	// Output: RestoreFrom gs://bucket/savepoint-e1f0a7-7 RestoredFresh
}

// The constant in the place of a path is a state that nobody can name, not none.
func ExampleDeployment() {
	r, err := flink.Deployment(map[string]any{"jobStatus": map[string]any{
		"state": "FAILED", "upgradeSavepointPath": "KUBERNETES_OPERATOR_LAST_STATE",
	}}, flink.Facts{})
	got := snapshot.Freshness(snapshot.Input{Phase: r.Phase, Snapshot: r.Snapshot})
	fmt.Println(got.Verdict, got.Reason, err)
	// Output: Unknown StateUnnamed <nil>
}

func ExampleStateSnapshot() {
	r, err := flink.StateSnapshot(map[string]any{"state": "COMPLETED", "path": ""}, flink.Facts{})
	fmt.Println(r.Attempt.State, r.Snapshot.Unnamed, err)
	// Output: Succeeded true <nil>
}
