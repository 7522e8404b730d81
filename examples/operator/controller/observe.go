package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/member"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// sight is what one pass sees.
type sight struct {
	now     metav1.Time
	members map[string]*v1alpha1.MemberCluster
	copies  map[string]member.Copy
	clients map[string]client.Client
	items   []eviction.AggregatedStatusItem
}

// look asks every cluster that matters for the copy there.
func (r *PlacementReconciler) look(ctx context.Context, p *v1alpha1.Placement) (*sight, error) {
	s := &sight{
		now:     metav1.Time{Time: r.now()},
		members: map[string]*v1alpha1.MemberCluster{}, copies: map[string]member.Copy{}, clients: map[string]client.Client{},
	}
	var members v1alpha1.MemberClusterList
	if err := r.List(ctx, &members); err != nil {
		return nil, err
	}
	for i := range members.Items {
		s.members[members.Items[i].Name] = &members.Items[i]
	}
	manifest, err := render(p)
	if err != nil {
		return nil, err
	}
	if err := own(manifest, p); err != nil {
		return nil, err
	}
	for _, cluster := range concerned(p) {
		if err := r.confirmFence(ctx, s.members[cluster]); err != nil {
			return nil, err
		}
		c := member.Copy{Presence: purge.Unknown}
		if reach := r.reach(ctx, s, cluster); reach != nil {
			r.Watcher.follow(cluster, manifest.GroupVersionKind())
			c = member.Look(ctx, reach, cluster, manifest, PlacementLabel)
		}
		s.copies[cluster] = c
	}
	if s.items, err = itemsOf(p, s); err != nil {
		return nil, err
	}
	return s, nil
}

// confirmFence reads a cluster again that the cache says is fenced: once the fence was
// taken back the copy there may act, and the cache may not have heard of it yet.
func (r *PlacementReconciler) confirmFence(ctx context.Context, m *v1alpha1.MemberCluster) error {
	if m == nil || !m.Spec.Fenced {
		return nil
	}
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(m), m)
	if apierrors.IsNotFound(err) {
		m.Spec.Fenced = false
		return nil
	}
	return err
}

// concerned are the clusters that may have a copy: the targets, those that are left,
// the sources of what the record remembers, and those that had one when it was looked
// for last.
func concerned(p *v1alpha1.Placement) []string {
	var names []string
	for _, target := range p.Spec.Clusters {
		names = append(names, target.Name)
	}
	for _, task := range p.Spec.GracefulEvictionTasks {
		names = append(names, task.FromCluster)
	}
	for _, move := range p.Status.Record.Moves {
		names = append(names, move.From)
	}
	for _, item := range p.Status.AggregatedStatus {
		names = append(names, item.ClusterName)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// reach is the client of a cluster; nil where it cannot be asked, or is known not to
// answer: waiting for a time-out of each placement would keep the others waiting.
func (r *PlacementReconciler) reach(ctx context.Context, s *sight, cluster string) client.Client {
	m := s.members[cluster]
	if m == nil || m.Status.Ready == metav1.ConditionFalse {
		return nil
	}
	c, err := r.Members.Client(ctx, m)
	if err != nil {
		return nil
	}
	s.clients[cluster] = c
	return c
}

// itemsOf are the statuses: new ones of the copies that are there, the last ones of
// those that nobody can see, none of those that are gone. The last status of a lost
// cluster is what its state is read from.
func itemsOf(p *v1alpha1.Placement, s *sight) ([]eviction.AggregatedStatusItem, error) {
	var items []eviction.AggregatedStatusItem
	for _, item := range p.Status.AggregatedStatus {
		if s.copies[item.ClusterName].Presence == purge.Unknown {
			items = append(items, item)
		}
	}
	for cluster, c := range s.copies {
		if c.Presence != purge.Present {
			continue
		}
		item := eviction.AggregatedStatusItem{
			ClusterName: cluster, Applied: c.Object.GetDeletionTimestamp() == nil, Health: healthOf(c.Object), ObservedAt: &s.now,
		}
		if status, ok := c.Object.Object["status"]; ok {
			raw, err := json.Marshal(status)
			if err != nil {
				return nil, err
			}
			item.Status = &runtime.RawExtension{Raw: raw}
		}
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b eviction.AggregatedStatusItem) int { return cmp.Compare(a.ClusterName, b.ClusterName) })
	return items, nil
}

// facts are what Plan is told of each cluster. What is not known is left out.
func (s *sight) facts(p *v1alpha1.Placement) (map[string]failover.ClusterFacts, error) {
	out := map[string]failover.ClusterFacts{}
	for cluster, c := range s.copies {
		f := failover.ClusterFacts{Presence: c.Presence, RequiredByOthers: required(p, cluster)}
		if m := s.members[cluster]; m != nil {
			f.Fenced = m.Spec.Fenced
			f.Taints = m.AllTaints()
			f.TaintsKnown = m.Status.Ready == metav1.ConditionTrue || m.Status.Ready == metav1.ConditionFalse
		}
		if c.Object != nil {
			raw, err := c.Object.MarshalJSON()
			if err != nil {
				return nil, err
			}
			f.Object = &runtime.RawExtension{Raw: raw}
		}
		out[cluster] = f
	}
	return out, nil
}

// required says that others need the copy on a cluster.
func required(p *v1alpha1.Placement, cluster string) bool {
	return slices.ContainsFunc(p.Spec.RequiredBy, func(by v1alpha1.RequiredBy) bool { return slices.Contains(by.Clusters, cluster) })
}
