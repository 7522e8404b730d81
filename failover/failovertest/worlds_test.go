package failovertest_test

import (
	"testing"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

func ptr[T any](v T) *T { return &v }

// policy is the same for both causes, with short times.
func policy(mode purge.Mode, change ...func(*failover.Behavior)) failover.Behavior {
	preserve := func() *preservation.StatePreservation {
		return &preservation.StatePreservation{Rules: []preservation.Rule{{AliasLabelName: failovertest.Label, JSONPath: "{.job}"}}}
	}
	waits := failover.Waits{BlockPredecessorSeconds: ptr[int32](3)}
	b := failover.Behavior{
		Application: &failover.ApplicationBehavior{
			PurgeMode: mode, StatePreservation: preserve(), Waits: waits,
			DecisionConditions: failover.DecisionConditions{TolerationSeconds: ptr[int32](2)},
		},
		Cluster: &failover.ClusterBehavior{PurgeMode: mode, StatePreservation: preserve(), Waits: waits},
	}
	if mode == purge.Gracefully {
		b.Application.GracePeriodSeconds, b.Cluster.GracePeriodSeconds = ptr[int32](4), ptr[int32](4)
	}
	for _, c := range change {
		c(&b)
	}
	return b
}

// preserved and waits change what both blocks have.
func preserved(change func(*preservation.StatePreservation)) func(*failover.Behavior) {
	return func(b *failover.Behavior) {
		change(b.Application.StatePreservation)
		change(b.Cluster.StatePreservation)
	}
}

func waits(change func(*failover.Waits)) func(*failover.Behavior) {
	return func(b *failover.Behavior) {
		change(&b.Application.Waits)
		change(&b.Cluster.Waits)
	}
}

func steps(tb testing.TB, lines ...string) []failovertest.Step {
	tb.Helper()
	var out []failovertest.Step
	for _, line := range lines {
		step, err := failovertest.ParseStep(line)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, step)
	}
	return out
}

// everything may happen, and what makes the world larger for ever, only once or twice.
func everything() map[failovertest.Verb]int {
	return map[failovertest.Verb]int{
		failovertest.Schedule: -1, failovertest.Unschedule: 1, failovertest.Healthy: -1, failovertest.Unhealthy: -1, failovertest.Unknown: 1,
		failovertest.Silent: 1, failovertest.Talk: -1, failovertest.Lose: 2, failovertest.Return: -1, failovertest.Wipe: 1,
		failovertest.Fence: 1, failovertest.Unfence: 1, failovertest.Taint: 1, failovertest.Untaint: 1, failovertest.Deleted: -1,
		failovertest.Vanish: 1, failovertest.Evict: 1, failovertest.Withdraw: 1, failovertest.Acknowledge: 1, failovertest.Confirm: 1,
		failovertest.Tick: -1, failovertest.Wait: -1, failovertest.Later: 1,
	}
}

// worlds are what is explored: the three modes, and each habit or wish that changes what
// Plan does. Each begins with an application that is healthy on east for a second.
func worlds(tb testing.TB) map[string]failovertest.Exploration {
	tb.Helper()
	two, three := []string{"east", "west"}, []string{"east", "west", "north"}
	world := func(clusters []string, p failover.Behavior, change ...func(*failovertest.Exploration)) failovertest.Exploration {
		x := failovertest.Exploration{
			World: failovertest.World{Clusters: clusters, Policy: p, TaintsKnown: true},
			Setup: steps(tb, "schedule east", "healthy east", "tick"), Limits: everything(), Crashes: 1, Heal: true,
		}
		for _, c := range change {
			c(&x)
		}
		return x
	}
	more := func(verbs ...failovertest.Verb) func(*failovertest.Exploration) {
		return func(x *failovertest.Exploration) {
			for _, verb := range verbs {
				x.Limits[verb] = 1
			}
		}
	}
	edited := func(to failover.Behavior) func(*failovertest.Exploration) {
		return func(x *failovertest.Exploration) { x.World.Edited, x.Limits[failovertest.Revise] = &to, 2 }
	}
	ignoring := func(x *failovertest.Exploration) { x.IgnoreExcluded = true }
	inject := preserved(func(sp *preservation.StatePreservation) { sp.InjectWhenNotDirectly = true })
	missing := func(what preservation.OnMissingState) func(*failover.Behavior) {
		return preserved(func(sp *preservation.StatePreservation) { sp.OnMissingState = what })
	}
	return map[string]failovertest.Exploration{
		"Directly":                  world(two, policy(purge.Directly)),
		"Gracefully":                world(two, policy(purge.Gracefully)),
		"Never":                     world(two, policy(purge.Never)),
		"Directly-three-clusters":   world(three, policy(purge.Directly)),
		"Gracefully-three-clusters": world(three, policy(purge.Gracefully)),
		"Gracefully-inject":         world(two, policy(purge.Gracefully, inject)),
		"Gracefully-soak":           world(two, policy(purge.Gracefully, waits(func(w *failover.Waits) { w.SoakSeconds = ptr[int32](2) }))),
		"Gracefully-desired":        world(two, policy(purge.Gracefully), func(x *failovertest.Exploration) { x.World.DesiredReplicas = ptr[int32](1) }),
		"Application-Gracefully-Cluster-Directly": world(two, func() failover.Behavior {
			b := policy(purge.Gracefully)
			b.Cluster = policy(purge.Directly).Cluster
			return b
		}()),
		"Directly-previous":            world(two, policy(purge.Directly, missing(preservation.UsePrevious))),
		"Directly-without":             world(two, policy(purge.Directly, missing(preservation.EvictWithout))),
		"Directly-no-cooldown":         world(two, policy(purge.Directly, waits(func(w *failover.Waits) { w.BlockPredecessorSeconds = ptr[int32](0) }))),
		"Directly-exclusion-ignored":   world(two, policy(purge.Directly), ignoring),
		"Gracefully-exclusion-ignored": world(two, policy(purge.Gracefully), ignoring),
		"Directly-taints-unknown":      world(two, policy(purge.Directly), func(x *failovertest.Exploration) { x.World.TaintsKnown = false }),
		"Gracefully-taints-unknown":    world(two, policy(purge.Gracefully), func(x *failovertest.Exploration) { x.World.TaintsKnown = false }),
		"Directly-dated":               world(two, policy(purge.Directly), func(x *failovertest.Exploration) { x.World.Dated = true }),
		"Directly-two-copies":          world(three, policy(purge.Directly), func(x *failovertest.Exploration) { x.World.Copies = 2 }),
		"Gracefully-inject-two-copies": world(three, policy(purge.Gracefully, inject), func(x *failovertest.Exploration) { x.World.Copies = 2 }),
		"Gracefully-drop-on-purge":     world(two, policy(purge.Gracefully), func(x *failovertest.Exploration) { x.World.Host.DropOnPurge = true }),
		"Directly-tolerations": world(two, policy(purge.Directly), func(x *failovertest.Exploration) {
			x.World.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr[int64](3)}}
		}),
		"Directly-deadlines": world(two, policy(
			purge.Directly,
			preserved(func(sp *preservation.StatePreservation) { sp.MissingStateDeadlineSeconds = ptr[int32](2) }),
			waits(func(w *failover.Waits) { w.FencingDeadlineSeconds = ptr[int32](3) }))),
		"Directly-required":      world(two, policy(purge.Directly), more(failovertest.Require, failovertest.Unrequire)),
		"Gracefully-required":    world(two, policy(purge.Gracefully), more(failovertest.Require, failovertest.Unrequire)),
		"Directly-record-lost":   world(two, policy(purge.Directly), more(failovertest.Forget)),
		"Gracefully-record-lost": world(two, policy(purge.Gracefully), more(failovertest.Forget)),
		"Never-record-lost":      world(two, policy(purge.Never), more(failovertest.Forget)),
		"Directly-others-write":  world(two, policy(purge.Directly), more(failovertest.Intrude, failovertest.Cancel)),
		"Never-others-write":     world(two, policy(purge.Never), more(failovertest.Intrude, failovertest.Cancel)),
		"Directly-to-Gracefully": world(two, policy(purge.Directly), edited(policy(purge.Gracefully, inject))),
		"Never-to-nothing":       world(two, policy(purge.Never), edited(failover.Behavior{})),
		"Directly-two-of-two":    world(two, policy(purge.Directly), func(x *failovertest.Exploration) { x.World.Copies = 2 }),
		"Directly-requests-only": world(two, policy(purge.Directly), func(x *failovertest.Exploration) {
			x.World.Host.RequestsOnly = true
			x.Limits[failovertest.Evict] = 2
		}),
		"Directly-releases": world(two, policy(purge.Directly, func(b *failover.Behavior) {
			b.Application.DecisionConditions.RequireHealthyBefore = true
		}), more(failovertest.Release)),
		"Directly-retained": world(two, policy(purge.Directly, preserved(func(sp *preservation.StatePreservation) {
			sp.Retention = preservation.UntilNextFailover
		}))),
		"Directly-limited": world(two, policy(purge.Directly, func(b *failover.Behavior) {
			d := &b.Application.DecisionConditions
			d.MaxFailovers, d.WindowSeconds, d.InitialTolerationSeconds = ptr[int32](1), ptr[int32](5), ptr[int32](4)
		})),
	}
}
