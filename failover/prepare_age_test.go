package failover_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation/snapshot"
	"github.com/carryover-io/carryover/purge"
)

// TestPrepareStateAge is R2 and R3 for hosts without a record: at second 1000 a state may be
// 300 s older than the last health on east.
func TestPrepareStateAge(t *testing.T) {
	t.Parallel()
	type input = failover.PrepareInput
	const tooOld = "cluster east: the state is Stale (TooOld): the snapshot is older than the limit of 300 seconds"
	const noTime = "cluster east: the state is Stale (TimeMissing): nobody knows when the snapshot was taken"
	status := func(in *input, text string) {
		in.Items = []eviction.AggregatedStatusItem{reporting("east", eviction.Unhealthy, text)}
		in.Policy.Application.StatePreservation.TakenAt = "{.at}"
	}
	tests := map[string]struct {
		reason  string
		edit    func(*input)
		verdict snapshot.Verdict // empty = nobody asks
		check   time.Duration
		message string // of what blocks; empty = nothing
		told    bool
	}{
		"until it was healthy":    {reason: "950 - 650, inclusive", edit: func(in *input) { in.TakenAt, in.LastHealthy = at(650), healthy("east", 950) }, verdict: snapshot.VerdictFresh},
		"a second more":           {reason: "950 - 649", edit: func(in *input) { in.TakenAt, in.LastHealthy = at(649), healthy("east", 950) }, verdict: snapshot.VerdictStale, message: tooOld, told: true},
		"healthy elsewhere":       {reason: "until now: 1000 - 699", edit: func(in *input) { in.TakenAt, in.LastHealthy = at(699), healthy("west", 950) }, verdict: snapshot.VerdictStale, message: tooOld, told: true},
		"healthy in the future":   {reason: "until now: 1000 - 700, and no longer than that", edit: func(in *input) { in.TakenAt, in.LastHealthy = at(700), healthy("east", 2000) }, verdict: snapshot.VerdictFresh, check: time.Second},
		"healthy now":             {reason: "1000 - 700, however long it takes", edit: func(in *input) { in.TakenAt, in.LastHealthy = at(700), healthy("east", 1000) }, verdict: snapshot.VerdictFresh},
		"now is not known":        {reason: "950 - 650", edit: func(in *input) { in.Now, in.TakenAt, in.LastHealthy = time.Time{}, at(650), healthy("east", 950) }, verdict: snapshot.VerdictFresh},
		"no time":                 {reason: "is not fresh (R3)", verdict: snapshot.VerdictStale, message: noTime, told: true},
		"the policy has the path": {reason: "1000 - 750, for another 50 s", edit: func(in *input) { status(in, `{"job":"A","at":"`+wording(750)+`"}`) }, verdict: snapshot.VerdictFresh, check: 51 * time.Second},
		"nothing at the path":     {reason: "the host's time is not the one that was asked for", edit: func(in *input) { status(in, `{"job":"A"}`); in.TakenAt = at(990) }, verdict: snapshot.VerdictStale, message: noTime, told: true},
		"no time at the path":     {reason: "nor where it cannot be read (R4)", edit: func(in *input) { status(in, `{"job":"A","at":"soon"}`); in.TakenAt = at(990) }, verdict: snapshot.VerdictStale, message: noTime, told: true},
		"nothing was found":       {reason: "what is not there has no age", edit: func(in *input) { status(in, `{}`) }, message: `cluster "east": rule 0 (example.com/job) {.job}: MissingKey: nothing at .job`},
		"nobody asks":             {reason: "any age will do", edit: func(in *input) { in.Policy.Application.StatePreservation.MaxStateAgeSeconds = nil }},
		"a snapshot is being made": {reason: "it is waited for, until its deadline", edit: func(in *input) {
			in.TakenAt, in.Snapshotting = at(0), &snapshot.Attempt{State: snapshot.AttemptInProgress, TriggeredAt: at(990)}
		}, verdict: snapshot.VerdictWait, check: 291 * time.Second, message: "cluster east: the state is Wait (AttemptPending): an attempt is in progress since " + wording(990), told: true},
		"a snapshot of no known kind": {reason: "no guess (L6)", edit: func(in *input) {
			in.TakenAt, in.Snapshotting = at(990), &snapshot.Attempt{State: "Halfway"}
		}, verdict: snapshot.VerdictUnknown, message: "cluster east: the state is Unknown (InvalidInput): attempt state \"Halfway\" is unknown", told: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := failover.Prepare(preparing(func(in *input) {
				in.Now, in.Policy.Application.StatePreservation.MaxStateAgeSeconds = at(1000), ptr[int32](300)
				if tc.edit != nil {
					tc.edit(in)
				}
			}))
			var verdict snapshot.Verdict
			if p.Age != nil {
				verdict = p.Age.Verdict
			}
			message := ""
			if err != nil {
				message = err.Error()
			}
			want := []any{tc.verdict, tc.message, purge.NextCheck{After: tc.check, OK: tc.check > 0}, tc.told}
			told := slices.ContainsFunc(p.Warnings, func(w failover.Warning) bool { return w.Reason == failover.StateTooOld })
			if diff := cmp.Diff(want, []any{verdict, message, p.NextCheck, told}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
