package failovertest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Label is the key of the state in a [World]: a rule with the path {.job} and this alias
// carries the job of a copy, which is "j" and the number of the copy (S8).
const Label = "example.com/job"

// taintKey is that of the taint that the verb adds.
const taintKey = "example.com/down"

// start is when every story begins.
func start() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

// longestStory is in seconds, and shorter than any overflow.
const longestStory = int64(1) << 32

// state is all there is at one instant, stored or true.
type state struct {
	world *World
	// now is in seconds since the beginning.
	now int64

	// What the host stores. stored is the record as it was read back; nobody changes it.
	record   []byte
	stored   failover.Record
	targets  []eviction.TargetCluster
	tasks    []eviction.Task
	requests []failover.Request
	revision int

	clusters []cluster
	copies   int   // that were ever created
	due      int64 // the next check; 0 = none
	excluded []string

	// owed are the values that left with an eviction and that no copy received since,
	// oldest first.
	owed []owed
	// counted are the failovers for bad health that were not taken back (F3).
	counted []tally
	// spent counts the events that are limited.
	spent map[Verb]int8
	crash int8

	// marks are where the policies so far write what tells of the move, and common the
	// values that more than one copy reported.
	marks  []preservation.Ref
	common []string
	// lax, shares and forgot say that an earlier policy let copies start without state,
	// that one gave state to copies beside old ones, and that the record was lost.
	lax, shares, forgot bool
	// edited says that the policy is the other one of the world.
	edited bool
}

// cluster is one cluster as it is.
type cluster struct {
	name    string
	lost    bool
	fenced  bool
	tainted bool
	since   int64 // of the taint
	copy    *replica
	item    *item
	// outlived is the item that was there when a copy was last allowed (E8).
	outlived item
	// sick runs since the controller may have taken the application here for unhealthy,
	// surely since it must have (F2), and left since the last eviction from here (E12).
	sick, surely, left stopwatch
	// stay runs since the cluster is a target (F6), and good since the controller may have
	// known the copy here for well (P6).
	stay, good stopwatch
	// wellIn is one more than the revision that was last known for well in this stay; 0 =
	// none was (F3).
	wellIn int
	// unseen says that the host does not know whether a copy is there, and required that
	// something else needs it; facts are what it knows besides.
	unseen, required bool
	facts            *Facts
}

// item is a status as the host collected it last.
type item struct {
	health eviction.Health
	job    string // empty = no status
	status []byte // that a scenario gave; nil = that of the world
	at     int64
	of     int // number of the copy
}

// replica is one copy of the application.
type replica struct {
	id       int
	created  int64
	health   eviction.Health
	silent   bool
	deleting bool
	// status is what a scenario lets it report; nil = what the world says.
	status []byte
	// received is the value on its manifest, and proof says whether the controller saw
	// the copy healthy with it.
	received string
	// source is the cluster whose own value that was.
	source string
	proof  proof
	// had is what it received first.
	had string
	// given and kept are the states of had and received, and left is the value that went
	// along when it was left.
	given, kept *preservation.State
	left        string
	// leaving is the mode of the task that makes it an old copy; empty = none.
	leaving purge.Mode
	// soak is how long its replacement must be well before it goes, in seconds (P6).
	soak int64
	// excused says that it was fenced while a task made it an old copy (P5).
	excused bool
	// removed says that the scheduler took it off the targets.
	removed bool
	// confirmed says that a person allowed its deletion, and acknowledged that one does not
	// need what it received.
	confirmed, acknowledged bool
	// released says that new copies were allowed beside it, which is never taken back (P5).
	released bool
}

type proof int

const (
	unproven proof = iota
	perhaps        // seen healthy within the second of its delivery, or acknowledged
	proven
)

type owed struct {
	value, origin string
	// source is the cluster whose own value it was, before other copies received it.
	source string
	// optional says that a person does not need it any more, or that it may be proven.
	optional bool
	// attempt is the move that it left with; 0 = its copy ended without one.
	attempt int64
}

func job(id int) string { return "j" + strconv.Itoa(id) }

// values are what the copy stands for: what it received, its own, or either.
func (r *replica) values(own string) []string {
	switch {
	case r.had == "" || r.proof == proven:
		return []string{own}
	case r.proof == perhaps:
		return []string{r.had, own}
	default:
		return []string{r.had}
	}
}

func newState(w *World) *state {
	s := &state{world: w, spent: map[Verb]int8{}, record: []byte("{}"), marks: marksOf(w.Policy)}
	for _, name := range w.Clusters {
		s.clusters = append(s.clusters, cluster{name: name})
	}
	return s
}

// clone shares nothing that changes later. Lists that are stored are replaced as a
// whole, so they need no copy.
func (s *state) clone() *state {
	out := *s
	out.clusters = slices.Clone(s.clusters)
	for i := range out.clusters {
		if c := out.clusters[i].copy; c != nil {
			same := *c
			out.clusters[i].copy = &same
		}
	}
	out.owed, out.requests = slices.Clone(s.owed), slices.Clone(s.requests)
	out.spent = maps.Clone(s.spent)
	return &out
}

func (s *state) cluster(name string) *cluster {
	for i := range s.clusters {
		if s.clusters[i].name == name {
			return &s.clusters[i]
		}
	}
	return nil
}

func at(seconds int64) time.Time { return start().Add(time.Duration(seconds) * time.Second) }

func (s *state) isTarget(name string) bool {
	return slices.ContainsFunc(s.targets, func(t eviction.TargetCluster) bool { return t.Name == name })
}

func (s *state) isEvicted(name string) bool {
	return slices.ContainsFunc(s.tasks, func(t eviction.Task) bool { return t.FromCluster == name })
}

// collect reads the status of what is reachable. What was known of a cluster that the
// application has nothing to do with any more is forgotten.
func (s *state) collect() {
	for i := range s.clusters {
		c := &s.clusters[i]
		switch {
		case !s.isTarget(c.name) && !s.isEvicted(c.name):
			c.item = nil
		case c.lost:
		case c.copy == nil || c.copy.deleting: // a copy that ends tells nothing about the next
			c.item = nil
		default:
			c.item = &item{health: c.copy.health, at: s.now, of: c.copy.id}
			if !c.copy.silent {
				c.item.job, c.item.status = job(c.copy.id), c.copy.status
			}
		}
	}
}

// input is what the host tells Plan.
func (s *state) input() failover.PlanInput {
	in := failover.PlanInput{
		Policy: s.world.Policy, Now: at(s.now), Producer: "failovertest", Revision: strconv.Itoa(s.revision),
		Targets: s.targets, Tasks: s.tasks, Scheduled: !s.world.Unscheduled, DesiredReplicas: s.world.DesiredReplicas,
		Clusters: map[string]failover.ClusterFacts{}, Tolerations: s.world.Tolerations, Requests: s.requests,
		Template: s.world.Template, Record: s.stored, Host: s.world.Host,
	}
	for i := range s.clusters {
		c := &s.clusters[i]
		in.Clusters[c.name] = s.known(c)
		if c.item == nil {
			continue
		}
		one := eviction.AggregatedStatusItem{ClusterName: c.name, Applied: true, Health: c.item.health}
		if status := s.collected(c); status != nil {
			one.Status = &runtime.RawExtension{Raw: status}
		}
		if s.world.Dated {
			one.ObservedAt = &metav1.Time{Time: at(c.item.at)}
		}
		in.Items = append(in.Items, one)
	}
	return in
}

// known is what the host knows of a cluster.
func (s *state) known(c *cluster) failover.ClusterFacts {
	facts := failover.ClusterFacts{
		Fenced: c.fenced, RequiredByOthers: c.required, TaintsKnown: s.world.TaintsKnown && !c.lost,
	}
	c.facts.fill(&facts)
	switch {
	case c.lost || c.unseen:
		facts.Presence = purge.Unknown
	case c.copy == nil:
		facts.Presence = purge.Gone
	default:
		facts.Presence = purge.Present
	}
	if c.tainted {
		taint := failover.Taint{Key: taintKey, Effect: failover.NoExecute}
		if s.world.Dated {
			taint.TimeAdded = &metav1.Time{Time: at(c.since)}
		}
		facts.Taints = append([]failover.Taint{taint}, facts.Taints...)
	}
	return facts
}

// happen changes the world; false says that the event has no effect here.
func (s *state) happen(e Event) (bool, error) {
	if slices.Contains(global(), e.Verb) {
		return s.pass(e.Verb), nil
	}
	c := s.cluster(e.Cluster)
	if c == nil {
		return false, fmt.Errorf("event %q: there is no cluster %.64q", e, e.Cluster)
	}
	switch e.Verb {
	case Schedule:
		return s.schedule(c), nil
	case Unschedule:
		return s.unschedule(c), nil
	case Evict, Withdraw, Acknowledge:
		s.ask(requestOf(e))
		return true, nil
	case Confirm:
		return s.confirm(c), nil
	case Intrude:
		return s.intrude(c), nil
	case Cancel:
		return s.cancel(c), nil
	}
	if e.Verb == Vanish && !c.lost || e.Verb == Wipe && c.lost || e.Verb == Deleted && c.copy != nil && c.copy.deleting {
		s.abandon(c)
	}
	if done, own := c.outside(e.Verb, s.now); own {
		return done, nil
	}
	return c.inside(e.Verb), nil
}

// pass is what concerns no cluster.
func (s *state) pass(verb Verb) bool {
	switch verb {
	case Tick:
		s.now++
	case Wait:
		if s.due <= s.now+1 {
			return false
		}
		s.now = s.due
	case Later:
		s.now += s.world.horizon()
	case Release:
		s.revision++
	case Revise:
		return s.swap()
	case Forget:
		s.forget()
	}
	return true
}

// swap revises the policy.
func (s *state) swap() bool {
	if s.world.Edited == nil {
		return false
	}
	s.lax, s.shares = s.lax || !s.strict(), s.shares || s.anyMode()
	w := *s.world
	w.Policy, w.Edited = *s.world.Edited, &s.world.Policy
	s.world, s.edited = &w, !s.edited
	s.marks = slices.Concat(s.marks, marksOf(w.Policy))
	return true
}

// intrude is what another controller does that evicts, and knows of no state. Nobody can
// tell its task from one that the controller made in this very second (E10).
func (s *state) intrude(c *cluster) bool {
	own := slices.ContainsFunc(s.stored.Moves, func(m failover.Move) bool { return m.From == c.name && seconds(&m.Created) == s.now })
	if own || !s.isTarget(c.name) || s.isEvicted(c.name) {
		return false
	}
	before := names(s.targets)
	slices.Sort(before)
	s.targets = slices.DeleteFunc(slices.Clone(s.targets), func(t eviction.TargetCluster) bool { return t.Name == c.name })
	s.setTasks(append(slices.Clone(s.tasks), eviction.Task{
		FromCluster: c.name, PurgeMode: purge.Directly, Reason: "Drained", Producer: "somebody",
		CreationTimestamp: &metav1.Time{Time: at(s.now)}, ClustersBeforeFailover: before,
	}))
	return true
}

// cancel is what somebody does who takes a task away.
func (s *state) cancel(c *cluster) bool {
	if !s.isEvicted(c.name) {
		return false
	}
	s.setTasks(slices.DeleteFunc(slices.Clone(s.tasks), func(t eviction.Task) bool { return t.FromCluster == c.name }))
	c.left.stop() // the controller may not have seen it
	return true
}

func (s *state) schedule(c *cluster) bool {
	if s.isTarget(c.name) || len(s.targets) >= max(1, s.world.Copies) {
		return false
	}
	s.targets = append(slices.Clone(s.targets), eviction.TargetCluster{Name: c.name})
	s.picked(c)
	return true
}

// picked lets a copy go on that the scheduler had taken off the targets.
func (s *state) picked(c *cluster) {
	if c.copy != nil && c.copy.removed {
		c.copy.removed = false
		for i := range s.owed { // it goes on with what it has
			s.owed[i].optional = s.owed[i].optional || s.owed[i].value == c.copy.had
		}
	}
}

func (s *state) unschedule(c *cluster) bool {
	if !s.isTarget(c.name) {
		return false
	}
	s.targets = slices.DeleteFunc(slices.Clone(s.targets), func(t eviction.TargetCluster) bool { return t.Name == c.name })
	if c.copy != nil && c.copy.leaving == "" {
		s.abandon(c)
		c.copy.removed = true
	}
	return true
}

func requestOf(e Event) failover.Request {
	actions := map[Verb]failover.RequestAction{
		Evict: failover.RequestEvict, Withdraw: failover.RequestWithdraw, Acknowledge: failover.RequestAcknowledge,
	}
	return failover.Request{Cluster: e.Cluster, Action: actions[e.Verb]}
}

func (s *state) ask(r failover.Request) {
	s.requests = append(s.requests, r)
	s.asked(r)
}

// asked is what a person does not need any more. A request that was not answered yet is
// asked again in the next call, also about what left meanwhile (F7).
func (s *state) asked(r failover.Request) {
	if r.Action != failover.RequestAcknowledge {
		return
	}
	if c := s.cluster(r.Cluster); c.copy != nil {
		c.copy.proof = max(c.copy.proof, perhaps)
		c.copy.acknowledged = true
	}
	for _, c := range s.clusters { // a copy that leaves may come back without what is not needed
		if c.copy != nil && c.copy.leaving != "" && c.copy.source == r.Cluster {
			c.copy.proof = max(c.copy.proof, perhaps)
		}
	}
	for i := range s.owed {
		s.owed[i].optional = s.owed[i].optional || s.owed[i].origin == r.Cluster || s.owed[i].source == r.Cluster
	}
}

func (s *state) confirm(c *cluster) bool {
	tasks, done := slices.Clone(s.tasks), false
	for i, t := range tasks {
		if t.FromCluster == c.name && (t.SuppressDeletion == nil || *t.SuppressDeletion) {
			no := false
			tasks[i].SuppressDeletion, done = &no, true
		}
	}
	s.tasks = tasks
	if done && c.copy != nil {
		c.copy.confirmed = true
	}
	return done
}

// outside is what happens to the cluster; the second answer says whether the verb is one
// of these.
func (c *cluster) outside(verb Verb, now int64) (bool, bool) {
	set := func(flag *bool, to bool) (bool, bool) {
		changed := *flag != to
		*flag = to
		return changed, true
	}
	switch verb {
	case Lose:
		return set(&c.lost, true)
	case Return:
		return set(&c.lost, false)
	case Wipe:
		if c.copy == nil {
			return false, true
		}
		changed, own := set(&c.lost, false)
		if changed {
			c.copy = nil
		}
		return changed, own
	case Fence:
		return set(&c.fenced, true)
	case Unfence:
		return set(&c.fenced, false)
	case Taint:
		c.since = now
		return set(&c.tainted, true)
	case Untaint:
		return set(&c.tainted, false)
	case Require:
		if c.copy != nil {
			c.copy.excused = true
		}
		return set(&c.required, true)
	case Unrequire:
		return set(&c.required, false)
	default:
		return false, false
	}
}

// inside is what happens to the copy.
func (c *cluster) inside(verb Verb) bool {
	if c.copy == nil {
		return false
	}
	was := *c.copy
	switch verb {
	case Healthy:
		c.copy.health = eviction.Healthy
	case Unhealthy:
		c.copy.health = eviction.Unhealthy
	case Unknown:
		c.copy.health = eviction.HealthUnknown
	case Silent:
		c.copy.silent = true
	case Talk:
		c.copy.silent = false
	case Deleted:
		if !c.copy.deleting || c.lost {
			return false
		}
		c.copy = nil
		return true
	case Vanish:
		if c.lost {
			return false
		}
		c.copy = nil
		return true
	}
	return was.health != c.copy.health || was.silent != c.copy.silent
}
