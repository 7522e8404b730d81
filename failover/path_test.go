package failover_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// world is a host without a record: it does what the library says, through the
// public functions only, and keeps a diary.
type world struct {
	t       *testing.T
	second  int
	policy  failover.Behavior
	targets []eviction.TargetCluster
	tasks   []eviction.Task
	running map[string]*instance
	facts   map[string]eviction.Facts
	healthy map[string]int
	diary   []string
}

// instance is a copy of the application on one cluster.
type instance struct {
	received string // the label at its creation
	job      string // what its status says; empty = no status
	health   eviction.Health
}

func begin(t *testing.T, mode purge.Mode, clusters string) *world {
	t.Helper()
	w := &world{
		t: t, policy: policy(mode), targets: on(clusters), running: map[string]*instance{},
		facts: map[string]eviction.Facts{}, healthy: map[string]int{},
	}
	for _, target := range w.targets {
		w.running[target.Name] = &instance{}
	}
	return w
}

// works says that the copy is healthy with a job.
func (w *world) works(cluster, value string) {
	w.t.Helper()
	require.NotNil(w.t, w.running[cluster], "there is no copy on %s", cluster)
	w.second += 10
	w.running[cluster].job, w.running[cluster].health = value, eviction.Healthy
	w.healthy[cluster] = w.second
}

// breaks says that the copy fails, and what its status says then.
func (w *world) breaks(cluster, value string) {
	w.t.Helper()
	require.NotNil(w.t, w.running[cluster], "there is no copy on %s", cluster)
	w.running[cluster].job, w.running[cluster].health = value, eviction.Unhealthy
}

func (w *world) items() []eviction.AggregatedStatusItem {
	var out []eviction.AggregatedStatusItem
	for _, cluster := range slices.Sorted(maps.Keys(w.running)) {
		status := ""
		if value := w.running[cluster].job; value != "" {
			status = `{"job":"` + value + `"}`
		}
		item := reporting(cluster, w.running[cluster].health, status)
		item.ObservedAt = stamp(w.second)
		out = append(out, item)
	}
	return out
}

func (w *world) note(line string) { w.diary = append(w.diary, line) }

// leaves evicts the copy of a cluster, for the application's sake.
func (w *world) leaves(cluster string) {
	w.t.Helper()
	w.second += 10
	in := failover.PrepareInput{
		Policy: w.policy, Cause: preservation.Application, Cluster: cluster, Targets: w.targets, Tasks: w.tasks,
		Items: w.items(), Template: manifest(nil), Producer: "test", LastHealthy: map[string]time.Time{},
	}
	for name, second := range w.healthy {
		in.LastHealthy[name] = at(second)
	}
	prepared, _ := failover.Prepare(in)
	w.note(cluster + " leaves: " + string(prepared.Outcome) + " " + string(prepared.Reason))
	if prepared.Outcome != failover.Evict {
		return
	}
	evicted, err := eviction.Evict(eviction.EvictInput{
		Targets: w.targets, Tasks: w.tasks, Evictions: []eviction.Eviction{prepared.Eviction}, Now: at(w.second),
	})
	require.NoError(w.t, err)
	w.targets, w.tasks = evicted.Targets, evicted.Tasks
	w.facts[cluster] = eviction.Facts{Presence: purge.Present}
}

// vanishes says that the old copy is confirmed gone.
func (w *world) vanishes(cluster string) {
	delete(w.running, cluster)
	facts := w.facts[cluster]
	facts.Presence = purge.Gone
	w.facts[cluster] = facts
}

// silent says that the cluster does not answer any more.
func (w *world) silent(cluster string) {
	facts := w.facts[cluster]
	facts.Presence = purge.Unknown
	w.facts[cluster] = facts
}

// fence makes sure that the old copy cannot act.
func (w *world) fence(cluster string) {
	facts := w.facts[cluster]
	facts.Fenced = true
	w.facts[cluster] = facts
}

// schedule makes these the targets.
func (w *world) schedule(clusters string) { w.targets = on(clusters) }

// pass is one pass of the host's loop.
func (w *world) pass() {
	w.t.Helper()
	w.second += 10
	assessment := eviction.Assess(eviction.AssessInput{
		Tasks: w.tasks, Targets: w.targets, Items: w.items(), Scheduled: true, Clusters: w.facts, Now: at(w.second),
	})
	for _, d := range assessment.Decisions {
		w.note(d.FromCluster + ": " + string(d.Outcome) + " " + string(d.Reason))
		if d.Mode == purge.Directly && d.New == purge.Create && d.Reason != purge.RequiredByOthers {
			facts := w.facts[d.FromCluster]
			facts.Released = true
			w.facts[d.FromCluster] = facts
		}
	}
	w.tasks = eviction.Apply(w.tasks, assessment.Decisions, eviction.ApplyOptions{})
	in := failover.GateInput{
		Targets: w.targets, Tasks: w.tasks, Items: w.items(), Assessment: assessment, Clusters: w.facts,
		LastHealthy: map[string]time.Time{}, Rules: w.policy.Application.StatePreservation.Rules,
	}
	for name, second := range w.healthy {
		in.LastHealthy[name] = at(second)
	}
	gated := failover.Gate(in)
	checkAnswers(w.t, in, gated)
	for _, g := range gated {
		w.note("-> " + g.Cluster + ": " + brief(g))
		w.apply(g)
	}
}

// apply does what the gate says, and checks what no copy may ever see.
func (w *world) apply(g failover.Gated) {
	w.t.Helper()
	if g.Action == failover.Hold {
		return
	}
	out, _, err := preservation.Inject(manifest(nil), g.State, preservation.InjectOptions{})
	require.NoError(w.t, err)
	value := out.GetLabels()[job]
	if existing := w.running[g.Cluster]; existing != nil {
		if value != "" && value != existing.received {
			w.t.Errorf("%s runs with %q and receives %q", g.Cluster, existing.received, value)
		}
		return
	}
	for cluster, other := range w.running {
		if value != "" && other.received == value {
			w.t.Errorf("%s receives %s, which the copy on %s has", g.Cluster, value, cluster)
		}
	}
	w.running[g.Cluster] = &instance{received: value}
}

func TestWholePath(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason   string
		mode     purge.Mode
		clusters string
		steps    func(w *world)
		want     []string
	}{
		"directly": {
			reason: "old gone, new with state, task ends when it is healthy", mode: purge.Directly, clusters: "east",
			steps: func(w *world) {
				w.works("east", "A")
				w.breaks("east", "A")
				w.leaves("east")
				w.pass() // nothing is scheduled yet
				w.schedule("west")
				w.pass()
				w.silent("east")
				w.pass()
				w.vanishes("east")
				w.pass()
				w.pass()
				w.works("west", "B")
				w.pass()
			},
			want: []string{
				"east leaves: Evict ApplicationFailure",
				"east: Purge AwaitingOldCopyGone",
				"east: Purge AwaitingOldCopyGone", "-> west: Hold OldCopyNotGone",
				"east: Purge OldCopyUnreachable", "-> west: Hold OldCopyNotGone",
				"east: Purge AwaitingReplacementHealthy", "-> west: Apply Injected A of east",
				"east: Purge AwaitingReplacementHealthy", "-> west: Apply Injected A of east",
				"east: Finish OldCopyGone", "-> west: Apply NoState",
			},
		},
		"directly, fenced": {
			reason: "a fence releases, and east's return takes nothing back", mode: "Immediately", clusters: "east",
			steps: func(w *world) {
				w.breaks("east", "A")
				w.leaves("east")
				w.silent("east")
				w.schedule("west")
				w.pass()
				w.fence("east")
				w.pass()
				w.facts["east"] = eviction.Facts{Presence: purge.Present, Released: true}
				w.pass()
			},
			want: []string{
				"east leaves: Evict ApplicationFailure",
				"east: Purge OldCopyUnreachable", "-> west: Hold OldCopyNotGone",
				"east: Purge Fenced", "-> west: Apply Injected A of east",
				"east: Purge FencedCopyReturned", "-> west: Apply Injected A of east",
			},
		},
		"gracefully": {
			reason: "new at once and without state, old goes when it is healthy", mode: purge.Gracefully, clusters: "east",
			steps: func(w *world) {
				w.breaks("east", "A")
				w.leaves("east")
				w.schedule("west")
				w.pass()
				w.works("west", "B")
				w.pass()
				w.vanishes("east")
				w.pass()
			},
			want: []string{
				"east leaves: Evict ApplicationFailure",
				"east: Keep ReplacementNotApplied", "-> west: Apply ModeNotDirectly",
				"east: Purge ReplacementHealthy", "-> west: Apply ModeNotDirectly",
				"east: Finish OldCopyGone", "-> west: Apply NoState",
			},
		},
		"never": {
			reason: "old stays until a person says so", mode: purge.Never, clusters: "east",
			steps: func(w *world) {
				w.breaks("east", "")
				w.leaves("east")
				w.schedule("west")
				w.pass()
				w.works("west", "B")
				w.pass()
				w.tasks[0].SuppressDeletion = ptr(false)
				w.pass()
				w.vanishes("east")
				w.pass()
			},
			want: []string{
				"east leaves: Evict ApplicationFailure",
				"east: Keep Suppressed", "-> west: Apply NoState",
				"east: Keep Suppressed", "-> west: Apply NoState",
				"east: Purge Confirmed", "-> west: Apply NoState",
				"east: Finish OldCopyGone", "-> west: Apply NoState",
			},
		},
		"two targets": {
			reason: "targets were east and west: west runs and gets nothing", mode: purge.Directly, clusters: "east west",
			steps: func(w *world) {
				w.works("west", "W")
				w.breaks("east", "A")
				w.leaves("east")
				w.pass()
				w.vanishes("east")
				w.pass()
			},
			want: []string{
				"east leaves: Evict ApplicationFailure",
				"east: Purge AwaitingOldCopyGone", "-> west: Apply AlreadyRunning",
				"east: Finish OldCopyGone", "-> west: Apply NoState",
			},
		},
		"second failover": {
			reason: "west never worked: north receives what east had", mode: purge.Directly, clusters: "east",
			steps: func(w *world) {
				w.works("east", "A")
				w.breaks("east", "A")
				w.leaves("east")
				w.vanishes("east")
				w.schedule("west")
				w.pass()
				w.breaks("west", "B")
				w.leaves("west")
				w.schedule("north")
				w.pass()
				w.vanishes("west")
				w.pass()
			},
			want: []string{
				"east leaves: Evict ApplicationFailure",
				"east: Purge AwaitingReplacementHealthy", "-> west: Apply Injected A of east",
				"west leaves: Evict ApplicationFailure",
				"east: Purge AwaitingReplacementHealthy", "west: Purge AwaitingOldCopyGone", "-> north: Hold OldCopyNotGone",
				"east: Purge AwaitingReplacementHealthy", "west: Purge AwaitingReplacementHealthy", "-> north: Apply Injected A of east",
			},
		},
		"second failover, west worked": {
			reason: "north receives what west made of it", mode: purge.Directly, clusters: "east",
			steps: func(w *world) {
				w.breaks("east", "A")
				w.leaves("east")
				w.fence("east") // and never confirmed gone: the task stays
				w.schedule("west")
				w.pass()
				w.works("west", "B")
				w.breaks("west", "B")
				w.leaves("west")
				w.vanishes("west")
				w.schedule("north")
				w.pass()
			},
			want: []string{
				"east leaves: Evict ApplicationFailure",
				"east: Purge Fenced", "-> west: Apply Injected A of east",
				"west leaves: Evict ApplicationFailure",
				"east: Purge FencedCopyReturned", "west: Purge AwaitingReplacementHealthy", "-> north: Apply Injected B of west",
			},
		},
		"two clusters": {
			reason: "east, west, and east again: A comes home", mode: purge.Directly, clusters: "east",
			steps: func(w *world) {
				w.works("east", "A")
				w.breaks("east", "A")
				w.leaves("east")
				w.vanishes("east")
				w.schedule("west")
				w.pass()
				w.breaks("west", "")
				w.leaves("west")
				w.vanishes("west")
				w.schedule("east")
				w.pass()
				w.pass()
				w.breaks("east", "C")
				w.leaves("east")
				w.schedule("west")
				w.pass()
				w.vanishes("east")
				w.pass()
			},
			want: []string{
				"east leaves: Evict ApplicationFailure",
				"east: Purge AwaitingReplacementHealthy", "-> west: Apply Injected A of east",
				"west leaves: Evict ApplicationFailure",
				"east: Keep AwaitingReplacementHealthy", "west: Purge AwaitingReplacementHealthy", "-> east: Apply Injected A of east",
				"east: Keep AwaitingReplacementHealthy", "west: Purge AwaitingReplacementHealthy", "-> east: Apply Injected A of east",
				"east leaves: Evict ApplicationFailure",
				"west: Keep AwaitingReplacementHealthy", "east: Purge AwaitingOldCopyGone", "-> west: Hold OldCopyNotGone",
				"west: Keep AwaitingReplacementHealthy", "east: Purge AwaitingReplacementHealthy", "-> west: Apply Injected A of east",
			},
		},
		"blocked": {
			reason: "a stateful move without its state is no move", mode: purge.Directly, clusters: "east",
			steps: func(w *world) {
				w.breaks("east", "")
				w.leaves("east")
				w.pass()
				w.breaks("east", "A")
				w.leaves("east")
				w.leaves("east")
			},
			want: []string{
				"east leaves: Blocked MissingState", "-> east: Apply NoState",
				"east leaves: Evict ApplicationFailure", "east leaves: AlreadyEvicting UnderEviction",
			},
		},
		"two new targets": {
			reason: "one state, two copies: both wait until the scheduler chose one", mode: purge.Directly, clusters: "east",
			steps: func(w *world) {
				w.breaks("east", "A")
				w.leaves("east")
				w.vanishes("east")
				w.schedule("west north")
				w.pass()
				w.schedule("north")
				w.pass()
			},
			want: []string{
				"east leaves: Evict ApplicationFailure",
				"east: Purge AwaitingReplacementHealthy", "-> north: Hold SeveralTargets", "-> west: Hold SeveralTargets",
				"east: Purge AwaitingReplacementHealthy", "-> north: Apply Injected A of east",
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, tc.mode, tc.clusters)
			tc.steps(w)
			if diff := cmp.Diff(tc.want, w.diary); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
