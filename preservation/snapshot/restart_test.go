package snapshot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// worth has an input for each verdict, of work that failed an hour ago.
func worth() map[snapshot.Verdict]snapshot.Input {
	base := snapshot.Input{
		Phase: snapshot.PhaseFailed, Reachable: true, StoppedAt: noon, Limit: snapshot.Seconds(300), Now: noon.Add(hour),
	}
	with := func(s snapshot.Snapshot) snapshot.Input {
		i := base
		i.Snapshot = s
		return i
	}
	wait := with(aged(hour))
	wait.Attempt = snapshot.Attempt{State: snapshot.AttemptInProgress, TriggeredAt: noon}
	wait.AttemptDeadline = 2 * hour
	return map[snapshot.Verdict]snapshot.Input{
		snapshot.VerdictUnknown: with(snapshot.Snapshot{Unnamed: true}),
		snapshot.VerdictFinal:   with(final()),
		snapshot.VerdictNone:    with(snapshot.Snapshot{}),
		snapshot.VerdictWait:    wait,
		snapshot.VerdictSuspect: with(aged(-hour)),
		snapshot.VerdictFresh:   with(aged(time.Minute)),
		snapshot.VerdictStale:   with(aged(hour)),
	}
}

// TestRestartExhaustively is the table of R6: each verdict under each policy, in
// each phase.
func TestRestartExhaustively(t *testing.T) {
	t.Parallel()
	type answer struct {
		outcome snapshot.Outcome
		why     snapshot.Reason
		warning bool
	}
	refuse := func(why snapshot.Reason) answer { return answer{snapshot.Refuse, why, true} }
	wait := answer{snapshot.Wait, snapshot.AttemptPending, false}
	restoredFinal := answer{snapshot.RestoreFrom, snapshot.RestoredFinal, false}
	restoredFresh := answer{snapshot.RestoreFrom, snapshot.RestoredFresh, false}
	table := map[snapshot.Verdict]struct{ require, prefer answer }{
		snapshot.VerdictFinal:   {restoredFinal, restoredFinal},
		snapshot.VerdictFresh:   {restoredFresh, restoredFresh},
		snapshot.VerdictWait:    {wait, wait},
		snapshot.VerdictStale:   {refuse(snapshot.StateStale), answer{snapshot.RestoreFrom, snapshot.RestoredStale, true}},
		snapshot.VerdictNone:    {refuse(snapshot.StateMissing), answer{snapshot.StartEmpty, snapshot.StartedEmpty, true}},
		snapshot.VerdictSuspect: {refuse(snapshot.StateSuspect), refuse(snapshot.StateSuspect)},
		snapshot.VerdictUnknown: {refuse(snapshot.StateUnnamed), refuse(snapshot.StateUnnamed)},
	}
	expect := func(verdict snapshot.Verdict, in snapshot.RestartInput) answer {
		failed := in.Phase == snapshot.PhaseFailed || in.Phase == snapshot.PhaseLost ||
			in.Phase == snapshot.PhaseCancelled && in.Moving
		switch {
		case !failed:
			return answer{snapshot.Refuse, snapshot.NotFailed, false}
		case in.Policy == snapshot.IgnoreState:
			return answer{snapshot.StartEmpty, snapshot.StateIgnored, false}
		case in.Policy == snapshot.PreferState:
			return table[verdict].prefer
		default:
			return table[verdict].require
		}
	}
	for verdict, base := range worth() {
		t.Run("verdict="+string(verdict), func(t *testing.T) {
			t.Parallel()
			for _, phase := range append(snapshot.Phases(), "") {
				for _, policy := range []snapshot.Policy{snapshot.RequireState, snapshot.PreferState, snapshot.IgnoreState, ""} {
					for _, moving := range []bool{false, true} {
						in := snapshot.RestartInput{Input: base, Policy: policy, Moving: moving}
						in.Phase = phase
						if phase.Active() {
							in.Now, in.StoppedAt = in.StoppedAt, time.Time{} // R3: it has not stopped
						}
						judged := verdict
						if phase == snapshot.PhaseLost && verdict == snapshot.VerdictFinal {
							judged = snapshot.VerdictStale // R9
						}
						got := snapshot.Restart(in)
						want := expect(judged, in)
						if diff := cmp.Diff([]any{judged, want.outcome, want.why, want.warning},
							[]any{got.Verdict, got.Outcome, got.Reason, got.Warning}); diff != "" {
							t.Errorf("R6: %s, %q, moving %t: (-want +got)\n%s", phase, policy, moving, diff)
						}
						from := snapshot.Snapshot{}
						if want.outcome == snapshot.RestoreFrom {
							from = base.Snapshot
						}
						if diff := cmp.Diff(from, got.From); diff != "" {
							t.Errorf("R6: %s, %q: (-want +got)\n%s", phase, policy, diff)
						}
						if got.Message == "" || strings.Contains(got.Message, path) {
							t.Errorf("L5, L7: message %q", got.Message)
						}
						if check := got.NextCheck.OK; check != (judged == snapshot.VerdictWait && got.Outcome == snapshot.Wait) {
							t.Errorf("L5: %s, %q: next check %t", phase, policy, check)
						}
						if diff := cmp.Diff(got, snapshot.Restart(in)); diff != "" {
							t.Errorf("L3: (-first +second)\n%s", diff)
						}
					}
				}
			}
		})
	}
}

// TestRestart is 1.4 of docs/flink.md, and of 2.2 and 2.5 what is about state.
func TestRestart(t *testing.T) {
	t.Parallel()
	failed := func(s snapshot.Snapshot, stopped time.Time) snapshot.Input {
		return snapshot.Input{
			Phase: snapshot.PhaseFailed, Snapshot: s, StoppedAt: stopped, Limit: snapshot.Seconds(3600), Now: noon.Add(24 * hour),
		}
	}
	noAge := failed(final(), noon)
	noAge.Limit = snapshot.FinalOnly()
	tests := map[string]struct {
		in      snapshot.RestartInput
		outcome snapshot.Outcome
		why     snapshot.Reason
		reason  string
	}{
		"1.4 no job": {
			snapshot.RestartInput{}, snapshot.Refuse, snapshot.NotFailed, "no restart",
		},
		"1.4 not failed": {
			snapshot.RestartInput{Input: snapshot.Input{Phase: snapshot.PhaseRunning, Snapshot: final()}, Policy: snapshot.PreferState},
			snapshot.Refuse, snapshot.NotFailed, "no restart",
		},
		"1.4 policy Never": {
			snapshot.RestartInput{Input: failed(final(), noon), Policy: "Never"},
			snapshot.Refuse, snapshot.InvalidInput, "no restart; a host with that policy does not ask",
		},
		"1.4 no policy": {
			snapshot.RestartInput{Input: failed(aged(0), noon)},
			snapshot.RestoreFrom, snapshot.RestoredFresh, "a difference: empty is RequireState; a host without restarts does not ask",
		},
		"1.4 lost": {
			snapshot.RestartInput{Input: snapshot.Input{Phase: snapshot.PhaseLost, Snapshot: aged(0), Limit: snapshot.Seconds(3600), Now: noon}},
			snapshot.RestoreFrom, snapshot.RestoredFresh, "Lost is a failure",
		},
		"1.4 fresh against the end": {
			snapshot.RestartInput{Input: failed(aged(hour), noon), Policy: snapshot.RequireState},
			snapshot.RestoreFrom, snapshot.RestoredFresh, "F69: not against now",
		},
		"1.4 stale, as PR 107": {
			snapshot.RestartInput{Input: failed(aged(hour+1), noon), Policy: snapshot.RequireState},
			snapshot.Refuse, snapshot.StateStale, "F70: the documented wish",
		},
		"1.4 stale, as HEAD": {
			snapshot.RestartInput{Input: failed(aged(hour+1), noon), Policy: snapshot.PreferState},
			snapshot.RestoreFrom, snapshot.RestoredStale, "F70: the other wish, by its name",
		},
		"1.4 none, as PR 107": {
			snapshot.RestartInput{Input: failed(snapshot.Snapshot{}, noon), Policy: snapshot.RequireState},
			snapshot.Refuse, snapshot.StateMissing, "F70: never empty",
		},
		"1.4 none, as HEAD": {
			snapshot.RestartInput{Input: failed(snapshot.Snapshot{}, noon), Policy: snapshot.PreferState},
			snapshot.StartEmpty, snapshot.StartedEmpty, "F70: empty, by name",
		},
		"1.4 no end known": {
			snapshot.RestartInput{Input: failed(aged(0), time.Time{}), Policy: snapshot.RequireState},
			snapshot.Refuse, snapshot.StateStale, "R3: against now; PR 107 panics",
		},
		"1.1 final without a limit": {
			snapshot.RestartInput{Input: noAge, Policy: snapshot.RequireState},
			snapshot.RestoreFrom, snapshot.RestoredFinal, "a final one is good enough",
		},
		"2.1 stateless": {
			snapshot.RestartInput{Input: failed(aged(0), noon), Policy: snapshot.IgnoreState},
			snapshot.StartEmpty, snapshot.StateIgnored, "the configured path is removed",
		},
		"2.2 row 3": {
			snapshot.RestartInput{Input: failed(snapshot.Snapshot{Unnamed: true}, noon), Policy: snapshot.PreferState},
			snapshot.Refuse, snapshot.StateUnnamed, "manual restore required",
		},
		"2.5 savepoint mode, nothing recorded": {
			snapshot.RestartInput{Input: failed(snapshot.Snapshot{}, noon)},
			snapshot.Refuse, snapshot.StateMissing, "a difference: apache starts empty; the zero policy does not",
		},
		"unknown policy": {
			snapshot.RestartInput{Input: failed(final(), noon), Policy: "FromSavepointOnFailure"},
			snapshot.Refuse, snapshot.InvalidInput, "L6",
		},
		"unknown phase": {
			snapshot.RestartInput{Input: snapshot.Input{Phase: "FAILED"}, Policy: snapshot.IgnoreState},
			snapshot.Refuse, snapshot.InvalidInput, "L6: also where the state is ignored",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := snapshot.Restart(tt.in)
			if got.Outcome != tt.outcome || got.Reason != tt.why || got.Message == "" {
				t.Errorf("%s: %+v", tt.reason, got)
			}
		})
	}
}

// TestRestartInvalid: what cannot be read is refused with a warning, and the state is
// judged all the same where only the policy is at fault.
func TestRestartInvalid(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in      snapshot.RestartInput
		verdict snapshot.Verdict
		reason  string
	}{
		"policy": {
			snapshot.RestartInput{Input: snapshot.Input{Phase: snapshot.PhaseFailed, Snapshot: final()}, Policy: "Always"},
			snapshot.VerdictFinal, "L6: a policy says nothing about the state",
		},
		"phase": {
			snapshot.RestartInput{Input: snapshot.Input{Phase: "FAILED", Snapshot: final()}, Policy: snapshot.IgnoreState},
			snapshot.VerdictUnknown, "L6",
		},
		"limit": {
			snapshot.RestartInput{Input: snapshot.Input{Phase: snapshot.PhaseFailed, Snapshot: final(), Limit: snapshot.Seconds(-1)}},
			snapshot.VerdictUnknown, "L6",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := snapshot.Restart(tt.in)
			want := snapshot.Restarting{
				Outcome: snapshot.Refuse, Verdict: tt.verdict, Reason: snapshot.InvalidInput, Message: got.Message, Warning: true,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}

// TestReadyToMove is 1.6 of docs/flink.md row by row, and of 2.2 what is about state.
func TestReadyToMove(t *testing.T) {
	t.Parallel()
	limit := snapshot.Seconds(3600)
	at := func(p snapshot.Phase, s snapshot.Snapshot) snapshot.Input {
		return snapshot.Input{Phase: p, Snapshot: s, Limit: limit, Now: noon}
	}
	stopped := func(p snapshot.Phase, s snapshot.Snapshot) snapshot.Input {
		i := at(p, s)
		i.StoppedAt, i.Now = noon, noon.Add(24*hour)
		return i
	}
	running, starting := snapshot.PhaseRunning, snapshot.PhaseStarting
	pending := at(running, aged(2*hour))
	pending.Attempt, pending.Reachable = progress(time.Minute), true
	lastSeen := at(running, aged(hour+1))
	lastSeen.LastRunning, lastSeen.StoppedAt = noon.Add(-hour), noon.Add(-hour)
	failedAttempt := at(running, aged(0))
	failedAttempt.Attempt = snapshot.Attempt{State: snapshot.AttemptFailed, Final: true, TriggeredAt: noon}
	tests := map[string]struct {
		in        snapshot.MoveInput
		readiness snapshot.Readiness
		why       snapshot.Reason
		next      snapshot.NextCheck
		reason    string
	}{
		"1.6 no job": {
			snapshot.MoveInput{NoWork: true}, snapshot.MoveReady, snapshot.NothingToMove, snapshot.NextCheck{}, "yes",
		},
		"1.6 explicit": {
			snapshot.MoveInput{Input: at(running, snapshot.Snapshot{}), ExplicitStart: path, TakeSnapshot: true},
			snapshot.MoveReady, snapshot.ExplicitStart,
			snapshot.NextCheck{},
			"yes, whatever else",
		},
		"1.6 explicit blank": {
			snapshot.MoveInput{Input: at(running, snapshot.Snapshot{}), ExplicitStart: " "},
			snapshot.MoveRefuse, snapshot.StateMissing,
			snapshot.NextCheck{},
			"blank is unset",
		},
		"1.6 running, taking, fresh": {
			snapshot.MoveInput{Input: at(running, aged(0)), TakeSnapshot: true},
			snapshot.MoveWait, snapshot.AwaitingFinal,
			snapshot.NextCheck{},
			"only if final",
		},
		"1.6 starting, taking, none": {
			snapshot.MoveInput{Input: at(starting, snapshot.Snapshot{}), TakeSnapshot: true},
			snapshot.MoveWait, snapshot.AwaitingFinal,
			snapshot.NextCheck{},
			"only if final",
		},
		"1.6 running, taking, final": {
			snapshot.MoveInput{Input: at(running, final()), TakeSnapshot: true},
			snapshot.MoveReady, snapshot.StateFinal,
			snapshot.NextCheck{},
			"yes",
		},
		"1.6 running, taking, final without a location": {
			snapshot.MoveInput{Input: at(running, snapshot.Snapshot{Final: true}), TakeSnapshot: true},
			snapshot.MoveWait, snapshot.AwaitingFinal,
			snapshot.NextCheck{},
			"a difference: spotify moves",
		},
		"1.8 running, taking, attempt failed": {
			snapshot.MoveInput{Input: failedAttempt, TakeSnapshot: true},
			snapshot.MoveWait, snapshot.AwaitingFinal,
			snapshot.NextCheck{},
			"the update is postponed",
		},
		"2.2 row 5: running, taking, unnamed": {
			snapshot.MoveInput{Input: at(running, snapshot.Snapshot{Unnamed: true}), TakeSnapshot: true},
			snapshot.MoveWait, snapshot.AwaitingFinal,
			snapshot.NextCheck{},
			"a savepoint will have a name",
		},
		"1.6 running, not taking, fresh": {
			snapshot.MoveInput{Input: at(running, aged(hour))},
			snapshot.MoveReady, snapshot.StateFresh, in(time.Second), "against now",
		},
		"1.6 running, not taking, stale": {
			snapshot.MoveInput{Input: at(running, aged(hour+1))},
			snapshot.MoveRefuse, snapshot.StateStale,
			snapshot.NextCheck{},
			"against now",
		},
		"1.6 running, not taking, stop of an earlier life": {
			snapshot.MoveInput{Input: lastSeen}, snapshot.MoveRefuse, snapshot.StateStale, snapshot.NextCheck{}, "R7: against now all the same",
		},
		"1.6 running, not taking, none": {
			snapshot.MoveInput{Input: at(running, snapshot.Snapshot{})},
			snapshot.MoveRefuse, snapshot.StateMissing,
			snapshot.NextCheck{},
			"not fresh",
		},
		"running, not taking, suspect": {
			snapshot.MoveInput{Input: at(running, aged(-hour))},
			snapshot.MoveRefuse, snapshot.StateSuspect, in(59 * time.Minute), "a difference: spotify calls it fresh",
		},
		"2.2 row 3: stopped, unnamed": {
			snapshot.MoveInput{Input: stopped(snapshot.PhaseFailed, snapshot.Snapshot{Unnamed: true})},
			snapshot.MoveRefuse, snapshot.StateUnnamed,
			snapshot.NextCheck{},
			"manual restore required",
		},
		"2.4: running, not taking, pending": {
			snapshot.MoveInput{Input: pending},
			snapshot.MoveWait, snapshot.AttemptPending, in(9*time.Minute + time.Second), "wait for the pending one",
		},
		"1.6 updating, not taking, none": {
			snapshot.MoveInput{Input: at(snapshot.PhasePending, snapshot.Snapshot{})},
			snapshot.MoveRefuse, snapshot.StateMissing,
			snapshot.NextCheck{},
			"a difference: spotify goes on; here the host remembers that it was ready",
		},
		"1.6 updating, not taking, end not known": {
			snapshot.MoveInput{Input: at(snapshot.PhasePending, aged(hour))},
			snapshot.MoveReady, snapshot.StateFresh, in(time.Second), "yes, here because it is fresh against now",
		},
		"1.6 updating, taking, stale": {
			snapshot.MoveInput{Input: stopped(snapshot.PhasePending, aged(hour+1)), TakeSnapshot: true},
			snapshot.MoveRefuse, snapshot.StateStale,
			snapshot.NextCheck{},
			"only if fresh",
		},
		"1.6 lost, fresh": {
			snapshot.MoveInput{Input: stopped(snapshot.PhaseLost, aged(hour)), TakeSnapshot: true},
			snapshot.MoveReady, snapshot.StateFresh,
			snapshot.NextCheck{},
			"against the end",
		},
		"lost, last known running": {
			snapshot.MoveInput{Input: snapshot.Input{
				Phase: snapshot.PhaseLost, Snapshot: aged(hour), LastRunning: noon, Limit: limit, Now: noon.Add(24 * hour),
			}},
			snapshot.MoveReady, snapshot.StateFresh,
			snapshot.NextCheck{},
			"R3: without an end, against the last time it was known to run",
		},
		"1.6 webhook: explicit": {
			snapshot.MoveInput{Input: stopped(snapshot.PhaseFailed, snapshot.Snapshot{}), ExplicitStart: path},
			snapshot.MoveReady, snapshot.ExplicitStart,
			snapshot.NextCheck{},
			"accepted",
		},
		"1.6 webhook: not taking, nothing up to date": {
			snapshot.MoveInput{Input: at(running, snapshot.Snapshot{Location: path})},
			snapshot.MoveRefuse, snapshot.StateStale,
			snapshot.NextCheck{},
			"rejected",
		},
		"1.6 webhook: not taking, no limit": {
			snapshot.MoveInput{Input: snapshot.Input{Phase: running, Snapshot: aged(0), Now: noon}},
			snapshot.MoveRefuse, snapshot.StateStale,
			snapshot.NextCheck{},
			"a difference: spotify wants a limit; here none is FinalOnly",
		},
		"1.6 webhook: stopped, nothing up to date": {
			snapshot.MoveInput{Input: stopped(snapshot.PhaseSucceeded, aged(hour+1)), TakeSnapshot: true},
			snapshot.MoveRefuse, snapshot.StateStale,
			snapshot.NextCheck{},
			"rejected, also where one would be taken: a stopped job takes none",
		},
		"1.6 explicit is a placeholder": {
			snapshot.MoveInput{Input: at(running, snapshot.Snapshot{}), ExplicitStart: "null"},
			snapshot.MoveRefuse, snapshot.StateMissing,
			snapshot.NextCheck{},
			"R2: null is none",
		},
		"1.6 pending, fresh": {
			snapshot.MoveInput{Input: stopped(snapshot.PhasePending, aged(hour)), TakeSnapshot: true},
			snapshot.MoveReady, snapshot.StateFresh,
			snapshot.NextCheck{},
			"against the end",
		},
		"1.6 succeeded, fresh": {
			snapshot.MoveInput{Input: stopped(snapshot.PhaseSucceeded, aged(hour)), TakeSnapshot: true},
			snapshot.MoveReady, snapshot.StateFresh,
			snapshot.NextCheck{},
			"against the end",
		},
		"1.6 cancelled, final": {
			snapshot.MoveInput{Input: stopped(snapshot.PhaseCancelled, final()), TakeSnapshot: true},
			snapshot.MoveReady, snapshot.StateFinal,
			snapshot.NextCheck{},
			"the end of a cancel with savepoint",
		},
		"1.6 failed, stale": {
			snapshot.MoveInput{Input: stopped(snapshot.PhaseFailed, aged(hour+1)), TakeSnapshot: true},
			snapshot.MoveRefuse, snapshot.StateStale,
			snapshot.NextCheck{},
			"against the end",
		},
		"1.6 unknown, fresh": {
			snapshot.MoveInput{Input: stopped(snapshot.PhaseUnknown, aged(hour))},
			snapshot.MoveReady, snapshot.StateFresh,
			snapshot.NextCheck{},
			"against the end",
		},
		"1.7 lost, final": {
			snapshot.MoveInput{Input: stopped(snapshot.PhaseLost, final())},
			snapshot.MoveRefuse, snapshot.StateStale,
			snapshot.NextCheck{},
			"R9: Lost voids finality",
		},
		"invalid": {
			snapshot.MoveInput{Input: snapshot.Input{Phase: "Updating"}, ExplicitStart: path, NoWork: true},
			snapshot.MoveRefuse, snapshot.InvalidInput,
			snapshot.NextCheck{},
			"L6",
		},
		"zero": {
			snapshot.MoveInput{}, snapshot.MoveRefuse, snapshot.StateMissing, snapshot.NextCheck{}, "nothing is known",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := snapshot.ReadyToMove(tt.in)
			want := snapshot.Moving{
				Readiness: tt.readiness, Verdict: got.Verdict, Reason: tt.why, Message: got.Message, NextCheck: tt.next,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if got.Message == "" || strings.Contains(got.Message, path) {
				t.Errorf("L5, L7: message %q", got.Message)
			}
			if diff := cmp.Diff(got, snapshot.ReadyToMove(tt.in)); diff != "" {
				t.Errorf("L3: (-first +second)\n%s", diff)
			}
		})
	}
}
