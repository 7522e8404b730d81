package karmada

import (
	"context"
	"errors"
	"strconv"
	"time"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	workv1alpha1 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/carryover-io/carryover/failover"
)

// Reconciler takes the place of Karmada's application failover, graceful eviction and
// taint eviction controllers for ResourceBindings. It needs to be called when a binding,
// a Work of it or a Cluster changes, and when it asks for it.
type Reconciler struct {
	Client client.Client
	Events record.EventRecorder
	Now    func() time.Time
}

// Reconcile decides about one binding and writes what was decided, in one write. A
// conflict is an error: the next call sees the newer binding and decides again.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	rb := &workv1alpha2.ResourceBinding{}
	if err := r.Client.Get(ctx, req.NamespacedName, rb); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	observed, err := r.observe(ctx, rb)
	if err != nil {
		return reconcile.Result{}, err
	}
	in, err := Input(rb, observed)
	if err != nil {
		return reconcile.Result{}, reconcile.TerminalError(err) // until somebody repairs the annotation
	}
	out, blocked := failover.Plan(in) // what is blocked is among the events, and the rest goes on
	if bad := (*failover.RecordError)(nil); errors.As(blocked, &bad) {
		return reconcile.Result{}, reconcile.TerminalError(bad)
	}
	next, err := Output(rb, out)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !sameJSON(rb, next) {
		if err := r.Client.Update(ctx, next); err != nil {
			return reconcile.Result{}, err
		}
	}
	for _, e := range out.Events {
		r.Events.Event(rb, string(e.Type), e.Reason, e.Message)
	}
	return reconcile.Result{RequeueAfter: out.NextCheck.After}, nil // zero if time alone changes nothing
}

// Placements is for the binding controller, where it makes Works: what may be rendered
// for each target. False says that the plan is not stored yet: make no Work, the
// Reconciler writes it and the change of the binding comes back here.
func (r *Reconciler) Placements(ctx context.Context, rb *workv1alpha2.ResourceBinding) ([]failover.Placement, bool, error) {
	observed, err := r.observe(ctx, rb)
	if err != nil {
		return nil, false, err
	}
	in, err := Input(rb, observed)
	if err != nil {
		return nil, false, err
	}
	out, blocked := failover.Plan(in)
	if bad := (*failover.RecordError)(nil); errors.As(blocked, &bad) {
		return nil, false, bad
	}
	next, err := Output(rb, out)
	if err != nil || !sameJSON(rb, next) {
		return nil, false, err
	}
	return out.Placements, true, nil
}

func (r *Reconciler) observe(ctx context.Context, rb *workv1alpha2.ResourceBinding) (Observed, error) {
	o := Observed{Now: r.Now()}
	var clusters clusterv1alpha1.ClusterList
	if err := r.Client.List(ctx, &clusters); err != nil {
		return o, err
	}
	var works workv1alpha1.WorkList
	id := client.MatchingLabels{workv1alpha2.ResourceBindingPermanentIDLabel: rb.Labels[workv1alpha2.ResourceBindingPermanentIDLabel]}
	if err := r.Client.List(ctx, &works, id); err != nil {
		return o, err
	}
	o.Clusters, o.Works = clusters.Items, works.Items
	template := &unstructured.Unstructured{}
	template.SetAPIVersion(rb.Spec.Resource.APIVersion)
	template.SetKind(rb.Spec.Resource.Kind)
	key := client.ObjectKey{Namespace: rb.Spec.Resource.Namespace, Name: rb.Spec.Resource.Name}
	if err := r.Client.Get(ctx, key, template); err != nil {
		return o, client.IgnoreNotFound(err) // without a template there is no trial
	}
	o.Template, o.Revision = template, strconv.FormatInt(template.GetGeneration(), 10)
	return o, nil
}
