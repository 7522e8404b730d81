package failovertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// mismatch is one thing that is not as expected.
type mismatch struct{ path, text string }

// comparison collects mismatches.
type comparison struct{ found []mismatch }

func (c *comparison) say(path, format string, args ...any) {
	c.found = append(c.found, mismatch{path, fmt.Sprintf(format, args...)})
}

// word compares a text; empty matches everything.
func word[T ~string](c *comparison, path string, want, got T) {
	if want != "" && want != got {
		c.say(path, "want %s, got %s", want, orNothing(string(got)))
	}
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// expect compares what is expected with the last reconcile, and returns where the first
// difference is, and all of them.
func (p *player) expect(e *Expectation) (string, error) {
	c := &comparison{}
	last := &p.story.Moments[len(p.story.Moments)-1]
	c.names(".targets", e.Targets, names(last.Targets))
	c.tasks(e.Tasks, last.Tasks)
	c.decisions(e, last.Plan)
	c.names(".excluded", e.Excluded, excludedNames(last.Plan))
	c.notices(e, last.Plan)
	c.errors(e, blockedBy(p.last.err, last.Plan))
	c.copies(e, p.state)
	c.next(e.Next, last.Plan.NextCheck)
	if len(c.found) == 0 {
		return "", nil
	}
	var lines []string
	for _, m := range c.found {
		lines = append(lines, strings.TrimPrefix(m.path, ".")+": "+m.text)
	}
	return c.found[0].path, errors.New(strings.Join(lines, "\n"))
}

// names compares lists of names in any order; nil matches everything.
func (c *comparison) names(path string, want, got []string) {
	if want == nil {
		return
	}
	want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	if !slices.Equal(want, got) {
		c.say(path, "want %v, got %v", want, got)
	}
}

func excludedNames(out failover.PlanOutput) []string {
	var all []string
	for _, e := range out.Excluded {
		all = append(all, e.Cluster)
	}
	return all
}

// each compares what is expected of clusters with what there is about them: one of it
// must match. An empty map that is there wants nothing.
func each[W, G any](c *comparison, path string, want map[string]*W, got []G, cluster func(G) string, compare func(*comparison, string, *W, G)) {
	if want != nil && len(want) == 0 && len(got) > 0 {
		c.say(path, "want none, got one about %s", cluster(got[0]))
	}
	for _, name := range keys(want) {
		at := path + "." + name
		about := slices.DeleteFunc(slices.Clone(got), func(g G) bool { return cluster(g) != name })
		switch {
		case want[name] == nil && len(about) > 0:
			c.say(at, "want none, got one")
		case want[name] != nil && len(about) == 0:
			c.say(at, "there is none")
		case want[name] != nil:
			c.best(func(one *comparison, i int) { compare(one, at, want[name], about[i]) }, len(about))
		}
	}
}

// best keeps the mismatches of the candidate that has the fewest.
func (c *comparison) best(compare func(*comparison, int), candidates int) {
	var best *comparison
	for i := range candidates {
		one := &comparison{}
		compare(one, i)
		if best == nil || len(one.found) < len(best.found) {
			best = one
		}
	}
	c.found = append(c.found, best.found...)
}

func (c *comparison) tasks(want map[string]*TaskExpectation, got []eviction.Task) {
	each(c, ".tasks", want, got, func(t eviction.Task) string { return t.FromCluster }, (*comparison).task)
}

func (c *comparison) task(path string, want *TaskExpectation, got eviction.Task) {
	mode, err := purge.Normalize(got.PurgeMode)
	if err != nil {
		mode = got.PurgeMode
	}
	word(c, path+".mode", want.Mode, mode)
	word(c, path+".reason", want.Reason, got.Reason)
	word(c, path+".producer", want.Producer, got.Producer)
	state := got.State()
	c.state(path+".state", want.State, &state)
	c.names(path+".before", want.Before, got.ClustersBeforeFailover)
	pointer(c, path+".replicas", want.Replicas, got.Replicas)
	pointer(c, path+".suppressDeletion", want.SuppressDeletion, got.SuppressDeletion)
	pointer(c, path+".gracePeriodSeconds", want.GracePeriodSeconds, got.GracePeriodSeconds)
}

func pointer[T comparable](c *comparison, path string, want, got *T) {
	switch {
	case want == nil:
	case got == nil:
		c.say(path, "want %v, got nothing", *want)
	case *want != *got:
		c.say(path, "want %v, got %v", *want, *got)
	}
}

func (c *comparison) decisions(e *Expectation, out failover.PlanOutput) {
	each(c, ".decisions", e.Decisions, out.Decisions, func(d failover.Decision) string { return d.Cluster },
		func(c *comparison, path string, want *DecisionExpectation, got failover.Decision) {
			word(c, path+".outcome", want.Outcome, got.Outcome)
			word(c, path+".reason", want.Reason, got.Reason)
			word(c, path+".cause", want.Cause, got.Cause)
		})
	each(c, ".purges", e.Purges, out.Purges, func(d failover.PurgeDecision) string { return d.Cluster },
		func(c *comparison, path string, want *PurgeExpectation, got failover.PurgeDecision) {
			word(c, path+".outcome", want.Outcome, got.Outcome)
			word(c, path+".reason", want.Reason, got.Reason)
			word(c, path+".old", want.Old, got.Old)
			word(c, path+".new", want.New, got.New)
		})
	each(c, ".placements", e.Placements, out.Placements, func(d failover.Placement) string { return d.Cluster },
		func(c *comparison, path string, want *PlacementExpectation, got failover.Placement) {
			word(c, path+".action", want.Action, got.Action)
			word(c, path+".reason", want.Reason, got.Reason)
			word(c, path+".origin", want.Origin, got.Origin)
			c.state(path+".state", want.State, got.State)
		})
}

// state compares values; nil matches everything, and an empty one wants none.
func (c *comparison) state(path string, want *StateExpectation, got *preservation.State) {
	if want == nil {
		return
	}
	have := orNone(got)
	if len(want.Labels)+len(want.Annotations)+len(want.Fields) == 0 && !have.IsEmpty() {
		c.say(path, "want no state, got %s", values(have))
	}
	c.values(path+".labels", want.Labels, have.Labels)
	c.values(path+".annotations", want.Annotations, have.Annotations)
	for _, key := range keys(want.Fields) {
		text, there := have.Fields[key]
		raw := want.Fields[key]
		switch {
		case string(raw) == "null" && there:
			c.say(path+".fields."+key, "want none, got %s", text)
		case string(raw) != "null" && !there:
			c.say(path+".fields."+key, "want %s, got nothing", raw)
		case there && !sameJSON(raw, []byte(text)):
			c.say(path+".fields."+key, "want %s, got %s", raw, text)
		}
	}
}

func (c *comparison) values(path string, want map[string]*string, got map[string]string) {
	for _, key := range keys(want) {
		text, there := got[key]
		switch value := want[key]; {
		case value == nil && there:
			c.say(path+"."+key, "want none, got %q", text)
		case value != nil && !there:
			c.say(path+"."+key, "want %q, got nothing", *value)
		case value != nil && *value != text:
			c.say(path+"."+key, "want %q, got %q", *value, text)
		}
	}
}

// values are a state as JSON, without its provenance.
func values(of preservation.State) string {
	text, _ := json.Marshal(unmarked(of, nil))
	return string(text)
}

// sameJSON compares what two texts mean, and numbers by their digits.
func sameJSON(a, b []byte) bool {
	decode := func(text []byte) any {
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		return value
	}
	return reflect.DeepEqual(decode(a), decode(b))
}

func (c *comparison) notices(e *Expectation, out failover.PlanOutput) {
	var warnings, events []NoticeExpectation
	for _, w := range out.Warnings {
		warnings = append(warnings, NoticeExpectation{w.Cluster, string(w.Reason)})
	}
	for _, e := range out.Events {
		events = append(events, NoticeExpectation{e.Cluster, e.Reason})
	}
	c.told(".warnings", e.Warnings, warnings)
	c.told(".events", e.Events, events)
}

func (c *comparison) told(path string, want, got []NoticeExpectation) {
	if want != nil && len(want) == 0 && len(got) > 0 {
		c.say(path, "want none, got %v", got)
	}
	for i, one := range want {
		if !slices.ContainsFunc(got, func(g NoticeExpectation) bool {
			return g.Reason == one.Reason && (one.Cluster == "" || one.Cluster == g.Cluster)
		}) {
			c.say(fmt.Sprintf("%s[%d]", path, i), "want %v, got %v", one, got)
		}
	}
}

func (c *comparison) copies(e *Expectation, s *state) {
	var there []*cluster
	for i := range s.clusters {
		if s.clusters[i].copy != nil {
			there = append(there, &s.clusters[i])
		}
	}
	name := func(c *cluster) string { return c.name }
	each(c, ".copies", e.Copies, there, name, func(c *comparison, path string, want *CopyExpectation, got *cluster) {
		if want.Number != 0 && want.Number != got.copy.id {
			c.say(path+".number", "want %d, got %d", want.Number, got.copy.id)
		}
		word(c, path+".health", want.Health, got.copy.health)
		pointer(c, path+".deleting", want.Deleting, &got.copy.deleting)
	})
	with := func(of func(*replica) *preservation.State) func(*comparison, string, *StateExpectation, *cluster) {
		return func(c *comparison, path string, want *StateExpectation, got *cluster) {
			c.state(path, want, of(got.copy))
		}
	}
	each(c, ".received", e.Received, there, name, with(func(k *replica) *preservation.State { return k.given }))
	each(c, ".keeps", e.Keeps, there, name, with(func(k *replica) *preservation.State { return k.kept }))
}

func (c *comparison) next(want string, got purge.NextCheck) {
	have := "none"
	if got.OK {
		have = got.After.String()
	}
	if d, err := time.ParseDuration(want); err == nil {
		want = d.String()
	}
	word(c, ".next", want, have)
}
