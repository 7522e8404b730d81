package main

import (
	"bytes"
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
	r := &runner{root: root, tmp: tmp, ownTests: o.ownTests, tests: o.tests, timeouts: map[string]time.Duration{}}
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
		if out, err := r.build(ctx, d, bin, ""); err != nil {
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
		out, err := r.execute(ctx, d, bin, 10*time.Minute, false)
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

// test tells what becomes of one mutant.
func (r *runner) test(ctx context.Context, m Mutant) outcome {
	work, err := os.MkdirTemp(r.tmp, "mutant-")
	if err != nil {
		return notViable
	}
	defer os.RemoveAll(work)
	overlay, err := writeOverlay(r.root, work, m)
	if err != nil {
		return notViable
	}
	dir := filepath.Dir(filepath.FromSlash(m.File))
	for _, d := range r.judges(dir) {
		if r.timeouts[d] == 0 && d != dir {
			continue
		}
		bin := filepath.Join(work, "mutant.test")
		if _, err := r.build(ctx, d, bin, overlay); err != nil {
			return notViable
		}
		if _, err := os.Stat(bin); err != nil {
			continue
		}
		// What the quick tests notice needs no slow ones.
		for _, short := range []bool{true, false} {
			switch _, err := r.execute(ctx, d, bin, r.timeouts[d], short); {
			case errors.Is(err, context.DeadlineExceeded):
				return timedOut
			case err != nil:
				return killed
			}
		}
	}
	return survived
}

// writeOverlay writes the mutated file and the overlay that points to it.
func writeOverlay(root, work string, m Mutant) (string, error) {
	mutated := filepath.Join(work, "mutant.go")
	if err := os.WriteFile(mutated, m.Apply(), 0o600); err != nil {
		return "", err
	}
	original := filepath.Join(root, filepath.FromSlash(m.File))
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{original: mutated}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(work, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o600)
}

// build compiles the tests of a directory. It writes no file if there are none.
func (r *runner) build(ctx context.Context, dir, bin, overlay string) ([]byte, error) {
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", bin}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+filepath.ToSlash(dir))...)
	cmd.Dir = r.root
	return cmd.CombinedOutput()
}

// execute runs a test binary in its directory, with limits; short leaves out
// what the tests say is slow.
func (r *runner) execute(ctx context.Context, dir, bin string, limit time.Duration, short bool) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	script := `ulimit -v ` + memoryLimit + ` 2>/dev/null; exec "$@"`
	cmd := exec.CommandContext(ctx, "sh", "-c", script, "sh", bin,
		"-test.run="+r.tests, "-test.failfast", "-test.count=1", "-test.timeout=0", fmt.Sprintf("-test.short=%t", short))
	cmd.Dir = filepath.Join(r.root, dir)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil && ctx.Err() != nil {
		return out.Bytes(), ctx.Err()
	}
	return out.Bytes(), err
}
