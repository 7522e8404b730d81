package failovertest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// report is what the status of copy number n says, until a scenario says otherwise.
func (w *World) report(n int) []byte {
	if len(w.Status) == 0 {
		return []byte(`{"job":"` + job(n) + `"}`)
	}
	return bytes.ReplaceAll(w.Status, []byte("$n"), []byte(strconv.Itoa(n)))
}

// report is what the status of the copy says; nil = nothing.
func (s *state) report(k *replica) []byte {
	switch {
	case k.silent:
		return nil
	case k.status != nil:
		return k.status
	}
	return s.world.report(k.id)
}

// collected is the status that the host knows of the cluster; nil = none.
func (s *state) collected(c *cluster) []byte {
	switch {
	case c.item == nil || c.item.job == "":
		return nil
	case c.item.status != nil:
		return c.item.status
	}
	return s.world.report(c.item.of)
}

// extract is what the rules of the policy find for a move, and whether nothing is
// missing. What tells of the move, and not of the copy, is left out.
func (s *state) extract(c *cluster, cause preservation.Cause, status []byte) (preservation.State, bool) {
	x, err := preservation.Compile(s.terms(cause).preserved, s.world.Host.Protection)
	if err != nil || status == nil {
		return preservation.State{}, false
	}
	in := preservation.Sources{
		Status: preservation.RawDocument(status), Failover: &preservation.Failover{Cause: cause, Origin: c.name, Attempt: 1, Time: 1},
		Named: map[string]preservation.Document{},
	}
	if f := c.facts; f != nil {
		if f.Object != nil {
			in.Object = preservation.RawDocument(f.Object.Raw)
		}
		for name, document := range f.Documents {
			in.Named[name] = preservation.RawDocument(document.Raw)
		}
	}
	got, err := x.Extract(in)
	return s.unmarked(got.State), err == nil
}

// reported is the state that the policy finds in the status of a copy, for the first
// cause that finds any.
func (s *state) reported(c *cluster) preservation.State {
	for _, cause := range causes() {
		if state, _ := s.extract(c, cause, s.report(c.copy)); !state.IsEmpty() {
			return state
		}
	}
	return preservation.State{}
}

// value stands for a state: the value of [Label] if there is nothing else, else all
// values as JSON; empty = none.
func (s *state) value(of *preservation.State) string {
	if of == nil {
		return ""
	}
	state := s.unmarked(*of)
	if v := state.Labels[Label]; v != "" && len(state.Labels)+len(state.Annotations)+len(state.Fields) == 1 {
		return v
	}
	if state.IsEmpty() {
		return ""
	}
	text, _ := json.Marshal(state)
	return string(text)
}

// owners are the values that the copies so far report by themselves, each with the job
// that stands for its copy; nil in a world of jobs, where they are the same.
func (s *state) owners() map[string]string {
	if len(s.world.Status) == 0 {
		return nil
	}
	out := map[string]string{}
	for n := 1; n <= s.copies; n++ {
		for _, cause := range causes() {
			state, _ := s.extract(&s.clusters[0], cause, s.world.report(n))
			if v := s.value(&state); v != "" {
				out[v] = job(n)
			}
		}
	}
	return out
}

// marksOf are the places that the policy fills with what tells of the move.
func marksOf(b failover.Behavior) []preservation.Ref {
	return refsOf(b, func(rule preservation.Rule) bool { return rule.From == preservation.FromFailover })
}

// refsOf are the places that the policy fills by the rules that count.
func refsOf(b failover.Behavior, counts func(preservation.Rule) bool) []preservation.Ref {
	var out []preservation.Ref
	for _, cause := range causes() {
		for _, rule := range termsIn(b, cause).preserved.Rules {
			if !counts(rule) {
				continue
			}
			key := preservation.Ref{Target: rule.Target, Key: rule.AliasLabelName}
			switch rule.Target {
			case preservation.Field:
				key.Key = "." + strings.TrimPrefix(rule.FieldPath, ".")
			case "":
				key.Target = preservation.Label
			}
			out = append(out, key)
		}
	}
	return out
}

// unmarked is a state without what tells of the move, and without its provenance.
func (s *state) unmarked(state preservation.State) preservation.State {
	return unmarked(state, s.marks)
}

func unmarked(state preservation.State, marks []preservation.Ref) preservation.State {
	out := preservation.State{Labels: state.Labels, Annotations: state.Annotations, Fields: state.Fields}
	if len(marks) == 0 {
		return out
	}
	out = *out.DeepCopy()
	for _, mark := range marks {
		switch mark.Target {
		case preservation.Label:
			delete(out.Labels, mark.Key)
		case preservation.Annotation:
			delete(out.Annotations, mark.Key)
		case preservation.Field:
			delete(out.Fields, mark.Key)
		}
	}
	return out
}

// holds says that the copy stands for a value: it received it, left with it, or reports
// it and is the only one that ever did.
func (s *state) holds(c *cluster, value string) bool {
	k := c.copy
	switch {
	case k.had == value || k.left == value:
		return true
	case k.status == nil && len(s.world.Status) == 0:
		return job(k.id) == value
	case slices.Contains(s.common, value):
		return false
	}
	state := s.reported(c)
	return s.value(&state) == value
}

// kept says that the record or a task holds a value.
func (s *state) kept(value string) bool {
	if !strings.HasPrefix(value, "{") {
		quoted, _ := json.Marshal(value)
		tasks, _ := json.Marshal(s.tasks)
		return bytes.Contains(s.record, quoted) || bytes.Contains(tasks, quoted)
	}
	for _, m := range s.stored.Moves {
		if s.value(m.State) == value {
			return true
		}
	}
	for _, t := range s.tasks {
		if state := t.State(); s.value(&state) == value {
			return true
		}
	}
	return false
}

// within says that every value of a is in b.
func within(a, b preservation.State) bool {
	for _, pair := range [][2]map[string]string{{a.Labels, b.Labels}, {a.Annotations, b.Annotations}, {a.Fields, b.Fields}} {
		for key, value := range pair[0] {
			if had, there := pair[1][key]; !there || had != value {
				return false
			}
		}
	}
	return true
}
