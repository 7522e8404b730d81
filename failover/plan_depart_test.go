package failover_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// TestPlanTriesWhatGoesOn is I2: before anything is evicted, what the next copy would receive
// is tried, which is not only what the source tells.
func TestPlanTriesWhatGoesOn(t *testing.T) {
	t.Parallel()
	// begin has the field A of east, and then a policy whose values fit in a manifest into which
	// A fits no more.
	begin := func(t *testing.T, targets ...string) *session {
		t.Helper()
		b := stateful(purge.Directly, 0)
		b.Application.StatePreservation = preserving(filling("{.job}"))
		s := newSession(t, b, targets...)
		s.in.Template = withJob(nil)
		s.see("east", eviction.Unhealthy, "A").run(0).decides("east", failover.Evict, failover.ApplicationFailure)
		s.in.Policy, s.in.Template = stateful(purge.Directly, 0), manifest(nil)
		return s.gone("east").lose("east")
	}
	tests := map[string]episode{
		"where the host writes": {
			reason: "I4: labels of this pod template would restart pods",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A")
				s.in.Template = manifest(nil)
				s.in.Template.SetAPIVersion("apps/v1")
				s.in.Template.SetKind("Deployment")
				s.in.Template.Object["spec"] = map[string]any{"template": map[string]any{"metadata": map[string]any{}}}
				s.in.Host.Injection.PodTemplate = true
				s.run(0).decides("east", failover.Blocked, failover.InjectionRefused)
				s.in.Host.Injection.PodTemplate = false
				s.run(10).decides("east", failover.Evict, failover.ApplicationFailure)
			},
		},
		"where the host lets nobody write": {
			reason: "S11: what the host protects, no rule may write",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A")
				s.in.Host.Protection.Keys = []string{job}
				s.run(0).decides("east", failover.Blocked, failover.InvalidPolicy)
			},
		},
		"nothing": {
			reason: "no manifest stands in the way of what takes nothing along",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A")
				s.in.Template = &unstructured.Unstructured{}
				s.run(0).decides("east", failover.Evict, failover.ApplicationFailure)
			},
		},
		"what the copy received": {
			reason: "it goes on, and west must not be left with what nobody can write",
			play: func(t *testing.T) {
				t.Helper()
				s := begin(t, "east").choose("west").run(10).see("west", eviction.Unhealthy, "W").run(20)
				s.decides("west", failover.Blocked, failover.InjectionRefused)
				if err := fails[*preservation.InjectError](s); err != nil && err.Class != preservation.MissingParent {
					t.Error(err)
				}
			},
		},
		"what waits for a copy": {
			reason: "the next copy could receive it as well as what west has",
			play: func(t *testing.T) {
				t.Helper()
				s := begin(t, "east", "west").see("west", eviction.Unhealthy, "W").run(10)
				s.decides("west", failover.Blocked, failover.InjectionRefused)
			},
		},
		"what another copy received": {
			reason: "no copy that comes after west receives that",
			play: func(t *testing.T) {
				t.Helper()
				s := begin(t, "east").choose("north").run(10).places("north", failover.Apply, failover.Injected, "")
				s.choose("west").run(20).see("west", eviction.Unhealthy, "W").run(30).decides("west", failover.Evict, failover.ApplicationFailure)
			},
		},
		"what the copy was healthy with": {
			reason: "F7: it is kept until the next failover, and does not go on",
			play: func(t *testing.T) {
				t.Helper()
				s := begin(t, "east").choose("west").run(10).see("west", eviction.Healthy, "W").run(20).places("west", failover.Apply, failover.Injected, "")
				s.see("west", eviction.Unhealthy, "W").run(30).decides("west", failover.Evict, failover.ApplicationFailure)
			},
		},
	}
	play(t, tests)
}

// TestPlanLeavesWithItsOwn is about copies that are asked, whatever the record says that they
// received (F6).
func TestPlanLeavesWithItsOwn(t *testing.T) {
	t.Parallel()
	tests := map[string]episode{
		"a record that lost the move": {
			reason: "L4: nobody knows what was received",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west").run(0)
				s.in.Record.Deliveries = []failover.Delivery{{To: "west", Attempt: 7, At: *stamp(0)}}
				s.see("west", eviction.Unhealthy, "W").run(10).moves("west Pending W")
			},
		},
		"a record that lost the state": {
			reason: "L4: the same",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
				s.in.Record.Moves[0].State = nil
				s.see("west", eviction.Unhealthy, "W").run(20).moves("west Pending W")
			},
		},
		"received, as the tasks of a new record tell": {
			reason: "F6: A goes on, and back to west when somebody takes that eviction away",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "west", "north").see("west", eviction.Unhealthy, "W")
				s.in.Tasks = []eviction.Task{left("east", 0, "east", "A")}
				s.know("east", failover.ClusterFacts{Fenced: true}).run(10).moves("east Evicting A", "west Pending").warns("west", failover.SourceNotAsked, true)
				s.run(15).in.Tasks = s.in.Tasks[:1]
				s.unchoose("north").choose("west").see("west", eviction.HealthUnknown, "W").run(20).places("west", failover.Apply, failover.Injected, "A")
			},
		},
		"two at once": {
			reason: "F8: each move has its own number",
			play: func(t *testing.T) {
				t.Helper()
				b := stateful(purge.Directly, 0)
				b.Application.StatePreservation = preserving(from(preservation.FromFailover, rule(job, "{.attempt}")))
				s := newSession(t, b, "east", "west").see("east", eviction.Unhealthy, "A").see("west", eviction.Unhealthy, "W")
				s.run(0).moves("east Pending 1", "west Pending 2")
			},
		},
		"put back while another copy has its state": {
			reason: "I1: A is with west, and what east came to since is its own",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
				s.know("east", failover.ClusterFacts{Fenced: true}).choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
				s.in.Tasks = nil
				s.choose("east").see("east", eviction.Unhealthy, "B").run(20).moves("east Ended A", "east Pending B").warns("east", failover.SourceNotAsked, false)
			},
		},
	}
	play(t, tests)
}

// TestPlanUnscheduled is E9: where the scheduler has not seen the targets, no second changes
// that, and the next check is the end of the grace period.
func TestPlanUnscheduled(t *testing.T) {
	t.Parallel()
	b := plain(purge.Gracefully, 0)
	b.Application.BlockPredecessorSeconds = ptr(int32(0))
	s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
	s.in.Scheduled = false
	s.choose("west").run(5).see("west", eviction.Healthy, "W").run(10).purges("east", eviction.Keep, purge.ReplacementNotHealthy).looksAgain(590)
}
