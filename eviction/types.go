package eviction

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Task is one cluster that an application has to leave. It reads and writes the
// JSON of Karmada's GracefulEvictionTask; fields that Karmada has and this type
// lacks are ignored when decoding.
//
// It has no custom decoding: PurgeMode keeps the text that was stored, old names
// included, and every function here normalises it (P1).
//
// +kubebuilder:object:generate=true
type Task struct {
	// FromCluster is the cluster to leave.
	FromCluster string `json:"fromCluster"`
	// PurgeMode says what happens to the old copy; empty = Gracefully (P2).
	// +kubebuilder:validation:Enum=Directly;Gracefully;Never;Immediately;Graciously;""
	PurgeMode purge.Mode `json:"purgeMode,omitempty"`
	// Replicas were assigned to the cluster when it was evicted: nil = not known
	// or no such notion, 0 = scaled to zero (E5).
	Replicas *int32 `json:"replicas,omitempty"`
	// Components were assigned to the cluster when it was evicted. This is an
	// extension: Karmada's CRD prunes it.
	// +listType=atomic
	Components []Component `json:"components,omitempty"`
	// Reason is a CamelCase word of 1 to 32 characters (E3).
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`
	// Message is for people, at most 1024 characters (E3).
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
	// Producer names the controller that evicted (E3).
	Producer string `json:"producer"`
	// GracePeriodSeconds bounds the wait for a healthy replacement under
	// Gracefully; nil = 600 (E5).
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`
	// SuppressDeletion: nil = by mode, true = keep, false = a person confirmed
	// the deletion (P7).
	SuppressDeletion *bool `json:"suppressDeletion,omitempty"`
	// PreservedLabelState is what the next copy receives as labels.
	PreservedLabelState map[string]string `json:"preservedLabelState,omitempty"`
	// PreservedState is what the next copy receives besides labels: annotations and
	// fields, with where they come from. Its own labels are empty. This is an
	// extension: Karmada's CRD prunes it. A host whose schema does keeps the state
	// elsewhere, as text (preservation.State.Encode), and fills it in again before
	// it calls this library.
	PreservedState *preservation.State `json:"preservedState,omitempty"`
	// CreationTimestamp is when the cluster was evicted: UTC, whole seconds;
	// nil until somebody wrote it (E6).
	CreationTimestamp *metav1.Time `json:"creationTimestamp,omitempty"`
	// ClustersBeforeFailover are all targets at the time of the eviction, the
	// evicted ones included, sorted (E4). Empty = not known.
	// +listType=atomic
	ClustersBeforeFailover []string `json:"clustersBeforeFailover,omitempty"`
}

// TargetCluster is a cluster that the scheduler chose for the application; [Evict]
// takes it off the list (E1).
//
// +kubebuilder:object:generate=true
type TargetCluster struct {
	// Name of the cluster.
	Name string `json:"name"`
	// Replicas assigned to it: nil = not known or no such notion, 0 = none (E5).
	Replicas *int32 `json:"replicas,omitempty"`
	// Components are the replicas of each part of an application with several. The
	// CRD of Karmada 1.16 does not have them yet, and prunes them.
	// +listType=atomic
	Components []Component `json:"components,omitempty"`
}

// Component is one part of an application that is scaled on its own. A task keeps
// it for a withdrawal (E11).
//
// +kubebuilder:object:generate=true
type Component struct {
	// Name of the part, such as taskmanager.
	Name string `json:"name"`
	// Replicas assigned to it.
	Replicas int32 `json:"replicas,omitempty"`
}

// AggregatedStatusItem is what was observed of the application on one cluster,
// as in Karmada's type of that name (E8).
//
// +kubebuilder:object:generate=true
type AggregatedStatusItem struct {
	// ClusterName is where it was observed.
	ClusterName string `json:"clusterName"`
	// Status is the status of the object there; nil = not collected.
	// +kubebuilder:pruning:PreserveUnknownFields
	Status *runtime.RawExtension `json:"status,omitempty"`
	// Applied says that the manifest was applied there.
	Applied bool `json:"applied,omitempty"`
	// AppliedMessage says why it was not.
	AppliedMessage string `json:"appliedMessage,omitempty"`
	// Health of the application there; empty = Unknown.
	Health Health `json:"health,omitempty"`
	// ObservedAt is when the item was observed; nil = not known. This is an
	// extension: Karmada's CRD prunes it.
	ObservedAt *metav1.Time `json:"observedAt,omitempty"`
}

// Health is the health of an application on one cluster (E8). A text that is not
// below counts as Unknown.
type Health string

const (
	// Healthy means that it works there.
	Healthy Health = "Healthy"
	// Unhealthy means that it does not.
	Unhealthy Health = "Unhealthy"
	// HealthUnknown means that nobody can tell; the empty text means the same
	// (E8).
	HealthUnknown Health = "Unknown"
	// NotApplicable is for kinds without health: it counts as healthy once the
	// manifest is applied (E8). This is an extension.
	NotApplicable Health = "NotApplicable"
)
