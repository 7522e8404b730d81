package preservation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation"
)

// timing compiles takenAt, with the rules.
func timing(t testing.TB, takenAt string, rules ...preservation.Rule) *preservation.Extractor {
	t.Helper()
	x, err := preservation.Compile(preservation.StatePreservation{Rules: rules, TakenAt: takenAt}, preservation.Protection{})
	require.NoError(t, err)
	return x
}

func TestTakenAt(t *testing.T) {
	t.Parallel()
	status := func(text string) preservation.Document { return preservation.RawDocument([]byte(text)) }
	value := func(v any) preservation.Document { return preservation.ObjectDocument(map[string]any{"t": v}) }
	long := strings.Repeat("9", preservation.MaxValueBytes)
	cases := map[string]struct {
		reason   string
		path     string // empty = {.t}
		document preservation.Document
		want     string
		class    preservation.Class
		detail   string
	}{
		"Text":         {reason: "as it stands: no target refuses the colon", document: status(`{"t":"2026-01-02T03:04:05.678+09:00"}`), want: "2026-01-02T03:04:05.678+09:00"},
		"Blanks":       {reason: "S7: a value is never trimmed", document: status(`{"t":" 1 "}`), want: " 1 "},
		"Millis":       {reason: "S3: all digits", document: status(`{"t":1734462491693}`), want: "1734462491693"},
		"Exponent":     {reason: "S3: expanded", document: status(`{"t":1.734462491693e12}`), want: "1734462491693"},
		"Float":        {reason: "S3: as plain decimal", document: value(1.734462491693e+12), want: "1734462491693"},
		"GoInt":        {reason: "any Go number", document: value(1734462491), want: "1734462491"},
		"Digits":       {reason: "S3: nothing is rounded", document: status(`{"t":12345678901234567890123}`), want: "12345678901234567890123"},
		"Zero":         {reason: "R4: a number is there; that it stands for none is for who reads it", document: status(`{"t":0}`), want: "0"},
		"NoTime":       {reason: "R4: whether it is a time is for who reads it", document: status(`{"t":"soon"}`), want: "soon"},
		"Boolean":      {reason: "R4: whether it is a time is for who reads it", document: status(`{"t":true}`), want: "true"},
		"Filter":       {reason: "S5: one hit", path: `{.c[?(@.type=="Ready")].at}`, document: status(`{"c":[{"type":"A","at":1},{"type":"Ready","at":2}]}`), want: "2"},
		"OneOfAll":     {reason: "S5: one hit, whatever the path is", path: "{.c[*].at}", document: status(`{"c":[{"at":2}]}`), want: "2"},
		"Longest":      {reason: "S12: the limit belongs to the legal sizes", document: value(long), want: long},
		"TooLong":      {reason: "S12: one byte more", document: value(long + "9"), class: preservation.TooLarge, detail: "the value is longer than 262144 bytes"},
		"BigNumber":    {reason: "S12: more digits than are kept", document: status(`{"t":1e999}`), class: preservation.TooLarge, detail: "400"},
		"TooMany":      {reason: "S12: values are counted", path: "{.c[*]}", document: status(`{"c":[` + strings.Repeat("1,", 10_000) + `1]}`), class: preservation.TooLarge, detail: "10000"},
		"Missing":      {reason: "S4: with a hint", document: status(`{"T":1}`), class: preservation.MissingKey, detail: `nothing at .t: the object has "T"; names are case-sensitive`},
		"Rooted":       {reason: "S9: the status is the root", path: "{.status.t}", document: status(`{"t":1}`), class: preservation.MissingKey, detail: `nothing at .status: paths start at the status: drop ".status"`},
		"Empty":        {reason: "S4: empty text is missing", document: status(`{"t":""}`), class: preservation.MissingKey, detail: "the text is empty"},
		"Null":         {reason: "S4: null is missing", document: status(`{"t":null}`), class: preservation.MissingKey, detail: "the value is null"},
		"EmptyList":    {reason: "S4: an empty list is missing", document: status(`{"t":[]}`), class: preservation.MissingKey, detail: "the list is empty"},
		"Several":      {reason: "S5: no join makes one time of two", path: "{.c[*]}", document: status(`{"c":[1,2]}`), class: preservation.MultipleValues, detail: "the path has 2 hits: narrow it"},
		"Object":       {reason: "S6: an object is no time", document: status(`{"t":{"a":1}}`), class: preservation.NotScalar, detail: "an object"},
		"List":         {reason: "S6: a list is no time", document: status(`{"t":[1]}`), class: preservation.NotScalar, detail: "a list"},
		"Whole":        {reason: "S6: the status is no time", path: "{@}", document: status(`{"t":1}`), class: preservation.NotScalar, detail: "an object"},
		"BadType":      {reason: "S4: an index stands on text", path: `{.t[?(@.a>1)].b}`, document: status(`{"t":"x"}`), class: preservation.TypeMismatch},
		"BadPath":      {reason: "a filter with several values on one side", path: `{.c[?(@.a[*]=="x")].b}`, document: status(`{"c":[{"a":["x","y"]}]}`), class: preservation.BadPath},
		"NotCollected": {reason: "S9: the only one that a retry can cure", class: preservation.StatusNotCollected, detail: "nothing was collected yet"},
		"NotJSON":      {reason: "S12", document: status(`{"t":1}{}`), class: preservation.BadStatus, detail: "something follows the JSON value"},
		"Unreadable":   {reason: "S12", document: preservation.UnreadableDocument("two of them"), class: preservation.BadStatus, detail: "two of them"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tc.path
			if path == "" {
				path = "{.t}"
			}
			out, err := timing(t, " "+path+"\n").Extract(preservation.Sources{Cluster: "east", Status: tc.document})
			require.NoError(t, err, "the time never blocks")
			got := preservation.TakenAtError{}
			if out.TakenAtError != nil {
				got = *out.TakenAtError
			}
			want := preservation.TakenAtError{}
			if tc.class != "" {
				want = preservation.TakenAtError{Cluster: "east", Path: path, Class: tc.class, Detail: tc.detail}
			}
			if strings.Contains(got.Detail, tc.detail) {
				got.Detail = want.Detail
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if out.TakenAt != tc.want || got.Retryable() != (tc.class == preservation.StatusNotCollected) {
				t.Errorf("%s: want %.40q, got %.40q, retryable %t", tc.reason, tc.want, out.TakenAt, got.Retryable())
			}
			out.TakenAt, out.TakenAtError = "", nil
			if diff := cmp.Diff(preservation.Extraction{}, out); diff != "" {
				t.Errorf("without rules there is nothing else (-want +got):\n%s", diff)
			}
		})
	}
}

// The rules and the time do not know each other.
func TestTakenAtBesideRules(t *testing.T) {
	t.Parallel()
	id := preservation.Rule{AliasLabelName: "example.com/id", JSONPath: "{.id}"}
	elsewhere := preservation.Rule{AliasLabelName: "example.com/name", JSONPath: "{.t}", From: preservation.FromObject}
	constant := preservation.Rule{AliasLabelName: "example.com/moved", JSONPath: `{"true"}`}
	moved := map[string]string{"example.com/moved": "true"}
	noID := &preservation.RuleError{
		Rule: 0, Alias: "example.com/id", Path: "{.id}", Policy: preservation.Required,
		Class: preservation.MissingKey, Detail: "nothing at .id",
	}
	noTime := &preservation.TakenAtError{Path: "{.t}", Class: preservation.MissingKey, Detail: "nothing at .t"}
	object := preservation.ObjectDocument(map[string]any{"t": "object"})
	cases := map[string]struct {
		reason string
		rules  []preservation.Rule
		status string
		want   preservation.Extraction
		blocks bool
	}{
		"both": {
			reason: "both are found", rules: []preservation.Rule{id}, status: `{"id":"e6fd","t":7}`,
			want: preservation.Extraction{State: stateOf(map[string]string{"example.com/id": "e6fd"}), TakenAt: "7"},
		},
		"no time": {
			reason: "never blocks, and is no error of a rule", rules: []preservation.Rule{id}, status: `{"id":"e6fd"}`,
			want: preservation.Extraction{State: stateOf(map[string]string{"example.com/id": "e6fd"}), TakenAtError: noTime},
		},
		"no value": {
			reason: "a rule that blocks does not take the time away", rules: []preservation.Rule{id}, status: `{"t":7}`, blocks: true,
			want: preservation.Extraction{Errors: []*preservation.RuleError{noID}, TakenAt: "7"},
		},
		"neither": {
			reason: "each has its own error", rules: []preservation.Rule{id}, status: `{}`, blocks: true,
			want: preservation.Extraction{Errors: []*preservation.RuleError{noID}, TakenAtError: noTime},
		},
		"constants": {
			reason: "rules that read no status change nothing", rules: []preservation.Rule{constant}, status: `{"t":7}`,
			want: preservation.Extraction{State: stateOf(moved), TakenAt: "7"},
		},
		"another document": {
			reason: "the time stands in the status, whatever the rules read", rules: []preservation.Rule{elsewhere}, status: `{"t":7}`,
			want: preservation.Extraction{State: stateOf(map[string]string{"example.com/name": "object"}), TakenAt: "7"},
		},
		"no rules": {reason: "the time alone", status: `{"t":7}`, want: preservation.Extraction{TakenAt: "7"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := timing(t, "{.t}", tc.rules...).Extract(preservation.Sources{
				Status: preservation.RawDocument([]byte(tc.status)), Object: object,
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if (err != nil) != tc.blocks {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

func TestTakenAtNotAsked(t *testing.T) {
	t.Parallel()
	out, err := timing(t, "").Extract(preservation.Sources{Status: preservation.RawDocument([]byte("{"))})
	require.NoError(t, err)
	if diff := cmp.Diff(preservation.Extraction{}, out); diff != "" {
		t.Errorf("nobody asks, nothing is read (-want +got):\n%s", diff)
	}
}

// The error tells where it looked, and never what it found (L7).
func TestTakenAtError(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*preservation.TakenAtError{
		`cluster "east": takenAt {.t}: BadStatus: no`: {Cluster: "east", Path: "{.t}", Class: preservation.BadStatus, Detail: "no"},
		`takenAt {.t}: BadStatus`:                     {Path: "{.t}", Class: preservation.BadStatus},
	} {
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		require.ErrorIs(t, fmt.Errorf("age: %w", err), preservation.BadStatus)
	}
	const secret = "s3cr3t"
	for _, status := range []string{
		`{"t":["` + secret + `"]}`, `{"t":{"` + secret + `":"` + secret + `"}}`, `{"t":"` + secret, `{"t":"` + strings.Repeat(secret, 50_000) + `"}`,
		`{"t":["` + secret + `","` + secret + `"]}`, `"` + secret + `"`, `{"x":"` + secret + `"}`,
	} {
		for _, path := range []string{"{.t}", "{..t}", "{.t[*]}", "{.*}", `{.t[?(@>1)]}`} {
			out, err := timing(t, path).Extract(preservation.Sources{Status: preservation.RawDocument([]byte(status))})
			require.NoError(t, err)
			if out.TakenAtError != nil && strings.Contains(out.TakenAtError.Error(), secret) {
				t.Errorf("%s of %.40s tells what it found: %v", path, status, out.TakenAtError)
			}
		}
	}
}
