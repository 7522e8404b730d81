package jsonpath_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// numbers is a list of n whole numbers.
func numbers(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = json.Number(strconv.Itoa(i))
	}
	return out
}

func cyclic() map[string]any {
	m := map[string]any{"x": 1}
	m["self"] = m
	return m
}

func bushy() map[string]any {
	m := map[string]any{"x": 1}
	m["a"], m["b"] = m, m
	return m
}

func nested(depth int) any {
	var v any = map[string]any{"x": 1}
	for range depth {
		v = []any{v}
	}
	return v
}

func wide(n, keyBytes int) map[string]any {
	m := make(map[string]any, n)
	for i := range n {
		m[strings.Repeat("k", keyBytes)+strconv.Itoa(i)] = i
	}
	return m
}

func TestLimits(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("t", 1<<20)
	digits := json.Number(strings.Repeat("1", 1<<20))
	cases := map[string]struct {
		reason   string
		template string
		root     any
		want     jsonpath.Kind
	}{
		"hits fit":        {"pieces and values count", "{.*}", map[string]any{"l": 1, "m": 2}, ""},
		"hits at bound":   {"one piece and its values", "{[*]}", numbers(jsonpath.MaxHits - 1), ""},
		"hits":            {"one more", "{[*]}", numbers(jsonpath.MaxHits), jsonpath.TooLarge},
		"pieces":          {"pieces of loops count", "{range [*]}a{end}", numbers(jsonpath.MaxHits + 1), jsonpath.TooLarge},
		"misses":          {"misses count", "{range [*]}{.x}{end}", numbers(jsonpath.MaxHits + 1), jsonpath.TooLarge},
		"empty bodies":    {"turns of loops are work", "{range [*]}{range $}{end}{end}", numbers(jsonpath.MaxHits + 1), ""},
		"union of dots":   {"2^k results from 9 bytes each", "{" + strings.Repeat("['.','.']", 400) + "}", bushyTree(), jsonpath.TooLarge},
		"loops":           {"n^k turns", strings.Repeat("{range $}", 30) + "x", 1, jsonpath.TooLarge},
		"nested loops":    {"n^k turns", strings.Repeat("{range ..}", 30), bushyTree(), jsonpath.TooLarge},
		"cycle":           {"a map that contains itself", "{..x}", cyclic(), jsonpath.TooLarge},
		"bushy cycle":     {"a map that contains itself twice", "{..x}", bushy(), jsonpath.TooLarge},
		"cycle in filter": {"a bound is no missing operand", "{[?(@..x)]}", []any{cyclic()}, jsonpath.TooLarge},
		"cycle compared":  {"a bound is no missing operand", "{[?(@..x==1)]}", []any{cyclic()}, jsonpath.TooLarge},
		"depth fits":      {"as deep as encoding/json", "{..x}", nested(jsonpath.MaxDepth - 1), ""},
		"depth":           {"deeper", "{..x}", nested(jsonpath.MaxDepth), jsonpath.TooLarge},
		"wide object":     {"keys to sort", "{.*.x}", wide(jsonpath.MaxSteps/8+1, 1), jsonpath.TooLarge},
		"long keys":       {"bytes to sort", "{.*.x}", wide(300, 1<<17), jsonpath.TooLarge},
		"wide list":       {"items to look at", "{.*.x}", numbers(jsonpath.MaxSteps + 1), jsonpath.TooLarge},
		"filter":          {"items to look at", "{[?(@.a.b)]}", numbers(jsonpath.MaxSteps + 1), jsonpath.TooLarge},
		"slice":           {"items to take", "{[*].x}", numbers(jsonpath.MaxSteps + 1), jsonpath.TooLarge},
		"long texts":      {"bytes to compare", "{[?(@.a==@.b)].a}", repeated(map[string]any{"a": text, "b": text}, 50), jsonpath.TooLarge},
		"long numbers":    {"digits to compare", "{[?(@.a==@.b)].a}", repeated(map[string]any{"a": digits, "b": digits}, 50), jsonpath.TooLarge},
		"long field":      {"bytes to hash", "{[*]." + strings.Repeat("f", 4000) + "}", numbers(jsonpath.MaxSteps / 20), jsonpath.TooLarge},
		"long plain side": {"bytes to hash", "{[?(@." + strings.Repeat("f", 4000) + "==1)]}", numbers(jsonpath.MaxSteps / 20), jsonpath.TooLarge},
		"long right side": {"bytes to hash", "{[?(1==@." + strings.Repeat("f", 4000) + "[0])]}", numbers(jsonpath.MaxSteps / 20), jsonpath.TooLarge},
		"long loop":       {"bytes to hash", "{range [*]}{." + strings.Repeat("f", 4000) + "[0]}{end}", numbers(jsonpath.MaxHits - 100), jsonpath.TooLarge},
		"unions":          {"values to copy", "{" + strings.Repeat("[0,0]", 500) + "}", selfList(), jsonpath.TooLarge},
		"indexes":         {"inputs to look at", "{" + strings.Repeat("[*]", 500) + "}", selfList(), jsonpath.TooLarge},
		"wildcards":       {"inputs to look at", "{" + strings.Repeat(".*", 500) + "}", selfList(), jsonpath.TooLarge},
		"filters":         {"inputs to look at", "{" + strings.Repeat("[?(@)]", 500) + "}", selfList(), jsonpath.TooLarge},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template, err := jsonpath.Parse(tc.template)
			require.NoError(t, err)
			_, err = template.Eval(tc.root)
			if diff := cmp.Diff(tc.want, kindOf(err)); diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", tc.reason, err, diff)
			}
		})
	}
}

func bushyTree() any {
	return map[string]any{"a": map[string]any{"b": []any{map[string]any{"c": 1}}}}
}

func repeated(v any, n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// selfList is a list of itself, twice.
func selfList() []any {
	l := make([]any, 2)
	l[0], l[1] = l, l
	return l
}
