package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// judge runs a test binary of all mutants of a file.
type judge struct {
	*runner
	all testRun
	// slow tests take a good part of the whole.
	slow map[string]bool

	mu sync.Mutex
	// kills counts the mutants that a quick test noticed.
	kills map[string]int
}

const (
	// A few tests notice most mutants.
	maxKillers = 8
	// killersLimit is short, because nothing depends on this run.
	killersLimit = 10 * time.Second
)

// original runs the tests where no mutant is selected. A test that fails does so
// because the file is merged, and is left out.
func (j *judge) original(ctx context.Context) (leftOut bool, err error) {
	var left []string
	run := j.all
	run.verbose = true
	for {
		out, err := j.execute(ctx, run)
		if err == nil {
			j.all.skip, j.slow = run.skip, slowTests(out)
			return len(left) > 0, nil
		}
		failed := failedTests(out)
		if len(failed) == 0 || slices.Contains(left, failed[0]) {
			return true, fmt.Errorf("%w\n%s", err, out)
		}
		left = append(left, failed...)
		run.skip = exactly(left)
		if j.skip != "" {
			run.skip += "|" + j.skip
		}
	}
}

// test runs what noticed other mutants, and then all tests. The order decides
// nothing: the first run counts only if it fails.
func (j *judge) test(ctx context.Context, n int) outcome {
	run := j.all
	run.mutant = n
	if first := run; j.onlyKillers(&first) {
		out, err := j.execute(ctx, first)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			j.remember(out)
			return killed
		}
	}
	out, err := j.execute(ctx, run)
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return timedOut
	default:
		j.remember(out)
		return killed
	}
}

// onlyKillers limits a run to the tests that noticed most. It says no if there
// are none yet, or if only some subtests are to run.
func (j *judge) onlyKillers(run *testRun) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	names := slices.SortedFunc(maps.Keys(j.kills), func(a, b string) int {
		return cmp.Or(j.kills[b]-j.kills[a], strings.Compare(a, b))
	})
	run.tests = exactly(names[:min(len(names), maxKillers)])
	run.limit = min(j.timeouts[run.dir], killersLimit)
	return len(names) > 0 && !strings.Contains(j.tests, "/")
}

// remember counts the tests that failed. Slow ones stay where they are, among all:
// others may notice the next mutant sooner.
func (j *judge) remember(out []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, name := range failedTests(out) {
		if !j.slow[name] {
			j.kills[name]++
		}
	}
}

// verdict is what a test prints at its end; the name is without that of a subtest.
var verdict = regexp.MustCompile(`(?m)^ *--- ([A-Z]+): ([^\s/]+)\S* \(([0-9.]+)s\)$`)

// failedTests are the names of tests that failed, in the order of their output.
func failedTests(out []byte) []string {
	var names []string
	for _, found := range verdict.FindAllSubmatch(out, -1) {
		if name := string(found[2]); string(found[1]) == "FAIL" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// slowTests are those that take more than a fifth of the time of all. Subtests
// count, because a test does not wait for parallel ones.
func slowTests(out []byte) map[string]bool {
	sum, each := 0.0, map[string]float64{}
	for _, found := range verdict.FindAllSubmatch(out, -1) {
		seconds, _ := strconv.ParseFloat(string(found[3]), 64)
		sum += seconds
		each[string(found[2])] += seconds
	}
	slow := map[string]bool{}
	for name, seconds := range each {
		slow[name] = seconds > sum/5
	}
	return slow
}

// exactly is an expression for tests by their names.
func exactly(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
	}
	return "^(" + strings.Join(quoted, "|") + ")$"
}
