package failover

import (
	"slices"

	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// The values that Default fills in. They are Karmada's.
const (
	// DefaultTolerationSeconds is how long an application may be unhealthy (F2).
	DefaultTolerationSeconds int32 = 300
	// DefaultGracePeriodSeconds is how long Gracefully waits for a healthy
	// replacement (E5).
	DefaultGracePeriodSeconds int32 = 600
)

// Default fills what a policy leaves open (L8), in a copy:
//
//  1. tolerationSeconds becomes 300.
//  2. An empty purge mode becomes Gracefully and an old name the new one; a text
//     that is no mode stays, for Validate to refuse (P1, P2).
//  3. gracePeriodSeconds becomes 600 under Gracefully, and stays as it is under
//     other modes (E5).
//  4. The policy of a rule becomes Required.
//
// Blocks that are nil stay nil. Default is idempotent.
func Default(b Behavior) Behavior {
	var out Behavior
	if b.Application != nil {
		a := *b.Application
		a.DecisionConditions.TolerationSeconds = orDefault(a.DecisionConditions.TolerationSeconds, DefaultTolerationSeconds)
		a.PurgeMode = defaultMode(a.PurgeMode)
		if a.PurgeMode == purge.Gracefully {
			a.GracePeriodSeconds = orDefault(a.GracePeriodSeconds, DefaultGracePeriodSeconds)
		} else {
			a.GracePeriodSeconds = clone(a.GracePeriodSeconds)
		}
		a.StatePreservation = defaultPreservation(a.StatePreservation)
		out.Application = &a
	}
	if b.Cluster != nil {
		c := *b.Cluster
		c.PurgeMode = defaultMode(c.PurgeMode)
		c.StatePreservation = defaultPreservation(c.StatePreservation)
		out.Cluster = &c
	}
	return out
}

func defaultMode(mode purge.Mode) purge.Mode {
	if normal, err := purge.Normalize(mode); err == nil {
		return normal
	}
	return mode
}

func defaultPreservation(sp *preservation.StatePreservation) *preservation.StatePreservation {
	if sp == nil {
		return nil
	}
	out := clonePreservation(*sp)
	for i := range out.Rules {
		if out.Rules[i].Policy == "" {
			out.Rules[i].Policy = preservation.Required
		}
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
