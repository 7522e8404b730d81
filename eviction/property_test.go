package eviction_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// worlds is how many random worlds each property looks at.
const worlds = 1000

// dice makes random worlds, each from one number.
type dice struct{ *rand.Rand }

func roll(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 7))} }

func pick[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

func (d dice) cluster() string { return pick(d, "a", "a", "b", "b", "c", "d", "") }

func (d dice) seconds() int { return pick(d, -700, -601, -600, -599, -61, -60, -59, -1, 0) }

func (d dice) time() *metav1.Time {
	return pick(d, nil, &metav1.Time{}, at(1), at(700), ptr(metav1.NewTime(epoch.Add(-time.Minute))), at(d.seconds()), at(d.seconds()), at(d.seconds()))
}

func (d dice) replicas() *int32 {
	return pick(d, nil, ptr(int32(0)), ptr(int32(2)), ptr(int32(2147483647)))
}

func (d dice) flag() *bool { return pick(d, nil, nil, ptr(true), ptr(false)) }

func (d dice) mode() purge.Mode {
	return pick(d, purge.Directly, purge.Gracefully, purge.Never, "", "Immediately", "Graciously", "gracefully")
}

func (d dice) labels() map[string]string {
	return pick(d, nil, map[string]string{}, state(secret+"-1"), state(secret+"-2"), map[string]string{"bad key": secret, "x": secret + "/"})
}

func (d dice) rest() *preservation.State {
	return pick(d, nil, nil, &preservation.State{}, rest(secret+"-1"), rest(secret+"-2"), &preservation.State{
		Labels: state(secret), Fields: map[string]string{".status.a": secret},
		Conflicts: []preservation.RefConflict{{Ref: preservation.Ref{Target: preservation.Field, Key: ".status.a"}, Conflict: "odd"}},
		Failover:  &preservation.Failover{Origin: "a"},
	})
}

func (d dice) names() []string {
	return pick(d, nil, []string{}, []string{"a"}, []string{"a", "b"}, []string{"c", "d"})
}

func (d dice) components() []eviction.Component {
	return pick(d, nil, []eviction.Component{{Name: "jm", Replicas: 1}, {Name: "tm", Replicas: 4}})
}

func (d dice) task(i int) eviction.Task {
	return eviction.Task{
		FromCluster: d.cluster(), PurgeMode: d.mode(), Replicas: d.replicas(), Components: d.components(), Reason: "R",
		Producer: fmt.Sprint("task ", i), GracePeriodSeconds: pick(d, nil, ptr(int32(-1)), ptr(int32(0)), ptr(int32(60)), ptr(int32(2147483647))),
		SuppressDeletion: d.flag(), PreservedLabelState: d.labels(), PreservedState: d.rest(), CreationTimestamp: d.time(), ClustersBeforeFailover: d.names(),
	}
}

func (d dice) eviction() eviction.Eviction {
	return eviction.Eviction{
		FromCluster: d.cluster(), PurgeMode: d.mode(), Reason: pick(d, "R", "R", "R", ""), Message: pick(d, "", "why"), Producer: "p",
		GracePeriodSeconds: pick(d, nil, nil, ptr(int32(0)), ptr(int32(60))), SuppressDeletion: d.flag(),
		PreservedLabelState: d.labels(), PreservedState: d.rest(), LastHealthy: pick(d, time.Time{}, instant(d.seconds()), instant(d.seconds()), instant(70)),
	}
}

func (d dice) item() eviction.AggregatedStatusItem {
	return eviction.AggregatedStatusItem{
		ClusterName: d.cluster(), Applied: d.IntN(3) > 0,
		Health:     pick(d, eviction.Healthy, eviction.Healthy, eviction.Unhealthy, eviction.HealthUnknown, eviction.NotApplicable, "", "odd"),
		ObservedAt: pick(d, nil, nil, at(d.seconds()), at(d.seconds())),
	}
}

func (d dice) facts() eviction.Facts {
	return eviction.Facts{
		Presence: pick(d, purge.Present, purge.Gone, purge.Unknown, "", "odd"), Fenced: d.IntN(4) == 0, Released: d.IntN(4) == 0,
		RequiredByOthers: d.IntN(8) == 0, StateCarried: d.IntN(2) == 0, HealthySince: pick(d, time.Time{}, instant(d.seconds()), instant(d.seconds())),
	}
}

func several[T any](d dice, most int, one func(int) T) []T {
	var out []T
	for i := range d.IntN(most + 1) {
		out = append(out, one(i))
	}
	return out
}

func (d dice) world() world {
	w := world{
		Now: pick(d, epoch, instant(0)), Scheduled: d.IntN(4) > 0, Requested: d.IntN(2) == 0, DropOnPurge: d.IntN(2) == 0,
		DesiredReplicas: pick(d, nil, nil, ptr(int32(2))), Block: pick(d, nil, ptr(int32(0)), ptr(int32(-1)), ptr(int32(60))),
		Soak: pick(d, 0, 0, time.Minute), FencingDeadline: pick(d, nil, ptr(time.Minute), ptr(-time.Second)),
		Clusters: map[string]eviction.Facts{},
	}
	w.Targets = several(d, 4, func(int) eviction.TargetCluster {
		return eviction.TargetCluster{Name: d.cluster(), Replicas: d.replicas(), Components: d.components()}
	})
	w.Tasks = several(d, 4, d.task)
	w.Items = several(d, 5, func(int) eviction.AggregatedStatusItem { return d.item() })
	w.Evictions = several(d, 4, func(int) eviction.Eviction { return d.eviction() })
	w.Cooldowns = several(d, 3, func(int) eviction.Cooldown {
		return eviction.Cooldown{Cluster: d.cluster(), Since: pick(d, time.Time{}, instant(d.seconds()), instant(90))}
	})
	for _, name := range []string{"a", "b", "c"} {
		w.Clusters[name] = d.facts()
	}
	return w
}

func TestLaws(t *testing.T) {
	t.Parallel()
	for seed := range uint64(worlds) {
		checkLaws(t, func() world { return roll(seed).world() })
		checkSecrets(t, roll(seed).world())
		if t.Failed() {
			t.Fatalf("world %d", seed)
		}
	}
}

// E7, E10: the order of tasks, targets and items decides nothing.
func TestOrderDecidesNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(worlds) {
		w := roll(seed).world()
		straight := eviction.Assess(w.assessInput())
		opts := eviction.ApplyOptions{DropOnPurge: w.DropOnPurge}
		kept := eviction.Apply(w.Tasks, straight.Decisions, opts)

		d := roll(seed + 1)
		order := d.Perm(len(w.Tasks))
		tasks := make([]eviction.Task, len(order))
		want := make([]eviction.Decision, len(order))
		for to, from := range order {
			tasks[to], want[to] = w.Tasks[from], straight.Decisions[from]
		}
		mixed := w.assessInput()
		mixed.Tasks = tasks
		d.Shuffle(len(w.Targets), func(i, j int) { w.Targets[i], w.Targets[j] = w.Targets[j], w.Targets[i] })
		d.Shuffle(len(w.Items), func(i, j int) { w.Items[i], w.Items[j] = w.Items[j], w.Items[i] })
		got := eviction.Assess(mixed)
		if diff := cmp.Diff(want, got.Decisions, same()); diff != "" {
			t.Fatalf("world %d (-straight +mixed):\n%s", seed, diff)
		}
		if diff := cmp.Diff(straight.Reports, got.Reports, same()); diff != "" {
			t.Fatalf("world %d (-straight +mixed):\n%s", seed, diff)
		}
		left := map[string]bool{}
		for _, task := range eviction.Apply(tasks, straight.Decisions, opts) {
			left[task.Producer] = true
		}
		for _, task := range kept {
			if !left[task.Producer] {
				t.Fatalf("world %d: %s depends on the order", seed, task.Producer)
			}
		}
		if len(left) != len(kept) {
			t.Fatalf("world %d: %d tasks or %d", seed, len(left), len(kept))
		}
	}
}

// L5: until the next check, time alone changes nothing, messages included. Times
// without a creation of their own follow now, so they are stored first (E6).
func TestNothingChangesBeforeTheNextCheck(t *testing.T) {
	t.Parallel()
	for seed := range uint64(worlds) {
		w := roll(seed).world()
		w.Now = instant(0)
		w.Tasks = eviction.Apply(w.Tasks, eviction.Assess(w.assessInput()).Decisions, eviction.ApplyOptions{})
		for i := range w.Tasks {
			// Twins and strangers keep what they have; here all need a time.
			if made := w.Tasks[i].CreationTimestamp; made == nil || made.IsZero() || made.After(w.Now) {
				w.Tasks[i].CreationTimestamp = at(0)
			}
		}
		first := eviction.Assess(w.assessInput())
		wait := 100 * time.Hour
		if first.NextCheck.OK {
			wait = first.NextCheck.After - time.Second
		}
		w.Now = w.Now.Add(wait)
		then := eviction.Assess(w.assessInput())
		for i := range first.Decisions {
			first.Decisions[i].NextCheck, then.Decisions[i].NextCheck = purge.NextCheck{}, purge.NextCheck{}
		}
		if diff := cmp.Diff(first.Decisions, then.Decisions); diff != "" {
			t.Fatalf("world %d, after %v (-first +then):\n%s", seed, wait, diff)
		}
	}
}

// Every constant of every closed set is understood, and every other text is not
// (L6). A new constant that no switch handles fails here.
func TestEveryConstantIsHandled(t *testing.T) {
	t.Parallel()
	healths := map[eviction.Health]bool{ // whether it is reported
		eviction.Healthy: false, eviction.Unhealthy: false, eviction.HealthUnknown: false, eviction.NotApplicable: false,
		"": false, "healthy": true, "Degraded": true,
	}
	for health, reported := range healths {
		got := eviction.Assess(eviction.AssessInput{
			Targets: targets("west"), Items: []eviction.AggregatedStatusItem{item("west", health, true)}, Now: epoch,
		})
		if (len(got.Reports) == 1) != reported {
			t.Errorf("health %q: %+v", health, got.Reports)
		}
	}
	for _, mode := range append(purge.Modes(), "", "Immediately", "Graciously", "odd") {
		for _, presence := range []purge.Presence{purge.Present, purge.Gone, purge.Unknown, "", "odd"} {
			got := eviction.Assess(eviction.AssessInput{
				Tasks: []eviction.Task{stored("east", mode, -60)}, Clusters: map[string]eviction.Facts{"east": {Presence: presence}}, Now: epoch,
			}).Decisions[0]
			odd := got.Reason == purge.InvalidMode || got.Reason == purge.InvalidInput
			if odd != (mode == "odd" || presence == "odd") {
				t.Errorf("mode %q, presence %q: %+v", mode, presence, got)
			}
		}
	}
	outcomes := map[eviction.Outcome]int{eviction.Keep: 1, eviction.Purge: 0, eviction.Finish: 0, "": 1, "odd": 1}
	for outcome, want := range outcomes {
		left := eviction.Apply([]eviction.Task{stored("east", purge.Never, 0)},
			[]eviction.Decision{{FromCluster: "east", CreationTimestamp: at(0), Outcome: outcome}}, eviction.ApplyOptions{DropOnPurge: true})
		if len(left) != want {
			t.Errorf("outcome %q leaves %d tasks", outcome, len(left))
		}
	}
}
