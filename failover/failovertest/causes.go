package failovertest

import (
	"slices"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// stopwatch runs, or does not.
type stopwatch struct {
	runs  bool
	since int64 // in seconds since the beginning
}

func (w *stopwatch) start(now int64) {
	if !w.runs {
		*w = stopwatch{true, now}
	}
}

func (w *stopwatch) stop() { *w = stopwatch{} }

// age is -1 for one that does not run, and no more than the limit.
func (w *stopwatch) age(now, limit int64) int64 {
	if !w.runs {
		return -1
	}
	return min(now-w.since, limit)
}

// own says that the item is about the copy that is there, and not from the second in
// which it was created.
func (c *cluster) own() bool {
	return c.item != nil && c.copy != nil && c.item.of == c.copy.id && c.item.at > c.copy.created
}

// feel starts the first stopwatch of each cluster whose status is bad, and stops the second
// where it is good (F2).
func (s *state) feel() {
	for i := range s.clusters {
		c := &s.clusters[i]
		if s.isTarget(c.name) {
			c.stay.start(s.now)
		}
		switch {
		case !s.isTarget(c.name) || c.item == nil:
		case c.item.health == eviction.Unhealthy:
			c.sick.start(s.now)
		case well(c.item.health): // whether this is written or not
			c.surely.stop()
			c.good.start(s.now)
			c.wellIn = s.revision + 1
		}
	}
}

// note stops what the record of the answer has stopped, and starts what it surely has
// started (F2).
func (s *state) note(r round) {
	for i := range s.clusters {
		s.clusters[i].note(r, s.now)
	}
}

func (c *cluster) note(r round, now int64) {
	target, healthy := targets(r.in.Targets, c.name), c.own() && c.isWell()
	if !target || healthy {
		c.sick.stop()
	}
	c.noteGood(r, now)
	if !target {
		c.stay.stop()
	}
	if !target && !evicts(r.in.Tasks, c.name) {
		c.wellIn = 0
	}
	if targets(r.out.Targets, c.name) && c.item != nil && c.item.health == eviction.Unhealthy {
		c.sick.start(now) // a stay begins with the answer
	}
	switch evicted := evicts(r.in.Tasks, c.name) || evicts(r.out.Tasks, c.name); {
	case !target || healthy || evicted || !targets(r.out.Targets, c.name):
		c.surely.stop()
	case c.own() && c.item.health == eviction.Unhealthy:
		c.surely.start(now)
	}
}

func (c *cluster) noteGood(r round, now int64) {
	if !targets(r.in.Targets, c.name) || !c.isWell() {
		c.good.stop()
	}
	if targets(r.out.Targets, c.name) && c.isWell() {
		c.good.start(now) // also where it is a target again (E11)
	}
}

// isWell says that what is known of the cluster is good.
func (c *cluster) isWell() bool { return c.item != nil && well(c.item.health) }

// well says that the health of what is applied is good (E8).
func well(health eviction.Health) bool {
	return health == eviction.Healthy || health == eviction.NotApplicable
}

func targets(list []eviction.TargetCluster, name string) bool {
	return slices.ContainsFunc(list, func(t eviction.TargetCluster) bool { return t.Name == name })
}

func evicts(list []eviction.Task, name string) bool {
	return slices.ContainsFunc(list, func(t eviction.Task) bool { return t.FromCluster == name })
}

// checkCauses is F2, F4 and F12: nothing is evicted without its cause, and what is due is
// evicted, or blocked.
func (s *state) checkCauses(r round) error {
	for _, d := range r.out.Decisions {
		c := s.cluster(d.Cluster)
		if c == nil {
			continue
		}
		if d.Outcome == failover.Evict {
			if err := s.checkCause(c, d.Cause, r); err != nil {
				return err
			}
			continue
		}
		if d.Outcome == failover.Blocked || d.Outcome == failover.AlreadyEvicting || !targets(r.in.Targets, c.name) {
			continue
		}
		if why := s.dueFor(c, r); why != "" {
			return broken("F2", "%s is left alone, although %s", c.name, why)
		}
	}
	return nil
}

// checkCause looks for the cause of an eviction.
func (s *state) checkCause(c *cluster, cause preservation.Cause, r round) error {
	switch b := s.world.Policy; {
	case asked(r, c.name, failover.RequestEvict): // for any cause
	case cause == preservation.Planned:
		return broken("F12", "%s is evicted as if somebody had asked for it", c.name)
	case s.world.Host.RequestsOnly:
		return broken("F12", "%s is evicted, although only requests count", c.name)
	case cause == preservation.Cluster:
		if c.facts != nil && len(c.facts.Taints) > 0 {
			return nil // whatever they are
		}
		if wait, forever := s.tolerated(); !c.tainted || forever || s.now < c.since+wait {
			return broken("F4", "%s is evicted for a taint that it does not have, or that is tolerated", c.name)
		}
	case c.item == nil || c.item.health != eviction.Unhealthy || b.Application == nil:
		return broken("F2", "%s is evicted for its health, which is not bad", c.name)
	default:
		d := b.Application.DecisionConditions
		least := min(orDefault(d.TolerationSeconds), orDefault(first(d.InitialTolerationSeconds, d.TolerationSeconds)))
		if age := c.sick.age(s.now, s.now); age < least {
			return broken("F2", "%s is evicted after %d s of bad health, and %d are tolerated", c.name, age, least)
		}
		return s.checkLimits(c, d)
	}
	return nil
}

func asked(r round, cluster string, action failover.RequestAction) bool {
	return slices.ContainsFunc(r.in.Requests, func(q failover.Request) bool { return q.Cluster == cluster && q.Action == action })
}

func first(a, b *int32) *int32 {
	if a != nil {
		return a
	}
	return b
}

func orDefault(seconds *int32) int64 {
	if seconds == nil {
		return int64(failover.DefaultTolerationSeconds)
	}
	return int64(*seconds)
}

// tolerated is how long the taint of this world is, at least, in seconds (F4).
func (s *state) tolerated() (int64, bool) {
	wait, forever := int64(0), false
	for _, t := range s.world.Tolerations {
		if t.Key != "" && t.Key != taintKey {
			continue
		}
		if t.TolerationSeconds == nil {
			forever = true
			continue
		}
		wait = max(wait, *t.TolerationSeconds)
	}
	return wait, forever
}

// dueFor says why a target must be left now; empty = it need not.
func (s *state) dueFor(c *cluster, r round) string {
	b := s.world.Policy
	if s.world.Host.RequestsOnly {
		return ""
	}
	if c.tainted && len(s.world.Tolerations) == 0 && (b.Cluster != nil || s.world.Host.ClusterPurgeMode != "") {
		return "it has a taint that nothing tolerates"
	}
	if b.Application == nil || asked(r, c.name, failover.RequestWithdraw) || !c.own() || c.item.health != eviction.Unhealthy {
		return ""
	}
	d := b.Application.DecisionConditions
	if d.RequireHealthyBefore || d.MaxFailovers != nil {
		return ""
	}
	most := max(orDefault(d.TolerationSeconds), orDefault(first(d.InitialTolerationSeconds, d.TolerationSeconds)))
	if c.surely.age(s.now, s.now) >= most {
		return "it is unhealthy for longer than is tolerated"
	}
	return ""
}

// checkExcluded is E12: the scheduler is told of every cluster that is under eviction, or
// was evicted a short while ago.
func (s *state) checkExcluded(r round) error {
	for i := range s.clusters {
		c := &s.clusters[i]
		told := slices.ContainsFunc(r.out.Excluded, func(e failover.ExcludedCluster) bool { return e.Cluster == c.name })
		if !told && evicts(r.out.Tasks, c.name) {
			return broken("E12", "%s is under eviction, and the scheduler is not told to avoid it", c.name)
		}
		if !told && c.left.runs && s.now < c.left.since+s.cooldown() && !targets(r.in.Targets, c.name) && !targets(r.out.Targets, c.name) {
			return broken("E12", "%s was evicted a short while ago, and the scheduler is not told to avoid it", c.name)
		}
	}
	return nil
}

// cooldown is the shortest one of all causes and policies, in seconds (E12).
func (s *state) cooldown() int64 {
	policies := []failover.Behavior{s.world.Policy}
	if s.world.Edited != nil {
		policies = append(policies, *s.world.Edited)
	}
	var all []int64
	for _, policy := range policies {
		for _, cause := range causes() {
			block := int64(eviction.DefaultBlockPredecessor.Seconds())
			if own := termsIn(policy, cause).waits.BlockPredecessorSeconds; own != nil {
				block = int64(*own)
			}
			all = append(all, block)
		}
	}
	return slices.Min(all)
}
