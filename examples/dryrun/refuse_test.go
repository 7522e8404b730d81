package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// What nobody asks for is refused as what --evict asks for, and everything else goes on.
func TestRefusedWithoutBeingAsked(t *testing.T) {
	t.Parallel()
	const (
		cluster  = "---\n{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: %}, spec: {taints: [{key: k, effect: NoExecute}]}}\n"
		unstored = "{clusters: [{name: a}, {name: b}], failover: {application: {decisionConditions: {tolerationSeconds: 0}, purgeMode: Gracefully}}}"
	)
	rules := func(more string) string {
		return "{clusters: [{name: a}], failover: {application: {decisionConditions: {tolerationSeconds: %}, purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: k, jsonPath: '{.k}'" + more + "}]}}, cluster: {purgeMode: Directly, inheritStatePreservation: true}}}"
	}
	sick := "{aggregatedStatus: [{clusterName: a, applied: true, health: Unhealthy, status: {k: v}}]}"
	big := "{aggregatedStatus: [{clusterName: a, applied: true, health: Unhealthy, status: {k: " + strings.Repeat("x", 250<<10) + "}}]}"
	table := map[string]struct {
		metadata, spec, status, more, args string
		want                               facts
		reason                             string
	}{
		"unknown field, due": {
			metadata: "{name: b}", spec: strings.Replace(rules(", patch: p"), "%", "0", 1), status: sick,
			want: facts{
				decisions: []string{"a Blocked InvalidPolicy"}, injections: []string{"a Apply no NoState"}, errors: []string{"0 UnknownField"},
			},
			reason: "without the field the rule would mean something else",
		},
		"unknown field, later": {
			metadata: "{name: b}", spec: strings.Replace(rules(", patch: p"), "%", "60", 1), status: sick,
			want: facts{
				decisions: []string{"a Blocked InvalidPolicy"}, injections: []string{"a Apply no NoState"}, errors: []string{"0 UnknownField"},
			},
			reason: "F11: nobody knows when",
		},
		"state unreadable": {
			metadata: "{name: b, annotations: {" + stateAnnotation + ": x}}", spec: unstored, status: sick,
			want: facts{
				decisions:  []string{"a Blocked BadState", "b None HealthUnknown"},
				injections: []string{"a Apply no NoState", "b Hold no BadState"}, errors: []string{"- BadState"},
			},
			reason: "writing a task would lose what is there",
		},
		"no room": {
			metadata: "{name: b, annotations: {notes: " + strings.Repeat("n", 10<<10) + "}}", spec: strings.Replace(rules(", target: Annotation"), "%", "0", 1), status: big,
			args: "--to c",
			want: facts{
				decisions: []string{"a Blocked TooLarge"}, injections: []string{"a Apply no NoState"}, errors: []string{"a - TooLarge"},
				warnings: []string{"NotPlaced"},
			},
			reason: "the state would have no place",
		},
		"tainted choice": {
			metadata: "{name: b}", spec: strings.Replace(rules(""), "%", "0", 1), status: sick, more: strings.Replace(cluster, "%", "c", 1), args: "--to c",
			want: facts{
				decisions: []string{"a Evict ApplicationFailure", "c Evict TaintUntolerated"},
				purges:    []string{"a Delete Hold no OldCopyUnreachable", "c Delete Hold no OldCopyUnreachable"},
				warnings:  []string{"NoCopyToAsk"},
			},
			reason: "the scheduler chose a cluster that the application has to leave at once",
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append(strings.Fields(tc.args), "-f", "-", "-o", "json")
			got := invoke(t, strings.NewReader(bindingText(tc.metadata, tc.spec, tc.status)+tc.more), args...)
			require.NotEqual(t, exitUnusable, got.exit, got.stderr)
			p := decodePlan(t, got)
			if diff := cmp.Diff(tc.want, factsOf(p), cmp.AllowUnexported(facts{})); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", tc.reason, diff)
			}
			require.Equal(t, len(tc.want.errors) > 0, got.exit == exitBlocked)
		})
	}
}
