package preservation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation"
)

// Numbers of a field are those that an API server gives back, or an error.
func TestFieldNumbers(t *testing.T) {
	t.Parallel()
	const refused = "refused"
	for text, want := range map[string]any{
		"0": int64(0), "-0": int64(0), "-0.0": int64(0), "100": int64(100), "1.0": int64(1), "100.00": int64(100), "1e2": int64(100),
		"9223372036854775807": int64(9223372036854775807), "-9223372036854775808": int64(-9223372036854775808),
		"9223372036854775808": refused, "9223372036854775809": refused, "9223372036854776000": 9223372036854776000.0,
		"0.1": 0.1, "0.10": 0.1, "1e-2": 0.01, "10.5": 10.5, "1e21": 1e21, "1.7976931348623157e308": 1.7976931348623157e308,
		"0.10000000000000001": refused, "0.30000000000000004": 0.30000000000000004, "1e309": refused, "1e400": refused, "1e4000": refused, "-1e4000": refused,
		"1e-400": refused, "9007199254740993.5": refused,
	} {
		state := preservation.State{Fields: map[string]string{".spec.a": text}}
		out, _, err := preservation.Inject(manifestOf(mustDecode(t, `{"metadata":{},"spec":{}}`)), state, preservation.InjectOptions{})
		if want == refused {
			require.ErrorIs(t, err, preservation.InvalidValue, text)
			continue
		}
		require.NoError(t, err, text)
		if got := out.Object["spec"].(map[string]any)["a"]; got != want {
			t.Errorf("%s: want %T %v, got %T %v", text, want, want, got, got)
		}
	}
}

// What Remove puts back has the types that apimachinery works with, wherever that
// keeps the spelling.
func TestRestoredTypes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1": "int64 1", "10": "int64 10", "-5": "int64 -5", "1.5": "float64 1.5", "1.50": "json.Number 1.50", "1e+21": "float64 1e+21", "1e21": "json.Number 1e21",
		"1e400": "json.Number 1e400", "12345678901234567890": "json.Number 12345678901234567890", "-0": "float64 -0",
		`[1,{"a":2.5}]`: "[]interface {} [1 map[a:2.5]]", "null": "<nil> <nil>", `"x"`: "string x", "true": "bool true",
	} {
		manifest := manifestOf(mustDecode(t, `{"metadata":{},"spec":{}}`))
		out, err := preservation.Remove(manifest, preservation.Report{Changes: []preservation.Change{{Ref: fieldAt(".spec.a"), Effect: preservation.Removed, Old: text}}})
		require.NoError(t, err, text)
		got := out.Object["spec"].(map[string]any)["a"]
		if diff := cmp.Diff(want, fmt.Sprintf("%T %v", got, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if list, ok := got.([]any); ok && (list[0] != int64(1) || list[1].(map[string]any)["a"] != 2.5) {
			t.Errorf("inside: %#v", list)
		}
	}
}

func TestFieldDepth(t *testing.T) {
	t.Parallel()
	for levels, want := range map[int]error{1000: nil, 1001: preservation.TooLarge} {
		for open, end := range map[string]string{"[": "]", `{"a":`: "}"} {
			state := preservation.State{Fields: map[string]string{".spec.a": strings.Repeat(open, levels) + "7" + strings.Repeat(end, levels)}}
			_, _, err := preservation.Inject(manifestOf(mustDecode(t, `{"metadata":{},"spec":{}}`)), state, preservation.InjectOptions{})
			if want == nil {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, want)
		}
	}
}

// Two spellings of one value are the same, two values are not.
func TestSameField(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		old, value string
		same       bool
	}{
		"zeros":       {"1.50", "1.5", true},
		"exponent":    {"1e3", "1000", true},
		"order":       {`{"b":1,"a":2}`, `{"a":2,"b":1.0}`, true},
		"escapes":     {`"\u0041"`, `"A"`, true},
		"digit":       {"1.51", "1.5", false},
		"type":        {`"1"`, "1", false},
		"bigNeighbor": {"9007199254740993", "9007199254740992", false},
		"rounded":     {"12345678901234567890", "12345678901234567000", false},
		"list order":  {"[1,2]", "[2,1]", false},
		"null":        {"null", "null", false}, // no injection writes it
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifest := manifestOf(mustDecode(t, `{"metadata":{},"spec":{"a":`+tc.old+`}}`))
			out, err := preservation.Remove(manifest, preservation.Report{Changes: []preservation.Change{{Ref: fieldAt(".spec.a"), Effect: preservation.Written, Value: tc.value}}})
			require.NoError(t, err)
			if _, still := out.Object["spec"].(map[string]any)["a"]; still == tc.same {
				t.Errorf("%s and %s: the same must be %t", tc.old, tc.value, tc.same)
			}
		})
	}
}

// The class tells a value that is too large from one that is none.
func TestFieldValueClasses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason, value string
		want          preservation.Class
	}{
		"nothing":   {"no JSON", "", preservation.InvalidValue},
		"cut short": {"no JSON", "{", preservation.InvalidValue},
		"two":       {"exactly one value", "1 2", preservation.InvalidValue},
		"null":      {"S4: no value", "null", preservation.InvalidValue},
		"no text":   {"S4: no value", `""`, preservation.InvalidValue},
		"long":      {"S12", `"` + strings.Repeat("x", preservation.MaxValueBytes) + `"`, preservation.TooLarge},
		"selector":  {"I5", `{"selector":1}`, preservation.Refused},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := preservation.State{Fields: map[string]string{".spec.a": tc.value}}
			_, _, err := preservation.Inject(manifestOf(mustDecode(t, `{"metadata":{},"spec":{}}`)), state, preservation.InjectOptions{})
			require.ErrorIs(t, err, tc.want, tc.reason)
		})
	}
}
