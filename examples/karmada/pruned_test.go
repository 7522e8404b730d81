package karmada_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// pruned are the fields of this library that Karmada's schema does not have, found by
// writing all of them into one binding.
func pruned(t *testing.T) []string {
	t.Helper()
	fill := filler(1).NilChance(0).NumElements(1, 1)
	var policy failover.Behavior
	var targets []eviction.TargetCluster
	var tasks []eviction.Task
	var items []eviction.AggregatedStatusItem
	fill.Fill(&policy)
	fill.Fill(&targets)
	fill.Fill(&tasks)
	fill.Fill(&items)
	policy.Cluster.PurgeMode = purge.Directly
	raw, err := json.Marshal(map[string]any{
		"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding",
		"spec": map[string]any{
			"resource": map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "x"},
			"failover": policy, "clusters": targets, "gracefulEvictionTasks": tasks,
		},
		"status": map[string]any{"aggregatedStatus": items},
	})
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, yaml.Unmarshal(raw, &object))
	gone := admit(t, object)
	return slices.DeleteFunc(gone, func(path string) bool { // what is below one that is gone
		return slices.ContainsFunc(gone, func(other string) bool {
			return strings.HasPrefix(path, other+".") || strings.HasPrefix(path, other+"[]")
		})
	})
}

// The recipe lists what an API server of Karmada 1.16 prunes, all of it and no more.
func TestRecipeListsWhatIsPruned(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/recipes/karmada.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "<!-- pruned -->")
	require.True(t, found)
	table, _, found := strings.Cut(rest, "<!-- /pruned -->")
	require.True(t, found)
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]*)` \\|(.*)\\|$").FindAllStringSubmatch(table, -1) {
		for _, field := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[2], -1) {
			listed = append(listed, row[1]+"."+field[1])
		}
	}
	slices.Sort(listed)
	if diff := cmp.Diff(strings.Join(pruned(t), "\n"), strings.Join(listed, "\n")); diff != "" {
		t.Errorf("(-pruned +listed)\n%s", diff)
	}
}
