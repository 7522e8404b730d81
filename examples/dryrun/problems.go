package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// problemsOf turns what blocks one cluster into entries of the output, one for
// each error that is joined in err.
func problemsOf(cluster string, policy failover.Behavior, cause preservation.Cause, err error) []problem {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var out []problem
		for _, one := range joined.Unwrap() {
			out = append(out, problemsOf(cluster, policy, cause, one)...)
		}
		return out
	}
	var rule *preservation.RuleError
	var inject *preservation.InjectError
	var age *failover.StateAgeError
	var invalid *field.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &rule):
		return []problem{ruleProblem(cluster, cause, rule)}
	case errors.As(err, &inject):
		return []problem{injectProblem(cluster, rulesOf(policy, block(cause)), inject)}
	case errors.As(err, &age):
		at := policyPath().Child(block(cause), "statePreservation", "maxStateAgeSeconds")
		return []problem{{Cluster: cluster, Field: at.String(), Class: string(failover.StateTooOld), Message: oneLine(err.Error())}}
	case errors.As(err, &invalid):
		return []problem{fieldProblem(cluster, policy, invalid)}
	default:
		return []problem{{Cluster: cluster, Class: "Unexpected", Message: oneLine(err.Error())}}
	}
}

func ruleProblem(cluster string, cause preservation.Cause, e *preservation.RuleError) problem {
	at := policyPath().Child(block(cause), "statePreservation", "rules").Index(e.Rule).Child("jsonPath")
	return problem{
		Cluster: cluster, Rule: &e.Rule, Alias: e.Alias, Field: at.String(),
		Class: string(e.Class), Message: oneLine(e.Error()),
	}
}

// injectProblem points into the manifest, and names the rule that fills the place.
func injectProblem(cluster string, rules []preservation.Rule, e *preservation.InjectError) problem {
	at := field.NewPath("metadata")
	switch {
	case e.Target == preservation.Field:
		at = field.NewPath(strings.TrimPrefix(e.Key, "."))
	case e.Key != "" && e.Target == preservation.Annotation:
		at = at.Child("annotations").Key(e.Key)
	case e.Key != "":
		at = at.Child("labels").Key(e.Key)
	}
	p := problem{Cluster: cluster, Field: at.String(), Class: string(e.Class), Message: oneLine(e.Error())}
	if e.Key != "" && e.Target != preservation.Field {
		p.Alias = e.Key
	}
	fills := func(rule preservation.Rule) bool { return rule.Ref() == preservation.Ref{Target: e.Target, Key: e.Key} }
	if i := slices.IndexFunc(rules, fills); i >= 0 && e.Key != "" {
		p.Rule, p.Alias = &i, rules[i].AliasLabelName
	}
	return p
}

func fieldProblem(cluster string, policy failover.Behavior, e *field.Error) problem {
	p := problem{Cluster: cluster, Field: e.Field, Class: string(e.Type), Message: oneLine(e.ErrorBody())}
	p.Rule, p.Alias = ruleAt(policy, e.Field)
	return p
}

// The order of the output: by cluster, then by what a person looks for first, or as
// it happened.

func (p plan) sort() {
	slices.SortStableFunc(p.Decisions, func(a, b decision) int { return cmp.Compare(a.Cluster, b.Cluster) })
	slices.SortStableFunc(p.Purges, func(a, b purgeOf) int { return cmp.Compare(a.Cluster, b.Cluster) })
	slices.SortStableFunc(p.Injections, func(a, b injection) int { return cmp.Compare(a.Cluster, b.Cluster) })
	slices.SortStableFunc(p.Events, func(a, b event) int { return cmp.Compare(a.cluster, b.cluster) })
}

func sortProblems(all []problem) []problem {
	rule := func(p problem) int {
		if p.Rule == nil {
			return -1
		}
		return *p.Rule
	}
	slices.SortStableFunc(all, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(rule(a), rule(b)),
			cmp.Compare(a.Field, b.Field), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Message, b.Message))
	})
	return orEmpty(all)
}

func sortNotices(all []notice) []notice {
	slices.SortFunc(all, func(a, b notice) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	return orEmpty(slices.Compact(all))
}

// orEmpty keeps null out of the output.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
