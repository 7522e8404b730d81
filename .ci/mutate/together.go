package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// batch is the work on the mutants of one file that fit into one binary.
type batch struct {
	*runner
	*merger
	file    string
	workers int
	work    string
	// results are empty as long as nothing is known; the mutant with number n
	// stands at n-1.
	results []outcome
	// incomplete says that a test which may notice a survivor did not run.
	incomplete bool
}

// together judges the mutants of one file, with one binary per judge for all of
// them. Those that get no outcome need a binary of their own.
func (r *runner) together(ctx context.Context, workers int, mutants []Mutant) ([]outcome, error) {
	m, results, err := newMerger(mutants)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(r.tmp, "merged-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	b := &batch{runner: r, merger: m, file: mutants[0].File, workers: workers, work: work, results: results}
	for _, dir := range r.judges(filepath.Dir(b.file)) {
		if err := b.ask(ctx, dir); err != nil && ctx.Err() == nil {
			fmt.Printf("one by one: %s cannot judge what is merged of %s: %v\n", dir, b.file, err)
			b.incomplete = true
		}
	}
	for _, n := range b.alive() {
		if !b.incomplete {
			results[n-1] = survived
		}
	}
	return results, ctx.Err()
}

// alive are the mutants that nothing noticed so far.
func (b *batch) alive() []int {
	return slices.DeleteFunc(b.numbers(), func(n int) bool { return b.results[n-1] != "" })
}

// ask runs the tests of one directory.
func (b *batch) ask(ctx context.Context, dir string) error {
	if len(b.alive()) == 0 || b.timeouts[dir] == 0 {
		return nil
	}
	bin := filepath.Join(b.work, "merged.test")
	if err := b.buildMerged(ctx, dir, bin); err != nil {
		return err
	}
	// What the quick tests notice needs no slow ones.
	for _, short := range []bool{true, false} {
		alive := b.alive()
		if len(alive) == 0 {
			return nil
		}
		j := &judge{runner: b.runner, all: testRun{dir: dir, bin: bin, short: short}, kills: map[string]int{}}
		leftOut, err := j.original(ctx)
		if err != nil {
			return err
		}
		b.incomplete = b.incomplete || leftOut
		each(ctx, b.workers, alive, func(n int) { b.results[n-1] = j.test(ctx, n) })
	}
	return nil
}

// buildMerged drops what does not compile until the rest does.
func (b *batch) buildMerged(ctx context.Context, dir, bin string) error {
	for {
		overlay, err := writeOverlay(b.root, b.work, map[string][]byte{
			b.file: b.source(),
			filepath.Join(filepath.Dir(b.file), selectorFile): b.selector(),
		})
		if err != nil {
			return err
		}
		// All errors at once, and no time for inlining what runs once.
		flags := "-gcflags=" + b.importPath(filepath.Dir(b.file)) + "=-e -l"
		text, err := b.build(ctx, dir, bin, "-overlay", overlay, flags)
		if err == nil {
			return nil
		}
		dropped := b.drop(text)
		if len(dropped) == 0 {
			return fmt.Errorf("%w\n%s", err, text)
		}
		for _, n := range dropped {
			b.results[n-1] = notViable
		}
	}
}
