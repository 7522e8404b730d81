package failover

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// RecordVersion is the version of the records that this library writes (F1).
const RecordVersion int32 = 1

// MaxHistory is how many moves a record remembers after they ended (F8).
const MaxHistory = 10

// Record is all that [Plan] remembers of one application from call to call (F1).
// The caller persists it, as JSON or as a part of its own status, and gives the
// latest one back; nothing else survives. The zero value is an application that was
// never looked at.
//
// A record is written by Plan and read by people: a host changes nothing in it. All
// lists are sorted, all times are UTC and whole seconds. It holds preserved state,
// which may be secret, and it only changes when something happened.
//
// +kubebuilder:object:generate=true
type Record struct {
	// Version of the record; 0 only in one without any content. An unknown one is
	// an error, never taken as empty.
	Version int32 `json:"version,omitempty"`
	// Attempts is the number of the last move; the first is 1.
	Attempts int64 `json:"attempts,omitempty"`
	// Clusters are those that something is known about, by name.
	// +listType=map
	// +listMapKey=name
	Clusters []ClusterRecord `json:"clusters,omitempty"`
	// Moves are those that have not ended, or whose state or old copy still counts,
	// oldest first.
	// +listType=map
	// +listMapKey=attempt
	Moves []Move `json:"moves,omitempty"`
	// Deliveries are the copies that received state, by target (I1).
	// +listType=map
	// +listMapKey=to
	Deliveries []Delivery `json:"deliveries,omitempty"`
	// Failovers are those that count for maxFailovers, oldest first (F3).
	// +listType=atomic
	Failovers []Failover `json:"failovers,omitempty"`
	// History are the last moves, oldest first, at most [MaxHistory] (F8).
	// +listType=atomic
	History []HistoryItem `json:"history,omitempty"`
}

// ClusterRecord is what is remembered of one cluster (F1).
//
// +kubebuilder:object:generate=true
type ClusterRecord struct {
	// Name of the cluster.
	Name string `json:"name"`
	// Target says that the application was there after the last call. What follows,
	// up to Gate, belongs to that stay and is empty without it.
	Target bool `json:"target,omitempty"`
	// PlacedAt is when the cluster became a target; nil = before this record.
	PlacedAt *metav1.Time `json:"placedAt,omitempty"`
	// UnhealthySince is when the toleration began (F2).
	UnhealthySince *metav1.Time `json:"unhealthySince,omitempty"`
	// HealthySince is since when the application is Healthy; nil = it is not.
	HealthySince *metav1.Time `json:"healthySince,omitempty"`
	// LastHealthy is the first call that did not see it Healthy any more; nil = it was
	// never Healthy, or is.
	LastHealthy *metav1.Time `json:"lastHealthy,omitempty"`
	// HealthyRevision is the revision that was last Healthy here; nil = none (F3).
	HealthyRevision *string `json:"healthyRevision,omitempty"`
	// BlockedSince is since when missing state keeps the application here (F6).
	BlockedSince *metav1.Time `json:"blockedSince,omitempty"`
	// HeldSince is since when a new copy waits here for its state (F6).
	HeldSince *metav1.Time `json:"heldSince,omitempty"`
	// Started is the gate that let a copy start here without state; empty = no copy
	// was allowed yet, or it received state (I1).
	Started GateReason `json:"started,omitempty"`
	// StartedAt is when a copy was first allowed here, with state or without; nil = not
	// yet, or before this record. What was observed until then is about an older copy.
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// Outlived is a digest of the items without a time that were there when a copy was
	// allowed: as long as they are the same they are about an older one (E8).
	Outlived string `json:"outlived,omitempty"`
	// Taints are those without a time of their own, with when they were first seen
	// (F4).
	// +listType=atomic
	Taints []TaintSeen `json:"taints,omitempty"`
	// Decision and Gate are the reasons of the last call, so that an event is made
	// when they change.
	Decision Reason     `json:"decision,omitempty"`
	Gate     GateReason `json:"gate,omitempty"`
	// EvictedAt is when the last eviction was, while its cool-down lasts (E12), which
	// is CooldownSeconds long; nil = 600.
	EvictedAt       *metav1.Time `json:"evictedAt,omitempty"`
	CooldownSeconds *int32       `json:"cooldownSeconds,omitempty"`
}

// Stage is how far a move has come (F14).
type Stage string

const (
	// StagePending means that the eviction was decided and its task was not seen in
	// a later call: it is emitted again (F14).
	StagePending Stage = "Pending"
	// StageEvicting means that the task was seen.
	StageEvicting Stage = "Evicting"
	// StageWithdrawing means that the eviction was withdrawn and its task was not
	// missing yet in a later call (E11).
	StageWithdrawing Stage = "Withdrawing"
	// StageEnded means that there is no task any more.
	StageEnded Stage = "Ended"
)

// Move is one departure from a cluster, with the state that went along: one tuple
// that is never mixed with another's (F7).
//
// +kubebuilder:object:generate=true
type Move struct {
	// Attempt is the number of the move, unique in the record.
	Attempt int64 `json:"attempt"`
	// From is the cluster that was left.
	From string `json:"from"`
	// Cause of the move; empty = not known, as for the tasks of others (F10).
	Cause preservation.Cause `json:"cause,omitempty"`
	// Mode of the move, normalised; empty if the task's text is no mode (P3).
	// +kubebuilder:validation:Enum=Directly;Gracefully;Never;Immediately;Graciously;""
	Mode purge.Mode `json:"mode,omitempty"`
	// Created is the creation time of its task (E6).
	Created metav1.Time `json:"created"`
	// Revision of the application then, as the host named it (F3).
	Revision string `json:"revision,omitempty"`
	// ClustersBeforeFailover are those of its task (E4).
	// +listType=atomic
	ClustersBeforeFailover []string `json:"clustersBeforeFailover,omitempty"`
	// State that went along; nil = none, or it has ended (F7).
	State *preservation.State `json:"state,omitempty"`
	// InjectWhenNotDirectly is that of the policy then (I1).
	InjectWhenNotDirectly bool `json:"injectWhenNotDirectly,omitempty"`
	// Waits are those of the policy then: a later one does not change them (F11).
	Waits Waits `json:"waits,omitzero"`
	// Proven says that a copy was healthy with the state, so that no other copy
	// receives it (F7).
	Proven bool `json:"proven,omitempty"`
	// Received is the attempt whose state the copy on From had received and was not
	// healthy with; 0 = none. That state goes on (F6).
	Received int64 `json:"received,omitempty"`
	// Stage says how far the move has come.
	Stage Stage `json:"stage"`
	// StageSince is when it came that far. Within that very second nothing more is
	// concluded from the task being there or not, so that Plan agrees with its own
	// output (F13).
	StageSince metav1.Time `json:"stageSince"`
	// Gone says that the old copy was confirmed gone: a later copy there is another
	// one (P4).
	Gone bool `json:"gone,omitempty"`
	// NeverStarted says that no copy was let start on From during that stay: what comes
	// back there is no running copy. One of an earlier stay may be there all the same.
	NeverStarted bool `json:"neverStarted,omitempty"`
	// Released says that new copies were allowed under Directly, which is never taken
	// back (P5).
	Released bool `json:"released,omitempty"`
	// Away says that the old copy was out of reach after that: if it is there again,
	// it returned.
	Away bool `json:"away,omitempty"`
	// Reason is that of the last assessment, so that an event is made when it
	// changes.
	Reason eviction.Reason `json:"reason,omitempty"`
	// Pending is what is written again until the task is seen; nil unless StagePending.
	Pending *PendingEviction `json:"pending,omitempty"`
}

// PendingEviction is an eviction that may not be written yet (F14).
//
// +kubebuilder:object:generate=true
type PendingEviction struct {
	// Task as it was emitted first.
	Task eviction.Task `json:"task"`
	// Cluster and Delivery are what was remembered of the source, for the case that
	// the eviction is dropped.
	Cluster  ClusterRecord `json:"cluster"`
	Delivery *Delivery     `json:"delivery,omitempty"`
}

// Delivery says that a copy received state (I1). It is not asked again whether it
// should: only retention, an acknowledgement, newer state or the end of the copy
// ends a delivery.
//
// +kubebuilder:object:generate=true
type Delivery struct {
	// To is the target.
	To string `json:"to"`
	// Attempt is the move whose state it is.
	Attempt int64 `json:"attempt"`
	// At is when it was decided.
	At metav1.Time `json:"at"`
	// Healthy says that the copy was healthy in a later call (F7).
	Healthy bool `json:"healthy,omitempty"`
}

// Failover is one move that counts for maxFailovers (F3).
//
// +kubebuilder:object:generate=true
type Failover struct {
	// Revision that failed.
	Revision string `json:"revision,omitempty"`
	// Attempt of the move.
	Attempt int64 `json:"attempt"`
	// At is when it was decided.
	At metav1.Time `json:"at"`
}

// MoveOutcome is how a move ended (F8).
type MoveOutcome string

const (
	// OutcomeUnderway means that the move has not ended.
	OutcomeUnderway MoveOutcome = "Underway"
	// OutcomeFinished means that the old copy is gone.
	OutcomeFinished MoveOutcome = "Finished"
	// OutcomeWithdrawn means that the cluster is a target again (E11).
	OutcomeWithdrawn MoveOutcome = "Withdrawn"
	// OutcomeDropped means that the eviction was never written and its cause is over
	// (F14).
	OutcomeDropped MoveOutcome = "Dropped"
	// OutcomeVanished means that somebody else took the task away.
	OutcomeVanished MoveOutcome = "TaskVanished"
	// OutcomeRemoved means that the target vanished without a task (F9).
	OutcomeRemoved MoveOutcome = "TargetRemoved"
)

// HistoryItem is one move in short (F8).
//
// +kubebuilder:object:generate=true
type HistoryItem struct {
	// Attempt is the number of the move.
	Attempt int64 `json:"attempt"`
	// From is the cluster that was left.
	From string `json:"from"`
	// To is the target that received the state of the move last; empty = none did.
	To string `json:"to,omitempty"`
	// Cause of the move; empty = not known.
	Cause preservation.Cause `json:"cause,omitempty"`
	// At is when it was decided.
	At metav1.Time `json:"at"`
	// Outcome is never empty.
	Outcome MoveOutcome `json:"outcome"`
}
