package failovertest

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/carryover-io/carryover/eviction"
)

// Exploration says what to try (F13, F14).
type Exploration struct {
	// World that it happens in.
	World World
	// Setup is what happens before anything is tried; each step has an effect.
	Setup []Step
	// Limits say how often each verb may happen in one timeline: missing or 0 = never,
	// negative = any number of times. At least one may happen.
	Limits map[Verb]int
	// Crashes is how often the controller may crash in one timeline.
	Crashes int
	// IgnoreExcluded lets the scheduler also pick clusters that it should avoid (E12).
	IgnoreExcluded bool
	// Depth is how many steps a timeline has at most, from 1; States is how many distinct
	// states are enough, 0 = no limit.
	Depth, States int
	// Heal also checks that from every state the application recovers once all is well.
	Heal bool
	// Progress is called every few hundred states and after each depth; nil = not.
	Progress func(Level)
}

// Level is how far an exploration has come (F13).
type Level struct {
	// Depth that is tried, and Left how many states of the depth before have not been
	// left by every event yet; 0 = this depth is complete.
	Depth, Left int
	// States that are distinct, and Transitions between them, so far.
	States, Transitions int
}

// Result is what an exploration found (F13).
type Result struct {
	// Level that was reached.
	Level
	// Exhausted says that there is no further state at any depth.
	Exhausted bool
	// Broken is the promise that was not kept, and Timeline the shortest way to it; nil =
	// none was broken. What is wrong with the exploration itself is no [*PromiseError].
	Broken   error
	Timeline []Step
}

// node is a state in the tree of first visits.
type node struct {
	parent int32
	step   Step
}

type candidate struct {
	from  int32
	step  Step
	state *state
	round round
	key   [16]byte
	err   error
}

// Explore tries every order of events, breadth first, and checks every promise in every
// state, those of the setup included (F13). It is deterministic: the first timeline that
// breaks a promise is one of the shortest, and always the same.
//
// An exploration that would try nothing is an error in Broken, without any states: a world
// that is invalid, unknown verbs, no verb that may happen, no depth, and a step of the
// setup that has no effect.
func Explore(x Exploration) Result {
	if err := x.sound(); err != nil {
		return Result{Broken: err}
	}
	e := explorer{Exploration: x, seen: map[[16]byte]bool{}}
	root := newState(&e.World)
	for i, step := range x.Setup {
		if _, err := root.follow(step, x.Heal); err != nil {
			return Result{Broken: err, Timeline: x.Setup[:i+1]}
		}
	}
	e.nodes = []node{{parent: -1}}
	e.seen[root.key()] = true
	frontier := []candidate{{state: root}}
	for depth := 1; depth <= x.Depth; depth++ {
		e.depth = depth
		next, bad := e.level(frontier)
		if bad != nil {
			return e.result(bad)
		}
		frontier = next
		if len(frontier) == 0 || x.States > 0 && len(e.nodes) >= x.States {
			break
		}
	}
	r := e.result(nil)
	r.Exhausted = len(frontier) == 0
	return r
}

// Replay runs a timeline and checks every promise in every state; heal also checks that
// the application recovers from each (F13). It returns how many steps were run and the
// promise that was not kept; nil = all were. A world that is invalid, and a step that is
// unknown or has no effect, are errors.
func Replay(w World, timeline []Step, heal bool) (int, error) {
	if err := w.sound(); err != nil {
		return 0, err
	}
	s := newState(&w)
	for i, one := range timeline {
		if _, err := s.follow(one, heal); err != nil {
			return i + 1, err
		}
	}
	return len(timeline), nil
}

// follow is a step of a timeline, which must have an effect, and all promises after it.
func (s *state) follow(one Step, heal bool) (round, error) {
	if _, err := ParseStep(one.String()); err != nil {
		return round{}, err
	}
	r, happened, err := s.step(one)
	switch {
	case err != nil:
		return r, err
	case !happened:
		return r, fmt.Errorf("step %q has no effect here", one)
	}
	return r, s.check(r, heal)
}

type explorer struct {
	Exploration
	seen        map[[16]byte]bool
	nodes       []node
	transitions int
	depth, left int
}

func (e *explorer) at() Level { return Level{e.depth, e.left, len(e.nodes), e.transitions} }

func (e *explorer) result(bad *candidate) Result {
	r := Result{Level: e.at()}
	if bad == nil {
		return r
	}
	r.Broken = bad.err
	r.Timeline = []Step{bad.step}
	for at := bad.from; at > 0; at = e.nodes[at].parent {
		r.Timeline = append(r.Timeline, e.nodes[at].step)
	}
	slices.Reverse(r.Timeline)
	r.Timeline = slices.Concat(e.Setup, r.Timeline)
	return r
}

// level visits all successors of the frontier.
func (e *explorer) level(frontier []candidate) ([]candidate, *candidate) {
	const batch = 512
	var next []candidate
	e.left = len(frontier)
	for part := range slices.Chunk(frontier, batch) {
		found := make([][]candidate, len(part))
		parallel(len(part), func(i int) {
			found[i] = e.successors(part[i])
			part[i].state = nil // it is not needed any more
		})
		fresh, bad := e.fresh(slices.Concat(found...))
		if bad != nil {
			return nil, bad
		}
		parallel(len(fresh), func(i int) { fresh[i].err = fresh[i].state.check(fresh[i].round, e.Heal) })
		for i := range fresh {
			if fresh[i].err != nil {
				return nil, &fresh[i]
			}
			e.nodes = append(e.nodes, node{fresh[i].from, fresh[i].step})
			fresh[i].from, fresh[i].round = int32(len(e.nodes)-1), round{}
			if e.depth == e.Depth {
				fresh[i].state = nil // nobody goes on from there
			}
			next = append(next, fresh[i])
		}
		e.left -= len(part)
		if e.Progress != nil {
			e.Progress(e.at())
		}
	}
	return next, nil
}

// fresh are the candidates whose states are new.
func (e *explorer) fresh(found []candidate) ([]candidate, *candidate) {
	var out []candidate
	for _, c := range found {
		e.transitions++
		if c.err != nil {
			return nil, &c
		}
		if !e.seen[c.key] {
			e.seen[c.key] = true
			out = append(out, c)
		}
	}
	return out, nil
}

// parallel calls do for each number below n.
func parallel(n int, do func(int)) {
	workers := runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := w; i < n; i += workers {
				do(i)
			}
		}()
	}
	wait.Wait()
}

// check is what holds in every state.
func (s *state) check(r round, heal bool) error {
	if err := s.checkKept(); err != nil {
		return err
	}
	if err := s.checkRound(r); err != nil {
		return err
	}
	if heal {
		return s.heal()
	}
	return nil
}

// successors are all states that are one step away.
func (e *explorer) successors(c candidate) []candidate {
	var out []candidate
	for _, event := range e.events(c.state) {
		last := NoCrash
		if int(c.state.crash) < e.Crashes {
			last = ManifestWrite
		}
		for crash := NoCrash; crash <= last; crash++ {
			one, happened := e.successor(c, Step{event, crash})
			if !happened {
				break
			}
			out = append(out, one)
		}
	}
	return out
}

// successor is one step away; false = nothing could happen.
func (e *explorer) successor(c candidate, step Step) (candidate, bool) {
	one := candidate{from: c.from, step: step, state: c.state.clone()}
	var happened bool
	one.round, happened, one.err = one.state.step(step)
	if one.err != nil {
		return one, true
	}
	if !happened {
		return one, false
	}
	if e.Limits[step.Event.Verb] >= 0 {
		one.state.spent[step.Event.Verb]++
	}
	if step.CrashBefore != NoCrash {
		one.state.crash++
	}
	one.key = one.state.key()
	return one, true
}

// events are those that may happen.
func (e *explorer) events(s *state) []Event {
	var out []Event
	may := func(verb Verb) bool {
		limit := e.Limits[verb]
		return limit < 0 || int(s.spent[verb]) < limit
	}
	for _, verb := range local() {
		for _, c := range s.clusters {
			if may(verb) && e.sensible(s, verb, c) {
				out = append(out, Event{verb, c.name})
			}
		}
	}
	for _, verb := range global() {
		if may(verb) {
			out = append(out, Event{Verb: verb})
		}
	}
	return out
}

// sensible leaves out what could not matter.
func (e *explorer) sensible(s *state, verb Verb, c cluster) bool {
	concerned := s.isTarget(c.name) || s.isEvicted(c.name) || c.copy != nil
	switch verb {
	case Schedule:
		return e.IgnoreExcluded || !slices.Contains(s.excluded, c.name)
	case Evict, Taint, Intrude:
		return s.isTarget(c.name)
	case Withdraw, Cancel:
		return s.isEvicted(c.name)
	case Lose, Fence, Require:
		return concerned
	case Acknowledge:
		return c.copy != nil || slices.ContainsFunc(s.owed, func(o owed) bool { return o.origin == c.name })
	case Confirm:
		return s.isEvicted(c.name)
	}
	return true
}

// heal lets all be well, and expects the application to recover.
func (s *state) heal() error {
	s = s.clone()
	for round := range 60 {
		s.calm()
		s.pick()
		if round == 45 {
			s.consult()
		}
		if _, err := s.reconcile(NoCrash); err != nil {
			return fmt.Errorf("while all is well: %w", err)
		}
		if s.recovered() == "" && round > 0 {
			return s.settled()
		}
		if s.due > s.now && round%3 == 0 {
			s.now = s.due
		} else {
			s.now++
		}
	}
	r, _ := s.reconcile(NoCrash)
	text, _ := json.Marshal(r)
	return broken("F12", "all is well and the application does not recover: %s\n%s", s.recovered(), text)
}

// consult lets a person have a look, who ends all states if only a person can tell.
func (s *state) consult() {
	if !s.ambiguous() {
		return
	}
	for _, c := range s.clusters {
		s.ask(requestOf(Event{Acknowledge, c.name}))
	}
}

// ambiguous says that only a person knows what counts: different states wait, or one for
// several copies, or one beside a copy that runs without it.
func (s *state) ambiguous() bool {
	running := slices.ContainsFunc(s.clusters, func(c cluster) bool { return c.copy != nil && s.isTarget(c.name) })
	different := slices.ContainsFunc(s.owed, func(o owed) bool { return o.value != s.owed[0].value })
	return len(s.owed) > 0 && (running || different || len(s.targets) > 1)
}

// settled is L4: once the application recovered, the record forgets what is over.
func (s *state) settled() error {
	var r round
	for range 3 {
		s.now += s.world.horizon()
		s.calm()
		var err error
		if r, err = s.reconcile(NoCrash); err != nil {
			return fmt.Errorf("while all is well: %w", err)
		}
	}
	if record := r.out.Record; len(s.owed) == 0 && len(record.Moves) > len(record.Deliveries) {
		text, _ := json.Marshal(record)
		return broken("L4", "all is well, and the record keeps moves that nothing needs: %s", text)
	}
	return nil
}

func (s *state) calm() {
	for i := range s.clusters {
		c := &s.clusters[i]
		c.lost, c.fenced, c.tainted, c.required = false, false, false, false
		if !s.isTarget(c.name) {
			s.confirm(c)
		}
		switch {
		case c.copy == nil:
		case c.copy.deleting:
			s.abandon(c)
			c.copy = nil
		case s.isTarget(c.name):
			c.copy.health, c.copy.silent = eviction.Healthy, false
		}
	}
}

func (s *state) pick() {
	for i := range s.clusters {
		if !slices.Contains(s.excluded, s.clusters[i].name) {
			s.schedule(&s.clusters[i])
		}
	}
}

// recovered says what is still wrong; empty = nothing.
func (s *state) recovered() string {
	var wrong []string
	if len(s.targets) == 0 {
		wrong = append(wrong, "no target")
	}
	for _, t := range s.tasks {
		wrong = append(wrong, "a task for "+t.FromCluster)
	}
	for _, c := range s.clusters {
		switch {
		case c.copy == nil && s.isTarget(c.name):
			wrong = append(wrong, "no copy on "+c.name)
		case c.copy != nil && (!s.isTarget(c.name) || c.copy.deleting || c.copy.health != eviction.Healthy):
			wrong = append(wrong, "an old copy on "+c.name)
		}
	}
	for _, o := range s.owed {
		if !o.optional {
			wrong = append(wrong, "the state "+o.value+" waits")
		}
	}
	return strings.Join(wrong, ", ")
}
