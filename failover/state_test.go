package failover_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Annotations and fields go the same way as labels.

const (
	note = "example.com/note" // the usual annotation of state
	path = ".spec.job.path"   // the usual field
)

// filling is a rule for the field.
func filling(template string) preservation.Rule {
	return preservation.Rule{JSONPath: template, Target: preservation.Field, FieldPath: "spec.job.path"}
}

// noting is a rule for the annotation.
func noting(template string) preservation.Rule {
	return preservation.Rule{AliasLabelName: note, JSONPath: template, Target: preservation.Annotation}
}

func from(source preservation.Source, rule preservation.Rule) preservation.Rule {
	rule.From = source
	return rule
}

// wholeState has a value for each target.
func wholeState(value string) preservation.State {
	return preservation.State{
		Labels: map[string]string{job: value}, Annotations: map[string]string{note: "s3://" + value},
		Fields:    map[string]string{path: `"s3://` + value + `"`},
		Conflicts: []preservation.RefConflict{{Ref: preservation.Ref{Target: preservation.Field, Key: path}, Conflict: preservation.Fail}},
		Failover:  &preservation.Failover{Cause: preservation.Application, Origin: "east", Attempt: 3, Time: at(0).Unix()},
	}
}

// holding is a task with a state.
func holding(task eviction.Task, state preservation.State) eviction.Task {
	task.PreservedLabelState, task.PreservedState = state.Split()
	return task
}

// spoil changes everything that a state refers to.
func spoil(states ...*preservation.State) {
	for _, s := range states {
		for _, values := range []map[string]string{s.Labels, s.Annotations, s.Fields} {
			for key := range values {
				values[key] = "changed"
			}
		}
		for i := range s.Conflicts {
			s.Conflicts[i].Key = "changed"
		}
		if s.Failover != nil {
			s.Failover.Origin = "changed"
		}
	}
}

// withJob is a manifest that has the parent of the field.
func withJob(value any) *unstructured.Unstructured {
	m := manifest(nil)
	inner := map[string]any{}
	if value != nil {
		inner["path"] = value
	}
	m.Object["spec"] = map[string]any{"job": inner}
	return m
}

func TestPrepareReadsEverySource(t *testing.T) {
	t.Parallel()
	object := map[string]any{"metadata": map[string]any{"namespace": "default"}}
	documents := map[string]preservation.Document{"snapshot": preservation.RawDocument([]byte(`{"path":"s3://snap","n":7}`))}
	failing := filling("{.path}")
	failing.From, failing.Conflict = "snapshot", preservation.Fail
	in := preparing(func(in *failover.PrepareInput) {
		in.Policy.Application.StatePreservation = preserving(
			rule(job, "{.job}"), noting("{.job}-{.job}"), failing,
			from(preservation.FromObject, rule("example.com/namespace", "{.metadata.namespace}")),
			from(preservation.FromFailover, rule("example.com/cause", "{.cause}-of-{.origin}-{.attempt}-{.time}")),
			from("snapshot", rule(step, "{.n}")),
		)
		in.Object, in.Documents = preservation.ObjectDocument(object), documents
		in.Attempt, in.Now, in.Template = 3, at(90).Add(700*time.Millisecond), withJob(nil)
	})
	before := text(t, []any{in.Policy, in.Items, object, in.Template})
	got, err := failover.Prepare(in)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		job: "A", "example.com/namespace": "default", "example.com/cause": "Application-of-east-3-1767225690", step: "7",
	}, got.Eviction.PreservedLabelState)
	want := &preservation.State{
		Annotations: map[string]string{note: "A-A"}, Fields: map[string]string{path: `"s3://snap"`},
		Conflicts: []preservation.RefConflict{{Ref: preservation.Ref{Target: preservation.Field, Key: path}, Conflict: preservation.Fail}},
		Failover:  &preservation.Failover{Cause: preservation.Application, Origin: "east", Attempt: 3, Time: at(90).Unix()},
	}
	if diff := cmp.Diff(want, got.Eviction.PreservedState); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	spoil(got.Eviction.PreservedState)
	require.Equal(t, before, text(t, []any{in.Policy, in.Items, object, in.Template}), "the input was changed, or is shared")
}

// Everything that can fail fails before anything is evicted.
func TestPrepareTriesTheWholeState(t *testing.T) {
	t.Parallel()
	type input = failover.PrepareInput
	kept := filling("{.job}")
	kept.Conflict = preservation.KeepExisting
	failing := filling("{.job}")
	failing.Conflict = preservation.Fail
	rules := func(rules ...preservation.Rule) func(*input) {
		return func(in *input) { in.Policy.Application.StatePreservation = preserving(rules...) }
	}
	podField := preservation.Rule{JSONPath: "{.job}", Target: preservation.Field, FieldPath: ".spec.template.spec.hostname"}
	deployment := func() *unstructured.Unstructured {
		m := manifest(nil)
		m.SetAPIVersion("apps/v1")
		m.SetKind("Deployment")
		m.Object["spec"] = map[string]any{"template": map[string]any{"spec": map[string]any{}}}
		return m
	}
	tests := map[string]struct {
		reason   string
		in       input
		template *unstructured.Unstructured
		want     preservation.Class // empty = evicted
		blocked  failover.Reason
	}{
		"parent there":      {reason: "I5", in: preparing(rules(filling("{.job}"))), template: withJob(nil)},
		"parent missing":    {reason: "I5: no parent is created", in: preparing(rules(filling("{.job}"))), template: manifest(nil), want: preservation.MissingParent, blocked: failover.InjectionRefused},
		"other type":        {reason: "I5: types match", in: preparing(rules(filling("{.job}"))), template: withJob(int64(7)), want: preservation.TypeMismatch, blocked: failover.InjectionRefused},
		"replaced":          {reason: "I2: Replace by default", in: preparing(rules(filling("{.job}"))), template: withJob("other")},
		"kept":              {reason: "I2: Keep is no error", in: preparing(rules(kept)), template: withJob("other")},
		"conflict":          {reason: "I2: Fail is", in: preparing(rules(failing)), template: withJob("other"), want: preservation.Conflicting, blocked: failover.InjectionRefused},
		"no conflict":       {reason: "the same value already", in: preparing(rules(failing)), template: withJob("A")},
		"bad annotations":   {reason: "I3, for a state with annotations", in: preparing(rules(noting("{.job}"))), template: withAnnotations(map[string]any{"n": int64(7)}), want: preservation.BadManifest, blocked: failover.InjectionRefused},
		"too large":         {reason: "S8: 256 KiB together", in: preparing(rules(noting("{.job}"))), template: withAnnotations(map[string]any{"n": string(make([]byte, 256<<10))}), want: preservation.TooLarge, blocked: failover.InjectionRefused},
		"not Directly":      {reason: "what is never injected is not tried", in: preparing(func(in *input) { rules(filling("{.job}"))(in); in.Policy.Application.PurgeMode = purge.Gracefully }), template: manifest(nil)},
		"no template":       {reason: "nothing to try", in: preparing(rules(filling("{.job}")))},
		"pod template":      {reason: "I5: it needs the opt-in", in: preparing(rules(podField)), template: deployment(), want: preservation.Refused, blocked: failover.InjectionRefused},
		"pod template, too": {reason: "the host's options are the trial's", in: preparing(func(in *input) { rules(podField)(in); in.Injection.PodTemplate, in.Injection.Force = true, true }), template: deployment()},
		"no object":         {reason: "absent is missing", in: preparing(rules(from(preservation.FromObject, rule(job, "{.a}")))), want: preservation.MissingKey, blocked: failover.MissingState},
		"no document":       {reason: "absent is missing", in: preparing(rules(from("snapshot", rule(job, "{.a}")))), want: preservation.MissingKey, blocked: failover.MissingState},
		"no attempt":        {reason: "zero is not known", in: preparing(rules(from(preservation.FromFailover, rule(job, "{.attempt}")))), want: preservation.MissingKey, blocked: failover.MissingState},
		"no time":           {reason: "zero is not known", in: preparing(rules(from(preservation.FromFailover, rule(job, "{.time}")))), want: preservation.MissingKey, blocked: failover.MissingState},
		"unreadable object": {reason: "never read as empty", in: preparing(func(in *input) {
			rules(from(preservation.FromObject, rule(job, "{.a}")))(in)
			in.Object = preservation.UnreadableDocument("")
		}), want: preservation.BadStatus, blocked: failover.MissingState},
		"carried field": {
			reason: "what the next copy would receive is tried, not only what this cluster gives",
			in: preparing(func(in *input) {
				in.Tasks = []eviction.Task{holding(left("west", 0, "west", ""), preservation.State{Fields: map[string]string{path: `"B"`}})}
			}),
			template: manifest(nil), want: preservation.MissingParent, blocked: failover.InjectionRefused,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.in.Template = tc.template
			got, err := failover.Prepare(tc.in)
			if tc.want == "" {
				require.NoError(t, err, tc.reason)
				require.Equal(t, failover.Evict, got.Outcome, tc.reason)
				return
			}
			require.ErrorIs(t, err, tc.want, tc.reason)
			require.Equal(t, failover.Blocked, got.Outcome, tc.reason)
			require.Equal(t, tc.blocked, got.Reason, tc.reason)
			require.Equal(t, eviction.Eviction{}, got.Eviction, tc.reason)
		})
	}
}

func withAnnotations(annotations map[string]any) *unstructured.Unstructured {
	m := manifest(nil)
	m.Object["metadata"].(map[string]any)["annotations"] = annotations
	return m
}

// A cluster that received state and was never healthy adds neither labels nor
// anything else.
func TestPrepareLeavesOutTheWholeState(t *testing.T) {
	t.Parallel()
	got, err := failover.Prepare(preparing(func(in *failover.PrepareInput) {
		in.Policy.Application.StatePreservation = preserving(filling("{.job}"))
		in.Tasks = []eviction.Task{holding(left("west", 0, "west", ""), preservation.State{Fields: map[string]string{path: `"B"`}})}
		in.Template = withJob(nil)
	}))
	require.NoError(t, err)
	require.Equal(t, []failover.WarningReason{failover.SourceNotAsked}, answerOf(got).Warnings)
	require.Nil(t, got.Eviction.PreservedState)
	require.Empty(t, got.Eviction.PreservedLabelState)
}

func TestCarryKeepsTheWholeState(t *testing.T) {
	t.Parallel()
	fields := func(value string) preservation.State {
		return preservation.State{Fields: map[string]string{path: `"` + value + `"`}}
	}
	otherwise := wholeState("A")
	otherwise.Failover.Attempt = 4
	tests := map[string]struct {
		reason string
		tasks  []eviction.Task
		want   []preservation.State
	}{
		"whole":            {"values, conflicts and provenance", []eviction.Task{holding(left("east", 0, "east", ""), wholeState("A"))}, []preservation.State{wholeState("A")}},
		"field only":       {"a state without labels is one", []eviction.Task{holding(left("east", 0, "east", ""), fields("A"))}, []preservation.State{fields("A")}},
		"labels inside":    {"labels of the rest do not count", []eviction.Task{{FromCluster: "east", PreservedState: &preservation.State{Labels: map[string]string{job: "A"}}}}, nil},
		"twice":            {"repeated tasks do not matter", []eviction.Task{holding(left("east", 0, "east", ""), wholeState("A")), holding(left("east", 0, "east", ""), wholeState("A"))}, []preservation.State{wholeState("A")}},
		"differ in fields": {"two states, in a fixed order", []eviction.Task{holding(left("east", 0, "east", ""), fields("B")), holding(left("east", 0, "east", ""), fields("A"))}, []preservation.State{fields("A"), fields("B")}},
		"differ in origin": {"neither is lost", []eviction.Task{holding(left("east", 0, "east", ""), otherwise), holding(left("east", 0, "east", ""), wholeState("A"))}, []preservation.State{wholeState("A"), otherwise}},
		"field goes on": {
			"F6: west was never healthy with the field", []eviction.Task{
				holding(left("east", 0, "east", ""), fields("A")), holding(left("west", 60, "west", ""), fields("B")),
			}, []preservation.State{fields("A")},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := text(t, tc.tasks)
			var got []preservation.State
			carried := failover.Carry(tc.tasks, nil)
			for _, c := range carried {
				got = append(got, *c.State.DeepCopy())
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			for i := range carried {
				spoil(&carried[i].State)
			}
			require.Equal(t, before, text(t, tc.tasks), "the result shares memory with the tasks")
		})
	}
}

func TestGateDeliversTheWholeState(t *testing.T) {
	t.Parallel()
	in := story{
		targets: "west", facts: gone("east"),
		tasks: []eviction.Task{holding(left("east", 0, "east", ""), wholeState("A"))},
	}.input()
	before := text(t, in)
	got := failover.Gate(in)
	require.Len(t, got, 1)
	require.True(t, got[0].Inject)
	if diff := cmp.Diff(wholeState("A"), got[0].State); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	spoil(&got[0].State)
	require.Equal(t, before, text(t, in), "the result shares memory with the input")
}

// What counts as Required is told by target and key together.
func TestGateReadsRulesOfEveryTarget(t *testing.T) {
	t.Parallel()
	optionally := func(rule preservation.Rule) preservation.Rule { rule.Policy = preservation.Optional; return rule }
	named := filling("{.job}")
	named.AliasLabelName = "example.com/name"
	tests := map[string]struct {
		reason string
		state  preservation.State
		rules  []preservation.Rule
		want   failover.Action
	}{
		"optional field":           {"it may be missing", preservation.State{Fields: map[string]string{path: `"A"`}}, []preservation.Rule{optionally(filling("{.job}"))}, failover.Apply},
		"optional named field":     {"its name is not its key", preservation.State{Fields: map[string]string{path: `"A"`}}, []preservation.Rule{optionally(named)}, failover.Apply},
		"required field":           {"no copy starts without it", preservation.State{Fields: map[string]string{path: `"A"`}}, []preservation.Rule{filling("{.job}")}, failover.Hold},
		"field without rule":       {"Required", preservation.State{Fields: map[string]string{path: `"A"`}}, []preservation.Rule{optional(path, "{.job}")}, failover.Hold},
		"optional annotation":      {"it may be missing", preservation.State{Annotations: map[string]string{note: "A"}}, []preservation.Rule{optionally(noting("{.job}"))}, failover.Apply},
		"required annotation":      {"no copy starts without it", preservation.State{Annotations: map[string]string{note: "A"}}, []preservation.Rule{noting("{.job}")}, failover.Hold},
		"label of the same key":    {"another place", preservation.State{Annotations: map[string]string{note: "A"}}, []preservation.Rule{optional(note, "{.job}")}, failover.Hold},
		"optional all":             {"nothing is Required", wholeState("A"), []preservation.Rule{optional(job, "{.job}"), optionally(noting("{.job}")), optionally(filling("{.job}"))}, failover.Apply},
		"optional all but a field": {"one is", wholeState("A"), []preservation.Rule{optional(job, "{.job}"), optionally(noting("{.job}")), filling("{.job}")}, failover.Hold},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := story{
				targets: "north south", facts: gone("east"), rules: tc.rules,
				tasks: []eviction.Task{holding(left("east", 0, "east", ""), tc.state)},
			}.input()
			for _, g := range failover.Gate(in) {
				require.Equal(t, failover.SeveralTargets, g.Reason, tc.reason)
				require.Equal(t, tc.want, g.Action, tc.reason)
				require.True(t, g.State.IsEmpty(), tc.reason)
			}
		})
	}
}

// States are the same if their values are, in every target.
func TestGateComparesTheWholeState(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		change func(*preservation.State)
		want   failover.GateReason
	}{
		"same":       {"the same state of two moves", func(*preservation.State) {}, failover.Injected},
		"provenance": {"where it comes from does not matter", func(s *preservation.State) { s.Failover = nil }, failover.Injected},
		"field":      {"one field differs", func(s *preservation.State) { s.Fields[path] = `"B"` }, failover.AmbiguousOrigin},
		"annotation": {"one annotation is more", func(s *preservation.State) { s.Annotations["more"] = "B" }, failover.AmbiguousOrigin},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := wholeState("A")
			tc.change(&other)
			in := story{
				targets: "south", facts: gone("east west"), tasks: []eviction.Task{
					holding(left("east", 0, "east west", ""), wholeState("A")), holding(left("west", 0, "east west", ""), other),
				},
			}.input()
			got := failover.Gate(in)
			require.Len(t, got, 1)
			require.Equal(t, tc.want, got[0].Reason, tc.reason)
		})
	}
}

// From the status of the old copy into the manifest of the new one, through a task.
func TestWholeStateTravels(t *testing.T) {
	t.Parallel()
	in := preparing(func(in *failover.PrepareInput) {
		in.Policy.Application.StatePreservation = preserving(rule(job, "{.job}"), noting("s3://{.job}"), filling("s3://{.job}/chk"))
		in.Template, in.Now = withJob("old"), at(0)
	})
	p, err := failover.Prepare(in)
	require.NoError(t, err)
	evicted, err := eviction.Evict(eviction.EvictInput{Targets: in.Targets, Evictions: []eviction.Eviction{p.Eviction}, Now: at(0)})
	require.NoError(t, err)
	got := failover.Gate(assessed(failover.GateInput{Targets: on("west"), Tasks: evicted.Tasks, Clusters: gone("east")}, at(60)))
	require.Len(t, got, 1)
	injected, _, err := preservation.Inject(in.Template, got[0].State, preservation.InjectOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{job: "A"}, injected.GetLabels())
	require.Equal(t, map[string]string{note: "s3://A"}, injected.GetAnnotations())
	value, _, err := unstructured.NestedString(injected.Object, "spec", "job", "path")
	require.NoError(t, err)
	require.Equal(t, "s3://A/chk", value)
}
