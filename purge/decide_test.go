package purge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/purge"
)

// answer is a decision without its message, which is for people.
type answer struct {
	Old     purge.OldCopy
	New     purge.NewCopy
	Done    bool
	Reason  purge.Reason
	Warning bool
	// Next is how long to wait for the next check; 0 = none.
	Next time.Duration
}

func answerOf(d purge.Decision) answer {
	a := answer{Old: d.Old, New: d.New, Done: d.Done, Reason: d.Reason, Warning: d.Warning}
	if d.NextCheck.OK {
		a.Next = d.NextCheck.After
	}
	return a
}

// after is epoch plus a time; tasks of these tests are made at epoch.
func after(d time.Duration) time.Time { return epoch.Add(d) }

func TestDecide(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in     purge.Input
		want   answer
		reason string
	}{
		"zero input": {
			in:     purge.Input{},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.NoReplacement, Next: 600 * time.Second},
			reason: "P2: empty is Gracefully, with nothing known and ten minutes from now",
		},

		"F28 no target": {
			in:     purge.Input{Mode: purge.Gracefully, Presence: purge.Present, Created: epoch, Now: after(time.Second)},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.NoReplacement, Next: 599 * time.Second},
			reason: "F28: no target at all is not a healthy one",
		},
		"F28 no target, expired": {
			in:     purge.Input{Mode: purge.Gracefully, Presence: purge.Present, Created: epoch, Now: after(601 * time.Second)},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.ExpiredNoReplacement},
			reason: "F28, P6: deleting the last copy is never the default",
		},
		"F28 no target, a year later": {
			in:     purge.Input{Mode: purge.Gracefully, Presence: purge.Present, Created: epoch, Now: after(8760 * time.Hour)},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.ExpiredNoReplacement},
			reason: "P6: nor does waiting longer make it one",
		},
		"expired, not applied": {
			in: purge.Input{
				Mode: purge.Gracefully, Presence: purge.Unknown, Replacement: purge.Scheduled,
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.ExpiredNotApplied},
			reason: "P6: a chosen cluster that runs nothing is no copy",
		},
		"expired, source healthy": {
			in: purge.Input{
				Mode: purge.Gracefully, Presence: purge.Present, Replacement: purge.Applied, SourceHealthy: true,
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.ExpiredSourceHealthy},
			reason: "P6: a healthy copy is not given up for one that is not",
		},
		"expired, applied": {
			in: purge.Input{
				Mode: purge.Gracefully, Presence: purge.Present, Replacement: purge.Applied,
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.GracePeriodExpired},
			reason: "P6: an unhealthy copy goes once its time is up and another exists",
		},
		"replacement healthy": {
			in: purge.Input{
				Mode: purge.Gracefully, Presence: purge.Present, Replacement: purge.Ready, SourceHealthy: true,
				Created: epoch, Now: after(time.Second),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.ReplacementHealthy},
			reason: "P6: without a soak time healthy is enough, whatever the old copy says and since whenever",
		},
		"gracefully, gone": {
			in:     purge.Input{Mode: purge.Gracefully, Presence: purge.Gone, Created: epoch, Now: after(time.Second)},
			want:   answer{Old: purge.Delete, New: purge.Create, Done: true, Reason: purge.OldCopyGone},
			reason: "section 3: finished when the old copy is gone",
		},

		"soaking": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Ready, ReadySince: after(time.Minute), Soak: time.Minute,
				Created: epoch, Now: after(90 * time.Second),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Soaking, Next: 30 * time.Second},
			reason: "P6: the soak time ends before the grace period",
		},
		"soaking, the grace period ends first": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Ready, ReadySince: after(590 * time.Second), Soak: time.Hour,
				Created: epoch, Now: after(595 * time.Second),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Soaking, Next: 5 * time.Second},
			reason: "P6: the earlier of the two ends decides",
		},
		"soaking beside a healthy source": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Ready, ReadySince: after(590 * time.Second), Soak: time.Hour,
				SourceHealthy: true, Created: epoch, Now: after(595 * time.Second),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Soaking, Next: time.Hour - 5*time.Second},
			reason: "P6: beside a healthy old copy the end of the grace period changes nothing",
		},
		"soaking, expired": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Ready, ReadySince: after(590 * time.Second), Soak: time.Hour,
				Created: epoch, Now: after(600 * time.Second),
			},
			want: answer{
				Old: purge.Delete, New: purge.Create, Reason: purge.GracePeriodExpired, Next: time.Hour - 10*time.Second,
			},
			reason: "P6: the end of the grace period cuts the soak time short; L5: its reason is another one later",
		},
		"soaking since nobody knows when": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Ready, Soak: time.Minute, SourceHealthy: true,
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Soaking},
			reason: "L6: an unknown start is not a long time ago",
		},
		"negative soak": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Ready, Soak: -time.Minute,
				Created: epoch, Now: after(time.Second),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.ReplacementHealthy},
			reason: "P6: a soak time that is not positive is none",
		},

		"F38 suppressed": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Ready, SuppressDeletion: ptr(true), GracePeriod: time.Minute,
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Suppressed},
			reason: "F38, P7: true keeps, and asks for no check",
		},
		"F38 unset": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Ready, GracePeriod: time.Minute,
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.ReplacementHealthy},
			reason: "F38, P7: unset is by mode",
		},
		"F38 confirmed": {
			in: purge.Input{
				Mode: purge.Gracefully, SuppressDeletion: ptr(false), GracePeriod: time.Minute,
				Created: epoch, Now: epoch,
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.Confirmed},
			reason: "F38, P7: false deletes now, even the last copy: a person said so",
		},
		"suppressed, gone": {
			in: purge.Input{
				Mode: purge.Gracefully, Presence: purge.Gone, SuppressDeletion: ptr(true),
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Suppressed},
			reason: "P7: a person's hold is a hold, the task stays too",
		},
		"directly, suppressed": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Gone, Fenced: true, SuppressDeletion: ptr(true),
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Hold, Reason: purge.Suppressed},
			reason: "P7: with Directly also Hold",
		},
		"directly, suppressed after the release": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Present, Released: true, SuppressDeletion: ptr(true),
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Suppressed},
			reason: "P5, P7: Create is sticky, and the hold keeps the old copy",
		},
		"directly, confirmed": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Unknown, SuppressDeletion: ptr(false),
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Hold, Reason: purge.OldCopyUnreachable},
			reason: "P7: a confirmed deletion is not a fence",
		},

		"F39 never without the flag": {
			in: purge.Input{
				Mode: purge.Never, Presence: purge.Present, Replacement: purge.Ready,
				Created: epoch, Now: after(601 * time.Second),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Suppressed},
			reason: "F39, P7: Never is suppressed even if the flag is missing",
		},
		"F39 never without the flag, gone": {
			in: purge.Input{
				Mode: purge.Never, Presence: purge.Gone, Replacement: purge.Ready,
				Created: epoch, Now: after(601 * time.Second),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Suppressed},
			reason: "section 3: Never needs both, a person and gone",
		},
		"never, confirmed": {
			in: purge.Input{
				Mode: purge.Never, Presence: purge.Present, SuppressDeletion: ptr(false),
				Created: epoch, Now: after(time.Second),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.Confirmed},
			reason: "P7: a person confirmed",
		},
		"never, confirmed and gone": {
			in: purge.Input{
				Mode: purge.Never, Presence: purge.Gone, SuppressDeletion: ptr(false),
				Created: epoch, Now: after(time.Second),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Done: true, Reason: purge.OldCopyGone},
			reason: "section 3: finished when confirmed and gone",
		},

		"directly, terminating": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Present, FencingDeadline: ptr(time.Minute),
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Hold, Reason: purge.AwaitingOldCopyGone},
			reason: "P5: a copy that is there needs no fence, and no time-out creates beside it",
		},
		"F43 unreachable at the default grace period": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Unknown, Created: epoch, Now: after(601 * time.Second),
			},
			want:   answer{Old: purge.Delete, New: purge.Hold, Reason: purge.OldCopyUnreachable},
			reason: "F43, P5: Directly never times out, and nobody asked for a fence",
		},
		"F43 unreachable, the deadline ahead": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Unknown, FencingDeadline: ptr(2 * time.Hour),
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Hold, Reason: purge.OldCopyUnreachable, Next: time.Hour},
			reason: "F43, P5: the deadline only changes what is asked for",
		},
		"F43 unreachable for an hour": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Unknown, FencingDeadline: ptr(time.Minute),
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Hold, Reason: purge.NeedsFencing, Warning: true},
			reason: "F43, P5: only the caller's Fenced moves on",
		},
		"F43 unreachable, deadline of zero": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Unknown, FencingDeadline: ptr(time.Duration(0)),
				Created: epoch, Now: epoch,
			},
			want:   answer{Old: purge.Delete, New: purge.Hold, Reason: purge.NeedsFencing, Warning: true},
			reason: "F55: zero is at once, in the same call, and not never",
		},
		"F43 fenced": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Unknown, Fenced: true, FencingDeadline: ptr(time.Minute),
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.Fenced},
			reason: "P5: fenced moves on, and the deletion is still due",
		},
		"fenced while still there": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Present, Fenced: true, Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.Fenced},
			reason: "P5: a copy that cannot act may be listed still",
		},
		"released, no longer fenced": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Unknown, Released: true, FencingDeadline: ptr(time.Minute),
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.Released},
			reason: "P5: Create is sticky",
		},
		"released, and still fenced": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Unknown, Fenced: true, Released: true,
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.Fenced},
			reason: "P5: the fence says more than the memory of it",
		},
		"FencedCopyReturned": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Present, Fenced: true, Released: true, Replacement: purge.Ready,
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.FencedCopyReturned, Warning: true},
			reason: "P5: deleted at once, with a warning, even while the caller still says fenced",
		},
		"F43 gone, the state only here": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Gone, Replacement: purge.Applied, Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.AwaitingReplacementHealthy},
			reason: "F43, section 3: without a Record the state lives until a replacement was seen healthy",
		},
		"F43 gone, a replacement healthy": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Gone, Replacement: purge.Ready, Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Done: true, Reason: purge.OldCopyGone},
			reason: "section 3: now the task has served",
		},
		"gone, the state in a Record": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Gone, StateCarried: true, Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Done: true, Reason: purge.OldCopyGone},
			reason: "section 3: the Record carries its state",
		},

		"required by others": {
			in: purge.Input{
				Mode: purge.Directly, Presence: purge.Present, RequiredByOthers: true, Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.RequiredByOthers},
			reason: "P5: kept, and not awaited",
		},
		"required by others, confirmed": {
			in: purge.Input{
				Mode: purge.Never, RequiredByOthers: true, SuppressDeletion: ptr(false), Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.RequiredByOthers},
			reason: "P5: the person spoke for this workload only",
		},
		"required by others, gone": {
			in: purge.Input{
				Mode: purge.Gracefully, Presence: purge.Gone, RequiredByOthers: true, Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Done: true, Reason: purge.OldCopyGone},
			reason: "P5: what is gone is not required any more",
		},

		"unknown mode": {
			in: purge.Input{
				Mode: "Later", Presence: purge.Gone, Replacement: purge.Ready, SuppressDeletion: ptr(false),
				Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Hold, Reason: purge.InvalidMode, Warning: true},
			reason: "P3: Keep and Hold, whatever else is said",
		},
		"unknown presence": {
			in: purge.Input{
				Mode: purge.Gracefully, Presence: "Missing", Replacement: purge.Ready, Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Hold, Reason: purge.InvalidInput, Warning: true},
			reason: "L6: an unknown text is never read as success",
		},
		"unknown replacement": {
			in: purge.Input{
				Mode: purge.Gracefully, Presence: purge.Present, Replacement: "Healthy", Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Keep, New: purge.Hold, Reason: purge.InvalidInput, Warning: true},
			reason: "L6: an unknown text is never read as success",
		},
		"F40 old name": {
			in: purge.Input{
				Mode: "Immediately", Presence: purge.Present, Created: epoch, Now: after(time.Hour),
			},
			want:   answer{Old: purge.Delete, New: purge.Hold, Reason: purge.AwaitingOldCopyGone},
			reason: "F40, P1: a stored Immediately is purged and awaited like Directly",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, answerOf(purge.Decide(tt.in))); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}

// TestDecideAtTheEdge looks at each deadline from close by: a deadline has
// passed when now is not before it, and a check is never zero (F36, F55).
func TestDecideAtTheEdge(t *testing.T) {
	t.Parallel()
	fence := purge.Input{
		Mode: purge.Directly, Presence: purge.Unknown, FencingDeadline: ptr(time.Hour), Created: epoch,
	}
	wait := purge.Input{
		Mode: purge.Gracefully, Presence: purge.Present, Replacement: purge.Applied, GracePeriod: time.Hour, Created: epoch,
	}
	soak := purge.Input{
		Mode: purge.Gracefully, Presence: purge.Present, Replacement: purge.Ready, GracePeriod: 3 * time.Hour,
		ReadySince: after(30 * time.Minute), Soak: 30 * time.Minute, SourceHealthy: true, Created: epoch,
	}
	tests := map[string]struct {
		in            purge.Input
		before, since answer
		reason        string
	}{
		"fencing deadline": {
			in:     fence,
			before: answer{Old: purge.Delete, New: purge.Hold, Reason: purge.OldCopyUnreachable},
			since:  answer{Old: purge.Delete, New: purge.Hold, Reason: purge.NeedsFencing, Warning: true},
			reason: "P5: from the deadline on",
		},
		"grace period": {
			in:     wait,
			before: answer{Old: purge.Keep, New: purge.Create, Reason: purge.ReplacementNotHealthy},
			since:  answer{Old: purge.Delete, New: purge.Create, Reason: purge.GracePeriodExpired},
			reason: "P6: now >= created + grace",
		},
		"soak time": {
			in:     soak,
			before: answer{Old: purge.Keep, New: purge.Create, Reason: purge.Soaking},
			since:  answer{Old: purge.Delete, New: purge.Create, Reason: purge.ReplacementHealthy},
			reason: "P6: healthy for N seconds",
		},
	}
	steps := []struct {
		from time.Duration
		next time.Duration
	}{
		{-2 * time.Second, 2 * time.Second},
		{-time.Second - 1, 2 * time.Second},
		{-time.Second, time.Second},
		{-1, time.Second},
		{0, 0},
		{1, 0},
		{time.Second, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, step := range steps {
				in := tt.in
				in.Now = after(time.Hour + step.from)
				want := tt.since
				if step.from < 0 {
					want = tt.before
					want.Next = step.next
				}
				if diff := cmp.Diff(want, answerOf(purge.Decide(in))); diff != "" {
					t.Errorf("%s: %v from the deadline (-want +got)\n%s", tt.reason, step.from, diff)
				}
			}
		})
	}
}

// TestDecideCreationTime has the times that no task should have (E6).
func TestDecideCreationTime(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in     purge.Input
		want   answer
		reason string
	}{
		"missing": {
			in:     purge.Input{Mode: purge.Gracefully, Replacement: purge.Applied, Now: epoch},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.ReplacementNotHealthy, Next: 600 * time.Second},
			reason: "E6, L6: a missing time is now, not the year one",
		},
		"future": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Applied, Created: after(time.Hour), Now: epoch,
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.ReplacementNotHealthy, Next: 600 * time.Second},
			reason: "E6: a future time is now",
		},
		"missing, directly": {
			in: purge.Input{
				Mode: purge.Directly, FencingDeadline: ptr(time.Minute), Now: epoch,
			},
			want:   answer{Old: purge.Delete, New: purge.Hold, Reason: purge.OldCopyUnreachable, Next: time.Minute},
			reason: "E6: a missing time is now",
		},
		"ready in the future": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Ready, ReadySince: after(time.Minute), Soak: time.Minute,
				Created: epoch, Now: epoch,
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Soaking, Next: 2 * time.Minute},
			reason: "L5: the check is when the soak time ends, not before",
		},
		"default grace period": {
			in: purge.Input{
				Mode: purge.Gracefully, GracePeriod: -time.Second, Created: epoch, Now: after(599 * time.Second),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.NoReplacement, Next: time.Second},
			reason: "P6: a grace period that is not positive is the default, never an expired one",
		},
		"shortest grace period": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Applied, GracePeriod: 1, Created: epoch, Now: after(time.Second),
			},
			want:   answer{Old: purge.Delete, New: purge.Create, Reason: purge.GracePeriodExpired},
			reason: "P6: any positive grace period is one",
		},
		"shortest soak time": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Ready, Soak: 1, Created: epoch, Now: after(time.Second),
			},
			want:   answer{Old: purge.Keep, New: purge.Create, Reason: purge.Soaking, Next: 599 * time.Second},
			reason: "P6, L6: any positive soak time is one, and needs a start",
		},
		"longest grace period": {
			in: purge.Input{
				Mode: purge.Gracefully, Replacement: purge.Applied, GracePeriod: 1<<63 - 1, Created: epoch, Now: epoch,
			},
			want: answer{
				Old: purge.Keep, New: purge.Create, Reason: purge.ReplacementNotHealthy, Next: 9223372036 * time.Second,
			},
			reason: "F42: the largest grace period does not overflow",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, answerOf(purge.Decide(tt.in))); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}

// TestDecideMessages pins the messages: people and their alerts read them, and
// each must say what to do, or what is waited for and until when.
func TestDecideMessages(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("elsewhere", 2*60*60)
	expired := purge.Input{Mode: purge.Gracefully, Created: epoch.In(zone), Now: after(time.Hour)}
	young := purge.Input{Mode: purge.Gracefully, Created: epoch, Now: after(time.Second)}
	directly := purge.Input{Mode: purge.Directly, Created: epoch, Now: after(time.Hour)}
	tests := map[string]struct {
		in     purge.Input
		want   string
		reason string
	}{
		"InvalidMode": {
			in:     purge.Input{Mode: "never"},
			want:   `purge mode "never" is unknown: did you mean "Never"?`,
			reason: "P3: the hint is in the message",
		},
		"InvalidInput, presence": {
			in:     purge.Input{Presence: "Here"},
			want:   `presence "Here" is unknown: use Present, Gone or Unknown`,
			reason: "L6: names the text and the remedy",
		},
		"InvalidInput, replacement": {
			in:     purge.Input{Replacement: "Here"},
			want:   `replacement "Here" is unknown: use None, Scheduled, Applied or Ready`,
			reason: "L6: names the text and the remedy",
		},
		"Suppressed": {
			in:     purge.Input{Mode: purge.Never},
			want:   "the old copy stays until a person sets suppressDeletion to false",
			reason: "P7: says who acts, and how",
		},
		"Suppressed, held": {
			in:     purge.Input{Mode: purge.Directly, SuppressDeletion: ptr(true)},
			want:   "the old copy stays until a person sets suppressDeletion to false; the new copy waits",
			reason: "P7: with Directly also Hold",
		},
		"Suppressed, released": {
			in:     purge.Input{Mode: purge.Directly, SuppressDeletion: ptr(true), Released: true},
			want:   "the old copy stays until a person sets suppressDeletion to false",
			reason: "P5: what was released does not wait",
		},
		"OldCopyGone": {
			in:     purge.Input{Presence: purge.Gone},
			want:   "the old copy is gone",
			reason: "section 3",
		},
		"AwaitingReplacementHealthy": {
			in:     purge.Input{Mode: purge.Directly, Presence: purge.Gone},
			want:   "the old copy is gone; the task keeps the state until a replacement is healthy",
			reason: "F43: says why the task stays",
		},
		"RequiredByOthers": {
			in:     purge.Input{RequiredByOthers: true},
			want:   "something else requires the old copy: it stays and is not waited for",
			reason: "P5",
		},
		"Confirmed": {
			in:     purge.Input{SuppressDeletion: ptr(false)},
			want:   "a person confirmed that the old copy may go",
			reason: "P7",
		},
		"FencedCopyReturned": {
			in:     purge.Input{Mode: purge.Directly, Presence: purge.Present, Released: true},
			want:   "the old copy is there again after its replacement was released: it is deleted at once",
			reason: "P5",
		},
		"Fenced": {
			in:     purge.Input{Mode: purge.Directly, Fenced: true},
			want:   "the old copy is fenced; its deletion is still due",
			reason: "P5",
		},
		"Released": {
			in:     purge.Input{Mode: purge.Directly, Released: true},
			want:   "the new copy was released before; the deletion of the old one is still due",
			reason: "P5",
		},
		"AwaitingOldCopyGone": {
			in:     purge.Input{Mode: purge.Directly, Presence: purge.Present},
			want:   "the old copy is being deleted; the new copy waits until it is gone",
			reason: "P5",
		},
		"OldCopyUnreachable": {
			in:     directly,
			want:   "nobody can tell whether the old copy still runs; the new copy waits until it is gone or fenced",
			reason: "P5",
		},
		"NeedsFencing": {
			in:     with(directly, func(in *purge.Input) { in.FencingDeadline = ptr(time.Hour) }),
			want:   "nobody can tell whether the old copy still runs: fence its cluster, or confirm that it is gone",
			reason: "P5: says what a person must do",
		},
		"ReplacementHealthy": {
			in:     with(young, func(in *purge.Input) { in.Replacement = purge.Ready }),
			want:   "the replacement is healthy",
			reason: "P6",
		},
		"GracePeriodExpired": {
			in:     with(expired, func(in *purge.Input) { in.Replacement = purge.Applied }),
			want:   "the grace period ended at 2026-01-01T00:10:00Z and a replacement is applied",
			reason: "P6, L2: times are UTC",
		},
		"Soaking": {
			in: with(young, func(in *purge.Input) {
				in.Replacement, in.ReadySince, in.Soak = purge.Ready, epoch.In(zone), time.Minute
			}),
			want:   "the replacement is healthy since 2026-01-01T00:00:00Z, not yet for long enough",
			reason: "P6, L2: times are UTC",
		},
		"Soaking since nobody knows when": {
			in:     with(young, func(in *purge.Input) { in.Replacement, in.Soak = purge.Ready, time.Minute }),
			want:   "the replacement is healthy, but it is not known since when",
			reason: "P6: says why it will not end",
		},
		"NoReplacement": {
			in:     young,
			want:   "the old copy stays until a replacement is scheduled and healthy",
			reason: "P6",
		},
		"ReplacementNotApplied": {
			in:     with(young, func(in *purge.Input) { in.Replacement = purge.Scheduled }),
			want:   "the old copy stays until its replacement is applied and healthy",
			reason: "P6",
		},
		"ReplacementNotHealthy": {
			in:     with(young, func(in *purge.Input) { in.Replacement = purge.Applied }),
			want:   "the old copy stays until its replacement is healthy",
			reason: "P6",
		},
		"ExpiredNoReplacement": {
			in:     expired,
			want:   "the grace period ended at 2026-01-01T00:10:00Z without any replacement: the last copy stays",
			reason: "P6",
		},
		"ExpiredNotApplied": {
			in:     with(expired, func(in *purge.Input) { in.Replacement = purge.Scheduled }),
			want:   "the grace period ended at 2026-01-01T00:10:00Z before a replacement was applied: the last copy stays",
			reason: "P6",
		},
		"ExpiredSourceHealthy": {
			in: with(expired, func(in *purge.Input) {
				in.Replacement, in.SourceHealthy = purge.Applied, true
			}),
			want:   "the grace period ended at 2026-01-01T00:10:00Z but the old copy is healthy and its replacement is not",
			reason: "P6",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := purge.Decide(tt.in)
			if diff := cmp.Diff(tt.want, got.Message); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if word, _, _ := strings.Cut(strings.ReplaceAll(name, " since", ","), ","); word != string(got.Reason) {
				t.Errorf("%s: the case is named for the reason %s, got %s", tt.reason, word, got.Reason)
			}
		})
	}
}

func with(in purge.Input, change func(*purge.Input)) purge.Input {
	change(&in)
	return in
}
