package compare_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/karmada-io/karmada/pkg/controllers/gracefuleviction"
	"github.com/karmada-io/karmada/pkg/util"
	"github.com/karmada-io/karmada/pkg/util/helper"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/jsonpath"
	controllerruntime "sigs.k8s.io/controller-runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// ruleSets are what the benchmarks read. All values are legal labels on both sides,
// but for the second plain one, which Karmada writes as 1.753948861123e+12.
var ruleSets = []struct {
	name  string
	paths []string
}{
	{"1plain", []string{"{.jobStatus.jobId}"}},
	{"3plain", []string{"{.jobStatus.jobId}", "{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}", "{.observedGeneration}"}},
	{"1filter", []string{`{.conditions[?(@.type=="Running")].reason}`}},
	{"1wildcard", []string{"{.conditions[*].type}"}},
	{"3mixed", []string{"{.jobStatus.jobId}", `{.conditions[?(@.type=="Running")].reason}`, "{.conditions[-1].status}"}},
}

func rulesOf(paths []string) []preservation.Rule {
	rules := make([]preservation.Rule, len(paths))
	for i, path := range paths {
		rules[i] = preservation.Rule{AliasLabelName: label(i), JSONPath: path, Join: "-"}
	}
	return rules
}

func compile(b *testing.B, paths []string) *preservation.Extractor {
	b.Helper()
	x, err := preservation.Compile(preservation.StatePreservation{Rules: rulesOf(paths)}, preservation.Protection{})
	require.NoError(b, err)
	return x
}

// BenchmarkExtract is a status as bytes: Karmada, this library, and json.Valid, which
// is what nobody who checks the bytes can beat by much.
func BenchmarkExtract(b *testing.B) {
	for _, size := range []struct {
		name        string
		checkpoints int
	}{{"1KB", 0}, {"100KB", 800}} {
		status := flinkStatus(size.checkpoints)
		b.Run("status="+size.name+"/by=valid", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				json.Valid(status)
			}
		})
		for _, set := range ruleSets {
			name := fmt.Sprintf("status=%s/rules=%s", size.name, set.name)
			b.Run(name+"/by=karmada", func(b *testing.B) {
				rules := karmadaRules(set.paths...)
				_, err := helper.BuildPreservedLabelState(rules, status)
				require.NoError(b, err)
				b.ReportAllocs()
				for b.Loop() {
					_, _ = helper.BuildPreservedLabelState(rules, status)
				}
			})
			b.Run(name+"/by=carryover", func(b *testing.B) {
				x := compile(b, set.paths)
				in := preservation.Sources{Status: preservation.RawDocument(status)}
				_, err := x.Extract(in)
				require.NoError(b, err)
				b.ReportAllocs()
				for b.Loop() {
					_, _ = x.Extract(in)
				}
			})
		}
	}
}

// BenchmarkDecoded is a status that was decoded already: client-go's evaluation of
// parsed templates, and this library.
func BenchmarkDecoded(b *testing.B) {
	var status map[string]any
	require.NoError(b, json.Unmarshal(flinkStatus(0), &status))
	for _, set := range ruleSets {
		name := "rules=" + set.name
		b.Run(name+"/by=clientgo", func(b *testing.B) {
			var parsed []*jsonpath.JSONPath
			for _, path := range set.paths {
				j := jsonpath.New("x").AllowMissingKeys(false)
				require.NoError(b, j.Parse(path))
				parsed = append(parsed, j)
			}
			b.ReportAllocs()
			for b.Loop() {
				labels := make(map[string]string, len(parsed))
				for i, j := range parsed {
					var out bytes.Buffer
					_ = j.Execute(&out, status)
					labels[set.paths[i]] = out.String()
				}
			}
		})
		b.Run(name+"/by=carryover", func(b *testing.B) {
			x := compile(b, set.paths)
			in := preservation.Sources{Status: preservation.ObjectDocument(status)}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = x.Extract(in)
			}
		})
	}
}

// BenchmarkEvict evicts one of three targets, beside two tasks. Karmada's function
// changes what it is given, so that its callers copy the binding first.
func BenchmarkEvict(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	spec := workv1alpha2.ResourceBindingSpec{
		Clusters:              []workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}, {Name: "b", Replicas: 2}, {Name: "c", Replicas: 2}},
		GracefulEvictionTasks: []workv1alpha2.GracefulEvictionTask{randomTask(random, "d"), randomTask(random, "e")},
	}
	e := eviction.Eviction{
		FromCluster: "b", PurgeMode: purge.Directly, Reason: "ApplicationFailure", Producer: "x",
		PreservedLabelState: map[string]string{"example.com/job": "e6fd"},
	}
	b.Run("by=karmada", func(b *testing.B) {
		options := karmadaOptions(e)
		b.ReportAllocs()
		for b.Loop() {
			spec.DeepCopy().GracefulEvictCluster(e.FromCluster, options)
		}
	})
	b.Run("by=carryover", func(b *testing.B) {
		in := eviction.EvictInput{
			Targets: convert[[]eviction.TargetCluster](b, spec.Clusters), Tasks: convert[[]eviction.Task](b, spec.GracefulEvictionTasks),
			Evictions: []eviction.Eviction{e}, Now: now,
		}
		b.ReportAllocs()
		for b.Loop() {
			_, _ = eviction.Evict(in)
		}
	})
}

// BenchmarkAssess assesses two tasks whose replacements are not healthy yet. Karmada's
// assessment is not exported: its side reads the binding twice from memory as well.
func BenchmarkAssess(b *testing.B) {
	clock := time.Now().Truncate(time.Second)
	at := metav1.NewTime(clock.Add(-time.Minute))
	binding := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{
		Clusters: []workv1alpha2.TargetCluster{{Name: "a"}},
		GracefulEvictionTasks: []workv1alpha2.GracefulEvictionTask{
			{FromCluster: "b", PurgeMode: "Gracefully", CreationTimestamp: &at}, {FromCluster: "c", PurgeMode: "Gracefully", CreationTimestamp: &at},
		},
	}}
	binding.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: "a", Applied: true, Health: workv1alpha2.ResourceUnhealthy}}
	b.Run("by=karmada", func(b *testing.B) {
		s := &store{binding: binding}
		controller := gracefuleviction.RBGracefulEvictionController{Client: s, EventRecorder: &record.FakeRecorder{}, GracefulEvictionTimeout: 10 * time.Minute}
		b.ReportAllocs()
		for b.Loop() {
			_, _ = controller.Reconcile(context.Background(), controllerruntime.Request{})
		}
	})
	b.Run("by=carryover", func(b *testing.B) {
		in := eviction.AssessInput{
			Tasks: convert[[]eviction.Task](b, binding.Spec.GracefulEvictionTasks), Targets: convert[[]eviction.TargetCluster](b, binding.Spec.Clusters),
			Items: convert[[]eviction.AggregatedStatusItem](b, binding.Status.AggregatedStatus), Scheduled: true, Now: clock,
		}
		b.ReportAllocs()
		for b.Loop() {
			eviction.Apply(in.Tasks, eviction.Assess(in).Decisions, eviction.ApplyOptions{DropOnPurge: true})
		}
	})
}

// BenchmarkInject writes three labels into a manifest. Karmada copies the manifest and
// merges each label; this library also checks what it copies and writes.
func BenchmarkInject(b *testing.B) {
	for _, size := range []struct {
		name      string
		variables int
	}{{"1KB", 4}, {"100KB", 1_400}} {
		manifest := flinkManifest(size.variables)
		labels := map[string]string{"example.com/job": "e6fd1d0c2b9a4f7c", "example.com/checkpoint": "1753948861123", "example.com/generation": "7"}
		b.Run("manifest="+size.name+"/by=karmada", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copied := manifest.DeepCopy()
				for key, value := range labels {
					util.MergeLabel(copied, key, value)
				}
			}
		})
		b.Run("manifest="+size.name+"/by=carryover", func(b *testing.B) {
			state := preservation.State{Labels: labels}
			_, _, err := preservation.Inject(manifest, state, preservation.InjectOptions{})
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = preservation.Inject(manifest, state, preservation.InjectOptions{})
			}
		})
	}
}

// flinkManifest is a FlinkDeployment whose containers have that many variables.
func flinkManifest(variables int) *unstructured.Unstructured {
	env := make([]any, variables)
	for i := range env {
		env[i] = map[string]any{"name": fmt.Sprintf("SETTING_%d", i), "value": fmt.Sprintf("a value that is as long as many are, %d", i)}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
		"metadata": map[string]any{"name": "orders", "namespace": "default", "labels": map[string]any{"app": "orders"}},
		"spec": map[string]any{
			"image": "flink:1.20", "flinkVersion": "v1_20", "serviceAccount": "flink",
			"flinkConfiguration": map[string]any{"taskmanager.numberOfTaskSlots": "2", "state.savepoints.dir": "s3p://bucket/savepoints"},
			"jobManager":         map[string]any{"resource": map[string]any{"memory": "2048m", "cpu": int64(1)}},
			"taskManager":        map[string]any{"resource": map[string]any{"memory": "2048m", "cpu": int64(1)}},
			"podTemplate":        map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "flink-main-container", "env": env}}}},
			"job":                map[string]any{"jarURI": "local:///opt/flink/job.jar", "parallelism": int64(4), "upgradeMode": "savepoint", "state": "running"},
		},
	}}
}
