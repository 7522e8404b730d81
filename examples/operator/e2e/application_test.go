package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

func ptr[T any](v T) *T { return &v }

// failing is the policy of the stories in which the application fails.
func failing(mode purge.Mode) failover.Behavior {
	return failover.Behavior{Application: &failover.ApplicationBehavior{
		DecisionConditions: failover.DecisionConditions{TolerationSeconds: ptr(int32(1))},
		PurgeMode:          mode, StatePreservation: carrying(),
	}}
}

// hold keeps a copy from going away, as an operator with a finalizer does: the test
// decides when it is gone.
const held = "example.com/held"

func (s *story) hold(cluster, name string, on bool) {
	s.Helper()
	s.eventually("holding "+name, func() error {
		object := s.on(cluster, name)
		if object == nil {
			return fmt.Errorf("it is gone")
		}
		object.SetFinalizers(nil)
		if on {
			object.SetFinalizers([]string{held})
		}
		return s.members[cluster].admin.Update(context.Background(), object)
	})
}

// Directly: the job fails, its copy is deleted, and only once it is gone the next one
// starts, from its savepoint, with a label that a real API server accepts.
func TestApplicationFailsDirectly(t *testing.T) {
	s := newStory(t)
	s.policy("policy", failing(purge.Directly))
	s.placement("orders", "policy")
	s.runs("east", "orders")
	s.hold("east", "orders", true)
	s.reports("east", "orders", "FAILED")
	status, _, err := unstructured.NestedMap(s.on("east", "orders").Object, "status")
	s.must(err)

	s.waitsFor("orders", string(failover.OldCopyNotGone))
	if east := s.on("east", "orders"); east == nil || east.GetDeletionTimestamp() == nil {
		t.Error("P5: the old copy is not being deleted")
	}
	if s.on("west", "orders") != nil {
		t.Fatal("P5: a second copy beside one that is not gone")
	}
	s.counts("carryover_carried_states")
	s.counts("carryover_carried_state_age_seconds")
	s.hold("east", "orders", false)
	s.isOn("west", "orders")
	if s.on("east", "orders") != nil {
		t.Error("both copies are there")
	}
	s.received(s.on("west", "orders"), true)
	s.refusesKarmadasLabel(status)

	s.reports("west", "orders", "RUNNING")
	p := s.settles("orders", "west")
	s.eventually("the label ends once the copy was healthy (F7), and the field stays", func() error {
		west := s.on("west", "orders")
		if _, there := west.GetLabels()[checkpointLabel]; there {
			return fmt.Errorf("labels %v", west.GetLabels())
		}
		if path, _, _ := unstructured.NestedString(west.Object, "spec", "job", "initialSavepointPath"); path != savepoint {
			return fmt.Errorf("path %q", path)
		}
		return nil
	})
	if h := p.Status.Record.History; len(h) != 1 || h[0].From != "east" || h[0].To != "west" || h[0].Outcome != failover.OutcomeFinished {
		t.Errorf("history %s", asText(h))
	}
	s.counts(`carryover_failovers_total{cause="Application",outcome="Finished"}`)
}

// refusesKarmadasLabel extracts as Karmada does, with the standard decoder and
// client-go's JSONPath, and shows that the API server refuses the manifest.
func (s *story) refusesKarmadasLabel(status map[string]any) {
	s.Helper()
	raw, err := json.Marshal(status)
	s.must(err)
	for rule, what := range map[string]string{
		"{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}": "1.734462491693e+12",
		"{.jobStatus.upgradeSavepointPath}":                    savepoint,
	} {
		var decoded any
		s.must(json.Unmarshal(raw, &decoded))
		path := jsonpath.New("")
		s.must(path.Parse(rule))
		var value bytes.Buffer
		s.must(path.Execute(&value, decoded))
		if value.String() != what {
			s.Errorf("Karmada's extraction gives %q, this test expects %q", value.String(), what)
		}
		manifest := job("theirs")
		manifest.SetNamespace(s.ns)
		manifest.SetLabels(map[string]string{checkpointLabel: value.String()})
		if err := s.members["west"].admin.Create(context.Background(), manifest, client.DryRunAll); !apierrors.IsInvalid(err) {
			s.Errorf("the API server takes the label %q: %v", value.String(), err)
		}
	}
}

// Gracefully: both, then one. Never: both, until somebody confirms.
func TestApplicationFailsBeside(t *testing.T) {
	s := newStory(t)
	for _, mode := range []purge.Mode{purge.Gracefully, purge.Never} {
		name := lower(mode)
		s.policy(name, failing(mode))
		s.placement(name, name)
		s.runs("east", name)
		s.reports("east", name, "FAILED")
		s.isOn("west", name)
		if s.on("east", name) == nil {
			t.Errorf("%s: the old copy is gone before the new one is healthy", mode)
		}
		s.received(s.on("west", name), false) // I1: the old copy may run on with its state
		s.reports("west", name, "RUNNING")
	}
	s.leaves("east", "gracefully")
	s.settles("gracefully", "west")

	s.waitsFor("never", string(purge.Suppressed))
	if s.on("east", "never") == nil || s.on("west", "never") == nil {
		t.Fatal("P7: under Never both copies stay")
	}
	s.edit("never", func(p *v1alpha1.Placement) { p.Spec.GracefulEvictionTasks[0].SuppressDeletion = ptr(false) })
	s.leaves("east", "never")
	s.settles("never", "west")
}

// A move that somebody asks for is one like any other, and the request is taken away.
func TestPlannedMove(t *testing.T) {
	s := newStory(t)
	s.policy("policy", failing(purge.Directly))
	s.placement("orders", "policy")
	s.runs("east", "orders")
	s.edit("orders", func(p *v1alpha1.Placement) {
		p.Spec.Requests = []failover.Request{{Cluster: "east", Action: failover.RequestEvict}}
	})
	s.leaves("east", "orders")
	s.isOn("west", "orders")
	s.received(s.on("west", "orders"), true)
	s.reports("west", "orders", "RUNNING")
	if p := s.settles("orders", "west"); len(p.Spec.Requests) > 0 {
		t.Errorf("requests that were answered stay: %v", p.Spec.Requests)
	}
}

// A job that reports no savepoint is not moved without one (F6): the plan is blocked,
// and says so, until the status has what goes along.
func TestMissingStateBlocks(t *testing.T) {
	s := newStory(t)
	s.policy("policy", failing(purge.Directly))
	s.placement("orders", "policy")
	s.isOn("east", "orders")
	east := s.on("east", "orders")
	east.Object["status"] = map[string]any{"jobStatus": map[string]any{"state": "FAILED"}}
	s.must(s.members["east"].admin.Status().Update(context.Background(), east))
	s.waitsFor("orders", string(failover.MissingState))
	s.counts("carryover_blocked_plans")
	s.told("orders", string(failover.MissingState))
	if s.on("east", "orders") == nil || s.on("west", "orders") != nil {
		t.Fatal("F6: it was moved without its state")
	}
	s.reports("east", "orders", "FAILED")
	s.isOn("west", "orders")
	s.received(s.on("west", "orders"), true)
}

// What an API server refuses is told without the values that it quotes (L7), and hides
// no other cluster's copy.
func TestRefusedManifest(t *testing.T) {
	s := newStory(t)
	s.placement("orders", "", func(p *v1alpha1.Placement) {
		wrong := job("orders")
		s.must(unstructured.SetNestedField(wrong.Object, "hunter2", "spec", "job", "upgradeMode"))
		raw, err := wrong.MarshalJSON()
		s.must(err)
		p.Spec.Template.Raw = raw
	})
	s.told("orders", "ApplyFailed")
	var events corev1.EventList
	s.must(s.host.admin.List(context.Background(), &events, client.InNamespace(s.ns)))
	for _, e := range events.Items {
		if strings.Contains(e.Message, "hunter2") {
			t.Errorf("L7: the event quotes a value: %s", e.Message)
		}
		if e.Reason == "ApplyFailed" && !strings.Contains(e.Message, "spec.job.upgradeMode") {
			t.Errorf("the event does not name the field: %s", e.Message)
		}
	}
}
