package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"

	"github.com/carryover-io/carryover/eviction"
)

// nextBinding is the document that was read with other targets and tasks.
// Everything else is verbatim, and so is what is not known inside a target or a
// task: only the fields that changed are overlaid on what was read. What was
// observed of an older life on a cluster that is a target now is taken out: the
// next run could not tell it from news of the new copy.
func nextBinding(in input, targets []eviction.TargetCluster, tasks []eviction.Task, older map[string]bool) (map[string]any, []notice, error) {
	spec, _ := in.document["spec"].(map[string]any)
	spec = maps.Clone(spec)
	if spec == nil {
		spec = map[string]any{}
	}
	found := storedTasks(in, tasks)
	nextTasks, notices, err := overlayTasks(found, tasks)
	if err != nil {
		return nil, nil, err
	}
	changed := replaceList(spec, "clusters", overlayTargets(in, targets))
	changed = replaceList(spec, "gracefulEvictionTasks", nextTasks) || changed
	out := in.document
	if changed {
		out = maps.Clone(in.document)
		out["spec"] = spec
	}
	out = forget(in, out, func(cluster string) bool { return older[cluster] && isTarget(targets, cluster) })
	out, err = storeStates(in, out, statesByTask(tasks, func(i int) bool { return found[i] == nil || !hasState(found[i].raw) }))
	return out, notices, err
}

// forget takes the items of some clusters out of the status.
func forget(in input, document map[string]any, gone func(cluster string) bool) map[string]any {
	status, _ := document["status"].(map[string]any)
	items, _ := status["aggregatedStatus"].([]any)
	stay := []any{}
	for i, item := range items {
		if !gone(in.binding.Status.AggregatedStatus[i].ClusterName) {
			stay = append(stay, item)
		}
	}
	if len(stay) == len(items) {
		return document
	}
	status = maps.Clone(status)
	status["aggregatedStatus"] = stay
	document = maps.Clone(document)
	document["status"] = status
	return document
}

// replaceList leaves alone what stays empty, null and absent included.
func replaceList(spec map[string]any, key string, next []any) bool {
	list, _ := spec[key].([]any)
	if len(list) == 0 && len(next) == 0 {
		return false
	}
	spec[key] = next
	return true
}

func rawList(in input, key string) []any {
	spec, _ := in.document["spec"].(map[string]any)
	list, _ := spec[key].([]any)
	return list
}

// overlayTargets finds each target as it was read; those of --to are new.
func overlayTargets(in input, targets []eviction.TargetCluster) []any {
	read := map[string][]any{}
	for i, raw := range rawList(in, "clusters") {
		name := in.binding.Spec.Clusters[i].Name
		read[name] = append(read[name], raw)
	}
	out := []any{}
	for _, target := range targets {
		if known := read[target.Name]; len(known) > 0 {
			out, read[target.Name] = append(out, known[0]), known[1:]
			continue
		}
		out = append(out, map[string]any{"name": target.Name})
	}
	return out
}

// storedTask is a task as it was read, both ways.
type storedTask struct {
	raw   map[string]any
	task  eviction.Task
	taken bool
}

// overlayTasks overlays what changed on the stored task of each next one.
func overlayTasks(found []*storedTask, tasks []eviction.Task) ([]any, []notice, error) {
	out := []any{}
	var notices []notice
	for i, task := range tasks {
		raw, dropped, err := overlayTask(found[i], task)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, raw)
		if dropped {
			notices = append(notices, notice{
				Cluster: task.FromCluster, Reason: "ComponentsDropped",
				Message: "the replicas of each component are not written into the task: Karmada's schema has no field for them",
			})
		}
	}
	return out, notices, nil
}

// storedTasks has, for each next task, the stored one that it goes on from; nil =
// it is new. The closest matches come first, so that a renewed task does not take
// the place of another one of its cluster.
func storedTasks(in input, tasks []eviction.Task) []*storedTask {
	var stored []*storedTask
	for i, raw := range rawList(in, "gracefulEvictionTasks") {
		object, _ := raw.(map[string]any)
		stored = append(stored, &storedTask{raw: object, task: in.binding.Spec.Tasks[i]})
	}
	found := make([]*storedTask, len(tasks))
	for _, match := range []func(a, b eviction.Task) bool{sameTask, onlyDated, sameCluster} {
		for i, task := range tasks {
			if found[i] == nil {
				found[i] = take(stored, task, match)
			}
		}
	}
	return found
}

func take(stored []*storedTask, task eviction.Task, match func(a, b eviction.Task) bool) *storedTask {
	for _, s := range stored {
		if !s.taken && match(s.task, task) {
			s.taken = true
			return s
		}
	}
	return nil
}

// sameTask compares cluster and creation second, as eviction.Apply does (E10).
func sameTask(a, b eviction.Task) bool {
	if a.FromCluster != b.FromCluster || a.CreationTimestamp.IsZero() || b.CreationTimestamp.IsZero() {
		return false
	}
	return a.CreationTimestamp.Unix() == b.CreationTimestamp.Unix()
}

// onlyDated finds a task that got a creation time and is the same otherwise (E6).
func onlyDated(a, b eviction.Task) bool {
	a.CreationTimestamp, b.CreationTimestamp = nil, nil
	return reflect.DeepEqual(a, b)
}

// sameCluster finds the task that a renewed one goes on from (E2).
func sameCluster(a, b eviction.Task) bool { return a.FromCluster == b.FromCluster }

// overlayTask writes the fields that changed, under the names that Karmada's
// schema has, and says whether components had to be left out.
func overlayTask(stored *storedTask, task eviction.Task) (map[string]any, bool, error) {
	dropped := false
	if now, old := renamed(task.PurgeMode); old {
		task.PurgeMode = now
	}
	if stored == nil {
		stored = &storedTask{}
	}
	if !hasState(stored.raw) {
		stored.task.PreservedState, task.PreservedState = nil, nil // it goes into an annotation
	}
	if !reflect.DeepEqual(stored.task.Components, task.Components) {
		dropped = len(task.Components) > 0
		task.Components = nil
	}
	before, err := fieldsOf(stored.task)
	if err != nil {
		return nil, false, err
	}
	next, err := fieldsOf(task)
	if err != nil {
		return nil, false, err
	}
	out := maps.Clone(stored.raw)
	if out == nil {
		out = map[string]any{}
	}
	for key := range before {
		if _, stays := next[key]; !stays {
			delete(out, key)
		}
	}
	for key, value := range next {
		if !reflect.DeepEqual(before[key], value) {
			out[key] = value
		}
	}
	return out, dropped, nil
}

// fieldsOf is a task as decoded JSON.
func fieldsOf(task eviction.Task) (map[string]any, error) {
	raw, err := json.Marshal(task)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var out map[string]any
	err = decoder.Decode(&out)
	return out, err
}
