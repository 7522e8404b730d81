package failover

import (
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Behavior is a failover policy, with a block for each kind of cause (F10). Its
// JSON is that of Karmada's FailoverBehavior. The zero value asks for no failover
// at all.
type Behavior struct {
	// Application is for a failing application, and for planned moves; nil = no
	// failover by health.
	Application *ApplicationBehavior `json:"application,omitempty"`
	// Cluster is for a failing cluster; nil = none, unless the host has a purge
	// mode of its own to fall back on (F10).
	Cluster *ClusterBehavior `json:"cluster,omitempty"`
}

// ApplicationBehavior says how an application fails over that is unhealthy, or
// that somebody moves (F10).
type ApplicationBehavior struct {
	// DecisionConditions say when it counts as failed.
	DecisionConditions DecisionConditions `json:"decisionConditions"`
	// PurgeMode says what happens to the old copy; empty = Gracefully (P2).
	PurgeMode purge.Mode `json:"purgeMode,omitempty"`
	// GracePeriodSeconds bounds the wait for a healthy replacement; nil = 600. It
	// is for Gracefully only and must be positive (E5).
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`
	// StatePreservation lists what goes along; nil = nothing.
	StatePreservation *preservation.StatePreservation `json:"statePreservation,omitempty"`
}

// DecisionConditions say when an application counts as failed (F2).
type DecisionConditions struct {
	// TolerationSeconds is how long it may be unhealthy; nil = 300, 0 = not at
	// all, negative = invalid (F2).
	TolerationSeconds *int32 `json:"tolerationSeconds,omitempty"`
}

// ClusterBehavior says how an application fails over whose cluster fails (F10).
type ClusterBehavior struct {
	// PurgeMode says what happens to the old copy; empty = Gracefully (P2). Never
	// is valid here, though Karmada's CRD refuses it.
	PurgeMode purge.Mode `json:"purgeMode,omitempty"`
	// StatePreservation lists what goes along; nil = nothing.
	StatePreservation *preservation.StatePreservation `json:"statePreservation,omitempty"`
}

// Terms are what one cause of a failover means: the parts of the policy that
// apply to it (F10).
type Terms struct {
	// Mode is normalised; the text as it stands if it is no mode.
	Mode purge.Mode
	// GracePeriodSeconds for Gracefully; nil = 600.
	GracePeriodSeconds *int32
	// StatePreservation of the block; no rules = nothing goes along.
	StatePreservation preservation.StatePreservation
	// Configured says that the policy has a block for the cause.
	Configured bool
}

// TermsFor returns the terms of a failover with the given cause (F10): those of
// the application block for Application and Planned, those of the cluster block
// for Cluster. Without the block, and for an unknown cause, they are Gracefully
// with nothing to carry, and not Configured. The result shares nothing with b.
func TermsFor(b Behavior, cause preservation.Cause) Terms {
	switch cause {
	case preservation.Application, preservation.Planned:
		if b.Application != nil {
			a := b.Application
			return terms(a.PurgeMode, a.GracePeriodSeconds, a.StatePreservation)
		}
	case preservation.Cluster:
		if b.Cluster != nil {
			return terms(b.Cluster.PurgeMode, nil, b.Cluster.StatePreservation)
		}
	}
	return Terms{Mode: purge.Gracefully}
}

func terms(mode purge.Mode, grace *int32, sp *preservation.StatePreservation) Terms {
	t := Terms{Mode: mode, GracePeriodSeconds: clone(grace), Configured: true}
	if normal, err := purge.Normalize(mode); err == nil {
		t.Mode = normal
	}
	if sp != nil {
		t.StatePreservation = clonePreservation(*sp)
	}
	return t
}
