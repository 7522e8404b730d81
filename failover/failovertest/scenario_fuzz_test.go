package failovertest_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/carryover-io/carryover/failover/failovertest"
)

// FuzzReadScenarios reads any text, and plays what it says: it never panics, errors name
// what is wrong, and the same text tells the same story (L3, L4).
func FuzzReadScenarios(f *testing.F) {
	paths, err := filepath.Glob("testdata/scenarios/*.yaml")
	if err != nil || len(paths) == 0 {
		f.Fatal("no scenarios", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(header + "- targets: [{name: west, replicas: 2}]\n  crashBefore: 3\n- do: [wait, later]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		scenarios, err := failovertest.ReadScenarios(data)
		bad := (*failovertest.ScenarioError)(nil)
		if err != nil {
			if !errors.As(err, &bad) {
				t.Errorf("%v is of no known kind", err)
			}
			return
		}
		for _, sc := range scenarios {
			if len(sc.Steps) > 50 {
				continue // slow, and nothing new
			}
			first, err := sc.Run()
			if err != nil && !errors.As(err, &bad) {
				t.Errorf("%v is of no known kind", err)
			}
			again, _ := sc.Run()
			if one, two := first.Picture().Text(), again.Picture().Text(); one != two {
				t.Errorf("two stories:\n%s\n%s", one, two)
			}
		}
	})
}
