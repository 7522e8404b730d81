package failover_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
)

// answers is what an answer decides, without the words for people.
func answers(out failover.PlanOutput) []string {
	list := []string{}
	for _, d := range out.Decisions {
		list = append(list, fmt.Sprintf("%s %s %s", d.Cluster, d.Outcome, d.Reason))
	}
	for _, p := range out.Purges {
		list = append(list, fmt.Sprintf("old copy on %s %s %s %s %s", p.Cluster, p.Outcome, p.Old, p.New, p.Reason))
	}
	for _, p := range out.Placements {
		list = append(list, fmt.Sprintf("new copy on %s %s %s %d %v", p.Cluster, p.Action, p.Reason, p.Attempt, p.State))
	}
	for _, e := range out.Excluded {
		list = append(list, fmt.Sprintf("avoid %s %s", e.Cluster, e.Reason))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// everyStep calls check with the input of every step of every tale.
func everyStep(t *testing.T, check func(t *testing.T, in failover.PlanInput)) {
	t.Helper()
	for name, tale := range tales() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for toleration := range int32(2) {
				s := newSession(t, stateful(tale.mode, 35*toleration), "east")
				s.in.Tolerations = []failover.Toleration{{Key: "a", Operator: failover.Exists}, {Key: "b", Operator: failover.Exists}}
				for i, next := range tale.steps {
					next(s)
					s.in.Now = at(10 * i)
					check(t, s.in)
					s.run(10 * i)
				}
			}
		})
	}
}

// TestPlanOrder is L3: neither the order of a list nor an item that is there twice
// changes what is decided.
func TestPlanOrder(t *testing.T) {
	t.Parallel()
	everyStep(t, func(t *testing.T, in failover.PlanInput) {
		t.Helper()
		want, _ := failover.Plan(in)
		random := rand.New(rand.NewPCG(1, 2))
		for range 8 {
			other := in
			other.Targets = shuffled(random, in.Targets)
			other.Tasks = shuffled(random, in.Tasks)
			other.Items = shuffled(random, in.Items)
			other.Requests = shuffled(random, in.Requests)
			other.Tolerations = shuffled(random, in.Tolerations)
			got, _ := failover.Plan(other)
			if diff := cmp.Diff(answers(want), answers(got)); diff != "" {
				t.Fatalf("at %s, with %v, %v (-in order +shuffled)\n%s", in.Now, other.Targets, other.Tasks, diff)
			}
		}
	})
}

// shuffled also repeats one of the elements.
func shuffled[T any](random *rand.Rand, list []T) []T {
	out := slices.Clone(list)
	if len(out) > 0 {
		out = append(out, out[random.IntN(len(out))])
	}
	random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// TestPlanNextCheck is F13 and L5: until the next check nothing changes by time alone, and
// without one it never does.
func TestPlanNextCheck(t *testing.T) {
	t.Parallel()
	everyStep(t, func(t *testing.T, in failover.PlanInput) {
		t.Helper()
		out, _ := failover.Plan(in)
		next := in
		next.Record, next.Targets, next.Tasks = out.Record, out.Targets, out.Tasks
		// Of what Plan changed nobody has seen anything yet.
		next.Scheduled = in.Scheduled && len(in.Targets) == len(out.Targets)
		begin, _ := failover.Plan(next)
		waits := []time.Duration{time.Second, time.Minute, time.Hour, 24 * 365 * time.Hour}
		if begin.NextCheck.OK {
			waits = []time.Duration{begin.NextCheck.After / 2, begin.NextCheck.After - 1}
		}
		for _, wait := range waits {
			later := next
			later.Now = next.Now.Add(wait)
			got, _ := failover.Plan(later)
			if diff := cmp.Diff(answers(begin), answers(got)); diff != "" {
				t.Fatalf("at %s, %s later, next check %v (-now +then)\n%s", in.Now, wait, begin.NextCheck, diff)
			}
		}
	})
}

// TestPlanIgnoresStrangers is F5: what is observed on clusters that are neither targets
// nor under eviction changes nothing.
func TestPlanIgnoresStrangers(t *testing.T) {
	t.Parallel()
	everyStep(t, func(t *testing.T, in failover.PlanInput) {
		t.Helper()
		want, _ := failover.Plan(in)
		in.Items = append(slices.Clone(in.Items), eviction.AggregatedStatusItem{ClusterName: "stranger", Health: eviction.Unhealthy, Applied: true})
		got, _ := failover.Plan(in)
		if diff := cmp.Diff(answers(want), answers(got)); diff != "" {
			t.Fatalf("(-without +with)\n%s", diff)
		}
	})
}
