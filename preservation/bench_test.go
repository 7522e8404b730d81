package preservation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation"
)

// flinkStatus is the status of a FlinkDeployment, 1.2 KB of it, with a list of that
// many checkpoints besides.
func flinkStatus(checkpoints int) []byte {
	history := make([]string, checkpoints)
	for i := range history {
		history[i] = fmt.Sprintf(`{"id":%d,"path":"s3p://bucket/checkpoints/e6fd1d0c/chk-%d","size":"%d","trigger":"PERIODIC","restored":false}`, i, i, 48213904+i)
	}
	return []byte(`{"clusterInfo":{"flink-revision":"a1b2c3d @ 2025-06-02T08:11:24+02:00","flink-version":"1.20.1","state-size":"48213904","total-cpu":"3.0","total-memory":"6442450944"},` +
		`"conditions":[{"lastTransitionTime":"2025-07-31T08:00:04Z","message":"JobManager is running and ready to receive REST API calls","reason":"Ready","status":"True","type":"Running"},` +
		`{"lastTransitionTime":"2025-07-31T08:00:04Z","message":"","reason":"","status":"False","type":"Suspended"}],` +
		`"jobManagerDeploymentStatus":"READY","jobStatus":{"checkpointInfo":{"formatType":"FULL","lastCheckpoint":{"formatType":"FULL","timeStamp":1753948861123,"triggerNonce":17,"triggerType":"PERIODIC"},` +
		`"lastPeriodicCheckpointTimestamp":1753948861123},"jobId":"e6fd1d0c2b9a4f7c8d3e5a6b7c8d9e0f","jobName":"orders-enrichment","startTime":"1753948804000","state":"RUNNING","updateTime":"1753948863000",` +
		`"upgradeSavepointPath":"s3p://bucket/savepoints/savepoint-e6fd1d-0a1b2c3d4e5f"},"lifecycleState":"STABLE","observedGeneration":7,` +
		`"reconciliationStatus":{"lastReconciledSpec":"{\"spec\":{\"job\":{\"parallelism\":4,\"state\":\"running\"}}}","reconciliationTimestamp":1753948800000,"state":"DEPLOYED"},` +
		`"taskManager":{"labelSelector":"component=taskmanager,app=orders-enrichment","replicas":2},"history":[` + strings.Join(history, ",") + `]}`)
}

var plainPaths = []string{"{.jobStatus.jobId}", "{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}", "{.observedGeneration}"}

var listPaths = []string{`{.conditions[?(@.type=="Running")].reason}`, "{.conditions[*].type}", "{.conditions[-1].status}"}

func labelRules(paths []string) []preservation.Rule {
	rules := make([]preservation.Rule, len(paths))
	for i, path := range paths {
		rules[i] = preservation.Rule{AliasLabelName: fmt.Sprintf("example.com/l%d", i), JSONPath: path, Join: "-"}
	}
	return rules
}

// BenchmarkExtract reads labels from the bytes of a status. The limit beside it is a
// check of the same bytes; what others take is measured in internal/compare.
func BenchmarkExtract(b *testing.B) {
	for _, doc := range []struct {
		name        string
		checkpoints int
	}{{"1KB", 0}, {"100KB", 800}} {
		raw := flinkStatus(doc.checkpoints)
		b.Run(fmt.Sprintf("status=%s/valid", doc.name), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				json.Valid(raw)
			}
		})
		for _, rules := range []struct {
			name  string
			paths []string
		}{{"1plain", plainPaths[:1]}, {"3plain", plainPaths}, {"3list", listPaths}} {
			b.Run(fmt.Sprintf("status=%s/rules=%s/ours", doc.name, rules.name), func(b *testing.B) {
				x := compile(b, labelRules(rules.paths)...)
				in := preservation.Sources{Status: preservation.RawDocument(raw)}
				_, err := x.Extract(in)
				require.NoError(b, err)
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					_, _ = x.Extract(in)
				}
			})
		}
	}
}

// BenchmarkExtractObject reads labels from a status that was decoded already.
func BenchmarkExtractObject(b *testing.B) {
	status, _ := decode(string(flinkStatus(0)))
	for _, rules := range []struct {
		name  string
		paths []string
	}{{"1plain", plainPaths[:1]}, {"3plain", plainPaths}, {"3list", listPaths}} {
		b.Run(fmt.Sprintf("rules=%s/ours", rules.name), func(b *testing.B) {
			x := compile(b, labelRules(rules.paths)...)
			in := preservation.Sources{Status: preservation.ObjectDocument(status)}
			_, err := x.Extract(in)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = x.Extract(in)
			}
		})
	}
}
