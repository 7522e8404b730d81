package failover

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

// observe reads the health on every target: timers begin and end (F2), and a copy
// that is healthy in a later call than its delivery proves the state (F7).
func (p *planner) observe() {
	for _, name := range p.targetNames() {
		p.look(p.cluster(name))
	}
}

func (p *planner) look(c *ClusterRecord) {
	seen := eviction.Observe(p.items, c.Name, time.Time{})
	p.time(c, seen.Health)
	if seen.Health == eviction.Healthy && seen.Applied {
		p.prove(c)
	}
}

// current are the items that are about copies of now (E8).
func (p *planner) current() []eviction.AggregatedStatusItem {
	older := func(item eviction.AggregatedStatusItem) bool {
		name := item.ClusterName
		return p.isTarget(name) && !p.counted(item, p.cluster(name), p.deliveries[name] != nil)
	}
	out := p.in.Items
	if slices.ContainsFunc(out, older) {
		out = slices.DeleteFunc(slices.Clone(out), older)
	}
	for _, name := range p.targetNames() {
		if c := p.cluster(name); c.Outlived != "" && c.Outlived != digest(p.in.Items, name) {
			c.Outlived = ""
		}
	}
	return out
}

// counted says that an item of a target is about the copy that was allowed there: it
// was observed since, or changed. A copy that received state, is known to have run, or
// is seen, was allowed; in a new record every one, but of a cluster under eviction, whose
// copy only counts if others require it: then it is the one that stays.
func (p *planner) counted(item eviction.AggregatedStatusItem, c *ClusterRecord, received bool) bool {
	facts := p.in.Clusters[c.Name]
	known := p.first || facts.Presence == purge.Present
	stays := p.first && facts.RequiredByOthers
	if !received && c.Started == "" && (!known || p.tasksOf(c.Name) && !stays) {
		return false
	}
	if !item.ObservedAt.IsZero() {
		return c.StartedAt == nil || item.ObservedAt.After(c.StartedAt.Time)
	}
	return c.Outlived == "" || c.Outlived != digest(p.in.Items, c.Name)
}

// digest tells the items of a cluster without a time from others; empty = there are
// none.
func digest(items []eviction.AggregatedStatusItem, cluster string) string {
	var lines []string
	for _, item := range items {
		if item.ClusterName != cluster || !item.ObservedAt.IsZero() {
			continue
		}
		var status []byte
		if item.Status != nil {
			status = item.Status.Raw
		}
		lines = append(lines, fmt.Sprintf("%s %t %x", item.Health, item.Applied, sum(status)))
	}
	if len(lines) == 0 {
		return ""
	}
	slices.Sort(lines)
	return strconv.FormatUint(sum([]byte(strings.Join(slices.Compact(lines), "\n"))), 16)
}

// sum is good enough to tell that something changed; nobody gains by deceiving it.
func sum(text []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(text) // never fails
	return h.Sum64()
}

// start remembers that a copy may be created on the target from now on.
func (p *planner) start(c *ClusterRecord) {
	if !p.first {
		c.StartedAt, c.Outlived = p.at(), digest(p.in.Items, c.Name)
	}
}

// time keeps the timers of one cluster: Unhealthy begins the toleration, Unknown does
// nothing to it, and only Healthy ends it (F2).
func (p *planner) time(c *ClusterRecord, health eviction.Health) {
	if health == eviction.Healthy {
		c.UnhealthySince, c.LastHealthy = nil, nil
		if c.HealthySince == nil {
			c.HealthySince = p.at()
		}
		if c.HealthyRevision == nil || *c.HealthyRevision != p.in.Revision {
			c.HealthyRevision = clone(&p.in.Revision)
		}
		return
	}
	if c.HealthySince != nil {
		c.HealthySince, c.LastHealthy = nil, p.at()
	}
	if health == eviction.Unhealthy && c.UnhealthySince == nil {
		c.UnhealthySince = p.at()
	}
}

// prove ends states that a healthy copy makes old: the one that it received, those
// that came from itself before it worked again, and those that the policy let it
// start without.
func (p *planner) prove(c *ClusterRecord) {
	if d := p.deliveries[c.Name]; d != nil && p.later(d.At) {
		d.Healthy = true
		if m := p.move(d.Attempt); m != nil && !m.Proven {
			p.provenBy(d)
			p.event(c.Name, EventNormal, "StateProven", "the copy on "+c.Name+" is healthy with the state of "+m.From)
		}
	}
	for _, m := range p.moves {
		if c.outdates(m) && p.waits(m) {
			m.Proven = true
			p.event(c.Name, EventNormal, "StateOutdated", "the application is healthy on "+c.Name+" without the state of "+m.From+", which ends")
		}
	}
}

// outdates says that the state of the move ends when the copy on c is healthy: it came from
// that copy, or the policy let that copy start without.
func (c *ClusterRecord) outdates(m *Move) bool {
	without := missesState(c.Started) && c.StartedAt != nil && !c.StartedAt.Before(&m.Created)
	return without || c.keeps(m)
}

// keeps says that the state of the move is that of the copy on c: somebody put the application
// back (E2). A copy that was started there since has its own.
func (c *ClusterRecord) keeps(m *Move) bool {
	return m.From == c.Name && m.over() && (c.Started == "" || c.Started == AlreadyRunning)
}

// since says that a stored time lies in an earlier second. If not, it will in the next
// one, and that is when to look again (L5).
func (p *planner) since(stored metav1.Time) bool {
	if p.later(stored) {
		return true
	}
	p.out.NextCheck = p.out.NextCheck.Or(purge.CheckAt(p.now, p.now))
	return false
}

// missesState says that a gate stands for missing state: a copy starts without only
// because the policy says so (I1).
func missesState(reason GateReason) bool {
	return slices.Contains([]GateReason{UnknownOrigin, AmbiguousOrigin, SeveralTargets}, reason)
}

// holder is the target that received the state of a move; empty = none. Of several, which
// the mode must allow, it is the first by name.
func (p *planner) holder(m *Move) string {
	holder := ""
	for name, d := range p.deliveries {
		if p.isTarget(name) && p.gave(d, m) && (holder == "" || name < holder) {
			holder = name
		}
	}
	return holder
}

// waits says that no copy has the state of the move. One that had received it and leaves in
// this very second has it still, so that Plan agrees with its own output (F13).
func (p *planner) waits(m *Move) bool { return m.live() && p.holder(m) == "" && !p.letGo(m) }

func (p *planner) letGo(m *Move) bool {
	return slices.ContainsFunc(p.moves, func(other *Move) bool {
		return !p.later(other.Created) && p.gave(&Delivery{Attempt: other.Received, At: other.Created}, m)
	})
}

// gave says that the copy received the state of the move: from there, or from another
// origin of the same state, which was one by then.
func (p *planner) gave(d *Delivery, m *Move) bool {
	given := p.move(d.Attempt)
	if given == nil || given.State == nil || m == nil || m.State == nil {
		return false
	}
	return given == m || !m.Created.After(d.At.Time) && given.State.Equal(*m.State)
}

// provenBy ends the state that a copy received, whichever origin it had.
func (p *planner) provenBy(d *Delivery) {
	for _, m := range p.moves {
		m.Proven = m.Proven || p.gave(d, m)
	}
}
