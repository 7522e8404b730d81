package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
)

// Placement is one application: its manifest, the clusters it may run on, and those
// it runs on.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=pl
// +kubebuilder:printcolumn:name="Clusters",type=string,JSONPath=`.spec.clusters[*].name`
// +kubebuilder:printcolumn:name="Leaving",type=string,JSONPath=`.spec.gracefulEvictionTasks[*].fromCluster`
// +kubebuilder:printcolumn:name="Settled",type=string,JSONPath=`.status.conditions[?(@.type=="Settled")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Settled")].reason`
type Placement struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PlacementSpec   `json:"spec,omitempty"`
	Status PlacementStatus `json:"status,omitempty"`
}

// PlacementSpec is what people ask for, and, as in Karmada's binding, what the
// scheduler and the failover made of it: Clusters and GracefulEvictionTasks belong
// together and are written together.
type PlacementSpec struct {
	// Template is the manifest of the application. It goes to the namespace of the
	// placement, by its own name.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:EmbeddedResource
	Template runtime.RawExtension `json:"template"`
	// PolicyName is a FailoverPolicy in the same namespace; empty = no failover.
	// +optional
	PolicyName string `json:"policyName,omitempty"`
	// AllowedClusters are those it may run on, the best first.
	// +kubebuilder:validation:MinItems=1
	// +listType=set
	AllowedClusters []string `json:"allowedClusters"`
	// ClusterCount is on how many of them it runs.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +optional
	ClusterCount int32 `json:"clusterCount,omitempty"`
	// Tolerations of the application for the taints of clusters.
	// +optional
	// +listType=atomic
	Tolerations []failover.Toleration `json:"tolerations,omitempty"`
	// RequiredBy are other things that need a copy on a cluster, whatever moves.
	// +optional
	// +listType=map
	// +listMapKey=name
	RequiredBy []RequiredBy `json:"requiredBy,omitempty"`
	// Requests of people. The operator takes one away once it was answered.
	// +optional
	// +listType=atomic
	Requests []failover.Request `json:"requests,omitempty"`

	// Clusters are those it runs on. The operator writes them.
	// +optional
	// +listType=atomic
	Clusters []eviction.TargetCluster `json:"clusters,omitempty"`
	// GracefulEvictionTasks are the clusters it is leaving. The operator writes them;
	// a person confirms the deletion of an old copy with suppressDeletion: false.
	// +optional
	// +listType=atomic
	GracefulEvictionTasks []eviction.Task `json:"gracefulEvictionTasks,omitempty"`
}

// RequiredBy is something that needs copies.
type RequiredBy struct {
	// Name of it, for people.
	Name string `json:"name"`
	// Clusters on which it needs the copy.
	// +listType=set
	Clusters []string `json:"clusters"`
}

// PlacementStatus is what the operator remembers and sees.
type PlacementStatus struct {
	// Record is the memory of the failover. It holds preserved state: who may read it
	// may read that.
	// +optional
	Record failover.Record `json:"record,omitempty"`
	// AggregatedStatus is the application on each cluster, as it was seen last.
	// +optional
	// +listType=atomic
	AggregatedStatus []eviction.AggregatedStatusItem `json:"aggregatedStatus,omitempty"`
	// Conditions: Settled is True when nothing moves, waits or is blocked.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// PlacementList is a list of placements.
//
// +kubebuilder:object:root=true
type PlacementList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Placement `json:"items"`
}
