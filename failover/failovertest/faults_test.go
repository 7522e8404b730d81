package failovertest_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/failover/failovertest"
)

// How TestFaults proves that promises can be broken; make faults sets them.
var (
	faultsFlag = flag.Bool("faults", false, "build the library with each seeded fault, and explore it")
	faultFlag  = flag.String("faults.found", "", "the fault that this build has")
	updateFlag = flag.Bool("faults.update", false, "write the timeline that is found into the file of the fault")
)

// mostSteps is how long a timeline to a seeded fault may be, with what happens before.
const mostSteps = 10

// fault is one guard of the library that is taken out by a build with -overlay. The library
// itself has no switch for it.
type fault struct {
	// What is wrong then, and Rule is the promise that it breaks.
	What string `json:"what"`
	Rule string `json:"rule"`
	// File of the module in which Old, which is there exactly once, becomes New.
	File string `json:"file"`
	Old  string `json:"old"`
	New  string `json:"new"`
	// World in which it is looked for, to a depth.
	World string `json:"world"`
	Depth int    `json:"depth"`
	// After is what happens before anything is tried, beside the beginning of the world.
	After []string `json:"after,omitempty"`
	// Timeline is the shortest one to it; TestFaultIsFound -faults.update writes it.
	Timeline []string `json:"timeline,omitempty"`
}

func root() string { return filepath.Join("..", "..") }

func faultFile(name string) string { return filepath.Join("testdata", "faults", name+".yaml") }

func faults(tb testing.TB) map[string]fault {
	tb.Helper()
	files, err := filepath.Glob(faultFile("*"))
	if err != nil || len(files) < 14 {
		tb.Fatalf("%d files of faults, want at least 14: %v", len(files), err)
	}
	out := map[string]fault{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		out[name] = readFault(tb, name)
	}
	return out
}

func readFault(tb testing.TB, name string) fault {
	tb.Helper()
	text, err := os.ReadFile(faultFile(name))
	if err != nil {
		tb.Fatal(err)
	}
	var f fault
	if err := yaml.UnmarshalStrict(text, &f); err != nil {
		tb.Fatal(err)
	}
	return f
}

// exploration is where the fault is looked for.
func (f fault) exploration(tb testing.TB) failovertest.Exploration {
	tb.Helper()
	x, known := worlds(tb)[f.World]
	if !known {
		tb.Fatalf("there is no world %q", f.World)
	}
	x.Setup, x.Depth = append(x.Setup, steps(tb, f.After...)...), f.Depth
	return x
}

// TestFaults replays the timelines to the seeded faults on the library as it is, where
// they break no promise. With -faults it also builds the library with each fault, where
// the explorer must find it.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, f := range faults(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := f.source(t)
			if *faultsFlag {
				f.build(t, name, changed)
				f = readFault(t, name)
			}
			n, err := failovertest.Replay(f.exploration(t).World, steps(t, f.Timeline...), true)
			if bad := (*failovertest.PromiseError)(nil); errors.As(err, &bad) {
				t.Errorf("step %d breaks a promise without the fault, too: %v", n, err)
			}
			if len(f.Timeline) == 0 || len(f.Timeline) > mostSteps {
				t.Errorf("the timeline has %d steps, want 1 to %d", len(f.Timeline), mostSteps)
			}
		})
	}
}

// source is the file with the fault.
func (f fault) source(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(f.File)))
	if err != nil {
		tb.Fatal(err)
	}
	if n := strings.Count(string(text), f.Old); n != 1 || f.Old == f.New {
		tb.Fatalf("what the fault replaces is %d times in %s, want once: it guards against nothing any more, or was moved", n, f.File)
	}
	return strings.Replace(string(text), f.Old, f.New, 1)
}

// build runs TestFaultIsFound in a build of its own.
func (f fault) build(tb testing.TB, name, changed string) {
	tb.Helper()
	dir := tb.TempDir()
	original, err := filepath.Abs(filepath.Join(root(), filepath.FromSlash(f.File)))
	if err != nil {
		tb.Fatal(err)
	}
	instead, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: instead}})
	if err != nil {
		tb.Fatal(err)
	}
	for file, text := range map[string][]byte{instead: []byte(changed), overlay: list} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	args := []string{"test", "-overlay=" + overlay, "-vet=off", "-count=1", "-run=^TestFaultIsFound$", "-v", ".", "-args", "-faults.found=" + name}
	if *updateFlag {
		args = append(args, "-faults.update")
	}
	out, err := exec.CommandContext(tb.Context(), "go", args...).CombinedOutput()
	if err != nil {
		tb.Fatalf("%s\n%v\n%s", f.What, err, out)
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		if _, found, is := strings.Cut(line, "FOUND "); is {
			tb.Log(found)
		}
	}
}

// TestFaultIsFound is for a build with a seeded fault: the explorer finds it, by a short
// timeline that can be replayed.
func TestFaultIsFound(t *testing.T) {
	t.Parallel()
	if *faultFlag == "" {
		t.Skip("this build has no fault: TestFaults makes those that have one")
	}
	f := readFault(t, *faultFlag)
	x := f.exploration(t)
	got := failovertest.Explore(x)
	f.broken(t, got.Timeline, got.Broken)
	if len(got.Timeline) > mostSteps {
		t.Errorf("it takes %d steps: %s", len(got.Timeline), words(got.Timeline))
	}
	n, err := failovertest.Replay(x.World, got.Timeline, x.Heal)
	f.broken(t, got.Timeline[:n], err)
	if n != len(got.Timeline) {
		t.Errorf("the replay breaks the promise at step %d of %d", n, len(got.Timeline))
	}
	t.Logf("FOUND %d states, %d transitions: %s: %v", got.States, got.Transitions, words(got.Timeline), got.Broken)
	if *updateFlag {
		f.write(t, *faultFlag, got.Timeline)
		return
	}
	known := steps(t, f.Timeline...)
	n, err = failovertest.Replay(x.World, known, x.Heal)
	f.broken(t, known[:n], err)
}

// broken expects the promise to be broken.
func (f fault) broken(tb testing.TB, timeline []failovertest.Step, err error) {
	tb.Helper()
	if bad := (*failovertest.PromiseError)(nil); !errors.As(err, &bad) || bad.Rule != f.Rule {
		tb.Fatalf("%s\nwant %s broken, got by %q: %v", f.What, f.Rule, words(timeline), err)
	}
}

// write keeps all of the file but the timeline, which comes last.
func (fault) write(tb testing.TB, name string, timeline []failovertest.Step) {
	tb.Helper()
	text, err := os.ReadFile(faultFile(name))
	if err != nil {
		tb.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "timeline:")
	list := "timeline:\n"
	for _, step := range timeline {
		list += "- " + step.String() + "\n"
	}
	if err := os.WriteFile(faultFile(name), []byte(head+list), 0o600); err != nil {
		tb.Fatal(err)
	}
}
