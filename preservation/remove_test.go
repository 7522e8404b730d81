package preservation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	type change = preservation.Change
	written := change{Ref: label("a"), Effect: preservation.Written, Value: "1"}
	replaced := change{Ref: label("a"), Effect: preservation.Replaced, Value: "1", Old: "0"}
	removed := change{Ref: label("a"), Effect: preservation.Removed, Old: "0"}
	unchanged := change{Ref: label("a"), Effect: preservation.Unchanged, Value: "1", Old: "1"}
	cases := map[string]struct {
		reason string
		labels string
		report preservation.Report
		want   string
	}{
		"NothingToDo":      {"an empty report is an injection that changed nothing", `{"labels":{"a":"1"}}`, preservation.Report{}, `{"labels":{"a":"1"}}`},
		"Written":          {"the key goes", `{"labels":{"a":"1","b":"2"}}`, preservation.Report{Changes: []change{written}}, `{"labels":{"b":"2"}}`},
		"WrittenLast":      {"labels that were there stay as an object", `{"labels":{"a":"1"}}`, preservation.Report{Changes: []change{written}}, `{"labels":{}}`},
		"WrittenCreated":   {"labels that were created go too", `{"labels":{"a":"1"}}`, preservation.Report{Changes: []change{written}, Created: []preservation.Target{preservation.Label}}, `{}`},
		"WrittenNull":      {"labels that were null are null again", `{"labels":{"a":"1"}}`, preservation.Report{Changes: []change{written}, Null: []preservation.Target{preservation.Label}}, `{"labels":null}`},
		"CreatedAndMore":   {"somebody added a label since", `{"labels":{"a":"1","b":"2"}}`, preservation.Report{Changes: []change{written}, Created: []preservation.Target{preservation.Label}}, `{"labels":{"b":"2"}}`},
		"WrittenChanged":   {"somebody's value stays", `{"labels":{"a":"9"}}`, preservation.Report{Changes: []change{written}, Created: []preservation.Target{preservation.Label}}, `{"labels":{"a":"9"}}`},
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
		"WrittenEmpty":     {"a key that is gone is not the empty value", `{"labels":{"b":""}}`, preservation.Report{Changes: []change{{Ref: label("a"), Effect: preservation.Replaced, Old: "0"}}}, `{"labels":{"b":""}}`},
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
		`"a": BadReport: the target "" is not known`:             {Ref: preservation.Ref{Key: "a"}, Effect: preservation.Written, Value: "1"},
		`other "a": BadReport: the target "Other" is not known`:  {Ref: preservation.Ref{Target: "Other", Key: "a"}, Effect: preservation.Written, Value: "1"},
		`label "a": BadReport: the effect "" is not known`:       {Ref: label("a"), Value: "1"},
		`label "a": BadReport: the effect "Merged" is not known`: {Ref: label("a"), Effect: "Merged", Value: "1"},
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
			out, err := preservation.RemoveRules(manifest, rules, preservation.InjectOptions{Protection: tc.protection})
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(tc.want, jsonOf(t, out)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.manifest, jsonOf(t, manifest)); diff != "" {
				t.Errorf("%s: the manifest was changed (-want +got):\n%s", tc.reason, diff)
			}
			again, err := preservation.RemoveRules(out, rules, preservation.InjectOptions{Protection: tc.protection})
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(tc.want, jsonOf(t, again)); diff != "" {
				t.Errorf("%s: twice (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
