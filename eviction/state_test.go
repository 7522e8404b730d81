package eviction_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
)

// What Evict makes of the state besides labels.
func TestEvictBuildsState(t *testing.T) {
	t.Parallel()
	withLabels := rest("s3://a")
	withLabels.Labels = state("not this one")
	tests := map[string]struct {
		reason string
		state  *preservation.State
		want   *preservation.State
	}{
		"None":        {reason: "nil stays nil"},
		"Empty":       {reason: "L1: empty is none", state: &preservation.State{}},
		"NoValues":    {reason: "provenance of nothing", state: &preservation.State{Failover: &preservation.Failover{Origin: "east"}}},
		"OnlyLabels":  {reason: "its own labels do not count", state: &preservation.State{Labels: state("A")}},
		"Whole":       {reason: "values, conflicts and provenance", state: rest("s3://a"), want: rest("s3://a")},
		"LabelsAlong": {reason: "labels have one place", state: withLabels, want: rest("s3://a")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := leave("east", func(e *eviction.Eviction) { e.PreservedLabelState, e.PreservedState = state("A"), tc.state })
			before := bytesOf(t, in)
			got, err := eviction.Evict(eviction.EvictInput{Targets: targets("east"), Evictions: []eviction.Eviction{in}, Now: epoch})
			require.NoError(t, err)
			want := []eviction.Task{task("east", func(t *eviction.Task) { t.PreservedLabelState, t.PreservedState = state("A"), tc.want })}
			if diff := cmp.Diff(want, got.Tasks); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			scramble(reflect.ValueOf(&got).Elem())
			require.Equal(t, before, bytesOf(t, in), "L1: the task aliases the eviction")
		})
	}
}

// E2: labels, the rest and clustersBeforeFailover are one tuple, never mixed.
func TestEvictMergesWholeState(t *testing.T) {
	t.Parallel()
	type whole struct {
		labels map[string]string
		rest   *preservation.State
	}
	older := func(s whole, before string, seconds int) eviction.Task {
		made := stored("east", "Directly", seconds)
		made.PreservedLabelState, made.PreservedState, made.ClustersBeforeFailover = s.labels, s.rest, []string{before}
		return made
	}
	a, b := whole{state("A"), rest("s3://a")}, whole{state("B"), rest("s3://b")}
	onlyRest := func(path string) whole { return whole{nil, rest(path)} }
	newer, kept := eviction.ReasonNewerStateUsed, eviction.ReasonOlderStateKept
	tests := map[string]struct {
		reason      string
		tasks       []eviction.Task
		state       whole
		lastHealthy time.Time
		want        whole
		before      string
		merged      eviction.Reason
	}{
		"HealthyBetween":       {"the newer tuple", []eviction.Task{older(a, "old", -60)}, b, instant(-59), b, "east", newer},
		"HealthNotKnown":       {"the older tuple", []eviction.Task{older(a, "old", -60)}, b, time.Time{}, a, "old", kept},
		"OnlyRestNewer":        {"labels of the older are not mixed in", []eviction.Task{older(a, "old", -60)}, onlyRest("s3://b"), instant(-59), onlyRest("s3://b"), "east", newer},
		"OnlyRestDiffersNewer": {"the rest alone is state", []eviction.Task{older(onlyRest("s3://a"), "old", -60)}, onlyRest("s3://b"), instant(-59), onlyRest("s3://b"), "east", newer},
		"OnlyRestDiffersOlder": {"the rest alone is state", []eviction.Task{older(onlyRest("s3://a"), "old", -60)}, onlyRest("s3://b"), instant(-60), onlyRest("s3://a"), "old", kept},
		"OnlyRestOlder":        {"labels of the newer are not mixed in", []eviction.Task{older(onlyRest("s3://a"), "old", -60)}, whole{state("B"), nil}, time.Time{}, onlyRest("s3://a"), "old", kept},
		"OnlyLabelsOlder":      {"the rest of the newer is not mixed in", []eviction.Task{older(whole{state("A"), nil}, "old", -60)}, b, time.Time{}, whole{state("A"), nil}, "old", kept},
		"NothingNewer":         {"an empty state never wins", []eviction.Task{older(onlyRest("s3://a"), "old", -60)}, whole{nil, &preservation.State{}}, instant(-1), onlyRest("s3://a"), "old", kept},
		"NothingOlder":         {"an empty state never stays", []eviction.Task{older(whole{nil, &preservation.State{Labels: state("A")}}, "old", -60)}, b, time.Time{}, b, "east", newer},
		"Folded": {
			"three stored tasks fold into one: healthy after the oldest, and not after the next",
			[]eviction.Task{older(a, "oldest", -90), older(whole{}, "none", -30), older(onlyRest("s3://c"), "old", -60)},
			b, instant(-61), onlyRest("s3://c"), "old", kept,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := eviction.EvictInput{
				Targets: targets("east"), Tasks: tc.tasks, Now: epoch,
				Evictions: []eviction.Eviction{leave("east", func(e *eviction.Eviction) {
					e.PreservedLabelState, e.PreservedState, e.LastHealthy = tc.state.labels, tc.state.rest, tc.lastHealthy
				})},
			}
			before := bytesOf(t, in)
			got, err := eviction.Evict(in)
			require.NoError(t, err)
			want := []eviction.Task{task("east", func(t *eviction.Task) {
				t.PreservedLabelState, t.PreservedState, t.ClustersBeforeFailover = tc.want.labels, tc.want.rest, []string{tc.before}
			})}
			if diff := cmp.Diff(want, got.Tasks, same()); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			require.Equal(t, tc.merged, got.Results[0].Reason, tc.reason)
			scramble(reflect.ValueOf(&got).Elem())
			require.Equal(t, before, bytesOf(t, in), "L1: the output aliases the input")
		})
	}
}

// A reconcile that evicts the same again changes nothing, the rest included.
func TestEvictSameState(t *testing.T) {
	t.Parallel()
	in := eviction.EvictInput{
		Targets: targets("east"), Tasks: []eviction.Task{task("east", func(t *eviction.Task) { t.PreservedState = rest("s3://a") })}, Now: epoch,
		Evictions: []eviction.Eviction{leave("east", func(e *eviction.Eviction) { e.PreservedState = rest("s3://a") })},
	}
	got, err := eviction.Evict(in)
	require.NoError(t, err)
	require.Equal(t, eviction.ReasonSameTask, got.Results[0].Reason)
	if diff := cmp.Diff(in.Tasks, got.Tasks); diff != "" {
		t.Error(diff)
	}
}

func TestValidateRest(t *testing.T) {
	t.Parallel()
	fieldOf := func(path, value string) *preservation.State {
		return &preservation.State{Fields: map[string]string{path: value}}
	}
	const secret = "s3://secret"
	tests := map[string]struct {
		reason string
		state  *preservation.State
		want   string // part of the one error; empty = valid
	}{
		"Valid":         {reason: "what rules give", state: rest(secret)},
		"Empty":         {reason: "nothing to check", state: &preservation.State{Conflicts: []preservation.RefConflict{{Conflict: "odd"}}}},
		"OwnLabels":     {reason: "they do not count", state: &preservation.State{Labels: map[string]string{"z z": secret}}},
		"AnnotationKey": {reason: "not a legal key", state: &preservation.State{Annotations: map[string]string{"z z": secret}}, want: `annotation "z z"`},
		"EmptyValue":    {reason: "empty text is missing", state: &preservation.State{Annotations: map[string]string{"a": ""}}, want: `annotation "a"`},
		"NoPath":        {reason: "not a field path", state: fieldOf("spec job", `"`+secret+`"`), want: `field "spec job"`},
		"OddSpelling":   {reason: "one spelling each", state: fieldOf("spec.job", `"`+secret+`"`), want: ".spec.job"},
		"RefusedPath":   {reason: "I5: not for state", state: fieldOf(".status.job", `"`+secret+`"`), want: `field ".status.job"`},
		"NoJSON":        {reason: "a field is JSON", state: fieldOf(".spec.job", secret), want: `field ".spec.job"`},
		"Null":          {reason: "null is no value", state: fieldOf(".spec.job", "null"), want: `field ".spec.job"`},
		"WithinEachOther": {
			reason: "what is written would depend on the order",
			state:  &preservation.State{Fields: map[string]string{".spec.job": `{"a":"` + secret + `"}`, ".spec.job.a": "1"}}, want: `field ".spec.job.a"`,
		},
		"Conflict": {
			reason: "a closed set",
			state: &preservation.State{Annotations: map[string]string{"a": secret}, Conflicts: []preservation.RefConflict{{
				Ref: preservation.Ref{Target: preservation.Annotation, Key: "a"}, Conflict: "odd",
			}}}, want: `annotation "a"`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := leave("east", func(e *eviction.Eviction) { e.PreservedState = tc.state })
			errs := eviction.Validate(e, field.NewPath("e"))
			if tc.want == "" {
				require.Empty(t, errs, tc.reason)
				return
			}
			require.Len(t, errs, 1, tc.reason)
			require.Equal(t, "e.preservedState", errs[0].Field)
			require.Equal(t, field.ErrorTypeForbidden, errs[0].Type)
			require.Contains(t, errs[0].Error(), tc.want)
			require.NotContains(t, errs[0].Error(), "secret", "L7")
			got, err := eviction.Evict(eviction.EvictInput{Targets: targets("east"), Evictions: []eviction.Eviction{e}, Now: epoch})
			require.Error(t, err)
			require.NotContains(t, err.Error(), "secret", "L7")
			require.Equal(t, eviction.Refused, got.Results[0].Outcome)
			require.Empty(t, got.Tasks)
		})
	}
}

// Task.State puts the two parts together and shares nothing.
func TestTaskState(t *testing.T) {
	t.Parallel()
	labels := rest("s3://a")
	labels.Labels = state("not this one")
	whole := *rest("s3://a")
	whole.Labels = state("A")
	tests := map[string]struct {
		reason string
		task   eviction.Task
		want   preservation.State
	}{
		"Nothing": {reason: "empty"},
		"Labels":  {"only labels", eviction.Task{PreservedLabelState: state("A")}, preservation.State{Labels: state("A")}},
		"Rest":    {"only the rest", eviction.Task{PreservedState: rest("s3://a")}, *rest("s3://a")},
		"Both":    {"the labels are the task's", eviction.Task{PreservedLabelState: state("A"), PreservedState: labels}, whole},
		"Stray":   {"labels of the rest do not count", eviction.Task{PreservedState: &preservation.State{Labels: state("A")}}, preservation.State{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := bytesOf(t, tc.task)
			got := tc.task.State()
			if diff := cmp.Diff(tc.want, got, same()); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			scramble(reflect.ValueOf(&got).Elem())
			require.Equal(t, before, bytesOf(t, tc.task), "L1")
		})
	}
}

// The rest survives JSON and what a cluster client does.
func TestStateRoundTrips(t *testing.T) {
	t.Parallel()
	want := task("east", func(t *eviction.Task) { t.PreservedLabelState, t.PreservedState = state("A"), rest("s3://<&>") })
	raw, err := json.Marshal(want)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"conflicts":[{"target":"Field","key":".spec.job.path","conflict":"Fail"}]`)
	var plain eviction.Task
	require.NoError(t, json.Unmarshal(raw, &plain))
	if diff := cmp.Diff(want, plain); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&want)
	require.NoError(t, err)
	var fromJSON map[string]any
	require.NoError(t, json.Unmarshal(raw, &fromJSON))
	if diff := cmp.Diff(bytesOf(t, fromJSON), bytesOf(t, object)); diff != "" {
		t.Errorf("the converter writes what JSON writes (-JSON +converter):\n%s", diff)
	}
	object = (&unstructured.Unstructured{Object: object}).DeepCopy().Object
	var converted eviction.Task
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object, &converted))
	if diff := cmp.Diff(want, converted); diff != "" {
		t.Errorf("unstructured (-want +got):\n%s", diff)
	}
	require.False(t, strings.Contains(bytesOf(t, task("east")), "preservedState"), "absent where there is none")
}
