package jsonpath_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

const flinkStatus = `{
	"jobStatus": {
		"jobId": "e6fd", "state": "RUNNING", "upgradeSavepointPath": null,
		"checkpointInfo": {"lastCheckpoint": {"timeStamp": 1734462491693}}
	},
	"offset": 9007199254740993, "huge": 12345678901234567890,
	"lag": 1000000.5, "ratio": 0.00001, "n": 1.0, "e": 1e3, "empty": "",
	"conds": [
		{"type": "Ready", "ok": true, "n": 2, "status": "True"},
		{"type": "Synced", "ok": true, "n": 10, "status": "False"},
		{"type": "Old", "ok": false, "n": 5.5},
		{"type": null}
	],
	"h": [{"id": 1}, {"id": 5}],
	"mixed": [1, 5.5, 1e1, 9007199254740993],
	"tags": ["a", "b", "c", "d"],
	"grid": [[1, 2, 3], [4], [5, 6]],
	"none": [], "nothing": {},
	"a.b/c": "dotted", "with space": "blank", "*": "star", "k,x": "comma", "a}b": "brace",
	"o": {"k": 1, "x": 2, "b": {"v": 3}, "c": {"v": 4}, "d": {}}
}`

type evalCase struct {
	reason   string
	template string
	want     string
}

func TestEval(t *testing.T) {
	t.Parallel()
	groups := map[string]map[string]evalCase{
		"field cases": fieldCases(), "paths": pathCases(), "filters": filterCases(),
		"ranges": rangeCases(), "literals": literalCases(), "missing": missingCases(),
	}
	root := decode(t, flinkStatus)
	for group, cases := range groups {
		for name, tc := range cases {
			t.Run(group+"/"+name, func(t *testing.T) {
				t.Parallel()
				if diff := cmp.Diff(tc.want, evaluate(t, tc.template, root)); diff != "" {
					t.Errorf("%s: %s (-want +got):\n%s", tc.template, tc.reason, diff)
				}
			})
		}
	}
}

func fieldCases() map[string]evalCase {
	return map[string]evalCase{
		"F01 milliseconds": {"whole numbers keep every digit", "{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}", "1734462491693"},
		"F02 beyond 2^53":  {"no rounding through float64", "{.offset}", "9007199254740993"},
		"F02 beyond int64": {"the literal digits", "{.huge}", "12345678901234567890"},
		"F03 whole":        {"numeric filter against a whole number", "{.h[?(@.id>2)].id}", "5"},
		"F03 fraction":     {"numeric filter against a fraction", "{.h[?(@.id>2.0)].id}", "5"},
		"F03 mixed":        {"whole numbers and fractions mix", "{.mixed[?(@>5)]}", "5.5 10 9007199254740993"},
		"F03 quoted":       {"a number is no text", `{.h[?(@.id>"2")].id}`, `<TypeMismatch .h[?(@.id>"2")]>`},
		"F04 large":        {"plain decimal", "{.lag}", "1000000.5"},
		"F04 small":        {"plain decimal", "{.ratio}", "0.00001"},
		"F04 zero":         {"a fraction stays as written", "{.n}", "1.0"},
		"F04 exponent":     {"exponents are expanded", "{.e}", "1000"},
		"F05 literal":      {"no braces: text, which the caller refuses", "jobStatus.jobId", "jobStatus.jobId"},
		"F05 mixed":        {"text and paths mix", "prefix-{.jobStatus.jobId}/{.n}", "prefix-e6fd/1.0"},
		"F06 case":         {"names are case-sensitive", "{ .jobStatus.jobID }", "<miss .jobStatus.jobID>"},
		"F07 no match":     {"no match is missing", `{.conds[?(@.type=="Gone")].status}`, `<miss .conds[?(@.type=="Gone")]>`},
		"F07 empty list":   {"no item is missing", "{.none[*]}", "<miss .none[*]>"},
		"F07 null index":   {"an index on null is missing", "{.jobStatus.upgradeSavepointPath[0]}", "<miss .jobStatus.upgradeSavepointPath[0]>"},
		"F07 past the end": {"a slice past the end is missing", "{.h[2:]}", "<miss .h[2:]>"},
		"F07 empty text":   {"an empty text is a hit; the caller decides", "{.empty}", ""},
		"F08 null":         {"null is a hit that is nil; the caller decides", "{.jobStatus.upgradeSavepointPath}", "null"},
		"F09 filter":       {"all hits are given", "{.conds[?(@.ok==true)].n}", "2 10"},
		"F09 union index":  {"all hits are given", "{.tags[0,2]}", "a c"},
		"F09 union keys":   {"all hits are given, in the order written", "{.o['x','k']}", "2 1"},
		"F11 escaped":      {"a backslash keeps the dot", `{.a\.b/c}`, "dotted"},
		"F11 brackets":     {"brackets need the backslash too", `{['a\.b/c']}`, "dotted"},
		"F11 unescaped":    {"brackets do not protect a dot", "{['a.b/c']}", "<miss .a>"},
		"F11 quotes":       {"double quotes are no key", `{.o["k"]}`, "<refused>"},
		"F11 blank":        {"an escaped blank reaches a key with a blank", `{.with\ space}`, "blank"},
		"F14 regexp":       {"refused on day one", `{.conds[?(@.type=~"R.*")].status}`, "<refused>"},
		"F14 and":          {"refused on day one", `{.conds[?(@.ok==true && @.n>1)].status}`, "<refused>"},
		"F15 range":        {"a range evaluates", "{range .h[*]}{.id},{end}", "1,5,"},
		"F18 root":         {"rules start at the status", "{.status.jobStatus.jobId}", "<miss .status>"},
	}
}

func pathCases() map[string]evalCase {
	return map[string]evalCase{
		"blanks":           {"blanks inside braces mean nothing", "{ .o  .k }", "1"},
		"root at":          {"@ is the current value", "{@.n}", "1.0"},
		"root dollar":      {"$ is the current value", "{$.n}", "1.0"},
		"bracket key":      {"a key in single quotes", "{['o']['k']}", "1"},
		"escaped star":     {"an escaped star is a key", `{.\*}`, "star"},
		"escaped comma":    {"outside brackets a comma can be escaped", `{.k\,x}`, "comma"},
		"escaped brace":    {"inside brackets a brace can be escaped", `{['a\}b']}`, "brace"},
		"wildcard":         {"values in key order", "{.o.*}", `{"v":3} {"v":4} {} 1 2`},
		"wildcard quoted":  {"a quoted star is a wildcard", "{.o['*'].v}", "3 4"},
		"wildcard skip":    {"inputs without the key are skipped", "{.o.*.v}", "3 4"},
		"wildcard list":    {"items of a list", "{.tags.*}", "a b c d"},
		"index":            {"first item", "{.tags[0]}", "a"},
		"index empty":      {"empty brackets are index 0", "{.tags[]}", "a"},
		"index negative":   {"from the end", "{.tags[-1]}", "d"},
		"index negative 2": {"from the end", "{.tags[-2]}", "c"},
		"index huge":       {"no overflow", "{.tags[9223372036854775807]}", "<miss .tags[9223372036854775807]>"},
		"slice":            {"half open", "{.tags[1:3]}", "b c"},
		"slice from":       {"open end", "{.tags[2:]}", "c d"},
		"slice to":         {"open start", "{.tags[:2]}", "a b"},
		"slice negative":   {"from the end", "{.tags[-3:-1]}", "b c"},
		"slice step":       {"every second", "{.tags[0:4:2]}", "a c"},
		"slice only step":  {"every third", "{.tags[::3]}", "a d"},
		"slice huge step":  {"no overflow", "{.tags[::9223372036854775807]}", "a"},
		"slice crossing":   {"start behind end only on this list", "{.tags[-1:0]}", "<miss .tags[-1:0]>"},
		"slice empty":      {"nothing asked for, nothing found", "{.tags[1:1]}", "<miss .tags[1:1]>"},
		"slice all empty":  {"nothing asked for, nothing found", "{.grid[*][1:1]}", "<miss .grid[*][1:1]>"},
		"all":              {"star in brackets", "{.grid[*][*]}", "1 2 3 4 5 6"},
		"slice some empty": {"an empty one does not hide the later hits", "{.grid[*][1:]}", "2 3 6"},
		"short lists":      {"lists that are too short are skipped", "{.grid[*][1]}", "2 6"},
		"union slice":      {"slices and indexes mix", "{.tags[3,0:2]}", "d a b"},
		"union filter":     {"a filter in a union", "{.mixed[0,?(@>6)]}", "1 10 9007199254740993"},
		"union no match":   {"a part that matches nothing adds nothing", "{.mixed[0,?(@>9e)]}", "<refused>"},
		"union match none": {"a part that matches nothing adds nothing", "{.mixed[0,?(@<0)]}", "1"},
		"union absent":     {"an absent part makes all absent", "{.o['k','gone']}", "<miss .o.gone>"},
		"union deep":       {"an absent part names its segment", "{.o['b.v','b.w']}", "<miss .o.b.w>"},
		"descent":          {"parents first, keys in order", "{..v}", "3 4"},
		"descent dots":     {"three dots are the same", "{...v}", "3 4"},
		"descent below":    {"from a value", "{.o..v}", "3 4"},
		"descent bracket":  {"with a key in brackets", "{..['v']}", "3 4"},
		"descent alone":    {"containers and texts that are not empty", "{.o..}", `{"b":{"v":3},"c":{"v":4},"d":{},"k":1,"x":2} {"v":3} {"v":4}`},
		"descent union":    {"a dot as a key is a descent", "{.o['.']}", `{"b":{"v":3},"c":{"v":4},"d":{},"k":1,"x":2} {"v":3} {"v":4}`},
		"descent index":    {"an index on everything meets an object", "{..[0]}", "<TypeMismatch ..[0]>"},
		"index on object":  {"types conflict", "{.o[0]}", "<TypeMismatch .o[0]>"},
		"index on text":    {"types conflict", "{.jobStatus.jobId[0]}", "<TypeMismatch .jobStatus.jobId[0]>"},
		"index in union":   {"types conflict", "{.o[0,1]}", "<TypeMismatch .o[0,1]>"},
		"trailing dot":     {"a trailing dot reads the key of no name", "{.o.}", "<miss .o.>"},
		"wildcard string":  {"a text has no children", "{.jobStatus.jobId.*}", "<miss .jobStatus.jobId.*>"},
	}
}

func filterCases() map[string]evalCase {
	return map[string]evalCase{
		"equal":          {"texts", `{.conds[?(@.type=="Ready")].status}`, "True"},
		"equal single":   {"single quotes", `{.conds[?(@.type=='Ready')].status}`, "True"},
		"blanks":         {"blanks around", `{.conds[?( @.type == "Ready" )].status}`, "True"},
		"swapped":        {"the path may stand on the right", `{.conds[?("Ready"==@.type)].status}`, "True"},
		"not equal":      {"null and missing match nothing", `{.conds[?(@.type!="Ready")].type}`, "Synced Old"},
		"less":           {"by value, not as texts", "{.conds[?(@.n<10)].type}", "Ready Old"},
		"less equal":     {"by value", "{.conds[?(@.n<=5.5)].type}", "Ready Old"},
		"greater equal":  {"by value", "{.conds[?(@.n>=5.5)].type}", "Synced Old"},
		"two paths":      {"paths on both sides", "{.conds[?(@.n==@.n)].type}", "Ready Synced Old"},
		"bool not":       {"bools", "{.conds[?(@.ok!=true)].type}", "Old"},
		"exponent":       {"1e1 is ten", "{.mixed[?(@==10)]}", "10"},
		"beyond 2^53":    {"exact", "{.mixed[?(@==9007199254740993)]}", "9007199254740993"},
		"neighbour":      {"exact", "{.mixed[?(@==9007199254740992)]}", "<miss .mixed[?(@==9007199254740992)]>"},
		"text order":     {"by bytes", `{.tags[?(@>"b")]}`, "c d"},
		"exists":         {"a field that is there", "{.conds[?(@.n)].type}", "Ready Synced Old"},
		"exists null":    {"null is not there", "{.conds[?(@.type)].type}", "Ready Synced Old"},
		"exists past":    {"an index past the end is not there", "{.grid[?(@[2])]}", "[1,2,3]"},
		"exists type":    {"an index on an object is not there", "{.h[?(@[0])]}", "<miss .h[?(@[0])]>"},
		"exists always":  {"an empty filter keeps all", "{.tags[?()]}", "a b c d"},
		"exists literal": {"a literal is there", `{.tags[?("x")]}`, "a b c d"},
		"index operand":  {"steps in an operand", "{.grid[?(@[0]>3)]}", "[4] [5,6]"},
		"index short":    {"a missing operand matches nothing", "{.grid[?(@[1]>1)]}", "[1,2,3] [5,6]"},
		"several left":   {"one value to a side", "{.grid[?(@[*]>3)]}", "<BadPath .grid[?(@[*]>3)]>"},
		"several right":  {"one value to a side", "{.grid[?(3<@[*])]}", "<BadPath .grid[?(3<@[*])]>"},
		"on object":      {"a filter needs a list", "{.o[?(@.k)]}", "<TypeMismatch .o[?(@.k)]>"},
		"on null":        {"null is skipped", "{.jobStatus.upgradeSavepointPath[?(@.k)]}", "<miss .jobStatus.upgradeSavepointPath[?(@.k)]>"},
		"bool order":     {"bools have no order", "{.conds[?(@.ok<true)]}", "<TypeMismatch .conds[?(@.ok<true)]>"},
		"bool text":      {"a bool is no text", `{.conds[?(@.ok=="true")]}`, `<TypeMismatch .conds[?(@.ok=="true")]>`},
		"list operand":   {"a list has no order", "{.grid[?(@>1)]}", "<TypeMismatch .grid[?(@>1)]>"},
		"type inside":    {"types conflict inside an operand", "{.h[?(@.id[0]>1)]}", "<TypeMismatch .h[?(@.id[0]>1)]>"},
		"type right":     {"types conflict inside an operand", "{.h[?(1<@.id[0])]}", "<TypeMismatch .h[?(1<@.id[0])]>"},
		"dollar":         {"$ is the item", "{.h[?($.id==5)].id}", "5"},
		"bracket quote":  {"a ) in the first quotes", `{.conds[?(@.type==")")]}`, `<miss .conds[?(@.type==")")]>`},
		"escaped quote":  {"an escaped quote does not close", `{.conds[?(@.type=="\")")]}`, `<miss .conds[?(@.type=="\")")]>`},
	}
}

func rangeCases() map[string]evalCase {
	return map[string]evalCase{
		"texts":         {"literals inside", `{range .h[*]}{"\t"}{.id}{"\n"}{end}!`, "\t1\n\t5\n!"},
		"nested":        {"inner paths start at the item", "{range .grid[*]}({range @[*]}{@},{end}){end}", "(1,2,3,)(4,)(5,6,)"},
		"dollar":        {"$ is the item", "{range .h[*]}{$.id}{end}", "15"},
		"behind":        {"the word may stand behind the path", "{.h[*] range}{.id}{end}", "15"},
		"whole":         {"range over the current value", "{range}{.n}{end}", "1.0"},
		"literal":       {"range over a literal runs once", `{range "x"}{@}{end}`, "x"},
		"empty":         {"no items is missing", "{range .none[*]}{.id},{end}!", "<miss .none[*]>!"},
		"absent":        {"no list is missing", "{range .gone[*]}{.id},{end}!", "<miss .gone>!"},
		"inner miss":    {"the path names the range", "{range .h[*]}{.gone}{end}", "<miss .h[*].gone><miss .h[*].gone>"},
		"inner empty":   {"a miss in one iteration", "{range .conds[*]}{range .ok}{@}{end};{end}", "true;true;false;<miss .conds[*].ok>;"},
		"inner error":   {"the path names the range", "{range .h[*]}{.id[0]}{end}", "<TypeMismatch .h[*].id[0]>"},
		"range error":   {"an error of the range itself", "{range .o[*]}{end}", "<TypeMismatch .o[*]>"},
		"no end":        {"as in client-go the body runs once more behind", "{range .tags[*]}x", "xxxxx"},
		"no outer end":  {"as in client-go it goes on after the inner end", "{range .grid[*]}{range @[*]}{@}{end};", "123;4;56;;"},
		"no end nested": {"as in client-go", "{range .grid[*]}a{range .grid}b", "a<miss .grid[*].grid>ba<miss .grid[*].grid>ba<miss .grid[*].grid>babb"},
		"stray end":     {"refused", "{.n}{end}", "<refused>"},
		"null item":     {"a null item is a nil hit", "{range .jobStatus.upgradeSavepointPath}{@}{end}", "null"},
		"null range":    {"S4: a body that ignores its item must not make text of nothing", "v{range .jobStatus.upgradeSavepointPath}p{end}", "vnull"},
		"empty range":   {"S4: nor of an empty list", "v{range .none}p{end}", "v[]"},
		"empty text":    {"S4: nor of empty text", "v{range .empty}p{end}", "v"},
		"no body":       {"a body without pieces", "{range .h[*]}{end}.", "."},
	}
}

func literalCases() map[string]evalCase {
	return map[string]evalCase{
		"quoted":        {"a quoted text", `{"true"}`, "true"},
		"single quoted": {"single quotes", `{'it'}`, "it"},
		"escapes":       {"Go escapes", `{"a\tb\u00e9\""}`, "a\tbé\""},
		"bool":          {"a bool", "{true}", "true"},
		"int":           {"a whole number", "{-5}", "-5"},
		"plus":          {"a sign is dropped as in client-go", "{+5}", "5"},
		"float":         {"the shortest text as in client-go", "{1.50}", "1.5"},
		"braces":        {"braces as quoted text", `{"{"}x{"}"}`, "{x}"},
		"trimmed":       {"white space around is trimmed, inside not", "\n a {.n} b\t ", "a 1.0 b"},
		"around value":  {"around a path it is trimmed", " {.n} ", "1.0"},
	}
}

func missingCases() map[string]evalCase {
	return map[string]evalCase{
		"field of text":  {"a text has no fields", "{.jobStatus.jobId.x}", "<miss .jobStatus.jobId.x>"},
		"field of list":  {"a list has no fields", "{.tags.x}", "<miss .tags.x>"},
		"field of null":  {"null has no fields", "{.jobStatus.upgradeSavepointPath.x}", "<miss .jobStatus.upgradeSavepointPath.x>"},
		"all inputs":     {"no input has it", "{.o.*.gone}", "<miss .o.*.gone>"},
		"wildcard none":  {"an empty object", "{.nothing.*}", "<miss .nothing.*>"},
		"wildcard null":  {"null", "{.jobStatus.upgradeSavepointPath.*}", "<miss .jobStatus.upgradeSavepointPath.*>"},
		"descent none":   {"an empty object", "{.nothing..}", "<miss .nothing..>"},
		"descent absent": {"nowhere below", "{..gone}", "<miss ..gone>"},
		"far index":      {"behind the end", "{.tags[4]}", "<miss .tags[4]>"},
		"far negative":   {"before the start", "{.tags[-5]}", "<miss .tags[-5]>"},
		"far slice":      {"the end is behind the end", "{.tags[0:5]}", "<miss .tags[0:5]>"},
		"no index":       {"an empty list", "{.none[0]}", "<miss .none[0]>"},
		"escapes":        {"the path is spelled as a template would", `{.gone\.x\ y['z\*']}`, `<miss .gone\.x\ y>`},
		"steps":          {"all steps are spelled", `{.o['*']['*'].x[0:3:2][*][1,2]['a','b'][?(@.a=='x')]..b}`, "<miss .o.*.*.x>"},
	}
}

// TestMissPath spells every kind of step in the path of a miss.
func TestMissPath(t *testing.T) {
	t.Parallel()
	root := decode(t, `{"l":[[[{"a":[{"a":"x"}],"b":[{"a":"x"}]}]],1,[[{"a":[{"a":"x"}],"b":[]}]]]}`)
	cases := map[string]evalCase{
		"all kinds": {"every step in its own spelling", `{.l[0:3:2][0:1][*]['a','b'][?(@.a=='x')]..b}`, `<miss .l[0:3:2][0:1][*]['a','b'][?(@.a=="x")]..b>`},
		"open":      {"open slices", `{.l[::2][:1][-1:].*..*x}`, "<refused>"},
		"open end":  {"open slices", `{.l[::2][:1][-1:].*...\*}`, `<miss .l[::2][:1][-1:].*...\*>`},
		"exists":    {"a filter without a comparison", `{.l[0,?(@.z)]..['5'][1:2]}`, `<miss .l[0,?(@.z)]..5>`},
		"literals":  {"literals in filters", `{.l[?(1.50==-2)][?(true==true)]}`, `<miss .l[?(1.5==-2)]>`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, evaluate(t, tc.template, root)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", tc.template, tc.reason, diff)
			}
		})
	}
}

func TestEvalLenientTypes(t *testing.T) {
	t.Parallel()
	root := map[string]any{
		"labels": map[string]string{"b": "2", "a": "1"},
		"args":   []string{"x", "y"},
		"small":  int8(-3), "u": uint64(18446744073709551615), "f": float32(0.1),
		"opaque": struct{ A int }{1}, "chan": make(chan int), "func": func() {},
		"nums": []any{int(1), int16(2), int32(3), int64(4), uint(5), uint8(6), uint16(7), uint32(8), uint64(9), float32(10), 11.5},
	}
	cases := map[string]evalCase{
		"string map":        {"a map of strings is an object", "{.labels.a}", "1"},
		"string map all":    {"in key order", "{.labels.*}", "1 2"},
		"string map miss":   {"a map of strings is an object", "{.labels.c}", "<miss .labels.c>"},
		"strings":           {"a slice of strings is a list", "{.args[1]}", "y"},
		"strings all":       {"a slice of strings is a list", "{.args.*}", "x y"},
		"strings filter":    {"a slice of strings is a list", `{.args[?(@=="y")]}`, "y"},
		"small":             {"any Go integer", "{.small}", "-3"},
		"unsigned":          {"any Go integer", "{.u}", "18446744073709551615"},
		"float32":           {"its own shortest text", "{.f}", "0.1"},
		"opaque":            {"a struct is opaque", "{.opaque.A}", "<miss .opaque.A>"},
		"opaque wildcard":   {"a struct is opaque", "{.opaque.*}", "<miss .opaque.*>"},
		"opaque index":      {"a struct is no list", "{.opaque[0]}", "<TypeMismatch .opaque[0]>"},
		"opaque value":      {"it is a hit all the same", "{.chan}", "<opaque>"},
		"opaque comparison": {"it cannot be compared", "{.nums[?(@==2)]}", "2"},
		"numbers":           {"all number types compare", "{.nums[?(@>=8)]}", "8 9 10 11.5"},
		"descent":           {"opaque values are leaves", "{..a}", "1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, evaluate(t, tc.template, root)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", tc.template, tc.reason, diff)
			}
		})
	}
}

func TestEvalPieces(t *testing.T) {
	t.Parallel()
	template, err := jsonpath.Parse("a{.l[*]}{.gone}{1}{1.5}{true}{'q'}")
	if err != nil {
		t.Fatal(err)
	}
	got, err := template.Eval(map[string]any{"l": []any{nil, "x"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []jsonpath.Piece{
		{Text: "a", Literal: true},
		{Values: []any{nil, "x"}},
		{Miss: &jsonpath.Miss{Path: ".gone"}},
		{Values: []any{int64(1)}},
		{Values: []any{1.5}},
		{Values: []any{true}},
		{Values: []any{"q"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pieces in template order with Go values (-want +got):\n%s", diff)
	}
}
