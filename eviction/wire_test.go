package eviction_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// The stored shapes, each as one file of testdata. A file whose name has
// "unknown" holds fields that the types lack; all others round-trip.
func TestWire(t *testing.T) {
	t.Parallel()
	noon := metav1.Date(2026, 3, 1, 12, 0, 0, 0, at(0).Location())
	tests := map[string]struct {
		reason string
		file   string
		want   any
	}{
		"FullTask": {
			reason: "every field of Karmada's GracefulEvictionTask, and the extensions",
			file:   "task-full.json",
			want: &eviction.Task{
				FromCluster: "east", PurgeMode: purge.Directly, Replicas: ptr(int32(3)),
				Components: []eviction.Component{{Name: "jobmanager", Replicas: 1}, {Name: "taskmanager", Replicas: 4}},
				Reason:     "ApplicationFailure", Message: "unhealthy for 300 s", Producer: "ApplicationFailoverController",
				GracePeriodSeconds: ptr(int32(60)), SuppressDeletion: ptr(false),
				PreservedLabelState: map[string]string{"failover.example.com/job-id": "000000000f4e40980000000000000000"},
				PreservedState: &preservation.State{
					Annotations: map[string]string{"failover.example.com/checkpoint": "s3p://ckpt/0000/chk-42"},
					Fields:      map[string]string{".spec.job.initialSavepointPath": `"s3p://ckpt/0000/chk-42"`},
					Conflicts: []preservation.RefConflict{{
						Ref: preservation.Ref{Target: preservation.Field, Key: ".spec.job.initialSavepointPath"}, Conflict: preservation.Fail,
					}},
					Failover: &preservation.Failover{Cause: preservation.Application, Origin: "east", Attempt: 2, Time: 1772366400},
				},
				CreationTimestamp: &noon, ClustersBeforeFailover: []string{"east", "north"},
			},
		},
		"ZeroReplicas": {
			reason: "F50: zero is written and read, missing is nil",
			file:   "task-zero.json",
			want: &eviction.Task{
				FromCluster: "east", Replicas: ptr(int32(0)), Reason: "TaintUntolerated", Producer: "TaintManager", SuppressDeletion: ptr(true),
			},
		},
		"OldModeName": {
			reason: "P1: decoding keeps the text, so that writing back changes nothing",
			file:   "task-old-modes.json",
			want: &eviction.Task{
				FromCluster: "east", PurgeMode: "Immediately", Reason: "ApplicationFailure", Producer: "ApplicationFailoverController",
				CreationTimestamp: ptr(metav1.Date(2024, 3, 1, 12, 0, 0, 0, at(0).Location())),
			},
		},
		"UnknownFields": {
			reason: "P1: one odd object must not blind an informer, the mode included",
			file:   "task-unknown-fields.json",
			want: &eviction.Task{
				FromCluster: "east", PurgeMode: "Later", Reason: "ApplicationFailure", Producer: "a release of the future",
			},
		},
		"Item": {
			reason: "the status stays raw",
			file:   "item-full.json",
			want: &eviction.AggregatedStatusItem{
				ClusterName: "east", Applied: true, AppliedMessage: "retried", Health: eviction.Healthy, ObservedAt: &noon,
			},
		},
		"Target": {
			reason: "F50",
			file:   "target-full.json",
			want: &eviction.TargetCluster{
				Name: "east", Replicas: ptr(int32(0)),
				Components: []eviction.Component{{Name: "jobmanager"}, {Name: "taskmanager", Replicas: 4}},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(filepath.Join("testdata", tc.file))
			require.NoError(t, err)
			fresh := func() any {
				switch tc.want.(type) {
				case *eviction.Task:
					return &eviction.Task{}
				case *eviction.TargetCluster:
					return &eviction.TargetCluster{}
				default:
					return &eviction.AggregatedStatusItem{}
				}
			}
			lossless := tc.file != "task-unknown-fields.json"
			plain := fresh()
			require.NoError(t, json.Unmarshal(raw, plain))
			checkWire(t, tc.reason, raw, tc.want, plain, lossless)

			var object map[string]any
			require.NoError(t, json.Unmarshal(raw, &object))
			if status, ok := object["status"].(map[string]any); ok {
				status["observedGeneration"] = int64(1) // the float64 of plain JSON is not what a cluster client gives
			}
			converted := fresh()
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object, converted))
			back, err := runtime.DefaultUnstructuredConverter.ToUnstructured(converted)
			require.NoError(t, err)
			again := fresh()
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(back, again))
			checkWire(t, tc.reason+" (unstructured)", nil, tc.want, again, lossless)
		})
	}
}

// checkWire compares what was read, and if lossless what is written from it.
func checkWire(t *testing.T, reason string, raw []byte, want, got any, lossless bool) {
	t.Helper()
	written, err := json.Marshal(got)
	require.NoError(t, err)
	if lossless && raw != nil {
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, raw))
		if diff := cmp.Diff(compact.String(), string(written)); diff != "" {
			t.Errorf("%s: written again\n(-want +got):\n%s", reason, diff)
		}
	}
	if i, ok := got.(*eviction.AggregatedStatusItem); ok {
		if i.Status == nil || !json.Valid(i.Status.Raw) {
			t.Errorf("%s: no status", reason)
		}
		i.Status = nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n(-want +got):\n%s", reason, diff)
	}
}

// The fixed texts of section 4: what is stored or printed must not drift.
func TestWireTexts(t *testing.T) {
	t.Parallel()
	got := []string{
		string(eviction.Healthy), string(eviction.Unhealthy), string(eviction.HealthUnknown), string(eviction.NotApplicable),
		string(eviction.Added), string(eviction.Merged), string(eviction.Unchanged), string(eviction.NotTarget), string(eviction.Refused),
		string(eviction.Keep), string(eviction.Purge), string(eviction.Finish),
		string(eviction.Withdrawn), string(eviction.WithdrawRefused), string(eviction.NotEvicting),
		string(eviction.ReasonTargetUnderEviction), string(eviction.ReasonWithdrawn),
		string(eviction.ReasonUnderEviction), string(eviction.ReasonInCooldown),
	}
	want := []string{
		"Healthy", "Unhealthy", "Unknown", "NotApplicable",
		"Added", "Merged", "Unchanged", "NotTarget", "Refused",
		"Keep", "Purge", "Finish",
		"Withdrawn", "Refused", "NotEvicting",
		"TargetUnderEviction", "Withdrawn",
		"UnderEviction", "InCooldown",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
