package failovertest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/purge"
)

// TestTell draws nothing: it checks what there is to draw.
func TestTell(t *testing.T) {
	t.Parallel()
	world := failovertest.World{Clusters: []string{"east", "west"}, Policy: policy(purge.Directly)}
	timeline := steps(t, "schedule east", "healthy east", "tick", "taint east", "schedule west", "deleted east", "healthy west", "tick")
	story, err := failovertest.Tell(world, timeline)
	if err != nil {
		t.Fatal(err)
	}
	type brief struct {
		Step       string
		Second     int
		East, West string
		Tasks      int
	}
	copyOf := func(c failovertest.ClusterMoment) string {
		if c.Copy == nil {
			return ""
		}
		text := string(c.Copy.Health) + " reports " + c.Copy.Reports + " received " + c.Copy.Received + " keeps " + c.Copy.Keeps
		if c.Copy.Deleting {
			text = "deleting " + text
		}
		return text
	}
	var got []brief
	for _, m := range story.Moments {
		got = append(got, brief{m.Step, m.At.Second(), copyOf(m.Clusters[0]), copyOf(m.Clusters[1]), len(m.Tasks)})
	}
	want := []brief{
		{"schedule east", 0, "Unknown reports j1 received  keeps ", "", 0},
		{"healthy east", 0, "Healthy reports j1 received  keeps ", "", 0},
		{"tick", 1, "Healthy reports j1 received  keeps ", "", 0},
		{"taint east", 1, "deleting Healthy reports j1 received  keeps ", "", 1},
		{"schedule west", 1, "deleting Healthy reports j1 received  keeps ", "", 1},
		{"deleted east", 1, "", "Unknown reports j2 received j1 keeps j1", 0},
		{"healthy west", 1, "", "Healthy reports j2 received j1 keeps j1", 0},
		{"tick", 2, "", "Healthy reports j2 received j1 keeps ", 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the story (-want +got):\n%s", diff)
	}
	last := story.Moments[7]
	if !last.At.Equal(time.Date(2026, 1, 1, 0, 0, 2, 0, time.UTC)) || last.Clusters[0].Target || !last.Clusters[1].Target ||
		!last.Clusters[0].Tainted || len(last.Targets) != 1 || len(last.Plan.Decisions) != 1 {
		t.Errorf("the last moment: %+v", last)
	}
	if diff := cmp.Diff([]string{"j1", "j2"}, []string{story.Values[0].Name, story.Values[1].Name}); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if _, err := json.Marshal(story); err != nil {
		t.Error(err)
	}
}

// TestTellEnds is a timeline that stops half way: the story goes as far.
func TestTellEnds(t *testing.T) {
	t.Parallel()
	world := failovertest.World{Clusters: []string{"east", "west"}, Policy: policy(purge.Directly)}
	story, err := failovertest.Tell(world, steps(t, "schedule east", "schedule east", "healthy east"))
	if err == nil || len(story.Moments) != 2 || story.Moments[1].Failure != err.Error() {
		t.Errorf("want the second moment to say what is wrong, got %v, %+v", err, story.Moments)
	}
	if bad := (*failovertest.PromiseError)(nil); errors.As(err, &bad) {
		t.Errorf("an event without effect is no broken promise: %v", err)
	}
	if h := story.Moments[0].Clusters[0].Copy.Health; h != eviction.HealthUnknown {
		t.Errorf("a new copy has health %q", h)
	}
}

// TestShortNames gives letters to values that are too long to be names, and more than
// there are letters.
func TestShortNames(t *testing.T) {
	t.Parallel()
	scenario := failovertest.Scenario{
		Name: "n", World: failovertest.World{Clusters: []string{"east"}, Policy: policy(purge.Directly)},
		Steps: []failovertest.ScenarioStep{{Do: steps(t, "schedule east")}},
	}
	for i := range 60 {
		status := map[string]json.RawMessage{"east": json.RawMessage(fmt.Sprintf(`{"job":"a-long-value-%d","well":true}`, i))}
		scenario.Steps = append(scenario.Steps, failovertest.ScenarioStep{Status: status})
	}
	story, err := scenario.Run()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range []int{0, 1, 26, 27, 52, 53, 60} {
		got = append(got, story.Moments[i].Clusters[0].Copy.Reports)
	}
	if diff := cmp.Diff([]string{"j1", "A", "Z", "A2", "Z2", "A3", "H3"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
