package failover

import (
	"cmp"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// The values that Default fills in. The first two are Karmada's.
const (
	// DefaultTolerationSeconds is how long an application may be unhealthy (F2).
	DefaultTolerationSeconds int32 = 300
	// DefaultGracePeriodSeconds is how long Gracefully waits for a healthy
	// replacement (E5).
	DefaultGracePeriodSeconds int32 = 600
	// DefaultBlockPredecessorSeconds is how long the scheduler should avoid a cluster
	// after its eviction (E12).
	DefaultBlockPredecessorSeconds = int32(eviction.DefaultBlockPredecessor / time.Second)
)

// Default fills what a policy leaves open (L8), in a copy:
//
//  1. tolerationSeconds becomes 300 (F2).
//  2. An empty purge mode becomes Gracefully and an old name the new one; a text
//     that is no mode stays, for Validate to refuse (P1, P2).
//  3. gracePeriodSeconds of both blocks becomes 600 under Gracefully, and stays as
//     it is under other modes (E5).
//  4. Where there is a statePreservation, an empty policy of a rule becomes Required
//     (S10), and an empty onMissingState becomes Block (F6).
//  5. blockPredecessorSeconds of both blocks becomes 600 (E12).
//
// All else stays, since its absence has a meaning of its own: the other seconds and
// maxFailovers, and retention, whose default depends on the target of each value
// (F7). Blocks that are nil stay nil, and so does the statePreservation of a
// cluster block that inherits one. What is given is never changed but for old names,
// 0 included. Default is idempotent, and the result shares nothing with b.
func Default(b Behavior) Behavior {
	out := *b.DeepCopy()
	if a := out.Application; a != nil {
		conditions := &a.DecisionConditions
		conditions.TolerationSeconds = orDefault(conditions.TolerationSeconds, DefaultTolerationSeconds)
		a.PurgeMode = defaultMode(a.PurgeMode)
		a.GracePeriodSeconds = defaultGrace(a.PurgeMode, a.GracePeriodSeconds)
		defaultPreservation(a.StatePreservation)
		a.BlockPredecessorSeconds = orDefault(a.BlockPredecessorSeconds, DefaultBlockPredecessorSeconds)
	}
	if c := out.Cluster; c != nil {
		c.PurgeMode = defaultMode(c.PurgeMode)
		c.GracePeriodSeconds = defaultGrace(c.PurgeMode, c.GracePeriodSeconds)
		defaultPreservation(c.StatePreservation)
		c.BlockPredecessorSeconds = orDefault(c.BlockPredecessorSeconds, DefaultBlockPredecessorSeconds)
	}
	return out
}

func defaultMode(mode purge.Mode) purge.Mode {
	if normal, err := purge.Normalize(mode); err == nil {
		return normal
	}
	return mode
}

// defaultGrace is asked after the mode has its default.
func defaultGrace(mode purge.Mode, seconds *int32) *int32 {
	if mode == purge.Gracefully {
		return orDefault(seconds, DefaultGracePeriodSeconds)
	}
	return seconds
}

// defaultPreservation fills what is ours to change.
func defaultPreservation(sp *preservation.StatePreservation) {
	if sp == nil {
		return
	}
	sp.OnMissingState = cmp.Or(sp.OnMissingState, preservation.Block)
	for i := range sp.Rules {
		sp.Rules[i].Policy = cmp.Or(sp.Rules[i].Policy, preservation.Required)
	}
}

func orDefault(value *int32, fallback int32) *int32 {
	if value == nil {
		return &fallback
	}
	return value
}

func clone[T any](value *T) *T {
	if value == nil {
		return nil
	}
	copied := *value
	return &copied
}
