package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/swimlane"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// picture draws what record and tasks tell of the past, what was observed now, and what
// this run decides. It names the keys of states and never a value.
func (d *dryRun) picture(p plan) swimlane.Picture {
	names := d.nameStates()
	out := swimlane.Picture{Title: p.title, Lanes: d.lanes(p), Legend: names.legend}
	past := d.past(names)
	out.Moments = append(past.draw(out.Lanes), d.observedNow(out.Lanes, names), d.decidedNow(p, out.Lanes, names))
	return out
}

// lanes are all clusters that the plan, the binding or the record name.
func (d *dryRun) lanes(p plan) []string {
	seen := map[string]bool{}
	for _, name := range slices.Concat(p.clusters(), p.Excluded, slices.Collect(maps.Keys(d.in.taints))) {
		seen[name] = true
	}
	for _, one := range p.Errors {
		seen[one.Cluster] = true
	}
	for _, one := range p.Warnings {
		seen[one.Cluster] = true
	}
	for _, item := range d.in.binding.Status.AggregatedStatus {
		seen[item.ClusterName] = true
	}
	for _, c := range d.in.record.Clusters {
		seen[c.Name] = true
	}
	for _, m := range d.in.record.Moves {
		seen[m.From] = true
	}
	for _, h := range d.in.record.History {
		seen[h.From] = true
		if h.To != "" {
			seen[h.To] = true
		}
	}
	for _, one := range d.in.record.Deliveries {
		seen[one.To] = true
	}
	delete(seen, "") // what concerns all
	return slices.Sorted(maps.Keys(seen))
}

// stateNames calls states A, B, C.
type stateNames struct {
	known  []preservation.State
	moves  map[int64]string // by attempt
	legend []swimlane.Entry
}

// nameStates names the states of moves, oldest first, and of tasks.
func (d *dryRun) nameStates() *stateNames {
	s := &stateNames{moves: map[int64]string{}}
	for _, m := range slices.Concat(d.in.record.Moves, d.out.Record.Moves) {
		if m.State != nil {
			s.moves[m.Attempt] = s.name(*m.State, m.From, m.Created)
		}
	}
	for _, t := range slices.Concat(d.in.binding.Spec.Tasks, d.out.Tasks) {
		s.name(t.State(), t.FromCluster, dated(t.CreationTimestamp))
	}
	return s
}

func dated(at *metav1.Time) metav1.Time {
	if at == nil {
		return metav1.Time{}
	}
	return *at
}

// name is empty for no state.
func (s *stateNames) name(state preservation.State, from string, at metav1.Time) string {
	if state.IsEmpty() {
		return ""
	}
	i := slices.IndexFunc(s.known, state.Equal)
	if i < 0 {
		i, s.known = len(s.known), append(s.known, state)
		text := "state of " + from
		if !at.IsZero() {
			text += " from " + at.UTC().Format(time.RFC3339)
		}
		var keys []string
		for _, key := range state.Keys() {
			keys = append(keys, strings.ToLower(string(key.Target))+" "+key.Key)
		}
		s.legend = append(s.legend, swimlane.Entry{Name: letter(i), Text: text + ": " + strings.Join(keys, ", ")})
	}
	return letter(i)
}

// letter is A to Z, then A2 to Z2, and so on.
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprintf("%c%d", 'A'+i%26, i/26+1)
}

// observedNow is what this run was told.
func (d *dryRun) observedNow(lanes []string, names *stateNames) swimlane.Moment {
	m := swimlane.Moment{At: d.opts.now, Title: "observed"}
	for _, lane := range lanes {
		c := d.seen(lane)
		for _, t := range d.in.binding.Spec.Tasks {
			if t.FromCluster == lane {
				c.State = names.name(t.State(), lane, dated(t.CreationTimestamp))
				c.Notes = append(c.Notes, note(swimlane.Task, "task %s, %s", t.PurgeMode, t.Reason))
			}
		}
		if c.Target {
			c.State = received(d.in.record, names, lane)
		}
		m.Cells = append(m.Cells, c)
	}
	return m
}

// received is the state that a target has from a move; empty = none.
func received(r failover.Record, names *stateNames, cluster string) string {
	for _, one := range r.Deliveries {
		if one.To == cluster {
			return names.moves[one.Attempt]
		}
	}
	return ""
}

func note(kind swimlane.Kind, format string, args ...any) swimlane.Note {
	return swimlane.Note{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// seen is one cluster as the input tells.
func (d *dryRun) seen(lane string) swimlane.Cell {
	b := d.in.binding
	facts := d.asked.Clusters[lane]
	c := swimlane.Cell{Lane: lane, Target: isTarget(b.Spec.Clusters, lane), Leaving: hasTask(b.Spec.Tasks, lane)}
	reported := slices.ContainsFunc(b.Status.AggregatedStatus, func(i eviction.AggregatedStatusItem) bool { return i.ClusterName == lane })
	observed := eviction.Observe(b.Status.AggregatedStatus, lane, time.Time{})
	switch {
	case facts.Presence == purge.Gone && !c.Target: // of a target it is what comes after this run
	case !reported && (!c.Target && !c.Leaving || c.Target && d.heldBack(lane)):
	case observed.Health == eviction.Healthy:
		c.Copy = swimlane.Healthy
	case observed.Health == eviction.Unhealthy:
		c.Copy = swimlane.Unhealthy
	default:
		c.Copy = swimlane.Unknown
	}
	switch {
	case facts.Fenced:
		c.Notes = append(c.Notes, note(swimlane.Fact, "fenced"))
	case facts.Presence == purge.Present:
		c.Notes = append(c.Notes, note(swimlane.Fact, "the copy is there"))
	case c.Copy != swimlane.NoCopy && !reported:
		c.Notes = append(c.Notes, note(swimlane.Fact, "no status"))
	}
	for _, taint := range facts.Taints {
		if taint.Effect == failover.NoExecute {
			c.Notes = append(c.Notes, note(swimlane.Fact, "taint %s", taint.Key))
		}
	}
	return c
}

// heldBack says that no copy was ever allowed on a target.
func (d *dryRun) heldBack(lane string) bool {
	return slices.ContainsFunc(d.in.record.Clusters, func(c failover.ClusterRecord) bool { return c.Name == lane && c.Target && !allowed(c) })
}

// decidedNow is what the plan says.
func (d *dryRun) decidedNow(p plan, lanes []string, names *stateNames) swimlane.Moment {
	m := swimlane.Moment{At: d.opts.now, Title: "decided by this run"}
	for _, lane := range lanes {
		c := d.seen(lane)
		c.Target, c.Leaving, c.Notes = isTarget(d.targets, lane), hasTask(d.out.Tasks, lane), p.decided(lane)
		if d.asked.Clusters[lane].Presence == purge.Gone {
			c.Copy, c.Notes = swimlane.NoCopy, append(c.Notes, note(swimlane.Fact, "the old copy is gone"))
		}
		for _, t := range d.out.Tasks {
			if t.FromCluster == lane {
				c.State = names.name(t.State(), lane, dated(t.CreationTimestamp))
			}
		}
		if c.Copy != swimlane.NoCopy && slices.ContainsFunc(d.purges, func(o failover.PurgeDecision) bool { return o.Cluster == lane && o.Old == purge.Delete }) {
			c.Copy = swimlane.Deleting
		}
		m.Cells = append(m.Cells, c)
	}
	m.Carried = d.carriedNow(names)
	m.Notes = p.generalNotes()
	return m
}

// carriedNow are the states that this run hands to a copy for the first time.
func (d *dryRun) carriedNow(names *stateNames) []swimlane.Carried {
	var out []swimlane.Carried
	for i, placed := range d.out.Placements {
		before := slices.ContainsFunc(d.in.record.Deliveries, func(one failover.Delivery) bool {
			return one.To == placed.Cluster && one.Attempt == placed.Attempt
		})
		if d.injections[i].Injected && !before {
			out = append(out, swimlane.Carried{State: names.moves[placed.Attempt], From: placed.Origin, To: placed.Cluster})
		}
	}
	return out
}

// decided is what the plan says about one cluster, in few words.
func (p plan) decided(cluster string) []swimlane.Note {
	var out []swimlane.Note
	for _, one := range p.Decisions {
		if one.Cluster == cluster {
			out = append(out, note(swimlane.Decision, "%s: %s%s", one.Outcome, one.Reason, again(one.RecheckAfterSeconds)))
		}
	}
	for _, one := range p.Purges {
		if one.Cluster == cluster {
			word := string(one.Legacy) + " old copy"
			if one.Done {
				word = "task finished"
			}
			out = append(out, note(swimlane.Task, "%s: %s", word, one.Reason))
		}
	}
	for _, one := range p.Injections {
		if one.Cluster == cluster {
			out = append(out, note(swimlane.Decision, "%s: %s", one.Action, one.Reason))
		}
	}
	if slices.Contains(p.Excluded, cluster) {
		out = append(out, note(swimlane.Fact, "to be avoided"))
	}
	return append(out, p.wrong(cluster)...)
}

// wrong is what blocks, and what a person may want to know.
func (p plan) wrong(cluster string) []swimlane.Note {
	var out []swimlane.Note
	for _, one := range p.Errors {
		if one.Cluster == cluster {
			out = append(out, note(swimlane.Problem, "%s", strings.TrimSpace("error "+one.Class+" "+one.Alias)))
		}
	}
	for _, one := range p.Warnings {
		if one.Cluster == cluster {
			out = append(out, note(swimlane.Problem, "warning %s", one.Reason))
		}
	}
	return out
}

func again(seconds *int64) string {
	if seconds == nil {
		return ""
	}
	return ", again after " + duration(*seconds).String()
}

func (p plan) generalNotes() []swimlane.Note {
	return append(p.wrong(""), swimlane.Note{Text: strings.TrimSpace(p.textOfRecheck())})
}
