package e2e_test

import (
	"context"
	"fmt"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// losing is the policy of the stories in which the cluster fails.
func losing(mode purge.Mode) failover.Behavior {
	return failover.Behavior{Cluster: &failover.ClusterBehavior{
		PurgeMode: mode, StatePreservation: carrying(), Waits: failover.Waits{FencingDeadlineSeconds: ptr(int32(2))},
	}}
}

func (s *story) fence(cluster string, fenced bool) {
	s.Helper()
	s.eventually("fencing "+cluster, func() error {
		m := s.cluster(cluster)
		m.Spec.Fenced = fenced
		return s.host.admin.Update(context.Background(), m)
	})
}

func (s *story) cluster(name string) *v1alpha1.MemberCluster {
	s.Helper()
	var m v1alpha1.MemberCluster
	s.must(s.host.admin.Get(context.Background(), client.ObjectKey{Name: name}, &m))
	return &m
}

func (s *story) isReady(cluster, ready string) {
	s.Helper()
	s.eventually(cluster+" is ready: "+ready, func() error {
		if got := s.cluster(cluster).Status; string(got.Ready) != ready {
			return fmt.Errorf("%s", asText(got))
		}
		return nil
	})
}

// The API server of east is stopped while jobs of all three modes run there. It comes
// back with its old copies.
func TestClusterFails(t *testing.T) {
	s := newStory(t)
	for _, mode := range purge.Modes() {
		name := lower(mode)
		s.policy(name, losing(mode))
		s.placement(name, name)
		s.runs("east", name)
	}
	s.down(t, "east")
	s.isReady("east", "False")

	// Gracefully and Never start beside a copy that nobody can see.
	for _, mode := range []purge.Mode{purge.Gracefully, purge.Never} {
		s.isOn("west", lower(mode))
		s.received(s.on("west", lower(mode)), false)
		s.reports("west", lower(mode), "RUNNING")
	}
	s.waitsFor("gracefully", string(purge.ReplacementHealthy))
	s.waitsFor("never", string(purge.Suppressed))

	// Directly waits, however long it takes, until somebody fences.
	s.eventually("somebody is asked to fence (P5)", func() error {
		if moves := s.get("directly").Status.Record.Moves; len(moves) != 1 || string(moves[0].Reason) != string(purge.NeedsFencing) {
			return fmt.Errorf("moves %s", asText(moves))
		}
		return nil
	})
	if s.on("west", "directly") != nil {
		t.Fatal("P5: a copy was made beside one that may still run")
	}
	s.fence("east", true)
	t.Cleanup(func() { s.fence("east", false) })
	s.isOn("west", "directly")
	s.received(s.on("west", "directly"), true)
	s.reports("west", "directly", "RUNNING")
	s.waitsFor("directly", string(purge.Fenced))

	// The cluster comes back. What it ran is still there.
	s.up(t, "east")
	s.leaves("east", "directly")
	s.leaves("east", "gracefully")
	s.fence("east", false)
	for _, mode := range []purge.Mode{purge.Directly, purge.Gracefully} {
		s.settles(lower(mode), "west")
	}
	s.isReady("east", "True")
	if s.on("east", "never") == nil || s.on("west", "never") == nil {
		t.Fatal("P7: under Never both copies stay, also when the cluster comes back")
	}
	s.edit("never", func(p *v1alpha1.Placement) { p.Spec.GracefulEvictionTasks[0].SuppressDeletion = ptr(false) })
	s.leaves("east", "never")
	s.settles("never", "west")
	s.counts(`carryover_failovers_total{cause="Cluster",outcome="Finished"}`)
	s.told("directly", string(failover.TaintUntolerated), string(purge.NeedsFencing), string(failover.Injected), string(purge.FencedCopyReturned))
}

// A person taints a cluster, without saying since when. That is remembered (F4), and
// applications leave by their tolerations.
func TestTaintedByAPerson(t *testing.T) {
	s := newStory(t)
	s.policy("policy", losing(purge.Gracefully))
	s.placement("soon", "policy", func(p *v1alpha1.Placement) {
		p.Spec.Tolerations = []failover.Toleration{{Key: "example.com/repair", Operator: failover.Exists, TolerationSeconds: ptr(int64(2))}}
	})
	s.placement("stays", "policy", func(p *v1alpha1.Placement) {
		p.Spec.Tolerations = []failover.Toleration{{Key: "example.com/repair", Operator: failover.Exists}}
	})
	s.runs("east", "soon")
	s.runs("east", "stays")
	taint := func(taints ...failover.Taint) {
		s.eventually("tainting east", func() error {
			m := s.cluster("east")
			m.Spec.Taints = taints
			return s.host.admin.Update(context.Background(), m)
		})
	}
	taint(failover.Taint{Key: "example.com/repair", Effect: failover.NoExecute})
	t.Cleanup(func() { taint() })
	s.isOn("west", "soon")
	s.reports("west", "soon", "RUNNING")
	s.leaves("east", "soon")
	s.settles("soon", "west")
	s.settles("stays", "east")
}
