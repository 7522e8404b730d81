package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion of this API.
var GroupVersion = schema.GroupVersion{Group: "operator.carryover.io", Version: "v1alpha1"}

// AddToScheme makes the types known to clients.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&FailoverPolicy{}, &FailoverPolicyList{},
		&Placement{}, &PlacementList{},
		&MemberCluster{}, &MemberClusterList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
