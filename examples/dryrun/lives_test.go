package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// withOlderLife adds what was observed on west before to a binding, if it adds anything.
func withOlderLife(t *testing.T, name, item string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + "/binding.yaml")
	require.NoError(t, err)
	return strings.Replace(string(data), "  aggregatedStatus:\n", "  aggregatedStatus:\n"+item, 1)
}

// What was observed on a new target before it was one changes the plan by one
// warning, in every mode, whatever is known of the old copy and however often it
// is there.
func TestOlderLivesChangeNothing(t *testing.T) {
	t.Parallel()
	const (
		good  = "  - {clusterName: west, applied: true, health: Healthy, status: {jobStatus: {jobId: older}}}\n"
		bad   = "  - {clusterName: west, health: strange}\n"
		plain = "  - {clusterName: west, applied: true}\n"
	)
	for _, mode := range []string{"directly", "gracefully", "never"} {
		for _, legacy := range []string{"present", "gone", "unknown", "fenced"} {
			for _, more := range []string{"", " --cause planned", " --to north"} {
				args := strings.Fields("-f - -f testdata/flinkdeployment.yaml -o json --evict east --to west --legacy east=" + legacy + more)
				want := decodePlan(t, invoke(t, strings.NewReader(withOlderLife(t, mode, "")), args...))
				for _, item := range []string{good, bad, plain, good + bad, good + good} {
					got := decodePlan(t, invoke(t, strings.NewReader(withOlderLife(t, mode, item)), args...))
					var others []notice
					for _, n := range got.Warnings {
						if n.Reason != "ItemIgnored" {
							others = append(others, n)
						}
					}
					require.Len(t, got.Warnings, len(others)+1)
					got.Warnings = orEmpty(others)
					if diff := cmp.Diff(want, got, cmp.AllowUnexported(plan{}, injection{}, event{})); diff != "" {
						t.Errorf("%s, %s%s (-without +with)\n%s", mode, legacy, more, diff)
					}
				}
			}
		}
	}
}

// Whose life an item is of depends on the binding that was read.
func TestWhichItemsCount(t *testing.T) {
	t.Parallel()
	const (
		policy = "failover: {application: {purgeMode: Gracefully}}"
		counts = "a Keep Create no ReplacementNotHealthy" // as soon as the scheduler saw the new targets
		stays  = "a Keep Create no ReplacementNotApplied"
	)
	task := func(cluster string) string {
		return "gracefulEvictionTasks: [{fromCluster: " + cluster + ", purgeMode: Never, suppressDeletion: false, reason: R, producer: p, creationTimestamp: 2025-01-10T11:00:00Z}]"
	}
	table := map[string]struct {
		spec, args string
		purge      string
		warnings   []string
		stays      bool // the item, in the next binding
		reason     string
	}{
		"target": {"{clusters: [{name: a}, {name: b}], " + policy + "}", "--evict a --to b", counts, []string{"AlreadyTarget"}, true, "it runs"},
		"new":    {"{clusters: [{name: a}], " + policy + "}", "--evict a --to b", stays, []string{"ItemIgnored"}, false, "an older life"},
		"under eviction": {
			"{clusters: [{name: a}], " + policy + ", " + task("b") + "}", "--evict a --to b", stays,
			[]string{"TargetUnderEviction"},
			true, "that is the old copy, and its task says so",
		},
		"required": {
			"{clusters: [{name: a}], " + policy + ", requiredBy: [{name: one, clusters: [{name: z}]}, {name: two, clusters: [{name: a}, {name: b}]}]}",
			"--evict a --to b", "a Keep Create no RequiredByOthers", nil, true, "another binding keeps it there",
		},
		"nobody's": {
			"{clusters: [{name: a}], " + policy + "}", "--evict a --to c", stays,
			[]string{"ItemIgnored"},
			true,
			"no copy comes there, so nothing can be mistaken for it",
		},
		"not placed": {
			"{clusters: [{name: a}], failover: {application: {purgeMode: wrong}}}", "--evict a --to b", "",
			[]string{"ItemIgnored", "NotPlaced"},
			true,
			"no copy comes there, so nothing can be mistaken for it",
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status := "{x: 1.0, aggregatedStatus: [{clusterName: b, applied: true, health: Healthy}, {clusterName: a, x: 1.0}]}"
			p := decodePlan(t, invoke(t, strings.NewReader(bindingText("{name: b}", tc.spec, status)), append(strings.Fields(tc.args), "-f", "-", "-o", "json")...))
			f := factsOf(p)
			if tc.purge != "" {
				require.Contains(t, f.purges, tc.purge, tc.reason)
			}
			require.Equal(t, tc.warnings, f.warnings, tc.reason)
			want := `{"aggregatedStatus":[{"clusterName":"a","x":1.0}],"x":1.0}`
			if tc.stays {
				want = `{"aggregatedStatus":[{"applied":true,"clusterName":"b","health":"Healthy"},{"clusterName":"a","x":1.0}],"x":1.0}`
			}
			got, err := encodeJSON(p.Binding["status"])
			require.NoError(t, err)
			require.Equal(t, want, strings.TrimSpace(string(got)), tc.reason)
		})
	}
}

// State that cannot be read holds a copy that would start without it; what runs
// goes on, and what is remembered of an older copy does not run.
func TestUnreadableStateHolds(t *testing.T) {
	t.Parallel()
	labels := ", preservedLabelState: {k: v}"
	table := map[string]struct{ spec, item, args, want, reason string }{
		"nothing":    {"{clusters: [{name: c}]}", "{clusterName: b, applied: true}", "", "c Hold no BadState", "there is no copy"},
		"applied":    {"{clusters: [{name: c}]}", "{clusterName: c, applied: true}", "", "c Apply no NoState", "it runs"},
		"status":     {"{clusters: [{name: c}]}", "{clusterName: c, status: {}}", "", "c Apply no NoState", "it runs"},
		"older life": {"{}", "{clusterName: c, applied: true, health: Healthy}", "--to c", "c Hold no BadState", "it was no target"},
		"old copy": {
			"{clusters: [{name: c}], gracefulEvictionTasks: [" + storedTaskAt("c", "11:00", "") + "]}", "{clusterName: c, applied: true}",
			"--legacy c=gone", "c Hold no BadState", "that is the one that is gone",
		},
		"held anyway": {
			"{clusters: [{name: c}], gracefulEvictionTasks: [" + storedTaskAt("a", "11:00", "") + "]}", "{clusterName: b, applied: true}",
			"", "c Hold no OldCopyNotGone", "that comes first",
		},
		"readable beside it": {
			"{clusters: [{name: c}], gracefulEvictionTasks: [" + storedTaskAt("a", "11:00", labels) + "]}", "{clusterName: c, applied: true}",
			"--legacy a=gone", "c Hold no BadState", "a part of the state is not the state",
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input := bindingWith("[]", tc.spec) + "status: {aggregatedStatus: [" + tc.item + "]}\n" + pod1
			p := decodePlan(t, invoke(t, strings.NewReader(input), append(strings.Fields(tc.args), "-f", "-", "-o", "json")...))
			require.Equal(t, []string{tc.want}, factsOf(p).injections, tc.reason)
		})
	}
}

// A run that may not leave anything gives the scheduler's choice no copy, now and
// in the runs to come.
func TestNotPlaced(t *testing.T) {
	t.Parallel()
	const rules = "failover: {application: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: k, jsonPath: '{.k}'}]}}}"
	leaving := ", gracefulEvictionTasks: [" + storedTaskAt("e", "11:59", "") + "]"
	both := "{clusters: [{name: a}, {name: b}], " + rules + "}"
	table := map[string]struct {
		spec, args string
		decisions  []string
		injections []string
		warnings   []string
		next       string // the targets
		reason     string
	}{
		"all blocked": {
			both, "--evict a --evict b --to c --to d",
			[]string{"a Blocked MissingState", "b Blocked MissingState"},
			[]string{"a Apply no NoState", "b Apply no NoState"},
			[]string{"NotPlaced", "NotPlaced"},
			`[{"name":"a"},{"name":"b"}]`,
			"nothing leaves, so nothing is to come",
		},
		"beside no target": {
			both, "--evict a --evict z --to c",
			[]string{"a Blocked MissingState", "b None NotRequested", "z None NotTarget"},
			[]string{"a Apply no NoState", "b Apply no NoState"},
			[]string{"NotPlaced", "NothingToEvict"},
			`[{"name":"a"},{"name":"b"}]`,
			"leaving what one is not on is no move",
		},
		"beside one that leaves already": {
			"{clusters: [{name: a}], " + rules + leaving + "}", "--evict a --evict e --to c --legacy e=gone",
			[]string{"a Blocked MissingState", "e AlreadyEvicting UnderEviction"},
			[]string{"a Apply no NoState"},
			[]string{"NotPlaced"},
			`[{"name":"a"}]`,
			"that move has its target",
		},
		"an old target": {
			both, "--evict a --to b",
			[]string{"a Blocked MissingState", "b None NotRequested"},
			[]string{"a Apply no NoState", "b Apply no NoState"},
			[]string{"AlreadyTarget"},
			`[{"name":"a"},{"name":"b"}]`,
			"it is there in any case",
		},
		"nothing to leave": {
			both, "--evict z --to c",
			[]string{"a None NotRequested", "b None NotRequested", "z None NotTarget"},
			[]string{"a Apply no NoState", "b Apply no NoState", "c Apply no NoState"},
			[]string{"NothingToEvict"},
			`[{"name":"a"},{"name":"b"},{"name":"c"}]`,
			"the scheduler may add targets without a move",
		},
		"nobody asked": {
			both, "--to c",
			[]string{"a None HealthUnknown", "b None HealthUnknown"},
			[]string{"a Apply no NoState", "b Apply no NoState", "c Apply no NoState"},
			nil, `[{"name":"a"},{"name":"b"},{"name":"c"}]`,
			"the scheduler may add targets without a move",
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := invoke(t, strings.NewReader(bindingText("{name: b}", tc.spec, "{}")), append(strings.Fields(tc.args), "-f", "-", "-o", "json")...)
			p := decodePlan(t, got)
			f := factsOf(p)
			require.Equal(t, tc.decisions, f.decisions, tc.reason)
			require.Equal(t, tc.injections, f.injections, tc.reason)
			require.Equal(t, tc.warnings, f.warnings, tc.reason)
			next, err := encodeJSON(specOf(t, p)["clusters"])
			require.NoError(t, err)
			require.Equal(t, tc.next, strings.TrimSpace(string(next)), tc.reason)
		})
	}
}

// Where one of two may leave, the target is placed, and held while it could be
// meant for the other.
func TestPlacedBesideABlock(t *testing.T) {
	t.Parallel()
	const (
		spec = "{clusters: [{name: a}, {name: b}], failover: {application: {purgeMode: Directly, statePreservation: {rules: [" +
			"{aliasLabelName: k, jsonPath: '{.k}', target: Field, fieldPath: .spec.k, policy: Optional}]}}}}"
		status = "{aggregatedStatus: [{clusterName: a, status: {x: 1}}, {clusterName: b, status: {k: 7}}]}"
		text   = "---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {k: text}}\n"
	)
	input := strings.Replace(bindingText("{name: b}", spec, status), pod1, text, 1)
	for args, want := range map[string]facts{
		"--evict a --evict b": {
			decisions:  []string{"a Evict ApplicationFailure", "b Blocked InjectionRefused"},
			injections: []string{"b Apply no NoState", "c Hold no InjectionRefused"}, errors: []string{"b 0 TypeMismatch"},
		},
		"--evict a": {
			decisions:  []string{"a Evict ApplicationFailure", "b None NotRequested"},
			injections: []string{"b Apply no NoState", "c Apply no NoState"},
		},
	} {
		got := invoke(t, strings.NewReader(input), append(strings.Fields(args), strings.Fields("-f - --to c --legacy a=gone -o json")...)...)
		p := decodePlan(t, got)
		want.purges, want.warnings = []string{"a Delete Create no AwaitingReplacementHealthy"}, []string{"StateIncomplete"}
		if diff := cmp.Diff(want, factsOf(p), cmp.AllowUnexported(facts{})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", args, diff)
		}
		require.Equal(t, []any{map[string]any{"name": "b"}, map[string]any{"name": "c"}}, specOf(t, p)["clusters"])
	}
	told := invoke(t, strings.NewReader(input), strings.Fields("-f - --evict a --evict b --to c --legacy a=gone")...).stdout
	require.Contains(t, told, "Hold (InjectionRefused): held because leaving b is blocked")
}

// Without a record, who was healthy with what is a guess; a person hears of it.
func TestStateLeftOut(t *testing.T) {
	t.Parallel()
	want := notice{
		Cluster: "west", Reason: "SourceNotAsked",
		Message: "the state of west is left out: its copy received other state and is not known to have been healthy since, or newer state replaced it",
	}
	require.Equal(t, []notice{want}, planOf(t, cases["state-left-out"]).Warnings)
}

// The stored task that a next one goes on from is the closest one.
func TestWhichStoredTask(t *testing.T) {
	t.Parallel()
	task := func(mode, more string) string {
		return "{fromCluster: a, purgeMode: " + mode + ", reason: R, producer: p, clustersBeforeFailover: [a]" + more + "}"
	}
	const (
		at11   = ", creationTimestamp: 2025-01-10T11:00:00Z"
		at1130 = ", creationTimestamp: 2025-01-10T11:30:00Z"
		fields = `"fromCluster":"a","producer":"p","purgeMode":"Directly","reason":"R","x":2.0}]`
	)
	table := map[string]struct{ tasks, status, want, reason string }{
		"by time": {
			task("Gracefully", at11+", x: 1.0") + ", " + task("Directly", at1130+", x: 2.0"), "{}",
			`[{"clustersBeforeFailover":["a"],"creationTimestamp":"2025-01-10T11:30:00Z",` + fields, "the first one ends",
		},
		"by time alone": {
			task("Directly", at11+", x: 1.0") + ", " + task("Directly", at1130+", x: 2.0"),
			"{aggregatedStatus: [{clusterName: b, applied: true, health: Healthy, observedAt: 2025-01-10T11:15:00Z}]}",
			`[{"clustersBeforeFailover":["a"],"creationTimestamp":"2025-01-10T11:30:00Z",` + fields, "the first one ends, since the health is newer",
		},
		"without a time, first": {
			task("Gracefully", ", x: 1.0") + ", " + task("Directly", at1130+", x: 2.0"), "{}",
			`[{"clustersBeforeFailover":["a"],"creationTimestamp":"2025-01-10T11:30:00Z",` + fields, "the first one ends",
		},
		"without a time": {
			task("Gracefully", at11+", x: 1.0") + ", " + task("Directly", ", x: 2.0"), "{}",
			`[{"clustersBeforeFailover":["a"],"creationTimestamp":"2025-01-10T12:00:00Z",` + fields, "the first one ends, the second gets its time",
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := "{clusters: [{name: b}], gracefulEvictionTasks: [" + tc.tasks + "]}"
			p := decodePlan(t, invoke(t, strings.NewReader(bindingText("{name: b}", spec, tc.status)), strings.Fields("-f - -o json --legacy a=gone")...))
			got, err := encodeJSON(specOf(t, p)["gracefulEvictionTasks"])
			require.NoError(t, err)
			require.Equal(t, tc.want, strings.TrimSpace(string(got)), tc.reason)
		})
	}
}

// The end of a cool-down is a time to look again, also where the task has ended.
func TestRecheckAtTheEndOfACooldown(t *testing.T) {
	t.Parallel()
	spec := "{clusters: [{name: a}], failover: {application: {purgeMode: Gracefully}}}"
	p := decodePlan(t, invoke(t, testBinding(spec), strings.Fields("-f - -o json --evict a --to b --legacy a=gone")...))
	require.True(t, p.Purges[0].Done)
	require.Equal(t, []string{"a"}, p.Excluded)
	require.Equal(t, int64(600), *p.RecheckAfterSeconds)
}

// A cluster looks again as early as any of its tasks.
func TestRecheckOfSeveralTasks(t *testing.T) {
	t.Parallel()
	task := func(clock string) string {
		return "{fromCluster: a, reason: R, producer: p, creationTimestamp: 2025-01-10T" + clock + ":00Z}"
	}
	for _, tasks := range []string{task("11:58") + ", " + task("11:59"), task("11:59") + ", " + task("11:58")} {
		p := decodePlan(t, invoke(t, testBinding("{clusters: [{name: b}], gracefulEvictionTasks: ["+tasks+"]}"), "-f", "-", "-o", "json"))
		require.Equal(t, int64(480), *p.Decisions[0].RecheckAfterSeconds)
		require.Equal(t, int64(480), *p.RecheckAfterSeconds)
	}
}

// Several tasks of one cluster are told by time, then by reason, in any order.
func TestPurgesAreSorted(t *testing.T) {
	t.Parallel()
	task := func(cluster, clock, mode string) string {
		return "{fromCluster: " + cluster + ", purgeMode: " + mode + ", reason: R, producer: p, creationTimestamp: 2025-01-10T" + clock + ":00Z}"
	}
	tasks := []string{
		task("a", "11:58", "Directly"), task("a", "11:59", "Gracefully"), task("a", "11:59", "wrong"),
		task("a", "11:59", "Directly"), task("b", "11:00", "wrong"),
	}
	want := []string{
		"a Delete Hold no OldCopyUnreachable", "a Keep Hold no InvalidMode", "a Keep Create no NoReplacement",
		"a Delete Hold no OldCopyUnreachable", "b Keep Hold no InvalidMode",
	}
	for range tasks {
		p := decodePlan(t, invoke(t, testBinding("{gracefulEvictionTasks: ["+strings.Join(tasks, ", ")+"]}"), "-f", "-", "-o", "json"))
		require.Equal(t, want, factsOf(p).purges)
		tasks = append(tasks[1:], tasks[0])
	}
}

// What has ended long ago is nothing to avoid.
func TestEndedTasksExcludeNothing(t *testing.T) {
	t.Parallel()
	spec := "{clusters: [{name: b}], gracefulEvictionTasks: [{fromCluster: a, reason: R, producer: p, creationTimestamp: 2025-01-10T11:00:00Z}]}"
	p := decodePlan(t, invoke(t, testBinding(spec), "-f", "-", "-o", "json", "--legacy", "a=gone"))
	require.True(t, p.Purges[0].Done)
	require.Empty(t, p.Excluded)
}

// Others that need a copy change nothing about what is known of it.
func TestRequiredAndGone(t *testing.T) {
	t.Parallel()
	c := cases["required-by"]
	c.args += " --legacy east=gone"
	require.Equal(t, []string{westInjected}, factsOf(planOf(t, c)).injections)
}

// No state writes over the keys by which Karmada knows its objects, whoever stored
// it.
func TestStoredStateIsCheckedToo(t *testing.T) {
	t.Parallel()
	task := storedTaskAt("a", "11:00", ", preservedLabelState: {karmada.io/managed: v}")
	spec := "{clusters: [{name: b}], failover: {application: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: k, jsonPath: '{.k}'}]}}}, gracefulEvictionTasks: [" + task + "]}"
	p := decodePlan(t, invoke(t, strings.NewReader(bindingText("{name: b}", spec, "{}")), strings.Fields("-f - -o json --legacy a=gone")...))
	require.Equal(t, []string{"b Hold no InjectionRefused"}, factsOf(p).injections)
	p = decodePlan(t, invoke(t, strings.NewReader(bindingText("{name: b}", spec, "{}")), strings.Fields("-f - -o json --legacy a=gone --evict b")...))
	require.Equal(t, []string{"a AlreadyEvicting UnderEviction", "b Blocked InjectionRefused"}, factsOf(p).decisions)
}

// The status of a manifest is nobody's.
func TestStatusOfTheManifestDoesNotCount(t *testing.T) {
	t.Parallel()
	spec := "{clusters: [{name: a}], failover: {application: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: k, from: Object, jsonPath: '{.status.k}'}]}}}}"
	input := strings.Replace(bindingText("{name: b}", spec, "{aggregatedStatus: [{clusterName: a, applied: true}]}"), pod1, pod1[:len(pod1)-1]+", status: {k: v}}", 1)
	p := decodePlan(t, invoke(t, strings.NewReader(input), strings.Fields("-f - -o json --evict a")...))
	require.Equal(t, []string{"a 0 MissingKey"}, factsOf(p).errors)
}

// The parts of a second change nothing, nor does the zone.
func TestPartsOfASecond(t *testing.T) {
	t.Parallel()
	for name, c := range cases {
		want := c.invoke(t, "json")
		for _, fraction := range []string{".000000001", ".5", ".999999999"} {
			now := strings.Replace(testNow, "Z", fraction+"Z", 1)
			require.Equal(t, want, invoke(t, nil, append(strings.Fields(c.args), "-o", "json", "--now", now)...), "%s %s", name, fraction)
		}
	}
	out := invoke(t, nil, "-f", goodBinding, "--now", "2025-01-10T14:00:00.5+02:00").stdout
	require.Contains(t, out, "Dry run of ResourceBinding default/orders-flinkdeployment at "+testNow+"\n")
}

// asProgram makes this test binary be the program.
const asProgram = "CARRYOVER_DRYRUN"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A built program ends with the codes of the contract. go run does not, which
// scripts have to know.
func TestProcess(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]outcome{
		"-f testdata/gracefully/binding.yaml --now " + testNow:               {exit: exitPlanned},
		"-f testdata/missing-key/binding.yaml --evict east --now " + testNow: {exit: exitBlocked},
		"-f testdata/none.yaml": {exit: exitUnusable, stderr: "dryrun: open testdata/none.yaml: no such file or directory\n"},
		"-f testdata/gracefully/binding.yaml --evict west -o json": {exit: exitPlanned},
	} {
		program := exec.Command(os.Args[0], strings.Fields(args)...)
		program.Env = append(os.Environ(), asProgram+"=1")
		var stdout, stderr strings.Builder
		program.Stdout, program.Stderr = &stdout, &stderr
		_ = program.Run()
		require.Equal(t, want.exit, program.ProcessState.ExitCode(), args)
		require.Equal(t, want.stderr, stderr.String(), args)
		require.Equal(t, want.exit != exitUnusable, stdout.Len() > 0, args)
	}
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for _, text := range []string{usage, string(doc)} {
		require.Contains(t, text, "go build -o dryrun ./examples/dryrun")
	}
}
