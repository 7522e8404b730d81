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
	blocking := func(seconds int32) failover.Waits { return failover.Waits{BlockPredecessorSeconds: &seconds} }
	required := rule(job, "{.job}")
	required.Policy = preservation.Required
	filled := func(rules ...preservation.Rule) *preservation.StatePreservation {
		return &preservation.StatePreservation{Rules: rules, OnMissingState: preservation.Block}
	}
	every := extended()
	tests := map[string]struct {
		reason string
		in     failover.Behavior
		want   failover.Behavior
	}{
		"nothing": {reason: "blocks that are nil stay nil"},
		"empty blocks": {
			reason: "Karmada's values: 300 s, Gracefully, 600 s; and 600 s for the scheduler (E12)",
			in:     failover.Behavior{Application: &failover.ApplicationBehavior{}, Cluster: &failover.ClusterBehavior{}},
			want: failover.Behavior{
				Application: &failover.ApplicationBehavior{
					DecisionConditions: tolerating(300), PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(600)), Waits: blocking(600),
				},
				Cluster: &failover.ClusterBehavior{PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(600)), Waits: blocking(600)},
			},
		},
		"zeros": {
			reason: "what is given stays, 0 included",
			in: failover.Behavior{
				Application: &failover.ApplicationBehavior{
					DecisionConditions: tolerating(0), PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(0)), Waits: blocking(0),
				},
				Cluster: &failover.ClusterBehavior{PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(0)), Waits: blocking(0)},
			},
			want: failover.Behavior{
				Application: &failover.ApplicationBehavior{
					DecisionConditions: tolerating(0), PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(0)), Waits: blocking(0),
				},
				Cluster: &failover.ClusterBehavior{PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(0)), Waits: blocking(0)},
			},
		},
		"every field": {reason: "what is given stays, whatever it is", in: every, want: extended()},
		"directly": {
			reason: "only Gracefully gets a grace period (E5), old names become new ones (P1)",
			in: failover.Behavior{
				Application: &failover.ApplicationBehavior{DecisionConditions: tolerating(1), PurgeMode: "Immediately"},
				Cluster:     &failover.ClusterBehavior{PurgeMode: "Immediately"},
			},
			want: failover.Behavior{
				Application: &failover.ApplicationBehavior{DecisionConditions: tolerating(1), PurgeMode: purge.Directly, Waits: blocking(600)},
				Cluster:     &failover.ClusterBehavior{PurgeMode: purge.Directly, Waits: blocking(600)},
			},
		},
		"an old name of Gracefully": {
			reason: "the grace period is filled in after the name is normalised (F41)",
			in: failover.Behavior{
				Application: &failover.ApplicationBehavior{DecisionConditions: tolerating(1), PurgeMode: "Graciously"},
				Cluster:     &failover.ClusterBehavior{PurgeMode: "Graciously"},
			},
			want: failover.Behavior{
				Application: &failover.ApplicationBehavior{
					DecisionConditions: tolerating(1), PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(600)), Waits: blocking(600),
				},
				Cluster: &failover.ClusterBehavior{PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(600)), Waits: blocking(600)},
			},
		},
		"wrong values": {
			reason: "what Validate refuses stays, for it to see",
			in: failover.Behavior{
				Application: &failover.ApplicationBehavior{
					DecisionConditions: tolerating(-1), PurgeMode: purge.Never, GracePeriodSeconds: ptr(int32(5)), Waits: blocking(-1),
					StatePreservation: &preservation.StatePreservation{OnMissingState: "block", Retention: "x"},
				},
				Cluster: &failover.ClusterBehavior{PurgeMode: "Later", GracePeriodSeconds: ptr(int32(5)), Waits: blocking(-1)},
			},
			want: failover.Behavior{
				Application: &failover.ApplicationBehavior{
					DecisionConditions: tolerating(-1), PurgeMode: purge.Never, GracePeriodSeconds: ptr(int32(5)), Waits: blocking(-1),
					StatePreservation: &preservation.StatePreservation{OnMissingState: "block", Retention: "x"},
				},
				Cluster: &failover.ClusterBehavior{PurgeMode: "Later", GracePeriodSeconds: ptr(int32(5)), Waits: blocking(-1)},
			},
		},
		"rules": {
			reason: "a rule is Required and missing state blocks unless they say otherwise, in both blocks; retention stays open (F7)",
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
					StatePreservation: filled(required, optional(step, "{.step}")), Waits: blocking(600),
				},
				Cluster: &failover.ClusterBehavior{PurgeMode: purge.Never, StatePreservation: filled(required), Waits: blocking(600)},
			},
		},
		"no rules": {
			reason: "what happens without state does not depend on the rules",
			in:     failover.Behavior{Cluster: &failover.ClusterBehavior{PurgeMode: purge.Never, StatePreservation: preserving()}},
			want:   failover.Behavior{Cluster: &failover.ClusterBehavior{PurgeMode: purge.Never, StatePreservation: filled(), Waits: blocking(600)}},
		},
		"inherited": {
			reason: "one that is inherited is not there, and must not be made up: it would exclude the inheritance",
			in: failover.Behavior{
				Cluster: &failover.ClusterBehavior{PurgeMode: purge.Never, InheritStatePreservation: true},
			},
			want: failover.Behavior{
				Cluster: &failover.ClusterBehavior{PurgeMode: purge.Never, InheritStatePreservation: true, Waits: blocking(600)},
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

// extended has every field, each with a value that is not its default.
func extended() failover.Behavior {
	sp := func() *preservation.StatePreservation {
		rejecting := optional(job, "{.job}")
		rejecting.Reject = []string{"none"}
		return &preservation.StatePreservation{
			Rules: []preservation.Rule{rejecting}, OnMissingState: preservation.UsePrevious,
			MissingStateDeadlineSeconds: ptr(int32(11)), Retention: preservation.UntilNextFailover,
			MaxStateAgeSeconds: ptr(int32(12)), TakenAt: "{.time}", InjectWhenNotDirectly: true,
		}
	}
	waits := func() failover.Waits {
		return failover.Waits{
			BlockPredecessorSeconds: ptr(int32(13)), SoakSeconds: ptr(int32(14)), FencingDeadlineSeconds: ptr(int32(15)),
		}
	}
	return failover.Behavior{
		Application: &failover.ApplicationBehavior{
			DecisionConditions: failover.DecisionConditions{
				TolerationSeconds: ptr(int32(16)), InitialTolerationSeconds: ptr(int32(17)), RequireHealthyBefore: true,
				MaxFailovers: ptr(int32(18)), WindowSeconds: ptr(int32(19)),
			},
			PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(20)), StatePreservation: sp(), Waits: waits(),
		},
		Cluster: &failover.ClusterBehavior{
			PurgeMode: purge.Gracefully, GracePeriodSeconds: ptr(int32(21)), StatePreservation: sp(),
			InheritStatePreservation: true, Waits: waits(),
		},
	}
}

// scribble changes everything that a policy points to.
func scribble(b failover.Behavior) {
	seconds := func(all ...*int32) {
		for _, s := range all {
			if s != nil {
				*s = 99
			}
		}
	}
	state := func(sp *preservation.StatePreservation) {
		seconds(sp.MissingStateDeadlineSeconds, sp.MaxStateAgeSeconds)
		sp.Rules[0].Reject[0], sp.Rules[0].AliasLabelName, sp.Retention = "changed", "changed", "changed"
	}
	waits := func(w failover.Waits) { seconds(w.BlockPredecessorSeconds, w.SoakSeconds, w.FencingDeadlineSeconds) }
	a, c := b.Application, b.Cluster
	seconds(
		a.DecisionConditions.TolerationSeconds, a.DecisionConditions.InitialTolerationSeconds,
		a.DecisionConditions.MaxFailovers, a.DecisionConditions.WindowSeconds, a.GracePeriodSeconds, c.GracePeriodSeconds,
	)
	state(a.StatePreservation)
	state(c.StatePreservation)
	waits(a.Waits)
	waits(c.Waits)
	a.PurgeMode, c.PurgeMode = "changed", "changed"
}

func TestDefaultSharesNothing(t *testing.T) {
	t.Parallel()
	for _, mode := range []purge.Mode{purge.Gracefully, purge.Directly} {
		in := extended()
		in.Application.PurgeMode, in.Cluster.PurgeMode = mode, mode
		before := text(t, in)
		scribble(failover.Default(in))
		if diff := cmp.Diff(before, text(t, in)); diff != "" {
			t.Errorf("%s: the result shares memory with the input (-before +after):\n%s", mode, diff)
		}
	}
	empty := func() failover.Behavior {
		return failover.Behavior{
			Application: &failover.ApplicationBehavior{StatePreservation: preserving(rule(job, "{.job}"))},
			Cluster:     &failover.ClusterBehavior{StatePreservation: preserving(rule(job, "{.job}"))},
		}
	}
	once, twice := failover.Default(empty()), failover.Default(empty())
	before := text(t, twice)
	once.Application.StatePreservation.Rules[0].Reject = []string{"x"}
	once.Cluster.StatePreservation.Rules[0].Reject = []string{"x"}
	scribble(once)
	if diff := cmp.Diff(before, text(t, twice)); diff != "" {
		t.Errorf("two results share their defaults (-before +after):\n%s", diff)
	}
	if *twice.Application.GracePeriodSeconds != 600 || *twice.Application.BlockPredecessorSeconds != 600 {
		t.Errorf("the defaults were not the defaults: %s", text(t, twice))
	}
}
