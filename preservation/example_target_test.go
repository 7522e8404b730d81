package preservation_test

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/preservation"
)

// One rule fills the field that a Flink job starts from, and takes it back.
func ExampleRule_field() {
	rules, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{{
		JSONPath:  "s3p://ckpt/{.jobStatus.jobId}/chk-{.jobStatus.n}",
		Target:    preservation.Field,
		FieldPath: ".spec.job.initialSavepointPath",
	}}}, preservation.KarmadaProtection())
	if err != nil {
		fmt.Println(err)
		return
	}
	status := preservation.RawDocument([]byte(`{"jobStatus": {"jobId": "e6fd", "n": 7}}`))
	found, err := rules.Extract(preservation.Sources{Cluster: "east", Status: status})
	if err != nil {
		fmt.Println("do not evict yet:", err)
		return
	}
	west, report, err := preservation.Inject(flinkManifest(map[string]any{"parallelism": int64(2)}), found.State, preservation.InjectOptions{})
	if err != nil {
		fmt.Println("do not create the copy:", err)
		return
	}
	text, _ := yaml.Marshal(west.Object["spec"])
	fmt.Print(string(text))
	back, err := preservation.Remove(west, report)
	fmt.Println(back.Object["spec"], err)

	_, _, err = preservation.Inject(flinkManifest(nil), found.State, preservation.InjectOptions{})
	fmt.Println(err)
	// Output:
	// job:
	//   initialSavepointPath: s3p://ckpt/e6fd/chk-7
	//   parallelism: 2
	// map[job:map[parallelism:2]] <nil>
	// field ".spec.job.initialSavepointPath": MissingParent: the manifest has no .spec.job
}

// Where the manifest holds another value, the rule decides, and the report says so.
func ExampleInject_conflict() {
	manifest := flinkManifest(map[string]any{"initialSavepointPath": "s3p://pinned"})
	path := preservation.Ref{Target: preservation.Field, Key: ".spec.job.initialSavepointPath"}
	for _, conflict := range []preservation.Conflict{preservation.Replace, preservation.KeepExisting, preservation.Fail} {
		_, report, err := preservation.Inject(manifest, preservation.State{
			Fields:    map[string]string{path.Key: `"s3p://new"`},
			Conflicts: []preservation.RefConflict{{Ref: path, Conflict: conflict}},
		}, preservation.InjectOptions{})
		if err != nil {
			fmt.Println(err)
			continue
		}
		change := report.Changes[0]
		fmt.Printf("%s %s [%s]\n", change.Effect, change.Old, change.Value)
	}
	// Output:
	// Replaced "s3p://pinned" ["s3p://new"]
	// Kept "s3p://pinned" []
	// field ".spec.job.initialSavepointPath": Conflict: the manifest holds another value, and the rule says Fail
}

// A marker of the move is a rule like any other.
func ExampleFailoverAt() {
	rules, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: "example.com/failover", JSONPath: "{.cause}.{.attempt}", From: preservation.FromFailover},
		{AliasLabelName: "example.com/since", JSONPath: "{.time}", From: preservation.FromFailover},
	}}, preservation.Protection{})
	if err != nil {
		fmt.Println(err)
		return
	}
	move := preservation.FailoverAt(preservation.Cluster, "east", 2, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	found, err := rules.Extract(preservation.Sources{Failover: &move})
	fmt.Println(found.State.Labels, err)
	// Output:
	// map[example.com/failover:Cluster.2 example.com/since:1767225600] <nil>
}

// The whole state as one text, for an annotation that no schema prunes.
func ExampleState_Encode() {
	state := preservation.State{
		Labels: map[string]string{"example.com/job-id": "e6fd"},
		Fields: map[string]string{".spec.job.initialSavepointPath": `"s3p://b/sp-1"`},
	}
	fmt.Println(state.Encode())
	// Output:
	// {"version":1,"labels":{"example.com/job-id":"e6fd"},"fields":{".spec.job.initialSavepointPath":"\"s3p://b/sp-1\""}} <nil>
}

// What cannot be understood is an error, and never an empty state.
func ExampleDecodeState() {
	state, err := preservation.DecodeState(`{"version": 1, "annotations": {"example.com/path": "s3p://b/sp-1"}}`)
	fmt.Println(state.Annotations, err)
	for _, text := range []string{"", `{"version": 2}`, `{"version": 1, "labels": {"example.com/path": "s3p://b/sp-1"}}`} {
		_, err := preservation.DecodeState(text)
		fmt.Println(errors.Is(err, preservation.BadState), err)
	}
	// Output:
	// map[example.com/path:s3p://b/sp-1] <nil>
	// true BadState: it is not exactly one JSON object
	// true BadState: its version is not known
	// true label "example.com/path": BadState: not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends
}

// Only our keys, for server-side apply by an owner of their own.
func ExampleApplyConfiguration() {
	state := preservation.State{
		Labels: map[string]string{"example.com/job-id": "e6fd"},
		Fields: map[string]string{".spec.job.initialSavepointPath": `"s3p://b/sp-1"`},
	}
	manifest := flinkManifest(map[string]any{"parallelism": int64(2)})
	config, _, err := preservation.ApplyConfiguration(manifest, state, preservation.InjectOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := yaml.Marshal(config.Object)
	fmt.Print(string(text))
	// Output:
	// apiVersion: flink.apache.org/v1beta1
	// kind: FlinkDeployment
	// metadata:
	//   labels:
	//     example.com/job-id: e6fd
	//   name: orders
	// spec:
	//   job:
	//     initialSavepointPath: s3p://b/sp-1
}

// flinkManifest has a job, unless it is nil.
func flinkManifest(job map[string]any) *unstructured.Unstructured {
	spec := map[string]any{}
	if job != nil {
		spec["job"] = job
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": map[string]any{"name": "orders"}, "spec": spec,
	}}
}
