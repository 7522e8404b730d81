package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
)

const savepoint = "s3p://ckpt/e6fd3cc1b8a64ba2b3a3d1c5a2f6c1f2/chk-42"

// manifestOf is the manifest for the one target of a plan.
func manifestOf(t *testing.T, p plan) map[string]any {
	t.Helper()
	require.Len(t, p.Injections, 1)
	require.NotNil(t, p.Injections[0].Manifest)
	return p.Injections[0].Manifest
}

// What the facts do not show is the value, and the rest of the manifest.
func TestInjectedValues(t *testing.T) {
	t.Parallel()
	savepointPath := []string{"spec", "job", "initialSavepointPath"}
	annotation := func(key string) []string { return []string{"metadata", "annotations", "orders.example.com/" + key} }
	label := func(key string) []string { return []string{"metadata", "labels", "orders.example.com/" + key} }
	table := map[string]struct {
		name string
		path []string
		want any
	}{
		"mixed template": {"field", savepointPath, savepoint},
		"replaced":       {"field-replace", savepointPath, savepoint},
		"kept":           {"field-keep", savepointPath, "s3p://ckpt/older/chk-7"},
		"beside kept":    {"field-keep", label("job-id"), "e6fd3cc1b8a64ba2b3a3d1c5a2f6c1f2"},
		"number":         {"field-number", []string{"spec", "job", "checkpoint"}, json.Number("42")},
		"other numbers":  {"field-number", []string{"spec", "ratio"}, json.Number("1.50")},
		"path":           {"annotation", annotation("savepoint"), savepoint},
		"object": {
			"annotation", annotation("checkpoint"),
			`{"lastCheckpoint":{"id":42,"timeStamp":1734462491693},"lastPeriodicCheckpointTimestamp":1734462491693}`,
		},
		"other annotation":   {"annotation", []string{"metadata", "annotations", "owner"}, "team-orders"},
		"status of object":   {"from-object", label("job-id"), "e6fd3cc1b8a64ba2b3a3d1c5a2f6c1f2"},
		"object's namespace": {"from-object", label("namespace"), "default"},
		"object's number":    {"from-object", label("parallelism"), "2"},
		"cause":              {"from-failover", label("cause"), "Application"},
		"origin":             {"from-failover", label("origin"), "east"},
		"time":               {"from-failover", label("time"), "1736510400"},
		"attempt":            {"from-failover", label("attempt"), nil},
		"document":           {"from-document", savepointPath, "s3p://savepoints/orders-7"},
		"document's text":    {"from-document", label("state"), "COMPLETED"},
		"no default":         {"from-document", label("default"), "0f3a"},
		"default":            {"from-document-optional", label("default"), "none"},
		"optional":           {"from-document-optional", label("state"), nil},
		"restored field":     {"state-stored", savepointPath, savepoint},
		"restored note":      {"state-stored", annotation("savepoint"), savepoint},
		"restored label":     {"state-stored", label("job-id"), "e6fd3cc1b8a64ba2b3a3d1c5a2f6c1f2"},
		"field inside":       {"state-inside", savepointPath, savepoint},
		"stale":              {"state-stale", savepointPath, ""},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, dig(t, manifestOf(t, planOf(t, cases[tc.name])), tc.path...))
		})
	}
}

// Errors point at the place and say which rule fills it.
func TestInjectErrorsNameTheirField(t *testing.T) {
	t.Parallel()
	table := map[string]struct{ field, alias, message string }{
		"field-no-job":       {"spec.job.initialSavepointPath", "orders.example.com/savepoint", "has no .spec.job"},
		"field-fail":         {"spec.job.initialSavepointPath", "orders.example.com/savepoint", "another value"},
		"field-number-text":  {"spec.job.checkpoint", "", "holds text, the value is a number"},
		"pod-template":       {"spec.template.spec.containers[0].workingDir", "", "pod template"},
		"annotation-numeric": {"metadata", "", `metadata.annotations["revision"] is not text but a number`},
		"state-unreadable":   {"metadata.annotations[carryover.io/preserved-state]", "", "version is not known"},
	}
	for name, tc := range table {
		got := planOf(t, cases[name]).Errors
		require.Len(t, got, 1, name)
		require.Equal(t, tc.field, got[0].Field, name)
		require.Equal(t, tc.alias, got[0].Alias, name)
		require.Contains(t, got[0].Message, tc.message, name)
	}
}

// A label, an annotation and the annotation of the binding have keys with dots.
func TestInjectErrorsNameTheirKey(t *testing.T) {
	t.Parallel()
	deployment := "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, annotations: {example.com/k: old}}, spec: {selector: {matchLabels: {example.com/k: v}}, template: {}}}\n"
	for target, want := range map[string]problem{
		"Label":      {Field: "metadata.labels[example.com/k]", Class: "Refused"},
		"Annotation": {Field: "metadata.annotations[example.com/k]", Class: "Conflict"},
	} {
		spec := "{clusters: [{name: a}], failover: {application: {purgeMode: Directly, statePreservation: {rules: [" +
			"{aliasLabelName: first, jsonPath: '{.k}'}, {aliasLabelName: example.com/k, jsonPath: '{.k}', conflict: Fail, target: " + target + "}]}}}}\n" +
			"status: {aggregatedStatus: [{clusterName: a, status: {k: secret}}]}\n"
		p := decodePlan(t, invoke(t, strings.NewReader(minimal+"spec: "+spec+deployment), strings.Fields("-f - -o json --evict a")...))
		require.Len(t, p.Errors, 1)
		got := p.Errors[0]
		require.Equal(t, []any{"a", 1, "example.com/k", want.Field, want.Class}, []any{got.Cluster, *got.Rule, got.Alias, got.Field, got.Class})
		require.NotContains(t, got.Message, "secret")
	}
}

// annotationsIn are those of a binding.
func annotationsIn(t *testing.T, p plan) map[string]any {
	t.Helper()
	annotations, _ := dig(t, p.Binding, "metadata", "annotations").(map[string]any)
	return annotations
}

// The first run evicts while the old copy may run; the second, on the binding
// that the first gave, delivers.
func TestSecondRunDelivers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"annotation", "field", "field-keep"} {
		first := planOf(t, testCase{args: bare + name + "/binding.yaml" + flink + " --evict east --to west"})
		require.Equal(t, []string{westHeld}, factsOf(first).injections)
		require.NotContains(t, firstTask(t, first), "preservedState", "Karmada's schema would prune it")
		require.Equal(t, "orders", annotationsIn(t, first)["propagationpolicy.karmada.io/name"], "the others are verbatim")
		var stored map[string]map[string]any
		require.NoError(t, json.Unmarshal([]byte(annotationsIn(t, first)[stateAnnotation].(string)), &stored))
		require.Len(t, stored, 1)
		require.Equal(t, map[string]any{"cause": "Application", "origin": "east", "time": 1736510400.0}, stored["east/"+testNow]["failover"])

		args := strings.Fields("-f - -f testdata/flinkdeployment.yaml --legacy east=gone -o json --now 2025-01-10T12:10:00Z")
		second := decodePlan(t, invoke(t, jsonReader(t, first.Binding), args...))
		atOnce := planOf(t, testCase{args: bare + name + "/binding.yaml" + flink + " --evict east --to west --legacy east=gone"})
		if diff := cmp.Diff(atOnce.Injections, second.Injections, cmp.AllowUnexported(injection{})); diff != "" {
			t.Errorf("%s: later is as at once (-at once +later)\n%s", name, diff)
		}
		require.True(t, second.Injections[0].Injected)
		if diff := cmp.Diff(first.Binding, second.Binding); diff != "" {
			t.Errorf("%s: nothing else changes (-first +second)\n%s", name, diff)
		}
	}
}

// bindingWith is a small binding with the annotation and another one.
func bindingWith(annotation, spec string) string {
	quoted, _ := json.Marshal(annotation)
	return fmt.Sprintf("apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"+
		"metadata: {name: b, annotations: {other: \"<&>\", %s: %s}}\nspec: %s\n", stateAnnotation, quoted, spec)
}

// stored is a Directly task of a with the time at 11:00 and other fields.
func storedTaskAt(cluster, clock, more string) string {
	return fmt.Sprintf("{fromCluster: %s, purgeMode: Directly, reason: R, producer: p, clustersBeforeFailover: [%s], creationTimestamp: 2025-01-10T%s:00Z%s}",
		cluster, cluster, clock, more)
}

func stateOf(path string) string { return `{"version":1,"annotations":{"path":"` + path + `"}}` }

func TestStatesOfTasks(t *testing.T) {
	t.Parallel()
	const (
		pods     = pod1 + "\n"
		rules    = "failover: {application: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: path, jsonPath: '{.path}', target: Annotation}]}}}"
		graceful = "{fromCluster: a, purgeMode: Gracefully, reason: R, producer: p, clustersBeforeFailover: [a], creationTimestamp: 2025-01-10T11:00:00Z}"
	)
	two := "{clusters: [{name: c}], gracefulEvictionTasks: [" + storedTaskAt("a", "11:00", "") + ", " + storedTaskAt("a", "11:30", "") + "]}"
	again := "{clusters: [{name: a}], " + rules + ", gracefulEvictionTasks: [" + storedTaskAt("a", "11:00", "") + ", " + storedTaskAt("z", "11:00", "") + "]}"
	table := map[string]struct {
		annotation, spec, status, args string
		want                           string // the annotation afterwards
		inside                         string // part of the state in a task afterwards
		injections                     []string
		reason                         string
	}{
		"tasks of one cluster": {
			annotation: `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `, "a/2025-01-10T11:30:00Z":` + stateOf("s3://1") + `}`,
			spec:       two, args: "--legacy a=gone",
			want:       `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `, "a/2025-01-10T11:30:00Z":` + stateOf("s3://1") + `}`,
			injections: []string{"c Apply yes Injected path=no"}, reason: "each has its own state; nothing changed, so nothing is written anew",
		},
		"only the older of them": {
			annotation: `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `}`, spec: two, args: "--legacy a=gone",
			want:       `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `}`,
			injections: []string{"c Apply yes Injected path=no"}, reason: "the newer has none, and keeps having none",
		},
		"no task time": {
			annotation: `{"a/":` + stateOf("s3://1") + `}`,
			spec:       "{clusters: [{name: c}], gracefulEvictionTasks: [{fromCluster: a, purgeMode: Directly, reason: R, producer: p, clustersBeforeFailover: [a]}]}",
			want:       `{"a/2025-01-10T12:00:00Z":` + stateOf("s3://1") + `}`,
			injections: []string{"c Hold no OldCopyNotGone"}, reason: "the task gets its time (E6), and the state goes along",
		},
		"finished": {
			annotation: `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `,"z/2025-01-10T11:00:00Z":` + stateOf("s3://2") + `}`,
			spec:       "{clusters: [{name: c}], gracefulEvictionTasks: [" + graceful + ", " + storedTaskAt("z", "11:00", "") + "]}",
			status:     "{aggregatedStatus: [{clusterName: c, applied: true, health: Healthy}]}", args: "--legacy a=gone",
			want:       `{"z/2025-01-10T11:00:00Z":` + stateOf("s3://2") + `}`,
			injections: []string{"c Apply no OldCopyNotGone"}, reason: "with its task a state leaves, and no other",
		},
		"the last one": {
			annotation: `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `}`,
			spec:       "{clusters: [{name: c}], gracefulEvictionTasks: [" + graceful + "]}",
			args:       "--legacy a=gone", status: "{aggregatedStatus: [{clusterName: c, applied: true, health: Healthy}]}",
			injections: []string{"c Apply no NoState"}, reason: "nothing is left to say",
		},
		"target again": {
			annotation: `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `,"z/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `}`,
			spec:       again, args: "--evict a",
			want:       `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `,"z/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `}`,
			injections: []string{"a Hold no OldCopyNotGone"},
			reason:     "under Directly the eviction goes on until the old copy is gone (E13), with its state",
		},
		"twice": {
			annotation: `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `}`,
			spec: "{clusters: [{name: c}], gracefulEvictionTasks: [" +
				storedTaskAt("a", "11:00", ", preservedState: {annotations: {path: 's3://1'}}") + "]}",
			args: "--legacy a=gone", injections: []string{"c Apply yes Injected path=no"},
			reason: "the task has it itself; once is enough",
		},
		"null inside": {
			annotation: `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `}`,
			spec:       "{clusters: [{name: c}], gracefulEvictionTasks: [" + storedTaskAt("a", "11:00", ", preservedState: null") + "]}",
			args:       "--legacy a=gone", injections: []string{"c Apply yes Injected path=no"},
			want: `{"a/2025-01-10T11:00:00Z":` + stateOf("s3://1") + `}`, reason: "null is as good as absent",
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input := bindingWith(tc.annotation, tc.spec)
			if tc.status != "" {
				input += "status: " + tc.status + "\n"
			}
			args := append(strings.Fields(tc.args), "-f", "-", "-o", "json")
			got := invoke(t, strings.NewReader(input+pods), args...)
			require.Equal(t, exitPlanned, got.exit, "%s\n%s%s", tc.reason, got.stderr, got.stdout)
			p := decodePlan(t, got)
			want := map[string]any{"other": "<&>"}
			if tc.want != "" {
				want[stateAnnotation] = tc.want
			}
			if diff := cmp.Diff(want, annotationsIn(t, p)); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.injections, factsOf(p).injections); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", tc.reason, diff)
			}
			tasks, err := encodeJSON(specOf(t, p)["gracefulEvictionTasks"])
			require.NoError(t, err)
			require.Contains(t, string(tasks), tc.inside, tc.reason)
			again := decodePlan(t, invoke(t, jsonReader(t, p.Binding), "-f", "-", "-o", "json"))
			if diff := cmp.Diff(want, annotationsIn(t, again)); diff != "" && name != "finished" && name != "the last one" {
				t.Errorf("%s: read again (-want +got)\n%s", tc.reason, diff)
			}
		})
	}
}

const pod1 = "---\n{apiVersion: v1, kind: Pod, metadata: {name: p}}"

// What cannot be read blocks and stays as it is, whatever else goes on.
func TestUnreadableStates(t *testing.T) {
	t.Parallel()
	const key = `"a/2025-01-10T11:00:00Z":`
	table := map[string]struct{ annotation, inside, reason string }{
		"empty":       {``, "", "no JSON"},
		"null":        {`null`, "", "null is no object"},
		"list":        {`[]`, "", "not an object"},
		"two":         {`{}{}`, "", "not one object"},
		"key twice":   {`{` + key + stateOf("s3://secret") + `,` + key + stateOf("s3://other") + `}`, "", "which one?"},
		"version":     {`{` + key + `{"version":2}}`, "", "a later release wrote it"},
		"null state":  {`{` + key + `null}`, "", "no state"},
		"text state":  {`{` + key + `"secret"}`, "", "no state"},
		"empty state": {`{` + key + `{"version":1}}`, "", "a task without state has no entry"},
		"unknown":     {`{` + key + `{"version":1,"patches":{"a":"secret"}}}`, "", "a later release wrote it"},
		"labels":      {`{` + key + `{"version":1,"labels":{"a":"secret"}}}`, "", "labels stand in the task"},
		"bad value":   {`{` + key + `{"version":1,"fields":{".spec.a":"{secret"}}}`, "", "no JSON in the field"},
		"contradicts": {`{` + key + stateOf("s3://secret") + `}`, ", preservedState: {annotations: {path: 's3://other'}}", "which one?"},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := "{clusters: [{name: c}, {name: d}], failover: {application: {purgeMode: Directly}}, gracefulEvictionTasks: [" +
				storedTaskAt("a", "11:00", tc.inside) + "]}"
			input := bindingWith(tc.annotation, spec) + "status: {aggregatedStatus: [{clusterName: c, applied: true}]}\n" + pod1 + "\n"
			got := invoke(t, strings.NewReader(input), strings.Fields("-f - -o json --legacy a=gone --evict d --evict z --to e")...)
			require.Equal(t, exitBlocked, got.exit, "%s\n%s", tc.reason, got.stderr)
			p := decodePlan(t, got)
			f := factsOf(p)
			require.Equal(t, []string{"a AlreadyEvicting UnderEviction", "c None NotRequested", "d Blocked BadState", "z None NotTarget"}, f.decisions)
			require.Equal(t, map[string]any{"other": "<&>", stateAnnotation: tc.annotation}, annotationsIn(t, p), "nothing is lost")
			require.Len(t, f.errors, 1)
			require.Contains(t, f.errors[0], "BadState")
			require.NotContains(t, p.Errors[0].Message, "secret")
			for _, i := range p.Injections {
				require.False(t, i.Injected)
				require.Equal(t, i.Cluster != "c", i.Action == "Hold", "only c has a copy: %+v", i)
			}
		})
	}
	t.Run("no text", func(t *testing.T) {
		t.Parallel()
		input := minimal[:len(minimal)-2] + ", annotations: {" + stateAnnotation + ": 7}}\n"
		p := decodePlan(t, invoke(t, strings.NewReader(input), "-f", "-", "-o", "json"))
		require.Equal(t, []string{"- BadState"}, factsOf(p).errors)
		require.Equal(t, map[string]any{stateAnnotation: json.Number("7")}, annotationsIn(t, p))
	})
}

// annotating is a binding with one annotation rule, about a Pod.
func annotating(metadata, status string) string {
	return "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: " + metadata + "\n" +
		"spec: {clusters: [{name: a}], failover: {application: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: path, jsonPath: '{.path}', target: Annotation}]}}}}\n" +
		"status: {aggregatedStatus: [{clusterName: a, applied: true, status: " + status + "}]}\n"
}

// Both budgets are looked at before anything is evicted: that of the manifest and
// that of the binding, which stores the state.
func TestAnnotationBudgets(t *testing.T) {
	t.Parallel()
	big := func(kib int) string { return strings.Repeat("x", kib<<10) }
	full := "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {notes: " + big(250) + "}}}\n"
	table := map[string]struct {
		input, field, reason string
		decision             string
		exit                 int
	}{
		"manifest": {
			annotating("{name: b}", "{path: "+big(20)+"}") + "---\n" + full, "metadata",
			"250 KiB and 20 KiB are too much", "a Blocked InjectionRefused", exitBlocked,
		},
		"manifest fits": {
			annotating("{name: b}", "{path: "+big(5)+"}") + "---\n" + full, "", "250 KiB and 5 KiB are not", "a Evict ApplicationFailure", exitPlanned,
		},
		"binding": {
			annotating("{name: b, annotations: {notes: "+big(250)+"}}", "{path: "+big(20)+"}") + pod1,
			"metadata.annotations[" + stateAnnotation + "]", "the state would have no place", "a Blocked TooLarge", exitBlocked,
		},
		"encoding": {
			annotating("{name: b}", "{path: '"+strings.Repeat(`"`, 130<<10)+"'}") + pod1,
			"metadata.annotations[" + stateAnnotation + "]", "as JSON it is twice as long", "a Blocked TooLarge", exitBlocked,
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := invoke(t, strings.NewReader(tc.input), strings.Fields("-f - -o json --evict a --to b")...)
			require.Equal(t, tc.exit, got.exit, "%s\n%s", tc.reason, got.stderr)
			p := decodePlan(t, got)
			require.Contains(t, factsOf(p).decisions, tc.decision, tc.reason)
			if tc.exit == exitPlanned {
				return
			}
			require.Equal(t, []string{"a - TooLarge"}, factsOf(p).errors)
			require.Equal(t, tc.field, p.Errors[0].Field)
			require.NotContains(t, specOf(t, p), "gracefulEvictionTasks", "nothing was evicted")
			require.NotContains(t, p.Errors[0].Message, "xxx")
		})
	}
}

// The limit is reached, and not passed, by every byte of keys and values; what all
// evictions of a run store counts together.
func TestAnnotationBudgetToTheByte(t *testing.T) {
	t.Parallel()
	const value = "s3://1"
	stored := len(stateAnnotation) + len(annotationsIn(t, decodePlan(t, invoke(t,
		strings.NewReader(annotating("{name: b}", "{path: '"+value+"'}")+pod1), strings.Fields("-f - -o json --evict a")...)))[stateAnnotation].(string))
	for more, want := range map[int]string{0: "a Evict ApplicationFailure", 1: "a Blocked TooLarge"} {
		notes := strings.Repeat("x", preservation.MaxAnnotationsBytes-stored-len("notes")+more)
		input := annotating("{name: b, annotations: {notes: "+notes+"}}", "{path: '"+value+"'}") + pod1
		p := decodePlan(t, invoke(t, strings.NewReader(input), strings.Fields("-f - -o json --evict a")...))
		require.Equal(t, []string{want}, factsOf(p).decisions)
	}
	input := annotating("{name: b}", "{path: "+strings.Repeat("x", 150<<10)+"}")
	input = strings.Replace(input, "clusters: [{name: a}]", "clusters: [{name: a}, {name: c}]", 1)
	input = strings.Replace(input, "aggregatedStatus: [", "aggregatedStatus: [{clusterName: c, status: {path: "+strings.Repeat("y", 150<<10)+"}}, ", 1)
	p := decodePlan(t, invoke(t, strings.NewReader(input), strings.Fields("-f - -o json --evict a --evict c")...))
	require.Equal(t, []string{"a Evict ApplicationFailure", "c Blocked TooLarge"}, factsOf(p).decisions)

	input = annotating("{name: b, annotations: {notes: "+strings.Repeat("x", 260<<10)+"}}", "{}")
	input = strings.Replace(input, "target: Annotation", "policy: Optional", 1)
	p = decodePlan(t, invoke(t, strings.NewReader(input+pod1), strings.Fields("-f - -o json --evict a")...))
	require.Equal(t, []string{"a Evict ApplicationFailure"}, factsOf(p).decisions, "nothing is to be stored")

	annotation := `{"z/2025-01-10T11:00:00Z":` + stateOf(strings.Repeat("z", 150<<10)) + `}`
	input = annotating("{name: b, annotations: {"+stateAnnotation+": '"+annotation+"'}}", "{path: "+strings.Repeat("x", 60<<10)+"}")
	input = strings.Replace(input, "applied: true", "applied: true, health: Healthy", 1)
	input = strings.Replace(input, "clusters: [{name: a}]", "clusters: [{name: a}], gracefulEvictionTasks: ["+storedTaskAt("z", "11:00", "")+"]", 1)
	p = decodePlan(t, invoke(t, strings.NewReader(input), strings.Fields("-f - -o json --evict a")...))
	require.Equal(t, []string{"a Evict ApplicationFailure", "z AlreadyEvicting UnderEviction"}, factsOf(p).decisions, "what is stored counts once")
}

// A task is named by its instant, whatever zone it is written in, and an annotation
// that holds nothing any more leaves none behind.
func TestTaskKeyAndLastAnnotation(t *testing.T) {
	t.Parallel()
	at := metav1.NewTime(time.Date(2025, 1, 10, 14, 0, 0, 0, time.FixedZone("there", 2*60*60)))
	require.Equal(t, "a/"+testNow, taskKey(eviction.Task{FromCluster: "a", CreationTimestamp: &at}))
	annotation := `{"z/2025-01-10T11:00:00Z":` + stateOf("s3://2") + `}`
	input := strings.Replace(bindingWith(annotation, "{}"), `other: "<&>", `, "", 1)
	p := decodePlan(t, invoke(t, strings.NewReader(input), "-f", "-", "-o", "json"))
	require.Equal(t, []string{"StateWithoutTask"}, factsOf(p).warnings)
	require.Equal(t, map[string]any{"name": "b"}, p.Binding["metadata"])
}

// Two statuses of one cluster that differ are unreadable as a part of the object
// too.
func TestObjectWithTwoStatuses(t *testing.T) {
	t.Parallel()
	document := readOne(t, "testdata/from-object/binding.yaml")
	status := document["status"].(map[string]any)
	status["aggregatedStatus"] = append(asList(status["aggregatedStatus"]), map[string]any{
		"clusterName": "east", "applied": true, "status": map[string]any{"jobStatus": map[string]any{"jobId": "other"}},
	})
	args := strings.Fields("-f - -f testdata/flinkdeployment.yaml --evict east -o json")
	p := decodePlan(t, invoke(t, jsonReader(t, document), args...))
	require.Equal(t, []string{"east 0 BadStatus", "east 1 BadStatus", "east 2 BadStatus"}, factsOf(p).errors)
}

// A binding without annotations, or without metadata that says anything, gets one.
func TestFirstAnnotation(t *testing.T) {
	t.Parallel()
	for _, metadata := range []string{"{name: b}", "{name: b, annotations: null}", "{name: b, annotations: {}}", "null", "{}"} {
		p := decodePlan(t, invoke(t, strings.NewReader(annotating(metadata, "{path: 's3://1'}")), strings.Fields("-f - -o json --evict a")...))
		require.Len(t, annotationsIn(t, p), 1, metadata)
		require.Contains(t, annotationsIn(t, p)[stateAnnotation], "s3://1", metadata)
	}
}
