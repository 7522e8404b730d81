// Package eviction decides about the tasks that move an application away from
// its clusters: how a task is made, when the old copy goes, when the task ends.
//
// A controller that moves an application has to remember what it is moving
// from. It keeps one task for each cluster to leave, beside the list of target
// clusters, and deletes the old copy when the task says so. Each of these
// decisions is easy to get wrong in a way that deletes the last copy, runs two,
// or drops the state of the application. This package makes them as pure
// functions over plain values; [Task] has the JSON of Karmada's
// GracefulEvictionTask.
//
//	evicted, err := eviction.Evict(eviction.EvictInput{
//		Targets: targets, Tasks: tasks, Now: now,
//		Evictions: []eviction.Eviction{{
//			FromCluster: "east", PurgeMode: purge.Gracefully,
//			Reason: "ApplicationFailure", Producer: "my-controller",
//		}},
//	})
//	// Store evicted.Targets and evicted.Tasks in one write. On every reconcile:
//	assessment := eviction.Assess(eviction.AssessInput{
//		Targets: targets, Tasks: tasks, Items: items, Scheduled: true, Now: now,
//	})
//	// Delete what is to be purged, store what Apply returns, look again later.
//	tasks = eviction.Apply(latest, assessment.Decisions, eviction.ApplyOptions{})
//
// # Decisions
//
// [Validate] refuses an eviction that an API server would refuse as a task.
// [Evict] makes tasks and merges a second eviction of a cluster into the first.
// [Assess] answers for each task Keep, Purge or Finish; package purge says what
// each mode promises. [Assessment.Holds] says which targets must wait. [Apply]
// carries decisions out on a list that may have changed. [Withdraw] takes an
// eviction back. [Exclude] tells a scheduler which clusters to avoid.
//
// # Conventions
//
// Nothing here reads a clock, logs, does I/O or keeps anything between calls.
// The time is an argument, and must not be the zero time; times that are
// returned are UTC in whole seconds. Inputs are never changed and outputs never
// alias them. A nil list or map is an empty one, but nil replicas are not known
// while 0 replicas are none. No data makes a function panic. No message holds
// preserved state, which may be secret, and none holds a relative time, so that
// it stays the same from one reconcile to the next.
//
// The stored list has several writers. They need optimistic locking, or a task
// that one adds is lost when the other writes.
//
// # Extensions
//
// Task.Components, AggregatedStatusItem.ObservedAt and the health NotApplicable
// are not in Karmada, whose CRD prunes unknown fields: they come back empty
// there, and the functions then do without them.
//
// # Stability
//
// The JSON names and the texts of all outcomes and reasons are settled. Before
// v1 the Go API may still change; structs only gain fields, so use field names
// in literals. New reasons may appear at any time.
package eviction
