package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestYAMLValues(t *testing.T) {
	t.Parallel()
	number := func(text string) any { return json.Number(text) }
	table := map[string]struct {
		text   string
		want   any
		reason string
	}{
		"beyond 2^53":        {"9007199254740993", number("9007199254740993"), "a float would round it"},
		"beyond uint64":      {"12345678901234567890123", number("12345678901234567890123"), "no integer type holds it"},
		"fraction":           {"1000000.5", number("1000000.5"), "no exponent appears"},
		"exponent":           {"1e3", number("1e3"), "the text is a JSON number"},
		"many digits":        {"0.1000000000000000000001", number("0.1000000000000000000001"), "nothing is rounded"},
		"trailing zero":      {"1.0", number("1.0"), "the text is kept"},
		"negative zero":      {"-0", number("-0"), "the text is kept"},
		"plus":               {"+5", number("5"), "JSON has no plus"},
		"hex":                {"0xFFFFFFFFFFFFFFFF", number("18446744073709551615"), "converted exactly"},
		"octal":              {"0o17", number("15"), "as YAML 1.2 writes it"},
		"old octal":          {"0644", number("420"), "a file mode, as kubectl reads it"},
		"no octal":           {"08", number("8"), "8 is no octal digit"},
		"binary":             {"-0b11", number("-3"), "converted exactly"},
		"underscores":        {"1_000_000", number("1000000"), "YAML 1.1 allows them"},
		"bare point":         {".5", number("0.5"), "JSON wants a zero"},
		"last point":         {"5.", number("5"), "JSON wants no point"},
		"signed point":       {"-.5e1", number("-0.5e1"), "JSON wants a zero"},
		"quoted number":      {`"5"`, "5", "quotes make text"},
		"tagged text":        {"!!str 5", "5", "the tag decides"},
		"tagged number":      {`!!int "5"`, number("5"), "the tag decides"},
		"time":               {"2024-12-17T18:55:02Z", "2024-12-17T18:55:02Z", "times stay text"},
		"date":               {"2024-12-17", "2024-12-17", "times stay text"},
		"null":               {"~", nil, "null"},
		"true":               {"true", true, "a boolean"},
		"yes":                {"yes", true, "kubectl reads YAML 1.1"},
		"off":                {"off", false, "kubectl reads YAML 1.1"},
		"quoted yes":         {`"yes"`, "yes", "quotes make text"},
		"block text":         {"|\n  yes\n", "yes\n", "a block is text"},
		"numeric key":        {"{1: a, 0x10: b}", map[string]any{"1": "a", "16": "b"}, "keys are text in JSON"},
		"boolean key":        {"{on: a}", map[string]any{"true": "a"}, "kubectl reads YAML 1.1"},
		"alias":              {"{a: &x [1], b: *x}", map[string]any{"a": []any{number("1")}, "b": []any{number("1")}}, "the value again"},
		"alias key":          {"{a: &x k, *x : 1}", map[string]any{"a": "k", "k": number("1")}, "a key may be an alias"},
		"merge":              {"{a: &x {k: 1, l: 2}, b: {<<: *x, k: 3}}", map[string]any{"a": map[string]any{"k": number("1"), "l": number("2")}, "b": map[string]any{"k": number("3"), "l": number("2")}}, "own keys win"},
		"merge list":         {"{b: {<<: [{k: 1}, {k: 2, l: 2}]}}", map[string]any{"b": map[string]any{"k": number("1"), "l": number("2")}}, "earlier sources win"},
		"quoted merge":       {`{"<<": 1}`, map[string]any{"<<": number("1")}, "quotes make an ordinary key"},
		"empty containers":   {"{a: {}, b: []}", map[string]any{"a": map[string]any{}, "b": []any{}}, "empty is not null"},
		"JSON in a document": {`{"a": [1, "\u00e9"]}`, map[string]any{"a": []any{number("1"), "é"}}, "JSON is read as JSON"},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readValues([]byte(tc.text))
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff([]any{tc.want}, got); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", tc.reason, diff)
			}
			sameAsKubectl(t, tc.text, got[0])
		})
	}
}

// sameAsKubectl compares with the reader that kubectl uses, up to the digits that
// it loses.
func sameAsKubectl(t *testing.T, text string, got any) {
	t.Helper()
	var want any
	if strings.Contains(text, "0.1000") || strings.Contains(text, "12345678901234567890123") {
		return
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &want))
	raw, err := json.Marshal(got)
	require.NoError(t, err)
	var floats any
	require.NoError(t, json.Unmarshal(raw, &floats))
	if diff := cmp.Diff(want, floats); diff != "" {
		t.Errorf("kubectl reads it differently (-kubectl +got)\n%s", diff)
	}
}

func TestRefusedYAML(t *testing.T) {
	t.Parallel()
	bomb := "a0: &a0 [" + strings.Repeat("lol, ", 9) + "lol]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	table := map[string]struct{ text, want, reason string }{
		"alias bomb":     {bomb, "expand", "a thousand bytes, endless values"},
		"long bomb":      {"a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a, ", 40) + "]", "expand", "few aliases of much text"},
		"deep":           {strings.Repeat("[", 5000), "", "no end of brackets"},
		"deep and valid": {strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "deeper", "valid and too deep"},
		"deep YAML":      {"a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "deeper", "also where it is not JSON"},
		"merge twice":    {"{<<: {a: 1}, <<: {b: 1}}", "twice", "one of them would be lost"},
		"merge scalar":   {"{<<: 1}", "merged", "nothing to merge"},
		"key twice":      {"{1: a, '1': b}", "twice", "the same key in JSON"},
		"null key":       {"{~: a}", "null", "no key in JSON"},
		"list key":       {"{[a]: b}", "a key", "no key in JSON"},
		"nan":            {".nan", "JSON cannot hold", "no number in JSON"},
		"infinite":       {"-.inf", "JSON cannot hold", "no number in JSON"},
		"bad int":        {"!!int abc", "JSON cannot hold", "the tag lies"},
		"bad float":      {"!!float e5", "JSON cannot hold", "the tag lies"},
		"long odd":       {"!!int 0x" + strings.Repeat("f", 2000), "JSON cannot hold", "its conversion would take long"},
		"bad bool":       {"!!bool 7", "boolean", "the tag lies"},
		"binary tag":     {"!!binary aGk=", "tag", "not text"},
		"set tag":        {"!!set {a, b}", "tag", "no object"},
		"list tag":       {"!!omap [a: 1]", "tag", "no list"},
		"control":        {"a: \x01", "control characters", "not YAML"},
		"not UTF-8":      {"a: \xff", "UTF-8", "not YAML"},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readValues([]byte(tc.text))
			require.ErrorContains(t, err, tc.want, tc.reason)
			require.ErrorContains(t, err, "document 1", tc.reason)
		})
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	table := map[string]struct {
		text   string
		want   []string // kinds and places
		reason string
	}{
		"v1 List":       {"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: A}, {apiVersion: v1, kind: B}]}", []string{"A document 1, item 1", "B document 1, item 2"}, "kubectl get -o yaml"},
		"typed list":    {"{apiVersion: w/v1, kind: ResourceBindingList, items: [{apiVersion: v1, kind: A}]}", []string{"A document 1, item 1"}, "kubectl get --raw"},
		"nested":        {"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: A}]}]}", []string{"A document 1, item 1, item 1"}, "lists may nest"},
		"empty":         {"{apiVersion: v1, kind: List, items: []}", nil, "nothing in it"},
		"null items":    {"{apiVersion: v1, kind: List, items: null}", nil, "nothing in it"},
		"called a list": {"{apiVersion: v1, kind: AllowList}", []string{"AllowList document 1"}, "a kind may be called so"},
		"stream":        {"---\n---\n{apiVersion: v1, kind: A}\n---\n# nothing\n---\n{apiVersion: v1, kind: B}\n", []string{"A document 2", "B document 4"}, "empty documents are counted and skipped"},
		"JSON stream":   {`{"apiVersion":"v1","kind":"A"} null {"apiVersion":"v1","kind":"B"}`, []string{"A document 1", "B document 3"}, "JSON documents one after the other"},
		"mixed":         {"{\"apiVersion\":\"v1\",\"kind\":\"A\"}\n---\n{\"apiVersion\":\"v1\",\"kind\":\"B\"}\n", []string{"A document 1", "B document 2"}, "JSON between YAML separators"},
		"byte order":    {"\ufeff{apiVersion: v1, kind: A}", []string{"A document 1"}, "an editor wrote a mark"},
		"windows":       {"apiVersion: v1\r\nkind: A\r\n---\r\napiVersion: v1\r\nkind: B\r\n", []string{"A document 1", "B document 2"}, "line ends of Windows"},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents, err := readDocuments([]byte(tc.text))
			require.NoError(t, err, tc.reason)
			var got []string
			for _, d := range documents {
				got = append(got, text(d.object, "kind")+" "+d.where)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", tc.reason, diff)
			}
		})
	}
}

// What is written as YAML is read back as it was, by this reader and by kubectl's.
func TestYAMLRoundTrip(t *testing.T) {
	t.Parallel()
	want := map[string]any{ // 1e999 is left out: kubectl cannot read it in any form
		"texts": []any{
			"", " ", " a", "a ", "yes", "no", "on", "y", "N", "true", "null", "~", "1", "1.5", "0x10", "1:20", "1_0", "-", "#", "a: b", "a #b",
			"two\nlines", "\nfirst", "last\n\n", "\ttab", "a\ttab", "\r", "\u2028", "\ufeff", "é", "\x00", "\x1b[0m", "{}", "[]", "*a", "&a", "!a", "%", "@", "`",
			"2024-12-17", "<<", "=", "---", "...", "? a", "'", `"`, "\\", ".5", "1e3", "+1", ".inf", "NaN", strings.Repeat("long ", 60),
		},
		"numbers": []any{
			json.Number("9007199254740993"), json.Number("12345678901234567890123"), json.Number("1e3"), json.Number("1000000.5"),
			json.Number("-0"), json.Number("1E+2"), json.Number("18446744073709551616"),
		},
		"other": []any{nil, true, false, map[string]any{}, []any{}},
		"yes":   "key", "1": "key", "": "key", "<<": "key", "a: b": "key", "null": "key",
	}
	raw, err := encodeJSON(want)
	require.NoError(t, err)
	out, err := jsonToYAML(raw)
	require.NoError(t, err)
	got, err := readYAML(out)
	require.NoError(t, err, string(out))
	if diff := cmp.Diff([]any{want}, got); diff != "" {
		t.Error(diff)
	}
	var kubectl map[string]any
	require.NoError(t, yaml.Unmarshal(out, &kubectl))
	if diff := cmp.Diff(want["texts"], kubectl["texts"]); diff != "" {
		t.Errorf("kubectl reads the texts differently (-want +kubectl)\n%s", diff)
	}
}

func FuzzReadDocuments(f *testing.F) {
	for _, seed := range []string{
		minimal, "a: &a [*a]", "{<<: [{a: 1}]}", "{\"a\":1e400}", "- 0x1_F\n- .5\n", "\ufeff---\n...\n", "? [a]\n: b", "a: |+\n  b\n\n",
		`{"kind":"List","apiVersion":"v1","items":[{"kind":"A","apiVersion":"v1"}]}`, "!!int 08", "a: !!float 1__2.",
	} {
		f.Add([]byte(seed))
	}
	for _, name := range []string{goodBinding, "testdata/cluster-binding/binding.json", "testdata/list/list.yaml"} {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		documents, err := readDocuments(data)
		if err != nil {
			return
		}
		for _, d := range documents {
			// Whatever was read can be written and is the same again, in both formats.
			raw, err := encodeJSON(d.object)
			require.NoError(t, err)
			again, err := readDocuments(raw)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(d.object, again[0].object))
			out, err := jsonToYAML(raw)
			require.NoError(t, err)
			values, err := readYAML(out)
			require.NoError(t, err, string(out))
			require.Empty(t, cmp.Diff([]any{any(d.object)}, values), string(out))
			// And no object makes the rest of the program panic.
			in := input{document: d.object}
			if in.binding, in.unknown, err = decode[binding](d.object); err == nil && in.binding.check() == nil {
				_, err = makePlan(in, options{evict: []string{"east"}, cause: "Application"})
				require.NoError(t, err)
			}
		}
	})
}
