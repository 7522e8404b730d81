package failover_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

func TestBehaviorReadsAndWritesKarmadasJSON(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/karmada-failover.yaml")
	require.NoError(t, err)

	var got failover.Behavior
	require.NoError(t, yaml.UnmarshalStrict(raw, &got), "no name may be unknown")
	jobID := rule("application.karmada.io/failover-jobid", "{ .jobStatus.jobId }")
	want := failover.Behavior{
		Application: &failover.ApplicationBehavior{
			DecisionConditions: failover.DecisionConditions{TolerationSeconds: ptr(int32(120))},
			PurgeMode:          purge.Gracefully, GracePeriodSeconds: ptr(int32(300)),
			StatePreservation: preserving(jobID,
				rule("application.karmada.io/failover-checkpoint", "{ .jobStatus.checkpointInfo.lastCheckpoint.timeStamp }")),
		},
		Cluster: &failover.ClusterBehavior{PurgeMode: purge.Directly, StatePreservation: preserving(jobID)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}

	var wantJSON, gotJSON any
	require.NoError(t, yaml.Unmarshal(raw, &wantJSON))
	require.NoError(t, json.Unmarshal([]byte(text(t, got)), &gotJSON))
	if diff := cmp.Diff(wantJSON, gotJSON); diff != "" {
		t.Errorf("written back (-want +got):\n%s", diff)
	}
}

func TestBehaviorKeepsTheStoredMode(t *testing.T) {
	t.Parallel()
	var b failover.Behavior
	require.NoError(t, json.Unmarshal([]byte(`{"application":{"decisionConditions":{},"purgeMode":"Immediately"}}`), &b))
	if diff := cmp.Diff(`{"application":{"decisionConditions":{},"purgeMode":"Immediately"}}`, text(t, b)); diff != "" {
		t.Errorf("decoding keeps the text (P1) (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`{}`, text(t, failover.Behavior{})); diff != "" {
		t.Errorf("the zero value writes nothing (-want +got):\n%s", diff)
	}
}

func TestTermsFor(t *testing.T) {
	t.Parallel()
	application := &failover.ApplicationBehavior{
		PurgeMode: "Graciously", GracePeriodSeconds: ptr(int32(30)), StatePreservation: preserving(rule(job, "{.a}")),
	}
	cluster := &failover.ClusterBehavior{PurgeMode: "Immediately", StatePreservation: preserving(rule(job, "{.c}"))}
	both := failover.Behavior{Application: application, Cluster: cluster}
	ofApplication := failover.Terms{
		Mode: purge.Gracefully, GracePeriodSeconds: ptr(int32(30)), StatePreservation: *preserving(rule(job, "{.a}")), Configured: true,
	}
	nothing := failover.Terms{Mode: purge.Gracefully}
	tests := map[string]struct {
		reason   string
		behavior failover.Behavior
		cause    preservation.Cause
		want     failover.Terms
	}{
		"application": {reason: "the application block, its mode normalised", behavior: both, cause: preservation.Application, want: ofApplication},
		"planned":     {reason: "a planned move uses the application block", behavior: both, cause: preservation.Planned, want: ofApplication},
		"cluster": {
			reason: "the cluster block, which has no grace period", behavior: both, cause: preservation.Cluster,
			want: failover.Terms{Mode: purge.Directly, StatePreservation: *preserving(rule(job, "{.c}")), Configured: true},
		},
		"no application block": {reason: "the other block never stands in", behavior: failover.Behavior{Cluster: cluster}, cause: preservation.Application, want: nothing},
		"no block for a plan":  {reason: "the other block never stands in", behavior: failover.Behavior{Cluster: cluster}, cause: preservation.Planned, want: nothing},
		"no cluster block":     {reason: "the other block never stands in", behavior: failover.Behavior{Application: application}, cause: preservation.Cluster, want: nothing},
		"nothing to inherit": {
			reason: "there is no block to inherit from (F10)", behavior: failover.Behavior{Cluster: &failover.ClusterBehavior{InheritStatePreservation: true}},
			cause: preservation.Cluster, want: failover.Terms{Mode: purge.Gracefully, Configured: true},
		},
		"unknown cause": {reason: "an unknown cause has no block", behavior: both, cause: "application", want: nothing},
		"empty mode": {
			reason: "empty is Gracefully (P2)", behavior: failover.Behavior{Cluster: &failover.ClusterBehavior{}}, cause: preservation.Cluster,
			want: failover.Terms{Mode: purge.Gracefully, Configured: true},
		},
		"no mode": {
			reason: "a text that is no mode stays, for others to refuse", behavior: failover.Behavior{Cluster: &failover.ClusterBehavior{PurgeMode: "Later"}},
			cause: preservation.Cluster, want: failover.Terms{Mode: "Later", Configured: true},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := text(t, tc.behavior)
			got := failover.TermsFor(tc.behavior, tc.cause)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if got.GracePeriodSeconds != nil {
				*got.GracePeriodSeconds = 99
			}
			for i := range got.StatePreservation.Rules {
				got.StatePreservation.Rules[i].AliasLabelName = "changed"
			}
			if diff := cmp.Diff(before, text(t, tc.behavior)); diff != "" {
				t.Errorf("the result shares memory with the policy (-before +after):\n%s", diff)
			}
		})
	}
}
