package controller

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/failover"
)

// schedule adds clusters until there are as many as asked for: the first of the
// allowed ones that may take a copy. It takes none away: leaving is for Plan to decide,
// with the state. What it adds is written together with the tasks, and gets its
// manifest in a later pass, once Plan has seen it.
func schedule(p *v1alpha1.Placement, s *sight, out failover.PlanOutput) []eviction.TargetCluster {
	targets := out.Targets
	for _, cluster := range p.Spec.AllowedClusters {
		if len(targets) >= int(p.Spec.ClusterCount) {
			break
		}
		avoid := slices.ContainsFunc(out.Excluded, func(e failover.ExcludedCluster) bool { return e.Cluster == cluster })
		if avoid || isTarget(targets, cluster) || !usable(p, s, cluster) {
			continue
		}
		targets = append(slices.Clip(targets), eviction.TargetCluster{Name: cluster})
	}
	return targets
}

// usable says that a cluster may take a new copy now: it answers, is not fenced, and
// has no taint that would evict the copy at some time.
func usable(p *v1alpha1.Placement, s *sight, cluster string) bool {
	m := s.members[cluster]
	if m == nil || m.Status.Ready != metav1.ConditionTrue || m.Spec.Fenced {
		return false
	}
	verdict := failover.Tolerate(failover.TaintInput{Taints: m.AllTaints(), Tolerations: p.Spec.Tolerations, Now: s.now.Time})
	return verdict.Outcome == failover.TaintNone || verdict.Outcome == failover.TolerateForever
}

func isTarget(targets []eviction.TargetCluster, cluster string) bool {
	return slices.ContainsFunc(targets, func(t eviction.TargetCluster) bool { return t.Name == cluster })
}
