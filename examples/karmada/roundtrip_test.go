package karmada_test

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/examples/karmada"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

func ptr[T any](value T) *T { return &value }

// filler fills every field with something that the schema allows.
func filler(seed int64) *randfill.Filler {
	return randfill.New().RandSource(rand.NewSource(seed)).NilChance(0.3).NumElements(1, 3).Funcs(
		func(out *metav1.Time, c randfill.Continue) { *out = metav1.Unix(c.Int63n(2_000_000_000), 0) },
		func(out *runtime.RawExtension, c randfill.Continue) {
			out.Raw = []byte(`{"jobStatus":{"jobId":"` + strings.Repeat("a", 1+c.Intn(9)) + `"}}`)
		},
		func(out *string, c randfill.Continue) {
			*out = string(rune('a'+c.Intn(26))) + strings.Repeat("x", c.Intn(9))
		},
		func(out *purge.Mode, c randfill.Continue) {
			*out = []purge.Mode{purge.Directly, purge.Gracefully, purge.Never}[c.Intn(3)]
		},
		func(out *eviction.Health, c randfill.Continue) {
			*out = []eviction.Health{eviction.Healthy, eviction.Unhealthy, eviction.HealthUnknown}[c.Intn(3)]
		},
		func(out *preservation.OnMissingState, _ randfill.Continue) { *out = preservation.EvictWithout },
		func(out *preservation.RulePolicy, _ randfill.Continue) { *out = preservation.Optional },
		func(out *preservation.Target, _ randfill.Continue) { *out = preservation.Field },
		func(out *preservation.Conflict, _ randfill.Continue) { *out = preservation.KeepExisting },
		func(out *preservation.Source, _ randfill.Continue) { *out = preservation.FromObject },
		func(out *preservation.Retention, _ randfill.Continue) { *out = preservation.UntilHealthy },
		func(out *int32, c randfill.Continue) { *out = c.Int31n(1000) },
		func(out *preservation.State, c randfill.Continue) {
			*out = preservation.State{
				Annotations: map[string]string{"example.com/" + strings.Repeat("k", 1+c.Intn(5)): "v"},
				Fields:      map[string]string{".spec.job.initialSavepointPath": `"s3p://chk"`},
			}
		},
	)
}

func sameAsJSON(t *testing.T, want, got any) {
	t.Helper()
	one, err := json.Marshal(want)
	require.NoError(t, err)
	other, err := json.Marshal(got)
	require.NoError(t, err)
	if diff := cmp.Diff(string(one), string(other)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What Karmada stored is the same after Plan looked at it and changed nothing: every
// field of targets, tasks, policy and items goes through.
func TestKarmadaIsLossless(t *testing.T) {
	t.Parallel()
	for seed := range int64(200) {
		want := &workv1alpha2.ResourceBinding{}
		fill := filler(seed)
		fill.Fill(&want.Spec.Clusters)
		fill.Fill(&want.Spec.GracefulEvictionTasks)
		fill.Fill(&want.Spec.Failover)
		fill.Fill(&want.Status.AggregatedStatus)
		want.Spec.Suspension = &workv1alpha2.Suspension{Scheduling: ptr(true)}
		read, err := karmada.Read(want)
		require.NoError(t, err)
		sameAsJSON(t, want.Status.AggregatedStatus, read.Items)
		if want.Spec.Failover != nil {
			sameAsJSON(t, want.Spec.Failover, read.Policy)
		}
		got, err := karmada.Output(want, failover.PlanOutput{Targets: read.Targets, Tasks: read.Tasks})
		require.NoError(t, err)
		sameAsJSON(t, want, got)
		if got, err = karmada.SetPolicy(want, read.Policy); want.Spec.Failover != nil {
			require.NoError(t, err)
			sameAsJSON(t, want, got)
		}
	}
}

// random is all that this library may want to store, with every field of its own.
func random(seed int64) (failover.Behavior, failover.PlanOutput) {
	var policy failover.Behavior
	var out failover.PlanOutput
	fill := filler(seed)
	fill.Fill(&policy)
	fill.Fill(&out.Targets)
	fill.Fill(&out.Tasks)
	seen := map[string]bool{}
	targets := out.Targets[:0]
	for _, one := range out.Targets {
		if !seen[one.Name] { // an API server has no rule against it, and Plan has
			targets, seen[one.Name] = append(targets, one), true
		}
	}
	out.Targets = targets
	for i := range out.Tasks {
		out.Tasks[i].FromCluster += string(rune('a' + i))
	}
	for _, rules := range []*preservation.StatePreservation{applicationRules(policy), clusterRules(policy)} {
		if rules != nil && len(rules.Rules) == 0 {
			rules.Rules = []preservation.Rule{{AliasLabelName: "a", JSONPath: "{.b}"}}
		}
	}
	out.Record = failover.Record{Version: 1, Attempts: seed + 1, History: []failover.HistoryItem{{
		Attempt: 1, From: "east", At: metav1.NewTime(time.Unix(seed, 0).UTC()), Outcome: failover.OutcomeFinished,
	}}}
	return policy, out
}

func applicationRules(b failover.Behavior) *preservation.StatePreservation {
	if b.Application == nil {
		return nil
	}
	return b.Application.StatePreservation
}

func clusterRules(b failover.Behavior) *preservation.StatePreservation {
	if b.Cluster == nil {
		return nil
	}
	return b.Cluster.StatePreservation
}

// What this library stores is the same after an API server pruned and validated it.
func TestOursIsLossless(t *testing.T) {
	t.Parallel()
	lossy := 0
	for seed := range int64(100) {
		policy, out := random(seed)
		rb := &workv1alpha2.ResourceBinding{}
		rb.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Name: "x"}
		rb, err := karmada.SetPolicy(rb, policy)
		require.NoError(t, err)
		rb, err = karmada.Output(rb, out)
		require.NoError(t, err)
		if rb.Annotations[karmada.KeptAnnotation] != "" {
			lossy++
		}
		got, err := karmada.Read(stored(t, rb))
		require.NoError(t, err)
		sameAsJSON(t, policy, got.Policy)
		sameAsJSON(t, out.Targets, got.Targets)
		sameAsJSON(t, out.Tasks, got.Tasks)
		sameAsJSON(t, out.Record, got.Record)
		again, err := karmada.Output(rb, failover.PlanOutput{Targets: got.Targets, Tasks: got.Tasks, Record: got.Record})
		require.NoError(t, err)
		sameAsJSON(t, rb, again)
	}
	require.Greater(t, lossy, 50, "the annotations are needed")
}
