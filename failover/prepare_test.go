package failover_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// preparing is an input that is evicted with A, changed by the test.
func preparing(change func(*failover.PrepareInput)) failover.PrepareInput {
	in := failover.PrepareInput{
		Policy: policy(purge.Directly), Cause: preservation.Application, Cluster: "east", Targets: on("east"),
		Items:    []eviction.AggregatedStatusItem{reporting("east", eviction.Unhealthy, `{"job":"A"}`)},
		Template: manifest(nil), Producer: "test",
	}
	if change != nil {
		change(&in)
	}
	return in
}

// answer is a Preparation without messages.
type answer struct {
	Outcome  failover.Outcome
	Reason   failover.Reason
	State    map[string]string
	Errors   []string // class and alias
	Warnings []failover.WarningReason
}

func answerOf(p failover.Preparation) answer {
	out := answer{Outcome: p.Outcome, Reason: p.Reason, State: p.Eviction.PreservedLabelState}
	for _, e := range p.RuleErrors {
		out.Errors = append(out.Errors, string(e.Class)+" "+e.Alias)
	}
	for _, w := range p.Warnings {
		out.Warnings = append(out.Warnings, w.Reason)
	}
	return out
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	type input = failover.PrepareInput
	withA := map[string]string{job: "A"}
	evict := answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure, State: withA}
	without := func(p input) input { p.Items = nil; return p }
	missing := answer{Outcome: failover.Blocked, Reason: failover.MissingState, Errors: []string{"StatusNotCollected " + job}}
	notAsked := answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure, Warnings: []failover.WarningReason{failover.SourceNotAsked}}
	west := func(in *input) {
		in.Cluster, in.Targets = "west", on("west")
		in.Tasks = []eviction.Task{left("east", 0, "east", "A")}
		in.Items = []eviction.AggregatedStatusItem{reporting("west", eviction.Unhealthy, `{"job":"B"}`)}
	}
	tests := map[string]struct {
		reason string
		in     input
		want   answer
	}{
		"usual":           {reason: "the state goes along", in: preparing(nil), want: evict},
		"no template":     {reason: "no trial", in: preparing(func(in *input) { in.Template = nil }), want: evict},
		"cluster":         {reason: "the cause names the reason (F10)", in: preparing(func(in *input) { in.Cause = preservation.Cluster }), want: answer{Outcome: failover.Evict, Reason: failover.TaintUntolerated, State: withA}},
		"planned":         {reason: "the cause names the reason (F10)", in: preparing(func(in *input) { in.Cause = preservation.Planned }), want: answer{Outcome: failover.Evict, Reason: failover.PlannedMove, State: withA}},
		"elsewhere":       {reason: "rule 1: nothing to leave", in: preparing(func(in *input) { in.Cluster = "north" }), want: answer{Outcome: failover.None, Reason: failover.NotTarget}},
		"no name":         {reason: "rule 1: a target without a name is none", in: preparing(func(in *input) { in.Cluster, in.Targets = "", append(on("east"), eviction.TargetCluster{}) }), want: answer{Outcome: failover.None, Reason: failover.NotTarget}},
		"leaving already": {reason: "rule 1: it has a task and is no target", in: preparing(func(in *input) { in.Targets, in.Tasks = nil, []eviction.Task{left("east", 0, "east", "A")} }), want: answer{Outcome: failover.AlreadyEvicting, Reason: failover.UnderEviction}},
		"other task": {
			reason: "rule 1: another cluster's task is not its own",
			in:     preparing(func(in *input) { in.Targets, in.Tasks = nil, []eviction.Task{left("west", 0, "west", "A")} }), want: answer{Outcome: failover.None, Reason: failover.NotTarget},
		},
		"rule 1 first":   {reason: "rule 1: what is wrong with the rest does not matter", in: preparing(func(in *input) { in.Cluster, in.Cause = "north", "x" }), want: answer{Outcome: failover.None, Reason: failover.NotTarget}},
		"unknown cause":  {reason: "rule 2: no guess (L6)", in: preparing(func(in *input) { in.Cause = "application" }), want: answer{Outcome: failover.Blocked, Reason: failover.InvalidCause}},
		"empty cause":    {reason: "rule 2: no guess (L6)", in: preparing(func(in *input) { in.Cause = "" }), want: answer{Outcome: failover.Blocked, Reason: failover.InvalidCause}},
		"invalid policy": {reason: "rule 2: in the other block, too", in: preparing(func(in *input) { in.Policy.Cluster.PurgeMode = "x" }), want: answer{Outcome: failover.Blocked, Reason: failover.InvalidPolicy}},
		"protected key":  {reason: "rule 2: the caller's protection counts", in: preparing(func(in *input) { in.Protection.Keys = []string{job} }), want: answer{Outcome: failover.Blocked, Reason: failover.InvalidPolicy}},
		"west asked": {
			reason: "rule 3: healthy with A", in: preparing(func(in *input) { west(in); in.LastHealthy = healthy("west", 1) }),
			want: answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure, State: map[string]string{job: "B"}},
		},
		"west not asked":          {reason: "rule 3: never healthy with A", in: preparing(west), want: notAsked},
		"west not asked, second":  {reason: "rule 3: healthy in the second of east's eviction is not since", in: preparing(func(in *input) { west(in); in.LastHealthy = healthy("west", 0) }), want: notAsked},
		"west not asked, no time": {reason: "rule 3: east's task is of now", in: preparing(func(in *input) { west(in); in.Tasks[0] = undated(in.Tasks[0]); in.LastHealthy = healthy("west", 9) }), want: notAsked},
		"west not asked, no status": {
			reason: "rule 3: its errors are warnings (F6)", in: without(preparing(west)),
			want: answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure, Errors: missing.Errors, Warnings: []failover.WarningReason{failover.SourceNotAsked, failover.StateIncomplete}},
		},
		"west ran beside":      {reason: "rule 3: it received nothing", in: without(preparing(func(in *input) { west(in); in.Tasks[0].ClustersBeforeFailover = []string{"east", "west"} })), want: missing},
		"west, list unknown":   {reason: "rule 3: it may have run beside, so its state must not be lost", in: without(preparing(func(in *input) { west(in); in.Tasks[0].ClustersBeforeFailover = nil })), want: missing},
		"west, after graceful": {reason: "rule 3: Gracefully gave it nothing", in: without(preparing(func(in *input) { west(in); in.Tasks[0].PurgeMode = purge.Gracefully })), want: missing},
		"east again": {
			reason: "rule 3: it came back to where it left, and was not healthy there: its own older state stays (E2)",
			in:     without(preparing(func(in *input) { in.Tasks = []eviction.Task{left("east", 0, "east", "A")} })),
			want:   answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure, Errors: missing.Errors, Warnings: []failover.WarningReason{failover.SourceNotAsked, failover.StateIncomplete}},
		},
		"east after west": {
			reason: "rule 3: A went to west and came back (two clusters only)",
			in: preparing(func(in *input) {
				in.Tasks = []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "")}
				in.LastHealthy = healthy("east", 30)
			}),
			want: notAsked,
		},
		"no status":          {reason: "rule 4: a Directly move without its Required state (F66)", in: without(preparing(nil)), want: missing},
		"no status, planned": {reason: "rule 4: a planned move as well", in: without(preparing(func(in *input) { in.Cause = preservation.Planned })), want: missing},
		"no item of east":    {reason: "rule 4: another cluster's status is not east's", in: preparing(func(in *input) { in.Items[0].ClusterName = "west" }), want: missing},
		"no bytes":           {reason: "rule 4: an item without a status", in: preparing(func(in *input) { in.Items[0].Status.Raw = nil }), want: missing},
		"missing key": {
			reason: "rule 4: the status lacks the value", in: preparing(func(in *input) { in.Items[0].Status.Raw = []byte(`{}`) }),
			want: answer{Outcome: failover.Blocked, Reason: failover.MissingState, Errors: []string{"MissingKey " + job}},
		},
		"illegal value": {
			reason: "rule 4: found before any task exists (S8)", in: preparing(func(in *input) { in.Items[0].Status.Raw = []byte(`{"job":"s3p://b/p"}`) }),
			want: answer{Outcome: failover.Blocked, Reason: failover.MissingState, Errors: []string{"InvalidValue " + job}},
		},
		"contradiction": {
			reason: "rule 4: two items that differ, and none is taken for the truth (L6)",
			in:     preparing(func(in *input) { in.Items = append(in.Items, reporting("east", eviction.Healthy, `{"job":"B"}`)) }),
			want:   answer{Outcome: failover.Blocked, Reason: failover.MissingState, Errors: []string{"BadStatus " + job}},
		},
		"repetition": {reason: "rule 4: two items that agree", in: preparing(func(in *input) { in.Items = append(in.Items, in.Items[0]) }), want: evict},
		"one of two": {reason: "rule 4: the item that has a status", in: preparing(func(in *input) {
			in.Items = append([]eviction.AggregatedStatusItem{reporting("east", "", "")}, in.Items...)
		}), want: evict},
		"one of two, empty": {reason: "rule 4: an item without bytes contradicts nobody", in: preparing(func(in *input) {
			x := reporting("east", "", "{}")
			x.Status.Raw = nil
			in.Items = append(in.Items, x)
		}), want: evict},
		"one of two, strange": {
			reason: "rule 4: a byte is something", in: preparing(func(in *input) { in.Items = append(in.Items, reporting("east", "", "1")) }),
			want: answer{Outcome: failover.Blocked, Reason: failover.MissingState, Errors: []string{"BadStatus " + job}},
		},
		"other's differs": {reason: "rule 4: another cluster contradicts nobody", in: preparing(func(in *input) { in.Items = append(in.Items, reporting("west", "", `{"job":"B"}`)) }), want: evict},
		"previous": {
			reason: "rule 4: west worked with A of east, which goes along where B is not known (F6)",
			in: without(preparing(func(in *input) {
				west(in)
				in.LastHealthy = healthy("west", 1)
				in.Policy.Application.StatePreservation.OnMissingState = preservation.UsePrevious
			})),
			want: answer{
				Outcome: failover.Evict, Reason: failover.PreviousStateUsed, State: withA, Errors: missing.Errors,
				Warnings: []failover.WarningReason{failover.WarningReason(failover.PreviousStateUsed), failover.StateIncomplete},
			},
		},
		"no previous": {
			reason: "rule 4: east received nothing that could go along (F6)",
			in:     without(preparing(func(in *input) { in.Policy.Application.StatePreservation.OnMissingState = preservation.UsePrevious })), want: missing,
		},
		"optional": {
			reason: "rule 4: what is Optional blocks nothing, and is told",
			in: preparing(func(in *input) {
				in.Policy.Application.StatePreservation = preserving(rule(job, "{.job}"), optional(step, "{.step}"))
			}),
			want: answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure, State: withA, Errors: []string{"MissingKey " + step}, Warnings: []failover.WarningReason{failover.StateIncomplete}},
		},
		"gracefully": {
			reason: "rule 4: what is never injected never blocks (F6)", in: without(preparing(func(in *input) { in.Policy = policy(purge.Gracefully) })),
			want: answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure, Errors: missing.Errors, Warnings: []failover.WarningReason{failover.StateIncomplete}},
		},
		"never": {
			reason: "rule 4: what is never injected never blocks (F6)", in: without(preparing(func(in *input) { in.Policy = policy(purge.Never) })),
			want: answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure, Errors: missing.Errors, Warnings: []failover.WarningReason{failover.StateIncomplete}},
		},
		"protected by the options": {reason: "rule 5: the host's injection would refuse the key (S11)", in: preparing(func(in *input) {
			in.Template = manifest(nil)
			in.Injection.Protection.Keys = []string{job}
		}), want: answer{Outcome: failover.Blocked, Reason: failover.InjectionRefused}},
		"bad manifest":   {reason: "rule 5: found before anything is evicted (I2)", in: preparing(func(in *input) { in.Template = manifest(map[string]any{"replicas": int64(3)}) }), want: answer{Outcome: failover.Blocked, Reason: failover.InjectionRefused}},
		"empty manifest": {reason: "rule 5: a template that is none is no trial passed", in: preparing(func(in *input) { in.Template = &unstructured.Unstructured{} }), want: answer{Outcome: failover.Blocked, Reason: failover.InjectionRefused}},
		"bad manifest, gracefully": {
			reason: "rule 5: nothing will be injected", in: preparing(func(in *input) { in.Policy, in.Template = policy(purge.Gracefully), &unstructured.Unstructured{} }), want: evict,
		},
		"bad manifest, nothing to carry": {
			reason: "rule 5: there is nothing to inject", want: answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure},
			in: preparing(func(in *input) {
				in.Policy.Application.StatePreservation, in.Template = nil, &unstructured.Unstructured{}
			}),
		},
		"bad manifest, older state": {reason: "rule 5: A goes on, and must fit (I2)", in: preparing(func(in *input) { west(in); in.Template = &unstructured.Unstructured{} }), want: answer{Outcome: failover.Blocked, Reason: failover.InjectionRefused, Warnings: notAsked.Warnings}},
		"bad manifest, older state, gracefully": {
			reason: "rule 5: west keeps what it has", in: preparing(func(in *input) {
				west(in)
				in.Policy, in.Template = policy(purge.Gracefully), &unstructured.Unstructured{}
			}), want: notAsked,
		},
		"protected older state": {
			reason: "rule 5: the caller's protection counts for what was carried before", want: answer{Outcome: failover.Blocked, Reason: failover.InjectionRefused, Warnings: notAsked.Warnings},
			in: preparing(func(in *input) {
				west(in)
				in.Tasks[0].PreservedLabelState = map[string]string{"example.com/old": "A"}
				in.Protection.Keys = []string{"example.com/old"}
			}),
		},
		"bad manifest, ended state": {reason: "rule 5: A ended on west, nothing is injected", in: preparing(func(in *input) {
			west(in)
			in.LastHealthy = healthy("west", 9)
			in.Policy.Application.StatePreservation = nil
			in.Template = &unstructured.Unstructured{}
		}), want: answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure}},
		"bad manifest, graceful state": {reason: "rule 5: A is never injected", in: preparing(func(in *input) {
			west(in)
			in.Tasks[0].PurgeMode = purge.Never
			in.Policy.Application.StatePreservation = nil
			in.Template = &unstructured.Unstructured{}
		}), want: answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure}},
		"bad manifest, gracefully, injected": {reason: "rule 5: the mode does not matter to injectWhenNotDirectly (I1)", in: preparing(func(in *input) {
			in.Policy, in.Template = policy(purge.Gracefully), &unstructured.Unstructured{}
			in.Policy.Application.StatePreservation.InjectWhenNotDirectly = true
		}), want: answer{Outcome: failover.Blocked, Reason: failover.InjectionRefused}},
		"bad manifest, graceful state, injected": {reason: "rule 5: nor to A, which the next copy would receive (I1)", in: preparing(func(in *input) {
			west(in)
			in.Tasks[0].PurgeMode = purge.Gracefully
			in.Policy.Application.StatePreservation.Rules = []preservation.Rule{optional(job, "{.nothing}")}
			in.Policy.Application.StatePreservation.InjectWhenNotDirectly = true
			in.Template = &unstructured.Unstructured{}
		}), want: answer{
			Outcome: failover.Blocked, Reason: failover.InjectionRefused, Errors: []string{"MissingKey " + job}, Warnings: []failover.WarningReason{failover.StateIncomplete},
		}},
		"protected older domain": {
			reason: "rule 5: the caller's protection counts for what was carried before", want: answer{Outcome: failover.Blocked, Reason: failover.InjectionRefused, Warnings: notAsked.Warnings},
			in: preparing(func(in *input) {
				west(in)
				in.Tasks[0].PreservedLabelState = map[string]string{"example.org/old": "A"}
				in.Protection.Domains = []string{"example.org"}
			}),
		},
		"bad manifest, beside": {
			reason: "rule 5: west ran beside east, A does not end with it", want: answer{Outcome: failover.Blocked, Reason: failover.InjectionRefused},
			in: preparing(func(in *input) {
				west(in)
				in.Tasks[0].ClustersBeforeFailover = []string{"east", "west"}
				in.Policy.Application.StatePreservation = nil
				in.Template = &unstructured.Unstructured{}
			}),
		},
		"no producer": {reason: "rule 6: Evict would refuse it (E3)", in: preparing(func(in *input) { in.Producer = "" }), want: answer{Outcome: failover.Blocked, Reason: failover.InvalidEviction}},
		"no policy": {
			reason: "rule 7: Gracefully, nothing goes along, and a warning", in: preparing(func(in *input) { in.Policy = failover.Behavior{} }),
			want: answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure, Warnings: []failover.WarningReason{failover.NoPolicy}},
		},
		"rules inherited": {
			reason: "rule 7: the cluster failed, and its block has the rules of the other (F10)", in: preparing(func(in *failover.PrepareInput) {
				in.Cause, in.Policy.Cluster.StatePreservation = preservation.Cluster, nil
				in.Policy.Cluster.InheritStatePreservation = true
			}),
			want: answer{Outcome: failover.Evict, Reason: failover.TaintUntolerated, State: withA},
		},
		"no rules to inherit": {
			reason: "rule 7: rules that are nowhere stand not only under application", in: preparing(func(in *failover.PrepareInput) {
				in.Cause, in.Policy.Cluster.StatePreservation = preservation.Cluster, nil
				in.Policy.Cluster.InheritStatePreservation, in.Policy.Application.StatePreservation = true, nil
			}),
			want: answer{Outcome: failover.Evict, Reason: failover.TaintUntolerated},
		},
		"rules elsewhere": {
			reason: "rule 7: the cluster failed, and its block has no rules (F10)", in: preparing(func(in *input) { in.Cause, in.Policy.Cluster.StatePreservation = preservation.Cluster, nil }),
			want: answer{Outcome: failover.Evict, Reason: failover.TaintUntolerated, Warnings: []failover.WarningReason{failover.RulesOnlyUnderApplication}},
		},
		"block elsewhere": {
			reason: "rule 7: both warnings", in: preparing(func(in *input) { in.Cause, in.Policy.Cluster = preservation.Cluster, nil }),
			want: answer{Outcome: failover.Evict, Reason: failover.TaintUntolerated, Warnings: []failover.WarningReason{failover.NoPolicy, failover.RulesOnlyUnderApplication}},
		},
		"no rules anywhere": {
			reason: "rule 7: there is nothing to miss", in: preparing(func(in *input) {
				in.Cause, in.Policy = preservation.Cluster, failover.Behavior{Application: &failover.ApplicationBehavior{}, Cluster: &failover.ClusterBehavior{}}
			}),
			want: answer{Outcome: failover.Evict, Reason: failover.TaintUntolerated},
		},
		"rules for clusters only": {
			reason: "rule 7: an application block without rules asks for nothing", in: preparing(func(in *input) { in.Policy.Application.StatePreservation = nil }),
			want: answer{Outcome: failover.Evict, Reason: failover.ApplicationFailure},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := text(t, tc.in)
			got, err := failover.Prepare(tc.in)
			if diff := cmp.Diff(tc.want, answerOf(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s\n%s", tc.reason, diff, got.Message)
			}
			if blocked := got.Outcome == failover.Blocked; blocked != (err != nil) {
				t.Errorf("the error belongs to Blocked: %s, %v", got.Outcome, err)
			}
			if got.Message == "" || strings.Contains(got.Message, "\n") || got.Cluster != tc.in.Cluster {
				t.Errorf("want a message in one line for %s, got %q for %s", tc.in.Cluster, got.Message, got.Cluster)
			}
			for _, w := range got.Warnings {
				if w.Message == "" || w.Cluster != tc.in.Cluster {
					t.Errorf("a warning without message or cluster: %+v", w)
				}
			}
			again, _ := failover.Prepare(tc.in)
			if diff := cmp.Diff(text(t, got), text(t, again)); diff != "" {
				t.Errorf("not the same twice (-once +twice):\n%s", diff)
			}
			for key := range got.Eviction.PreservedLabelState {
				got.Eviction.PreservedLabelState[key] = "changed"
			}
			if diff := cmp.Diff(before, text(t, tc.in)); diff != "" {
				t.Errorf("the input was changed, or the result shares memory with it (-before +after):\n%s", diff)
			}
		})
	}
}

func TestPrepareBuildsTheEviction(t *testing.T) {
	t.Parallel()
	in := preparing(func(in *failover.PrepareInput) {
		in.Policy = policy("Graciously")
		in.Policy.Application.GracePeriodSeconds = ptr(int32(30))
		in.LastHealthy = healthy("east", 30)
	})
	got, err := failover.Prepare(in)
	require.NoError(t, err)
	want := eviction.Eviction{
		FromCluster: "east", PurgeMode: purge.Gracefully, Reason: "ApplicationFailure", Producer: "test",
		Message:            "the application leaves east with purge mode Gracefully",
		GracePeriodSeconds: ptr(int32(30)), PreservedLabelState: map[string]string{job: "A"}, LastHealthy: at(30),
	}
	if diff := cmp.Diff(want, got.Eviction); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	*got.Eviction.GracePeriodSeconds = 1
	if *in.Policy.Application.GracePeriodSeconds != 30 {
		t.Error("the eviction shares the grace period with the policy")
	}
	in.Message = "ticket 7"
	got, err = failover.Prepare(in)
	require.NoError(t, err)
	if diff := cmp.Diff([]string{"ticket 7", want.Message}, []string{got.Eviction.Message, got.Message}); diff != "" {
		t.Errorf("a message of the caller is the task's (-want +got):\n%s", diff)
	}
}

func TestPrepareErrors(t *testing.T) {
	t.Parallel()
	type input = failover.PrepareInput

	p, err := failover.Prepare(preparing(func(in *input) {
		in.Items[0].Status.Raw = []byte(`{"step":["a"]}`)
		in.Policy.Application.StatePreservation = preserving(rule(job, "{.job}"), rule(step, "{.step}"))
	}))
	var ruleError *preservation.RuleError
	require.ErrorAs(t, err, &ruleError)
	require.ErrorIs(t, err, preservation.MissingKey)
	require.ErrorIs(t, err, preservation.NotScalar, "all that blocks is joined")
	want := p.RuleErrors[0].Error() + "; " + p.RuleErrors[1].Error()
	if diff := cmp.Diff(want, p.Message); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	_, err = failover.Prepare(preparing(func(in *input) { in.Items = nil }))
	require.ErrorAs(t, err, &ruleError)
	if !ruleError.Retryable() || ruleError.Cluster != "east" {
		t.Errorf("a status of east that was not collected yet may come: %+v", ruleError)
	}

	_, err = failover.Prepare(preparing(func(in *input) {
		in.Template, in.Injection.Cluster = manifest(map[string]any{"a": true}), "west"
	}))
	var injectError *preservation.InjectError
	require.ErrorAs(t, err, &injectError)
	require.ErrorIs(t, err, preservation.BadManifest)
	if injectError.Cluster != "" {
		t.Errorf("a template belongs to no cluster: %v", err)
	}

	var fieldError *field.Error
	_, err = failover.Prepare(preparing(func(in *input) { in.Policy.Cluster.PurgeMode = "x" }))
	require.ErrorAs(t, err, &fieldError)
	require.ErrorContains(t, err, "failover.cluster.purgeMode")
	_, err = failover.Prepare(preparing(func(in *input) { in.Producer = "" }))
	require.ErrorAs(t, err, &fieldError)
	require.ErrorContains(t, err, "eviction.producer")
	_, err = failover.Prepare(preparing(func(in *input) { in.Cause = "plan" }))
	require.ErrorAs(t, err, &fieldError)
	require.EqualError(t, err, `cause: Unsupported value: "plan": supported values: "Application", "Cluster", "Planned"`)
}

func TestPrepareMessages(t *testing.T) {
	t.Parallel()
	type input = failover.PrepareInput
	tests := map[string]struct {
		in   input
		want string
	}{
		"leaving":     {preparing(func(in *input) { in.Targets, in.Tasks = nil, []eviction.Task{left("east", 0, "", "")} }), "the application is leaving east already"},
		"elsewhere":   {preparing(func(in *input) { in.Targets = nil }), "the application is not on east"},
		"evict":       {preparing(nil), "the application leaves east with purge mode Directly"},
		"no policy":   {preparing(func(in *input) { in.Policy = failover.Behavior{} }), "the policy says nothing for the cause Application: Gracefully, and nothing is carried"},
		"rules":       {preparing(func(in *input) { in.Cause, in.Policy.Cluster.StatePreservation = preservation.Cluster, nil }), "rules stand only under application: the cluster failed, so nothing is carried"},
		"not asked":   {preparing(func(in *input) { in.Tasks = []eviction.Task{left("west", 0, "west", "A")} }), "east received the state of west and is not known to have been healthy since: what it reports is left out"},
		"left before": {preparing(func(in *input) { in.Tasks = []eviction.Task{left("east", 0, "east", "A")} }), "east was left with a state before and is not known to have been healthy since: what it reports is left out"},
		"previous": {preparing(func(in *input) {
			in.Tasks, in.LastHealthy, in.Items = []eviction.Task{left("west", 0, "west", "A")}, healthy("east", 1), nil
			in.Policy.Application.StatePreservation.OnMissingState = preservation.UsePrevious
		}), "the application leaves east with purge mode Directly: its state is missing, and the state that it received goes along"},
		"without": {preparing(func(in *input) {
			in.Items, in.Policy.Application.StatePreservation.OnMissingState = nil, preservation.EvictWithout
		}), "the application leaves east with purge mode Directly: a Required value is missing and does not go along"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := failover.Prepare(tc.in)
			require.NoError(t, err)
			got := p.Message
			if len(p.Warnings) > 0 {
				got = p.Warnings[0].Message
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPrepareNeverTellsState(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t"
	type input = failover.PrepareInput
	received := func(in *input) { in.Tasks = []eviction.Task{left("west", 0, "west", secret)} }
	for name, in := range map[string]input{
		"illegal value": preparing(func(in *input) { in.Items[0].Status.Raw = []byte(`{"job":"` + secret + `/"}`) }),
		"too long":      preparing(func(in *input) { in.Items[0].Status.Raw = []byte(`{"job":"` + strings.Repeat(secret, 20) + `"}`) }),
		"not scalar":    preparing(func(in *input) { in.Items[0].Status.Raw = []byte(`{"job":["` + secret + `"]}`) }),
		"not JSON":      preparing(func(in *input) { in.Items[0].Status.Raw = []byte(`{"job":` + secret) }),
		"rejected": preparing(func(in *input) {
			in.Items[0].Status.Raw = []byte(`{"job":"` + secret + `"}`)
			in.Policy.Application.StatePreservation.Rules[0].Reject = []string{secret}
		}),
		"contradiction": preparing(func(in *input) { in.Items = append(in.Items, reporting("east", "", `{"job":"`+secret+`"}`)) }),
		"received":      preparing(received),
		"refused": preparing(func(in *input) {
			received(in)
			in.Template = manifest(map[string]any{job: map[string]any{secret: secret}})
		}),
		"illegal state": preparing(func(in *input) { received(in); in.Tasks[0].PreservedLabelState[job] = secret + "/" }),
		"evicted":       preparing(func(in *input) { in.Items[0].Status.Raw = []byte(`{"job":"` + secret + `"}`) }),
	} {
		p, err := failover.Prepare(in)
		told := p.Message + text(t, p.Warnings) + text(t, p.RuleErrors) + p.Eviction.Message
		if err != nil {
			told += err.Error()
		}
		if strings.Contains(told, secret) {
			t.Errorf("%s: the answer tells state: %s", name, told)
		}
	}
}

// Time of day must not matter to a function that is given none.
func TestPrepareComparesWholeSeconds(t *testing.T) {
	t.Parallel()
	p, err := failover.Prepare(preparing(func(in *failover.PrepareInput) {
		in.Tasks = []eviction.Task{left("west", 0, "west", "A")}
		in.LastHealthy = map[string]time.Time{"east": at(0).Add(999 * time.Millisecond)}
	}))
	require.NoError(t, err)
	if diff := cmp.Diff([]failover.WarningReason{failover.SourceNotAsked}, answerOf(p).Warnings); diff != "" {
		t.Errorf("healthy in the second of the eviction is not since (-want +got):\n%s", diff)
	}
}
