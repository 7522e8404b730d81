// Package flink reads what the Flink operators write into their statuses as the
// records of package snapshot: the last good snapshot, the attempt, and the phase.
//
// # Problem
//
// Three operators write the same facts in three shapes, and each shape has its trap:
// a constant in the place of a path, a time that belongs to another path, a final
// mark without a location, 0 for never. They are met here, once, and nothing of
// Flink is in the decisions.
//
// # Use
//
//	r, err := flink.Deployment(status, flink.Facts{Cluster: "east"})
//	// err != nil: a part of the status is not readable; r has the rest
//	verdict := snapshot.Freshness(snapshot.Input{
//		Phase: r.Phase, Snapshot: r.Snapshot, Attempt: r.Attempt, StoppedAt: r.StoppedAt,
//		Limit: snapshot.Seconds(3600), Reachable: true, Now: now,
//	})
//
// [Deployment] is for the FlinkDeployment of apache/flink-kubernetes-operator,
// [StateSnapshot] for its FlinkStateSnapshot, and [Cluster] for the FlinkCluster of
// spotify/flink-on-k8s-operator. docs/flink.md has every field and every deliberate
// difference.
//
// # Input
//
// A status is the decoded JSON of the field status, with numbers as encoding/json,
// json.Number or apimachinery decode them. Missing, null and nil are the same.
//
//	{"jobStatus": {"state": "RUNNING"}}   valid
//	{"jobStatus": {"state": "running"}}   an error, and PhaseUnknown
//	{"jobStatus": []}                     an error, and nothing is read
//
// # Stability
//
// Unsettled: which facts a caller has to supply.
package flink
