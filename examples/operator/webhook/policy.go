// Package webhook refuses on day one what could not work on the day of the failover.
package webhook

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/controller"
	"github.com/carryover-io/carryover/failover"
)

// +kubebuilder:webhookconfiguration:mutating=false,name=carryover-operator
// +kubebuilder:webhook:path=/validate-operator-carryover-io-v1alpha1-failoverpolicy,mutating=false,failurePolicy=fail,sideEffects=None,groups=operator.carryover.io,resources=failoverpolicies,verbs=create;update,versions=v1alpha1,name=validate.failoverpolicy.operator.carryover.io,admissionReviewVersions=v1,serviceName=carryover-operator,serviceNamespace=carryover-system

// Policies checks failover policies. The schema refuses unknown modes and the like in
// the words of the library; what no schema can read, such as the templates of rules, is
// refused here.
type Policies struct{}

// SetupWithManager serves the webhook.
func (Policies) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr).For(&v1alpha1.FailoverPolicy{}).WithValidator(Policies{}).Complete()
}

// ValidateCreate refuses a policy that is invalid, and warns of one that will
// disappoint.
func (Policies) ValidateCreate(_ context.Context, obj runtime.Object) (admission.Warnings, error) {
	return check(obj)
}

// ValidateUpdate does the same.
func (Policies) ValidateUpdate(_ context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	return check(obj)
}

// ValidateDelete lets everything go: evictions that began go on without the policy.
func (Policies) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func check(obj runtime.Object) (admission.Warnings, error) {
	policy, ok := obj.(*v1alpha1.FailoverPolicy)
	if !ok {
		return nil, fmt.Errorf("expected a FailoverPolicy, got %T", obj)
	}
	if policy.DeletionTimestamp != nil {
		return nil, nil // finalizers must come off, whatever an older webhook let in
	}
	spec := field.NewPath("spec")
	if errs := failover.Validate(policy.Spec, controller.Protection(), spec); len(errs) > 0 {
		kind := v1alpha1.GroupVersion.WithKind("FailoverPolicy").GroupKind()
		return nil, apierrors.NewInvalid(kind, policy.Name, errs)
	}
	var warnings admission.Warnings
	for _, w := range failover.Warnings(policy.Spec, spec) {
		warnings = append(warnings, w.Field+": "+w.Message)
	}
	return warnings, nil
}
