package preservation_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

func FuzzInject(f *testing.F) {
	for _, manifest := range []string{
		`{"metadata":{"labels":{"a":"1","b":"2"}}}`, `{"metadata":{}}`, `{"metadata":{"labels":null}}`, `{"metadata":null}`,
		`{"metadata":{"labels":{"a":1}}}`, `{"metadata":{"labels":["a"]}}`, `{"metadata":{"labels":{}},"spec":{"selector":{"a":"1"}}}`,
		`{"metadata":{"labels":{"a":"1"}},"spec":{"selector":{"matchLabels":{"a":"1"},"matchExpressions":[{"key":"b"}]},"n":1e400}}`, `[]`,
	} {
		f.Add([]byte(manifest), "a", "1", "b")
		f.Add([]byte(manifest), "k8s.io/x", "s3p://b/p", "a")
	}
	f.Fuzz(func(t *testing.T, text []byte, key, value, owned string) {
		object, ok := decode(string(text))
		if !ok {
			return
		}
		manifest := manifestOf(object)
		before := jsonOf(t, manifest)
		state := stateOf(map[string]string{key: value})
		options := preservation.InjectOptions{Owned: []string{owned}}
		out, _, err := preservation.Inject(manifest, state, options)
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
		checkKept(t, object, out, key, value, owned)
	})
}

// checkKept says that the labels of the manifest are all there, but those of the
// state and the owned one, and that nothing else changed.
func checkKept(t *testing.T, before map[string]any, after *unstructured.Unstructured, key, value, owned string) {
	t.Helper()
	labels, _, err := unstructured.NestedStringMap(after.Object, "metadata", "labels")
	if err != nil || labels[key] != value {
		t.Fatalf("the state is not there: %v, %v", labels, err)
	}
	metadata := before["metadata"].(map[string]any)
	old, _ := metadata["labels"].(map[string]any)
	for k, v := range old {
		if k != key && k != owned && labels[k] != v {
			t.Errorf("label %q is lost", k)
		}
	}
	if _, had := old[key]; len(labels) > len(old)+1 || had && len(labels) > len(old) {
		t.Errorf("labels from nowhere: %v", labels)
	}
	without := func(object map[string]any) string {
		delete(object["metadata"].(map[string]any), "labels")
		text, _ := json.Marshal(object)
		return string(text)
	}
	if diff := cmp.Diff(without(before), without(after.Object)); diff != "" {
		t.Errorf("something else changed (-want +got):\n%s", diff)
	}
}
