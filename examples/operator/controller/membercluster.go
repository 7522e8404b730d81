package controller

import (
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/member"
	"github.com/carryover-io/carryover/failover"
)

// +kubebuilder:rbac:groups=operator.carryover.io,resources=memberclusters/status,verbs=update

// MemberClusterReconciler probes one cluster again and again, and taints it while its
// API does not answer. How long an application tolerates that is its own affair.
type MemberClusterReconciler struct {
	// Client reads and writes member clusters.
	client.Client
	// Members are the clients of the member clusters.
	Members *member.Clients
	// Shard is the value of ShardLabel of the clusters to probe.
	Shard string
	// Period from probe to probe; 0 = 10 s.
	Period time.Duration
	// Threshold is how many probes in a row change the verdict, in both directions, so
	// that one lost packet moves nothing; 0 = 3.
	Threshold int32
	// Clock tells the time; nil = time.Now.
	Clock func() time.Time
}

// Reconcile probes once and comes back.
func (r *MemberClusterReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var m v1alpha1.MemberCluster
	if err := r.Get(ctx, req.NamespacedName, &m); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if m.Labels[ShardLabel] != r.Shard {
		return ctrl.Result{}, nil
	}
	before := m.Status.DeepCopy()
	m.Status = r.judge(m.Status, r.Members.Probe(ctx, &m))
	again := ctrl.Result{RequeueAfter: r.Period}
	if r.Period == 0 {
		again.RequeueAfter = 10 * time.Second
	}
	if equality.Semantic.DeepEqual(*before, m.Status) {
		return again, nil
	}
	err := r.Status().Update(ctx, &m)
	if apierrors.IsConflict(err) { // the cache lags behind: the next probe counts
		err = nil
	}
	return again, err
}

// judge is one step of the verdict.
func (r *MemberClusterReconciler) judge(status v1alpha1.MemberClusterStatus, probe error) v1alpha1.MemberClusterStatus {
	verdict, message := metav1.ConditionTrue, "the API is ready"
	var noAccess *member.NoAccessError
	switch {
	case errors.As(probe, &noAccess):
		// Nobody asked the cluster: what was known of it stays, and no taint is added.
		if status.Ready == "" {
			status.Ready = metav1.ConditionUnknown
		}
		status.Message = noAccess.Error()
		return status
	case probe != nil:
		verdict, message = metav1.ConditionFalse, "the API does not answer: "+probe.Error()
	}
	if status.Ready == verdict {
		status.ContraryProbes = 0
		if verdict == metav1.ConditionTrue {
			status.Message = message // the words of failures vary, and are written once
		}
		return status
	}
	threshold := r.Threshold
	if threshold == 0 {
		threshold = 3
	}
	status.ContraryProbes++
	first := status.Ready != metav1.ConditionTrue && status.Ready != metav1.ConditionFalse
	if status.ContraryProbes < threshold && (!first || verdict == metav1.ConditionFalse) {
		return status
	}
	status.Ready, status.Message, status.ContraryProbes = verdict, message, 0
	status.Taints = slices.DeleteFunc(status.Taints, func(t failover.Taint) bool { return t.Key == UnreachableTaint })
	if verdict == metav1.ConditionFalse {
		status.Taints = append(status.Taints, failover.Taint{Key: UnreachableTaint, Effect: failover.NoExecute, TimeAdded: r.now()})
	}
	return status
}

func (r *MemberClusterReconciler) now() *metav1.Time {
	clock := r.Clock
	if clock == nil {
		clock = time.Now
	}
	return &metav1.Time{Time: clock().UTC().Truncate(time.Second)}
}

// verdictChanged passes what placements look at: not each probe that is counted.
func verdictChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1alpha1.MemberCluster), e.ObjectNew.(*v1alpha1.MemberCluster) //nolint:forcetypeassert // the watch is of this type
		return before.Generation != after.Generation || before.Status.Ready != after.Status.Ready
	}}
}
