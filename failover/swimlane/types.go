package swimlane

import "time"

// Picture is what is drawn (F12). The zero value is an empty one.
type Picture struct {
	// Title says what it shows; empty = nothing is written.
	Title string
	// Lanes are the names of the clusters, in their order. One that only a moment names
	// gets a lane after these.
	Lanes []string
	// Moments in the order in which they are drawn.
	Moments []Moment
	// Legend says what the short names of states stand for.
	Legend []Entry
}

// Moment is one row: what happened, and how all lanes were then (F12).
type Moment struct {
	// At is when; zero = not known. It is written in UTC, in whole seconds.
	At time.Time
	// Title says what happened.
	Title string
	// Notes concern no lane in particular.
	Notes []Note
	// Cells are the lanes that there is something to say of; in others there is no copy.
	// Of several for one lane the last one counts, with the notes of all.
	Cells []Cell
	// Carried are the states that reach another copy then.
	Carried []Carried
}

// Cell is one lane at one moment (F12).
type Cell struct {
	// Lane is the name of the cluster.
	Lane string
	// Target says that the application is meant to be there.
	Target bool
	// Leaving says that a task evicts it from there.
	Leaving bool
	// Copy says how the copy there is; empty = there is none.
	Copy Copy
	// State is the short name of the state that the copy stands for; empty = none.
	State string
	// Notes about this lane, in their order.
	Notes []Note
}

// Copy says how a copy is (F2, P4). Other texts than these are drawn as Unknown, with
// the text.
type Copy string

const (
	// NoCopy is for a lane without a copy.
	NoCopy Copy = ""
	// Healthy copies work.
	Healthy Copy = "healthy"
	// Unhealthy copies do not.
	Unhealthy Copy = "unhealthy"
	// Unknown is for copies whose health nobody knows, or which may not be there.
	Unknown Copy = "unknown"
	// Deleting is for copies that are being deleted.
	Deleting Copy = "being deleted"
)

// Kind says what a note is about, which only changes its colour (F12). Other texts than
// these are drawn as Fact.
type Kind string

const (
	// Fact is for what is so, as a lost cluster; the zero value is one.
	Fact Kind = ""
	// Task is for eviction tasks.
	Task Kind = "task"
	// Decision is for what was decided.
	Decision Kind = "decision"
	// Problem is for what a person has to look at.
	Problem Kind = "problem"
)

// Note is one line of text (F12).
type Note struct {
	// Kind of the note; empty = Fact.
	Kind Kind
	// Text is never cut, and wraps.
	Text string
}

// Carried is state that reaches a copy on another cluster (F7).
type Carried struct {
	// State is its short name.
	State string
	// From and To are the names of the lanes; From may be empty = not known.
	From, To string
}

// Entry says what a short name stands for (F12).
type Entry struct {
	// Name is the short name.
	Name string
	// Text says what it is, and no value.
	Text string
}
