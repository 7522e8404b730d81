package eviction

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/purge"
)

// The limits that the API server puts on a stored task (E3).
const (
	// MaxReasonLength is the longest reason, in characters.
	MaxReasonLength = 32
	// MaxMessageLength is the longest message, in runes; [Evict] cuts there.
	MaxMessageLength = 1024
)

// Karmada's pattern for the reason of a task.
var reasonPattern = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)

// Validate says what is wrong with an eviction, all errors at once, each nested
// under path, which may be nil. It refuses what an API server would refuse in
// the stored task, because one bad task makes it refuse the whole update, and
// then nothing is evicted:
//
//  1. The cluster and the producer are required (E3).
//  2. The reason has 1 to 32 characters of Karmada's pattern: letters, digits,
//     "_", "," and ":", a letter first, no "," or ":" last (E3).
//  3. The mode is one that purge.Normalize accepts; empty is Gracefully (P3).
//  4. A grace period needs the mode Gracefully, is greater than 0 (E5) and
//     excludes suppressDeletion true (P7).
//  5. Never with suppressDeletion false is refused: Never means that a person
//     confirms later, so evict first (P7).
//  6. Preserved state has legal label keys and values. The errors name the key
//     and the length of a value, never the value (L7). The rest of the state
//     passes preservation.State.Check.
//
// The message is not checked: [Evict] cuts it. The order of the errors is that
// of the rules, keys sorted. A nil result means that the eviction is valid.
func Validate(e Eviction, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if e.FromCluster == "" {
		errs = append(errs, field.Required(path.Child("fromCluster"), "name the cluster to leave"))
	}
	if e.Producer == "" {
		errs = append(errs, field.Required(path.Child("producer"), "name the controller that evicts"))
	}
	errs = append(errs, validateReason(e.Reason, path.Child("reason"))...)
	errs = append(errs, purge.ValidateMode(e.PurgeMode, path.Child("purgeMode"))...)
	errs = append(errs, validateGracePeriod(e, path.Child("gracePeriodSeconds"))...)
	errs = append(errs, validateSuppression(e, path.Child("suppressDeletion"))...)
	errs = append(errs, validateState(e.PreservedLabelState, path.Child("preservedLabelState"))...)
	if rest := e.rest(); rest != nil {
		if err := rest.Check(); err != nil {
			errs = append(errs, field.Forbidden(path.Child("preservedState"), err.Error()))
		}
	}
	return errs
}

func validateReason(reason string, path *field.Path) field.ErrorList {
	switch {
	case reason == "":
		return field.ErrorList{field.Required(path, "a CamelCase word of 1 to 32 characters")}
	case utf8.RuneCountInString(reason) > MaxReasonLength:
		return field.ErrorList{field.TooLong(path, "", MaxReasonLength)}
	case !reasonPattern.MatchString(reason):
		return field.ErrorList{field.Invalid(path, reason,
			"a letter, then letters, digits, '_', ',' or ':', without ',' or ':' at the end; longer text belongs in the message")}
	default:
		return nil
	}
}

func validateGracePeriod(e Eviction, path *field.Path) field.ErrorList {
	if e.GracePeriodSeconds == nil {
		return nil
	}
	var errs field.ErrorList
	// A mode that is no mode has its own error; guessing adds nothing.
	if mode, err := purge.Normalize(e.PurgeMode); err == nil && mode != purge.Gracefully {
		errs = append(errs, field.Forbidden(path, "only Gracefully has a grace period, not "+string(mode)))
	}
	if *e.GracePeriodSeconds <= 0 {
		errs = append(errs, field.Invalid(path, *e.GracePeriodSeconds, "must be greater than 0"))
	}
	return errs
}

func validateSuppression(e Eviction, path *field.Path) field.ErrorList {
	switch {
	case e.SuppressDeletion == nil:
		return nil
	case *e.SuppressDeletion && e.GracePeriodSeconds != nil:
		return field.ErrorList{field.Forbidden(path, "true excludes a grace period: the old copy stays whatever happens")}
	case !*e.SuppressDeletion && e.PurgeMode == purge.Never:
		return field.ErrorList{field.Invalid(path, false, "with Never, evict first and confirm the deletion later")}
	default:
		return nil
	}
}

func validateState(state map[string]string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, k := range slices.Sorted(maps.Keys(state)) {
		if problems := validation.IsQualifiedName(k); len(problems) > 0 {
			errs = append(errs, field.Invalid(path.Key(k), field.OmitValueType{},
				"the key is no label key: "+strings.Join(problems, "; ")))
		}
		if problems := validation.IsValidLabelValue(state[k]); len(problems) > 0 {
			errs = append(errs, field.Invalid(path.Key(k), field.OmitValueType{},
				fmt.Sprintf("the value, %d bytes long, is no label value: %s", len(state[k]), strings.Join(problems, "; "))))
		}
	}
	return errs
}
