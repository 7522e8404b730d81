package failovertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// round is one call of Plan.
type round struct {
	in  failover.PlanInput
	out failover.PlanOutput
	err error // that Plan gave beside its answer
	// read is the JSON that the record of the input was read from, and written the
	// record of the answer as it was read back; nil = it was not written.
	read    []byte
	written *failover.Record
}

// MarshalJSON is for people who look at a broken promise (F12).
func (r round) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"in": r.in, "out": r.out})
}

// step lets one thing happen and reconciles once. False says that nothing could happen.
func (s *state) step(one Step) (round, bool, error) {
	happened, err := s.happen(one.Event)
	if err != nil || !happened {
		return round{}, false, err
	}
	r, err := s.reconcile(one.CrashBefore)
	return r, true, err
}

// reconcile is what a controller does, in the order of F14.
func (s *state) reconcile(crash Write) (round, error) {
	s.collect()
	s.feel()
	for _, r := range s.requests {
		s.asked(r)
	}
	r := round{in: s.input(), read: s.record}
	var err error
	targets, tasks := slices.Clone(r.in.Targets), slices.Clone(r.in.Tasks)
	r.out, err = plan(r.in)
	if !reflect.DeepEqual(targets, r.in.Targets) || !reflect.DeepEqual(tasks, r.in.Tasks) {
		return r, broken("L1", "Plan changes the lists of its input")
	}
	if bad := (*PromiseError)(nil); errors.As(err, &bad) {
		return r, bad
	}
	if bad := (*failover.RecordError)(nil); errors.As(err, &bad) {
		return r, broken("F1", "Plan refuses its own record: %v", err)
	}
	r.err = err
	s.due = 0
	if r.out.NextCheck.OK {
		s.due = s.now + int64(r.out.NextCheck.After/time.Second)
	}
	s.excluded = s.excluded[:0:0]
	for _, e := range r.out.Excluded {
		s.excluded = append(s.excluded, e.Cluster)
	}
	if err := s.checkAnswer(r); err != nil {
		return r, err
	}
	for _, write := range []struct {
		number Write
		do     func(round) error
	}{{RecordWrite, s.writeRecord}, {BindingWrite, s.writeBinding}, {PurgeWrite, s.writePurges}, {ManifestWrite, s.writeManifests}} {
		if write.number == crash {
			return r, nil
		}
		if err := write.do(r); err != nil {
			return r, err
		}
		r.written = &s.stored
	}
	s.requests = nil
	return r, nil
}

// plan is failover.Plan, and says so if it panics.
func plan(in failover.PlanInput) (out failover.PlanOutput, err error) { //nolint:nonamedreturns // a panic has no other way out
	defer func() {
		if caught := recover(); caught != nil {
			err = broken("L4", "Plan panics: %v", caught)
		}
	}()
	return failover.Plan(in)
}

func (s *state) writeRecord(r round) error {
	if err := s.store(r.out.Record); err != nil {
		return err
	}
	s.note(r)
	if err := s.release(r); err != nil {
		return err
	}
	for i := range s.clusters {
		c := &s.clusters[i]
		if c.copy == nil {
			continue
		}
		// Health is observed before anything is evicted, and after a withdrawal, also in one call.
		there := s.isTarget(c.name) && !s.isEvicted(c.name) || targets(r.out.Targets, c.name) && !evicts(r.out.Tasks, c.name)
		if there && c.item != nil && c.item.of == c.copy.id && well(c.item.health) {
			c.copy.seen(c.item.at)
		}
		c.copy.excused = c.copy.excused || c.fenced && evicts(r.out.Tasks, c.name)
	}
	return s.moved(r)
}

// store makes the record JSON, and reads it back if it is another one.
func (s *state) store(record failover.Record) error {
	text, err := json.Marshal(record)
	if err != nil {
		return broken("F1", "the record is no JSON: %v", err)
	}
	if bytes.Equal(text, s.record) {
		return nil
	}
	var back failover.Record
	if err := json.Unmarshal(text, &back); err != nil {
		return broken("F1", "the record cannot be read again: %v", err)
	}
	s.outlive(back)
	s.record, s.stored = text, back
	return nil
}

// outlive keeps, for the key, which item the record took a digest of.
func (s *state) outlive(next failover.Record) {
	for _, one := range next.Clusters {
		was := slices.IndexFunc(s.stored.Clusters, func(c failover.ClusterRecord) bool { return c.Name == one.Name })
		if one.Outlived == "" || was >= 0 && s.stored.Clusters[was].Outlived == one.Outlived {
			continue
		}
		if c := s.cluster(one.Name); c != nil && c.item != nil {
			c.outlived = item{health: c.item.health, job: c.item.job}
		}
	}
}

// seen is what the controller learns from health that was observed at an instant.
func (r *replica) seen(at int64) {
	switch {
	case at > r.created:
		r.proof = proven
	case r.proof == unproven:
		r.proof = perhaps
	}
}

type binding struct {
	Targets []eviction.TargetCluster `json:"targets"`
	Tasks   []eviction.Task          `json:"tasks"`
}

func (s *state) writeBinding(r round) error {
	if reflect.DeepEqual(r.in.Targets, r.out.Targets) && reflect.DeepEqual(r.in.Tasks, r.out.Tasks) {
		return nil
	}
	text, err := json.Marshal(binding{r.out.Targets, r.out.Tasks})
	if err != nil {
		return broken("F12", "targets and tasks are no JSON: %v", err)
	}
	var next binding
	if err := json.Unmarshal(text, &next); err != nil {
		return broken("F12", "targets and tasks cannot be read again: %v", err)
	}
	old := s.tasks
	s.targets, s.tasks = next.Targets, next.Tasks
	for _, t := range s.tasks {
		same := func(o eviction.Task) bool { return o.PurgeMode == t.PurgeMode && contains([]eviction.Task{o}, t) }
		if !slices.ContainsFunc(old, same) { // evicted again in one second, it may have another mode
			s.departed(t)
		}
	}
	for _, t := range old {
		if !contains(s.tasks, t) {
			if err := s.ended(t, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func contains(tasks []eviction.Task, one eviction.Task) bool {
	return slices.ContainsFunc(tasks, func(t eviction.Task) bool {
		return t.FromCluster == one.FromCluster && t.CreationTimestamp.Equal(one.CreationTimestamp)
	})
}

// departed makes the copy of a cluster an old one, whose state waits for another. A task
// without a creation time is as old as this instant, until Plan gives it one (E6).
func (s *state) departed(t eviction.Task) {
	c := s.cluster(t.FromCluster)
	if c == nil {
		return
	}
	c.left = stopwatch{true, s.now}
	if t.CreationTimestamp != nil {
		c.left.since = seconds(t.CreationTimestamp)
	}
	if c.copy == nil {
		return
	}
	c.copy.leaving, c.copy.released = modeOf(t.PurgeMode), false
}

// moved looks at the moves of a new record: what left waits for another copy, and what
// stays after all does not.
func (s *state) moved(r round) error {
	s.uncount(r.out.Record)
	for _, m := range r.out.Record.Moves {
		s.count(m, r)
		c := s.cluster(m.From)
		if m.Attempt > r.in.Record.Attempts && c != nil && c.copy != nil {
			c.copy.soak = orZero(s.terms(m.Cause).waits.SoakSeconds)
		}
		switch {
		case m.Attempt > r.in.Record.Attempts && m.Reason != "TargetRemoved" && carries(m):
			if err := s.checkMissing(c, m); err != nil {
				return err
			}
			s.owe(c, m)
		case dropped(r.out.Record, m.Attempt) && !dropped(r.in.Record, m.Attempt):
			there := c != nil && c.copy != nil // else what it had received waits again
			s.owed = slices.DeleteFunc(s.owed, func(o owed) bool { return o.origin == m.From && (there || o.attempt == m.Attempt) })
		}
	}
	return nil
}

// release remembers which old copies are not waited for any more, which no later answer
// may take back (P5).
func (s *state) release(r round) error {
	for _, p := range r.out.Purges {
		c := s.cluster(p.Cluster)
		switch {
		case c == nil || c.copy == nil || c.copy.leaving != purge.Directly:
		case p.New == purge.Create && !c.required:
			c.copy.released = true
		case p.New == purge.Hold && c.copy.released && !s.forgot:
			return broken("P5", "new copies wait again for the old one on %s, beside which they were allowed", c.name)
		}
	}
	return nil
}

func dropped(r failover.Record, attempt int64) bool {
	return slices.ContainsFunc(r.History, func(h failover.HistoryItem) bool {
		return h.Attempt == attempt && h.Outcome == failover.OutcomeDropped
	})
}

// carries says that the move gives the state to new copies.
func carries(m failover.Move) bool { return m.Mode == purge.Directly || m.InjectWhenNotDirectly }

// anyMode says that state is, or was, given to copies beside old ones.
func (s *state) anyMode() bool {
	if s.shares {
		return true
	}
	for _, cause := range causes() {
		if s.terms(cause).preserved.InjectWhenNotDirectly {
			return true
		}
	}
	return false
}

// owe remembers what the copy stands for: what it received, or what the policy finds in
// the status that the host knows. A task of somebody else says itself what goes along.
func (s *state) owe(c *cluster, m failover.Move) {
	if c == nil || c.copy == nil {
		return
	}
	if m.Pending == nil {
		s.oweAll(c, m.Attempt, s.forgot || m.Proven, s.value(m.State))
		if c.copy.proof != proven { // nobody asked the copy (F6)
			s.oweAll(c, m.Attempt, s.forgot || c.copy.proof == perhaps, c.copy.had)
		}
		return
	}
	for i := range s.owed { // the same copy left before, and came back
		s.owed[i].optional = s.owed[i].optional || s.owed[i].origin == c.name && s.owed[i].value == c.copy.left
	}
	state, whole := s.extract(c, m.Cause, s.collected(c))
	values := c.copy.values(s.value(&state))
	if forwards := c.copy.had != "" && c.copy.proof == unproven; forwards { // its own status is not asked (F6)
		s.oweAll(c, m.Attempt, len(values) > 1, values...)
		return
	}
	optional := len(values) > 1 || !whole || s.aged(m.Cause) || !c.own() && !s.strict()
	if !whole {
		values = append(values, c.copy.had) // which may go along instead (F6)
	}
	s.oweAll(c, m.Attempt, optional, values...)
}

func (s *state) oweAll(c *cluster, attempt int64, optional bool, values ...string) {
	for _, v := range values {
		if v != "" {
			c.copy.left = v
			s.owed = append(s.owed, owed{v, c.name, c.sourceOf(v), optional || s.stands(c, v), attempt})
		}
	}
}

// aged says that state may be too old to go along.
func (s *state) aged(cause preservation.Cause) bool {
	return s.terms(cause).preserved.MaxStateAgeSeconds != nil
}

// abandon is for copies that end without an eviction: what they received and were not
// healthy with waits again.
func (s *state) abandon(c *cluster) {
	if c.copy != nil && c.copy.had != "" && c.copy.proof != proven && c.copy.leaving == "" && !c.copy.removed {
		s.owed = append(s.owed, owed{c.copy.had, c.name, c.copy.source, c.copy.proof == perhaps || s.stands(c, c.copy.had), 0})
	}
}

// stands says that a copy which stays elsewhere has the value, and is well: it may be the
// one that the value came from.
func (s *state) stands(c *cluster, value string) bool {
	return slices.ContainsFunc(s.clusters, func(other cluster) bool {
		return other.name != c.name && other.copy != nil && s.isTarget(other.name) && !s.isEvicted(other.name) && other.isWell() && s.holds(&other, value)
	})
}

// sourceOf is the cluster whose own value it was: this one's, or that of the copy which
// left it.
func (c *cluster) sourceOf(value string) string {
	if value == c.copy.had {
		return c.copy.source
	}
	return c.name
}

// ended looks at a task that Plan took away.
func (s *state) ended(t eviction.Task, r round) error {
	c := s.cluster(t.FromCluster)
	if s.isTarget(c.name) {
		c.left.stop()
	}
	if s.isTarget(c.name) && !contains(s.tasks, t) && c.copy != nil && c.copy.leaving != "" {
		if c.copy.leaving == purge.Directly && !c.copy.confirmed {
			return broken("E11", "the eviction of %s is withdrawn while its copy is deleted", c.name)
		}
		c.copy.leaving = ""
		// What the copy stands for needs no other one, also where one received it meanwhile: that one
		// may pass it on, where the policy shares it.
		own := func(o owed) bool { return o.origin == c.name || s.holds(c, o.value) }
		for i := range s.owed {
			s.owed[i].optional = s.owed[i].optional || own(s.owed[i])
		}
		s.owed = slices.DeleteFunc(s.owed, func(o owed) bool { return own(o) && !s.anyMode() })
		return nil
	}
	if c.copy != nil && c.copy.leaving != "" && !s.isEvicted(c.name) && !slices.ContainsFunc(r.out.Purges, func(p failover.PurgeDecision) bool {
		return s.world.Host.DropOnPurge && p.Cluster == c.name && p.Old == purge.Delete
	}) {
		return broken("E7", "the task of %s ended while its old copy is there", c.name)
	}
	return nil
}

func (s *state) writePurges(r round) error {
	for _, p := range r.out.Purges {
		c := s.cluster(p.Cluster)
		if c == nil || p.Old != purge.Delete || c.copy == nil || c.lost {
			continue
		}
		if err := s.checkPurge(c, r); err != nil {
			return err
		}
		c.copy.deleting = true
	}
	for i := range s.clusters { // what the application has nothing to do with any more
		c := &s.clusters[i]
		if c.copy != nil && !c.lost && !c.required && !s.isTarget(c.name) && !s.isEvicted(c.name) {
			c.copy.deleting = true
		}
	}
	return nil
}

func (s *state) writeManifests(r round) error {
	for _, p := range r.out.Placements {
		c := s.cluster(p.Cluster)
		if c == nil || p.Action != failover.Apply || c.lost || !s.isTarget(c.name) {
			continue
		}
		if c.copy != nil {
			if err := s.update(c, p.State); err != nil {
				return err
			}
			continue
		}
		if err := s.create(c, p.State, r); err != nil {
			return err
		}
	}
	return nil
}

// update writes a manifest where a copy is.
func (s *state) update(c *cluster, next *preservation.State) error {
	k := c.copy
	value, given, kept := s.value(next), orNone(next), orNone(k.kept)
	switch {
	case k.leaving == purge.Directly && !c.required:
		return broken("E13", "a manifest is written over the copy on %s, which is being deleted", c.name)
	case k.deleting || given.Equal(kept):
		return nil
	case !within(given, kept):
		return broken("F9", "the running copy on %s receives %s; it had %s", c.name, value0(value), value0(k.received))
	case k.proof == unproven && k.received != "":
		return broken("F7", "the copy on %s loses %s before it was healthy with it", c.name, k.received)
	case s.retains() && !k.acknowledged && !s.forgot:
		return broken("F7", "the copy on %s loses %s before the next failover", c.name, value0(k.received))
	}
	k.received, k.kept = value, next
	return nil
}

// retains says that copies keep what they received until the next failover.
func (s *state) retains() bool {
	for _, cause := range causes() {
		if s.terms(cause).preserved.Retention != preservation.UntilNextFailover {
			return false
		}
	}
	return true
}

func orNone(state *preservation.State) preservation.State {
	if state == nil {
		return preservation.State{}
	}
	return *state
}

func value0(v string) string {
	if v == "" {
		return "nothing"
	}
	return v
}

// create makes a new copy.
func (s *state) create(c *cluster, given *preservation.State, r round) error {
	value := s.value(given)
	if err := s.checkOldCopies(c); err != nil {
		return err
	}
	if err := s.checkState(c, value, r); err != nil {
		return err
	}
	at := slices.IndexFunc(s.owed, func(o owed) bool { return o.value == value })
	source := ""
	if at >= 0 {
		source = s.owed[at].source
		s.owed = slices.DeleteFunc(s.owed, func(o owed) bool { return o.value == value })
	}
	if at >= 0 || s.startsWithout(c, r) {
		for i := range s.owed {
			s.owed[i].optional = true // newer state ends it, or a copy that the policy lets start without
		}
	}
	s.copies++
	c.copy = &replica{
		id: s.copies, created: s.now, health: eviction.HealthUnknown, received: value, had: value, source: source,
		given: given, kept: given,
	}
	return nil
}

// startsWithout says that the copy starts without the state that waits, and that the policy
// lets it: once it is healthy that state ends (F6). Plan says so, which alone proves nothing.
func (s *state) startsWithout(c *cluster, r round) bool {
	return warned(r, c.name, failover.StartedWithoutState) && (s.mayStartWithout(c) || s.ranBefore(c.name) || c.required)
}

// mayStartWithout says that a policy, now or earlier, lets copies start without state: at
// once, or when the target waited for it for long enough (F6).
func (s *state) mayStartWithout(c *cluster) bool {
	if s.lax {
		return true
	}
	for _, cause := range causes() {
		sp := s.terms(cause).preserved
		limited := sp.MissingStateDeadlineSeconds != nil && c.stay.age(s.now, s.now) >= int64(*sp.MissingStateDeadlineSeconds)
		if limited || sp.OnMissingState == preservation.EvictWithout {
			return true
		}
	}
	return false
}

// PromiseError is a promise that was not kept (F12).
type PromiseError struct {
	// Rule that it breaks.
	Rule string
	// Message says what happened.
	Message string
}

// Error names the rule and what happened (F12).
func (b *PromiseError) Error() string { return b.Rule + ": " + b.Message }

func broken(rule, format string, args ...any) error {
	return &PromiseError{rule, fmt.Sprintf(format, args...)}
}
