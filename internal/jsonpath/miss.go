package jsonpath

import (
	"strconv"
	"strings"
)

// maxJoined bounds the fields that are tried as one key with dots.
const maxJoined = 8

// Miss says why an action has no hit (S4).
type Miss struct {
	// Path is the path up to the failing segment, such as .jobStatus.jobID,
	// with the paths of the ranges around it in front.
	Path string
	// Hint is a likely reason (S9); it may be empty. It may name keys of the
	// document, never values.
	Hint string
}

// gap is where a walk found nothing. It is cheap to note, since most gaps are
// in filters, where nobody asks for them.
type gap struct {
	path   path
	at     int   // the step of path that found nothing
	one    any   // its input, or
	many   []any // its inputs
	before path  // the steps before a union, if path is a part of one
}

func (g *gap) inputs() []any {
	if g.many != nil {
		return g.many
	}
	return []any{g.one}
}

// miss explains the last gap. Hints are tried in order of confidence.
func (r *run) miss(s *scope) *Miss {
	g := &r.gap
	m := &Miss{Path: s.prefix() + g.before.String() + g.path[:g.at+1].String()}
	for _, hint := range []func(*scope) string{r.caseHint, r.dotHint, r.statusHint, r.typeHint} {
		if m.Hint = hint(s); m.Hint != "" {
			break
		}
	}
	return m
}

// caseHint finds a sibling key that differs in case only (S9).
func (r *run) caseHint(*scope) string {
	want := &r.gap.path[r.gap.at]
	if want.kind != fieldStep {
		return ""
	}
	for _, v := range r.gap.inputs() {
		if r.hintKeys <= 0 {
			break
		}
		if key := r.similarKey(v, want.key); key != "" {
			return "the object has " + strconv.Quote(key) + "; names are case-sensitive"
		}
	}
	return ""
}

// similarKey gives the smallest such key, so that map order does not show. An
// object too large for the budget of hints is left out for the same reason.
func (r *run) similarKey(v any, want string) string {
	m, ok := v.(map[string]any)
	if !ok || len(m) >= r.hintKeys {
		return ""
	}
	r.hintKeys -= 1 + len(m)
	best := ""
	for key := range m {
		if len(key) == len(want) && strings.EqualFold(key, want) && (best == "" || key < best) {
			best = key
		}
	}
	return best
}

// dotHint finds a key that is spelled like several fields in a row (S9). The
// run of fields includes the missing one and may start before it.
func (r *run) dotHint(s *scope) string {
	g := &r.gap
	if g.path[g.at].kind != fieldStep {
		return ""
	}
	for _, v := range g.inputs() {
		if r.hintKeys <= 0 {
			return ""
		}
		if hint := r.joinedKey(v, g.path[g.at:]); hint != "" {
			return hint
		}
	}
	if !g.path[:g.at].onlyFields() || g.before != nil {
		return ""
	}
	v := s.value
	for start := range g.at {
		if hint := r.joinedKey(v, g.path[start:]); hint != "" {
			return hint
		}
		v, _ = child(v, g.path[start].key)
	}
	return ""
}

// joinedKey looks for two or more fields as one key, the longest first.
func (r *run) joinedKey(v any, rest path) string {
	m, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	var keys []string
	for i := 0; i < len(rest) && i < maxJoined && rest[i].kind == fieldStep; i++ {
		keys = append(keys, rest[i].key)
	}
	for n := len(keys); n > 1 && r.hintKeys > 0; n-- {
		key := strings.Join(keys[:n], ".")
		r.hintKeys -= 1 + len(key)/bytesPerStep
		if _, ok := m[key]; ok {
			return "the object has " + strconv.Quote(key) + "; a dot in a key is escaped: " + fieldText(key)
		}
	}
	return ""
}

// statusHint finds a path that was written from the root of the object (S9).
func (r *run) statusHint(s *scope) string {
	g := &r.gap
	if _, ok := s.value.(map[string]any); !ok || s.outer != nil || g.before != nil || g.at != 0 || len(g.path) < 2 || g.path[0].text != ".status" {
		return ""
	}
	return `paths start at the status: drop ".status"`
}

// typeHint says what was found where the step looks for something else.
func (r *run) typeHint(*scope) string {
	want := &r.gap.path[r.gap.at]
	inputs := r.gap.inputs()
	if want.text == "." {
		return `a dot alone reads the key ""; the current value is {}`
	}
	if len(inputs) != 1 {
		return ""
	}
	n, isList := listLength(inputs[0])
	switch {
	case inputs[0] == nil:
		return "the value before it is null"
	case want.kind == filterStep:
		return "no item of " + strconv.Itoa(n) + " matches"
	case want.kind == sliceStep:
		return "the list has " + strconv.Itoa(n) + " items"
	case want.kind == fieldStep && isList:
		return "the value before it is a list: [0] or [*] picks items"
	case want.kind == fieldStep && typeName(inputs[0]) != "an object":
		return "the value before it is " + typeName(inputs[0])
	}
	return ""
}
