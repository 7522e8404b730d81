package failover_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// received has the same state of east on many targets, as no call of Plan writes it.
func received(t *testing.T) *session {
	t.Helper()
	s := newSession(t, stateful(purge.Directly, 0))
	state := stateOf(map[string]string{job: "A"})
	moved := failover.Move{
		Attempt: 1, From: "east", Mode: purge.Directly, Cause: preservation.Application, Created: *stamp(6), ClustersBeforeFailover: []string{"east"},
		State: &state, Stage: failover.StageEnded, StageSince: *stamp(6), Gone: true,
	}
	later := moved
	later.Attempt, later.State, later.Created = 2, nil, *stamp(1)
	s.in.Record = failover.Record{Version: failover.RecordVersion, Attempts: 2, Moves: []failover.Move{moved, later}}
	for i := range 8 {
		name := fmt.Sprintf("target-%d", i)
		s.choose(name)
		s.in.Record.Clusters = append(s.in.Record.Clusters, failover.ClusterRecord{Name: name, Target: true, PlacedAt: stamp(i)})
		s.in.Record.Deliveries = append(s.in.Record.Deliveries, failover.Delivery{To: name, Attempt: 1, At: *stamp(5)})
	}
	return s
}

// TestPlanReadsRecordsInAnyOrder is L3: a store that keeps lists as maps may give them back
// in another order.
func TestPlanReadsRecordsInAnyOrder(t *testing.T) {
	t.Parallel()
	s := received(t).choose("another")
	want, err := failover.Plan(withNow(s.in, 10))
	if err != nil || len(want.Record.Deliveries) != 8 || len(want.Placements) != 9 {
		t.Fatalf("%d deliveries, %d placements, %v", len(want.Record.Deliveries), len(want.Placements), err)
	}
	if message := want.Placements[0].Message; !strings.Contains(message, "went to target-0") {
		t.Errorf("another: %s", message)
	}
	for _, p := range want.Placements[1:] {
		if p.Reason != failover.Injected {
			t.Errorf("%s: %s", p.Cluster, p.Reason)
		}
	}
	slices.Reverse(s.in.Record.Clusters)
	slices.Reverse(s.in.Record.Moves)
	slices.Reverse(s.in.Record.Deliveries)
	got, err := failover.Plan(withNow(s.in, 10))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asText(t, want), asText(t, got)); diff != "" {
		t.Errorf("(-want +reversed)\n%s", diff)
	}
}

func withNow(in failover.PlanInput, seconds int) failover.PlanInput {
	in.Now = at(seconds)
	return in
}

// TestPlanTimesOfTheFuture is F1: a record of a clock that is ahead counts as of now, but
// for the task that is not written yet, whose time is its name (E10).
func TestPlanTimesOfTheFuture(t *testing.T) {
	t.Parallel()
	ahead := stamp(1000)
	times := failover.ClusterRecord{
		PlacedAt: ahead, StartedAt: ahead, UnhealthySince: ahead, HealthySince: ahead, LastHealthy: ahead, BlockedSince: ahead, HeldSince: ahead, EvictedAt: ahead,
	}
	west, east := times, times
	west.Name, west.Target, east.Name = "west", true, "east"
	task := left("east", 1000, "east", "A")
	state := task.State()
	pending := failover.Move{
		Attempt: 1, From: "east", Mode: purge.Directly, Created: *ahead, ClustersBeforeFailover: []string{"east"}, State: &state,
		Stage: failover.StagePending, StageSince: *ahead, Pending: &failover.PendingEviction{Task: task, Cluster: east},
	}
	waits := failover.Move{
		Attempt: 2, From: "north", Mode: purge.Directly, Created: *ahead, ClustersBeforeFailover: []string{"north"}, State: &state,
		Stage: failover.StageEnded, StageSince: *ahead, Gone: true,
	}
	s := newSession(t, stateful(purge.Directly, 60), "east", "west")
	s.in.Record = failover.Record{
		Version: failover.RecordVersion, Attempts: 2, Clusters: []failover.ClusterRecord{west, east}, Moves: []failover.Move{pending, waits},
		Deliveries: []failover.Delivery{{To: "west", Attempt: 1, At: *ahead}},
		Failovers:  []failover.Failover{{Attempt: 1, At: *ahead}},
		History:    []failover.HistoryItem{{Attempt: 1, From: "east", At: *ahead, Outcome: failover.OutcomeUnderway}},
	}
	s.plan(500)
	var record map[string]any
	if err := json.Unmarshal([]byte(asText(t, s.out.Record)), &record); err != nil {
		t.Fatal(err)
	}
	if found := checkTimes(t, "record", record); found < 10 {
		t.Errorf("only %d times", found)
	}
}

// checkTimes counts the times in a value, and fails for those after 500.
func checkTimes(t *testing.T, path string, value any) int {
	t.Helper()
	found := 0
	switch v := value.(type) {
	case map[string]any:
		for key, one := range v {
			if key != "task" {
				found += checkTimes(t, path+"."+key, one)
			}
		}
	case []any:
		for _, one := range v {
			found += checkTimes(t, path, one)
		}
	case string:
		instant, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return 0
		}
		if instant.After(at(500)) {
			t.Errorf("%s is %s", path, v)
		}
		found++
	}
	return found
}

// TestPlanSharesNoRecord is L1: what nobody looked at in this call is copied, too.
func TestPlanSharesNoRecord(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Healthy, "A")
	s.in.Host.RequestsOnly = true
	seen := failover.TaintSeen{Taint: failover.Taint{Key: "example.com/down", Effect: failover.NoExecute, TimeAdded: stamp(1)}, FirstSeen: at(1)}
	s.in.Record = failover.Record{Version: failover.RecordVersion, Clusters: []failover.ClusterRecord{{
		Name: "east", Target: true, Taints: []failover.TaintSeen{seen}, HealthyRevision: ptr(""), EvictedAt: stamp(1), CooldownSeconds: ptr(int32(60)),
	}}}
	before := asText(t, s.in)
	out, err := failover.Plan(withNow(s.in, 10))
	if err != nil || len(out.Record.Clusters) != 1 || len(out.Record.Clusters[0].Taints) != 1 {
		t.Fatalf("clusters %v, %v", out.Record.Clusters, err)
	}
	east := &out.Record.Clusters[0]
	taint := &east.Taints[0].Taint
	taint.Key, *taint.TimeAdded, *east.HealthyRevision, *east.EvictedAt, *east.CooldownSeconds = "spoiled", *stamp(99), "spoiled", *stamp(99), 99
	if diff := cmp.Diff(before, asText(t, s.in)); diff != "" {
		t.Errorf("the input changes with the answer (-before +after)\n%s", diff)
	}
}

// TestPlanTimesOfAnotherClock is L2: a record may come back in another zone, and with parts
// of a second. The toleration ends where it would have.
func TestPlanTimesOfAnotherClock(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 60), "east").see("east", eviction.Unhealthy, "A")
	since := stamp(10)
	since.Time = since.Add(700 * time.Millisecond).In(time.FixedZone("elsewhere", 3600))
	s.in.Record = failover.Record{
		Version: failover.RecordVersion, Clusters: []failover.ClusterRecord{{Name: "east", Target: true, Started: failover.NoState, UnhealthySince: since}},
	}
	out, err := failover.Plan(withNow(s.in, 69))
	if err != nil || *out.Record.Clusters[0].UnhealthySince != *stamp(10) {
		t.Errorf("unhealthy since %v, %v", out.Record.Clusters[0].UnhealthySince, err)
	}
	s.plan(69)
	s.decides("east", failover.Wait, failover.BelowToleration).looksAgain(1)
	s.run(70).decides("east", failover.Evict, failover.ApplicationFailure)
}

// TestPlanCountsOnFromTheLastMove is F1: attempts stay unique in a record that says less
// than its moves do.
func TestPlanCountsOnFromTheLastMove(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "west").see("west", eviction.Unhealthy, "B")
	s.in.Record = failover.Record{
		Version: failover.RecordVersion, Clusters: []failover.ClusterRecord{{Name: "west", Target: true, Started: failover.NoState}},
		Moves: []failover.Move{{Attempt: 1, From: "east", Mode: purge.Directly, Created: *stamp(0), Stage: failover.StageEnded, StageSince: *stamp(0)}},
	}
	s.run(10).decides("west", failover.Evict, failover.ApplicationFailure)
	if len(s.out.Record.Moves) != 2 || s.out.Record.Moves[1].Attempt != 2 || s.out.Record.Attempts != 2 {
		t.Errorf("moves %+v, %d attempts", s.out.Record.Moves, s.out.Record.Attempts)
	}
}

// A new record reads from the tasks that the copy on west received the state of the newest move,
// and not that another cluster left with the same (F14, I1).
func TestPlanNewRecordFindsTheMoveOfAReceivedState(t *testing.T) {
	t.Parallel()
	s := newSession(t, stateful(purge.Directly, 0), "west").gone("east").gone("south")
	s.in.Tasks = []eviction.Task{left("south", 0, "east south", "A"), left("east", 30, "east", "A")} // side by side
	s.see("west", eviction.Unhealthy, "W").know("west", failover.ClusterFacts{Presence: purge.Present})
	s.in.Policy.Application.DecisionConditions.TolerationSeconds = ptr(int32(600))
	s.run(60).places("west", failover.Apply, failover.Injected, "A")
	if got := s.out.Placements[0]; got.Origin != "east" || got.Attempt != 2 {
		t.Errorf("the state of %s, attempt %d, want that of east, 2", got.Origin, got.Attempt)
	}
}
