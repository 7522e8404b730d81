// Package swimlane draws what happened to one application: a lane for each cluster, time
// from top to bottom, and in each lane the copy, its health, its state by a short name,
// tasks and decisions (F12). [Picture.Text] is for terminals and logs, and [Picture.SVG]
// for pages.
//
//	picture := swimlane.Picture{
//		Title: "orders",
//		Lanes: []string{"east", "west"},
//		Moments: []swimlane.Moment{{
//			At:    now,
//			Title: "the job on east fails",
//			Cells: []swimlane.Cell{
//				{Lane: "east", Target: true, Copy: swimlane.Unhealthy, State: "A"},
//			},
//		}},
//		Legend: []swimlane.Entry{{Name: "A", Text: "label example.com/job of east"}},
//	}
//	text, drawing := picture.Text(), picture.SVG()
//
// A picture is only drawn: nothing is decided here, nothing is left out, and the same
// picture gives the same bytes (L3). Any text is safe in it: what does not print becomes a
// question mark, and markup is escaped (L4). State has short names, never values (L7);
// the legend says what they stand for.
//
// The text is plain ASCII but for what names hold. Lines that are drawn with other
// characters are wider in some terminals, and unreadable in some logs.
//
// # Stability
//
// The fields are settled; what is drawn from them may look better in any version.
package swimlane
