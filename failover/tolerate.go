package failover

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/purge"
)

const (
	// forever is a number of seconds without an end.
	forever = math.MaxInt64
	// lastSecond is the end of the year 9999, the last time that JSON can hold, in
	// seconds since 1970.
	lastSecond = 253402300799
)

// Tolerate decides whether the taints of a cluster evict an application, and when
// (F4). Only taints with the effect NoExecute count:
//
//  1. Without one the outcome is TaintNone.
//  2. While [ValidateTolerations] refuses a toleration it is TaintUndecided, even
//     if a taint matches no toleration: the invalid one may have been meant for it
//     (L6).
//  3. A taint that matches no toleration is EvictNow.
//  4. Of the tolerations that match a taint the longest counts. One without
//     seconds is for ever, and so is the largest number; negative is 0.
//  5. Of all taints the one counts whose toleration ends first. From its deadline
//     on the outcome is EvictNow, before it EvictAfter.
//  6. If none ends it is TolerateForever.
//
// A deadline is the start of the taint plus the seconds; one after the year 9999
// is in its last second. The start is TimeAdded, but no later than the first
// observation: a taint without a time, or with one that lay in the future when
// it was first observed, counts from then. The verdict's Seen remembers these
// taints for the next call, and forgets those that are no longer there. Times in
// FirstSeen that are later than now count as now, and of two for one taint
// the earlier counts.
//
// Taints and tolerations may come in any order and more than once. A verdict with
// longer tolerations may take back what an earlier one announced, and with its own
// Seen as the next FirstSeen it stays the same until its next check. Inputs are not
// changed, and the result shares nothing with them. Tolerate never fails.
func Tolerate(in TaintInput) TaintVerdict {
	counted := countTaints(in)
	v := TaintVerdict{
		Seen:     seenOf(counted),
		Errors:   invalidTolerations(in.Tolerations),
		Warnings: unknownEffects(in.Taints),
	}
	if len(counted) == 0 {
		v.Outcome, v.Reason, v.Message = TaintNone, NoNoExecuteTaint, "no taint has the effect NoExecute"
		return v
	}
	if len(v.Errors) > 0 {
		v.Outcome, v.Reason = TaintUndecided, InvalidToleration
		v.Message = "taints that evict nothing while a toleration is invalid: " + keysOf(counted)
		return v
	}
	return v.weigh(counted, in)
}

// ValidateTolerations returns everything that is wrong with tolerations, nested
// under path (L7, F4), in their order:
//
//  1. The operator is Equal, Exists or empty.
//  2. An empty key needs the operator Exists: every key.
//  3. Exists has no value.
//  4. The effect is one of core/v1's three, or empty.
//
// TolerationSeconds are valid beside every effect, unlike in core/v1, and negative
// too. The texts of keys and values are not checked: they match the same text or
// nothing. Path may be nil; a nil result means that all are valid.
func ValidateTolerations(tolerations []Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range tolerations {
		at := path.Index(i)
		switch t.Operator {
		case Equal, "":
			if t.Key == "" {
				errs = append(errs, field.Required(at.Child("key"), "only the operator Exists goes without: it then matches every key"))
			}
		case Exists:
			if t.Value != "" {
				errs = append(errs, field.Invalid(at.Child("value"), t.Value, "must be empty with the operator Exists, which matches every value"))
			}
		default:
			errs = append(errs, field.NotSupported(at.Child("operator"), t.Operator, []TolerationOperator{Equal, Exists}))
		}
		if t.Effect != "" && !t.Effect.known() {
			errs = append(errs, field.NotSupported(at.Child("effect"), t.Effect, []TaintEffect{NoExecute, NoSchedule, PreferNoSchedule}))
		}
	}
	return errs
}

// invalidTolerations costs nothing where there is none, as for most applications.
func invalidTolerations(tolerations []Toleration) field.ErrorList {
	if len(tolerations) == 0 {
		return nil
	}
	return ValidateTolerations(tolerations, field.NewPath("tolerations"))
}

func (e TaintEffect) known() bool {
	switch e {
	case NoSchedule, PreferNoSchedule, NoExecute:
		return true
	default:
		return false
	}
}

// countedTaint is a taint with the effect NoExecute.
type countedTaint struct {
	key, value string
	added      time.Time // zero = not known
	first      time.Time // first observed
	deadline   time.Time // of a limited toleration
}

// countTaints returns the taints that count, sorted and each once.
func countTaints(in TaintInput) []countedTaint {
	now := in.Now.UTC().Truncate(time.Second)
	var out []countedTaint
	for _, taint := range in.Taints {
		if taint.Effect == NoExecute {
			out = append(out, countedTaint{key: taint.Key, value: taint.Value, added: addedAt(taint), first: now})
		}
	}
	slices.SortFunc(out, countedTaint.compare)
	out = slices.CompactFunc(out, func(a, b countedTaint) bool { return a.compare(b) == 0 })
	for _, seen := range in.FirstSeen {
		first, known := taintTime(seen.FirstSeen)
		entry := countedTaint{key: seen.Taint.Key, value: seen.Taint.Value, added: addedAt(seen.Taint)}
		i, found := slices.BinarySearchFunc(out, entry, countedTaint.compare)
		if known && found && seen.Taint.Effect == NoExecute && first.Before(out[i].first) {
			out[i].first = first
		}
	}
	return out
}

// compare orders by what tells taints apart.
func (t countedTaint) compare(other countedTaint) int {
	return cmp.Or(cmp.Compare(t.key, other.key), cmp.Compare(t.value, other.value), t.added.Compare(other.added))
}

// addedAt is the time of a taint; zero = not known.
func addedAt(taint Taint) time.Time {
	if taint.TimeAdded == nil {
		return time.Time{}
	}
	at, _ := taintTime(taint.TimeAdded.Time)
	return at
}

// taintTime returns the time as it is stored, and whether it is one that JSON can
// hold; if not, it is zero.
func taintTime(t time.Time) (time.Time, bool) {
	t = t.UTC().Truncate(time.Second)
	if !t.After(time.Time{}) || t.Unix() > lastSecond {
		return time.Time{}, false
	}
	return t, true
}

// timed says that the taint's own time tells since when it counts.
func (t countedTaint) timed() bool { return !t.added.IsZero() && !t.added.After(t.first) }

// seenOf is what the next call must know.
func seenOf(counted []countedTaint) []TaintSeen {
	var out []TaintSeen
	for _, t := range counted {
		if t.timed() {
			continue
		}
		seen := TaintSeen{Taint: Taint{Key: t.key, Value: t.value, Effect: NoExecute}, FirstSeen: t.first}
		if !t.added.IsZero() {
			seen.Taint.TimeAdded = &metav1.Time{Time: t.added}
		}
		out = append(out, seen)
	}
	return out
}

func unknownEffects(taints []Taint) []Warning {
	var out []Warning
	for _, taint := range taints {
		if !taint.Effect.known() {
			out = append(out, Warning{
				Reason: UnknownTaintEffect,
				Message: fmt.Sprintf("the taint %q evicts nothing: its effect %q is none of %s, %s and %s",
					taint.Key, taint.Effect, NoExecute, NoSchedule, PreferNoSchedule),
			})
		}
	}
	slices.SortFunc(out, func(a, b Warning) int { return cmp.Compare(a.Message, b.Message) })
	return slices.Compact(out)
}

// weigh compares the taints with valid tolerations.
func (v TaintVerdict) weigh(counted []countedTaint, in TaintInput) TaintVerdict {
	var untolerated, limited []countedTaint
	for _, t := range counted {
		seconds, tolerated := t.longest(in.Tolerations)
		switch {
		case !tolerated:
			untolerated = append(untolerated, t)
		case seconds < forever:
			t.deadline = t.after(seconds)
			limited = append(limited, t)
		}
	}
	if len(untolerated) > 0 {
		v.Outcome, v.Reason, v.Message = EvictNow, TaintUntolerated, "taints that are not tolerated: "+keysOf(untolerated)
		return v
	}
	if len(limited) == 0 {
		v.Outcome, v.Reason, v.Message = TolerateForever, TaintTolerated, "taints that are tolerated for ever: "+keysOf(counted)
		return v
	}
	end := slices.MinFunc(limited, func(a, b countedTaint) int { return a.deadline.Compare(b.deadline) }).deadline
	limited = slices.DeleteFunc(limited, func(t countedTaint) bool { return t.deadline.After(end) })
	until := end.Format(time.RFC3339) + ": " + keysOf(limited)
	if !in.Now.Before(end) {
		v.Outcome, v.Reason, v.Message = EvictNow, TaintUntolerated, "taints that were tolerated until "+until
		return v
	}
	v.Outcome, v.Reason, v.Message = EvictAfter, TaintToleratedUntil, "taints that are tolerated until "+until
	v.Deadline, v.NextCheck = end, purge.CheckAt(end, in.Now)
	return v
}

// longest returns the seconds of the longest toleration that matches, and whether
// one does.
func (t countedTaint) longest(tolerations []Toleration) (int64, bool) {
	var longest int64
	tolerated := false
	for _, toleration := range tolerations {
		if !t.matchedBy(toleration) {
			continue
		}
		tolerated = true
		if toleration.TolerationSeconds == nil {
			return forever, true
		}
		longest = max(longest, *toleration.TolerationSeconds)
	}
	return longest, tolerated
}

// matchedBy reads a valid toleration.
func (t countedTaint) matchedBy(toleration Toleration) bool {
	if toleration.Effect != "" && toleration.Effect != NoExecute {
		return false
	}
	if toleration.Key != "" && toleration.Key != t.key {
		return false
	}
	return toleration.Operator == Exists || toleration.Value == t.value
}

// after is the start of the taint plus seconds, which are not negative.
func (t countedTaint) after(seconds int64) time.Time {
	start := t.first.Unix()
	if t.timed() {
		start = t.added.Unix()
	}
	return time.Unix(start+min(seconds, lastSecond-start), 0).UTC()
}

// keysOf names the keys of taints; they come sorted.
func keysOf(counted []countedTaint) string {
	keys := make([]string, 0, len(counted))
	for _, t := range counted {
		keys = append(keys, strconv.Quote(t.key))
	}
	return strings.Join(slices.Compact(keys), ", ")
}
