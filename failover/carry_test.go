package failover_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

func TestCarry(t *testing.T) {
	t.Parallel()
	never := map[string]time.Time(nil)
	tests := map[string]struct {
		reason  string
		tasks   []eviction.Task
		healthy map[string]time.Time
		want    []string // value of origin
	}{
		"nothing":      {reason: "no tasks, nothing to carry"},
		"no state":     {reason: "a task without state carries nothing", tasks: []eviction.Task{left("east", 0, "east", "")}},
		"one":          {reason: "the usual case", tasks: []eviction.Task{left("east", 0, "east", "A")}, want: []string{"A of east"}},
		"another mode": {reason: "Gate decides about modes, not Carry", tasks: []eviction.Task{leaving(purge.Gracefully, "east", 0, "east", "A")}, want: []string{"A of east"}},
		"unknown list": {reason: "Gate decides about lists, not Carry", tasks: []eviction.Task{left("east", 0, "", "A")}, want: []string{"A of east"}},
		"no time":      {reason: "a time that is not written is now", tasks: []eviction.Task{undated(left("east", 0, "east", "A"))}, want: []string{"A of east"}},
		"zero time": {reason: "null in JSON is no time", tasks: []eviction.Task{func() eviction.Task {
			x := left("east", 0, "east", "A")
			x.CreationTimestamp = ptr(*x.CreationTimestamp)
			x.CreationTimestamp.Time = time.Time{}
			return x
		}()}, want: []string{"A of east"}},
		"second, never": {reason: "west was never healthy: A goes on, B is worth nothing (F62)", tasks: []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "B")}, healthy: never, want: []string{"A of east"}},
		"second, never, nothing there": {
			reason: "west was never healthy and had no state: A goes on",
			tasks:  []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "")}, want: []string{"A of east"},
		},
		"second, healthy": {
			reason: "west was healthy with A and made B of it: no value of A",
			tasks:  []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "B")}, healthy: healthy("west", 30), want: []string{"B of west"},
		},
		"second, healthy, nothing there": {
			reason: "west was healthy with A and moved without state: A is of the past",
			tasks:  []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "")}, healthy: healthy("west", 30),
		},
		"second, healthy at its own eviction": {
			reason: "the last second of a life counts", healthy: healthy("west", 60),
			tasks: []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "")},
		},
		"second, healthy later, nothing there": {
			reason: "health after west's eviction does not say that it was healthy before: A is not dropped for nothing",
			tasks:  []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "")}, healthy: healthy("west", 61), want: []string{"A of east"},
		},
		"second, healthy later": {
			reason: "a host that goes on watching west must not lose B by it",
			tasks:  []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "B")}, healthy: healthy("west", 61), want: []string{"B of west"},
		},
		"second, healthy when east left": {
			reason: "health in the second of an eviction belongs to the life that it ended (E2)",
			tasks:  []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "B")}, healthy: healthy("west", 0), want: []string{"A of east"},
		},
		"second, a fraction later": {
			reason: "stored times are whole seconds, so are comparisons", healthy: map[string]time.Time{"west": at(0).Add(900 * time.Millisecond)},
			tasks: []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "B")}, want: []string{"A of east"},
		},
		"second, not dated": {
			reason: "east's task has no time yet: nothing is known to be later",
			tasks:  []eviction.Task{undated(left("east", 0, "east", "A")), undated(left("west", 0, "west", "B"))}, healthy: healthy("west", 30),
			want: []string{"A of east", "B of west"},
		},
		"second, only east not dated": {
			reason: "a time that is not written is now, so east's is the newer", healthy: healthy("west", 70),
			tasks: []eviction.Task{undated(left("east", 0, "east", "A")), left("west", 60, "east west", "B")}, want: []string{"A of east", "B of west"},
		},
		"second, in one second": {
			reason: "nobody can tell which came first: Gate calls it ambiguous",
			tasks:  []eviction.Task{left("east", 0, "east", "A"), left("west", 0, "west", "B")}, want: []string{"A of east", "B of west"},
		},
		"second, west ran beside": {
			reason: "west had its own state, and never received A",
			tasks:  []eviction.Task{left("east", 0, "east west", "A"), left("west", 60, "west", "B")}, want: []string{"B of west", "A of east"},
		},
		"second, unknown list": {
			reason: "west may have run beside east: B is kept until somebody knows",
			tasks:  []eviction.Task{left("east", 0, "", "A"), left("west", 60, "west", "B")}, healthy: healthy("west", 30), want: []string{"B of west", "A of east"},
		},
		"second, first one graceful": {
			reason: "Gracefully delivers nothing: west is asked, healthy or not",
			tasks:  []eviction.Task{leaving(purge.Gracefully, "east", 0, "east", "A"), left("west", 60, "west", "B")}, want: []string{"B of west", "A of east"},
		},
		"second, first one invalid": {
			reason: "what is no mode delivers nothing",
			tasks:  []eviction.Task{leaving("Later", "east", 0, "east", "A"), left("west", 60, "west", "B")}, want: []string{"B of west", "A of east"},
		},
		"second, old name": {
			reason: "Immediately is Directly (P1)",
			tasks:  []eviction.Task{leaving("Immediately", "east", 0, "east", "A"), left("west", 60, "west", "B")}, want: []string{"A of east"},
		},
		"second one graceful": {
			reason: "the later mode hides nothing (K14)",
			tasks:  []eviction.Task{left("east", 0, "east", "A"), leaving(purge.Gracefully, "west", 60, "west", "B")}, want: []string{"A of east"},
		},
		"third": {
			reason: "neither west nor north was healthy: A goes on",
			tasks:  []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "B"), left("north", 120, "north", "C")}, want: []string{"A of east"},
		},
		"third, west healthy": {
			reason: "B of west goes on over north", healthy: healthy("west", 30), want: []string{"B of west"},
			tasks: []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "B"), left("north", 120, "north", "C")},
		},
		"third, north healthy": {
			reason: "C is made of whatever north received", healthy: healthy("north", 90), want: []string{"C of north"},
			tasks: []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "B"), left("north", 120, "north", "C")},
		},
		"third, north of another life": {
			reason: "north was healthy before it came to be the target of west's move", healthy: healthy("north", 50), want: []string{"A of east"},
			tasks: []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", ""), left("north", 120, "north", "C")},
		},
		"a chain beside": {
			reason:  "north ran beside east, but received B, which ended A, and C ended B",
			tasks:   []eviction.Task{left("east", 0, "east north", "A"), left("west", 60, "west", "B"), left("north", 120, "north", "C")},
			healthy: map[string]time.Time{"west": at(30), "north": at(90)}, want: []string{"C of north"},
		},
		"back to east": {
			reason: "east received B and was not healthy with it; its merged task kept A (E2)",
			tasks:  []eviction.Task{left("west", 60, "west", "B"), left("east", 120, "east", "A")}, healthy: healthy("west", 30), want: []string{"B of west"},
		},
		"back to east, healthy": {
			reason: "east made C of B", healthy: map[string]time.Time{"west": at(30), "east": at(90)}, want: []string{"C of east"},
			tasks: []eviction.Task{left("west", 60, "west", "B"), left("east", 120, "east", "C")},
		},
		"the same cluster twice": {
			reason: "two stored tasks of east: it came back and was never healthy", want: []string{"A of east"},
			tasks: []eviction.Task{left("east", 0, "east", "A"), left("east", 60, "east", "C")},
		},
		"the same cluster twice, healthy": {
			reason: "it came back and made C of A", healthy: healthy("east", 30), want: []string{"C of east"},
			tasks: []eviction.Task{left("east", 0, "east", "A"), left("east", 60, "east", "C")},
		},
		"the same cluster at once": {
			reason: "nobody can tell which is right", want: []string{"A of east", "C of east"},
			tasks: []eviction.Task{left("east", 0, "east", "C"), left("east", 0, "east", "A")},
		},
		"the same but for the mode": {
			reason: "the order is total", want: []string{"A of east", "A of east", "A of east"},
			tasks: []eviction.Task{left("east", 0, "east", "A"), leaving(purge.Never, "east", 0, "east", "A"), leaving("Later", "east", 0, "east", "A")},
		},
		"the same but for the list": {
			reason: "the order is total", want: []string{"A of east", "A of east", "A of east"},
			tasks: []eviction.Task{left("east", 0, "east", "A"), left("east", 0, "", "A"), left("east", 0, "east west", "A")},
		},
		"the same but for the key": {
			reason: "the order is total", want: []string{" of east", "A of east"},
			tasks: []eviction.Task{left("east", 0, "east", "A"), func() eviction.Task {
				x := left("east", 0, "east", "A")
				x.PreservedLabelState = map[string]string{"a": "A"}
				return x
			}()},
		},
		"two at once": {
			reason: "newest first, then by origin", want: []string{"C of north", "A of east", "B of west"},
			tasks: []eviction.Task{left("west", 0, "east north west", "B"), left("north", 60, "north", "C"), left("east", 0, "east north west", "A")},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := text(t, tc.tasks)
			got := failover.Carry(tc.tasks, tc.healthy)
			if diff := cmp.Diff(tc.want, words(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			random := rand.New(rand.NewPCG(1, 2))
			for range 8 {
				shuffled := twice(random, tc.tasks)
				if diff := cmp.Diff(got, failover.Carry(shuffled, tc.healthy)); diff != "" {
					t.Errorf("order or repetition shows (-want +got):\n%s", diff)
				}
			}
			for i := range got {
				got[i].State.Labels[job] = "changed"
				for j := range got[i].ClustersBeforeFailover {
					got[i].ClustersBeforeFailover[j] = "changed"
				}
			}
			if diff := cmp.Diff(before, text(t, tc.tasks)); diff != "" {
				t.Errorf("the tasks were changed, or the result shares memory with them (-before +after):\n%s", diff)
			}
		})
	}
}

func words(carried []failover.Carried) []string {
	var out []string
	for _, c := range carried {
		out = append(out, c.State.Labels[job]+" of "+c.Origin)
	}
	return out
}

func TestCarryTellsWhereStateComesFrom(t *testing.T) {
	t.Parallel()
	task := leaving("Immediately", "east", 0, "west east west", "A")
	task.CreationTimestamp.Time = at(0).Add(400 * time.Millisecond).In(time.FixedZone("elsewhere", 3600))
	want := []failover.Carried{{
		State: stateOf(map[string]string{job: "A"}), Origin: "east", Mode: purge.Directly,
		ClustersBeforeFailover: []string{"east", "west"}, Created: at(0),
	}}
	if diff := cmp.Diff(want, failover.Carry([]eviction.Task{task}, nil)); diff != "" {
		t.Errorf("mode normalised, list sorted, UTC in whole seconds (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(text(t, want), text(t, failover.Carry([]eviction.Task{task}, nil))); diff != "" {
		t.Errorf("the time is written in UTC (-want +got):\n%s", diff)
	}
	task.PurgeMode = "Later"
	if got := failover.Carry([]eviction.Task{task}, nil)[0].Mode; got != "" {
		t.Errorf("what is no mode is empty, got %q", got)
	}
}
