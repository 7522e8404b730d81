package crd

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/preservation/snapshot"
	"github.com/carryover-io/carryover/purge"
)

// Embedding holds every type of the library that a custom resource may hold.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Embedding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec,omitzero"`
	Status Status `json:"status,omitzero"`
}

// Spec is what people write.
type Spec struct {
	Failover    failover.Behavior     `json:"failover,omitzero"`
	Tolerations []failover.Toleration `json:"tolerations,omitempty"`
	Requests    []failover.Request    `json:"requests,omitempty"`
	Schedule    *snapshot.Schedule    `json:"schedule,omitempty"`
}

// Status is what a controller writes.
type Status struct {
	Record  failover.Record                 `json:"record,omitzero"`
	Targets []eviction.TargetCluster        `json:"targets,omitempty"`
	Tasks   []eviction.Task                 `json:"tasks,omitempty"`
	Items   []eviction.AggregatedStatusItem `json:"items,omitempty"`

	State    *preservation.State  `json:"state,omitempty"`
	Report   *preservation.Report `json:"report,omitempty"`
	Snapshot *snapshot.Snapshot   `json:"snapshot,omitempty"`
	Attempt  *snapshot.Attempt    `json:"attempt,omitempty"`

	Decisions  []failover.Decision        `json:"decisions,omitempty"`
	Purges     []failover.PurgeDecision   `json:"purges,omitempty"`
	Placements []failover.Placement       `json:"placements,omitempty"`
	Excluded   []failover.ExcludedCluster `json:"excluded,omitempty"`
	Warnings   []failover.Warning         `json:"warnings,omitempty"`
	NextCheck  purge.NextCheck            `json:"recheckAfterSeconds,omitzero"`
}
