package preservation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation"
)

// A path has one spelling, under which a state holds it.
func TestFieldPathSpelling(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("x", preservation.MaxFieldPathBytes-len(".spec."))
	cases := map[string]struct{ reason, path, want string }{
		"Plain":        {"as it is written", ".spec.job.path", ".spec.job.path"},
		"NoDot":        {"the leading dot may be left out", "spec.job.path", ".spec.job.path"},
		"Index":        {"a list index", ".spec.list[0].x[10]", ".spec.list[0].x[10]"},
		"TwoIndexes":   {"a list in a list", ".spec.list[0][1]", ".spec.list[0][1]"},
		"LargestIndex": {"no list is longer", ".spec.list[1000000]", ".spec.list[1000000]"},
		"Escaped":      {"all that can be escaped", `.spec.a\.b\[0\]\\c`, `.spec.a\.b\[0\]\\c`},
		"EscapedDot":   {"a key that is a dot", `.spec.\.`, `.spec.\.`},
		"Blank":        {"a blank inside a key is legal JSON", ".spec.a b", ".spec.a b"},
		"Slash":        {"keys of annotations have slashes", ".spec.a/b", ".spec.a/b"},
		"Dollar":       {"a key may hold one", ".spec.$patch", ".spec.$patch"},
		"OtherAlpha":   {"any letters", ".spec.größe", ".spec.größe"},
		"NoSpec":       {"other objects have state too", ".data.checkpoint", ".data.checkpoint"},
		"Longest":      {"the limit belongs to the legal sizes", ".spec." + longest, ".spec." + longest},
		"LongestBare":  {"the dot that a state adds counts", "spec." + longest, ".spec." + longest},
		"MostSteps":    {"the limit belongs to the legal sizes", strings.Repeat(".a", preservation.MaxFieldPathSteps), strings.Repeat(".a", preservation.MaxFieldPathSteps)},
		"Labels":       {"of something else than metadata", ".spec.labels.x", ".spec.labels.x"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := compile(t, preservation.Rule{JSONPath: "{.a}", Target: preservation.Field, FieldPath: tc.path})
			out, err := x.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(`{"a":1}`))})
			require.NoError(t, err)
			if diff := cmp.Diff(map[string]string{tc.want: "1"}, out.State.Fields); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			_, err = out.State.Encode()
			require.NoError(t, err, "%s: a state holds it", tc.reason)
		})
	}
}

func TestFieldPathRefusals(t *testing.T) {
	t.Parallel()
	const empty, index, behind = "a key is empty", "a list index is written [0]", "expected behind ]"
	cases := map[string]struct{ reason, path, want string }{
		"Dot":            {"no key", ".", empty},
		"DoubleDot":      {"no recursive descent", "..a", empty},
		"TrailingDot":    {"no key", ".spec.", empty},
		"EmptyMiddle":    {"no key", ".spec..a", empty},
		"IndexFirst":     {"an object has keys", "[0].a", empty},
		"IndexAfterDot":  {"an index stands without a dot", ".spec.[0]", empty},
		"BlankAround":    {"a typing mistake", ".spec. a", "white space"},
		"BlankAtEnd":     {"a typing mistake", ".spec.a ", "white space"},
		"NoIndex":        {"which one", ".spec.a[]", index},
		"NotClosed":      {"cut short", ".spec.a[0", index},
		"NegativeIndex":  {"from the end is for reading", ".spec.a[-1]", index},
		"SignedIndex":    {"one spelling", ".spec.a[+1]", index},
		"PaddedIndex":    {"one spelling", ".spec.a[01]", index},
		"HugeIndex":      {"no list is as long", ".spec.a[1000001]", index},
		"HugerIndex":     {"no overflow", ".spec.a[99999999999999999999]", index},
		"Wildcard":       {"several places", ".spec.a[*]", index},
		"StarKey":        {"several places", ".spec.*", `'*' is not part of a field path`},
		"Quoted":         {"it is not JSONPath", ".spec['a']", index},
		"Quote":          {"it is not JSONPath", ".spec.'a'", `'\'' is not part`},
		"DoubleQuote":    {"it is not JSONPath", `.spec."a"`, `'"' is not part`},
		"Braces":         {"it is not a template", "{.spec.a}", `'{' is not part`},
		"ClosingBrace":   {"it is not a template", ".spec.a}", `'}' is not part`},
		"Closing":        {"nothing was opened", ".spec.a]", `']' is not part`},
		"KeyBehindList":  {"a dot is missing", ".spec.a[0]b", behind},
		"Escape":         {"nothing to escape", `.spec.a\b`, "a backslash stands before"},
		"EscapeAtEnd":    {"cut short", `.spec.a\`, "a backslash stands before"},
		"Root":           {"as in JSONPath", "$.spec.a", "without $"},
		"RootDot":        {"as in JSONPath", ".$.spec.a", "without $"},
		"UTF8":           {"a state is JSON", ".spec.a\xff", "not valid UTF-8"},
		"Long":           {"S12", ".spec." + strings.Repeat("x", preservation.MaxFieldPathBytes-len(".spec.")+1), "longer than 1024 bytes"},
		"ManySteps":      {"S12", strings.Repeat(".a", preservation.MaxFieldPathSteps+1), "more than 32 steps"},
		"Kind":           {"I5", ".kind", "nothing in kind"},
		"APIVersion":     {"I5", ".apiVersion", "nothing in apiVersion"},
		"Status":         {"I5", ".status.phase", "nothing in status"},
		"Metadata":       {"I5", "metadata.name", "nothing in metadata"},
		"Whole":          {"I5", ".data", "whole top-level field"},
		"JobSelector":    {"I5: of a template", ".spec.jobTemplate.spec.selector.matchLabels.x", "which pods"},
		"SelectorItself": {"I5", ".spec.selector", "which pods"},
		"Claims":         {"I5: wherever they are", ".spec.statefulSet.volumeClaimTemplates", "immutable"},
		"PodLabels":      {"I5", ".spec.template.metadata.labels", "their own option"},
		"PodMetadata":    {"I5: the labels would go with it", ".spec.template.metadata", "metadata of a template"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sp := preservation.StatePreservation{Rules: []preservation.Rule{{JSONPath: "{.a}", Target: preservation.Field, FieldPath: tc.path}}}
			errs := preservation.Validate(sp, preservation.Protection{}, field.NewPath("p"))
			if len(errs) != 1 || errs[0].Field != "p.rules[0].fieldPath" || !strings.Contains(errs[0].Detail, tc.want) {
				t.Errorf("%s: want one error with %q, got %v", tc.reason, tc.want, errs)
			}
			state := preservation.State{Fields: map[string]string{tc.path: "1"}}
			_, _, err := preservation.Inject(manifestOf(object(t, `{"metadata":{},"spec":{}}`)), state, preservation.InjectOptions{})
			var typed *preservation.InjectError
			require.ErrorAs(t, err, &typed, tc.reason)
			if typed.Class != preservation.InvalidValue && typed.Class != preservation.Refused {
				t.Errorf("%s: a state of a stranger holds it: %v", tc.reason, err)
			}
			_, err = state.Encode()
			require.ErrorIs(t, err, preservation.BadState, tc.reason)
		})
	}
}

// A state has one spelling of a path, so that two keys are two places.
func TestInjectSpellsPathsOneWay(t *testing.T) {
	t.Parallel()
	state := preservation.State{Fields: map[string]string{"spec.a": "1"}}
	_, _, err := preservation.Inject(manifestOf(object(t, `{"metadata":{},"spec":{}}`)), state, preservation.InjectOptions{})
	require.ErrorIs(t, err, preservation.InvalidValue)
	if want := `field "spec.a": InvalidValue: a state spells this path .spec.a`; err.Error() != want {
		t.Errorf("want %s, got %v", want, err)
	}
}
