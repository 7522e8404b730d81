// Package controller is the loop: look, plan, write in order, look again.
package controller

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/member"
	"github.com/carryover-io/carryover/failover"
)

// Producer names this controller in the tasks.
const Producer = "carryover-operator"

// +kubebuilder:rbac:groups=operator.carryover.io,resources=placements,verbs=get;list;watch;update
// +kubebuilder:rbac:groups=operator.carryover.io,resources=placements/status,verbs=update
// +kubebuilder:rbac:groups=operator.carryover.io,resources=failoverpolicies;memberclusters,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=carryover-system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups="",namespace=carryover-system,resources=secrets,verbs=get;list;watch

// PlacementReconciler keeps one application where it should be.
type PlacementReconciler struct {
	// Client writes, and reads policies and clusters from the cache.
	client.Client
	// Live reads placements from the API server itself. What a pass does to clusters
	// must not follow from a cache that lags behind the pass before.
	Live client.Reader
	// Members are the clients of the member clusters.
	Members *member.Clients
	// Watcher tells when copies change; nil = they are polled only.
	Watcher *Watcher
	// Recorder takes the events of Plan.
	Recorder record.EventRecorder
	// Metrics count; nil = nothing does.
	Metrics *Metrics
	// Shard is the value of ShardLabel of the placements to look after.
	Shard string
	// Poll is how often a settled placement is looked at in any case, and a busy one at a
	// quarter of it, at most every second; 0 = 1 min.
	Poll time.Duration
	// Workers is how many placements are looked at in parallel; 0 = 4.
	Workers int
	// Clock tells the time; nil = time.Now. Tests set it.
	Clock func() time.Time
}

// Reconcile is one pass over one placement. The order of the writes is the contract
// (F14): the record, then targets and tasks in one write, then copies are deleted and
// manifests written. Whoever dies in between has done nothing that the next pass does
// not do again.
func (r *PlacementReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var p v1alpha1.Placement
	if err := r.Live.Get(ctx, req.NamespacedName, &p); err != nil {
		r.Metrics.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if p.Labels[ShardLabel] != r.Shard {
		return ctrl.Result{}, nil // another operator's by now
	}
	result, err := r.pass(ctx, &p)
	if apierrors.IsConflict(err) { // somebody else wrote: nothing was done, look again
		r.Metrics.conflict()
		return ctrl.Result{RequeueAfter: 100 * time.Millisecond}, nil
	}
	return result, err
}

func (r *PlacementReconciler) pass(ctx context.Context, p *v1alpha1.Placement) (ctrl.Result, error) {
	if !p.DeletionTimestamp.IsZero() {
		return r.finalize(ctx, p)
	}
	if err := r.claim(ctx, p); err != nil {
		return ctrl.Result{}, err
	}
	seen, err := r.look(ctx, p)
	if err != nil {
		return ctrl.Result{}, err
	}
	in, err := r.input(ctx, p, seen)
	if err != nil {
		return ctrl.Result{}, err
	}
	// The error says what is blocked. It is in the decisions too, from where the
	// condition and the metrics have it; the answer is valid beside it.
	out, _ := failover.Plan(in)

	if err := r.writeRecord(ctx, p, seen, out); err != nil {
		return ctrl.Result{}, err
	}
	r.tell(p, in, out)
	if err := r.writeTargets(ctx, p, seen, out); err != nil {
		return ctrl.Result{}, err
	}
	// One cluster that fails does not keep the others waiting (F5).
	if err := errors.Join(deleteCopies(ctx, p, seen, out), r.writeManifests(ctx, p, seen, out)); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: r.again(p, out)}, nil
}

// claim writes what a pass takes for granted: the finalizer, and of each request when
// it was first seen, so that one that a crash lets come again is not taken for a new one.
func (r *PlacementReconciler) claim(ctx context.Context, p *v1alpha1.Placement) error {
	changed := controllerutil.AddFinalizer(p, Finalizer)
	for i, one := range p.Spec.Requests {
		if one.At.IsZero() {
			p.Spec.Requests[i].At, changed = &metav1.Time{Time: r.now()}, true
		}
	}
	if !changed {
		return nil
	}
	return member.Quiet(r.Update(ctx, p))
}

// input is what Plan looks at.
func (r *PlacementReconciler) input(ctx context.Context, p *v1alpha1.Placement, seen *sight) (failover.PlanInput, error) {
	policy, err := r.policy(ctx, p)
	if err != nil {
		return failover.PlanInput{}, err
	}
	facts, err := seen.facts(p)
	if err != nil {
		return failover.PlanInput{}, err
	}
	template, err := render(p)
	if err != nil {
		return failover.PlanInput{}, err
	}
	return failover.PlanInput{
		Policy: policy, Now: seen.now.Time, Producer: Producer, Revision: revision(p),
		Targets: p.Spec.Clusters, Tasks: p.Spec.GracefulEvictionTasks, Items: seen.items,
		// Fewer targets than asked for: the scheduler is not done with what was evicted.
		Scheduled: len(p.Spec.Clusters) >= int(p.Spec.ClusterCount),
		Clusters:  facts, Tolerations: p.Spec.Tolerations, Requests: p.Spec.Requests,
		Template: template, Record: p.Status.Record,
		Host: failover.HostOptions{Protection: Protection(), Injection: injection("")},
	}, nil
}

// policy is the one that the placement names. One that is missing means no failover,
// and evictions that began go on (F11).
func (r *PlacementReconciler) policy(ctx context.Context, p *v1alpha1.Placement) (failover.Behavior, error) {
	if p.Spec.PolicyName == "" {
		return failover.Behavior{}, nil
	}
	var policy v1alpha1.FailoverPolicy
	err := r.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.PolicyName}, &policy)
	return policy.Spec, client.IgnoreNotFound(err)
}

// again is when to look again: when Plan says so, and often enough to see what
// happens to the copies.
func (r *PlacementReconciler) again(p *v1alpha1.Placement, out failover.PlanOutput) time.Duration {
	wait := r.Poll
	if wait == 0 {
		wait = time.Minute
	}
	if !settled(p) {
		wait = max(wait/4, time.Second)
	}
	if out.NextCheck.OK {
		wait = min(wait, out.NextCheck.After)
	}
	return wait
}

// now is whole seconds, which is what the library stores.
func (r *PlacementReconciler) now() time.Time {
	if r.Clock == nil {
		return time.Now().Truncate(time.Second)
	}
	return r.Clock().Truncate(time.Second)
}
