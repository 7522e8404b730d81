package controller

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// The keys of the operator. Rules of policies must not write them: Protection.
const (
	domain = "operator.carryover.io"
	// ShardLabel says which operator looks after an object; none = the one without a
	// shard.
	ShardLabel = domain + "/shard"
	// PlacementLabel says on a copy whose it is: the UID of the placement.
	PlacementLabel = domain + "/placement"
	// nameAnnotation names that placement, in the namespace of the copy.
	nameAnnotation = domain + "/placement-name"
	// hashAnnotation is a digest of the manifest that was applied last, so that one that
	// did not change is not sent again.
	hashAnnotation = domain + "/applied"
	// Finalizer keeps a placement until its copies are gone.
	Finalizer = domain + "/copies"
	// UnreachableTaint is what a cluster gets whose API does not answer.
	UnreachableTaint = domain + "/unreachable"
)

// Protection is what no rule may write (S11).
func Protection() preservation.Protection {
	return preservation.Protection{Domains: []string{domain}}
}

// render makes the manifest of a placement, as it goes to any cluster.
func render(p *v1alpha1.Placement) (*unstructured.Unstructured, error) {
	manifest := &unstructured.Unstructured{}
	if err := manifest.UnmarshalJSON(p.Spec.Template.Raw); err != nil {
		return nil, fmt.Errorf("spec.template: %w", err)
	}
	manifest.SetNamespace(p.Namespace)
	return manifest, nil
}

// own marks a manifest as ours.
func own(manifest *unstructured.Unstructured, p *v1alpha1.Placement) error {
	if err := unstructured.SetNestedField(manifest.Object, string(p.UID), "metadata", "labels", PlacementLabel); err != nil {
		return fmt.Errorf("spec.template: metadata.labels: %w", err)
	}
	if err := unstructured.SetNestedField(manifest.Object, p.Name, "metadata", "annotations", nameAnnotation); err != nil {
		return fmt.Errorf("spec.template: metadata.annotations: %w", err)
	}
	return nil
}

// prepare injects the state of a placement into its manifest and seals it. An error
// means that there is no manifest: never one without the state (I2).
func prepare(p *v1alpha1.Placement, placed failover.Placement) (*unstructured.Unstructured, error) {
	manifest, err := render(p)
	if err != nil {
		return nil, err
	}
	if placed.State != nil {
		manifest, _, err = preservation.Inject(manifest, *placed.State, injection(placed.Cluster))
		if err != nil {
			return nil, err
		}
	}
	if err := own(manifest, p); err != nil {
		return nil, err
	}
	digest, err := hash(manifest)
	if err != nil {
		return nil, err
	}
	err = unstructured.SetNestedField(manifest.Object, digest, "metadata", "annotations", hashAnnotation)
	return manifest, err
}

// injection are the habits of this host: the same for the trial and for the write.
func injection(cluster string) preservation.InjectOptions {
	return preservation.InjectOptions{Protection: Protection(), Cluster: cluster}
}

// hash is the same for the same JSON.
func hash(manifest *unstructured.Unstructured) (string, error) {
	raw, err := manifest.MarshalJSON()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

// revision names the release that runs: what people wrote, and nothing that the
// operator writes (F3).
func revision(p *v1alpha1.Placement) string {
	sum := sha256.Sum256(p.Spec.Template.Raw)
	return hex.EncodeToString(sum[:8])
}
