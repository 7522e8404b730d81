package snapshot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

const path = "s3p://bucket/sp-1"

// hour is the limit of most vectors.
const hour = time.Hour

func in(d time.Duration) snapshot.NextCheck { return snapshot.NextCheck{After: d, OK: true} }

func aged(age time.Duration) snapshot.Snapshot {
	return snapshot.Snapshot{Location: path, TakenAt: noon.Add(-age)}
}

func final() snapshot.Snapshot { return snapshot.Snapshot{Location: path, Final: true} }

func progress(age time.Duration) snapshot.Attempt {
	return snapshot.Attempt{State: snapshot.AttemptInProgress, TriggeredAt: noon.Add(-age)}
}

func finalProgress(age time.Duration) snapshot.Attempt {
	a := progress(age)
	a.Final = true
	return a
}

// TestFreshness has R2 and R3, and 1.2 (spotify) and 2.4 (apache) of docs/flink.md row
// by row.
func TestFreshness(t *testing.T) {
	t.Parallel()
	limit := snapshot.Seconds(3600)
	noTime := snapshot.Snapshot{Location: path}
	tests := map[string]struct {
		in     snapshot.Input
		want   snapshot.Verdict
		why    snapshot.Reason
		age    time.Duration // < 0: not known
		next   snapshot.NextCheck
		reason string
	}{
		// 1.2
		"1.2 final, no reference, no limit": {
			snapshot.Input{Snapshot: final()}, snapshot.VerdictFinal, snapshot.FinalSnapshot, -1, snapshot.NextCheck{}, "final needs no time",
		},
		"1.2 final without a location": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Final: true}, Now: noon},
			snapshot.VerdictNone, snapshot.NoSnapshot, -1,
			snapshot.NextCheck{},
			"a difference: spotify calls it fresh, and starts empty",
		},
		"1.2 final, stale by every time": {
			snapshot.Input{
				Phase: snapshot.PhaseFailed, Snapshot: snapshot.Snapshot{Location: path, Final: true, TakenAt: noon.Add(-1000 * hour)},
				StoppedAt: noon, Limit: snapshot.Seconds(0), Now: noon.Add(hour),
			},
			snapshot.VerdictFinal, snapshot.FinalSnapshot, 1000 * hour,
			snapshot.NextCheck{},
			"final, whatever the times",
		},
		"1.2 compare time: active": {
			snapshot.Input{Phase: snapshot.PhaseRunning, Snapshot: aged(hour + 1), Limit: limit, Now: noon},
			snapshot.VerdictStale, snapshot.TooOld, hour + 1,
			snapshot.NextCheck{},
			"against the time of the observation",
		},
		"1.2 compare time: stopped": {
			snapshot.Input{Phase: snapshot.PhaseSucceeded, Snapshot: aged(hour), StoppedAt: noon, Limit: limit, Now: noon.Add(hour)},
			snapshot.VerdictFresh, snapshot.WithinLimit, hour,
			snapshot.NextCheck{},
			"against its end",
		},
		"1.2 compare time: pending": {
			snapshot.Input{Phase: snapshot.PhasePending, Snapshot: aged(hour), StoppedAt: noon, Limit: limit, Now: noon.Add(hour)},
			snapshot.VerdictFresh, snapshot.WithinLimit, hour,
			snapshot.NextCheck{},
			"against its end",
		},
		"1.2 compare time: unknown": {
			snapshot.Input{Phase: snapshot.PhaseUnknown, Snapshot: aged(hour), StoppedAt: noon, Limit: limit, Now: noon.Add(hour)},
			snapshot.VerdictFresh, snapshot.WithinLimit, hour,
			snapshot.NextCheck{},
			"against its end",
		},
		"1.2 compare time: stopped, end not known": {
			snapshot.Input{Phase: snapshot.PhaseFailed, Snapshot: aged(hour), Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, hour, in(time.Second), "a difference: against now, at which nothing more can be lost; spotify says stale",
		},
		"1.2 no receiver": {
			snapshot.Input{}, snapshot.VerdictNone, snapshot.NoSnapshot, -1, snapshot.NextCheck{}, "a difference: spotify panics on nil",
		},
		"1.2 no reference": {
			snapshot.Input{Snapshot: aged(0), Limit: limit}, snapshot.VerdictStale, snapshot.ReferenceMissing, -1, snapshot.NextCheck{}, "R3",
		},
		"1.2 no limit": {
			snapshot.Input{Snapshot: aged(0), Now: noon}, snapshot.VerdictStale, snapshot.NotFinal, 0, snapshot.NextCheck{}, "R2: FinalOnly",
		},
		"1.2 no location": {
			snapshot.Input{Snapshot: snapshot.Snapshot{TakenAt: noon}, Limit: limit, Now: noon},
			snapshot.VerdictNone, snapshot.NoSnapshot, -1,
			snapshot.NextCheck{},
			"not fresh",
		},
		"1.2 no time": {
			snapshot.Input{Snapshot: noTime, Limit: limit, Now: noon},
			snapshot.VerdictStale, snapshot.TimeMissing, -1,
			snapshot.NextCheck{},
			"not fresh",
		},
		"1.2 -1 ns": {
			snapshot.Input{Snapshot: aged(hour - 1), Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, hour - 1, in(time.Second), "inclusive",
		},
		"1.2 0 ns": {
			snapshot.Input{Snapshot: aged(hour), Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, hour, in(time.Second), "inclusive: as spotify, apache is exclusive",
		},
		"1.2 +1 ns": {
			snapshot.Input{Snapshot: aged(hour + 1), Limit: limit, Now: noon},
			snapshot.VerdictStale, snapshot.TooOld, hour + 1,
			snapshot.NextCheck{},
			"inclusive",
		},
		"1.2 max 0, same instant": {
			snapshot.Input{Snapshot: aged(0), Limit: snapshot.Seconds(0), Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, 0, in(time.Second), "fresh",
		},
		"1.2 max 0, 1 ns": {
			snapshot.Input{Snapshot: aged(1), Limit: snapshot.Seconds(0), Now: noon},
			snapshot.VerdictStale, snapshot.TooOld, 1,
			snapshot.NextCheck{},
			"R2",
		},
		"1.2 future within the skew": {
			snapshot.Input{Snapshot: aged(-60 * time.Second), Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, 0, in(hour + 61*time.Second), "fresh, the age is never negative",
		},
		"1.2 future beyond the skew": {
			snapshot.Input{Snapshot: aged(-60*time.Second - 1), Limit: limit, Now: noon},
			snapshot.VerdictSuspect, snapshot.FromTheFuture, 0, in(time.Second), "a difference: spotify calls it fresh",
		},
		"future beyond a given skew": {
			snapshot.Input{Snapshot: aged(-11 * time.Second), Limit: limit, Skew: 10 * time.Second, Now: noon},
			snapshot.VerdictSuspect, snapshot.FromTheFuture, 0, in(time.Second), "R2",
		},
		"skew of 1 ns": {
			snapshot.Input{Snapshot: aged(-2), Limit: limit, Skew: 1, Now: noon},
			snapshot.VerdictSuspect, snapshot.FromTheFuture, 0, in(time.Second), "R2: any skew above zero is meant",
		},
		"negative skew": {
			snapshot.Input{Snapshot: aged(-60 * time.Second), Limit: limit, Skew: -1, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, 0, in(hour + 61*time.Second), "R2: the default",
		},
		"longest skew": {
			snapshot.Input{Snapshot: aged(-1000 * hour), Limit: limit, Skew: 1<<63 - 1, StoppedAt: noon, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, 0,
			snapshot.NextCheck{},
			"L4: no overflow",
		},
		"taken in the year 9999": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Location: path, TakenAt: noon.AddDate(7973, 0, 0)}, Limit: limit, Now: noon},
			snapshot.VerdictSuspect, snapshot.FromTheFuture, 0, in(9223372036 * time.Second), "L4: no overflow",
		},
		"taken in the year 1": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Location: path, TakenAt: time.Time{}.Add(1)}, Limit: snapshot.Seconds(1 << 62), Now: noon},
			snapshot.VerdictStale, snapshot.TooOld, 1<<63 - 1,
			snapshot.NextCheck{},
			"L4: an age that is too long to say is not within any limit",
		},
		"future, unlimited": {
			snapshot.Input{Snapshot: aged(-hour), Limit: snapshot.Unlimited(), Now: noon},
			snapshot.VerdictSuspect, snapshot.FromTheFuture, 0, in(59 * time.Minute), "R2: Suspect is before Fresh",
		},
		"future and final": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Location: path, Final: true, TakenAt: noon.Add(hour)}, Now: noon},
			snapshot.VerdictFinal, snapshot.FinalSnapshot, 0,
			snapshot.NextCheck{},
			"R2: Final is before Suspect",
		},

		// R2, in order
		"unnamed and final": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Location: path, Final: true, Unnamed: true}, Now: noon},
			snapshot.VerdictUnknown, snapshot.StateUnnamed, -1,
			snapshot.NextCheck{},
			"F75: Unknown is first",
		},
		"unnamed, pending": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Unnamed: true}, Attempt: progress(0), Reachable: true, Limit: limit, Now: noon},
			snapshot.VerdictUnknown, snapshot.StateUnnamed, -1,
			snapshot.NextCheck{},
			"F75: Unknown is first",
		},
		"final while lost": {
			snapshot.Input{Phase: snapshot.PhaseLost, Snapshot: final(), Limit: limit, Now: noon},
			snapshot.VerdictStale, snapshot.TimeMissing, -1,
			snapshot.NextCheck{},
			"R9: Lost voids finality",
		},
		"final while lost, fresh": {
			snapshot.Input{Phase: snapshot.PhaseLost, Snapshot: snapshot.Snapshot{Location: path, Final: true, TakenAt: noon}, Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, 0, in(hour + time.Second), "R9: and nothing but finality",
		},
		"final while running": {
			snapshot.Input{Phase: snapshot.PhaseRunning, Snapshot: final(), Now: noon},
			snapshot.VerdictFinal, snapshot.FinalSnapshot, -1,
			snapshot.NextCheck{},
			"1.6: it stops next",
		},
		"location 0": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Location: "0", TakenAt: noon}, Limit: limit, Now: noon},
			snapshot.VerdictNone, snapshot.NoSnapshot, -1,
			snapshot.NextCheck{},
			"F71",
		},
		"location null": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Location: "null", Final: true}, Now: noon},
			snapshot.VerdictNone, snapshot.NoSnapshot, -1,
			snapshot.NextCheck{},
			"F68",
		},
		"location blank": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Location: "  ", Final: true}, Now: noon},
			snapshot.VerdictNone, snapshot.NoSnapshot, -1,
			snapshot.NextCheck{},
			"R2",
		},
		"none, pending": {
			snapshot.Input{Attempt: progress(time.Minute), Reachable: true, Limit: limit, Now: noon},
			snapshot.VerdictWait, snapshot.AttemptPending, -1, in(9*time.Minute + time.Second), "R2: until the attempt is overdue",
		},
		"none, pending, its deadline a moment early": {
			snapshot.Input{Attempt: progress(time.Minute + 1), Reachable: true, Limit: limit, Now: noon},
			snapshot.VerdictWait, snapshot.AttemptPending, -1, in(9 * time.Minute), "L5: over just after, so no second later",
		},
		"none, pending, the limit a moment early": {
			snapshot.Input{Attempt: progress(time.Minute + 1), Reachable: true, Limit: snapshot.Seconds(120), Now: noon},
			snapshot.VerdictWait, snapshot.AttemptPending, -1, in(time.Minute), "L5: over just after, so no second later",
		},
		"none, pending, unreachable": {
			snapshot.Input{Attempt: progress(time.Minute), Limit: limit, Now: noon},
			snapshot.VerdictNone, snapshot.NoSnapshot, -1,
			snapshot.NextCheck{},
			"F74: nobody would see it complete",
		},
		"pending from the future": {
			snapshot.Input{Attempt: progress(-61 * time.Second), Reachable: true, Limit: limit, Now: noon},
			snapshot.VerdictNone, snapshot.NoSnapshot, -1, in(time.Second), "L5: believed in a second",
		},
		"pending since nobody knows when": {
			snapshot.Input{Attempt: snapshot.Attempt{State: snapshot.AttemptInProgress}, Reachable: true, Limit: snapshot.Unlimited(), Now: noon},
			snapshot.VerdictNone, snapshot.NoSnapshot, -1,
			snapshot.NextCheck{},
			"R8: it would be waited for without end",
		},
		"none, pending, unlimited": {
			snapshot.Input{Attempt: progress(time.Minute), Reachable: true, Limit: snapshot.Unlimited(), Now: noon},
			snapshot.VerdictWait, snapshot.AttemptPending, -1, in(9*time.Minute + time.Second), "R2",
		},
		"failed attempt, older good one": {
			snapshot.Input{Snapshot: aged(time.Minute), Attempt: snapshot.Attempt{State: snapshot.AttemptFailed}, Reachable: true, Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, time.Minute, in(59*time.Minute + time.Second), "R1: it spoils nothing",
		},
		"job failed after success": {
			snapshot.Input{Phase: snapshot.PhaseFailed, Snapshot: aged(time.Minute), StoppedAt: noon, Limit: limit, Now: noon.Add(24 * time.Hour)},
			snapshot.VerdictFresh, snapshot.WithinLimit, time.Minute,
			snapshot.NextCheck{},
			"R1: still good",
		},
		"stale, final pending, FinalOnly": {
			snapshot.Input{Snapshot: aged(0), Attempt: finalProgress(0), Reachable: true, Now: noon},
			snapshot.VerdictWait, snapshot.AttemptPending, 0, in(10*time.Minute + time.Second), "R2: it will be good enough",
		},
		"stale, pending, FinalOnly": {
			snapshot.Input{Snapshot: aged(0), Attempt: progress(0), Reachable: true, Now: noon},
			snapshot.VerdictStale, snapshot.NotFinal, 0,
			snapshot.NextCheck{},
			"R2: it will not be final",
		},
		"stale, final pending, FinalOnly, lost": {
			snapshot.Input{Phase: snapshot.PhaseLost, Snapshot: aged(0), Attempt: finalProgress(0), Reachable: true, Now: noon},
			snapshot.VerdictStale, snapshot.NotFinal, 0,
			snapshot.NextCheck{},
			"R9: it would not be final either",
		},
		"unlimited, no time": {
			snapshot.Input{Snapshot: noTime, Limit: snapshot.Unlimited()},
			snapshot.VerdictFresh, snapshot.AnyAge, -1,
			snapshot.NextCheck{},
			"R2: no age is asked for",
		},

		// 2.4
		"2.4 no maximum": {
			snapshot.Input{Snapshot: aged(1000 * hour), Limit: snapshot.Unlimited(), Now: noon},
			snapshot.VerdictFresh, snapshot.AnyAge, 1000 * hour,
			snapshot.NextCheck{},
			"last-state",
		},
		"2.4 young job, no checkpoint yet": {
			snapshot.Input{Phase: snapshot.PhaseRunning, Limit: limit, Now: noon},
			snapshot.VerdictNone, snapshot.NoSnapshot, -1,
			snapshot.NextCheck{},
			"a difference: apache goes on; on another cluster it would start empty",
		},
		"2.4 young job, pending": {
			snapshot.Input{Phase: snapshot.PhaseRunning, Attempt: progress(time.Minute), Reachable: true, Limit: limit, Now: noon},
			snapshot.VerdictWait, snapshot.AttemptPending, -1, in(9*time.Minute + time.Second), "a difference: apache goes on; here the first one is awaited",
		},
		"2.4 old job, none, pending old": {
			snapshot.Input{
				Phase: snapshot.PhaseRunning, Attempt: progress(hour + 1), AttemptDeadline: 2 * hour, Reachable: true, Limit: limit, Now: noon,
			},
			snapshot.VerdictNone, snapshot.NoSnapshot, -1,
			snapshot.NextCheck{},
			"take a savepoint instead",
		},
		"2.4 last completed at the maximum": {
			snapshot.Input{Phase: snapshot.PhaseRunning, Snapshot: aged(hour), Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, hour, in(time.Second), "a difference: apache is exclusive",
		},
		"2.4 last completed within": {
			snapshot.Input{Snapshot: aged(hour / 2), Attempt: progress(0), Reachable: true, Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, hour / 2, in(hour/2 + time.Second), "last-state",
		},
		"2.4 old, pending within": {
			snapshot.Input{Snapshot: aged(2 * hour), Attempt: progress(0), Reachable: true, Limit: limit, Now: noon},
			snapshot.VerdictWait, snapshot.AttemptPending, 2 * hour, in(10*time.Minute + time.Second), "wait for the pending one",
		},
		"2.4 old, pending at the limit": {
			snapshot.Input{
				Snapshot: aged(2 * hour), Attempt: progress(hour), AttemptDeadline: 2 * hour, Reachable: true, Limit: limit, Now: noon,
			},
			snapshot.VerdictWait, snapshot.AttemptPending, 2 * hour, in(time.Second), "inclusive, and over in a moment",
		},
		"2.4 old, pending old": {
			snapshot.Input{
				Snapshot: aged(2 * hour), Attempt: progress(hour + 1), AttemptDeadline: 2 * hour, Reachable: true, Limit: limit, Now: noon,
			},
			snapshot.VerdictStale, snapshot.TooOld, 2 * hour,
			snapshot.NextCheck{},
			"take a savepoint instead",
		},
		"2.4 pending at its deadline": {
			snapshot.Input{Snapshot: aged(2 * hour), Attempt: progress(10 * time.Minute), Reachable: true, Limit: limit, Now: noon},
			snapshot.VerdictWait, snapshot.AttemptPending, 2 * hour, in(time.Second), "R8: inclusive",
		},
		"2.4 pending past its deadline": {
			snapshot.Input{Snapshot: aged(2 * hour), Attempt: progress(10*time.Minute + 1), Reachable: true, Limit: limit, Now: noon},
			snapshot.VerdictStale, snapshot.TooOld, 2 * hour,
			snapshot.NextCheck{},
			"R8: Abandoned, the older good one stands",
		},

		// R3
		"stopped long ago": {
			snapshot.Input{Snapshot: aged(2 * time.Minute), StoppedAt: noon, Limit: snapshot.Seconds(300), Now: noon.Add(18 * time.Minute)},
			snapshot.VerdictFresh, snapshot.WithinLimit, 2 * time.Minute,
			snapshot.NextCheck{},
			"F69: two minutes of loss, not 20",
		},
		"last known running": {
			snapshot.Input{Snapshot: aged(2 * time.Minute), LastRunning: noon, Limit: snapshot.Seconds(300), Now: noon.Add(18 * time.Minute)},
			snapshot.VerdictFresh, snapshot.WithinLimit, 2 * time.Minute,
			snapshot.NextCheck{},
			"R3: the second choice",
		},
		"stopped before last known running": {
			snapshot.Input{Snapshot: aged(0), StoppedAt: noon.Add(hour), LastRunning: noon, Limit: limit, Now: noon.Add(hour)},
			snapshot.VerdictFresh, snapshot.WithinLimit, hour,
			snapshot.NextCheck{},
			"R3: the stop is the first choice",
		},
		"younger than last known running": {
			snapshot.Input{Snapshot: aged(-hour), LastRunning: noon, Limit: snapshot.Seconds(0), Now: noon.Add(2 * hour)},
			snapshot.VerdictFresh, snapshot.WithinLimit, 0,
			snapshot.NextCheck{},
			"R3: it proves that the work ran then",
		},
		"younger than the stop, within the skew": {
			snapshot.Input{Snapshot: aged(-60 * time.Second), StoppedAt: noon, Limit: limit, Now: noon.Add(hour)},
			snapshot.VerdictFresh, snapshot.WithinLimit, 0,
			snapshot.NextCheck{},
			"R2",
		},
		"younger than the stop, beyond the skew": {
			snapshot.Input{Snapshot: aged(-60*time.Second - 1), StoppedAt: noon, Limit: limit, Now: noon.Add(hour)},
			snapshot.VerdictSuspect, snapshot.FromTheFuture, 0,
			snapshot.NextCheck{},
			"R2: no time that passes explains it",
		},
		"running, stop of an earlier run": {
			snapshot.Input{Phase: snapshot.PhaseRunning, Snapshot: aged(hour + 1), StoppedAt: noon.Add(-hour), Limit: limit, Now: noon},
			snapshot.VerdictStale, snapshot.TooOld, hour + 1,
			snapshot.NextCheck{},
			"R3: what runs has not stopped",
		},
		"starting, snapshot after the stop of an earlier run": {
			snapshot.Input{Phase: snapshot.PhaseStarting, Snapshot: aged(0), StoppedAt: noon.Add(-hour), Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, 0, in(hour + time.Second), "R3: it is not from the future either",
		},
		"running, last known an hour ago": {
			snapshot.Input{Phase: snapshot.PhaseRunning, Snapshot: aged(2 * hour), LastRunning: noon.Add(-hour), Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, hour,
			snapshot.NextCheck{},
			"R3: a running status that nobody refreshes",
		},
		"pending, now not known": {
			snapshot.Input{Snapshot: aged(2 * hour), StoppedAt: noon, Attempt: progress(0), Reachable: true, Limit: limit},
			snapshot.VerdictStale, snapshot.TooOld, 2 * hour,
			snapshot.NextCheck{},
			"R8: nobody knows whether its deadline is over, and no check is 292 years away",
		},
		"stopped, now not known": {
			snapshot.Input{Snapshot: aged(time.Minute), StoppedAt: noon, Limit: limit},
			snapshot.VerdictFresh, snapshot.WithinLimit, time.Minute,
			snapshot.NextCheck{},
			"R3: now plays no part",
		},
		"time seen": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Location: path, ObservedAt: noon.Add(-time.Minute)}, Limit: limit, Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, time.Minute, in(59*time.Minute + time.Second), "F80: stands in for the time taken",
		},
		"time taken and seen": {
			snapshot.Input{Snapshot: snapshot.Snapshot{Location: path, TakenAt: noon.Add(-2 * hour), ObservedAt: noon}, Limit: limit, Now: noon},
			snapshot.VerdictStale, snapshot.TooOld, 2 * hour,
			snapshot.NextCheck{},
			"F80: the time taken is the first choice",
		},
		"the longest limit": {
			snapshot.Input{Snapshot: aged(1000 * hour), Limit: snapshot.Seconds(1 << 62), Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, 1000 * hour, in(9223372036*time.Second - 1000*hour + time.Second), "L4: no overflow",
		},

		"the longest limit, out of reach": {
			snapshot.Input{Snapshot: aged(-time.Minute), Limit: snapshot.Seconds(1 << 62), Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, 0, in(9223372036 * time.Second), "L4: rounding up must not overflow",
		},
		"check in just over a second": {
			snapshot.Input{Snapshot: aged(0), Limit: snapshot.Seconds(1), Now: noon},
			snapshot.VerdictFresh, snapshot.WithinLimit, 0, in(2 * time.Second), "L5: rounded up",
		},

		// L6
		"unknown phase": {
			snapshot.Input{Phase: "final", Snapshot: final(), Now: noon},
			snapshot.VerdictUnknown, snapshot.InvalidInput, -1,
			snapshot.NextCheck{},
			"L6",
		},
		"unknown attempt state": {
			snapshot.Input{Attempt: snapshot.Attempt{State: "COMPLETED"}, Snapshot: final(), Now: noon},
			snapshot.VerdictUnknown, snapshot.InvalidInput, -1,
			snapshot.NextCheck{},
			"L6",
		},
		"negative limit": {
			snapshot.Input{Snapshot: final(), Limit: snapshot.Seconds(-1), Now: noon},
			snapshot.VerdictUnknown, snapshot.InvalidInput, -1,
			snapshot.NextCheck{},
			"L6",
		},
		"zero": {snapshot.Input{}, snapshot.VerdictNone, snapshot.NoSnapshot, -1, snapshot.NextCheck{}, "nothing is known"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := snapshot.Freshness(tt.in)
			want := snapshot.Assessment{
				Verdict: tt.want, Reason: tt.why, Message: got.Message, Age: max(tt.age, 0), AgeKnown: tt.age >= 0, NextCheck: tt.next,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if got.Message == "" || strings.Contains(got.Message, path) {
				t.Errorf("L5, L7: message %q", got.Message)
			}
		})
	}
}
