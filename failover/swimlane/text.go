package swimlane

import (
	"fmt"
	"strings"
	"time"
)

// Columns is how wide the text of a picture is at most (F12).
const Columns = 80

// minLane is how wide a lane is at least, so that most words fit; half of the columns are
// the most.
const minLane = 20

// Text draws the picture for terminals and logs, at most [Columns] wide (F12). Lanes
// stand side by side, and where there are more than fit the whole time is drawn again
// for the next ones, in panels. Every line ends with a line feed and has no blanks before
// it.
func (p Picture) Text() string {
	t := textPicture{scene: p.stage()}
	for _, line := range wrap(t.title, Columns) {
		t.line(line)
	}
	panels := (len(t.lanes) + Columns/minLane - 1) / (Columns / minLane)
	if panels == 0 {
		t.panel(0, 0)
	}
	for i := range panels {
		t.panel(i*len(t.lanes)/panels, (i+1)*len(t.lanes)/panels)
	}
	t.key()
	return t.out.String()
}

type textPicture struct {
	scene
	out strings.Builder
}

func (t *textPicture) line(text string) {
	t.out.WriteString(strings.TrimRight(text, " ") + "\n")
}

// gap is one empty line, but not at the top.
func (t *textPicture) gap() {
	if t.out.Len() > 0 {
		t.line("")
	}
}

// panel draws the lanes from first to before last.
func (t *textPicture) panel(first, last int) {
	t.gap()
	if last-first < len(t.lanes) {
		t.line(fmt.Sprintf("clusters %d to %d of %d", first+1, last, len(t.lanes)))
	}
	columns := Columns / max(2, last-first)
	var names [][]string
	for _, name := range t.lanes[first:last] {
		names = append(names, indent("   ", wrap(name, columns-4)))
	}
	t.sideBySide(names, columns)
	for _, r := range t.rows {
		t.heading(r, first == 0)
		var cells [][]string
		for lane := first; lane < last; lane++ {
			cells = append(cells, t.cell(r, lane, columns))
		}
		t.sideBySide(cells, columns)
	}
}

// heading is when, and what happened, over all lanes. Notes that concern no lane are
// written once.
func (t *textPicture) heading(r row, notes bool) {
	if r.date != "" {
		t.line(r.date)
	}
	lead := strings.Repeat(" ", len(time.TimeOnly)+1)
	first, lines := "", wrap(r.title, Columns-len(lead))
	if len(lines) > 0 {
		first, lines = lines[0], lines[1:]
	}
	first = strings.TrimRight(pad(r.clock, len(lead))+first, " ")
	t.line(first + " " + strings.Repeat("-", max(0, Columns-1-width(first))))
	if notes {
		for _, n := range r.notes {
			lines = append(lines, wrap(n.Text, Columns-len(lead))...)
		}
	}
	for _, line := range indent(lead, lines) {
		t.line(line)
	}
}

// cell draws one lane of a row: signs at the left, in every line that of the copy.
func (t *textPicture) cell(r row, lane, columns int) []string {
	c := r.cells[lane]
	var texts []string
	for _, n := range t.lines(r, lane) {
		texts = append(texts, wrap(n.Text, columns-4)...)
	}
	if len(texts) == 0 {
		texts = []string{""}
	}
	lines := indent(c.sign()+"  ", texts)
	lines[0] = c.sign() + c.role() + lines[0][2:]
	return lines
}

func indent(lead string, lines []string) []string {
	for i := range lines {
		lines[i] = lead + lines[i]
	}
	return lines
}

// sideBySide writes blocks of lines next to each other.
func (t *textPicture) sideBySide(blocks [][]string, columns int) {
	height := 0
	for _, b := range blocks {
		height = max(height, len(b))
	}
	for i := range height {
		var line strings.Builder
		for _, b := range blocks {
			text := b[len(b)-1][:1] // the copy is there as long as the row is
			if i < len(b) {
				text = b[i]
			}
			line.WriteString(pad(text, columns))
		}
		t.line(line.String())
	}
}

// key says what signs and short names mean.
func (t *textPicture) key() {
	t.gap()
	for _, line := range key() {
		t.line(line)
	}
	for _, e := range t.legend {
		for _, line := range wrap(e.Name+" = "+e.Text, Columns) {
			t.line(line)
		}
	}
}
