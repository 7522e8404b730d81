package failovertest_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/purge"
)

// How far TestExplore goes; make explore sets them.
var (
	depthFlag = flag.Int("explore.depth", 2, "steps of a timeline")
	healFlag  = flag.Bool("explore.heal", true, "expect recovery from every state")
	afterFlag = flag.String("explore.after", "", "steps before anything is tried, with commas between them")
	stateFlag = flag.Int("explore.states", 0, "distinct states that are enough; 0 = no limit")
)

// TestExplore tries all orders of events in every world. With -v it prints the world, how
// often each event may happen, and the counts while it runs.
func TestExplore(t *testing.T) {
	t.Parallel()
	for name, x := range worlds(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x.Setup = append(x.Setup, steps(t, strings.FieldsFunc(*afterFlag, func(r rune) bool { return r == ',' })...)...)
			x.Depth, x.States, x.Heal = *depthFlag, *stateFlag, *healFlag
			x.Progress = progress(t)
			t.Log(describe(x))
			got := failovertest.Explore(x)
			if got.Broken != nil {
				t.Errorf("%v\nby\n  %s", got.Broken, words(got.Timeline))
			}
			t.Logf("depth %d: %d distinct states, %d transitions", got.Depth, got.States, got.Transitions)
		})
	}
}

// progress tells of each depth, and of every ten thousand states within one.
func progress(tb testing.TB) func(failovertest.Level) {
	tb.Helper()
	const every = 10_000
	told := 0
	return func(l failovertest.Level) {
		if l.Left == 0 || l.States >= told+every {
			told = l.States
			tb.Logf("depth %d: %6d states left to try, %8d distinct states, %9d transitions", l.Depth, l.Left, l.States, l.Transitions)
		}
	}
}

// describe is what bounds an exploration, in a few lines.
func describe(x failovertest.Exploration) string {
	world, _ := json.Marshal(x.World)
	var limits []string
	for verb, most := range x.Limits {
		if most < 0 {
			limits = append(limits, string(verb))
		} else {
			limits = append(limits, fmt.Sprintf("%s (%d)", verb, most))
		}
	}
	return fmt.Sprintf("world: %s\nafter: %s\nthen at most %d of: %s\ncrashes: %d; the scheduler ignores what is excluded: %t; recovery is checked: %t",
		world, words(x.Setup), x.Depth, strings.Join(slices.Sorted(slices.Values(limits)), ", "), x.Crashes, x.IgnoreExcluded, x.Heal)
}

// words is a timeline as ParseStep reads it, step by step.
func words(list []failovertest.Step) string {
	var out []string
	for _, step := range list {
		out = append(out, step.String())
	}
	return strings.Join(out, ", ")
}

// TestNothingToExplore are explorations and timelines that would try nothing, or something
// else than it seems: they must not pass.
func TestNothingToExplore(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*failovertest.Exploration)
		want   string
		steps  int // of the timeline
		reason string
	}{
		"zero":         {func(x *failovertest.Exploration) { *x = failovertest.Exploration{} }, "world.clusters: a world has 1 to 20 clusters", 0, "there is no world"},
		"no limits":    {func(x *failovertest.Exploration) { x.Limits = nil }, "limits: no event may happen", 0, "nothing is tried"},
		"never":        {func(x *failovertest.Exploration) { x.Limits = map[failovertest.Verb]int{failovertest.Tick: 0} }, "limits: no event may happen", 0, "0 is never"},
		"a typo":       {func(x *failovertest.Exploration) { x.Limits["helthy"] = -1 }, `limits: event "helthy" is unknown`, 0, "it would never happen"},
		"no depth":     {func(x *failovertest.Exploration) { x.Depth = 0 }, "depth: 0 steps try nothing", 0, "nothing is tried"},
		"crashes":      {func(x *failovertest.Exploration) { x.Crashes = -1 }, "not negative", 0, "negative is any number for verbs only"},
		"states":       {func(x *failovertest.Exploration) { x.States = -1 }, "not negative", 0, "as above"},
		"two clusters": {func(x *failovertest.Exploration) { x.World.Clusters = []string{"east", "east"} }, "world.clusters[1]: there are two clusters", 0, "events name one"},
		"status":       {func(x *failovertest.Exploration) { x.World.Status = []byte("{x") }, "world.status: a status is a JSON object", 0, "rules find nothing in it"},
		"policy":       {func(x *failovertest.Exploration) { x.World.Policy = policy("Directely") }, "world.policy.application.purgeMode: Invalid value", 0, "an invalid policy does nothing"},
		"no effect": {func(x *failovertest.Exploration) {
			x.Setup = append(x.Setup, failovertest.Step{Event: failovertest.Event{Verb: failovertest.Return, Cluster: "east"}})
		}, `step "return east" has no effect here`, 2, "the rest would start elsewhere"},
		"crash": {func(x *failovertest.Exploration) { x.Setup[0].CrashBefore = 9 }, "the crash is before a write from 1 to 4", 1, "there are four writes (F14)"},
		"verb":  {func(x *failovertest.Exploration) { x.Setup[0].Event.Verb = "scedule" }, `event "scedule east" is unknown`, 1, "it would never happen"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := failovertest.Exploration{
				World: failovertest.World{Clusters: []string{"east", "west"}, Policy: policy(purge.Directly)},
				Setup: steps(t, "schedule east"), Limits: map[failovertest.Verb]int{failovertest.Tick: 1}, Depth: 1,
			}
			tc.change(&x)
			got := failovertest.Explore(x)
			if got.Broken == nil || !strings.Contains(got.Broken.Error(), tc.want) || len(got.Timeline) != tc.steps || got.States != 0 {
				t.Errorf("%s\nwant %s after %d steps, got %v by %v, %d states", tc.reason, tc.want, tc.steps, got.Broken, got.Timeline, got.States)
			}
			if strings.HasPrefix(tc.want, "limits") || strings.HasPrefix(tc.want, "depth") || strings.HasPrefix(tc.want, "not") {
				return // a timeline has none
			}
			n, err := failovertest.Replay(x.World, x.Setup, false)
			_, told := failovertest.Tell(x.World, x.Setup)
			if err == nil || told == nil || err.Error() != got.Broken.Error() || told.Error() != err.Error() || n != tc.steps {
				t.Errorf("want the same of timelines, got %v after %d steps, and %v", err, n, told)
			}
		})
	}
}
