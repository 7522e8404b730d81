package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ErrNoTime says that a value means that there is no time: it is missing, not
// malformed (R4).
var ErrNoTime = errors.New("no time")

// ErrBadTime says that a value is no time that can be read without guessing (R4).
var ErrBadTime = errors.New("not a time")

const (
	// firstMilli is the first number that is milliseconds. As seconds it is the year
	// 5138, as milliseconds it is March 1973: no state is that new, or that old.
	firstMilli = 100_000_000_000
	// lastMilli is the end of the year 9999, the last that RFC 3339 can write. What
	// is beyond is micro- or nanoseconds.
	lastMilli = 253_402_300_799_999
)

// ParseTime reads a time that a source wrote (R4). The first rule that matches
// decides:
//
//  1. nil, empty text, the number 0 as number or text, and Go's zero time are
//     [ErrNoTime]: none, never 1970 (R4).
//  2. A whole number, or a text of digits only, is the time since 1970 in seconds
//     below 100000000000, and in milliseconds from there on.
//  3. A text in RFC 3339 with a zone is that time; fractions of a second stay.
//  4. All else is [ErrBadTime]: text without a zone, which would mean another time
//     on each machine; numbers that are negative or have a fraction; times that in
//     UTC lie outside the years 0 to 9999, which nobody could store; every other
//     type.
//
// Numbers are Go's integers and floats and json.Number. The time is in UTC. The
// error is a [*TimeError]; it holds no part of the value (L7).
func ParseTime(value any) (time.Time, error) {
	switch v := value.(type) {
	case nil:
		return time.Time{}, &TimeError{Err: ErrNoTime, Why: "there is no value"}
	case string:
		return parseText(v)
	case json.Number:
		return parseNumberText(v)
	case float64:
		return parseFloat(v)
	case float32:
		return parseFloat(float64(v))
	case time.Time:
		return known(v)
	default:
		return parseInteger(value)
	}
}

func parseText(text string) (time.Time, error) {
	switch {
	case text == "":
		return time.Time{}, &TimeError{Err: ErrNoTime, Why: "the text is empty"}
	case digits(text):
		return parseDigits(text)
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || lax(text) {
		return time.Time{}, bad("the text is neither RFC 3339 with a zone nor a whole number since 1970")
	}
	return known(t)
}

// lax says whether a text that time.Parse takes is not RFC 3339 all the same: an
// hour of one digit, a comma before the fraction, and a zone of 24 hours or of 60
// minutes.
func lax(text string) bool {
	zone := text[len(text)-len("07:00"):]
	return text[len("2006-01-02T15")] != ':' || strings.Contains(text, ",") ||
		!strings.HasSuffix(text, "Z") && (zone[:2] > "23" || zone[3:] > "59")
}

// parseNumberText reads what a decoder left as it stood: 1.7e9 is a whole number
// too. Every number that is a time is exact as a float.
func parseNumberText(number json.Number) (time.Time, error) {
	f, err := number.Float64()
	if err != nil {
		return time.Time{}, bad("the number is out of range")
	}
	return parseFloat(f)
}

func digits(text string) bool {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}

func parseDigits(text string) (time.Time, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, bad("the number is out of range")
	}
	return parseEpoch(n)
}

func parseFloat(f float64) (time.Time, error) {
	// NaN and the infinities are no whole numbers either.
	if f != math.Trunc(f) || math.Abs(f) > lastMilli {
		return time.Time{}, bad("the number has a fraction or is out of range")
	}
	return parseEpoch(int64(f))
}

func parseInteger(value any) (time.Time, error) {
	switch v := value.(type) {
	case int:
		return parseEpoch(int64(v))
	case int64:
		return parseEpoch(v)
	case int32:
		return parseEpoch(int64(v))
	case int16:
		return parseEpoch(int64(v))
	case int8:
		return parseEpoch(int64(v))
	case uint8:
		return parseEpoch(int64(v))
	case uint16:
		return parseEpoch(int64(v))
	case uint32:
		return parseEpoch(int64(v))
	case uint64:
		return parseEpoch(int64(min(v, math.MaxInt64)))
	case uint:
		return parseEpoch(int64(min(uint64(v), math.MaxInt64)))
	default:
		return time.Time{}, bad(fmt.Sprintf("a %T is neither text nor a number", value))
	}
}

func parseEpoch(n int64) (time.Time, error) {
	switch {
	case n == 0:
		return time.Time{}, &TimeError{Err: ErrNoTime, Why: "0 stands for none"}
	case n < 0 || n > lastMilli:
		return time.Time{}, bad("the number is out of range")
	case n < firstMilli:
		return time.Unix(n, 0).UTC(), nil
	default:
		return time.UnixMilli(n).UTC(), nil
	}
}

func known(t time.Time) (time.Time, error) {
	switch {
	case t.IsZero():
		return time.Time{}, &TimeError{Err: ErrNoTime, Why: "the zero time stands for none"}
	case !storable(t):
		return time.Time{}, bad("the time is out of range")
	default:
		return t.UTC(), nil
	}
}

func bad(why string) *TimeError { return &TimeError{Err: ErrBadTime, Why: why} }

// TimeError says why a value gives no time (R4). It unwraps to [ErrNoTime] or
// [ErrBadTime]. A retry cannot help.
type TimeError struct {
	// Err is ErrNoTime or ErrBadTime.
	Err error
	// Why says what is wrong, without the value (L7).
	Why string
}

// Error names the class and the cause (L7).
func (e *TimeError) Error() string { return e.Err.Error() + ": " + e.Why }

// Unwrap returns the class (L7).
func (e *TimeError) Unwrap() error { return e.Err }

// Retryable is false: the same value stays unreadable (L7).
func (*TimeError) Retryable() bool { return false }
