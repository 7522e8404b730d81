package controller

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/member"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// now is whenever.
var now = metav1.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func TestHealth(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		object string
		want   eviction.Health
	}{
		"a job that runs":       {"{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, status: {jobStatus: {state: RUNNING}}}", eviction.Healthy},
		"a job that failed":     {"{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, status: {jobStatus: {state: FAILED}}}", eviction.Unhealthy},
		"a job that starts":     {"{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, status: {jobStatus: {state: RECONCILING}}}", eviction.HealthUnknown},
		"a state of odd type":   {"{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, status: {jobStatus: {state: 7}}}", eviction.HealthUnknown},
		"available":             {`{apiVersion: apps/v1, kind: Deployment, status: {conditions: [{type: Progressing, status: "False"}, {type: Available, status: "True"}]}}`, eviction.Healthy},
		"not ready":             {`{apiVersion: example.com/v1, kind: App, status: {conditions: [{type: Ready, status: "False"}]}}`, eviction.Unhealthy},
		"ready, perhaps":        {"{apiVersion: example.com/v1, kind: App, status: {conditions: [{type: Ready, status: Unknown}]}}", eviction.HealthUnknown},
		"no status":             {"{apiVersion: example.com/v1, kind: App}", eviction.HealthUnknown},
		"conditions of no type": {"{apiVersion: example.com/v1, kind: App, status: {conditions: [7]}}", eviction.HealthUnknown},
		"no health at all":      {"{apiVersion: v1, kind: ConfigMap}", eviction.NotApplicable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(test.object), &object.Object); err != nil {
				t.Fatal(err)
			}
			if got := healthOf(object); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// One lost packet moves nothing, in neither direction, and missing credentials say
// nothing about a cluster.
func TestProbes(t *testing.T) {
	t.Parallel()
	r := &MemberClusterReconciler{Threshold: 2, Clock: func() time.Time { return now.Time }}
	dead, noAccess := errors.New("connection refused"), &member.NoAccessError{Cluster: "east", Err: errors.New("no Secret")}
	var status v1alpha1.MemberClusterStatus
	for i, step := range []struct {
		probe error
		ready metav1.ConditionStatus
		taint bool
	}{
		{noAccess, metav1.ConditionUnknown, false},
		{nil, metav1.ConditionTrue, false},
		{dead, metav1.ConditionTrue, false},
		{nil, metav1.ConditionTrue, false},
		{dead, metav1.ConditionTrue, false},
		{noAccess, metav1.ConditionTrue, false},
		{noAccess, metav1.ConditionTrue, false},
		{dead, metav1.ConditionFalse, true},
		{nil, metav1.ConditionFalse, true},
		{dead, metav1.ConditionFalse, true},
		{noAccess, metav1.ConditionFalse, true},
		{nil, metav1.ConditionFalse, true},
		{nil, metav1.ConditionTrue, false},
	} {
		status = r.judge(status, step.probe)
		if status.Ready != step.ready || (len(status.Taints) > 0) != step.taint {
			t.Errorf("step %d (%v): ready %s, taints %v; want %s, %t", i, step.probe, status.Ready, status.Taints, step.ready, step.taint)
		}
	}
	first := r.judge(v1alpha1.MemberClusterStatus{}, dead)
	if first.Ready == metav1.ConditionFalse || r.judge(first, dead).Ready != metav1.ConditionFalse {
		t.Error("the first probes of a dead cluster count like any other")
	}
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	ready := func(change func(m *v1alpha1.MemberCluster)) *v1alpha1.MemberCluster {
		m := &v1alpha1.MemberCluster{Status: v1alpha1.MemberClusterStatus{Ready: metav1.ConditionTrue}}
		change(m)
		return m
	}
	seen := &sight{now: now, members: map[string]*v1alpha1.MemberCluster{
		"east": ready(func(*v1alpha1.MemberCluster) {}),
		"west": ready(func(*v1alpha1.MemberCluster) {}),
		"cut":  ready(func(m *v1alpha1.MemberCluster) { m.Spec.Fenced = true }),
		"dark": ready(func(m *v1alpha1.MemberCluster) { m.Status.Ready = metav1.ConditionFalse }),
		"sharp": ready(func(m *v1alpha1.MemberCluster) {
			m.Spec.Taints = []failover.Taint{{Key: "repair", Effect: failover.NoExecute}}
		}),
	}}
	for name, test := range map[string]struct {
		allowed, targets, excluded []string
		tolerations                []failover.Toleration
		count                      int32
		want                       []string
	}{
		"the first":                    {allowed: []string{"east", "west"}, count: 1, want: []string{"east"}},
		"as many as asked for":         {allowed: []string{"east", "west"}, count: 2, want: []string{"east", "west"}},
		"as many as there are":         {allowed: []string{"east"}, count: 2, want: []string{"east"}},
		"what is there stays":          {allowed: []string{"east"}, targets: []string{"west", "else"}, count: 1, want: []string{"west", "else"}},
		"not what Plan excludes":       {allowed: []string{"east", "west"}, excluded: []string{"east"}, count: 1, want: []string{"west"}},
		"no fenced, dark, unknown one": {allowed: []string{"cut", "dark", "nowhere"}, count: 1},
		"no tainted one":               {allowed: []string{"sharp", "west"}, count: 1, want: []string{"west"}},
		"a tolerated one": {
			allowed: []string{"sharp"}, count: 1, want: []string{"sharp"},
			tolerations: []failover.Toleration{{Key: "repair", Operator: failover.Exists}},
		},
		"not one that is tolerated for a while": {
			allowed: []string{"sharp"}, count: 1,
			tolerations: []failover.Toleration{{Key: "repair", Operator: failover.Exists, TolerationSeconds: new(int64)}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &v1alpha1.Placement{Spec: v1alpha1.PlacementSpec{AllowedClusters: test.allowed, ClusterCount: test.count, Tolerations: test.tolerations}}
			var out failover.PlanOutput
			for _, target := range test.targets {
				out.Targets = append(out.Targets, eviction.TargetCluster{Name: target})
			}
			for _, cluster := range test.excluded {
				out.Excluded = append(out.Excluded, failover.ExcludedCluster{Cluster: cluster})
			}
			var got []string
			for _, target := range schedule(p, seen, out) {
				got = append(got, target.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A copy goes when its purge says so, or when no list names it any more; a list that
// Plan refused to read deletes nothing.
func TestWhatGoes(t *testing.T) {
	t.Parallel()
	p := &v1alpha1.Placement{Spec: v1alpha1.PlacementSpec{
		Clusters:              []eviction.TargetCluster{{Name: "target"}},
		GracefulEvictionTasks: []eviction.Task{{FromCluster: "kept"}, {FromCluster: "deleted"}, {FromCluster: "unread"}},
		RequiredBy:            []v1alpha1.RequiredBy{{Name: "billing", Clusters: []string{"required"}}},
	}}
	out := failover.PlanOutput{Purges: []failover.PurgeDecision{{Cluster: "kept", Old: purge.Keep}, {Cluster: "deleted", Old: purge.Delete}}}
	got := map[string]bool{}
	for _, cluster := range []string{"target", "kept", "deleted", "unread", "required", "leftover"} {
		got[cluster] = goes(p, cluster, out)
	}
	want := map[string]bool{"target": false, "kept": false, "deleted": true, "unread": false, "required": false, "leftover": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	m, err := NewMetrics(registry, func() time.Time { return now.Add(time.Minute) })
	if err != nil {
		t.Fatal(err)
	}
	state := &preservation.State{Labels: map[string]string{"example.com/a": "1"}}
	name := types.NamespacedName{Name: "orders"}
	begun := failover.PlanOutput{
		Record: failover.Record{
			History: []failover.HistoryItem{{Attempt: 1, Cause: preservation.Cluster, Outcome: failover.OutcomeUnderway}},
			Moves:   []failover.Move{{Attempt: 1, Created: now, State: state}},
		},
		Decisions: []failover.Decision{{Outcome: failover.Blocked}},
	}
	m.count(name, failover.PlanInput{}, begun)
	m.count(name, failover.PlanInput{Record: begun.Record}, begun) // nothing new
	m.conflict()
	want := `
# HELP carryover_blocked_plans Placements that may not leave a cluster that they should leave.
# TYPE carryover_blocked_plans gauge
carryover_blocked_plans 1
# HELP carryover_carried_state_age_seconds Age of the oldest carried state that waits for a healthy copy, since its move began.
# TYPE carryover_carried_state_age_seconds gauge
carryover_carried_state_age_seconds 60
# HELP carryover_carried_states Placements whose carried state waits for a healthy copy.
# TYPE carryover_carried_states gauge
carryover_carried_states 1
# HELP carryover_failovers_total Moves of applications, by cause, each counted under every outcome that it reached, beginning with Underway.
# TYPE carryover_failovers_total counter
carryover_failovers_total{cause="Cluster",outcome="Underway"} 1
# HELP carryover_write_conflicts_total Writes that were refused because somebody else had written.
# TYPE carryover_write_conflicts_total counter
carryover_write_conflicts_total 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	m.forget(name)
	for _, gone := range []string{"carryover_blocked_plans", "carryover_carried_states", "carryover_carried_state_age_seconds"} {
		zero := "\n# HELP " + gone + " " + help(want, gone) + "\n# TYPE " + gone + " gauge\n" + gone + " 0\n"
		if err := testutil.GatherAndCompare(registry, strings.NewReader(zero), gone); err != nil {
			t.Error(err)
		}
	}
}

// help is the help text of a metric.
func help(all, name string) string {
	_, rest, _ := strings.Cut(all, "# HELP "+name+" ")
	text, _, _ := strings.Cut(rest, "\n")
	return text
}
