package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/member"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// writeRecord is the first write: what was decided, what was seen, and the condition.
// It carries the version that was read, so that of two operators one fails here, before
// anything was done.
func (r *PlacementReconciler) writeRecord(ctx context.Context, p *v1alpha1.Placement, seen *sight, out failover.PlanOutput) error {
	status := p.Status.DeepCopy()
	status.Record = out.Record
	if !sameItems(status.AggregatedStatus, seen.items) {
		status.AggregatedStatus = seen.items
	}
	setSettled(status, p.Generation, seen, out)
	if equality.Semantic.DeepEqual(p.Status, *status) {
		return nil
	}
	status.AggregatedStatus = seen.items // what is written anyway is written with new times
	p.Status = *status
	return member.Quiet(r.Status().Update(ctx, p))
}

// sameItems compares all but when the items were observed: a status that only grew
// older is no reason to write.
func sameItems(a, b []eviction.AggregatedStatusItem) bool {
	return slices.EqualFunc(a, b, func(a, b eviction.AggregatedStatusItem) bool {
		a.ObservedAt, b.ObservedAt = nil, nil
		return equality.Semantic.DeepEqual(a, b)
	})
}

// writeTargets is the second write: where the application goes and what it leaves, in
// one. What the scheduler adds goes along, and requests that were answered go away.
func (r *PlacementReconciler) writeTargets(ctx context.Context, p *v1alpha1.Placement, seen *sight, out failover.PlanOutput) error {
	spec := p.Spec.DeepCopy()
	spec.Clusters = schedule(p, seen, out)
	spec.GracefulEvictionTasks = out.Tasks
	spec.Requests = slices.DeleteFunc(spec.Requests, func(one failover.Request) bool { return answered(one, out) })
	if equality.Semantic.DeepEqual(p.Spec, *spec) {
		return nil
	}
	p.Spec = *spec
	return member.Quiet(r.Update(ctx, p))
}

// answered says that a request need not be kept. One to leave stays while something
// blocks it.
func answered(request failover.Request, out failover.PlanOutput) bool {
	return request.Action != failover.RequestEvict || !slices.ContainsFunc(out.Decisions, func(d failover.Decision) bool {
		return d.Cluster == request.Cluster && d.Outcome == failover.Blocked
	})
}

// deleteCopies is the third kind of write: old copies whose time is over, and those on
// clusters that are on no list any more.
func deleteCopies(ctx context.Context, p *v1alpha1.Placement, seen *sight, out failover.PlanOutput) error {
	var errs []error
	for _, cluster := range slices.Sorted(maps.Keys(seen.copies)) {
		c := seen.copies[cluster]
		if c.Presence != purge.Present || c.Object.GetDeletionTimestamp() != nil || !goes(p, cluster, out) {
			continue
		}
		errs = append(errs, member.Delete(ctx, seen.clients[cluster], c.Object))
	}
	return errors.Join(errs...)
}

// goes says that the copy on a cluster has to go.
func goes(p *v1alpha1.Placement, cluster string, out failover.PlanOutput) bool {
	if isTarget(p.Spec.Clusters, cluster) || isLeft(p.Spec.GracefulEvictionTasks, cluster) {
		return slices.ContainsFunc(out.Purges, func(old failover.PurgeDecision) bool {
			return old.Cluster == cluster && old.Old == purge.Delete
		})
	}
	return !required(p, cluster)
}

func isLeft(tasks []eviction.Task, cluster string) bool {
	return slices.ContainsFunc(tasks, func(t eviction.Task) bool { return t.FromCluster == cluster })
}

// writeManifests is the last: what may stand on each target, with the state that
// belongs there. Hold writes nothing.
func (r *PlacementReconciler) writeManifests(ctx context.Context, p *v1alpha1.Placement, seen *sight, out failover.PlanOutput) error {
	var errs []error
	for _, placed := range out.Placements {
		c, looked := seen.copies[placed.Cluster]
		if placed.Action != failover.Apply || !looked || c.Presence == purge.Unknown {
			continue // it waits, or nobody knows what stands there
		}
		if err := writeManifest(ctx, p, seen, placed); err != nil {
			r.Recorder.Event(p, corev1.EventTypeWarning, "ApplyFailed", fmt.Sprintf("%s: %v", placed.Cluster, err))
			errs = append(errs, fmt.Errorf("cluster %s: %w", placed.Cluster, err))
		}
	}
	return errors.Join(errs...)
}

func writeManifest(ctx context.Context, p *v1alpha1.Placement, seen *sight, placed failover.Placement) error {
	manifest, err := prepare(p, placed)
	if err != nil {
		return err
	}
	stands := seen.copies[placed.Cluster].Object
	if stands != nil && (stands.GetDeletionTimestamp() != nil || stands.GetAnnotations()[hashAnnotation] == manifest.GetAnnotations()[hashAnnotation]) {
		return nil // it goes away, or is the same
	}
	return member.Apply(ctx, seen.clients[placed.Cluster], manifest)
}
