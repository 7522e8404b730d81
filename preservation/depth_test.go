package preservation_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/preservation"
)

// TestInjectDepth is L4: a manifest is copied down to level 10,000 and no deeper.
func TestInjectDepth(t *testing.T) {
	t.Parallel()
	for objects, legal := range map[int]bool{9_999: true, 10_000: false} {
		var inner any = "x"
		for range objects {
			inner = map[string]any{"a": inner}
		}
		manifest := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "deep"}, "data": inner,
		}}
		_, _, err := preservation.Inject(manifest, preservation.State{Labels: map[string]string{"example.com/a": "b"}}, preservation.InjectOptions{})
		if (err == nil) != legal {
			t.Errorf("%d objects within each other: %v", objects, err)
		}
	}
}
