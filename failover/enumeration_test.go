package failover_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// TestGateOverASmallWorld asks for every combination of two tasks, what is known
// of their clusters, and the targets, in a world of three clusters. It asserts
// what holds for every input, and that every reason occurs.
func TestGateOverASmallWorld(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	reasons := make(map[failover.GateReason]int)
	worlds := 0
	for _, first := range tasksOf("east", 0, []string{"", "east", "east west"}, "", "A") {
		for _, second := range tasksOf("west", 60, []string{"", "west", "north west"}, "", "A", "B") {
			for _, known := range knowledge() {
				for _, targets := range []string{"north", "east", "west", "north west"} {
					in := failover.GateInput{
						Targets: on(targets), Tasks: []eviction.Task{first, second}, Items: known.items,
						Clusters: known.facts, LastHealthy: known.healthy, Rules: nil,
					}
					in = assessed(in, at(120))
					got := failover.Gate(in)
					worlds++
					checkAnswers(t, in, got)
					checkSafety(t, in, got)
					for _, g := range got {
						reasons[g.Reason]++
					}
					if worlds%97 == 0 { // all of them would take a minute
						checkOrder(t, in, got)
					}
					if t.Failed() {
						t.Fatalf("in %s", text(t, in))
					}
				}
			}
		}
	}
	for _, reason := range []failover.GateReason{
		failover.Injected, failover.NoState, failover.UnknownOrigin, failover.AlreadyRunning, failover.AmbiguousOrigin,
		failover.SeveralTargets, failover.ModeNotDirectly, failover.OldCopyNotGone,
	} {
		if reasons[reason] == 0 {
			t.Errorf("%s never occurs in %d worlds: %v", reason, worlds, reasons)
		}
	}
}

// tasksOf are tasks of one cluster, with and without state. Never is left out: to
// these functions it is what Gracefully is.
func tasksOf(cluster string, second int, lists []string, values ...string) []eviction.Task {
	var out []eviction.Task
	for _, mode := range []purge.Mode{purge.Directly, purge.Gracefully, "Later"} {
		for _, before := range lists {
			for _, value := range values {
				out = append(out, leaving(mode, cluster, second, before, value))
			}
		}
	}
	return out
}

// known is what a host knows of its clusters.
type known struct {
	facts   map[string]eviction.Facts
	healthy map[string]time.Time
	items   []eviction.AggregatedStatusItem
}

func knowledge() []known {
	var out []known
	states := []eviction.Facts{{}, {Presence: purge.Gone}, {Fenced: true}}
	for _, east := range states {
		for _, west := range states {
			for _, last := range []map[string]time.Time{nil, healthy("west", 30)} {
				for _, seen := range []string{"", "east north"} {
					out = append(out, known{map[string]eviction.Facts{"east": east, "west": west}, last, copies(seen)})
				}
			}
		}
	}
	return out
}

// checkSafety asserts the promises that need a look at the whole input.
func checkSafety(tb testing.TB, in failover.GateInput, got []failover.Gated) {
	tb.Helper()
	live := failover.Carry(in.Tasks, in.LastHealthy)
	for _, g := range got {
		hasCopy := slices.ContainsFunc(in.Items, func(item eviction.AggregatedStatusItem) bool {
			return item.ClusterName == g.Cluster && in.Clusters[g.Cluster].Presence != purge.Gone
		})
		if _, held := in.Assessment.Holds(g.Cluster, hasCopy); held && g.Action != failover.Hold {
			tb.Errorf("the assessment holds %s: %+v", g.Cluster, g)
		}
		if g.Action == failover.Hold && hasCopy && in.Clusters[g.Cluster] == (eviction.Facts{}) && !evicted(in, g.Cluster) {
			tb.Errorf("a copy that exists is frozen: %+v", g)
		}
		checkNothingLeft(tb, live, g, hasCopy)
	}
}

func evicted(in failover.GateInput, cluster string) bool {
	return slices.ContainsFunc(in.Tasks, func(task eviction.Task) bool { return task.FromCluster == cluster })
}

// checkNothingLeft asserts that a new copy starts without the state of a Directly
// move only where another copy owns it, or where the target ran before.
func checkNothingLeft(tb testing.TB, live []failover.Carried, g failover.Gated, hasCopy bool) {
	tb.Helper()
	directly := slices.ContainsFunc(live, func(c failover.Carried) bool { return c.Mode == purge.Directly })
	if !directly || hasCopy || g.Action == failover.Hold || g.Inject {
		return
	}
	if g.Reason != failover.AlreadyRunning && g.Reason != failover.ModeNotDirectly {
		tb.Errorf("a new copy starts empty: %+v", g)
	}
}

// Gone tells more than Unknown: knowing it may release a copy, and never holds
// one that was free.
func TestGateNewsOfGoneNeverHolds(t *testing.T) {
	t.Parallel()
	for _, first := range tasksOf("east", 0, []string{"east"}, "", "A") {
		for _, second := range tasksOf("west", 60, []string{"west"}, "", "A", "B") {
			in := failover.GateInput{Targets: on("north"), Tasks: []eviction.Task{first, second}}
			before := failover.Gate(assessed(in, at(120)))[0]
			in.Clusters = gone("east west")
			after := failover.Gate(assessed(in, at(120)))[0]
			if before.Action == failover.Apply && after.Action == failover.Hold || before.Inject && !cmp.Equal(before.State, after.State) {
				t.Errorf("tasks %s: %+v, and once both are gone %+v", text(t, in.Tasks), before, after)
			}
		}
	}
}

// Every text of an enumeration is handled, and what is not one is refused.
func TestEveryConstantIsHandled(t *testing.T) {
	t.Parallel()
	outcomes := make(map[failover.Outcome]bool)
	for _, in := range []failover.PrepareInput{
		preparing(nil),
		preparing(func(in *failover.PrepareInput) { in.Items = nil }),
		preparing(func(in *failover.PrepareInput) { in.Targets = nil }),
		preparing(func(in *failover.PrepareInput) { in.Targets, in.Tasks = nil, []eviction.Task{left("east", 0, "", "")} }),
	} {
		p, _ := failover.Prepare(in)
		outcomes[p.Outcome] = true
	}
	want := []failover.Outcome{failover.AlreadyEvicting, failover.Blocked, failover.Evict, failover.None}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(outcomes))); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	for _, mode := range purge.Modes() {
		in := preparing(func(in *failover.PrepareInput) { in.Policy = policy(mode) })
		if p, err := failover.Prepare(in); err != nil || p.Eviction.PurgeMode != mode {
			t.Errorf("%s: %+v, %v", mode, p, err)
		}
	}
}
