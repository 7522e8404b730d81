package failover_test

import (
	"fmt"
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

// The fields that Karmada's policy does not have, one at a time.
func TestValidateExtensions(t *testing.T) {
	t.Parallel()
	type conditions = failover.DecisionConditions
	type waits = failover.Waits
	when := func(d conditions) failover.Behavior {
		return failover.Behavior{Application: &failover.ApplicationBehavior{DecisionConditions: d}}
	}
	waiting := func(mode purge.Mode, w waits) failover.Behavior {
		return failover.Behavior{
			Application: &failover.ApplicationBehavior{PurgeMode: mode, Waits: w}, Cluster: &failover.ClusterBehavior{PurgeMode: mode, Waits: w},
		}
	}
	cluster := func(c failover.ClusterBehavior) failover.Behavior { return failover.Behavior{Cluster: &c} }
	grace := func(mode purge.Mode, seconds int32) failover.Behavior {
		return cluster(failover.ClusterBehavior{PurgeMode: mode, GracePeriodSeconds: &seconds})
	}
	const initial = `application.decisionConditions.initialTolerationSeconds: Invalid value: -1: must not be negative: 0 evicts at once`
	const most = `application.decisionConditions.maxFailovers: Invalid value: %d: must be from 1 to 100`
	const window = `application.decisionConditions.windowSeconds: `
	const noWindow = window + `Invalid value: %d: must be positive: without it a failover counts for ever`
	const noCount = window + `Forbidden: it is the window of maxFailovers, which is not given`
	const own = `cluster.inheritStatePreservation: Forbidden: the block has a statePreservation of its own: drop one of the two`
	onlyGracefully := func(mode string) string {
		return "cluster.gracePeriodSeconds: Forbidden: only Gracefully has a grace period, the mode is " + mode
	}
	negative := func(name, zero string) []string {
		rest := name + ": Invalid value: -1: must not be negative: " + zero
		return []string{"application." + rest, "cluster." + rest}
	}
	tests := map[string]struct {
		reason string
		in     failover.Behavior
		want   []string
	}{
		"every field":          {reason: "is valid, but for the inheritance beside a state of its own", in: extended(), want: []string{own}},
		"initial 0":            {reason: "at once, as for any toleration", in: when(conditions{InitialTolerationSeconds: ptr(int32(0))})},
		"initial -1":           {reason: "is no time", in: when(conditions{InitialTolerationSeconds: ptr(int32(-1))}), want: []string{initial}},
		"healthy before":       {reason: "needs nothing else", in: when(conditions{RequireHealthyBefore: true})},
		"failovers 1":          {reason: "the least", in: when(conditions{MaxFailovers: ptr(int32(1))})},
		"failovers 100":        {reason: "the most", in: when(conditions{MaxFailovers: ptr(int32(100))})},
		"failovers 101":        {reason: "bounds nothing", in: when(conditions{MaxFailovers: ptr(int32(101))}), want: []string{fmt.Sprintf(most, 101)}},
		"failovers 0":          {reason: "an application block that never acts", in: when(conditions{MaxFailovers: ptr(int32(0))}), want: []string{fmt.Sprintf(most, 0) + ": for no failover by health, remove the application block"}},
		"failovers -1":         {reason: "is no number of times", in: when(conditions{MaxFailovers: ptr(int32(-1))}), want: []string{fmt.Sprintf(most, -1)}},
		"window 1":             {reason: "is positive", in: when(conditions{MaxFailovers: ptr(int32(3)), WindowSeconds: ptr(int32(1))})},
		"window 0":             {reason: "would count nothing", in: when(conditions{MaxFailovers: ptr(int32(3)), WindowSeconds: ptr(int32(0))}), want: []string{fmt.Sprintf(noWindow, 0)}},
		"window alone":         {reason: "of nothing", in: when(conditions{WindowSeconds: ptr(int32(60))}), want: []string{noCount}},
		"window -1 alone":      {reason: "both are wrong", in: when(conditions{WindowSeconds: ptr(int32(-1))}), want: []string{fmt.Sprintf(noWindow, -1), noCount}},
		"window of a wrong 0":  {reason: "one error: a number is given", in: when(conditions{MaxFailovers: ptr(int32(0)), WindowSeconds: ptr(int32(60))}), want: []string{fmt.Sprintf(most, 0) + ": for no failover by health, remove the application block"}},
		"grace 1":              {reason: "is positive (E5)", in: grace("", 1)},
		"grace 0":              {reason: "would delete at once (E5)", in: grace(purge.Gracefully, 0), want: []string{"cluster.gracePeriodSeconds: Invalid value: 0: must be positive"}},
		"grace, directly":      {reason: "only Gracefully has one (E5)", in: grace("Immediately", 30), want: []string{onlyGracefully("Directly")}},
		"grace, never":         {reason: "only Gracefully has one (E5)", in: grace(purge.Never, 30), want: []string{onlyGracefully("Never")}},
		"inherits":             {reason: "what there is to inherit is for Warnings to tell", in: cluster(failover.ClusterBehavior{InheritStatePreservation: true})},
		"inherits, own":        {reason: "which one counts? (F10)", in: cluster(failover.ClusterBehavior{InheritStatePreservation: true, StatePreservation: preserving(rule(job, "{.job}"))}), want: []string{own}},
		"inherits, own, empty": {reason: "an empty one is there all the same", in: cluster(failover.ClusterBehavior{InheritStatePreservation: true, StatePreservation: preserving()}), want: []string{own}},
		"waits 0": {
			reason: "each has a meaning", in: waiting(purge.Directly, waits{ptr(int32(0)), ptr(int32(0)), ptr(int32(0))}),
		},
		"waits, never": {
			reason: "what the mode never asks for is no error", in: waiting(purge.Never, waits{ptr(int32(1)), ptr(int32(1)), ptr(int32(1))}),
		},
		"block -1":   {reason: "is no time (E12)", in: waiting("", waits{BlockPredecessorSeconds: ptr(int32(-1))}), want: negative("blockPredecessorSeconds", "0 avoids no cluster")},
		"soak -1":    {reason: "is no time (P6)", in: waiting("", waits{SoakSeconds: ptr(int32(-1))}), want: negative("soakSeconds", "0 is no time")},
		"fencing -1": {reason: "is no time (P5)", in: waiting("", waits{FencingDeadlineSeconds: ptr(int32(-1))}), want: negative("fencingDeadlineSeconds", "0 asks at once")},
		"everything": {
			reason: "all errors at once, in the order of the fields (L7)",
			in: failover.Behavior{
				Application: &failover.ApplicationBehavior{
					DecisionConditions: conditions{ptr(int32(-1)), ptr(int32(-1)), true, ptr(int32(101)), ptr(int32(0))},
					PurgeMode:          "Later", StatePreservation: &preservation.StatePreservation{Retention: "Later"},
					Waits: waits{ptr(int32(-1)), ptr(int32(-1)), ptr(int32(-1))},
				},
				Cluster: &failover.ClusterBehavior{
					PurgeMode: purge.Never, GracePeriodSeconds: ptr(int32(1)), InheritStatePreservation: true,
					StatePreservation: &preservation.StatePreservation{OnMissingState: "Later"}, Waits: waits{SoakSeconds: ptr(int32(-1))},
				},
			},
			want: []string{
				`application.decisionConditions.tolerationSeconds: Invalid value: -1: must not be negative: 0 evicts at once`,
				initial, fmt.Sprintf(most, 101), fmt.Sprintf(noWindow, 0),
				`application.purgeMode: Invalid value: "Later": purge mode "Later" is unknown: use Directly, Gracefully or Never`,
				`application.statePreservation.retention: Unsupported value: "Later": supported values: "UntilHealthy", "UntilNextFailover"`,
				negative("blockPredecessorSeconds", "0 avoids no cluster")[0], negative("soakSeconds", "0 is no time")[0],
				negative("fencingDeadlineSeconds", "0 asks at once")[0],
				onlyGracefully("Never"),
				`cluster.statePreservation.onMissingState: Unsupported value: "Later": supported values: "Block", "EvictWithout", "UsePrevious"`,
				own, negative("soakSeconds", "0 is no time")[1],
			},
		},
	}
	texts := func(errs field.ErrorList) []string {
		var out []string
		for _, err := range errs {
			out = append(out, err.Error())
		}
		return out
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := text(t, tc.in)
			got := texts(failover.Validate(tc.in, preservation.Protection{}, nil))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(got, texts(failover.Validate(failover.Default(tc.in), preservation.Protection{}, nil))); diff != "" {
				t.Errorf("Default changes what is valid (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(before, text(t, tc.in)); diff != "" {
				t.Errorf("the input was changed (-before +after):\n%s", diff)
			}
		})
	}
}
