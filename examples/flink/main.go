// Command flink moves a Flink job from a failed cluster to the next one and prints
// each step: the state that goes along, the eviction task, the manifest for the
// next cluster, and what happens to the old copy in each purge mode.
//
// Read it from top to bottom; it is the shortest whole path through the library.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// The policy: when the job fails, carry its id and the time of its last completed
// checkpoint, and start the new copy only once the old one is gone.
const policyYAML = `
application:
  decisionConditions:
    tolerationSeconds: 60
  purgeMode: Directly
  statePreservation:
    rules:
    - aliasLabelName: flink.example.com/job-id
      jsonPath: "{.jobStatus.jobId}"
    - aliasLabelName: flink.example.com/checkpoint-time
      jsonPath: "{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}"
`

// The status of the FlinkDeployment, as it was collected from the cluster east.
const statusJSON = `{
  "clusterInfo": {"flink-version": "1.17.1", "total-cpu": "3.0", "total-memory": "6442450944"},
  "jobManagerDeploymentStatus": "MISSING",
  "jobStatus": {
    "checkpointInfo": {
      "lastCheckpoint": {"formatType": "FULL", "timeStamp": 1734462491693, "triggerType": "PERIODIC"},
      "lastPeriodicCheckpointTimestamp": 1734462491693,
      "triggerId": "447b790bb9c88da9ae753f00f45acb0e",
      "triggerTimestamp": 1734462506836,
      "triggerType": "PERIODIC"
    },
    "jobId": "e6fdb5c0997c11b0c62d796b3df25e86",
    "jobName": "orders",
    "startTime": "1734462102102",
    "state": "FAILED",
    "updateTime": "1734462524517"
  },
  "lifecycleState": "FAILED",
  "observedGeneration": 3
}`

// The manifest, as the control plane renders it for any cluster.
const manifestYAML = `
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
  namespace: shop
  labels:
    app: orders
spec:
  flinkVersion: v1_17
  image: registry.example.com/orders:4.2
  job:
    jarURI: local:///opt/orders.jar
    parallelism: 4
    upgradeMode: last-state
`

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	// The caller's clock: the library reads none, so that every decision can be
	// repeated in a test.
	now := time.Date(2024, time.December, 17, 19, 10, 0, 0, time.UTC)

	var policy failover.Behavior
	if err := yaml.UnmarshalStrict([]byte(policyYAML), &policy); err != nil {
		return err
	}
	if errs := failover.Validate(policy, preservation.Protection{}, field.NewPath("failover")); len(errs) > 0 {
		return errs.ToAggregate()
	}
	manifest := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifestYAML), &manifest.Object); err != nil {
		return err
	}

	// What the control plane knows: the job was placed on east, and fails there.
	targets := []eviction.TargetCluster{{Name: "east"}}
	items := []eviction.AggregatedStatusItem{{
		ClusterName: "east", Applied: true, Health: eviction.Unhealthy,
		Status: &runtime.RawExtension{Raw: []byte(statusJSON)},
	}}

	// 1. May it leave east, and what goes along? Nothing is evicted before all that
	// can fail was tried.
	prepared, err := failover.Prepare(failover.PrepareInput{
		Policy: policy, Cause: preservation.Application, Cluster: "east",
		Targets: targets, Items: items, Template: manifest, Producer: "flink-example",
	})
	if err != nil {
		return err
	}
	if err := show(out, "1. The state that goes along", prepared.Eviction.PreservedLabelState); err != nil {
		return err
	}

	// 2. Evict: east is no target any more, and a task remembers why.
	evicted, err := eviction.Evict(eviction.EvictInput{
		Targets: targets, Evictions: []eviction.Eviction{prepared.Eviction}, Now: now,
	})
	if err != nil {
		return err
	}
	if err := show(out, "2. The eviction task", evicted.Tasks); err != nil {
		return err
	}

	// 3. The scheduler chooses west. Under Directly its copy waits until the one on
	// east is confirmed gone, and then receives the state.
	targets = append(evicted.Targets, eviction.TargetCluster{Name: "west"})
	fmt.Fprintln(out, "3. The manifest for west")
	for _, presence := range []purge.Presence{purge.Present, purge.Gone} {
		facts := map[string]eviction.Facts{"east": {Presence: presence}}
		assessment := eviction.Assess(eviction.AssessInput{
			Tasks: evicted.Tasks, Targets: targets, Items: items, Scheduled: true, Clusters: facts, Now: now,
		})
		gates := failover.Gate(failover.GateInput{
			Targets: targets, Tasks: eviction.Apply(evicted.Tasks, assessment.Decisions, eviction.ApplyOptions{}),
			Items: items, Assessment: assessment, Clusters: facts,
		})
		for _, gate := range gates {
			fmt.Fprintf(out, "   the copy on east is %s: %s on %s (%s)\n", presence, gate.Action, gate.Cluster, gate.Reason)
			if !gate.Inject {
				continue
			}
			injected, _, err := preservation.Inject(manifest, gate.State, preservation.InjectOptions{Cluster: gate.Cluster})
			if err != nil {
				return err
			}
			if err := show(out, "", injected.Object); err != nil {
				return err
			}
		}
	}

	return showModes(out, now)
}

// showModes prints what each purge mode does with the old copy as time goes on.
func showModes(out io.Writer, created time.Time) error {
	confirmed := false
	moments := []struct {
		name  string
		input purge.Input
	}{
		{"just evicted", purge.Input{Presence: purge.Present}},
		{"10 minutes on, east unreachable", purge.Input{Presence: purge.Unknown, Now: created.Add(10 * time.Minute)}},
		{"west is applied", purge.Input{Presence: purge.Present, Replacement: purge.Applied}},
		{"west is healthy", purge.Input{Presence: purge.Present, Replacement: purge.Ready}},
		{"a person confirms", purge.Input{Presence: purge.Present, SuppressDeletion: &confirmed}},
		{"east is gone, west is healthy", purge.Input{Presence: purge.Gone, Replacement: purge.Ready}},
	}
	fmt.Fprintln(out, "4. What happens to the old copy on east, and to the new one on west")
	for _, mode := range purge.Modes() {
		fmt.Fprintf(out, "   %s\n", mode)
		for _, moment := range moments {
			in := moment.input
			in.Mode, in.Created = mode, created
			if in.Now.IsZero() {
				in.Now = created
			}
			d := purge.Decide(in)
			task := "task stays"
			if d.Done {
				task = "task ends"
			}
			fmt.Fprintf(out, "     %-32s east: %-6s  west: %-6s  %-10s  %s\n", moment.name, d.Old, d.New, task, d.Reason)
		}
	}
	return nil
}

// show prints a value as YAML, indented under its title.
func show(out io.Writer, title string, value any) error {
	text, err := yaml.Marshal(value)
	if err != nil {
		return err
	}
	if title != "" {
		fmt.Fprintln(out, title)
	}
	for line := range strings.Lines(string(text)) {
		fmt.Fprint(out, "   "+line)
	}
	fmt.Fprintln(out)
	return nil
}
