package preservation_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/carryover-io/carryover/preservation"
)

func FuzzExtract(f *testing.F) {
	for _, template := range []string{
		"{.a}", "x{.a.b}-{.c[0]}", "{.*}", "{..a}", `{.a[?(@.b>"x")].c}`, "{range .a[*]}x{.b}{end}", `{"x"}`, "{.a['b','c']}", "{.a[-1:]}", "a",
	} {
		for _, status := range []string{`{"a":{"b":1e3},"c":["x",null]}`, `{"a":[{"b":"y","c":1.50},{"b":""}]}`, "null", `{"a":1}{}`, `{"a":"` + "\xff" + `"}`} {
			f.Add(template, []byte(status), "-", "none")
		}
	}
	f.Fuzz(func(t *testing.T, template string, status []byte, join, fallback string) {
		checkTakenAt(t, template, status)
		x, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{
			{AliasLabelName: "plain", JSONPath: template},
			{AliasLabelName: "full", JSONPath: template, Join: join, Default: fallback, Reject: []string{"x"}, Policy: preservation.Optional},
		}}, preservation.Protection{})
		if err != nil {
			return
		}
		raw := preservation.Sources{Status: preservation.RawDocument(status)}
		out, err := x.Extract(raw)
		for key, value := range out.State.Labels {
			if value == "" || len(validation.IsValidLabelValue(value)) > 0 || value == "x" && key == "full" {
				t.Errorf("%s: an illegal value: %q", key, value)
			}
		}
		if len(out.State.Labels)+len(out.Errors) != 2 || (err == nil) != (out.State.Labels["plain"] != "") {
			t.Errorf("a rule has neither value nor error, or the wrong one blocks: %+v, %v", out, err)
		}
		again, _ := x.Extract(raw)
		if diff := cmp.Diff(out, again); diff != "" {
			t.Errorf("not deterministic:\n%s", diff)
		}
		object, ok := decode(string(status))
		if !ok {
			return
		}
		decoded, _ := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(object)})
		if diff := cmp.Diff(out, decoded); diff != "" {
			t.Errorf("(-raw +decoded):\n%s", diff)
		}
	})
}

// checkTakenAt says that there is a time or a reason, that the bytes and the decoded
// object give the same, and that the rules are as without it.
func checkTakenAt(tb testing.TB, template string, status []byte) {
	tb.Helper()
	rules := []preservation.Rule{{AliasLabelName: "a", JSONPath: "{.a}", Policy: preservation.Optional}}
	x, err := preservation.Compile(preservation.StatePreservation{Rules: rules, TakenAt: template}, preservation.Protection{})
	if err != nil {
		return
	}
	raw := preservation.Sources{Cluster: "east", Status: preservation.RawDocument(status)}
	out, err := x.Extract(raw)
	if err != nil || (out.TakenAt == "") != (template == "" || out.TakenAtError != nil) || out.TakenAt != "" && out.TakenAtError != nil {
		tb.Errorf("neither time nor error, or it blocks: %+v, %v", out, err)
	}
	if object, ok := decode(string(status)); ok {
		decoded, _ := x.Extract(preservation.Sources{Cluster: "east", Status: preservation.ObjectDocument(object)})
		if diff := cmp.Diff(out, decoded); diff != "" {
			tb.Errorf("(-raw +decoded):\n%s", diff)
		}
	}
	out.TakenAt, out.TakenAtError = "", nil
	x, _ = preservation.Compile(preservation.StatePreservation{Rules: rules}, preservation.Protection{})
	without, _ := x.Extract(raw)
	if diff := cmp.Diff(without, out); diff != "" {
		tb.Errorf("takenAt changes what the rules give (-without +with):\n%s", diff)
	}
}

var fuzzTargets = []preservation.Target{
	preservation.Label, preservation.Annotation, preservation.Field, preservation.PodTemplateLabel, "Other",
}

var fuzzConflicts = []preservation.Conflict{preservation.Replace, preservation.KeepExisting, preservation.Fail, "Other"}

func FuzzInject(f *testing.F) {
	for _, manifest := range []string{
		`{"metadata":{"labels":{"a":"1","b":"2"}}}`, `{"metadata":{}}`, `{"metadata":{"labels":null}}`, `{"metadata":null}`,
		`{"metadata":{"labels":{"a":1}}}`, `{"metadata":{"labels":["a"]}}`, `{"metadata":{"labels":{}},"spec":{"selector":{"a":"1"}}}`,
		`{"metadata":{"labels":{"a":"1"}},"spec":{"selector":{"matchLabels":{"a":"1"},"matchExpressions":[{"key":"b"}]},"n":1e400}}`, `[]`,
		`{"metadata":{"annotations":{"a":"1","b":null}},"spec":{"job":{"path":"","n":1.50,"l":[null,{"x":1}]},"job.x":null}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{},"spec":{"template":{"metadata":{"labels":{"a":"1"}}}}}`,
	} {
		f.Add([]byte(manifest), byte(0), "a", "1", byte(0), byte(0), "b")
		f.Add([]byte(manifest), byte(1), "k8s.io/x", "s3p://b/p", byte(1), byte(1), "a")
		f.Add([]byte(manifest), byte(2), ".spec.job.path", `"s3p://b/p"`, byte(2), byte(2), ".spec.job.n")
		f.Add([]byte(manifest), byte(2), ".spec.job.l[1].x", `1.50`, byte(3), byte(2), ".spec.job")
		f.Add([]byte(manifest), byte(2), ".spec.job", `{"b":[1]}`, byte(0), byte(3), "a")
	}
	f.Fuzz(func(t *testing.T, text []byte, target byte, key, value string, choices, ownedTarget byte, owned string) {
		object, ok := decode(string(text))
		if !ok {
			return
		}
		manifest := manifestOf(object)
		before := jsonOf(t, manifest)
		state := preservation.State{Conflicts: []preservation.RefConflict{{
			Ref:      preservation.Ref{Target: fuzzTargets[target%3], Key: key},
			Conflict: fuzzConflicts[choices%4],
		}}}
		values := map[string]string{key: value}
		switch target % 3 {
		case 0:
			state.Labels = values
		case 1:
			state.Annotations = values
		default:
			state.Fields = values
		}
		options := preservation.InjectOptions{
			Owned:       []preservation.Ref{{Target: fuzzTargets[ownedTarget%5], Key: owned}},
			PodTemplate: choices&4 > 0, Force: choices&8 > 0,
		}
		out, report, err := preservation.Inject(manifest, state, options)
		if after := jsonOf(t, manifest); before != after {
			t.Fatalf("the manifest was changed from %s to %s", before, after)
		}
		if err != nil {
			var typed *preservation.InjectError
			if !errors.As(err, &typed) || out != nil {
				t.Fatalf("not an InjectError, or a manifest beside it: %v", err)
			}
			return
		}
		checkInverse(t, manifest, state, options)
		checkOnlyOurs(t, report, state, options)
	})
}

// FuzzDecodeState says that what is decoded is what Encode writes, and nothing else.
func FuzzDecodeState(f *testing.F) {
	for _, text := range []string{
		`{"version":1}`, `{"version":1,"labels":{"a":"1"},"annotations":{"a":"x y"},"fields":{".spec.a":"1.50",".spec.b":"{\"x\":[1]}"}}`,
		`{"version":1,"labels":{"a":"1"},"conflicts":[{"target":"Label","key":"a","conflict":"Keep"}],"failover":{"cause":"Planned","attempt":2}}`,
		`{"version":2}`, `{"Version":1}`, `null`, `{"version":1,"labels":{"a":"1"},"labels":{"b":"1"}}`, `{"version":1,"failover":{"time":1e1}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		state, err := preservation.DecodeState(text)
		if err != nil {
			if !errors.Is(err, preservation.BadState) || !state.IsEmpty() {
				t.Fatalf("not BadState, or a state beside it: %v, %v", err, state)
			}
			return
		}
		encoded, err := state.Encode()
		if err != nil {
			t.Fatalf("decoded, and not encoded: %v", err)
		}
		again, err := preservation.DecodeState(encoded)
		if err != nil {
			t.Fatalf("encoded, and not decoded: %v", err)
		}
		if diff := cmp.Diff(state, again); diff != "" {
			t.Errorf("another state (-want +got):\n%s", diff)
		}
	})
}

// FuzzFieldPath says that a path that parses has one spelling, which parses to
// itself, and that nothing outside it is written.
func FuzzFieldPath(f *testing.F) {
	for _, path := range []string{".spec.a", "spec.a[0].b", `.spec.a\.b\[0\]\\`, "..", "[0]", ".spec[0", ".spec.a[00]", "$.spec", ".metadata.labels", ".spec.selector.x", "spec. a"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		rule := preservation.Rule{JSONPath: "{.a}", Target: preservation.Field, FieldPath: path}
		x, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{rule}}, preservation.Protection{})
		if err != nil {
			return
		}
		out, err := x.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(`{"a":"v"}`))})
		if err != nil || len(out.State.Fields) != 1 {
			t.Fatalf("a valid rule gives %v, %v", out.State, err)
		}
		encoded, err := out.State.Encode()
		if err != nil {
			t.Fatalf("a valid path is not one of a state: %v", err)
		}
		if again, err := preservation.DecodeState(encoded); err != nil || !again.Equal(out.State) {
			t.Fatalf("round trip: %v, %v", again, err)
		}
		rule.FieldPath = out.State.Keys()[0].Key
		x, err = preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{rule}}, preservation.Protection{})
		if err != nil {
			t.Fatalf("%q is valid, its spelling %q is not: %v", path, rule.FieldPath, err)
		}
		again, _ := x.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(`{"a":"v"}`))})
		if diff := cmp.Diff(out, again); diff != "" {
			t.Errorf("two spellings (-want +got):\n%s", diff)
		}
	})
}
