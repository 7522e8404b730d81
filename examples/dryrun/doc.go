// Dryrun shows what a failover would do to one Karmada binding: who leaves, what
// happens to the old copy, what the next copy receives, and when to look again.
// It reads files, asks failover.Plan, prints, and changes nothing in any cluster.
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
// Would it leave by itself, and when? Health, tolerations and taints decide:
//
//	kubectl get clusters -o yaml > clusters.yaml
//	go run ./examples/dryrun -f binding.yaml -f clusters.yaml
//
// These lines are for people. go run makes exit code 1 of every code but 0, and adds
// a line such as "exit status 2" to standard error, so scripts build the program
// first:
//
//	go build -o dryrun ./examples/dryrun
//	./dryrun -f binding.yaml -f manifest.yaml --evict east --to west -o json
//
// # Input
//
// Files hold YAML or JSON documents, as kubectl prints and reads them; - is
// standard input. There is one ResourceBinding or ClusterResourceBinding, alone or
// in a List. The manifest is the one that its spec.resource names, or the first
// if it names none. Of Cluster documents the taints count, against
// spec.placement.clusterTolerations. Numbers keep every digit; a key that appears
// twice is an error.
//
// Without --evict the policy decides who leaves, by health and by taints; with it
// only the named clusters leave, whatever their health. --cause says whose part of
// the policy counts for them: planned moves use that of application. --legacy tells
// what is known of an old copy: present, gone, unknown (the default), or fenced,
// which is unknown and cannot act any more. --now makes a run repeatable.
//
// --to adds a target, as the scheduler would upon the evictions of this run: they
// are decided first, and the rest with the new targets, at the same instant. Nothing
// is added where clusters are to leave and none of them may; where only some may,
// the new target waits.
//
// The revision of the application, which maxFailovers and requireHealthyBefore count
// by, is metadata.generation of the manifest, where it has one: it changes with the
// specification only, while that of the binding changes with every move.
//
// A cluster that --to adds waits for a new copy. If the binding knows it neither as
// a target nor in a task, nor in spec.requiredBy, what status.aggregatedStatus says
// of it is about an older copy: nothing of that counts, it is reported as
// ItemIgnored, and without a record it is not in the next binding any more.
//
// Rules may read other documents than the status. Object is the manifest with the
// status of the cluster in it; Failover is the move of this run. --from gives any
// other one by its name, as one YAML or JSON object, such as a FlinkStateSnapshot
// for rules with "from: snapshot":
//
//	kubectl get flinkstatesnapshot orders-7 -o yaml > snapshot.yaml
//	go run ./examples/dryrun -f binding.yaml -f manifest.yaml --evict east \
//	    --from snapshot=snapshot.yaml
//
// A rule whose document was not given has no value, and its policy decides.
//
// # Output
//
// -o text is for people and names the carried keys, never the values. -o json and
// -o yaml hold the same plan for programs; the next binding and the manifests in
// it do hold values. Lists are sorted by cluster and never null:
//
//	decisions   for each cluster: Evict, Wait, Tolerate, Blocked, AlreadyEvicting or None
//	binding     the next one: only targets, tasks, preserved state and what is
//	            told of older copies differ
//	purges      for each task: Keep or Delete the old copy, Hold or Create the new one
//	injections  for each target: Apply or Hold, what was written, and the manifest
//	excluded    clusters that the scheduler should avoid
//	record      what the next run has to know
//	events      what began or changed, as far as the record tells
//	errors      what blocks
//	warnings    what does not, and is worth knowing
//
// and recheckAfterSeconds where time alone can change the plan.
//
// -o timeline and -o svg draw a lane for each cluster: what record and tasks tell of the
// past, what was observed, and what this run decides. The text is at most 80 columns
// wide; the drawing follows the reader's preference for light or dark. States are called
// A, B and so on, with their keys below, and no value is in either. A record remembers
// moves and the present stay on each target, so that lanes tell no other health of the
// past.
//
// The exit code is 0 if a plan was made, waiting included; 1 if something is
// blocked, with the plan so far; 2 for bad usage or input, with one line on
// standard error and nothing on standard output.
//
// # Records
//
// With --record and --record-out, which may name one file, a sequence of runs is a
// simulation: the next binding of one run, with a newer status, is the input of the
// next, and the record is what a controller would remember in between: since when the
// application is unhealthy, who received which state, how often a release failed over.
//
//	go run ./examples/dryrun -f monday.yaml --record r.json --record-out r.json
//	go run ./examples/dryrun -f tuesday.yaml --record r.json --record-out r.json
//	go run ./examples/dryrun -f tuesday.yaml --record r.json -o svg > tuesday.svg
//
// A record that is not there is that of a first run. One that cannot be read, or is of
// another version, is an error and never taken for that. It is replaced in one step,
// before the plan is printed, and holds state: only its owner may read it.
//
// Without the flags every run is a first one. Tasks then keep the state until a
// replacement was healthy. What is known of the past is what tasks and items tell: an
// application that is not healthy now was never healthy; where that leaves newer state
// out, the warning SourceNotAsked says so. Tolerations begin in this run, all that is
// found is an event, and {.attempt} of Failover is missing, since nobody counts.
//
// # State in the binding
//
// Labels are preserved in the task, as Karmada does it. Annotations and fields have
// no place there, because Karmada's schema would prune them: they are in the
// annotation carryover.io/preserved-state of the binding, a JSON object from
// CLUSTER/CREATION TIME of a task to its state (preservation.State.Encode). It is
// read, goes along when a task is renewed, and leaves with its task; what is left
// of a task that is not there any more is taken out, with a warning. A task that
// was read with preservedState in it keeps it there.
//
// If the annotation cannot be read, that is an error of class BadState, and the
// annotation stays as it is: nobody leaves, and no new copy starts.
//
// # Limits
//
// Nothing is written into pod templates. A cluster whose policy has no cluster block
// is not left for its taints, and nobody can withdraw or acknowledge by a flag.
package main
