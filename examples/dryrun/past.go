package main

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/swimlane"
)

// past is what is known of the time before this run. A record remembers moves and the
// present stay on each target, and not every health that there was.
type past struct {
	record  failover.Record
	names   *stateNames
	tasks   []eviction.Task // that no move of the record is about
	moments []moment
}

// moment collects what happened in one second.
type moment struct {
	at      time.Time
	titles  []string
	notes   map[string][]swimlane.Note // by lane
	carried []swimlane.Carried
}

func (d *dryRun) past(names *stateNames) *past {
	p := &past{record: d.in.record, names: names}
	for _, t := range d.in.binding.Spec.Tasks {
		if !slices.ContainsFunc(p.record.Moves, func(m failover.Move) bool { return isTaskOf(m, t) }) {
			p.tasks = append(p.tasks, t)
		}
	}
	p.ofMoves()
	p.ofTasks()
	p.ofClusters()
	slices.SortStableFunc(p.moments, func(a, b moment) int { return a.at.Compare(b.at) })
	return p
}

func isTaskOf(m failover.Move, t eviction.Task) bool {
	return m.From == t.FromCluster && t.CreationTimestamp != nil && m.Created.Unix() == t.CreationTimestamp.Unix()
}

// on is the moment of a time.
func (p *past) on(at time.Time) *moment {
	at = at.UTC().Truncate(time.Second)
	i := slices.IndexFunc(p.moments, func(m moment) bool { return m.at.Equal(at) })
	if i < 0 {
		i, p.moments = len(p.moments), append(p.moments, moment{at: at, notes: map[string][]swimlane.Note{}})
	}
	return &p.moments[i]
}

func (m *moment) tell(title string) {
	if !slices.Contains(m.titles, title) {
		m.titles = append(m.titles, title)
	}
}

func (m *moment) note(lane string, one swimlane.Note) { m.notes[lane] = append(m.notes[lane], one) }

// ofMoves are departures, and the deliveries of what went along.
func (p *past) ofMoves() {
	for _, h := range p.record.History {
		m := p.on(h.At.Time)
		m.tell("the application leaves " + h.From)
		words := []string{string(h.Cause), string(h.Outcome)}
		if i := p.move(h.Attempt); i >= 0 {
			words = append([]string{string(p.record.Moves[i].Mode)}, words...)
		}
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
		m.note(h.From, note(swimlane.Task, "move %d: %s", h.Attempt, strings.Join(words, ", ")))
		delivered := slices.ContainsFunc(p.record.Deliveries, func(d failover.Delivery) bool { return d.Attempt == h.Attempt })
		if h.To != "" && !delivered {
			m.note(h.From, note(swimlane.Fact, "its state went to %s", h.To))
		}
	}
	for _, d := range p.record.Deliveries {
		m, from := p.on(d.At.Time), ""
		if i := p.move(d.Attempt); i >= 0 {
			from = p.record.Moves[i].From
		}
		m.tell(d.To + " receives state")
		name := p.names.moves[d.Attempt]
		if name == "" {
			name = "a state that has ended"
		}
		m.carried = append(m.carried, swimlane.Carried{State: name, From: from, To: d.To})
	}
}

func (p *past) move(attempt int64) int {
	return slices.IndexFunc(p.record.Moves, func(m failover.Move) bool { return m.Attempt == attempt })
}

// ofTasks are evictions that no record knows of.
func (p *past) ofTasks() {
	for _, t := range p.tasks {
		if t.CreationTimestamp != nil {
			m := p.on(t.CreationTimestamp.Time)
			m.tell("the application leaves " + t.FromCluster)
			m.note(t.FromCluster, note(swimlane.Task, "task %s, %s", t.PurgeMode, t.Reason))
		}
	}
}

// ofClusters is what a record knows of the present stay on each cluster.
func (p *past) ofClusters() {
	for _, c := range p.record.Clusters {
		tell := func(at *metav1.Time, title string) {
			if at != nil {
				p.on(at.Time).tell(title)
			}
		}
		tell(c.PlacedAt, c.Name+" is a target")
		tell(c.StartedAt, c.Name+" may have a copy")
		tell(c.HealthySince, c.Name+" is healthy")
		tell(c.LastHealthy, c.Name+" is not healthy any more")
		tell(c.UnhealthySince, c.Name+" is unhealthy")
		tell(c.BlockedSince, c.Name+" cannot be left: state is missing")
		tell(c.HeldSince, c.Name+" is held: it waits for state")
	}
}

// draw fills in how all lanes were at each moment.
func (p *past) draw(lanes []string) []swimlane.Moment {
	var out []swimlane.Moment
	departures := p.departures()
	for _, m := range p.moments {
		one := swimlane.Moment{At: m.at, Title: strings.Join(m.titles, "; "), Carried: m.carried}
		for _, lane := range lanes {
			c := p.cell(lane, m.at, departures)
			c.Notes = m.notes[lane]
			one.Cells = append(one.Cells, c)
		}
		out = append(out, one)
	}
	return out
}

// departure is a cluster that was left.
type departure struct {
	from     string
	at       time.Time
	end      time.Time // zero = not yet
	state    string
	targeted []string // before it
}

// departures are all that moves, history and tasks tell of, oldest first.
func (p *past) departures() []departure {
	var out []departure
	for _, m := range p.record.Moves {
		one := departure{from: m.From, at: m.Created.Time, state: p.names.moves[m.Attempt], targeted: append(slices.Clip(m.ClustersBeforeFailover), m.From)}
		if m.Stage == failover.StageEnded {
			one.end = m.StageSince.Time
		}
		out = append(out, one)
	}
	for _, h := range p.record.History {
		if p.move(h.Attempt) < 0 {
			out = append(out, departure{from: h.From, at: h.At.Time, end: h.At.Add(time.Second), targeted: []string{h.From}})
		}
	}
	for _, t := range p.tasks {
		out = append(out, departure{
			from: t.FromCluster, at: dated(t.CreationTimestamp).Time, targeted: append(slices.Clip(t.ClustersBeforeFailover), t.FromCluster),
			state: p.names.name(t.State(), t.FromCluster, dated(t.CreationTimestamp)),
		})
	}
	slices.SortStableFunc(out, func(a, b departure) int { return a.at.Compare(b.at) })
	return out
}

// cell is one lane at a time: on its present stay, under eviction, or a target that was
// left later. How the copy was then nobody knows, except for the present stay.
func (p *past) cell(lane string, at time.Time, departures []departure) swimlane.Cell {
	for _, c := range p.record.Clusters {
		if c.Name == lane && c.Target && (c.PlacedAt == nil || !at.Before(c.PlacedAt.Time)) {
			return stay(c, at, received(p.record, p.names, lane))
		}
	}
	out := swimlane.Cell{Lane: lane}
	for _, d := range departures {
		if d.from == lane && !at.Before(d.at) && (d.end.IsZero() || at.Before(d.end)) {
			out.Leaving, out.Copy, out.State = true, swimlane.Unknown, d.state
		}
	}
	next := slices.IndexFunc(departures, func(d departure) bool { return !d.at.Before(at) })
	if !out.Leaving && next >= 0 && slices.Contains(departures[next].targeted, lane) {
		out.Target, out.Copy = true, swimlane.Unknown
	}
	return out
}

// stay is a target as the record knows it.
func stay(c failover.ClusterRecord, at time.Time, state string) swimlane.Cell {
	out := swimlane.Cell{Lane: c.Name, Target: true}
	since := func(t *metav1.Time) bool { return t != nil && !at.Before(t.Time) }
	switch {
	case since(c.HealthySince):
		out.Copy = swimlane.Healthy
	case since(c.UnhealthySince):
		out.Copy = swimlane.Unhealthy
	case allowed(c) && (c.StartedAt == nil || since(c.StartedAt)):
		out.Copy = swimlane.Unknown
	}
	if out.Copy != swimlane.NoCopy {
		out.State = state
	}
	return out
}

// allowed says that a copy may have started on a target: it was allowed, or was there
// before the record.
func allowed(c failover.ClusterRecord) bool { return c.StartedAt != nil || c.PlacedAt == nil }
