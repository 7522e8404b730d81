package failovertest_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/carryover-io/carryover/failover/failovertest"
)

// TestDocs keeps docs/testing.md true: its example passes, and it names every event and
// every key of a scenario.
func TestDocs(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	_, example, _ := strings.Cut(text, "```yaml\n")
	example, _, _ = strings.Cut(example, "```\n")
	scenarios, err := failovertest.ReadScenarios([]byte(example))
	if err != nil || len(scenarios) != 1 {
		t.Fatalf("%d scenarios, %v", len(scenarios), err)
	}
	failovertest.Check(t, scenarios[0])
	for verb := range everything() {
		if !strings.Contains(text, "`"+string(verb)+"`") && !strings.Contains(text, "`"+string(verb)+" C`") {
			t.Errorf("docs/testing.md does not name the event %s", verb)
		}
	}
	for _, of := range []any{
		failovertest.World{},
		failovertest.ScenarioStep{},
		failovertest.Facts{},
		failovertest.Expectation{},
		failovertest.TaskExpectation{},
		failovertest.DecisionExpectation{},
		failovertest.PurgeExpectation{},
		failovertest.PlacementExpectation{},
		failovertest.StateExpectation{},
		failovertest.CopyExpectation{},
	} {
		kind := reflect.TypeOf(of)
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`"+name+":") {
				t.Errorf("docs/testing.md does not name the key %s of a %s", name, kind.Name())
			}
		}
	}
}
