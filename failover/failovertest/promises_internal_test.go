package failovertest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// told is a world after some steps, with the last call of Plan.
func told(tb testing.TB, w World, timeline string) (*state, round) {
	tb.Helper()
	s := newState(&w)
	var r round
	for text := range strings.SplitSeq(timeline, ", ") {
		step, err := ParseStep(text)
		if err != nil {
			tb.Fatal(err)
		}
		var happened bool
		if r, happened, err = s.step(step); err != nil || !happened {
			tb.Fatalf("%s: %t, %v", step, happened, err)
		}
	}
	return s, r
}

// worldOf is a world of three clusters with one mode for both causes.
func worldOf(mode purge.Mode, change ...func(*preservation.StatePreservation)) World {
	block := func() *preservation.StatePreservation {
		sp := &preservation.StatePreservation{Rules: []preservation.Rule{{AliasLabelName: Label, JSONPath: "{.job}"}}}
		for _, c := range change {
			c(sp)
		}
		return sp
	}
	two, none := int32(2), int32(0)
	return World{
		Clusters: []string{"east", "west", "north"}, TaintsKnown: true,
		Policy: failover.Behavior{
			Application: &failover.ApplicationBehavior{
				PurgeMode: mode, StatePreservation: block(), DecisionConditions: failover.DecisionConditions{TolerationSeconds: &two},
			},
			Cluster: &failover.ClusterBehavior{PurgeMode: mode, StatePreservation: block(), Waits: failover.Waits{BlockPredecessorSeconds: &none}},
		},
	}
}

// decides replaces what was decided.
func decides(cluster string, outcome failover.Outcome, cause preservation.Cause) func(*state, *round) {
	return func(_ *state, r *round) {
		r.out.Decisions = []failover.Decision{{Cluster: cluster, Outcome: outcome, Cause: cause}}
	}
}

// purges and places replace what is to be written.
func purges(cluster string, allows purge.NewCopy) func(*state, *round) {
	return func(_ *state, r *round) {
		r.out.Purges = []failover.PurgeDecision{{Cluster: cluster, Old: purge.Delete, New: allows}}
	}
}

func places(cluster, value string) func(*state, *round) {
	return func(_ *state, r *round) {
		one := failover.Placement{Cluster: cluster, Action: failover.Apply}
		if value != "" {
			one.State = &preservation.State{Labels: map[string]string{Label: value}}
		}
		r.out.Placements = []failover.Placement{one}
	}
}

// TestPromises breaks each promise by hand: a promise that cannot be broken proves
// nothing. The seeded faults do the same from within Plan.
func TestPromises(t *testing.T) {
	t.Parallel()
	const running = "schedule east, healthy east, tick"
	answer := func(s *state, r round) error { return s.checkAnswer(r) }
	again := func(s *state, r round) error { return s.checkRound(r) }
	record := func(s *state, r round) error { return s.writeRecord(r) }
	binding := func(s *state, r round) error { return s.writeBinding(r) }
	deletes := func(s *state, r round) error { return s.writePurges(r) }
	writes := func(s *state, r round) error { return s.writeManifests(r) }
	differing := worldOf(purge.Gracefully)
	differing.Policy.Cluster.PurgeMode = "Immediately"
	soaking, soak := worldOf(purge.Gracefully), int32(2)
	soaking.Policy.Cluster.SoakSeconds = &soak
	tests := map[string]struct {
		world  World
		after  string
		change func(*state, *round)
		check  func(*state, round) error
		want   string
	}{
		"a target that is evicted": {worldOf(purge.Directly), running + ", taint east", func(_ *state, r *round) {
			r.out.Targets = []eviction.TargetCluster{{Name: "east"}}
		}, answer, "E13: Plan makes east both"},
		"nobody asked": {
			worldOf(purge.Directly), running, decides("east", failover.Evict, preservation.Planned),
			answer, "F12: east is evicted as if somebody had asked",
		},
		"only requests count": {func() World {
			w := worldOf(purge.Directly)
			w.Host.RequestsOnly = true
			return w
		}(), running, decides("east", failover.Evict, preservation.Cluster), answer, "F12: east is evicted, although only requests count"},
		"no taint": {
			worldOf(purge.Directly), running, decides("east", failover.Evict, preservation.Cluster),
			answer, "F4: east is evicted for a taint",
		},
		"healthy": {
			worldOf(purge.Directly), running, decides("east", failover.Evict, preservation.Application),
			answer, "F2: east is evicted for its health",
		},
		"too early": {
			worldOf(purge.Directly), running + ", unhealthy east, tick", decides("east", failover.Evict, preservation.Application),
			answer, "F2: east is evicted after 1 s of bad health, and 2 are tolerated",
		},
		"never well": {func() World {
			w := worldOf(purge.Directly)
			w.Policy.Application.DecisionConditions.RequireHealthyBefore = true
			return w
		}(), running + ", unhealthy east, release, tick, tick", decides("east", failover.Evict, preservation.Application), answer, "F3: east is evicted for its health, although"},
		"too often": {func() World {
			w, one := worldOf(purge.Directly), int32(1)
			w.Policy.Application.DecisionConditions.MaxFailovers = &one
			return w
		}(), running + ", unhealthy east, wait, deleted east, schedule west, healthy west, unhealthy west, later", decides("west", failover.Evict, preservation.Application), answer, "F3: west is evicted for its health after 1 failovers"},
		"too late": {worldOf(purge.Directly), running + ", unhealthy east, tick", func(s *state, r *round) {
			s.now++
			decides("east", failover.None, "")(s, r)
		}, answer, "F2: east is left alone, although it is unhealthy"},
		"a taint without effect": {worldOf(purge.Directly), running, func(s *state, r *round) {
			s.clusters[0].tainted = true
			decides("east", failover.None, "")(s, r)
		}, answer, "F2: east is left alone, although it has a taint"},
		"another mode": {differing, running + ", taint east", func(_ *state, r *round) {
			r.out.Tasks = slices.Clone(r.out.Tasks)
			r.out.Tasks[0].PurgeMode = purge.Gracefully
		}, answer, "F10: east is evicted with the mode Gracefully, and for Cluster it is Directly"},
		"no eviction that was asked for": {worldOf(purge.Directly), running, func(_ *state, r *round) {
			r.in.Requests = []failover.Request{{Cluster: "east", Action: failover.RequestEvict}}
		}, answer, "F12: somebody asks to leave east, and nothing happens"},
		"no word about a request": {worldOf(purge.Directly), running, func(_ *state, r *round) {
			r.in.Requests = []failover.Request{{Cluster: "west", Action: failover.RequestEvict}}
		}, answer, "F12: somebody asks to leave west, and nothing happens"},
		"no withdrawal that was asked for": {worldOf(purge.Never), running + ", taint east, untaint east", func(_ *state, r *round) {
			r.in.Requests = []failover.Request{{Cluster: "east", Action: failover.RequestWithdraw}}
		}, answer, "E11: somebody asks to withdraw the eviction of east"},
		"back beside a replacement": {worldOf(purge.Gracefully), running + ", taint east, schedule west", func(_ *state, r *round) {
			r.out.Tasks, r.out.Targets = nil, append(slices.Clone(r.out.Targets), eviction.TargetCluster{Name: "east"})
		}, answer, "E11: the eviction of east is withdrawn although west was chosen"},
		"blocked without an error": {worldOf(purge.Directly), running + ", silent east, taint east", func(_ *state, r *round) {
			r.err = nil
		}, answer, "L7: east is blocked, and no error says so"},
		"an error without a block": {worldOf(purge.Directly), running, func(_ *state, r *round) {
			r.err = errors.Join(&failover.ClusterError{Cluster: "east", Err: errors.New("so it is")})
		}, answer, "L7: there is an error for east, which is not blocked"},
		"an error about nobody": {worldOf(purge.Directly), running, func(_ *state, r *round) {
			r.err = errors.Join(&failover.ClusterError{Cluster: "north", Err: errors.New("so it is")})
		}, answer, "L7: there is an error for clusters about which nothing is decided"},
		"not excluded": {worldOf(purge.Directly), running + ", taint east", func(_ *state, r *round) {
			r.out.Excluded = nil
		}, answer, "E12: east is under eviction"},
		"not excluded while it cools down": {func() World {
			w := worldOf(purge.Directly)
			w.Policy.Cluster.BlockPredecessorSeconds = nil
			return w
		}(), running + ", taint east, deleted east", func(_ *state, r *round) { r.out.Excluded = nil }, answer, "E12: east was evicted a short while ago"},
		"a word of the state": {worldOf(purge.Directly), running, func(_ *state, r *round) {
			r.out.Warnings = []failover.Warning{{Message: "it is j1"}}
		}, answer, "L7: a message tells the state j1"},
		"a word of the state in a task": {worldOf(purge.Directly), running + ", taint east", func(_ *state, r *round) {
			r.out.Tasks, r.in.Tasks = slices.Clone(r.out.Tasks), nil
			r.out.Tasks[0].Message = "it was j1"
		}, answer, "L7: a message tells the state j1"},
		"a value of the status in an error": {func() World {
			w := worldOf(purge.Directly)
			w.Status = []byte(`{"list":[{"job":"chk-77"}],"at":"2026-01-01T00:00:00Z","n":"1234567","cluster":"east1"}`)
			return w
		}(), running + ", silent east, taint east", func(s *state, r *round) {
			s.clusters[0].item.job = "j1" // it told of it before
			r.err = errors.Join(r.err, errors.New("no label: chk-77"))
		}, answer, "L7: a message tells the state chk-77"},
		"another order":     {worldOf(purge.Directly), running, func(_ *state, r *round) { r.out.Excluded = nil; r.in.Items = nil }, again, "F13: "},
		"another placement": {worldOf(purge.Directly), running, places("east", ""), again, "F13: Plan changes its own placements"},
		"another check": {worldOf(purge.Directly), running, func(_ *state, r *round) {
			r.out.NextCheck = purge.NextCheck{OK: true, After: 7}
		}, again, "L5: Plan names the next check"},
		"an input that changed": {worldOf(purge.Directly), running, func(_ *state, r *round) { r.read = []byte("{}") }, again, "L1: Plan changes its input"},
		"a list that shows":     {worldOf(purge.Directly), running, func(_ *state, r *round) { r.out.Warnings = []failover.Warning{{}} }, again, "L3: the order of lists shows"},
		"held again":            {worldOf(purge.Directly), running + ", fence east, taint east, nothing", purges("east", purge.Hold), record, "P5: new copies wait again"},
		"without its state": {worldOf(purge.Directly), running + ", silent east", func(_ *state, r *round) {
			r.out.Record.Moves = []failover.Move{{
				Attempt: 1, From: "east", Mode: purge.Directly, Stage: failover.StagePending, Pending: &failover.PendingEviction{},
			}}
		}, record, "F6: east is left without a Required value"},
		"a task that ends early": {worldOf(purge.Directly), running + ", taint east", func(_ *state, r *round) {
			r.out.Tasks = nil
		}, binding, "E7: the task of east ended"},
		"a withdrawal from Directly": {worldOf(purge.Directly), running + ", taint east", func(_ *state, r *round) {
			r.in.Targets, r.out.Tasks, r.out.Targets = nil, nil, []eviction.TargetCluster{{Name: "east"}}
		}, binding, "E11: the eviction of east is withdrawn"},
		"no old copy":      {worldOf(purge.Directly), running, purges("east", purge.Create), deletes, "P4: the purge of east"},
		"a person did not": {worldOf(purge.Never), running + ", taint east", purges("east", purge.Create), deletes, "P7: the copy on east"},
		"no replacement":   {worldOf(purge.Gracefully), running + ", taint east, schedule west", purges("east", purge.Create), deletes, "P6: the last copy, on east"},
		"a replacement that is ill": {
			worldOf(purge.Gracefully), running + ", taint east, schedule west, tick", purges("east", purge.Create), deletes,
			"P6: the copy on east is deleted before its replacement was well",
		},
		"a replacement that soaks": {
			soaking, running + ", taint east, schedule west, healthy west, tick", purges("east", purge.Create), deletes,
			"P6: the copy on east is deleted before its replacement was well",
		},
		"too few replicas": {func() World {
			w, many := worldOf(purge.Gracefully), int32(3)
			w.DesiredReplicas = &many
			return w
		}(), running + ", taint east, schedule west, healthy west", purges("east", purge.Create), deletes, "P6: the copy on east is deleted before its replacement was well"},
		"not scheduled": {func() World {
			w := worldOf(purge.Gracefully)
			w.Unscheduled = true
			return w
		}(), running + ", taint east, schedule west, healthy west", purges("east", purge.Create), deletes, "P6: the copy on east is deleted before its replacement was well"},
		"it serves": {
			worldOf(purge.Gracefully), running + ", taint east, schedule west, later", purges("east", purge.Create), deletes,
			"P6: the healthy copy on east is deleted",
		},
		"over an old copy":   {worldOf(purge.Directly), running + ", taint east, schedule east", places("east", ""), writes, "E13: a manifest is written over"},
		"beside an old copy": {worldOf(purge.Directly), running + ", taint east, schedule west", places("west", "j1"), writes, "P5: a copy is created on west while"},
		"starts empty":       {worldOf(purge.Directly), running + ", taint east, deleted east, schedule west !4", places("west", ""), writes, "L6: the new copy on west starts empty while j1 waits"},
		"starts empty before the deadline": {worldOf(purge.Directly, func(sp *preservation.StatePreservation) {
			hour := int32(3600)
			sp.MissingStateDeadlineSeconds = &hour
		}), running + ", taint east, deleted east, schedule west !4", places("west", ""), writes, "L6: the new copy on west starts empty while j1 waits"},
		"of nobody":           {worldOf(purge.Directly), running + ", taint east, deleted east, schedule west !4", places("west", "j7"), writes, "I1: the new copy on west receives j7, which nothing"},
		"into a running copy": {worldOf(purge.Directly), running, places("east", "j7"), writes, "F9: the running copy on east receives j7; it had nothing"},
		"taken off too early": {worldOf(purge.Directly), running + ", taint east, deleted east, schedule west", places("west", ""), writes, "F7: the copy on west loses j1 before it was healthy"},
		"no task and no fence": {worldOf(purge.Directly), running + ", taint east, schedule west", func(s *state, r *round) {
			s.tasks = nil
			places("west", "j1")(s, r)
		}, writes, "P5: a copy is created on west while the old one on east, which has no task any more"},
		"a second copy": {worldOf(purge.Directly), running + ", taint east, schedule west", func(s *state, r *round) {
			s.clusters[0].copy.leaving = ""
			places("west", "j1")(s, r)
		}, writes, "I1: the new copy on west receives j1, which the one on east has"},
		"older state": {worldOf(purge.Directly), running + ", taint east, deleted east, schedule west !4", func(s *state, r *round) {
			s.owed = append(s.owed, owed{value: "j2", origin: "north"})
			places("west", "j1")(s, r)
		}, writes, "I1: the new copy on west receives j1, which is older than j2"},
		"taken off before the next failover": {worldOf(purge.Directly, func(sp *preservation.StatePreservation) {
			sp.Retention = preservation.UntilNextFailover
		}), running + ", taint east, deleted east, schedule west, healthy west, tick", places("west", ""), writes, "F7: the copy on west loses j1 before the next failover"},
		"lost": {worldOf(purge.Directly), running + ", taint east", func(s *state, _ *round) {
			s.record, s.tasks = []byte("{}"), nil
		}, func(s *state, r round) error { return s.check(r, false) }, "F7: the state j1 of east is lost"},
		"no way back": {World{Clusters: []string{}}, "nothing", func(*state, *round) {}, func(s *state, _ round) error { return s.heal() }, "F12: all is well and the application does not recover: no target"},
		"kept for ever": {worldOf(purge.Directly), running, func(s *state, _ *round) {
			record := s.stored
			record.Moves = []failover.Move{{Attempt: 1, From: "far", Mode: purge.Directly, Stage: failover.StageEnded}}
			_ = s.store(record) // it is read back, or the promise is not broken
		}, func(s *state, _ round) error { return s.heal() }, "L4: all is well, and the record keeps moves"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := told(t, tc.world, tc.after)
			r.out.Decisions, r.out.Placements = slices.Clone(r.out.Decisions), slices.Clone(r.out.Placements)
			tc.change(s, &r)
			err := tc.check(s, r)
			if bad := (*PromiseError)(nil); !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("want %q broken, got %v", tc.want, err)
			}
		})
	}
}

// TestShortestTimeline leads from the beginning to what is broken.
func TestShortestTimeline(t *testing.T) {
	t.Parallel()
	first, second := Step{Event: Event{Verb: Tick}}, Step{Event: Event{Schedule, "east"}, CrashBefore: RecordWrite}
	setup := []Step{{Event: Event{Verb: Nothing}}}
	e := explorer{Exploration: Exploration{Setup: setup}, nodes: []node{{parent: -1}, {parent: 0, step: first}}}
	got := e.result(&candidate{from: 1, step: second, err: broken("L4", "so it is")})
	if want := append(slices.Clone(setup), first, second); !slices.Equal(got.Timeline, want) {
		t.Errorf("want %v, got %v", want, got.Timeline)
	}
	if got.Broken == nil || got.States != 2 {
		t.Errorf("want what is broken and 2 states, got %v, %d", got.Broken, got.States)
	}
	x := Exploration{World: worldOf(purge.Never), Setup: []Step{{Event: Event{Lose, "far"}}}, Limits: map[Verb]int{Tick: 1}, Depth: 1}
	if r := Explore(x); r.Broken == nil || len(r.Timeline) != 1 {
		t.Errorf("the first step names no cluster of the world: %v by %v", r.Broken, r.Timeline)
	}
}

// TestTimelinesAreChecked loses a state that waits: a step of a setup or of a timeline finds
// it, with what else is a promise.
func TestTimelinesAreChecked(t *testing.T) {
	t.Parallel()
	world := worldOf(purge.Directly)
	s := newState(&world)
	s.owed = []owed{{value: "j9", origin: "east"}}
	var bad *PromiseError
	if _, err := s.follow(Step{Event: Event{Verb: Nothing}}, false); !errors.As(err, &bad) {
		t.Errorf("want a promise that is broken, got %v", err)
	}
}
