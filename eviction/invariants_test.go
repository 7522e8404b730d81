package eviction_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

// world is one input of every function of the package.
type world struct {
	Now             time.Time
	Targets         []eviction.TargetCluster
	Tasks           []eviction.Task
	Items           []eviction.AggregatedStatusItem
	Evictions       []eviction.Eviction
	Clusters        map[string]eviction.Facts
	Cooldowns       []eviction.Cooldown
	Scheduled       bool
	Requested       bool
	DropOnPurge     bool
	DesiredReplicas *int32
	Block           *int32
	Soak            time.Duration
	FencingDeadline *time.Duration
}

func (w world) assessInput() eviction.AssessInput {
	return eviction.AssessInput{
		Tasks: w.Tasks, Targets: w.Targets, Items: w.Items, Scheduled: w.Scheduled, DesiredReplicas: w.DesiredReplicas,
		Clusters: w.Clusters, Soak: w.Soak, FencingDeadline: w.FencingDeadline, Now: w.Now,
	}
}

// answers is what all functions say about one world.
type answers struct {
	Evicted     eviction.Evicted
	Refused     string
	Assessment  eviction.Assessment
	Held        []eviction.Decision
	Applied     []eviction.Task
	Foreign     []eviction.Task // tasks that no decision knows
	Withdrawals []eviction.Withdrawal
	Exclusion   eviction.Exclusion
}

func (w world) ask() answers {
	var a answers
	var err error
	if a.Evicted, err = eviction.Evict(eviction.EvictInput{
		Targets: w.Targets, Tasks: w.Tasks, Evictions: w.Evictions, Now: w.Now,
	}); err != nil {
		a.Refused = err.Error()
	}
	a.Assessment = eviction.Assess(w.assessInput())
	for _, t := range w.Targets {
		if d, held := a.Assessment.Holds(t.Name, false); held {
			a.Held = append(a.Held, d)
		}
	}
	a.Applied = eviction.Apply(w.Tasks, a.Assessment.Decisions, eviction.ApplyOptions{DropOnPurge: w.DropOnPurge})
	a.Foreign = eviction.Apply(w.Tasks, nil, eviction.ApplyOptions{})
	for _, cluster := range clustersOf(w) {
		a.Withdrawals = append(a.Withdrawals, eviction.Withdraw(eviction.WithdrawInput{
			Cluster: cluster, Requested: w.Requested, Targets: w.Targets, Tasks: w.Tasks, Items: w.Items, Now: w.Now,
		}))
	}
	a.Exclusion = eviction.Exclude(eviction.ExcludeInput{
		Tasks: w.Tasks, Targets: w.Targets, Cooldowns: w.Cooldowns, BlockPredecessorSeconds: w.Block, Now: w.Now,
	})
	return a
}

// clustersOf are the clusters of the tasks, sorted, each once.
func clustersOf(w world) []string {
	var out []string
	for _, t := range w.Tasks {
		out = append(out, t.FromCluster)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// checkLaws holds for every world whatsoever; build gives equal worlds that
// share nothing.
func checkLaws(t *testing.T, build func() world) {
	t.Helper()
	w := build()
	a := w.ask()
	first := bytesOf(t, a)
	if diff := cmp.Diff(build(), w); diff != "" {
		t.Fatalf("L1: an input was changed (-before +after):\n%s", diff)
	}
	if second := bytesOf(t, w.ask()); first != second {
		t.Fatalf("L3: two answers to one question:\n%s\n%s", first, second)
	}
	checkEvict(t, w, a)
	checkAssess(t, w, a.Assessment)
	checkApply(t, w, a)
	checkWithdraw(t, w, a.Withdrawals)
	checkExclude(t, w, a.Exclusion)

	scramble(reflect.ValueOf(&a).Elem())
	if diff := cmp.Diff(build(), w); diff != "" {
		t.Fatalf("L1: an output aliases an input (-before +after):\n%s", diff)
	}
}

func bytesOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

// scramble changes all that can be reached from an output in place.
func scramble(v reflect.Value) {
	switch kind := v.Kind(); {
	case kind == reflect.Pointer:
		if !v.IsNil() {
			scramble(v.Elem())
		}
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1, 0)))
	case kind == reflect.Struct:
		for i := range v.NumField() {
			scramble(v.Field(i))
		}
	case kind == reflect.Slice:
		for i := range v.Len() {
			scramble(v.Index(i))
		}
		if v.Cap() > v.Len() { // spare room may belong to an input
			scramble(v.Slice3(v.Len(), v.Cap(), v.Cap()))
		}
	case kind == reflect.Map:
		if !v.IsNil() {
			v.SetMapIndex(reflect.ValueOf("scrambled"), reflect.ValueOf("scrambled"))
		}
	case kind == reflect.String:
		v.SetString("scrambled")
	case kind == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	}
}

func tasksOf(tasks []eviction.Task, cluster string) []eviction.Task {
	var out []eviction.Task
	for _, t := range tasks {
		if t.FromCluster == cluster {
			out = append(out, t)
		}
	}
	return out
}

func isTarget(targets []eviction.TargetCluster, cluster string) bool {
	return slices.ContainsFunc(targets, func(t eviction.TargetCluster) bool { return t.Name == cluster })
}

func checkEvict(t *testing.T, w world, a answers) {
	t.Helper()
	if len(a.Evicted.Results) != len(w.Evictions) {
		t.Fatalf("one result for each eviction: %d for %d", len(a.Evicted.Results), len(w.Evictions))
	}
	moved, refused := map[string]bool{}, false
	for i, r := range a.Evicted.Results {
		if r.FromCluster != w.Evictions[i].FromCluster {
			t.Fatalf("results in input order: %+v", a.Evicted.Results)
		}
		switch r.Outcome {
		case eviction.Added, eviction.Merged:
			moved[r.FromCluster] = true
		case eviction.Unchanged:
			if len(tasksOf(a.Evicted.Tasks, r.FromCluster)) == 0 {
				t.Fatalf("unchanged without a task: %+v", r)
			}
		case eviction.NotTarget:
			if isTarget(w.Targets, r.FromCluster) || len(tasksOf(a.Evicted.Tasks, r.FromCluster)) != 0 {
				t.Fatalf("it is one: %+v", r)
			}
		case eviction.Refused:
			refused = true
		default:
			t.Fatalf("unknown outcome %q", r.Outcome)
		}
	}
	if refused != (a.Refused != "") {
		t.Fatalf("an error if and only if something is refused: %q", a.Refused)
	}
	for cluster := range moved {
		checkMoved(t, w, a.Evicted, cluster)
	}
	for _, cluster := range clustersOf(w) {
		if moved[cluster] {
			continue
		}
		if diff := cmp.Diff(tasksOf(w.Tasks, cluster), tasksOf(a.Evicted.Tasks, cluster)); diff != "" {
			t.Fatalf("another task changed (-before +after):\n%s", diff)
		}
	}
}

// checkMoved: a cluster that was evicted has one storable task and is no target.
func checkMoved(t *testing.T, w world, got eviction.Evicted, cluster string) {
	t.Helper()
	tasks := tasksOf(got.Tasks, cluster)
	if len(tasks) != 1 || isTarget(got.Targets, cluster) {
		t.Fatalf("one task and no target: %+v", got)
	}
	task := tasks[0]
	again := eviction.Eviction{
		FromCluster: cluster, PurgeMode: task.PurgeMode, Reason: task.Reason, Producer: task.Producer,
		GracePeriodSeconds: task.GracePeriodSeconds, SuppressDeletion: task.SuppressDeletion,
	}
	require.Empty(t, eviction.Validate(again, nil))
	if !slices.Contains(purge.Modes(), task.PurgeMode) || !utf8.ValidString(task.Message) ||
		utf8.RuneCountInString(task.Message) > eviction.MaxMessageLength {
		t.Fatalf("not storable: %+v", task)
	}
	if !task.CreationTimestamp.Time.Equal(w.Now.Truncate(time.Second)) || task.CreationTimestamp.Location() != time.UTC {
		t.Fatalf("E6: created %v at %v", task.CreationTimestamp, w.Now)
	}
	for _, old := range tasksOf(w.Tasks, cluster) {
		if len(old.PreservedLabelState) > 0 && len(task.PreservedLabelState) == 0 {
			t.Fatal("E2: state was lost")
		}
	}
}

func checkAssess(t *testing.T, w world, a eviction.Assessment) {
	t.Helper()
	if len(a.Decisions) != len(w.Tasks) {
		t.Fatalf("one decision for each task: %d for %d", len(a.Decisions), len(w.Tasks))
	}
	var next purge.NextCheck
	for i, d := range a.Decisions {
		checkDecision(t, w, w.Tasks[i], d)
		alone := w.assessInput()
		alone.Tasks = w.Tasks[i : i+1]
		if diff := cmp.Diff(eviction.Assess(alone).Decisions[0], d); diff != "" {
			t.Fatalf("E7: not independent (-alone +together):\n%s", diff)
		}
		next = next.Or(d.NextCheck)
	}
	if next != a.NextCheck {
		t.Fatalf("L5: the earliest check is %v, not %v", next, a.NextCheck)
	}
	for i, r := range a.Reports {
		if r.Reason == "" || r.Message == "" || i > 0 && r == a.Reports[i-1] {
			t.Fatalf("reports have both words and come once: %+v", a.Reports)
		}
	}
	for _, target := range w.Targets {
		_, held := a.Holds(target.Name, true)
		if _, fresh := a.Holds(target.Name, false); held && !fresh {
			t.Fatalf("P5: %s is held only because it has a copy", target.Name)
		}
	}
}

func checkDecision(t *testing.T, w world, task eviction.Task, d eviction.Decision) {
	t.Helper()
	facts := w.Clusters[task.FromCluster]
	gone := facts.Presence == purge.Gone
	kept := task.SuppressDeletion != nil && *task.SuppressDeletion || task.SuppressDeletion == nil && d.Mode == purge.Never
	deletes := d.Old == purge.Delete
	_, invalid := purge.Normalize(task.PurgeMode)
	switch {
	case d.Reason == "" || d.Message == "":
		t.Fatalf("L5: no words: %+v", d)
	case d.Outcome == eviction.Finish && !gone && d.Reason != eviction.ReasonWithdrawn:
		t.Fatalf("E7: finished without being gone: %+v", d)
	case d.Outcome == eviction.Purge && !deletes || d.Outcome == eviction.Keep && deletes:
		t.Fatalf("outcome and old copy disagree: %+v", d)
	case deletes && kept:
		t.Fatalf("P7: deletes what is suppressed: %+v", d)
	case invalid != nil && (deletes || d.New != purge.Hold || d.Mode != ""):
		t.Fatalf("P3: an invalid mode keeps and holds: %+v", d)
	case gone && deletes && isTarget(w.Targets, task.FromCluster):
		t.Fatalf("E13: deletes the new copy: %+v", d)
	case d.Mode == purge.Directly && d.New == purge.Create && !gone && !facts.Fenced && !facts.Released && !facts.RequiredByOthers:
		t.Fatalf("P5: creates beside the old copy: %+v", d)
	case d.Mode == purge.Gracefully && deletes && !gone && task.SuppressDeletion == nil && !replaced(w, task):
		t.Fatalf("L6: deletes the last copy: %+v", d)
	case d.NextCheck.OK && (d.NextCheck.After < time.Second || d.NextCheck.After%time.Second != 0):
		t.Fatalf("L5: no whole seconds: %+v", d.NextCheck)
	case d.Created.After(w.Now) || d.Created.Location() != time.UTC || d.Created.Nanosecond() != 0:
		t.Fatalf("E6: not storable: %v", d.Created)
	}
}

// replaced is a lower bound for E8: another target shows a copy.
func replaced(w world, task eviction.Task) bool {
	return slices.ContainsFunc(w.Items, func(i eviction.AggregatedStatusItem) bool {
		return i.ClusterName != task.FromCluster && isTarget(w.Targets, i.ClusterName) && (i.Applied || i.Health == eviction.Healthy)
	})
}

func checkApply(t *testing.T, w world, a answers) {
	t.Helper()
	opts := eviction.ApplyOptions{DropOnPurge: w.DropOnPurge}
	if diff := cmp.Diff(a.Applied, eviction.Apply(a.Applied, a.Assessment.Decisions, opts)); diff != "" {
		t.Fatalf("applying again changes something (-once +twice):\n%s", diff)
	}
	if diff := cmp.Diff(w.Tasks, a.Foreign, same()); diff != "" {
		t.Fatalf("E10: unknown tasks are left alone (-before +after):\n%s", diff)
	}
	kept := a.Applied
	for i, task := range w.Tasks {
		d := a.Assessment.Decisions[i]
		if len(kept) > 0 && kept[0].FromCluster == task.FromCluster && kept[0].Producer == task.Producer {
			kept = kept[1:]
			continue
		}
		if d.Outcome == eviction.Keep || d.Outcome == eviction.Purge && (!w.DropOnPurge || d.Mode == purge.Directly) {
			t.Fatalf("dropped: %+v", d)
		}
	}
	if len(kept) != 0 {
		t.Fatalf("tasks out of order, or out of nothing: %+v", kept)
	}
}

func checkWithdraw(t *testing.T, w world, got []eviction.Withdrawal) {
	t.Helper()
	for i, cluster := range clustersOf(w) {
		switch g := got[i]; g.Outcome {
		case eviction.Withdrawn:
			if !isTarget(g.Targets, cluster) || len(tasksOf(g.Tasks, cluster)) != 0 || cluster == "" {
				t.Fatalf("not withdrawn: %+v", g)
			}
		case eviction.WithdrawRefused, eviction.NotEvicting:
			if diff := cmp.Diff(w.Targets, g.Targets, same()) + cmp.Diff(w.Tasks, g.Tasks, same()); diff != "" {
				t.Fatalf("refused, and yet changed (-before +after):\n%s", diff)
			}
		default:
			t.Fatalf("unknown outcome %q", g.Outcome)
		}
	}
}

func checkExclude(t *testing.T, w world, x eviction.Exclusion) {
	t.Helper()
	var excluded []string
	for _, e := range x.Clusters {
		excluded = append(excluded, e.Cluster)
		if e.Reason == eviction.ReasonInCooldown != (!e.Until.IsZero()) {
			t.Fatalf("only a cool-down has an end: %+v", e)
		}
	}
	if !slices.IsSorted(excluded) || len(slices.Compact(slices.Clone(excluded))) != len(excluded) {
		t.Fatalf("sorted, each once: %v", excluded)
	}
	for _, task := range w.Tasks {
		if task.FromCluster != "" && !slices.Contains(excluded, task.FromCluster) {
			t.Fatalf("E12: %s is under eviction and not excluded", task.FromCluster)
		}
	}
}

// checkSecrets: every preserved value of a world holds this text.
const secret = "TOPSECRET"

func checkSecrets(t *testing.T, w world) {
	t.Helper()
	a := w.ask()
	said := []string{a.Refused}
	for _, r := range a.Evicted.Results {
		said = append(said, r.Message)
	}
	for _, d := range a.Assessment.Decisions {
		said = append(said, d.Message)
	}
	for _, r := range slices.Concat(a.Assessment.Reports, a.Exclusion.Reports) {
		said = append(said, r.Message)
	}
	for _, g := range a.Withdrawals {
		said = append(said, g.Message)
	}
	if text := strings.Join(said, "\n"); strings.Contains(text, secret) {
		t.Fatalf("L7: state is printed: %s", text)
	}
}
