package failover

import (
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Behavior is a failover policy, with a block for each kind of cause (F10). Its
// JSON is that of Karmada's FailoverBehavior. The zero value asks for no failover
// at all.
//
// +kubebuilder:object:generate=true
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
//
// +kubebuilder:object:generate=true
// +kubebuilder:validation:XValidation:rule=`!has(self.gracePeriodSeconds) || !has(self.purgeMode) || !(self.purgeMode in ['Directly', 'Immediately', 'Never'])`,messageExpression=`'only Gracefully has a grace period, the mode is ' + (self.purgeMode == 'Never' ? 'Never' : 'Directly')`,fieldPath=`.gracePeriodSeconds`,reason=FieldValueForbidden
type ApplicationBehavior struct {
	// DecisionConditions say when it counts as failed.
	// +optional
	// +kubebuilder:default={}
	DecisionConditions DecisionConditions `json:"decisionConditions"`
	// PurgeMode says what happens to the old copy; empty = Gracefully (P2).
	// +kubebuilder:default=Gracefully
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self in ["", 'Directly', 'Gracefully', 'Never', 'Immediately', 'Graciously']`,messageExpression=`'purge mode "' + self + '" is unknown: ' + (self.trim().lowerAscii() in ['directly', 'immediately'] ? 'did you mean "Directly"?' : self.trim().lowerAscii() in ['gracefully', 'graciously'] ? 'did you mean "Gracefully"?' : self.trim().lowerAscii() == 'never' ? 'did you mean "Never"?' : 'use Directly, Gracefully or Never')`
	PurgeMode purge.Mode `json:"purgeMode,omitempty"`
	// GracePeriodSeconds bounds the wait for a healthy replacement; nil = 600. It
	// is for Gracefully only and must be positive (E5).
	// +kubebuilder:validation:Minimum=1
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`
	// StatePreservation lists what goes along; nil = nothing.
	StatePreservation *preservation.StatePreservation `json:"statePreservation,omitempty"`
	Waits             `json:",inline"`
}

// Waits are the times that both blocks know (P5, P6, E12). They are extensions, which
// Karmada's CRD prunes.
//
// +kubebuilder:object:generate=true
type Waits struct {
	// BlockPredecessorSeconds is how long the scheduler should avoid a cluster after
	// its eviction: nil = 600, 0 = not at all (E12).
	// +kubebuilder:validation:Minimum=0
	BlockPredecessorSeconds *int32 `json:"blockPredecessorSeconds,omitempty"`
	// SoakSeconds is how long a replacement must be healthy under Gracefully before
	// the old copy goes; nil and 0 = no time (P6).
	// +kubebuilder:validation:Minimum=0
	SoakSeconds *int32 `json:"soakSeconds,omitempty"`
	// FencingDeadlineSeconds is how long an unreachable old copy is waited for under
	// Directly before somebody is asked to fence it; nil = never asked, 0 = at once
	// (P5).
	// +kubebuilder:validation:Minimum=0
	FencingDeadlineSeconds *int32 `json:"fencingDeadlineSeconds,omitempty"`
}

// DecisionConditions say when an application counts as failed (F2).
//
// +kubebuilder:object:generate=true
// +kubebuilder:validation:XValidation:rule=`!has(self.windowSeconds) || has(self.maxFailovers)`,message=`it is the window of maxFailovers, which is not given`,fieldPath=`.windowSeconds`,reason=FieldValueForbidden
type DecisionConditions struct {
	// TolerationSeconds is how long it may be unhealthy; nil = 300, 0 = not at
	// all, negative = invalid (F2).
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:default=300
	TolerationSeconds *int32 `json:"tolerationSeconds,omitempty"`
	// InitialTolerationSeconds is how long it may be unhealthy on a cluster before it
	// was ever healthy there; nil = TolerationSeconds. This and the fields below are
	// extensions, which Karmada's CRD prunes (F3).
	// +kubebuilder:validation:Minimum=0
	InitialTolerationSeconds *int32 `json:"initialTolerationSeconds,omitempty"`
	// RequireHealthyBefore keeps it on a cluster on which its revision was never
	// healthy: another cluster would not cure it (F3).
	RequireHealthyBefore bool `json:"requireHealthyBefore,omitempty"`
	// MaxFailovers is how often one revision may fail over for its health; nil = as
	// often as it fails (F3).
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	MaxFailovers *int32 `json:"maxFailovers,omitempty"`
	// WindowSeconds is how long a failover counts for MaxFailovers; nil = for ever
	// (F3).
	// +kubebuilder:validation:Minimum=1
	WindowSeconds *int32 `json:"windowSeconds,omitempty"`
}

// ClusterBehavior says how an application fails over whose cluster fails (F10).
//
// +kubebuilder:object:generate=true
// +kubebuilder:validation:XValidation:rule=`!has(self.gracePeriodSeconds) || !has(self.purgeMode) || !(self.purgeMode in ['Directly', 'Immediately', 'Never'])`,messageExpression=`'only Gracefully has a grace period, the mode is ' + (self.purgeMode == 'Never' ? 'Never' : 'Directly')`,fieldPath=`.gracePeriodSeconds`,reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.inheritStatePreservation) || !self.inheritStatePreservation || !has(self.statePreservation)`,message=`the block has a statePreservation of its own: drop one of the two`,fieldPath=`.inheritStatePreservation`,reason=FieldValueForbidden
type ClusterBehavior struct {
	// PurgeMode says what happens to the old copy; empty = Gracefully (P2). Never
	// is valid here, though Karmada's CRD refuses it.
	// +kubebuilder:default=Gracefully
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self in ["", 'Directly', 'Gracefully', 'Never', 'Immediately', 'Graciously']`,messageExpression=`'purge mode "' + self + '" is unknown: ' + (self.trim().lowerAscii() in ['directly', 'immediately'] ? 'did you mean "Directly"?' : self.trim().lowerAscii() in ['gracefully', 'graciously'] ? 'did you mean "Gracefully"?' : self.trim().lowerAscii() == 'never' ? 'did you mean "Never"?' : 'use Directly, Gracefully or Never')`
	PurgeMode purge.Mode `json:"purgeMode,omitempty"`
	// GracePeriodSeconds bounds the wait for a healthy replacement; nil = 600. It is
	// for Gracefully only and must be positive (E5). This and the fields below are
	// extensions, which Karmada's CRD prunes.
	// +kubebuilder:validation:Minimum=1
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`
	// StatePreservation lists what goes along; nil = nothing, or what the application
	// block says, with InheritStatePreservation. It is not an extension.
	StatePreservation *preservation.StatePreservation `json:"statePreservation,omitempty"`
	// InheritStatePreservation uses the StatePreservation of the application block
	// (F10). It excludes one of its own.
	InheritStatePreservation bool `json:"inheritStatePreservation,omitempty"`
	Waits                    `json:",inline"`
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
	// Waits of the block.
	Waits Waits
	// Configured says that the policy has a block for the cause.
	Configured bool
}

// TermsFor returns the terms of a failover with the given cause (F10): those of
// the application block for Application and Planned, those of the cluster block
// for Cluster, with the StatePreservation of the application block if it inherits.
// Without the block, and for an unknown cause, they are Gracefully with nothing to
// carry, and not Configured. The result shares nothing with b.
func TermsFor(b Behavior, cause preservation.Cause) Terms {
	switch cause {
	case preservation.Application, preservation.Planned:
		if a := b.Application; a != nil {
			return terms(a.PurgeMode, a.GracePeriodSeconds, a.StatePreservation, a.Waits)
		}
	case preservation.Cluster:
		if c := b.Cluster; c != nil {
			return terms(c.PurgeMode, c.GracePeriodSeconds, clusterPreservation(b), c.Waits)
		}
	}
	return Terms{Mode: purge.Gracefully}
}

// clusterPreservation is what goes along when a cluster fails; nil = nothing. The
// cluster block is there.
func clusterPreservation(b Behavior) *preservation.StatePreservation {
	if b.Cluster.InheritStatePreservation && b.Application != nil {
		return b.Application.StatePreservation
	}
	return b.Cluster.StatePreservation
}

func terms(mode purge.Mode, grace *int32, sp *preservation.StatePreservation, waits Waits) Terms {
	t := Terms{Mode: mode, GracePeriodSeconds: clone(grace), Waits: *waits.DeepCopy(), Configured: true}
	if normal, err := purge.Normalize(mode); err == nil {
		t.Mode = normal
	}
	if sp != nil {
		t.StatePreservation = *sp.DeepCopy()
	}
	return t
}
