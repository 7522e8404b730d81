// Package policytest is a failover policy with its unit tests: a page of Go and one
// scenario in YAML. Copy it and put your own policy in its place.
//
//   - policy.go is the policy, as a team would keep it: here in Go; a policy in YAML
//     reads into the same type.
//   - testdata/move.yaml is the story that the team cares about, with what they expect.
//   - policy_test.go runs the story, one more that is written in Go, and lets the
//     explorer try every order of events with this policy.
//
// Run it with go test ./examples/policytest. docs/testing.md has the format.
package policytest

import (
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Policy moves a streaming job after a minute of bad health, or at once when its cluster
// fails. The job never runs twice, and resumes where it was: its id goes along as a label,
// and the path of its last checkpoint as a field.
func Policy() failover.Behavior {
	minute, tenMinutes := int32(60), int32(600)
	waits := failover.Waits{FencingDeadlineSeconds: &tenMinutes}
	return failover.Behavior{
		Application: &failover.ApplicationBehavior{
			PurgeMode:          purge.Directly,
			DecisionConditions: failover.DecisionConditions{TolerationSeconds: &minute},
			StatePreservation: &preservation.StatePreservation{Rules: []preservation.Rule{
				{AliasLabelName: "example.com/job-id", JSONPath: "{.job.id}"},
				{JSONPath: "{.job.checkpoint}", Target: preservation.Field, FieldPath: ".spec.restoreFrom"},
			}},
			Waits: waits,
		},
		Cluster: &failover.ClusterBehavior{PurgeMode: purge.Directly, InheritStatePreservation: true, Waits: waits},
	}
}
