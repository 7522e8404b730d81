package controller

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/member"
	"github.com/carryover-io/carryover/purge"
)

// finalize deletes the copies of a placement that is deleted, but those that others
// require. It ends when all others are confirmed gone: a copy on a cluster that nobody
// can reach may still run. Who knows better takes the finalizer away.
func (r *PlacementReconciler) finalize(ctx context.Context, p *v1alpha1.Placement) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(p, Finalizer) {
		return ctrl.Result{}, nil
	}
	seen, err := r.look(ctx, p)
	if err != nil {
		return ctrl.Result{}, err
	}
	var waits []string
	var errs []error
	for _, cluster := range slices.Sorted(maps.Keys(seen.copies)) {
		c := seen.copies[cluster]
		var foreign *member.NotOursError
		if c.Presence == purge.Gone || required(p, cluster) || errors.As(c.Err, &foreign) {
			continue
		}
		waits = append(waits, cluster)
		if c.Presence == purge.Present && c.Object.GetDeletionTimestamp() == nil {
			errs = append(errs, member.Delete(ctx, seen.clients[cluster], c.Object))
		}
	}
	if len(waits) > 0 {
		r.Recorder.Event(p, corev1.EventTypeNormal, "AwaitingCopiesGone", "the copies on "+strings.Join(waits, ", ")+" are not gone yet")
		if err := errors.Join(errs...); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	controllerutil.RemoveFinalizer(p, Finalizer)
	return ctrl.Result{}, r.Update(ctx, p)
}
