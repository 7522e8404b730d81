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

// Of the fields that Karmada's policy does not have.
func TestWarningsOfExtensions(t *testing.T) {
	t.Parallel()
	type waits = failover.Waits
	const a, c = "failover.application.", "failover.cluster."
	tolerating := func(toleration, initial *int32) failover.Behavior {
		return failover.Behavior{Application: &failover.ApplicationBehavior{DecisionConditions: failover.DecisionConditions{
			TolerationSeconds: toleration, InitialTolerationSeconds: initial,
		}}}
	}
	short := func(toleration string) []failover.Warning {
		return []failover.Warning{{
			Field: a + "decisionConditions.initialTolerationSeconds", Reason: failover.ShortInitialToleration,
			Message: "an application that still starts is given up sooner than one that worked, which has " + toleration + " seconds",
		}}
	}
	waiting := func(mode purge.Mode, w waits) failover.Behavior {
		return failover.Behavior{
			Application: &failover.ApplicationBehavior{PurgeMode: mode, Waits: w}, Cluster: &failover.ClusterBehavior{PurgeMode: mode, Waits: w},
		}
	}
	unused := func(name, of, mode string) failover.Warning {
		return failover.Warning{Field: name, Reason: failover.WaitUnused, Message: "only " + of + " uses it, and the purge mode is " + mode}
	}
	soak := func(mode string) []failover.Warning {
		return []failover.Warning{unused(a+"soakSeconds", "Gracefully", mode), unused(c+"soakSeconds", "Gracefully", mode)}
	}
	fencing := func(mode string) []failover.Warning {
		return []failover.Warning{
			unused(a+"fencingDeadlineSeconds", "Directly", mode), unused(c+"fencingDeadlineSeconds", "Directly", mode),
		}
	}
	nothing := []failover.Warning{{
		Field: c + "inheritStatePreservation", Reason: failover.NothingToInherit,
		Message: "there is no statePreservation under application: nothing is carried",
	}}
	inheriting := &failover.ClusterBehavior{PurgeMode: purge.Directly, InheritStatePreservation: true}
	with := func(sp *preservation.StatePreservation) failover.Behavior {
		return failover.Behavior{Application: &failover.ApplicationBehavior{PurgeMode: purge.Directly, StatePreservation: sp}, Cluster: inheriting}
	}
	inject := func(mode purge.Mode) *failover.ApplicationBehavior {
		sp := preserving(rule(job, "{.job}"))
		sp.InjectWhenNotDirectly = true
		return &failover.ApplicationBehavior{PurgeMode: mode, StatePreservation: sp}
	}
	inherit := func(mode purge.Mode) *failover.ClusterBehavior {
		return &failover.ClusterBehavior{PurgeMode: mode, InheritStatePreservation: true}
	}
	beside := func(at, mode string) []failover.Warning {
		return []failover.Warning{{
			Field: at, Reason: failover.InjectedBesideOldCopy,
			Message: "with purge mode " + mode + " the old copy may run on with the state that the new one receives: only for state that is read",
		}}
	}
	const injected, inherited = a + "statePreservation.injectWhenNotDirectly", c + "inheritStatePreservation"
	tests := map[string]struct {
		reason string
		in     failover.Behavior
		want   []failover.Warning
	}{
		"injected, directly":   {reason: "the old copy is gone before (I1)", in: failover.Behavior{Application: inject("Immediately")}},
		"injected, gracefully": {reason: "it is injected after all, while the old copy runs (I1)", in: failover.Behavior{Application: inject("Graciously")}, want: beside(injected, "Gracefully")},
		"injected, empty mode": {reason: "empty is Gracefully (P2)", in: failover.Behavior{Application: inject("")}, want: beside(injected, "Gracefully")},
		"injected, never":      {reason: "the old copy stays (I1)", in: failover.Behavior{Application: inject(purge.Never)}, want: beside(injected, "Never")},
		"injected, no mode":    {reason: "Validate refuses it, a warning would guess", in: failover.Behavior{Application: inject("Later")}},
		"injected, cluster": {
			reason: "the cluster block has its own (I1)",
			in:     failover.Behavior{Cluster: &failover.ClusterBehavior{PurgeMode: purge.Never, StatePreservation: inject("").StatePreservation}},
			want:   beside(c+"statePreservation.injectWhenNotDirectly", "Never"),
		},
		"injected, no rules": {
			reason: "nothing is injected",
			in:     failover.Behavior{Application: &failover.ApplicationBehavior{StatePreservation: &preservation.StatePreservation{InjectWhenNotDirectly: true}}},
			want:   []failover.Warning{{Field: a + "statePreservation.rules", Reason: failover.NoRules, Message: "there are no rules: nothing is carried"}},
		},
		"inherited, both directly":      {reason: "the old copy is gone before, whichever cause (I1)", in: failover.Behavior{Application: inject(purge.Directly), Cluster: inherit("Immediately")}},
		"inherited, cluster gracefully": {reason: "the mode of the cluster block counts (F10)", in: failover.Behavior{Application: inject(purge.Directly), Cluster: inherit("")}, want: beside(inherited, "Gracefully")},
		"inherited, only application":   {reason: "the mode of the cluster block counts (F10)", in: failover.Behavior{Application: inject(""), Cluster: inherit(purge.Directly)}, want: beside(injected, "Gracefully")},
		"inherited, never injected": {
			reason: "rules of application, and a mode that never injects them (I1, F10)",
			in:     failover.Behavior{Application: policy(purge.Directly).Application, Cluster: inherit(purge.Never)},
			want: []failover.Warning{{
				Field: inherited, Reason: failover.NeverInjected,
				Message: "with purge mode Never the state is collected and never injected: use Directly",
			}},
		},
		"inherited, no rules, never": {
			reason: "there is nothing that could be injected",
			in:     failover.Behavior{Application: &failover.ApplicationBehavior{StatePreservation: preserving()}, Cluster: inherit(purge.Never)},
			want:   []failover.Warning{{Field: a + "statePreservation.rules", Reason: failover.NoRules, Message: "there are no rules: nothing is carried"}},
		},
		"initial, longer":  {reason: "what starts gets more time (F3)", in: tolerating(ptr(int32(60)), ptr(int32(61)))},
		"initial, equal":   {reason: "nothing is special about the start", in: tolerating(ptr(int32(60)), ptr(int32(60)))},
		"initial, shorter": {reason: "what starts gets less time (F3)", in: tolerating(ptr(int32(60)), ptr(int32(59))), want: short("60")},
		"initial, 300":     {reason: "nil is 300 (F2)", in: tolerating(nil, ptr(int32(300)))},
		"initial, 299":     {reason: "nil is 300 (F2)", in: tolerating(nil, ptr(int32(299))), want: short("300")},
		"initial, none":    {reason: "is the other one (F3)", in: tolerating(ptr(int32(60)), nil)},

		"soak, gracefully": {reason: "is its own (P6)", in: waiting("Graciously", waits{SoakSeconds: ptr(int32(1))})},
		"soak, empty mode": {reason: "empty is Gracefully (P2)", in: waiting("", waits{SoakSeconds: ptr(int32(1))})},
		"soak, directly":   {reason: "the old copy is gone before (P6)", in: waiting("Immediately", waits{SoakSeconds: ptr(int32(1))}), want: soak("Directly")},
		"soak, never":      {reason: "a person decides (P6)", in: waiting(purge.Never, waits{SoakSeconds: ptr(int32(1))}), want: soak("Never")},
		"soak 0, directly": {reason: "no time is no time under any mode", in: waiting(purge.Directly, waits{SoakSeconds: ptr(int32(0))})},
		"soak, no mode":    {reason: "Validate refuses it, a warning would guess", in: waiting("Later", waits{SoakSeconds: ptr(int32(1)), FencingDeadlineSeconds: ptr(int32(1))})},

		"fencing, directly":     {reason: "is its own (P5)", in: waiting("Immediately", waits{FencingDeadlineSeconds: ptr(int32(0))})},
		"fencing 0, gracefully": {reason: "at once would be asked, and never is (P5)", in: waiting("", waits{FencingDeadlineSeconds: ptr(int32(0))}), want: fencing("Gracefully")},
		"fencing, never":        {reason: "the old copy is not waited for (P5)", in: waiting(purge.Never, waits{FencingDeadlineSeconds: ptr(int32(1))}), want: fencing("Never")},
		"both, never":           {reason: "sorted by field", in: waiting(purge.Never, waits{SoakSeconds: ptr(int32(1)), FencingDeadlineSeconds: ptr(int32(1))}), want: []failover.Warning{fencing("Never")[0], soak("Never")[0], fencing("Never")[1], soak("Never")[1]}},
		"block, any mode":       {reason: "is for every mode (E12)", in: waiting(purge.Never, waits{BlockPredecessorSeconds: ptr(int32(1))})},

		"inherits":                 {reason: "the rules of application count (F10)", in: with(preserving(rule(job, "{.job}")))},
		"inherits no state":        {reason: "there is none (F10)", in: with(nil), want: nothing},
		"inherits from nowhere":    {reason: "there is no block (F10)", in: failover.Behavior{Cluster: inheriting}, want: nothing},
		"inherits no rules":        {reason: "said once, where they are missing", in: with(preserving()), want: []failover.Warning{{Field: a + "statePreservation.rules", Reason: failover.NoRules, Message: "there are no rules: nothing is carried"}}},
		"inherits, though it has":  {reason: "Validate refuses it; the rules of application count", in: failover.Behavior{Application: policy(purge.Directly).Application, Cluster: &failover.ClusterBehavior{PurgeMode: purge.Directly, InheritStatePreservation: true, StatePreservation: preserving(rule(job, "{.job}"))}}},
		"own state, no other rule": {reason: "nothing stands only under application", in: failover.Behavior{Application: &failover.ApplicationBehavior{}, Cluster: policy(purge.Directly).Cluster}},
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

func TestWarningsWithoutAPath(t *testing.T) {
	t.Parallel()
	got := failover.Warnings(policy(purge.Never), nil)
	if len(got) != 2 || got[0].Field != "application.statePreservation.rules" || got[1].Field != "cluster.statePreservation.rules" {
		t.Errorf("fields begin with the block: %+v", got)
	}
}
