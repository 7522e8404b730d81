package failovertest

import (
	"slices"
	"strings"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/swimlane"
)

// Picture is the story with a lane for each cluster, to draw as text or as SVG (F12).
// What was decided about a lane in the moment before is not said again, but in the last
// moment of a story that failed. Values of states are in the legend: they are those of a
// test.
func (s *Story) Picture() swimlane.Picture {
	p := swimlane.Picture{Title: s.Name, Lanes: slices.Clone(s.Clusters)}
	var before Moment
	for _, m := range s.Moments {
		one := swimlane.Moment{At: m.At, Title: m.Step, Notes: m.notes(before), Carried: m.carried(before)}
		for i, c := range m.Clusters {
			cell := c.cell()
			cell.Notes = s.about(m, c)
			if m.Failure == "" && i < len(before.Clusters) {
				said := s.about(before, before.Clusters[i])
				cell.Notes = slices.DeleteFunc(cell.Notes, func(n swimlane.Note) bool {
					return n.Kind != swimlane.Fact && slices.Contains(said, n)
				})
			}
			one.Cells = append(one.Cells, cell)
		}
		p.Moments = append(p.Moments, one)
		before = m
	}
	for _, v := range s.Values {
		if v.speaks() {
			p.Legend = append(p.Legend, swimlane.Entry{Name: v.Name, Text: values(v.State)})
		}
	}
	return p
}

// speaks says that the name does not tell the whole state.
func (v NamedState) speaks() bool {
	return len(v.State.Keys()) != 1 || !strings.Contains(values(v.State), `"`+v.Name+`"`)
}

// notes are those that concern no cluster in particular.
func (m Moment) notes(before Moment) []swimlane.Note {
	var out []swimlane.Note
	next, last := m.Plan.NextCheck, before.Plan.NextCheck
	if next.OK && (!last.OK || !m.At.Add(next.After).Equal(before.At.Add(last.After))) {
		out = append(out, swimlane.Note{Text: "next check in " + next.After.String()})
	}
	if m.Crash != NoCrash {
		names := map[Write]string{
			RecordWrite: "the record", BindingWrite: "targets and tasks", PurgeWrite: "purges", ManifestWrite: "manifests",
		}
		out = append(out, swimlane.Note{Text: "the controller crashes before it writes " + names[m.Crash]})
	}
	if m.Blocked != "" {
		out = append(out, swimlane.Note{Kind: swimlane.Problem, Text: "blocked: " + m.Blocked})
	}
	if m.Failure != "" {
		out = append(out, swimlane.Note{Kind: swimlane.Problem, Text: "FAILED: " + m.Failure})
	}
	return out
}

// carried are the states of copies that were not there before.
func (m Moment) carried(before Moment) []swimlane.Carried {
	var out []swimlane.Carried
	for i, c := range m.Clusters {
		isNew := c.Copy != nil && (i >= len(before.Clusters) || before.Clusters[i].Copy == nil || before.Clusters[i].Copy.Number != c.Copy.Number)
		if !isNew || c.Copy.Received == "" {
			continue
		}
		one := swimlane.Carried{State: c.Copy.Received, To: c.Name}
		for _, p := range m.Plan.Placements {
			if p.Cluster == c.Name {
				one.From = p.Origin
			}
		}
		out = append(out, one)
	}
	return out
}

// cell is the copy of a cluster.
func (c ClusterMoment) cell() swimlane.Cell {
	out := swimlane.Cell{Lane: c.Name, Target: c.Target, Leaving: c.Evicted}
	if c.Copy == nil {
		return out
	}
	out.State = c.Copy.Reports
	switch {
	case c.Copy.Deleting:
		out.Copy = swimlane.Deleting
	case c.Copy.Health == eviction.Healthy:
		out.Copy = swimlane.Healthy
	case c.Copy.Health == eviction.Unhealthy:
		out.Copy = swimlane.Unhealthy
	case c.Copy.Health == eviction.HealthUnknown || c.Copy.Health == "":
		out.Copy = swimlane.Unknown
	default:
		out.Copy = swimlane.Copy(c.Copy.Health)
	}
	return out
}

// about is all that there is to say of a cluster at a moment.
func (s *Story) about(m Moment, c ClusterMoment) []swimlane.Note {
	out := c.facts()
	for _, t := range m.Tasks {
		if t.FromCluster == c.Name {
			out = append(out, note(swimlane.Task, "task ", string(t.PurgeMode), with(s.ShortName(t.State()))))
		}
	}
	return append(out, s.decided(m.Plan, c.Name)...)
}

func note(kind swimlane.Kind, words ...string) swimlane.Note {
	return swimlane.Note{Kind: kind, Text: strings.Join(words, "")}
}

func (c ClusterMoment) facts() []swimlane.Note {
	var out []swimlane.Note
	for _, fact := range []struct {
		set  bool
		text string
	}{{c.Lost, "unreachable"}, {c.Fenced, "fenced"}, {c.Tainted, "tainted"}} {
		if fact.set {
			out = append(out, note(swimlane.Fact, fact.text))
		}
	}
	if c.Copy != nil && c.Copy.Keeps != "" {
		out = append(out, note(swimlane.Fact, "keeps ", c.Copy.Keeps))
	}
	return out
}

// decided is what Plan says of a cluster.
func (s *Story) decided(out failover.PlanOutput, cluster string) []swimlane.Note {
	var notes []swimlane.Note
	for _, d := range out.Decisions {
		if d.Cluster == cluster {
			notes = append(notes, note(swimlane.Decision, string(d.Outcome), ": ", string(d.Reason)))
		}
	}
	for _, p := range out.Purges {
		if p.Cluster == cluster {
			notes = append(notes, note(swimlane.Task, fate(p), ": ", string(p.Reason)))
		}
	}
	for _, p := range out.Placements {
		if p.Cluster == cluster {
			notes = append(notes, note(swimlane.Decision, string(p.Action), ": ", string(p.Reason), with(s.carriedBy(p))))
		}
	}
	return notes
}

// fate is what becomes of an old copy.
func fate(p failover.PurgeDecision) string {
	if p.Outcome == eviction.Finish {
		return "task finished"
	}
	return string(p.Old) + " old copy"
}

// carriedBy is the short name of the state that a placement carries; empty = none.
func (s *Story) carriedBy(p failover.Placement) string {
	if p.State == nil {
		return ""
	}
	return s.ShortName(*p.State)
}

func with(name string) string {
	if name == "" {
		return ""
	}
	return ", with " + name
}
