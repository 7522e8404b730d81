package failover

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Validate returns everything that is wrong with a policy, nested under path
// (L7), in the order of the fields:
//
//  1. tolerationSeconds is nil, 0 or positive (F2).
//  2. The purge mode is a mode, an old name of one, or empty (P1 to P3). Never is
//     valid in both blocks.
//  3. gracePeriodSeconds is given with Gracefully only, and is positive (E5).
//  4. The rules are valid (S1, S7, S11); protection adds to what they must not
//     write.
//
// A policy need not be defaulted first, and a zero one is valid. Warnings tells
// what is valid and yet will disappoint.
func Validate(b Behavior, protection preservation.Protection, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if a := b.Application; a != nil {
		at := path.Child("application")
		if seconds := a.DecisionConditions.TolerationSeconds; seconds != nil && *seconds < 0 {
			errs = append(errs, field.Invalid(at.Child("decisionConditions", "tolerationSeconds"), *seconds, "must not be negative: 0 evicts at once"))
		}
		errs = append(errs, purge.ValidateMode(a.PurgeMode, at.Child("purgeMode"))...)
		errs = append(errs, validateGrace(a.PurgeMode, a.GracePeriodSeconds, at.Child("gracePeriodSeconds"))...)
		errs = append(errs, validatePreservation(a.StatePreservation, protection, at)...)
	}
	if c := b.Cluster; c != nil {
		at := path.Child("cluster")
		errs = append(errs, purge.ValidateMode(c.PurgeMode, at.Child("purgeMode"))...)
		errs = append(errs, validatePreservation(c.StatePreservation, protection, at)...)
	}
	return errs
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
