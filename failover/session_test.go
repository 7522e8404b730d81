package failover_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// session plays a controller that calls Plan, writes what it says, and knows nothing
// else: the record travels as JSON. Every call also proves F13 and L1.
type session struct {
	t   *testing.T
	in  failover.PlanInput
	out failover.PlanOutput
	err error
}

func newSession(t *testing.T, policy failover.Behavior, targets ...string) *session {
	t.Helper()
	s := &session{t: t, in: failover.PlanInput{
		Policy: policy, Producer: "test", Scheduled: true, Clusters: map[string]failover.ClusterFacts{},
	}}
	for _, name := range targets {
		s.choose(name)
	}
	return s
}

// choose is the scheduler.
func (s *session) choose(names ...string) *session {
	for _, name := range names {
		s.in.Targets = append(s.in.Targets, eviction.TargetCluster{Name: name})
	}
	return s
}

// unchoose is a scheduler that takes targets away by itself.
func (s *session) unchoose(names ...string) *session {
	s.in.Targets = slices.DeleteFunc(s.in.Targets, func(t eviction.TargetCluster) bool { return slices.Contains(names, t.Name) })
	return s
}

// see observes a copy: its health and its job.
func (s *session) see(cluster string, health eviction.Health, id string) *session {
	item := eviction.AggregatedStatusItem{ClusterName: cluster, Health: health, Applied: true}
	if id != "" {
		raw, err := json.Marshal(map[string]any{"job": id})
		require.NoError(s.t, err)
		item.Status = &runtime.RawExtension{Raw: raw}
	}
	s.lose(cluster)
	s.in.Items = append(s.in.Items, item)
	return s
}

// lose takes the status item of a cluster away.
func (s *session) lose(cluster string) *session {
	s.in.Items = slices.DeleteFunc(slices.Clone(s.in.Items), func(i eviction.AggregatedStatusItem) bool { return i.ClusterName == cluster })
	return s
}

// know sets what the host knows of a cluster.
func (s *session) know(cluster string, facts failover.ClusterFacts) *session {
	s.in.Clusters[cluster] = facts
	return s
}

func (s *session) gone(cluster string) *session {
	return s.know(cluster, failover.ClusterFacts{Presence: purge.Gone})
}

func (s *session) ask(requests ...failover.Request) *session {
	s.in.Requests = requests
	return s
}

// crash decides and writes nothing but the record.
func (s *session) crash(seconds int) *session {
	s.t.Helper()
	s.plan(seconds)
	s.in.Record = s.out.Record
	return s
}

// run decides and writes everything.
func (s *session) run(seconds int) *session {
	s.t.Helper()
	s.plan(seconds)
	s.in.Record, s.in.Targets, s.in.Tasks = s.out.Record, s.out.Targets, s.out.Tasks
	again := s.in
	answer, err := failover.Plan(again)
	if (err == nil) != (s.err == nil) {
		s.t.Errorf("F13 at %d: the error changes: %v, then %v", seconds, s.err, err)
	}
	if diff := cmp.Diff(asText(s.t, s.in.Record), asText(s.t, answer.Record)); diff != "" {
		s.t.Errorf("F13 at %d: the record changes (-first +second)\n%s", seconds, diff)
	}
	if diff := cmp.Diff([2]any{s.out.Targets, s.out.Tasks}, [2]any{answer.Targets, answer.Tasks}); diff != "" {
		s.t.Errorf("F13 at %d: targets or tasks change (-first +second)\n%s", seconds, diff)
	}
	if diff := cmp.Diff(s.out.Placements, answer.Placements); diff != "" {
		s.t.Errorf("F13 at %d: placements change (-first +second)\n%s", seconds, diff)
	}
	if len(answer.Events) > 0 {
		s.t.Errorf("F13 at %d: events of nothing: %v", seconds, answer.Events)
	}
	return s
}

func (s *session) plan(seconds int) {
	s.t.Helper()
	s.in.Now = at(seconds)
	before := asText(s.t, s.in)
	s.out, s.err = failover.Plan(s.in)
	if diff := cmp.Diff(before, asText(s.t, s.in)); diff != "" {
		s.t.Errorf("L1 at %d: the input changes\n%s", seconds, diff)
	}
	for _, d := range s.out.Decisions {
		if d.Message == "" || d.Reason == "" {
			s.t.Errorf("at %d: a decision without words: %+v", seconds, d)
		}
	}
	for _, p := range s.out.Placements {
		if p.Message == "" || p.Reason == "" {
			s.t.Errorf("at %d: a placement without words: %+v", seconds, p)
		}
	}
	for _, e := range s.out.Events {
		if e.Message == "" || !strings.Contains(e.Message, e.Cluster) {
			s.t.Errorf("at %d: an event that does not name its cluster: %+v", seconds, e)
		}
	}
	for _, w := range s.out.Warnings {
		if w.Message == "" || w.Reason == "" {
			s.t.Errorf("at %d: a warning without words: %+v", seconds, w)
		}
	}
	var record failover.Record
	require.NoError(s.t, json.Unmarshal([]byte(asText(s.t, s.out.Record)), &record))
	s.out.Record = record
}

// decides checks the outcome and the reason for a cluster.
func (s *session) decides(cluster string, outcome failover.Outcome, reason failover.Reason) *session {
	s.t.Helper()
	got := "no decision"
	for _, d := range s.out.Decisions {
		if d.Cluster == cluster {
			got = string(d.Outcome) + " " + string(d.Reason)
		}
	}
	if want := string(outcome) + " " + string(reason); got != want {
		s.t.Errorf("at %s: %s: %s, want %s", s.in.Now.Format(time.TimeOnly), cluster, got, want)
	}
	return s
}

// places checks what happens to the manifest for a target: the job that is injected, or
// none.
func (s *session) places(cluster string, action failover.Action, reason failover.GateReason, id string) *session {
	s.t.Helper()
	want := [3]string{string(action), string(reason), id}
	var got [3]string
	for _, p := range s.out.Placements {
		if p.Cluster == cluster {
			got = [3]string{string(p.Action), string(p.Reason)}
			if p.State != nil {
				got[2] = p.State.Labels[job]
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("at %s: %s (-want +got)\n%s", s.in.Now.Format(time.TimeOnly), cluster, diff)
	}
	return s
}

// purges checks what happens to an old copy.
func (s *session) purges(cluster string, outcome eviction.Outcome, reason purge.Reason) *session {
	s.t.Helper()
	got := "no decision"
	for _, p := range s.out.Purges {
		if p.Cluster == cluster {
			got = string(p.Outcome) + " " + string(p.Reason)
		}
	}
	if want := string(outcome) + " " + string(reason); got != want {
		s.t.Errorf("at %s: old copy on %s: %s, want %s", s.in.Now.Format(time.TimeOnly), cluster, got, want)
	}
	return s
}

// looksAgain checks the next check, in seconds; 0 = none.
func (s *session) looksAgain(seconds int) *session {
	s.t.Helper()
	if diff := cmp.Diff(time.Duration(seconds)*time.Second, s.out.NextCheck.After); diff != "" {
		s.t.Errorf("at %s: next check (-want +got)\n%s", s.in.Now.Format(time.TimeOnly), diff)
	}
	return s
}

// fails checks that an error of the kind is there.
func fails[E error](s *session) E {
	s.t.Helper()
	var target E
	if !errors.As(s.err, &target) {
		s.t.Errorf("no error of type %T in %v", target, s.err)
	}
	return target
}

func asText(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.MarshalIndent(value, "", " ")
	require.NoError(t, err)
	return string(raw)
}

// stateful is a policy with one Required rule, in both blocks.
func stateful(mode purge.Mode, toleration int32) failover.Behavior {
	sp := func() *preservation.StatePreservation {
		return &preservation.StatePreservation{Rules: []preservation.Rule{{AliasLabelName: job, JSONPath: "{.job}"}}}
	}
	return failover.Behavior{
		Application: &failover.ApplicationBehavior{
			DecisionConditions: failover.DecisionConditions{TolerationSeconds: &toleration}, PurgeMode: mode, StatePreservation: sp(),
		},
		Cluster: &failover.ClusterBehavior{PurgeMode: mode, StatePreservation: sp()},
	}
}

func lostCluster() []failover.Taint {
	return []failover.Taint{{Key: "example.com/lost", Effect: failover.NoExecute}}
}

// episode is what happens to one session, and why it must go that way.
type episode struct {
	reason string
	play   func(t *testing.T)
}

func play(t *testing.T, episodes map[string]episode) {
	t.Helper()
	for name, one := range episodes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Log(one.reason)
			one.play(t)
		})
	}
}
