package jsonpath_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

func TestText(t *testing.T) {
	t.Parallel()
	zeros := func(n int) string { return strings.Repeat("0", n) }
	type result struct {
		Text string
		OK   bool
		Kind jsonpath.Kind
	}
	cases := map[string]struct {
		reason string
		value  any
		want   result
	}{
		"string":           {"as it is", " a\n", result{Text: " a\n", OK: true}},
		"true":             {"a bool", true, result{Text: "true", OK: true}},
		"false":            {"a bool", false, result{Text: "false", OK: true}},
		"beyond 2^53":      {"all digits", json.Number("9007199254740993"), result{Text: "9007199254740993", OK: true}},
		"beyond int64":     {"all digits", json.Number("12345678901234567890"), result{Text: "12345678901234567890", OK: true}},
		"fraction":         {"plain", json.Number("1000000.5"), result{Text: "1000000.5", OK: true}},
		"small":            {"plain", json.Number("0.00001"), result{Text: "0.00001", OK: true}},
		"trailing zero":    {"as written", json.Number("1.50"), result{Text: "1.50", OK: true}},
		"point zero":       {"as written", json.Number("1.0"), result{Text: "1.0", OK: true}},
		"minus zero":       {"as written", json.Number("-0"), result{Text: "-0", OK: true}},
		"minus zero point": {"as written", json.Number("-0.0"), result{Text: "-0.0", OK: true}},
		"exponent":         {"expanded", json.Number("1e3"), result{Text: "1000", OK: true}},
		"exponent plus":    {"expanded", json.Number("-1E+3"), result{Text: "-1000", OK: true}},
		"exponent point":   {"expanded", json.Number("1.5e1"), result{Text: "15", OK: true}},
		"exponent kept":    {"a zero stays behind the point", json.Number("1.50e1"), result{Text: "15.0", OK: true}},
		"exponent inside":  {"the point moves", json.Number("123.456e-1"), result{Text: "12.3456", OK: true}},
		"exponent small":   {"zeros in front", json.Number("25e-4"), result{Text: "0.0025", OK: true}},
		"exponent lead":    {"no zeros in front", json.Number("0.001e2"), result{Text: "0.1", OK: true}},
		"exponent lead 2":  {"no zeros in front", json.Number("0.05e2"), result{Text: "5", OK: true}},
		"exponent zero":    {"no change", json.Number("5e000"), result{Text: "5", OK: true}},
		"zero exponent":    {"zero is zero", json.Number("0e1000000"), result{Text: "0", OK: true}},
		"zero wild":        {"zero is zero", json.Number("0e" + strings.Repeat("9", 30)), result{Text: "0", OK: true}},
		"zero fraction":    {"the point moves", json.Number("0.00e1"), result{Text: "0.0", OK: true}},
		"zero small":       {"the point moves", json.Number("0e-2"), result{Text: "0.00", OK: true}},
		"400 digits":       {"the last that fits", json.Number("1e399"), result{Text: "1" + zeros(399), OK: true}},
		"401 digits":       {"the first that does not", json.Number("1E400"), result{Kind: jsonpath.TooLarge}},
		"400 small":        {"the last that fits", json.Number("1e-399"), result{Text: "0." + zeros(398) + "1", OK: true}},
		"401 small":        {"the first that does not", json.Number("1e-400"), result{Kind: jsonpath.TooLarge}},
		"small too long":   {"too long", json.Number("1e-500"), result{Kind: jsonpath.TooLarge}},
		"huge exponent":    {"without a megabyte of zeros", json.Number("1e1000000"), result{Kind: jsonpath.TooLarge}},
		"wild exponent":    {"beyond int64", json.Number("-1e" + strings.Repeat("9", 30)), result{Kind: jsonpath.TooLarge}},
		"wild small":       {"beyond int64", json.Number("1e-" + strings.Repeat("9", 30)), result{Kind: jsonpath.TooLarge}},
		"zero wild small":  {"zeros behind the point count", json.Number("0e-" + strings.Repeat("9", 30)), result{Kind: jsonpath.TooLarge}},
		"long literal":     {"digits as written count too", json.Number(strings.Repeat("1", 401)), result{Kind: jsonpath.TooLarge}},
		"float":            {"shortest plain decimal", 1734462491693.0, result{Text: "1734462491693", OK: true}},
		"float large":      {"no exponent", 1e21, result{Text: "1" + zeros(21), OK: true}},
		"float small":      {"no exponent", 1e-7, result{Text: "0.0000001", OK: true}},
		"float minus zero": {"as Go has it", math.Copysign(0, -1), result{Text: "-0", OK: true}},
		"float32":          {"its own precision", float32(0.1), result{Text: "0.1", OK: true}},
		"int":              {"decimal", int(-7), result{Text: "-7", OK: true}},
		"int8":             {"decimal", int8(-8), result{Text: "-8", OK: true}},
		"int16":            {"decimal", int16(16), result{Text: "16", OK: true}},
		"int32":            {"decimal", int32(32), result{Text: "32", OK: true}},
		"int64":            {"decimal", int64(math.MinInt64), result{Text: "-9223372036854775808", OK: true}},
		"uint":             {"decimal", uint(7), result{Text: "7", OK: true}},
		"uint8":            {"decimal", uint8(8), result{Text: "8", OK: true}},
		"uint16":           {"decimal", uint16(16), result{Text: "16", OK: true}},
		"uint32":           {"decimal", uint32(32), result{Text: "32", OK: true}},
		"uint64":           {"decimal", uint64(math.MaxUint64), result{Text: "18446744073709551615", OK: true}},
		"nil":              {"no scalar", nil, result{}},
		"map":              {"no scalar", map[string]any{}, result{}},
		"list":             {"no scalar", []any{}, result{}},
		"NaN":              {"no scalar", math.NaN(), result{}},
		"infinity":         {"no scalar", math.Inf(-1), result{}},
		"struct":           {"no scalar", struct{}{}, result{}},
		"empty number":     {"no JSON number", json.Number(""), result{}},
		"word number":      {"no JSON number", json.Number("abc"), result{}},
		"plus number":      {"no JSON number", json.Number("+1"), result{}},
		"padded number":    {"no JSON number", json.Number("01"), result{}},
		"open number":      {"no JSON number", json.Number("1."), result{}},
		"open exponent":    {"no JSON number", json.Number("1e"), result{}},
		"trailing":         {"no JSON number", json.Number("1e5x"), result{}},
		"hex number":       {"no JSON number", json.Number("0x10"), result{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, ok, err := jsonpath.Text(tc.value)
			if diff := cmp.Diff(tc.want, result{text, ok, kindOf(err)}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCompareLaws checks all pairs and triples of an ordered list of classes of
// equal numbers, through filters.
func TestCompareLaws(t *testing.T) {
	t.Parallel()
	classes := [][]any{
		{json.Number("-1e400")},
		{json.Number("-9223372036854775809")},
		{int64(math.MinInt64), json.Number("-9223372036854775808"), json.Number("-9223372036854775808.0")},
		{json.Number("-2"), int8(-2), -2.0, json.Number("-0.2e1")},
		{-1.5, json.Number("-1.5"), float32(-1.5)},
		{0, 0.0, math.Copysign(0, -1), json.Number("-0"), json.Number("0e99999999999999999999"), uint(0)},
		{json.Number("1e-500")},
		{0.00001, json.Number("0.00001"), json.Number("1e-5")},
		{json.Number("0.1"), 0.1, float32(0.1)},
		{json.Number("0.10000000000000000001")},
		{1, 1.0, json.Number("1"), json.Number("1.0"), json.Number("10e-1"), uint64(1)},
		{5.1, json.Number("5.1"), json.Number("5.10")},
		{json.Number("1000000.5"), 1000000.5},
		{int64(9007199254740992), 9007199254740992.0},
		{int64(9007199254740993), json.Number("9007199254740993"), json.Number("9.007199254740993e15")},
		{int64(math.MaxInt64), json.Number("9223372036854775807")},
		{uint64(9223372036854775808), json.Number("9223372036854775808")},
		{json.Number("12345678901234567890"), uint64(12345678901234567890)},
		{1e21, json.Number("1e21"), json.Number("1000000000000000000000")},
		{json.Number("1e400"), json.Number("10e399")},
		{json.Number("1e1000000")},
	}
	for i, left := range classes {
		for j, right := range classes {
			for _, a := range left {
				for _, b := range right {
					want := map[string]bool{"==": i == j, "!=": i != j, "<": i < j, "<=": i <= j, ">": i > j, ">=": i >= j}
					if diff := cmp.Diff(want, allOperators(t, a, b)); diff != "" {
						t.Errorf("%v (%T) and %v (%T) compare by value (-want +got):\n%s", a, a, b, b, diff)
					}
				}
			}
		}
	}
}

func allOperators(t *testing.T, a, b any) map[string]bool {
	t.Helper()
	got := map[string]bool{}
	for _, op := range []string{"==", "!=", "<", "<=", ">", ">="} {
		template, err := jsonpath.Parse("{[?(@.a" + op + "@.b)]}")
		require.NoError(t, err)
		pieces, err := template.Eval([]any{map[string]any{"a": a, "b": b}})
		require.NoError(t, err)
		got[op] = len(pieces[0].Values) == 1
	}
	return got
}

func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	wild := json.Number("1e" + strings.Repeat("9", 30))
	cases := map[string]struct {
		reason string
		a, b   any
		want   jsonpath.Kind
	}{
		"NaN":        {"NaN has no order", math.NaN(), 1.0, jsonpath.TypeMismatch},
		"infinity":   {"an infinity is no JSON number", 1, float32(math.Inf(1)), jsonpath.TypeMismatch},
		"bad number": {"no JSON number", json.Number("1x"), 1, jsonpath.TypeMismatch},
		"wild left":  {"the exponent cannot be held", wild, 1, jsonpath.TooLarge},
		"wild right": {"the exponent cannot be held", 1, wild, jsonpath.TooLarge},
		"text":       {"a number and a text", 1, "1", jsonpath.TypeMismatch},
		"text first": {"a text and a number", "1", 1, jsonpath.TypeMismatch},
		"bool":       {"a bool and a number", true, 1, jsonpath.TypeMismatch},
		"objects":    {"objects have no order", map[string]any{}, map[string]string{}, jsonpath.TypeMismatch},
		"lists":      {"lists have no order", []any{}, []string{}, jsonpath.TypeMismatch},
		"opaque":     {"unknown types have no order", struct{}{}, struct{}{}, jsonpath.TypeMismatch},
		"null":       {"null matches nothing", nil, 1, ""},
		"null right": {"null matches nothing", 1, nil, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template, err := jsonpath.Parse("{[?(@.a==@.b)]}")
			require.NoError(t, err)
			_, err = template.Eval([]any{map[string]any{"a": tc.a, "b": tc.b}})
			if diff := cmp.Diff(tc.want, kindOf(err)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
