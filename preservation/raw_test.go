package preservation_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/carryover-io/carryover/preservation"
)

// checkShortCut says that what is read from the bytes is what the decoded document
// gives: values, errors, details and hints.
func checkShortCut(tb testing.TB, x *preservation.Extractor, in preservation.Sources) preservation.Extraction {
	tb.Helper()
	want, wantErr := x.Decoding().Extract(in)
	got, gotErr := x.Extract(in)
	if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
		tb.Fatalf("(-decoded +raw):\n%s\n%v\n%v", diff, wantErr, gotErr)
	}
	return got
}

var shortCutTemplates = []string{
	"{.a}", "{.b}", "{.a.b}", "{.a.b.c}", `{.a\.b}`, "{.A}", "{.a.a}", "{.c.a}", "{.b.c}", "x{.a}", "{.a}-{.b}", "{.a.b}{.a.c}", "{.a}{.a.b}",
	"{.a[0]}", "{.b[-1]}", "{.a.b[1:]}", "{.a[*].b}", "{.a[?(@.b>1)].b}", `{.b[?(@.a=="x")].c}`, "{.a['b','c']}", "{.a.b.*}", "{.a..b}", "{.b..}",
	"{range .a[*]}x{.b}{end}", "{range .a.b[*]}{@}-{end}{.c}", "{range .a.b}{.c}{end}", "{range .b[*]}{range .a[*]}{.c}", `{"x"}{.a.c}`, `{"x"}`,
	"{.*}", "{..a}", "{}", "{@.a}", "{$.a.b}", "{.status.a}", "{.a.}", "{.é}", "{.\ufffd}", "{.a[*].b}{.gone}", "{.gone[0]}{.a[0].b}",
}

func randomRules(random *rand.Rand) []preservation.Rule {
	var rules []preservation.Rule
	for i := range 1 + random.IntN(6) {
		rule := preservation.Rule{
			AliasLabelName: fmt.Sprintf("example.com/%d", i),
			JSONPath:       shortCutTemplates[random.IntN(len(shortCutTemplates))],
			From:           pick[preservation.Source](random, "", "", "", "Object", "snapshot", "Failover"),
			Policy:         pick(random, "", preservation.Optional),
			Default:        pick(random, "", "", "none"),
			Join:           pick(random, "", "", "-"),
		}
		if random.IntN(4) == 0 {
			rule.Reject = []string{"0", "x", "{}"}
		}
		switch random.IntN(4) {
		case 0:
			rule.Target = preservation.Annotation
		case 1:
			rule.Target, rule.FieldPath = preservation.Field, fmt.Sprintf(".spec.f%d", i)
		}
		rules = append(rules, rule)
	}
	return rules
}

// mutate breaks a document in a few places, or none.
func mutate(random *rand.Rand, doc []byte) preservation.Document {
	for range random.IntN(3) {
		if len(doc) == 0 {
			break
		}
		at := random.IntN(len(doc))
		switch random.IntN(4) {
		case 0:
			doc[at] = pick(random, []byte("{}[]\",:\\0129-.eE\xff abc")...)
		case 1:
			doc = append(doc[:at:at], doc[at+1:]...)
		case 2:
			doc = append(doc[:at:at], append([]byte{doc[random.IntN(len(doc))]}, doc[at:]...)...)
		default:
			// A member more, which may be one that is there.
			member := pick(random, `"a":7,`, `"a":{"b":{}},`, `"\u0061":null,`, `"b":[1],`, "\"\xff\":\"x\",", `"a":"\ud800",`)
			doc = []byte(strings.Replace(string(doc), "{", "{"+member, 1+random.IntN(2)))
		}
	}
	return preservation.RawDocument(doc)
}

// Whatever the rules and the documents are, decoding less changes nothing.
func TestRawRandom(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	planned, values, classes := 0, 0, map[preservation.Class]int{}
	for range rounds(15_000) {
		sp := preservation.StatePreservation{Rules: randomRules(random)}
		if template := shortCutTemplates[random.IntN(len(shortCutTemplates))]; random.IntN(3) == 0 {
			sp.TakenAt = template
		}
		x, err := preservation.Compile(sp, preservation.Protection{})
		if err != nil {
			continue
		}
		document := func() preservation.Document {
			raw, err := json.Marshal(randomObject(random, 4))
			require.NoError(t, err)
			return mutate(random, raw)
		}
		in := preservation.Sources{Cluster: "east", Status: document(), Object: document()}
		switch random.IntN(8) {
		case 0:
			in.Status = preservation.RawDocument([]byte(" null "))
		case 1:
			in.Object = preservation.Document{}
		case 2:
			in.Object = preservation.UnreadableDocument("no")
		case 3:
			in.Object = preservation.ObjectDocument(randomObject(random, 4))
		case 4:
			in.Named = map[string]preservation.Document{"snapshot": document()}
		case 5:
			in.Failover = &preservation.Failover{Cause: "x", Attempt: 1}
		}
		out := checkShortCut(t, x, in)
		planned += x.Plans()
		values += len(out.State.Labels) + len(out.State.Annotations) + len(out.State.Fields)
		for _, err := range out.Errors {
			classes[err.Class]++
		}
	}
	for _, class := range []preservation.Class{
		preservation.MissingKey, preservation.NotScalar, preservation.MultipleValues, preservation.TypeMismatch,
		preservation.InvalidValue, preservation.TooLarge, preservation.BadStatus, preservation.StatusNotCollected,
	} {
		if classes[class] == 0 {
			t.Errorf("never %s", class)
		}
	}
	if planned < rounds(2000) || values < rounds(2000) {
		t.Errorf("%d plans, %d values, %v", planned, values, classes)
	}
}

// What the documents of the other tests rarely hold.
func TestRawCorners(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1", 400)
	for reason, doc := range map[string]string{
		"a number that is written out":   `{"a":1e3,"b":{"c":-0}}`,
		"all digits":                     `{"a":` + long + `,"b":{"c":-` + long + `}}`,
		"too many digits":                `{"a":` + long + `1,"b":{"c":0.` + long + `}}`,
		"an exponent that is too large":  `{"a":1e401,"b":{"c":1E-401}}`,
		"booleans":                       `{"a":true,"b":{"c":false}}`,
		"empty texts":                    `{"a":"","b":{"c":""}}`,
		"nothing":                        `{"a":null,"b":{"c":null}}`,
		"empty lists":                    `{"a":[],"b":{"c":{}}}`,
		"an object":                      `{"a":{"z":1.50,"a":"<"},"b":{"c":[null,{}]}}`,
		"escapes":                        `{"a":"\u0078\/y","b":{"c":"\ud800"}}`,
		"bytes that are no UTF-8":        "{\"a\":\"\xff\",\"b\":{\"c\":\"x\"},\"\xfe\":\"y\"}",
		"a key as it was escaped":        `{"\u0061":"x","b":{"\u0063":"y"}}`,
		"the last wins":                  `{"a":"x","b":{"c":"y"},"a":"z","b":{}}`,
		"the longest value":              `{"a":"` + strings.Repeat("x", preservation.MaxValueBytes) + `","b":{"c":"y"}}`,
		"a value that is too long":       `{"a":"` + strings.Repeat("x", preservation.MaxValueBytes+1) + `","b":{"c":"y"}}`,
		"a broken end":                   `{"a":"x","b":{"c":"y"}`,
		"something behind":               `{"a":"x","b":{"c":"y"}} 1`,
		"a list":                         `[{"a":"x"}]`,
		"what is rejected":               `{"a":"0","b":{"c":0}}`,
		"an object that is rejected":     `{"a":{},"b":{"c":{}}}`,
		"a sibling that differs in case": `{"A":"x","b":{"C":"y"},"b.c":1}`,
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			in := preservation.Sources{Status: preservation.RawDocument([]byte(doc))}
			for _, target := range []preservation.Target{preservation.Label, preservation.Annotation, preservation.Field} {
				for _, fallback := range []string{"", "none"} {
					var rules []preservation.Rule
					for i, path := range []string{"{.a}", "{.b.c}", "{.\ufffd}", "x{.a}"} {
						rule := preservation.Rule{
							AliasLabelName: fmt.Sprintf("example.com/%d", i), JSONPath: path, Target: target, Default: fallback, Reject: []string{"0", "{}"},
						}
						if target == preservation.Field {
							rule.FieldPath = fmt.Sprintf(".spec.f%d", i)
						}
						rules = append(rules, rule)
					}
					checkShortCut(t, compile(t, rules...), in)
				}
			}
			for _, path := range []string{"{.a}", "{.b.c}", "{.a[0]}", "{.b.*}"} {
				x, err := preservation.Compile(preservation.StatePreservation{TakenAt: path}, preservation.Protection{})
				require.NoError(t, err)
				checkShortCut(t, x, in)
			}
		})
	}
}

// More values than an extraction holds without allocating.
func TestRawManyRules(t *testing.T) {
	t.Parallel()
	var rules []preservation.Rule
	var members []string
	for i := range preservation.MaxRules {
		rules = append(rules, preservation.Rule{
			AliasLabelName: fmt.Sprintf("example.com/%d", i), JSONPath: fmt.Sprintf("{.k%d.v}", i), From: pick[preservation.Source](rand.New(rand.NewPCG(1, uint64(i))), "", "Object", "other"),
		})
		members = append(members, fmt.Sprintf(`"k%d":{"v":"%d"}`, i, i))
	}
	raw := preservation.RawDocument([]byte("{" + strings.Join(members, ",") + "}"))
	in := preservation.Sources{Status: raw, Object: raw, Named: map[string]preservation.Document{"other": raw}}
	x := compile(t, rules...)
	out := checkShortCut(t, x, in)
	if len(out.State.Labels) != preservation.MaxRules || x.Plans() != 3 {
		t.Errorf("%d values of %d plans", len(out.State.Labels), x.Plans())
	}
	for key, value := range out.State.Labels {
		if key != "example.com/"+value {
			t.Errorf("%s has the value %s", key, value)
		}
	}
}

// TestRawAllocations: three labels cost the map, its room and a text each at most,
// whatever else the status holds.
func TestRawAllocations(t *testing.T) { //nolint:paralleltest // counts allocations of the whole process
	x := compile(t, labelRules(plainPaths)...)
	for _, checkpoints := range []int{0, 800} {
		in := preservation.Sources{Status: preservation.RawDocument(flinkStatus(checkpoints))}
		if got := testing.AllocsPerRun(50, func() { _, _ = x.Extract(in) }); got > 5 {
			t.Errorf("%v allocations", got)
		}
	}
	object, _ := decode(string(flinkStatus(0)))
	in := preservation.Sources{Status: preservation.ObjectDocument(object)}
	if got := testing.AllocsPerRun(50, func() { _, _ = x.Extract(in) }); got > 3 {
		t.Errorf("%v allocations for a decoded status", got)
	}
}

// Values that are asked for again and again, and lie within each other, are not read
// again and again: past twice the document it is decoded, once (S12).
//
//nolint:paralleltest // it counts what the process allocates
func TestRawReadsLittle(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	in := preservation.Sources{Status: preservation.RawDocument([]byte(`{"a":{"b":{"c":{"d":"` + long + `"}}}}`))}
	var rules []preservation.Rule
	for i, path := range slices.Repeat([]string{"{.a.b.c.d}", "{.a[0]}", "{.a.b[0]}", "{.a.b.c[0]}", "{.a.b.c.d[0]}", "{.a.b}"}, 20) {
		rules = append(rules, preservation.Rule{AliasLabelName: fmt.Sprintf("example.com/%d", i), JSONPath: path, Default: "none"})
	}
	x := compile(t, rules...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, _ := x.Extract(in)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 10*uint64(len(long)) {
		t.Errorf("%d bytes allocated for a status of %d", got, len(long))
	}
	if len(out.Errors) != len(rules) {
		t.Errorf("%d errors of %d rules", len(out.Errors), len(rules))
	}
}

// TestRawShortCut: what is there is read without decoding the document.
func TestRawShortCut(t *testing.T) {
	t.Parallel()
	const status = `{"text":"x","number":1.50,"power":1e3,"yes":true,"no":false,"object":{"a":"x"},"list":[{"a":"x","b":1}],"null":null}`
	for name, tc := range map[string]struct {
		reason string
		rule   preservation.Rule
		want   bool
	}{
		"Text":        {"as it stands", preservation.Rule{JSONPath: "{.text}"}, true},
		"Number":      {"as it stands", preservation.Rule{JSONPath: "{.number}"}, true},
		"Power":       {"written out", preservation.Rule{JSONPath: "{.power}"}, true},
		"True":        {"as it stands", preservation.Rule{JSONPath: "{.yes}"}, true},
		"False":       {"as it stands", preservation.Rule{JSONPath: "{.no}"}, true},
		"Field":       {"as JSON", preservation.Rule{JSONPath: "{.text}", Target: preservation.Field, FieldPath: ".spec.x"}, true},
		"FieldNumber": {"with its type", preservation.Rule{JSONPath: "{.number}", Target: preservation.Field, FieldPath: ".spec.x"}, true},
		"Object":      {"only the object is decoded", preservation.Rule{JSONPath: "{.object}", Target: preservation.Annotation}, true},
		"Filter":      {"only the list is decoded", preservation.Rule{JSONPath: "{.list[?(@.b==1)].a}"}, true},
		"Mixed":       {"two values", preservation.Rule{JSONPath: "{.text}-{.list[0].a}"}, true},
		"Default":     {"missing is missing", preservation.Rule{JSONPath: "{.gone}", Default: "x"}, true},
		"DefaultNull": {"and so is null", preservation.Rule{JSONPath: "{.null}", Default: "x"}, true},
		"Missing":     {"the hint needs the document", preservation.Rule{JSONPath: "{.gone}"}, false},
		"Illegal":     {"so does any other error", preservation.Rule{JSONPath: "{.object}"}, false},
		"Root":        {"it is wanted as a whole", preservation.Rule{JSONPath: "{..b}"}, false},
		"Constant":    {"there is nothing to read", preservation.Rule{JSONPath: `{"x"}`}, false},
		"Decoded":     {"it is not given as JSON", preservation.Rule{JSONPath: "{.text}", From: preservation.FromObject}, false},
		"Broken":      {"it is no JSON", preservation.Rule{JSONPath: "{.text}", From: "broken"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.rule.AliasLabelName = "a"
			in := preservation.Sources{
				Status: preservation.RawDocument([]byte(status)), Object: preservation.ObjectDocument(map[string]any{"text": "x"}),
				Named: map[string]preservation.Document{"broken": preservation.RawDocument([]byte(status + "x"))},
			}
			if got := compile(t, tc.rule).ShortCut(in); got[0] != tc.want {
				t.Errorf("%s: %t", tc.reason, got[0])
			}
			if tc.rule.From != "" || tc.rule.Default != "" || tc.rule.Target != "" || name == "Mixed" || name == "Constant" {
				return
			}
			x, err := preservation.Compile(preservation.StatePreservation{TakenAt: tc.rule.JSONPath}, preservation.Protection{})
			require.NoError(t, err)
			if got := x.ShortCut(in); got[0] != tc.want {
				t.Errorf("takenAt: %s: %t", tc.reason, got[0])
			}
		})
	}
}

// TestRawBudget reads up to twice the document, to the byte, and what was decoded is
// free.
func TestRawBudget(t *testing.T) {
	t.Parallel()
	in := preservation.Sources{Status: preservation.RawDocument([]byte(`{"a":"x"}`))} // nine bytes, of which a value has three
	paths := append(slices.Repeat([]string{"-{.a}-x"}, 10), slices.Repeat([]string{"{.a}"}, 6)...)
	var rules []preservation.Rule
	for i, path := range append(paths, "-{.a}-y") {
		rule := preservation.Rule{AliasLabelName: fmt.Sprint("a", i), JSONPath: path, Target: preservation.Annotation, Default: "none"}
		rules = append(rules, rule)
	}
	x, err := preservation.Compile(preservation.StatePreservation{Rules: rules, TakenAt: "{.a}"}, preservation.Protection{})
	require.NoError(t, err)
	want := append(slices.Repeat([]bool{true}, 15), false, true, false)
	if diff := cmp.Diff(want, x.ShortCut(in)); diff != "" {
		t.Errorf("ten share one decode, five more read (-want +got):\n%s", diff)
	}
	checkShortCut(t, x, in)
	objects := preservation.Sources{Status: preservation.RawDocument([]byte(`{"a":{"b":["x"]}}`))}
	rules = nil
	for i, path := range []string{"{.a}", "{.a.b}", "{.a.b[0]}", "{.a}", "{.a['b']}", "{.a.b}", "{.a.b[0]}"} {
		rules = append(rules, preservation.Rule{AliasLabelName: fmt.Sprint("a", i), JSONPath: path, Target: preservation.Annotation, Default: "none"})
	}
	x, err = preservation.Compile(preservation.StatePreservation{Rules: rules, TakenAt: "{.a.b[0]}"}, preservation.Protection{})
	require.NoError(t, err)
	if diff := cmp.Diff(slices.Repeat([]bool{true}, 8), x.ShortCut(objects)); diff != "" {
		t.Errorf("each is decoded once (-want +got):\n%s", diff)
	}
	checkShortCut(t, x, objects)
}

// A document that one rule needs as a whole is decoded for all of them.
func TestRawPlans(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reason string
		rules  []string
		want   int
	}{
		"Fields":   {"only what is asked for", []string{"{.a}", "{.b[*]}"}, 1},
		"Whole":    {"a path that starts at the root", []string{"{.a}", "{..b}"}, 0},
		"Constant": {"nothing is read", []string{`{"x"}`}, 0},
		"Failover": {"it never is JSON", []string{"{.cause}"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rules []preservation.Rule
			for i, path := range tc.rules {
				rule := preservation.Rule{AliasLabelName: fmt.Sprintf("example.com/%d", i), JSONPath: path}
				if name == "Failover" {
					rule.From = preservation.FromFailover
				}
				rules = append(rules, rule)
			}
			if got := compile(t, rules...).Plans(); got != tc.want {
				t.Errorf("%s: %d plans, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

// The state does not refer to the document, which the caller may change afterwards.
func TestRawDoesNotAlias(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"a":"xxx","b":{"c":111}}`)
	x := compile(t, preservation.Rule{AliasLabelName: "a", JSONPath: "{.a}"}, preservation.Rule{AliasLabelName: "c", JSONPath: "{.b.c}"})
	out, err := x.Extract(preservation.Sources{Status: preservation.RawDocument(doc)})
	require.NoError(t, err)
	for i := range doc {
		doc[i] = '?'
	}
	if diff := cmp.Diff(map[string]string{"a": "xxx", "c": "111"}, out.State.Labels); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A label is legal where Kubernetes says so, byte by byte.
func TestLabelsAreKubernetesLabels(t *testing.T) {
	t.Parallel()
	x := compile(t, preservation.Rule{AliasLabelName: "a", JSONPath: "{.a}"})
	check := func(text string) {
		out, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": text})})
		if want := text != "" && len(validation.IsValidLabelValue(text)) == 0; (err == nil) != want || (out.State.Labels["a"] == text) != want && text != "" {
			t.Errorf("%q: %v", text, err)
		}
	}
	for b := range 256 {
		for _, form := range []string{"%s", "%sx", "x%s", "x%sx", "x%[1]s%[1]sx"} {
			check(fmt.Sprintf(form, string([]byte{byte(b)})))
			check(fmt.Sprintf(form, string(rune(b))))
		}
	}
	for n := range 70 {
		check(strings.Repeat("x", n))
	}
}

func FuzzRaw(f *testing.F) {
	for i, template := range shortCutTemplates {
		for _, status := range []string{
			`{"a":{"b":1e3},"c":["x",null]}`, `{"a":[{"b":"y","c":1.50},{"b":""}],"b":{"c":"x"}}`, "null", `{"a":1}{}`, "{\"a\":\"\xff\"}", `{"\u0061":{"b":1},"a":7}`,
		} {
			f.Add(template, shortCutTemplates[(i*7+3)%len(shortCutTemplates)], []byte(status), "-", "none", "x")
		}
	}
	f.Fuzz(func(t *testing.T, first, second string, status []byte, join, fallback, reject string) {
		x, err := preservation.Compile(preservation.StatePreservation{TakenAt: first, Rules: []preservation.Rule{
			{AliasLabelName: "plain", JSONPath: first},
			{AliasLabelName: "other", JSONPath: second, Target: preservation.Annotation, Policy: preservation.Optional},
			{AliasLabelName: "full", JSONPath: second, Join: join, Default: fallback, Reject: []string{reject}, Target: preservation.Field, FieldPath: ".spec.x"},
		}}, preservation.Protection{})
		if err != nil {
			x, err = preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{
				{AliasLabelName: "plain", JSONPath: first},
				{AliasLabelName: "other", JSONPath: second, Target: preservation.Annotation, Policy: preservation.Optional},
			}}, preservation.Protection{})
		}
		if err != nil {
			return
		}
		checkShortCut(t, x, preservation.Sources{Status: preservation.RawDocument(status)})
	})
}
