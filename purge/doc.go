// Package purge decides when the old copy of a workload may go, and when a new
// one may be created, while the workload moves from one cluster to another.
//
// # Problem
//
// An eviction leaves two copies in play: the old one, on a cluster that may be
// broken or silent, and its replacement. Delete the old one too early and the
// last copy is lost; create the new one too early and two copies write to the
// same place. Which risk to take is the purge mode. What a mode promises is
// often spread over a controller, its validation and its timers, and then one of
// them forgets it. Here it is one function, [Decide], of values only.
//
// # Use
//
// Call Decide for each old copy in each pass, act on the answer, and call again
// when an input changes or the next check is due:
//
//	d := purge.Decide(purge.Input{
//		Mode:        purge.Mode(task.PurgeMode), // as stored
//		Presence:    purge.Present,
//		Replacement: purge.Applied,
//		Created:     task.CreationTimestamp.Time,
//		Now:         now,
//	})
//	if d.Old == purge.Delete { /* delete the old copy */ }
//	if d.New == purge.Hold { /* create no copy that does not exist yet */ }
//	if d.NextCheck.OK { /* come back after d.NextCheck.After */ }
//
// # Modes
//
//	mode        old copy                new copy                 finished when
//	----------  ----------------------  -----------------------  ----------------------
//	Directly    delete at once          held until the old copy  the old copy is gone,
//	                                    is confirmed gone, or    and its state is
//	                                    fenced                   carried elsewhere or a
//	                                                             replacement was healthy
//	Gracefully  keep until the          create at once           the old copy is gone
//	            replacement is
//	            healthy, or the grace
//	            period ended
//	Never       keep until a person     create at once           confirmed by a person,
//	            says so                                          and gone
//
// Three things stand above the table. A person decides: suppressDeletion true
// keeps the old copy whatever happens, even the task of a copy that is gone, and
// false deletes it now, which is no fence (P7). A copy that others require stays
// and is not waited for, so it is the one old copy, neither gone nor fenced,
// beside which Directly creates (P5). And the end of a grace period deletes only
// where a replacement is applied and the old copy is not itself healthy (P6).
//
// # Input
//
// Valid and not: a mode is Directly, Gracefully or Never; empty is Gracefully
// (P2); Immediately and Graciously are the old names of Directly and Gracefully,
// for ever (P1). All else is refused by [ValidateMode], which hints at the right
// case, and where it was stored nevertheless Decide keeps the old copy and holds
// the new one (P3). The same holds for an unknown presence or replacement; empty
// ones are Unknown and None.
//
//	Mode: "Gracefully"   valid
//	Mode: "Graciously"   valid, an old name
//	Mode: ""             valid, Gracefully
//	Mode: "gracefully"   invalid, hint Gracefully
//	Mode: "Later"        invalid
//
// The zero [Input] is valid. A creation time that is missing or in the future
// counts as now (E6), so its deadlines move along until a time is written. A
// grace period that is not positive is the default; a soak time that is not
// positive is none; a fencing deadline that is not positive is due at once.
// Limits of stored seconds are validated where they are stored.
//
// # What it never does
//
// It never reads a clock, a cluster or a log, and never panics or changes its
// input. It never reads the missing or the unknown as success. Time alone never
// lets Directly create a copy (P5), and never lets Gracefully delete the last
// one (P6). The mode Never deletes nothing that no person confirmed. The package
// does not find out whether a copy is gone, fenced or healthy: the caller says so.
//
// # Next check
//
// Where time alone can change an answer, [NextCheck] says when: whole seconds,
// rounded up, at least one (L5). Until then the answer, message included, stays
// the same; without a next check it stays so for ever. Callers keep time in
// whole seconds; with a finer now a change may be up to a second old when it is
// seen.
//
// # Stability
//
// Settled: the texts of [Mode] with its old names, of [Reason] and of the other
// enumerations, and the rules (P1 to P7, L5, L6) that the comments cite;
// docs/semantics.md lists them. Not settled: the wording of messages, and the
// names of the fields of [Input], which may gain more. New reasons come only
// with a minor release; treat one you do not know by Old, New and Done alone.
package purge
