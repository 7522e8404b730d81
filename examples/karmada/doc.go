// Package karmada adapts carryover to Karmada's own types: one ResourceBinding is one
// application, and what failover.Plan answers goes back into it. [Reconciler] is a
// controller of it; the rest talks to no API server and can be copied into any:
//
//	in, err := karmada.Input(rb, karmada.Observed{Now: now, Revision: revision, Clusters: clusters, Works: works})
//	out, blocked := failover.Plan(in)     // blocked says what keeps an application where it is
//	next, err := karmada.Output(rb, out)  // then Update: record, targets and tasks are one write
//	...
//	manifest, err := karmada.Render(template, placement)  // where Karmada makes a Work; nil = make none
//
// A ClusterResourceBinding has the same fields: workv1alpha2.ResourceBinding(*crb) is one
// to this package, and workv1alpha2.ClusterResourceBinding(*next) the way back.
//
// # What Karmada's schema has no field for
//
// An API server prunes what a CRD does not know, so that goes into annotations:
//
//	carryover.io/record           the Record of Plan
//	carryover.io/preserved-state  preserved state that is no label, by task; the dry run
//	                              reads it too
//	carryover.io/kept             policy, targets and tasks that use other fields than
//	                              Karmada's, whole
//
// What was kept counts as long as the rest of it is what the binding holds: where a
// person edited the policy, or Karmada a target, that edit wins. What cannot be read is
// an error and never taken for nothing. Together annotations hold 256 KiB at most; Output
// refuses more before anything is written.
package karmada
