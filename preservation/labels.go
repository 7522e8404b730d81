package preservation

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// labelSet is the labels of a manifest that is ours to change.
type labelSet struct {
	metadata map[string]any
	values   map[string]string
	// absent and null say how an empty set is written; neither = as an empty
	// object.
	absent, null bool
}

// readLabels reads the labels of a copy that copyManifest made. Labels that are
// absent or null are none; anything else that is not a map of texts is
// BadManifest: what a reader skips, the writer would wipe (I3).
func readLabels(manifest *unstructured.Unstructured) (*labelSet, error) {
	metadata, ok := manifest.Object["metadata"].(map[string]any)
	if !ok {
		return nil, badManifest("metadata is not an object but %s", kindOf(manifest.Object["metadata"]))
	}
	value, found := metadata["labels"]
	labels, ok := value.(map[string]any)
	if value != nil && !ok {
		return nil, badManifest("metadata.labels is not an object but %s", kindOf(value))
	}
	set := &labelSet{
		metadata: metadata, values: make(map[string]string, len(labels)),
		absent: !found, null: found && value == nil,
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		text, ok := labels[key].(string)
		if !ok {
			return nil, badManifest("the value of label %q is not text but %s", key, kindOf(labels[key]))
		}
		set.values[key] = text
	}
	return set, nil
}

func badManifest(format string, args ...any) error {
	return &InjectError{Class: BadManifest, Detail: fmt.Sprintf(format, args...)}
}

// write puts the labels back into the manifest.
func (l *labelSet) write() {
	switch {
	case len(l.values) == 0 && l.absent:
		delete(l.metadata, "labels")
	case len(l.values) == 0 && l.null:
		l.metadata["labels"] = nil
	default:
		labels := make(map[string]any, len(l.values))
		for key, value := range l.values {
			labels[key] = value
		}
		l.metadata["labels"] = labels
	}
}

// selectorKeys are the label keys by which the object selects its pods: those of
// a label selector, or of a plain map as Service and ReplicationController have
// it. Both are read whatever the kind is: to refuse one key too many is safe.
func selectorKeys(manifest *unstructured.Unstructured) map[string]bool {
	keys := map[string]bool{}
	spec, _ := manifest.Object["spec"].(map[string]any)
	selector, _ := spec["selector"].(map[string]any)
	for key := range selector {
		keys[key] = true
	}
	matchLabels, _ := selector["matchLabels"].(map[string]any)
	for key := range matchLabels {
		keys[key] = true
	}
	expressions, _ := selector["matchExpressions"].([]any)
	for _, expression := range expressions {
		requirement, _ := expression.(map[string]any)
		key, _ := requirement["key"].(string)
		keys[key] = true
	}
	return keys
}
