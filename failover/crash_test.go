package failover_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// tale is what happens around a controller, step by step, whatever it does.
type tale struct {
	mode  purge.Mode
	steps []func(s *session)
}

func tales() map[string]tale {
	return map[string]tale{
		"directly, twice": {mode: purge.Directly, steps: []func(*session){
			func(s *session) { s.see("east", eviction.Healthy, "A") },
			func(s *session) { s.see("east", eviction.Unhealthy, "A") },
			func(s *session) { s.choose("west") },
			func(s *session) { s.gone("east").lose("east") },
			func(s *session) { s.see("west", eviction.Unhealthy, "B") },
			func(s *session) { s.gone("west").lose("west") },
			func(s *session) { s.choose("north") },
			func(s *session) { s.see("north", eviction.Healthy, "C") },
			func(s *session) { s.see("north", eviction.Healthy, "C") },
		}},
		"directly, fenced": {mode: purge.Directly, steps: []func(*session){
			func(s *session) { s.see("east", eviction.Unhealthy, "A") },
			func(s *session) { s.choose("west") },
			func(s *session) { s.know("east", failover.ClusterFacts{Fenced: true}) },
			func(s *session) { s.know("east", failover.ClusterFacts{Presence: purge.Present}) },
			func(s *session) { s.gone("east") },
			func(s *session) { s.see("west", eviction.Healthy, "B") },
		}},
		"gracefully": {mode: purge.Gracefully, steps: []func(*session){
			func(s *session) { s.see("east", eviction.Healthy, "A") },
			func(s *session) { s.see("east", eviction.Unhealthy, "A") },
			func(s *session) { s.choose("west") },
			func(s *session) { s.see("west", eviction.Healthy, "B") },
			func(s *session) { s.gone("east").lose("east") },
		}},
		"gracefully, withdrawn": {mode: purge.Gracefully, steps: []func(*session){
			func(s *session) { s.see("east", eviction.Healthy, "A") },
			func(s *session) { s.see("east", eviction.Unhealthy, "A") },
			func(s *session) { s.see("east", eviction.HealthUnknown, "A") },
			func(s *session) { s.see("east", eviction.Healthy, "A") },
			func(s *session) { s.see("east", eviction.Healthy, "A") },
			func(s *session) { s.see("east", eviction.Healthy, "A") },
		}},
		"never": {mode: purge.Never, steps: []func(*session){
			func(s *session) { s.see("east", eviction.Unhealthy, "A") },
			func(s *session) { s.choose("west") },
			func(s *session) { s.see("west", eviction.Healthy, "B") },
			func(s *session) { s.ask(failover.Request{Cluster: "east", Action: failover.RequestWithdraw}) },
			func(s *session) { s.ask() },
		}},
		"planned": {mode: purge.Directly, steps: []func(*session){
			func(s *session) { s.see("east", eviction.Healthy, "A") },
			func(s *session) { s.ask(failover.Request{Cluster: "east", Action: failover.RequestEvict}) },
			func(s *session) { s.ask().choose("west") },
			func(s *session) { s.gone("east").lose("east") },
			func(s *session) { s.see("west", eviction.Healthy, "B") },
			func(s *session) { s.see("west", eviction.Healthy, "B") },
		}},
	}
}

// final is what a tale comes to: what is stored, and what each target gets.
type final struct {
	Targets    []eviction.TargetCluster
	Tasks      []eviction.Task
	Placements []failover.Placement
	Attempts   int64
	Outcomes   []failover.MoveOutcome
}

// play runs a tale, 10 seconds a step, and crashes in one step: before its first write
// (0), after the record (1), or never there (2). The controller starts again at once.
func (st tale) play(t *testing.T, step, writes int) final {
	t.Helper()
	s := newSession(t, stateful(st.mode, 0), "east")
	for i, next := range st.steps {
		next(s)
		if i == step {
			switch writes {
			case 0:
				s.plan(10 * i)
			case 1:
				s.crash(10 * i)
			}
			s.run(10*i + 1)
			continue
		}
		s.run(10 * i)
	}
	s.run(10 * len(st.steps))
	out := final{Targets: s.out.Targets, Tasks: s.out.Tasks, Placements: s.out.Placements, Attempts: s.out.Record.Attempts}
	for _, item := range s.out.Record.History {
		out.Outcomes = append(out.Outcomes, item.Outcome)
	}
	for i := range out.Tasks {
		out.Tasks[i].CreationTimestamp = nil // a second later, if nothing was written
	}
	return out
}

// TestPlanCrashes is F14: wherever a controller stops between two writes, it comes to
// the same end.
func TestPlanCrashes(t *testing.T) {
	t.Parallel()
	for name, st := range tales() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := st.play(t, -1, 0)
			for step := range st.steps {
				for writes := range 2 {
					t.Run(fmt.Sprintf("step %d after %d writes", step, writes), func(t *testing.T) {
						t.Parallel()
						if diff := cmp.Diff(want, st.play(t, step, writes)); diff != "" {
							t.Errorf("another end (-never crashed +crashed)\n%s", diff)
						}
					})
				}
			}
		})
	}
}

// TestPlanPending is F14: an eviction that is not written yet keeps its time and
// values, and is dropped once its cause is over.
func TestPlanPending(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").crash(0)
	first := asText(t, s.out.Tasks)
	s.see("east", eviction.Unhealthy, "changed").crash(10)
	if diff := cmp.Diff(first, asText(t, s.out.Tasks)); diff != "" {
		t.Errorf("the eviction changes (-first +again)\n%s", diff)
	}
	if s.out.Record.Attempts != 1 || len(s.out.Targets) != 0 {
		t.Errorf("attempts %d, targets %v", s.out.Record.Attempts, s.out.Targets)
	}
	s.see("east", eviction.Healthy, "B").run(20).decides("east", failover.None, failover.ApplicationHealthy)
	if len(s.out.Tasks) != 0 || len(s.out.Targets) != 1 || len(s.out.Record.Failovers) != 0 {
		t.Errorf("not dropped: tasks %v, targets %v, failovers %v", s.out.Tasks, s.out.Targets, s.out.Record.Failovers)
	}
	s.see("east", eviction.Unhealthy, "B").run(30).decides("east", failover.Evict, failover.ApplicationFailure)
	if got := s.out.Tasks[0].PreservedLabelState[job]; got != "B" {
		t.Errorf("state %q of another life", got)
	}
}
