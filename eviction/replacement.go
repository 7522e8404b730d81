package eviction

import (
	"time"

	"github.com/carryover-io/carryover/purge"
)

// replacement says how far the replacement of the copy on the cluster from has
// come, and since when it is ready (E8, E9). The candidates are all targets
// but that cluster; once its old copy is gone, a copy there is a new one and it
// is a candidate too (E13):
//
//  1. None without any candidate: nothing is no replacement (E8).
//  2. Ready if the scheduler is done, every candidate is healthy, no status is
//     known to be older than the task, and the replicas are enough.
//  3. Applied if a status that counts shows a copy on at least one of them.
//  4. Scheduled otherwise.
//
// Not scheduled yet only rules out Ready, so it never delays a time-out (E9).
func (s situation) replacement(from string, createdAt time.Time, gone bool) (purge.Replacement, time.Time) {
	c := candidates{level: purge.None, ready: s.in.Scheduled}
	for _, target := range s.in.Targets {
		itself := target.Name == from
		if itself && !gone {
			continue
		}
		status := s.on(target.Name)
		// An undated status of the evicted cluster may be that of the old copy.
		old := status.olderThan(createdAt) || itself && status.undated
		c.add(target, status, old)
		c.since.add(s.in.Clusters[target.Name].HealthySince)
	}
	enough := s.in.DesiredReplicas == nil || c.assigned >= int64(*s.in.DesiredReplicas)
	if c.level == purge.Applied && c.ready && enough {
		return purge.Ready, c.since.time()
	}
	return c.level, time.Time{}
}

// candidates is what the targets looked at so far amount to.
type candidates struct {
	level    purge.Replacement
	ready    bool  // all of them
	assigned int64 // replicas; 64 bits, so that no sum wraps
	since    latest
}

func (c *candidates) add(target TargetCluster, status observed, old bool) {
	if c.level == purge.None {
		c.level = purge.Scheduled
	}
	if !old && status.exists() {
		c.level = purge.Applied
	}
	c.ready = c.ready && !old && status.ready()
	if target.Replicas != nil {
		c.assigned += int64(*target.Replicas)
	}
}

// latest is the latest of some instants; one that is not known spoils it.
type latest struct {
	at      time.Time
	unknown bool
}

func (l *latest) add(at time.Time) {
	l.unknown = l.unknown || at.IsZero()
	if at.After(l.at) {
		l.at = at
	}
}

func (l *latest) time() time.Time {
	if l.unknown {
		return time.Time{}
	}
	return l.at
}
