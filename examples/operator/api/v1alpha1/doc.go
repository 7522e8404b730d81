// Package v1alpha1 is the API of the example operator. It shows how the types of the
// library embed in custom resources: a policy, a placement with the record in its
// status, and a member cluster.
//
// +kubebuilder:object:generate=true
// +groupName=operator.carryover.io
package v1alpha1
