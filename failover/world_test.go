package failover_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// The vocabulary of the tests: short ways to write the things that happen.

const (
	job  = "example.com/job"  // the usual label of state
	step = "example.com/step" // a second one
)

// at is an instant, in seconds since the beginning of the story.
func at(seconds int) time.Time {
	return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
}

func stamp(seconds int) *metav1.Time { return &metav1.Time{Time: at(seconds)} }

func ptr[T any](v T) *T { return &v }

// left is a task with the mode Directly; before is separated by spaces, value is
// that of the label job, empty = no state.
func left(from string, second int, before, value string) eviction.Task {
	t := eviction.Task{
		FromCluster: from, PurgeMode: purge.Directly, Reason: "ApplicationFailure", Producer: "test",
		CreationTimestamp: stamp(second), ClustersBeforeFailover: strings.Fields(before),
	}
	if value != "" {
		t.PreservedLabelState = map[string]string{job: value}
	}
	return t
}

// leaving is a task with another mode.
func leaving(mode purge.Mode, from string, second int, before, value string) eviction.Task {
	t := left(from, second, before, value)
	t.PurgeMode = mode
	return t
}

// undated is a task whose creation time nobody wrote yet.
func undated(t eviction.Task) eviction.Task {
	t.CreationTimestamp = nil
	return t
}

// on are the targets, separated by spaces.
func on(names string) []eviction.TargetCluster {
	out := []eviction.TargetCluster{}
	for name := range strings.FieldsSeq(names) {
		out = append(out, eviction.TargetCluster{Name: name})
	}
	return out
}

// copies are items of applied copies that are not healthy.
func copies(names string) []eviction.AggregatedStatusItem {
	var out []eviction.AggregatedStatusItem
	for name := range strings.FieldsSeq(names) {
		out = append(out, eviction.AggregatedStatusItem{ClusterName: name, Applied: true, Health: eviction.Unhealthy})
	}
	return out
}

// reporting is an item with a status.
func reporting(cluster string, health eviction.Health, status string) eviction.AggregatedStatusItem {
	item := eviction.AggregatedStatusItem{ClusterName: cluster, Applied: true, Health: health}
	if status != "" {
		item.Status = &runtime.RawExtension{Raw: []byte(status)}
	}
	return item
}

// gone are facts of clusters whose old copies are confirmed gone.
func gone(names string) map[string]eviction.Facts {
	out := map[string]eviction.Facts{}
	for name := range strings.FieldsSeq(names) {
		out[name] = eviction.Facts{Presence: purge.Gone}
	}
	return out
}

// healthy gives one cluster's last health.
func healthy(cluster string, second int) map[string]time.Time {
	return map[string]time.Time{cluster: at(second)}
}

func rule(alias, path string) preservation.Rule {
	return preservation.Rule{AliasLabelName: alias, JSONPath: path}
}

func optional(alias, path string) preservation.Rule {
	r := rule(alias, path)
	r.Policy = preservation.Optional
	return r
}

func preserving(rules ...preservation.Rule) *preservation.StatePreservation {
	return &preservation.StatePreservation{Rules: rules}
}

// policy has one rule for the label job in both blocks.
func policy(mode purge.Mode) failover.Behavior {
	return failover.Behavior{
		Application: &failover.ApplicationBehavior{PurgeMode: mode, StatePreservation: preserving(rule(job, "{.job}"))},
		Cluster:     &failover.ClusterBehavior{PurgeMode: mode, StatePreservation: preserving(rule(job, "{.job}"))},
	}
}

func manifest(labels map[string]any) *unstructured.Unstructured {
	metadata := map[string]any{"name": "app"}
	if labels != nil {
		metadata["labels"] = labels
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "App", "metadata": metadata}}
}

// text is the JSON of a value, to compare inputs before and after, and bytes.
func text(tb testing.TB, v any) string {
	tb.Helper()
	raw, err := json.Marshal(v)
	require.NoError(tb, err)
	return string(raw)
}

// assessed is a GateInput with the assessment that belongs to it.
func assessed(in failover.GateInput, now time.Time) failover.GateInput {
	in.Assessment = eviction.Assess(eviction.AssessInput{
		Tasks: in.Tasks, Targets: in.Targets, Items: in.Items, Scheduled: true, Clusters: in.Clusters, Now: now,
	})
	return in
}

// brief is one answer in words: action, reason, and what is injected from where.
func brief(g failover.Gated) string {
	out := string(g.Action) + " " + string(g.Reason)
	if g.Inject {
		out += " " + g.State.Labels[job] + " of " + g.Origin
	}
	return out
}

func briefs(gated []failover.Gated) map[string]string {
	out := map[string]string{}
	for _, g := range gated {
		out[g.Cluster] = brief(g)
	}
	return out
}

func stateOf(labels map[string]string) preservation.State { return preservation.State{Labels: labels} }
