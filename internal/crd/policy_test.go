package crd_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// verdict says who refuses a policy.
type verdict string

const (
	accepted verdict = "accepted"
	refused  verdict = "refused by both"
	// webhookOnly is what only Validate can tell.
	webhookOnly verdict = "refused by Validate only"
	// schemaOnly is what only the limits of the schema keep out.
	schemaOnly verdict = "refused by the schema only"
)

// policies are read as YAML below spec.failover. For what is refused, says is a part
// of the words of Validate and of the API server; schemaSays, if it is there, of
// the API server instead, where a marker has the server's own words.
var policies = map[string]struct {
	reason     string
	policy     string
	want       verdict
	says       string
	schemaSays string
}{
	"empty":               {"asks for nothing", `{}`, accepted, "", ""},
	"empty blocks":        {"all is defaulted", `{application: {}, cluster: {}}`, accepted, "", ""},
	"explicit nulls":      {"an API server drops them first", `{application: {decisionConditions: null, purgeMode: null, statePreservation: null}}`, accepted, "", ""},
	"null rules":          {"nil and empty are equal (L1)", `{cluster: {statePreservation: {rules: null}}}`, accepted, "", ""},
	"no rules":            {"the same", `{cluster: {statePreservation: {}}}`, accepted, "", ""},
	"Directly":            {"a mode", `{application: {purgeMode: Directly}}`, accepted, "", ""},
	"Never on a cluster":  {"valid here, unlike in Karmada", `{cluster: {purgeMode: Never}}`, accepted, "", ""},
	"Immediately":         {"stored objects hold it for ever (P1)", `{application: {purgeMode: Immediately}, cluster: {purgeMode: Immediately}}`, accepted, "", ""},
	"Graciously":          {"stored objects hold it for ever (P1)", `{application: {purgeMode: Graciously, gracePeriodSeconds: 30}, cluster: {purgeMode: Graciously}}`, accepted, "", ""},
	"no mode":             {"empty is Gracefully (P2)", `{application: {purgeMode: "", gracePeriodSeconds: 30}}`, accepted, "", ""},
	"unknown mode":        {"L6", `{application: {purgeMode: Later}}`, refused, `purge mode "Later" is unknown: use Directly, Gracefully or Never`, ""},
	"unknown, cluster":    {"in both blocks", `{cluster: {purgeMode: Orphan}}`, refused, `purge mode "Orphan" is unknown: use Directly, Gracefully or Never`, ""},
	"wrong case":          {"P3: with a hint", `{application: {purgeMode: directly}}`, refused, `purge mode "directly" is unknown: did you mean "Directly"?`, ""},
	"blanks":              {"P3: not trimmed", `{application: {purgeMode: " graciously "}}`, refused, `purge mode " graciously " is unknown: did you mean "Gracefully"?`, ""},
	"NEVER":               {"P3: with a hint", `{cluster: {purgeMode: NEVER}}`, refused, `did you mean "Never"?`, ""},
	"a long mode":         {"a limit of the schema has the server's words", `{cluster: {purgeMode: ` + strings.Repeat("a", 65) + `}}`, refused, "is unknown", "may not be more than 64"},
	"grace":               {"of Gracefully", `{application: {gracePeriodSeconds: 1}, cluster: {purgeMode: Gracefully, gracePeriodSeconds: 1}}`, accepted, "", ""},
	"grace 0":             {"E5", `{application: {gracePeriodSeconds: 0}}`, refused, "must be positive", "should be greater than or equal to 1"},
	"grace with Directly": {"E5", `{application: {purgeMode: Directly, gracePeriodSeconds: 30}}`, refused, "only Gracefully has a grace period, the mode is Directly", ""},
	"grace, old name":     {"E5: with the new name", `{cluster: {purgeMode: Immediately, gracePeriodSeconds: 30}}`, refused, "cluster.gracePeriodSeconds: Forbidden: only Gracefully has a grace period, the mode is Directly", ""},
	"grace with Never":    {"E5", `{cluster: {purgeMode: Never, gracePeriodSeconds: 30}}`, refused, "only Gracefully has a grace period, the mode is Never", ""},
	"toleration 0":        {"at once", `{application: {decisionConditions: {tolerationSeconds: 0, initialTolerationSeconds: 0}}}`, accepted, "", ""},
	"toleration -1":       {"F2", `{application: {decisionConditions: {tolerationSeconds: -1}}}`, refused, "must not be negative", "should be greater than or equal to 0"},
	"initial -1":          {"F3", `{application: {decisionConditions: {initialTolerationSeconds: -1}}}`, refused, "must not be negative", "should be greater than or equal to 0"},
	"failovers 100":       {"F3", `{application: {decisionConditions: {maxFailovers: 100, windowSeconds: 1}}}`, accepted, "", ""},
	"failovers 0":         {"F3", `{application: {decisionConditions: {maxFailovers: 0}}}`, refused, "must be from 1 to 100", "should be greater than or equal to 1"},
	"failovers 101":       {"F3", `{application: {decisionConditions: {maxFailovers: 101}}}`, refused, "must be from 1 to 100", "should be less than or equal to 100"},
	"window alone":        {"F3", `{application: {decisionConditions: {windowSeconds: 60}}}`, refused, "windowSeconds: Forbidden: it is the window of maxFailovers, which is not given", ""},
	"window 0":            {"F3", `{application: {decisionConditions: {maxFailovers: 1, windowSeconds: 0}}}`, refused, "must be positive", "should be greater than or equal to 1"},
	"waits 0":             {"each has a meaning", `{application: {purgeMode: Never, blockPredecessorSeconds: 0, soakSeconds: 0, fencingDeadlineSeconds: 0}}`, accepted, "", ""},
	"block -1":            {"E12", `{cluster: {blockPredecessorSeconds: -1}}`, refused, "must not be negative", "should be greater than or equal to 0"},
	"soak -1":             {"P6", `{application: {soakSeconds: -1}}`, refused, "must not be negative", "should be greater than or equal to 0"},
	"fencing -1":          {"P5", `{application: {fencingDeadlineSeconds: -1}}`, refused, "must not be negative", "should be greater than or equal to 0"},
	"inherits":            {"F10", `{cluster: {inheritStatePreservation: true}}`, accepted, "", ""},
	"inherits not":        {"F10", `{cluster: {inheritStatePreservation: false, statePreservation: {}}}`, accepted, "", ""},
	"inherits beside own": {"F10", `{cluster: {inheritStatePreservation: true, statePreservation: {}}}`, refused, "inheritStatePreservation: Forbidden: the block has a statePreservation of its own: drop one of the two", ""},
	"missing state": {
		"F6, F7", preserving(`{rules: [], onMissingState: UsePrevious, missingStateDeadlineSeconds: 0, retention: UntilNextFailover, maxStateAgeSeconds: 0, takenAt: "{.a.b}"}`),
		accepted, "", "",
	},
	"empty choices":        {"empty has a meaning", preserving(`{onMissingState: "", retention: "", takenAt: ""}`), accepted, "", ""},
	"unknown onMissing":    {"L6", preserving(`{onMissingState: block}`), refused, `onMissingState: Unsupported value: "block": supported values: "Block", "EvictWithout", "UsePrevious"`, ""},
	"unknown retention":    {"L6", preserving(`{retention: Forever}`), refused, `retention: Unsupported value: "Forever": supported values: "UntilHealthy", "UntilNextFailover"`, ""},
	"deadline -1":          {"F6", preserving(`{missingStateDeadlineSeconds: -1}`), refused, "must not be negative", "should be greater than or equal to 0"},
	"age -1":               {"R2", preserving(`{maxStateAgeSeconds: -1}`), refused, "must not be negative", "should be greater than or equal to 0"},
	"takenAt with text":    {"R4", preserving(`{takenAt: "at {.a}"}`), refused, "write one path in braces and nothing around it, such as {.path.to.time}", ""},
	"takenAt blank":        {"no path", preserving(`{takenAt: " "}`), refused, "the template is empty", "write one path in braces and nothing around it"},
	"takenAt in lines":     {"white space around it is trimmed", preserving(`{takenAt: " {.a}\n"}`), accepted, "", ""},
	"takenAt of two":       {"R4: only the parser can count", preserving(`{takenAt: "{.a}{.b}"}`), webhookOnly, "write one path in braces", ""},
	"rule":                 {"Karmada's two fields", rules(`{aliasLabelName: example.com/id, jsonPath: "{.jobStatus.jobId}"}`), accepted, "", ""},
	"rule of everything":   {"all fields", rules(`{aliasLabelName: id, jsonPath: "a-{.n}", from: Object, target: Annotation, policy: Optional, default: "x/y", reject: ["0"], join: ", ", conflict: Keep}`), accepted, "", ""},
	"empty texts":          {"empty is the default", rules(`{aliasLabelName: id, jsonPath: "{.a}", from: "", target: "", fieldPath: "", policy: "", default: "", reject: [], join: "", conflict: ""}`), accepted, "", ""},
	"field rule":           {"no alias needed", rules(`{jsonPath: "{.a}", target: Field, fieldPath: ".spec.containers[0].image"}`), accepted, "", ""},
	"field, empty alias":   {"Go clients write it", rules(`{aliasLabelName: "", jsonPath: "{.a}", target: Field, fieldPath: "spec.a\\.b"}`), accepted, "", ""},
	"no alias":             {"S11", rules(`{jsonPath: "{.a}"}`), refused, "rules[0].aliasLabelName: Required value: name the key that receives the value", ""},
	"illegal alias":        {"S11: Kubernetes has its own words for it", rules(`{aliasLabelName: "a b", jsonPath: "{.a}"}`), refused, "name part must consist of", "not a legal label key"},
	"alias of two parts":   {"S11", rules(`{aliasLabelName: a/b/c, jsonPath: "{.a}"}`), refused, "a qualified name must consist of", "not a legal label key"},
	"long alias":           {"S11: 63", rules(`{aliasLabelName: ` + strings.Repeat("a", 64) + `, jsonPath: "{.a}"}`), refused, "name part must be no more than 63", "not a legal label key"},
	"long prefix":          {"S11: 253", rules(`{aliasLabelName: ` + strings.Repeat("a", 254) + `/a, jsonPath: "{.a}"}`), refused, "prefix part must be no more than 253", "not a legal label key"},
	"longest prefix":       {"S11: 253", rules(`{aliasLabelName: ` + strings.Repeat("a", 253) + `/` + strings.Repeat("b", 63) + `, jsonPath: "{.a}"}`), accepted, "", ""},
	"protected":            {"S11", rules(`{aliasLabelName: app.kubernetes.io/name, jsonPath: "{.a}"}`), refused, `Forbidden: "app.kubernetes.io/name" is protected: other software tells objects apart by it`, ""},
	"protected k8s.io":     {"S11", rules(`{aliasLabelName: k8s.io/name, target: Annotation, jsonPath: "{.a}"}`), refused, `"k8s.io/name" is protected`, ""},
	"alike":                {"another domain", rules(`{aliasLabelName: cluster.x-k8s.io/name, jsonPath: "{.a}"}`), accepted, "", ""},
	"protected, of field":  {"the alias of a Field only names the rule", rules(`{aliasLabelName: k8s.io/name, target: Field, fieldPath: .spec.a, jsonPath: "{.a}"}`), accepted, "", ""},
	"duplicate alias":      {"S11", rules(`{aliasLabelName: id, jsonPath: "{.a}"}, {aliasLabelName: id, target: Label, jsonPath: "{.b}"}`), refused, "Duplicate value", "two rules have the same aliasLabelName and target"},
	"two targets":          {"no duplicate", rules(`{aliasLabelName: id, jsonPath: "{.a}"}, {aliasLabelName: id, target: Annotation, jsonPath: "{.b}"}`), accepted, "", ""},
	"duplicate path":       {"S11", rules(`{target: Field, fieldPath: .spec.a, jsonPath: "{.a}"}, {target: Field, fieldPath: .spec.a, jsonPath: "{.b}"}`), refused, "Duplicate value", "two rules have the same fieldPath"},
	"overlap":              {"S11: only the parser can tell", rules(`{target: Field, fieldPath: .spec.a, jsonPath: "{.a}"}, {target: Field, fieldPath: .spec.a.b, jsonPath: "{.b}"}`), webhookOnly, "overlaps", ""},
	"respelled":            {"S11: only the parser can tell", rules(`{target: Field, fieldPath: .spec.a, jsonPath: "{.a}"}, {target: Field, fieldPath: spec.a, jsonPath: "{.b}"}`), webhookOnly, "Duplicate value", ""},
	"no path":              {"S1", rules(`{aliasLabelName: id, jsonPath: ""}`), refused, "jsonPath: Required value: name the value to carry, such as {.jobStatus.jobId}", ""},
	"missing path":         {"S1", rules(`{aliasLabelName: id}`), refused, "jsonPath: Required value", ""},
	"bare path":            {"S7", rules(`{aliasLabelName: id, jsonPath: jobId}`), refused, `nothing in it reads the status: did you mean {.jobId}? A constant is written {"jobId"}`, ""},
	"bare rooted path":     {"S7", rules(`{aliasLabelName: id, jsonPath: $.a.b}`), refused, `nothing in it reads the status: did you mean {.a.b}?`, ""},
	"bare text":            {"S7", rules(`{aliasLabelName: id, jsonPath: "a/b"}`), refused, `nothing in it reads the status: write a path as {.path.to.value}, a constant as {"a/b"}`, ""},
	"number":               {"S7", rules(`{aliasLabelName: id, jsonPath: "{1}"}`), refused, `nothing in it reads the status: write a path as {.path.to.value}, a constant as {"1"}`, ""},
	"word":                 {"S1", rules(`{aliasLabelName: id, jsonPath: "{jobId}"}`), refused, `unknown word "jobId" (a path starts with a dot: {.jobId}; a text stands in quotes)`, ""},
	"unclosed":             {"S1", rules(`{aliasLabelName: id, jsonPath: "{.a}{.b"}`), refused, "the action is not closed (add })", ""},
	"unclosed brackets":    {"S1", rules(`{aliasLabelName: id, jsonPath: "{.a[0}"}`), refused, "the brackets are not closed (add ])", ""},
	"opened too much":      {"S1: only the parser can tell", rules(`{aliasLabelName: id, jsonPath: "{.a]}"}`), webhookOnly, "unexpected ']' inside braces", ""},
	"bad filter":           {"S1: only the parser can tell", rules(`{aliasLabelName: id, jsonPath: "{.a[?(@.b==)]}"}`), webhookOnly, "jsonPath", ""},
	"constant":             {"S7", rules(`{aliasLabelName: id, jsonPath: "{\"true\"}"}`), accepted, "", ""},
	"braces in quotes":     {"S7", rules(`{aliasLabelName: id, target: Annotation, jsonPath: "{\"}{\"}"}`), accepted, "", ""},
	"whole document":       {"S6", rules(`{aliasLabelName: id, target: Annotation, jsonPath: "{}"}`), accepted, "", ""},
	"escaped brackets":     {"S2", rules(`{aliasLabelName: id, jsonPath: "{.a['b\\[']}"}`), accepted, "", ""},
	"illegal constant":     {"S8: only evaluation can tell", rules(`{aliasLabelName: id, jsonPath: "{\"a b\"}"}`), webhookOnly, "the constant cannot be written", ""},
	"illegal frame":        {"S8: only evaluation can tell", rules(`{aliasLabelName: id, jsonPath: "s3://{.a}"}`), webhookOnly, "no value can be legal with the text around it", ""},
	"long template":        {"S12: the server's words", rules(`{aliasLabelName: id, jsonPath: "{.` + strings.Repeat("a", 4094) + `}"}`), refused, "longer than 4096 bytes", "may not be more than 4096"},
	"long in bytes":        {"S12: a schema counts characters", rules(`{aliasLabelName: id, jsonPath: "{.` + strings.Repeat("é", 2048) + `}"}`), webhookOnly, "longer than 4096 bytes", ""},
	"blanks around":        {"S12: they do not count, but in the schema", rules(`{aliasLabelName: id, jsonPath: "{.` + strings.Repeat("a", 4093) + `}  "}`), schemaOnly, "", "may not be more than 4096"},
	"document":             {"of the caller", rules(`{aliasLabelName: id, jsonPath: "{.a}", from: flink/snapshot-1}`), accepted, "", ""},
	"odd document":         {"L6", rules(`{aliasLabelName: id, jsonPath: "{.a}", from: "a b"}`), refused, "use Status, Object, Failover or the name of a document", ""},
	"status":               {"L6", rules(`{aliasLabelName: id, jsonPath: "{.a}", from: status}`), refused, "did you mean Status?", ""},
	"FAILOVER":             {"L6", rules(`{aliasLabelName: id, jsonPath: "{.a}", from: FAILOVER}`), refused, "did you mean Failover?", ""},
	"unknown target":       {"L6", rules(`{aliasLabelName: id, jsonPath: "{.a}", target: label}`), refused, `target: Unsupported value: "label": supported values: `, ""},
	"template label":       {"I4: of reports only", rules(`{aliasLabelName: id, jsonPath: "{.a}", target: PodTemplateLabel}`), refused, `target: Unsupported value: "PodTemplateLabel": supported values: `, ""},
	"unknown policy":       {"L6", rules(`{aliasLabelName: id, jsonPath: "{.a}", policy: optional}`), refused, `policy: Unsupported value: "optional": supported values: `, ""},
	"unknown conflict":     {"L6", rules(`{aliasLabelName: id, jsonPath: "{.a}", conflict: Merge}`), refused, `conflict: Unsupported value: "Merge": supported values: `, ""},
	"path of a label":      {"I5", rules(`{aliasLabelName: id, jsonPath: "{.a}", fieldPath: .spec.a}`), refused, "fieldPath: Forbidden: only a rule with target Field has a path to write to", ""},
	"field without path":   {"I5", rules(`{jsonPath: "{.a}", target: Field}`), refused, "fieldPath: Required value: name the field that receives the value, such as .spec.job.initialSavepointPath", ""},
	"template as a path":   {"I5: one message for all", rules(`{jsonPath: "{.a}", target: Field, fieldPath: "{.spec.a}"}`), refused, "it is a path of keys and indexes", ""},
	"path with an end":     {"I5: one message for all", rules(`{jsonPath: "{.a}", target: Field, fieldPath: ".spec."}`), refused, "a key is empty", "it is a path of keys and indexes"},
	"path with an index":   {"I5: one message for all", rules(`{jsonPath: "{.a}", target: Field, fieldPath: ".spec[01]"}`), refused, "a list index is written [0]", "it is a path of keys and indexes"},
	"into metadata":        {"I5", rules(`{jsonPath: "{.a}", target: Field, fieldPath: .metadata.labels.a}`), refused, "nothing in metadata is a field for state; labels and annotations have their own targets", ""},
	"into a selector":      {"I5", rules(`{jsonPath: "{.a}", target: Field, fieldPath: .spec.selector.a}`), refused, "a selector says which pods belong to the object", ""},
	"into a template":      {"I5", rules(`{jsonPath: "{.a}", target: Field, fieldPath: "spec.template.metadata"}`), refused, "the metadata of a template is not for state; its labels have their own option", ""},
	"into claims":          {"I5", rules(`{jsonPath: "{.a}", target: Field, fieldPath: "spec.volumeClaimTemplates[0].a"}`), refused, "volumeClaimTemplates are immutable", ""},
	"selector in a key":    {"another key", rules(`{jsonPath: "{.a}", target: Field, fieldPath: "spec.a\\.selector"}`), accepted, "", ""},
	"behind a backslash":   {"I5: the backslash belongs to the key", rules(`{jsonPath: "{.a}", target: Field, fieldPath: "spec.a\\\\.selector"}`), refused, "a selector says", ""},
	"whole field":          {"I5", rules(`{jsonPath: "{.a}", target: Field, fieldPath: .spec}`), refused, "a whole top-level field is not for state", ""},
	"deep path":            {"S12: only the parser counts", rules(`{jsonPath: "{.a}", target: Field, fieldPath: "` + strings.Repeat(".a", 33) + `"}`), webhookOnly, "more than 32 steps", ""},
	"illegal default":      {"S8", rules(`{aliasLabelName: id, jsonPath: "{.a}", default: "a/b"}`), refused, "not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends", ""},
	"default of an object": {"any text", rules(`{jsonPath: "{.a}", target: Field, fieldPath: .spec.a, default: "a/b c"}`), accepted, "", ""},
	"long default":         {"S8", rules(`{aliasLabelName: id, jsonPath: "{.a}", default: ` + strings.Repeat("a", 64) + `}`), refused, "a label value has at most 63", ""},
	"very long default":    {"only the limit of the schema", rules(`{aliasLabelName: id, target: Annotation, jsonPath: "{.a}", default: ` + strings.Repeat("a", 4097) + `}`), schemaOnly, "", "may not be more than 4096"},
	"rejected default":     {"S4", rules(`{aliasLabelName: id, jsonPath: "{.a}", default: none, reject: ["0", none]}`), refused, "the rule rejects its own default", ""},
	"rejected constant":    {"S4: only evaluation can tell", rules(`{aliasLabelName: id, jsonPath: "{\"x\"}", reject: [x]}`), webhookOnly, "the rule rejects", ""},
	"empty reject":         {"S4", rules(`{aliasLabelName: id, jsonPath: "{.a}", reject: [""]}`), refused, "empty text is missing anyway", "should be at least 1 chars long"},
	"many rejects":         {"only the limit of the schema", rules(`{aliasLabelName: id, jsonPath: "{.a}", reject: [a` + strings.Repeat(",a", 64) + `]}`), schemaOnly, "", "must have at most 64 items"},
	"join with a blank":    {"S5", rules(`{aliasLabelName: id, jsonPath: "{.a[*]}", join: ", "}`), refused, "use few characters that a label value may hold, such as '-', '_' or '.'", ""},
	"long join":            {"S5", rules(`{aliasLabelName: id, target: Annotation, jsonPath: "{.a[*]}", join: "` + strings.Repeat("-", 64) + `"}`), refused, "use at most 63 bytes", "may not be more than 63"},
	"long join in bytes":   {"S5: a schema counts characters", rules(`{aliasLabelName: id, target: Annotation, jsonPath: "{.a[*]}", join: "` + strings.Repeat("é", 32) + `"}`), webhookOnly, "use at most 63 bytes", ""},
	"many rules":           {"S12", rules(many(129)), refused, "must have at most 128 items", ""},
	"most rules":           {"S12", rules(many(128)), accepted, "", ""},
}

// preserving is a policy with this statePreservation.
func preserving(text string) string { return `{application: {statePreservation: ` + text + `}}` }

// rules is a policy with these rules in both blocks.
func rules(text string) string {
	both := `{statePreservation: {rules: [` + text + `]}}`
	return `{application: ` + both + `, cluster: ` + both + `}`
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`{aliasLabelName: a` + strings.Repeat("b", i%60) + strings.Repeat("c", i/60) + `, jsonPath: "{.a}"},`)
	}
	return b.String()
}

func TestPoliciesAtAdmission(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for name, tc := range policies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := decode(t, tc.policy)
			var policy failover.Behavior
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(text.(map[string]any), &policy))
			ours := failover.Validate(policy, preservation.Protection{}, field.NewPath("spec", "failover"))
			pruned, theirs := s.admit(t, object(map[string]any{"failover": text}, nil))
			if len(pruned) > 0 {
				t.Errorf("pruned: %v", pruned)
			}
			if got := of(len(ours) == 0, len(theirs) == 0); got != tc.want {
				t.Fatalf("%s: want %s, got %s:\nValidate: %v\nAPI server: %v", tc.reason, tc.want, got, ours, theirs)
			}
			says(t, "Validate", words(ours), tc.says, tc.want == refused || tc.want == webhookOnly)
			theirWords := tc.says
			if tc.schemaSays != "" {
				theirWords = tc.schemaSays
			}
			says(t, "API server", words(theirs), theirWords, tc.want == refused || tc.want == schemaOnly)
		})
	}
}

func of(ours, theirs bool) verdict {
	switch {
	case ours && theirs:
		return accepted
	case ours:
		return schemaOnly
	case theirs:
		return webhookOnly
	default:
		return refused
	}
}

func says(t *testing.T, who, got, want string, asked bool) {
	t.Helper()
	if asked && (want == "" || !strings.Contains(got, want)) {
		t.Errorf("%s: want the words %q in:\n%.2000s", who, want, got)
	}
}

// What the schema defaults is what Default gives, but for two values that depend on
// another field or would also be written into records, and for old names.
func TestDefaults(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for name, tc := range policies {
		if tc.want != accepted || strings.Contains(tc.policy, `olicy: ""`) || strings.Contains(tc.policy, `onMissingState: ""`) {
			continue // an empty text that is written out is not defaulted, and means the same
		}
		text := decode(t, tc.policy)
		var policy, read failover.Behavior
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(text.(map[string]any), &policy))
		in := object(map[string]any{"failover": text}, nil)
		s.admit(t, in)
		stored, _ := in["spec"].(map[string]any)["failover"].(map[string]any)
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(stored, &read))
		want := failover.Default(policy)
		if diff := cmp.Diff(want, failover.Default(read)); diff != "" {
			t.Errorf("%s: the schema gives another default (-Default +schema):\n%s", name, diff)
		}
		if diff := cmp.Diff(want, complete(read), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: the schema leaves more open (-Default +schema):\n%s", name, diff)
		}
	}
}

// complete fills what the schema leaves open on purpose.
func complete(b failover.Behavior) failover.Behavior {
	if a := b.Application; a != nil {
		completeBlock(&a.PurgeMode, &a.GracePeriodSeconds, &a.Waits)
	}
	if c := b.Cluster; c != nil {
		completeBlock(&c.PurgeMode, &c.GracePeriodSeconds, &c.Waits)
	}
	return b
}

func completeBlock(mode *purge.Mode, grace **int32, waits *failover.Waits) {
	*mode, _ = purge.Normalize(*mode)
	if seconds := failover.DefaultGracePeriodSeconds; *mode == purge.Gracefully && *grace == nil {
		*grace = &seconds
	}
	if seconds := failover.DefaultBlockPredecessorSeconds; waits.BlockPredecessorSeconds == nil {
		waits.BlockPredecessorSeconds = &seconds
	}
}
