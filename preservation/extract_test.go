package preservation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation"
)

func compile(t testing.TB, rules ...preservation.Rule) *preservation.Extractor {
	t.Helper()
	x, err := preservation.Compile(preservation.StatePreservation{Rules: rules}, preservation.Protection{})
	require.NoError(t, err)
	return x
}

func TestExtractSeveralRules(t *testing.T) {
	t.Parallel()
	x := compile(
		t,
		preservation.Rule{AliasLabelName: "example.com/job", JSONPath: "{.job}"},
		preservation.Rule{AliasLabelName: "example.com/path", JSONPath: " {.path} ", Policy: preservation.Optional},
		preservation.Rule{AliasLabelName: "example.com/gone", JSONPath: "{.gone}"},
		preservation.Rule{AliasLabelName: "example.com/many", JSONPath: "{.many[*]}", Policy: preservation.Required},
		preservation.Rule{AliasLabelName: "example.com/kind", JSONPath: `{"flink"}`},
	)
	status := `{"job":"e6fd","path":"s3p://b/p","many":[1,2]}`
	out, err := x.Extract(preservation.Sources{Cluster: "east", Status: preservation.RawDocument([]byte(status))})

	want := preservation.Extraction{
		State: preservation.State{Labels: map[string]string{"example.com/job": "e6fd", "example.com/kind": "flink"}},
		Errors: []*preservation.RuleError{
			{
				Cluster: "east", Rule: 1, Alias: "example.com/path", Path: "{.path}",
				Policy: preservation.Optional, Class: preservation.InvalidValue,
				Detail: "not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends",
			},
			{
				Cluster: "east", Rule: 2, Alias: "example.com/gone", Path: "{.gone}",
				Policy: preservation.Required, Class: preservation.MissingKey, Detail: "nothing at .gone",
			},
			{
				Cluster: "east", Rule: 3, Alias: "example.com/many", Path: "{.many[*]}",
				Policy: preservation.Required, Class: preservation.MultipleValues,
				Detail: "the path has 2 hits: narrow it, or set join",
			},
		},
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("good values and all errors, in the order of the rules (-want +got):\n%s", diff)
	}
	require.ErrorIs(t, err, preservation.MissingKey)
	require.ErrorIs(t, err, preservation.MultipleValues)
	if errors.Is(err, preservation.InvalidValue) {
		t.Errorf("an Optional rule blocks: %v", err)
	}
	wantText := `cluster "east": rule 2 (example.com/gone) {.gone}: MissingKey: nothing at .gone
cluster "east": rule 3 (example.com/many) {.many[*]}: MultipleValues: the path has 2 hits: narrow it, or set join`
	if diff := cmp.Diff(wantText, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExtractWithoutRules(t *testing.T) {
	t.Parallel()
	bad := preservation.Sources{Status: preservation.RawDocument([]byte("{"))}
	for name, x := range map[string]*preservation.Extractor{"nil": nil, "zero": {}, "compiled": compile(t)} {
		out, err := x.Extract(bad)
		require.NoError(t, err, name)
		if diff := cmp.Diff(preservation.Extraction{}, out); diff != "" {
			t.Errorf("%s: without rules nothing is read (-want +got):\n%s", name, diff)
		}
	}
}

func TestExtractOnlyOptionalFails(t *testing.T) {
	t.Parallel()
	x := compile(t, preservation.Rule{AliasLabelName: "example.com/a", JSONPath: "{.a}", Policy: preservation.Optional})
	out, err := x.Extract(preservation.Sources{})
	require.NoError(t, err)
	if len(out.Errors) != 1 || !out.Errors[0].Retryable() || !out.State.IsEmpty() || out.State.Labels != nil {
		t.Errorf("want one retryable error and no state, got %+v", out)
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	cyclic := map[string]any{"a": "x"}
	cyclic["self"] = cyclic
	cases := map[string]struct {
		reason   string
		document preservation.Document
		path     string
		want     string
		class    preservation.Class
		detail   string
	}{
		"Zero":            {"not collected", preservation.Document{}, "{.a}", "", preservation.StatusNotCollected, ""},
		"NilBytes":        {"not collected", preservation.RawDocument(nil), "{.a}", "", preservation.StatusNotCollected, ""},
		"NilObject":       {"not collected", preservation.ObjectDocument(nil), "{.a}", "", preservation.StatusNotCollected, ""},
		"EmptyObject":     {"collected", preservation.ObjectDocument(map[string]any{}), "{.a}", "", preservation.MissingKey, ""},
		"Unreadable":      {"with the caller's detail", preservation.UnreadableDocument("two statuses"), "{.a}", "", preservation.BadStatus, "two statuses"},
		"UnreadableBare":  {"without a detail it must not turn into a retry", preservation.UnreadableDocument(""), "{.a}", "", preservation.BadStatus, "cannot be read"},
		"DepthBomb":       {"S12", preservation.RawDocument([]byte(`{"a":` + strings.Repeat("[", 20_000))), "{.a}", "", preservation.BadStatus, "byte"},
		"DeepestDocument": {"S12: the limit belongs to the legal depths", preservation.RawDocument([]byte(`{"b":"x","a":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + "}")), "{.b}", "x", "", ""},
		"InvalidUTF8":     {"read as U+FFFD, which no label holds", preservation.RawDocument([]byte("{\"a\":\"x\xff\"}")), "{.a}", "", preservation.InvalidValue, ""},
		"LoneSurrogate":   {"read as U+FFFD, which no label holds", preservation.RawDocument([]byte(`{"a":"\ud800"}`)), "{.a}", "", preservation.InvalidValue, ""},
		"Cyclic":          {"L4", preservation.ObjectDocument(cyclic), "{..a}", "", preservation.TooLarge, ""},
		"CyclicPlain":     {"L4: only what is asked for is read", preservation.ObjectDocument(cyclic), "{.self.self.a}", "x", "", ""},
		"GoInt":           {"any Go number", preservation.ObjectDocument(map[string]any{"a": 7}), "{.a}", "7", "", ""},
		"GoUint8":         {"any Go number", preservation.ObjectDocument(map[string]any{"a": uint8(7)}), "{.a}", "7", "", ""},
		"GoUint64":        {"any Go number", preservation.ObjectDocument(map[string]any{"a": uint64(math.MaxUint64)}), "{.a}", "18446744073709551615", "", ""},
		"GoFloat32":       {"its own shortest text", preservation.ObjectDocument(map[string]any{"a": float32(0.1)}), "{.a}", "0.1", "", ""},
		"GoFloat64":       {"S3: plain decimal", preservation.ObjectDocument(map[string]any{"a": 1.734462491693e+12}), "{.a}", "1734462491693", "", ""},
		"NaN":             {"no JSON", preservation.ObjectDocument(map[string]any{"a": math.NaN()}), "{.a}", "", preservation.NotScalar, ""},
		"BadNumber":       {"no JSON", preservation.ObjectDocument(map[string]any{"a": json.Number("x")}), "{.a}", "", preservation.NotScalar, ""},
		"GoStruct":        {"no JSON; the type is named, the value is not", preservation.ObjectDocument(map[string]any{"a": struct{ S string }{"x"}}), "{.a}", "", preservation.NotScalar, "a Go value of type struct { S string }"},
		"TextMap":         {"as an object", preservation.ObjectDocument(map[string]any{"a": map[string]string{"b": "x"}}), "{.a.b}", "x", "", ""},
		"TextMapItself":   {"as an object", preservation.ObjectDocument(map[string]any{"a": map[string]string{}}), "{.a}", "", preservation.NotScalar, "an object"},
		"TextList":        {"as a list", preservation.ObjectDocument(map[string]any{"a": []string{"x", "y"}}), "{.a[1]}", "y", "", ""},
		"TextListItself":  {"as a list", preservation.ObjectDocument(map[string]any{"a": []string{"x"}}), "{.a}", "", preservation.NotScalar, "a list"},
		"EmptyTextList":   {"S4: an empty list", preservation.ObjectDocument(map[string]any{"a": []string{}}), "{.a}", "", preservation.MissingKey, "empty"},
		"Hits":            {"S12: values are counted", preservation.RawDocument([]byte(`{"a":[` + strings.Repeat("1,", 10_000) + `1]}`)), "{.a[*]}", "", preservation.TooLarge, "10000"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := compile(t, preservation.Rule{AliasLabelName: "example.com/v", JSONPath: tc.path})
			got := answer(t, x, tc.document)
			if got.Value != tc.want || got.Class != tc.class || !strings.Contains(got.Detail, tc.detail) {
				t.Errorf("%s:\nwant %q %s %q\ngot  %q %s %q", tc.reason, tc.want, tc.class, tc.detail, got.Value, got.Class, got.Detail)
			}
		})
	}
}

// A short template may name a long text again and again.
func TestExtractBoundsTheValue(t *testing.T) {
	t.Parallel()
	const limit = 262_144
	raw := func(size int) preservation.Document {
		return preservation.RawDocument([]byte(`{"a":["` + strings.Repeat("x", size) + `","y"]}`))
	}
	cases := map[string]struct {
		reason string
		path   string
		size   int
		want   preservation.Class
	}{
		"Join":       {"a union of one index, 100 times", "{.a[0" + strings.Repeat(",0", 99) + "]}", 1 << 20, preservation.TooLarge},
		"Pieces":     {"one path, 60 times", strings.Repeat("{.a[0]}", 60), 1 << 20, preservation.TooLarge},
		"Limit":      {"the limit belongs to the legal sizes; a label holds less", "{.a[0]}", limit, preservation.InvalidValue},
		"Over":       {"one byte more", "{.a[0]}", limit + 1, preservation.TooLarge},
		"JoinLimit":  {"the separator counts once for two", "{.a[0,1]}", limit - 3, preservation.InvalidValue},
		"JoinOver":   {"one byte more", "{.a[0,1]}", limit - 2, preservation.TooLarge},
		"PieceLimit": {"text counts too", "{.a[0]}-{.a[1]}", limit - 2, preservation.InvalidValue},
		"PieceOver":  {"one byte more", "{.a[0]}-{.a[1]}", limit - 1, preservation.TooLarge},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := compile(t, preservation.Rule{AliasLabelName: "example.com/v", JSONPath: tc.path, Join: "--"})
			if got := answer(t, x, raw(tc.size)); got.Class != tc.want {
				t.Errorf("%s: want %s, got %s %s", tc.reason, tc.want, got.Class, got.Detail)
			}
		})
	}
}

func TestRetryable(t *testing.T) {
	t.Parallel()
	for _, class := range []preservation.Class{
		preservation.MissingKey, preservation.BadPath, preservation.NotScalar, preservation.MultipleValues,
		preservation.TypeMismatch, preservation.InvalidValue, preservation.TooLarge, preservation.BadStatus,
		preservation.StatusNotCollected,
	} {
		err := &preservation.RuleError{Class: class}
		if got, want := err.Retryable(), class == preservation.StatusNotCollected; got != want {
			t.Errorf("%s: Retryable = %t, want %t", class, got, want)
		}
		require.ErrorIs(t, fmt.Errorf("evict: %w", err), class)
	}
	if (&preservation.InjectError{}).Retryable() {
		t.Error("the same manifest and state give the same error")
	}
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		`cluster "east": rule 1 (a/b) {.x}: BadStatus: no`: &preservation.RuleError{Cluster: "east", Rule: 1, Alias: "a/b", Path: "{.x}", Class: preservation.BadStatus, Detail: "no"},
		`rule 0 (a) {.x}: BadStatus`:                       &preservation.RuleError{Alias: "a", Path: "{.x}", Class: preservation.BadStatus},
		`label "a": Refused: no`:                           &preservation.InjectError{Class: preservation.Refused, Target: preservation.Label, Key: "a", Detail: "no"},
		`cluster "east": field ".a": Refused: no`:          &preservation.InjectError{Cluster: "east", Class: preservation.Refused, Target: preservation.Field, Key: ".a", Detail: "no"},
		`cluster "east": BadManifest: no`:                  &preservation.InjectError{Cluster: "east", Class: preservation.BadManifest, Detail: "no"},
		`BadManifest: no`:                                  &preservation.InjectError{Class: preservation.BadManifest, Detail: "no"},
		`Refused`:                                          preservation.Refused,
	} {
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	none, empty := preservation.State{}, preservation.State{Labels: map[string]string{}}
	one, other := preservation.State{Labels: map[string]string{"a": "1"}}, preservation.State{Labels: map[string]string{"a": "2"}}
	if !none.Equal(empty) || !empty.IsEmpty() || !none.IsEmpty() {
		t.Error("nil and empty are equal, and empty")
	}
	if one.IsEmpty() || one.Equal(other) || one.Equal(none) || !one.Equal(one) {
		t.Error("values make the difference")
	}
}

// sharedRules are of every kind that the evaluator has, so that one of them would
// show state that is kept between evaluations.
func sharedRules(t testing.TB) *preservation.Extractor {
	t.Helper()
	return compile(
		t,
		preservation.Rule{AliasLabelName: "example.com/field", JSONPath: "{.z.x}"},
		preservation.Rule{AliasLabelName: "example.com/star", JSONPath: "{.*.x}", Join: "-"},
		preservation.Rule{AliasLabelName: "example.com/range", JSONPath: "{range .c.list[*]}i{.v}{end}"},
		preservation.Rule{AliasLabelName: "example.com/filter", JSONPath: "{.c.list[?(@.v>1)].v}"},
		preservation.Rule{AliasLabelName: "example.com/gone", JSONPath: "{.z.X}"},
	)
}

const sharedStatus = `{"z":{"x":26},"a":{"x":1},"m":{"x":13},"c":{"x":3,"list":[{"v":1},{"v":2}]}}`

func TestExtractIsDeterministic(t *testing.T) {
	t.Parallel()
	x := sharedRules(t)
	object, _ := decode(sharedStatus)
	documents := []preservation.Document{preservation.RawDocument([]byte(sharedStatus)), preservation.ObjectDocument(object)}
	want := map[string]string{
		"example.com/field": "26", "example.com/star": "1-3-13-26", "example.com/range": "i1i2", "example.com/filter": "2",
	}
	for i := range 1000 {
		out, err := x.Extract(preservation.Sources{Status: documents[i%2]})
		if diff := cmp.Diff(want, out.State.Labels); diff != "" {
			t.Fatalf("evaluation %d (-want +got):\n%s", i, diff)
		}
		if text := `rule 4 (example.com/gone) {.z.X}: MissingKey: nothing at .z.X: the object has "x"; names are case-sensitive`; err.Error() != text {
			t.Fatalf("evaluation %d: want %s\ngot %v", i, text, err)
		}
	}
	again, _ := decode(sharedStatus)
	if diff := cmp.Diff(again, object); diff != "" {
		t.Errorf("the status was changed (-want +got):\n%s", diff)
	}
}

func TestExtractorIsShared(t *testing.T) {
	t.Parallel()
	x := sharedRules(t)
	raw := []byte(sharedStatus)
	object, _ := decode(sharedStatus)
	want, _ := x.Extract(preservation.Sources{Status: preservation.RawDocument(raw)})
	var group sync.WaitGroup
	for i := range 16 {
		group.Add(1)
		go func() {
			defer group.Done()
			document := preservation.RawDocument(raw)
			if i%2 == 1 {
				document = preservation.ObjectDocument(object)
			}
			for range 100 {
				out, _ := x.Extract(preservation.Sources{Status: document})
				if diff := cmp.Diff(want, out); diff != "" {
					t.Errorf("goroutine %d (-want +got):\n%s", i, diff)
					return
				}
			}
		}()
	}
	group.Wait()
	if string(raw) != sharedStatus {
		t.Error("the bytes were changed")
	}
}

// Whatever a status holds, its bytes and the decoded object give the same.
func TestRawAndDecodedAgree(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many documents")
	}
	random := rand.New(rand.NewPCG(1, 2))
	var rules []preservation.Rule
	for i, path := range []string{
		"{.a}", "{.a.b}", "{.*}", "{..a}", "{.a[0]}", "{.a[-1]}", "{.a[1:]}", "{.a[*].b}", "{.a[?(@.b>1)].b}", "{.a['b','c']}",
		"{range .a[*]}x{.b}{end}", "x{.a}-{.b}", "{.b.c}", `{.b[?(@.a=="x")].c}`,
	} {
		alias := fmt.Sprintf("example.com/%d", i)
		rules = append(
			rules,
			preservation.Rule{AliasLabelName: alias, JSONPath: path, Reject: []string{"0"}},
			preservation.Rule{AliasLabelName: alias + "-join", JSONPath: path, Join: "-", Default: "none", Policy: preservation.Optional},
		)
	}
	x := compile(t, rules...)
	values := 0
	for range 1000 {
		raw, err := json.Marshal(randomObject(random, 4))
		require.NoError(t, err)
		object, _ := decode(string(raw))
		fromRaw, errRaw := x.Extract(preservation.Sources{Status: preservation.RawDocument(raw)})
		fromObject, errObject := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(object)})
		if diff := cmp.Diff(fromRaw, fromObject); diff != "" || fmt.Sprint(errRaw) != fmt.Sprint(errObject) {
			t.Fatalf("%s (-raw +decoded):\n%s", raw, diff)
		}
		values += len(fromRaw.State.Labels)
	}
	if values < 3_000 {
		t.Errorf("only %d values: the documents do not fit the rules", values)
	}
}

func randomObject(random *rand.Rand, depth int) map[string]any {
	object := map[string]any{}
	for _, key := range []string{"a", "b", "c", "a.b", "A"} {
		if random.IntN(3) > 0 {
			object[key] = randomValue(random, depth-1)
		}
	}
	return object
}

func randomValue(random *rand.Rand, depth int) any {
	if depth > 0 {
		switch random.IntN(5) {
		case 0, 1:
			return randomObject(random, depth)
		case 2:
			list := []any{}
			for range random.IntN(3) {
				list = append(list, randomValue(random, depth-1))
			}
			return list
		}
	}
	scalars := []any{
		nil, "", "x", "s3p://b/p", strings.Repeat("a", 64), true, false, 0, 2, -1, 1.5, 1e21,
		json.Number("1734462491693"), json.Number("12345678901234567890"), json.Number("1e400"), json.Number("1e401"), json.Number("1.50"),
	}
	return scalars[random.IntN(len(scalars))]
}

// Collected state may hold secrets: no error shows any of it.
func TestErrorsHoldNoValues(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	number := json.Number("86420135")
	var texts []string
	note := func(err error) {
		if err != nil {
			texts = append(texts, err.Error(), fmt.Sprintf("%+v", err))
		}
	}
	for _, status := range []string{
		`{"a":"hunter2/86420135"}`, `{"a":["hunter2","86420135"]}`, `{"a":{"b":"hunter2"}}`, `{"a":[{"b":"hunter2"},{"b":86420135}]}`,
		`{"a":86420135e400}`, `{"a":"hunter2"hunter2}`, `{"a":hunter2}`, `"hunter2"`, `86420135`, `["hunter2"]`, `{"a":"hunter2","b":[86420135`,
		`{"a":"hunter2"} hunter2`, `{"a":"\hunter2"}`, "{\"a\":\"hunter2\x01\"}", `{"a":86420135hunter2}`, `hunter2`, `{"a":tunter2}`,
	} {
		for _, path := range []string{
			"{.a}", "{.a.b}", "{.a.b.c}", "{.a[0]}", "{.a[7]}", "{.a[*]}", "{..b}", "{.a[*].b}", "{.a[?(@.b>1)].b}", `{.a[?(@.b>"x")].b}`, "{.A}",
			"{.a}{.a}", "x{.a[0]}/{.a[1]}", "{.a[?(@.b==1)].c}", "{range .a[*]}{.b.c}{end}", "{.a[?(@[*]==1)]}", "{.a['b','c']}", "{.status.a}",
		} {
			sp := preservation.StatePreservation{Rules: []preservation.Rule{
				{AliasLabelName: "example.com/v", JSONPath: path},
				{AliasLabelName: "example.com/r", JSONPath: path, Reject: []string{"x"}, Join: "-"},
			}}
			x, err := preservation.Compile(sp, preservation.Protection{})
			if err != nil {
				continue
			}
			out, err := x.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(status))})
			note(err)
			for _, err := range out.Errors {
				note(err)
			}
		}
	}
	for _, value := range []any{secret, number, []any{secret}, map[string]any{"x": secret}, struct{ S string }{secret}, json.Number(secret), []byte(secret)} {
		for _, labels := range []any{map[string]any{"a": value}, value} {
			object := map[string]any{"metadata": map[string]any{"labels": labels, "annotations": map[string]any{"x": secret}}, "spec": value}
			for _, state := range []map[string]string{{"a": secret + "/"}, {"a b": secret}, {"k8s.io/x": secret}, {"a": strings.Repeat(secret, 10)}, {"x": secret}} {
				_, _, err := preservation.Inject(manifestOf(object), preservation.State{Labels: state}, preservation.InjectOptions{})
				note(err)
			}
			_, _, err := preservation.Inject(manifestOf(map[string]any{"metadata": value}), preservation.State{}, preservation.InjectOptions{})
			note(err)
		}
	}
	_, err := preservation.Remove(manifestOf(map[string]any{"metadata": map[string]any{}}), preservation.Report{Changes: []preservation.Change{
		{Ref: preservation.Ref{Target: "Other", Key: "a"}, Value: secret, Old: secret},
	}})
	note(err)
	if len(texts) < 200 {
		t.Errorf("only %d errors: the inputs do not fail", len(texts))
	}
	for _, text := range texts {
		if strings.Contains(text, secret) || strings.Contains(text, number.String()) {
			t.Errorf("a value shows in: %s", text)
		}
	}
}
