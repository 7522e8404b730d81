package preservation_test

import (
	"fmt"

	"github.com/carryover-io/carryover/preservation"
)

// jobID reads the id of a job from a status.
func jobID(status preservation.Document) {
	rules, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: "example.com/job-id", JSONPath: "{.jobId}"},
	}}, preservation.Protection{})
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := rules.Extract(preservation.Sources{Status: status})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.State.Labels["example.com/job-id"])
}

// Bytes are one JSON object, or an error; no bytes may still come.
func ExampleRawDocument() {
	for _, raw := range []string{`{"jobId": "e6fd"}`, `{"jobId": "e6fd"} {}`, ``} {
		jobID(preservation.RawDocument([]byte(raw)))
	}
	// Output:
	// e6fd
	// rule 0 (example.com/job-id) {.jobId}: BadStatus: something follows the JSON value
	// rule 0 (example.com/job-id) {.jobId}: StatusNotCollected: nothing was collected yet
}

// A part of an object that is decoded already.
func ExampleObjectDocument() {
	jobID(preservation.ObjectDocument(map[string]any{"jobId": "e6fd"}))
	jobID(preservation.ObjectDocument(map[string]any{}))
	jobID(preservation.ObjectDocument(nil))
	// Output:
	// e6fd
	// rule 0 (example.com/job-id) {.jobId}: MissingKey: nothing at .jobId
	// rule 0 (example.com/job-id) {.jobId}: StatusNotCollected: nothing was collected yet
}

// What cannot be read is not the same as what is not there.
func ExampleUnreadableDocument() {
	jobID(preservation.UnreadableDocument("two statuses of the cluster contradict each other"))
	// Output:
	// rule 0 (example.com/job-id) {.jobId}: BadStatus: two statuses of the cluster contradict each other
}

// The time of the state is apart from the rules: without it nothing blocks.
func ExampleExtractor_Extract_takenAt() {
	x, err := preservation.Compile(preservation.StatePreservation{
		TakenAt: "{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}",
	}, preservation.Protection{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, status := range []string{
		`{"jobStatus": {"checkpointInfo": {"lastCheckpoint": {"timeStamp": 1734462491693}}}}`,
		`{"jobStatus": {"checkpointInfo": {"lastCheckpoint": {"timestamp": 1734462491693}}}}`,
	} {
		found, err := x.Extract(preservation.Sources{Cluster: "east", Status: preservation.RawDocument([]byte(status))})
		if found.TakenAtError != nil {
			fmt.Println(found.TakenAtError, err)
			continue
		}
		fmt.Println(found.TakenAt, err)
	}
	// Output:
	// 1734462491693 <nil>
	// cluster "east": takenAt {.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}: MissingKey: nothing at .jobStatus.checkpointInfo.lastCheckpoint.timeStamp: the object has "timestamp"; names are case-sensitive <nil>
}

// A domain protects what is below it, however it is written.
func ExampleProtection_Protects() {
	protection := preservation.Protection{Domains: []string{"*.Example.com/"}, Keys: []string{"team"}}
	for _, key := range []string{"a.example.com/x", "example.org/x", "team", "batch.kubernetes.io/job-name"} {
		fmt.Println(key, protection.Protects(key))
	}
	// Output:
	// a.example.com/x true
	// example.org/x false
	// team true
	// batch.kubernetes.io/job-name true
}
