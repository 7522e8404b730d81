package jsonpath_test

import (
	"bytes"
	"errors"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	clientgo "k8s.io/client-go/util/jsonpath"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// attempts is how often client-go runs, to find out whether map order shows.
// A map of two keys is swapped once in eight times only, so that a difference
// is believed after many more.
const (
	attempts     = 20
	manyAttempts = 1000
)

// errPanic stands for a panic of client-go.
var errPanic = errors.New("panic")

// theirs runs client-go's strict mode; a panic counts as an error.
func theirs(text string, root any) (out string, err error) { //nolint:nonamedreturns // set after a panic
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	j := clientgo.New("x").AllowMissingKeys(false)
	if err := j.Parse(text); err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = j.Execute(&b, root)
	return b.String(), err
}

// stable gives client-go's text if it gives the same one every time.
// Otherwise it gives the error, or mapOrder.
func stable(text string, root any, runs int) (string, bool) {
	first, err := theirs(text, root)
	if err != nil {
		return err.Error(), false
	}
	for range runs - 1 {
		if again, err := theirs(text, root); err != nil || again != first {
			return mapOrder, false
		}
	}
	return first, true
}

const mapOrder = "map order"

// outcome is what both sides made of one template and document.
type outcome struct {
	template, doc  string
	theirs         string
	theirsOK       bool
	ours           string
	refused        bool
	missed, failed bool
}

func compareBoth(template, doc string, root any) outcome {
	o := outcome{template: template, doc: doc}
	o.theirs, o.theirsOK = stable(template, root, attempts)
	compiled, err := jsonpath.Parse(template)
	if err != nil {
		o.refused, o.ours = true, err.Error()
		return o
	}
	pieces, err := compiled.Eval(root)
	if err != nil {
		o.failed, o.ours = true, err.Error()
		return o
	}
	o.ours = renderWith(pieces, func(*jsonpath.Miss) string { o.missed = true; return "" })
	return o
}

// allowed are the differences from client-go, each with its rule. One that no
// case needs fails the test.
var allowed = map[string]struct {
	rule    string
	applies func(outcome) bool
}{
	"numbers in plain decimal": {"S3", func(o outcome) bool {
		return o.theirsOK && sameNumbers(o.theirs, o.ours)
	}},
	"a text has no children": {"S2", func(o outcome) bool {
		return o.theirsOK && !o.refused && !o.failed && hasWildcard(o.template) &&
			(withoutBytes(o.theirs) == withoutBytes(o.ours) || strings.Contains(o.template, "[?(@.*)"))
	}},
	"null exists nowhere": {"S4", func(o outcome) bool {
		return o.theirsOK && !o.refused && strings.Contains(o.template, "[?(") && strings.Contains(o.doc, "null") &&
			!strings.ContainsAny(o.template, "=<>")
	}},
	"a failing operand does not exist": {"S4", func(o outcome) bool {
		return o.theirsOK && !o.refused && strings.Contains(o.template, "[?(@[") && !strings.ContainsAny(o.template, "=<>")
	}},
	"an empty template refused": {"S7", func(o outcome) bool {
		return o.refused && strings.TrimSpace(o.template) == ""
	}},
	"null does not panic": {"S4", func(o outcome) bool {
		return strings.HasPrefix(o.theirs, "panic") && o.ours == "null"
	}},
	"null prints as null": {"S4", func(o outcome) bool {
		return o.theirsOK && strings.ReplaceAll(o.theirs, "<no value>", "null") == o.ours
	}},
	"silent rereading refused": {"S1", func(o outcome) bool {
		return o.theirsOK && o.refused && slices.Contains(reread, o.template)
	}},
	"numbers compare by value": {"S3", func(o outcome) bool {
		return strings.HasSuffix(o.theirs, "incompatible types for comparison") && strings.Contains(o.template, "[?(")
	}},
	"a missing or null operand matches nothing": {"S4", func(o outcome) bool {
		failed := strings.HasSuffix(o.theirs, "is not found") || strings.Contains(o.theirs, "out of bounds") ||
			strings.HasSuffix(o.theirs, "invalid type for comparison")
		return failed && strings.Contains(o.template, "[?(")
	}},
	"lists that are too short are skipped": {"S4", func(o outcome) bool {
		return strings.HasPrefix(o.theirs, "array index out of bounds") || strings.HasPrefix(o.theirs, "starting index")
	}},
	"a filter skips null": {"S4", func(o outcome) bool {
		return strings.HasSuffix(o.theirs, "cannot be filtered") && strings.Contains(o.doc, "null")
	}},
	"a loop over nothing does not run": {"S4", func(o outcome) bool {
		return o.theirsOK && !o.refused && strings.HasPrefix(o.template, "v{range ") && (o.ours == "v" || o.ours == "vnull" || o.ours == "v[]")
	}},
	"an empty list does not end the step": {"S5", func(o outcome) bool {
		return o.theirsOK && !o.refused && !o.failed && slicedTwice.MatchString(o.template) && strings.HasPrefix(o.ours, o.theirs)
	}},
	"map order": {"S2", func(o outcome) bool { return !o.theirsOK && o.theirs == mapOrder }},
}

var numberRex = regexp.MustCompile(`[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)

// slicedTwice matches a slice behind a step that gives several inputs.
var slicedTwice = regexp.MustCompile(`(\*\]|\.\*|:[0-9-]*\]).*(\[\*|:)`)

// sameNumbers compares texts with all numbers in them by value.
func sameNumbers(a, b string) bool {
	normal := func(text string) string {
		return numberRex.ReplaceAllStringFunc(text, func(number string) string {
			r, ok := new(big.Rat).SetString(number)
			if !ok {
				return number
			}
			return r.RatString()
		})
	}
	return normal(a) == normal(b)
}

func hasWildcard(template string) bool {
	return strings.Contains(template, ".*") || strings.Contains(template, "'*'")
}

// withoutBytes drops the words that may be bytes of a text.
func withoutBytes(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' })
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		return len(word) <= 3 && strings.Trim(word, "0123456789") == ""
	}), " ")
}

func TestDifferential(t *testing.T) {
	t.Parallel()
	docs := documents()
	templates := differentialTemplates()
	if len(templates) < 150 || len(docs) < 12 {
		t.Fatalf("%d templates and %d documents are too few", len(templates), len(docs))
	}
	used := map[string]int{}
	agreed := 0
	for _, doc := range docs {
		root := natural(decode(t, doc))
		for _, template := range templates {
			o := compareBoth(template, doc, root)
			if agrees(o) {
				agreed++
				continue
			}
			why := excuse(o)
			if why == "" {
				o.theirs, o.theirsOK = stable(template, root, manyAttempts)
				why = excuse(o)
			}
			if why == "" {
				t.Errorf("%s on %s\n theirs (ok %t) %q\n ours   (refused %t, failed %t, missed %t) %q",
					o.template, o.doc, o.theirsOK, o.theirs, o.refused, o.failed, o.missed, o.ours)
			}
			used[why]++
		}
	}
	for name, entry := range allowed {
		if used[name] == 0 {
			t.Errorf("no case needs the difference %q (%s)", name, entry.rule)
		}
	}
	t.Logf("%d templates on %d documents: %d agree; differences %v", len(templates), len(docs), agreed, used)
}

// agrees holds if both give the same text, or both give none: where client-go
// fails, a miss is as good as an error.
func agrees(o outcome) bool {
	if o.theirsOK {
		return !o.refused && !o.failed && o.theirs == o.ours
	}
	return o.theirs != mapOrder && (o.refused || o.failed || o.missed)
}

func excuse(o outcome) string {
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if allowed[name].applies(o) {
			return name
		}
	}
	return ""
}

func documents() []string {
	return []string{
		`{}`,
		`null`,
		`[]`,
		`[1,2,3]`,
		`"text"`,
		`{"a":{"b":1,"c":"x"},"l":[1,2,3],"s":"str"}`,
		`{"a":{"b":{"c":"deep"}},"l":[{"n":1,"t":"x"},{"n":2,"t":"y"}]}`,
		`{"a":null,"l":null,"s":""}`,
		`{"a":{"b":null},"l":[],"s":null}`,
		`{"a":[{"b":1},{"b":2},{"c":3}],"l":[{"n":null},{"n":5}]}`,
		`{"l":[[1,2],[],[3]],"a":{"b":[1]}}`,
		`{"l":[{"n":1.5,"t":"a"},{"n":2,"t":"b"},{"t":null}],"s":true}`,
		`{"l":[{"n":1655371,"t":"x"},{"n":1e21,"t":"y"}],"a":{"b":12345678.25}}`,
		`{"l":[true,false,null],"a":{"b":true},"s":0.00001}`,
		`{"a":{"b":[{"c":1},{"c":2}]},"l":[{"l":[{"n":1}]},{"l":[{"n":2},{"n":3}]}]}`,
		`{"a.b":"dot","a":{"b":"plain","b c":"blank"},"l":["x","y","z","x"],"":"nameless"}`,
		`{"l":[{"n":9007199254740993,"t":"<&>"}],"a":{"b":{"<":"&"}}}`,
		`{"l":[{"t":"Ready","n":true},{"t":"Gone","n":false}]}`,
		`{"l":[null,[1,2,3]],"a":[[1,2],[3]]}`,
	}
}

// reread are spellings that client-go reads in another way than written.
var reread = []string{
	`{.l}}`, `a}b`, `{.a "x"}`, `{"x"'y'}`, `{.a 1}`, `{true false}`, `{.a@}`, `{.a$.b}`, `{.l @}`,
	`{['a@']}`, `{['a$']}`, `{['a}{.b']}`, `{['a true']}`, `{.a['b}{"x']}`, `{"\xff"}`, `{.a\\b}`,
	`{.l[?(@.n!)]}`, `{.l[?(@.n=)]}`, `{.l[?(@.n&&@.t)]}`, `{.l[?(@.t}{.x)]}`,
	`{.l[?(@.n>1}{2)]}`, `{12345678901234567890}`, `{0.12345678901234567891}`, `{range .l range}x{end}{end}`,
	`{range .l[*]}x{end .n}`, `{.s[1:0]}`, `{.l[0:1:0]}`, `{.l[?(@.n='x')]}`, `{.l[?(@.t=~"x")]}`, `{.l[?(@.n<@.n<5)]}`,
	`{.l[?(@.n===1)]}`, `{.l[?(@.t==x)]}`,
}

func differentialTemplates() []string {
	heads := []string{
		"", ".a", ".l", ".s", ".a.b", ".l[0]", ".l[-1]", ".l[*]", ".l[0,1]", ".l[0:2]", ".l[::2]", "['a']", ".a['b','c']",
		"..", ".*", `.a\.b`, "$", "@", ".l.*", ".l[1:1]", ".l[?(@.n)]", ".l[*].l",
	}
	tails := []string{
		"", ".b", ".n", "..n", ".*", "[0]", "[*]", "[1:]", "[-2:]", `[?(@.t=="x")]`, "[?(@.n>1)]", "['b']", "[0,1]",
	}
	var out []string
	for _, head := range heads {
		for _, tail := range tails {
			out = append(out, "{"+head+tail+"}")
		}
	}
	for _, op := range []string{"==", "!=", "<", "<=", ">", ">="} {
		for _, operand := range []string{"1", "1.5", "2.0", `"x"`, `'y'`, "true", "@.n", "@.gone", "$.t", "-1"} {
			out = append(out, "{.l[?(@.n"+op+operand+")].t}", "{.l[?(@.t"+op+operand+")].n}", "{.l[?(@"+op+operand+")]}")
		}
	}
	out = append(out, exists()...)
	out = append(out, ranges()...)
	out = append(out, literals()...)
	return append(out, reread...)
}

func exists() []string {
	return []string{
		"{.l[?(@)]}", "{.l[?()]}", "{.l[?(@.t)].t}", "{.l[?(@.gone)]}", "{.l[?(@[5])]}", "{.l[?(@[0])]}", "{.l[?(@..n)]}",
		"{.l[?(@.*)]}", `{.l[?("x")]}`, "{.l[?(false)]}", "{.l[?(@[0]>1)]}", "{.l[?(@[*]>1)]}", "{.l[?(@.l[?(@.n)])]}",
		"{.a.b[?(@.c)].c}", "{.l[0,?(@>1)]}", "{.l[?(@.n),?(@.t)].t}",
	}
}

func ranges() []string {
	return []string{
		"{range .l[*]}{.n},{end}", "v{range .l}p{end}", "v{range .s}p{end}", "{range .l[*]}{@}{end}", "{range .l[*]}{$},{end}!", "{.l[*] range}x{end}",
		"{range .l[*]}{range .l[*]}{.n}-{end};{end}", "{range .l}{@}{end}", "{range}{@}{end}", "{range .l[*]}x",
		"{range .l[*]}{range @[*]}{@}{end};", "{range .l[*]}a{range .l}b", "{range .l[*]}x{end}{range .l[*]}y{end}",
		`{range .l[*]}{.t}{"\t"}{.n}{"\n"}{end}`, `{range "x"}{@}{end}`, "{range .l[*]}{end}", "{range .l[?(@.n)]}{.t}{end}",
		"{range .l[*]}{range .l[*]}{.n}{end}{end}{.s}", "{range ..n}{@},{end}", "{range .l[*]}{.n}{range .l}{end}z{end}.",
		"{end}", "{range .l[*]}{end}{end}", "x{range .l[*]}{range .l}{range .l}a{end}b", "{range .l[*]}{.a[0]}{end}",
	}
}

func literals() []string {
	return []string{
		"", " ", "text", "x{.s}y", "x-{.a.b}-{.l}", `{"x"}`, `{'x'}`, `{"\n\t\u00e9"}`, "{1}", "{-1}", "{+1}", "{1.5}", "{1.50}", "{007}",
		"{true}", "{false}", `{"true"}`, "{1}{2}", "{ .a . b }", "{.a .b}", "{.}", "{.a.}", "{..}", "{...}", "{....}", "{...b}", "{..*}",
		"{...*}", "{.a...b}", "{..b..c}", "{['.','.']}", "{['*']}", `{.\*}`, "{['a.b']}", `{['a\.b']}`, `{.a.b\ c}`, `{.a['b\ c']}`,
		"{['']}", "{.['a']}", "{['a','l']}", "{['a', 'gone']}", "{[0]}", "{[0:1]}", "{[?(@>1)]}", "{.l[]}", "{.l[0,]}", "{.l[:-1]}",
		"{.l[-1:]}", "{.l[-1:0]}", "{.l[3:]}", "{.l[2:2]}", "{.l[0:9]}", "{.l[9]}", "{.l[-9]}", "{.l[0:2:5]}", "{.l[::]}", "{.l[-]}",
		"{jobId}", "{a.b}", "{1e5}", "{1.2.3}", "{.a", "{.l[0}", "{.l[?(@.n]}", `{"x}`, `{"\\"}`, `{.a["b"]}`, "{.l[a]}", "{*}", "{,}",
		"{.a\t}", "{.a\n}", "{.a{.b}}", "{\"{\"}", "{.l[?(@.n>1 && @.n<3)]}", "{.l[?(!@.t)]}",
		"{.l[?(==1)]}", "{.l[?(@.n==)]}", "{.l[?(@.t=='x' )].n}", "{.l[?( 'x'==@.t)].n}", `{.l[?(@.t==")")]}`, `{.l[?(@['t']=="a)")]}`,
		"{.l[*]['n','t']}", "{.a['b.c']}", "{['a']['b']}", "{$.a}", "{@.a}", "{$$@.a}", "{.a.b.c.d}", "{.l[*][?(@>1)]}", "{.l[*][2]}", "{.l[*][*]}", "{.l[*][0:]}", "{.é}", `{.a"x"}`,
	}
}
