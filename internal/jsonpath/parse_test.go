package jsonpath_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason   string
		template string
		offset   int
		detail   string // a part of it
		hint     string // a part of it
	}{
		"empty":               {"nothing to evaluate", " \n", 0, "empty", "{.a.b}"},
		"invalid UTF-8":       {"the bytes would end up in a value", "a\xff{.b}", -1, "UTF-8", ""},
		"too long":            {"the parser's stack", strings.Repeat("x", jsonpath.MaxTemplateBytes+1), -1, "4096", ""},
		"missing dot":         {"the most common slip", "{jobStatus.jobId}", 1, `unknown word "jobStatus"`, "{.jobStatus.jobId}"},
		"missing dot shifted": {"the offset is in the given text", "\n x{a}", 4, `unknown word "a"`, "{.a}"},
		"bad word in filter":  {"client-go fails at execution", "{.c[?(@.t==Ready)]}", 11, `"Ready"`, `"Ready"`},
		"null in filter":      {"client-go fails at execution", "{.c[?(@.t!=null)]}", 11, `"null"`, "[?(@.x)]"},
		"word in filter":      {"range inside a filter", "{.c[?(range @.t)]}", 6, `"range" inside brackets`, "own"},
		"closing brace":       {"client-go takes it for text", "{.a}}", 4, "closing brace", `{"}"}`},
		"closing brace first": {"client-go takes it for text", "a}", 1, "closing brace", `{"}"}`},
		"cut key":             {"client-go reads b only", "{['b}{x']}", 4, "ends it", "backslash"},
		"cut union":           {"client-go reads b only", "{['a','b}{x']}", 8, "ends it", "backslash"},
		"cut filter":          {"client-go reads @.a only", "{.c[?(@.a}{.b)]}", 9, "cuts", "backslash"},
		"cut right side":      {"client-go compares with 1 only", "{.c[?(@.a>1}{2)]}", 11, "cuts", "backslash"},
		"blank in key":        {"client-go reads a key and a word", "{['a b']}", 4, "ends it", "backslash"},
		"tab in key":          {"not in the grammar", "{['a\tb']}", 4, "ends it", "backslash"},
		"at in key":           {"client-go drops it", "{['a@']}", 4, "ends it", "backslash"},
		"dollar in key":       {"client-go drops it", "{['$a']}", 3, "ends it", "backslash"},
		"bracket in key":      {"client-go starts an index", "{['a[0']}", 4, "ends it", "backslash"},
		"at in path":          {"client-go drops it", "{.a@.b}", 3, "'@' inside a path", "backslash"},
		"dollar in path":      {"client-go drops it", "{.a $.b}", 4, "'$' inside a path", "backslash"},
		"backslash in key":    {"client-go drops it", `{.a\\b}`, 3, "backslash", ""},
		"backslash bracket":   {"client-go drops it", `{['a\\b']}`, 4, "backslash", ""},
		"exponent":            {"client-go reads 1 and a word", "{1e5}", 1, "letters", `{"1e5"}`},
		"exponent in filter":  {"client-go reads 1 and a word", "{.c[?(@.a>1e5)]}", 10, "letters", "in full"},
		"beyond int64":        {"client-go keeps a rounded float", "{12345678901234567890}", 1, "more digits", `{"12345678901234567890"}`},
		"long fraction":       {"client-go keeps a rounded float", "{0.1234567890123456789}", 1, "more digits", "0.1234567890123456789"},
		"no number":           {"not in the grammar", "{1.2.3}", 1, "not a number", "1.2.3"},
		"sign only":           {"not in the grammar", "{-}", 1, "not a number", ""},
		"invalid byte":        {"the value would not be UTF-8", `{"\xff"}`, 1, "UTF-8", `\u00e9`},
		"invalid escape":      {"not in the grammar", `{"\q"}`, 1, "escape", `\n`},
		"open quote":          {"not in the grammar", `{"abc}`, 1, "not closed", `\n`},
		"final backslash":     {"a quirk of the grammar", `{"a\\"}`, 1, "not closed", "backslash"},
		"line in quote":       {"not in the grammar", "{\"a\nb\"}", 1, "not closed", `\n`},
		"open action":         {"not in the grammar", "x{.a", 4, "not closed", "}"},
		"open brackets":       {"not in the grammar", "{.a[0}", 3, "not closed", "]"},
		"line in brackets":    {"not in the grammar", "{.a[0\n]}", 3, "not closed", "]"},
		"open filter":         {"not in the grammar", "{.a[?(@.b]}", 3, "not closed", ")]"},
		"line in filter":      {"not in the grammar", "{.a[?(@.b\n)]}", 3, "not closed", ")]"},
		"filter without ]":    {"not in the grammar", "{.a[?(@.b)}", 10, "not closed", "first quoted"},
		"double quotes":       {"keys take single quotes", `{.a["b"]}`, 4, "neither a key nor an index", "['a']"},
		"comma in key":        {"the parser splits there", "{.a['b,c']}", 4, "neither a key nor an index", `.a\,b`},
		"second in union":     {"each part is checked", "{.a[0, x]}", 7, "neither a key nor an index", "['a']"},
		"line in braces":      {"not in the grammar", "{.a\n}", 3, `'\n'`, "blanks"},
		"tab in braces":       {"not in the grammar", "{\t.a}", 1, `'\t'`, "blanks"},
		"star alone":          {"not in the grammar", "{..*}", 3, `'*'`, "...*"},
		"other character":     {"not in the grammar", "{#}", 1, `'#'`, ""},
		"other in filter":     {"not in the grammar", "{.c[?(#)]}", 6, `'#'`, ""},
		"and":                 {"no &&", `{.c[?(@.a=="x" && @.b)]}`, 15, `'&'`, "no && and no ||"},
		"and tight":           {"client-go takes it for a key", "{.c[?(@.a&&@.b)]}", 9, `"&&"`, "no && and no ||"},
		"or":                  {"no ||", "{.c[?(@.a || @.b)]}", 10, `'|'`, "no && and no ||"},
		"or tight":            {"client-go takes it for a key", "{.c[?(@.a||@.b)]}", 9, `"||"`, "no && and no ||"},
		"word and":            {"client-go takes it for a word", "{.c[?(true&&@.b)]}", 10, `"&&"`, "no && and no ||"},
		"not":                 {"no negation", "{.c[?(!@.a)]}", 6, "starts with an operator", "no negation"},
		"not right":           {"no negation", "{.c[?(@.a== !@.b)]}", 12, `'!'`, "no negation"},
		"regexp":              {"no regular expressions", `{.c[?(@.a=~"R.*")]}`, 9, "unknown operator =", "no regular expressions"},
		"regexp right":        {"no regular expressions", `{.c[?(@.a==~"R.*")]}`, 11, `'~'`, "no regular expressions"},
		"assignment":          {"client-go fails at execution", "{.c[?(@.a=1)]}", 9, "unknown operator =", "=="},
		"three":               {"client-go fails at execution", "{.c[?(@.a===1)]}", 9, "unknown operator ===", "=="},
		"no right side":       {"client-go takes it for a key", "{.c[?(@.a<)]}", 9, "no right side", ""},
		"no left side":        {"not in the grammar", "{.c[?(==1)]}", 6, "starts with an operator", "path before"},
		"second operator":     {"client-go takes it for a key", "{.c[?(@.a<@.b<5)]}", 13, "'<' in a filter", "one comparison"},
		"several literals":    {"client-go keeps the last", `{"a" "b"}`, 0, "literal beside", "own"},
		"literal behind path": {"client-go drops the path", `x{.a "b"}`, 1, "literal beside", "own"},
		"literal in operand":  {"client-go drops the path", `{.c[?(@.a "x"==1)]}`, 0, "literal beside", "own"},
		"literal on right":    {"client-go drops the path", `{.c[?(1==@.a "x")]}`, 0, "literal beside", "own"},
		"literal in a key":    {"client-go drops the path", `{['."x"']}`, 0, "literal beside", "own"},
		"literal in union":    {"client-go drops the path", `{['a','."x"']}`, 0, "not understood", ""},
		"stray end":           {"client-go fails at execution", "{.a}{end}", 4, "end without a range", "{range"},
		"two ends":            {"client-go fails at execution", "{range .a}{end}{end}", 15, "end without a range", "{range"},
		"path beside end":     {"client-go drops the path", "{range .a}{end .b}", 10, "beside end", "alone"},
		"two words":           {"client-go loops over what follows", "{range range .a}{end}{end}", 0, "several", "own"},
		"step zero":           {"client-go fails at execution", "{.a[::0]}", 0, "below 1", ""},
		"step negative":       {"client-go fails at execution", "{.a[0:1:-1]}", 0, "below 1", ""},
		"backwards":           {"client-go fails at execution", "{.a[2:1]}", 0, "behind its end", "[from:to]"},
		"backwards negative":  {"client-go fails at execution", "{.a[-1:-2]}", 0, "behind its end", "[from:to]"},
		"step in union":       {"each part is checked", "{.a[0,::0]}", 0, "below 1", ""},
		"step in filter":      {"each side is checked", "{.a[?(@[::0])]}", 0, "below 1", ""},
		"step in comparison":  {"each side is checked", "{.a[?(1==@[::0])]}", 0, "below 1", ""},
		"double descent":      {"the parser's own error", "{....b}", -1, "multiple recursive descent", ""},
		"index sign":          {"the parser's own error", "{.a[-]}", -1, "not a number", ""},
		"deep ranges":         {"bounded", strings.Repeat("{range @}", jsonpath.MaxNesting+1), 9 * jsonpath.MaxNesting, "deeper than 32", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonpath.Parse(tc.template)
			var refused *jsonpath.SyntaxError
			require.ErrorAs(t, err, &refused, tc.reason)
			require.Nil(t, got)
			if diff := cmp.Diff(tc.offset, refused.Offset); diff != "" {
				t.Errorf("offset: %s (-want +got):\n%s%v", tc.reason, diff, err)
			}
			if !strings.Contains(refused.Detail, tc.detail) || !strings.Contains(refused.Hint, tc.hint) {
				t.Errorf("%s: want %q and %q in %v", tc.reason, tc.detail, tc.hint, err)
			}
		})
	}
}

func TestTemplateShape(t *testing.T) {
	t.Parallel()
	type shape struct{ Reads, Quotes, Single bool }
	cases := map[string]struct {
		reason   string
		template string
		want     shape
	}{
		"path":         {"one path", "{.a.b}", shape{Reads: true, Single: true}},
		"trimmed":      {"white space around does not count", " {.a.b}\n", shape{Reads: true, Single: true}},
		"several hits": {"one path, whatever it hits", "{..a[?(@.b)]}", shape{Reads: true, Single: true}},
		"current":      {"the current value is a path", "{}", shape{Reads: true, Single: true}},
		"at":           {"the current value is a path", "{@}", shape{Reads: true, Single: true}},
		"dollar":       {"the current value is a path", "{ $ }", shape{Reads: true, Single: true}},
		"text":         {"no braces", ".a.b", shape{}},
		"quoted":       {"a constant", `{"true"}`, shape{Quotes: true}},
		"quoted empty": {"a constant", `{''}`, shape{Quotes: true}},
		"bool":         {"no quotes", "{true}", shape{}},
		"number":       {"no quotes", "{1}", shape{}},
		"float":        {"no quotes", "{1.5}", shape{}},
		"mixed":        {"text around", "x{.a}", shape{Reads: true}},
		"two":          {"two paths", "{.a}{.b}", shape{Reads: true}},
		"both":         {"path and constant", `{.a}{"x"}`, shape{Reads: true, Quotes: true}},
		"range":        {"a loop is no single path", "{range .a[*]}{end}", shape{Reads: true}},
		"range const":  {"a loop over a constant", `{range "x"}y{end}`, shape{Quotes: true}},
		"in filter":    {"quotes in a filter are no constant", `{.a[?(@.b=="x")]}`, shape{Reads: true, Single: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonpath.Parse(tc.template)
			require.NoError(t, err)
			if diff := cmp.Diff(tc.want, shape{got.ReadsDocument(), got.Quotes(), got.SinglePath()}); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", tc.template, tc.reason, diff)
			}
			if diff := cmp.Diff(strings.TrimSpace(tc.template), got.String()); diff != "" {
				t.Errorf("source (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseLongest runs the parser on the templates that are worst for its
// stack and time, at the size cap.
func TestParseLongest(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{" ", "@", "{}", ".a", "[0]", "..a", "['a']", "[0,1]", "[?(@.a)]", "[?(@.a==1)]", "[?(@[0]==@['a'])]", `['.','.']`, "{range @}{end}", "["} {
		body := strings.Repeat(unit, jsonpath.MaxTemplateBytes/len(unit)-1)
		if !strings.HasPrefix(unit, "{") {
			body = "{" + body + "}"
		}
		t.Run(unit, func(t *testing.T) {
			t.Parallel()
			require.NotPanics(t, func() {
				if template, err := jsonpath.Parse(body); err == nil {
					_, _ = template.Eval(map[string]any{"a": []any{map[string]any{"a": 1}}})
				}
			})
		})
	}
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"position":    {"says where", &jsonpath.SyntaxError{Offset: 3, Detail: "d", Hint: "h"}, "template at byte 3: d (h)"},
		"no position": {"does not invent one", &jsonpath.SyntaxError{Offset: -1, Detail: "d"}, "template: d"},
		"path":        {"path first", &jsonpath.EvalError{Kind: jsonpath.BadPath, Path: ".a", Detail: "d"}, ".a: d"},
		"no path":     {"no stray colon", &jsonpath.EvalError{Kind: jsonpath.TooLarge, Detail: "d"}, "d"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, tc.err.Error()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
