// Package failovertest tests failover policies without a cluster, and proves the
// library itself: a small deterministic world drives failover.Plan as a controller
// would, and promises are checked after every step (F12 to F14).
//
// A [World] names the clusters, the policy and the habits of the host. Things happen in
// it one by one, as [Event] values: a copy becomes unhealthy, a cluster is lost, the
// scheduler picks another, a person asks for something, time passes. After each event the
// controller reconciles once, or crashes before one of its writes ([Step]). The record
// travels as JSON every time. Copies are created only where Plan says Apply, and deleted
// only where Plan says Delete or where the scheduler took the target away.
//
// A [Scenario] is such a story with what is expected of it, in Go or in YAML:
//
//	func TestPolicy(t *testing.T) { failovertest.RunFiles(t, "testdata/*.yaml") }
//
// docs/testing.md has the format. A run is recorded as a [Story], which a failing test
// prints.
//
// [Explore] tries every order of events to a depth and returns the shortest timeline
// that breaks a promise. A timeline is a list of steps, and can be run again
// by [Replay], or as the events of a scenario.
//
// # Promises
//
//   - Directly creates no copy while an old one is neither gone nor fenced (P5, L6).
//   - Gracefully deletes an old copy once its replacement is well for as long as asked, or
//     its grace period is over and it is not healthy itself, and never the last one; Never
//     only for a person (P6, P7).
//   - Carried state is there until a copy was healthy with it (F7), and no copy starts
//     empty while state waits for one (L6).
//   - A copy that runs receives no foreign state, and keeps what it received until it was
//     healthy with it (F7, F9).
//   - The same state never reaches two copies that can act (I1).
//   - No revision is moved for its health that was never well there, or more often than it
//     may be, where the policy says so (F3).
//   - What somebody asks for is done or answered (F12, E11), an eviction has the mode of its
//     cause (F10), only a person puts a cluster back beside its replacement (E11), and there
//     is an error for each cluster that is blocked, and for no other (L7).
//   - Nothing is evicted without its cause, and what is due is evicted or blocked (F2, F4,
//     F12); the scheduler is told of every cluster to avoid (E12).
//   - Plan makes no cluster both a target and under eviction (E13), ends no task while
//     the old copy may be there (E7), and deletes no copy of a later life (P4).
//   - Inputs are not changed (L1); Plan agrees with its own output (F13); time alone
//     changes nothing and tells of nothing before the next check (L5, F12, F13); the order
//     of lists does not show (L3); what is for people holds no state (L7).
//
// # Stability
//
// The package is for tests. Nothing in it is settled.
package failovertest
