package snapshot_test

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// A job crashed two minutes after its last savepoint, and the failover is decided
// twenty minutes later.
func Example() {
	taken := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	got := snapshot.Restart(snapshot.RestartInput{
		Input: snapshot.Input{
			Phase:     snapshot.PhaseFailed,
			Snapshot:  snapshot.Snapshot{Location: "s3p://bucket/sp-1", TakenAt: taken},
			StoppedAt: taken.Add(2 * time.Minute),
			Limit:     snapshot.Seconds(300),
			Now:       taken.Add(20 * time.Minute),
		},
		Policy: snapshot.RequireState,
	})
	fmt.Println(got.Outcome, got.From.Location, got.Reason)
	// Output: RestoreFrom s3p://bucket/sp-1 RestoredFresh
}

// After a crash with a fresh, a stale and no savepoint, each policy says what
// happens.
func ExampleRestart() {
	stopped := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	saved := func(age time.Duration) snapshot.Snapshot {
		return snapshot.Snapshot{Location: "s3p://bucket/sp-1", TakenAt: stopped.Add(-age)}
	}
	for _, state := range []struct {
		name string
		snapshot.Snapshot
	}{{"fresh", saved(time.Minute)}, {"stale", saved(6 * time.Hour)}, {"none", snapshot.Snapshot{}}} {
		for _, policy := range []snapshot.Policy{snapshot.RequireState, snapshot.PreferState, snapshot.IgnoreState} {
			got := snapshot.Restart(snapshot.RestartInput{
				Input: snapshot.Input{
					Phase: snapshot.PhaseFailed, Snapshot: state.Snapshot, StoppedAt: stopped,
					Limit: snapshot.Seconds(3600), Now: stopped.Add(10 * time.Minute),
				},
				Policy: policy,
			})
			fmt.Println(state.name, policy, got.Outcome, got.Reason)
		}
	}
	// Output:
	// fresh RequireState RestoreFrom RestoredFresh
	// fresh PreferState RestoreFrom RestoredFresh
	// fresh IgnoreState StartEmpty StateIgnored
	// stale RequireState Refuse StateStale
	// stale PreferState RestoreFrom RestoredStale
	// stale IgnoreState StartEmpty StateIgnored
	// none RequireState Refuse StateMissing
	// none PreferState StartEmpty StartedEmpty
	// none IgnoreState StartEmpty StateIgnored
}

// A running job is updated: with a final savepoint, and without taking one.
func ExampleReadyToMove() {
	now := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	in := snapshot.MoveInput{Input: snapshot.Input{
		Phase:    snapshot.PhaseRunning,
		Snapshot: snapshot.Snapshot{Location: "s3p://bucket/sp-1", TakenAt: now.Add(-10 * time.Minute)},
		Limit:    snapshot.Seconds(3600),
		Now:      now,
	}}
	show := func(take bool) {
		in.TakeSnapshot = take
		got := snapshot.ReadyToMove(in)
		fmt.Println(got.Readiness, got.Reason, got.NextCheck.After)
	}
	show(false) // fresh for 50 minutes more
	show(true)  // the final one is still to be taken
	in.Snapshot = snapshot.Snapshot{Location: "s3p://bucket/sp-2", TakenAt: now, Final: true}
	show(true)
	// Output:
	// Ready StateFresh 50m1s
	// Wait AwaitingFinal 0s
	// Ready StateFinal 0s
}

// The last savepoint is too old, but another one is being taken on a cluster that
// still answers.
func ExampleFreshness() {
	now := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	in := snapshot.Input{
		Snapshot: snapshot.Snapshot{Location: "s3p://bucket/sp-1", TakenAt: now.Add(-2 * time.Hour)},
		Attempt: snapshot.Attempt{
			State: snapshot.AttemptInProgress, TriggeredAt: now.Add(-time.Minute),
		},
		Limit: snapshot.Seconds(3600),
		Now:   now,
	}
	for _, in.Reachable = range []bool{true, false} {
		got := snapshot.Freshness(in)
		fmt.Println(got.Verdict, got.Reason, got.Age, got.NextCheck.After)
	}
	// Output:
	// Wait AttemptPending 2h0m0s 9m1s
	// Stale TooOld 2h0m0s 0s
}

// An old pin in the specification does not win over what was recorded since.
func ExampleChoose() {
	got := snapshot.Choose(snapshot.Candidates{
		Explicit: "s3p://bucket/pinned-last-year",
		Latest:   snapshot.Snapshot{Location: "s3p://bucket/sp-9", Generation: 9},
	})
	fmt.Println(got.Source, got.Snapshot.Location, got.Reason)
	for _, l := range got.Lost {
		fmt.Println(l.Source, l.Snapshot.Location, l.Reason)
	}
	// Output:
	// Latest s3p://bucket/sp-9 LatestRecorded
	// Explicit s3p://bucket/pinned-last-year PinNotNew
}

// A savepoint of an hourly job failed. It is tried again when the interval is over,
// not before.
func ExampleNextSnapshot() {
	now := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	interval := int64(3600)
	in := snapshot.NextInput{
		Phase: snapshot.PhaseRunning,
		Last:  snapshot.Snapshot{Location: "s3p://bucket/sp-1", TakenAt: now.Add(-50 * time.Minute)},
		Attempt: snapshot.Attempt{
			State: snapshot.AttemptFailed, Trigger: snapshot.TriggerPeriodic, UpdatedAt: now.Add(-5 * time.Second),
		},
		Schedule: snapshot.Schedule{IntervalSeconds: &interval, RetrySeconds: 10},
		Now:      now,
	}
	got := snapshot.NextSnapshot(in)
	fmt.Println(got.Timing, got.Reason, got.NextCheck.After)
	in.Requested = true
	got = snapshot.NextSnapshot(in)
	fmt.Println(got.Timing, got.Reason, got.Trigger)
	// Output:
	// Wait IntervalRunning 10m0s
	// Due Requested Manual
}

// An attempt that fails leaves the last good snapshot alone.
func ExampleRecord() {
	now := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	last := snapshot.Snapshot{Location: "s3p://bucket/sp-1", Generation: 1}
	for _, a := range []snapshot.Attempt{
		{State: snapshot.AttemptInProgress, TriggeredAt: now.Add(-time.Hour)},
		{State: snapshot.AttemptFailed},
		{State: snapshot.AttemptSucceeded, Location: "s3p://bucket/sp-2", CompletedAt: now},
	} {
		got := snapshot.Record(snapshot.RecordInput{Last: last, Attempt: a, Now: now})
		fmt.Println(got.Reason, got.Attempt.State, got.Snapshot.Location, got.Snapshot.Generation)
	}
	// Output:
	// AttemptOverdue Abandoned s3p://bucket/sp-1 1
	// AttemptUnsuccessful Failed s3p://bucket/sp-1 1
	// SnapshotRecorded Succeeded s3p://bucket/sp-2 2
}

func ExampleParseTime() {
	for _, value := range []any{"2026-01-01T12:00:00Z", "1767268800", 1767268800000.0, "2026-01-01T12:00:00", "0"} {
		at, err := snapshot.ParseTime(value)
		if err != nil {
			fmt.Println(err, errors.Is(err, snapshot.ErrNoTime))
			continue
		}
		fmt.Println(at.Format(time.RFC3339))
	}
	// Output:
	// 2026-01-01T12:00:00Z
	// 2026-01-01T12:00:00Z
	// 2026-01-01T12:00:00Z
	// not a time: the text is neither RFC 3339 with a zone nor a whole number since 1970 false
	// no time: 0 stands for none true
}

func ExamplePhases() {
	fmt.Println(snapshot.Phases())
	// Output: [Pending Starting Running Succeeded Failed Cancelled Lost Unknown]
}

func ExamplePhase_Active() {
	for _, p := range snapshot.Phases() {
		if p.Active() {
			fmt.Println(p)
		}
	}
	// Output:
	// Starting
	// Running
}

// Work that is lost may still run somewhere.
func ExamplePhase_Stopped() {
	fmt.Println(snapshot.PhaseFailed.Stopped(), snapshot.PhaseLost.Stopped())
	// Output: true false
}

// A restart is for work that failed or is lost, not for work that somebody stopped.
func ExamplePhase_Failure() {
	for _, p := range []snapshot.Phase{snapshot.PhaseFailed, snapshot.PhaseLost, snapshot.PhaseCancelled} {
		fmt.Println(p, p.Failure())
	}
	// Output:
	// Failed true
	// Lost true
	// Cancelled false
}

// A job that was cancelled in order to move is not at its end.
func ExamplePhase_Terminal() {
	fmt.Println(snapshot.PhaseCancelled.Terminal(false), snapshot.PhaseCancelled.Terminal(true))
	// Output: true false
}

func ExampleParsePhase() {
	_, err := snapshot.ParsePhase("RUNNING")
	fmt.Println(err)
	// Output: phase "RUNNING" is unknown
}

func ExampleValidateSchedule() {
	never := int64(0)
	for _, err := range snapshot.ValidateSchedule(snapshot.Schedule{IntervalSeconds: &never}, field.NewPath("spec", "snapshots")) {
		fmt.Println(err)
	}
	// Output:
	// spec.snapshots.intervalSeconds: Invalid value: 0: an interval is at least 1 second: leave it out to take no periodic snapshots
}

func ExampleValidateLimit() {
	fmt.Println(snapshot.ValidateLimit(snapshot.Seconds(-1), field.NewPath("maxStateAgeSeconds")).ToAggregate())
	// Output: maxStateAgeSeconds: Invalid value: -1: an age is never negative: use 0 or more seconds
}

// A snapshot of this very second is not final, and that alone decides.
func ExampleFinalOnly() {
	now := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	in := snapshot.Input{
		Snapshot: snapshot.Snapshot{Location: "s3p://bucket/sp-1", TakenAt: now},
		Limit:    snapshot.FinalOnly(),
		Now:      now,
	}
	for _, in.Snapshot.Final = range []bool{false, true} {
		got := snapshot.Freshness(in)
		fmt.Println(got.Verdict, got.Reason)
	}
	// Output:
	// Stale NotFinal
	// Final FinalSnapshot
}

// The limit is inclusive.
func ExampleSeconds() {
	now := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	for _, age := range []time.Duration{5 * time.Minute, 5*time.Minute + time.Second} {
		got := snapshot.Freshness(snapshot.Input{
			Snapshot: snapshot.Snapshot{Location: "s3p://bucket/sp-1", TakenAt: now.Add(-age)},
			Limit:    snapshot.Seconds(300),
			Now:      now,
		})
		fmt.Println(got.Age, got.Verdict, got.Reason)
	}
	// Output:
	// 5m0s Fresh WithinLimit
	// 5m1s Stale TooOld
}

// Nobody knows when the snapshot was taken, and nobody asks.
func ExampleUnlimited() {
	got := snapshot.Freshness(snapshot.Input{
		Snapshot: snapshot.Snapshot{Location: "s3p://bucket/sp-1"},
		Limit:    snapshot.Unlimited(),
		Now:      time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC),
	})
	fmt.Println(got.Verdict, got.Reason)
	// Output: Fresh AnyAge
}
