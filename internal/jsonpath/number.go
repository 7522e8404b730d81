package jsonpath

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

var (
	errNotNumber = errors.New("not a number")
	errExponent  = errors.New("a number has an exponent of too many digits")
)

// maxExponentDigits keeps exponents, and sums of one with a length, in int64.
const maxExponentDigits = 18

// Text gives a scalar as text (S3): a string as it is, true and false, and a
// number in plain decimal. A json.Number keeps all its digits, with the
// exponent written out: 1.50 stays 1.50, 1e3 is 1000, -0 stays -0. Past
// [MaxNumberDigits] the error is an [*EvalError] of kind TooLarge. A float is the
// shortest decimal that reads back as the same float.
//
// The bool is false for everything else: null, lists, objects, NaN, infinities, a
// json.Number that is no JSON number, other types (S6).
func Text(v any) (string, bool, error) {
	switch x := v.(type) {
	case string:
		return x, true, nil
	case bool:
		return strconv.FormatBool(x), true, nil
	case float64:
		return floatText(x, 64)
	case float32:
		return floatText(float64(x), 32)
	case json.Number:
		d, valid := parseDecimal(string(x))
		if !valid {
			return "", false, nil
		}
		return d.expand()
	}
	if i, ok := asInt(v); ok {
		return strconv.FormatInt(i, 10), true, nil
	}
	if u, ok := asUint(v); ok {
		return strconv.FormatUint(u, 10), true, nil
	}
	return "", false, nil
}

func floatText(x float64, bits int) (string, bool, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "", false, nil
	}
	return strconv.FormatFloat(x, 'f', -1, bits), true, nil
}

// asInt gives Go integers that fit.
func asInt(v any) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case int:
		return int64(x), true
	case int32:
		return int64(x), true
	case int16:
		return int64(x), true
	case int8:
		return int64(x), true
	}
	if u, ok := asUint(v); ok && u <= math.MaxInt64 {
		return int64(u), true
	}
	return 0, false
}

func asUint(v any) (uint64, bool) {
	switch x := v.(type) {
	case uint64:
		return x, true
	case uint:
		return uint64(x), true
	case uint32:
		return uint64(x), true
	case uint16:
		return uint64(x), true
	case uint8:
		return uint64(x), true
	}
	return 0, false
}

// compareNumbers compares any two numbers exactly, by their decimal text: as
// binary values the literal 5.1 and a decoded 5.1 would differ (S3).
func compareNumbers(a, b any) (int, error) {
	i, ok := wholeNumber(a)
	if j, both := wholeNumber(b); ok && both {
		return cmp.Compare(i, j), nil
	}
	// The arrays let the text of floats stay off the heap.
	var left, right [32]byte
	x, err := decimalOf(a, left[:0])
	if err != nil {
		return 0, err
	}
	y, err := decimalOf(b, right[:0])
	if err != nil {
		return 0, err
	}
	return x.compare(y), nil
}

// wholeNumber is the fast path: numbers that are written as an int64.
func wholeNumber(v any) (int64, bool) {
	number, ok := v.(json.Number)
	if !ok {
		return asInt(v)
	}
	if !isWhole(string(number)) {
		return 0, false
	}
	i, err := strconv.ParseInt(string(number), 10, 64)
	return i, err == nil
}

func isWhole(text string) bool {
	d, ok := parseDecimal(text)
	return ok && len(text) < 20 && d.frac == "" && d.exp == 0
}

func decimalOf(v any, buf []byte) (decimal, error) {
	var text string
	switch x := v.(type) {
	case json.Number:
		text = string(x)
	case float64:
		text = string(strconv.AppendFloat(buf, x, 'e', -1, 64))
	case float32:
		text = string(strconv.AppendFloat(buf, float64(x), 'e', -1, 32))
	default:
		if i, ok := asInt(v); ok {
			text = string(strconv.AppendInt(buf, i, 10))
		} else if u, ok := asUint(v); ok {
			text = string(strconv.AppendUint(buf, u, 10))
		}
	}
	d, ok := parseDecimal(text)
	if !ok {
		return d, errNotNumber
	}
	if d.wild && !d.isZero() {
		return d, errExponent
	}
	return d, nil
}

// numberCost is what comparing a number costs beyond one step.
func numberCost(v any) int {
	if number, ok := v.(json.Number); ok {
		return len(number) / digitsPerStep
	}
	return 0
}

// sameDecimal says whether the shortest text of a float means the same number
// as text, which is an optional sign, digits and points that ParseFloat accepts.
func sameDecimal(text string, float float64) bool {
	d := decimal{neg: strings.HasPrefix(text, "-")}
	d.whole, d.frac, _ = strings.Cut(strings.TrimLeft(text, "+-"), ".")
	kept, err := decimalOf(float, nil)
	return err == nil && d.compare(kept) == 0
}
