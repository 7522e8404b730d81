package karmada_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	workv1alpha1 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/karmada-io/karmada/pkg/util/helper"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/examples/karmada"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

func start() time.Time { return time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC) }

// federation is what there is: a binding behind an API server that prunes, members, and
// the Works that Karmada's binding controller made.
type federation struct {
	t        *testing.T
	now      time.Time
	rb       *workv1alpha2.ResourceBinding
	template *unstructured.Unstructured
	clusters []clusterv1alpha1.Cluster
	works    map[string]*unstructured.Unstructured // by cluster
	deleting map[string]bool
	out      failover.PlanOutput
}

func newFederation(t *testing.T, policy failover.Behavior) *federation {
	t.Helper()
	data, err := os.ReadFile("../dryrun/testdata/flinkdeployment.yaml")
	require.NoError(t, err)
	f := &federation{
		t: t, now: start(), template: &unstructured.Unstructured{},
		works: map[string]*unstructured.Unstructured{}, deleting: map[string]bool{},
	}
	require.NoError(t, yaml.Unmarshal(data, &f.template.Object))
	for _, name := range []string{"east", "west"} {
		f.clusters = append(f.clusters, clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}})
		f.ready(name, true)
	}
	rb := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "orders-flinkdeployment"}}
	rb.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: "flink.apache.org/v1beta1", Kind: "FlinkDeployment", Namespace: "default", Name: "orders"}
	rb.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "east"}}
	rb, err = karmada.SetPolicy(rb, policy)
	require.NoError(t, err)
	f.rb = stored(t, rb)
	return f
}

func (f *federation) ready(name string, ready bool) {
	status := metav1.ConditionFalse
	if ready {
		status = metav1.ConditionTrue
	}
	for i := range f.clusters {
		if f.clusters[i].Name == name {
			f.clusters[i].Status.Conditions = []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionReady, Status: status}}
		}
	}
}

func (f *federation) report(cluster string, health workv1alpha2.ResourceHealth, status string) {
	items := slices.DeleteFunc(f.rb.Status.AggregatedStatus, func(i workv1alpha2.AggregatedStatusItem) bool { return i.ClusterName == cluster })
	f.rb.Status.AggregatedStatus = append(items, workv1alpha2.AggregatedStatusItem{
		ClusterName: cluster, Applied: true, Health: health, Status: &runtime.RawExtension{Raw: []byte(status)},
	})
}

// reconcile is one pass of the controller, and then one of Karmada's binding controller.
func (f *federation) reconcile(after time.Duration) {
	f.t.Helper()
	f.now = f.now.Add(after)
	var works []workv1alpha1.Work
	for cluster := range f.works {
		works = append(works, workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: karmada.ExecutionNamespace(cluster)}})
	}
	in, err := karmada.Input(f.rb, karmada.Observed{Now: f.now, Clusters: f.clusters, Works: works, Template: f.template})
	require.NoError(f.t, err)
	f.out, err = failover.Plan(in)
	require.NoError(f.t, err)
	next, err := karmada.Output(f.rb, f.out)
	require.NoError(f.t, err)
	f.rb = stored(f.t, next)
	for cluster := range f.works {
		if !helper.ObtainBindingSpecExistingClusters(f.rb.Spec).Has(cluster) {
			f.deleting[cluster] = true
		}
	}
	for _, place := range f.out.Placements {
		manifest, err := karmada.Render(f.template, place)
		require.NoError(f.t, err)
		if manifest != nil {
			f.works[place.Cluster] = manifest
		}
	}
}

// deleted lets the execution controller finish where it can reach the cluster.
func (f *federation) deleted() {
	for _, c := range f.clusters {
		if f.deleting[c.Name] && c.Status.Conditions[0].Status == metav1.ConditionTrue {
			delete(f.works, c.Name)
			delete(f.deleting, c.Name)
		}
	}
}

func savepoint(manifest *unstructured.Unstructured) string {
	path, _, _ := unstructured.NestedString(manifest.Object, "spec", "job", "initialSavepointPath")
	return path
}

func directly() failover.Behavior {
	return failover.Behavior{Application: &failover.ApplicationBehavior{
		PurgeMode:          purge.Directly,
		DecisionConditions: failover.DecisionConditions{TolerationSeconds: ptr(int32(120)), MaxFailovers: ptr(int32(3))},
		StatePreservation: &preservation.StatePreservation{Rules: []preservation.Rule{{
			JSONPath: "{.jobStatus.savepoint}", Target: preservation.Field, FieldPath: ".spec.job.initialSavepointPath",
		}}},
	}}
}

// A job whose cluster is lost starts on the other one from its savepoint, and not before
// the old copy is gone, though an API server of Karmada prunes what it does not know.
func TestMoveThroughKarmadasSchema(t *testing.T) {
	t.Parallel()
	f := newFederation(t, directly())
	f.reconcile(0)
	require.Empty(t, savepoint(f.works["east"]))
	f.report("east", workv1alpha2.ResourceHealthy, `{"jobStatus":{"savepoint":"s3p://chk-7"}}`)
	f.reconcile(time.Minute)
	f.report("east", workv1alpha2.ResourceUnhealthy, `{"jobStatus":{"savepoint":"s3p://chk-8"}}`)
	f.reconcile(time.Minute)
	require.Equal(t, failover.Wait, f.out.Decisions[0].Outcome)

	f.ready("east", false)
	f.reconcile(2 * time.Minute)
	require.Empty(t, f.rb.Spec.Clusters, "the scheduler is to pick another")
	require.Equal(t, policyv1alpha1.PurgeModeDirectly, f.rb.Spec.GracefulEvictionTasks[0].PurgeMode)
	require.Contains(t, f.rb.Annotations[karmada.StateAnnotation], "s3p://chk-8")
	require.True(t, f.deleting["east"])

	f.rb.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "west"}}
	for range 3 {
		f.deleted()
		f.reconcile(time.Hour)
		require.Equal(t, failover.Hold, f.out.Placements[0].Action, "nobody knows whether the job on east runs")
		require.NotContains(t, f.works, "west")
	}

	f.ready("east", true)
	f.deleted()
	f.reconcile(time.Minute)
	require.Equal(t, "s3p://chk-8", savepoint(f.works["west"]))
	f.rb.Status.AggregatedStatus = nil
	f.report("west", workv1alpha2.ResourceHealthy, `{"jobStatus":{"savepoint":"s3p://chk-9"}}`)
	f.reconcile(time.Minute)
	require.Empty(t, f.rb.Spec.GracefulEvictionTasks)
	require.NotContains(t, f.rb.Annotations, karmada.StateAnnotation)
	require.Equal(t, "s3p://chk-8", savepoint(f.works["west"]), "taking a field back would restart the job")

	read, err := karmada.Read(f.rb)
	require.NoError(t, err)
	sameAsJSON(t, directly(), read.Policy)
	require.Equal(t, failover.OutcomeFinished, read.Record.History[0].Outcome)
}

// Under Gracefully the old copy stays until the new one is healthy, and then Karmada
// removes its Work because the binding names the cluster nowhere.
func TestGracefullyDropsTheTaskToDelete(t *testing.T) {
	t.Parallel()
	f := newFederation(t, failover.Behavior{Application: &failover.ApplicationBehavior{
		DecisionConditions: failover.DecisionConditions{TolerationSeconds: ptr(int32(0))},
	}})
	f.reconcile(0)
	f.report("east", workv1alpha2.ResourceUnhealthy, `{}`)
	f.reconcile(time.Minute)
	require.Len(t, f.rb.Spec.GracefulEvictionTasks, 1)
	f.rb.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "west"}}
	f.reconcile(time.Minute)
	require.Contains(t, f.works, "west")
	require.Empty(t, f.deleting)
	f.report("west", workv1alpha2.ResourceHealthy, `{}`)
	f.reconcile(time.Minute)
	require.Empty(t, f.rb.Spec.GracefulEvictionTasks)
	require.Equal(t, map[string]bool{"east": true}, f.deleting)
}

// What a person edits wins over what was kept.
func TestEditsWin(t *testing.T) {
	t.Parallel()
	f := newFederation(t, directly())
	read := func() failover.Behavior {
		t.Helper()
		got, err := karmada.Read(f.rb)
		require.NoError(t, err)
		return got.Policy
	}
	require.Equal(t, int32(3), *read().Application.DecisionConditions.MaxFailovers)
	f.rb.Spec.Failover.Application.PurgeMode = policyv1alpha1.PurgeModeGracefully
	require.Nil(t, read().Application.DecisionConditions.MaxFailovers)
	f.reconcile(0)
	f.rb.Spec.Failover.Application.PurgeMode = policyv1alpha1.PurgeModeDirectly
	require.Nil(t, read().Application.DecisionConditions.MaxFailovers, "an edit that is taken back brings nothing back")
	f.rb.Spec.Failover = nil
	require.Nil(t, read().Application)
}

// Karmada's schema has no cluster mode Never: it is kept beside one that it has.
func TestClusterModeNeverIsKept(t *testing.T) {
	t.Parallel()
	f := newFederation(t, failover.Behavior{Cluster: &failover.ClusterBehavior{PurgeMode: purge.Never}})
	require.Equal(t, policyv1alpha1.PurgeModeGracefully, f.rb.Spec.Failover.Cluster.PurgeMode)
	got, err := karmada.Read(f.rb)
	require.NoError(t, err)
	require.Equal(t, purge.Never, got.Policy.Cluster.PurgeMode)
}

// A policy can be taken away, and is then gone.
func TestPolicyIsRemoved(t *testing.T) {
	t.Parallel()
	f := newFederation(t, directly())
	next, err := karmada.SetPolicy(f.rb, failover.Behavior{})
	require.NoError(t, err)
	require.NotContains(t, next.Annotations, karmada.KeptAnnotation)
	got, err := karmada.Read(next)
	require.NoError(t, err)
	sameAsJSON(t, failover.Behavior{}, got.Policy)
}

// What cannot be read is an error, and none quotes what it read.
func TestUnreadableAnnotations(t *testing.T) {
	t.Parallel()
	for annotation, texts := range map[string][]string{
		karmada.RecordAnnotation: {"", "secret", `{"secret":1}`, `{"version":2}`, `{}{}`, `[]`},
		karmada.KeptAnnotation:   {"", "secret", `{"secret":1}`, `{"tasks":[]}`, `{} x`},
		karmada.StateAnnotation:  {"", "secret", `{"east/":{"secret":1}}`, `{"east/":"secret"}`},
	} {
		for _, text := range texts {
			f := newFederation(t, failover.Behavior{})
			f.rb.Annotations = map[string]string{annotation: text}
			_, err := karmada.Input(f.rb, karmada.Observed{Now: f.now})
			require.Error(t, err, "%s %s", annotation, text)
			require.NotContains(t, err.Error(), "secret")
		}
	}
}

// Output refuses what an API server would refuse, before anything is written.
func TestAnnotationsHaveALimit(t *testing.T) {
	t.Parallel()
	f := newFederation(t, directly())
	f.rb.Annotations["example.com/large"] = string(make([]byte, preservation.MaxAnnotationsBytes))
	_, err := karmada.Output(f.rb, failover.PlanOutput{})
	require.ErrorContains(t, err, "256 KiB")
	_, err = karmada.SetPolicy(f.rb, failover.Behavior{})
	require.ErrorContains(t, err, "256 KiB")
}

// No Work means no copy only where Karmada deletes the copy first.
func TestPresence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ready, work, preserve bool
		want                  purge.Presence
		reason                string
	}{
		"work":           {true, true, false, purge.Present, "the copy is there, or comes"},
		"no work":        {true, false, false, purge.Gone, "the finalizer of the Work waits for the deletion"},
		"not ready":      {false, true, false, purge.Unknown, "nobody can look"},
		"taken out":      {false, false, false, purge.Unknown, "a Work goes with its cluster, the copy does not"},
		"preserved":      {true, false, true, purge.Unknown, "the Work goes and the copy stays"},
		"preserved work": {true, true, true, purge.Present, "the Work is there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFederation(t, failover.Behavior{})
			f.ready("east", c.ready)
			f.rb.Spec.PreserveResourcesOnDeletion = &c.preserve
			f.rb.Spec.RequiredBy = []workv1alpha2.BindingSnapshot{{Clusters: []workv1alpha2.TargetCluster{{Name: "north"}}}}
			o := karmada.Observed{Now: f.now, Clusters: f.clusters, Fenced: map[string]bool{"east": true}}
			if c.work {
				o.Works = []workv1alpha1.Work{{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-es-east"}}}
			}
			in, err := karmada.Input(f.rb, o)
			require.NoError(t, err)
			require.Equal(t, failover.ClusterFacts{Presence: c.want, Fenced: true, TaintsKnown: true}, in.Clusters["east"], c.reason)
			require.Equal(t, failover.ClusterFacts{RequiredByOthers: true}, in.Clusters["north"])
		})
	}
}

// What kubectl printed is what Karmada 1.16 stores: the types know every field, and its
// schema prunes and refuses nothing.
func TestDryRunReadsWhatKarmadaWrites(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../dryrun/testdata/kubectl/binding.yaml")
	require.NoError(t, err)
	var rb workv1alpha2.ResourceBinding
	require.NoError(t, yaml.UnmarshalStrict(data, &rb))
	var object map[string]any
	require.NoError(t, yaml.Unmarshal(data, &object))
	require.Empty(t, admit(t, object))
	require.NotEmpty(t, rb.Status.AggregatedStatus)
	data, err = os.ReadFile("../dryrun/testdata/kubectl/clusters.yaml")
	require.NoError(t, err)
	var list struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ListMeta           `json:"metadata"`
		Items           []clusterv1alpha1.Cluster `json:"items"`
	}
	require.NoError(t, yaml.UnmarshalStrict(data, &list))
	require.Len(t, list.Items, 3)

	in, err := karmada.Input(&rb, karmada.Observed{Now: start(), Clusters: list.Items})
	require.NoError(t, err)
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	require.True(t, in.Scheduled)
	require.NotEmpty(t, in.Tolerations)
	require.Contains(t, string(raw), "cluster.karmada.io/not-ready", "the taint is read")
}
