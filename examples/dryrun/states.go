package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
)

// stateAnnotation of a binding holds what tasks preserve besides labels, since
// Karmada's schema prunes it from the tasks: a JSON object from a task to its
// state. The task is named as taskKey does, so that what one left behind never
// becomes the state of the next one; the state is as State.Encode writes it.
const stateAnnotation = "carryover.io/preserved-state"

// storedStates is what the annotation held.
type storedStates struct {
	read     map[string]bool // the keys
	problems []problem       // why not all of it can be read: then it is not touched
	notices  []notice
}

// taskKey names a task by cluster and creation second, as eviction.Apply does
// (E10). A cluster's name has no slash.
func taskKey(task eviction.Task) string {
	key := task.FromCluster + "/"
	if !task.CreationTimestamp.IsZero() {
		key += task.CreationTimestamp.UTC().Format(time.RFC3339)
	}
	return key
}

// annotationsOf is an error where writing one annotation would lose others.
func annotationsOf(document map[string]any) (map[string]any, error) {
	metadata, _ := document["metadata"].(map[string]any)
	value := metadata["annotations"]
	annotations, ok := value.(map[string]any)
	if value != nil && !ok {
		return nil, errors.New("metadata.annotations: must be an object, is " + kindOf(value))
	}
	return annotations, nil
}

// restoreStates gives each task the state that the annotation holds for it.
func restoreStates(annotations map[string]any, tasks []eviction.Task) storedStates {
	out := storedStates{read: map[string]bool{}}
	value, found := annotations[stateAnnotation]
	if !found {
		return out
	}
	states, ok := splitStates(value)
	if !ok {
		out.fail("", "it is not the text of exactly one JSON object")
		return out
	}
	taken := map[string]bool{}
	for i := range tasks {
		task := &tasks[i]
		key := taskKey(*task)
		raw, found := states[key]
		if !found {
			continue
		}
		taken[key] = true
		state, detail := readState(raw)
		switch {
		case detail != "":
			out.fail(task.FromCluster, detail)
		case task.PreservedState != nil && !task.PreservedState.Equal(state):
			out.fail(task.FromCluster, "the task itself holds another state")
		default:
			task.PreservedState = &state
		}
	}
	for _, key := range slices.Sorted(maps.Keys(states)) {
		out.read[key] = true
		if !taken[key] {
			cluster, _, _ := strings.Cut(key, "/")
			out.notices = append(out.notices, notice{
				Cluster: cluster, Reason: "StateWithoutTask",
				Message: "the annotation " + stateAnnotation + " holds the state of a task that is not there any more; it is taken out",
			})
		}
	}
	return out
}

// splitStates takes the annotation apart.
func splitStates(value any) (map[string]json.RawMessage, bool) {
	text, ok := value.(string)
	if !ok {
		return nil, false
	}
	raw, ok := splitJSON([]byte(text))
	if !ok || len(raw) != 1 {
		return nil, false
	}
	values, err := readJSON(raw) // finds what is there twice
	if err != nil {
		return nil, false
	}
	if _, ok := values[0].(map[string]any); !ok {
		return nil, false
	}
	var out map[string]json.RawMessage
	err = json.Unmarshal(raw[0], &out)
	return out, err == nil
}

// readState says what is wrong, without any value; empty = nothing.
func readState(raw json.RawMessage) (preservation.State, string) {
	state, err := preservation.DecodeState(string(raw))
	switch {
	case err != nil:
		return state, err.Error()
	case len(state.Labels) > 0:
		return state, "it holds labels, which stand in the task"
	case state.IsEmpty():
		return state, "it holds nothing"
	}
	return state, ""
}

func (s *storedStates) fail(cluster, detail string) {
	s.problems = append(s.problems, problem{
		Cluster: cluster, Field: "metadata.annotations[" + stateAnnotation + "]",
		Class: string(preservation.BadState), Message: oneLine("the preserved state cannot be read: " + detail),
	})
}

// storeStates writes the annotation anew, if what it has to hold changed: the
// states by task. Where it could not be read, it stays as it is.
func storeStates(in input, document map[string]any, states map[string]preservation.State) (map[string]any, error) {
	if len(in.stored.problems) > 0 || reflect.DeepEqual(statesByTask(in.binding.Spec.Tasks, in.outside), states) && len(in.stored.read) == len(states) {
		return document, nil
	}
	annotations := maps.Clone(in.annotations)
	delete(annotations, stateAnnotation)
	if len(states) > 0 {
		text, err := encodeStates(states)
		if err != nil {
			return nil, err
		}
		if annotations == nil {
			annotations = map[string]any{}
		}
		annotations[stateAnnotation] = text
	}
	metadata, _ := document["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["annotations"] = annotations
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	document = maps.Clone(document)
	document["metadata"] = metadata
	return document, nil
}

func encodeStates(states map[string]preservation.State) (string, error) {
	encoded := map[string]json.RawMessage{}
	for key, state := range states {
		text, err := state.Encode()
		if err != nil {
			return "", err
		}
		encoded[key] = json.RawMessage(text)
	}
	raw, err := encodeJSON(encoded)
	return strings.TrimSpace(string(raw)), err
}

// statesByTask are the states that stand outside of their tasks.
func statesByTask(tasks []eviction.Task, outside func(i int) bool) map[string]preservation.State {
	out := map[string]preservation.State{}
	for i, task := range tasks {
		if task.PreservedState != nil && outside(i) {
			out[taskKey(task)] = *task.PreservedState.DeepCopy()
		}
	}
	return out
}

// outside says that the state of a stored task belongs into the annotation: the
// task was not read with the state in it, from a host whose schema keeps it.
func (in input) outside(i int) bool {
	object, _ := rawList(in, "gracefulEvictionTasks")[i].(map[string]any)
	return !hasState(object)
}

func hasState(raw map[string]any) bool { return raw["preservedState"] != nil }

// checkRoom says whether the annotation could hold the states of these new tasks
// beside those that are stored.
func (in input) checkRoom(added []eviction.Task) error {
	if !slices.ContainsFunc(added, func(task eviction.Task) bool { return task.PreservedState != nil }) {
		return nil
	}
	states := statesByTask(in.binding.Spec.Tasks, in.outside)
	maps.Copy(states, statesByTask(added, func(int) bool { return true }))
	tooLarge := func(detail string) error {
		return &preservation.InjectError{
			Class: preservation.TooLarge, Target: preservation.Annotation, Key: stateAnnotation, Detail: detail,
		}
	}
	text, err := encodeStates(states)
	if err != nil {
		return tooLarge(err.Error()) // all of them were checked: only the size is left to be wrong
	}
	total := len(stateAnnotation) + len(text)
	for key, value := range in.annotations {
		if other, ok := value.(string); ok && key != stateAnnotation {
			total += len(key) + len(other)
		}
	}
	if total > preservation.MaxAnnotationsBytes {
		return tooLarge(fmt.Sprintf("with it the annotations of the binding would hold %d bytes, and %d is the limit", total, preservation.MaxAnnotationsBytes))
	}
	return nil
}
