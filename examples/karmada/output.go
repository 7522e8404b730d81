package karmada

import (
	"encoding/json"

	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// Output is the next binding: targets, tasks and record, to be written at once with the
// resource version that was read. What Plan did not touch is as it was. Nothing else has
// to be written: Karmada removes the Work of a cluster that is neither a target nor in a
// task, and of one whose task says Directly.
func Output(rb *workv1alpha2.ResourceBinding, out failover.PlanOutput) (*workv1alpha2.ResourceBinding, error) {
	next := rb.DeepCopy()
	var k kept
	if err := decode(rb, KeptAnnotation, &k); err != nil {
		return nil, err
	}
	if k.Policy != nil && !current(rb, *k.Policy) {
		k.Policy = nil // or an edit that is taken back would bring it to life again
	}
	k.Targets, k.Tasks = map[string]eviction.TargetCluster{}, map[string]eviction.Task{}
	next.Spec.Clusters = nil
	for _, t := range out.Targets {
		stored, lossy, err := prune[workv1alpha2.TargetCluster](t)
		if err != nil {
			return nil, err
		}
		if lossy {
			k.Targets[t.Name] = t
		}
		next.Spec.Clusters = append(next.Spec.Clusters, stored)
	}
	if err := writeTasks(next, out.Tasks, &k); err != nil {
		return nil, err
	}
	if err := annotate(next, KeptAnnotation, k, k.empty()); err != nil {
		return nil, err
	}
	if err := annotate(next, RecordAnnotation, out.Record, sameJSON(out.Record, failover.Record{})); err != nil {
		return nil, err
	}
	return next, checkSize(next.Annotations)
}

func writeTasks(next *workv1alpha2.ResourceBinding, tasks []eviction.Task, k *kept) error {
	preserved := map[string]json.RawMessage{}
	next.Spec.GracefulEvictionTasks = nil
	for _, t := range tasks {
		if t.PreservedState != nil {
			text, err := t.PreservedState.Encode()
			if err != nil {
				return err
			}
			preserved[taskKey(t)], t.PreservedState = json.RawMessage(text), nil
		}
		stored, lossy, err := prune[workv1alpha2.GracefulEvictionTask](t)
		if err != nil {
			return err
		}
		if lossy {
			k.Tasks[taskKey(t)] = t
		}
		next.Spec.GracefulEvictionTasks = append(next.Spec.GracefulEvictionTasks, stored)
	}
	return annotate(next, StateAnnotation, preserved, len(preserved) == 0)
}

// SetPolicy is the binding with a policy that may use fields that Karmada has not.
func SetPolicy(rb *workv1alpha2.ResourceBinding, policy failover.Behavior) (*workv1alpha2.ResourceBinding, error) {
	next := rb.DeepCopy()
	var k kept
	if err := decode(rb, KeptAnnotation, &k); err != nil {
		return nil, err
	}
	stored, err := storedPolicy(policy)
	if err != nil {
		return nil, err
	}
	back, err := into[failover.Behavior](stored)
	if err != nil {
		return nil, err
	}
	k.Policy = nil
	if !sameJSON(policy, back) {
		k.Policy = &policy
	}
	if rb.Spec.Failover != nil || !sameJSON(policy, failover.Behavior{}) {
		next.Spec.Failover = &stored
	}
	if err := annotate(next, KeptAnnotation, k, k.empty()); err != nil {
		return nil, err
	}
	return next, checkSize(next.Annotations)
}

// Render is the manifest for one target, from the one that overrides were applied to:
// nil where no Work may be made, or changed. Karmada renders each time anew, so that
// state whose time is over goes by itself.
func Render(manifest *unstructured.Unstructured, place failover.Placement) (*unstructured.Unstructured, error) {
	switch {
	case place.Action != failover.Apply:
		return nil, nil //nolint:nilnil // no manifest is an answer
	case place.State == nil:
		return manifest.DeepCopy(), nil
	}
	out, _, err := preservation.Inject(manifest, *place.State, preservation.InjectOptions{
		Protection: preservation.KarmadaProtection(), Cluster: place.Cluster,
	})
	return out, err
}
