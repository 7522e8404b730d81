// Package failover decides what goes along when an application leaves a cluster,
// and which new copy receives it.
//
// # Problem
//
// The state of an application must reach exactly one new copy: not one that runs
// already, not two, and not while the old copy may still act on it. It must also
// outlive a second failover before the first new copy ever worked, a restart of the
// controller, and a crash between two of its writes. Controllers that take the last
// eviction task for the failover get each of these wrong.
//
// # Use
//
// [Plan] is the one call of a reconcile loop. The host keeps its [Record]:
//
//	out, err := failover.Plan(failover.PlanInput{
//		Policy: policy, Now: now, Producer: "my-controller", Revision: revision,
//		Targets: targets, Scheduled: scheduled, Tasks: tasks, Items: items,
//		Clusters: facts, Tolerations: tolerations, Requests: requests,
//		Template: manifest, Record: record,
//	})
//	// err says what is blocked; out is valid beside it. Write in this order:
//	// 1. out.Record
//	// 2. out.Targets and out.Tasks, in one write
//	// 3. what follows from out.Purges and out.Placements:
//	for _, old := range out.Purges {
//		if old.Old == purge.Delete {
//			remove(old.Cluster)
//		}
//	}
//	for _, placement := range out.Placements {
//		manifest := rendered[placement.Cluster]
//		if placement.Action == failover.Hold {
//			continue // placement.Reason says what is awaited
//		}
//		if placement.State != nil {
//			// An error means: write nothing, never go on without the state.
//			manifest, _, err = preservation.Inject(manifest, *placement.State, preservation.InjectOptions{Cluster: placement.Cluster})
//		}
//	}
//	// Look again after out.NextCheck, or when an input changes.
//
// A crash between any two writes is safe, and an answer that is not written did not
// happen (F14). Plan agrees with its own output (F13).
//
// A host that keeps only targets and tasks composes [Prepare] before an eviction, and
// [Carry] and [Gate] in each pass until the new copy stands, as the example of Gate
// shows; or calls Plan with an empty record and HostOptions.NoRecord.
//
// # Policy
//
// [Behavior] has the JSON of Karmada's FailoverBehavior. [Default] fills it,
// [Validate] refuses it with all errors at once, [Warnings] tells what is valid
// and will disappoint, and [TermsFor] says which part of it applies to a cause:
//
//	purgeMode: Directly, Gracefully or Never; "" is Gracefully; Immediately and
//	           Graciously are old names                                  (P1, P2)
//	purgeMode: directly                      refused, with a hint             (P3)
//	tolerationSeconds: 0                     valid: at once                   (F2)
//	tolerationSeconds: -1                    refused
//	gracePeriodSeconds: 30                   with Gracefully only             (E5)
//	cluster.purgeMode: Never                 valid here, though Karmada's CRD refuses it
//	maxFailovers: 3                          from 1 to 100                    (F3)
//	windowSeconds: 3600                      with maxFailovers only           (F3)
//	inheritStatePreservation: true           in place of a statePreservation (F10)
//
// # Hosts without a record
//
// All functions here serve a host that keeps only targets and tasks. Four things
// must survive beside them, or be found out anew:
//
//   - which old copies are confirmed gone or fenced: once Gone, say Gone as long
//     as the task stays (eviction.Facts). Facts are about the newest task of a
//     cluster: they start anew when it is evicted again;
//   - which tasks released their replacement, which is never taken back
//     (eviction.Facts.Released, P5);
//   - when the application was last healthy on each cluster (LastHealthy), from
//     observations that are younger than the placement there;
//   - the tasks themselves, which hold the state: a Directly task ends only once
//     a replacement was healthy (P4).
//
// What is not known is never read as success: without Gone a new copy waits, and
// without LastHealthy older state wins over newer. What such a host cannot have:
// a label that stays on the first new copy while the application is scaled out,
// one that outlives its task, and evidence that a copy without state was created on purpose.
// Such a copy, outside clustersBeforeFailover, is taken for the one that received
// the state.
//
// # What it never does
//
// It reads no clock, cluster or log, never panics, changes no input and returns
// nothing that shares memory with one. No message or error holds preserved state,
// which may be secret: keys, paths, clusters and lengths only (L7). A state goes
// to one copy at most in one call, never to a copy that ran before the move, and
// never while an old copy that must go first may still run (I1, L6).
//
// # Stability
//
// Settled: the JSON names of the policy, the texts of all outcomes, actions and
// reasons, and the rules that comments cite (F, I, L; docs/semantics.md lists
// them). Not settled before v1: the wording of messages, and the Go API; structs
// only gain fields, so use field names in literals. New reasons may appear at any
// time: treat one you do not know by Outcome, or by Action and Inject.
package failover
