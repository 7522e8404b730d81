package failovertest

import (
	"encoding/json"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Expectation is what holds after a step (F12). Only what is named is looked at: a field
// that is nil or empty text matches everything. A list or map that is there and empty
// says that there is none. Of a map from clusters, null says that there is none for that
// cluster.
//
// What would match everything is an error: an expectation of nothing, a decision, purge or
// placement without any word, in YAML also empty text and the number 0, and keys of a state
// that no rule of a policy of the scenario writes.
type Expectation struct {
	// Targets by name, all of them, in any order.
	Targets []string `json:"targets,omitempty"`
	// Tasks that are stored, by cluster.
	Tasks map[string]*TaskExpectation `json:"tasks,omitempty"`
	// Decisions, Purges and Placements of the last reconcile, by cluster. Where a cluster
	// has several purges one matches.
	Decisions  map[string]*DecisionExpectation  `json:"decisions,omitempty"`
	Purges     map[string]*PurgeExpectation     `json:"purges,omitempty"`
	Placements map[string]*PlacementExpectation `json:"placements,omitempty"`
	// Excluded are the clusters that the scheduler should avoid, all of them, in any
	// order.
	Excluded []string `json:"excluded,omitempty"`
	// Warnings and Events of the last reconcile that are there, among others.
	Warnings []NoticeExpectation `json:"warnings,omitempty"`
	Events   []NoticeExpectation `json:"events,omitempty"`
	// Errors of the last reconcile, by cluster: the reason of what is blocked, or a part of
	// what Plan's [failover.ClusterError] says.
	Errors map[string]*string `json:"errors,omitempty"`
	// Copies that are there, by cluster.
	Copies map[string]*CopyExpectation `json:"copies,omitempty"`
	// Received is what the copy on a cluster was created with, and Keeps what is on its
	// manifest now.
	Received map[string]*StateExpectation `json:"received,omitempty"`
	Keeps    map[string]*StateExpectation `json:"keeps,omitempty"`
	// Next is when time alone can change the answer: a duration, or none.
	Next string `json:"next,omitempty"`
}

// StateExpectation names values of a state (F7). Those that are not named may be
// anything; null = the state has no such value.
type StateExpectation struct {
	// Labels and Annotations by key.
	Labels      map[string]*string `json:"labels,omitempty"`
	Annotations map[string]*string `json:"annotations,omitempty"`
	// Fields by path, which has a leading dot; any JSON.
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
}

// TaskExpectation is about an eviction task (E1).
type TaskExpectation struct {
	// Mode, normalised.
	Mode purge.Mode `json:"mode,omitempty"`
	// Reason and Producer as stored.
	Reason   string `json:"reason,omitempty"`
	Producer string `json:"producer,omitempty"`
	// State that goes along.
	State *StateExpectation `json:"state,omitempty"`
	// Before are the clusters before the failover, all of them, in any order.
	Before []string `json:"before,omitempty"`
	// Replicas and SuppressDeletion as stored.
	Replicas         *int32 `json:"replicas,omitempty"`
	SuppressDeletion *bool  `json:"suppressDeletion,omitempty"`
	// GracePeriodSeconds as stored.
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`
}

// DecisionExpectation is about a [failover.Decision] (F12).
type DecisionExpectation struct {
	// Outcome, Reason and Cause as they were decided.
	Outcome failover.Outcome   `json:"outcome,omitempty"`
	Reason  failover.Reason    `json:"reason,omitempty"`
	Cause   preservation.Cause `json:"cause,omitempty"`
}

// PurgeExpectation is about a [failover.PurgeDecision] (P4).
type PurgeExpectation struct {
	// Outcome of the task, and Reason for it.
	Outcome eviction.Outcome `json:"outcome,omitempty"`
	Reason  eviction.Reason  `json:"reason,omitempty"`
	// Old and New copy.
	Old purge.OldCopy `json:"old,omitempty"`
	New purge.NewCopy `json:"new,omitempty"`
}

// PlacementExpectation is about a [failover.Placement] (I1).
type PlacementExpectation struct {
	// Action, Reason and Origin as they were decided.
	Action failover.Action     `json:"action,omitempty"`
	Reason failover.GateReason `json:"reason,omitempty"`
	Origin string              `json:"origin,omitempty"`
	// State to inject.
	State *StateExpectation `json:"state,omitempty"`
}

// NoticeExpectation is about a warning or an event (F12).
type NoticeExpectation struct {
	// Cluster that it is about; empty = any.
	Cluster string `json:"cluster,omitempty"`
	// Reason of it.
	Reason string `json:"reason"`
}

// CopyExpectation is about the copy on a cluster (F12).
type CopyExpectation struct {
	// Number of the copy; 0 = any.
	Number int `json:"number,omitempty"`
	// Health that it has.
	Health eviction.Health `json:"health,omitempty"`
	// Deleting says whether it was deleted and is not gone yet.
	Deleting *bool `json:"deleting,omitempty"`
}
