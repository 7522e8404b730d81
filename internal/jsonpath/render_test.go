package jsonpath_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// decode reads a document as the raw path does: every number as json.Number.
func decode(tb testing.TB, doc string) any {
	tb.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	require.NoError(tb, d.Decode(&v))
	require.ErrorIs(tb, d.Decode(new(any)), io.EOF)
	return v
}

// natural turns json.Number into int64 where it fits, else into float64: what
// client-go can compare.
func natural(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for key, value := range x {
			out[key] = natural(value)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = natural(x[i])
		}
		return out
	case json.Number:
		if i, err := x.Int64(); err == nil {
			return i
		}
		f, err := x.Float64()
		if err != nil {
			return string(x)
		}
		return f
	}
	return v
}

// render prints pieces as client-go prints its results; what is missing is
// <miss> and its path.
func render(pieces []jsonpath.Piece) string {
	return renderWith(pieces, func(m *jsonpath.Miss) string { return "<miss " + m.Path + ">" })
}

func renderWith(pieces []jsonpath.Piece, miss func(*jsonpath.Miss) string) string {
	var b strings.Builder
	for _, p := range pieces {
		switch {
		case p.Literal:
			b.WriteString(p.Text)
		case p.Miss != nil:
			b.WriteString(miss(p.Miss))
		}
		for i, v := range p.Values {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(renderValue(v))
		}
	}
	return b.String()
}

func renderValue(v any) string {
	text, ok, err := jsonpath.Text(v)
	if err != nil {
		return "<" + err.Error() + ">"
	}
	if ok {
		return text
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "<opaque>"
	}
	return string(raw)
}

// evaluate gives the rendered pieces, or the kind of the error.
func evaluate(tb testing.TB, text string, root any) string {
	tb.Helper()
	template, err := jsonpath.Parse(text)
	if err != nil {
		var refused *jsonpath.SyntaxError
		require.ErrorAs(tb, err, &refused)
		return "<refused>"
	}
	pieces, err := template.Eval(root)
	if err != nil {
		var failed *jsonpath.EvalError
		require.ErrorAs(tb, err, &failed)
		require.Nil(tb, pieces)
		return "<" + string(failed.Kind) + " " + failed.Path + ">"
	}
	for _, p := range pieces {
		if !p.Literal && (len(p.Values) == 0) != (p.Miss != nil) {
			tb.Fatalf("%s: a piece has both or neither of values and miss", text)
		}
	}
	return render(pieces)
}

func kindOf(err error) jsonpath.Kind {
	var failed *jsonpath.EvalError
	if errors.As(err, &failed) {
		return failed.Kind
	}
	return ""
}
