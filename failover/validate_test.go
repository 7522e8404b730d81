package failover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// found is an error without its wording.
func found(errs field.ErrorList) []string {
	out := []string{}
	for _, err := range errs {
		out = append(out, string(err.Type)+" "+err.Field)
	}
	return out
}

func TestValidate(t *testing.T) {
	t.Parallel()
	application := func(a failover.ApplicationBehavior) failover.Behavior { return failover.Behavior{Application: &a} }
	cluster := func(c failover.ClusterBehavior) failover.Behavior { return failover.Behavior{Cluster: &c} }
	tolerating := func(seconds int32) failover.Behavior {
		return application(failover.ApplicationBehavior{DecisionConditions: failover.DecisionConditions{TolerationSeconds: &seconds}})
	}
	grace := func(mode purge.Mode, seconds int32) failover.Behavior {
		return application(failover.ApplicationBehavior{PurgeMode: mode, GracePeriodSeconds: &seconds})
	}
	const invalid, forbidden = string(field.ErrorTypeInvalid), string(field.ErrorTypeForbidden)
	const graceField = "spec.failover.application.gracePeriodSeconds"
	tests := map[string]struct {
		reason     string
		in         failover.Behavior
		protection preservation.Protection
		want       []string
	}{
		"zero value":         {reason: "asks for nothing", in: failover.Behavior{}},
		"empty blocks":       {reason: "need not be defaulted first", in: failover.Behavior{Application: &failover.ApplicationBehavior{}, Cluster: &failover.ClusterBehavior{}}},
		"toleration 0":       {reason: "means at once (F2)", in: tolerating(0)},
		"toleration -1":      {reason: "is no time", in: tolerating(-1), want: []string{invalid + " spec.failover.application.decisionConditions.tolerationSeconds"}},
		"every mode":         {reason: "is valid", in: application(failover.ApplicationBehavior{PurgeMode: purge.Directly})},
		"old name":           {reason: "stays valid for ever (P1)", in: application(failover.ApplicationBehavior{PurgeMode: "Immediately"})},
		"never on a cluster": {reason: "is valid here, unlike in Karmada's CRD", in: cluster(failover.ClusterBehavior{PurgeMode: purge.Never})},
		"wrong case":         {reason: "is refused (P3)", in: application(failover.ApplicationBehavior{PurgeMode: "directly"}), want: []string{invalid + " spec.failover.application.purgeMode"}},
		"no mode":            {reason: "is refused in both blocks", in: cluster(failover.ClusterBehavior{PurgeMode: "Later"}), want: []string{invalid + " spec.failover.cluster.purgeMode"}},
		"grace 1":            {reason: "is positive", in: grace(purge.Gracefully, 1)},
		"grace 0":            {reason: "would delete at once", in: grace(purge.Gracefully, 0), want: []string{invalid + " " + graceField}},
		"grace, old name":    {reason: "Graciously is Gracefully", in: grace("Graciously", 30)},
		"grace, no name":     {reason: "empty is Gracefully (P2)", in: grace("", 30)},
		"grace, directly":    {reason: "only Gracefully has one (E5)", in: grace(purge.Directly, 30), want: []string{forbidden + " " + graceField}},
		"grace, never":       {reason: "only Gracefully has one (E5)", in: grace(purge.Never, 30), want: []string{forbidden + " " + graceField}},
		"grace -1, directly": {reason: "both are wrong", in: grace("Immediately", -1), want: []string{invalid + " " + graceField, forbidden + " " + graceField}},
		"grace, no mode": {
			reason: "a mode that is none gets one error, not two guesses", in: grace("Later", 30),
			want: []string{invalid + " spec.failover.application.purgeMode"},
		},
		"protected key": {
			reason:     "the caller's protection reaches the rules of both blocks (S11)",
			protection: preservation.Protection{Keys: []string{job}}, in: policy(purge.Directly),
			want: []string{
				forbidden + " spec.failover.application.statePreservation.rules[0].aliasLabelName",
				forbidden + " spec.failover.cluster.statePreservation.rules[0].aliasLabelName",
			},
		},
		"everything": {
			reason: "all errors at once, in the order of the fields (L7)",
			in: failover.Behavior{
				Application: &failover.ApplicationBehavior{
					DecisionConditions: failover.DecisionConditions{TolerationSeconds: ptr(int32(-1))},
					PurgeMode:          purge.Never, GracePeriodSeconds: ptr(int32(0)),
					StatePreservation: preserving(rule("kubernetes.io/job", "job")),
				},
				Cluster: &failover.ClusterBehavior{PurgeMode: "x", StatePreservation: preserving(rule(job, "{.a}"), rule(job, "{.b"))},
			},
			want: []string{
				invalid + " spec.failover.application.decisionConditions.tolerationSeconds",
				invalid + " " + graceField,
				forbidden + " " + graceField,
				forbidden + " spec.failover.application.statePreservation.rules[0].aliasLabelName",
				invalid + " spec.failover.application.statePreservation.rules[0].jsonPath",
				invalid + " spec.failover.cluster.purgeMode",
				string(field.ErrorTypeDuplicate) + " spec.failover.cluster.statePreservation.rules[1].aliasLabelName",
				invalid + " spec.failover.cluster.statePreservation.rules[1].jsonPath",
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := text(t, tc.in)
			got := found(failover.Validate(tc.in, tc.protection, field.NewPath("spec", "failover")))
			if diff := cmp.Diff(append([]string{}, tc.want...), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			defaulted := found(failover.Validate(failover.Default(tc.in), tc.protection, field.NewPath("spec", "failover")))
			if diff := cmp.Diff(got, defaulted); diff != "" {
				t.Errorf("Default changes what is valid (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(before, text(t, tc.in)); diff != "" {
				t.Errorf("the input was changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestValidateNamesTheModeThatForbids(t *testing.T) {
	t.Parallel()
	in := failover.Behavior{Application: &failover.ApplicationBehavior{PurgeMode: "Immediately", GracePeriodSeconds: ptr(int32(30))}}
	got := failover.Validate(in, preservation.Protection{}, nil).ToAggregate().Error()
	want := "application.gracePeriodSeconds: Forbidden: only Gracefully has a grace period, the mode is Directly"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a nil path is the root, and the new name is used (-want +got):\n%s", diff)
	}
}
