package preservation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation"
)

func TestRuleRef(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		rule   preservation.Rule
		want   preservation.Ref
	}{
		"Label":      {"the default target", preservation.Rule{AliasLabelName: "a"}, label("a")},
		"Annotation": {"by its key", preservation.Rule{AliasLabelName: "a", Target: preservation.Annotation}, annotation("a")},
		"Field":      {"by its path, spelled as in a state", preservation.Rule{AliasLabelName: "a", Target: preservation.Field, FieldPath: "spec.a"}, fieldAt(".spec.a")},
		"NoPath":     {"as it stands", preservation.Rule{Target: preservation.Field, FieldPath: "{.a}"}, fieldAt("{.a}")},
		"Unknown":    {"nothing is guessed", preservation.Rule{AliasLabelName: "a", Target: "Other"}, preservation.Ref{Target: "Other", Key: "a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, tc.rule.Ref()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Labels travel alone, the rest beside them, and nothing is lost on the way.
func TestSplitAndJoin(t *testing.T) {
	t.Parallel()
	keep := []preservation.RefConflict{{Ref: label("a"), Conflict: preservation.KeepExisting}}
	idle := []preservation.RefConflict{{Ref: annotation("a"), Conflict: preservation.KeepExisting}}
	labels := map[string]string{"a": "1"}
	full, bare := fullState(), fullState()
	bare.Labels = nil
	cases := map[string]struct {
		reason string
		state  preservation.State
		rest   *preservation.State
	}{
		"Nothing":       {"no rest", preservation.State{}, nil},
		"Labels":        {"no rest", preservation.State{Labels: labels}, nil},
		"LabelConflict": {"Keep must not become Replace on the way", preservation.State{Labels: labels, Conflicts: keep}, &preservation.State{Conflicts: keep}},
		"Full":          {"all but the labels", full, &bare},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gotLabels, rest := tc.state.Split()
			if diff := cmp.Diff(tc.rest, rest); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			joined := preservation.Join(gotLabels, rest)
			if diff := cmp.Diff(tc.state, joined); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if rest != nil && len(rest.Conflicts) > 0 {
				rest.Conflicts[0].Conflict = "x"
				require.NoError(t, tc.state.Check(), "the rest shares with the state")
			}
		})
	}
	require.ErrorIs(t, preservation.State{Labels: map[string]string{"a": "x y"}}.Check(), preservation.BadState)
	if _, rest := (preservation.State{Labels: labels, Conflicts: idle}).Split(); rest != nil {
		t.Errorf("a conflict of no value is nothing: %v", rest)
	}
	joined := preservation.Join(labels, &preservation.State{Labels: map[string]string{"b": "2"}})
	joined.Labels["c"] = "3"
	if diff := cmp.Diff(map[string]string{"a": "1", "c": "3"}, joined.Labels); diff != "" || len(labels) != 1 {
		t.Errorf("the labels of the rest do not count, and nothing is shared (-want +got):\n%s", diff)
	}
}
