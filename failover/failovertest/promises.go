package failovertest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// checkAnswer is what is asked of an answer before it is written.
func (s *state) checkAnswer(r round) error {
	checks := []func(round) error{
		checkLists, s.checkCauses, s.checkTerms, checkRequests, checkReplaced, checkBlocked, s.checkExcluded, s.checkWords,
	}
	for _, check := range checks {
		if err := check(r); err != nil {
			return err
		}
	}
	return nil
}

// checkLists is E13: Plan itself makes no cluster both a target and under eviction.
func checkLists(r round) error {
	both := func(targets []eviction.TargetCluster, tasks []eviction.Task) map[string]bool {
		out := map[string]bool{}
		for _, t := range targets {
			for _, task := range tasks {
				if task.FromCluster == t.Name {
					out[t.Name] = true
				}
			}
		}
		return out
	}
	before := both(r.in.Targets, r.in.Tasks)
	for name := range both(r.out.Targets, r.out.Tasks) {
		if !before[name] {
			return broken("E13", "Plan makes %s both a target and under eviction", name)
		}
	}
	return nil
}

// checkOldCopies is P5 and L6, for a copy that is created now.
func (s *state) checkOldCopies(c *cluster) error {
	for i := range s.clusters {
		other := &s.clusters[i]
		if other.copy == nil || other.copy.leaving != purge.Directly || other.fenced || other.required || other.copy.excused {
			continue
		}
		for _, t := range s.tasks {
			if t.FromCluster == other.name && !slices.Contains(t.ClustersBeforeFailover, c.name) {
				return broken("P5", "a copy is created on %s while the old one on %s is neither gone nor fenced", c.name, other.name)
			}
		}
		if !s.isEvicted(other.name) {
			return broken("P5", "a copy is created on %s while the old one on %s, which has no task any more, is neither gone nor fenced", c.name, other.name)
		}
	}
	return nil
}

// checkState is about the state of a copy that is created now: it gets the newest that
// waits, and no second copy has the same.
func (s *state) checkState(c *cluster, value string, r round) error {
	again := slices.ContainsFunc(r.in.Record.Deliveries, func(d failover.Delivery) bool { return d.To == c.name })
	for i := range s.clusters {
		other := &s.clusters[i]
		k := other.copy
		if value == "" || k == nil || other == c || !s.holds(other, value) {
			continue
		}
		shared := s.anyMode() && k.leaving != purge.Directly && (again || !s.isTarget(other.name))
		if other.fenced || other.required || k.excused || shared {
			continue
		}
		return broken("I1", "the new copy on %s receives %s, which the one on %s has", c.name, value, other.name)
	}
	return s.checkNewest(c, value, r)
}

// checkNewest is about which state the copy gets.
func (s *state) checkNewest(c *cluster, value string, r round) error {
	needed := s.needed(c, r)
	switch {
	case value == "" && len(needed) > 0 && !s.mayStartWithout(c) && !s.ranBefore(c.name) && !c.required:
		return broken("L6", "the new copy on %s starts empty while %s waits", c.name, strings.Join(needed, ", "))
	case value == "" || retained(c, r):
		return nil
	case !slices.ContainsFunc(s.owed, func(o owed) bool { return o.value == value }):
		return broken("I1", "the new copy on %s receives %s, which nothing waits with", c.name, value)
	case len(needed) > 0 && needed[len(needed)-1] != value && s.older(value, needed[len(needed)-1]):
		return broken("I1", "the new copy on %s receives %s, which is older than %s", c.name, value, needed[len(needed)-1])
	}
	return nil
}

// retained says that the manifest keeps what an earlier copy there was healthy with: if
// that copy vanished, the next one is created with the same (F7).
func retained(c *cluster, r round) bool {
	return slices.ContainsFunc(r.in.Record.Deliveries, func(d failover.Delivery) bool { return d.To == c.name && d.Healthy })
}

// needed are the values that wait, but for those that another copy receives now.
func (s *state) needed(c *cluster, r round) []string {
	var out []string
	for _, o := range s.owed {
		given := slices.ContainsFunc(r.out.Placements, func(p failover.Placement) bool {
			return p.Cluster != c.name && s.value(p.State) == o.value
		})
		if from := s.cluster(o.origin); from != nil && from.required {
			continue // it stays with the copy that others require (P5, I1)
		}
		if !o.optional && !given {
			out = append(out, o.value)
		}
	}
	return out
}

// checkMissing is F6: nothing leaves without a Required value that the policy waits for,
// unless the copy was to pass on what it received or left with before, or nobody could know
// of one there.
func (s *state) checkMissing(c *cluster, m failover.Move) error {
	if c == nil || c.copy == nil || c.copy.had != "" || m.Pending == nil || s.forgot || !s.strict() {
		return nil
	}
	before := slices.ContainsFunc(s.owed, func(o owed) bool { return o.value == c.copy.left }) // with which that very copy left
	if before || (c.lost || c.unseen) && m.Pending.Cluster.Started == "" {
		return nil
	}
	if _, whole := s.extract(c, m.Cause, s.collected(c)); !whole {
		return broken("F6", "%s is left without a Required value", c.name)
	}
	return nil
}

// older says that one value left before another.
func (s *state) older(a, b string) bool {
	index := func(v string) int { return slices.IndexFunc(s.owed, func(o owed) bool { return o.value == v }) }
	return index(a) < index(b)
}

// strict says that no copy may start without state, whatever time passes.
func (s *state) strict() bool {
	if s.lax {
		return false
	}
	for _, cause := range causes() {
		sp := s.terms(cause).preserved
		if sp.OnMissingState == preservation.EvictWithout || sp.MissingStateDeadlineSeconds != nil {
			return false
		}
	}
	return true
}

// ranBefore says that every task lists the cluster: it was to run beside the old copies.
func (s *state) ranBefore(name string) bool {
	return len(s.tasks) > 0 && !slices.ContainsFunc(s.tasks, func(t eviction.Task) bool {
		return !slices.Contains(t.ClustersBeforeFailover, name)
	})
}

// checkKept is F7: what waits is stored.
func (s *state) checkKept() error {
	for _, o := range s.owed {
		if !o.optional && !s.kept(o.value) {
			return broken("F7", "the state %s of %s is lost before a copy was healthy with it", o.value, o.origin)
		}
	}
	return nil
}

// checkRound is what holds for every call of Plan.
func (s *state) checkRound(r round) error {
	for _, check := range []func(round) error{checkInput, checkSame, s.checkTime, checkOrder} {
		if err := check(r); err != nil {
			return err
		}
	}
	return nil
}

// checkInput is L1.
func checkInput(r round) error {
	if record, _ := json.Marshal(r.in.Record); !bytes.Equal(record, r.read) {
		return broken("L1", "Plan changes its input")
	}
	before, _ := json.Marshal(r.in)
	if _, err := plan(r.in); err != nil {
		_ = err // blocked clusters are no broken promise
	}
	after, _ := json.Marshal(r.in)
	if !bytes.Equal(before, after) {
		return broken("L1", "Plan changes its input")
	}
	return nil
}

// applied is the input with the answer written, and the requests answered.
func applied(r round) failover.PlanInput {
	in := r.in
	if r.written != nil {
		in.Record = *r.written
	} else {
		text, _ := json.Marshal(r.out.Record)
		in.Record = failover.Record{}
		if err := json.Unmarshal(text, &in.Record); err != nil {
			in.Record = failover.Record{Version: -1} // Plan will refuse it
		}
	}
	in.Targets, in.Tasks, in.Requests = r.out.Targets, r.out.Tasks, nil
	return in
}

// checkSame is F13: Plan agrees with its own output.
func checkSame(r round) error {
	in := applied(r)
	in.Requests = r.in.Requests // they are input, and stay until the host takes them away
	out, _ := plan(in)
	if diff := differ(r.out.Record, out.Record); diff != "" {
		return broken("F13", "Plan changes its own record at the same instant: %s", diff)
	}
	if diff := differ(binding{r.out.Targets, r.out.Tasks}, binding{out.Targets, out.Tasks}); diff != "" {
		return broken("F13", "Plan changes its own targets and tasks at the same instant: %s", diff)
	}
	if diff := differ(r.out.Placements, out.Placements); diff != "" {
		return broken("F13", "Plan changes its own placements at the same instant: %s", diff)
	}
	if len(r.in.Requests) == 0 && out.NextCheck != r.out.NextCheck {
		return broken("L5", "Plan names the next check %v, and %v at the same instant", r.out.NextCheck, out.NextCheck)
	}
	if len(out.Events) > 0 {
		return broken("F13", "Plan repeats events at the same instant: %v", out.Events)
	}
	if diff := differ(decided(r.out, r.out), decided(out, r.out)); diff != "" {
		return broken("F13", "Plan decides otherwise at the same instant: %s", diff)
	}
	return nil
}

func differ(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if bytes.Equal(a, b) {
		return ""
	}
	return fmt.Sprintf("\n  %s\n  %s", a, b)
}

// decided are outcomes and reasons by cluster, without those whose eviction is news, or
// whose task has just ended.
func decided(out, first failover.PlanOutput) map[string]string {
	all := map[string]string{}
	for _, d := range out.Decisions {
		all[d.Cluster] = string(d.Outcome) + " " + string(d.Reason)
	}
	for _, d := range first.Decisions {
		if d.Outcome == failover.Evict {
			delete(all, d.Cluster)
		}
		if d.Reason == failover.NotTarget || d.Reason == failover.WithdrawRequested {
			delete(all, d.Cluster)
		}
	}
	for _, p := range first.Purges {
		if !slices.ContainsFunc(first.Tasks, func(t eviction.Task) bool { return t.FromCluster == p.Cluster }) {
			delete(all, p.Cluster)
		}
	}
	return all
}

// outcome is all of an answer that time alone must not change before the next check.
type outcome struct {
	Decisions, Purges, Placements, Excluded map[string]string
	Binding                                 binding
}

func outcomeOf(out failover.PlanOutput) outcome {
	o := outcome{
		Decisions: map[string]string{}, Purges: map[string]string{}, Placements: map[string]string{}, Excluded: map[string]string{},
		Binding: binding{out.Targets, out.Tasks},
	}
	for _, d := range out.Decisions {
		o.Decisions[d.Cluster] = string(d.Outcome) + " " + string(d.Reason)
	}
	for _, p := range out.Purges {
		o.Purges[p.Cluster+p.Created.UTC().Format(time.RFC3339)] = fmt.Sprint(p.Outcome, " ", p.Old, " ", p.New, " ", p.Reason)
	}
	for _, p := range out.Placements {
		text := fmt.Sprint(p.Action, " ", p.Reason, " ", p.Origin, " ", p.Attempt)
		if p.State != nil {
			text += fmt.Sprint(" ", p.State.Labels, p.State.Annotations, p.State.Fields)
		}
		o.Placements[p.Cluster] = text
	}
	for _, e := range out.Excluded {
		o.Excluded[e.Cluster] = string(e.Reason)
	}
	return o
}

// checkTime is L5 and F13: time alone changes nothing before the next check, and nothing
// ever if there is none.
func (s *state) checkTime(r round) error {
	in := applied(r)
	now, _ := plan(in)
	if slices.ContainsFunc(now.Decisions, func(d failover.Decision) bool { return d.Outcome == failover.Evict }) {
		return nil // without the request that is answered, the answer is another one
	}
	want := outcomeOf(now)
	horizon := s.world.horizon()
	ahead := []int64{1, 2, horizon, 100 * horizon}
	if now.NextCheck.OK {
		next := int64(now.NextCheck.After / time.Second)
		ahead = slices.DeleteFunc([]int64{1, next / 2, next - 1}, func(n int64) bool { return n < 1 || n >= next })
	}
	for _, seconds := range slices.Compact(ahead) {
		later := in
		later.Now = in.Now.Add(time.Duration(min(seconds, longestStory)) * time.Second)
		out, _ := plan(later)
		if got := outcomeOf(out); !reflect.DeepEqual(want, got) {
			return broken("L5", "time alone changes the answer after %d s, and the next check is %v: %s", seconds, now.NextCheck, differ(want, got))
		}
		if len(now.Events) == 0 && len(out.Events) > 0 {
			return broken("F12", "nothing happened for %d s, and there is an event: %v", seconds, out.Events)
		}
	}
	return nil
}

// checkOrder is L3: the order of lists does not show.
func checkOrder(r round) error {
	in := r.in
	in.Targets, in.Tasks, in.Items, in.Requests = reversed(in.Targets), reversed(in.Tasks), reversed(in.Items), reversed(in.Requests)
	out, _ := plan(in)
	if diff := differ(sorted(r.out), sorted(out)); diff != "" {
		return broken("L3", "the order of lists shows: %s", diff)
	}
	return nil
}

func reversed[T any](list []T) []T {
	out := slices.Clone(list)
	slices.Reverse(out)
	return out
}

func sorted(out failover.PlanOutput) failover.PlanOutput {
	out.Targets, out.Tasks = slices.Clone(out.Targets), slices.Clone(out.Tasks)
	slices.SortFunc(out.Targets, func(a, b eviction.TargetCluster) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Tasks, func(a, b eviction.Task) int { return cmp.Compare(a.FromCluster, b.FromCluster) })
	return out
}
