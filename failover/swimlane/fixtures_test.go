package swimlane_test

import (
	"time"

	"github.com/carryover-io/carryover/failover/swimlane"
)

func at(seconds int) time.Time {
	return time.Date(2026, time.January, 1, 23, 50, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
}

func decision(text string) []swimlane.Note {
	return []swimlane.Note{{Kind: swimlane.Decision, Text: text}}
}

// moved is a whole move under Directly.
func moved() swimlane.Picture {
	return swimlane.Picture{
		Title: "orders/flink, Directly",
		Lanes: []string{"east", "west", "north"},
		Moments: []swimlane.Moment{
			{
				At: at(0), Title: "schedule east",
				Cells: []swimlane.Cell{
					{Lane: "east", Target: true, Copy: swimlane.Healthy, State: "A", Notes: decision("None: Healthy")},
				},
			},
			{
				At: at(300), Title: "unhealthy east",
				Cells: []swimlane.Cell{
					{Lane: "east", Target: true, Copy: swimlane.Unhealthy, State: "A", Notes: decision("Wait: Tolerating, again in 5m0s")},
				},
			},
			{
				At: at(600), Title: "wait", Notes: []swimlane.Note{{Text: "the controller crashes before it writes purges"}},
				Cells: []swimlane.Cell{
					{
						Lane: "east", Leaving: true, Copy: swimlane.Deleting, State: "A",
						Notes: append(decision("Evict: ApplicationFailure"), swimlane.Note{Kind: swimlane.Task, Text: "task Directly, keeps A"}),
					},
				},
			},
			{
				At: at(601), Title: "schedule west",
				Cells: []swimlane.Cell{
					{
						Lane: "east", Leaving: true, Copy: swimlane.Deleting, State: "A",
						Notes: []swimlane.Note{{Kind: swimlane.Task, Text: "Purge: AwaitingGone"}, {Text: "unreachable"}},
					},
					{Lane: "west", Target: true, Notes: decision("Hold: OldCopyNotGone")},
					{Lane: "north", Notes: []swimlane.Note{{Kind: swimlane.Problem, Text: "TargetInCooldown: a person may want to know it"}}},
				},
			},
			{
				At: at(660), Title: "deleted east",
				Cells: []swimlane.Cell{
					{Lane: "west", Target: true, Copy: swimlane.Unknown, State: "B", Notes: decision("Apply: Injected")},
				},
				Carried: []swimlane.Carried{{State: "A", From: "east", To: "west"}},
			},
			{
				At: at(700), Title: "the application is scheduled to a third cluster for no reason that anybody knows, and that takes long to say",
				Cells: []swimlane.Cell{
					{Lane: "west", Target: true, Copy: swimlane.Healthy, State: "B"},
					{Lane: "north", Target: true, Copy: "in two minds", State: "C"},
				},
				Carried: []swimlane.Carried{{State: "A", To: "north"}, {State: "B", From: "north", To: "east"}},
			},
		},
		Legend: []swimlane.Entry{
			{Name: "A", Text: "the state of east: label example.com/job"},
			{Name: "B", Text: "the state of west: label example.com/job"},
		},
	}
}

// crowd has more clusters than fit side by side.
func crowd() swimlane.Picture {
	p := swimlane.Picture{
		Title: "seven clusters",
		Lanes: []string{"a", "b", "c", "d", "e", "f", "a-cluster-with-a-name-that-is-much-longer-than-a-lane-is-wide"},
	}
	p.Moments = []swimlane.Moment{
		{
			At: at(0), Title: "the scheduler picks all", Notes: []swimlane.Note{{Text: "said once"}},
			Cells: []swimlane.Cell{{Lane: "a", Target: true, Copy: swimlane.Healthy, State: "A"}},
		},
		{Title: "at a time that nobody knows", Carried: []swimlane.Carried{{State: "A", From: "a", To: "f"}}},
	}
	return p
}

// strange has names that do not fit, do not print, or mean something to others.
func strange() swimlane.Picture {
	return swimlane.Picture{
		Title: "<script>alert(\"&\")</script>",
		Lanes: []string{"東京の一番長い名前を持つクラスタその一", "line\nbreak", ""},
		Moments: []swimlane.Moment{
			{
				At: at(0), Title: "]]> \x1b[31mred\x00 \u202eright to left",
				Cells: []swimlane.Cell{
					{Lane: "東京の一番長い名前を持つクラスタその一", Copy: swimlane.Healthy, State: "あ", Notes: decision("すべての状態が東から西へ移された")},
					{Lane: "line\nbreak", Notes: decision("e\u0301te\u0301 🙂 \xff")},
					{Lane: "", Copy: swimlane.Copy("<b>"), Notes: []swimlane.Note{{Kind: swimlane.Kind("\"><x>"), Text: "no name"}, {Text: " \t"}}},
				},
			},
			{Cells: []swimlane.Cell{
				{Lane: "unheard of", Target: true, Notes: decision("first")},
				{Lane: "unheard of", Leaving: true, Copy: swimlane.Deleting, Notes: decision("second")},
			}},
		},
		Legend: []swimlane.Entry{{Name: "あ", Text: "<&>"}},
	}
}
