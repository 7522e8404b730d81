package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
)

// olderLives are the clusters that --to adds to a binding which says nothing of
// them: no target, no task, and no other binding requires them. What was observed
// there is of an older life. Whether that copy still runs is not known, and
// nothing of it counts for the one to come (F5, E8, L6).
func olderLives(b binding, to []string) map[string]bool {
	out := map[string]bool{}
	for _, cluster := range to {
		if !isTarget(b.Spec.Clusters, cluster) && !hasTask(b.Spec.Tasks, cluster) && !b.requiredOn(cluster) {
			out[cluster] = true
		}
	}
	return out
}

// itemsThatCount are those that are not of an older life.
func itemsThatCount(items []eviction.AggregatedStatusItem, older map[string]bool) []eviction.AggregatedStatusItem {
	return slices.DeleteFunc(slices.Clone(items), func(item eviction.AggregatedStatusItem) bool { return older[item.ClusterName] })
}

// warnOlderLives says what is left out, as eviction.Assess does for clusters that
// nobody names.
func (d *dryRun) warnOlderLives() {
	for _, item := range d.in.binding.Status.AggregatedStatus {
		if d.older[item.ClusterName] {
			d.warn(item.ClusterName, string(eviction.ReasonItemIgnored),
				"the cluster was neither a target nor under eviction: its status is that of an older copy and is ignored")
		}
	}
}

// healthyNow is what a host without a record knows of the past. Several items of
// one cluster contradict each other too easily to prove health.
func healthyNow(items []eviction.AggregatedStatusItem, now time.Time) map[string]time.Time {
	count := map[string]int{}
	for _, item := range items {
		count[item.ClusterName]++
	}
	out := map[string]time.Time{}
	for _, item := range items {
		if count[item.ClusterName] == 1 && item.Health == eviction.Healthy {
			out[item.ClusterName] = now
		}
	}
	return out
}

// objectOn is the whole object on a cluster, as far as the input tells: the
// manifest with the status that was observed there.
func (d *dryRun) objectOn(cluster string) preservation.Document {
	if d.in.manifest == nil {
		return preservation.Document{}
	}
	object := maps.Clone(d.in.manifest.Object)
	delete(object, "status")
	var status []byte
	for _, item := range d.items {
		if item.ClusterName != cluster || item.Status == nil || len(item.Status.Raw) == 0 {
			continue
		}
		if status != nil && !bytes.Equal(status, item.Status.Raw) {
			return preservation.UnreadableDocument("several items of the cluster hold different statuses")
		}
		status = item.Status.Raw
	}
	if status == nil {
		return preservation.ObjectDocument(object)
	}
	values, err := readJSON([]json.RawMessage{status})
	if err != nil {
		return preservation.UnreadableDocument("the status cannot be read")
	}
	object["status"] = values[0]
	return preservation.ObjectDocument(object)
}

// runsOn says that a copy was observed on a target that no task ever left, so that
// it cannot be the memory of an older copy.
func (d *dryRun) runsOn(cluster string) bool {
	return !hasTask(d.tasks, cluster) && slices.ContainsFunc(d.items, func(item eviction.AggregatedStatusItem) bool {
		return item.ClusterName == cluster && (item.Applied || item.Status != nil)
	})
}
