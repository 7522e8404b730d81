package controller

import (
	"errors"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/member"
	"github.com/carryover-io/carryover/failover"
)

// Settled is the condition that is True when nothing moves, waits or is blocked.
const Settled = "Settled"

// setSettled puts the first thing that a person may want to know into the condition.
func setSettled(status *v1alpha1.PlacementStatus, generation int64, seen *sight, out failover.PlanOutput) {
	condition := unsettled(seen, out)
	condition.Type, condition.ObservedGeneration, condition.LastTransitionTime = Settled, generation, seen.now
	meta.SetStatusCondition(&status.Conditions, condition)
}

// unsettled looks for trouble in this order: what blocks, what waits, what moves.
func unsettled(seen *sight, out failover.PlanOutput) metav1.Condition {
	for _, d := range out.Decisions {
		if d.Outcome == failover.Blocked {
			return because(string(d.Reason), d.Message)
		}
	}
	for _, placed := range out.Placements {
		var foreign *member.NotOursError
		switch {
		case placed.Action == failover.Hold:
			return because(string(placed.Reason), placed.Message)
		case errors.As(seen.copies[placed.Cluster].Err, &foreign):
			return because("NotOurs", foreign.Error())
		}
	}
	for _, old := range out.Purges {
		return because(string(old.Reason), old.Message)
	}
	if len(out.Targets) == 0 {
		return because("NoCluster", "no allowed cluster can take the application now")
	}
	return metav1.Condition{Status: metav1.ConditionTrue, Reason: "Placed", Message: "the application is where it should be"}
}

func because(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionFalse, Reason: reason, Message: message}
}

func settled(p *v1alpha1.Placement) bool {
	return meta.IsStatusConditionTrue(p.Status.Conditions, Settled)
}

// tell gives the events to people and the numbers to the metrics. It comes after the
// record was written: an answer that is not written did not happen.
func (r *PlacementReconciler) tell(p *v1alpha1.Placement, in failover.PlanInput, out failover.PlanOutput) {
	for _, e := range out.Events {
		r.Recorder.Event(p, string(e.Type), e.Reason, e.Message)
	}
	r.Metrics.count(client.ObjectKeyFromObject(p), in, out)
}
