package preservation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation"
)

// A value must not write what a path may not name.
func TestFieldObjectsPassNoGuard(t *testing.T) {
	t.Parallel()
	cronJob := `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{},"spec":{"x":{},"jobTemplate":{"spec":{}}}}`
	cases := map[string]struct{ reason, path, value string }{
		"selector":      {"it says which pods belong to the object (I5)", ".spec.x", `{"selector":{"matchLabels":{"q":"1"}}}`},
		"metadata":      {"labels and protected keys would come along (S11)", ".spec.x", `{"a":{"metadata":{"labels":{"kubernetes.io/x":"2"}}}}`},
		"in a list":     {"at any depth", ".spec.x", `{"a":[{"metadata":{}}]}`},
		"claims":        {"immutable (I5)", ".spec.x", `{"volumeClaimTemplates":[]}`},
		"pod template":  {"its labels would go (I4)", ".spec.jobTemplate.spec", `{"template":{"spec":{}}}`},
		"nested notes":  {"a protected annotation by way of a field (S11)", `.spec.jobTemplate.metadata.annotations.kubernetes\.io/x`, `"1"`},
		"nested labels": {"pod labels have their own option (I4)", ".spec.jobTemplate.spec.template.metadata.labels.a", `"1"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object, _ := decode(cronJob)
			state := preservation.State{Fields: map[string]string{tc.path: tc.value}}
			_, _, err := preservation.Inject(manifestOf(object), state, preservation.InjectOptions{PodTemplate: true, Force: true})
			require.ErrorIs(t, err, preservation.Refused, tc.reason)
		})
	}
}

func TestRuleLimit(t *testing.T) {
	t.Parallel()
	rules := func(n int) preservation.StatePreservation {
		var sp preservation.StatePreservation
		for i := range n {
			sp.Rules = append(sp.Rules, preservation.Rule{AliasLabelName: fmt.Sprint("a", i), JSONPath: "{.a}"})
		}
		return sp
	}
	if errs := preservation.Validate(rules(128), preservation.Protection{}, nil); len(errs) > 0 {
		t.Errorf("the limit belongs to the legal numbers: %v", errs)
	}
	errs := preservation.Validate(rules(129), preservation.Protection{}, field.NewPath("p"))
	if len(errs) != 1 || errs[0].Type != field.ErrorTypeTooMany || errs[0].Field != "p.rules" {
		t.Errorf("S12: want one error of p.rules, got %v", errs)
	}
}

// All fields together are bounded, so that a task which carries them can be stored.
func TestFieldsBudget(t *testing.T) {
	t.Parallel()
	var sp preservation.StatePreservation
	for i := range 10 {
		sp.Rules = append(sp.Rules, preservation.Rule{
			JSONPath: "{.a}", Target: preservation.Field, FieldPath: fmt.Sprintf(".spec.f%d", i), Policy: preservation.Optional,
		})
	}
	x, err := preservation.Compile(sp, preservation.Protection{})
	require.NoError(t, err)
	out, err := x.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(`{"a":"` + strings.Repeat("x", 100<<10) + `"}`))})
	require.NoError(t, err)
	if len(out.State.Fields) != 5 || len(out.Errors) != 5 || out.Errors[0].Class != preservation.TooLarge ||
		!strings.Contains(out.Errors[0].Detail, "fields") {
		t.Errorf("S12: five of 100 KiB fit into 512, got %d and %v", len(out.State.Fields), out.Errors)
	}
}

// What an older failover wrote is not a value to conflict with (I6).
func TestOwnedIsNoConflict(t *testing.T) {
	t.Parallel()
	path := preservation.Ref{Target: preservation.Field, Key: ".spec.job.path"}
	for _, conflict := range []preservation.Conflict{preservation.Replace, preservation.KeepExisting, preservation.Fail} {
		object, _ := decode(`{"apiVersion":"x/v1","kind":"X","metadata":{"name":"n"},"spec":{"job":{"path":"older"}}}`)
		state := preservation.State{
			Fields: map[string]string{path.Key: `"newer"`}, Conflicts: []preservation.RefConflict{{Ref: path, Conflict: conflict}},
		}
		options := preservation.InjectOptions{Owned: []preservation.Ref{path}}
		_, report, err := preservation.Inject(manifestOf(object), state, options)
		require.NoError(t, err)
		want := []preservation.Change{{Ref: path, Effect: preservation.Replaced, Value: `"newer"`, Old: `"older"`}}
		if diff := cmp.Diff(want, report.Changes); diff != "" {
			t.Errorf("%s: two generations never mix (-want +got):\n%s", conflict, diff)
		}
		applied, _, err := preservation.ApplyConfiguration(manifestOf(object), state, options)
		require.NoError(t, err)
		if diff := cmp.Diff(map[string]any{"job": map[string]any{"path": "newer"}}, applied.Object["spec"]); diff != "" {
			t.Errorf("%s: the owner keeps the key (I7) (-want +got):\n%s", conflict, diff)
		}
	}
}

// Owning a label is owning it in the pod template too, and not the other way round.
func TestOwnedLabelsOfThePodTemplate(t *testing.T) {
	t.Parallel()
	const manifest = `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"labels":{"a":"older"}},` +
		`"spec":{"jobTemplate":{"spec":{"template":{"metadata":{"labels":{"a":"older"}}}}}}}`
	inTemplate := preservation.Ref{Target: preservation.PodTemplateLabel, Key: "a"}
	cases := map[string]struct {
		reason string
		owned  []preservation.Ref
		want   []preservation.Ref // the conflicts
	}{
		"nothing":      {"both are values of somebody else", nil, []preservation.Ref{label("a"), inTemplate}},
		"label":        {"a rule names the label, and the other follows it", labels("a"), nil},
		"pod template": {"the label of the object is not what was written", []preservation.Ref{inTemplate}, labels("a")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := stateOf(map[string]string{"a": "newer"})
			state.Conflicts = []preservation.RefConflict{{Ref: label("a"), Conflict: preservation.Fail}}
			_, report, _ := preservation.Inject(manifestOf(mustDecode(t, manifest)), state, preservation.InjectOptions{PodTemplate: true, Owned: tc.owned})
			var conflicts []preservation.Ref
			for _, change := range report.Changes {
				if change.Effect == preservation.Conflicted {
					conflicts = append(conflicts, change.Ref)
				}
			}
			if diff := cmp.Diff(tc.want, conflicts); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// What was there is reported also where it ends the injection.
func TestConflictIsReported(t *testing.T) {
	t.Parallel()
	object, _ := decode(`{"metadata":{"labels":{"a":"old","b":"same"}}}`)
	a, b := preservation.Ref{Target: preservation.Label, Key: "a"}, preservation.Ref{Target: preservation.Label, Key: "b"}
	state := preservation.State{
		Labels: map[string]string{"a": "new", "b": "same"},
		Conflicts: []preservation.RefConflict{
			{Ref: a, Conflict: preservation.Fail}, {Ref: b, Conflict: preservation.Fail},
		},
	}
	got, report, err := preservation.Inject(manifestOf(object), state, preservation.InjectOptions{})
	require.ErrorIs(t, err, preservation.Conflicting)
	want := preservation.Report{Changes: []preservation.Change{{Ref: a, Effect: preservation.Conflicted, Value: "new", Old: "old"}}}
	if diff := cmp.Diff(want, report); diff != "" || got != nil {
		t.Errorf("I2 (-want +got):\n%s", diff)
	}
	_, applied, err := preservation.ApplyConfiguration(manifestOf(object), state, preservation.InjectOptions{})
	require.ErrorIs(t, err, preservation.Conflicting)
	if diff := cmp.Diff(want, applied); diff != "" {
		t.Errorf("I7: the report is Inject's (-want +got):\n%s", diff)
	}
	back, err := preservation.Remove(manifestOf(object), report)
	require.NoError(t, err)
	if diff := cmp.Diff(object, back.Object); diff != "" {
		t.Errorf("I6: nothing was injected (-want +got):\n%s", diff)
	}
}

// Most CronJobs have no metadata in their pod template.
func TestPodTemplateWithoutMetadata(t *testing.T) {
	t.Parallel()
	for _, template := range []string{`{"spec":{}}`, `{"metadata":{},"spec":{}}`, `{"metadata":{"annotations":{"x":"1"}}}`, `{"metadata":{"labels":null}}`} {
		source := `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{},"spec":{"jobTemplate":{"spec":{"template":` + template + `}}}}`
		object, _ := decode(source)
		injected, report, err := preservation.Inject(manifestOf(object), stateOf(map[string]string{"a": "1"}), preservation.InjectOptions{PodTemplate: true})
		require.NoError(t, err)
		if text := jsonOf(t, injected); !strings.Contains(text, `"template":{"metadata":{`) || strings.Count(text, `"labels":{"a":"1"}`) != 2 {
			t.Errorf("%s: the label is missing: %s", template, text)
		}
		back, err := preservation.Remove(injected, report)
		require.NoError(t, err)
		if diff := cmp.Diff(jsonOf(t, manifestOf(object)), jsonOf(t, back)); diff != "" {
			t.Errorf("%s: I6: byte for byte (-want +got):\n%s", template, diff)
		}
	}
}
