package eviction_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

// verdict is the part of a decision that most tests look at.
type verdict struct {
	Outcome eviction.Outcome
	Old     purge.OldCopy
	New     purge.NewCopy
	Reason  eviction.Reason
	Warning bool
	Check   time.Duration
}

func verdictOf(d eviction.Decision) verdict {
	return verdict{d.Outcome, d.Old, d.New, d.Reason, d.Warning, d.NextCheck.After}
}

func keeps(reason eviction.Reason, check time.Duration) verdict {
	return verdict{Outcome: eviction.Keep, Old: purge.Keep, New: purge.Create, Reason: reason, Check: check}
}

func purges(reason eviction.Reason) verdict {
	return verdict{Outcome: eviction.Purge, Old: purge.Delete, New: purge.Create, Reason: reason}
}

func holds(reason eviction.Reason) verdict {
	return verdict{Outcome: eviction.Purge, Old: purge.Delete, New: purge.Hold, Reason: reason}
}

// One task, with what is around it.
func TestAssess(t *testing.T) {
	t.Parallel()
	graceful := stored("east", purge.Gracefully, -60)
	graced := func(grace int32, made int) eviction.Task {
		t := stored("east", purge.Gracefully, made)
		t.GracePeriodSeconds = ptr(grace)
		return t
	}
	flagged := func(mode purge.Mode, flag bool) eviction.Task {
		t := stored("east", mode, -60)
		t.SuppressDeletion = ptr(flag)
		return t
	}
	gone := map[string]eviction.Facts{"east": {Presence: purge.Gone}}
	west := targets("west")
	tests := map[string]struct {
		reason string
		task   eviction.Task
		in     eviction.AssessInput
		want   verdict
	}{
		"NoTargets": {
			reason: "F28: no replacement is not a healthy replacement",
			task:   graceful, in: eviction.AssessInput{Scheduled: true},
			want: keeps(purge.NoReplacement, 540*time.Second),
		},
		"NoTargetsAtTheEnd": {
			reason: "F28, P6: the last copy stays",
			task:   graced(60, -60), in: eviction.AssessInput{Scheduled: true},
			want: keeps(purge.ExpiredNoReplacement, 0),
		},
		"OnlyItself": {
			reason: "E8: the evicted cluster is no replacement of itself; E13 withdraws it",
			task:   graceful, in: eviction.AssessInput{Scheduled: true, Targets: targets("east"), Items: []eviction.AggregatedStatusItem{healthy("east")}},
			want: verdict{eviction.Finish, purge.Keep, purge.Create, eviction.ReasonWithdrawn, false, 0},
		},
		"Healthy": {
			reason: "P6: the replacement is there",
			task:   graceful, in: eviction.AssessInput{Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")}},
			want: purges(purge.ReplacementHealthy),
		},
		"OneOfTwoUnhealthy": {
			reason: "F29: every target must be healthy",
			task:   graceful, in: eviction.AssessInput{
				Scheduled: true, Targets: targets("west", "north"),
				Items: []eviction.AggregatedStatusItem{healthy("north"), item("west", eviction.Unhealthy, true)},
			},
			want: keeps(purge.ReplacementNotHealthy, 540*time.Second),
		},
		"OneOfTwoWithoutItem": {
			reason: "F29: a missing status is not healthy",
			task:   graceful, in: eviction.AssessInput{
				Scheduled: true, Targets: targets("north", "west"), Items: []eviction.AggregatedStatusItem{healthy("north")},
			},
			want: keeps(purge.ReplacementNotHealthy, 540*time.Second),
		},
		"NotScheduled": {
			reason: "E9: the targets are those of the last generation, so healthy means nothing yet",
			task:   graceful, in: eviction.AssessInput{Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")}},
			want: keeps(purge.ReplacementNotHealthy, 540*time.Second),
		},
		"NotScheduledAtTheEnd": {
			reason: "E9: it never delays the time-out",
			task:   graced(60, -60), in: eviction.AssessInput{Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")}},
			want: purges(purge.GracePeriodExpired),
		},
		"OneSecondBeforeTheEnd": {
			reason: "F36: and the next check is never zero",
			task:   graced(60, -59), in: eviction.AssessInput{Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{item("west", eviction.Unhealthy, true)}},
			want: keeps(purge.ReplacementNotHealthy, time.Second),
		},
		"OneSecondAfterTheEnd": {
			reason: "F36: expired stays expired",
			task:   graced(60, -61), in: eviction.AssessInput{Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{item("west", eviction.Unhealthy, true)}},
			want: purges(purge.GracePeriodExpired),
		},
		"NotAppliedAtTheEnd": {
			reason: "P6: a target without a copy replaces nothing",
			task:   graced(60, -60), in: eviction.AssessInput{Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{item("west", eviction.Unhealthy, false)}},
			want: keeps(purge.ExpiredNotApplied, 0),
		},
		"SourceHealthyAtTheEnd": {
			reason: "P6: two copies, and only the old one works",
			task:   graced(60, -60), in: eviction.AssessInput{
				Scheduled: true, Targets: west,
				Items: []eviction.AggregatedStatusItem{item("west", eviction.Unhealthy, true), healthy("east")},
			},
			want: keeps(purge.ExpiredSourceHealthy, 0),
		},
		"SourceHealthyOnOldNews": {
			reason: "never delete on old news: the staleness filter is for replacements",
			task:   graced(60, -60), in: eviction.AssessInput{
				Scheduled: true, Targets: west,
				Items: []eviction.AggregatedStatusItem{
					item("west", eviction.Unhealthy, true),
					{ClusterName: "east", Health: eviction.Healthy, ObservedAt: at(-3600)},
				},
			},
			want: keeps(purge.ExpiredSourceHealthy, 0),
		},
		"SourceHalfHealthy": {
			reason: "E8: two items for one cluster, the worse counts",
			task:   graced(60, -60), in: eviction.AssessInput{
				Scheduled: true, Targets: west,
				Items: []eviction.AggregatedStatusItem{item("west", eviction.Unhealthy, true), healthy("east"), item("east", eviction.Unhealthy, true)},
			},
			want: purges(purge.GracePeriodExpired),
		},
		"SourceNotApplicable": {
			reason: "a kind without health does not say that it is healthy",
			task:   graced(60, -60), in: eviction.AssessInput{
				Scheduled: true, Targets: west,
				Items: []eviction.AggregatedStatusItem{item("west", eviction.Unhealthy, true), item("east", eviction.NotApplicable, true)},
			},
			want: purges(purge.GracePeriodExpired),
		},
		"GracePeriodZero": {
			reason: "E5: an invalid stored value is the default, not an expired one",
			task:   graced(0, -599), in: eviction.AssessInput{Targets: west, Items: []eviction.AggregatedStatusItem{item("west", "", true)}},
			want: keeps(purge.ReplacementNotHealthy, time.Second),
		},
		"GracePeriodNegative": {
			reason: "E5: the same, and the default ends",
			task:   graced(-1, -600), in: eviction.AssessInput{Targets: west, Items: []eviction.AggregatedStatusItem{item("west", "", true)}},
			want: purges(purge.GracePeriodExpired),
		},
		"GracePeriodOfManyYears": {
			reason: "E5, F42: 64-bit arithmetic",
			task:   graced(2147483647, -60), in: eviction.AssessInput{Targets: west},
			want: keeps(purge.ReplacementNotApplied, (2147483647-60)*time.Second),
		},
		"MissingCreation": {
			reason: "E6: made now, so nothing has expired",
			task:   eviction.Task{FromCluster: "east"}, in: eviction.AssessInput{Targets: west},
			want: keeps(purge.ReplacementNotApplied, 600*time.Second),
		},
		"FutureCreation": {
			reason: "E6: made now, whatever the clock of the other side says",
			task:   graced(60, 3600), in: eviction.AssessInput{Targets: west},
			want: keeps(purge.ReplacementNotApplied, 60*time.Second),
		},
		"GracefullyGone": {
			reason: "E7: the task ends when the old copy is gone",
			task:   graceful, in: eviction.AssessInput{Clusters: gone},
			want: verdict{eviction.Finish, purge.Delete, purge.Create, purge.OldCopyGone, false, 0},
		},
		"GracefullyUnknown": {
			reason: "F48: unknown never finishes, however long ago it expired",
			task:   graced(60, -99999), in: eviction.AssessInput{
				Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")},
				Clusters: map[string]eviction.Facts{"east": {Presence: purge.Unknown}},
			},
			want: purges(purge.ReplacementHealthy),
		},
		"Soaking": {
			reason: "P6: healthy, not for long enough",
			task:   graceful, in: eviction.AssessInput{
				Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")}, Soak: 30 * time.Second,
				Clusters: map[string]eviction.Facts{"west": {HealthySince: instant(-10)}},
			},
			want: keeps(purge.Soaking, 20*time.Second),
		},
		"SoakedByTheSlowest": {
			reason: "the replacement is as old as its youngest part",
			task:   graceful, in: eviction.AssessInput{
				Scheduled: true, Targets: targets("north", "west", "south"), Soak: 30 * time.Second,
				Items:    []eviction.AggregatedStatusItem{healthy("west"), healthy("north"), healthy("south")},
				Clusters: map[string]eviction.Facts{"north": {HealthySince: instant(-99)}, "west": {HealthySince: instant(-29)}, "south": {HealthySince: instant(-98)}},
			},
			want: keeps(purge.Soaking, time.Second),
		},
		"SoakedSinceNobodyKnows": {
			reason: "one unknown part makes the whole unknown",
			task:   graceful, in: eviction.AssessInput{
				Scheduled: true, Targets: targets("north", "west"), Soak: 30 * time.Second,
				Items:    []eviction.AggregatedStatusItem{healthy("west"), healthy("north")},
				Clusters: map[string]eviction.Facts{"north": {HealthySince: instant(-99)}},
			},
			want: keeps(purge.Soaking, 540*time.Second),
		},
		"Soaked": {
			reason: "P6: long enough",
			task:   graceful, in: eviction.AssessInput{
				Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")}, Soak: 30 * time.Second,
				Clusters: map[string]eviction.Facts{"west": {HealthySince: instant(-30)}},
			},
			want: purges(purge.ReplacementHealthy),
		},
		"Suppressed": {
			reason: "F38: true keeps whatever happens and asks for no check",
			task:   flagged(purge.Gracefully, true), in: eviction.AssessInput{Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")}, Clusters: gone},
			want: keeps(purge.Suppressed, 0),
		},
		"Confirmed": {
			reason: "F38: false deletes now, replacement or not",
			task:   flagged(purge.Gracefully, false),
			want:   purges(purge.Confirmed),
		},
		"NeverWithoutFlag": {
			reason: "F39: mode Never is suppressed even if the flag is missing",
			task:   stored("east", purge.Never, -99999), in: eviction.AssessInput{Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")}},
			want: keeps(purge.Suppressed, 0),
		},
		"NeverConfirmed": {
			reason: "P7",
			task:   flagged(purge.Never, false),
			want:   purges(purge.Confirmed),
		},
		"DirectlyUnreachable": {
			reason: "F43: 601 s later it still waits, and the task with its state stays",
			task:   stored("east", purge.Directly, -601), in: eviction.AssessInput{Scheduled: true, Targets: west},
			want: holds(purge.OldCopyUnreachable),
		},
		"DirectlyNeedsFencing": {
			reason: "P5: time only changes what is asked for",
			task:   stored("east", purge.Directly, -60), in: eviction.AssessInput{FencingDeadline: ptr(time.Minute)},
			want: verdict{eviction.Purge, purge.Delete, purge.Hold, purge.NeedsFencing, true, 0},
		},
		"DirectlyBeforeTheFencingDeadline": {
			reason: "P5: counted from the creation",
			task:   stored("east", purge.Directly, -59), in: eviction.AssessInput{FencingDeadline: ptr(time.Minute)},
			want: verdict{eviction.Purge, purge.Delete, purge.Hold, purge.OldCopyUnreachable, false, time.Second},
		},
		"DirectlyFenced": {
			reason: "P5: only the caller's fence moves on",
			task:   stored("east", purge.Directly, -60), in: eviction.AssessInput{Clusters: map[string]eviction.Facts{"east": {Fenced: true}}},
			want: purges(purge.Fenced),
		},
		"DirectlyReturned": {
			reason: "P5: released before, and there again",
			task:   stored("east", purge.Directly, -60), in: eviction.AssessInput{Clusters: map[string]eviction.Facts{"east": {Released: true, Presence: purge.Present}}},
			want: verdict{eviction.Purge, purge.Delete, purge.Create, purge.FencedCopyReturned, true, 0},
		},
		"DirectlyByItsOldName": {
			reason: "F40: Immediately is purged, awaited and held",
			task:   stored("east", "Immediately", -60), in: eviction.AssessInput{Clusters: map[string]eviction.Facts{"east": {Presence: purge.Present}}},
			want: holds(purge.AwaitingOldCopyGone),
		},
		"DirectlyGoneWithoutRecord": {
			reason: "F43: the task holds the only copy of the state",
			task:   stored("east", purge.Directly, -60), in: eviction.AssessInput{Clusters: gone},
			want: purges(purge.AwaitingReplacementHealthy),
		},
		"DirectlyGoneAndReplaced": {
			reason: "the state has arrived",
			task:   stored("east", purge.Directly, -60), in: eviction.AssessInput{Clusters: gone, Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")}},
			want: verdict{eviction.Finish, purge.Delete, purge.Create, purge.OldCopyGone, false, 0},
		},
		"DirectlyGoneWithRecord": {
			reason: "the state is safe",
			task:   stored("east", purge.Directly, -60), in: eviction.AssessInput{Clusters: map[string]eviction.Facts{"east": {Presence: purge.Gone, StateCarried: true}}},
			want: verdict{eviction.Finish, purge.Delete, purge.Create, purge.OldCopyGone, false, 0},
		},
		"RequiredByOthers": {
			reason: "P5, K19: it stays and is not awaited",
			task:   stored("east", purge.Directly, -60), in: eviction.AssessInput{Clusters: map[string]eviction.Facts{"east": {RequiredByOthers: true}}},
			want: keeps(purge.RequiredByOthers, 0),
		},
		"InvalidMode": {
			reason: "P3: never read as anything else",
			task:   stored("east", "gracefully", -9999), in: eviction.AssessInput{Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")}, Clusters: gone},
			want: verdict{eviction.Keep, purge.Keep, purge.Hold, purge.InvalidMode, true, 0},
		},
		"InvalidPresence": {
			reason: "L6: an unknown text is not an answer",
			task:   graceful, in: eviction.AssessInput{Scheduled: true, Targets: west, Items: []eviction.AggregatedStatusItem{healthy("west")}, Clusters: map[string]eviction.Facts{"east": {Presence: "gone"}}},
			want: verdict{eviction.Keep, purge.Keep, purge.Hold, purge.InvalidInput, true, 0},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.in.Now, tc.in.Tasks = instant(0), []eviction.Task{tc.task}
			got := eviction.Assess(tc.in)
			if diff := cmp.Diff(tc.want, verdictOf(got.Decisions[0])); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			if got.NextCheck != got.Decisions[0].NextCheck {
				t.Errorf("%s: one task's check is the whole check", tc.reason)
			}
		})
	}
}

// All fields of a decision.
func TestAssessDecision(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		task   eviction.Task
		want   eviction.Decision
	}{
		"AsStored": {
			reason: "E10: the key is what is stored; P1: the mode is normalised",
			task: eviction.Task{
				FromCluster: "east", PurgeMode: "Graciously", CreationTimestamp: ptr(metav1.NewTime(epoch.Add(-time.Minute))),
				ClustersBeforeFailover: []string{"east", "west"},
			},
			want: eviction.Decision{
				FromCluster: "east", CreationTimestamp: ptr(metav1.NewTime(epoch.Add(-time.Minute))), Created: *at(-60),
				Mode: purge.Gracefully, Presence: purge.Present, Outcome: eviction.Keep, Old: purge.Keep, New: purge.Create,
				Reason: purge.NoReplacement, Message: "the old copy stays until a replacement is scheduled and healthy",
				ClustersBeforeFailover: []string{"east", "west"}, NextCheck: purge.NextCheck{After: 540 * time.Second, OK: true},
			},
		},
		"WithoutTimeAndWithAnInvalidMode": {
			reason: "E6: the decision carries the time to use",
			task:   eviction.Task{FromCluster: "east", PurgeMode: "Later"},
			want: eviction.Decision{
				FromCluster: "east", Created: *at(0), Presence: purge.Present, Outcome: eviction.Keep, Old: purge.Keep,
				New: purge.Hold, Reason: purge.InvalidMode, Warning: true,
				Message: `purge mode "Later" is unknown: use Directly, Gracefully or Never`,
			},
		},
		"FromTheFuture": {
			reason: "E6: in the future is one second from now already",
			task:   stored("east", purge.Never, 1),
			want: eviction.Decision{
				FromCluster: "east", CreationTimestamp: at(1), Created: *at(0), Mode: purge.Never, Presence: purge.Present,
				Outcome: eviction.Keep, Old: purge.Keep, New: purge.Create, Reason: purge.Suppressed,
				Message:                "the old copy stays until a person sets suppressDeletion to false",
				ClustersBeforeFailover: []string{"east"},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := eviction.Assess(eviction.AssessInput{
				Tasks: []eviction.Task{tc.task}, Now: epoch,
				Clusters: map[string]eviction.Facts{"east": {Presence: purge.Present}},
			})
			if diff := cmp.Diff([]eviction.Decision{tc.want}, got.Decisions); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			if zone := got.Decisions[0].Created.Location(); zone != time.UTC {
				t.Errorf("L2: the time to use is UTC, not %v", zone)
			}
		})
	}
}

// E8, E9: how far the replacement has come. A Directly task with its copy gone
// finishes only for Ready; the reason under Gracefully tells the other levels.
func TestAssessReplacement(t *testing.T) {
	t.Parallel()
	seen := func(cluster string, health eviction.Health, applied bool, observed *metav1.Time) eviction.AggregatedStatusItem {
		i := item(cluster, health, applied)
		i.ObservedAt = observed
		return i
	}
	type items = []eviction.AggregatedStatusItem
	sized := func(replicas ...*int32) []eviction.TargetCluster {
		out := targets("west", "north")[:len(replicas)]
		for i := range replicas {
			out[i].Replicas = replicas[i]
		}
		return out
	}
	full := ptr(int32(2147483647))
	both := items{healthy("west"), healthy("north")}
	tests := map[string]struct {
		reason  string
		targets []eviction.TargetCluster
		items   items
		desired *int32
		want    eviction.Reason
	}{
		"NoItem":             {reason: "not there", want: purge.ReplacementNotApplied},
		"EmptyHealth":        {reason: "empty is Unknown", items: items{item("west", "", true)}, want: purge.ReplacementNotHealthy},
		"UnknownHealth":      {reason: "nobody can tell", items: items{item("west", eviction.HealthUnknown, true)}, want: purge.ReplacementNotHealthy},
		"StrangeHealth":      {reason: "L6: unknown texts are never success", items: items{item("west", "healthy", true)}, want: purge.ReplacementNotHealthy},
		"UnhealthyUnapplied": {reason: "no copy", items: items{item("west", eviction.Unhealthy, false)}, want: purge.ReplacementNotApplied},
		"HealthyUnapplied":   {reason: "what is healthy exists", items: items{item("west", eviction.Healthy, false)}, want: purge.ReplacementHealthy},
		"NotApplicable":      {reason: "F32: counts once applied", items: items{item("west", eviction.NotApplicable, true)}, want: purge.ReplacementHealthy},
		"NotApplicableUnapplied": {
			reason: "F32: not before", items: items{item("west", eviction.NotApplicable, false)}, want: purge.ReplacementNotApplied,
		},
		"AppliedOnOneOfTwo": {
			reason: "one copy is a copy, whichever target comes last", targets: targets("west", "north"),
			items: items{item("west", eviction.Unhealthy, true)}, want: purge.ReplacementNotHealthy,
		},
		"Stale": {
			reason: "F30: healthy in an older life, which does not count as a copy either",
			items:  items{seen("west", eviction.Healthy, true, at(-61))}, want: purge.ReplacementNotApplied,
		},
		"StaleByAFraction": {
			reason: "strictly before the creation second",
			items:  items{seen("west", eviction.Healthy, true, ptr(metav1.NewTime(instant(-60).Add(-time.Nanosecond))))},
			want:   purge.ReplacementNotApplied,
		},
		"InTheCreationSecond": {
			reason: "not known to be older",
			items:  items{seen("west", eviction.Healthy, true, at(-60))}, want: purge.ReplacementHealthy,
		},
		"Undated": {
			reason: "not known to be older: Karmada has no such time",
			items:  items{seen("west", eviction.Healthy, true, &metav1.Time{})}, want: purge.ReplacementHealthy,
		},
		"OneOfTwoStale": {
			reason: "E8: every target", targets: targets("west", "north"),
			items: items{seen("west", eviction.Healthy, true, at(-61)), healthy("north")}, want: purge.ReplacementNotHealthy,
		},
		"TwoItemsOneUnhealthy": {
			reason: "unhealthy if any is", items: items{healthy("west"), item("west", eviction.Unhealthy, true), healthy("west")},
			want: purge.ReplacementNotHealthy,
		},
		"TwoItemsOneUnapplied": {
			reason: "applied only if all are",
			items:  items{item("west", eviction.NotApplicable, true), item("west", eviction.NotApplicable, false)},
			want:   purge.ReplacementNotApplied,
		},
		"TwoItemsOneNotApplicable": {
			reason: "NotApplicable is worse than Healthy: it needs applied",
			items:  items{item("west", eviction.NotApplicable, false), healthy("west")}, want: purge.ReplacementNotApplied,
		},
		"TwoItemsOneStale": {
			reason: "a doubt about one is a doubt about the cluster",
			items:  items{seen("west", eviction.Healthy, true, at(0)), seen("west", eviction.Healthy, true, at(-61)), healthy("west")},
			want:   purge.ReplacementNotApplied,
		},
		"Enough":        {reason: "exactly enough", items: both, targets: sized(ptr(int32(2)), ptr(int32(3))), desired: ptr(int32(5)), want: purge.ReplacementHealthy},
		"NotEnough":     {reason: "F28: healthy, but one replica is missing", items: both, targets: sized(ptr(int32(2)), ptr(int32(2))), desired: ptr(int32(5)), want: purge.ReplacementNotHealthy},
		"NoneKnown":     {reason: "nil counts as no known replica", items: both, targets: sized(nil, nil), desired: ptr(int32(1)), want: purge.ReplacementNotHealthy},
		"OneKnown":      {reason: "nil adds nothing and spoils nothing", items: both, targets: sized(nil, ptr(int32(1))), desired: ptr(int32(1)), want: purge.ReplacementHealthy},
		"ScaledToZero":  {reason: "F50: zero is enough for zero", items: both, targets: sized(ptr(int32(0))), desired: ptr(int32(0)), want: purge.ReplacementHealthy},
		"ZeroAndWanted": {reason: "F50: zero is not enough for one", items: both, targets: sized(ptr(int32(0))), desired: ptr(int32(1)), want: purge.ReplacementNotHealthy},
		"HugeSum":       {reason: "64 bits: two times the most is not negative", items: both, targets: sized(full, full), desired: full, want: purge.ReplacementHealthy},
		"NotCounted":    {reason: "nil does not count replicas", items: both, targets: sized(ptr(int32(0))), want: purge.ReplacementHealthy},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.targets == nil {
				tc.targets = targets("west")
			}
			got := eviction.Assess(eviction.AssessInput{
				Tasks: []eviction.Task{stored("east", purge.Gracefully, -60)}, Targets: tc.targets, Items: tc.items,
				Scheduled: true, DesiredReplicas: tc.desired, Now: epoch,
			})
			if diff := cmp.Diff(tc.want, got.Decisions[0].Reason); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// E13: the evicted cluster is also a target.
func TestAssessTargetUnderEviction(t *testing.T) {
	t.Parallel()
	withdrawn := verdict{eviction.Finish, purge.Keep, purge.Create, eviction.ReasonWithdrawn, false, 0}
	conflict := verdict{eviction.Keep, purge.Keep, purge.Hold, eviction.ReasonTargetUnderEviction, true, 0}
	observed := func(seconds int) []eviction.AggregatedStatusItem {
		return []eviction.AggregatedStatusItem{{ClusterName: "east", Applied: true, Health: eviction.Healthy, ObservedAt: at(seconds)}}
	}
	tests := map[string]struct {
		reason string
		mode   purge.Mode
		flag   *bool
		facts  eviction.Facts
		items  []eviction.AggregatedStatusItem
		want   verdict
	}{
		"Gracefully":           {reason: "counts as withdrawn", mode: "Graciously", want: withdrawn},
		"GracefullySuppressed": {reason: "whatever the flag", mode: purge.Gracefully, flag: ptr(true), want: withdrawn},
		"GracefullyConfirmed":  {reason: "whatever the flag", mode: "", flag: ptr(false), want: withdrawn},
		"GracefullyGone": {
			reason: "what is there next is the new copy: it is not deleted", mode: purge.Gracefully,
			facts: eviction.Facts{Presence: purge.Gone}, want: withdrawn,
		},
		"Never":           {reason: "until withdrawn or confirmed", mode: purge.Never, want: conflict},
		"NeverSuppressed": {reason: "the same with its flag", mode: purge.Never, flag: ptr(true), want: conflict},
		"NeverGone": {
			reason: "only a person resolves it", mode: purge.Never, facts: eviction.Facts{Presence: purge.Gone}, want: conflict,
		},
		"NeverConfirmed": {reason: "the purge rules again", mode: purge.Never, flag: ptr(false), want: purges(purge.Confirmed)},
		"NeverConfirmedAndGone": {
			reason: "served, and a new copy stays", mode: purge.Never, flag: ptr(false), facts: eviction.Facts{Presence: purge.Gone},
			want: verdict{eviction.Finish, purge.Keep, purge.Create, purge.OldCopyGone, false, 0},
		},
		"Directly": {
			reason: "goes on", mode: purge.Directly, facts: eviction.Facts{Presence: purge.Present}, want: holds(purge.AwaitingOldCopyGone),
		},
		"DirectlySuppressed": {
			reason: "P7: keeps and holds", mode: purge.Directly, flag: ptr(true),
			want: verdict{eviction.Keep, purge.Keep, purge.Hold, purge.Suppressed, false, 0},
		},
		"DirectlyGone": {
			reason: "an undated status may be that of the old copy, and the new copy must not be deleted",
			mode:   "Immediately", facts: eviction.Facts{Presence: purge.Gone}, items: []eviction.AggregatedStatusItem{healthy("east")},
			want: verdict{eviction.Keep, purge.Keep, purge.Create, purge.AwaitingReplacementHealthy, false, 0},
		},
		"DirectlyGoneAndNullTime": {
			reason: "null in JSON is no time", mode: purge.Directly, facts: eviction.Facts{Presence: purge.Gone},
			items: []eviction.AggregatedStatusItem{{ClusterName: "east", Applied: true, Health: eviction.Healthy, ObservedAt: &metav1.Time{}}},
			want:  verdict{eviction.Keep, purge.Keep, purge.Create, purge.AwaitingReplacementHealthy, false, 0},
		},
		"DirectlyGoneAndStale": {
			reason: "a status from before the task is that of the old copy", mode: purge.Directly,
			facts: eviction.Facts{Presence: purge.Gone}, items: observed(-61),
			want: verdict{eviction.Keep, purge.Keep, purge.Create, purge.AwaitingReplacementHealthy, false, 0},
		},
		"DirectlyGoneAndHealthyAgain": {
			reason: "an ordinary new target: it is the replacement", mode: purge.Directly,
			facts: eviction.Facts{Presence: purge.Gone}, items: observed(-60),
			want: verdict{eviction.Finish, purge.Keep, purge.Create, purge.OldCopyGone, false, 0},
		},
		"DirectlyPresentAndHealthy": {
			reason: "before it is gone it replaces nothing", mode: purge.Directly,
			facts: eviction.Facts{Presence: purge.Present}, items: observed(0), want: holds(purge.AwaitingOldCopyGone),
		},
		"InvalidMode": {
			reason: "P3 comes first", mode: "Later",
			want: verdict{eviction.Keep, purge.Keep, purge.Hold, purge.InvalidMode, true, 0},
		},
		"InvalidPresence": {
			reason: "L6: an input that is not understood withdraws nothing", mode: purge.Gracefully, facts: eviction.Facts{Presence: "?"},
			want: verdict{eviction.Keep, purge.Keep, purge.Hold, purge.InvalidInput, true, 0},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conflicting := stored("east", tc.mode, -60)
			conflicting.SuppressDeletion = tc.flag
			other := stored("south", purge.Directly, -60)
			got := eviction.Assess(eviction.AssessInput{
				Tasks: []eviction.Task{conflicting, other}, Targets: targets("east"), Items: tc.items,
				Scheduled: true, Now: epoch, Clusters: map[string]eviction.Facts{"east": tc.facts},
			})
			if diff := cmp.Diff(tc.want, verdictOf(got.Decisions[0])); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(holds(purge.OldCopyUnreachable), verdictOf(got.Decisions[1])); diff != "" {
				t.Errorf("%s: other tasks go on\n(-want +got):\n%s", tc.reason, diff)
			}
			report := []eviction.Report{{Cluster: "east", Reason: eviction.ReasonTargetUnderEviction, Message: "the cluster is a target and under eviction"}}
			if diff := cmp.Diff(report, got.Reports); diff != "" {
				t.Errorf("%s: always reported\n(-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// F38: tasks do not block each other, and the earliest check counts.
func TestAssessSeveral(t *testing.T) {
	t.Parallel()
	suppressed := stored("east", purge.Gracefully, -60)
	suppressed.SuppressDeletion = ptr(true)
	quick := stored("west", purge.Gracefully, -60)
	quick.GracePeriodSeconds = ptr(int32(90))
	got := eviction.Assess(eviction.AssessInput{
		Tasks: []eviction.Task{stored("north", purge.Gracefully, -60), suppressed, quick}, Now: instant(0),
	})
	want := []verdict{
		keeps(purge.NoReplacement, 540*time.Second), keeps(purge.Suppressed, 0), keeps(purge.NoReplacement, 30*time.Second),
	}
	var verdicts []verdict
	for _, d := range got.Decisions {
		verdicts = append(verdicts, verdictOf(d))
	}
	if diff := cmp.Diff(want, verdicts); diff != "" {
		t.Errorf("in input order, each by itself (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(purge.NextCheck{After: 30 * time.Second, OK: true}, got.NextCheck); diff != "" {
		t.Errorf("the earliest check (-want +got):\n%s", diff)
	}
	if empty := eviction.Assess(eviction.AssessInput{Now: epoch}); len(empty.Decisions)+len(empty.Reports) != 0 || empty.NextCheck.OK {
		t.Errorf("nothing to assess: %+v", empty)
	}
}

func TestAssessReports(t *testing.T) {
	t.Parallel()
	graced := func(cluster string, grace int32) eviction.Task {
		t := stored(cluster, purge.Gracefully, -60)
		t.GracePeriodSeconds = ptr(grace)
		return t
	}
	got := eviction.Assess(eviction.AssessInput{
		Tasks:   []eviction.Task{graced("south", 0), graced("east", -7), graced("east", -7), graced("north", 1)},
		Targets: targets("west", "south"),
		Items: []eviction.AggregatedStatusItem{
			item("west", "Degraded", true), item("west", "", true), item("west", "Degraded", false), item("west", "Bad", true),
			item("zone", "Degraded", true), healthy("zone"), healthy("north"), item("east", eviction.Health(strings.Repeat("x", 70)), true),
		},
		Now: epoch,
	})
	want := []eviction.Report{
		{Cluster: "east", Reason: eviction.ReasonInvalidGracePeriod, Message: "gracePeriodSeconds -7 is not greater than 0: it counts as 600"},
		{Cluster: "east", Reason: eviction.ReasonUnknownHealth, Message: `health "` + strings.Repeat("x", 64) + `" is unknown: it counts as Unknown`},
		{Cluster: "south", Reason: eviction.ReasonInvalidGracePeriod, Message: "gracePeriodSeconds 0 is not greater than 0: it counts as 600"},
		{Cluster: "south", Reason: eviction.ReasonTargetUnderEviction, Message: "the cluster is a target and under eviction"},
		{Cluster: "west", Reason: eviction.ReasonDuplicateItems, Message: "4 status items: the worst health counts, and applied only if all are"},
		{Cluster: "west", Reason: eviction.ReasonUnknownHealth, Message: `health "Bad" is unknown: it counts as Unknown`},
		{Cluster: "west", Reason: eviction.ReasonUnknownHealth, Message: `health "Degraded" is unknown: it counts as Unknown`},
		{Cluster: "zone", Reason: eviction.ReasonItemIgnored, Message: "the cluster is neither a target nor under eviction: its status is ignored"},
	}
	if diff := cmp.Diff(want, got.Reports); diff != "" {
		t.Errorf("sorted, each once (-want +got):\n%s", diff)
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	directly := stored("east", purge.Directly, -60)
	directly.ClustersBeforeFailover = []string{"east", "north"}
	nobodyKnows := stored("east", purge.Directly, -60)
	nobodyKnows.ClustersBeforeFailover = nil
	confirmed := stored("east", purge.Never, -60)
	confirmed.SuppressDeletion = ptr(false)
	type facts = map[string]eviction.Facts
	tests := map[string]struct {
		reason  string
		tasks   []eviction.Task
		facts   facts
		cluster string
		hasCopy bool
		want    string // cluster of the task that holds
	}{
		"Outside":     {reason: "P5: a new target waits", tasks: []eviction.Task{directly}, cluster: "west", want: "east"},
		"HasCopy":     {reason: "P5: an existing copy is never frozen", tasks: []eviction.Task{directly}, cluster: "west", hasCopy: true},
		"Inside":      {reason: "P5: it ran there before", tasks: []eviction.Task{directly}, cluster: "north"},
		"UnknownList": {reason: "an empty list is not known: every target is outside", tasks: []eviction.Task{nobodyKnows}, cluster: "north", want: "east"},
		"OneIsEnough": {
			reason: "P5: one holding task holds", tasks: []eviction.Task{stored("south", purge.Gracefully, -60), directly}, cluster: "west", want: "east",
		},
		"FirstHolds": {
			reason: "in the order of the decisions", tasks: []eviction.Task{stored("south", "odd", -60), directly}, cluster: "west", want: "south",
		},
		"NobodyHolds": {reason: "Gracefully creates at once", tasks: []eviction.Task{stored("south", purge.Gracefully, -60)}, cluster: "west"},
		"Fenced":      {reason: "P5: moves on", tasks: []eviction.Task{directly}, facts: facts{"east": {Fenced: true}}, cluster: "west"},
		"Gone":        {reason: "E13: once gone, the cluster is an ordinary target", tasks: []eviction.Task{directly}, facts: facts{"east": {Presence: purge.Gone}}, cluster: "east"},
		"GoneElsewhere": {
			reason: "the old copy is gone, so nothing is held", tasks: []eviction.Task{directly}, facts: facts{"east": {Presence: purge.Gone}}, cluster: "west",
		},
		"OwnDeletes": {
			reason: "E13: its old copy goes first, and hasCopy means that old copy", tasks: []eviction.Task{directly},
			facts: facts{"east": {Presence: purge.Present}}, cluster: "east", hasCopy: true, want: "east",
		},
		"OwnFencedDeletes": {
			reason: "E13: fenced is not gone", tasks: []eviction.Task{directly}, facts: facts{"east": {Fenced: true}}, cluster: "east", want: "east",
		},
		"OwnConfirmed": {reason: "E13: held until it is gone", tasks: []eviction.Task{confirmed}, cluster: "east", hasCopy: true, want: "east"},
		"OwnConflict": {
			reason: "E13: Never holds what does not exist, its own cluster too", tasks: []eviction.Task{stored("east", purge.Never, -60)}, cluster: "east", want: "east",
		},
		"OwnConflictHasCopy": {reason: "P5: and never what exists", tasks: []eviction.Task{stored("east", purge.Never, -60)}, cluster: "east", hasCopy: true},
		"OwnServed": {
			reason: "a finished task holds nothing", tasks: []eviction.Task{confirmed}, facts: facts{"east": {Presence: purge.Gone}}, cluster: "east",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := eviction.Assess(eviction.AssessInput{Tasks: tc.tasks, Targets: targets(tc.cluster), Clusters: tc.facts, Now: epoch})
			got, held := a.Holds(tc.cluster, tc.hasCopy)
			if diff := cmp.Diff(tc.want, got.FromCluster); diff != "" || held != (tc.want != "") {
				t.Errorf("%s: held %v\n(-want +got):\n%s", tc.reason, held, diff)
			}
			scramble(reflect.ValueOf(&got).Elem())
			if again, _ := a.Holds(tc.cluster, tc.hasCopy); again.FromCluster != tc.want || slices.Contains(again.ClustersBeforeFailover, "scrambled") {
				t.Errorf("%s: L1: the decision aliases the assessment: %+v", tc.reason, again)
			}
		})
	}
	finished := eviction.Assessment{Decisions: []eviction.Decision{{FromCluster: "east", Outcome: eviction.Finish, Old: purge.Delete, New: purge.Hold}}}
	if _, held := finished.Holds("west", false); held {
		t.Error("a finished task holds nothing, whatever else it says")
	}
	if _, held := finished.Holds("east", false); held {
		t.Error("a finished task deletes nothing, whatever else it says")
	}
}

// One replacement whose start of health is not known leaves the whole not known,
// whatever its place among the targets.
func TestAssessSoakNeedsEveryStart(t *testing.T) {
	t.Parallel()
	for _, unknown := range []string{"north", "west"} {
		facts := map[string]eviction.Facts{
			"north": {HealthySince: epoch.Add(-time.Hour)}, "west": {HealthySince: epoch.Add(-time.Hour)},
		}
		facts[unknown] = eviction.Facts{}
		got := eviction.Assess(eviction.AssessInput{
			Tasks: []eviction.Task{task("east")}, Targets: targets("north", "west"), Scheduled: true, Clusters: facts,
			Items: []eviction.AggregatedStatusItem{
				{ClusterName: "north", Applied: true, Health: eviction.Healthy}, {ClusterName: "west", Applied: true, Health: eviction.Healthy},
			},
			Soak: time.Minute, Now: epoch,
		})
		if d := got.Decisions[0]; d.Outcome != eviction.Keep || d.Reason != purge.Soaking {
			t.Errorf("P6: %s may be healthy since a moment ago: %+v", unknown, d)
		}
	}
}
