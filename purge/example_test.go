package purge_test

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/purge"
)

// One pass over one task: what to do now, and when to look again.
func Example() {
	created := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	d := purge.Decide(purge.Input{
		Mode:        purge.Gracefully,
		Presence:    purge.Present,
		Replacement: purge.Applied,
		Created:     created,
		Now:         created.Add(time.Minute),
	})
	if d.Old == purge.Keep {
		fmt.Println("keep the old copy:", d.Message)
	}
	if d.New == purge.Create {
		fmt.Println("create the new one")
	}
	if d.NextCheck.OK {
		fmt.Println("look again in", d.NextCheck.After)
	}
	// Output:
	// keep the old copy: the old copy stays until its replacement is healthy
	// create the new one
	// look again in 9m0s
}

// A workload moves away from a cluster that does not answer any more. The new
// copy is held until somebody fences the old one.
func ExampleDecide() {
	created := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	deadline := 5 * time.Minute
	in := purge.Input{
		Mode:            "Immediately", // as an old release stored it
		Presence:        purge.Unknown,
		FencingDeadline: &deadline,
		Created:         created,
	}
	show := func(now time.Time) {
		in.Now = now
		d := purge.Decide(in)
		fmt.Println(d.Old, d.New, d.Reason, d.NextCheck.After)
		// Under Directly a Create is final, so it is stored with the task.
		in.Released = in.Released || d.New == purge.Create
	}

	show(created.Add(time.Minute))
	show(created.Add(time.Hour))
	in.Fenced = true
	show(created.Add(time.Hour))
	in.Presence = purge.Present // the cluster is back, with the old copy
	show(created.Add(2 * time.Hour))
	// Output:
	// Delete Hold OldCopyUnreachable 4m0s
	// Delete Hold NeedsFencing 0s
	// Delete Create Fenced 0s
	// Delete Create FencedCopyReturned 0s
}

// A grace period ends, but no cluster was found for the workload: its last copy
// stays.
func ExampleDecide_lastCopy() {
	created := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	d := purge.Decide(purge.Input{
		Mode:        purge.Gracefully,
		Presence:    purge.Present,
		Replacement: purge.None,
		Created:     created,
		GracePeriod: 10 * time.Minute,
		Now:         created.Add(10 * time.Minute),
	})
	fmt.Println(d.Old, d.Reason)
	fmt.Println(d.Message)
	// Output:
	// Keep ExpiredNoReplacement
	// the grace period ended at 2026-01-01T12:10:00Z without any replacement: the last copy stays
}

// What a program may offer for a choice; old names are only read.
func ExampleModes() {
	for _, mode := range purge.Modes() {
		fmt.Println(mode)
	}
	// Output:
	// Directly
	// Gracefully
	// Never
}

func ExampleNormalize() {
	for _, text := range []purge.Mode{"Directly", "Immediately", "", "immediately"} {
		mode, err := purge.Normalize(text)
		fmt.Printf("%q %v\n", mode, err)

		var refused *purge.ModeError
		if errors.As(err, &refused) {
			fmt.Println("meant:", refused.Hint)
		}
	}
	// Output:
	// "Directly" <nil>
	// "Directly" <nil>
	// "Gracefully" <nil>
	// "" purge mode "immediately" is unknown: did you mean "Directly"?
	// meant: Directly
}

func ExampleValidateMode() {
	path := field.NewPath("spec", "failover", "cluster", "purgeMode")
	fmt.Println(purge.ValidateMode("Graciously", path).ToAggregate())
	fmt.Println(purge.ValidateMode("gracefully", path).ToAggregate())
	// Output:
	// <nil>
	// spec.failover.cluster.purgeMode: Invalid value: "gracefully": purge mode "gracefully" is unknown: did you mean "Gracefully"?
}

func ExampleCheckAt() {
	now := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	check := purge.CheckAt(now.Add(90*time.Second+time.Millisecond), now)
	fmt.Println(check.OK, check.After)
	// Output: true 1m31s
}

// One loop works for many tasks: the earliest of their checks is its own.
func ExampleNextCheck_Or() {
	now := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	var next purge.NextCheck
	for _, at := range []time.Time{now.Add(time.Hour), now.Add(time.Minute)} {
		next = next.Or(purge.CheckAt(at, now))
	}
	next = next.Or(purge.NextCheck{}) // a task that only news can change
	fmt.Println(next.OK, next.After)
	// Output: true 1m0s
}
