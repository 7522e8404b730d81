package snapshot

import (
	"math"
	"strings"
	"time"
)

// longest is the longest wait a time.Duration can hold in whole seconds.
const longest = math.MaxInt64 / time.Second * time.Second

// checkAt returns the check for an answer that may change at the instant at, which is
// after now: whole seconds, rounded up, and so at least one (L5).
func checkAt(at, now time.Time) NextCheck {
	// Sub saturates at a fraction of a second, which rounded up would overflow.
	wait := min(at.Sub(now), longest)
	if part := wait % time.Second; part > 0 {
		wait += time.Second - part
	}
	return NextCheck{After: wait, OK: true}
}

// earlier returns the earlier of two checks that are both OK.
func earlier(a, b NextCheck) NextCheck { return NextCheck{After: min(a.After, b.After), OK: true} }

// named says whether a text is a location at all (R2). Zero and null are what
// sources, and templates over them, write where there is none (R2, R4).
func named(location string) bool {
	switch strings.TrimSpace(location) {
	case "", "0", "null":
		return false
	default:
		return true
	}
}

// positive returns d, or the default where nothing was said.
func positive(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

func firstTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// stored is how times are kept: UTC, cut to whole seconds (L2). One that nobody could
// keep is not known.
func stored(t time.Time) time.Time {
	if !storable(t) {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}

// storable says whether a time can be written in UTC as RFC 3339, and so as JSON. Near
// the ends of the calendar the zone decides.
func storable(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 0 && year <= 9999
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
