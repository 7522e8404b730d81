package crd_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/internal/crd"
	"github.com/carryover-io/carryover/internal/wiretest"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// An API server takes the definition: the schema is structural, every rule compiles,
// the defaults are valid, and the cost of the rules is within its limits.
func TestAPIServerTakesTheDefinition(t *testing.T) {
	t.Parallel()
	for _, err := range validation.ValidateCustomResourceDefinition(context.Background(), definition(t)) {
		t.Error(err)
	}
}

// deepCopied finds the types that have deep copies, and so may stand in a resource.
var deepCopied = regexp.MustCompile(`(?m)^func \(\w+ \*(\w+)\) DeepCopyInto\(`)

// Every type that a resource may hold is in the resource of this test.
func TestEmbeddingHoldsEveryType(t *testing.T) {
	t.Parallel()
	held := map[string]bool{}
	collect(reflect.TypeFor[crd.Embedding](), held)
	for _, pkg := range []string{"preservation", "preservation/snapshot", "eviction", "failover"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", pkg, "*deepcopy.go"))
		require.NoError(t, err)
		if len(paths) == 0 {
			t.Errorf("%s has no deep copies", pkg)
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, name := range deepCopied.FindAllSubmatch(src, -1) {
				want := "github.com/carryover-io/carryover/" + pkg + "." + string(name[1])
				if !held[want] {
					t.Errorf("Embedding holds no %s: add a field", want)
				}
			}
		}
	}
}

func collect(of reflect.Type, held map[string]bool) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		collect(of.Elem(), held)
	case reflect.Struct:
		name := of.PkgPath() + "." + of.Name()
		if held[name] {
			return
		}
		held[name] = true
		for i := range of.NumField() {
			collect(of.Field(i).Type, held)
		}
	default: // a scalar
	}
}

// The schema knows every field of our types: an API server drops nothing.
func TestPruningDropsNothing(t *testing.T) {
	t.Parallel()
	full := wiretest.Full[crd.Embedding]()
	in, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&full)
	require.NoError(t, err)
	before := runtime.DeepCopyJSON(in)
	if pruned, _ := newServer(t).admit(t, in); len(pruned) > 0 {
		t.Errorf("pruned: %v", pruned)
	}
	if diff := cmp.Diff(before, in); diff != "" {
		t.Errorf("changed, though nothing was left open (-want +got):\n%s", diff)
	}
	in["status"].(map[string]any)["odd"] = "x"
	if pruned, _ := newServer(t).admit(t, in); !slices.Equal(pruned, []string{"status.odd"}) {
		t.Errorf("the test sees what is pruned: %v", pruned)
	}
}

// What Plan gives is admitted as it is, and read back as it was.
func TestPlansAreAdmitted(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	status := crd.Status{Targets: []eviction.TargetCluster{{Name: "east"}}}
	seconds := int32(60)
	policy := failover.Behavior{Application: &failover.ApplicationBehavior{
		DecisionConditions: failover.DecisionConditions{TolerationSeconds: &seconds},
		PurgeMode:          purge.Directly,
		StatePreservation: &preservation.StatePreservation{Rules: []preservation.Rule{
			{AliasLabelName: "example.com/job", JSONPath: "{.jobId}"},
			{Target: preservation.Field, FieldPath: ".spec.job.path", JSONPath: "{.path}"},
		}},
	}}
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	evicted := false
	for minute := range 6 {
		now := start.Add(time.Duration(minute) * time.Minute)
		observed := metav1.NewTime(now)
		status.Items = []eviction.AggregatedStatusItem{{
			ClusterName: "east", Applied: true, Health: eviction.Unhealthy, ObservedAt: &observed,
			Status: &runtime.RawExtension{Raw: []byte(`{"jobId":"ab12","path":"s3://b/chk-7"}`)},
		}}
		out, err := failover.Plan(failover.PlanInput{
			Policy: policy, Now: now, Producer: "test", Scheduled: true, Targets: status.Targets, Tasks: status.Tasks, Items: status.Items,
			Clusters:    map[string]failover.ClusterFacts{"west": {TaintsKnown: true, Taints: []failover.Taint{{Key: "a", Effect: failover.NoExecute}}}},
			Tolerations: []failover.Toleration{{Key: "a", Operator: failover.Exists, TolerationSeconds: new(int64)}}, Record: status.Record,
		})
		require.NoError(t, err)
		status = crd.Status{
			Record: out.Record, Targets: out.Targets, Tasks: out.Tasks, Items: status.Items, Decisions: out.Decisions,
			Purges: out.Purges, Placements: out.Placements, Excluded: out.Excluded, Warnings: out.Warnings, NextCheck: out.NextCheck,
		}
		if evicted = evicted || len(out.Tasks) > 0; evicted && len(status.Targets) == 0 {
			status.Targets = []eviction.TargetCluster{{Name: "west"}}
		}
		written, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&status)
		require.NoError(t, err)
		in := object(nil, written)
		if pruned, errs := s.admit(t, in); len(pruned)+len(errs) > 0 {
			t.Errorf("minute %d: pruned %v, refused %v", minute, pruned, errs)
		}
		var read crd.Embedding
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(in, &read))
		if diff := cmp.Diff(status, read.Status, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("minute %d (-written +read):\n%s", minute, diff)
		}
		status = read.Status
	}
	if !evicted || len(status.Record.Moves) == 0 {
		t.Error("nothing happened")
	}
}
