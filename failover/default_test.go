package failover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

func TestDefault(t *testing.T) {
	t.Parallel()
	tolerating := func(seconds int32) failover.DecisionConditions {
		return failover.DecisionConditions{TolerationSeconds: &seconds}
	}
	required := rule(job, "{.job}")
	required.Policy = preservation.Required
	tests := map[string]struct {
		reason string
		in     failover.Behavior
		want   failover.Behavior
	}{
		"nothing": {reason: "blocks that are nil stay nil"},
		"empty blocks": {
			reason: "Karmada's values: 300 s, Gracefully, 600 s",
			in:     failover.Behavior{Application: &failover.ApplicationBehavior{}, Cluster: &failover.ClusterBehavior{}},
			want: failover.Behavior{
				Application: &failover.ApplicationBehavior{DecisionConditions: tolerating(300), PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(600))},
				Cluster:     &failover.ClusterBehavior{PurgeMode: purge.Gracefully},
			},
		},
		"given values": {
			reason: "what is given stays, 0 included",
			in: failover.Behavior{Application: &failover.ApplicationBehavior{
				DecisionConditions: tolerating(0), PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(0)),
			}},
			want: failover.Behavior{Application: &failover.ApplicationBehavior{
				DecisionConditions: tolerating(0), PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(0)),
			}},
		},
		"directly": {
			reason: "only Gracefully gets a grace period (E5), old names become new ones (P1)",
			in:     failover.Behavior{Application: &failover.ApplicationBehavior{DecisionConditions: tolerating(1), PurgeMode: "Immediately"}},
			want:   failover.Behavior{Application: &failover.ApplicationBehavior{DecisionConditions: tolerating(1), PurgeMode: purge.Directly}},
		},
		"an old name of Gracefully": {
			reason: "the grace period is filled in after the name is normalised (F41)",
			in:     failover.Behavior{Application: &failover.ApplicationBehavior{DecisionConditions: tolerating(1), PurgeMode: "Graciously"}},
			want: failover.Behavior{Application: &failover.ApplicationBehavior{
				DecisionConditions: tolerating(1), PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(600)),
			}},
		},
		"wrong values": {
			reason: "what Validate refuses stays, for it to see",
			in: failover.Behavior{
				Application: &failover.ApplicationBehavior{DecisionConditions: tolerating(-1), PurgeMode: purge.Never, GracePeriodSeconds: ptr(int32(5))},
				Cluster:     &failover.ClusterBehavior{PurgeMode: "Later"},
			},
			want: failover.Behavior{
				Application: &failover.ApplicationBehavior{DecisionConditions: tolerating(-1), PurgeMode: purge.Never, GracePeriodSeconds: ptr(int32(5))},
				Cluster:     &failover.ClusterBehavior{PurgeMode: "Later"},
			},
		},
		"rules": {
			reason: "a rule is Required unless it says otherwise, in both blocks",
			in: failover.Behavior{
				Application: &failover.ApplicationBehavior{
					DecisionConditions: tolerating(1), PurgeMode: purge.Directly,
					StatePreservation: preserving(rule(job, "{.job}"), optional(step, "{.step}")),
				},
				Cluster: &failover.ClusterBehavior{PurgeMode: purge.Never, StatePreservation: preserving(rule(job, "{.job}"))},
			},
			want: failover.Behavior{
				Application: &failover.ApplicationBehavior{
					DecisionConditions: tolerating(1), PurgeMode: purge.Directly,
					StatePreservation: preserving(required, optional(step, "{.step}")),
				},
				Cluster: &failover.ClusterBehavior{PurgeMode: purge.Never, StatePreservation: preserving(required)},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := text(t, tc.in)
			got := failover.Default(tc.in)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(got, failover.Default(got)); diff != "" {
				t.Errorf("not idempotent (-once +twice):\n%s", diff)
			}
			if diff := cmp.Diff(before, text(t, tc.in)); diff != "" {
				t.Errorf("the input was changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestDefaultSharesNothing(t *testing.T) {
	t.Parallel()
	rejecting := rule(job, "{.job}")
	rejecting.Reject = []string{"none"}
	for _, mode := range []purge.Mode{purge.Gracefully, purge.Directly} {
		in := failover.Behavior{
			Application: &failover.ApplicationBehavior{
				DecisionConditions: failover.DecisionConditions{TolerationSeconds: ptr(int32(7))},
				PurgeMode:          mode, GracePeriodSeconds: ptr(int32(8)), StatePreservation: preserving(rejecting),
			},
			Cluster: &failover.ClusterBehavior{StatePreservation: preserving(rejecting)},
		}
		before := text(t, in)
		got := failover.Default(in)
		*got.Application.DecisionConditions.TolerationSeconds = 1
		*got.Application.GracePeriodSeconds = 1
		got.Application.StatePreservation.Rules[0].Reject[0] = "changed"
		got.Application.StatePreservation.Rules[0].AliasLabelName = "changed"
		got.Cluster.StatePreservation.Rules[0].Reject[0] = "changed"
		got.Cluster.PurgeMode = "changed"
		if diff := cmp.Diff(before, text(t, in)); diff != "" {
			t.Errorf("%s: the result shares memory with the input (-before +after):\n%s", mode, diff)
		}
	}
	once, twice := failover.Default(failover.Behavior{Application: &failover.ApplicationBehavior{}}), failover.Default(failover.Behavior{Application: &failover.ApplicationBehavior{}})
	*once.Application.GracePeriodSeconds, *once.Application.DecisionConditions.TolerationSeconds = 1, 1
	if diff := cmp.Diff(int32(600), *twice.Application.GracePeriodSeconds); diff != "" {
		t.Errorf("two results share their defaults (-want +got):\n%s", diff)
	}
}
