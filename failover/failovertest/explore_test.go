package failovertest_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// How far TestExplore goes: go test ./failover/failovertest -run TestExplore -v
// -explore.depth 5 -explore.heal.
var (
	depthFlag = flag.Int("explore.depth", 2, "steps of a timeline")
	healFlag  = flag.Bool("explore.heal", true, "expect recovery from every state")
	stateFlag = flag.Int("explore.states", 0, "distinct states that are enough; 0 = no limit")
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

// both changes what both blocks have.
func both(change func(*preservation.StatePreservation, *failover.Waits)) func(*failover.Behavior) {
	return func(b *failover.Behavior) {
		change(b.Application.StatePreservation, &b.Application.Waits)
		change(b.Cluster.StatePreservation, &b.Cluster.Waits)
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
// Plan does.
func worlds() map[string]failovertest.Exploration {
	two, three := []string{"east", "west"}, []string{"east", "west", "north"}
	world := func(clusters []string, p failover.Behavior) failovertest.Exploration {
		return failovertest.Exploration{World: failovertest.World{Clusters: clusters, Policy: p}}
	}
	out := map[string]failovertest.Exploration{
		"Directly":                  world(two, policy(purge.Directly)),
		"Gracefully":                world(two, policy(purge.Gracefully)),
		"Never":                     world(two, policy(purge.Never)),
		"Directly/three clusters":   world(three, policy(purge.Directly)),
		"Gracefully/three clusters": world(three, policy(purge.Gracefully)),
		"Gracefully/inject": world(two, policy(purge.Gracefully, both(func(sp *preservation.StatePreservation, _ *failover.Waits) {
			sp.InjectWhenNotDirectly = true
		}))),
		"Gracefully/soak": world(two, policy(purge.Gracefully, both(func(_ *preservation.StatePreservation, w *failover.Waits) {
			w.SoakSeconds = ptr[int32](2)
		}))),
		"Directly/deadlines": world(two, policy(purge.Directly, both(func(sp *preservation.StatePreservation, w *failover.Waits) {
			sp.MissingStateDeadlineSeconds, w.FencingDeadlineSeconds = ptr[int32](2), ptr[int32](3)
		}))),
		"Directly/previous": world(two, policy(purge.Directly, both(func(sp *preservation.StatePreservation, _ *failover.Waits) {
			sp.OnMissingState = preservation.UsePrevious
		}))),
		"Directly/without": world(two, policy(purge.Directly, both(func(sp *preservation.StatePreservation, _ *failover.Waits) {
			sp.OnMissingState = preservation.EvictWithout
		}))),
		"Directly/retained": world(two, policy(purge.Directly, both(func(sp *preservation.StatePreservation, _ *failover.Waits) {
			sp.Retention = preservation.UntilNextFailover
		}))),
		"Directly/limited": world(two, policy(purge.Directly, func(b *failover.Behavior) {
			d := &b.Application.DecisionConditions
			d.MaxFailovers, d.WindowSeconds, d.InitialTolerationSeconds = ptr[int32](1), ptr[int32](5), ptr[int32](4)
		})),
		"Directly/no cool-down": world(two, policy(purge.Directly, both(func(_ *preservation.StatePreservation, w *failover.Waits) {
			w.BlockPredecessorSeconds = ptr[int32](0)
		}))),
	}
	dated := world(two, policy(purge.Directly))
	dated.World.Dated = true
	out["Directly/dated"] = dated
	ignoring := world(two, policy(purge.Directly))
	ignoring.IgnoreExcluded = true
	out["Directly/exclusion ignored"] = ignoring
	graceful := world(two, policy(purge.Gracefully))
	graceful.IgnoreExcluded = true
	out["Gracefully/exclusion ignored"] = graceful
	several := world(three, policy(purge.Directly))
	several.World.Copies = 2
	out["Directly/two copies"] = several
	dropping := world(two, policy(purge.Gracefully))
	dropping.World.Host.DropOnPurge = true
	out["Gracefully/drop on purge"] = dropping
	tolerant := world(two, policy(purge.Directly))
	tolerant.World.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr[int64](3)}}
	out["Directly/tolerations"] = tolerant
	return out
}

func TestExplore(t *testing.T) {
	t.Parallel()
	for name, x := range worlds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x.Setup, x.Limits, x.Crashes = steps(t, "schedule east", "healthy east", "tick"), everything(), 1
			x.Depth, x.States, x.Heal = *depthFlag, *stateFlag, *healFlag
			x.Progress = func(l failovertest.Level) { t.Logf("%+v", l) }
			got := failovertest.Explore(x)
			if got.Broken != nil {
				t.Errorf("%v\nby\n%s", got.Broken, timeline(got.Timeline))
			}
		})
	}
}

func timeline(list []failovertest.Step) string {
	text := ""
	for _, step := range list {
		text += fmt.Sprintln("  ", step)
	}
	return text
}
