package compare_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	"github.com/karmada-io/karmada/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// finding is a place of a policy that one side refuses and the other does not.
type finding struct {
	policy *policyv1alpha1.FailoverBehavior
	place  string
	theirs bool // refuse it
	detail string
}

var validationDifferences = []difference[finding]{
	{
		"no grace period is the default one", "E5", "there it has to be filled in first",
		func(f finding) bool {
			return f.theirs && f.place == "failover.application.gracePeriodSeconds" && f.policy.Application.GracePeriodSeconds == nil
		},
	},
	{
		"no purge mode is Gracefully, which has a grace period", "P2", "there the default has to be filled in first",
		func(f finding) bool {
			return f.theirs && f.place == "failover.application.gracePeriodSeconds" && f.policy.Application.PurgeMode == ""
		},
	},
	{
		"a grace period is not the first problem of what is no mode", "P3", "nobody can tell whether the mode that was meant has one",
		func(f finding) bool {
			return f.theirs && f.place == "failover.application.gracePeriodSeconds" && f.policy.Application.PurgeMode == "directly"
		},
	},
	{
		"a mode that is not known is refused", "P3", "there only the schema refuses it, if the object passes by it",
		func(f finding) bool { return !f.theirs && strings.HasSuffix(f.place, ".purgeMode") },
	},
	{
		"a template that cannot be evaluated is refused", "S1", "there it fails on the day of the failover",
		func(f finding) bool { return !f.theirs && strings.HasSuffix(f.place, ".jsonPath") },
	},
	{
		"the same key twice is refused", "S11", "there the last rule wins",
		func(f finding) bool { return !f.theirs && strings.Contains(f.detail, "Duplicate value") },
	},
	{
		"a key that is protected is refused", "S11", "a label by which objects are found loses them",
		func(f finding) bool { return !f.theirs && strings.Contains(f.detail, "is protected") },
	},
}

func randomPreservation(random *rand.Rand) *policyv1alpha1.StatePreservation {
	if random.IntN(3) == 0 {
		return nil
	}
	sp := &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{}}
	for range random.IntN(4) {
		sp.Rules = append(sp.Rules, policyv1alpha1.StatePreservationRule{
			AliasLabelName: pick(random, "example.com/a", "example.com/b", "c", "not legal", "", "example.com/", "app.kubernetes.io/name"),
			JSONPath:       pick(random, "{.a}", "{.a.b[0]}", "x-{.a}", "{.a", "a", "", `{.a["b"]}`, "{.a[?(@.b>1)].c}"),
		})
	}
	return sp
}

func randomPolicy(random *rand.Rand) *policyv1alpha1.FailoverBehavior {
	policy := &policyv1alpha1.FailoverBehavior{}
	mode := func() policyv1alpha1.PurgeMode {
		return policyv1alpha1.PurgeMode(pick(random, "Directly", "Gracefully", "Never", "", "Immediately", "Graciously", "directly"))
	}
	if random.IntN(4) > 0 {
		policy.Application = &policyv1alpha1.ApplicationFailoverBehavior{
			// Nil makes Karmada's validation panic (L4).
			DecisionConditions: policyv1alpha1.DecisionConditions{TolerationSeconds: ptr(int32(random.IntN(4) - 1))},
			PurgeMode:          mode(), StatePreservation: randomPreservation(random),
		}
		if random.IntN(2) == 0 {
			policy.Application.GracePeriodSeconds = ptr(int32(random.IntN(4) - 1))
		}
	}
	if random.IntN(2) == 0 {
		policy.Cluster = &policyv1alpha1.ClusterFailoverBehavior{PurgeMode: mode(), StatePreservation: randomPreservation(random)}
	}
	return policy
}

// TestValidation compares which places of a policy are refused.
func TestValidation(t *testing.T) {
	t.Parallel()
	e := explain(validationDifferences)
	random := rand.New(rand.NewPCG(11, 12))
	for range 20_000 {
		policy := randomPolicy(random)
		theirs := places(validation.ValidateFailover(policy, field.NewPath("failover")))
		ours := places(failover.Validate(convert[failover.Behavior](t, policy), preservation.Protection{}, field.NewPath("failover")))
		for place, detail := range theirs {
			_, same := ours[place]
			e.check(t, !same, finding{policy, place, true, detail})
		}
		for place, detail := range ours {
			if _, same := theirs[place]; !same {
				e.check(t, true, finding{policy, place, false, detail})
			}
		}
	}
	e.done(t)
}

func places(errs field.ErrorList) map[string]string {
	out := map[string]string{}
	for _, err := range errs {
		out[err.Field] += err.Error()
	}
	return out
}

// TestValidationWithoutToleration: Karmada's validation panics without a default that
// the schema fills in (L4).
func TestValidationWithoutToleration(t *testing.T) {
	t.Parallel()
	policy := &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeDirectly}}
	panics := func() (panicked bool) {
		defer func() { panicked = recover() != nil }()
		validation.ValidateFailover(policy, field.NewPath("failover"))
		return false
	}
	if !panics() {
		t.Error("it does not panic any more: drop this test")
	}
	if errs := failover.Validate(convert[failover.Behavior](t, policy), preservation.Protection{}, nil); len(errs) > 0 {
		t.Errorf("nil is the default: %v", errs)
	}
}
