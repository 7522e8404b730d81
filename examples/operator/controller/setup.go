package controller

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
)

// The indexes by which placements are found in the cache.
const (
	byPolicy  = "spec.policyName"
	byCluster = "clusters"
)

// SetupWithManager starts the loop. A write of the status alone wakes nobody: the loop
// makes most of them, and looks again by itself.
func (r *PlacementReconciler) SetupWithManager(mgr ctrl.Manager) error {
	index := mgr.GetFieldIndexer()
	err := index.IndexField(context.Background(), &v1alpha1.Placement{}, byPolicy, func(o client.Object) []string {
		return []string{o.(*v1alpha1.Placement).Spec.PolicyName} //nolint:forcetypeassert // the index is of this type
	})
	if err != nil {
		return err
	}
	err = index.IndexField(context.Background(), &v1alpha1.Placement{}, byCluster, func(o client.Object) []string {
		p := o.(*v1alpha1.Placement) //nolint:forcetypeassert // the index is of this type
		return append(concerned(p), p.Spec.AllowedClusters...)
	})
	if err != nil {
		return err
	}
	workers := r.Workers
	if workers == 0 {
		workers = 4
	}
	loop := ctrl.NewControllerManagedBy(mgr).Named("placement").
		For(&v1alpha1.Placement{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.FailoverPolicy{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []reconcile.Request {
			return r.find(ctx, client.InNamespace(o.GetNamespace()), client.MatchingFields{byPolicy: o.GetName()})
		})).
		Watches(&v1alpha1.MemberCluster{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []reconcile.Request {
			return r.find(ctx, client.MatchingFields{byCluster: o.GetName()})
		}), builder.WithPredicates(verdictChanged())).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers,
			// A cluster that refuses must not keep the others of a placement waiting for long.
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](200*time.Millisecond, 15*time.Second),
		})
	if r.Watcher != nil {
		if err := mgr.Add(r.Watcher); err != nil {
			return err
		}
		loop.WatchesRawSource(source.Channel(r.Watcher.hints, handler.EnqueueRequestsFromMapFunc(placementOf)))
	}
	return loop.Complete(r)
}

// find asks the cache, which holds the placements of this shard only.
func (r *PlacementReconciler) find(ctx context.Context, where ...client.ListOption) []reconcile.Request {
	var list v1alpha1.PlacementList
	if err := r.List(ctx, &list, where...); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "placements are looked at only when their time comes")
		return nil
	}
	out := make([]reconcile.Request, 0, len(list.Items))
	for i := range list.Items {
		out = append(out, reconcile.Request{NamespacedName: types.NamespacedName{
			Namespace: list.Items[i].Namespace, Name: list.Items[i].Name,
		}})
	}
	return out
}

// SetupWithManager starts the probes. A probe that writes its result does not probe
// again upon that: only what people write does.
func (r *MemberClusterReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("membercluster").
		For(&v1alpha1.MemberCluster{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}). // one that does not answer keeps no other waiting
		Complete(r)
}
