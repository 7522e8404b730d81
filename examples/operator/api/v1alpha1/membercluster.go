package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/failover"
)

// MemberCluster is one cluster that applications run on.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=mc
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Fenced",type=boolean,JSONPath=`.spec.fenced`
type MemberCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MemberClusterSpec   `json:"spec,omitempty"`
	Status MemberClusterStatus `json:"status,omitempty"`
}

// MemberClusterSpec is what people say about a cluster.
type MemberClusterSpec struct {
	// SecretName is a Secret in the operator's namespace with a kubeconfig under the
	// key kubeconfig.
	// +kubebuilder:validation:MinLength=1
	SecretName string `json:"secretName"`
	// Taints of the cluster, beside those that the operator adds.
	// +optional
	// +listType=atomic
	Taints []failover.Taint `json:"taints,omitempty"`
	// Fenced says that somebody made sure that nothing on the cluster can act: power
	// off, storage revoked, network cut. A person or a fencing agent sets it, and
	// takes it back before the cluster may work again. The operator never does.
	// +optional
	Fenced bool `json:"fenced,omitempty"`
}

// MemberClusterStatus is what the operator sees of a cluster.
type MemberClusterStatus struct {
	// Ready says whether the API answers: True, False after several failed probes in a
	// row, Unknown before the first one and where the operator has no access.
	// +optional
	Ready metav1.ConditionStatus `json:"ready,omitempty"`
	// Message says why, for people.
	// +optional
	Message string `json:"message,omitempty"`
	// ContraryProbes counts the last probes in a row that speak against Ready.
	// +optional
	ContraryProbes int32 `json:"contraryProbes,omitempty"`
	// Taints that the operator adds while the cluster is not ready.
	// +optional
	// +listType=atomic
	Taints []failover.Taint `json:"taints,omitempty"`
}

// AllTaints are those of people and those of the operator.
func (m *MemberCluster) AllTaints() []failover.Taint {
	return append(append([]failover.Taint(nil), m.Spec.Taints...), m.Status.Taints...)
}

// MemberClusterList is a list of clusters.
//
// +kubebuilder:object:root=true
type MemberClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MemberCluster `json:"items"`
}
