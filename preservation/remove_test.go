package preservation_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/preservation"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	type change = preservation.Change
	const label = preservation.Label
	written := change{Target: label, Key: "a", Effect: preservation.Written, Value: "1"}
	replaced := change{Target: label, Key: "a", Effect: preservation.Replaced, Value: "1", Old: "0"}
	removed := change{Target: label, Key: "a", Effect: preservation.Removed, Old: "0"}
	unchanged := change{Target: label, Key: "a", Effect: preservation.Unchanged, Value: "1", Old: "1"}
	cases := map[string]struct {
		reason string
		labels string
		report preservation.Report
		want   string
	}{
		"NothingToDo":      {"an empty report is an injection that changed nothing", `{"labels":{"a":"1"}}`, preservation.Report{}, `{"labels":{"a":"1"}}`},
		"Written":          {"the key goes", `{"labels":{"a":"1","b":"2"}}`, preservation.Report{Changes: []change{written}}, `{"labels":{"b":"2"}}`},
		"WrittenLast":      {"labels that were there stay as an object", `{"labels":{"a":"1"}}`, preservation.Report{Changes: []change{written}}, `{"labels":{}}`},
		"WrittenCreated":   {"labels that were created go too", `{"labels":{"a":"1"}}`, preservation.Report{Changes: []change{written}, LabelsCreated: true}, `{}`},
		"WrittenNull":      {"labels that were null are null again", `{"labels":{"a":"1"}}`, preservation.Report{Changes: []change{written}, LabelsNull: true}, `{"labels":null}`},
		"CreatedAndMore":   {"somebody added a label since", `{"labels":{"a":"1","b":"2"}}`, preservation.Report{Changes: []change{written}, LabelsCreated: true}, `{"labels":{"b":"2"}}`},
		"WrittenChanged":   {"somebody's value stays", `{"labels":{"a":"9"}}`, preservation.Report{Changes: []change{written}, LabelsCreated: true}, `{"labels":{"a":"9"}}`},
		"WrittenGone":      {"nothing to take back", `{"labels":{"b":"2"}}`, preservation.Report{Changes: []change{written}}, `{"labels":{"b":"2"}}`},
		"WrittenNoLabels":  {"nothing to take back", `{}`, preservation.Report{Changes: []change{written}}, `{}`},
		"WrittenNowNull":   {"nothing to take back", `{"labels":null}`, preservation.Report{Changes: []change{written}}, `{"labels":null}`},
		"Replaced":         {"the old value comes back", `{"labels":{"a":"1"}}`, preservation.Report{Changes: []change{replaced}}, `{"labels":{"a":"0"}}`},
		"ReplacedChanged":  {"somebody's value stays", `{"labels":{"a":"9"}}`, preservation.Report{Changes: []change{replaced}}, `{"labels":{"a":"9"}}`},
		"ReplacedGone":     {"somebody removed it", `{"labels":{}}`, preservation.Report{Changes: []change{replaced}}, `{"labels":{}}`},
		"Removed":          {"the key comes back", `{"labels":{}}`, preservation.Report{Changes: []change{removed}}, `{"labels":{"a":"0"}}`},
		"RemovedNoLabels":  {"the key comes back, with the labels", `{}`, preservation.Report{Changes: []change{removed}}, `{"labels":{"a":"0"}}`},
		"RemovedAddedBack": {"somebody's value stays", `{"labels":{"a":"9"}}`, preservation.Report{Changes: []change{removed}}, `{"labels":{"a":"9"}}`},
		"Unchanged":        {"it was not ours", `{"labels":{"a":"1"}}`, preservation.Report{Changes: []change{unchanged}}, `{"labels":{"a":"1"}}`},
		"WrittenEmpty":     {"a key that is gone is not the empty value", `{"labels":{"b":""}}`, preservation.Report{Changes: []change{{Target: label, Key: "a", Effect: preservation.Replaced, Old: "0"}}}, `{"labels":{"b":""}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifest := manifestOf(map[string]any{"metadata": object(t, tc.labels)})
			out, err := preservation.Remove(manifest, tc.report)
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(`{"metadata":`+tc.want+`}`, jsonOf(t, out)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(`{"metadata":`+tc.labels+`}`, jsonOf(t, manifest)); diff != "" {
				t.Errorf("%s: the manifest was changed (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRemoveRefusesUnknownReports(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]preservation.Change{
		`label "a": BadReport: the target "" is not known`:       {Key: "a", Effect: preservation.Written, Value: "1"},
		`label "a": BadReport: the target "Field" is not known`:  {Target: "Field", Key: "a", Effect: preservation.Written, Value: "1"},
		`label "a": BadReport: the effect "" is not known`:       {Target: preservation.Label, Key: "a", Value: "1"},
		`label "a": BadReport: the effect "Merged" is not known`: {Target: preservation.Label, Key: "a", Effect: "Merged", Value: "1"},
	} {
		out, err := preservation.Remove(withLabels(map[string]any{"a": "1"}), preservation.Report{Changes: []preservation.Change{change}})
		require.ErrorIs(t, err, preservation.BadReport)
		if diff := cmp.Diff(want, err.Error()); diff != "" || out != nil {
			t.Errorf("L6: a label must not be taken for something else (-want +got):\n%s\n%v", diff, out)
		}
	}
}

func TestRemoveRules(t *testing.T) {
	t.Parallel()
	rules := []preservation.Rule{
		{AliasLabelName: "example.com/a"},
		{AliasLabelName: "example.com/gone"},
		{AliasLabelName: "app.kubernetes.io/name"},
		{AliasLabelName: "work.karmada.io/permanent-id"},
		{AliasLabelName: "sel"},
		{},
	}
	cases := map[string]struct {
		reason     string
		manifest   string
		protection preservation.Protection
		want       string
	}{
		"OnlyOurs": {
			reason:   "I6: other labels stay",
			manifest: `{"metadata":{"labels":{"example.com/a":"1","example.com/b":"2"}}}`,
			want:     `{"metadata":{"labels":{"example.com/b":"2"}}}`,
		},
		"NoLabels": {
			reason:   "no labels stay none",
			manifest: `{"metadata":{}}`,
			want:     `{"metadata":{}}`,
		},
		"NullLabels": {
			reason:   "null stays null",
			manifest: `{"metadata":{"labels":null}}`,
			want:     `{"metadata":{"labels":null}}`,
		},
		"LastOne": {
			reason:   "nobody knows that there were none before",
			manifest: `{"metadata":{"labels":{"example.com/a":"1"}}}`,
			want:     `{"metadata":{"labels":{}}}`,
		},
		"ProtectedAndSelected": {
			reason:   "rules that are invalid were never injected: identity and selector stay",
			manifest: `{"metadata":{"labels":{"app.kubernetes.io/name":"1","example.com/a":"1","sel":"1"}},"spec":{"selector":{"sel":"1"}}}`,
			want:     `{"metadata":{"labels":{"app.kubernetes.io/name":"1","sel":"1"}},"spec":{"selector":{"sel":"1"}}}`,
		},
		"NotProtectedNotSelected": {
			reason:   "without protection and selector both are keys as any other",
			manifest: `{"metadata":{"labels":{"sel":"1","work.karmada.io/permanent-id":"1"}}}`,
			want:     `{"metadata":{"labels":{}}}`,
		},
		"ProtectedByCaller": {
			reason:     "the control plane would lose the object",
			manifest:   `{"metadata":{"labels":{"sel":"1","work.karmada.io/permanent-id":"1"}}}`,
			protection: preservation.KarmadaProtection(),
			want:       `{"metadata":{"labels":{"work.karmada.io/permanent-id":"1"}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifest := manifestOf(object(t, tc.manifest))
			out, err := preservation.RemoveRules(manifest, rules, tc.protection)
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(tc.want, jsonOf(t, out)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.manifest, jsonOf(t, manifest)); diff != "" {
				t.Errorf("%s: the manifest was changed (-want +got):\n%s", tc.reason, diff)
			}
			again, err := preservation.RemoveRules(out, rules, tc.protection)
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(tc.want, jsonOf(t, again)); diff != "" {
				t.Errorf("%s: twice (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Whatever the manifest and the state are: no label is lost, and all is undone.
func TestInjectAndRemoveRandom(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	injected := 0
	for range 3000 {
		manifest := randomManifest(random)
		state, owned := preservation.State{Labels: map[string]string{}}, []string(nil)
		for range random.IntN(4) {
			state.Labels[randomKey(random)] = fmt.Sprint(random.IntN(3))
		}
		for range random.IntN(3) {
			owned = append(owned, randomKey(random))
		}
		options := preservation.InjectOptions{Owned: owned}
		out, report, err := preservation.Inject(manifest, state, options)
		if err != nil {
			require.ErrorIs(t, err, preservation.Refused)
			continue
		}
		injected++
		checkInverse(t, manifest, state, options)
		checkLabels(t, manifest, out, state, owned)
		if !slices.IsSortedFunc(report.Changes, func(a, b preservation.Change) int { return strings.Compare(a.Key, b.Key) }) {
			t.Errorf("not sorted: %+v", report.Changes)
		}
		rules := []preservation.Rule{{AliasLabelName: randomKey(random)}, {AliasLabelName: randomKey(random)}}
		less, err := preservation.RemoveRules(out, rules, preservation.Protection{})
		require.NoError(t, err)
		checkLabels(t, out, less, preservation.State{}, []string{rules[0].AliasLabelName, rules[1].AliasLabelName})
	}
	if injected < 1500 {
		t.Errorf("only %d injections", injected)
	}
}

// checkLabels says that after holds before's labels without owned ones, and state.
func checkLabels(t testing.TB, before, after *unstructured.Unstructured, state preservation.State, owned []string) {
	t.Helper()
	want := map[string]string{}
	maps.Copy(want, labelsOf(t, before))
	_, used, _ := unstructured.NestedFieldNoCopy(before.Object, "spec", "selector", "sel")
	for _, key := range owned {
		if (!used || key != "sel") && key != "k8s.io/x" {
			delete(want, key)
		}
	}
	maps.Copy(want, state.Labels)
	got := labelsOf(t, after)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

func labelsOf(t testing.TB, manifest *unstructured.Unstructured) map[string]string {
	t.Helper()
	labels, _, err := unstructured.NestedNullCoercingStringMap(manifest.Object, "metadata", "labels")
	require.NoError(t, err)
	if labels == nil {
		labels = map[string]string{}
	}
	return labels
}

func randomKey(random *rand.Rand) string {
	return []string{"a", "b", "c", "example.com/d", "sel", "k8s.io/x"}[min(random.IntN(16)/2, 5)]
}

func randomManifest(random *rand.Rand) *unstructured.Unstructured {
	metadata := map[string]any{"name": "app"}
	switch random.IntN(6) {
	case 0:
	case 1:
		metadata["labels"] = nil
	case 2:
		metadata["labels"] = map[string]any{}
	default:
		labels := map[string]any{}
		for range random.IntN(6) {
			labels[randomKey(random)] = []string{"", "0", "1", "2", "not/legal"}[random.IntN(5)]
		}
		metadata["labels"] = labels
	}
	object := map[string]any{"metadata": metadata, "spec": randomObject(random, 3)}
	if random.IntN(2) == 0 {
		object["spec"] = map[string]any{"selector": map[string]any{"sel": "1"}}
	}
	return manifestOf(object)
}
