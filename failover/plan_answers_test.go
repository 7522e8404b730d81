package failover_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// TestPlanRefusesTimes is L2: the time of the call is required, and one that JSON can tell.
func TestPlanRefusesTimes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		now   time.Time
		valid bool
	}{
		"none":                      {},
		"before 1970":               {now: time.Unix(-1, 0)},
		"the beginning of 1970":     {now: time.Unix(0, 0)},
		"the first second":          {now: time.Unix(1, 0), valid: true},
		"the end of 9999":           {now: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), valid: true},
		"after 9999":                {now: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"9999 elsewhere, after UTC": {now: time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -2*3600))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, plain(purge.Directly, 0), "east")
			out, err := failover.Plan(failover.PlanInput{Policy: s.in.Policy, Targets: s.in.Targets, Now: test.now})
			if (err == nil) != test.valid {
				t.Fatalf("error %v", err)
			}
			if strings.Contains(asText(t, out), "null") {
				t.Errorf("a list is null\n%s", asText(t, out))
			}
			if test.valid {
				return
			}
			if invalid := (*field.Error)(nil); !errors.As(err, &invalid) {
				t.Errorf("error of type %T", err)
			}
			want := []failover.Warning{{Reason: failover.UnusableInput, Message: err.Error()}}
			if diff := cmp.Diff(want, out.Warnings); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
			if out.Placements[0].Action != failover.Hold {
				t.Errorf("placements %v", out.Placements)
			}
		})
	}
}

// TestPlanHasNoNull is F12: a list that is empty is there in JSON, also where nothing can be
// decided.
func TestPlanHasNoNull(t *testing.T) {
	t.Parallel()
	for _, version := range []int32{0, 7} {
		out, err := failover.Plan(failover.PlanInput{Now: at(0), Record: failover.Record{Version: version}})
		if (err == nil) != (version == 0) || strings.Contains(asText(t, out), "null") {
			t.Errorf("%d: %v\n%s", version, err, asText(t, out))
		}
	}
}

// TestPlanSharesNoTargets is L1.
func TestPlanSharesNoTargets(t *testing.T) {
	t.Parallel()
	in := failover.PlanInput{Now: at(0), Targets: []eviction.TargetCluster{{Name: "east", Replicas: ptr[int32](2)}}}
	out, err := failover.Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	*out.Targets[0].Replicas = 9
	if *in.Targets[0].Replicas != 2 {
		t.Error("the input changes with the answer")
	}
}

// TestPlanSorts is L3: what ends and what stays are in one order, and so are targets and
// other clusters.
func TestPlanSorts(t *testing.T) {
	t.Parallel()
	s := newSession(t, plain(purge.Directly, 0), "east", "west").see("east", eviction.Unhealthy, "").see("west", eviction.Unhealthy, "").run(0)
	s.gone("west").choose("north").ask(asked("west", failover.RequestEvict, -1)).plan(10)
	var got []string
	for _, p := range s.out.Purges {
		got = append(got, p.Cluster+" "+string(p.Outcome))
	}
	for _, d := range s.out.Decisions {
		got = append(got, d.Cluster+" "+string(d.Reason))
	}
	want := []string{"east Purge", "west Finish", "east UnderEviction", "north HealthUnknown", "west NotTarget"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestPlanForgets is about what a record keeps, and for how long (F1, F8).
func TestPlanForgets(t *testing.T) {
	t.Parallel()
	tests := map[string]episode{
		"a copy whose task somebody took away": {
			reason: "L6: it is not gone, so that the next copy waits for it in every later call",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "").run(0).run(5)
				s.in.Tasks = nil
				s.choose("west").run(10).run(20).run(30).places("west", failover.Hold, failover.OldCopyNotGone, "")
				s.gone("east").run(40).places("west", failover.Apply, failover.NoState, "").run(50).moves()
			},
		},
		"a fenced copy whose task somebody took away": {
			reason: "P5: nobody waits for it",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "").run(0)
				s.know("east", failover.ClusterFacts{Fenced: true}).run(5)
				s.in.Tasks = nil
				s.run(10).moves("east Ended").run(20).moves()
			},
		},
		"a cool-down of no length": {
			reason: "E12: zero is none, and not the default",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "west")
				s.in.Record = failover.Record{Version: failover.RecordVersion, Clusters: []failover.ClusterRecord{
					{Name: "east", EvictedAt: stamp(0), CooldownSeconds: ptr[int32](0)},
				}}
				s.run(10).avoids().looksAgain(0)
				if got := len(s.out.Record.Clusters); got != 1 {
					t.Errorf("%d clusters are remembered", got)
				}
			},
		},
		"failovers of few revisions": {
			reason: "F3: all of them can count, also of the oldest revision",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "")
				s.in.Record.Version, s.in.Record.Attempts, s.in.Revision = failover.RecordVersion, 10, "now"
				s.in.Record.Clusters = []failover.ClusterRecord{{Name: "east", Target: true, Started: failover.NoState}}
				for i := range failover.MaxHistory { // 0 is there twice
					s.in.Record.Failovers = append(s.in.Record.Failovers, failover.Failover{Revision: fmt.Sprint(max(0, i-1)), Attempt: int64(i + 1), At: *stamp(i)})
				}
				s.run(100).counts(failover.MaxHistory + 1)
				if first := s.out.Record.Failovers[0].Attempt; first != 1 {
					t.Errorf("attempt %d is the oldest", first)
				}
			},
		},
		"failovers of many revisions": {
			reason: "L4: those of the last revisions are enough, and an old one of them counts",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "")
				s.in.Record.Version, s.in.Record.Attempts, s.in.Revision = failover.RecordVersion, 20, "now"
				s.in.Record.Clusters = []failover.ClusterRecord{{Name: "east", Target: true, Started: failover.NoState}}
				s.in.Record.Failovers = []failover.Failover{{Revision: "now", Attempt: 1, At: *stamp(0)}}
				for i := range 19 {
					s.in.Record.Failovers = append(s.in.Record.Failovers, failover.Failover{Revision: fmt.Sprint(i), Attempt: int64(i + 2), At: *stamp(i)})
				}
				s.run(100).run(101).decides("east", failover.AlreadyEvicting, failover.UnderEviction).counts(failover.MaxHistory + 1)
			},
		},
	}
	play(t, tests)
}

// TestPlanWeighsOpinions is F10, F11 and F6: what acts goes before what waits, and what is not
// waited for any more begins anew.
func TestPlanWeighsOpinions(t *testing.T) {
	t.Parallel()
	limited := func() failover.Behavior {
		b := stateful(purge.Directly, 0)
		b.Application.StatePreservation.MissingStateDeadlineSeconds = ptr(int32(120))
		b.Cluster.StatePreservation.MissingStateDeadlineSeconds = ptr(int32(120))
		return b
	}
	tests := map[string]episode{
		"a taint that is tolerated for ever, and bad health": {
			reason: "F10: the application is to be left for its health all the same",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "").know("east", failover.ClusterFacts{Taints: lostCluster()})
				s.in.Tolerations = []failover.Toleration{{Operator: failover.Exists}}
				s.run(0).decides("east", failover.Evict, failover.ApplicationFailure)
			},
		},
		"an invalid policy, and health that is not known": {
			reason: "F2, F11: nothing is due, whenever that would be",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 60), "east").see("east", eviction.Unhealthy, "").run(0)
				s.in.Policy.Application.GracePeriodSeconds = ptr(int32(5))
				s.see("east", eviction.HealthUnknown, "").run(10).decides("east", failover.Wait, failover.HealthUnknown)
				if s.err != nil {
					t.Errorf("error %v", s.err)
				}
			},
		},
		"a taint that goes while its state is missing": {
			reason: "F6: the deadline begins anew with the next one, since the health was never bad",
			play: func(t *testing.T) {
				t.Helper()
				tainted := failover.ClusterFacts{Taints: lostCluster()}
				s := newSession(t, limited(), "east").see("east", eviction.HealthUnknown, "").know("east", tainted).run(0)
				s.decides("east", failover.Blocked, failover.MissingState).looksAgain(120)
				s.know("east", failover.ClusterFacts{}).run(60).decides("east", failover.None, failover.HealthUnknown)
				s.know("east", tainted).run(70).decides("east", failover.Blocked, failover.MissingState).looksAgain(120)
			},
		},
		"a toleration that is longer now": {
			reason: "F6, F11: what is not due is not blocked, so that the deadline begins anew",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, limited(), "east").see("east", eviction.Unhealthy, "").run(0).decides("east", failover.Blocked, failover.MissingState)
				s.in.Policy = *s.in.Policy.DeepCopy()
				s.in.Policy.Application.DecisionConditions.TolerationSeconds = ptr(int32(100))
				s.run(10).decides("east", failover.Wait, failover.BelowToleration)
				s.run(100).decides("east", failover.Blocked, failover.MissingState).looksAgain(120)
			},
		},
	}
	play(t, tests)
}
