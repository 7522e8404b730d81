package preservation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation"
)

// Each document fails on its own: what the others give is found.
func TestSourcesFailApart(t *testing.T) {
	t.Parallel()
	x := compile(
		t,
		preservation.Rule{AliasLabelName: "status", JSONPath: "{.a}"},
		preservation.Rule{AliasLabelName: "object", JSONPath: "{.a}", From: preservation.FromObject},
		preservation.Rule{AliasLabelName: "move", JSONPath: "{.origin}", From: preservation.FromFailover},
		preservation.Rule{AliasLabelName: "named", JSONPath: "{.a}", From: "Snapshot"},
		preservation.Rule{AliasLabelName: "again", JSONPath: "{.a}", From: "Snapshot", Default: "none"},
		preservation.Rule{AliasLabelName: "other", JSONPath: "{.a}", From: "Other"},
		preservation.Rule{AliasLabelName: "constant", JSONPath: `{"x"}`},
	)
	found, err := x.Extract(preservation.Sources{
		Cluster: "east",
		Status:  preservation.RawDocument([]byte(`{"a":`)),
		Object:  preservation.ObjectDocument(map[string]any{"b": "x"}),
		Named: map[string]preservation.Document{
			"Snapshot": preservation.UnreadableDocument("two of them"), "Other": preservation.ObjectDocument(map[string]any{"a": "1"}),
			"Status": preservation.ObjectDocument(map[string]any{"a": "wrong"}), "Object": preservation.ObjectDocument(map[string]any{"a": "wrong"}),
		},
	})
	if diff := cmp.Diff(stateOf(map[string]string{"other": "1", "constant": "x"}), found.State); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	want := `cluster "east": rule 0 (status) {.a}: BadStatus: not valid JSON: it ends too early
cluster "east": rule 1 (object) {.a} of Object: MissingKey: nothing at .a
cluster "east": rule 2 (move) {.origin} of Failover: MissingKey: the document was not supplied
cluster "east": rule 3 (named) {.a} of Snapshot: BadStatus: two of them
cluster "east": rule 4 (again) {.a} of Snapshot: BadStatus: two of them`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, e := range found.Errors {
		if e.Retryable() {
			t.Errorf("no retry brings it: %v", e)
		}
	}
}

// The name in an error is the alias, or where the rule writes.
func TestErrorsNameFieldRules(t *testing.T) {
	t.Parallel()
	x := compile(
		t,
		preservation.Rule{JSONPath: "{.a}", Target: preservation.Field, FieldPath: "spec.a"},
		preservation.Rule{AliasLabelName: "b", JSONPath: "{.b}", Target: preservation.Field, FieldPath: ".spec.b"},
	)
	found, err := x.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(`{}`))})
	want := "rule 0 (.spec.a) {.a}: MissingKey: nothing at .a\nrule 1 (b) {.b}: MissingKey: nothing at .b"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found.Errors[0].Field != ".spec.a" || found.Errors[1].Field != ".spec.b" || found.Errors[0].From != "" {
		t.Errorf("%+v", found.Errors)
	}
}

// Many rules cost one reading of the document.
//
//nolint:paralleltest // it counts what the process allocates
func TestDocumentsAreReadOnce(t *testing.T) {
	document := preservation.RawDocument([]byte(`{"a":1,"list":[` + strings.Repeat(`"x",`, 1000) + `"x"]}`))
	sources := preservation.Sources{Status: document, Named: map[string]preservation.Document{"Snapshot": document}}
	for _, from := range []preservation.Source{preservation.FromStatus, "Snapshot"} {
		var rules []preservation.Rule
		cost := map[int]float64{}
		for n := 1; n <= 10; n++ {
			rules = append(rules, preservation.Rule{AliasLabelName: fmt.Sprint("a", n), JSONPath: "{.a}", From: from})
			x := compile(t, rules...)
			cost[n] = testing.AllocsPerRun(10, func() { _, _ = x.Extract(sources) })
		}
		if cost[10] > 2*cost[1] {
			t.Errorf("%s: one rule allocates %.0f times, ten %.0f times", from, cost[1], cost[10])
		}
	}
}

func TestProvenance(t *testing.T) {
	t.Parallel()
	rule := preservation.Rule{AliasLabelName: "a", JSONPath: "{.a}", Policy: preservation.Optional}
	move := preservation.FailoverAt(preservation.Planned, "east", 3, time.Date(2026, 1, 1, 0, 0, 0, 999_999_999, time.FixedZone("", 3600)))
	if diff := cmp.Diff(preservation.Failover{Cause: preservation.Planned, Origin: "east", Attempt: 3, Time: 1767222000}, move); diff != "" {
		t.Errorf("cut to whole seconds (-want +got):\n%s", diff)
	}
	if got := preservation.FailoverAt(preservation.Planned, "east", 3, time.Time{}); got.Time != 0 {
		t.Errorf("the zero time is not known, and got %d", got.Time)
	}
	given := move
	found, err := compile(t, rule).Extract(preservation.Sources{Status: preservation.RawDocument([]byte(`{"a":1}`)), Failover: &given})
	require.NoError(t, err)
	given.Origin = "changed"
	if diff := cmp.Diff(&move, found.State.Failover); diff != "" {
		t.Errorf("the state knows where it comes from, and shares nothing (-want +got):\n%s", diff)
	}
	found, err = compile(t, rule).Extract(preservation.Sources{Status: preservation.RawDocument([]byte(`{}`)), Failover: &given})
	require.NoError(t, err)
	if found.State.Failover != nil {
		t.Error("nothing has no provenance")
	}
	found, err = compile(t, rule).Extract(preservation.Sources{Status: preservation.RawDocument([]byte(`{"a":1}`)), Failover: &preservation.Failover{}})
	require.NoError(t, err)
	if found.State.Failover != nil {
		t.Error("a move of which nothing is known is no provenance")
	}
	first := preservation.Failover{Cause: preservation.Planned, Attempt: 1, Time: 1}
	found, err = compile(
		t,
		preservation.Rule{AliasLabelName: "all", JSONPath: "{.*}", From: preservation.FromFailover, Join: "-"},
	).Extract(preservation.Sources{Failover: &first})
	require.NoError(t, err)
	if diff := cmp.Diff(map[string]string{"all": "1-Planned-1"}, found.State.Labels); diff != "" {
		t.Errorf("what is not known is not there, and the first of all is known (-want +got):\n%s", diff)
	}
	past := preservation.Failover{Cause: "Other", Attempt: -1, Time: -5}
	found, err = compile(
		t,
		preservation.Rule{AliasLabelName: "n", JSONPath: "{.attempt}", From: preservation.FromFailover, Default: "none"},
		preservation.Rule{AliasLabelName: "t", JSONPath: "{.time}", From: preservation.FromFailover, Default: "none"},
		preservation.Rule{AliasLabelName: "c", JSONPath: "{.cause}", From: preservation.FromFailover},
	).Extract(preservation.Sources{Failover: &past})
	require.NoError(t, err)
	if diff := cmp.Diff(map[string]string{"n": "none", "t": "none", "c": "Other"}, found.State.Labels); diff != "" {
		t.Errorf("what cannot be is not known (-want +got):\n%s", diff)
	}
}

func TestValidateSources(t *testing.T) {
	t.Parallel()
	for from, want := range map[preservation.Source]string{
		"": "", "Status": "", "Object": "", "Failover": "", "FlinkStateSnapshot": "", "a-b_c.d/E9": "", "AZaz09": "",
		preservation.Source(strings.Repeat("x", 63)): "", preservation.Source(strings.Repeat("x", 64)): "at most 63",
		"status": "did you mean Status?", "OBJECT": "did you mean Object?", "failover": "did you mean Failover?",
		"a b": "letters", "a:b": "letters", "größe": "letters", "a\n": "letters",
	} {
		errs := preservation.Validate(preservation.StatePreservation{Rules: []preservation.Rule{
			{AliasLabelName: "a", JSONPath: "{.a}", From: from},
		}}, preservation.Protection{}, nil)
		if want == "" && len(errs) > 0 || want != "" && (len(errs) != 1 || errs[0].Field != "rules[0].from" || !strings.Contains(errs[0].Detail, want)) {
			t.Errorf("from %q: want %q, got %v", from, want, errs)
		}
	}
}
