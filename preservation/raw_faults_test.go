package preservation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/preservation"
)

// TestRawFaults is S4 and S12 on bytes: a fault stays the fault that it is, for every
// rule that meets it, and no default hides it.
func TestRawFaults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		raw    string
		paths  []string
		want   []preservation.Class
	}{
		"broken, twice":           {"each rule that reads the document has the fault", `{"a":"x"`, []string{"{.a}", "{.b}"}, []preservation.Class{preservation.BadStatus, preservation.BadStatus}},
		"types that do not match": {"a filter that compares text with a number is no missing value", `{"a":[{"n":"x","v":"y"}]}`, []string{"{.a[?(@.n>2)].v}", "p-{.a[?(@.n>2)].v}-{.a[0].n}"}, []preservation.Class{preservation.TypeMismatch, preservation.TypeMismatch}},
		"an object":               {"no label holds one", `{"a":{"b":"c"}}`, []string{"{.a}", "{.a.b}-{.a}"}, []preservation.Class{preservation.NotScalar, preservation.NotScalar}},
		"several":                 {"several hits are an error", `{"a":["b","c"]}`, []string{"{.a[*]}", "x{.a[*]}"}, []preservation.Class{preservation.MultipleValues, preservation.MultipleValues}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, fallback := range []string{"", "d"} {
				sp := preservation.StatePreservation{}
				for i, path := range test.paths {
					sp.Rules = append(sp.Rules, preservation.Rule{AliasLabelName: []string{"one", "two"}[i], JSONPath: path, Default: fallback})
				}
				extractor, err := preservation.Compile(sp, preservation.Protection{})
				if err != nil {
					t.Fatal(err)
				}
				got, _ := extractor.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(test.raw))})
				var classes []preservation.Class
				for _, e := range got.Errors {
					classes = append(classes, e.Class)
				}
				if diff := cmp.Diff(test.want, classes); diff != "" {
					t.Errorf("%s, default %q (-want +got)\n%s", test.reason, fallback, diff)
				}
				if !got.State.IsEmpty() {
					t.Errorf("values %v", got.State.Keys())
				}
			}
		})
	}
}

// TestFieldKeepsItsType is S6 for paths that are more than fields: an index, a filter
// and a wildcard with one hit keep the type of that hit, and text stays text.
func TestFieldKeepsItsType(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"a":[5,"5"],"o":[{"k":"x","n":7,"t":"7"}]}`)
	for path, want := range map[string]string{
		"{.a[0]}": "5", "{.a[1]}": `"5"`, `{.o[?(@.k=="x")].n}`: "7", `{.o[?(@.k=="x")].t}`: `"7"`, "{.o[*].n}": "7", "{.o[*].t}": `"7"`,
	} {
		sp := preservation.StatePreservation{Rules: []preservation.Rule{{JSONPath: path, Target: preservation.Field, FieldPath: ".spec.x"}}}
		extractor, err := preservation.Compile(sp, preservation.Protection{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := extractor.Extract(preservation.Sources{Status: preservation.RawDocument(raw)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{".spec.x": want}, got.State.Fields); diff != "" {
			t.Errorf("%s (-want +got)\n%s", path, diff)
		}
	}
	sp := preservation.StatePreservation{Rules: []preservation.Rule{{AliasLabelName: "one", JSONPath: "{.a[0]}"}}}
	extractor, err := preservation.Compile(sp, preservation.Protection{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := extractor.Extract(preservation.Sources{Status: preservation.RawDocument(raw)}); err != nil || got.State.Labels["one"] != "5" {
		t.Errorf("%v, %v", got.State.Labels, err)
	}
}
