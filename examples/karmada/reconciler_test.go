package karmada_test

import (
	"context"
	"os"
	"testing"
	"time"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	workv1alpha1 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/examples/karmada"
	"github.com/carryover-io/carryover/failover"
)

// host is a reconciler over a fake API server that holds what kubectl printed.
type host struct {
	*karmada.Reconciler
	t      *testing.T
	now    time.Time
	events *record.FakeRecorder
	writes int
	fail   error // of the next write
}

var key = client.ObjectKey{Namespace: "streaming", Name: "payments-flinkdeployment"}

func newHost(t *testing.T) *host {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, workv1alpha2.Install(scheme))
	require.NoError(t, workv1alpha1.Install(scheme))
	require.NoError(t, clusterv1alpha1.Install(scheme))
	read := func(name string, out any) {
		data, err := os.ReadFile("../dryrun/testdata/kubectl/" + name)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(data, out))
	}
	var rb workv1alpha2.ResourceBinding
	var clusters clusterv1alpha1.ClusterList
	template := &unstructured.Unstructured{}
	read("binding.yaml", &rb)
	read("clusters.yaml", &clusters)
	read("flinkdeployment.yaml", &template.Object)
	work := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{
		Namespace: karmada.ExecutionNamespace("member1"), Name: "payments",
		Labels: map[string]string{workv1alpha2.ResourceBindingPermanentIDLabel: rb.Labels[workv1alpha2.ResourceBindingPermanentIDLabel]},
	}}
	h := &host{t: t, now: time.Date(2025, time.January, 10, 12, 0, 0, 0, time.UTC), events: record.NewFakeRecorder(100)}
	server := fake.NewClientBuilder().WithScheme(scheme).WithObjects(&rb, template, work).WithLists(&clusters).
		WithInterceptorFuncs(interceptor.Funcs{Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if err := h.fail; err != nil {
				h.fail = nil
				return err
			}
			h.writes++
			return c.Update(ctx, o, opts...)
		}}).Build()
	h.Reconciler = &karmada.Reconciler{Client: server, Events: h.events, Now: func() time.Time { return h.now }}
	return h
}

func (h *host) reconcile() reconcile.Result {
	h.t.Helper()
	result, err := h.Reconcile(h.t.Context(), reconcile.Request{NamespacedName: key})
	require.NoError(h.t, err)
	return result
}

func (h *host) binding() *workv1alpha2.ResourceBinding {
	h.t.Helper()
	rb := &workv1alpha2.ResourceBinding{}
	require.NoError(h.t, h.Client.Get(h.t.Context(), key, rb))
	return rb
}

// change is what others write.
func (h *host) change(change func(*workv1alpha2.ResourceBinding)) {
	h.t.Helper()
	rb := h.binding()
	change(rb)
	require.NoError(h.t, h.Client.Update(h.t.Context(), rb))
}

// The binding that kubectl printed leaves the cluster that is not ready when its taint is
// not tolerated any more, and member2 gets a Work once member1 has none.
func TestReconcilerMovesABinding(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	require.Equal(t, 2*time.Minute, h.reconcile().RequeueAfter, "300 s from 11:57")
	require.Len(t, h.binding().Spec.Clusters, 1)
	writes := h.writes
	require.Equal(t, 2*time.Minute, h.reconcile().RequeueAfter)
	require.Equal(t, writes, h.writes, "nothing changed, so nothing is written")

	h.now = h.now.Add(2 * time.Minute)
	h.fail = apierrors.NewConflict(workv1alpha2.SchemeGroupVersion.WithResource("resourcebindings").GroupResource(), key.Name, nil)
	_, err := h.Reconcile(t.Context(), reconcile.Request{NamespacedName: key})
	require.True(t, apierrors.IsConflict(err))
	require.Empty(t, h.binding().Spec.GracefulEvictionTasks)
	_, settled, err := h.Placements(t.Context(), h.binding())
	require.NoError(t, err)
	require.False(t, settled, "a plan that is not written makes no Work")

	h.reconcile()
	rb := h.binding()
	require.Empty(t, rb.Spec.Clusters)
	require.Equal(t, map[string]string{"resourcebinding.karmada.io/flink-job-id": "8f6f0b9a0f6d4c0b8c5ad7d0b7e4f311"},
		rb.Spec.GracefulEvictionTasks[0].PreservedLabelState)
	require.Contains(t, <-h.events.Events, "TaintToleratedUntil")
	require.Contains(t, <-h.events.Events, "Warning TaintUntolerated")

	h.change(func(rb *workv1alpha2.ResourceBinding) {
		rb.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "member2", Replicas: 3}}
	})
	h.now = h.now.Add(time.Second)
	h.reconcile()
	places, settled, err := h.Placements(t.Context(), h.binding())
	require.NoError(t, err)
	require.True(t, settled)
	require.Equal(t, failover.Hold, places[0].Action, "member1 cannot be asked")

	var clusters clusterv1alpha1.ClusterList
	require.NoError(t, h.Client.List(t.Context(), &clusters))
	for _, c := range clusters.Items {
		c.Status.Conditions[0].Status = metav1.ConditionTrue
		require.NoError(t, h.Client.Update(t.Context(), &c))
	}
	require.NoError(t, h.Client.DeleteAllOf(t.Context(), &workv1alpha1.Work{}, client.InNamespace(karmada.ExecutionNamespace("member1"))))
	h.now = h.now.Add(time.Second)
	_, settled, err = h.Placements(t.Context(), h.binding())
	require.NoError(t, err)
	require.False(t, settled, "the delivery is to be remembered first")
	h.reconcile()
	places, settled, err = h.Placements(t.Context(), h.binding())
	require.NoError(t, err)
	require.True(t, settled)
	manifest, err := karmada.Render(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "payments"}}}, places[0])
	require.NoError(t, err)
	require.Equal(t, "8f6f0b9a0f6d4c0b8c5ad7d0b7e4f311", manifest.GetLabels()["resourcebinding.karmada.io/flink-job-id"])
}

// What cannot be read is not retried until somebody changes it, and a binding that is
// not there needs nothing.
func TestReconcilerGivesUp(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	result, err := h.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "none"}})
	require.NoError(t, err)
	require.Zero(t, result)
	h.change(func(rb *workv1alpha2.ResourceBinding) {
		rb.Annotations[karmada.RecordAnnotation] = `{"version":2}`
	})
	_, err = h.Reconcile(t.Context(), reconcile.Request{NamespacedName: key})
	require.ErrorIs(t, err, reconcile.TerminalError(nil))
	_, _, err = h.Placements(t.Context(), h.binding())
	require.Error(t, err)
}
