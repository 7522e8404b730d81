package jsonpath_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

func TestStems(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reason, template string
		want             [][]string
		fields           bool
	}{
		"Fields":   {"the whole path", `{.a.b\.c}`, [][]string{{"a", "b.c"}}, true},
		"Root":     {"a path without steps", "{}", [][]string{{}}, true},
		"Filter":   {"what is in a filter starts at the item", "{.a.b[?(@.c==1)].d}", [][]string{{"a", "b"}}, false},
		"Index":    {"an index is no field", "{.a[0].b}", [][]string{{"a"}}, false},
		"Wildcard": {"the root itself", "{.*}", [][]string{{}}, false},
		"Mixed":    {"text, constants and paths", `x{.a}-{"y"}{.b.c[0]}`, [][]string{{"a"}, {"b", "c"}}, false},
		"Two":      {"two paths of fields are not one", "{.a}{.b}", [][]string{{"a"}, {"b"}}, false},
		"Range":    {"what is in a range starts at the item", "{range .a.b[*]}{.c}{range .d}{.e}{end}{end}{.f}", [][]string{{"a", "b"}, {"f"}}, false},
		"Open":     {"the body of a range without its end is there once more, behind it", "{range .a[*]}{.b}", [][]string{{"a"}, {"b"}}, false},
		"Constant": {"nothing is read", `{"x"}`, nil, false},
		"Over":     {"a range over a constant reads nothing, and its body the item", `{range "x"}{.a}{end}`, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template, err := jsonpath.Parse(tc.template)
			require.NoError(t, err)
			if diff := cmp.Diff(tc.want, template.Stems()); diff != "" || template.IsFields() != tc.fields {
				t.Errorf("%s: IsFields = %t (-want +got):\n%s", tc.reason, template.IsFields(), diff)
			}
		})
	}
}

// TestEvalAt evaluates everything that the other tests do on what is at the stems, where
// that is there: the hits are the same, and so are the errors.
func TestEvalAt(t *testing.T) {
	t.Parallel()
	compared, missed, failed := 0, 0, 0
	for _, doc := range append(documents(), flinkStatus) {
		root, ok := decodeBytes([]byte(doc))
		if !ok {
			continue
		}
		for _, text := range differentialTemplates() {
			template, err := jsonpath.Parse(text)
			if err != nil {
				continue
			}
			at, all := valuesAt(t, root, template.Stems())
			want, wantErr := template.Eval(root)
			hit, found := template.Find(root)
			if isHit := template.IsFields() && all; found != isHit || found && !cmp.Equal(hit, want[0].Values[0]) {
				t.Errorf("%s on %s: found %v, %t", text, doc, hit, found)
			}
			if !all {
				missed++
				continue
			}
			compared++
			got, gotErr := template.EvalAt(at)
			if wantErr != nil {
				failed++
				require.EqualError(t, gotErr, wantErr.Error())
				continue
			}
			require.NoError(t, gotErr)
			for i := range want {
				if want[i].Miss != nil {
					require.NotNil(t, got[i].Miss)
					want[i].Miss.Hint, got[i].Miss.Hint = "", ""
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s on %s (-want +got):\n%s", text, doc, diff)
			}
		}
	}
	if compared < 2000 || missed < 2000 || failed < 100 {
		t.Errorf("%d compared, %d missed, %d failed", compared, missed, failed)
	}
}

// valuesAt looks each stem up by a template of its own.
func valuesAt(t *testing.T, root any, stems [][]string) ([]any, bool) {
	t.Helper()
	var at []any
	for _, stem := range stems {
		value := root
		for _, key := range stem {
			object, _ := value.(map[string]any)
			next, found := object[key]
			if !found {
				return nil, false
			}
			value = next
		}
		at = append(at, value)
	}
	return at, true
}

// TestEvalAtSpends: the fields of a stem cost what they cost otherwise (S12).
func TestEvalAtSpends(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("k", 4000)
	template, err := jsonpath.Parse("{." + key + "[?(@.x==1)]}")
	require.NoError(t, err)
	// Two steps for each item, so that the key alone passes the limit.
	value := make([]any, jsonpath.MaxSteps/2-20)
	_, want := template.Eval(map[string]any{key: value})
	_, got := template.EvalAt([]any{value})
	require.ErrorContains(t, want, "steps")
	require.EqualError(t, got, want.Error())
	_, got = template.EvalAt([]any{value[:len(value)-100]})
	require.NoError(t, got)
}

// TestFindAllocations finds without any.
func TestFindAllocations(t *testing.T) { //nolint:paralleltest // counts allocations of the whole process
	template, err := jsonpath.Parse("{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}")
	require.NoError(t, err)
	root := decode(t, flinkStatus)
	if got := testing.AllocsPerRun(100, func() { template.Find(root) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}
