package preservation_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/preservation"
)

func manifestOf(object map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object}
}

// withLabels is a manifest with metadata.labels as given.
func withLabels(labels any) *unstructured.Unstructured {
	return manifestOf(map[string]any{"metadata": map[string]any{"name": "app", "labels": labels}})
}

func label(key string) preservation.Ref {
	return preservation.Ref{Target: preservation.Label, Key: key}
}

func labels(keys ...string) []preservation.Ref {
	var refs []preservation.Ref
	for _, key := range keys {
		refs = append(refs, label(key))
	}
	return refs
}

func annotation(key string) preservation.Ref {
	return preservation.Ref{Target: preservation.Annotation, Key: key}
}

func fieldAt(path string) preservation.Ref {
	return preservation.Ref{Target: preservation.Field, Key: path}
}

func stateOf(labels map[string]string) preservation.State { return preservation.State{Labels: labels} }

func jsonOf(t testing.TB, m *unstructured.Unstructured) string {
	t.Helper()
	text, err := json.Marshal(m.Object)
	require.NoError(t, err)
	return string(text)
}

func TestInject(t *testing.T) {
	t.Parallel()
	type change = preservation.Change
	cases := map[string]struct {
		reason   string
		manifest string
		state    map[string]string
		owned    []preservation.Ref
		want     string
		report   preservation.Report
	}{
		"NoLabels": {
			reason:   "labels that are absent are none",
			manifest: `{"metadata":{"name":"app"}}`,
			state:    map[string]string{"a": "1"},
			want:     `{"metadata":{"labels":{"a":"1"},"name":"app"}}`,
			report:   preservation.Report{Created: []preservation.Target{preservation.Label}, Changes: []change{{Ref: label("a"), Effect: preservation.Written, Value: "1"}}},
		},
		"NullLabels": {
			reason:   "labels that are null are none",
			manifest: `{"metadata":{"labels":null}}`,
			state:    map[string]string{"a": "1"},
			want:     `{"metadata":{"labels":{"a":"1"}}}`,
			report:   preservation.Report{Null: []preservation.Target{preservation.Label}, Changes: []change{{Ref: label("a"), Effect: preservation.Written, Value: "1"}}},
		},
		"EmptyLabels": {
			reason:   "an empty object is neither absent nor null",
			manifest: `{"metadata":{"labels":{}}}`,
			state:    map[string]string{"a": "1"},
			want:     `{"metadata":{"labels":{"a":"1"}}}`,
			report:   preservation.Report{Changes: []change{{Ref: label("a"), Effect: preservation.Written, Value: "1"}}},
		},
		"EmptyState": {
			reason:   "a plain copy",
			manifest: `{"metadata":{"labels":{"team":"x"}},"spec":{"n":1}}`,
			want:     `{"metadata":{"labels":{"team":"x"}},"spec":{"n":1}}`,
		},
		"EmptyStateNoLabels": {
			reason:   "no labels are made for nothing",
			manifest: `{"metadata":{}}`,
			want:     `{"metadata":{}}`,
			report:   preservation.Report{Created: []preservation.Target{preservation.Label}},
		},
		"EmptyStateNullLabels": {
			reason:   "null stays null",
			manifest: `{"metadata":{"labels":null}}`,
			want:     `{"metadata":{"labels":null}}`,
			report:   preservation.Report{Null: []preservation.Target{preservation.Label}},
		},
		"EveryEffect": {
			reason:   "I2, I6: written, replaced, unchanged and removed, sorted by key; the others stay",
			manifest: `{"metadata":{"labels":{"b":"old","c":"3","d":"gone","e":"kept","f":""}}}`,
			state:    map[string]string{"a": "1", "b": "2", "c": "3", "f": "6"},
			owned:    labels("d", "b", "never", "d"),
			want:     `{"metadata":{"labels":{"a":"1","b":"2","c":"3","e":"kept","f":"6"}}}`,
			report: preservation.Report{Changes: []change{
				{Ref: label("a"), Effect: preservation.Written, Value: "1"},
				{Ref: label("b"), Effect: preservation.Replaced, Value: "2", Old: "old"},
				{Ref: label("c"), Effect: preservation.Unchanged, Value: "3", Old: "3"},
				{Ref: label("d"), Effect: preservation.Removed, Old: "gone"},
				{Ref: label("f"), Effect: preservation.Replaced, Value: "6"},
			}},
		},
		"OwnedWithoutState": {
			reason:   "I6: an older failover's last key goes; the labels stay an object",
			manifest: `{"metadata":{"labels":{"a":"1"}}}`,
			owned:    labels("a"),
			want:     `{"metadata":{"labels":{}}}`,
			report:   preservation.Report{Changes: []change{{Ref: label("a"), Effect: preservation.Removed, Old: "1"}}},
		},
		"OwnedNotOurs": {
			reason:   "a key that Inject refuses was not written by it: identity and selector stay",
			manifest: `{"metadata":{"labels":{"app.kubernetes.io/name":"x","sel":"y","own.example.com/id":"z"}},"spec":{"selector":{"sel":"y"}}}`,
			owned:    labels("app.kubernetes.io/name", "sel", "own.example.com/id"),
			want:     `{"metadata":{"labels":{"app.kubernetes.io/name":"x","own.example.com/id":"z","sel":"y"}},"spec":{"selector":{"sel":"y"}}}`,
		},
		"PodTemplate": {
			reason:   "I4: object metadata only",
			manifest: `{"metadata":{"labels":{"team":"x"}},"spec":{"template":{"metadata":{"labels":{"team":"x"}}}}}`,
			state:    map[string]string{"a": "1"},
			want:     `{"metadata":{"labels":{"a":"1","team":"x"}},"spec":{"template":{"metadata":{"labels":{"team":"x"}}}}}`,
			report:   preservation.Report{Changes: []change{{Ref: label("a"), Effect: preservation.Written, Value: "1"}}},
		},
		"SpecOfAnotherKind": {
			reason:   "what is no selector refuses nothing",
			manifest: `{"metadata":{"labels":{}},"spec":{"selector":"a=1"}}`,
			state:    map[string]string{"a": "1"},
			want:     `{"metadata":{"labels":{"a":"1"}},"spec":{"selector":"a=1"}}`,
			report:   preservation.Report{Changes: []change{{Ref: label("a"), Effect: preservation.Written, Value: "1"}}},
		},
		"OddExpressions": {
			reason:   "L4: expressions of any type",
			manifest: `{"metadata":{"labels":{}},"spec":{"selector":{"matchExpressions":[1,null,{"key":2},{}]}}}`,
			state:    map[string]string{"key": "1"},
			want:     `{"metadata":{"labels":{"key":"1"}},"spec":{"selector":{"matchExpressions":[1,null,{"key":2},{}]}}}`,
			report:   preservation.Report{Changes: []change{{Ref: label("key"), Effect: preservation.Written, Value: "1"}}},
		},
		"IllegalLabelOfSomebodyElse": {
			reason:   "not ours to judge, and not ours to lose",
			manifest: `{"metadata":{"labels":{"x y":"not legal/"}}}`,
			state:    map[string]string{"a": "1"},
			want:     `{"metadata":{"labels":{"a":"1","x y":"not legal/"}}}`,
			report:   preservation.Report{Changes: []change{{Ref: label("a"), Effect: preservation.Written, Value: "1"}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifest := manifestOf(object(t, tc.manifest))
			options := preservation.InjectOptions{Owned: tc.owned, Protection: preservation.Protection{Domains: []string{"own.example.com"}}}
			out, report, err := preservation.Inject(manifest, stateOf(tc.state), options)
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(tc.want, jsonOf(t, out)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.report, report, cmp.Transformer("", nilIfEmpty)); diff != "" {
				t.Errorf("%s: report (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(object(t, tc.manifest), manifest.Object); diff != "" {
				t.Errorf("%s: the manifest was changed (-want +got):\n%s", tc.reason, diff)
			}
			checkInverse(t, manifest, stateOf(tc.state), options)
		})
	}
}

func nilIfEmpty(changes []preservation.Change) map[int]preservation.Change {
	all := map[int]preservation.Change{}
	for i, change := range changes {
		all[i] = change
	}
	return all
}

// object decodes as a host that reads a manifest does.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	var m unstructured.Unstructured
	full := strings.Replace(text, "{", `{"apiVersion":"v1","kind":"X",`, 1)
	require.NoError(t, m.UnmarshalJSON([]byte(strings.Replace(full, ",}", "}", 1))))
	delete(m.Object, "apiVersion")
	delete(m.Object, "kind")
	return m.Object
}

// checkInverse is I6 for one injection that succeeds.
func checkInverse(t testing.TB, manifest *unstructured.Unstructured, state preservation.State, options preservation.InjectOptions) {
	t.Helper()
	before := jsonOf(t, manifest)
	out, report, err := preservation.Inject(manifest, state, options)
	require.NoError(t, err)

	text, err := json.Marshal(report)
	require.NoError(t, err)
	var stored preservation.Report
	require.NoError(t, json.Unmarshal(text, &stored))
	back, err := preservation.Remove(out, stored)
	require.NoError(t, err)
	if diff := cmp.Diff(before, jsonOf(t, back)); diff != "" {
		t.Errorf("Remove is not the inverse (-want +got):\n%s", diff)
	}
	again, err := preservation.Remove(back, stored)
	require.NoError(t, err)
	if diff := cmp.Diff(before, jsonOf(t, again)); diff != "" {
		t.Errorf("Remove twice (-want +got):\n%s", diff)
	}
	twice, second, err := preservation.Inject(out, state, options)
	require.NoError(t, err)
	if diff := cmp.Diff(jsonOf(t, out), jsonOf(t, twice)); diff != "" {
		t.Errorf("Inject twice (-want +got):\n%s", diff)
	}
	for _, change := range second.Changes {
		if change.Effect != preservation.Unchanged && change.Effect != preservation.Kept {
			t.Errorf("the second injection reports %+v", change)
		}
	}
	if diff := cmp.Diff(before, jsonOf(t, manifest)); diff != "" {
		t.Errorf("the manifest was changed (-want +got):\n%s", diff)
	}
	out.DeepCopy() // must not panic
	back.DeepCopy()
}

// checkOnlyOurs says that a report names keys of the state and owned ones only,
// once each and sorted. With checkInverse it follows that nothing else changed.
func checkOnlyOurs(t testing.TB, report preservation.Report, state preservation.State, options preservation.InjectOptions) {
	t.Helper()
	ours := map[preservation.Ref]bool{}
	for _, key := range append(state.Keys(), options.Owned...) {
		ours[key] = true
		if key.Target == preservation.Label && options.PodTemplate {
			ours[preservation.Ref{Target: preservation.PodTemplateLabel, Key: key.Key}] = true
		}
	}
	last := preservation.Ref{}
	for _, change := range report.Changes {
		if !ours[change.Ref] || last.Target > change.Target || last.Target == change.Target && last.Key >= change.Key {
			t.Errorf("not ours, or not sorted: %+v after %+v", change.Ref, last)
		}
		last = change.Ref
	}
}

func TestInjectRefuses(t *testing.T) {
	t.Parallel()
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	cyclicList := []any{nil}
	cyclicList[0] = cyclicList
	shared := map[string]any{}
	for range 30 {
		shared = map[string]any{"a": shared, "b": shared}
	}
	withSpec := func(spec any) *unstructured.Unstructured {
		return manifestOf(map[string]any{"metadata": map[string]any{"labels": map[string]any{"team": "x"}}, "spec": spec})
	}
	selecting := func(selector any) *unstructured.Unstructured { return withSpec(map[string]any{"selector": selector}) }
	one := map[string]string{"example.com/id": "1"}
	const (
		manifest = preservation.BadManifest
		invalid  = preservation.InvalidValue
		refused  = preservation.Refused
	)
	cases := map[string]struct {
		reason   string
		manifest *unstructured.Unstructured
		state    map[string]string
		class    preservation.Class
		want     string
	}{
		"Nil":              {"there is nothing to change", nil, one, manifest, "BadManifest: there is no manifest"},
		"NilObject":        {"there is nothing to change", &unstructured.Unstructured{}, one, manifest, "BadManifest: there is no manifest"},
		"NoMetadata":       {"not an object of Kubernetes", manifestOf(map[string]any{}), one, manifest, "BadManifest: metadata is not an object but null"},
		"NullMetadata":     {"I3", manifestOf(map[string]any{"metadata": nil}), one, manifest, "BadManifest: metadata is not an object but null"},
		"NilMapMetadata":   {"a nil map is null", manifestOf(map[string]any{"metadata": map[string]any(nil)}), one, manifest, "BadManifest: metadata is not an object but null"},
		"TextMetadata":     {"I3", manifestOf(map[string]any{"metadata": "x"}), one, manifest, "BadManifest: metadata is not an object but text"},
		"EmptyState":       {"a manifest that cannot be read is refused without any state too", manifestOf(map[string]any{}), nil, manifest, "BadManifest: metadata is not an object but null"},
		"ListLabels":       {"I3", withLabels([]any{"a"}), one, manifest, "BadManifest: metadata.labels is not an object but a list"},
		"TextLabels":       {"I3", withLabels("a=b"), one, manifest, "BadManifest: metadata.labels is not an object but text"},
		"NumberLabels":     {"I3", withLabels(7), one, manifest, "BadManifest: metadata.labels is not an object but a number"},
		"NumericLabel":     {"F25: nothing is wiped", withLabels(map[string]any{"team": "x", "shot": int64(1)}), one, manifest, `BadManifest: the value of metadata.labels["shot"] is not text but a number`},
		"GoIntLabel":       {"F25", withLabels(map[string]any{"shot": 1}), one, manifest, `BadManifest: the value of metadata.labels["shot"] is not text but a number`},
		"FloatLabel":       {"F25", withLabels(map[string]any{"shot": 1.5}), one, manifest, `BadManifest: the value of metadata.labels["shot"] is not text but a number`},
		"JSONNumberLabel":  {"F25", withLabels(map[string]any{"shot": json.Number("1")}), one, manifest, `BadManifest: the value of metadata.labels["shot"] is not text but a number`},
		"BoolLabel":        {"F25", withLabels(map[string]any{"release": true}), one, manifest, `BadManifest: the value of metadata.labels["release"] is not text but a boolean`},
		"NullLabel":        {"F25", withLabels(map[string]any{"x": nil}), one, manifest, `BadManifest: the value of metadata.labels["x"] is not text but null`},
		"ObjectLabel":      {"F25", withLabels(map[string]any{"x": map[string]any{}}), one, manifest, `BadManifest: the value of metadata.labels["x"] is not text but an object`},
		"FirstBadLabel":    {"L3: the first by key, whatever the map order", withLabels(map[string]any{"c": 1, "a": 1, "b": true}), one, manifest, `BadManifest: the value of metadata.labels["a"] is not text but a number`},
		"NaN":              {"JSON has none", withSpec(math.NaN()), one, manifest, "BadManifest: a float is no number that JSON can hold"},
		"Infinity":         {"JSON has none", withSpec(math.Inf(-1)), one, manifest, "BadManifest: a float is no number that JSON can hold"},
		"Float32Infinity":  {"JSON has none", withSpec(float32(math.Inf(1))), one, manifest, "BadManifest: a float is no number that JSON can hold"},
		"Struct":           {"not JSON as it stands", withSpec(struct{}{}), one, manifest, "BadManifest: a Go value of type struct {} cannot be part of a manifest"},
		"Bytes":            {"not JSON as it stands", withSpec([]byte("x")), one, manifest, "BadManifest: a Go value of type []uint8 cannot be part of a manifest"},
		"DeepStruct":       {"in a list in a map", withSpec(map[string]any{"a": []any{struct{}{}}}), one, manifest, "BadManifest: a Go value of type struct {} cannot be part of a manifest"},
		"NumberIsText":     {"json.Number holds any text", withSpec(json.Number("x")), one, manifest, "BadManifest: a json.Number of 1 bytes is no number"},
		"NumberIsEmpty":    {"json.Number holds any text", withSpec(json.Number("")), one, manifest, "BadManifest: a json.Number of 0 bytes is no number"},
		"NumberIsTrue":     {"JSON, and no number", withSpec(json.Number("true")), one, manifest, "BadManifest: a json.Number of 4 bytes is no number"},
		"NumberIsQuoted":   {"JSON, and no number", withSpec(json.Number(`"1"`)), one, manifest, "BadManifest: a json.Number of 3 bytes is no number"},
		"NumberIsList":     {"JSON, and no number", withSpec(json.Number("[1]")), one, manifest, "BadManifest: a json.Number of 3 bytes is no number"},
		"NumberAfterBlank": {"JSON, and encoding/json refuses it as a number", withSpec(json.Number(" 1")), one, manifest, "BadManifest: a json.Number of 2 bytes is no number"},
		"NumberWithBlank":  {"JSON, and encoding/json refuses it as a number", withSpec(json.Number("1 ")), one, manifest, "BadManifest: a json.Number of 2 bytes is no number"},
		"NumberWithSlash":  {"the byte before 0", withSpec(json.Number("/1")), one, manifest, "BadManifest: a json.Number of 2 bytes is no number"},
		"Cyclic":           {"L4", manifestOf(map[string]any{"metadata": map[string]any{}, "spec": cyclic}), one, manifest, "BadManifest: nested deeper than 10000"},
		"CyclicList":       {"L4", withSpec(cyclicList), one, manifest, "BadManifest: nested deeper than 10000"},
		"Shared":           {"L4: 30 maps that are 2 to the 30th values when written out", withSpec(shared), one, manifest, "BadManifest: more than 1000000 values"},

		"EmptyKey":       {"not a key", withLabels(nil), map[string]string{"": "1"}, invalid, `InvalidValue: not a legal key`},
		"IllegalKey":     {"F23", withLabels(nil), map[string]string{"a/b/c": "1"}, invalid, `label "a/b/c": InvalidValue: not a legal key`},
		"IllegalDomain":  {"a key that is not legal is not protected either", withLabels(nil), map[string]string{"K8S.IO/x": "1"}, invalid, `label "K8S.IO/x": InvalidValue: not a legal key`},
		"IllegalValue":   {"F20: state of a task that another program wrote", withLabels(nil), map[string]string{"a": "s3p://b/p"}, invalid, `label "a": InvalidValue: not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends`},
		"LongValue":      {"F22", withLabels(nil), map[string]string{"a": strings.Repeat("x", 64)}, invalid, `label "a": InvalidValue: 64 bytes long, a label value has at most 63`},
		"EmptyValue":     {"F07: the job would start from nothing", withLabels(nil), map[string]string{"a": ""}, invalid, `label "a": InvalidValue: empty, which counts as missing`},
		"ProtectedKey":   {"S11", withLabels(nil), map[string]string{"app.kubernetes.io/name": "x"}, refused, `label "app.kubernetes.io/name": Refused: the key is protected`},
		"ProtectedOwn":   {"S11: the caller's set", withLabels(nil), map[string]string{"own.example.com/id": "x"}, refused, `label "own.example.com/id": Refused: the key is protected`},
		"MatchLabels":    {"I4", selecting(map[string]any{"matchLabels": map[string]any{"example.com/id": "0"}}), one, refused, `label "example.com/id": Refused: spec.selector uses the key`},
		"MatchTextMap":   {"I4: as Go programs build it", selecting(map[string]any{"matchLabels": map[string]string{"example.com/id": "0"}}), one, refused, `label "example.com/id": Refused: spec.selector uses the key`},
		"Expressions":    {"I4", selecting(map[string]any{"matchExpressions": []any{map[string]any{"key": "a"}, map[string]any{"key": "example.com/id", "operator": "Exists"}}}), one, refused, `label "example.com/id": Refused: spec.selector uses the key`},
		"MapExpressions": {"I4: as Go programs build it", selecting(map[string]any{"matchExpressions": []map[string]any{{"key": "example.com/id"}}}), one, refused, `label "example.com/id": Refused: spec.selector uses the key`},
		"ServiceMap":     {"I4: a plain map", selecting(map[string]any{"example.com/id": "0"}), one, refused, `label "example.com/id": Refused: spec.selector uses the key`},
		"ServiceTextMap": {"I4: a plain map", selecting(map[string]string{"example.com/id": "0"}), one, refused, `label "example.com/id": Refused: spec.selector uses the key`},
		"All": {
			"every key is reported, in their order; a refused key first for being refused", selecting(map[string]any{"sel": "0"}),
			map[string]string{"sel": "1", "good": "1", "k8s.io/x": "/", "a b": "", "c": "/", "b": ""},
			refused,
			`label "a b": InvalidValue: not a legal key
label "b": InvalidValue: empty, which counts as missing
label "c": InvalidValue: not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends
label "k8s.io/x": Refused: the key is protected
label "sel": Refused: spec.selector uses the key`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name == "Shared" {
				t.Skip("a million values")
			}
			options := preservation.InjectOptions{Protection: preservation.Protection{Domains: []string{"own.example.com"}}}
			out, report, err := preservation.Inject(tc.manifest, stateOf(tc.state), options)
			require.ErrorIs(t, err, tc.class, tc.reason)
			var typed *preservation.InjectError
			require.ErrorAs(t, err, &typed)
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if out != nil {
				t.Errorf("%s: I2: a failed injection gives no manifest, got %v", tc.reason, out)
			}
			if diff := cmp.Diff(preservation.Report{}, report); diff != "" {
				t.Errorf("%s: report (-want +got):\n%s", tc.reason, diff)
			}
			if tc.class != manifest {
				return
			}
			_, err = preservation.Remove(tc.manifest, preservation.Report{})
			require.ErrorIs(t, err, manifest, "Remove")
			_, err = preservation.RemoveRules(tc.manifest, nil, preservation.InjectOptions{})
			require.ErrorIs(t, err, manifest, "RemoveRules")
		})
	}
}

// L7: every error of an injection names the cluster, where the caller does.
func TestInjectErrorsNameTheCluster(t *testing.T) {
	t.Parallel()
	type state = preservation.State
	const good = `{"apiVersion":"v1","kind":"X","metadata":{"name":"n"},"spec":{"l":[1],"o":{"a":1}}}`
	inject := func(manifest string, s state, options preservation.InjectOptions) error {
		_, _, err := preservation.Inject(manifestOf(mustDecode(t, manifest)), s, options)
		return err
	}
	apply := func(manifest string, s state, options preservation.InjectOptions) error {
		_, _, err := preservation.ApplyConfiguration(manifestOf(mustDecode(t, manifest)), s, options)
		return err
	}
	remove := func(manifest string, _ state, options preservation.InjectOptions) error {
		_, err := preservation.RemoveRules(manifestOf(mustDecode(t, manifest)), []preservation.Rule{{AliasLabelName: "a"}}, options)
		return err
	}
	cases := map[string]struct {
		reason   string
		call     func(string, state, preservation.InjectOptions) error
		manifest string
		state    state
		owned    []preservation.Ref
		errors   int
	}{
		"Manifest":     {"the manifest as a whole", inject, `{}`, state{}, nil, 1},
		"Labels":       {"what is there already", inject, `{"metadata":{"labels":1}}`, state{}, nil, 1},
		"Keys":         {"each of several", inject, good, state{Labels: map[string]string{"a": "", "b": "", "c": "1"}}, nil, 2},
		"Overlap":      {"a state that nothing can hold", inject, good, state{Fields: map[string]string{".spec.o": "{}", ".spec.o.a": "1"}}, nil, 1},
		"OverlapOwned": {"beside what is owned", inject, good, state{Fields: map[string]string{".spec.o": "{}", ".spec.o.a": "1"}}, []preservation.Ref{{Target: "Volume"}}, 2},
		"Budget":       {"all annotations together", inject, good, state{Annotations: map[string]string{"a": strings.Repeat("x", preservation.MaxAnnotationsBytes)}}, nil, 1},
		"Apply":        {"what fails for Inject", apply, good, state{Labels: map[string]string{"a": ""}}, nil, 1},
		"ApplyUnnamed": {"nothing to apply to", apply, `{"metadata":{}}`, state{}, nil, 1},
		"ApplyItem":    {"one key", apply, good, state{Fields: map[string]string{".spec.l[0]": "2"}}, nil, 1},
		"Remove":       {"by rules", remove, `{"metadata":{"labels":1}}`, state{}, nil, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := tc.call(tc.manifest, tc.state, preservation.InjectOptions{Owned: tc.owned})
			named := tc.call(tc.manifest, tc.state, preservation.InjectOptions{Owned: tc.owned, Cluster: "east"})
			var want []string
			for line := range strings.Lines(plain.Error()) {
				want = append(want, `cluster "east": `+line)
			}
			if diff := cmp.Diff(strings.Join(want, ""), textOf(named)); diff != "" || len(want) != tc.errors {
				t.Errorf("%s: want %d errors (-want +got):\n%s", tc.reason, tc.errors, diff)
			}
			var typed *preservation.InjectError
			require.ErrorAs(t, named, &typed, tc.reason)
			if typed.Cluster != "east" {
				t.Errorf("%s: the cluster is %q", tc.reason, typed.Cluster)
			}
		})
	}
}

// F27: what a program builds, deep copy panics on, and JSON holds.
func TestInjectTakesGoValues(t *testing.T) {
	t.Parallel()
	var deep any = "x"
	for range 9_998 {
		deep = []any{deep}
	}
	cases := map[string]struct {
		reason string
		value  any
		want   any
	}{
		"Int":            {"apimachinery knows int64 only", 3, int64(3)},
		"Int8":           {"apimachinery knows int64 only", int8(-3), int64(-3)},
		"Int16":          {"apimachinery knows int64 only", int16(-3), int64(-3)},
		"Int32":          {"apimachinery knows int64 only", int32(-3), int64(-3)},
		"Int64":          {"as it is", int64(math.MinInt64), int64(math.MinInt64)},
		"Uint":           {"apimachinery knows int64 only", uint(3), int64(3)},
		"Uint8":          {"apimachinery knows int64 only", uint8(3), int64(3)},
		"Uint16":         {"apimachinery knows int64 only", uint16(3), int64(3)},
		"Uint32":         {"apimachinery knows int64 only", uint32(math.MaxUint32), int64(math.MaxUint32)},
		"Uint64":         {"as long as it fits", uint64(math.MaxInt64), int64(math.MaxInt64)},
		"Uint64Big":      {"kept exactly, as text", uint64(math.MaxInt64) + 1, json.Number("9223372036854775808")},
		"Float32":        {"by its shortest text, as encoding/json writes it", float32(0.1), 0.1},
		"Float32Digits":  {"all that it has", float32(1.25), 1.25},
		"Float32Big":     {"in an exponent too", float32(3e38), 3e38},
		"Float64":        {"as it is", 0.1, 0.1},
		"Number":         {"as it is", json.Number("1.50"), json.Number("1.50")},
		"NegativeNumber": {"a minus may stand first", json.Number("-1"), json.Number("-1")},
		"HugeNumber":     {"no float holds it", json.Number("1E+400"), json.Number("1E+400")},
		"ZeroNumber":     {"the smallest digit", json.Number("0"), json.Number("0")},
		"NineNumber":     {"the largest digit", json.Number("9"), json.Number("9")},
		"TextMap":        {"a general map", map[string]string{"a": "b"}, map[string]any{"a": "b"}},
		"TextList":       {"a general list", []string{"a"}, []any{"a"}},
		"MapList":        {"a general list", []map[string]any{{"a": 1}, nil}, []any{map[string]any{"a": int64(1)}, nil}},
		"NilMap":         {"its JSON is null", map[string]any(nil), nil},
		"NilTextMap":     {"its JSON is null", map[string]string(nil), nil},
		"NilList":        {"its JSON is null", []any(nil), nil},
		"NilTextList":    {"its JSON is null", []string(nil), nil},
		"EmptyMap":       {"not null", map[string]any{}, map[string]any{}},
		"EmptyList":      {"not null", []any{}, []any{}},
		"Deepest":        {"the limit belongs to the legal depths", deep, deep},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifest := manifestOf(map[string]any{"metadata": map[string]any{"labels": map[string]string{"team": "x"}}, "spec": tc.value})
			state := stateOf(map[string]string{"a": "1"})
			checkInverse(t, manifest, state, preservation.InjectOptions{})
			out, _, err := preservation.Inject(manifest, state, preservation.InjectOptions{})
			require.NoError(t, err)
			want := map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "1", "team": "x"}}, "spec": tc.want}
			if diff := cmp.Diff(jsonOf(t, manifestOf(want)), jsonOf(t, out)); diff != "" {
				t.Errorf("%s: JSON (-want +got):\n%s", tc.reason, diff)
			}
			if name == "Deepest" {
				return // cmp would recurse as deep, many frames a level
			}
			if diff := cmp.Diff(want, out.Object); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestInjectDepthLimit(t *testing.T) {
	t.Parallel()
	var deep any = "x"
	for range 9_999 {
		deep = []any{deep}
	}
	within := manifestOf(map[string]any{"metadata": map[string]any{}, "spec": deep})
	_, _, err := preservation.Inject(within, preservation.State{}, preservation.InjectOptions{})
	require.NoError(t, err)
	over := manifestOf(map[string]any{"metadata": map[string]any{}, "spec": []any{deep}})
	_, _, err = preservation.Inject(over, preservation.State{}, preservation.InjectOptions{})
	require.ErrorIs(t, err, preservation.BadManifest)
}

func TestInjectValueLimit(t *testing.T) {
	t.Parallel()
	const around = 3 // the object, its metadata and the list
	for values, want := range map[int]error{1_000_000: nil, 1_000_001: preservation.BadManifest} {
		manifest := manifestOf(map[string]any{"metadata": map[string]any{}, "spec": make([]any, values-around)})
		_, _, err := preservation.Inject(manifest, preservation.State{}, preservation.InjectOptions{})
		if !errors.Is(err, want) {
			t.Errorf("%d values: want %v, got %v", values, want, err)
		}
	}
}

// Labels that are nil maps are null in JSON, and null after a round trip.
func TestInjectNilMapLabels(t *testing.T) {
	t.Parallel()
	for name, labels := range map[string]any{"general": map[string]any(nil), "text": map[string]string(nil)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkInverse(t, withLabels(labels), stateOf(map[string]string{"a": "1"}), preservation.InjectOptions{})
		})
	}
}

func TestInjectSharesNothing(t *testing.T) {
	t.Parallel()
	manifest := manifestOf(map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"team": "x"}, "annotations": map[string]string{"n": "o"}},
		"spec":     map[string]any{"list": []any{map[string]any{"k": "v"}}, "texts": []string{"a"}, "maps": []map[string]any{{"k": "v"}}},
	})
	before := jsonOf(t, manifest)
	state := stateOf(map[string]string{"a": "1"})
	out, report, err := preservation.Inject(manifest, state, preservation.InjectOptions{})
	require.NoError(t, err)
	injected := jsonOf(t, out)
	back, err := preservation.Remove(out, report)
	require.NoError(t, err)
	spoil(out.Object)
	if diff := cmp.Diff(before, jsonOf(t, manifest)); diff != "" {
		t.Errorf("the output shares with the input (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, jsonOf(t, back)); diff != "" {
		t.Errorf("Remove shares with its input (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a": "1"}, state.Labels); diff != "" {
		t.Errorf("the state was changed (-want +got):\n%s", diff)
	}
	out, _, err = preservation.Inject(manifest, state, preservation.InjectOptions{})
	require.NoError(t, err)
	spoil(manifest.Object)
	if diff := cmp.Diff(injected, jsonOf(t, out)); diff != "" {
		t.Errorf("the input shares with the output (-want +got):\n%s", diff)
	}
}

// spoil changes everything that can be reached.
func spoil(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			spoil(v[key])
			v[key] = "spoilt"
		}
		v["new"] = "spoilt"
	case map[string]string:
		v["new"] = "spoilt"
	case []any:
		for i := range v {
			spoil(v[i])
			v[i] = "spoilt"
		}
	case []string:
		v[0] = "spoilt"
	case []map[string]any:
		spoil(v[0])
	}
}
