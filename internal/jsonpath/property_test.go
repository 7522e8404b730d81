package jsonpath_test

import (
	"io"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	clientgo "k8s.io/client-go/util/jsonpath"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// TestEvalDeterministic evaluates one template often: map order never shows (L3).
func TestEvalDeterministic(t *testing.T) {
	t.Parallel()
	root := decode(t, `{"z":{"x":1},"b":{"x":2},"a":{"x":3},"y":{"x":{"x":4}},"c":{"X":5},"d":{}}`)
	for _, text := range []string{"{.*.x}", "{..x}", "{..}", "{.*.gone}", "{.c.x}", "{range .*}{.x};{end}"} {
		template, err := jsonpath.Parse(text)
		require.NoError(t, err)
		first, err := template.Eval(root)
		require.NoError(t, err)
		for range 1000 {
			again, err := template.Eval(root)
			require.NoError(t, err)
			if render(first) != render(again) {
				t.Fatalf("%s: %q, then %q", text, render(first), render(again))
			}
		}
	}
}

// TestEvalKeepsInput evaluates all templates of the tables: the document stays
// as it was (L1).
func TestEvalKeepsInput(t *testing.T) {
	t.Parallel()
	root, copied := decode(t, flinkStatus), decode(t, flinkStatus)
	for _, text := range differentialTemplates() {
		if template, err := jsonpath.Parse(text); err == nil {
			_, _ = template.Eval(root)
		}
	}
	if diff := cmp.Diff(copied, root); diff != "" {
		t.Errorf("the document changed (-want +got):\n%s", diff)
	}
}

// TestEvalShared uses one template and one document from many goroutines.
func TestEvalShared(t *testing.T) {
	t.Parallel()
	template, err := jsonpath.Parse(`{.jobStatus.jobId}-{range .conds[?(@.n>=2)]}{.type}{range $..n}{@}{end},{end}{.o['k','x']}{.gone}`)
	require.NoError(t, err)
	root := decode(t, flinkStatus)
	const want = "e6fd-Ready2,Synced10,Old5.5,1 2<miss .gone>"
	var wg sync.WaitGroup
	for range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				pieces, err := template.Eval(root)
				if err != nil || render(pieces) != want {
					t.Errorf("got %q, %v; want %q", render(pieces), err, want)
					return
				}
			}
		}()
	}
	wg.Wait()
}

// TestEvalAllocations keeps the common case at one allocation (section 10).
func TestEvalAllocations(t *testing.T) { //nolint:paralleltest // counts allocations of the whole process
	template, err := jsonpath.Parse("{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}")
	require.NoError(t, err)
	root := decode(t, flinkStatus)
	if got := testing.AllocsPerRun(100, func() { _, _ = template.Eval(root) }); got > 1 {
		t.Errorf("%v allocations, want 1 at most", got)
	}
}

// TestZeroTemplate evaluates a template that Parse did not make.
func TestZeroTemplate(t *testing.T) {
	t.Parallel()
	var template jsonpath.Template
	pieces, err := template.Eval(map[string]any{})
	require.NoError(t, err)
	if diff := cmp.Diff([]jsonpath.Piece{}, pieces); diff != "" {
		t.Errorf("it has no pieces (-want +got):\n%s", diff)
	}
}

// BenchmarkEval is one evaluation, beside client-go's of a parsed template.
func BenchmarkEval(b *testing.B) {
	root := decode(b, flinkStatus)
	for name, text := range map[string]string{
		"fields":   "{.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}",
		"mixed":    "s3p://{.jobStatus.jobId}/{.offset}",
		"filter":   `{.conds[?(@.type=="Ready")].status}`,
		"wildcard": "{.conds[*].type}",
		"miss":     "{.jobStatus.jobID}",
	} {
		b.Run(name+"/by=carryover", func(b *testing.B) {
			template, err := jsonpath.Parse(text)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if _, found := template.Find(root); !found {
					_, _ = template.Eval(root)
				}
			}
		})
		b.Run(name+"/by=clientgo", func(b *testing.B) {
			template := clientgo.New("x").AllowMissingKeys(false)
			require.NoError(b, template.Parse(text))
			b.ReportAllocs()
			for b.Loop() {
				_ = template.Execute(io.Discard, root)
			}
		})
	}
}
