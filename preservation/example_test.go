package preservation_test

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/preservation"
)

// A Flink job fails on cluster east. Its id and the time of its last checkpoint go
// into the manifest for west.
func Example() {
	status := []byte(`{
		"jobStatus": {
			"jobId": "e6fd8f4ba2e14bd9a1a49f2e7b7d5f3c",
			"checkpointInfo": {"lastCheckpoint": {"timeStamp": 1734462491693}}
		}
	}`)
	rules, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: "resume.example.com/job-id", JSONPath: "{.jobStatus.jobId}"},
		{AliasLabelName: "resume.example.com/checkpoint", JSONPath: "{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}"},
	}}, preservation.KarmadaProtection())
	if err != nil {
		fmt.Println("the policy is wrong:", err)
		return
	}
	found, err := rules.Extract(preservation.Sources{Cluster: "east", Status: preservation.RawDocument(status)})
	if err != nil {
		fmt.Println("do not evict yet:", err)
		return
	}
	manifest := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1",
		"kind":       "FlinkDeployment",
		"metadata":   map[string]any{"name": "orders", "labels": map[string]any{"team": "shop"}},
	}}
	west, report, err := preservation.Inject(manifest, found.State, preservation.InjectOptions{})
	if err != nil {
		fmt.Println("do not create the copy:", err)
		return
	}
	for _, change := range report.Changes {
		fmt.Println(change.Effect, change.Key)
	}
	text, _ := yaml.Marshal(west.Object)
	fmt.Print(string(text))
	// Output:
	// Written resume.example.com/checkpoint
	// Written resume.example.com/job-id
	// apiVersion: flink.apache.org/v1beta1
	// kind: FlinkDeployment
	// metadata:
	//   labels:
	//     resume.example.com/checkpoint: "1734462491693"
	//     resume.example.com/job-id: e6fd8f4ba2e14bd9a1a49f2e7b7d5f3c
	//     team: shop
	//   name: orders
}

// A webhook returns all that is wrong at once, on the day the policy is written.
func ExampleValidate() {
	policy := preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: "resume.example.com/job-id", JSONPath: "jobStatus.jobId"},
		{AliasLabelName: "app.kubernetes.io/version", JSONPath: "{.version}", Policy: "optional"},
	}}
	for _, err := range preservation.Validate(policy, preservation.Protection{}, field.NewPath("spec", "statePreservation")) {
		fmt.Println(err)
	}
	// Output:
	// spec.statePreservation.rules[0].jsonPath: Invalid value: "jobStatus.jobId": nothing in it reads the status: did you mean {.jobStatus.jobId}? A constant is written {"jobStatus.jobId"}
	// spec.statePreservation.rules[1].aliasLabelName: Forbidden: "app.kubernetes.io/version" is protected: other software tells objects apart by it
	// spec.statePreservation.rules[1].policy: Unsupported value: "optional": supported values: "Required", "Optional": did you mean Optional?
}

// Rules are compiled once and may be shared by all goroutines.
func ExampleCompile() {
	rules, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: "resume.example.com/parts", JSONPath: "{.parts[*].id}", Join: "-"},
		{AliasLabelName: "resume.example.com/mode", JSONPath: "{.mode}", Default: "full", Reject: []string{"unknown"}},
	}}, preservation.Protection{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, status := range []string{
		`{"parts": [{"id": 7}, {"id": 8}], "mode": "delta"}`,
		`{"parts": [{"id": 9}], "mode": "unknown"}`,
	} {
		found, err := rules.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(status))})
		fmt.Println(found.State.Labels, err)
	}
	// Output:
	// map[resume.example.com/mode:delta resume.example.com/parts:7-8] <nil>
	// map[resume.example.com/mode:full resume.example.com/parts:9] <nil>
}

// A Required rule without a value blocks; the error says why, and whether waiting
// can help. It never shows a value.
func ExampleExtractor_Extract() {
	rules, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: "resume.example.com/job-id", JSONPath: "{.jobStatus.jobID}"},
		{AliasLabelName: "resume.example.com/savepoint", JSONPath: "{.savepoint}", Policy: preservation.Optional},
	}}, preservation.Protection{})
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := rules.Extract(preservation.Sources{
		Cluster: "east",
		Status:  preservation.RawDocument([]byte(`{"jobStatus": {"jobId": "e6fd"}, "savepoint": "s3p://bucket/sp-1"}`)),
	})
	fmt.Println("blocked:", err)
	for _, e := range found.Errors {
		fmt.Println(e.Alias, e.Class, e.Policy, "retry:", e.Retryable())
	}
	_, err = rules.Extract(preservation.Sources{Cluster: "east"})
	var missing *preservation.RuleError
	if errors.As(err, &missing) {
		fmt.Println(missing.Class, "retry:", missing.Retryable())
	}
	// Output:
	// blocked: cluster "east": rule 0 (resume.example.com/job-id) {.jobStatus.jobID}: MissingKey: nothing at .jobStatus.jobID: the object has "jobId"; names are case-sensitive
	// resume.example.com/job-id MissingKey Required retry: false
	// resume.example.com/savepoint InvalidValue Optional retry: false
	// StatusNotCollected retry: true
}

// A second failover brings fewer values: those of the first one go.
func ExampleInject() {
	manifest := exampleManifest("shop", map[string]any{"team": "shop", "resume.example.com/id": "1", "resume.example.com/part": "2"})
	state := preservation.State{Labels: map[string]string{"resume.example.com/id": "3"}}
	out, report, err := preservation.Inject(manifest, state, preservation.InjectOptions{
		Owned: []preservation.Ref{
			{Target: preservation.Label, Key: "resume.example.com/id"}, {Target: preservation.Label, Key: "resume.example.com/part"},
		},
	})
	fmt.Println(out.GetLabels(), err)
	for _, change := range report.Changes {
		fmt.Printf("%s %s %q -> %q\n", change.Effect, change.Key, change.Old, change.Value)
	}
	_, _, err = preservation.Inject(exampleManifest("bad", map[string]any{"team": "shop", "version": 1}), state, preservation.InjectOptions{})
	fmt.Println(err)
	// Output:
	// map[resume.example.com/id:3 team:shop] <nil>
	// Replaced resume.example.com/id "1" -> "3"
	// Removed resume.example.com/part "2" -> ""
	// BadManifest: the value of metadata.labels["version"] is not text but a number
}

// What an injection did can be taken back, without what somebody did since.
func ExampleRemove() {
	state := preservation.State{Labels: map[string]string{"resume.example.com/id": "3", "resume.example.com/part": "4"}}
	out, report, err := preservation.Inject(exampleManifest("orders", map[string]any{"resume.example.com/id": "1"}), state, preservation.InjectOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	out.SetLabels(map[string]string{"resume.example.com/id": "3", "resume.example.com/part": "4", "team": "shop"})
	back, err := preservation.Remove(out, report)
	fmt.Println(back.GetLabels(), err)
	// Output:
	// map[resume.example.com/id:1 team:shop] <nil>
}

// Without the report, the rules still say which labels are ours.
func ExampleRemoveRules() {
	manifest := exampleManifest("orders", map[string]any{"team": "shop", "resume.example.com/id": "3"})
	rules := []preservation.Rule{{AliasLabelName: "resume.example.com/id", JSONPath: "{.jobStatus.jobId}"}}
	out, err := preservation.RemoveRules(manifest, rules, preservation.InjectOptions{Protection: preservation.KarmadaProtection()})
	fmt.Println(out.GetLabels(), err)
	// Output:
	// map[team:shop] <nil>
}

// The keys by which Karmada tells objects apart are protected, its domain is not.
func ExampleKarmadaProtection() {
	protection := preservation.KarmadaProtection()
	protection.Domains = append(protection.Domains, "platform.example.com")
	for _, key := range []string{
		"work.karmada.io/permanent-id", "resume.karmada.io/job-id", "app.kubernetes.io/name", "platform.example.com/tenant",
	} {
		fmt.Println(key, protection.Protects(key))
	}
	fmt.Println("sorted:", slices.IsSorted(protection.Keys))
	// Output:
	// work.karmada.io/permanent-id true
	// resume.karmada.io/job-id false
	// app.kubernetes.io/name true
	// platform.example.com/tenant true
	// sorted: true
}

func exampleManifest(name string, labels map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "App", "metadata": map[string]any{"name": name, "labels": labels},
	}}
}
