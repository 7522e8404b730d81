package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// bindingText is a small binding with metadata, spec and status as YAML flow
// mappings, and a Pod as its manifest.
func bindingText(metadata, spec, status string) string {
	return "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: " + metadata +
		"\nspec: " + spec + "\nstatus: " + status + "\n" + pod1 + "\n"
}

// What the library decides depends on what it is given: each case fails if one
// part of it is left out.
func TestWhatTheLibraryIsGiven(t *testing.T) {
	t.Parallel()
	const (
		stored  = "gracefulEvictionTasks: [{fromCluster: a, purgeMode: Directly, reason: R, producer: p, creationTimestamp: 2025-01-10T11:00:00Z, preservedLabelState: {k: v}, clustersBeforeFailover: [a]}]"
		rules   = "failover: {application: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: k, jsonPath: '{.k}'}]}}}"
		healthy = "{clusterName: b, applied: true, health: Healthy, status: {k: newer}}"
		second  = "{clusters: [{name: b}], " + rules + ", " + stored + "}"
		leave   = "--evict b --to c --legacy a=gone --legacy b=gone"

		graceful = "{clusters: [{name: b}], gracefulEvictionTasks: [{fromCluster: a, purgeMode: Gracefully, reason: R, producer: p, creationTimestamp: %s}]}"
		side     = "{clusters: [{name: a}, {name: b}], failover: {application: {purgeMode: Gracefully}}}"
	)
	young, old := strings.Replace(graceful, "%s", "2025-01-10T11:59:00Z", 1), strings.Replace(graceful, "%s", "2025-01-10T11:00:00Z", 1)
	optional := func(application, cluster string) string {
		block := func(policy string) string {
			return "{purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: k, jsonPath: '{.k}', policy: " + policy + "}]}}"
		}
		return "{clusters: [{name: b}, {name: c}], failover: {application: " + block(application) + ", cluster: " + block(cluster) + "}, " + stored + "}"
	}
	table := map[string]struct {
		metadata, spec, status, args string
		purges, injections, warnings []string
		label                        string // what c gets as k
		reason                       string
	}{
		"healthy with what it received": {
			spec: second, status: "{aggregatedStatus: [" + healthy + "]}", args: leave,
			purges:     []string{"a Delete Create yes OldCopyGone", "b Delete Create no AwaitingReplacementHealthy"},
			injections: []string{"c Apply yes Injected k=no"}, label: "newer",
			reason: "b works with what it received, so its own state goes on, and no older one",
		},
		"healthy and not": {
			spec: second, status: "{aggregatedStatus: [" + healthy + ", {clusterName: b, status: {k: newer}}]}", args: leave,
			purges:     []string{"a Delete Create no AwaitingReplacementHealthy", "b Delete Create no AwaitingReplacementHealthy"},
			injections: []string{"c Apply yes Injected k=no"}, warnings: []string{"DuplicateItems", "SourceNotAsked"}, label: "v",
			reason: "of two items of one cluster the worse counts (E8)",
		},
		"scheduled": {
			metadata: "{name: b, generation: 5}", spec: young,
			status: "{schedulerObservedGeneration: 5, aggregatedStatus: [" + healthy + "]}",
			purges: []string{"a Delete Create no ReplacementHealthy"}, injections: []string{"b Apply no NoState"},
			reason: "the replacement is healthy",
		},
		"not scheduled": {
			metadata: "{name: b, generation: 5}", spec: young,
			status: "{schedulerObservedGeneration: 4, aggregatedStatus: [" + healthy + "]}",
			purges: []string{"a Keep Create no ReplacementNotHealthy"}, injections: []string{"b Apply no NoState"},
			reason: "E9: the scheduler may choose other targets still",
		},
		"not scheduled in time": {
			metadata: "{name: b, generation: 5}", spec: old,
			status: "{schedulerObservedGeneration: 4, aggregatedStatus: [" + healthy + "]}",
			purges: []string{"a Delete Create no GracePeriodExpired"}, injections: []string{"b Apply no NoState"},
			reason: "E9: it never blocks the time-out",
		},
		"unscheduled by this run": {
			spec: side, status: "{aggregatedStatus: [" + healthy + "]}", args: "--evict a",
			purges: []string{"a Keep Create no ReplacementNotHealthy"}, injections: []string{"b Apply no NoState"},
			reason: "the scheduler has not seen the next binding",
		},
		"target by --to": {
			spec: side, status: "{aggregatedStatus: [" + healthy + "]}", args: "--evict a --to b",
			purges: []string{"a Keep Create no ReplacementNotHealthy"}, injections: []string{"b Apply no NoState"},
			warnings: []string{"AlreadyTarget"}, reason: "nor has it with --to, where nothing is new: the next run knows",
		},
		"idle eviction": {
			spec: young, status: "{aggregatedStatus: [" + healthy + "]}", args: "--evict z",
			purges: []string{"a Delete Create no ReplacementHealthy"}, injections: []string{"b Apply no NoState"}, warnings: []string{"NothingToEvict"},
			reason: "nothing was unscheduled",
		},
		"optional": {
			spec: optional("Optional", "Optional"), args: "--legacy a=gone",
			purges:     []string{"a Delete Create no AwaitingReplacementHealthy"},
			injections: []string{"b Apply no SeveralTargets", "c Apply no SeveralTargets"}, warnings: []string{"PartialMove"},
			reason: "what nobody requires holds nothing",
		},
		"required by application": {
			spec: optional("Required", "Optional"), args: "--legacy a=gone",
			purges:     []string{"a Delete Create no AwaitingReplacementHealthy"},
			injections: []string{"b Hold no SeveralTargets", "c Hold no SeveralTargets"}, warnings: []string{"PartialMove"},
			reason: "a task does not say whose values it holds",
		},
		"required by cluster": {
			spec: optional("Optional", "Required"), args: "--legacy a=gone",
			purges:     []string{"a Delete Create no AwaitingReplacementHealthy"},
			injections: []string{"b Hold no SeveralTargets", "c Hold no SeveralTargets"}, warnings: []string{"PartialMove"},
			reason: "a task does not say whose values it holds",
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.metadata == "" {
				tc.metadata, tc.status = "{name: b}", orText(tc.status, "{}")
			}
			got := invoke(t, strings.NewReader(bindingText(tc.metadata, tc.spec, tc.status)), append(strings.Fields(tc.args), "-f", "-", "-o", "json")...)
			require.Equal(t, exitPlanned, got.exit, "%s\n%s%s", tc.reason, got.stderr, got.stdout)
			p := decodePlan(t, got)
			all := factsOf(p)
			want := facts{purges: tc.purges, injections: tc.injections, warnings: tc.warnings}
			if diff := cmp.Diff(want, facts{purges: all.purges, injections: all.injections, warnings: all.warnings}, cmp.AllowUnexported(facts{})); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", tc.reason, diff)
			}
			if tc.label != "" {
				require.Equal(t, map[string]any{"k": tc.label}, dig(t, manifestOf(t, p), "metadata", "labels"), tc.reason)
			}
		})
	}
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
