package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/controller"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

const (
	patience = 90 * time.Second
	// The state that travels: an epoch in milliseconds, which a float spoils, and a path,
	// which is no label.
	checkpointLabel = "flink.example.com/checkpoint-time"
	checkpointTime  = 1734462491693
	savepoint       = "s3p://bucket/team/savepoint-e6fdb5"
)

var flinkKind = schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"}

// story is one namespace on all servers.
type story struct {
	*testing.T
	*servers
	ns string
}

func newStory(t *testing.T) *story {
	t.Helper()
	w := needServers(t)
	name := strings.ToLower(strings.Map(func(r rune) rune {
		if r == '/' || r == '_' {
			return '-'
		}
		return r
	}, t.Name()))
	s := &story{T: t, servers: w, ns: name[:min(len(name), 60)]}
	for _, one := range []*server{w.host, w.members["east"], w.members["west"]} {
		s.must(one.admin.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.ns}}))
	}
	t.Cleanup(func() {
		if t.Failed() {
			s.dump()
		}
	})
	for _, cluster := range []string{"east", "west"} { // else the first one that is gets the application
		s.isReady(cluster, "True")
	}
	return s
}

func (s *story) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// eventually waits for something to come true, and says at the end what was missing.
func (s *story) eventually(what string, check func() error) {
	s.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			s.Fatalf("%s: %v", what, err)
		}
		<-tick.C
	}
}

// state is what all policies of the stories carry.
func carrying() *preservation.StatePreservation {
	return &preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: checkpointLabel, JSONPath: "{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}"},
		{JSONPath: "{.jobStatus.upgradeSavepointPath}", Target: preservation.Field, FieldPath: ".spec.job.initialSavepointPath"},
	}}
}

// policy stores a policy that acts at once, in one mode.
func (s *story) policy(name string, spec failover.Behavior) {
	s.Helper()
	s.must(s.host.admin.Create(context.Background(), &v1alpha1.FailoverPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: name}, Spec: spec,
	}))
}

func job(name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": name, "labels": map[string]any{"app": name}},
		"spec": map[string]any{
			"image": "registry.example.com/orders:4.2", "flinkVersion": "v1_17",
			"job": map[string]any{"jarURI": "local:///opt/orders.jar", "parallelism": int64(4), "upgradeMode": "last-state"},
		},
	}}
	object.SetGroupVersionKind(flinkKind)
	return object
}

// placement stores one placement, for east and, if that fails, west.
func (s *story) placement(name, policy string, change ...func(*v1alpha1.Placement)) {
	s.Helper()
	s.must(s.host.admin.Create(context.Background(), s.manifest(name, policy, change...)))
}

func (s *story) manifest(name, policy string, change ...func(*v1alpha1.Placement)) *v1alpha1.Placement {
	s.Helper()
	raw, err := job(name).MarshalJSON()
	s.must(err)
	p := &v1alpha1.Placement{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: name},
		Spec: v1alpha1.PlacementSpec{
			Template: runtime.RawExtension{Raw: raw}, PolicyName: policy, AllowedClusters: []string{"east", "west"},
		},
	}
	for _, one := range change {
		one(p)
	}
	return p
}

func (s *story) get(name string) *v1alpha1.Placement {
	s.Helper()
	var p v1alpha1.Placement
	s.must(s.host.admin.Get(context.Background(), client.ObjectKey{Namespace: s.ns, Name: name}, &p))
	return &p
}

// edit changes a placement as a person does, against the operator that writes too.
func (s *story) edit(name string, change func(*v1alpha1.Placement)) {
	s.Helper()
	s.eventually("editing "+name, func() error {
		p := s.get(name)
		change(p)
		return s.host.admin.Update(context.Background(), p)
	})
}

// on reads a copy; nil = there is none.
func (s *story) on(cluster, name string) *unstructured.Unstructured {
	s.Helper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(flinkKind)
	err := s.members[cluster].admin.Get(context.Background(), client.ObjectKey{Namespace: s.ns, Name: name}, object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	s.must(err)
	return object
}

func (s *story) isOn(cluster, name string) {
	s.Helper()
	s.eventually(name+" comes to "+cluster, func() error {
		if s.on(cluster, name) == nil {
			return fmt.Errorf("it is not there")
		}
		return nil
	})
}

func (s *story) leaves(cluster, name string) {
	s.Helper()
	s.eventually(name+" leaves "+cluster, func() error {
		if s.on(cluster, name) != nil {
			return fmt.Errorf("it is there")
		}
		return nil
	})
}

// reports plays the Flink operator of a member: it writes the status of the job.
func (s *story) reports(cluster, name, state string) {
	s.Helper()
	s.must(s.report(cluster, name, state))
}

func (s *story) report(cluster, name, state string) error {
	object := s.on(cluster, name)
	if object == nil {
		return fmt.Errorf("no copy of %s on %s", name, cluster)
	}
	object.Object["status"] = map[string]any{"jobStatus": map[string]any{
		"state": state, "jobId": "e6fdb5c0997c11b0c62d796b3df25e86", "upgradeSavepointPath": savepoint,
		"checkpointInfo": map[string]any{"lastCheckpoint": map[string]any{"timeStamp": int64(checkpointTime)}},
	}}
	return s.members[cluster].admin.Status().Update(context.Background(), object)
}

// runs brings a job up on a cluster, and waits until the operator saw it.
func (s *story) runs(cluster, name string) {
	s.Helper()
	s.isOn(cluster, name)
	s.reports(cluster, name, "RUNNING")
	s.eventually(name+" is seen on "+cluster, s.known(name, cluster))
}

// known says whether the operator saw the job healthy on a cluster.
func (s *story) known(name, cluster string) func() error {
	return func() error {
		record := s.get(name).Status.Record
		for _, c := range record.Clusters {
			if c.Name == cluster && c.HealthySince != nil {
				return nil
			}
		}
		return fmt.Errorf("record: %s", asText(record))
	}
}

// settles waits until nothing moves any more, and the application is on the clusters.
func (s *story) settles(name string, clusters ...string) *v1alpha1.Placement {
	s.Helper()
	var p *v1alpha1.Placement
	s.eventually(name+" settles on "+strings.Join(clusters, ", "), func() error {
		p = s.get(name)
		var got []string
		for _, target := range p.Spec.Clusters {
			got = append(got, target.Name)
		}
		if !slices.Equal(got, clusters) || len(p.Spec.GracefulEvictionTasks) > 0 || !meta.IsStatusConditionTrue(p.Status.Conditions, controller.Settled) {
			return fmt.Errorf("targets %v, tasks %d, conditions %s", got, len(p.Spec.GracefulEvictionTasks), asText(p.Status.Conditions))
		}
		return nil
	})
	return p
}

// waitsFor waits until the condition gives the reason.
func (s *story) waitsFor(name, reason string) {
	s.Helper()
	s.eventually(name+" waits for "+reason, func() error {
		c := meta.FindStatusCondition(s.get(name).Status.Conditions, controller.Settled)
		if c == nil || c.Reason != reason {
			return fmt.Errorf("the condition is %s", asText(c))
		}
		return nil
	})
}

// received checks that the copy has the state as it has to be; carried = false: none.
func (s *story) received(object *unstructured.Unstructured, carried bool) {
	s.Helper()
	path, _, err := unstructured.NestedString(object.Object, "spec", "job", "initialSavepointPath")
	s.must(err)
	label := object.GetLabels()[checkpointLabel]
	want, wantLabel := "", ""
	if carried {
		want, wantLabel = savepoint, fmt.Sprint(int64(checkpointTime))
	}
	if path != want || label != wantLabel {
		s.Errorf("the copy has the path %q and the label %q, want %q and %q", path, label, want, wantLabel)
	}
}

func asText(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// dump tells about a story that failed.
func (s *story) dump() {
	var list v1alpha1.PlacementList
	if err := s.host.admin.List(context.Background(), &list, client.InNamespace(s.ns)); err == nil {
		for i := range min(len(list.Items), 3) {
			list.Items[i].ManagedFields = nil
			text, _ := yaml.Marshal(list.Items[i])
			s.Logf("%s", text)
		}
	}
	if log, err := os.ReadFile(s.running.log); err == nil {
		s.Logf("the end of the operator's log:\n%s", log[max(0, len(log)-4000):])
	}
}

func objectKey(namespace, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: name}
}

// refused is nil if the API server refused for the reason.
func refused(err error, want string) error {
	if apierrors.IsInvalid(err) && strings.Contains(err.Error(), want) {
		return nil
	}
	return fmt.Errorf("want a refusal with %q, got %w", want, err)
}

// counts reads a number from the metrics of the operator, which must not be zero.
func (s *story) counts(series string) {
	s.Helper()
	s.eventually("the metric "+series, func() error {
		if got := s.running.sum(s.T, series); got <= 0 {
			return fmt.Errorf("it is %g", got)
		}
		return nil
	})
}

// sum adds all series that begin so; 0 where there is none.
func (o *operator) sum(t *testing.T, prefix string) float64 {
	t.Helper()
	response, err := http.Get("http://" + o.metrics + "/metrics")
	if err != nil {
		return 0
	}
	defer func() { _ = response.Body.Close() }() // it was read
	var sum float64
	for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
		fields := strings.Fields(scanner.Text())
		if len(fields) != 2 || !strings.HasPrefix(fields[0], prefix) {
			continue
		}
		value, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += value
	}
	return sum
}

// told checks that the operator recorded events with the reasons.
func (s *story) told(name string, reasons ...string) {
	s.Helper()
	for _, reason := range reasons {
		s.eventually("the event "+reason, func() error {
			var list corev1.EventList
			s.must(s.host.admin.List(context.Background(), &list, client.InNamespace(s.ns)))
			var got []string
			for _, e := range list.Items {
				if e.InvolvedObject.Name != name {
					continue
				}
				if e.Reason == reason {
					return nil
				}
				got = append(got, e.Reason)
			}
			return fmt.Errorf("there are only %v", got)
		})
	}
}

// isGone waits until a placement is no more.
func (s *story) isGone(name string) {
	s.Helper()
	s.eventually(name+" is gone", func() error {
		err := s.host.admin.Get(context.Background(), objectKey(s.ns, name), &v1alpha1.Placement{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there (%w)", err)
	})
}
