package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// readOne is the one document of a file.
func readOne(t *testing.T, name string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	documents, err := readDocuments(data)
	require.NoError(t, err)
	require.Len(t, documents, 1)
	return documents[0].object
}

func dig(t *testing.T, object map[string]any, path ...string) any {
	t.Helper()
	var value any = object
	for _, name := range path {
		inner, ok := value.(map[string]any)
		require.True(t, ok, path)
		value = inner[name]
	}
	return value
}

func jsonReader(t *testing.T, value any) io.Reader {
	t.Helper()
	raw, err := encodeJSON(value)
	require.NoError(t, err)
	return bytes.NewReader(raw)
}

// sprinkle puts a field that nobody knows into every object, outside the policy,
// whose unknown fields have a meaning of their own.
func sprinkle(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if key != "failover" && key != "labels" && key != "preservedLabelState" && key != "fields" {
				sprinkle(inner)
			}
		}
		v["x-unknown"] = map[string]any{"n": json.Number("12345678901234567890.50"), "l": []any{nil, json.Number("1e3"), "<&>"}}
	case []any:
		for _, inner := range v {
			sprinkle(inner)
		}
	}
}

// The next binding is the one that was read, number texts and unknown fields
// included, but for targets and tasks that this run changes.
func TestBindingIsVerbatim(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"old-mode-tasks", "second-failover", "both-running", "expired-no-replacement", "required-by", "state-inside", "state-stored"} {
		document := readOne(t, "testdata/"+name+"/binding.yaml")
		sprinkle(document)
		p := decodePlan(t, invoke(t, jsonReader(t, document), "-f", "-", "-o", "json"))
		want := readOne(t, "testdata/"+name+"/binding.yaml")
		sprinkle(want)
		if name == "old-mode-tasks" {
			tasks := dig(t, want, "spec", "gracefulEvictionTasks").([]any)
			tasks[0].(map[string]any)["purgeMode"] = "Directly"
			tasks[1].(map[string]any)["purgeMode"] = "Gracefully"
		}
		if diff := cmp.Diff(want, p.Binding); diff != "" {
			t.Errorf("%s: nothing was asked (-want +got)\n%s", name, diff)
		}
	}
}

func TestBindingAfterEviction(t *testing.T) {
	t.Parallel()
	document := readOne(t, "testdata/second-failover/binding.yaml")
	sprinkle(document)
	p := decodePlan(t, invoke(t, jsonReader(t, document), strings.Fields("-f - -o json --evict west --to north")...))
	want := readOne(t, "testdata/second-failover/binding.yaml")
	sprinkle(want)
	spec := want["spec"].(map[string]any)
	spec["clusters"] = []any{map[string]any{"name": "north"}}
	spec["gracefulEvictionTasks"] = append(spec["gracefulEvictionTasks"].([]any), map[string]any{
		"fromCluster": "west", "purgeMode": "Directly", "replicas": json.Number("2"), "reason": "ApplicationFailure",
		"message":  "the application leaves west with purge mode Directly",
		"producer": "carryover-dryrun", "creationTimestamp": testNow, "clustersBeforeFailover": []any{"west"},
	})
	if diff := cmp.Diff(want, p.Binding); diff != "" {
		t.Errorf("only targets and tasks change (-want +got)\n%s", diff)
	}
}

// testBinding is a small binding in which spec is the given YAML flow mapping.
func testBinding(spec string) io.Reader {
	return strings.NewReader(minimal + "spec: " + spec + "\n")
}

func TestListsOfTheNextBinding(t *testing.T) {
	t.Parallel()
	const directly = "failover: {application: {decisionConditions: {}, purgeMode: Directly}}"
	table := map[string]struct {
		spec, args string
		want       string // clusters and tasks, as JSON
		reason     string
	}{
		"absent stays absent": {"{a: 1}", "", `{"a":1}`, "there was nothing and there is nothing"},
		"null stays null":     {"{clusters: null, gracefulEvictionTasks: null}", "", `{"clusters":null,"gracefulEvictionTasks":null}`, "verbatim"},
		"empty stays empty":   {"{clusters: [], gracefulEvictionTasks: []}", "", `{"clusters":[],"gracefulEvictionTasks":[]}`, "verbatim"},
		"targets end empty": {
			"{clusters: [{name: a}], failover: {application: {purgeMode: Never}}}", "--evict a",
			`{"clusters":[],"failover":{"application":{"purgeMode":"Never"}},"gracefulEvictionTasks":[` +
				`{"clustersBeforeFailover":["a"],"creationTimestamp":"2025-01-10T12:00:00Z","fromCluster":"a",` +
				`"message":"the application leaves a with purge mode Never","producer":"carryover-dryrun","purgeMode":"Never",` +
				`"reason":"ApplicationFailure","suppressDeletion":true}]}`,
			"the key was there",
		},
		"tasks end empty": {
			"{clusters: [{name: b}], gracefulEvictionTasks: [{fromCluster: a, purgeMode: Gracefully, reason: R, producer: p, creationTimestamp: 2025-01-10T11:59:00Z}]}",
			"--legacy a=gone", `{"clusters":[{"name":"b"}],"gracefulEvictionTasks":[]}`, "the key was there",
		},
		"a target twice": {
			"{clusters: [{name: a, x: 1}, {name: a, x: 2}]}", "--to b", `{"clusters":[{"name":"a","x":1},{"name":"a","x":2},{"name":"b"}]}`, "verbatim",
		},
		"a task twice": {
			"{gracefulEvictionTasks: [{fromCluster: a, purgeMode: Directly, reason: R, producer: p, x: 1, creationTimestamp: 2025-01-10T11:00:00Z}, " +
				"{fromCluster: a, purgeMode: Directly, reason: R, producer: p, x: 2, creationTimestamp: 2025-01-10T11:00:00Z}]}", "",
			`{"gracefulEvictionTasks":[{"creationTimestamp":"2025-01-10T11:00:00Z","fromCluster":"a","producer":"p","purgeMode":"Directly","reason":"R","x":1},` +
				`{"creationTimestamp":"2025-01-10T11:00:00Z","fromCluster":"a","producer":"p","purgeMode":"Directly","reason":"R","x":2}]}`,
			"verbatim",
		},
		"a target where none was": {"{}", "--to b", `{"clusters":[{"name":"b"}]}`, "the key was not there"},
		"a missing creation time": {
			"{gracefulEvictionTasks: [{fromCluster: a, purgeMode: Directly, reason: R, producer: p, x: 1.0}], clusters: [{name: b, x: 1.50}]}", "",
			`{"clusters":[{"name":"b","x":1.50}],"gracefulEvictionTasks":[{"creationTimestamp":"2025-01-10T12:00:00Z","fromCluster":"a","producer":"p","purgeMode":"Directly","reason":"R","x":1.0}]}`,
			"the time that was used is written (E6), and nothing else",
		},
		"an empty mode": {
			"{gracefulEvictionTasks: [{fromCluster: a, reason: R, producer: p, creationTimestamp: 2025-01-10T11:59:00Z}]}", "",
			`{"gracefulEvictionTasks":[{"creationTimestamp":"2025-01-10T11:59:00Z","fromCluster":"a","producer":"p","reason":"R"}]}`,
			"empty means Gracefully and is no old name",
		},
		"a second eviction": {
			"{clusters: [{name: a, replicas: 3}], gracefulEvictionTasks: [{fromCluster: a, gracePeriodSeconds: 60, reason: Old, producer: p, x: 1.0, creationTimestamp: 2025-01-10T11:00:00Z}, " +
				"{fromCluster: z, reason: R, producer: p, x: 2, creationTimestamp: 2025-01-10T11:00:00Z}], " + directly + "}",
			"--evict a",
			`{"clusters":[],"failover":{"application":{"decisionConditions":{},"purgeMode":"Directly"}},"gracefulEvictionTasks":[` +
				`{"creationTimestamp":"2025-01-10T11:00:00Z","fromCluster":"z","producer":"p","reason":"R","x":2},` +
				`{"clustersBeforeFailover":["a"],"creationTimestamp":"2025-01-10T12:00:00Z","fromCluster":"a",` +
				`"message":"the application leaves a with purge mode Directly","producer":"carryover-dryrun","purgeMode":"Directly",` +
				`"reason":"ApplicationFailure","replicas":3,"x":1.0}]}`,
			"the task is renewed; what is not known in it survives",
		},
		"components": {
			"{clusters: [{name: a, components: [{name: jm, replicas: 1}]}, {name: b, components: [{name: jm, replicas: 2}]}], " + directly + "}", "--evict a",
			`{"clusters":[{"components":[{"name":"jm","replicas":2}],"name":"b"}],"failover":{"application":{"decisionConditions":{},"purgeMode":"Directly"}},"gracefulEvictionTasks":[` +
				`{"clustersBeforeFailover":["a","b"],"creationTimestamp":"2025-01-10T12:00:00Z","fromCluster":"a",` +
				`"message":"the application leaves a with purge mode Directly","producer":"carryover-dryrun","purgeMode":"Directly","reason":"ApplicationFailure"}]}`,
			"Karmada's schema has no field for them in a task",
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append(strings.Fields(tc.args), "-f", "-", "-o", "json")
			p := decodePlan(t, invoke(t, testBinding(tc.spec), args...))
			got, err := encodeJSON(p.Binding["spec"])
			require.NoError(t, err)
			if diff := cmp.Diff(tc.want, strings.TrimSpace(string(got))); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", tc.reason, diff)
			}
		})
	}
}

func TestComponentsAreMentioned(t *testing.T) {
	t.Parallel()
	spec := "{clusters: [{name: a, components: [{name: jm, replicas: 1}]}], failover: {application: {}}}"
	p := decodePlan(t, invoke(t, testBinding(spec), "-f", "-", "-o", "json", "--evict", "a"))
	require.Contains(t, factsOf(p).warnings, "ComponentsDropped")
	spec = "{clusters: [{name: a}], failover: {application: {}}, gracefulEvictionTasks: [{fromCluster: a, reason: R, producer: p, components: [{name: jm, replicas: 1}]}]}"
	p = decodePlan(t, invoke(t, testBinding(spec), "-f", "-", "-o", "json", "--evict", "a"))
	require.NotContains(t, factsOf(p).warnings, "ComponentsDropped", "the newer eviction has none")
	require.NotContains(t, firstTask(t, p), "components")
}

// What is not there is not added.
func TestBindingWithoutSpec(t *testing.T) {
	t.Parallel()
	p := decodePlan(t, invoke(t, strings.NewReader(minimal), "-f", "-", "-o", "json"))
	require.NotContains(t, p.Binding, "spec")
	require.NotContains(t, p.Binding, "status")
}

// The order of documents, targets, tasks and items decides nothing.
func TestOrderDecidesNothing(t *testing.T) {
	t.Parallel()
	args := strings.Fields("-f - -o json --evict west --evict east --to north --to south --legacy c=gone --legacy b=present")
	base := func() []map[string]any {
		document := readOne(t, "testdata/both-running/binding.yaml")
		spec := document["spec"].(map[string]any)
		for i, name := range []string{"b", "c", "d", "e"} {
			spec["gracefulEvictionTasks"] = append(orEmpty(asList(spec["gracefulEvictionTasks"])), map[string]any{
				"fromCluster": name, "reason": "R", "producer": "p", "creationTimestamp": "2025-01-10T11:59:0" + string(rune('9'-i)) + "Z",
				"purgeMode":           []string{"Directly", "Directly", "Gracefully", "wrong"}[i],
				"preservedLabelState": map[string]any{"a.example.com/k": name}, "clustersBeforeFailover": []any{name},
			})
		}
		cluster := map[string]any{"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": map[string]any{"name": "east"}}
		other := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "orders"}}
		return []map[string]any{document, readOne(t, "testdata/flinkdeployment.yaml"), cluster, other}
	}
	want := planOfDocuments(t, base(), args)
	require.Len(t, want.Decisions, 6)
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		documents := base()
		for _, path := range [][]string{{"spec", "clusters"}, {"spec", "gracefulEvictionTasks"}, {"status", "aggregatedStatus"}} {
			list := dig(t, documents[0], path...).([]any)
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
		if diff := cmp.Diff(want, planOfDocuments(t, documents, args), cmp.AllowUnexported(plan{}, injection{}, event{})); diff != "" {
			t.Fatal(diff)
		}
	}
}

func asList(value any) []any {
	list, _ := value.([]any)
	return list
}

// planOfDocuments leaves the next binding out: its lists keep their order.
func planOfDocuments(t *testing.T, documents []map[string]any, args []string) plan {
	t.Helper()
	var all []byte
	for _, d := range documents {
		raw, err := encodeJSON(d)
		require.NoError(t, err)
		all = append(all, raw...)
	}
	first := invoke(t, bytes.NewReader(all), args...)
	require.Equal(t, first, invoke(t, bytes.NewReader(all), args...), "the same input gives the same bytes")
	p := decodePlan(t, first)
	p.Binding = nil
	return p
}

// Doing what the plan says and asking again changes nothing more. With a record
// nothing is told twice, either.
func TestNextBindingIsStable(t *testing.T) {
	t.Parallel()
	for name, c := range cases {
		p := planOf(t, c)
		again := decodePlan(t, invoke(t, jsonReader(t, p.Binding), append(legacyOf(c), "-f", "-", "-o", "json")...))
		if diff := cmp.Diff(p.Binding, again.Binding); diff != "" {
			t.Errorf("%s (-first +second)\n%s", name, diff)
		}
	}
}

// legacyOf are the flags that say what is known of old copies.
func legacyOf(c testCase) []string {
	var out []string
	words := strings.Fields(c.args)
	for i, word := range words {
		if word == "--legacy" {
			out = append(out, word, words[i+1])
		}
	}
	return out
}
