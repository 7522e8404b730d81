package failover_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// FuzzPlan is L4, L1 and L3 on whatever JSON decodes to an input, records included that
// Plan never wrote: no panic, the input stays as it is, the same answer twice, and a
// record that can be used. That an answer agrees with itself (F13) is for the records that
// Plan writes: the sessions and the explorer prove it.
func FuzzPlan(f *testing.F) {
	for _, tale := range tales() {
		var t testing.T
		s := newSession(&t, stateful(tale.mode, 0), "east")
		for i, next := range tale.steps {
			next(s)
			s.in.Now = at(10 * i)
			raw, err := json.Marshal(s.in)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw)
			s.out, _ = failover.Plan(s.in)
			s.in.Record, s.in.Targets, s.in.Tasks = s.out.Record, s.out.Targets, s.out.Tasks
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var in failover.PlanInput
		if json.Unmarshal(raw, &in) != nil {
			t.Skip()
		}
		before, err := json.Marshal(in)
		if err != nil {
			t.Skip() // a time that JSON cannot hold
		}
		out, planErr := failover.Plan(in)
		if diff := cmp.Diff(string(before), compact(t, in)); diff != "" {
			t.Errorf("the input changes\n%s", diff)
		}
		again, _ := failover.Plan(in)
		if diff := cmp.Diff(asText(t, out), asText(t, again)); diff != "" {
			t.Errorf("two answers (L3)\n%s", diff)
		}
		if in.Record.Check() != nil || in.Now.Year() < 1971 || in.Now.Year() > 9998 {
			if in.Record.Check() != nil && planErr == nil || len(out.Tasks) != len(in.Tasks) {
				t.Errorf("a record that cannot be used: %v", planErr)
			}
			return
		}
		if err := out.Record.Check(); err != nil {
			t.Errorf("the record of the answer: %v", err)
		}
		checkPromises(t, in, out)
	})
}

// compact is the compact JSON.
func compact(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// checkPromises looks at one answer alone.
func checkPromises(t *testing.T, in failover.PlanInput, out failover.PlanOutput) {
	t.Helper()
	targets := map[string]bool{}
	for _, target := range out.Targets {
		targets[target.Name] = true
	}
	before := map[string]bool{}
	for _, target := range in.Targets {
		before[target.Name] = true
	}
	evicted := map[string]bool{}
	for _, d := range out.Decisions {
		if d.Reason == "" || d.Message == "" || d.Outcome == "" {
			t.Errorf("a decision without reason, message or outcome: %+v", d)
		}
		if d.Outcome == failover.Evict {
			evicted[d.Cluster] = true
			if targets[d.Cluster] {
				t.Errorf("%s is evicted and a target", d.Cluster)
			}
		}
	}
	given := map[string]string{}
	for _, p := range out.Placements {
		if p.Reason == "" || p.Message == "" || !targets[p.Cluster] {
			t.Errorf("a placement without reason, message or target: %+v", p)
		}
		if p.State == nil {
			continue
		}
		if p.Action != failover.Apply || p.State.IsEmpty() {
			t.Errorf("state without Apply, or none: %+v", p)
		}
		text := asText(t, p.State)
		if other, twice := given[text]; twice {
			t.Logf("the state of %s and %s is equal", other, p.Cluster) // of two moves, perhaps
		}
		given[text] = p.Cluster
	}
	for _, d := range out.Purges {
		if d.Reason == "" || d.Message == "" {
			t.Errorf("a purge without reason or message: %+v", d)
		}
		if d.Old == purge.Delete && d.Outcome == eviction.Keep {
			t.Errorf("kept and deleted: %+v", d)
		}
	}
}
