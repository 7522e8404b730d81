package preservation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/preservation"
)

func fullState() preservation.State {
	return preservation.State{
		Labels:      map[string]string{"example.com/job": "e6fd"},
		Annotations: map[string]string{"example.com/path": "s3p://b/<x>&\u2028\"\n"},
		Fields:      map[string]string{".spec.n": "12345", `.spec.a\.b`: `{"x":[1.50,null,"y"]}`},
		Conflicts: []preservation.RefConflict{
			{Ref: annotation("example.com/path"), Conflict: preservation.Fail},
			{Ref: fieldAt(".spec.n"), Conflict: preservation.KeepExisting},
		},
		Failover: &preservation.Failover{Cause: preservation.Cluster, Origin: "east", Attempt: 2, Time: 1767225600},
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		state  preservation.State
		want   string
	}{
		"Empty": {"not the empty text", preservation.State{}, `{"version":1}`},
		"Full": {
			"compact, no HTML escaping, values as JSON text", fullState(),
			`{"version":1,"labels":{"example.com/job":"e6fd"},"annotations":{"example.com/path":"s3p://b/<x>&\u2028\"\n"},` +
				`"fields":{".spec.a\\.b":"{\"x\":[1.50,null,\"y\"]}",".spec.n":"12345"},` +
				`"conflicts":[{"target":"Annotation","key":"example.com/path","conflict":"Fail"},{"target":"Field","key":".spec.n","conflict":"Keep"}],` +
				`"failover":{"cause":"Cluster","origin":"east","attempt":2,"time":1767225600}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := tc.state.Encode()
			require.NoError(t, err)
			if diff := cmp.Diff(tc.want, text); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			back, err := preservation.DecodeState(text)
			require.NoError(t, err)
			again, err := back.Encode() // cmp takes State.Equal, which looks at the values alone
			require.NoError(t, err)
			if diff := cmp.Diff(tc.want, again); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.state, back, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// What another program wrote with blanks and in another order is the same state.
func TestDecodeStateOtherLayout(t *testing.T) {
	t.Parallel()
	state, err := preservation.DecodeState(" {\n\"labels\": {\"b\": \"\\u0032\", \"a\": \"1\"}, \"version\": 1 }\n")
	require.NoError(t, err)
	if diff := cmp.Diff(stateOf(map[string]string{"a": "1", "b": "2"}), state); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	state, err = preservation.DecodeState(`{"version":1,"labels":{"a":"a","b":"a","c":"labels"}}`)
	require.NoError(t, err, "values are no keys, and may stand twice")
	if diff := cmp.Diff(stateOf(map[string]string{"a": "a", "b": "a", "c": "labels"}), state); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecodeStateRejects(t *testing.T) {
	t.Parallel()
	const root, version, kind, twice, other = "not exactly one JSON object", "version is not known", "another type", "stands twice", "does not write"
	cases := map[string]struct{ reason, text, want string }{
		"Empty":            {"a lost annotation is not an empty state", "", root},
		"Null":             {"null is not an empty state", "null", root},
		"List":             {"wrong root", "[]", root},
		"Text":             {"wrong root", `"{}"`, root},
		"NotJSON":          {"cut short", `{"version":1`, root},
		"Trailing":         {"two objects", `{"version":1}{"version":1}`, root},
		"DepthBomb":        {"L4", strings.Repeat(`{"a":`, 20_000), root},
		"NoVersion":        {"never read as empty", `{}`, version},
		"NextVersion":      {"the version is named before unknown fields", `{"version":2,"volumes":{}}`, version},
		"TextVersion":      {"exactly as written", `{"version":"1"}`, version},
		"FloatVersion":     {"exactly as written", `{"version":1.0}`, version},
		"CaseOfVersion":    {"encoding/json ignores case", `{"Version":1}`, version},
		"NumberAsText":     {"values are text", `{"version":1,"labels":{"a":1}}`, kind},
		"ListOfLabels":     {"a map", `{"version":1,"labels":["a"]}`, kind},
		"FractionOfTime":   {"whole seconds", `{"version":1,"failover":{"time":1.5}}`, kind},
		"UnknownField":     {"a newer writer forgot the version", `{"version":1,"volumes":{"a":"b"}}`, other},
		"UnknownInside":    {"deep inside too", `{"version":1,"failover":{"cause":"Planned","by":"me"}}`, other},
		"CaseOfLabels":     {"encoding/json ignores case", `{"version":1,"Labels":{"a":"1"}}`, other},
		"RepeatedMaps":     {"encoding/json merges them", `{"version":1,"labels":{"a":"1"},"labels":{"b":"2"}}`, twice},
		"RepeatedVersion":  {"the last one wins", `{"version":2,"version":1,"labels":{"a":"1"}}`, twice},
		"RepeatedLabel":    {"the last one wins", `{"version":1,"labels":{"a":"1","a":"2"}}`, twice},
		"RepeatedInList":   {"the last one wins", `{"version":1,"labels":{"a":"1"},"conflicts":[{"target":"Label","key":"a","key":"b","conflict":"Fail"}]}`, twice},
		"RepeatedAtEnd":    {"a list closed before it", `{"version":1,"conflicts":[],"labels":{"a":"1"},"labels":{"a":"1"}}`, twice},
		"RepeatedTexts":    {"items of a list are no keys", `{"version":1,"names":["version","a","a"]}`, other},
		"RepeatedFailover": {"the last one wins", `{"version":1,"labels":{"a":"1"},"failover":{"cause":"Planned"},"failover":{"cause":"Cluster"}}`, twice},
		"EmptyFailover":    {"Encode leaves it out", `{"version":1,"labels":{"a":"1"},"failover":{}}`, "holds a cause or a number that is none"},
		"StrangeCause":     {"a closed set (L6)", `{"version":1,"labels":{"a":"1"},"failover":{"cause":"Bogus"}}`, "holds a cause or a number that is none"},
		"NegativeAttempt":  {"they count from 1", `{"version":1,"labels":{"a":"1"},"failover":{"attempt":-3}}`, "holds a cause or a number that is none"},
		"ConflictTarget":   {"a closed set (L6)", `{"version":1,"labels":{"a":"1"},"conflicts":[{"target":"Bogus","key":"a","conflict":"Fail"}]}`, "a conflict needs a known target"},
		"TwoConflicts":     {"one key, two answers", `{"version":1,"labels":{"a":"1"},"conflicts":[{"target":"Label","key":"a","conflict":"Fail"},{"target":"Label","key":"a","conflict":"Keep"}]}`, `label "a": BadState: a conflict needs a known target`},
		"NeedlessConflict": {"Encode does not write it", `{"version":1,"labels":{"a":"1"},"conflicts":[{"target":"Label","key":"a","conflict":"Replace"}]}`, `label "a": BadState: a conflict needs a known target`},
		"EmptyMap":         {"Encode leaves it out", `{"version":1,"labels":{}}`, other},
		"NullMap":          {"Encode leaves it out", `{"version":1,"labels":null}`, other},
		"NullValue":        {"not empty text", `{"version":1,"labels":{"a":null}}`, other},
		"IllegalLabel":     {"S8", `{"version":1,"labels":{"a":"s3p://b/p"}}`, `label "a": BadState: not a legal label value`},
		"EmptyLabel":       {"S4", `{"version":1,"labels":{"a":""}}`, `label "a": BadState: empty`},
		"IllegalKey":       {"a key of a stranger", `{"version":1,"labels":{"a/b/c":"1"}}`, `label "a/b/c": BadState: not a legal key`},
		"IllegalAnnotKey":  {"a key of a stranger", `{"version":1,"annotations":{"a b":"1"}}`, `annotation "a b": BadState: not a legal key`},
		"EmptyAnnotation":  {"S4", `{"version":1,"annotations":{"a":""}}`, `annotation "a": BadState: empty`},
		"BrokenAnnotation": {"S8", `{"version":1,"annotations":{"a":"\ud800"}}`, `annotation "a": BadState: it is not valid UTF-8`},
		"FieldNoJSON":      {"values of fields are JSON", `{"version":1,"fields":{".spec.a":"x"}}`, `field ".spec.a": BadState: the value of a field is not exactly one JSON value`},
		"FieldTwoJSON":     {"exactly one", `{"version":1,"fields":{".spec.a":"1 2"}}`, "exactly one JSON value"},
		"FieldNull":        {"S4", `{"version":1,"fields":{".spec.a":"null"}}`, "empty, which counts as missing"},
		"FieldEmpty":       {"S4", `{"version":1,"fields":{".spec.a":"\"\""}}`, "empty, which counts as missing"},
		"FieldNothing":     {"no JSON", `{"version":1,"fields":{".spec.a":""}}`, "exactly one JSON value"},
		"FieldRounded":     {"S3", `{"version":1,"fields":{".spec.a":"1e400"}}`, "would round"},
		"FieldHuge":        {"S3", `{"version":1,"fields":{".spec.a":"1e4000"}}`, "would round"},
		"FieldDeep":        {"L4", `{"version":1,"fields":{".spec.a":"` + strings.Repeat("[", 1002) + strings.Repeat("]", 1002) + `"}}`, "nested deeper than 1000"},
		"FieldPath":        {"I5", `{"version":1,"fields":{".metadata.name":"\"x\""}}`, "nothing in metadata"},
		"FieldSpelling":    {"one spelling", `{"version":1,"fields":{"spec.a":"1"}}`, "a state spells this path .spec.a"},
		"FieldOverlap":     {"what is written would depend on the order", `{"version":1,"fields":{".spec.a":"{}",".spec.a.b":"1"}}`, `field ".spec.a.b": BadState: it lies within .spec.a`},
		"FieldOverlapList": {"what is written would depend on the order", `{"version":1,"fields":{".spec.a":"[1]",".spec.a[0].b":"1"}}`, `it lies within .spec.a`},
		"Conflict":         {"L6", `{"version":1,"labels":{"a":"1"},"conflicts":[{"target":"Label","key":"a","conflict":"Merge"}]}`, `label "a": BadState: its conflict is not known`},
		"TooLong":          {"S12", `{"version":1,"annotations":{"a":"` + strings.Repeat("x", preservation.MaxEncodedBytes) + `"}}`, "is the limit"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, err := preservation.DecodeState(tc.text)
			require.ErrorIs(t, err, preservation.BadState, tc.reason)
			var typed *preservation.InjectError
			require.ErrorAs(t, err, &typed)
			if !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 300 {
				t.Errorf("%s: want an error with %q, got %.400s", tc.reason, tc.want, err)
			}
			if diff := cmp.Diff(preservation.State{}, state); diff != "" {
				t.Errorf("%s: a state beside an error (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestEncodeRefusesWhatDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]preservation.State{
		"value":    {Labels: map[string]string{"a": "x y"}},
		"key":      {Annotations: map[string]string{"a b": "x"}},
		"utf8":     {Annotations: map[string]string{"a": "x\xff"}},
		"field":    {Fields: map[string]string{".spec.a": "x"}},
		"conflict": {Labels: map[string]string{"a": "x"}, Conflicts: []preservation.RefConflict{{Ref: label("a"), Conflict: "x"}}},
	} {
		text, err := state.Encode()
		require.ErrorIs(t, err, preservation.BadState, name)
		if text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A state may know a part of where it comes from, but something.
func TestEncodeFailover(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason   string
		failover preservation.Failover
		legal    bool
	}{
		"Application":     {"a cause", preservation.Failover{Cause: preservation.Application}, true},
		"Cluster":         {"a cause", preservation.Failover{Cause: preservation.Cluster}, true},
		"Planned":         {"a cause", preservation.Failover{Cause: preservation.Planned}, true},
		"Origin":          {"the cause is not known", preservation.Failover{Origin: "east"}, true},
		"FirstAttempt":    {"they count from 1", preservation.Failover{Attempt: 1}, true},
		"FirstSecond":     {"the smallest time", preservation.Failover{Time: 1}, true},
		"Nothing":         {"that is nil", preservation.Failover{}, false},
		"StrangeCause":    {"L6: a closed set", preservation.Failover{Cause: "Bogus", Origin: "east"}, false},
		"NegativeAttempt": {"they count from 1", preservation.Failover{Origin: "east", Attempt: -1}, false},
		"NegativeTime":    {"no move is as old", preservation.Failover{Origin: "east", Time: -1}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := preservation.State{Labels: map[string]string{"a": "1"}, Failover: &tc.failover}
			text, err := state.Encode()
			if !tc.legal {
				require.ErrorIs(t, err, preservation.BadState, tc.reason)
				return
			}
			require.NoError(t, err, tc.reason)
			back, err := preservation.DecodeState(text)
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(state.Failover, back.Failover); diff != "" { // State.Equal leaves it out
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(state, back); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// The longest text decodes, one byte more is not even written.
func TestEncodeLimit(t *testing.T) {
	t.Parallel()
	frame := len(`{"version":1,"annotations":{"a":""}}`)
	state := preservation.State{Annotations: map[string]string{"a": strings.Repeat("x", preservation.MaxEncodedBytes-frame)}}
	text, err := state.Encode()
	require.NoError(t, err)
	back, err := preservation.DecodeState(text)
	require.NoError(t, err)
	if !back.Equal(state) || len(text) != preservation.MaxEncodedBytes {
		t.Errorf("%d bytes", len(text))
	}
	state.Annotations["a"] += "x"
	_, err = state.Encode()
	require.ErrorIs(t, err, preservation.BadState)
	if want := "BadState: the encoded state has 261633 bytes, and 261632 is the limit"; err.Error() != want {
		t.Errorf("want %s, got %v", want, err)
	}
}

// A state is part of a custom resource: it survives the way into it and back.
func TestStateEmbeds(t *testing.T) {
	t.Parallel()
	type status struct {
		Carried preservation.State  `json:"carried"`
		Report  preservation.Report `json:"report"`
	}
	_, report, err := preservation.Inject(
		manifestOf(object(t, `{"metadata":{"labels":{"example.com/job":"old"}},"spec":{"n":null}}`)), fullState(), preservation.InjectOptions{})
	require.NoError(t, err)
	in := status{Carried: fullState(), Report: report}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&in)
	require.NoError(t, err)
	conflicts := object["carried"].(map[string]any)["conflicts"]
	want := []any{
		map[string]any{"target": "Annotation", "key": "example.com/path", "conflict": "Fail"},
		map[string]any{"target": "Field", "key": ".spec.n", "conflict": "Keep"},
	}
	if diff := cmp.Diff(want, conflicts); diff != "" {
		t.Errorf("flat, as in its JSON (-want +got):\n%s", diff)
	}
	var out status
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object, &out))
	if diff := cmp.Diff(in, out, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStateOfAllTargets(t *testing.T) {
	t.Parallel()
	full := fullState()
	want := []preservation.Ref{annotation("example.com/path"), fieldAt(`.spec.a\.b`), fieldAt(".spec.n"), label("example.com/job")}
	if diff := cmp.Diff(want, full.Keys()); diff != "" {
		t.Errorf("Keys (-want +got):\n%s", diff)
	}
	for name, part := range map[string]preservation.State{
		"labels": {Labels: full.Labels}, "annotations": {Annotations: full.Annotations}, "fields": {Fields: full.Fields},
	} {
		if part.IsEmpty() || part.Equal(preservation.State{}) || (preservation.State{}).Equal(part) || !part.Equal(*part.DeepCopy()) {
			t.Errorf("%s count", name)
		}
	}
	if full.IsEmpty() || (preservation.State{Labels: map[string]string{"a": "1"}, Annotations: map[string]string{"a": "1"}}).IsEmpty() {
		t.Error("targets do not make up for each other")
	}
	bare := preservation.State{Labels: map[string]string{}, Conflicts: full.Conflicts, Failover: full.Failover}
	if !bare.IsEmpty() || !bare.Equal(preservation.State{}) {
		t.Error("where a value comes from, and what conflicts with it, is no value")
	}
}
