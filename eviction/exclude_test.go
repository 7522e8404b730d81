package eviction_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

func TestExclude(t *testing.T) {
	t.Parallel()
	cooled := func(cluster string, seconds int) eviction.Cooldown {
		return eviction.Cooldown{Cluster: cluster, Since: instant(seconds)}
	}
	evicting := func(cluster string) eviction.Excluded {
		return eviction.Excluded{Cluster: cluster, Reason: eviction.ReasonUnderEviction}
	}
	cooling := func(cluster string, until int) eviction.Excluded {
		return eviction.Excluded{Cluster: cluster, Reason: eviction.ReasonInCooldown, Until: instant(until)}
	}
	report := func(cluster, until string) eviction.Report {
		return eviction.Report{
			Cluster: cluster, Reason: eviction.ReasonInCooldown,
			Message: "the cluster is a target although it was evicted a short while ago; its cool-down ends at " + until,
		}
	}
	check := func(seconds int) purge.NextCheck {
		return purge.NextCheck{After: time.Duration(seconds) * time.Second, OK: true}
	}
	tests := map[string]struct {
		reason string
		in     eviction.ExcludeInput
		want   eviction.Exclusion
	}{
		"Nothing": {reason: "nil is empty"},
		"UnderEviction": {
			reason: "a task of every mode excludes, suppressed and strange ones too; sorted, each once, and no clock ends it",
			in: eviction.ExcludeInput{Tasks: []eviction.Task{
				stored("west", purge.Never, -9999), stored("east", "Later", 0), stored("west", purge.Directly, 0), {},
			}},
			want: eviction.Exclusion{Clusters: []eviction.Excluded{evicting("east"), evicting("west")}},
		},
		"Cooldown": {
			reason: "F47: exclusion outlives the task, one second before its end",
			in:     eviction.ExcludeInput{Cooldowns: []eviction.Cooldown{cooled("east", -599)}},
			want:   eviction.Exclusion{Clusters: []eviction.Excluded{cooling("east", 1)}, NextCheck: check(1)},
		},
		"CooldownEnds": {
			reason: "at the end it has ended", in: eviction.ExcludeInput{Cooldowns: []eviction.Cooldown{cooled("east", -600)}, Targets: targets("east")},
		},
		"CooldownEnded": {
			reason: "and after", in: eviction.ExcludeInput{Cooldowns: []eviction.Cooldown{cooled("east", -601)}},
		},
		"GivenLength": {
			reason: "E12", in: eviction.ExcludeInput{Cooldowns: []eviction.Cooldown{cooled("east", -29), cooled("west", -30)}, BlockPredecessorSeconds: ptr(int32(30))},
			want: eviction.Exclusion{Clusters: []eviction.Excluded{cooling("east", 1)}, NextCheck: check(1)},
		},
		"ZeroLength": {
			reason: "E12: 0 = none, for an eviction in the future too",
			in: eviction.ExcludeInput{
				Cooldowns: []eviction.Cooldown{cooled("east", 0), cooled("west", 30)}, BlockPredecessorSeconds: ptr(int32(0)),
			},
		},
		"NegativeLength": {
			reason: "invalid: reported, and the default counts",
			in:     eviction.ExcludeInput{Cooldowns: []eviction.Cooldown{cooled("east", -1)}, BlockPredecessorSeconds: ptr(int32(-1))},
			want: eviction.Exclusion{
				Clusters: []eviction.Excluded{cooling("east", 599)}, NextCheck: check(599),
				Reports: []eviction.Report{{
					Reason: eviction.ReasonInvalidBlock, Message: "blockPredecessorSeconds -1 is negative: it counts as 600",
				}},
			},
		},
		"HugeLength": {
			reason: "64 bits",
			in:     eviction.ExcludeInput{Cooldowns: []eviction.Cooldown{cooled("east", 0)}, BlockPredecessorSeconds: ptr(int32(2147483647))},
			want:   eviction.Exclusion{Clusters: []eviction.Excluded{cooling("east", 2147483647)}, NextCheck: check(2147483647)},
		},
		"SeveralOfOneCluster": {
			reason: "the latest counts, in any order",
			in:     eviction.ExcludeInput{Cooldowns: []eviction.Cooldown{cooled("east", -500), cooled("east", -100), cooled("east", -300)}},
			want:   eviction.Exclusion{Clusters: []eviction.Excluded{cooling("east", 500)}, NextCheck: check(500)},
		},
		"EarliestCheck": {
			reason: "the first to end", in: eviction.ExcludeInput{Cooldowns: []eviction.Cooldown{cooled("east", -100), cooled("west", -500)}},
			want: eviction.Exclusion{Clusters: []eviction.Excluded{cooling("east", 500), cooling("west", 100)}, NextCheck: check(100)},
		},
		"UnderEvictionWins": {
			reason: "one entry, and the end of the cool-down changes nothing",
			in:     eviction.ExcludeInput{Tasks: []eviction.Task{stored("east", purge.Directly, -60)}, Cooldowns: []eviction.Cooldown{cooled("east", -60)}},
			want:   eviction.Exclusion{Clusters: []eviction.Excluded{evicting("east")}},
		},
		"TargetInCooldown": {
			reason: "E12: reported, never removed; once, and under eviction too, where only the report ends",
			in: eviction.ExcludeInput{
				Targets: targets("west", "north", "east", "west"), Tasks: []eviction.Task{stored("west", purge.Directly, -60)},
				Cooldowns: []eviction.Cooldown{cooled("west", -60), cooled("east", -1), cooled("south", -2)},
			},
			want: eviction.Exclusion{
				Clusters:  []eviction.Excluded{cooling("east", 599), cooling("south", 598), evicting("west")},
				Reports:   []eviction.Report{report("east", "2026-03-01T12:09:59Z"), report("west", "2026-03-01T12:09:00Z")},
				NextCheck: check(540),
			},
		},
		"Nameless": {
			reason: "no cluster, no entry, no check",
			in:     eviction.ExcludeInput{Targets: targets(""), Tasks: []eviction.Task{{}}, Cooldowns: []eviction.Cooldown{{Since: epoch}}},
		},
		"NoTime": {
			reason: "not known is long ago: it must not block for ever", in: eviction.ExcludeInput{Cooldowns: []eviction.Cooldown{{Cluster: "east"}}},
		},
		"WholeSeconds": {
			reason: "L2: the end is UTC in whole seconds",
			in:     eviction.ExcludeInput{Cooldowns: []eviction.Cooldown{{Cluster: "east", Since: epoch}}},
			want:   eviction.Exclusion{Clusters: []eviction.Excluded{cooling("east", 600)}, NextCheck: check(600)},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.in.Now = instant(0)
			got := eviction.Exclude(tc.in)
			if diff := cmp.Diff(tc.want, got, same()); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			for _, e := range got.Clusters {
				if e.Until.Location() != time.UTC {
					t.Errorf("%s: not UTC: %v", tc.reason, e.Until)
				}
			}
		})
	}
}
