package snapshot_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// noon is 1767268800 seconds after 1970.
var noon = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

func TestParseTime(t *testing.T) {
	t.Parallel()
	milli := noon.Add(123 * time.Millisecond)
	end := time.UnixMilli(253402300799999).UTC()
	tests := map[string]struct {
		value  any
		want   time.Time
		err    error
		reason string
	}{
		"RFC 3339 UTC":             {"2026-01-01T12:00:00Z", noon, nil, "R4"},
		"RFC 3339 zone":            {"2026-01-01T13:30:00+01:30", noon, nil, "R4: any zone, returned in UTC"},
		"RFC 3339 fraction":        {"2026-01-01T12:00:00.123Z", milli, nil, "R4: fractions stay"},
		"no zone":                  {"2026-01-01T12:00:00", time.Time{}, snapshot.ErrBadTime, "R4: another time on each machine"},
		"no zone, blank":           {"2026-01-01 12:00:00", time.Time{}, snapshot.ErrBadTime, "R4"},
		"date only":                {"2026-01-01", time.Time{}, snapshot.ErrBadTime, "R4"},
		"comma":                    {"2026-01-01T12:00:00,5Z", time.Time{}, snapshot.ErrBadTime, "R4: not RFC 3339, though time.Parse takes it"},
		"one digit hour":           {"2026-01-01T2:00:00Z", time.Time{}, snapshot.ErrBadTime, "R4: not RFC 3339, though time.Parse takes it"},
		"zone of 24 hours":         {"2026-01-01T12:00:00+24:00", time.Time{}, snapshot.ErrBadTime, "R4: not RFC 3339, though time.Parse takes it"},
		"zone of 60 minutes":       {"2026-01-01T12:00:00+00:60", time.Time{}, snapshot.ErrBadTime, "R4: not RFC 3339, though time.Parse takes it"},
		"widest zone":              {"2026-01-02T11:59:00+23:59", noon, nil, "R4"},
		"widest zone, west":        {"2025-12-31T12:01:00-23:59", noon, nil, "R4"},
		"fraction and zone":        {"2026-01-01T13:00:00.123+01:00", milli, nil, "R4"},
		"beyond 9999 in UTC":       {"9999-12-31T23:59:59-00:01", time.Time{}, snapshot.ErrBadTime, "L4: nobody could store it as JSON"},
		"end of 9999 in UTC":       {"9999-12-31T23:59:59.999Z", end, nil, "R4: the last that can be stored"},
		"before the year 0 in UTC": {"0000-01-01T00:00:00+00:01", time.Time{}, snapshot.ErrBadTime, "L4: nobody could store it as JSON"},
		"year 0":                   {"0000-01-01T00:00:00Z", time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), nil, "R4: RFC 3339, and can be stored"},
		"Go time beyond 9999":      {time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Time{}, snapshot.ErrBadTime, "L4: nobody could store it as JSON"},
		"seconds int16":            {int16(32000), time.Unix(32000, 0).UTC(), nil, "R4: every integer of Go"},
		"seconds int8":             {int8(100), time.Unix(100, 0).UTC(), nil, "R4: every integer of Go"},
		"seconds uint16":           {uint16(65000), time.Unix(65000, 0).UTC(), nil, "R4: every integer of Go"},
		"seconds uint8":            {uint8(200), time.Unix(200, 0).UTC(), nil, "R4: every integer of Go"},
		"negative infinity":        {math.Inf(-1), time.Time{}, snapshot.ErrBadTime, "L4"},
		"minus zero":               {json.Number("-0"), time.Time{}, snapshot.ErrNoTime, "none, not 1970"},
		"blank":                    {" ", time.Time{}, snapshot.ErrBadTime, "R4: nothing is trimmed"},
		"many zeros":               {"000", time.Time{}, snapshot.ErrNoTime, "none, not 1970"},
		"exponent text":            {"1.7672688e9", time.Time{}, snapshot.ErrBadTime, "R4: a text has digits only"},
		"sign":                     {"+1767268800", time.Time{}, snapshot.ErrBadTime, "R4: a text has digits only"},
		"leap second":              {"2026-01-01T12:00:60Z", time.Time{}, snapshot.ErrBadTime, "R4: Go has none"},
		"blanks around":            {" 2026-01-01T12:00:00Z", time.Time{}, snapshot.ErrBadTime, "R4: nothing is trimmed"},
		"malformed":                {"yesterday", time.Time{}, snapshot.ErrBadTime, "1.1: malformed times panic in spotify, here they are errors"},
		"seconds text":             {"1767268800", noon, nil, "R4"},
		"seconds int":              {1767268800, noon, nil, "R4"},
		"seconds int64":            {int64(1767268800), noon, nil, "R4"},
		"seconds int32":            {int32(1767268800), noon, nil, "R4"},
		"seconds uint":             {uint(1767268800), noon, nil, "R4"},
		"seconds uint32":           {uint32(1767268800), noon, nil, "R4"},
		"seconds uint64":           {uint64(1767268800), noon, nil, "R4"},
		"seconds float64":          {1767268800.0, noon, nil, "R4: how encoding/json decodes"},
		"seconds float32":          {float32(1 << 30), time.Unix(1<<30, 0).UTC(), nil, "R4"},
		"seconds json.Number":      {json.Number("1767268800"), noon, nil, "R4"},
		"seconds json exponent":    {json.Number("1.7672688e9"), noon, nil, "F01: still a whole number"},
		"millis text":              {"1767268800123", milli, nil, "R4"},
		"millis int64":             {int64(1767268800123), milli, nil, "R4"},
		"millis float64":           {1767268800123.0, milli, nil, "R4"},
		"millis json.Number":       {json.Number("1767268800123"), milli, nil, "R4"},
		"last number of seconds":   {int64(99999999999), time.Unix(99999999999, 0).UTC(), nil, "R4"},
		"first number of millis":   {int64(100000000000), time.Unix(100000000, 0).UTC(), nil, "R4"},
		"one":                      {1, time.Unix(1, 0).UTC(), nil, "R4: only 0 is none"},
		"the last milli":           {int64(253402300799999), end, nil, "R4"},
		"the last milli as float":  {253402300799999.0, end, nil, "R4"},
		"after the last milli":     {int64(253402300800000), time.Time{}, snapshot.ErrBadTime, "R4: microseconds, not the year 10000"},
		"after it as float":        {253402300800000.0, time.Time{}, snapshot.ErrBadTime, "R4"},
		"micros text":              {"1767268800123456", time.Time{}, snapshot.ErrBadTime, "R4"},
		"digits beyond int64":      {strings.Repeat("9", 30), time.Time{}, snapshot.ErrBadTime, "L4"},
		"json beyond float64":      {json.Number("1e999"), time.Time{}, snapshot.ErrBadTime, "L4"},
		"json no number":           {json.Number("x"), time.Time{}, snapshot.ErrBadTime, "L4"},
		"json empty":               {json.Number(""), time.Time{}, snapshot.ErrBadTime, "L4"},
		"max uint64":               {uint64(math.MaxUint64), time.Time{}, snapshot.ErrBadTime, "L4: no wrap around"},
		"max uint":                 {uint(math.MaxUint), time.Time{}, snapshot.ErrBadTime, "L4: no wrap around"},
		"NaN":                      {math.NaN(), time.Time{}, snapshot.ErrBadTime, "L4"},
		"infinity":                 {math.Inf(1), time.Time{}, snapshot.ErrBadTime, "L4"},
		"fraction":                 {1767268800.5, time.Time{}, snapshot.ErrBadTime, "R4: whole numbers"},
		"negative":                 {-1, time.Time{}, snapshot.ErrBadTime, "F71: -1 is no time"},
		"negative text":            {"-1", time.Time{}, snapshot.ErrBadTime, "F71: -1 is no time"},
		"negative float":           {-1.0, time.Time{}, snapshot.ErrBadTime, "F71: -1 is no time"},
		"bool":                     {true, time.Time{}, snapshot.ErrBadTime, "L4"},
		"map":                      {map[string]any{}, time.Time{}, snapshot.ErrBadTime, "L4"},
		"time":                     {noon.In(time.FixedZone("", 60)), noon, nil, "R4: Go's own time"},
		"zero time":                {time.Time{}, time.Time{}, snapshot.ErrNoTime, "F71"},
		"zero time text":           {"0001-01-01T00:00:00Z", time.Time{}, snapshot.ErrNoTime, "F71: how Go writes none"},
		"nil":                      {nil, time.Time{}, snapshot.ErrNoTime, "F71"},
		"empty":                    {"", time.Time{}, snapshot.ErrNoTime, "F71"},
		"zero":                     {0, time.Time{}, snapshot.ErrNoTime, "F71: none, not 1970"},
		"zero text":                {"0", time.Time{}, snapshot.ErrNoTime, "F71: none, not 1970"},
		"zero float":               {0.0, time.Time{}, snapshot.ErrNoTime, "F71: none, not 1970"},
		"zero json.Number":         {json.Number("0"), time.Time{}, snapshot.ErrNoTime, "F71: none, not 1970"},
		"1970 as a text is a time": {"1970-01-01T00:00:00Z", time.Unix(0, 0).UTC(), nil, "R4: written on purpose"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := snapshot.ParseTime(tt.value)
			if diff := cmp.Diff(tt.want, got); diff != "" || got.Location() != time.UTC {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if tt.err == nil {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorIs(t, err, tt.err, tt.reason)
			var typed *snapshot.TimeError
			require.ErrorAs(t, err, &typed)
			if typed.Retryable() || typed.Error() != tt.err.Error()+": "+typed.Why || typed.Why == "" {
				t.Errorf("L7: %v", err)
			}
		})
	}
}

func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{
		"", "0", "1767268800", "1767268800123", "2026-01-01T12:00:00Z", "2026-01-01T12:00:00", "1e9", "-1", "NaN", "2026-01-01T12:00:00.5+23:59",
		"9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, value := range []any{text, json.Number(text)} {
			got, err := snapshot.ParseTime(value)
			if err != nil {
				if !errors.Is(err, snapshot.ErrNoTime) && !errors.Is(err, snapshot.ErrBadTime) || !got.IsZero() {
					t.Fatalf("L5: %q gives %v and %v", text, got, err)
				}
				continue
			}
			if got.IsZero() || got.Location() != time.UTC {
				t.Fatalf("R4: %q gives %v", text, got)
			}
			if _, err := json.Marshal(got); err != nil {
				t.Fatalf("L4: %q gives a time that nobody can store: %v", text, err)
			}
			again, err := snapshot.ParseTime(got.Format(time.RFC3339Nano))
			if err != nil || !again.Equal(got) {
				t.Fatalf("R4: %q gives %v, and then %v (%v)", text, got, again, err)
			}
		}
	})
}
