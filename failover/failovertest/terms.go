package failovertest

import (
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// terms are what a policy says for a cause. The promises read it themselves: what judges
// Plan must not read it as Plan does.
type terms struct {
	mode      purge.Mode // empty = no mode at all
	preserved preservation.StatePreservation
	waits     failover.Waits
}

// terms of the policy as it is now (F10).
func (s *state) terms(cause preservation.Cause) terms {
	b := s.world.Policy
	if mode := s.world.Host.ClusterPurgeMode; b.Cluster == nil && mode != "" {
		b.Cluster = &failover.ClusterBehavior{PurgeMode: mode}
	}
	return termsIn(b, cause)
}

// termsIn are those of the block for the cause; without it, nothing is preserved.
func termsIn(b failover.Behavior, cause preservation.Cause) terms {
	switch {
	case cause != preservation.Cluster && b.Application != nil:
		return terms{modeOf(b.Application.PurgeMode), preservationOf(b.Application.StatePreservation), b.Application.Waits}
	case cause == preservation.Cluster && b.Cluster != nil:
		preserved := b.Cluster.StatePreservation
		if b.Cluster.InheritStatePreservation && b.Application != nil {
			preserved = b.Application.StatePreservation
		}
		return terms{modeOf(b.Cluster.PurgeMode), preservationOf(preserved), b.Cluster.Waits}
	}
	return terms{mode: purge.Gracefully}
}

func preservationOf(preserved *preservation.StatePreservation) preservation.StatePreservation {
	if preserved == nil {
		return preservation.StatePreservation{}
	}
	return *preserved
}

// modeOf reads a stored mode (P1 to P3).
func modeOf(text purge.Mode) purge.Mode {
	return map[purge.Mode]purge.Mode{
		"": purge.Gracefully, "Graciously": purge.Gracefully, purge.Gracefully: purge.Gracefully,
		"Immediately": purge.Directly, purge.Directly: purge.Directly, purge.Never: purge.Never,
	}[text]
}

// causes are those whose terms differ.
func causes() []preservation.Cause {
	return []preservation.Cause{preservation.Application, preservation.Cluster}
}

func orZero(seconds *int32) int64 {
	if seconds == nil {
		return 0
	}
	return int64(*seconds)
}
