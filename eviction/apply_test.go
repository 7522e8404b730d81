package eviction_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

func TestApply(t *testing.T) {
	t.Parallel()
	decide := func(cluster string, made *metav1.Time, mode purge.Mode, outcome eviction.Outcome) eviction.Decision {
		d := eviction.Decision{FromCluster: cluster, CreationTimestamp: made, Mode: mode, Outcome: outcome, Created: *at(0)}
		if made != nil {
			d.Created = *made
		}
		return d
	}
	undated := func(cluster string, producer string) eviction.Task {
		return eviction.Task{FromCluster: cluster, Producer: producer}
	}
	dated := func(t eviction.Task, made *metav1.Time) eviction.Task {
		t.CreationTimestamp = made
		return t
	}
	east := stored("east", purge.Gracefully, -60)
	west := stored("west", purge.Directly, -30)
	fraction := dated(east, ptr(metav1.NewTime(instant(-60).Add(999*time.Millisecond))))
	tests := map[string]struct {
		reason    string
		latest    []eviction.Task
		decisions []eviction.Decision
		drop      bool
		want      []eviction.Task
	}{
		"Nothing": {reason: "nil is empty"},
		"UnknownTasksStay": {
			reason: "F34: the task that another writer added in between is left alone",
			latest: []eviction.Task{east, west}, decisions: []eviction.Decision{decide("east", at(-60), purge.Gracefully, eviction.Finish)},
			want: []eviction.Task{west},
		},
		"UnknownDecision": {
			reason: "a task that went in between is not missed",
			latest: []eviction.Task{west}, decisions: []eviction.Decision{decide("east", at(-60), purge.Gracefully, eviction.Finish)},
			want: []eviction.Task{west},
		},
		"RenewedInBetween": {
			reason: "E10: one second later it is another task of the same cluster",
			latest: []eviction.Task{dated(east, at(-59)), west}, decisions: []eviction.Decision{decide("east", at(-60), purge.Gracefully, eviction.Finish)},
			want: []eviction.Task{dated(east, at(-59)), west},
		},
		"SameSecond": {
			reason: "E10: the second is the key, and a stored time is not rewritten for its fraction",
			latest: []eviction.Task{fraction}, decisions: []eviction.Decision{decide("east", at(-60), purge.Gracefully, eviction.Keep)},
			want: []eviction.Task{fraction},
		},
		"SameSecondFinishes": {
			reason: "E10: the API server has cut the fraction by now",
			latest: []eviction.Task{east}, decisions: []eviction.Decision{decide("east", fraction.CreationTimestamp, purge.Gracefully, eviction.Finish)},
		},
		"SameInstantInAnotherZone": {
			reason: "E10: an instant, not a text", latest: []eviction.Task{dated(east, ptr(metav1.NewTime(instant(-60).In(epoch.Location()))))},
			decisions: []eviction.Decision{decide("east", at(-60), purge.Gracefully, eviction.Finish)},
		},
		"PurgeStays": {
			reason: "E7: the task stays until the copy is gone",
			latest: []eviction.Task{east}, decisions: []eviction.Decision{decide("east", at(-60), purge.Gracefully, eviction.Purge)},
			want: []eviction.Task{east},
		},
		"PurgeDrops": {
			reason: "E7: for hosts that delete by absence from the list",
			latest: []eviction.Task{east}, drop: true,
			decisions: []eviction.Decision{decide("east", at(-60), purge.Gracefully, eviction.Purge)},
		},
		"DirectlyIsNotDropped": {
			reason: "F43: its copy is deleted for its mode, and the task holds the state",
			latest: []eviction.Task{west}, drop: true,
			decisions: []eviction.Decision{decide("west", at(-30), purge.Directly, eviction.Purge)},
			want:      []eviction.Task{west},
		},
		"DirectlyFinishes": {
			reason: "finished is finished", latest: []eviction.Task{west}, drop: true,
			decisions: []eviction.Decision{decide("west", at(-30), purge.Directly, eviction.Finish)},
		},
		"KeepStays": {
			reason: "with either option", latest: []eviction.Task{east}, drop: true,
			decisions: []eviction.Decision{decide("east", at(-60), purge.Gracefully, eviction.Keep)},
			want:      []eviction.Task{east},
		},
		"UnknownOutcome": {
			reason: "L6: an outcome that is no outcome drops nothing", latest: []eviction.Task{east}, drop: true,
			decisions: []eviction.Decision{decide("east", at(-60), purge.Gracefully, "finish")},
			want:      []eviction.Task{east},
		},
		"MissingTimeIsWritten": {
			reason: "E6", latest: []eviction.Task{undated("east", "a"), undated("west", "b")},
			decisions: []eviction.Decision{decide("east", nil, purge.Gracefully, eviction.Keep)},
			want:      []eviction.Task{dated(undated("east", "a"), at(0)), undated("west", "b")},
		},
		"MissingMatchesNull": {
			reason: "E10: null in JSON is missing", latest: []eviction.Task{dated(undated("east", "a"), &metav1.Time{})},
			decisions: []eviction.Decision{decide("east", nil, purge.Gracefully, eviction.Finish)},
		},
		"MissingDoesNotMatchDated": {
			reason: "E10", latest: []eviction.Task{east},
			decisions: []eviction.Decision{decide("east", nil, purge.Gracefully, eviction.Finish)},
			want:      []eviction.Task{east},
		},
		"FutureTimeIsWritten": {
			reason: "E6", latest: []eviction.Task{dated(east, at(60))},
			decisions: []eviction.Decision{{FromCluster: "east", CreationTimestamp: at(60), Created: *at(0), Outcome: eviction.Purge}},
			want:      []eviction.Task{dated(east, at(0))},
		},
		"NoTimeToWrite": {
			reason: "a decision made by hand, without a time, wipes none", latest: []eviction.Task{east},
			decisions: []eviction.Decision{{FromCluster: "east", CreationTimestamp: at(-60), Outcome: eviction.Keep}},
			want:      []eviction.Task{east},
		},
		"SeveralAgree": {
			reason: "identical keys with one answer", latest: []eviction.Task{undated("east", "a"), west, undated("east", "b")},
			decisions: []eviction.Decision{decide("east", nil, "", eviction.Finish), decide("east", nil, "", eviction.Finish)},
			want:      []eviction.Task{west},
		},
		"SeveralDisagree": {
			reason: "nobody can tell which is which: none is lost, both are dated",
			latest: []eviction.Task{undated("east", "a"), undated("east", "b")},
			decisions: []eviction.Decision{
				decide("east", nil, "", eviction.Finish), decide("east", nil, "", eviction.Keep),
			},
			want: []eviction.Task{dated(undated("east", "a"), at(0)), dated(undated("east", "b"), at(0))},
		},
		"OneDecisionForTwo": {
			reason: "one of them is unknown, so both are left alone", latest: []eviction.Task{undated("east", "a"), undated("east", "b")},
			decisions: []eviction.Decision{decide("east", nil, "", eviction.Finish)},
			want:      []eviction.Task{undated("east", "a"), undated("east", "b")},
		},
		"TwoDecisionsForOne": {
			reason: "both say the same", latest: []eviction.Task{undated("east", "b")},
			decisions: []eviction.Decision{decide("east", nil, "", eviction.Finish), decide("east", nil, "", eviction.Finish)},
		},
		"TakenKey": {
			reason: "a time that another decision has for its key would drop this task next time",
			latest: []eviction.Task{undated("east", "a"), dated(undated("east", "b"), at(0))},
			decisions: []eviction.Decision{
				decide("east", nil, "", eviction.Keep), decide("east", at(0), "", eviction.Finish),
			},
			want: []eviction.Task{undated("east", "a")},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := eviction.ApplyOptions{DropOnPurge: tc.drop}
			got := eviction.Apply(tc.latest, tc.decisions, opts)
			if diff := cmp.Diff(tc.want, got, same()); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(got, eviction.Apply(got, tc.decisions, opts), same()); diff != "" {
				t.Errorf("%s: applying again changes nothing\n(-once +twice):\n%s", tc.reason, diff)
			}
		})
	}
}
