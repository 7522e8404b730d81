package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type outcome string

const (
	killed    outcome = "killed"
	timedOut  outcome = "timed out"
	survived  outcome = "survived"
	notViable outcome = "not viable"
)

// memoryLimit, in KiB, stops a mutant that allocates without end.
const memoryLimit = "8000000"

// runner builds and runs test binaries of mutated packages.
type runner struct {
	root     string
	tmp      string
	ownTests bool
	tests    string // regular expression; empty = all
	skip     string // regular expression; empty = none
	packages []testPackage
	// timeouts of the test binaries that pass without any mutation, by
	// directory; zero = it has no tests, or they do not pass.
	timeouts map[string]time.Duration
}

// testPackage is a package of the module with all that its tests import.
type testPackage struct {
	path, dir string
	deps      []string
}

func newRunner(ctx context.Context, root string, o options) (*runner, error) {
	tmp, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return nil, err
	}
	r := &runner{root: root, tmp: tmp, ownTests: o.ownTests, tests: o.tests, skip: o.skip, timeouts: map[string]time.Duration{}}
	format := `{{.ImportPath}}|{{.Dir}}|{{join .Deps " "}} {{join .TestImports " "}} {{join .XTestImports " "}}`
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-f", format, "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		r.close()
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		part := strings.Split(strings.TrimSpace(line), "|")
		rel, err := filepath.Rel(root, part[1])
		if err != nil {
			r.close()
			return nil, err
		}
		r.packages = append(r.packages, testPackage{path: part[0], dir: rel, deps: strings.Fields(part[2])})
	}
	return r, nil
}

func (r *runner) close() { _ = os.RemoveAll(r.tmp) }

// baseline runs the tests that will judge mutants of dir, without a mutation.
// The package's own tests must pass; users' tests that do not are left out.
func (r *runner) baseline(ctx context.Context, dir string) error {
	for _, d := range r.judges(dir) {
		if _, known := r.timeouts[d]; known {
			continue
		}
		bin := filepath.Join(r.tmp, "baseline.test")
		if out, err := r.build(ctx, d, bin); err != nil {
			if d == dir {
				return fmt.Errorf("the tests of %s do not build: %w\n%s", d, err, out)
			}
			fmt.Printf("left out: the tests of %s do not build\n", d)
			r.timeouts[d] = 0
			continue
		}
		if _, err := os.Stat(bin); err != nil {
			r.timeouts[d] = 0 // no test files
			continue
		}
		start := time.Now()
		out, err := r.execute(ctx, testRun{dir: d, bin: bin, limit: 10 * time.Minute})
		_ = os.Remove(bin)
		switch {
		case err == nil:
			r.timeouts[d] = 10*time.Second + 10*time.Since(start)
		case d == dir:
			return fmt.Errorf("the tests of %s fail without any mutation: %w\n%s", d, err, out)
		default:
			fmt.Printf("left out: the tests of %s fail without any mutation\n", d)
			r.timeouts[d] = 0
		}
	}
	return nil
}

// judges are the directories whose tests may notice a change in dir: its own
// first, then those of its users.
func (r *runner) judges(dir string) []string {
	i := slices.IndexFunc(r.packages, func(p testPackage) bool { return p.dir == dir })
	out := []string{dir}
	if i < 0 || r.ownTests {
		return out
	}
	for _, p := range r.packages {
		if p.dir != dir && slices.Contains(p.deps, r.packages[i].path) {
			out = append(out, p.dir)
		}
	}
	return out
}

// importPath is that of a directory.
func (r *runner) importPath(dir string) string {
	for _, p := range r.packages {
		if p.dir == dir {
			return p.path
		}
	}
	return ""
}

// alone tells what becomes of one mutant, with a binary of its own per judge.
func (r *runner) alone(ctx context.Context, m Mutant) outcome {
	work, err := os.MkdirTemp(r.tmp, "mutant-")
	if err != nil {
		return notViable
	}
	defer os.RemoveAll(work)
	overlay, err := writeOverlay(r.root, work, map[string][]byte{m.File: m.Apply()})
	if err != nil {
		return notViable
	}
	dir := filepath.Dir(filepath.FromSlash(m.File))
	for _, d := range r.judges(dir) {
		if r.timeouts[d] == 0 && d != dir {
			continue
		}
		bin := filepath.Join(work, "mutant.test")
		if _, err := r.build(ctx, d, bin, "-overlay", overlay); err != nil {
			return notViable
		}
		if _, err := os.Stat(bin); err != nil {
			continue
		}
		// What the quick tests notice needs no slow ones.
		for _, short := range []bool{true, false} {
			switch _, err := r.execute(ctx, testRun{dir: d, bin: bin, short: short}); {
			case errors.Is(err, context.DeadlineExceeded):
				return timedOut
			case err != nil:
				return killed
			}
		}
	}
	return survived
}

// writeOverlay writes files, named from the root, and the overlay that has the
// compiler read them.
func writeOverlay(root, work string, files map[string][]byte) (string, error) {
	replace := map[string]string{}
	for file, data := range files {
		text := filepath.Join(work, "overlay-"+filepath.Base(file))
		if err := os.WriteFile(text, data, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, filepath.FromSlash(file))] = text
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(work, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o600)
}

// build compiles the tests of a directory. It writes no file if there are none.
func (r *runner) build(ctx context.Context, dir, bin string, flags ...string) ([]byte, error) {
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", bin}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+filepath.ToSlash(dir))...)
	cmd.Dir = r.root
	return cmd.CombinedOutput()
}

// testRun is one run of a test binary.
type testRun struct {
	dir, bin string
	short    bool   // leave out what the tests say is slow
	tests    string // only these, instead of all that the flags allow
	skip     string // and those that the flags leave out
	verbose  bool
	mutant   int           // its number in a merged file
	limit    time.Duration // zero = that of the directory
}

// execute runs a test binary in its directory, with limits.
func (r *runner) execute(ctx context.Context, run testRun) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(run.limit, r.timeouts[run.dir]))
	defer cancel()
	script := `ulimit -v ` + memoryLimit + ` 2>/dev/null; exec "$@"`
	cmd := exec.CommandContext(ctx, "sh", "-c", script, "sh", run.bin,
		"-test.run="+cmp.Or(run.tests, r.tests), "-test.skip="+cmp.Or(run.skip, r.skip),
		"-test.failfast", "-test.count=1", "-test.timeout=0",
		fmt.Sprintf("-test.short=%t", run.short), fmt.Sprintf("-test.v=%t", run.verbose))
	cmd.Dir = filepath.Join(r.root, run.dir)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", selectorEnv, run.mutant))
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil && ctx.Err() != nil {
		return out.Bytes(), ctx.Err()
	}
	return out.Bytes(), err
}
