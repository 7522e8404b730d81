package purge_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/purge"
)

func checkIn(d time.Duration) purge.NextCheck { return purge.NextCheck{After: d, OK: true} }

func TestCheckAt(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		at     time.Time
		want   purge.NextCheck
		reason string
	}{
		"long past":              {time.Time{}, checkIn(time.Second), "F36: never zero, never negative"},
		"one second ago":         {epoch.Add(-time.Second), checkIn(time.Second), "F36: never zero, never negative"},
		"less than a second ago": {epoch.Add(-300 * time.Millisecond), checkIn(time.Second), "F36: never zero, never negative"},
		"now":                    {epoch, checkIn(time.Second), "F36: zero would mean never again"},
		"a nanosecond":           {epoch.Add(1), checkIn(time.Second), "L5: rounded up"},
		"just under a second":    {epoch.Add(time.Second - 1), checkIn(time.Second), "L5: rounded up"},
		"one second":             {epoch.Add(time.Second), checkIn(time.Second), "L5: whole seconds stay"},
		"just over a second":     {epoch.Add(time.Second + 1), checkIn(2 * time.Second), "L5: rounded up"},
		"two seconds":            {epoch.Add(2 * time.Second), checkIn(2 * time.Second), "L5: whole seconds stay"},
		"ten minutes":            {epoch.Add(10 * time.Minute), checkIn(10 * time.Minute), "L5: whole seconds stay"},
		"another zone": {
			epoch.Add(time.Minute).In(time.FixedZone("elsewhere", 3600)), checkIn(time.Minute), "L2: an instant has no zone",
		},
		"the longest duration": {
			epoch.Add(math.MaxInt64), checkIn(9223372036 * time.Second), "L4: rounding up must not overflow to one second",
		},
		"a thousand years": {
			epoch.AddDate(1000, 0, 0), checkIn(9223372036 * time.Second), "L4: neither must a time out of reach",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, purge.CheckAt(tt.at, epoch)); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}

func TestNextCheckOr(t *testing.T) {
	t.Parallel()
	none := purge.NextCheck{}
	tests := map[string]struct {
		a, b, want purge.NextCheck
		reason     string
	}{
		"none and none":       {none, none, none, "L5: no check at all"},
		"one and none":        {checkIn(time.Minute), none, checkIn(time.Minute), "none never wins, although its time is zero"},
		"none and one":        {none, checkIn(time.Minute), checkIn(time.Minute), "none never wins, although its time is zero"},
		"earlier and later":   {checkIn(time.Second), checkIn(time.Minute), checkIn(time.Second), "the earlier one wins"},
		"later and earlier":   {checkIn(time.Minute), checkIn(time.Second), checkIn(time.Second), "the earlier one wins"},
		"the same time twice": {checkIn(time.Minute), checkIn(time.Minute), checkIn(time.Minute), "idempotent"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.a.Or(tt.b)); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}
