package main

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const golden = "testdata/output.txt"

func TestOutput(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(&out))
	if *update {
		require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("the tutorial prints something else (-want +got):\n%s", diff)
	}
}

// The golden file shows whatever the program prints; these are the lines for
// which the program exists.
func TestOutputTellsTheStory(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		line   string
	}{
		"job id": {
			reason: "the id of the job that failed reaches the manifest as a label",
			line:   "       flink.example.com/job-id: e6fdb5c0997c11b0c62d796b3df25e86",
		},
		"time stamp": {
			reason: "epoch milliseconds keep every digit",
			line:   `       flink.example.com/checkpoint-time: "1734462491693"`,
		},
		"held": {
			reason: "under Directly nothing starts while the old copy is there",
			line:   "   the copy on east is Present: Hold on west (OldCopyNotGone)",
		},
		"last copy": {
			reason: "Gracefully never deletes the last copy because time passed",
			line:   "     10 minutes on, east unreachable  east: Keep    west: Create  task stays  ExpiredNoReplacement",
		},
	}
	var out bytes.Buffer
	require.NoError(t, run(&out))
	lines := strings.Split(out.String(), "\n")
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(lines, tc.line) {
				t.Errorf("no line %q: %s", tc.line, tc.reason)
			}
		})
	}
}
