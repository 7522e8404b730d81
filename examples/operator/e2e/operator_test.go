package e2e_test

import (
	"context"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/controller"
	"github.com/carryover-io/carryover/examples/operator/member"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// Two operators of one shard, of which one leads and is killed in the middle of a
// failover: the other ends what it began. Another shard's placement is nobody's.
func TestLeaderIsKilled(t *testing.T) {
	s := newStory(t)
	s.policy("policy", failing(purge.Directly))
	shard := func(value string) func(p *v1alpha1.Placement) {
		return func(p *v1alpha1.Placement) { p.Labels = map[string]string{controller.ShardLabel: value} }
	}
	s.placement("other", "policy", shard("leader-other"))
	s.placement("orders", "policy", shard("leader"))
	var both []*operator
	for range 2 {
		o, err := s.operate("-shard=leader", "-webhook-port=0", "-leader-lease=8s")
		s.must(err)
		t.Cleanup(o.kill)
		both = append(both, o)
	}
	s.runs("east", "orders")
	s.hold("east", "orders", true)
	s.reports("east", "orders", "FAILED")
	s.waitsFor("orders", string(failover.OldCopyNotGone))
	leader, next := s.leader(both)
	leader.kill()
	s.hold("east", "orders", false)
	s.isOn("west", "orders")
	s.received(s.on("west", "orders"), true)
	s.reports("west", "orders", "RUNNING")
	s.settles("orders", "west")
	if got, _ := s.leader([]*operator{next}); got != next {
		t.Error("nobody leads")
	}
	if p := s.get("other"); len(p.Finalizers) > 0 || s.on("east", "other") != nil {
		t.Error("a placement of another shard was looked after")
	}
}

// leader returns the operator that works, and one that does not.
func (s *story) leader(all []*operator) (*operator, *operator) {
	s.Helper()
	var leader, other *operator
	s.eventually("somebody leads", func() error {
		for _, o := range all {
			if o.sum(s.T, `controller_runtime_reconcile_total{controller="placement"`) > 0 {
				leader = o
			} else {
				other = o
			}
		}
		if leader == nil {
			return fmt.Errorf("nobody reconciles")
		}
		return nil
	})
	return leader, other
}

// A placement that is deleted takes its copies along, but not those that others
// require, and nothing that is not its own.
func TestDeletion(t *testing.T) {
	s := newStory(t)
	both := func(p *v1alpha1.Placement) { p.Spec.ClusterCount = 2 }
	s.placement("orders", "", both)
	s.placement("shared", "", both, func(p *v1alpha1.Placement) {
		p.Spec.RequiredBy = []v1alpha1.RequiredBy{{Name: "billing", Clusters: []string{"west"}}}
	})
	for _, name := range []string{"orders", "shared"} {
		s.isOn("east", name)
		s.isOn("west", name)
		s.hold("east", name, true)
		s.must(s.host.admin.Delete(context.Background(), s.get(name)))
		s.leavesButFor(name)
		s.hold("east", name, false)
		s.isGone(name)
		s.leaves("east", name)
	}
	if s.on("west", "orders") != nil {
		t.Error("a copy outlives its placement")
	}
	if s.on("west", "shared") == nil {
		t.Error("a copy that others require is gone")
	}
}

// leavesButFor waits until the copy on east is being deleted, and checks that the
// placement waits for it.
func (s *story) leavesButFor(name string) {
	s.Helper()
	s.eventually(name+" is being deleted", func() error {
		if s.on("east", name).GetDeletionTimestamp() == nil {
			return fmt.Errorf("it is not")
		}
		return nil
	})
	if p := s.get(name); len(p.Finalizers) == 0 {
		s.Errorf("%s went before its copies", name)
	}
}

// An object of the same name that is somebody else's is neither overwritten nor
// deleted, and the placement says so.
func TestForeignObject(t *testing.T) {
	s := newStory(t)
	foreign := job("orders")
	foreign.SetNamespace(s.ns)
	s.must(s.members["east"].admin.Create(context.Background(), foreign))
	s.placement("orders", "")
	s.waitsFor("orders", "NotOurs")
	if object := s.on("east", "orders"); object.GetLabels()[controller.PlacementLabel] != "" {
		t.Error("a foreign object was taken over")
	}
	s.must(s.host.admin.Delete(context.Background(), s.get("orders")))
	s.isGone("orders")
	if s.on("east", "orders") == nil {
		t.Error("a foreign object was deleted")
	}
}

// Gone is said of an object that was looked for, and not of a kind that the API server
// does not know.
func TestGoneIsHonest(t *testing.T) {
	s := newStory(t)
	unknown := job("orders")
	unknown.SetGroupVersionKind(schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkSession"})
	vanished := job("orders")
	vanished.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
	s.withKind(vanished, func() {
		if c := member.Look(t.Context(), s.members["east"].admin, "east", s.homed(vanished), controller.PlacementLabel); c.Presence != purge.Gone {
			t.Errorf("a kind that is served: %s, %v", c.Presence, c.Err)
		}
	})
	for name, test := range map[string]struct {
		manifest *unstructured.Unstructured
		want     purge.Presence
	}{
		"no such object":           {job("orders"), purge.Gone},
		"no such kind":             {unknown, purge.Unknown},
		"a kind that went, cached": {vanished, purge.Unknown},
	} {
		c := member.Look(t.Context(), s.members["east"].admin, "east", s.homed(test.manifest), controller.PlacementLabel)
		if c.Presence != test.want {
			t.Errorf("%s: %s, want %s (%v)", name, c.Presence, test.want, c.Err)
		}
	}
}

func (s *story) homed(manifest *unstructured.Unstructured) *unstructured.Unstructured {
	manifest.SetNamespace(s.ns)
	return manifest
}

// withKind serves a kind on east for a while.
func (s *story) withKind(object *unstructured.Unstructured, do func()) {
	s.Helper()
	crd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "widgets.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}},
			}},
		},
	}}
	east := s.members["east"].admin
	s.must(east.Create(context.Background(), crd))
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(object.GroupVersionKind())
	s.eventually("the kind is served", func() error { return east.List(context.Background(), list) })
	do()
	s.must(east.Delete(context.Background(), crd))
	s.eventually("the kind is not served any more", func() error {
		if err := east.List(context.Background(), list); apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is")
	})
}
