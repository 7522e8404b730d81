package crd_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// onlyOurs are the words of Validate for what the schema cannot tell. docs/crd.md
// has the list with its reasons.
var onlyOurs = []string{
	"it overlaps with the path of rule", "Duplicate value", "more than 32 steps", // paths are compared and counted by the parser
	"a key is empty or has white space", "U+FFFD",
	"template at byte", "nothing in it reads the status", // the grammar of templates
	"longer than 4096 bytes", "use at most 63 bytes", "the path is longer than",
	"the constant cannot be written", "no value can be legal with the text around it", "the rule rejects its own constant",
	"write one path in braces", "not exactly one JSON value", "empty, which counts as missing",
}

// What Validate accepts an API server accepts, within the limits of sizes, and what
// an API server accepts beyond that is on the list. Policies are put together from
// texts that are right, nearly right and wrong.
func TestRandomPolicies(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r := rand.New(rand.NewPCG(7, 7))
	count := map[verdict]int{}
	for range 4000 {
		policy := randomPolicy(r)
		ours := failover.Validate(policy, preservation.Protection{}, nil)
		written, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&policy)
		require.NoError(t, err)
		_, theirs := s.admit(t, object(map[string]any{"failover": written}, nil))
		got := of(len(ours) == 0, len(theirs) == 0)
		count[got]++
		switch got {
		case schemaOnly:
			t.Fatalf("%+v\nis valid, and an API server says: %v", written, theirs)
		case webhookOnly:
			for _, err := range ours {
				if !containsAny(err.Error(), onlyOurs) {
					t.Fatalf("%+v\nan API server accepts it, and Validate says: %v", written, err)
				}
			}
		case accepted, refused:
		}
	}
	if count[accepted] < 200 || count[refused] < 1000 || count[webhookOnly] < 20 {
		t.Errorf("the policies are too much alike: %v", count)
	}
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

func randomPolicy(r *rand.Rand) failover.Behavior {
	var b failover.Behavior
	if r.IntN(3) > 0 {
		b.Application = &failover.ApplicationBehavior{
			DecisionConditions: failover.DecisionConditions{
				TolerationSeconds: number(r), InitialTolerationSeconds: number(r), MaxFailovers: number(r), WindowSeconds: number(r),
			},
			PurgeMode: modeOf(r), GracePeriodSeconds: number(r), StatePreservation: randomPreservation(r), Waits: waits(r),
		}
	}
	if r.IntN(3) > 0 {
		b.Cluster = &failover.ClusterBehavior{
			PurgeMode: modeOf(r), GracePeriodSeconds: number(r), StatePreservation: randomPreservation(r),
			InheritStatePreservation: r.IntN(8) == 0, Waits: waits(r),
		}
	}
	return b
}

// mostly picks the first text, which is right, three times in four.
func mostly[T ~string](r *rand.Rand, texts ...T) T {
	if r.IntN(4) > 0 {
		return texts[0]
	}
	return texts[r.IntN(len(texts))]
}

func number(r *rand.Rand) *int32 {
	if r.IntN(8) > 0 {
		return nil
	}
	n := []int32{30, 1, 0, -1, 100, 101, 1 << 30}[r.IntN(7)]
	return &n
}

func waits(r *rand.Rand) failover.Waits {
	return failover.Waits{BlockPredecessorSeconds: number(r), SoakSeconds: number(r), FencingDeadlineSeconds: number(r)}
}

func modeOf(r *rand.Rand) purge.Mode {
	return mostly[purge.Mode](r, "", "Directly", "Gracefully", "Never", "Immediately", "Graciously", "never", "Later", " Directly")
}

func randomPreservation(r *rand.Rand) *preservation.StatePreservation {
	if r.IntN(4) == 0 {
		return nil
	}
	sp := &preservation.StatePreservation{
		OnMissingState: mostly[preservation.OnMissingState](r, "", "Block", "UsePrevious", "EvictWithout", "block"),
		Retention:      mostly[preservation.Retention](r, "", "UntilHealthy", "UntilNextFailover", "x"),
		TakenAt:        mostly(r, "", "{.a}", " {.a.b[0]} ", "a", "{.a", "{.a}x", "{}", "{\"x\"}"),
	}
	sp.MissingStateDeadlineSeconds, sp.MaxStateAgeSeconds = number(r), number(r)
	for range r.IntN(4) {
		sp.Rules = append(sp.Rules, randomRule(r))
	}
	return sp
}

func randomRule(r *rand.Rand) preservation.Rule {
	rule := preservation.Rule{
		AliasLabelName: mostly(r, "id", "example.com/id", "b", "c", "", "a b", "k8s.io/x", "x.kubernetes.io/x", "xk8s.io/x", "A/b", "a/b/c", "a_b.c", "-a"),
		JSONPath:       template(r),
		From:           mostly[preservation.Source](r, "", "Status", "Object", "Failover", "doc/a-1", "status", "OBJECT", "a b", "é"),
		Target:         mostly[preservation.Target](r, "", "Label", "Annotation", "Field", "field", "PodTemplateLabel"),
		Policy:         mostly[preservation.RulePolicy](r, "", "Required", "Optional", "optional"),
		Default:        mostly(r, "", "none", "a/b", "-", "a b", "0"),
		Join:           mostly(r, "", "-", ", ", ".", "/"),
		Conflict:       mostly[preservation.Conflict](r, "", "Replace", "Keep", "Fail", "keep"),
	}
	if rule.Target == preservation.Field || r.IntN(16) == 0 {
		rule.FieldPath = fieldPath(r)
	}
	if r.IntN(4) == 0 {
		rule.Reject = []string{mostly(r, "0", "none", "")}
	}
	return rule
}

// template is one of a list, or put together from pieces.
func template(r *rand.Rand) string {
	if r.IntN(3) > 0 {
		return mostly(r, "{.a}", "{.a.b[0]}", "{.a[*].b}", "x-{.a}", "{.a}{.b}", "{range .a[*]}{.b}{end}", "{.a[?(@.b==\"}\")].c}", "{'it'}",
			"{\"a{\"}", "a", "$.a", "{a}", "{1}", "{true}", "{}", "{ }", "", " ", "{.a", "{.a}{", "}{.a}", "{.a[}", "{.a['x']}", "{..a}", "{@.a}", "{$}")
	}
	pieces := []string{"{", "}", ".", "a", "b", "[", "]", "0", "*", "'", "\"", " ", "@", "$", "?(", ")", "==", "range", "end", "true", "-", "\\", "\n", "é", ","}
	var b strings.Builder
	for range 1 + r.IntN(8) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	if r.IntN(2) == 0 {
		return "{." + b.String() + "}"
	}
	return b.String()
}

func fieldPath(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return mostly(r, ".spec.job.path", "spec.a", ".spec.a[0].b", ".spec", ".metadata.name", ".spec.selector", "status.x", ".spec.template.metadata.labels", "{.a}", ".a\\.b.c")
	}
	pieces := []string{".", "a", "spec", "metadata", "selector", "volumeClaimTemplates", "[0]", "[", "]", "[01]", "\\.", "\\", "\\\\", "$", " ", "*", "é", "kind"}
	var b strings.Builder
	b.WriteString(".spec")
	for range 1 + r.IntN(6) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}
