package crd_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/failover"
)

func TestTolerationsAtAdmission(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	cases := map[string]struct{ reason, toleration, says string }{
		"key":             {"Equal is the default", `{key: a}`, ""},
		"every key":       {"F4", `{operator: Exists, effect: NoExecute, tolerationSeconds: -1}`, ""},
		"empty texts":     {"the same as none", `{key: a, operator: "", value: "", effect: ""}`, ""},
		"no key":          {"F4", `{value: b}`, "key: Required value: only the operator Exists goes without: it then matches every key"},
		"Exists a value":  {"F4", `{key: a, operator: Exists, value: b}`, "must be empty with the operator Exists, which matches every value"},
		"unknown":         {"F4: core/v1 has more", `{key: a, operator: Gt}`, `operator: Unsupported value: "Gt": supported values: `},
		"unknown effects": {"F4", `{key: a, effect: Evict}`, `effect: Unsupported value: "Evict": supported values: `},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := decode(t, `{tolerations: [`+tc.toleration+`]}`)
			var spec struct {
				Tolerations []failover.Toleration `json:"tolerations"`
			}
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(text.(map[string]any), &spec))
			ours := failover.ValidateTolerations(spec.Tolerations, nil)
			_, theirs := s.admit(t, object(text, nil))
			if want := tc.says != ""; len(ours) > 0 != want || len(theirs) > 0 != want {
				t.Fatalf("%s:\nValidateTolerations: %v\nAPI server: %v", tc.reason, ours, theirs)
			}
			says(t, "ValidateTolerations", words(ours), tc.says, tc.says != "")
			says(t, "API server", words(theirs), tc.says, tc.says != "")
		})
	}
}

// What Record.Check refuses to read twice, an API server does not store twice.
func TestRecordsAtAdmission(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	move := `{attempt: 1, from: a, created: "2026-03-01T10:00:00Z", stage: Ended, stageSince: "2026-03-01T10:00:00Z"}`
	cases := map[string]struct {
		reason, record string
		want           bool
	}{
		"once":       {"F1", `{version: 1, attempts: 1, clusters: [{name: a}, {name: b}], moves: [` + move + `], deliveries: [{to: a, attempt: 1, at: "2026-03-01T10:00:00Z"}]}`, true},
		"clusters":   {"F1", `{version: 1, clusters: [{name: a}, {name: a}]}`, false},
		"moves":      {"F1", `{version: 1, attempts: 1, moves: [` + move + `, ` + move + `]}`, false},
		"deliveries": {"F1", `{version: 1, attempts: 1, moves: [` + move + `], deliveries: [{to: a, attempt: 1, at: "2026-03-01T10:00:00Z"}, {to: a, attempt: 1, at: "2026-03-01T10:00:00Z"}]}`, false},
	}
	got, want := map[string][2]bool{}, map[string][2]bool{}
	for name, tc := range cases {
		text := decode(t, tc.record)
		var record failover.Record
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(text.(map[string]any), &record))
		_, errs := s.admit(t, object(nil, map[string]any{"record": text}))
		got[name], want[name] = [2]bool{record.Check() == nil, len(errs) == 0}, [2]bool{tc.want, tc.want}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Check and the API server (-want +got):\n%s", diff)
	}
}
