package preservation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation"
)

// What all annotations hold together is checked before anything is evicted: by a
// trial injection, and at extraction for those of the rules alone.
func TestAnnotationBudget(t *testing.T) {
	t.Parallel()
	const kib = 1 << 10
	inject := func(theirs, ours int) error {
		manifest := manifestOf(map[string]any{"metadata": map[string]any{"annotations": map[string]any{"a": strings.Repeat("x", theirs-1)}}})
		state := preservation.State{Annotations: map[string]string{"b": strings.Repeat("x", ours-1)}}
		_, _, err := preservation.Inject(manifest, state, preservation.InjectOptions{})
		return err
	}
	require.NoError(t, inject(236*kib, 20*kib), "the limit belongs to the legal sizes")
	require.ErrorIs(t, inject(236*kib+1, 20*kib), preservation.TooLarge)
	err := inject(250*kib, 20*kib)
	require.ErrorIs(t, err, preservation.TooLarge)
	var typed *preservation.InjectError
	require.ErrorAs(t, err, &typed)
	if typed.Target != preservation.Annotation {
		t.Errorf("the target of the error is %s", typed.Target)
	}
	if want := "TooLarge: the annotations would hold 276480 bytes together, and 262144 is the limit"; err.Error() != want {
		t.Errorf("want %s, got %v", want, err)
	}

	// Labels do not count, and what is replaced or removed does not either.
	full := map[string]any{"a": strings.Repeat("x", 256*kib-1)}
	manifest := manifestOf(map[string]any{"metadata": map[string]any{"annotations": full}})
	_, _, err = preservation.Inject(manifest, stateOf(map[string]string{"l": "1"}), preservation.InjectOptions{})
	require.NoError(t, err)
	_, _, err = preservation.Inject(manifest, preservation.State{Annotations: map[string]string{"a": "1", "b": strings.Repeat("x", 250*kib)}}, preservation.InjectOptions{})
	require.NoError(t, err)
	_, _, err = preservation.Inject(manifest, preservation.State{Annotations: map[string]string{"b": "1"}}, preservation.InjectOptions{Owned: []preservation.Ref{annotation("a")}})
	require.NoError(t, err)
	_, _, err = preservation.Inject(manifest, preservation.State{Annotations: map[string]string{"b": "1"}}, preservation.InjectOptions{})
	require.ErrorIs(t, err, preservation.TooLarge)
}

func TestExtractAnnotationBudget(t *testing.T) {
	t.Parallel()
	rule := func(alias, path string) preservation.Rule {
		return preservation.Rule{AliasLabelName: alias, JSONPath: path, Target: preservation.Annotation}
	}
	x := compile(t, rule("a", "{.a}"), rule("b", "{.b}"), rule("c", "{.c}"), preservation.Rule{AliasLabelName: "l", JSONPath: "{.c}"})
	extract := func(a, b string) preservation.Extraction {
		out, _ := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": a, "b": b, "c": "c"})})
		return out
	}
	half := strings.Repeat("x", preservation.MaxAnnotationsBytes/2-2)
	out := extract(half, half)
	if len(out.Errors) > 0 || len(out.State.Annotations) != 3 {
		t.Errorf("the limit belongs to the legal sizes, keys counted: %v", out.Errors)
	}
	out = extract(half, half+"x")
	if len(out.Errors) != 1 || out.Errors[0].Alias != "c" || out.Errors[0].Class != preservation.TooLarge ||
		!strings.Contains(out.Errors[0].Detail, "annotations") {
		t.Errorf("one byte more, the last does not fit: %v", out.Errors)
	}
	out = extract(half, half+half)
	if len(out.Errors) != 1 || out.Errors[0].Alias != "b" || out.State.Annotations["c"] != "c" {
		t.Errorf("what does not fit takes no room from those behind it: %v", out.Errors)
	}
}

// The largest value of each target is legal, one byte more is not.
func TestValueLimits(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]preservation.Rule{
		"annotation": {AliasLabelName: "a", JSONPath: "{.a}", Target: preservation.Annotation},
		"field":      {JSONPath: "{.a}", Target: preservation.Field, FieldPath: ".spec.a"},
	} {
		room := preservation.MaxValueBytes - 1 // the key of the annotation
		if name == "field" {
			room-- // two quotes
		}
		x := compile(t, rule)
		for size, want := range map[int]bool{room: true, room + 1: false} {
			_, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": strings.Repeat("x", size)})})
			if (err == nil) != want {
				t.Errorf("%s of %d bytes: %v", name, size, err)
			}
			if err != nil {
				require.ErrorIs(t, err, preservation.TooLarge)
			}
		}
		var deep any
		for range 10_001 {
			deep = []any{deep}
		}
		for what, value := range map[string]any{
			"many nulls": make([]any, preservation.MaxValueBytes), "a long text": []any{strings.Repeat("x", preservation.MaxValueBytes+1)}, "many lists": deep,
		} {
			_, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": value})})
			require.ErrorIs(t, err, preservation.TooLarge, "%s: a list of %s", name, what)
			require.ErrorContains(t, err, fmt.Sprint(preservation.MaxValueBytes), "%s: a list of %s", name, what)
		}
	}
}

// What stands between two hits counts, also where the next hit would fit without it.
func TestJoinLimit(t *testing.T) {
	t.Parallel()
	x := compile(t, preservation.Rule{AliasLabelName: "a", JSONPath: "{.a[*]}", Target: preservation.Annotation, Join: "---"})
	hits := []any{strings.Repeat("x", preservation.MaxValueBytes-2), "y"}
	_, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": hits})})
	require.ErrorIs(t, err, preservation.TooLarge)
}

// An annotation holds what a document may be nested to.
func TestAnnotationDepth(t *testing.T) {
	t.Parallel()
	x := compile(t, preservation.Rule{AliasLabelName: "a", JSONPath: "{.a}", Target: preservation.Annotation})
	for levels, want := range map[int]error{10_000: nil, 10_001: preservation.TooLarge} {
		var deep any = "x"
		for range levels {
			deep = []any{deep}
		}
		_, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": deep})})
		if !errors.Is(err, want) {
			t.Errorf("%d levels: want %v, got %v", levels, want, err)
		}
	}
}

// A default is as long as a value may be.
func TestDefaultLimit(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{preservation.MaxValueBytes: 0, preservation.MaxValueBytes + 1: 1} {
		errs := preservation.Validate(preservation.StatePreservation{Rules: []preservation.Rule{{
			AliasLabelName: "a", JSONPath: "{.a}", Target: preservation.Annotation, Default: strings.Repeat("x", size),
		}}}, preservation.Protection{}, nil)
		if len(errs) != want {
			t.Errorf("%d bytes: want %d errors, got %d", size, want, len(errs))
		}
	}
}

// S12: no template on any document takes more than memory in proportion to it, or
// a second.
//
//nolint:paralleltest // it counts what the process allocates
func TestHostileWork(t *testing.T) {
	if testing.Short() {
		t.Skip("large documents")
	}
	long := strings.Repeat("x", 1<<20)
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	wide := `{"a":[` + strings.Repeat(`{"b":"`+strings.Repeat("y", 1000)+`"},`, 1000) + `1]}`
	shared := map[string]any{"a": long}
	for range 25 {
		shared = map[string]any{"a": shared, "b": shared}
	}
	cyclic := map[string]any{"x": long}
	cyclic["a"] = []any{cyclic, cyclic}
	repeated := make([]any, 300)
	for i := range repeated {
		repeated[i] = long
	}
	documents := map[string]preservation.Document{
		"nested":  preservation.RawDocument([]byte(nested(9_000))),
		"wide":    preservation.RawDocument([]byte(wide)),
		"long":    preservation.RawDocument([]byte(`{"a":"` + long + `"}`)),
		"digits":  preservation.RawDocument([]byte(`{"a":[` + strings.Repeat("1e399,", 9_000) + "1]}")),
		"number":  preservation.RawDocument([]byte(`{"a":` + strings.Repeat("9", 1<<20) + `}`)),
		"bomb":    preservation.RawDocument([]byte(strings.Repeat(`{"a":`, 1<<20))),
		"shared":  preservation.ObjectDocument(shared),
		"texts":   preservation.ObjectDocument(map[string]any{"a": repeated}),
		"cyclic":  preservation.ObjectDocument(cyclic),
		"escapes": preservation.RawDocument([]byte(`{"a":{"b":"` + strings.Repeat(`\u0001`, 200_000) + `"}}`)),
	}
	templates := []string{
		"{..*}", "{..a}", "{.a}", "{.*}", "{..}", strings.Repeat("{.a}", 1000), "{.a[" + strings.Repeat("0,", 2000) + "0]}",
		strings.Repeat("{range ..a}", 30) + "{.}{end}", "{..a[?(@.b==@.b)]}", strings.Repeat("{range .a[*]}", 30) + "x" + strings.Repeat("{end}", 30),
	}
	for _, target := range []preservation.Target{preservation.Label, preservation.Annotation, preservation.Field} {
		for _, template := range templates {
			rule := preservation.Rule{AliasLabelName: "a", JSONPath: template, Target: target, Join: "-"}
			if target == preservation.Field {
				rule.FieldPath = ".spec.a"
			}
			x, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{rule}}, preservation.Protection{})
			if err != nil {
				continue
			}
			for name, document := range documents {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				out, _ := x.Extract(preservation.Sources{Status: document})
				runtime.ReadMemStats(&after)
				if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 128<<20 {
					t.Errorf("%s: %.40s on %s allocated %d MiB", target, template, name, allocated>>20)
				}
				if len(out.State.Keys())+len(out.Errors) != 1 {
					t.Errorf("neither value nor error: %v", out)
				}
			}
		}
	}
}

// The time of the state has the limits of a rule.
//
//nolint:paralleltest // it counts what the process allocates
func TestHostileTakenAt(t *testing.T) {
	if testing.Short() {
		t.Skip("large documents")
	}
	long := strings.Repeat("x", 1<<20)
	cyclic := map[string]any{"x": long}
	cyclic["a"] = []any{cyclic, cyclic}
	documents := map[string]preservation.Document{
		"long":   preservation.RawDocument([]byte(`{"a":"` + long + `"}`)),
		"number": preservation.RawDocument([]byte(`{"a":` + strings.Repeat("9", 1<<20) + `}`)),
		"exp":    preservation.RawDocument([]byte(`{"a":1e999999999}`)),
		"bomb":   preservation.RawDocument([]byte(strings.Repeat(`{"a":`, 1<<20))),
		"wide":   preservation.RawDocument([]byte(`{"a":[` + strings.Repeat("1,", 100_000) + `1]}`)),
		"cyclic": preservation.ObjectDocument(cyclic),
	}
	for _, template := range []string{"{...*}", "{..a}", "{.a}", "{.*}", "{..}", "{.a[" + strings.Repeat("0,", 2000) + "0]}"} {
		x, err := preservation.Compile(preservation.StatePreservation{TakenAt: template}, preservation.Protection{})
		require.NoError(t, err)
		for name, document := range documents {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out, err := x.Extract(preservation.Sources{Status: document})
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 128<<20 {
				t.Errorf("%.40s on %s allocated %d MiB", template, name, allocated>>20)
			}
			if out.TakenAtError == nil || out.TakenAt != "" || len(out.TakenAtError.Error()) > 10_000 {
				t.Errorf("%.40s on %s: want a short error, got %.100q, %.100v", template, name, out.TakenAt, out.TakenAtError)
			}
		}
	}
}

// A field that replaced one which no state could hold comes back all the same.
func TestRemoveRestoresAnything(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", preservation.MaxValueBytes+1)
	deep := strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)
	for _, old := range []string{
		`""`, `null`, `"` + huge + `"`, `"\\ufffd"`, `"\ufffd"`, `"<>&\u2028"`, `"null"`, `"\"\""`,
	} {
		state := preservation.State{Fields: map[string]string{".spec.a": `"new"`}}
		checkInverse(t, manifestOf(mustDecode(t, `{"metadata":{},"spec":{"a":`+old+`}}`)), state, preservation.InjectOptions{})
		checkInverse(t, manifestOf(mustDecode(t, `{"metadata":{},"spec":{"a":`+old+`}}`)), preservation.State{}, preservation.InjectOptions{
			Owned: []preservation.Ref{fieldAt(".spec.a")},
		})
	}
	for _, old := range []string{`1.50`, `1e400`, `-0`, `-0.0`, `1E+2`, `12345678901234567890`, `0.10`, `1e21`} {
		state := preservation.State{Fields: map[string]string{".spec.a": `7`}}
		checkInverse(t, manifestOf(mustDecode(t, `{"metadata":{},"spec":{"a":`+old+`}}`)), state, preservation.InjectOptions{})
		nested := preservation.State{Fields: map[string]string{".spec.a": `{"b":[7]}`}}
		checkInverse(t, manifestOf(mustDecode(t, `{"metadata":{},"spec":{"a":{"b":[`+old+`,{}]}}}`)), nested, preservation.InjectOptions{})
	}
	state := preservation.State{Fields: map[string]string{".spec.a": `{}`}}
	checkInverse(t, manifestOf(mustDecode(t, `{"metadata":{},"spec":{"a":`+deep+`}}`)), state, preservation.InjectOptions{})
}

// Fields of Go values have the types that apimachinery works with.
func TestInjectedFieldTypes(t *testing.T) {
	t.Parallel()
	state := preservation.State{Fields: map[string]string{
		".spec.whole": "7", ".spec.float": "1.50", ".spec.exp": "1e3", ".spec.list": `[1,2.5,"x",null,true]`, ".spec.zero": "-0", ".spec.int": "2.0",
	}}
	out, _, err := preservation.Inject(manifestOf(map[string]any{"metadata": map[string]any{}, "spec": map[string]any{}}), state, preservation.InjectOptions{})
	require.NoError(t, err)
	spec := out.Object["spec"].(map[string]any)
	for key, want := range map[string]any{"whole": int64(7), "float": 1.5, "exp": int64(1000), "zero": int64(0), "int": int64(2)} {
		if spec[key] != want {
			t.Errorf("%s: want %T %v, got %T %v", key, want, want, spec[key], spec[key])
		}
	}
	if list := spec["list"].([]any); list[0] != int64(1) || list[1] != 2.5 {
		t.Errorf("%#v", list)
	}
	text, err := json.Marshal(out.DeepCopy().Object)
	require.NoError(t, err)
	if want := `{"metadata":{},"spec":{"exp":1000,"float":1.5,"int":2,"list":[1,2.5,"x",null,true],"whole":7,"zero":0}}`; string(text) != want {
		t.Errorf("want %s, got %s", want, text)
	}
}
