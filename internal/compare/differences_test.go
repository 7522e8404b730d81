package compare_test

import (
	"encoding/json"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

// TestMain silences Karmada, which logs each status that a rule finds nothing in.
func TestMain(m *testing.M) {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("logtostderr", "false")
	_ = flags.Set("alsologtostderr", "false")
	_ = flags.Set("stderrthreshold", "FATAL")
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// difference is one that a rule explains. Of several the first in a list counts.
type difference[T any] struct {
	name string
	// rule of docs/semantics.md.
	rule string
	// why it differs on purpose.
	why string
	// applies says whether the rule explains this outcome.
	applies func(T) bool
}

// explained counts the outcomes by the difference that explains them.
type explained[T any] struct {
	known []difference[T]
	seen  []int
	same  int
}

func explain[T any](known []difference[T]) *explained[T] {
	return &explained[T]{known: known, seen: make([]int, len(known))}
}

// check looks for a rule that explains an outcome that differs.
func (e *explained[T]) check(t *testing.T, differs bool, outcome T) {
	t.Helper()
	if !differs {
		e.same++
		return
	}
	for i, d := range e.known {
		if d.applies(outcome) {
			e.seen[i]++
			return
		}
	}
	t.Errorf("a difference without a rule: %+v", outcome)
}

// done fails for a difference that nothing needed.
func (e *explained[T]) done(t *testing.T) {
	t.Helper()
	for i, d := range e.known {
		t.Logf("%6d %s: %s; %s", e.seen[i], d.rule, d.name, d.why)
		if e.seen[i] == 0 {
			t.Errorf("nothing needs the difference %q", d.name)
		}
	}
	t.Logf("%6d are the same", e.same)
	if e.same == 0 {
		t.Error("nothing is the same")
	}
}

// convert reads the JSON of one type as another: both have the same wire.
func convert[T any](t testing.TB, from any) T {
	t.Helper()
	text, err := json.Marshal(from)
	require.NoError(t, err)
	var to T
	require.NoError(t, json.Unmarshal(text, &to))
	return to
}

func jsonOf(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}
