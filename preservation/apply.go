package preservation

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ApplyConfiguration returns the smallest object that, applied on the server side
// by an owner of its own, has the effect of [Inject] on an object with the content
// of the manifest (I7): what identifies the object, and the keys of the state.
//
//  1. Everything that fails for Inject fails here with the same error.
//  2. Without apiVersion, kind and name it is BadManifest: there is nothing to
//     apply to.
//  3. A field path with a list index is Refused: a list is applied by its keys or
//     as a whole, and neither is known here.
//  4. A key that Keep leaves alone is left out. A key that holds the value already
//     is there all the same, so that its owner keeps it.
//
// Keys in Owned need no removal: the server removes what its owner applied before
// and does not apply any more. Apply it with force, as Replace does. The result
// shares nothing with the manifest; the report is Inject's.
func ApplyConfiguration(manifest *unstructured.Unstructured, state State, options InjectOptions) (*unstructured.Unstructured, Report, error) {
	injected, report, err := Inject(manifest, state, options)
	if err != nil {
		return nil, Report{}, err
	}
	if injected.GetAPIVersion() == "" || injected.GetKind() == "" || injected.GetName() == "" {
		return nil, Report{}, badManifest("apiVersion, kind and metadata.name say what to apply to, and one of them is missing")
	}
	out := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": injected.GetAPIVersion(), "kind": injected.GetKind(),
		"metadata": map[string]any{"name": injected.GetName()},
	}}
	if namespace := injected.GetNamespace(); namespace != "" {
		out.SetNamespace(namespace)
	}
	for _, change := range report.Changes {
		if change.Effect == Kept || change.Effect == Removed {
			continue
		}
		if err := applyChange(out.Object, change, workloadOf(injected)); err != nil {
			return nil, Report{}, atKey(err, change.Ref)
		}
	}
	return out, report, nil
}

// applyChange adds one value, and the objects around it.
func applyChange(object map[string]any, change Change, w workload) error {
	var path fieldPath
	var value any = change.Value
	switch change.Target {
	case Label:
		path = fieldPath{{key: "metadata"}, {key: "labels"}, {key: change.Key}}
	case Annotation:
		path = fieldPath{{key: "metadata"}, {key: "annotations"}, {key: change.Key}}
	case PodTemplateLabel:
		path = append(append(path, w.template...), fieldPath{{key: "metadata"}, {key: "labels"}, {key: change.Key}}...)
	case Field:
		var err error
		if path, err = parseFieldPath(change.Key); err != nil {
			return err
		}
		if value, err = fieldValue(change.Value); err != nil {
			return err
		}
	}
	for i, step := range path {
		if step.isIndex {
			return &InjectError{Class: Refused, Detail: "an item of a list cannot be applied alone"}
		}
		if i == len(path)-1 {
			object[step.key] = value
			break
		}
		inner, ok := object[step.key].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[step.key] = inner
		}
		object = inner
	}
	return nil
}
