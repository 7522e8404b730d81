package jsonpath_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

func TestMissHints(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason   string
		template string
		doc      string
		path     string
		hint     string
	}{
		"case":           {"F06", "{.jobStatus.jobID}", `{"jobStatus":{"jobId":"x"}}`, ".jobStatus.jobID", `the object has "jobId"; names are case-sensitive`},
		"case smallest":  {"map order never shows", "{.abc}", `{"aBc":1,"ABC":2,"abC":3}`, ".abc", `the object has "ABC"; names are case-sensitive`},
		"case wildcard":  {"any input may have it", "{.l[*].abc}", `{"l":[1,{"Abc":2}]}`, ".l[*].abc", `the object has "Abc"; names are case-sensitive`},
		"status":         {"F18", "{.status.jobStatus.jobId}", `{"jobStatus":{}}`, ".status", `paths start at the status: drop ".status"`},
		"status there":   {"some statuses have a status", "{.status.x}", `{"status":{}}`, ".status.x", ""},
		"status alone":   {"nothing to drop to", "{.status}", `{"x":1}`, ".status", ""},
		"status of list": {"not an object at all", "{.status.x}", `[]`, ".status", "the value before it is a list: [0] or [*] picks items"},
		"status in loop": {"the item is no status", "{range .l[*]}{.status.x}{end}", `{"l":[{}]}`, ".l[*].status", ""},
		"dot":            {"F11", "{.a.b/c}", `{"a.b/c":1}`, ".a", `the object has "a.b/c"; a dot in a key is escaped: .a\.b/c`},
		"dot deeper":     {"inside an object", "{.m.a.b.c}", `{"m":{"a.b":{"c":1}}}`, ".m.a", `the object has "a.b"; a dot in a key is escaped: .a\.b`},
		"dot before":     {"the first half exists too", "{.m.a.b/c}", `{"m":{"a":{},"a.b/c":1}}`, ".m.a.b/c", `the object has "a.b/c"; a dot in a key is escaped: .a\.b/c`},
		"dot of loop":    {"the first half exists too, in an item", "{range .l[*]}{.a.b}{end}", `{"l":[{"a":1,"a.b":2}]}`, ".l[*].a.b", `the object has "a.b"; a dot in a key is escaped: .a\.b`},
		"dot in union":   {"a part of a union", "{.m['a.b','c']}", `{"m":{"a.b":1}}`, ".m.a", `the object has "a.b"; a dot in a key is escaped: .a\.b`},
		"dot in union 2": {"a part of a union, later", "{.m['a.b','c']}", `{"m":{"a":{},"a.b":1}}`, ".m.a.b", ""},
		"dot, then all":  {"other steps end the key", "{.a.b[*]}", `{"a.b":[1]}`, ".a", `the object has "a.b"; a dot in a key is escaped: .a\.b`},
		"dot alone":      {"a common slip", "{.}", `{"a":1}`, ".", `a dot alone reads the key ""; the current value is {}`},
		"null":           {"says what it met", "{.a.b}", `{"a":null}`, ".a.b", "the value before it is null"},
		"null index":     {"says what it met", "{.a[0]}", `{"a":null}`, ".a[0]", "the value before it is null"},
		"list":           {"says what it met", "{.a.b}", `{"a":[1]}`, ".a.b", "the value before it is a list: [0] or [*] picks items"},
		"text":           {"says what it met, not its value", "{.a.b}", `{"a":"secret"}`, ".a.b", "the value before it is a string"},
		"number":         {"says what it met, not its value", "{.a.b}", `{"a":42}`, ".a.b", "the value before it is a number"},
		"bool":           {"says what it met, not its value", "{.a.b}", `{"a":true}`, ".a.b", "the value before it is a bool"},
		"index":          {"says the length", "{.a[3]}", `{"a":[1,2]}`, ".a[3]", "the list has 2 items"},
		"filter":         {"says the length", "{.a[?(@>3)]}", `{"a":[1,2]}`, ".a[?(@>3)]", "no item of 2 matches"},
		"several inputs": {"nothing to say", "{.a[*][0].x}", `{"a":[[{"y":1}],[2]]}`, ".a[*][0].x", ""},
		"wildcard":       {"nothing to say", "{.a.*}", `{"a":{}}`, ".a.*", ""},
		"plain":          {"nothing to say", "{.gone}", `{"a":1}`, ".gone", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template, err := jsonpath.Parse(tc.template)
			require.NoError(t, err)
			pieces, err := template.Eval(decode(t, tc.doc))
			require.NoError(t, err)
			want := []jsonpath.Piece{{Miss: &jsonpath.Miss{Path: tc.path, Hint: tc.hint}}}
			if diff := cmp.Diff(want, pieces); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", tc.template, tc.reason, diff)
			}
		})
	}
}

// TestMissHintBudget makes hints too dear: they are left out, nothing else.
func TestMissHintBudget(t *testing.T) {
	t.Parallel()
	large := map[string]any{"KEY": 1, "a.b": 2}
	for i := range 30_000 {
		large["k"+strconv.Itoa(i)] = i
	}
	small := map[string]any{"Key": 1}
	many := make([]any, 9_000)
	for i := range many {
		many[i] = map[string]any{"Key": 1, "a.b": 2, "x": 3, "y": 4}
	}
	cases := map[string]struct {
		reason   string
		template string
		root     any
		hinted   int
	}{
		"large object":   {"its keys are not looked at", "{.key}", large, 0},
		"after it":       {"others still are", "{.l[*].key}", map[string]any{"l": []any{large, small}}, 1},
		"many objects":   {"until the budget is used up", "{range .l[*]}{.key}{end}", map[string]any{"l": many}, 4_000},
		"many dots":      {"until the budget is used up", "{range .l[*]}{.a.b}{end}", map[string]any{"l": many}, 3_335},
		"many at once":   {"until the budget is used up", "{.l[*].gone}", map[string]any{"l": many}, 0},
		"many dots once": {"until the budget is used up", "{.l[*].gone.x}{.l[*].gone.x}", map[string]any{"l": many}, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template, err := jsonpath.Parse(tc.template)
			require.NoError(t, err)
			pieces, err := template.Eval(tc.root)
			require.NoError(t, err)
			hinted := 0
			for _, p := range pieces {
				if p.Miss.Hint != "" {
					hinted++
				}
			}
			if hinted != tc.hinted {
				t.Errorf("%s: %d hints, want %d", tc.reason, hinted, tc.hinted)
			}
		})
	}
}
