package e2e_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
)

// What could not work on the day of the failover is refused today, in our words.
func TestBadPolicies(t *testing.T) {
	s := newStory(t)
	for name, test := range map[string]struct {
		spec   string
		want   []string // parts of the message
		reason string
	}{
		"unknown-mode": {
			spec: "cluster: {purgeMode: directly}", want: []string{"spec.cluster.purgeMode", `did you mean "Directly"?`},
			reason: "P3: a misspelt mode must not become another one, and the message says which was meant",
		},
		"unparsable-path": {
			spec: `cluster: {statePreservation: {rules: [{aliasLabelName: example.com/a, jsonPath: "{.a"}]}}`,
			want: []string{"spec.cluster.statePreservation.rules[0].jsonPath", "{.a"}, reason: "S1",
		},
		"path-without-braces": {
			spec: `cluster: {statePreservation: {rules: [{aliasLabelName: example.com/a, jsonPath: "jobStatus.jobId"}]}}`,
			want: []string{"rules[0].jsonPath", "{.jobStatus.jobId}"}, reason: "S7: the hint is the template that was meant",
		},
		"duplicate-alias": {
			spec: `cluster: {statePreservation: {rules: [{aliasLabelName: example.com/a, jsonPath: "{.a}"}, {aliasLabelName: example.com/a, jsonPath: "{.b}"}]}}`,
			want: []string{"spec.cluster.statePreservation.rules", "two rules have the same aliasLabelName"}, reason: "S11: of two values for one label one would be lost",
		},
		"grace-with-directly": {
			spec: "application: {decisionConditions: {}, purgeMode: Directly, gracePeriodSeconds: 30}",
			want: []string{"spec.application.gracePeriodSeconds", "only Gracefully has a grace period"}, reason: "E5",
		},
		"our-own-label": {
			spec: `cluster: {statePreservation: {rules: [{aliasLabelName: operator.carryover.io/placement, jsonPath: "{.a}"}]}}`,
			want: []string{"rules[0].aliasLabelName", "operator.carryover.io/placement"}, reason: "S11: whose a copy is must not be overwritten",
		},
		"negative-toleration": {
			spec: "application: {decisionConditions: {tolerationSeconds: -1}}", want: []string{"spec.application.decisionConditions.tolerationSeconds", "greater than or equal to 0"}, reason: "F2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			s.must(yaml.Unmarshal([]byte("spec: {"+strings.TrimSpace(test.spec)+"}"), &object.Object))
			object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("FailoverPolicy"))
			object.SetNamespace(s.ns)
			object.SetName(name)
			err := s.host.admin.Create(t.Context(), object)
			if err == nil {
				t.Fatalf("it is stored, although: %s", test.reason)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the message has no %q (%s):\n%v", part, test.reason, err)
				}
			}
		})
	}
	t.Run("old-names-are-valid", func(t *testing.T) {
		policy := &v1alpha1.FailoverPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "old"}}
		s.must(yaml.Unmarshal([]byte("cluster: {purgeMode: Immediately}\napplication: {decisionConditions: {}, purgeMode: Graciously}"), &policy.Spec))
		s.must(s.host.admin.Create(t.Context(), policy))
		if policy.Spec.Cluster.PurgeMode != "Immediately" {
			t.Errorf("P1: what is stored is what was written, got %q", policy.Spec.Cluster.PurgeMode)
		}
	})
}

func TestBadPlacements(t *testing.T) {
	s := newStory(t)
	s.placement("orders", "")
	s.settles("orders", "east")
	for name, test := range map[string]struct {
		change func(p *unstructured.Unstructured)
		want   string
	}{
		"a name is missing": {func(p *unstructured.Unstructured) {
			unstructured.RemoveNestedField(p.Object, "spec", "template", "metadata", "name")
		}, "a copy needs the same name"},
		"another namespace": {func(p *unstructured.Unstructured) {
			s.must(unstructured.SetNestedField(p.Object, "kube-system", "spec", "template", "metadata", "namespace"))
		}, "the namespace of its placement"},
		"another object": {func(p *unstructured.Unstructured) {
			s.must(unstructured.SetNestedField(p.Object, "else", "spec", "template", "metadata", "name"))
		}, "kind and name cannot change"},
		"where it runs is forgotten": {func(p *unstructured.Unstructured) {
			unstructured.RemoveNestedField(p.Object, "spec", "clusters")
		}, "the application runs on east: to leave it, ask by spec.requests"},
		"no cluster": {func(p *unstructured.Unstructured) {
			s.must(unstructured.SetNestedSlice(p.Object, nil, "spec", "allowedClusters"))
		}, "spec.allowedClusters"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &unstructured.Unstructured{}
			p.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Placement"))
			s.eventually("refused", func() error {
				s.must(s.host.admin.Get(t.Context(), objectKey(s.ns, "orders"), p))
				test.change(p)
				return refused(s.host.admin.Update(t.Context(), p), test.want)
			})
		})
	}
}

// What people copy is valid.
func TestSamples(t *testing.T) {
	s := newStory(t)
	file, err := os.Open("../config/samples/placement.yaml")
	s.must(err)
	defer func() { _ = file.Close() }() // it was read
	decoder := yamlutil.NewYAMLOrJSONDecoder(file, 4096)
	created := 0
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		object.SetName(object.GetName() + "-sample")
		if object.GetNamespace() != "" {
			object.SetNamespace(s.ns)
		}
		if err := s.host.admin.Create(context.Background(), object, client.DryRunAll); err != nil {
			t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
		}
		created++
	}
	if created < 4 {
		t.Errorf("only %d objects", created)
	}
}
