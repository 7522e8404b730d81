// Dryrun shows what a failover would do to one Karmada binding: who leaves, what
// happens to the old copy, what the next copy receives, and when to look again.
// It reads files, calls the packages of this module, prints, and changes nothing.
//
// # Usage
//
//	go run ./examples/dryrun -f FILE [-f FILE ...] [flags]
//
// The application on east is unhealthy. The scheduler chose west, and nobody
// knows whether the copy on east still runs:
//
//	go run ./examples/dryrun -f examples/dryrun/testdata/directly/binding.yaml \
//	    -f examples/dryrun/testdata/flinkdeployment.yaml --evict east --to west
//
// The copy on east is gone, so the state goes into the manifest for west; as JSON,
// with the next binding and the manifest:
//
//	go run ./examples/dryrun -f examples/dryrun/testdata/directly/binding.yaml \
//	    -f examples/dryrun/testdata/flinkdeployment.yaml --evict east --to west \
//	    --legacy east=gone -o json
//
// Or with what is in the cluster:
//
//	kubectl get rb orders-flinkdeployment -o yaml | go run ./examples/dryrun -f - --evict east
//
// # Input
//
// Files hold YAML or JSON documents, as kubectl prints and reads them; - is
// standard input. There is one ResourceBinding or ClusterResourceBinding, alone or
// in a List. The manifest is the one that its spec.resource names, or the first
// if it names none. Cluster documents are accepted and not looked at yet. Numbers
// keep every digit; a key that appears twice is an error.
//
// Without --evict nobody leaves, and the tasks that are stored are assessed.
// --cause says whose part of the policy counts: planned moves use that of
// application. --to adds a target, as the scheduler would. --legacy tells what is
// known of an old copy: present, gone, unknown (the default), or fenced, which is
// unknown and cannot act any more. --now makes a run repeatable.
//
// # Output
//
// -o text is for people and names the carried keys, never the values. -o json and
// -o yaml hold the same plan for programs; the next binding and the manifests in
// it do hold values. Lists are sorted by cluster and never null:
//
//	decisions   for each cluster: Evict, Blocked, AlreadyEvicting or None
//	binding     the next one: only targets and tasks differ
//	purges      for each task: Keep or Delete the old copy, Hold or Create the new one
//	injections  for each target: Apply or Hold, what was written, and the manifest
//	excluded    clusters that the scheduler should avoid
//	events      transitions of this run
//	errors      what blocks
//	warnings    what does not, and is worth knowing
//
// and recheckAfterSeconds where time alone can change the plan.
//
// The exit code is 0 if a plan was made, waiting included; 1 if something is
// blocked, with the plan so far; 2 for bad usage or input, with one line on
// standard error and nothing on standard output.
//
// # Limits
//
// A dry run keeps no record between calls: an application counts as last healthy
// now where it is healthy now, and as never where it is not.
package main
