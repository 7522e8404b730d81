package preservation_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation"
)

// Rules fill several targets, and the state says what to do in a conflict.
func TestExtractAllTargets(t *testing.T) {
	t.Parallel()
	x := compile(
		t,
		preservation.Rule{AliasLabelName: "id", JSONPath: "{.id}", Conflict: preservation.Replace},
		preservation.Rule{AliasLabelName: "id", JSONPath: "{.n}", Target: preservation.Field, FieldPath: "spec.n", Conflict: preservation.KeepExisting},
		preservation.Rule{AliasLabelName: "id", JSONPath: "{.o}", Target: preservation.Annotation, Conflict: preservation.Fail},
		preservation.Rule{JSONPath: "{.gone}", Target: preservation.Field, FieldPath: "spec.m", Conflict: preservation.KeepExisting, Policy: preservation.Optional},
	)
	found, err := x.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(`{"id":"a","o":{"b":1},"n":2}`))})
	require.NoError(t, err)
	want := preservation.State{
		Labels: map[string]string{"id": "a"}, Annotations: map[string]string{"id": `{"b":1}`}, Fields: map[string]string{".spec.n": "2"},
		Conflicts: []preservation.RefConflict{
			{Ref: annotation("id"), Conflict: preservation.Fail}, {Ref: fieldAt(".spec.n"), Conflict: preservation.KeepExisting},
		},
	}
	// cmp takes State.Equal, which looks at the values alone.
	if diff := cmp.Diff(want.Conflicts, found.State.Conflicts); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, found.State); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What Go programs hold as nil is null, whatever its type is.
func TestExtractNilGoValues(t *testing.T) {
	t.Parallel()
	x := compile(t, preservation.Rule{AliasLabelName: "a", JSONPath: "{.a}", Target: preservation.Annotation})
	for name, value := range map[string]any{
		"map": map[string]any(nil), "texts": map[string]string(nil), "list": []any(nil), "text list": []string(nil),
		"empty list": []any{}, "empty text list": []string{},
	} {
		_, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": value})})
		require.ErrorIs(t, err, preservation.MissingKey, name)
	}
	for want, value := range map[string]any{
		`{"b":null}`: map[string]any{"b": map[string]any(nil)}, `{}`: map[string]string{}, `["x"]`: []string{"x"}, `{"y":"z"}`: map[string]string{"y": "z"},
		`[3]`: []any{int8(3)}, `[0.1]`: []any{float32(0.1)},
	} {
		found, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": value})})
		require.NoError(t, err)
		if got := found.State.Annotations["a"]; got != want {
			t.Errorf("want %s, got %s", want, got)
		}
	}
	for name, value := range map[string]any{"struct": struct{}{}, "inside": []any{struct{}{}}, "bytes": []byte("x"), "number": []any{json.Number("x")}, "float": []any{math.NaN()}} {
		_, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": value})})
		require.ErrorIs(t, err, preservation.NotScalar, name)
	}
	for name, value := range map[string]any{"text": "\xff", "inside": []any{"\xff"}, "key": map[string]any{"\xff": 1}} {
		_, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": value})})
		require.ErrorIs(t, err, preservation.InvalidValue, name)
	}
}

func TestValidateTargets(t *testing.T) {
	t.Parallel()
	type rules = []preservation.Rule
	fieldRule := func(path string) preservation.Rule {
		return preservation.Rule{JSONPath: "{.a}", Target: preservation.Field, FieldPath: path}
	}
	one := func(change func(*preservation.Rule)) rules {
		rule := preservation.Rule{AliasLabelName: "a", JSONPath: "{.a}"}
		change(&rule)
		return rules{rule}
	}
	cases := map[string]struct {
		reason string
		rules  rules
		want   []finding
	}{
		"SameAliasOfTargets": {
			reason: "a label and an annotation are two places",
			rules:  rules{{AliasLabelName: "a", JSONPath: "{.a}"}, {AliasLabelName: "a", JSONPath: "{.a}", Target: preservation.Annotation}},
		},
		"ExplicitLabel": {
			reason: "the default may be spelled out, and is the same place",
			rules:  rules{{AliasLabelName: "a", JSONPath: "{.a}"}, {AliasLabelName: "a", JSONPath: "{.b}", Target: preservation.Label}},
			want:   []finding{{field.ErrorTypeDuplicate, "p.rules[1].aliasLabelName", ""}},
		},
		"DuplicateAnnotation": {
			reason: "the last one would win",
			rules:  rules{{AliasLabelName: "a", JSONPath: "{.a}", Target: "Annotation"}, {AliasLabelName: "a", JSONPath: "{.b}", Target: "Annotation"}},
			want:   []finding{{field.ErrorTypeDuplicate, "p.rules[1].aliasLabelName", ""}},
		},
		"ProtectedAnnotation": {
			reason: "S11: annotations tell objects apart too",
			rules: one(func(r *preservation.Rule) {
				r.AliasLabelName, r.Target = "kubectl.kubernetes.io/last-applied-configuration", "Annotation"
			}),
			want: []finding{{field.ErrorTypeForbidden, "p.rules[0].aliasLabelName", "protected"}},
		},
		"FieldsWithoutAlias": {
			reason: "the path is the place",
			rules:  rules{fieldRule(".spec.a"), fieldRule(".spec.b")},
		},
		"FieldNameIsNoKey": {
			reason: "an alias of a field writes nothing, so nothing protects it",
			rules: one(func(r *preservation.Rule) {
				r.AliasLabelName, r.Target, r.FieldPath = "kubernetes.io/x", "Field", ".spec.a"
			}),
		},
		"IllegalFieldName": {
			reason: "it is a legal key all the same",
			rules:  one(func(r *preservation.Rule) { r.AliasLabelName, r.Target, r.FieldPath = "a b", "Field", ".spec.a" }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].aliasLabelName", ""}},
		},
		"NoAliasForAnnotation": {
			reason: "a value without a place to go",
			rules:  one(func(r *preservation.Rule) { r.AliasLabelName, r.Target = "", "Annotation" }),
			want:   []finding{{field.ErrorTypeRequired, "p.rules[0].aliasLabelName", "name the key"}},
		},
		"SamePath": {
			reason: "two spellings of one field",
			rules:  rules{fieldRule(".spec.a"), fieldRule("spec.a")},
			want:   []finding{{field.ErrorTypeDuplicate, "p.rules[1].fieldPath", ""}},
		},
		"PathWithin": {
			reason: "what is written would depend on the order; labels in between do not matter",
			rules:  rules{fieldRule(".spec.a"), {AliasLabelName: "x", JSONPath: "{.a}"}, fieldRule(".spec.a.b[0]")},
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[2].fieldPath", "overlaps with the path of rule 0"}},
		},
		"PathAround": {
			reason: "in the other order too",
			rules:  rules{fieldRule(".spec.a.b"), fieldRule(".spec.a")},
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[1].fieldPath", "overlaps with the path of rule 0"}},
		},
		"PathsBeside": {
			reason: "a longer name is another field, and so is an index",
			rules:  rules{fieldRule(".spec.a"), fieldRule(".spec.ab"), fieldRule(".spec.l[0]"), fieldRule(".spec.l[1]")},
		},
		"AnnotationTexts": {
			reason: "what no label holds, an annotation does",
			rules: one(func(r *preservation.Rule) {
				r.Target, r.JSONPath, r.Default, r.Join = "Annotation", "s3p://{.a[*]}", "none at all / ", ", "
			}),
		},
		"LongestJoin": {
			reason: "63 bytes", rules: one(func(r *preservation.Rule) { r.Target, r.Join = "Annotation", strings.Repeat(" ", 63) }),
		},
		"LongJoin": {
			reason: "nobody means it", rules: one(func(r *preservation.Rule) { r.Target, r.Join = "Annotation", strings.Repeat(" ", 64) }),
			want: []finding{{field.ErrorTypeInvalid, "p.rules[0].join", "at most 63 bytes"}},
		},
		"BrokenJoin": {
			reason: "a value is UTF-8", rules: one(func(r *preservation.Rule) { r.Target, r.Join = "Annotation", "\xff" }),
			want: []finding{{field.ErrorTypeInvalid, "p.rules[0].join", "UTF-8"}},
		},
		"BrokenDefault": {
			reason: "a value is UTF-8", rules: one(func(r *preservation.Rule) { r.Target, r.Default = "Annotation", "\xff" }),
			want: []finding{{field.ErrorTypeInvalid, "p.rules[0].default", "UTF-8"}},
		},
		"BrokenFieldDefault": {
			reason: "a value is UTF-8", rules: one(func(r *preservation.Rule) { r.Target, r.FieldPath, r.Default = "Field", ".spec.a", "\xff" }),
			want: []finding{{field.ErrorTypeInvalid, "p.rules[0].default", "UTF-8"}},
		},
		"RejectedFieldDefault": {
			reason: "reject holds text, and so does a default",
			rules: one(func(r *preservation.Rule) {
				r.Target, r.FieldPath, r.Default, r.Reject = "Field", ".spec.a", "0", []string{"0"}
			}),
			want: []finding{{field.ErrorTypeInvalid, "p.rules[0].default", "rejects its own default"}},
		},
		"UnknownTarget": {
			reason: "L6", rules: one(func(r *preservation.Rule) { r.Target = "PodTemplateLabel" }),
			want: []finding{{field.ErrorTypeNotSupported, "p.rules[0].target", `"Label", "Annotation", "Field"`}},
		},
		"UnknownTargetDefault": {
			reason: "L6: nothing is legal for a target that is not known",
			rules:  one(func(r *preservation.Rule) { r.Target, r.Default = "Volume", "x" }),
			want: []finding{
				{field.ErrorTypeNotSupported, "p.rules[0].target", `"Label", "Annotation", "Field"`},
				{field.ErrorTypeInvalid, "p.rules[0].default", "the target is not known"},
			},
		},
		"UnknownConflict": {
			reason: "L6", rules: one(func(r *preservation.Rule) { r.Conflict = "Merge" }),
			want: []finding{{field.ErrorTypeNotSupported, "p.rules[0].conflict", `"Replace", "Keep", "Fail"`}},
		},
		"FieldPathOfLabel": {
			reason: "somebody forgot the target", rules: one(func(r *preservation.Rule) { r.FieldPath = ".spec.a" }),
			want: []finding{{field.ErrorTypeForbidden, "p.rules[0].fieldPath", "only a rule with target Field"}},
		},
		"HugeFieldPath": {
			reason: "S12: the error is short", rules: rules{fieldRule("." + strings.Repeat("a", 1<<20))},
			want: []finding{{field.ErrorTypeInvalid, "p.rules[0].fieldPath", "longer than"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs := preservation.Validate(preservation.StatePreservation{Rules: tc.rules}, preservation.Protection{}, field.NewPath("p"))
			got := make([]finding, 0, len(errs))
			for i, err := range errs {
				f := finding{err.Type, err.Field, err.Error()}
				if i < len(tc.want) && strings.Contains(f.Detail, tc.want[i].Detail) {
					f.Detail = tc.want[i].Detail
				}
				if len(err.Error()) > 10_000 {
					f.Detail = fmt.Sprintf("%d bytes", len(err.Error()))
				}
				got = append(got, f)
			}
			if diff := cmp.Diff(append([]finding{}, tc.want...), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Values of an older failover go, of every target, also where there is no new one.
func TestInjectDropsOwnedOfAllTargets(t *testing.T) {
	t.Parallel()
	manifest := func() map[string]any {
		return mustDecode(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"a":"1","b":"2"},"labels":{"a":"1","b":"2"}},`+
			`"spec":{"a":1,"l":[1],"n":null,"template":{"metadata":{"labels":{"a":"1","b":"2"}}}}}`)
	}
	template := preservation.Ref{Target: preservation.PodTemplateLabel, Key: "a"}
	options := preservation.InjectOptions{
		PodTemplate: true, Force: true,
		Owned: []preservation.Ref{template, annotation("a"), fieldAt(".spec.a"), fieldAt(".spec.l[0]"), fieldAt(".spec.n"), fieldAt(".spec.gone.a"), fieldAt(".spec.gone")},
	}
	out, report, err := preservation.Inject(manifestOf(manifest()), preservation.State{}, options)
	require.NoError(t, err)
	want := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"b":"2"},"labels":{"a":"1","b":"2"}},` +
		`"spec":{"l":[1],"template":{"metadata":{"labels":{"b":"2"}}}}}`
	if diff := cmp.Diff(want, jsonOf(t, out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	changes := []preservation.Change{
		{Ref: annotation("a"), Effect: preservation.Removed, Old: "1"},
		{Ref: fieldAt(".spec.a"), Effect: preservation.Removed, Old: "1"},
		{Ref: fieldAt(".spec.n"), Effect: preservation.Removed, Old: "null"},
		{Ref: template, Effect: preservation.Removed, Old: "1"},
	}
	if diff := cmp.Diff(changes, report.Changes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A report may have lost its order on the way.
	slices.Reverse(report.Changes)
	back, err := preservation.Remove(out, report)
	require.NoError(t, err)
	if diff := cmp.Diff(jsonOf(t, manifestOf(manifest())), jsonOf(t, back)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is around comes back before what is within, in whatever order they went.
func TestRemoveRestoresFieldsWithinEachOther(t *testing.T) {
	t.Parallel()
	manifest := `{"metadata":{},"spec":{"a":{"b":1,"c":2}}}`
	options := preservation.InjectOptions{Owned: []preservation.Ref{fieldAt(".spec.a.b"), fieldAt(".spec.a")}}
	out, report, err := preservation.Inject(manifestOf(mustDecode(t, manifest)), preservation.State{}, options)
	require.NoError(t, err)
	slices.Reverse(report.Changes)
	back, err := preservation.Remove(out, report)
	require.NoError(t, err)
	if diff := cmp.Diff([]string{`{"metadata":{},"spec":{}}`, manifest}, []string{jsonOf(t, out), jsonOf(t, back)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Only fields are compared as JSON: for a label each byte counts.
func TestInjectComparesTextsByByte(t *testing.T) {
	t.Parallel()
	for old, value := range map[string]string{"1.50": "1.5", "null": "x", "1e3": "1000"} {
		for _, conflict := range []preservation.Conflict{preservation.Replace, preservation.KeepExisting, preservation.Fail} {
			_, report, err := preservation.Inject(withLabels(map[string]any{"a": old}), preservation.State{
				Labels: map[string]string{"a": value}, Conflicts: []preservation.RefConflict{{Ref: label("a"), Conflict: conflict}},
			}, preservation.InjectOptions{})
			want := map[preservation.Conflict]preservation.Effect{preservation.Replace: preservation.Replaced, preservation.KeepExisting: preservation.Kept}[conflict]
			if conflict == preservation.Fail {
				require.ErrorIs(t, err, preservation.Conflicting)
			} else if err != nil || report.Changes[0].Effect != want {
				t.Errorf("%s over %s with %s: want %s, got %+v, %v", value, old, conflict, want, report, err)
			}
		}
	}
}

// Labels that cannot be read are an error whatever else can be.
func TestInjectReadsLabelsFirst(t *testing.T) {
	t.Parallel()
	manifest := mustDecode(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"x":1}},"spec":{"template":{"metadata":{}}}}`)
	_, _, err := preservation.Inject(manifestOf(manifest), stateOf(map[string]string{"a": "1"}), preservation.InjectOptions{PodTemplate: true, Force: true})
	if want := `BadManifest: the value of metadata.labels["x"] is not text but a number`; textOf(err) != want {
		t.Errorf("want %s, got %v", want, err)
	}
}

// L6: a state or an owned key that this version does not understand writes nothing.
func TestInjectRefusesUnknown(t *testing.T) {
	t.Parallel()
	manifest := manifestOf(mustDecode(t, `{"metadata":{"labels":{"a":"0"}},"spec":{"a":{"b":1}}}`))
	for want, tc := range map[string]struct {
		state preservation.State
		owned []preservation.Ref
	}{
		`label "a": BadState: its conflict is not known`: {state: preservation.State{
			Labels: map[string]string{"a": "1"}, Conflicts: []preservation.RefConflict{{Ref: label("a"), Conflict: "Merge"}},
		}},
		`label "a": BadState: its conflict is not known (empty)`: {state: preservation.State{
			Labels: map[string]string{"a": "1"}, Conflicts: []preservation.RefConflict{{Ref: label("a")}},
		}},
		`field ".spec.a.b": BadState: it lies within .spec.a`:           {state: preservation.State{Fields: map[string]string{".spec.a": "{}", ".spec.a.b": "2"}}},
		`field ".spec.a": BadState: it lies within .spec`:               {state: preservation.State{Fields: map[string]string{".spec": "{}", ".spec.a": "2"}}},
		`volume "x": BadState: the target of an owned key is not known`: {owned: []preservation.Ref{label("a"), {Target: "Volume", Key: "x"}}},
	} {
		out, _, err := preservation.Inject(manifest, tc.state, preservation.InjectOptions{Owned: tc.owned})
		require.ErrorIs(t, err, preservation.BadState)
		if strings.TrimSuffix(want, " (empty)") != err.Error() || out != nil {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

// All errors of all targets, each with its place.
func TestInjectReportsEveryTarget(t *testing.T) {
	t.Parallel()
	state := preservation.State{
		Labels:      map[string]string{"l": "a b", "k8s.io/x": "1"},
		Annotations: map[string]string{"a": "", "k8s.io/x": "1"},
		Fields:      map[string]string{".spec.x": "1", ".spec.n.x": "1", ".spec.t": "1", ".kind": `"x"`, ".spec.bad": "{"},
		Conflicts:   []preservation.RefConflict{{Ref: fieldAt(".spec.x"), Conflict: preservation.Fail}},
	}
	_, _, err := preservation.Inject(manifestOf(mustDecode(t, `{"metadata":{},"spec":{"x":2,"t":"x"}}`)), state, preservation.InjectOptions{})
	want := `annotation "a": InvalidValue: empty, which counts as missing
annotation "k8s.io/x": Refused: the key is protected
field ".kind": Refused: nothing in kind is a field for state; labels and annotations have their own targets
field ".spec.bad": InvalidValue: the value of a field is not exactly one JSON value
field ".spec.n.x": MissingParent: the manifest has no .spec.n
field ".spec.t": TypeMismatch: the field holds text, the value is a number
field ".spec.x": Conflict: the manifest holds another value, and the rule says Fail
label "k8s.io/x": Refused: the key is protected
label "l": InvalidValue: not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends`
	if diff := cmp.Diff(want, textOf(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRemoveOfAllTargets(t *testing.T) {
	t.Parallel()
	type change = preservation.Change
	written := func(ref preservation.Ref, value string) change {
		return change{Ref: ref, Effect: preservation.Written, Value: value}
	}
	const cronJob = `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{},"spec":{"jobTemplate":{"spec":{"template":{"spec":{}}}}}}`
	inTemplate := preservation.Ref{Target: preservation.PodTemplateLabel, Key: "a"}
	replaced := change{Ref: fieldAt(".spec.a"), Effect: preservation.Replaced, Value: "1", Old: "0"}
	removed := change{Ref: fieldAt(".spec.a"), Effect: preservation.Removed, Old: `{"b":1}`}
	cases := map[string]struct {
		reason   string
		manifest string
		report   preservation.Report
		want     string
	}{
		"FieldWritten":       {"it goes", `{"metadata":{},"spec":{"a":1,"b":2}}`, preservation.Report{Changes: []change{written(fieldAt(".spec.a"), "1")}}, `{"metadata":{},"spec":{"b":2}}`},
		"FieldSpelledAnew":   {"the API server has its own spelling", `{"metadata":{},"spec":{"a":{"x":1.5,"b":1000}}}`, preservation.Report{Changes: []change{written(fieldAt(".spec.a"), `{"b":1e3,"x":1.50}`)}}, `{"metadata":{},"spec":{}}`},
		"FieldChanged":       {"somebody's value stays", `{"metadata":{},"spec":{"a":2}}`, preservation.Report{Changes: []change{written(fieldAt(".spec.a"), "1")}}, `{"metadata":{},"spec":{"a":2}}`},
		"FieldOtherType":     {"text is no number", `{"metadata":{},"spec":{"a":"1"}}`, preservation.Report{Changes: []change{written(fieldAt(".spec.a"), "1")}}, `{"metadata":{},"spec":{"a":"1"}}`},
		"FieldNulled":        {"somebody's null stays", `{"metadata":{},"spec":{"a":null}}`, preservation.Report{Changes: []change{written(fieldAt(".spec.a"), "1")}}, `{"metadata":{},"spec":{"a":null}}`},
		"ParentGone":         {"nothing of ours is left", `{"metadata":{}}`, preservation.Report{Changes: []change{written(fieldAt(".spec.a"), "1"), replaced}}, `{"metadata":{}}`},
		"ParentOfOtherType":  {"nothing of ours is left", `{"metadata":{},"spec":"x"}`, preservation.Report{Changes: []change{written(fieldAt(".spec.a"), "1"), removed}}, `{"metadata":{},"spec":"x"}`},
		"FieldReplaced":      {"the old value comes back", `{"metadata":{},"spec":{"a":1}}`, preservation.Report{Changes: []change{replaced}}, `{"metadata":{},"spec":{"a":0}}`},
		"FieldReplacedGone":  {"somebody removed it", `{"metadata":{},"spec":{}}`, preservation.Report{Changes: []change{replaced}}, `{"metadata":{},"spec":{}}`},
		"FieldRemoved":       {"it comes back", `{"metadata":{},"spec":{}}`, preservation.Report{Changes: []change{removed}}, `{"metadata":{},"spec":{"a":{"b":1}}}`},
		"FieldAddedBack":     {"somebody's value stays", `{"metadata":{},"spec":{"a":3}}`, preservation.Report{Changes: []change{removed}}, `{"metadata":{},"spec":{"a":3}}`},
		"RemovedParentGone":  {"no place to put it", `{"metadata":{}}`, preservation.Report{Changes: []change{removed}}, `{"metadata":{}}`},
		"PodMetadataGone":    {"and is not made for nothing", cronJob, preservation.Report{Changes: []change{written(inTemplate, "1")}}, cronJob},
		"ItemReplaced":       {"in a list", `{"metadata":{},"spec":{"l":[1,2]}}`, preservation.Report{Changes: []change{{Ref: fieldAt(".spec.l[1]"), Effect: preservation.Replaced, Value: "2", Old: `null`}}}, `{"metadata":{},"spec":{"l":[1,null]}}`},
		"ItemGone":           {"the list is shorter now", `{"metadata":{},"spec":{"l":[1]}}`, preservation.Report{Changes: []change{{Ref: fieldAt(".spec.l[1]"), Effect: preservation.Replaced, Value: "2", Old: `7`}}}, `{"metadata":{},"spec":{"l":[1]}}`},
		"Kept":               {"it was not ours", `{"metadata":{"labels":{"a":"1"}}}`, preservation.Report{Changes: []change{{Ref: label("a"), Effect: preservation.Kept, Old: "1"}}}, `{"metadata":{"labels":{"a":"1"}}}`},
		"KeptEmpty":          {"nor is it where the report has no value", `{"metadata":{"labels":{"a":""}}}`, preservation.Report{Changes: []change{{Ref: label("a"), Effect: preservation.Kept}}}, `{"metadata":{"labels":{"a":""}}}`},
		"AnnotationsCreated": {"the map goes too", `{"metadata":{"annotations":{"a":"1"}}}`, preservation.Report{Changes: []change{written(annotation("a"), "1")}, Created: []preservation.Target{preservation.Annotation}}, `{"metadata":{}}`},
		"AnnotationsNull":    {"null again", `{"metadata":{"annotations":{"a":"1"}}}`, preservation.Report{Changes: []change{written(annotation("a"), "1")}, Null: []preservation.Target{preservation.Annotation}}, `{"metadata":{"annotations":null}}`},
		"OthersCreated":      {"each map for itself", `{"metadata":{"annotations":{"a":"1"}}}`, preservation.Report{Changes: []change{written(annotation("a"), "1")}, Created: []preservation.Target{preservation.Label}, Null: []preservation.Target{preservation.PodTemplateLabel}}, `{"metadata":{"annotations":{}}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := preservation.Remove(manifestOf(mustDecode(t, tc.manifest)), tc.report)
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(tc.want, jsonOf(t, out)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			twice, err := preservation.Remove(out, tc.report)
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(tc.want, jsonOf(t, twice)); diff != "" {
				t.Errorf("%s: twice (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRemoveRefusesBrokenReports(t *testing.T) {
	t.Parallel()
	manifest := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"x":1}},"spec":{"a":1}}`
	for want, change := range map[string]preservation.Change{
		`field ".spec": BadReport: a whole top-level field is not for state`:                                                         {Ref: fieldAt(".spec"), Effect: preservation.Written},
		`field ".metadata.name": BadReport: nothing in metadata is a field for state; labels and annotations have their own targets`: {Ref: fieldAt(".metadata.name"), Effect: preservation.Removed, Old: `"x"`},
		`label "a b": BadReport: not a legal key`:                                                                                    {Ref: label("a b"), Effect: preservation.Written, Value: "1"},
		`field "spec.a": BadReport: a state spells this path .spec.a`:                                                                {Ref: fieldAt("spec.a"), Effect: preservation.Written},
		`field ".spec.a": BadReport: the old value is not JSON`:                                                                      {Ref: fieldAt(".spec.a"), Effect: preservation.Replaced, Value: "1", Old: "{"},
		`field ".spec.b": BadReport: the old value is not JSON`:                                                                      {Ref: fieldAt(".spec.b"), Effect: preservation.Removed},
		`field ".spec.b.c": BadReport: the effect "Merged" is not known`:                                                             {Ref: fieldAt(".spec.b.c"), Effect: "Merged"},
		`BadManifest: the value of metadata.annotations["x"] is not text but a number`:                                               {Ref: annotation("a"), Effect: preservation.Written, Value: "1"},
		`MissingParent: the manifest has no .spec.template`:                                                                          {Ref: preservation.Ref{Target: preservation.PodTemplateLabel, Key: "a"}, Effect: preservation.Written, Value: "1"},
	} {
		out, err := preservation.Remove(manifestOf(mustDecode(t, manifest)), preservation.Report{Changes: []preservation.Change{change}})
		if textOf(err) != want || out != nil {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

func TestRemoveRulesOfAllTargets(t *testing.T) {
	t.Parallel()
	rules := []preservation.Rule{
		{AliasLabelName: "l"},
		{AliasLabelName: "a", Target: preservation.Annotation},
		{Target: preservation.Field, FieldPath: "spec.f"},
		{Target: preservation.Field, FieldPath: ".spec.l[0]"},
		{Target: preservation.Field, FieldPath: ".spec.gone.x"},
		{Target: preservation.Field, FieldPath: ".spec.template.x"},
		{Target: preservation.Field, FieldPath: ".spec.serviceName"},
		{Target: preservation.Field, FieldPath: ".metadata.name"},
		{Target: preservation.Field, FieldPath: "{.x}"},
		{Target: "Other", AliasLabelName: "team"},
	}
	manifest := `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"annotations":{"a":"1","team":"x"},"labels":{"l":"1","team":"x"},"name":"n"},` +
		`"spec":{"f":1,"l":[1],"replicas":1,"serviceName":"s","template":{"metadata":{"labels":{"l":"1"}},"x":1}}}`
	cases := map[string]struct {
		reason  string
		options preservation.InjectOptions
		want    string
	}{
		"Plain": {
			"keys that Inject with these options would refuse are not its own; items of a list stay",
			preservation.InjectOptions{Owned: labels("team")},
			`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"annotations":{"team":"x"},"labels":{"team":"x"},"name":"n"},` +
				`"spec":{"f":1,"l":[1],"replicas":1,"serviceName":"s","template":{"metadata":{"labels":{"l":"1"}},"x":1}}}`,
		},
		"Forced": {
			"immutable fields, not the template",
			preservation.InjectOptions{Force: true},
			`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"annotations":{"team":"x"},"labels":{"team":"x"},"name":"n"},` +
				`"spec":{"l":[1],"replicas":1,"template":{"metadata":{"labels":{"l":"1"}},"x":1}}}`,
		},
		"Template": {
			"all",
			preservation.InjectOptions{Force: true, PodTemplate: true},
			`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"annotations":{"team":"x"},"labels":{"team":"x"},"name":"n"},` +
				`"spec":{"l":[1],"replicas":1,"template":{"metadata":{"labels":{}}}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := preservation.RemoveRules(manifestOf(mustDecode(t, manifest)), rules, tc.options)
			require.NoError(t, err)
			if diff := cmp.Diff(tc.want, jsonOf(t, out)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	_, err := preservation.RemoveRules(manifestOf(mustDecode(t, `{"metadata":{"annotations":{"x":1}}}`)), rules, preservation.InjectOptions{})
	require.ErrorIs(t, err, preservation.BadManifest)
}

// Neither the report nor the error of an injection, nor a decoded state, shows a
// value in what is printed without being asked for.
func TestTargetErrorsHoldNoValues(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	var texts []string
	note := func(err error) {
		if err != nil {
			texts = append(texts, err.Error(), fmt.Sprintf("%+v", err))
		}
	}
	values := []string{secret, `"` + secret + `"`, `{"a":"` + secret + `"}`, `["` + secret, secret + " x", "\"" + secret + "\xff\"", "[1e999,\"" + secret + "\"]"}
	for _, value := range values {
		for _, there := range []any{secret, map[string]any{"x": secret}, []any{secret}, 7, nil, secret + "\xff"} {
			for _, conflict := range []preservation.Conflict{preservation.Replace, preservation.Fail, "x"} {
				for _, path := range []string{".spec.a", ".spec.a.b.c", ".spec.a[0].x", ".spec.a[3]", ".spec.a.x.y"} {
					state := preservation.State{
						Annotations: map[string]string{"a": value}, Fields: map[string]string{path: value},
						Conflicts: []preservation.RefConflict{{Ref: annotation("a"), Conflict: conflict}, {Ref: fieldAt(path), Conflict: conflict}},
					}
					_, err := state.Encode()
					note(err)
					manifest := manifestOf(map[string]any{
						"apiVersion": "v1", "kind": "X",
						"metadata": map[string]any{"name": "n", "annotations": map[string]any{"a": there}}, "spec": map[string]any{"a": there},
					})
					_, _, err = preservation.Inject(manifest, state, preservation.InjectOptions{})
					note(err)
					manifest.Object["metadata"] = map[string]any{"name": "n"}
					_, _, err = preservation.ApplyConfiguration(manifest, preservation.State{Fields: state.Fields}, preservation.InjectOptions{})
					note(err)
					_, err = preservation.Remove(manifest, preservation.Report{Changes: []preservation.Change{
						{Ref: fieldAt(".spec.a"), Effect: preservation.Removed, Old: value, Value: value},
						{Ref: fieldAt(".spec.b"), Effect: preservation.Removed, Old: value, Value: value},
					}})
					note(err)
				}
			}
		}
		for _, text := range []string{value, `{"version":1,"labels":{"a":` + value + `}}`, `{"version":"` + secret + `"}`, `{"version":1,"x":"` + secret + `"}`} {
			_, err := preservation.DecodeState(text)
			note(err)
		}
		for _, target := range []preservation.Target{preservation.Annotation, preservation.Field} {
			rule := preservation.Rule{AliasLabelName: "a", JSONPath: "{.a}", Target: target}
			if target == preservation.Field {
				rule.FieldPath = ".spec.a"
			}
			x := compile(t, rule)
			for _, there := range []any{secret + "\xff", []any{secret, "\xff"}, map[string]any{"a": struct{ S string }{secret}}, strings.Repeat(secret, 1<<17)} {
				_, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(map[string]any{"a": there})})
				note(err)
			}
		}
	}
	if len(texts) < 500 {
		t.Errorf("only %d errors: the inputs do not fail", len(texts))
	}
	for _, text := range texts {
		if strings.Contains(text, secret) {
			t.Fatalf("a value shows in: %s", text)
		}
	}
}

// What was injected shares nothing with the state, nor the state with a document.
func TestTargetsShareNothing(t *testing.T) {
	t.Parallel()
	document := map[string]any{"o": map[string]any{"l": []any{"x"}}}
	x := compile(t, preservation.Rule{JSONPath: "{.o}", Target: preservation.Field, FieldPath: ".spec.o"})
	found, err := x.Extract(preservation.Sources{Status: preservation.ObjectDocument(document)})
	require.NoError(t, err)
	spoil(document)
	manifest := manifestOf(map[string]any{"metadata": map[string]any{}, "spec": map[string]any{}})
	one, _, err := preservation.Inject(manifest, found.State, preservation.InjectOptions{})
	require.NoError(t, err)
	want := `{"metadata":{},"spec":{"o":{"l":["x"]}}}`
	if diff := cmp.Diff(want, jsonOf(t, one)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	spoil(one.Object)
	two, _, err := preservation.Inject(manifest, found.State, preservation.InjectOptions{})
	require.NoError(t, err)
	if diff := cmp.Diff(want, jsonOf(t, two)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	owned := make([]preservation.Ref, 1, 10)
	owned[0] = annotation("a")
	state := preservation.State{Labels: map[string]string{"b": "1"}}
	_, _, err = preservation.Inject(manifest, state, preservation.InjectOptions{Owned: owned})
	require.NoError(t, err)
	if diff := cmp.Diff(make([]preservation.Ref, 9), owned[1:10]); diff != "" {
		t.Errorf("the caller's list was written to (-want +got):\n%s", diff)
	}
}

// Of several faults the same one is told every time: map order never shows (L3).
func TestFaultsAreTheSameEveryTime(t *testing.T) {
	t.Parallel()
	status, _ := decode(`{"o":{"a":1e400,"b":"\ud800","c":{"uid":1},"d":{"kubectl.kubernetes.io/last-applied-configuration":1},"e":12345678901234567890}}`)
	status["p"] = map[string]any{"a": "\xff", "b": math.NaN(), "c": json.Number("x"), "d": struct{}{}, "e": "\xfe"}
	x := compile(
		t,
		preservation.Rule{JSONPath: "{.o}", Target: preservation.Field, FieldPath: ".spec.o"},
		preservation.Rule{AliasLabelName: "p", JSONPath: "{.p}", Target: preservation.Annotation},
	)
	in := preservation.Sources{Status: preservation.ObjectDocument(status)}
	manifest := manifestOf(map[string]any{"metadata": map[string]any{}, "spec": status["p"]})
	want, _ := x.Extract(in)
	_, _, wantErr := preservation.Inject(manifest, preservation.State{}, preservation.InjectOptions{})
	require.Len(t, want.Errors, 2)
	require.ErrorIs(t, wantErr, preservation.BadManifest)
	for range 200 {
		got, _ := x.Extract(in)
		_, _, err := preservation.Inject(manifest, preservation.State{}, preservation.InjectOptions{})
		if diff := cmp.Diff(want, got); diff != "" || err.Error() != wantErr.Error() {
			t.Fatalf("another fault (-want +got):\n%s\n%v\n%v", diff, wantErr, err)
		}
	}
}
