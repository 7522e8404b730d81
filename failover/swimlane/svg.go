package swimlane

import (
	"cmp"
	"fmt"
	"strings"
)

// Sizes in the units of the drawing, which are pixels where nothing scales it. A
// character of a monospaced font of 12 px is a little more than 7 wide.
const (
	charWidth  = 7.3
	lineHeight = 16
	margin     = 16
	storyChars = 26 // of when and what
	laneChars  = 28
	barWidth   = 12
	laneInset  = 34 // from the left of a lane to its text
	storyWidth = 206
	laneWidth  = 250
	leastWidth = 640
)

// SVG draws the picture for pages (F12): lanes side by side, what happened at the left,
// and an arrow for state that reaches another copy. Its colours follow those of the
// reader, light or dark; no colour says anything that words do not. It loads nothing,
// refers to nothing, and tells all of it in its description, for those who do not see it.
func (p Picture) SVG() string {
	s := svgPicture{scene: p.stage()}
	s.width = max(leastWidth, 2*margin+storyWidth+laneWidth*len(s.lanes))
	s.y = margin
	s.header()
	top := s.y
	for i := range s.rows {
		s.row(i)
	}
	s.bottom = s.y
	s.key()
	return s.document(top)
}

type svgPicture struct {
	scene
	width  int
	y      int // of what is drawn next
	bottom int // of the lanes
	body   strings.Builder
}

func laneX(lane int) int { return margin + storyWidth + lane*laneWidth }

// barX is the middle of the bar of a lane.
func barX(lane int) int { return laneX(lane) + 10 + barWidth/2 }

func (s *svgPicture) add(format string, args ...any) { fmt.Fprintf(&s.body, format+"\n", args...) }

func (s *svgPicture) text(x, y int, class, text string) {
	s.add(`<text x="%d" y="%d" class="sl sl-%s">%s</text>`, x, y, class, escape(text))
}

// block writes lines below each other, and returns where the next one would be.
func (s *svgPicture) block(x, y int, class, text string, chars int) int {
	for _, line := range wrap(text, chars) {
		shift := 0
		if strings.HasPrefix(line, " ") {
			shift = 7
		}
		y += lineHeight
		s.text(x+shift, y, class, strings.TrimPrefix(line, " "))
	}
	return y
}

func (s *svgPicture) header() {
	s.y = s.block(margin, s.y, "title", s.title, int(float64(s.width-2*margin)/charWidth)) + 8
	low := s.y
	for lane, name := range s.lanes {
		low = max(low, s.block(laneX(lane)+10, s.y, "name", name, laneChars+2))
	}
	s.y = low + 10
}

// row draws one moment: when and what, arrows, and then each lane.
func (s *svgPicture) row(i int) {
	r, top := s.rows[i], s.y
	s.add(`<path d="M%d %dH%d" class="sl-rule"/>`, margin, top, s.width-margin)
	left := s.block(margin, top, "clock", strings.TrimSpace(r.date+" "+r.clock), storyChars)
	left = s.block(margin, left, "event", r.title, storyChars)
	for _, n := range r.notes {
		left = s.block(margin, left, noteClass(n.Kind), n.Text, storyChars)
	}
	start := top
	for _, m := range r.moves {
		if m.from >= 0 && m.from != m.to {
			start += 22
		}
	}
	low := max(left, start+lineHeight)
	for lane := range s.lanes {
		y := start
		for _, n := range s.lines(r, lane) {
			y = s.block(laneX(lane)+laneInset, y, noteClass(n.Kind), n.Text, laneChars)
		}
		low = max(low, y)
	}
	s.y = low + 9
	for lane, c := range r.cells {
		s.bar(lane, top, s.y, c, start)
	}
	y := top
	for _, m := range r.moves {
		if m.from >= 0 && m.from != m.to {
			y += 22
			s.arrow(m, y-6)
		}
	}
}

// bar is the copy of a lane during a row, and beside it why there is one.
func (s *svgPicture) bar(lane, top, bottom int, c Cell, start int) {
	x := laneX(lane) + 10
	switch {
	case c.Leaving:
		s.add(`<path d="M%d %dV%d" class="sl-leaving"/>`, x+barWidth+5, top, bottom)
	case c.Target:
		s.add(`<path d="M%d %dV%d" class="sl-target"/>`, x+barWidth+5, top, bottom)
	}
	if c.Copy == NoCopy {
		s.add(`<path d="M%d %dV%d" class="sl-none"/>`, x+barWidth/2, top, bottom)
		return
	}
	s.add(`<rect x="%d" y="%d" width="%d" height="%d" class="sl-%s"/>`, x, top, barWidth, bottom-top, copyClass(c.Copy))
	s.add(`<text x="%d" y="%d" class="sl sl-sign">%s</text>`, x+barWidth/2, start+lineHeight, escape(c.sign()))
}

// arrow leads carried state from bar to bar, with its name where no bar is.
func (s *svgPicture) arrow(m move, y int) {
	from, to, sign := barX(m.from), barX(m.to), 1
	if to < from {
		sign = -1
	}
	end := to - sign*(barWidth/2+1)
	s.add(`<path d="M%d %dH%d" class="sl-arrow"/>`, from+sign*barWidth/2, y, end-sign*6)
	s.add(`<path d="M%d %dl%d -5v10z" class="sl-tip"/>`, end, y, -8*sign)
	if width(m.state) < laneChars { // or it would cross a bar; the lane says it too
		s.text(from+sign*laneWidth/2, y-5, "carried", m.state)
	}
}

// key says what bars, signs and short names mean.
func (s *svgPicture) key() {
	s.add(`<path d="M%d %dH%d" class="sl-rule"/>`, margin, s.y, s.width-margin)
	x, y := margin, s.y+10
	for _, c := range []Copy{Healthy, Unhealthy, Unknown, Deleting} {
		s.add(`<rect x="%d" y="%d" width="%d" height="%d" class="sl-%s"/>`, x, y, barWidth, 18, copyClass(c))
		s.add(`<text x="%d" y="%d" class="sl sl-sign">%s</text>`, x+barWidth/2, y+13, escape(Cell{Copy: c}.sign()))
		s.text(x+barWidth+6, y+13, "fact", string(c))
		x += barWidth + 6 + int(float64(len(c))*charWidth) + 18
	}
	s.add(`<path d="M%d %dV%d" class="sl-target"/>`, x, y, y+18)
	s.text(x+8, y+13, "fact", "target")
	x += 70
	s.add(`<path d="M%d %dV%d" class="sl-leaving"/>`, x, y, y+18)
	s.text(x+8, y+13, "fact", "under eviction")
	s.y = y + 22
	for _, e := range s.legend {
		s.y = s.block(margin, s.y, "fact", e.Name+" = "+e.Text, int(float64(s.width-2*margin)/charWidth))
	}
	s.y += margin
}

// document puts everything together, lanes first: they are behind all else.
func (s *svgPicture) document(top int) string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n", s.width, s.y, s.width, s.y)
	fmt.Fprintf(&out, "<title>%s</title>\n<desc>%s</desc>\n<style>%s</style>\n", escape(cmp.Or(s.title, "Timeline")), escape(s.story()), style)
	fmt.Fprintf(&out, `<rect x="0.5" y="0.5" width="%d" height="%d" rx="8" class="sl-page"/>`+"\n", s.width-1, s.y-1)
	for lane := range s.lanes {
		if lane%2 == 0 {
			fmt.Fprintf(&out, `<rect x="%d" y="%d" width="%d" height="%d" class="sl-lane"/>`+"\n", laneX(lane)+2, top, laneWidth-4, s.bottom-top)
		}
	}
	out.WriteString(s.body.String() + "</svg>\n")
	return out.String()
}

// story is the picture in sentences.
func (s *svgPicture) story() string {
	var out []string
	for _, r := range s.rows {
		said := []string{strings.TrimSpace(strings.TrimSpace(r.date+" "+r.clock) + " " + r.title)}
		for _, n := range r.notes {
			said = append(said, n.Text)
		}
		for lane, name := range s.lanes {
			var words []string
			switch c := r.cells[lane]; {
			case c.Leaving:
				words = append(words, "under eviction")
			case c.Target:
				words = append(words, "target")
			}
			for _, n := range s.lines(r, lane) {
				words = append(words, n.Text)
			}
			if len(words) > 0 {
				said = append(said, name+": "+strings.Join(words, ", "))
			}
		}
		out = append(out, strings.Join(said, "; ")+".")
	}
	for _, e := range s.legend {
		out = append(out, e.Name+" = "+e.Text+".")
	}
	return strings.Join(out, "\n")
}

func copyClass(c Copy) string {
	switch c {
	case Healthy, Unhealthy:
		return string(c)
	case Deleting:
		return "deleting"
	case NoCopy, Unknown:
	}
	return "unknown"
}

func noteClass(k Kind) string {
	switch k {
	case Task, Decision, Problem, copyKind, carryKind:
		return string(k)
	case Fact:
	}
	return "fact"
}

// escape makes a clean text safe between tags.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}
