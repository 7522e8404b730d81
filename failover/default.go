package failover

import (
	"cmp"
	"slices"
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
	var out Behavior
	if b.Application != nil {
		a := *b.Application
		a.DecisionConditions = defaultConditions(a.DecisionConditions)
		a.PurgeMode = defaultMode(a.PurgeMode)
		a.GracePeriodSeconds = defaultGrace(a.PurgeMode, a.GracePeriodSeconds)
		a.StatePreservation = defaultPreservation(a.StatePreservation)
		a.Waits = defaultWaits(a.Waits)
		out.Application = &a
	}
	if b.Cluster != nil {
		c := *b.Cluster
		c.PurgeMode = defaultMode(c.PurgeMode)
		c.GracePeriodSeconds = defaultGrace(c.PurgeMode, c.GracePeriodSeconds)
		c.StatePreservation = defaultPreservation(c.StatePreservation)
		c.Waits = defaultWaits(c.Waits)
		out.Cluster = &c
	}
	return out
}

func defaultConditions(d DecisionConditions) DecisionConditions {
	d.TolerationSeconds = orDefault(d.TolerationSeconds, DefaultTolerationSeconds)
	d.InitialTolerationSeconds = clone(d.InitialTolerationSeconds)
	d.MaxFailovers, d.WindowSeconds = clone(d.MaxFailovers), clone(d.WindowSeconds)
	return d
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
	return clone(seconds)
}

func defaultWaits(w Waits) Waits {
	w = w.clone()
	w.BlockPredecessorSeconds = orDefault(w.BlockPredecessorSeconds, DefaultBlockPredecessorSeconds)
	return w
}

func defaultPreservation(sp *preservation.StatePreservation) *preservation.StatePreservation {
	if sp == nil {
		return nil
	}
	out := clonePreservation(*sp)
	out.OnMissingState = cmp.Or(out.OnMissingState, preservation.Block)
	for i := range out.Rules {
		out.Rules[i].Policy = cmp.Or(out.Rules[i].Policy, preservation.Required)
	}
	return &out
}

func clonePreservation(sp preservation.StatePreservation) preservation.StatePreservation {
	out := sp
	out.Rules = slices.Clone(sp.Rules)
	out.MissingStateDeadlineSeconds, out.MaxStateAgeSeconds = clone(sp.MissingStateDeadlineSeconds), clone(sp.MaxStateAgeSeconds)
	for i := range out.Rules {
		out.Rules[i].Reject = slices.Clone(out.Rules[i].Reject)
	}
	return out
}

func orDefault(value *int32, fallback int32) *int32 {
	if value == nil {
		return &fallback
	}
	return clone(value)
}

func clone[T any](value *T) *T {
	if value == nil {
		return nil
	}
	copied := *value
	return &copied
}
