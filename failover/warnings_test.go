package failover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
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
	with := func(mode purge.Mode, change func(*preservation.StatePreservation)) failover.Behavior {
		b := policy(mode)
		change(b.Application.StatePreservation)
		change(b.Cluster.StatePreservation)
		return b
	}
	unused := func(at string) failover.Warning {
		return failover.Warning{
			Field: at + ".missingStateDeadlineSeconds", Reason: failover.DeadlineUnused,
			Message: "EvictWithout waits for nothing, so the deadline changes nothing",
		}
	}
	noTime := func(at string) failover.Warning {
		return failover.Warning{
			Field: at + ".maxStateAgeSeconds", Reason: failover.NoStateTime,
			Message: "without takenAt no state has an age, unless the host knows it, and counts as missing",
		}
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
		"deadline": {
			reason: "a deadline ends a block (F6)",
			in:     with(purge.Directly, func(sp *preservation.StatePreservation) { sp.MissingStateDeadlineSeconds = ptr(int32(0)) }),
		},
		"deadline, previous": {
			reason: "UsePrevious blocks where there is no previous state (F6)",
			in: with(purge.Directly, func(sp *preservation.StatePreservation) {
				sp.MissingStateDeadlineSeconds, sp.OnMissingState = ptr(int32(60)), preservation.UsePrevious
			}),
		},
		"deadline, without": {
			reason: "nothing is waited for (F6)",
			in: with(purge.Directly, func(sp *preservation.StatePreservation) {
				sp.MissingStateDeadlineSeconds, sp.OnMissingState = ptr(int32(60)), preservation.EvictWithout
			}),
			want: []failover.Warning{unused(a), unused(c)},
		},
		"without": {
			reason: "needs no deadline",
			in:     with(purge.Directly, func(sp *preservation.StatePreservation) { sp.OnMissingState = preservation.EvictWithout }),
		},
		"age": {
			reason: "the host may know the time, and most do not (R2)",
			in:     with(purge.Directly, func(sp *preservation.StatePreservation) { sp.MaxStateAgeSeconds = ptr(int32(0)) }),
			want:   []failover.Warning{noTime(a), noTime(c)},
		},
		"age and time": {
			reason: "the age is known",
			in: with(purge.Directly, func(sp *preservation.StatePreservation) {
				sp.MaxStateAgeSeconds, sp.TakenAt = ptr(int32(60)), "{.time}"
			}),
		},
		"time": {
			reason: "any age is right",
			in:     with(purge.Directly, func(sp *preservation.StatePreservation) { sp.TakenAt = "{.time}" }),
		},
		"no rules, with all": {
			reason: "nothing is carried, so nothing else matters",
			in: failover.Behavior{Cluster: &failover.ClusterBehavior{StatePreservation: &preservation.StatePreservation{
				MaxStateAgeSeconds: ptr(int32(60)), MissingStateDeadlineSeconds: ptr(int32(60)), OnMissingState: preservation.EvictWithout,
			}}},
			want: []failover.Warning{none(c)},
		},
		"all of one block": {
			reason: "sorted by field",
			in: with(purge.Gracefully, func(sp *preservation.StatePreservation) {
				sp.MaxStateAgeSeconds, sp.MissingStateDeadlineSeconds = ptr(int32(60)), ptr(int32(60))
				sp.OnMissingState = preservation.EvictWithout
			}),
			want: []failover.Warning{
				noTime(a), unused(a), never(a, gracefully), noTime(c), unused(c), never(c, gracefully),
			},
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
