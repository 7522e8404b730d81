// Command mutate runs mutation tests over the decision files of this
// repository: it changes one small thing at a time and runs the tests of the
// package, then those of the packages that use it. A change that no test
// notices is a survivor.
//
//	go -C .ci/mutate run . [flags] [file ...]
//
// Files are named from the root of the repository; without any, all of
// .ci/decision-files are mutated. The tree is never touched: mutants are given
// to the compiler as an overlay. A survivor needs a better test, or a line in
// .ci/mutants-accepted with the reason why no test can tell:
//
//	file:function:mutation  # reason
//
// All mutants of a file are built into one test binary, and into one more for each
// package that uses it; a variable of the environment selects the mutant that
// runs. Some get binaries of their own, which takes seconds for each: mutants of
// variables and constants, those that may leave an import without use, and the
// survivors of a file where a test fails only because it is merged. With -alone all
// of them do; the outcomes are the same.
//
// With -check nothing is mutated. It reads the packages of the library and fails
// unless each of these holds:
//
//   - Every exported function and method that can decide stands in a decision
//     file. Error, String, Unwrap, Is and As only say what a value is, and DeepCopy
//     and DeepCopyInto copy it.
//   - Every exported type, function, method, constant and variable has a comment
//     of its own.
//   - That comment cites a rule, such as E8. For a constant or a variable the
//     comment of its group or of its type may do so instead: a closed set belongs
//     to the rule of its type.
//   - Every exported field of a struct has a comment, or is named in that of the
//     fields right above it. It needs no rule.
//   - Every rule that any comment cites, exported or not, is defined in
//     docs/semantics.md.
//   - Every exported function and method that returns something has an Example
//     with checked output, named ExampleFunc or ExampleType_Method, with a suffix
//     or without. Those above and Retryable need none, nor do those listed in
//     .ci/examples-accepted as package.Func or package.Type.Method with a reason.
//
// Generated files are not looked at.
//
// Exit codes: 0 = no unaccepted survivor, 1 = survivors, 2 = could not run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

type options struct {
	root     string
	changed  string
	match    string
	tests    string
	skip     string
	part     string
	workers  int
	list     bool
	check    bool
	ownTests bool
	alone    bool
	verbose  bool
}

func main() {
	var o options
	flag.StringVar(&o.root, "root", "../..", "root of the repository")
	flag.StringVar(&o.changed, "changed", "", "only files that differ from this commit")
	flag.StringVar(&o.match, "match", "", "only mutants whose name contains this text")
	flag.StringVar(&o.tests, "run", "", "only tests that match, for a quick lower bound of the score")
	flag.StringVar(&o.skip, "skip", "", "no tests that match, for the same")
	flag.StringVar(&o.part, "part", "1/1", "K/N: only each Nth mutant of a file, from the Kth on, for a sample")
	flag.IntVar(&o.workers, "j", 2, "mutants tested at the same time")
	flag.BoolVar(&o.list, "list", false, "print the mutants, run nothing")
	flag.BoolVar(&o.check, "check", false, "only check the lists, the comments and the examples")
	flag.BoolVar(&o.ownTests, "own", false, "run the package's own tests only")
	flag.BoolVar(&o.alone, "alone", false, "build a test binary for each mutant, to compare (slow)")
	flag.BoolVar(&o.verbose, "v", false, "print every mutant with its outcome")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := run(ctx, o, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		code = 2
	}
	os.Exit(code)
}

func run(ctx context.Context, o options, args []string) (int, error) {
	root, err := filepath.Abs(o.root)
	if err != nil {
		return 0, err
	}
	decisions, err := readDecisionFiles(filepath.Join(root, ".ci", "decision-files"))
	if err != nil {
		return 0, err
	}
	if o.check {
		return check(root, decisions)
	}
	files, err := selectFiles(root, o.changed, decisions, args)
	if err != nil {
		return 0, err
	}
	accepted, err := readAccepted(filepath.Join(root, ".ci", "mutants-accepted"))
	if err != nil {
		return 0, err
	}
	perFile := make(map[string][]Mutant, len(files))
	for _, file := range files {
		all, err := Find(root, file)
		if err != nil {
			return 0, err
		}
		all = slices.DeleteFunc(all, func(m Mutant) bool { return !strings.Contains(m.Name(), o.match) })
		if perFile[file], err = o.sample(all); err != nil {
			return 0, err
		}
	}
	if o.list {
		for _, file := range files {
			for _, m := range perFile[file] {
				fmt.Printf("%s:%d\t%s\n", m.File, m.Line, m.Name())
			}
		}
		return 0, nil
	}
	r, err := newRunner(ctx, root, o)
	if err != nil {
		return 0, err
	}
	defer r.close()
	return report(ctx, r, o, files, perFile, accepted)
}

// sample takes a part of the mutants.
func (o options) sample(mutants []Mutant) ([]Mutant, error) {
	var first, step int
	if _, err := fmt.Sscanf(o.part, "%d/%d", &first, &step); err != nil || first < 1 || first > step {
		return nil, fmt.Errorf("-part %s is not K/N", o.part)
	}
	var out []Mutant
	for i := first - 1; i < len(mutants); i += step {
		out = append(out, mutants[i])
	}
	return out, nil
}

// selectFiles are the arguments, or else all decision files that changed.
func selectFiles(root, changed string, decisions, args []string) ([]string, error) {
	if len(args) > 0 || changed == "" {
		if len(args) == 0 {
			return decisions, nil
		}
		for i, a := range args {
			args[i] = filepath.ToSlash(filepath.Clean(a))
		}
		return args, nil
	}
	out, err := exec.Command("git", "-C", root, "diff", "--name-only", "--relative", changed).Output()
	if err != nil {
		return nil, fmt.Errorf("git diff against %s: %w", changed, err)
	}
	differ := strings.Fields(string(out))
	return slices.DeleteFunc(slices.Clone(decisions), func(f string) bool { return !slices.Contains(differ, f) }), nil
}

// report tests every mutant, file by file, and prints what survives.
func report(
	ctx context.Context, r *runner, o options,
	files []string, perFile map[string][]Mutant, accepted *acceptedList,
) (int, error) {
	var total tally
	var survivors []Mutant
	for _, file := range files {
		start := time.Now()
		if err := r.baseline(ctx, filepath.Dir(file)); err != nil {
			return 0, err
		}
		results, err := testAll(ctx, r, o, perFile[file])
		if err != nil {
			return 0, err
		}
		var t tally
		for i, m := range perFile[file] {
			known := accepted.judge(m, results[i])
			t.count(results[i], known)
			if results[i] == survived && !known {
				survivors = append(survivors, m)
			}
			if o.verbose {
				fmt.Printf("  %-10s %s:%d %s\n", results[i], m.File, m.Line, m.Name())
			}
		}
		fmt.Printf("%-32s %s, %s\n", file, t, time.Since(start).Round(time.Second))
		total.add(t)
	}
	fmt.Printf("%-32s %s\n", "total", total)
	if o.match == "" && o.part == "1/1" {
		for _, stale := range accepted.stale(files) {
			fmt.Printf("no longer needed in .ci/mutants-accepted: %s\n", stale)
		}
	}
	if len(survivors) == 0 {
		return 0, nil
	}
	fmt.Printf("\n%d survivors: test them, or accept them in .ci/mutants-accepted with a reason\n", len(survivors))
	for _, m := range survivors {
		fmt.Printf("%s:%d\t%s\n", m.File, m.Line, m.Name())
	}
	return 1, nil
}

// testAll returns one outcome per mutant, in their order.
func testAll(ctx context.Context, r *runner, o options, mutants []Mutant) ([]outcome, error) {
	results := make([]outcome, len(mutants))
	if !o.alone && len(mutants) > 0 {
		var err error
		if results, err = r.together(ctx, o.workers, mutants); err != nil {
			return nil, err
		}
	}
	var rest []int
	for i, known := range results {
		if known == "" {
			rest = append(rest, i)
		}
	}
	each(ctx, o.workers, rest, func(i int) { results[i] = r.alone(ctx, mutants[i]) })
	return results, ctx.Err()
}

// each gives every number to one of the workers.
func each(ctx context.Context, workers int, numbers []int, do func(n int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range next {
				do(n)
			}
		}()
	}
	for _, n := range numbers {
		if ctx.Err() != nil {
			break
		}
		next <- n
	}
	close(next)
	wg.Wait()
}

// tally counts outcomes.
type tally struct{ killed, timedOut, survived, accepted, notViable int }

func (t *tally) count(o outcome, accepted bool) {
	switch o {
	case killed:
		t.killed++
	case timedOut:
		t.killed++
		t.timedOut++
	case survived:
		t.survived++
		if accepted {
			t.accepted++
		}
	case notViable:
		t.notViable++
	}
}

func (t *tally) add(other tally) {
	t.killed += other.killed
	t.timedOut += other.timedOut
	t.survived += other.survived
	t.accepted += other.accepted
	t.notViable += other.notViable
}

// String gives the counts and the score: killed of all that were viable.
func (t tally) String() string {
	score := 100.0
	if n := t.killed + t.survived; n > 0 {
		score = 100 * float64(t.killed) / float64(n)
	}
	return fmt.Sprintf("%d killed (%d by time-out), %d survived (%d accepted), %d not viable, score %.1f %%",
		t.killed, t.timedOut, t.survived, t.accepted, t.notViable, score)
}
