package preservation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// workload is what is known of one kind of object: where its pod template is and
// what the API server thinks of changes (I4).
type workload struct {
	// template is the path of the pod template; empty = not known.
	template fieldPath
	// consequence says what a change of the template does; empty = nothing to
	// running pods.
	consequence string
	// mutable are the only fields of spec besides the template that may change;
	// nil = all but those in immutable.
	mutable, immutable []string
}

// workloadOf knows the kinds of Kubernetes itself.
func workloadOf(manifest *unstructured.Unstructured) workload {
	group, _, _ := strings.Cut(manifest.GetAPIVersion(), "/")
	template := fieldPath{{key: "spec"}, {key: "template"}}
	const restarts = "it restarts the pods"
	switch group + "/" + manifest.GetKind() {
	case "apps/Deployment", "apps/ReplicaSet", "apps/DaemonSet", "v1/ReplicationController":
		return workload{template: template, consequence: restarts}
	case "apps/StatefulSet":
		return workload{template: template, consequence: restarts, mutable: []string{
			"replicas", "updateStrategy", "ordinals", "revisionHistoryLimit", "minReadySeconds",
			"persistentVolumeClaimRetentionPolicy",
		}}
	case "batch/Job":
		return workload{template: template, consequence: "it is immutable", immutable: []string{
			"completions", "completionMode", "podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "managedBy",
			"manualSelector",
		}}
	case "batch/CronJob":
		return workload{template: fieldPath{{key: "spec"}, {key: "jobTemplate"}, {key: "spec"}, {key: "template"}}}
	default:
		return workload{}
	}
}

// holds says that the path leads into the pod template. Of a kind that is not
// known, what is called a template is one.
func (w workload) holds(path fieldPath) bool {
	if w.template != nil {
		return path.within(w.template)
	}
	return slices.ContainsFunc(path, func(step fieldStep) bool {
		return step.key == "template" || step.key == "podTemplate"
	})
}

// isTemplate says that the path leads to the pod template as a whole, or to what
// holds it.
func (w workload) isTemplate(path fieldPath) bool {
	if w.template != nil {
		return w.template.within(path)
	}
	last := path[len(path)-1].key
	return last == "template" || last == "podTemplate"
}

// templateRefusal says why the pod template must not be written; empty = it may.
func (w workload) templateRefusal(options InjectOptions) string {
	switch {
	case !options.PodTemplate:
		return "the pod template is written only where PodTemplate asks for it"
	case options.Force:
		return ""
	case w.template == nil:
		return "it is not known what a change of this kind's pod template does: Force takes the risk"
	case w.consequence != "":
		return "the pod template is left alone, because " + w.consequence + ": Force takes the risk"
	}
	return ""
}

// fieldRefusal says why a field that is for state must not be written in this kind
// of object; empty = it may (I4, I5).
func (w workload) fieldRefusal(path fieldPath, options InjectOptions) string {
	if w.isTemplate(path) {
		return "a pod template as a whole is not for state"
	}
	if w.holds(path) {
		return w.templateRefusal(options)
	}
	if options.Force || path[0].key != "spec" {
		return ""
	}
	field := path[1].key
	if w.mutable != nil && !slices.Contains(w.mutable, field) || slices.Contains(w.immutable, field) {
		return fmt.Sprintf("spec.%s is immutable: Force takes the risk", field)
	}
	return ""
}

// podLabels reads the labels of the pod template.
func (e *editor) podLabels() (*textSet, error) {
	if refusal := e.workload.templateRefusal(e.options); refusal != "" {
		return nil, &InjectError{Class: Refused, Target: PodTemplateLabel, Detail: refusal}
	}
	template := e.workload.template
	if template == nil {
		return nil, &InjectError{Class: Refused, Target: PodTemplateLabel, Detail: "it is not known where this kind has its pod template"}
	}
	metadata, err := fieldSet{e.manifest.Object}.find(template.String() + ".metadata")
	if err != nil {
		return nil, err
	}
	if !metadata.found { // as in most CronJobs
		metadata.value = map[string]any{}
	}
	set, err := readTexts(PodTemplateLabel, "labels", template.String()[1:]+".metadata", metadata.value)
	if err == nil {
		set.template, set.made = metadata, !metadata.found
	}
	return set, err
}

// selectorKeys are the label keys by which the object selects its pods: those of
// a label selector, or of a plain map as Service and ReplicationController have
// it. All are read whatever the kind is: to refuse one key too many is safe.
func selectorKeys(manifest *unstructured.Unstructured) map[string]bool {
	keys := map[string]bool{}
	spec, _ := manifest.Object["spec"].(map[string]any)
	addSelector(keys, spec)
	jobTemplate, _ := spec["jobTemplate"].(map[string]any)
	jobSpec, _ := jobTemplate["spec"].(map[string]any)
	addSelector(keys, jobSpec)
	return keys
}

func addSelector(keys map[string]bool, spec map[string]any) {
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
		keys[key] = true // empty is no key
	}
}
