package webhook

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
)

// +kubebuilder:webhook:path=/validate-operator-carryover-io-v1alpha1-placement,mutating=false,failurePolicy=fail,sideEffects=None,groups=operator.carryover.io,resources=placements,verbs=create;update,versions=v1alpha1,name=validate.placement.operator.carryover.io,admissionReviewVersions=v1,serviceName=carryover-operator,serviceNamespace=carryover-system

// Placements checks what the schema of a placement cannot say.
type Placements struct{}

// SetupWithManager serves the webhook.
func (Placements) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr).For(&v1alpha1.Placement{}).WithValidator(Placements{}).Complete()
}

// ValidateCreate refuses a template that could not be applied.
func (Placements) ValidateCreate(_ context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, checkPlacement(nil, obj)
}

// ValidateUpdate also refuses another object in the place of the old one: nobody would
// look after its copies.
func (Placements) ValidateUpdate(_ context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, checkPlacement(old, obj)
}

// ValidateDelete lets everything go: the finalizer does what is left.
func (Placements) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func checkPlacement(old, obj runtime.Object) error {
	p, ok := obj.(*v1alpha1.Placement)
	if !ok {
		return fmt.Errorf("expected a Placement, got %T", obj)
	}
	if p.DeletionTimestamp != nil {
		return nil
	}
	at := field.NewPath("spec", "template")
	manifest := &unstructured.Unstructured{}
	if err := manifest.UnmarshalJSON(p.Spec.Template.Raw); err != nil {
		return refuse(p, field.ErrorList{field.Invalid(at, "", "it is no manifest")})
	}
	var errs field.ErrorList
	if manifest.GetName() == "" {
		errs = append(errs, field.Required(at.Child("metadata", "name"), "a copy needs the same name on every cluster"))
	}
	if ns := manifest.GetNamespace(); ns != "" && ns != p.Namespace {
		errs = append(errs, field.Forbidden(at.Child("metadata", "namespace"), "a copy goes to the namespace of its placement"))
	}
	if _, found := manifest.Object["status"]; found {
		errs = append(errs, field.Forbidden(at.Child("status"), "a status is observed and not applied"))
	}
	if was, ok := old.(*v1alpha1.Placement); ok {
		errs = append(errs, sameObject(was, manifest, at)...)
		errs = append(errs, leftWithTask(was, p)...)
	}
	if len(errs) > 0 {
		return refuse(p, errs)
	}
	return nil
}

func sameObject(was *v1alpha1.Placement, manifest *unstructured.Unstructured, at *field.Path) field.ErrorList {
	before := &unstructured.Unstructured{}
	if err := before.UnmarshalJSON(was.Spec.Template.Raw); err != nil {
		return nil // nothing came of it
	}
	if before.GroupVersionKind().GroupKind() == manifest.GroupVersionKind().GroupKind() && before.GetName() == manifest.GetName() {
		return nil
	}
	return field.ErrorList{field.Forbidden(at, "kind and name cannot change: make another placement")}
}

// leftWithTask refuses an update that forgets where the application runs, as one that
// replaces the whole object from a file does: the application would start elsewhere,
// without its state. A cluster is left with a task, which the operator writes.
func leftWithTask(was, p *v1alpha1.Placement) field.ErrorList {
	var errs field.ErrorList
	for _, target := range was.Spec.Clusters {
		listed := func(t eviction.TargetCluster) bool { return t.Name == target.Name }
		left := func(t eviction.Task) bool { return t.FromCluster == target.Name }
		if !slices.ContainsFunc(p.Spec.Clusters, listed) && !slices.ContainsFunc(p.Spec.GracefulEvictionTasks, left) {
			errs = append(errs, field.Forbidden(field.NewPath("spec", "clusters"),
				"the application runs on "+target.Name+": to leave it, ask by spec.requests"))
		}
	}
	return errs
}

func refuse(p *v1alpha1.Placement, errs field.ErrorList) error {
	return apierrors.NewInvalid(v1alpha1.GroupVersion.WithKind("Placement").GroupKind(), p.Name, errs)
}
