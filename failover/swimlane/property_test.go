package swimlane_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/failover/swimlane"
)

// glyphs have widths that everybody agrees about.
var glyphs = map[rune]int{
	'a': 1, 'Z': 1, '0': 1, '-': 1, '<': 1, '&': 1, '"': 1, 'é': 1, 'Ж': 1, '\u0301': 0, '東': 2, 'ア': 2, '한': 2, '（': 2, '🙂': 2,
}

var alphabet = func() []rune {
	var out []rune
	for r := range glyphs {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}()

func columns(text string) int {
	n := 0
	for _, r := range text {
		w, known := glyphs[r]
		if !known {
			w = 1
		}
		n += w
	}
	return n
}

// random makes pictures whose words fit into a lane.
type random struct{ *rand.Rand }

func (r random) word() string {
	out := "" // marks need something to stand on
	for columns(out) < 1+r.IntN(12) {
		out += string(alphabet[r.IntN(len(alphabet))])
	}
	return strings.TrimLeft(out, "\u0301")
}

func (r random) words() string {
	var out []string
	for range r.IntN(9) {
		out = append(out, r.word())
	}
	return strings.Join(out, " ")
}

func (r random) notes() []swimlane.Note {
	var out []swimlane.Note
	for range r.IntN(3) {
		kinds := []swimlane.Kind{swimlane.Fact, swimlane.Task, swimlane.Decision, swimlane.Problem, "other"}
		out = append(out, swimlane.Note{Kind: kinds[r.IntN(len(kinds))], Text: r.words()})
	}
	return out
}

func (r random) picture() swimlane.Picture {
	p := swimlane.Picture{Title: r.words()}
	for i := range r.IntN(8) {
		p.Lanes = append(p.Lanes, r.words()+" "+strconv.Itoa(i))
	}
	lane := func() string { return p.Lanes[r.IntN(len(p.Lanes))] }
	copies := []swimlane.Copy{swimlane.NoCopy, swimlane.Healthy, swimlane.Unhealthy, swimlane.Unknown, swimlane.Deleting, "other"}
	for range r.IntN(8) {
		m := swimlane.Moment{Title: r.words(), Notes: r.notes()}
		if r.IntN(4) > 0 {
			m.At = at(r.IntN(200_000))
		}
		for range r.IntN(1 + len(p.Lanes)) {
			m.Cells = append(m.Cells, swimlane.Cell{
				Lane: lane(), Target: r.IntN(2) == 0, Leaving: r.IntN(2) == 0, Copy: copies[r.IntN(len(copies))],
				State: r.word(), Notes: r.notes(),
			})
		}
		for range r.IntN(3) {
			if len(p.Lanes) > 0 {
				m.Carried = append(m.Carried, swimlane.Carried{State: r.word(), From: lane(), To: lane()})
			}
		}
		p.Moments = append(p.Moments, m)
	}
	p.Legend = []swimlane.Entry{{Name: r.word(), Text: r.words()}}
	return p
}

// said are all words that must be there.
func said(p swimlane.Picture) []string {
	texts := append([]string{p.Title, p.Legend[0].Name, p.Legend[0].Text}, p.Lanes...)
	return append(strings.Fields(strings.Join(texts, " ")), happened(p)...)
}

// happened are those of the moments.
func happened(p swimlane.Picture) []string {
	var texts []string
	for _, m := range p.Moments {
		texts = append(texts, m.Title)
		for _, n := range m.Notes {
			texts = append(texts, n.Text)
		}
		for _, c := range m.Cells {
			for _, n := range c.Notes {
				texts = append(texts, n.Text)
			}
		}
		for _, c := range m.Carried {
			texts = append(texts, c.State)
		}
	}
	return strings.Fields(strings.Join(texts, " "))
}

func forRandom(t *testing.T, check func(t *testing.T, p swimlane.Picture)) {
	t.Helper()
	for seed := range uint64(300) {
		p := random{rand.New(rand.NewPCG(seed, 1))}.picture()
		if check(t, p); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Nothing is wider than the screen, and nothing is missing.
func TestTextFitsAndIsComplete(t *testing.T) {
	t.Parallel()
	forRandom(t, func(t *testing.T, p swimlane.Picture) {
		t.Helper()
		text := p.Text()
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if columns(line) > swimlane.Columns || strings.TrimRight(line, " ") != line {
				t.Errorf("%d columns: %q", columns(line), line)
			}
		}
		for _, word := range said(p) {
			if !strings.Contains(text, word) {
				t.Errorf("the text lacks %q", word)
			}
		}
	})
}

// A word that no line can hold is broken and not cut.
func TestTextBreaksLongWords(t *testing.T) {
	t.Parallel()
	for _, word := range []string{strings.Repeat("x", 500), strings.Repeat("東", 500), "e" + strings.Repeat("\u0301", 500), "🙂" + strings.Repeat("y\u0301", 99)} {
		p := swimlane.Picture{
			Title: word, Lanes: []string{word},
			Moments: []swimlane.Moment{{
				Title: word, Notes: []swimlane.Note{{Text: word}},
				Cells: []swimlane.Cell{{Lane: word, Notes: []swimlane.Note{{Text: word}}}},
			}},
		}
		text := p.Text()
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, columns(strings.TrimSuffix(line, "\n")), swimlane.Columns)
		}
		joined := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || r == '.' || r == '-' {
				return -1
			}
			return r
		}, text)
		require.Equal(t, 5, strings.Count(joined, word), "title, lane, moment and both notes, each whole")
	}
}

// Lanes begin where their names do, whatever stands in the lanes before.
func TestLanesStandBelowTheirNames(t *testing.T) {
	t.Parallel()
	p := swimlane.Picture{Lanes: []string{"東東東", "b", "last"}, Moments: []swimlane.Moment{{Cells: []swimlane.Cell{
		{Lane: "東東東", Copy: swimlane.Healthy, State: "東", Notes: []swimlane.Note{{Text: strings.Repeat("東🙂", 30)}}},
		{Lane: "last", Copy: swimlane.Unhealthy},
	}}}}
	lines := strings.Split(p.Text(), "\n")
	before := func(line, sign string) int {
		head, _, found := strings.Cut(line, sign)
		require.True(t, found, line)
		return columns(head)
	}
	for _, line := range lines[2:5] {
		require.Equal(t, before(lines[0], "last")-3, before(line, "!"), line)
	}
}

type element struct {
	name  string
	attrs map[string]string
	text  string
}

func (e element) number(t *testing.T, name string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(e.attrs[name], 64)
	require.NoError(t, err, "%s of %v", name, e)
	return n
}

// parse reads a drawing with a strict XML parser.
func parse(t *testing.T, svg string) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	var all []element
	var open []int
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			e := element{token.Name.Local, map[string]string{}, ""}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			open, all = append(open, len(all)), append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(token)
			}
		}
	}
}

// box is the place of an element.
type box struct {
	left, top, right, bottom float64
	what                     string
}

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// boxes are the places of all texts, and of the bars that none may cross.
func boxes(t *testing.T, all []element) []box {
	t.Helper()
	var out []box
	for _, e := range all {
		switch class := e.attrs["class"]; {
		case e.name == "text" && !strings.Contains(class, "sl-sign"):
			wide := 7.25 * float64(columns(e.text))
			x, y := e.number(t, "x"), e.number(t, "y")
			if strings.Contains(class, "sl-carried") {
				x -= wide / 2
			}
			if strings.Contains(class, "sl-title") {
				wide *= 13.0 / 12
			}
			out = append(out, box{x, y - 10, x + wide, y + 3, e.text})
		case e.name == "rect" && class != "sl-page" && class != "sl-lane":
			x, y := e.number(t, "x"), e.number(t, "y")
			out = append(out, box{x, y, x + e.number(t, "width"), y + e.number(t, "height"), class})
		}
	}
	return out
}

// The drawing is XML, holds all words, and nothing in it covers anything else.
func TestSVGIsCompleteAndLegible(t *testing.T) {
	t.Parallel()
	forRandom(t, func(t *testing.T, p swimlane.Picture) {
		t.Helper()
		all := parse(t, p.SVG())
		require.Equal(t, "svg", all[0].name)
		require.Equal(t, "title", all[1].name)
		require.Equal(t, "desc", all[2].name)
		wide, high := all[0].number(t, "width"), all[0].number(t, "height")
		drawn := ""
		for _, e := range all {
			if e.name == "text" {
				drawn += " " + e.text
			}
		}
		for _, word := range said(p) {
			if !strings.Contains(drawn, word) {
				t.Errorf("the drawing lacks %q", word)
			}
		}
		for _, word := range happened(p) {
			if !strings.Contains(all[2].text, word) {
				t.Errorf("the description lacks %q", word)
			}
		}
		places := boxes(t, all)
		for i, one := range places {
			if one.left < 0 || one.top < 0 || one.right > wide || one.bottom > high {
				t.Errorf("%v is outside of %v x %v", one, wide, high)
			}
			for _, other := range places[:i] {
				if one.meets(other) {
					t.Errorf("%v covers %v", one, other)
				}
			}
		}
	})
}

// Drawing changes nothing, and drawing again gives the same bytes.
func TestDrawingIsRepeatable(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		p, same := random{rand.New(rand.NewPCG(seed, 2))}.picture(), random{rand.New(rand.NewPCG(seed, 2))}.picture()
		text, svg := p.Text(), p.SVG()
		require.True(t, reflect.DeepEqual(p, same), "the picture was changed")
		require.Equal(t, text, same.Text())
		require.Equal(t, svg, same.SVG())
	}
}

func FuzzNames(f *testing.F) {
	for _, seed := range []string{"east", "", "\x00", "<&\">", "東京", "e\u0301", "\u202e", "a\nb", "\xff\xfe", strings.Repeat("long ", 40)} {
		f.Add(seed, "state", "note")
	}
	f.Fuzz(func(t *testing.T, lane, state, note string) {
		p := swimlane.Picture{
			Title: note, Lanes: []string{lane, "b", "c"},
			Moments: []swimlane.Moment{{
				Title: note, Notes: []swimlane.Note{{Text: state}},
				Cells:   []swimlane.Cell{{Lane: lane, Copy: swimlane.Copy(note), State: state, Notes: []swimlane.Note{{Kind: swimlane.Kind(state), Text: note}}}},
				Carried: []swimlane.Carried{{State: state, From: lane, To: note}},
			}},
			Legend: []swimlane.Entry{{Name: state, Text: note}},
		}
		for _, e := range parse(t, p.SVG()) {
			if !slices.Contains([]string{"svg", "title", "desc", "style", "rect", "path", "text"}, e.name) {
				t.Errorf("a name made an element %q", e.name)
			}
		}
		for line := range strings.Lines(p.Text()) {
			for _, r := range strings.TrimSuffix(line, "\n") {
				if !unicode.IsPrint(r) {
					t.Errorf("%q is printed", r)
				}
			}
		}
	})
}
