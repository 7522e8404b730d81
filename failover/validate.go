package failover

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// MaxFailovers is the largest maxFailovers (F3). A larger one would bound nothing,
// and each failover within a window has to be remembered.
const MaxFailovers = 100

// Validate returns everything that is wrong with a policy, nested under path
// (L7), in the order of the fields:
//
//  1. tolerationSeconds and initialTolerationSeconds are nil, 0 or positive (F2, F3).
//  2. maxFailovers is nil or from 1 to [MaxFailovers]; 0 would be an application
//     block that never acts. windowSeconds is given with maxFailovers only, and is
//     positive (F3).
//  3. The purge mode is a mode, an old name of one, or empty (P1 to P3). Never is
//     valid in both blocks.
//  4. gracePeriodSeconds of both blocks is given with Gracefully only, and is
//     positive (E5).
//  5. The statePreservation is valid (S1, S7, S11; preservation.Validate has the
//     list); protection adds to what rules must not write.
//  6. inheritStatePreservation is not given beside a statePreservation of the same
//     block: nobody could tell which counts (F10).
//  7. blockPredecessorSeconds, soakSeconds and fencingDeadlineSeconds of both blocks
//     are nil, 0 or positive, under any mode (E12, P6, P5).
//
// A policy need not be defaulted first, and a zero one is valid. Warnings tells
// what is valid and yet will disappoint, such as a time that the mode never uses. The
// result shares nothing with the policy, and path may be nil.
func Validate(b Behavior, protection preservation.Protection, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if a := b.Application; a != nil {
		at := path.Child("application")
		errs = append(errs, validateConditions(a.DecisionConditions, at.Child("decisionConditions"))...)
		errs = append(errs, purge.ValidateMode(a.PurgeMode, at.Child("purgeMode"))...)
		errs = append(errs, validateGrace(a.PurgeMode, a.GracePeriodSeconds, at.Child("gracePeriodSeconds"))...)
		errs = append(errs, validatePreservation(a.StatePreservation, protection, at)...)
		errs = append(errs, validateWaits(a.Waits, at)...)
	}
	if c := b.Cluster; c != nil {
		at := path.Child("cluster")
		errs = append(errs, purge.ValidateMode(c.PurgeMode, at.Child("purgeMode"))...)
		errs = append(errs, validateGrace(c.PurgeMode, c.GracePeriodSeconds, at.Child("gracePeriodSeconds"))...)
		errs = append(errs, validatePreservation(c.StatePreservation, protection, at)...)
		if c.InheritStatePreservation && c.StatePreservation != nil {
			errs = append(errs, field.Forbidden(at.Child("inheritStatePreservation"), "the block has a statePreservation of its own: drop one of the two"))
		}
		errs = append(errs, validateWaits(c.Waits, at)...)
	}
	return errs
}

func validateConditions(d DecisionConditions, at *field.Path) field.ErrorList {
	errs := notNegative(d.TolerationSeconds, at.Child("tolerationSeconds"), "0 evicts at once")
	errs = append(errs, notNegative(d.InitialTolerationSeconds, at.Child("initialTolerationSeconds"), "0 evicts at once")...)
	if n := d.MaxFailovers; n != nil && (*n < 1 || *n > MaxFailovers) {
		detail := fmt.Sprintf("must be from 1 to %d", MaxFailovers)
		if *n == 0 {
			detail += ": for no failover by health, remove the application block"
		}
		errs = append(errs, field.Invalid(at.Child("maxFailovers"), *n, detail))
	}
	if d.WindowSeconds == nil {
		return errs
	}
	window := at.Child("windowSeconds")
	if *d.WindowSeconds <= 0 {
		errs = append(errs, field.Invalid(window, *d.WindowSeconds, "must be positive: without it a failover counts for ever"))
	}
	if d.MaxFailovers == nil {
		errs = append(errs, field.Forbidden(window, "it is the window of maxFailovers, which is not given"))
	}
	return errs
}

func validateWaits(w Waits, at *field.Path) field.ErrorList {
	errs := notNegative(w.BlockPredecessorSeconds, at.Child("blockPredecessorSeconds"), "0 avoids no cluster")
	errs = append(errs, notNegative(w.SoakSeconds, at.Child("soakSeconds"), "0 is no time")...)
	return append(errs, notNegative(w.FencingDeadlineSeconds, at.Child("fencingDeadlineSeconds"), "0 asks at once")...)
}

// notNegative says what 0 means, which is what a negative time is mostly meant for.
func notNegative(seconds *int32, at *field.Path, zero string) field.ErrorList {
	if seconds == nil || *seconds >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(at, *seconds, "must not be negative: "+zero)}
}

func validateGrace(mode purge.Mode, seconds *int32, at *field.Path) field.ErrorList {
	if seconds == nil {
		return nil
	}
	var errs field.ErrorList
	if *seconds <= 0 {
		errs = append(errs, field.Invalid(at, *seconds, "must be positive"))
	}
	if normal, err := purge.Normalize(mode); err == nil && normal != purge.Gracefully {
		errs = append(errs, field.Forbidden(at, fmt.Sprintf("only Gracefully has a grace period, the mode is %s", normal)))
	}
	return errs
}

func validatePreservation(sp *preservation.StatePreservation, protection preservation.Protection, at *field.Path) field.ErrorList {
	if sp == nil {
		return nil
	}
	return preservation.Validate(*sp, protection, at.Child("statePreservation"))
}
