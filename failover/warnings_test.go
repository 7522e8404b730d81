package failover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

func TestWarnings(t *testing.T) {
	t.Parallel()
	const a, c = "failover.application.statePreservation", "failover.cluster.statePreservation"
	const gracefully = "with purge mode Gracefully the state is collected and never injected: use Directly"
	only := failover.Warning{
		Field: c, Reason: failover.RulesOnlyUnderApplication,
		Message: "rules stand only under application: when the cluster fails, nothing is carried",
	}
	never := func(at, message string) failover.Warning {
		return failover.Warning{Field: at + ".rules", Reason: failover.NeverInjected, Message: message}
	}
	none := func(at string) failover.Warning {
		return failover.Warning{Field: at + ".rules", Reason: failover.NoRules, Message: "there are no rules: nothing is carried"}
	}
	ruled := &failover.ApplicationBehavior{PurgeMode: purge.Directly, StatePreservation: preserving(rule(job, "{.job}"))}
	tests := map[string]struct {
		reason string
		in     failover.Behavior
		want   []failover.Warning
	}{
		"nothing":          {reason: "nothing disappoints"},
		"directly":         {reason: "everything is injected", in: policy(purge.Directly)},
		"old name":         {reason: "Immediately is Directly (P1)", in: policy("Immediately")},
		"not a mode":       {reason: "Validate refuses it, a warning would guess", in: policy("Later")},
		"no mode":          {reason: "empty is Gracefully (P2), in both blocks", in: policy(""), want: []failover.Warning{never(a, gracefully), never(c, gracefully)}},
		"never":            {reason: "is not Directly", in: failover.Behavior{Cluster: policy(purge.Never).Cluster}, want: []failover.Warning{never(c, "with purge mode Never the state is collected and never injected: use Directly")}},
		"application only": {reason: "no cluster block, no cluster failover: nothing to warn of", in: failover.Behavior{Application: ruled}},
		"cluster only":     {reason: "rules where they are used", in: failover.Behavior{Cluster: policy(purge.Directly).Cluster}},
		"no cluster rules": {reason: "the cluster moves it without the state (F10)", in: failover.Behavior{Application: ruled, Cluster: &failover.ClusterBehavior{}}, want: []failover.Warning{only}},
		"no rules anywhere": {
			reason: "there is nothing to miss", in: failover.Behavior{Application: &failover.ApplicationBehavior{}, Cluster: &failover.ClusterBehavior{}},
		},
		"empty rules, application": {
			reason: "asks for nothing, whatever the mode; the cluster block has the rules",
			in:     failover.Behavior{Application: &failover.ApplicationBehavior{StatePreservation: preserving()}, Cluster: policy(purge.Directly).Cluster},
			want:   []failover.Warning{none(a)},
		},
		"several": {
			reason: "sorted by field",
			in: failover.Behavior{
				Application: policy(purge.Gracefully).Application,
				Cluster:     &failover.ClusterBehavior{PurgeMode: purge.Directly, StatePreservation: preserving()},
			},
			want: []failover.Warning{never(a, gracefully), only, none(c)},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := text(t, tc.in)
			got := failover.Warnings(tc.in, field.NewPath("failover"))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(got, failover.Warnings(failover.Default(tc.in), field.NewPath("failover"))); diff != "" {
				t.Errorf("Default changes the warnings (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(before, text(t, tc.in)); diff != "" {
				t.Errorf("the input was changed (-before +after):\n%s", diff)
			}
		})
	}
}
