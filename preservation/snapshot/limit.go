package snapshot

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Limit says how old a state may be (R2). The zero Limit is FinalOnly. It is a
// value and safe to compare with ==.
type Limit struct {
	kind    limitKind
	seconds int64
}

type limitKind int

const (
	finalOnly limitKind = iota
	limited
	unlimited
)

// FinalOnly accepts a final snapshot only, whatever its age (R2).
func FinalOnly() Limit { return Limit{} }

// Seconds accepts a snapshot that is at most n seconds old, inclusive, and a final
// one (R2). 0 accepts one of the very instant. A negative n is refused by
// [ValidateLimit], and every decision with it is [InvalidInput].
func Seconds(n int64) Limit { return Limit{kind: limited, seconds: n} }

// Unlimited accepts a snapshot of any age, also where the age is not known (R2).
func Unlimited() Limit { return Limit{kind: unlimited} }

// String names the limit (R2).
func (l Limit) String() string {
	switch l.kind {
	case limited:
		return strconv.FormatInt(l.seconds, 10) + "s"
	case unlimited:
		return "Unlimited"
	case finalOnly:
	}
	return "FinalOnly"
}

// ValidateLimit refuses a negative number of seconds, at path (L7). The list has
// one error or none; nil = valid.
func ValidateLimit(l Limit, path *field.Path) field.ErrorList {
	if l.seconds < 0 {
		return field.ErrorList{field.Invalid(path, l.seconds, "an age is never negative: use 0 or more seconds")}
	}
	return nil
}

// duration is the limit as a time.Duration, at most the longest.
func (l Limit) duration() time.Duration {
	return time.Duration(min(l.seconds, int64(longest/time.Second))) * time.Second
}
