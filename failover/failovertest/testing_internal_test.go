package failovertest

import (
	"fmt"
	"testing"
)

// fatal ends a test by a panic with what it says.
type fatal struct{ testing.TB }

func (fatal) Helper()           {}
func (fatal) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// TestRunNothing fails where there is nothing to run, or one could not tell what ran.
func TestRunNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		scenarios []Scenario
		want      string
	}{
		"none":          {nil, "there is no scenario to run"},
		"two of a name": {[]Scenario{{Name: "n"}, {Name: "n"}}, `scenario "n": there is another scenario of this name`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if got := recover(); got != tc.want {
					t.Errorf("want %s, got %v", tc.want, got)
				}
			}()
			run(fatal{t}, tc.scenarios, func(Scenario) { t.Error("it runs") })
		})
	}
}
