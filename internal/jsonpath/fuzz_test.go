package jsonpath_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// FuzzParseEval: no panic, a bounded time, the same result twice, and the same
// result from a document that was written and read again.
func FuzzParseEval(f *testing.F) {
	docs := documents()
	for i, text := range differentialTemplates() {
		f.Add(text, []byte(docs[i%len(docs)]))
	}
	for _, group := range []map[string]evalCase{fieldCases(), pathCases(), filterCases(), rangeCases(), literalCases(), missingCases()} {
		for _, tc := range group {
			f.Add(tc.template, []byte(flinkStatus))
		}
	}
	f.Fuzz(func(t *testing.T, text string, doc []byte) {
		root, ok := decodeBytes(doc)
		if !ok {
			t.Skip()
		}
		start := time.Now() //nolint:forbidigo // measures the test itself
		first := evaluate(t, text, root)
		if took := time.Since(start); took > 20*time.Second { //nolint:forbidigo // measures the test itself
			t.Errorf("took %v", took)
		}
		if diff := cmp.Diff(first, evaluate(t, text, root)); diff != "" {
			t.Errorf("another result the second time (-want +got):\n%s", diff)
		}
		checkAgain(t, text, root, first)
	})
}

// checkAgain evaluates the document after a round trip through JSON.
func checkAgain(t *testing.T, text string, root any, first string) {
	t.Helper()
	raw, err := json.Marshal(root)
	if err != nil {
		return
	}
	again, ok := decodeBytes(raw)
	if !ok {
		t.Fatalf("cannot read %s again", raw)
	}
	if diff := cmp.Diff(first, evaluate(t, text, again)); diff != "" {
		t.Errorf("another result after a round trip (-want +got):\n%s", diff)
	}
	if template, err := jsonpath.Parse(text); err == nil {
		if twice, err := jsonpath.Parse(template.String()); err != nil || twice.SinglePath() != template.SinglePath() {
			t.Errorf("the source does not parse again: %v", err)
		}
	}
}

func decodeBytes(doc []byte) (any, bool) {
	var v any
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	err := d.Decode(&v)
	return v, err == nil
}
