package member

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/carryover-io/carryover/purge"
)

// FieldOwner is the field manager of all that the operator applies.
const FieldOwner = client.FieldOwner("carryover-operator")

// Copy is what is known of the copy of an application on one cluster.
type Copy struct {
	// Presence is Gone only where the API server of the cluster itself said so.
	Presence purge.Presence
	// Object is the copy; nil unless Present.
	Object *unstructured.Unstructured
	// Err says why the presence is Unknown; nil = it is not.
	Err error
}

// NotOursError says that an object of the name is there and belongs to somebody else,
// or lost the label that says whose it is. Nobody knows then whether ours runs.
type NotOursError struct {
	// Cluster it is on.
	Cluster string
}

// Error names the cluster.
func (e *NotOursError) Error() string {
	return "an object of this name is on cluster " + e.Cluster + " and does not carry the label of this placement"
}

// Look finds the copy that looks like manifest and carries its value of the label.
// Gone is said only if the object itself was not found: an API server that does not
// know the kind, or does not answer, has said nothing about the object.
func Look(ctx context.Context, c client.Reader, cluster string, manifest *unstructured.Unstructured, label string) Copy {
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(manifest.GroupVersionKind())
	err := c.Get(ctx, client.ObjectKeyFromObject(manifest), found)
	switch {
	case objectNotFound(err):
		return Copy{Presence: purge.Gone}
	case err != nil:
		return Copy{Presence: purge.Unknown, Err: err}
	case found.GetLabels()[label] != manifest.GetLabels()[label]:
		return Copy{Presence: purge.Unknown, Err: &NotOursError{cluster}}
	}
	return Copy{Presence: purge.Present, Object: found}
}

// objectNotFound tells a missing object from a missing kind, which is a 404 too, but
// not one that speaks of the object.
func objectNotFound(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err)
}

// Apply writes the manifest to the cluster. Values that an earlier manifest had and
// this one lacks go away, since they were ours.
func Apply(ctx context.Context, c client.Client, manifest *unstructured.Unstructured) error {
	return Quiet(c.Apply(ctx, client.ApplyConfigurationFromUnstructured(manifest.DeepCopy()), FieldOwner, client.ForceOwnership))
}

// Delete deletes exactly the copy that was seen, and none that came later.
func Delete(ctx context.Context, c client.Client, seen *unstructured.Unstructured) error {
	uid := seen.GetUID()
	err := c.Delete(ctx, seen, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if apierrors.IsConflict(err) { // another copy is there by now: the next pass looks at it
		return nil
	}
	return client.IgnoreNotFound(err)
}
