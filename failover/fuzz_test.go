package failover_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// dice turns bytes into small choices; when they are used up it gives 0.
type dice struct{ bytes []byte }

func (d *dice) roll(sides int) int {
	if len(d.bytes) == 0 {
		return 0
	}
	face := int(d.bytes[0]) % sides
	d.bytes = d.bytes[1:]
	return face
}

func pick[T any](d *dice, from ...T) T { return from[d.roll(len(from))] }

func (d *dice) task() eviction.Task {
	mode := pick[purge.Mode](d, purge.Directly, purge.Gracefully, purge.Never, "Immediately", "", "Later")
	lists := []string{"", "east", "west", "north", "east west", "north west", "east north west"}
	t := leaving(mode, pick(d, "east", "west", "north"), pick(d, 0, 60, 120), pick(d, lists...), pick(d, "", "A", "B"))
	if d.roll(8) == 1 {
		t = undated(t)
	}
	t.SuppressDeletion = pick(d, nil, nil, ptr(true), ptr(false))
	return t
}

func (d *dice) facts() eviction.Facts {
	return eviction.Facts{
		Presence: pick[purge.Presence](d, "", purge.Present, purge.Gone, purge.Gone, "strange"),
		Fenced:   d.roll(5) == 1, Released: d.roll(5) == 1, RequiredByOthers: d.roll(5) == 1,
	}
}

func (d *dice) gateInput() failover.GateInput {
	in := failover.GateInput{
		Targets:  on(pick(d, "north", "east", "west", "north west", "east west", "")),
		Clusters: map[string]eviction.Facts{}, LastHealthy: map[string]time.Time{},
	}
	for range d.roll(5) {
		in.Tasks = append(in.Tasks, d.task())
	}
	for _, cluster := range []string{"east", "west", "north"} {
		in.Clusters[cluster] = d.facts()
		if d.roll(2) == 1 {
			in.LastHealthy[cluster] = at(pick(d, 0, 30, 60, 90, 150))
		}
		if d.roll(2) == 1 {
			item := reporting(cluster, pick(d, eviction.Healthy, eviction.Unhealthy, "odd"), "")
			item.Applied = d.roll(3) != 1
			if d.roll(2) == 1 {
				item.ObservedAt = stamp(pick(d, 0, 60, 120))
			}
			in.Items = append(in.Items, item)
		}
	}
	if d.roll(3) == 1 {
		in.Rules = only()
	}
	if d.roll(4) == 1 {
		return in // the host forgot the assessment
	}
	return assessed(in, at(150))
}

func FuzzGate(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 0, 1, 1, 0, 0, 2})
	f.Add([]byte{0, 2, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 2, 2, 0, 0})
	f.Add([]byte("a world that nobody thought of, with many things in it at once"))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		in := (&dice{bytes}).gateInput()
		before := text(t, in)
		got := failover.Gate(in)
		checkAnswers(t, in, got)
		checkOrder(t, in, got)
		if diff := cmp.Diff(before, text(t, in)); diff != "" {
			t.Errorf("the input was changed (-before +after):\n%s", diff)
		}
		if t.Failed() {
			t.Logf("in %s", before)
		}
	})
}

func FuzzPolicyJSON(f *testing.F) {
	f.Add(`{"application":{"decisionConditions":{"tolerationSeconds":-1},"purgeMode":"Graciously","gracePeriodSeconds":0}}`)
	f.Add(`{"cluster":{"purgeMode":"Immediately","statePreservation":{"rules":[{"aliasLabelName":"a","jsonPath":"{.b}","policy":"Optional"}]}}}`)
	f.Add(`{"application":{"statePreservation":{"rules":null}},"cluster":{}}`)
	f.Add(`{"application":{"decisionConditions":{"initialTolerationSeconds":9,"maxFailovers":0,"windowSeconds":-1},"soakSeconds":1,"fencingDeadlineSeconds":0}}`)
	f.Add(`{"application":{"purgeMode":"Directly","statePreservation":{"rules":[{"aliasLabelName":"a","jsonPath":"{.b}"}],"onMissingState":"block","missingStateDeadlineSeconds":0,"retention":"UntilHealthy","maxStateAgeSeconds":0,"takenAt":"{.t}","injectWhenNotDirectly":true}},"cluster":{"inheritStatePreservation":true,"gracePeriodSeconds":1,"blockPredecessorSeconds":-1}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var b failover.Behavior
		if json.Unmarshal([]byte(raw), &b) != nil {
			return
		}
		before := text(t, b)
		defaulted := failover.Default(b)
		if diff := cmp.Diff(text(t, defaulted), text(t, failover.Default(defaulted))); diff != "" {
			t.Errorf("Default is not idempotent (-once +twice):\n%s", diff)
		}
		errs := failover.Validate(b, preservation.Protection{}, field.NewPath("failover"))
		if diff := cmp.Diff(found(errs), found(failover.Validate(defaulted, preservation.Protection{}, field.NewPath("failover")))); diff != "" {
			t.Errorf("Default changes what is valid (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(failover.Warnings(b, nil), failover.Warnings(defaulted, nil)); diff != "" {
			t.Errorf("Default changes the warnings (-before +after):\n%s", diff)
		}
		for _, cause := range []preservation.Cause{preservation.Application, preservation.Cluster, preservation.Planned} {
			checkPrepared(t, b, cause, len(errs) == 0)
		}
		if diff := cmp.Diff(before, text(t, b)); diff != "" {
			t.Errorf("the policy was changed (-before +after):\n%s", diff)
		}
	})
}

// checkPrepared asserts that a valid policy leads to an eviction that is valid,
// or to an error that says why not.
func checkPrepared(tb testing.TB, b failover.Behavior, cause preservation.Cause, valid bool) {
	tb.Helper()
	in := preparing(func(in *failover.PrepareInput) { in.Policy, in.Cause = b, cause })
	p, err := failover.Prepare(in)
	switch {
	case (p.Outcome == failover.Evict) != (err == nil):
		tb.Errorf("outcome and error disagree: %+v, %v", p, err)
	case !valid && p.Reason != failover.InvalidPolicy:
		tb.Errorf("Validate refuses the policy: %+v", p)
	case p.Outcome == failover.Evict:
		if errs := eviction.Validate(p.Eviction, nil); len(errs) > 0 {
			tb.Errorf("Evict would refuse it: %v", errs)
		}
	case p.Outcome != failover.Blocked || p.Message == "" || strings.Contains(p.Message, "\n"):
		tb.Errorf("no outcome, or no message in one line: %+v", p)
	}
}
