package failovertest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
)

// Run plays the scenario and records it (F12): in each step what the step names happens,
// the controller reconciles as F14 says, with a record that travels as JSON, and every
// promise of this package is checked before what the step expects. An event that cannot
// happen is an error, as is time that goes back.
//
// The error is a [*ScenarioError]; the story goes as far as the scenario did. The
// scenario is not changed.
func (sc *Scenario) Run() (Story, error) {
	if err := sc.check(); err != nil {
		return Story{Name: sc.Name}, err
	}
	if err := sc.checkKeys(); err != nil {
		return Story{Name: sc.Name}, err
	}
	world := sc.World
	p := player{Scenario: sc, state: newState(&world), story: Story{Name: sc.Name, Clusters: slices.Clone(world.Clusters)}}
	for i := range sc.Steps {
		if path, err := p.play(i); err != nil {
			if n := len(p.story.Moments); n > 0 {
				p.story.Moments[n-1].Failure = err.Error()
			}
			return p.story, sc.fail(path, err)
		}
	}
	return p.story, nil
}

// errTooLong bounds a story, and with it all times.
var errTooLong = errors.New("the story takes longer than 136 years")

// player is a run of a scenario.
type player struct {
	*Scenario
	*state
	story Story
	words []string // of the step
	last  round
}

// play runs one step, and returns where it went wrong.
func (p *player) play(i int) (string, error) {
	step, path := &p.Steps[i], fmt.Sprintf("steps[%d]", i)
	for n, one := range step.Do {
		if err := p.event(one); err != nil {
			return fmt.Sprintf("%s.do[%d]", path, n), err
		}
	}
	if step.changes() {
		if field, err := p.changes(step); err != nil {
			return path + field, err
		}
	}
	if step.Expect == nil {
		return "", nil
	}
	if field, err := p.expect(step.Expect); err != nil {
		return path + ".expect" + field, err
	}
	return "", nil
}

// event is one event and the reconcile after it.
func (p *player) event(one Step) error {
	r, happened, err := p.step(one)
	switch {
	case err != nil:
	case !happened:
		return fmt.Errorf("%q cannot happen: %s", one.Event, p.why(one.Event))
	case p.now > longestStory:
		return errTooLong
	default:
		err = p.state.check(r, false)
	}
	p.last = r
	p.story.add(p.state, one.String(), one.CrashBefore, r)
	return err
}

// changes is all that a step names, and the reconcile after it.
func (p *player) changes(step *ScenarioStep) (string, error) {
	p.words = nil
	for _, change := range []func(*ScenarioStep) (string, error){p.pass, p.edit, p.tell, p.report, p.write} {
		if field, err := change(step); err != nil {
			return field, err
		}
	}
	r, err := p.reconcile(step.CrashBefore)
	if err == nil {
		err = p.state.check(r, false)
	}
	text := strings.Join(p.words, ", ")
	if step.CrashBefore != NoCrash {
		text += fmt.Sprintf(" !%d", step.CrashBefore)
	}
	p.last = r
	p.story.add(p.state, text, step.CrashBefore, r)
	return "", err
}

// say names what a step changes.
func (p *player) say(words ...string) { p.words = append(p.words, strings.Join(words, " ")) }

// pass lets time pass.
func (p *player) pass(step *ScenarioStep) (string, error) {
	if step.Advance != nil {
		p.say("advance", step.Advance.Duration.String())
		return ".advance", p.wait(p.now + int64(step.Advance.Duration/time.Second))
	}
	if step.Until == "" {
		return "", nil
	}
	p.say("until", step.Until)
	next, err := instant(step.Until)
	if err == nil {
		err = p.wait(next)
	}
	return ".until", err
}

// wait goes on to an instant, in seconds since the beginning.
func (p *player) wait(next int64) error {
	switch {
	case next < p.now:
		return fmt.Errorf("time goes back: it is %s already, %s after the beginning",
			at(p.now).Format(time.RFC3339), time.Duration(p.now)*time.Second)
	case next > longestStory:
		return errTooLong
	}
	p.now = next
	return nil
}

// edit changes the world.
func (p *player) edit(step *ScenarioStep) (string, error) {
	e := step.Edit
	if e == nil {
		return "", nil
	}
	p.say("edit")
	p.lax, p.shares = p.lax || !p.strict(), p.shares || p.anyMode()
	w := *p.world
	e.apply(&w)
	p.world = &w
	for i := range p.clusters {
		p.clusters[i].left.stop() // an eviction keeps the cool-down of its policy
	}
	p.marks = slices.Concat(p.marks, marksOf(w.Policy))
	return "", nil
}

// apply changes a world, whose parts may be shared.
func (e *Edit) apply(w *World) {
	set(&w.Policy, e.Policy)
	set(&w.Host, e.Host)
	set(&w.Copies, e.Copies)
	set(&w.Dated, e.Dated)
	set(&w.TaintsKnown, e.TaintsKnown)
	set(&w.Unscheduled, e.Unscheduled)
	set(&w.Invalid, e.Invalid)
	if e.Tolerations != nil {
		w.Tolerations = e.Tolerations
	}
	if e.Status != nil {
		w.Status = e.Status
	}
	if e.Template != nil {
		w.Template = e.Template
	}
	if e.DesiredReplicas != nil {
		w.DesiredReplicas = e.DesiredReplicas
	}
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// tell is news about clusters.
func (p *player) tell(step *ScenarioStep) (string, error) {
	for _, name := range keys(step.Facts) {
		c := p.cluster(name)
		c.learn(step.Facts[name])
		if c.required && c.copy != nil {
			c.copy.excused = true
		}
		p.say("facts of", name)
	}
	return "", nil
}

// report changes what copies report.
func (p *player) report(step *ScenarioStep) (string, error) {
	for _, name := range keys(step.Status) {
		c, raw := p.cluster(name), step.Status[name]
		if c.copy == nil {
			return ".status." + name, errors.New("there is no copy on " + name)
		}
		c.copy.silent, c.copy.status = string(raw) == "null", slices.Clone(raw)
		p.noteCommon(c)
		p.say("status of", name)
	}
	for _, name := range keys(step.Health) {
		c := p.cluster(name)
		if c.copy == nil {
			return ".health." + name, errors.New("there is no copy on " + name)
		}
		c.copy.health = step.Health[name]
		p.say("health of", name+":", string(step.Health[name]))
	}
	return "", nil
}

// noteCommon remembers the values that several copies reported: they do not tell whose
// state it is.
func (p *player) noteCommon(c *cluster) {
	own := p.reported(c)
	value := p.value(&own)
	for i := range p.clusters {
		other := &p.clusters[i]
		if value == "" || other == c || other.copy == nil {
			continue
		}
		if theirs := p.reported(other); p.value(&theirs) == value {
			p.common = append(slices.Clone(p.common), value)
		}
	}
}

// write is what others write: the scheduler, other controllers, people, and who loses the
// record.
func (p *player) write(step *ScenarioStep) (string, error) {
	if step.Targets != nil {
		p.setTargets(step.Targets)
		p.say("targets", strings.Join(names(step.Targets), ", "))
	}
	if step.Tasks != nil {
		p.setTasks(step.Tasks)
		p.say("tasks of somebody else")
	}
	for _, r := range step.Requests {
		p.ask(r)
		p.say("request", string(r.Action), r.Cluster)
	}
	if step.RecordLost {
		p.forget()
		p.say("record lost")
	}
	return "", nil
}

func names(targets []eviction.TargetCluster) []string {
	out := []string{}
	for _, t := range targets {
		out = append(out, t.Name)
	}
	return out
}

// setTargets is what a scheduler writes.
func (s *state) setTargets(targets []eviction.TargetCluster) {
	for _, old := range s.targets {
		if !slices.Contains(names(targets), old.Name) {
			s.unschedule(s.cluster(old.Name))
		}
	}
	for _, t := range targets {
		if !s.isTarget(t.Name) {
			s.picked(s.cluster(t.Name))
		}
	}
	s.targets = slices.Clone(targets)
}

// setTasks is what another controller writes. State that only the old tasks held is gone.
func (s *state) setTasks(tasks []eviction.Task) {
	old := s.tasks
	s.tasks = slices.Clone(tasks)
	for _, t := range old {
		if c := s.cluster(t.FromCluster); !contains(s.tasks, t) {
			if c.copy != nil && !s.isEvicted(c.name) {
				c.copy.leaving = ""
			}
			for i := range s.owed {
				s.owed[i].optional = s.owed[i].optional || s.owed[i].origin == c.name
			}
		}
	}
	for _, t := range s.tasks {
		if !contains(old, t) {
			s.departed(t)
		}
	}
}

// forget loses the record: what only it knew is gone, and no promise covers it.
func (s *state) forget() {
	s.record, s.stored, s.counted, s.forgot = []byte("{}"), failover.Record{}, nil, true
	for i := range s.owed {
		s.owed[i].optional = true
	}
	for i := range s.clusters {
		c := &s.clusters[i]
		c.surely.stop()
		c.left.stop()
		if c.copy != nil && c.copy.proof == unproven {
			c.copy.proof = perhaps
		}
	}
}

// why says what keeps an event from happening.
func (s *state) why(e Event) string {
	c := s.cluster(e.Cluster)
	if c == nil {
		return "nothing is due later than in a second"
	}
	switch e.Verb {
	case Schedule:
		if s.isTarget(c.name) {
			return c.name + " is a target already"
		}
		return fmt.Sprintf("the scheduler wants %d, and they are %v", max(1, s.world.Copies), names(s.targets))
	case Unschedule:
		return c.name + " is no target"
	case Confirm:
		return "no task about " + c.name + " waits for a person"
	case Lose, Return, Fence, Unfence, Taint, Untaint:
		return "it is so already"
	case Wipe:
		return c.name + " is not lost, or has no copy"
	}
	switch {
	case c.copy == nil:
		return "there is no copy on " + c.name
	case e.Verb == Vanish || e.Verb == Deleted && c.lost:
		return c.name + " is lost"
	case e.Verb == Deleted:
		return "the copy on " + c.name + " is not being deleted"
	}
	return "it is so already"
}
