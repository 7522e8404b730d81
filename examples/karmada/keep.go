package karmada

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// The annotations of a binding.
const (
	RecordAnnotation = "carryover.io/record"
	StateAnnotation  = "carryover.io/preserved-state"
	KeptAnnotation   = "carryover.io/kept"
)

// kept is what Karmada's types have no field for, whole.
type kept struct {
	Policy  *failover.Behavior                `json:"policy,omitempty"`
	Targets map[string]eviction.TargetCluster `json:"targets,omitempty"` // by name
	Tasks   map[string]eviction.Task          `json:"tasks,omitempty"`   // by taskKey
}

func (k kept) empty() bool { return k.Policy == nil && len(k.Targets)+len(k.Tasks) == 0 }

// taskKey names a task by cluster and creation second, as eviction.Apply does.
func taskKey(t eviction.Task) string {
	key := t.FromCluster + "/"
	if !t.CreationTimestamp.IsZero() {
		key += t.CreationTimestamp.UTC().Format(time.RFC3339)
	}
	return key
}

// into turns a value into one of another type with the same JSON. What the other type
// has no field for is left out, as an API server does.
func into[T any](value any) (T, error) {
	var out T
	raw, err := json.Marshal(value)
	if err != nil {
		return out, err
	}
	err = json.Unmarshal(raw, &out)
	return out, err
}

func sameJSON(a, b any) bool {
	one, err := json.Marshal(a)
	other, problem := json.Marshal(b)
	return err == nil && problem == nil && bytes.Equal(one, other)
}

// prune turns a value of this library into Karmada's, and says whether that lost
// anything.
func prune[Theirs, Ours any](value Ours) (Theirs, bool, error) {
	stored, err := into[Theirs](value)
	if err != nil {
		return stored, false, err
	}
	back, err := into[Ours](stored)
	return stored, !sameJSON(value, back), err
}

// restore is the way back. What was kept counts if the rest of it is what is stored.
func restore[Theirs, Ours any](stored Theirs, known Ours, found bool) (Ours, error) {
	if found {
		if pruned, err := into[Theirs](known); err == nil && sameJSON(pruned, stored) {
			return known, nil
		}
	}
	return into[Ours](stored)
}

// storedPolicy is what Karmada's schema can hold of a policy: it has no cluster mode
// Never.
func storedPolicy(policy failover.Behavior) (policyv1alpha1.FailoverBehavior, error) {
	stored, err := into[policyv1alpha1.FailoverBehavior](policy)
	if stored.Cluster != nil && stored.Cluster.PurgeMode == policyv1alpha1.Never {
		stored.Cluster.PurgeMode = policyv1alpha1.PurgeModeGracefully
	}
	return stored, err
}

// current says that a policy that was kept is still the one that is stored: nobody
// edited it. Karmada's API server fills in defaults, which are no edit.
func current(rb *workv1alpha2.ResourceBinding, policy failover.Behavior) bool {
	stored, err := storedPolicy(policy)
	if err != nil {
		return false
	}
	one, err := into[failover.Behavior](stored)
	other, problem := into[failover.Behavior](rb.Spec.Failover)
	return err == nil && problem == nil && sameJSON(failover.Default(one), failover.Default(other))
}

// decode reads exactly one JSON value without unknown fields. Errors quote nothing:
// annotations may hold state.
func decode(rb *workv1alpha2.ResourceBinding, annotation string, out any) error {
	text, found := rb.Annotations[annotation]
	if !found {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(out); err != nil || decoder.More() {
		return fmt.Errorf("annotation %s: cannot be read", annotation)
	}
	return nil
}

// states reads the preserved state of tasks.
func states(rb *workv1alpha2.ResourceBinding) (map[string]preservation.State, error) {
	var raw map[string]json.RawMessage
	if err := decode(rb, StateAnnotation, &raw); err != nil {
		return nil, err
	}
	out := map[string]preservation.State{}
	for key, text := range raw {
		state, err := preservation.DecodeState(string(text))
		if err != nil {
			return nil, fmt.Errorf("annotation %s: %w", StateAnnotation, err)
		}
		out[key] = state
	}
	return out, nil
}

// annotate writes or removes an annotation.
func annotate(rb *workv1alpha2.ResourceBinding, key string, value any, empty bool) error {
	if empty {
		delete(rb.Annotations, key)
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if rb.Annotations == nil {
		rb.Annotations = map[string]string{}
	}
	rb.Annotations[key] = string(text)
	return nil
}

var errTooLarge = errors.New("the annotations of the binding would hold more than 256 KiB")

func checkSize(annotations map[string]string) error {
	total := 0
	for key, value := range maps.All(annotations) {
		total += len(key) + len(value)
	}
	if total > preservation.MaxAnnotationsBytes {
		return errTooLarge
	}
	return nil
}
