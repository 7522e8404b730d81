package failovertest

import (
	"slices"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

// checkPurge is P4, P6 and P7, for a copy that is deleted now.
func (s *state) checkPurge(c *cluster, r round) error {
	switch k := c.copy; {
	case k.deleting || k.confirmed || k.leaving == purge.Directly:
		return nil
	case k.leaving == "":
		return broken("P4", "the purge of %s deletes a copy that no task is about", c.name)
	case k.leaving == purge.Never:
		return broken("P7", "the copy on %s is deleted without a person", c.name)
	case !slices.ContainsFunc(s.targets, func(t eviction.TargetCluster) bool { return s.serves(t.Name, c) }):
		return broken("P6", "the last copy, on %s, is deleted without a replacement", c.name)
	}
	tasks := slices.DeleteFunc(slices.Concat(r.in.Tasks, s.tasks), func(t eviction.Task) bool { return t.FromCluster != c.name })
	switch over := s.graceOver(tasks); {
	case s.replaced(c, tasks):
		return nil
	case !over:
		return broken("P6", "the copy on %s is deleted before its replacement was well for long enough, or its grace period over", c.name)
	case c.item != nil && c.item.of == c.copy.id && c.item.health == eviction.Healthy:
		return broken("P6", "the healthy copy on %s is deleted although its replacement is not well for long enough", c.name)
	}
	return nil
}

// serves says that a copy on the target is known to the host, and is no old one itself.
func (s *state) serves(target string, old *cluster) bool {
	c := s.cluster(target)
	return c != nil && c != old && c.item != nil && c.copy != nil && c.item.of == c.copy.id && !c.copy.deleting && c.copy.leaving == ""
}

// graceOver says that the grace period of a task is over (P6).
func (s *state) graceOver(tasks []eviction.Task) bool {
	return slices.ContainsFunc(tasks, func(t eviction.Task) bool {
		grace := int64(600)
		if t.GracePeriodSeconds != nil {
			grace = int64(*t.GracePeriodSeconds)
		}
		return t.CreationTimestamp != nil && s.now >= seconds(t.CreationTimestamp)+grace
	})
}

// replaced says that the copies on all other targets are well, for as long as the policy of
// the eviction asks, and enough (E8, E9, P6).
func (s *state) replaced(old *cluster, tasks []eviction.Task) bool {
	assigned := int64(0)
	for _, t := range s.targets {
		if t.Name == old.name {
			continue
		}
		c := s.cluster(t.Name)
		if !s.serves(t.Name, old) || !well(c.item.health) || c.good.age(s.now, old.copy.soak) < old.copy.soak {
			return false
		}
		before := func(t eviction.Task) bool {
			return t.CreationTimestamp != nil && c.item.at < seconds(t.CreationTimestamp)
		}
		if s.world.Dated && slices.ContainsFunc(tasks, before) {
			return false
		}
		if t.Replicas != nil {
			assigned += int64(*t.Replicas)
		}
	}
	return !s.world.Unscheduled && (s.world.DesiredReplicas == nil || assigned >= int64(*s.world.DesiredReplicas))
}
