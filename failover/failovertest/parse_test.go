package failovertest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/failover/failovertest"
)

func TestParseStep(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text   string
		want   failovertest.Step
		fails  string
		reason string
	}{
		"a cluster": {
			text: "lose east", want: failovertest.Step{Event: failovertest.Event{Verb: failovertest.Lose, Cluster: "east"}},
			reason: "what happens to a cluster names it",
		},
		"no cluster": {
			text: " tick ", want: failovertest.Step{Event: failovertest.Event{Verb: failovertest.Tick}},
			reason: "time passes everywhere",
		},
		"a crash": {
			text:   "taint east !2",
			want:   failovertest.Step{Event: failovertest.Event{Verb: failovertest.Taint, Cluster: "east"}, CrashBefore: failovertest.BindingWrite},
			reason: "writes are numbered in their order (F14)",
		},
		"nothing":            {text: "", fails: `event "" is unknown`, reason: "a step has an event"},
		"unknown verb":       {text: "explode east", fails: `event "explode east" is unknown`, reason: "no event is guessed (L6)"},
		"without its own":    {text: "lose", fails: `event "lose" names no cluster`, reason: "a cluster is lost, not all"},
		"with a cluster":     {text: "tick east", fails: `event "tick east" concerns no cluster`, reason: "time passes everywhere"},
		"too late a crash":   {text: "tick !5", fails: `step "tick !5": the crash is before a write from 1 to 4`, reason: "there are four writes (F14)"},
		"a crash in letters": {text: "tick !one", fails: `step "tick !one": the crash is before a write from 1 to 4`, reason: "writes have numbers"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := failovertest.ParseStep(tc.text)
			if tc.fails != "" {
				if err == nil || len(err.Error()) < len(tc.fails) || err.Error()[:len(tc.fails)] != tc.fails {
					t.Errorf("%s: want error %q, got %v", tc.reason, tc.fails, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			back, err := failovertest.ParseStep(got.String())
			if err != nil || back != got {
				t.Errorf("%s: %q reads back as %v, %v", tc.reason, got, back, err)
			}
		})
	}
}
