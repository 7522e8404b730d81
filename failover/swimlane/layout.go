package swimlane

import (
	"cmp"
	"slices"
	"time"
)

// scene is a picture with every lane named and every text clean.
type scene struct {
	title  string
	lanes  []string
	rows   []row
	legend []Entry
}

// row is one moment.
type row struct {
	date  string // empty = as before, or not known
	clock string
	title string
	notes []Note
	cells []Cell // by lane
	moves []move
}

// move is carried state, by lane; from is -1 where it is not known.
type move struct {
	state    string
	from, to int
}

// stage gives every moment a cell for every lane.
func (p Picture) stage() scene {
	lanes := p.lanes()
	s := scene{title: clean(p.Title)}
	for _, name := range lanes {
		s.lanes = append(s.lanes, cmp.Or(clean(name), "?"))
	}
	date := ""
	for _, m := range p.Moments {
		one := row{title: clean(m.Title), notes: cleanNotes(m.Notes), cells: make([]Cell, len(lanes))}
		if !m.At.IsZero() {
			at := m.At.UTC()
			one.clock = at.Format(time.TimeOnly)
			if day := at.Format(time.DateOnly); day != date {
				one.date, date = day, day
			}
		}
		for _, c := range m.Cells {
			i := slices.Index(lanes, c.Lane)
			c.State, c.Notes = clean(c.State), slices.Concat(one.cells[i].Notes, cleanNotes(c.Notes))
			one.cells[i] = c
		}
		for _, c := range m.Carried {
			one.moves = append(one.moves, move{clean(c.State), slices.Index(lanes, c.From), slices.Index(lanes, c.To)})
		}
		s.rows = append(s.rows, one)
	}
	for _, e := range p.Legend {
		s.legend = append(s.legend, Entry{clean(e.Name), clean(e.Text)})
	}
	return s
}

// lanes are all that are named, each once.
func (p Picture) lanes() []string {
	var lanes []string
	add := func(name string) {
		if !slices.Contains(lanes, name) {
			lanes = append(lanes, name)
		}
	}
	for _, name := range p.Lanes {
		add(name)
	}
	for _, m := range p.Moments {
		for _, c := range m.Cells {
			add(c.Lane)
		}
		for _, c := range m.Carried {
			if c.From != "" {
				add(c.From)
			}
			add(c.To)
		}
	}
	return lanes
}

func cleanNotes(notes []Note) []Note {
	var out []Note
	for _, n := range notes {
		if n.Text = clean(n.Text); n.Text != "" {
			out = append(out, n)
		}
	}
	return out
}

// sign is one character for the copy of a cell.
func (c Cell) sign() string {
	switch c.Copy {
	case NoCopy:
		return "."
	case Healthy:
		return "#"
	case Unhealthy:
		return "!"
	case Deleting:
		return "x"
	case Unknown:
	}
	return "?"
}

// role is one character for why there is, or was, a copy.
func (c Cell) role() string {
	switch {
	case c.Leaving:
		return ">"
	case c.Target:
		return "+"
	}
	return " "
}

// key says what the signs mean, in two lines.
func key() [2]string {
	return [2]string{
		"# healthy   ! unhealthy   ? unknown   x being deleted   . no copy",
		"+ target   > under eviction",
	}
}

// copyWords is the copy of a cell, and what state it stands for.
func (c Cell) copyWords() string {
	words := clean(string(c.Copy))
	switch c.Copy {
	case NoCopy, Healthy, Unhealthy, Deleting:
	case Unknown:
		words = "health unknown"
	}
	if c.Copy != NoCopy && c.State != "" {
		words += ", state " + c.State
	}
	return words
}

// lines are all that is to say of a lane in a row, with the kind of each.
func (s scene) lines(r row, lane int) []Note {
	c := r.cells[lane]
	var out []Note
	if words := c.copyWords(); words != "" {
		out = append(out, Note{copyKind, words})
	}
	for _, m := range r.moves {
		switch {
		case m.to == lane && m.from < 0:
			out = append(out, Note{carryKind, "receives " + m.state})
		case m.to == lane:
			out = append(out, Note{carryKind, "receives " + m.state + " of " + s.lanes[m.from]})
		}
	}
	return append(out, c.Notes...)
}

// The kinds of lines that are no notes.
const (
	copyKind  Kind = "copy"
	carryKind Kind = "carry"
)
