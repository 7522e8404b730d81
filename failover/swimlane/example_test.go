package swimlane_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/carryover-io/carryover/failover/swimlane"
)

func orders() swimlane.Picture {
	noon := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	return swimlane.Picture{
		Title: "orders",
		Lanes: []string{"east", "west"},
		Moments: []swimlane.Moment{
			{
				At: noon, Title: "the job on east fails",
				Cells: []swimlane.Cell{{
					Lane: "east", Target: true, Copy: swimlane.Unhealthy, State: "A",
					Notes: []swimlane.Note{{Kind: swimlane.Decision, Text: "Evict: ApplicationFailure"}},
				}},
			},
			{
				At: noon.Add(time.Minute), Title: "the copy on east is gone",
				Cells:   []swimlane.Cell{{Lane: "west", Target: true, Copy: swimlane.Unknown}},
				Carried: []swimlane.Carried{{State: "A", From: "east", To: "west"}},
			},
		},
		Legend: []swimlane.Entry{{Name: "A", Text: "the label example.com/job of east"}},
	}
}

func ExamplePicture_Text() {
	fmt.Print(orders().Text())
	// Output:
	// orders
	//
	//    east                                    west
	// 2026-01-01
	// 12:00:00 the job on east fails -------------------------------------------------
	// !+ unhealthy, state A                   .
	// !  Evict: ApplicationFailure            .
	// 12:01:00 the copy on east is gone ----------------------------------------------
	// .                                       ?+ health unknown
	// .                                       ?  receives A of east
	//
	// # healthy   ! unhealthy   ? unknown   x being deleted   . no copy
	// + target   > under eviction
	// A = the label example.com/job of east
}

func ExamplePicture_SVG() {
	svg := orders().SVG()
	_, rest, _ := strings.Cut(svg, "<desc>")
	story, _, _ := strings.Cut(rest, "</desc>")
	fmt.Println(story)
	// Output:
	// 2026-01-01 12:00:00 the job on east fails; east: target, unhealthy, state A, Evict: ApplicationFailure.
	// 12:01:00 the copy on east is gone; west: target, health unknown, receives A of east.
	// A = the label example.com/job of east.
}
