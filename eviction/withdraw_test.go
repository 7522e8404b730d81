package eviction_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

func TestWithdraw(t *testing.T) {
	t.Parallel()
	made := func(mode purge.Mode, changes ...func(*eviction.Task)) eviction.Task {
		t := stored("east", mode, -60)
		t.Replicas, t.Components = ptr(int32(0)), []eviction.Component{{Name: "jm", Replicas: 1}}
		t.ClustersBeforeFailover = []string{"east", "north"}
		for _, change := range changes {
			change(&t)
		}
		return t
	}
	seen := func(seconds int) []eviction.AggregatedStatusItem {
		return []eviction.AggregatedStatusItem{{ClusterName: "east", Health: eviction.Healthy, ObservedAt: at(seconds)}}
	}
	recovered := []eviction.AggregatedStatusItem{healthy("east")}
	back := eviction.TargetCluster{Name: "east", Replicas: ptr(int32(0)), Components: []eviction.Component{{Name: "jm", Replicas: 1}}}
	graceful := made(purge.Gracefully)
	south := stored("south", purge.Directly, -5)
	tests := map[string]struct {
		reason string
		in     eviction.WithdrawInput
		want   eviction.Withdrawal
	}{
		"Recovered": {
			reason: "F46: the only allowed cluster is blocked by its own task, and healthy again",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{graceful, south}, Items: recovered},
			want: eviction.Withdrawal{
				Outcome: eviction.Withdrawn, Reason: eviction.ReasonSourceHealthy,
				Targets: []eviction.TargetCluster{back}, Tasks: []eviction.Task{south},
			},
		},
		"RecoveredBesideAnOldTarget": {
			reason: "E11: a target that was there before is no replacement; the cluster comes last",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{graceful}, Items: recovered, Targets: targets("north")},
			want: eviction.Withdrawal{
				Outcome: eviction.Withdrawn, Reason: eviction.ReasonSourceHealthy,
				Targets: []eviction.TargetCluster{{Name: "north"}, back},
			},
		},
		"Replaced": {
			reason: "E11: never automatic once a replacement was chosen",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{graceful}, Items: recovered, Targets: targets("north", "west")},
			want:   eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: eviction.ReasonReplacementChosen},
		},
		"UnknownOrigins": {
			reason: "an empty list is not known: any other target may be the replacement",
			in: eviction.WithdrawInput{
				Tasks: []eviction.Task{made("", func(t *eviction.Task) { t.ClustersBeforeFailover = nil })}, Items: recovered, Targets: targets("north"),
			},
			want: eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: eviction.ReasonReplacementChosen},
		},
		"UnknownOriginsWithoutTargets": {
			reason: "there is no other target",
			in: eviction.WithdrawInput{
				Tasks: []eviction.Task{made("Graciously", func(t *eviction.Task) { t.ClustersBeforeFailover = nil })}, Items: recovered,
			},
			want: eviction.Withdrawal{Outcome: eviction.Withdrawn, Reason: eviction.ReasonSourceHealthy, Targets: []eviction.TargetCluster{back}},
		},
		"NotHealthy": {
			reason: "E11: two items, the worse counts",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{graceful}, Items: append(seen(0), item("east", "", true))},
			want:   eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: eviction.ReasonSourceNotHealthy},
		},
		"NotApplicable": {
			reason: "E11: a kind without health never says that it recovered",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{graceful}, Items: []eviction.AggregatedStatusItem{item("east", eviction.NotApplicable, true)}},
			want:   eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: eviction.ReasonSourceNotHealthy},
		},
		"HealthyBeforeTheEviction": {
			reason: "the frozen status of a lost cluster is no recovery",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{graceful}, Items: seen(-61)},
			want:   eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: eviction.ReasonSourceNotHealthy},
		},
		"HealthyInTheSecondOfTheEviction": {
			reason: "not known to be older",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{graceful}, Items: seen(-60)},
			want:   eviction.Withdrawal{Outcome: eviction.Withdrawn, Reason: eviction.ReasonSourceHealthy, Targets: []eviction.TargetCluster{back}},
		},
		"HealthyBeforeATaskWithoutTime": {
			reason: "E6: the task was made now",
			in: eviction.WithdrawInput{
				Tasks: []eviction.Task{made("", func(t *eviction.Task) { t.CreationTimestamp = &metav1.Time{} })}, Items: seen(-1),
			},
			want: eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: eviction.ReasonSourceNotHealthy},
		},
		"Confirmed": {
			reason: "a person decided the opposite",
			in: eviction.WithdrawInput{
				Tasks: []eviction.Task{made(purge.Gracefully, func(t *eviction.Task) { t.SuppressDeletion = ptr(false) })}, Items: recovered,
			},
			want: eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: purge.Confirmed},
		},
		"Suppressed": {
			reason: "keeping the copy and withdrawing agree",
			in: eviction.WithdrawInput{
				Tasks: []eviction.Task{made(purge.Gracefully, func(t *eviction.Task) { t.SuppressDeletion = ptr(true) })}, Items: recovered,
			},
			want: eviction.Withdrawal{Outcome: eviction.Withdrawn, Reason: eviction.ReasonSourceHealthy, Targets: []eviction.TargetCluster{back}},
		},
		"Requested": {
			reason: "E11: only the automatic one looks at health and replacement",
			in:     eviction.WithdrawInput{Requested: true, Tasks: []eviction.Task{graceful}, Targets: targets("west")},
			want: eviction.Withdrawal{
				Outcome: eviction.Withdrawn, Reason: eviction.ReasonRequested, Targets: []eviction.TargetCluster{{Name: "west"}, back},
			},
		},
		"Never": {
			reason: "E11: needs a request, however healthy",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{made(purge.Never)}, Items: recovered},
			want:   eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: eviction.ReasonNeedsRequest},
		},
		"NeverRequested": {
			reason: "E11",
			in:     eviction.WithdrawInput{Requested: true, Tasks: []eviction.Task{made(purge.Never)}},
			want:   eviction.Withdrawal{Outcome: eviction.Withdrawn, Reason: eviction.ReasonRequested, Targets: []eviction.TargetCluster{back}},
		},
		"NeverAndTarget": {
			reason: "E13: only a person resolves it",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{made(purge.Never)}, Targets: targets("east"), Items: recovered},
			want:   eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: eviction.ReasonNeedsRequest},
		},
		"NeverAndTargetRequested": {
			reason: "only the task goes: the target is not there twice",
			in:     eviction.WithdrawInput{Requested: true, Tasks: []eviction.Task{made(purge.Never)}, Targets: targets("east", "west")},
			want:   eviction.Withdrawal{Outcome: eviction.Withdrawn, Reason: eviction.ReasonRequested, Targets: targets("east", "west")},
		},
		"AlreadyTarget": {
			reason: "E13: Gracefully counts as withdrawn, whatever the health and the other targets",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{graceful}, Targets: targets("east", "west")},
			want:   eviction.Withdrawal{Outcome: eviction.Withdrawn, Reason: eviction.ReasonAlreadyTarget, Targets: targets("east", "west")},
		},
		"Directly": {
			reason: "E11: refused, a request included; P1: by its old name too",
			in:     eviction.WithdrawInput{Requested: true, Tasks: []eviction.Task{made("Immediately")}, Items: recovered},
			want:   eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: eviction.ReasonModeDirectly},
		},
		"InvalidMode": {
			reason: "L6: nobody knows what was promised",
			in:     eviction.WithdrawInput{Requested: true, Tasks: []eviction.Task{made("Later")}, Items: recovered},
			want:   eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: purge.InvalidMode},
		},
		"Several": {
			reason: "all go, and the replicas are the newest's",
			in: eviction.WithdrawInput{Requested: true, Tasks: []eviction.Task{
				graceful, made(purge.Never, func(t *eviction.Task) { t.CreationTimestamp, t.Replicas, t.Components = at(-59), ptr(int32(7)), nil }),
				made(purge.Never, func(t *eviction.Task) { t.CreationTimestamp = at(-61) }),
			}},
			want: eviction.Withdrawal{
				Outcome: eviction.Withdrawn, Reason: eviction.ReasonRequested,
				Targets: []eviction.TargetCluster{{Name: "east", Replicas: ptr(int32(7))}},
			},
		},
		"SeveralAndOneRefuses": {
			reason: "all or none",
			in:     eviction.WithdrawInput{Tasks: []eviction.Task{graceful, made(purge.Directly)}, Items: recovered},
			want:   eviction.Withdrawal{Outcome: eviction.WithdrawRefused, Reason: eviction.ReasonModeDirectly},
		},
		"NotEvicting": {
			reason: "there is nothing to withdraw, and nobody else's task goes",
			in:     eviction.WithdrawInput{Requested: true, Tasks: []eviction.Task{south}, Targets: targets("east")},
			want:   eviction.Withdrawal{Outcome: eviction.NotEvicting, Reason: eviction.ReasonNotEvicting},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.in.Cluster, tc.in.Now = "east", epoch
			if tc.want.Outcome != eviction.Withdrawn {
				tc.want.Targets, tc.want.Tasks = tc.in.Targets, tc.in.Tasks
			}
			got := eviction.Withdraw(tc.in)
			if got.Message == "" {
				t.Errorf("L5: no message beside %s", got.Reason)
			}
			got.Message = ""
			if diff := cmp.Diff(tc.want, got, same()); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	t.Run("NoName", func(t *testing.T) {
		t.Parallel()
		got := eviction.Withdraw(eviction.WithdrawInput{Requested: true, Tasks: []eviction.Task{{Producer: "odd"}}, Now: epoch})
		want := eviction.Withdrawal{
			Outcome: eviction.NotEvicting, Reason: eviction.ReasonNotEvicting, Message: "the cluster is not under eviction",
			Tasks: []eviction.Task{{Producer: "odd"}},
		}
		if diff := cmp.Diff(want, got, same()); diff != "" {
			t.Errorf("a target without a name is never made\n(-want +got):\n%s", diff)
		}
	})
}
