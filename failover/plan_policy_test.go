package failover_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// warns checks that a warning is there, or is not.
func (s *session) warns(cluster string, reason failover.WarningReason, want bool) *session {
	s.t.Helper()
	got := slices.ContainsFunc(s.out.Warnings, func(w failover.Warning) bool {
		return w.Cluster == cluster && w.Reason == reason && w.Message != ""
	})
	if got != want {
		s.t.Errorf("at %s: warning %s of %q: %t, want %t, in %v", s.in.Now.Format("04:05"), reason, cluster, got, want, s.out.Warnings)
	}
	return s
}

// tells checks the events of the last call: "cluster Type Reason".
func (s *session) tells(want ...string) *session {
	s.t.Helper()
	got := []string{}
	for _, e := range s.out.Events {
		got = append(got, e.Cluster+" "+string(e.Type)+" "+e.Reason)
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		s.t.Errorf("at %s: events (-want +got)\n%s", s.in.Now.Format("04:05"), diff)
	}
	return s
}

// avoids checks the clusters that the scheduler should avoid: "cluster Reason".
func (s *session) avoids(want ...string) *session {
	s.t.Helper()
	got := []string{}
	for _, e := range s.out.Excluded {
		got = append(got, e.Cluster+" "+string(e.Reason))
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		s.t.Errorf("at %s: excluded (-want +got)\n%s", s.in.Now.Format("04:05"), diff)
	}
	return s
}

// plain is a policy without state.
func plain(mode purge.Mode, toleration int32) failover.Behavior {
	b := stateful(mode, toleration)
	b.Application.StatePreservation, b.Cluster.StatePreservation = nil, nil
	return b
}

func TestPlanConditions(t *testing.T) {
	t.Parallel()
	tests := map[string]episode{
		"initial toleration": {
			reason: "F3: it counts until the application was first healthy on that cluster",
			play: func(t *testing.T) {
				t.Helper()
				b := plain(purge.Directly, 60)
				b.Application.DecisionConditions.InitialTolerationSeconds = ptr(int32(600))
				s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0).looksAgain(600)
				s.see("east", eviction.Healthy, "A").run(10)
				s.see("east", eviction.Unhealthy, "A").run(20).looksAgain(60)
				s.run(80).decides("east", failover.Evict, failover.ApplicationFailure)
				s.gone("east").choose("west").run(90)
				s.see("west", eviction.Unhealthy, "W").run(100).looksAgain(580)
				s.run(160).decides("west", failover.Wait, failover.BelowToleration)
			},
		},
		"healthy before": {
			reason: "F3: what was never healthy there stays; another revision was not, either",
			play: func(t *testing.T) {
				t.Helper()
				b := plain(purge.Directly, 0)
				b.Application.DecisionConditions.RequireHealthyBefore = true
				s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A")
				s.run(0).decides("east", failover.None, failover.NeverHealthy).tells("east Warning NeverHealthy").looksAgain(0)
				s.run(5).tells()
				s.see("east", eviction.Healthy, "A").run(10)
				s.in.Revision = "2"
				s.see("east", eviction.Unhealthy, "A").run(20).decides("east", failover.None, failover.NeverHealthy)
				s.in.Revision = ""
				s.run(30).decides("east", failover.Evict, failover.ApplicationFailure)
			},
		},
		"window": {
			reason: "F3: the oldest failover leaves the window",
			play: func(t *testing.T) {
				t.Helper()
				b := plain(purge.Directly, 0)
				b.Application.DecisionConditions.MaxFailovers = ptr(int32(2))
				b.Application.DecisionConditions.WindowSeconds = ptr(int32(1000))
				s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
				s.gone("east").choose("west").run(10)
				s.see("west", eviction.Unhealthy, "W").run(100).decides("west", failover.Evict, failover.ApplicationFailure)
				s.gone("west").choose("north").run(110)
				s.see("north", eviction.Unhealthy, "N").run(200).decides("north", failover.Wait, failover.FailoverLimit)
				s.tells("north Warning FailoverLimit").run(999).decides("north", failover.Wait, failover.FailoverLimit).looksAgain(1)
				s.run(1000).decides("north", failover.Evict, failover.ApplicationFailure)
				if got := len(s.out.Record.Failovers); got != 3 {
					t.Errorf("%d failovers are remembered", got)
				}
			},
		},
		"taints do not count": {
			reason: "F3: only failovers for health are limited",
			play: func(t *testing.T) {
				t.Helper()
				b := plain(purge.Directly, 0)
				b.Application.DecisionConditions.MaxFailovers = ptr(int32(1))
				s := newSession(t, b, "east").know("east", failover.ClusterFacts{Taints: lostCluster()}).run(0)
				s.decides("east", failover.Evict, failover.TaintUntolerated).gone("east").choose("west").run(10)
				s.see("west", eviction.Unhealthy, "W").run(20).decides("west", failover.Evict, failover.ApplicationFailure)
			},
		},
		"both due": {
			reason: "F10: the cluster wins",
			play: func(t *testing.T) {
				t.Helper()
				newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").
					ask(failover.Request{Cluster: "east", Action: failover.RequestEvict}).
					know("east", failover.ClusterFacts{Taints: lostCluster()}).run(0).
					decides("east", failover.Evict, failover.TaintUntolerated).tells("east Warning TaintUntolerated", "east Normal OldCopyUnreachable")
			},
		},
		"no block": {
			reason: "F10: a nil block does nothing for its cause, and says so",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, failover.Behavior{}, "east").see("east", eviction.Unhealthy, "A").run(0)
				s.decides("east", failover.None, failover.NotConfigured).looksAgain(0)
				s.see("east", eviction.Healthy, "A").know("east", failover.ClusterFacts{Taints: lostCluster()}).run(10)
				s.decides("east", failover.None, failover.NotConfigured)
				s.in.Host.ClusterPurgeMode = purge.Directly
				s.run(20).decides("east", failover.Evict, failover.TaintUntolerated)
				if got := s.out.Tasks[0].PurgeMode; got != purge.Directly {
					t.Errorf("mode %s", got)
				}
			},
		},
		"a block beside the mode of the host": {
			reason: "F10: the policy says how",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Gracefully, 0), "east").see("east", eviction.Healthy, "A").know("east", failover.ClusterFacts{Taints: lostCluster()})
				s.in.Host.ClusterPurgeMode = purge.Directly
				s.run(0).purges("east", eviction.Keep, purge.NoReplacement)
			},
		},
		"requests only": {
			reason: "F12: a host may switch failover off",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 0), "east", "west").see("east", eviction.Unhealthy, "A").
					know("west", failover.ClusterFacts{Taints: lostCluster()})
				s.in.Host.RequestsOnly = true
				s.run(0).decides("east", failover.None, failover.NotRequested).decides("west", failover.None, failover.NotRequested).looksAgain(0)
				s.ask(failover.Request{Cluster: "west", Action: failover.RequestEvict, Cause: preservation.Cluster}).run(10)
				s.decides("east", failover.None, failover.NotRequested).decides("west", failover.Evict, failover.TaintUntolerated)
			},
		},
		"invalid policy": {
			reason: "F11: it stops new evictions, and what is waited for",
			play: func(t *testing.T) {
				t.Helper()
				b := plain(purge.Directly, 60)
				b.Application.GracePeriodSeconds = ptr(int32(5))
				s := newSession(t, b, "east").see("east", eviction.Healthy, "A").run(0).decides("east", failover.None, failover.ApplicationHealthy)
				if s.err != nil {
					t.Errorf("nothing is due: %v", s.err)
				}
				s.see("east", eviction.Unhealthy, "A").run(10).decides("east", failover.Blocked, failover.InvalidPolicy).looksAgain(0)
				if got := fails[*failover.ClusterError](s); got != nil && got.Cluster != "east" {
					t.Errorf("cluster %q", got.Cluster)
				}
				s.tells("east Warning InvalidPolicy").run(100).decides("east", failover.Blocked, failover.InvalidPolicy).tells()
			},
		},
		"one blocked, one not": {
			reason: "F5: one cluster's error never blocks another's eviction",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, stateful(purge.Directly, 0), "east", "west").see("east", eviction.Unhealthy, "").see("west", eviction.Unhealthy, "W")
				s.run(0).decides("east", failover.Blocked, failover.MissingState).decides("west", failover.Evict, failover.ApplicationFailure)
			},
		},
		"tolerated": {
			reason: "F4: for ever, then for a time, from when the taint was first seen",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 60), "east").see("east", eviction.Healthy, "A").
					know("east", failover.ClusterFacts{Taints: lostCluster()})
				s.in.Tolerations = []failover.Toleration{{Operator: failover.Exists}}
				s.run(0).decides("east", failover.Tolerated, failover.TaintTolerated).tells("east Normal TaintTolerated").looksAgain(0)
				s.in.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr(int64(120))}}
				s.run(20).decides("east", failover.Wait, failover.TaintToleratedUntil).tells("east Normal TaintToleratedUntil").looksAgain(100)
				s.run(120).decides("east", failover.Evict, failover.TaintUntolerated)
			},
		},
		"waits for two": {
			reason: "the next check is the earliest of all that is waited for",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 60), "east").see("east", eviction.Unhealthy, "A").
					know("east", failover.ClusterFacts{Taints: lostCluster()})
				s.in.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr(int64(120))}}
				s.run(0).decides("east", failover.Wait, failover.TaintToleratedUntil).looksAgain(60)
				s.run(60).decides("east", failover.Evict, failover.ApplicationFailure)
			},
		},
		"an invalid toleration": {
			reason: "F4: no eviction, reported",
			play: func(t *testing.T) {
				t.Helper()
				s := newSession(t, plain(purge.Directly, 60), "east").see("east", eviction.Healthy, "A").
					know("east", failover.ClusterFacts{Taints: lostCluster()})
				s.in.Tolerations = []failover.Toleration{{Operator: "Sometimes"}}
				s.run(0).decides("east", failover.None, failover.InvalidToleration).warns("east", "InvalidToleration", true).tells("east Warning InvalidToleration")
			},
		},
	}
	play(t, tests)
}

func TestPlanRetention(t *testing.T) {
	t.Parallel()
	// delivered is a label and an annotation that west received at 10, with a policy that
	// retains as it says.
	delivered := func(t *testing.T, retention preservation.Retention) *session {
		t.Helper()
		b := stateful(purge.Directly, 0)
		sp := b.Application.StatePreservation
		sp.Retention = retention
		sp.Rules = append(sp.Rules, preservation.Rule{AliasLabelName: step, JSONPath: "{.job}", Target: preservation.Annotation},
			preservation.Rule{JSONPath: "{.job}", Target: preservation.Field, FieldPath: ".spec.job"})
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
		return s.gone("east").lose("east").choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
	}
	kept := func(s *session) [3]int {
		for _, p := range s.out.Placements {
			if p.State != nil {
				return [3]int{len(p.State.Labels), len(p.State.Annotations), len(p.State.Fields)}
			}
		}
		return [3]int{}
	}
	tests := map[string]struct {
		reason    string
		retention preservation.Retention
		template  bool
		want      [3]int // labels, annotations and fields once west was healthy
	}{
		"default":             {reason: "labels and annotations until healthy, fields until the next failover", want: [3]int{0, 0, 1}},
		"pod template":        {reason: "removing its labels restarts the workload", template: true, want: [3]int{1, 0, 1}},
		"until healthy":       {reason: "all of it ends", retention: preservation.UntilHealthy},
		"until next failover": {reason: "all of it stays", retention: preservation.UntilNextFailover, want: [3]int{1, 1, 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := delivered(t, test.retention)
			s.in.Host.Injection.PodTemplate = test.template
			if diff := cmp.Diff([3]int{1, 1, 1}, kept(s)); diff != "" {
				t.Errorf("received (-want +got)\n%s", diff)
			}
			s.see("west", eviction.HealthUnknown, "B").run(20)
			if diff := cmp.Diff([3]int{1, 1, 1}, kept(s)); diff != "" {
				t.Errorf("before health (-want +got)\n%s", diff)
			}
			s.see("west", eviction.Healthy, "B").run(30)
			if diff := cmp.Diff(test.want, kept(s)); diff != "" {
				t.Errorf("%s (-want +got)\n%s", test.reason, diff)
			}
			s.see("west", eviction.Unhealthy, "B").run(40).decides("west", failover.Evict, failover.ApplicationFailure)
			s.gone("west").lose("west").choose("north").run(50).places("north", failover.Apply, failover.Injected, "B")
		})
	}
}

func TestPlanRequests(t *testing.T) {
	t.Parallel()
	evict := failover.Request{Cluster: "east", Action: failover.RequestEvict}
	withdraw := failover.Request{Cluster: "east", Action: failover.RequestWithdraw}
	t.Run("unknown action", func(t *testing.T) {
		t.Parallel()
		newSession(t, plain(purge.Directly, 0), "east").ask(failover.Request{Cluster: "east", Action: "Restart"}).run(0).
			warns("east", failover.InvalidRequest, true).decides("east", failover.None, failover.HealthUnknown)
	})
	t.Run("unknown cause", func(t *testing.T) {
		t.Parallel()
		newSession(t, plain(purge.Directly, 0), "east").ask(failover.Request{Cluster: "east", Action: failover.RequestEvict, Cause: "Weather"}).run(0).
			decides("east", failover.Blocked, failover.InvalidCause)
	})
	t.Run("not a target", func(t *testing.T) {
		t.Parallel()
		newSession(t, plain(purge.Directly, 0), "west").ask(evict).run(0).decides("east", failover.None, failover.NotTarget)
	})
	t.Run("stay", func(t *testing.T) {
		t.Parallel()
		newSession(t, plain(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").ask(withdraw).run(0).
			decides("east", failover.None, failover.WithdrawRequested)
	})
	t.Run("withdraw Directly", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, plain(purge.Directly, 60), "east").ask(evict).run(0).decides("east", failover.Evict, failover.PlannedMove)
		s.tells("east Normal PlannedMove", "east Normal OldCopyUnreachable")
		s.ask(withdraw).run(10).warns("east", failover.WithdrawRefused, true).decides("east", failover.AlreadyEvicting, failover.UnderEviction)
	})
	t.Run("a planned move is not withdrawn by health", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, plain(purge.Gracefully, 60), "east").see("east", eviction.Healthy, "A").ask(evict).run(0)
		s.ask().run(10).decides("east", failover.AlreadyEvicting, failover.UnderEviction)
		s.ask(withdraw).run(20).tells("east Normal Withdrawn").avoids().places("east", failover.Apply, failover.NoState, "")
		if len(s.out.Tasks) != 0 || len(s.out.Targets) != 1 {
			t.Errorf("tasks %v, targets %v", s.out.Tasks, s.out.Targets)
		}
	})
	t.Run("a lost cluster is not withdrawn by its frozen health", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, plain(purge.Gracefully, 60), "east").see("east", eviction.Healthy, "A").
			know("east", failover.ClusterFacts{Taints: lostCluster()}).run(0).decides("east", failover.Evict, failover.TaintUntolerated)
		s.know("east", failover.ClusterFacts{}).run(10).decides("east", failover.AlreadyEvicting, failover.UnderEviction)
		s.know("east", failover.ClusterFacts{TaintsKnown: true}).run(20).decides("east", failover.None, failover.ApplicationHealthy)
	})
	t.Run("a withdrawn copy has what it received", func(t *testing.T) {
		t.Parallel()
		b := stateful(purge.Directly, 0)
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
		s.gone("east").lose("east").choose("west").run(10)
		b.Application.PurgeMode = purge.Gracefully
		s.in.Policy = b
		s.see("west", eviction.Unhealthy, "B").run(20).decides("west", failover.Evict, failover.ApplicationFailure)
		s.ask(failover.Request{Cluster: "west", Action: failover.RequestWithdraw}).run(30).places("west", failover.Apply, failover.Injected, "A")
		s.ask().see("west", eviction.Healthy, "B").run(40).places("west", failover.Apply, failover.NoState, "")
	})
	t.Run("an origin that nobody received", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "east", "west").see("east", eviction.Unhealthy, "A").see("west", eviction.Unhealthy, "W").run(0)
		s.gone("east").gone("west").choose("north").run(10).places("north", failover.Hold, failover.AmbiguousOrigin, "").
			warns("east", failover.SeveralOrigins, true)
		s.ask(failover.Request{Cluster: "east", Action: failover.RequestAcknowledge}).run(20).places("north", failover.Apply, failover.Injected, "W")
	})
}

func TestPlanHolds(t *testing.T) {
	t.Parallel()
	policy := func(on preservation.OnMissingState, deadline *int32) failover.Behavior {
		b := stateful(purge.Directly, 0)
		b.Application.StatePreservation.OnMissingState = on
		b.Application.StatePreservation.MissingStateDeadlineSeconds = deadline
		return b
	}
	ambiguous := func(t *testing.T, b failover.Behavior) *session {
		t.Helper()
		s := newSession(t, b, "east", "west").see("east", eviction.Unhealthy, "A").see("west", eviction.Unhealthy, "W").run(0)
		return s.gone("east").gone("west").lose("east").lose("west").choose("north").run(10)
	}
	t.Run("block", func(t *testing.T) {
		t.Parallel()
		ambiguous(t, policy("", nil)).places("north", failover.Hold, failover.AmbiguousOrigin, "").looksAgain(590)
	})
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		s := ambiguous(t, policy("", ptr(int32(100)))).places("north", failover.Hold, failover.AmbiguousOrigin, "").looksAgain(100)
		s.run(109).places("north", failover.Hold, failover.AmbiguousOrigin, "").looksAgain(1)
		s.run(110).places("north", failover.Apply, failover.AmbiguousOrigin, "").warns("north", failover.StartedWithoutState, true)
		s.see("north", eviction.Healthy, "N").run(120).places("north", failover.Apply, failover.NoState, "")
	})
	t.Run("evict without", func(t *testing.T) {
		t.Parallel()
		s := ambiguous(t, policy(preservation.EvictWithout, nil)).places("north", failover.Apply, failover.AmbiguousOrigin, "")
		s.tells("east Normal OldCopyGone", "north Warning StartedWithoutState", "west Normal OldCopyGone")
	})
	t.Run("partial", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, policy("", nil), "east", "west").see("east", eviction.Unhealthy, "A").see("west", eviction.Healthy, "W").run(0)
		s.gone("east").lose("east").choose("north").run(10).places("north", failover.Hold, failover.SeveralTargets, "").
			places("west", failover.Apply, failover.AlreadyRunning, "").warns("east", failover.PartialMove, true)
	})
	t.Run("unknown origin", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, policy("", nil), "west")
		task := left("east", 0, "", "A")
		s.in.Tasks = []eviction.Task{task}
		s.gone("east").run(10).places("west", failover.Hold, failover.UnknownOrigin, "")
	})
}

func TestPlanAdopts(t *testing.T) {
	t.Parallel()
	t.Run("after a lost record", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "west")
		s.in.Tasks = []eviction.Task{left("east", 0, "east", "A")}
		s.run(10).places("west", failover.Hold, failover.OldCopyNotGone, "").avoids("east UnderEviction").tells(
			"east Normal OldCopyUnreachable", "west Warning OldCopyNotGone")
		s.gone("east").run(20).places("west", failover.Apply, failover.Injected, "A").avoids("east InCooldown").looksAgain(580)
	})
	t.Run("of another controller", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 60), "east").see("east", eviction.Healthy, "A").run(0)
		s.in.Tasks, s.in.Targets = []eviction.Task{undated(left("east", 0, "east", "A"))}, on("west")
		s.run(10).tells("east Normal TaskAdopted", "east Normal OldCopyUnreachable", "west Warning OldCopyNotGone")
		if got := s.out.Tasks[0].CreationTimestamp; !got.Equal(stamp(10)) {
			t.Errorf("creation time %v", got)
		}
		s.gone("east").run(20).places("west", failover.Apply, failover.Injected, "A")
	})
	t.Run("with a copy that received it", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "west").see("west", eviction.HealthUnknown, "B").gone("east")
		s.in.Tasks = []eviction.Task{left("east", 0, "east", "A")}
		s.run(10).places("west", failover.Apply, failover.Injected, "A")
		s.see("west", eviction.Unhealthy, "B").run(20).decides("west", failover.Evict, failover.ApplicationFailure)
		s.gone("west").lose("west").choose("north").run(30).places("north", failover.Apply, failover.Injected, "A")
	})
	t.Run("two, of which one was never healthy", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "north").gone("east").gone("west")
		s.in.Tasks = []eviction.Task{left("east", 0, "east", "A"), left("west", 10, "west", "B")}
		s.run(20).places("north", failover.Apply, failover.Injected, "A").warns("west", failover.SourceNotAsked, true)
	})
	t.Run("the task vanishes", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A").run(0).run(5)
		s.in.Tasks = nil
		s.choose("west").run(10).places("west", failover.Hold, failover.OldCopyNotGone, "")
		s.gone("east").run(20).places("west", failover.Apply, failover.Injected, "A")
	})
}

func TestPlanWaits(t *testing.T) {
	t.Parallel()
	t.Run("fencing", func(t *testing.T) {
		t.Parallel()
		b := plain(purge.Directly, 0)
		b.Application.FencingDeadlineSeconds = ptr(int32(300))
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0).purges("east", eviction.Purge, purge.OldCopyUnreachable).looksAgain(300)
		s.run(300).purges("east", eviction.Purge, purge.NeedsFencing).tells("east Warning NeedsFencing").warns("east", "NeedsFencing", true)
	})
	t.Run("fencing of the other block", func(t *testing.T) {
		t.Parallel()
		b := plain(purge.Directly, 0)
		b.Cluster.FencingDeadlineSeconds = ptr(int32(300))
		newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0).looksAgain(0)
	})
	t.Run("soak", func(t *testing.T) {
		t.Parallel()
		b := plain(purge.Gracefully, 0)
		b.Application.SoakSeconds = ptr(int32(30))
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
		s.choose("west").run(10).see("west", eviction.Healthy, "W").run(20).purges("east", eviction.Keep, purge.Soaking).looksAgain(30)
		s.run(50).purges("east", eviction.Purge, purge.ReplacementHealthy)
	})
	t.Run("no cool-down", func(t *testing.T) {
		t.Parallel()
		b := plain(purge.Directly, 0)
		b.Application.BlockPredecessorSeconds = ptr(int32(0))
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0).avoids("east UnderEviction")
		s.gone("east").run(10).avoids().looksAgain(0)
	})
	t.Run("cool-down", func(t *testing.T) {
		t.Parallel()
		b := plain(purge.Directly, 0)
		b.Application.BlockPredecessorSeconds = ptr(int32(100))
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
		s.gone("east").lose("east").run(10).avoids("east InCooldown").looksAgain(90)
		s.choose("east").run(20).warns("east", "InCooldown", true).places("east", failover.Apply, failover.NoState, "")
		s.run(100).avoids().warns("east", "InCooldown", false).looksAgain(0)
	})
	t.Run("drop on purge", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, plain(purge.Gracefully, 0), "east").see("east", eviction.Unhealthy, "A")
		s.in.Host.DropOnPurge = true
		s.run(0).choose("west").run(10).see("west", eviction.Healthy, "W").run(20).purges("east", eviction.Purge, purge.ReplacementHealthy)
		if len(s.out.Tasks) != 0 {
			t.Errorf("tasks %v", s.out.Tasks)
		}
		s.run(30).tells()
	})
	t.Run("no record", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Directly, 0), "west").gone("east")
		s.in.Host.NoRecord = true
		s.in.Tasks = []eviction.Task{left("east", 0, "east", "A")}
		s.run(10).purges("east", eviction.Purge, purge.AwaitingReplacementHealthy)
		if len(s.out.Tasks) != 1 {
			t.Errorf("tasks %v", s.out.Tasks)
		}
	})
	t.Run("inject beside the old copy", func(t *testing.T) {
		t.Parallel()
		b := stateful(purge.Gracefully, 0)
		b.Application.StatePreservation.InjectWhenNotDirectly = true
		s := newSession(t, b, "east").see("east", eviction.Unhealthy, "A").run(0)
		s.choose("west").run(10).places("west", failover.Apply, failover.Injected, "A")
	})
	t.Run("not beside the old copy", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, stateful(purge.Gracefully, 0), "east").see("east", eviction.Unhealthy, "A").run(0)
		s.choose("west").run(10).places("west", failover.Apply, failover.ModeNotDirectly, "")
	})
}

func TestPlanStateAge(t *testing.T) {
	t.Parallel()
	policy := stateful(purge.Directly, 0)
	policy.Application.StatePreservation.MaxStateAgeSeconds = ptr(int32(300))
	taken := func(second int) failover.ClusterFacts {
		return failover.ClusterFacts{StateTakenAt: stamp(second)}
	}
	t.Run("fresh against the last health", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, policy, "east").see("east", eviction.Healthy, "A").know("east", taken(0)).run(0)
		s.see("east", eviction.HealthUnknown, "A").run(300)
		s.see("east", eviction.Unhealthy, "A").run(3600).decides("east", failover.Evict, failover.ApplicationFailure)
	})
	t.Run("stale against the last health", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, policy, "east").see("east", eviction.Healthy, "A").know("east", taken(0)).run(0)
		s.see("east", eviction.Unhealthy, "A").run(301).decides("east", failover.Blocked, failover.MissingState).warns("east", failover.StateTooOld, true)
		if got := fails[*failover.StateAgeError](s); got != nil && got.Retryable() {
			t.Errorf("retryable: %v", got)
		}
	})
	t.Run("unknown", func(t *testing.T) {
		t.Parallel()
		newSession(t, policy, "east").see("east", eviction.Unhealthy, "A").run(0).decides("east", failover.Blocked, failover.MissingState)
	})
}

func TestRecordCheck(t *testing.T) {
	t.Parallel()
	move, east := failover.Move{Attempt: 1, From: "east", Stage: failover.StageEvicting}, []failover.ClusterRecord{{Name: "east"}}
	tests := map[string]struct {
		record failover.Record
		valid  bool
	}{
		"empty":                 {valid: true},
		"version":               {record: failover.Record{Version: failover.RecordVersion}, valid: true},
		"newer":                 {record: failover.Record{Version: 2}},
		"negative":              {record: failover.Record{Version: -1}},
		"content, no version":   {record: failover.Record{Attempts: 1}},
		"clusters, no version":  {record: failover.Record{Clusters: []failover.ClusterRecord{{Name: "east"}}}},
		"moves, no version":     {record: failover.Record{Moves: []failover.Move{move}}},
		"history, no version":   {record: failover.Record{History: []failover.HistoryItem{{Attempt: 1}}}},
		"failovers, no version": {record: failover.Record{Failovers: []failover.Failover{{Attempt: 1}}}},
		"a cluster twice":       {record: failover.Record{Version: 1, Clusters: []failover.ClusterRecord{{Name: "east"}, {Name: "east"}}}},
		"an attempt twice":      {record: failover.Record{Version: 1, Moves: []failover.Move{move, move}}},
		"a target twice":        {record: failover.Record{Version: 1, Deliveries: []failover.Delivery{{To: "west"}, {To: "west"}}}},
		"clusters and moves":    {record: failover.Record{Clusters: east, Moves: []failover.Move{move}}},
		"clusters and states":   {record: failover.Record{Clusters: east, Deliveries: []failover.Delivery{{To: "west"}}}},
		"clusters and counts":   {record: failover.Record{Clusters: east, Failovers: []failover.Failover{{Attempt: 1}}}},
		"clusters and history":  {record: failover.Record{Clusters: east, History: []failover.HistoryItem{{Attempt: 1}}}},
		"a stage":               {record: failover.Record{Version: 1, Moves: []failover.Move{{Attempt: 1, Stage: "Halfway"}}}},
		"pending without task":  {record: failover.Record{Version: 1, Moves: []failover.Move{{Attempt: 1, Stage: failover.StagePending}}}},
		"usual":                 {record: failover.Record{Version: 1, Moves: []failover.Move{move}}, valid: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := test.record.Check()
			if (err == nil) != test.valid {
				t.Fatalf("error %v", err)
			}
			if test.valid {
				return
			}
			s := newSession(t, stateful(purge.Directly, 0), "east").see("east", eviction.Unhealthy, "A")
			s.in.Record = test.record
			s.in.Tasks = []eviction.Task{left("west", 0, "west", "W")}
			s.plan(0)
			if got := fails[*failover.RecordError](s); got != nil && got.Retryable() {
				t.Errorf("retryable: %v", got)
			}
			s.decides("east", failover.Blocked, failover.Reason(failover.UnusableInput)).places("east", failover.Hold, failover.GateReason(failover.UnusableInput), "")
			if diff := cmp.Diff([2]any{s.in.Targets, s.in.Tasks}, [2]any{s.out.Targets, s.out.Tasks}); diff != "" {
				t.Errorf("something was decided (-in +out)\n%s", diff)
			}
			if diff := cmp.Diff(asText(t, test.record), asText(t, s.out.Record)); diff != "" {
				t.Errorf("the record changes\n%s", diff)
			}
		})
	}
}

// TestPlanBounds is F8 and L4: a record does not grow with the number of failovers.
func TestPlanBounds(t *testing.T) {
	t.Parallel()
	b := plain(purge.Directly, 0)
	b.Application.BlockPredecessorSeconds = ptr(int32(0))
	s := newSession(t, b, "east")
	size := 0
	for i := range 150 {
		s.in.Revision = []string{"1", "2"}[i/120]
		s.in.Clusters, s.in.Items = map[string]failover.ClusterFacts{}, nil
		s.run(100*i+1).see("east", eviction.Unhealthy, "A").run(100*i + 2)
		s.gone("east").run(100*i + 3)
		s.choose("east")
		if i == 20 {
			size = len(s.out.Record.Moves)
		}
	}
	r := s.out.Record
	if len(r.History) != failover.MaxHistory || r.Attempts != 150 || len(r.Moves) != size {
		t.Errorf("history %d, attempts %d, moves %d of %d", len(r.History), r.Attempts, len(r.Moves), size)
	}
	if got := len(r.Failovers); got != failover.MaxFailovers+30 {
		t.Errorf("%d failovers", got)
	}
	for _, f := range r.Failovers {
		if f.At.Before(&metav1.Time{Time: at(0)}) {
			t.Errorf("failover without a time: %v", f)
		}
	}
}

// TestPlanForgetsOlderMoves is F8 and L4, too: while states wait that nobody can tell
// apart, the newest move of a cluster tells that the copy of their time is gone.
func TestPlanForgetsOlderMoves(t *testing.T) {
	t.Parallel()
	b := stateful(purge.Directly, 0)
	b.Application.StatePreservation.OnMissingState = preservation.EvictWithout
	s := newSession(t, b, "east").run(0).gone("south").gone("center")
	s.in.Tasks = []eviction.Task{left("south", 1, "center east north south", "S"), left("center", 2, "center east north south", "C")}
	s.run(10).moves("south Ended S", "center Ended C")
	for i := range 5 {
		s.see("east", eviction.Unhealthy, "").run(100*i+20).decides("east", failover.Evict, failover.EvictedWithoutState)
		s.gone("east").lose("east").run(100*i+30).know("east", failover.ClusterFacts{}).choose("east")
		s.run(100*i+40).places("east", failover.Apply, failover.AmbiguousOrigin, "").moves("south Ended S", "center Ended C", "east Ended")
	}
	s.unchoose("east").choose("north").run(510).see("north", eviction.Unhealthy, "").run(520).decides("north", failover.Evict, failover.EvictedWithoutState)
	s.gone("north").lose("north").run(530).run(540).moves("south Ended S", "center Ended C", "east Ended", "north Ended")
}
