package failovertest

import (
	"slices"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// tally is one failover for bad health.
type tally struct {
	attempt  int64
	revision int
	at       int64 // in seconds since the beginning
}

// count remembers the failovers of a new record, and forgets those that were taken back
// (F3). One whose withdrawal was not written counts no more here: that only allows more.
func (s *state) count(m failover.Move, r round) {
	if m.Attempt > r.in.Record.Attempts && m.Cause == preservation.Application && m.Pending != nil {
		s.counted = append(slices.Clone(s.counted), tally{m.Attempt, s.revision, seconds(&m.Created)})
	}
}

// uncount forgets those that were taken back.
func (s *state) uncount(record failover.Record) {
	for _, h := range record.History {
		if h.Outcome == failover.OutcomeDropped || h.Outcome == failover.OutcomeWithdrawn {
			s.counted = slices.DeleteFunc(slices.Clone(s.counted), func(t tally) bool { return t.attempt == h.Attempt })
		}
	}
}

// checkLimits is F3, for a cluster that is left for bad health.
func (s *state) checkLimits(c *cluster, d failover.DecisionConditions) error {
	if d.RequireHealthyBefore && !c.wellNow(s.revision) {
		return broken("F3", "%s is evicted for its health, although this revision was never well there", c.name)
	}
	if d.MaxFailovers == nil {
		return nil
	}
	n := int32(0)
	for _, t := range s.counted {
		if t.revision == s.revision && (d.WindowSeconds == nil || s.now < t.at+int64(*d.WindowSeconds)) {
			n++
		}
	}
	if n >= *d.MaxFailovers {
		return broken("F3", "%s is evicted for its health after %d failovers of this revision, and %d are allowed", c.name, n, *d.MaxFailovers)
	}
	return nil
}

// wellNow says that the revision was known for well in this stay.
func (c *cluster) wellNow(revision int) bool { return c.wellIn == revision+1 }
