package preservation_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation"
)

// finding is what a validation error is about, without its wording.
type finding struct {
	Type   field.ErrorType
	Field  string
	Detail string // a part of it
}

func TestValidate(t *testing.T) {
	t.Parallel()
	type rules = []preservation.Rule
	with := func(change func(*preservation.Rule)) rules {
		rule := preservation.Rule{AliasLabelName: "example.com/id", JSONPath: "{.id}"}
		change(&rule)
		return rules{rule}
	}
	long := strings.Repeat("a", 64)
	cases := map[string]struct {
		reason     string
		rules      rules
		protection preservation.Protection
		want       []finding
	}{
		"NoRules": {
			reason: "no rules carry no state, which is valid",
		},
		"Plain": {
			reason: "the two fields of Karmada are enough",
			rules:  with(func(*preservation.Rule) {}),
		},
		"AllFields": {
			reason: "all fields together are valid",
			rules: with(func(r *preservation.Rule) {
				r.Policy, r.Default, r.Reject, r.Join = preservation.Optional, "none", []string{"0", "a b"}, "-._"
			}),
		},
		"ExplicitRequired": {
			reason: "the default may be spelled out",
			rules:  with(func(r *preservation.Rule) { r.Policy = preservation.Required }),
		},
		"NoAlias": {
			reason: "a value without a place to go",
			rules:  with(func(r *preservation.Rule) { r.AliasLabelName = "" }),
			want:   []finding{{field.ErrorTypeRequired, "p.rules[0].aliasLabelName", "name the key"}},
		},
		"AliasWithoutName": {
			reason: "F23: a prefix is no key",
			rules:  with(func(r *preservation.Rule) { r.AliasLabelName = "x/" }),
			want: []finding{
				{field.ErrorTypeInvalid, "p.rules[0].aliasLabelName", "name part must be non-empty"},
				{field.ErrorTypeInvalid, "p.rules[0].aliasLabelName", "name part must consist of"},
			},
		},
		"AliasInUpperCase": {
			reason: "F23: a prefix is a DNS name in lower case",
			rules:  with(func(r *preservation.Rule) { r.AliasLabelName = "KARMADA.IO/x" }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].aliasLabelName", "lowercase RFC 1123"}},
		},
		"AliasWithTwoSlashes": {
			reason: "F23: one prefix at most",
			rules:  with(func(r *preservation.Rule) { r.AliasLabelName = "a/b/c" }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].aliasLabelName", "must consist of alphanumeric characters"}},
		},
		"DuplicateAlias": {
			reason: "F23: the last one would win silently; each further one is reported",
			rules: rules{
				{AliasLabelName: "example.com/id", JSONPath: "{.a}"},
				{AliasLabelName: "example.com/other", JSONPath: "{.a}"},
				{AliasLabelName: "example.com/id", JSONPath: "{.b}"},
				{AliasLabelName: "example.com/id", JSONPath: "{.c}"},
			},
			want: []finding{
				{field.ErrorTypeDuplicate, "p.rules[2].aliasLabelName", ""},
				{field.ErrorTypeDuplicate, "p.rules[3].aliasLabelName", ""},
			},
		},
		"AliasesThatDifferInCase": {
			reason: "F23: keys are case-sensitive",
			rules: rules{
				{AliasLabelName: "example.com/id", JSONPath: "{.a}"},
				{AliasLabelName: "example.com/ID", JSONPath: "{.a}"},
			},
		},
		"ProtectedAlias": {
			reason: "S11: kubernetes.io is protected by default",
			rules:  with(func(r *preservation.Rule) { r.AliasLabelName = "app.kubernetes.io/name" }),
			want:   []finding{{field.ErrorTypeForbidden, "p.rules[0].aliasLabelName", "protected"}},
		},
		"AliasProtectedByCaller": {
			reason:     "S11: the caller extends the set",
			rules:      with(func(r *preservation.Rule) { r.AliasLabelName = "work.karmada.io/permanent-id" }),
			protection: preservation.KarmadaProtection(),
			want:       []finding{{field.ErrorTypeForbidden, "p.rules[0].aliasLabelName", "protected"}},
		},
		"NoPath": {
			reason: "a label without a value",
			rules:  with(func(r *preservation.Rule) { r.JSONPath = "" }),
			want:   []finding{{field.ErrorTypeRequired, "p.rules[0].jsonPath", "name the value to carry"}},
		},
		"LongestPath": {
			reason: "S12: the limit belongs to the legal sizes, white space around does not count",
			rules:  with(func(r *preservation.Rule) { r.JSONPath = "  {." + strings.Repeat("a", 4096-3) + "}  " }),
		},
		"TooLongPath": {
			reason: "S12: checked before parsing",
			rules:  with(func(r *preservation.Rule) { r.JSONPath = "{." + strings.Repeat("a", 4096-2) + "}" }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].jsonPath", "longer than 4096 bytes"}},
		},
		"MegabytesOfBlanks": {
			reason: "S12: a template that overflows the stack of client-go's parser",
			rules:  with(func(r *preservation.Rule) { r.JSONPath = "{" + strings.Repeat(" ", 2<<20) + "}" }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].jsonPath", "longer than 4096 bytes"}},
		},
		"TooDeep": {
			reason: "S12: nesting is limited",
			rules:  with(func(r *preservation.Rule) { r.JSONPath = strings.Repeat("{range .a[*]}", 33) + "{.b}" }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].jsonPath", "nested deeper than 32"}},
		},
		"UnknownPolicy": {
			reason: "L6: unknown texts are errors, with a wrong case too",
			rules:  with(func(r *preservation.Rule) { r.Policy = "optional" }),
			want:   []finding{{field.ErrorTypeNotSupported, "p.rules[0].policy", `"Required", "Optional"`}},
		},
		"IllegalDefault": {
			reason: "S4: a default is checked against its target on day one",
			rules:  with(func(r *preservation.Rule) { r.Default = "a/b" }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].default", "not a legal label value"}},
		},
		"LongDefault": {
			reason: "S8: 63 bytes",
			rules:  with(func(r *preservation.Rule) { r.Default = long }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].default", "64 bytes long"}},
		},
		"RejectedDefault": {
			reason: "the rule would contradict itself",
			rules:  with(func(r *preservation.Rule) { r.Default, r.Reject = "none", []string{"0", "none"} }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].default", "rejects its own default"}},
		},
		"EmptyReject": {
			reason: "empty text is missing anyway: the author means something else",
			rules:  with(func(r *preservation.Rule) { r.Reject = []string{"0", ""} }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].reject[1]", "missing anyway"}},
		},
		"JoinWithBlank": {
			reason: "F09: a blank is never legal in a label",
			rules:  with(func(r *preservation.Rule) { r.Join = ", " }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].join", "characters that a label value may hold"}},
		},
		"LongestJoin": {
			reason: "two values of one byte are left",
			rules:  with(func(r *preservation.Rule) { r.Join = strings.Repeat("-", 61) }),
		},
		"LongJoin": {
			reason: "no two values could ever fit",
			rules:  with(func(r *preservation.Rule) { r.Join = strings.Repeat("-", 62) }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].join", ""}},
		},
		"RejectedConstant": {
			reason: "a constant that never comes out",
			rules:  with(func(r *preservation.Rule) { r.JSONPath, r.Reject = `{"x"}`, []string{"x"} }),
			want:   []finding{{field.ErrorTypeInvalid, "p.rules[0].jsonPath", "the rule rejects"}},
		},
		"AllAtOnce": {
			reason: "L7: all errors, in the order of the rules and of the list in the comment",
			rules: rules{
				{JSONPath: "jobId", Policy: "x", Default: "/", Reject: []string{"/", ""}, Join: "/"},
				{AliasLabelName: "a/b/c", JSONPath: "{.a}{.b"},
				{AliasLabelName: "k8s.io/x", JSONPath: "{.a}"},
			},
			want: []finding{
				{field.ErrorTypeRequired, "p.rules[0].aliasLabelName", ""},
				{field.ErrorTypeInvalid, "p.rules[0].jsonPath", "did you mean {.jobId}?"},
				{field.ErrorTypeNotSupported, "p.rules[0].policy", ""},
				{field.ErrorTypeInvalid, "p.rules[0].default", "not a legal label value"},
				{field.ErrorTypeInvalid, "p.rules[0].default", "rejects its own default"},
				{field.ErrorTypeInvalid, "p.rules[0].reject[1]", ""},
				{field.ErrorTypeInvalid, "p.rules[0].join", ""},
				{field.ErrorTypeInvalid, "p.rules[1].aliasLabelName", ""},
				{field.ErrorTypeInvalid, "p.rules[1].jsonPath", ""},
				{field.ErrorTypeForbidden, "p.rules[2].aliasLabelName", ""},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sp := preservation.StatePreservation{Rules: tc.rules}
			errs := preservation.Validate(sp, tc.protection, field.NewPath("p"))
			got := make([]finding, 0, len(errs))
			for i, err := range errs {
				f := finding{err.Type, err.Field, err.Detail}
				if i < len(tc.want) && strings.Contains(err.Detail, tc.want[i].Detail) {
					f.Detail = tc.want[i].Detail
				}
				got = append(got, f)
				if len(err.Error()) > 10_000 {
					t.Errorf("the error of %s has %d bytes", err.Field, len(err.Error()))
				}
			}
			if diff := cmp.Diff(append([]finding{}, tc.want...), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			x, err := preservation.Compile(sp, tc.protection)
			if (err != nil) != (len(errs) > 0) || (x == nil) != (err != nil) {
				t.Errorf("%s: Validate says %v, Compile %v, extractor %v", tc.reason, errs, err, x)
			}
		})
	}
}

func TestValidateHints(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ reason, template, want string }{
		"Name":     {"a path was meant", "jobId", `nothing in it reads the status: did you mean {.jobId}? A constant is written {"jobId"}`},
		"Rooted":   {"a path was meant", "$.a.b", `nothing in it reads the status: did you mean {.a.b}? A constant is written {"$.a.b"}`},
		"Dotted":   {"a path was meant", ".a", `nothing in it reads the status: did you mean {.a}? A constant is written {".a"}`},
		"Number":   {"a constant was meant", "{1}", `nothing in it reads the status: write a path as {.path.to.value}, a constant as {"1"}`},
		"Blank":    {"no path has a blank", "a b", `nothing in it reads the status: write a path as {.path.to.value}, a constant as {"a b"}`},
		"Slash":    {"no path has a slash", "a/b", `nothing in it reads the status: write a path as {.path.to.value}, a constant as {"a/b"}`},
		"Colon":    {"no path has a colon", "a:b", `nothing in it reads the status: write a path as {.path.to.value}, a constant as {"a:b"}`},
		"Quotes":   {"quotes outside braces are text", `"it's"`, `nothing in it reads the status: did you mean {.its}? A constant is written {"its"}`},
		"Trailing": {"the text behind it is part of it", "{true}x", `nothing in it reads the status: write a path as {.path.to.value}, a constant as {"truex"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs := preservation.Validate(preservation.StatePreservation{Rules: []preservation.Rule{
				{AliasLabelName: "example.com/id", JSONPath: tc.template},
			}}, preservation.Protection{}, nil)
			if len(errs) != 1 {
				t.Fatalf("%s: want one error, got %v", tc.reason, errs)
			}
			want := field.Error{Type: field.ErrorTypeInvalid, Field: "rules[0].jsonPath", BadValue: tc.template, Detail: tc.want}
			if diff := cmp.Diff(&want, errs[0]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestValidateAbridges(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]string{
		4096: "{." + strings.Repeat("a", 4095-2) + "[",
		4097: "(4097 bytes)",
	} {
		text := "{." + strings.Repeat("a", size-3) + "["
		errs := preservation.Validate(preservation.StatePreservation{Rules: []preservation.Rule{
			{AliasLabelName: "example.com/id", JSONPath: text},
		}}, preservation.Protection{}, nil)
		if len(errs) != 1 || errs[0].BadValue != want {
			t.Errorf("a template of %d bytes: want the bad value %.40q, got %.200v", size, want, errs)
		}
	}
}

func TestCompileErrorCanBeUnwrapped(t *testing.T) {
	t.Parallel()
	_, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: "example.com/id", JSONPath: "id"}, {JSONPath: "{.id}"},
	}}, preservation.Protection{})
	var first *field.Error
	require.ErrorAs(t, err, &first)
	if first.Field != "statePreservation.rules[0].jsonPath" || !strings.Contains(err.Error(), "rules[1].aliasLabelName") {
		t.Errorf("want both errors, the first one first, got %v", err)
	}
}

// A policy that changes after it was compiled must not change what is extracted.
func TestCompileCopiesRules(t *testing.T) {
	t.Parallel()
	sp := preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: "example.com/id", JSONPath: "{.id}", Reject: []string{"none"}},
	}}
	x, err := preservation.Compile(sp, preservation.Protection{})
	require.NoError(t, err)
	sp.Rules[0].Reject[0] = "other"
	sp.Rules[0].AliasLabelName, sp.Rules[0].Policy = "example.com/other", preservation.Optional
	_, err = x.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(`{"id":"none"}`))})
	require.ErrorIs(t, err, preservation.MissingKey)
	var rule *preservation.RuleError
	if !errors.As(err, &rule) || rule.Alias != "example.com/id" {
		t.Errorf("want the alias as compiled, got %v", err)
	}
}

func TestProtection(t *testing.T) {
	t.Parallel()
	own := preservation.Protection{
		Domains: []string{"example.com", "Slash.example.org/", "*.star.example.org", ".dot.example.org", ""},
		Keys:    []string{"team", "example.net/id"},
	}
	cases := map[string]struct {
		reason     string
		protection preservation.Protection
		key        string
		want       bool
	}{
		"kubernetes.io":        {"the domain itself", preservation.Protection{}, "kubernetes.io/x", true},
		"kubernetes.io sub":    {"a subdomain", preservation.Protection{}, "app.kubernetes.io/name", true},
		"k8s.io":               {"the domain itself", preservation.Protection{}, "k8s.io/x", true},
		"k8s.io sub":           {"a subdomain of a subdomain", preservation.Protection{}, "a.x-k8s.io.k8s.io/x", true},
		"x-k8s.io":             {"another domain, that ends alike", preservation.Protection{}, "cluster.x-k8s.io/x", false},
		"mykubernetes.io":      {"another domain, that ends alike", preservation.Protection{}, "mykubernetes.io/x", false},
		"kubernetes.io.evil":   {"another domain, that starts alike", preservation.Protection{}, "kubernetes.io.example/x", false},
		"name only":            {"a name is no domain", preservation.Protection{}, "kubernetes.io", false},
		"no prefix":            {"nothing protects it", preservation.Protection{}, "team", false},
		"zero value":           {"nothing else is protected", preservation.Protection{}, "example.com/id", false},
		"own domain":           {"the domain itself", own, "example.com/id", true},
		"own subdomain":        {"a subdomain", own, "a.example.com/id", true},
		"own domain, alike":    {"another domain", own, "notexample.com/id", false},
		"slash and case":       {"a prefix as people write it", own, "slash.example.org/id", true},
		"star":                 {"a pattern as people write it", own, "a.star.example.org/id", true},
		"star itself":          {"the domain of the pattern too", own, "star.example.org/id", true},
		"dot":                  {"a suffix as people write it", own, "a.dot.example.org/id", true},
		"empty domain":         {"protects nothing", own, "a.b/id", false},
		"own key":              {"exactly itself", own, "team", true},
		"own key, longer":      {"nothing else", own, "teams", false},
		"own key, prefix":      {"exactly itself", own, "example.net/id", true},
		"own key, other name":  {"not its domain", own, "example.net/ids", false},
		"default with own set": {"always protected", own, "kubernetes.io/x", true},
		"karmada identity":     {"an identity key", preservation.KarmadaProtection(), "work.karmada.io/permanent-id", true},
		"karmada domain":       {"users name state labels there", preservation.KarmadaProtection(), "resume.karmada.io/job-id", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.protection.Protects(tc.key); got != tc.want {
				t.Errorf("%s: Protects(%q) = %t, want %t", tc.reason, tc.key, got, tc.want)
			}
		})
	}
}

// The list is reviewed twice: a key that is lost here is an object that is lost.
func TestKarmadaProtectionKeys(t *testing.T) {
	t.Parallel()
	want := preservation.Protection{Keys: []string{
		"clusterpropagationpolicy.karmada.io/name",
		"clusterpropagationpolicy.karmada.io/permanent-id",
		"clusterpropagationpolicy.karmada.io/uid",
		"clusterresourcebinding.karmada.io/key",
		"clusterresourcebinding.karmada.io/name",
		"clusterresourcebinding.karmada.io/permanent-id",
		"clusterresourcebinding.karmada.io/uid",
		"karmada.io/managed",
		"multiclusterservice.karmada.io/name",
		"multiclusterservice.karmada.io/namespace",
		"multiclusterservice.karmada.io/permanent-id",
		"propagation.karmada.io/instruction",
		"propagationpolicy.karmada.io/name",
		"propagationpolicy.karmada.io/namespace",
		"propagationpolicy.karmada.io/permanent-id",
		"propagationpolicy.karmada.io/uid",
		"resourcebinding.karmada.io/key",
		"resourcebinding.karmada.io/name",
		"resourcebinding.karmada.io/namespace",
		"resourcebinding.karmada.io/permanent-id",
		"resourcebinding.karmada.io/uid",
		"resourcetemplate.karmada.io/claimed-by",
		"resourcetemplate.karmada.io/deletion-protected",
		"resourcetemplate.karmada.io/managed-annotations",
		"resourcetemplate.karmada.io/managed-labels",
		"resourcetemplate.karmada.io/retain-replicas",
		"resourcetemplate.karmada.io/uid",
		"work.karmada.io/conflict-resolution",
		"work.karmada.io/name",
		"work.karmada.io/namespace",
		"work.karmada.io/permanent-id",
		"work.karmada.io/uid",
	}}
	if diff := cmp.Diff(want, preservation.KarmadaProtection()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A list that one caller extends must not change the list of another.
func TestKarmadaProtectionIsFresh(t *testing.T) {
	t.Parallel()
	one := preservation.KarmadaProtection()
	one.Keys[0] = "changed"
	if diff := cmp.Diff("clusterpropagationpolicy.karmada.io/name", preservation.KarmadaProtection().Keys[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
