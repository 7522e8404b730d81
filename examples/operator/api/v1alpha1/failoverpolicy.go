package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/failover"
)

// FailoverPolicy says how applications fail over. Its spec is the policy type of the
// library, inline: what the library reads is what people write.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=fop
// +kubebuilder:printcolumn:name="Application",type=string,JSONPath=`.spec.application.purgeMode`
// +kubebuilder:printcolumn:name="Cluster",type=string,JSONPath=`.spec.cluster.purgeMode`
type FailoverPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the policy; empty asks for no failover at all.
	Spec failover.Behavior `json:"spec,omitempty"`
}

// FailoverPolicyList is a list of policies.
//
// +kubebuilder:object:root=true
type FailoverPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []FailoverPolicy `json:"items"`
}
