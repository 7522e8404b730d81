package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/failover"
)

const pod = "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {n: 7}}}\n"

// What no whole case shows, on bindings small enough to read here.
func TestCorners(t *testing.T) {
	t.Parallel()
	const (
		stored  = "gracefulEvictionTasks: [{fromCluster: a, purgeMode: Directly, reason: R, producer: p, creationTimestamp: 2025-01-10T11:00:00Z, preservedLabelState: {k: v}, clustersBeforeFailover: [a]}]"
		rules   = "{rules: [{aliasLabelName: k, jsonPath: '{.k}'}, {aliasLabelName: o, jsonPath: '{.o}', policy: Optional}]}"
		cluster = "failover: {cluster: {purgeMode: Directly, statePreservation: " + rules + "}}"
	)
	table := map[string]struct {
		spec, more, args string
		exit             int
		want             facts
		reason           string
	}{
		"delivery refused": {
			spec: "{clusters: [{name: b}], " + stored + "}", more: pod, args: "--legacy a=gone", exit: exitBlocked,
			want: facts{
				decisions:  []string{"a AlreadyEvicting UnderEviction", "b None NotConfigured"},
				purges:     []string{"a Delete Create no AwaitingReplacementHealthy"},
				injections: []string{"b Hold no InjectionRefused"}, errors: []string{"b - BadManifest"},
			},
			reason: "a failed injection is never an empty start",
		},
		"rules of cluster": {
			spec: "{clusters: [{name: a}], " + cluster + "}", args: "--evict a --cause cluster", exit: exitBlocked,
			want: facts{
				decisions: []string{"a Blocked MissingState"}, injections: []string{"a Apply no NoState"},
				errors: []string{"a 0 StatusNotCollected"}, warnings: []string{"StateIncomplete"},
			},
			reason: "only the Required rule blocks; the Optional one is a warning",
		},
		"idle flags": {
			spec: "{clusters: [{name: a}]}", args: "--to a --legacy z=gone",
			want: facts{
				decisions: []string{"a None NotConfigured"}, injections: []string{"a Apply no NoState"},
				warnings: []string{"AlreadyTarget", "NotUnderEviction"},
			},
			reason: "flags that say nothing are slips of the pen",
		},
		"unknown mode": {
			spec: "{clusters: [{name: b}], gracefulEvictionTasks: [{fromCluster: a, purgeMode: Later, reason: R, producer: p}]}",
			want: facts{
				decisions: []string{"a AlreadyEvicting UnderEviction", "b None NotConfigured"},
				purges:    []string{"a Keep Hold no InvalidMode"}, injections: []string{"b Hold no InvalidMode"},
				warnings: []string{"InvalidMode"},
			},
			reason: "an unknown mode keeps and holds",
		},
		"withdrawn": {
			spec: "{clusters: [{name: a}], gracefulEvictionTasks: [{fromCluster: a, reason: R, producer: p}]}",
			want: facts{
				decisions: []string{"a None NotConfigured"}, injections: []string{"a Apply no NoState"},
			},
			reason: "a target again, which withdraws the eviction (E13): there is no task to judge any more",
		},
		"not a target": {
			spec: "{clusters: [{name: a}]}", args: "--evict z",
			want: facts{
				decisions: []string{"a None NotRequested", "z None NotTarget"}, injections: []string{"a Apply no NoState"},
				warnings: []string{"NothingToEvict"},
			},
			reason: "a wrong name is no eviction and no error, and is said",
		},
		"no manifest fits": {
			spec: "{clusters: [{name: a}], resource: {apiVersion: v1, kind: Pod, name: q}}", more: pod,
			want: facts{
				decisions: []string{"a None NotConfigured"}, injections: []string{"a Apply no NoState"}, warnings: []string{"NoManifest"},
			},
			reason: "the wrong manifest is worse than none",
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append(strings.Fields(tc.args), "-f", "-", "-o", "json")
			got := invoke(t, strings.NewReader(minimal+"spec: "+tc.spec+"\n"+tc.more), args...)
			require.Equal(t, tc.exit, got.exit, got.stderr)
			if diff := cmp.Diff(tc.want, factsOf(decodePlan(t, got)), cmp.AllowUnexported(facts{})); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", tc.reason, diff)
			}
		})
	}
}

// The block of the policy is named by the cause.
func TestRuleErrorNamesItsField(t *testing.T) {
	t.Parallel()
	zero := 0
	want := []problem{{
		Cluster: "east", Rule: &zero, Alias: "orders.example.com/job-id",
		Field: "spec.failover.application.statePreservation.rules[0].jsonPath", Class: "MissingKey",
	}}
	got := planOf(t, cases["missing-key"]).Errors
	require.Contains(t, got[0].Message, `"jobId"`, "the hint")
	got[0].Message = ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Each cause has its block, and what no rule is about names none.
func TestRuleAt(t *testing.T) {
	t.Parallel()
	spec := "{clusters: [{name: a}], failover: {cluster: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: k, jsonPath: '{.k}'}]}}}}"
	p := decodePlan(t, invoke(t, testBinding(spec), strings.Fields("-f - -o json --evict a --cause cluster")...))
	require.Len(t, p.Errors, 1)
	require.Equal(t, "spec.failover.cluster.statePreservation.rules[0].jsonPath", p.Errors[0].Field)
	index, alias := ruleAt(failover.Behavior{}, p.Errors[0].Field)
	require.Equal(t, 0, *index)
	require.Empty(t, alias)
}

// Under Gracefully a cluster that is a target again was withdrawn, so that leaving it
// is a new eviction (E13).
func TestEvictionOfAWithdrawnCluster(t *testing.T) {
	t.Parallel()
	spec := "{clusters: [{name: a}], gracefulEvictionTasks: [{fromCluster: a, purgeMode: Gracefully, reason: R, producer: p, creationTimestamp: 2025-01-10T11:00:00Z}]}"
	p := decodePlan(t, invoke(t, testBinding(spec), "-f", "-", "-o", "json", "--evict", "a"))
	var reasons []string
	for _, e := range p.Events {
		reasons = append(reasons, e.Type+" "+e.Reason)
	}
	require.Equal(t, []string{"Normal Withdrawn", "Warning ApplicationFailure", "Normal NoReplacement"}, reasons)
	require.Equal(t, []string{"a Keep Create no NoReplacement"}, factsOf(p).purges)
	require.Equal(t, testNow, firstTask(t, p)["creationTimestamp"])
}

// The terminal of whoever reads the text is not the playground of whoever writes
// bindings.
func TestTextHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	out := invoke(t, testBinding(`{clusters: [{name: "a\e[31m\nb"}]}`), "-f", "-").stdout
	require.NotContains(t, out, "\x1b")
	require.Contains(t, out, "\na\uFFFD[31m; b\n")
}
