package snapshot_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

func states() []snapshot.AttemptState {
	return []snapshot.AttemptState{
		"", snapshot.AttemptNone, snapshot.AttemptInProgress, snapshot.AttemptTriggerFailed,
		snapshot.AttemptSucceeded, snapshot.AttemptFailed, snapshot.AttemptAbandoned, "COMPLETED",
	}
}

// inputs has every combination of every value of the closed sets with times around
// each edge; in short mode one of 13 of them.
func inputs(all func(in snapshot.Input)) {
	n := 0
	each := func(in snapshot.Input) {
		if n++; n%13 == 0 || !testing.Short() {
			all(in)
		}
	}
	times := []time.Time{{}, noon.Add(-2 * hour), noon.Add(-hour), noon, noon.Add(2 * time.Minute)}
	limits := []snapshot.Limit{snapshot.FinalOnly(), snapshot.Seconds(3600), snapshot.Seconds(-1), snapshot.Unlimited()}
	phases := []snapshot.Phase{snapshot.PhaseRunning, snapshot.PhaseLost, snapshot.PhaseFailed, "", "running"}
	for _, phase := range phases {
		for _, state := range states() {
			for _, limit := range limits {
				for _, location := range []string{"", path} {
					for bits := range 1 << 4 {
						for _, at := range times {
							for _, tried := range times {
								for _, stopped := range times[:4] {
									each(snapshot.Input{
										Phase: phase,
										Snapshot: snapshot.Snapshot{
											Location: location, TakenAt: at, Final: bits&1 != 0, Unnamed: bits&2 != 0,
										},
										Attempt:   snapshot.Attempt{State: state, TriggeredAt: tried, Final: bits&1 != 0},
										Reachable: bits&4 != 0, StoppedAt: stopped, Limit: limit, Now: noon,
										AttemptDeadline: time.Duration(bits&8) * hour,
									})
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestFreshnessPromises checks what the rules promise of every answer; none of the
// promises knows how Freshness finds it.
func TestFreshnessPromises(t *testing.T) {
	t.Parallel()
	n, verdicts := 0, map[snapshot.Verdict]int{}
	inputs(func(in snapshot.Input) {
		n++
		got := snapshot.Freshness(in)
		verdicts[got.Verdict]++
		broken := func(rule string) { t.Errorf("%s: %+v gives %+v", rule, in, got) }
		invalid := in.Phase == "running" || in.Attempt.State == "COMPLETED" || in.Limit == snapshot.Seconds(-1)
		exists := in.Snapshot.Location != ""
		good := got.Verdict == snapshot.VerdictFinal || got.Verdict == snapshot.VerdictFresh
		switch {
		case got.Verdict == "" || got.Reason == "" || got.Message == "":
			broken("L5: every answer is complete")
		case invalid != (got.Reason == snapshot.InvalidInput) || invalid && got.Verdict != snapshot.VerdictUnknown:
			broken("L6: an unknown text is never read as another")
		case good && (!exists || in.Snapshot.Unnamed):
			broken("R2: only a state with a location is good")
		case got.Verdict == snapshot.VerdictFinal && (!in.Snapshot.Final || in.Phase == snapshot.PhaseLost):
			broken("R9: Lost voids finality")
		case got.Verdict == snapshot.VerdictWait && (!in.Reachable || in.Attempt.State != snapshot.AttemptInProgress):
			broken("R2: nobody waits for what cannot come")
		case got.Verdict == snapshot.VerdictNone && exists, got.Verdict == snapshot.VerdictStale && !exists:
			broken("R2: none is not stale")
		case in.Limit == snapshot.FinalOnly() && got.Verdict == snapshot.VerdictFresh:
			broken("R2: FinalOnly knows no Fresh")
		case got.AgeKnown && got.Age < 0, !got.AgeKnown && got.Age != 0:
			broken("R3: an age is never negative")
		case got.NextCheck.OK != (got.NextCheck.After >= time.Second), got.NextCheck.After%time.Second != 0:
			broken("L5: a check is whole seconds, at least one")
		}
		if n%7 == 0 {
			checkTime(t, in, got)
		}
	})
	for _, v := range []snapshot.Verdict{
		snapshot.VerdictUnknown, snapshot.VerdictFinal, snapshot.VerdictNone, snapshot.VerdictWait,
		snapshot.VerdictSuspect, snapshot.VerdictFresh, snapshot.VerdictStale,
	} {
		if verdicts[v] == 0 {
			t.Errorf("R2: nothing gives %s", v)
		}
	}
	t.Logf("%d inputs, %v", n, verdicts)
}

// checkTime checks that a verdict stays until its next check, and changes then;
// without one, that it stays for ever.
func checkTime(t *testing.T, in snapshot.Input, got snapshot.Assessment) {
	t.Helper()
	at := func(wait time.Duration) snapshot.Verdict {
		later := in
		later.Now = in.Now.Add(wait)
		return snapshot.Freshness(later).Verdict
	}
	if diff := cmp.Diff(got, snapshot.Freshness(in)); diff != "" {
		t.Errorf("L3: %+v: (-first +second)\n%s", in, diff)
	}
	if !got.NextCheck.OK {
		if then := at(100000 * hour); then != got.Verdict {
			t.Errorf("L5: %+v gives %+v, and %s without a check", in, got, then)
		}
		return
	}
	if then := at(got.NextCheck.After - time.Second); then != got.Verdict {
		t.Errorf("L5: %+v gives %+v, and %s before the check", in, got, then)
	}
	if then := at(got.NextCheck.After); then == got.Verdict {
		t.Errorf("L5: %+v gives %+v, and the same at the check", in, got)
	}
}

// TestPolicies checks over all inputs that nothing starts empty in silence, and that
// no move loses work.
func TestPolicies(t *testing.T) {
	t.Parallel()
	n := 0
	inputs(func(in snapshot.Input) {
		if n++; n%5 != 0 {
			return
		}
		verdict := snapshot.Freshness(in).Verdict
		for _, policy := range []snapshot.Policy{snapshot.RequireState, snapshot.PreferState, snapshot.IgnoreState, "", "Always"} {
			got := snapshot.Restart(snapshot.RestartInput{Input: in, Policy: policy})
			switch {
			case policy == "Always" && got.Reason != snapshot.InvalidInput:
				t.Errorf("L6: %+v gives %+v", in, got)
			case got.Outcome == snapshot.StartEmpty && (policy == snapshot.RequireState || policy == ""):
				t.Errorf("R6: RequireState never starts empty: %+v gives %+v", in, got)
			case got.Outcome == snapshot.StartEmpty && policy == snapshot.PreferState && verdict != snapshot.VerdictNone:
				t.Errorf("R6: PreferState starts empty only with none: %+v gives %+v", in, got)
			case got.Outcome == snapshot.RestoreFrom && got.From.Location != path:
				t.Errorf("R6: a restore has a location: %+v gives %+v", in, got)
			case got.Outcome == snapshot.Wait && !got.NextCheck.OK:
				t.Errorf("L5: a wait ends: %+v gives %+v", in, got)
			}
		}
		for _, take := range []bool{false, true} {
			got := snapshot.ReadyToMove(snapshot.MoveInput{Input: in, TakeSnapshot: take})
			good := got.Verdict == snapshot.VerdictFinal || got.Verdict == snapshot.VerdictFresh
			if got.Readiness == snapshot.MoveReady && !good {
				t.Errorf("R7: ready only with a good state: %+v gives %+v", in, got)
			}
			if got.Readiness == snapshot.MoveReady && take && in.Phase.Active() && got.Verdict != snapshot.VerdictFinal {
				t.Errorf("R7: running and taking needs a final one: %+v gives %+v", in, got)
			}
		}
	})
}
