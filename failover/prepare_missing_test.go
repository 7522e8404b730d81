package failover_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// TestPrepareMissingState is F6: what becomes of an application on west that reports a step,
// and not the job that it must carry. It is blocked since second 40, now is 100.
func TestPrepareMissingState(t *testing.T) {
	t.Parallel()
	type input = failover.PrepareInput
	type result struct {
		Outcome failover.Outcome
		Reason  failover.Reason
		State   map[string]string
		Told    []failover.WarningReason
		Check   time.Duration
	}
	const incomplete = failover.StateIncomplete
	told := func(reason failover.Reason) []failover.WarningReason {
		return []failover.WarningReason{failover.WarningReason(reason), incomplete, incomplete}
	}
	blocked := func(check time.Duration) result { // the Optional rule is told, and blocks nothing
		return result{failover.Blocked, failover.MissingState, nil, []failover.WarningReason{incomplete}, check}
	}
	previous := func(reason failover.Reason) result {
		return result{failover.Evict, reason, map[string]string{job: "A"}, told(reason), 0}
	}
	without := func(reason failover.Reason) result {
		return result{failover.Evict, reason, map[string]string{step: "7"}, told(reason), 0}
	}
	tests := map[string]struct {
		reason    string
		received  bool // A of east, and worked with it
		onMissing preservation.OnMissingState
		deadline  *int32
		edit      func(*input)
		want      result
	}{
		"block":                      {reason: "a person has to act", received: true, onMissing: preservation.Block, want: blocked(0)},
		"block, before the deadline": {reason: "40 + 61 is not yet", received: true, onMissing: preservation.Block, deadline: ptr[int32](61), want: blocked(time.Second)},
		"block, at the deadline":     {reason: "what it received goes along", received: true, onMissing: preservation.Block, deadline: ptr[int32](60), want: previous(failover.MissingStateDeadline)},
		"block, nothing received":    {reason: "what there is goes along", onMissing: preservation.Block, deadline: ptr[int32](60), want: without(failover.MissingStateDeadline)},
		"empty":                      {reason: "is Block", deadline: ptr[int32](61), want: blocked(time.Second)},
		"previous":                   {reason: "at once", received: true, onMissing: preservation.UsePrevious, want: previous(failover.PreviousStateUsed)},
		"previous, at the deadline":  {reason: "it does not go because of that", received: true, onMissing: preservation.UsePrevious, deadline: ptr[int32](60), want: previous(failover.PreviousStateUsed)},
		"no previous, before":        {reason: "blocks where there is none", onMissing: preservation.UsePrevious, deadline: ptr[int32](61), want: blocked(time.Second)},
		"no previous, at it":         {reason: "as Block does", onMissing: preservation.UsePrevious, deadline: ptr[int32](60), want: without(failover.MissingStateDeadline)},
		"without":                    {reason: "with the values that there are", onMissing: preservation.EvictWithout, want: without(failover.EvictedWithoutState)},
		"without, received":          {reason: "not with older ones", received: true, onMissing: preservation.EvictWithout, want: without(failover.EvictedWithoutState)},
		"without, at the deadline":   {reason: "nothing was waited for, so it changes nothing", received: true, onMissing: preservation.EvictWithout, deadline: ptr[int32](60), want: without(failover.EvictedWithoutState)},
		"since when is not known":    {reason: "since now", deadline: ptr[int32](60), edit: func(in *input) { in.BlockedSince = time.Time{} }, want: blocked(time.Minute)},
		"since later":                {reason: "since now", deadline: ptr[int32](60), edit: func(in *input) { in.BlockedSince = at(500) }, want: blocked(time.Minute)},
		"since a part of a second":   {reason: "40 + 60, as it is stored", deadline: ptr[int32](60), edit: func(in *input) { in.BlockedSince = in.BlockedSince.Add(900 * time.Millisecond) }, want: without(failover.MissingStateDeadline)},
		"no time":                    {reason: "nothing ends, whatever the deadline", deadline: ptr[int32](0), edit: func(in *input) { in.Now = time.Time{} }, want: blocked(0)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := failover.Prepare(preparing(func(in *input) {
				in.Cluster, in.Targets, in.Now, in.BlockedSince = "west", on("west"), at(100), at(40)
				in.Items = []eviction.AggregatedStatusItem{reporting("west", eviction.Unhealthy, `{"step":"7"}`)}
				sp := preserving(rule(job, "{.job}"), rule(step, "{.step}"), optional("example.com/more", "{.more}"))
				sp.OnMissingState, sp.MissingStateDeadlineSeconds = tc.onMissing, tc.deadline
				in.Policy.Application.StatePreservation = sp
				if tc.received {
					in.Tasks, in.LastHealthy = []eviction.Task{left("east", 0, "east", "A")}, healthy("west", 30)
				}
				if tc.edit != nil {
					tc.edit(in)
				}
			}))
			got := answerOf(p)
			if diff := cmp.Diff(tc.want, result{got.Outcome, got.Reason, got.State, got.Warnings, p.NextCheck.After}); diff != "" {
				t.Errorf("%s (-want +got):\n%s\n%v", tc.reason, diff, err)
			}
			if p.NextCheck.OK != (p.NextCheck.After > 0) {
				t.Errorf("next check %+v", p.NextCheck)
			}
		})
	}
}
