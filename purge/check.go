package purge

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// longest is the longest wait a time.Duration can hold in whole seconds.
const longest = math.MaxInt64 / time.Second * time.Second

// NextCheck says when time alone can change an answer (L5).
//
// The zero value means that it cannot: the answer stays as it is until some
// other input changes. Before the check the answer stays as it is too. It is a
// value and safe to compare.
//
// +kubebuilder:validation:Type=integer
// +kubebuilder:validation:Format=int64
// +kubebuilder:validation:Minimum=1
type NextCheck struct {
	// After is the time to wait: whole seconds, rounded up, at least one.
	// It is 0 if OK is false.
	After time.Duration
	// OK says that there is a next check.
	OK bool
}

// CheckAt returns the next check for an answer that may change at the instant
// at, seen from now: whole seconds, rounded up, at least one (L5). An instant
// that is not in the future is checked in one second; one that is further away
// than a time.Duration can say (292 years) is checked after the longest wait.
func CheckAt(at, now time.Time) NextCheck {
	// Sub saturates at a fraction of a second, which rounded up would overflow.
	wait := min(at.Sub(now), longest)
	if part := wait % time.Second; part > 0 {
		wait += time.Second - part
	}
	return NextCheck{After: max(wait, time.Second), OK: true}
}

// Or returns the earlier of two checks; one that is not OK never wins (L5).
func (c NextCheck) Or(other NextCheck) NextCheck {
	if !c.OK {
		return other
	}
	if other.OK {
		c.After = min(c.After, other.After)
	}
	return c
}

// MarshalJSON writes the seconds to wait, or null without a check (L5).
func (c NextCheck) MarshalJSON() ([]byte, error) {
	if !c.OK {
		return []byte("null"), nil
	}
	return json.Marshal(int64(c.After / time.Second))
}

// UnmarshalJSON reads what [NextCheck.MarshalJSON] writes: a whole number of
// seconds, at least 1, or null (L5).
func (c *NextCheck) UnmarshalJSON(data []byte) error {
	var seconds *int64
	if err := json.Unmarshal(data, &seconds); err != nil {
		return fmt.Errorf("a next check is a whole number of seconds, or null: %w", err)
	}
	*c = NextCheck{}
	if seconds == nil {
		return nil
	}
	if *seconds < 1 || *seconds > int64(longest/time.Second) {
		return fmt.Errorf("a next check is in 1 to %d seconds, not in %d", int64(longest/time.Second), *seconds)
	}
	c.After, c.OK = time.Duration(*seconds)*time.Second, true
	return nil
}
