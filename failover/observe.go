package failover

import (
	"slices"

	"github.com/carryover-io/carryover/eviction"
)

// observe reads the health on every target: timers begin and end (F2), and a copy
// that is healthy in a later call than its delivery proves the state (F7).
func (p *planner) observe() {
	for _, name := range p.targetNames() {
		c := p.clusters[name]
		seen := eviction.Observe(p.in.Items, name, timeOf(c.PlacedAt))
		p.time(c, seen.Health)
		if seen.Health == eviction.Healthy && seen.Applied {
			p.prove(c)
		}
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
	d := p.deliveries[c.Name]
	if d != nil && !d.Healthy && p.later(d.At) && p.observedAfter(c.Name, d) {
		d.Healthy = true
		if m := p.move(d.Attempt); m != nil && !m.Proven {
			m.Proven = true
			p.event(c.Name, EventNormal, "StateProven", "the copy on "+c.Name+" is healthy with the state of "+m.From)
		}
	}
	without := missesState(c.Started)
	for _, m := range p.moves {
		again := m.From == c.Name && m.Stage == StageEnded && c.Started != ""
		older := without && c.PlacedAt != nil && !c.PlacedAt.Before(&m.Created) && p.later(*c.PlacedAt)
		if m.live() && p.holder(m) == "" && p.later(m.StageSince) && (again || older) {
			m.Proven = true
			p.event(c.Name, EventNormal, "StateOutdated", "the application is healthy on "+c.Name+" without the state of "+m.From+", which ends")
		}
	}
}

// missesState says that a gate stands for missing state: a copy starts without only
// because the policy says so (I1).
func missesState(reason GateReason) bool {
	return slices.Contains([]GateReason{UnknownOrigin, AmbiguousOrigin, SeveralTargets}, reason)
}

// observedAfter says that no item of the cluster is known to be older than the
// delivery.
func (p *planner) observedAfter(cluster string, d *Delivery) bool {
	return eviction.Observe(p.in.Items, cluster, d.At.Time).Health == eviction.Healthy
}

// holder is the target that received the state of a move; empty = none.
func (p *planner) holder(m *Move) string {
	for name, d := range p.deliveries {
		if d.Attempt == m.Attempt && p.isTarget(name) {
			return name
		}
	}
	return ""
}
