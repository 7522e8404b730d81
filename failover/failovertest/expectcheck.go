package failovertest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// errNothingExpected is about what looks like an expectation and matches everything.
var errNothingExpected = errors.New("nothing is expected: leave the name out")

// checkSubstance refuses expectations that match everything.
func (sc *Scenario) checkSubstance(path string, e *Expectation) error {
	if reflect.ValueOf(*e).IsZero() {
		return sc.fail(path, errNothingExpected)
	}
	for _, one := range []struct{ field, name string }{
		{"decisions", zeroOf(e.Decisions)},
		{"purges", zeroOf(e.Purges)},
		{"placements", zeroOf(e.Placements)},
		{"errors", zeroOf(e.Errors)},
	} {
		if one.name != "" {
			return sc.fail(path+"."+one.field+"."+one.name, errNothingExpected)
		}
	}
	return nil
}

// zeroOf is the first cluster of which nothing is expected; empty = none.
func zeroOf[W comparable](want map[string]*W) string {
	var zero W
	for _, name := range keys(want) {
		if want[name] != nil && *want[name] == zero {
			return name
		}
	}
	return ""
}

// vacuous refuses empty text and the number 0 of an expectation in YAML, where Go cannot
// tell them from what is not written.
func (r *reader) vacuous(n *yamlNode, to reflect.Value, path string) error {
	_, below, _ := strings.Cut(path, "]")
	if !strings.HasPrefix(below, ".expect") || !to.IsZero() || to.Kind() != reflect.String && to.Kind() != reflect.Int {
		return nil
	}
	return r.fail(n, "%w", errNothingExpected)
}

// checkKeys refuses keys of a state that nothing in the scenario writes. It is about the
// policy with which the scenario runs, which need not be the one that was read.
func (sc *Scenario) checkKeys() error {
	var known []preservation.Ref
	for i := range sc.Steps {
		e := sc.Steps[i].Expect
		if e == nil {
			continue
		}
		for _, one := range e.states() {
			if known == nil {
				known = sc.written()
			}
			path := fmt.Sprintf("steps[%d].expect.%s", i, one.path)
			for _, ref := range one.state.refs() {
				if err := checkKey(ref, known); err != nil {
					return sc.fail(path, err)
				}
			}
		}
	}
	return nil
}

func checkKey(ref preservation.Ref, known []preservation.Ref) error {
	switch {
	case ref.Target == preservation.Field && !strings.HasPrefix(ref.Key, "."):
		return fmt.Errorf("a field has a path with a leading dot: write .%s", ref.Key)
	case !slices.Contains(known, ref):
		return fmt.Errorf("no rule of the policy writes the %s %s", strings.ToLower(string(ref.Target)), ref.Key)
	}
	return nil
}

// located is the expectation of a state, and where it is in that of a step.
type located struct {
	path  string
	state *StateExpectation
}

// states are all that are expected.
func (e *Expectation) states() []located {
	var out []located
	add := func(path string, state *StateExpectation) {
		if state != nil {
			out = append(out, located{path, state})
		}
	}
	for _, name := range keys(e.Tasks) {
		if t := e.Tasks[name]; t != nil {
			add("tasks."+name+".state", t.State)
		}
	}
	for _, name := range keys(e.Placements) {
		if p := e.Placements[name]; p != nil {
			add("placements."+name+".state", p.State)
		}
	}
	for _, name := range keys(e.Received) {
		add("received."+name, e.Received[name])
	}
	for _, name := range keys(e.Keeps) {
		add("keeps."+name, e.Keeps[name])
	}
	return out
}

// refs are what the expectation names.
func (e *StateExpectation) refs() []preservation.Ref {
	return slices.Concat(refs(preservation.Label, e.Labels), refs(preservation.Annotation, e.Annotations), refs(preservation.Field, e.Fields))
}

func refs[V any](target preservation.Target, of map[string]V) []preservation.Ref {
	var out []preservation.Ref
	for _, key := range keys(of) {
		out = append(out, preservation.Ref{Target: target, Key: key})
	}
	return out
}

// written are what the policies of the scenario, and the tasks of others in it, put into a
// state.
func (sc *Scenario) written() []preservation.Ref {
	every := func(preservation.Rule) bool { return true }
	out := refsOf(sc.World.Policy, every)
	if sc.World.Edited != nil {
		out = append(out, refsOf(*sc.World.Edited, every)...)
	}
	for i := range sc.Steps {
		if e := sc.Steps[i].Edit; e != nil && e.Policy != nil {
			out = append(out, refsOf(*e.Policy, every)...)
		}
		for _, t := range sc.Steps[i].Tasks {
			state := t.State()
			out = append(out, refs(preservation.Label, state.Labels)...)
			out = append(out, refs(preservation.Annotation, state.Annotations)...)
			out = append(out, refs(preservation.Field, state.Fields)...)
		}
	}
	return out
}

// blocked is an error of Plan, and the reason of the decision about its cluster.
type blocked struct{ cluster, text, reason string }

// blockedBy are the errors that are joined in one.
func blockedBy(err error, out failover.PlanOutput) []blocked {
	if err == nil {
		return nil
	}
	if all, joined := err.(interface{ Unwrap() []error }); joined {
		var list []blocked
		for _, one := range all.Unwrap() {
			list = append(list, blockedBy(one, out)...)
		}
		return list
	}
	one := blocked{text: err.Error()}
	if about := (*failover.ClusterError)(nil); errors.As(err, &about) {
		one.cluster = about.Cluster
		if at := slices.IndexFunc(out.Decisions, func(d failover.Decision) bool { return d.Cluster == about.Cluster }); at >= 0 {
			one.reason = string(out.Decisions[at].Reason)
		}
	}
	return []blocked{one}
}

func (c *comparison) errors(e *Expectation, got []blocked) {
	each(c, ".errors", e.Errors, got, func(b blocked) string { return b.cluster }, func(c *comparison, path string, want *string, got blocked) {
		if *want != got.reason && !strings.Contains(got.text, *want) {
			c.say(path, "want %q, got %s: %s", *want, orNothing(got.reason), got.text)
		}
	})
}
