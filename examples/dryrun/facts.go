package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
)

// facts are what the input and the flags tell of each cluster.
func (in input) facts(opts options) (map[string]failover.ClusterFacts, error) {
	out := map[string]failover.ClusterFacts{}
	change := func(cluster string, change func(*failover.ClusterFacts)) {
		facts := out[cluster]
		change(&facts)
		out[cluster] = facts
	}
	for cluster, taints := range in.taints {
		change(cluster, func(f *failover.ClusterFacts) { f.Taints, f.TaintsKnown = taints, true })
	}
	for cluster, copied := range opts.legacy {
		change(cluster, func(f *failover.ClusterFacts) { f.Presence, f.Fenced = copied.Presence, copied.Fenced })
	}
	for _, other := range in.binding.Spec.RequiredBy {
		for _, target := range other.Clusters {
			change(target.Name, func(f *failover.ClusterFacts) { f.RequiredByOthers = true })
		}
	}
	for _, target := range in.binding.Spec.Clusters {
		object, err := in.objectOn(target.Name)
		if err != nil {
			return nil, err
		}
		change(target.Name, func(f *failover.ClusterFacts) { f.Object, f.Documents = object, in.documents })
	}
	return out, nil
}

// objectOn is the whole object on a cluster, as far as the input tells: the manifest
// with the status that was observed there. Statuses that contradict each other give
// several objects, which is none that can be read.
func (in input) objectOn(cluster string) (*runtime.RawExtension, error) {
	if in.manifest == nil {
		return nil, nil //nolint:nilnil // nobody collected it
	}
	var statuses []json.RawMessage
	for _, item := range in.binding.Status.AggregatedStatus {
		if item.ClusterName == cluster && item.Status != nil && len(item.Status.Raw) > 0 {
			statuses = append(statuses, item.Status.Raw)
		}
	}
	statuses = slices.CompactFunc(statuses, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	object := maps.Clone(in.manifest.Object)
	delete(object, "status") // that of the manifest is nobody's
	if len(statuses) == 0 {
		raw, err := encodeJSON(object)
		return &runtime.RawExtension{Raw: raw}, err
	}
	var all []byte
	for _, status := range statuses {
		object["status"] = status
		raw, err := encodeJSON(object)
		if err != nil {
			return nil, err
		}
		all = append(all, raw...)
	}
	return &runtime.RawExtension{Raw: all}, nil
}

// revision names the release that runs by the generation of the manifest, which
// changes with its specification only. That of the binding changes with every move.
func (in input) revision() string {
	if in.manifest == nil {
		return ""
	}
	metadata, _ := in.manifest.Object["metadata"].(map[string]any)
	generation, _ := metadata["generation"].(json.Number)
	return generation.String()
}

// olderLives are the clusters that --to adds to a binding which says nothing of
// them: no target, no task, and no other binding requires them. What was observed
// there is of an older life. Whether that copy still runs is not known, and
// nothing of it counts for the one to come (F5, E8, L6). A record remembers that;
// where none is kept, what was observed has to go.
func (in input) olderLives(opts options) map[string]bool {
	out, b := map[string]bool{}, in.binding
	if opts.keepsRecord() {
		return out
	}
	for _, cluster := range opts.to {
		if !isTarget(b.Spec.Clusters, cluster) && !hasTask(b.Spec.Tasks, cluster) && !b.requiredOn(cluster) {
			out[cluster] = true
		}
	}
	return out
}

// runsOn says that a copy was observed on a target that no task ever left, so that
// it cannot be the memory of an older copy.
func (d *dryRun) runsOn(cluster string) bool {
	return !hasTask(d.out.Tasks, cluster) && slices.ContainsFunc(d.asked.Items, func(item eviction.AggregatedStatusItem) bool {
		return item.ClusterName == cluster && (item.Applied || item.Status != nil)
	})
}
