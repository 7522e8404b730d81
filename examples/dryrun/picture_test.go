package main

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/failover"
)

// golden compares with, or rewrites, a picture of testdata/pictures.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "pictures", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The cases of which a picture shows the most.
func TestPictures(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"directly-gone", "gracefully", "second-failover-gone", "health-over", "missing-key", "taint-untolerated", "two-new-targets",
		"state-unreadable", "expired-source-healthy", "kubectl-fenced",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, name+".txt", cases[name].invoke(t, "timeline").stdout)
		})
	}
	golden(t, "directly-gone.svg", cases["directly-gone"].invoke(t, "svg").stdout)
}

// Both pictures of every case have the exit code of the plan, fit, are well-formed, name
// every cluster and reason of the plan, and hold no value that goes along.
func TestPicturesOfAllCases(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := decodePlan(t, cases[name].invoke(t, "json"))
			text, svg := cases[name].invoke(t, "timeline"), cases[name].invoke(t, "svg")
			require.Equal(t, cases[name].exit, text.exit)
			require.Equal(t, cases[name].exit, svg.exit)
			for line := range strings.Lines(text.stdout) {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
			}
			drawn := drawnText(t, svg.stdout)
			for _, want := range reasonsOf(p) {
				require.Contains(t, drawn, want, svg.stdout)
			}
			if name == "directly-gone" {
				require.Len(t, carriedValues(p), 2)
			}
			for _, value := range carriedValues(p) {
				require.NotContains(t, text.stdout, value)
				require.NotContains(t, svg.stdout, value)
			}
		})
	}
}

// drawnText reads the description, which has whole sentences.
func drawnText(t *testing.T, svg string) string {
	t.Helper()
	d, story, open := xml.NewDecoder(strings.NewReader(svg)), "", ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return story
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			open = token.Name.Local
		case xml.CharData:
			if open == "desc" {
				story += string(token)
			}
		}
	}
}

// reasonsOf are the words that a picture of the plan cannot do without.
func reasonsOf(p plan) []string {
	var out []string
	for _, d := range p.Decisions {
		out = append(out, d.Cluster+": ", d.Outcome+": "+d.Reason)
	}
	for _, o := range p.Purges {
		out = append(out, o.Cluster+": ", ": "+string(o.Reason))
	}
	for _, i := range p.Injections {
		out = append(out, i.Cluster+": ", i.Action+": "+i.Reason)
	}
	for _, e := range p.Errors {
		out = append(out, "error "+e.Class)
	}
	for _, w := range p.Warnings {
		out = append(out, "warning "+w.Reason)
	}
	return out
}

// carriedValues are all values of all moves that are long enough to be told from words.
func carriedValues(p plan) []string {
	var out []string
	for _, m := range p.Record.Moves {
		if m.State == nil {
			continue
		}
		for _, values := range []map[string]string{m.State.Labels, m.State.Annotations, m.State.Fields} {
			for _, v := range values {
				words := []string{m.From, string(m.Cause), "default"} // which a picture has anyway
				if v = strings.Trim(v, `"`); len(v) > 6 && !slices.Contains(words, v) {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// draw is a picture of a run that would come next; it leaves no record.
func (s *simulation) draw(clock, args, format string) string {
	s.t.Helper()
	raw, err := encodeJSON(s.binding)
	require.NoError(s.t, err)
	all := append(strings.Fields(args), "-f", "-", "-o", format, "--now", "2025-01-10T"+clock+"Z", "--record", s.record())
	return invoke(s.t, strings.NewReader(string(raw)+"\n"+pod1+"\n"), all...).stdout
}

// The past of a picture grows with the record.
func TestPicturesOfASimulation(t *testing.T) {
	t.Parallel()
	s := simulate(t, "{clusters: [{name: east}], "+jobPolicy+"}")
	s.observe("east Healthy A").run("12:00:00", "")
	require.NotContains(t, s.draw("12:00:30", "", "timeline"), "leaves")
	s.observe("east Unhealthy A").run("12:01:00", "")
	require.Contains(t, s.draw("12:01:30", "", "timeline"), "12:01:00 east is not healthy any more; east is unhealthy ---")
	s.run("12:02:00", "--to west")
	golden(t, "simulation-held.txt", s.draw("12:02:30", "", "timeline"))
	s.run("13:03:00", "--legacy east=fenced")
	s.observe("west Unhealthy B").run("13:04:00", "")
	s.run("13:05:00", "--to north")
	s.run("13:06:00", "--legacy east=gone --legacy west=gone")
	s.observe("north Healthy C")
	golden(t, "simulation.txt", s.draw("13:07:00", "", "timeline"))
	golden(t, "simulation.svg", s.draw("13:07:00", "", "svg"))
	s.run("13:07:00", "")
	last := s.draw("14:00:00", "", "timeline")
	require.Contains(t, last, "12:02:00 the application leaves east")
	require.Contains(t, last, "13:05:00 the application leaves west")
}

// What history alone remembers is drawn too.
func TestPictureOfForgottenMoves(t *testing.T) {
	t.Parallel()
	s := simulate(t, "{clusters: [{name: west}], "+jobPolicy+"}")
	require.NoError(t, os.WriteFile(s.record(), []byte(`{"version":1,"attempts":2,
		"history":[{"attempt":1,"from":"south","to":"east","at":"2025-01-09T12:00:00Z","outcome":"Finished"},
			{"attempt":2,"from":"east","cause":"Planned","at":"2025-01-10T11:00:00Z","outcome":"Withdrawn"}],
		"deliveries":[{"to":"west","attempt":2,"at":"2025-01-10T11:30:00Z"}]}`), 0o600))
	golden(t, "forgotten.txt", s.draw("12:00:00", "", "timeline"))
}

func TestLettersNeverEnd(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"A", "Z", "A2", "Z2", "A3"}, []string{letter(0), letter(25), letter(26), letter(51), letter(52)})
}

// A record with which a run can start says nothing of the past.
func TestPictureOfAFirstRun(t *testing.T) {
	t.Parallel()
	require.Empty(t, (&past{record: failover.Record{}}).draw(nil))
}

// The page about pictures begins one as it is drawn.
func TestDocShowsAPicture(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "timelines.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "```text\n")
	require.True(t, found)
	shown, _, _ := strings.Cut(rest, "```")
	whole, err := os.ReadFile(filepath.Join("testdata", "pictures", "simulation.txt"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(whole), shown), "docs/timelines.md shows\n%s", shown)
}
