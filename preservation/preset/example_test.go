package preset_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/preservation/preset"
)

// A suspended Flink job: its savepoint becomes the start of the next copy.
func ExampleFlinkDeployment() {
	rules, err := preservation.Compile(preset.FlinkDeployment(), preservation.KarmadaProtection())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"s3p://sp/orders/savepoint-e6fd-1", "KUBERNETES_OPERATOR_LAST_STATE"} {
		status := fmt.Sprintf(`{"jobStatus": {"jobId": "e6fd", "upgradeSavepointPath": %q}}`, path)
		found, err := rules.Extract(preservation.Sources{Cluster: "east", Status: preservation.RawDocument([]byte(status))})
		if err != nil {
			fmt.Println(err)
			continue
		}
		manifest := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
			"metadata": map[string]any{"name": "orders"}, "spec": map[string]any{"job": map[string]any{}},
		}}
		west, _, err := preservation.Inject(manifest, found.State, preservation.InjectOptions{})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(west.GetLabels(), west.Object["spec"])
	}
	// Output:
	// map[carryover.io/job-id:e6fd] map[job:map[initialSavepointPath:s3p://sp/orders/savepoint-e6fd-1]]
	// cluster "east": rule 1 (.spec.job.initialSavepointPath) {.jobStatus.upgradeSavepointPath}: MissingKey: the value is one that the rule rejects
}

// The id under which the checkpoints of a Spark application are found.
func ExampleSparkApplication() {
	for _, rule := range preset.SparkApplication().Rules {
		fmt.Println(rule.AliasLabelName, rule.JSONPath)
	}
	// Output:
	// carryover.io/spark-application-id {.sparkApplicationId}
}

// A preset is a value: more volumes are more rules.
func ExampleStatefulSetVolumes() {
	policy := preset.StatefulSetVolumes()
	second := policy.Rules[0]
	second.AliasLabelName, second.From = "example.com/wal-volume-handle", "WalVolume"
	policy.Rules = append(policy.Rules, second)
	for _, rule := range policy.Rules {
		fmt.Println(rule.AliasLabelName, "from", rule.From)
	}
	// Output:
	// carryover.io/volume-handle from PersistentVolume
	// carryover.io/volume-driver from PersistentVolume
	// example.com/wal-volume-handle from WalVolume
}

// Where a virtual machine ran; the rest only if it is known.
func ExampleVirtualMachine() {
	for _, rule := range preset.VirtualMachine().Rules {
		fmt.Println(rule.Policy, rule.AliasLabelName)
	}
	// Output:
	// Required carryover.io/source-node
	// Optional carryover.io/firmware-uuid
	// Optional carryover.io/source-address
}
