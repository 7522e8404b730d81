package failovertest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Run plays scenarios as subtests, side by side, named as they are (F12). One that fails
// prints the picture of its story as far as it went. Two of one name are an error, and so
// is none at all.
func Run(t *testing.T, scenarios ...Scenario) {
	t.Helper()
	run(t, scenarios, func(sc Scenario) {
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			Check(t, sc)
		})
	})
}

// run plays each scenario, if there are any and they can be told apart.
func run(tb testing.TB, scenarios []Scenario, play func(Scenario)) {
	tb.Helper()
	if len(scenarios) == 0 {
		tb.Fatal("there is no scenario to run")
	}
	if err := distinct(scenarios); err != nil {
		tb.Fatal(err)
	}
	for _, sc := range scenarios {
		play(sc)
	}
}

// RunFiles plays the scenarios of all files that match a pattern of [filepath.Match], as
// [Run] does (F12). A pattern that matches nothing is an error, and so is no pattern.
func RunFiles(t *testing.T, patterns ...string) {
	t.Helper()
	scenarios, err := ReadFiles(patterns...)
	if err != nil {
		t.Fatal(err)
	}
	Run(t, scenarios...)
}

// Check plays one scenario within a test or a benchmark, and fails it with the picture
// of the story if the scenario fails (F12).
func Check(tb testing.TB, scenario Scenario) {
	tb.Helper()
	story, err := scenario.Run()
	if err != nil {
		tb.Errorf("%v\n%s", err, story.Picture().Text())
	}
}

// ReadFiles reads the scenarios of all files that match a pattern of [filepath.Match], in
// the order of their names (F12). A pattern that matches nothing is an error, and so are no
// pattern and two scenarios of one name.
func ReadFiles(patterns ...string) ([]Scenario, error) {
	if len(patterns) == 0 {
		return nil, errors.New("no pattern says which files hold the scenarios")
	}
	var out []Scenario
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			return nil, fmt.Errorf("no file matches %q: %w", pattern, errors.Join(err, os.ErrNotExist))
		}
		for _, path := range paths {
			scenarios, err := readFile(path)
			if err != nil {
				return nil, err
			}
			out = append(out, scenarios...)
		}
	}
	return out, distinct(out)
}

func readFile(path string) ([]Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out, err := ReadScenarios(data)
	for i := range out {
		out[i].file = path
	}
	if bad := (*ScenarioError)(nil); errors.As(err, &bad) {
		bad.File = path
	}
	return out, err
}

// distinct refuses two scenarios of one name.
func distinct(scenarios []Scenario) error {
	for i, sc := range scenarios {
		if at := slices.IndexFunc(scenarios[:i], func(other Scenario) bool { return other.Name == sc.Name }); at >= 0 {
			where := ""
			if file := scenarios[at].file; file != "" {
				where = " in " + file
			}
			return sc.fail("name", fmt.Errorf("there is another scenario of this name%s", where))
		}
	}
	return nil
}
