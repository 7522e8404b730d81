package failovertest_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carryover-io/carryover/failover/failovertest"
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
