package failovertest_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// How many stories TestRandomStories tells, and which is the first.
var (
	seedsFlag = flag.Int64("random.seeds", 15, "stories to tell")
	seedFlag  = flag.Int64("random.first", 1, "the first story")
)

// TestRandomStories lets things happen that the explorer does not know: statuses, policy
// edits, facts, records that are lost, requests with a cause, policies of all kinds. All
// promises hold. A seed tells the same story each time.
func TestRandomStories(t *testing.T) {
	t.Parallel()
	for seed := *seedFlag; seed < *seedFlag+*seedsFlag; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			g := dice{rand.New(rand.NewSource(seed))}
			sc := failovertest.Scenario{Name: t.Name(), World: g.world()}
			sc.Steps = []failovertest.ScenarioStep{{Do: steps(t, "schedule east", "healthy east", "tick")}}
			for range 40 {
				next := sc
				next.Steps = append(append([]failovertest.ScenarioStep{}, sc.Steps...), g.step(t, sc.World.Clusters))
				story, err := next.Run()
				var bad *failovertest.PromiseError
				switch {
				case errors.As(err, &bad):
					t.Fatalf("%v\n%s", err, story.Picture().Text())
				case err == nil && len(next.Steps) < 14: // else it could not happen
					sc = next
				}
			}
		})
	}
}

// dice makes up a story.
type dice struct{ *rand.Rand }

func pick[T any](g dice, from ...T) T { return from[g.Intn(len(from))] }

func (g dice) world() failovertest.World {
	return failovertest.World{
		Clusters: pick(g, []string{"east", "west"}, []string{"east", "west", "north"}), Policy: g.policy(),
		Copies: pick(g, 1, 2), Dated: pick(g, true, false), TaintsKnown: pick(g, true, false),
	}
}

func (g dice) policy() failover.Behavior {
	return policy(pick(g, purge.Modes()...), preserved(func(sp *preservation.StatePreservation) {
		sp.OnMissingState = pick(g, "", "", preservation.UsePrevious, preservation.EvictWithout)
		sp.Retention = pick(g, "", preservation.UntilNextFailover)
		sp.InjectWhenNotDirectly = pick(g, true, false, false)
		sp.Rules = append(sp.Rules, preservation.Rule{
			AliasLabelName: "example.com/x", JSONPath: "{.x}", Target: preservation.Annotation, Policy: preservation.Optional,
		})
		if pick(g, true, false, false) {
			sp.Rules = append(sp.Rules, preservation.Rule{JSONPath: "{.job}", Target: preservation.Field, FieldPath: ".spec.job"})
		}
	}))
}

func (g dice) step(t *testing.T, clusters []string) failovertest.ScenarioStep {
	t.Helper()
	cluster, second := pick(g, clusters...), &metav1.Duration{Duration: time.Second}
	switch g.Intn(22) {
	case 0, 1, 2, 3:
		return failovertest.ScenarioStep{Advance: &metav1.Duration{Duration: time.Duration(1+g.Intn(4)) * time.Second}}
	case 4:
		number := g.Intn(1000)
		return failovertest.ScenarioStep{Status: map[string]json.RawMessage{cluster: json.RawMessage(pick(
			g, fmt.Sprintf(`{"job":"a%d"}`, number), fmt.Sprintf(`{"job":"b%d","x":"y"}`, number), `{"x":"only"}`, `{}`, `null`,
		))}}
	case 5:
		return failovertest.ScenarioStep{Health: map[string]eviction.Health{cluster: pick(g, "", eviction.NotApplicable, eviction.Healthy)}}
	case 6:
		return failovertest.ScenarioStep{Facts: map[string]failovertest.Facts{cluster: {RequiredByOthers: ptr(pick(g, true, false))}}}
	case 7:
		return failovertest.ScenarioStep{Edit: &failovertest.Edit{Policy: ptr(g.policy())}}
	case 8:
		return failovertest.ScenarioStep{RecordLost: pick(g, true, false, false), Advance: second}
	case 9:
		request := failover.Request{Cluster: cluster, Action: failover.RequestEvict, Cause: preservation.Cluster}
		return failovertest.ScenarioStep{Requests: []failover.Request{request}}
	}
	verb := pick(
		g, "schedule", "schedule", "schedule", "unschedule", "healthy", "healthy", "unhealthy", "unknown", "silent", "talk", "lose", "return",
		"wipe", "fence", "unfence", "taint", "taint", "untaint", "deleted", "deleted", "deleted", "vanish", "evict", "withdraw",
		"acknowledge", "confirm",
	)
	text := verb + " " + cluster
	if g.Intn(8) == 0 {
		text += fmt.Sprintf(" !%d", 1+g.Intn(4))
	}
	return failovertest.ScenarioStep{Do: steps(t, text)}
}
