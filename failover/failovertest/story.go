package failovertest

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// Story is what happened in a world, moment by moment, as plain data to draw or to print
// (F12). Equal runs have equal stories.
type Story struct {
	// Name of the scenario; empty for a bare timeline.
	Name string `json:"name,omitempty"`
	// Clusters of the world, in its order.
	Clusters []string `json:"clusters"`
	// Values are the states that occur, with the short names by which the moments call
	// them, in the order in which they first occur.
	Values []NamedState `json:"values"`
	// Moments are one for each event and the reconcile after it, in order of time.
	Moments []Moment `json:"moments"`

	marks []preservation.Ref // left out of Values
}

// NamedState is a state and its short name (F7).
type NamedState struct {
	// Name is the value itself if the state has one short value, else a capital letter,
	// from the 27th on with a number.
	Name string `json:"name"`
	// State that it is about. What tells of the move, and not of the copy, is left out.
	State preservation.State `json:"state"`
}

// Moment is the world after one event and the reconcile after it (F14).
type Moment struct {
	// At is the time of the reconcile, UTC.
	At time.Time `json:"at"`
	// Step is what happened, in words: "taint east !2", "advance 30s".
	Step string `json:"step"`
	// Crash is the write before which the controller crashed; NoCrash = it did not.
	Crash Write `json:"crash,omitempty"`
	// Clusters are one for each of the story, in the same order.
	Clusters []ClusterMoment `json:"clusters"`
	// Targets and Tasks are stored.
	Targets []eviction.TargetCluster `json:"targets"`
	Tasks   []eviction.Task          `json:"tasks"`
	// Plan is what [failover.Plan] answered: decisions, purges, placements, excluded
	// clusters, events, warnings and the next check. After a crash not all of it was
	// written.
	Plan failover.PlanOutput `json:"plan"`
	// Blocked is the error that Plan returned beside its answer; empty = none.
	Blocked string `json:"blocked,omitempty"`
	// Failure says which promise or expectation does not hold; empty = all do. It ends
	// the story.
	Failure string `json:"failure,omitempty"`
}

// ClusterMoment is one cluster at a moment (F12).
type ClusterMoment struct {
	// Name of the cluster.
	Name string `json:"name"`
	// Target says that the application is to run there, and Evicted that a task is
	// about it.
	Target  bool `json:"target,omitempty"`
	Evicted bool `json:"evicted,omitempty"`
	// Lost says that it cannot be reached, Fenced that a copy there cannot act, and
	// Tainted that a taint there evicts what does not tolerate it.
	Lost    bool `json:"lost,omitempty"`
	Fenced  bool `json:"fenced,omitempty"`
	Tainted bool `json:"tainted,omitempty"`
	// Copy that is there; nil = none.
	Copy *CopyMoment `json:"copy,omitempty"`
}

// CopyMoment is one copy of the application at a moment (F12).
type CopyMoment struct {
	// Number of the copy, from 1: another one on the same cluster has another number.
	Number int `json:"number"`
	// Health that it has, whether the host knows or not.
	Health eviction.Health `json:"health"`
	// Deleting says that it was deleted and is not gone yet.
	Deleting bool `json:"deleting,omitempty"`
	// Reports is the short name of the state that the policy finds in its status;
	// empty = none.
	Reports string `json:"reports,omitempty"`
	// Received is the short name of the state that it was created with, and Keeps of
	// what is on its manifest now; empty = none.
	Received string `json:"received,omitempty"`
	Keeps    string `json:"keeps,omitempty"`
}

// ShortName is the name of a state in this story; empty = it has no values, or does not
// occur (F7).
func (s *Story) ShortName(state preservation.State) string {
	state = unmarked(state, s.marks)
	for _, known := range s.Values {
		if known.State.Equal(state) {
			return known.Name
		}
	}
	return ""
}

// Tell runs a timeline and records it (F12). The error is that of [Replay] without heal;
// the story goes as far as the timeline did.
func Tell(w World, timeline []Step) (Story, error) {
	story := Story{Clusters: slices.Clone(w.Clusters)}
	if err := w.sound(); err != nil {
		return story, err
	}
	s := newState(&w)
	for _, one := range timeline {
		r, err := s.follow(one, false)
		story.add(s, one.String(), one.CrashBefore, r)
		if err != nil {
			story.Moments[len(story.Moments)-1].Failure = err.Error()
			return story, err
		}
	}
	return story, nil
}

// add records what there is now.
func (s *Story) add(world *state, step string, crash Write, r round) {
	s.marks = world.marks
	m := Moment{At: at(world.now), Step: step, Crash: crash, Plan: r.out, Targets: world.targets, Tasks: world.tasks}
	if r.err != nil {
		m.Blocked = r.err.Error()
	}
	for _, c := range world.clusters {
		one := ClusterMoment{
			Name: c.name, Target: world.isTarget(c.name), Evicted: world.isEvicted(c.name),
			Lost: c.lost, Fenced: c.fenced, Tainted: c.tainted,
		}
		if k := c.copy; k != nil {
			one.Copy = &CopyMoment{
				Number: k.id, Health: k.health, Deleting: k.deleting, Reports: s.name(world.reported(&c)),
				Received: s.name(orNone(k.given)), Keeps: s.name(orNone(k.kept)),
			}
		}
		m.Clusters = append(m.Clusters, one)
	}
	for _, t := range m.Tasks {
		s.name(t.State())
	}
	s.Moments = append(s.Moments, m)
}

// name returns the short name of a state, and gives one to a new one.
func (s *Story) name(state preservation.State) string {
	state = unmarked(state, s.marks)
	if state.IsEmpty() {
		return ""
	}
	if name := s.ShortName(state); name != "" {
		return name
	}
	name := ownName(state)
	for n := 0; name == "" || slices.ContainsFunc(s.Values, func(v NamedState) bool { return v.Name == name }); n++ {
		name = letter(n)
	}
	s.Values = append(s.Values, NamedState{name, state})
	return name
}

// letter is A to Z, then A2 to Z2, and so on.
func letter(n int) string {
	name := string(rune('A' + n%26))
	if n >= 26 {
		name += strconv.Itoa(n/26 + 1)
	}
	return name
}

// longestName is how long a value may be to be its own name.
const longestName = 8

// ownName is the value of a state that has one, if it is short; else empty.
func ownName(state preservation.State) string {
	var all []string
	for _, values := range []map[string]string{state.Labels, state.Annotations, state.Fields} {
		for _, v := range values {
			var text string
			if json.Unmarshal([]byte(v), &text) == nil {
				v = text // a field holds JSON
			}
			all = append(all, v)
		}
	}
	if len(all) != 1 || len(all[0]) > longestName {
		return ""
	}
	return all[0]
}
