package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/failover"
)

// simulation is a sequence of runs: the next binding and the record of one are the
// input of the next.
type simulation struct {
	t       *testing.T
	dir     string
	binding map[string]any
	plan    plan
}

func simulate(t *testing.T, spec string) *simulation {
	t.Helper()
	documents, err := readDocuments([]byte(minimal + "spec: " + spec + "\n"))
	require.NoError(t, err)
	return &simulation{t: t, dir: t.TempDir(), binding: documents[0].object}
}

func (s *simulation) record() string { return filepath.Join(s.dir, "record.json") }

// observe sets the status: an item for each "CLUSTER HEALTH JOB".
func (s *simulation) observe(items ...string) *simulation {
	list := []any{}
	for _, item := range items {
		words := strings.Fields(item)
		list = append(list, map[string]any{
			"clusterName": words[0], "applied": true, "health": words[1], "status": map[string]any{"job": words[2]},
		})
	}
	s.binding["status"] = map[string]any{"aggregatedStatus": list}
	return s
}

// run makes one run at a time of that day.
func (s *simulation) run(clock, args string) *simulation {
	s.t.Helper()
	raw, err := encodeJSON(s.binding)
	require.NoError(s.t, err)
	all := append(strings.Fields(args), "-f", "-", "-o", "json", "--now", "2025-01-10T"+clock+"Z", "--record", s.record(), "--record-out", s.record())
	got := invoke(s.t, strings.NewReader(string(raw)+"\n"+pod1+"\n"), all...)
	s.plan = decodePlan(s.t, got)
	s.binding = s.plan.Binding
	return s
}

func (s *simulation) decides(want ...string) *simulation {
	s.t.Helper()
	require.Equal(s.t, want, factsOf(s.plan).decisions)
	return s
}

// places checks the injections, and the label of the copies that have one.
func (s *simulation) places(want ...string) *simulation {
	s.t.Helper()
	var got []string
	for i, placed := range factsOf(s.plan).injections {
		if manifest := s.plan.Injections[i].Manifest; manifest != nil {
			metadata := manifest["metadata"].(map[string]any)
			if labels, found := metadata["labels"].(map[string]any); found {
				placed = strings.Replace(placed, "job=no", "job="+labels["job"].(string), 1)
			}
		}
		got = append(got, placed)
	}
	require.Equal(s.t, want, got)
	return s
}

const jobPolicy = "failover: {application: {decisionConditions: {tolerationSeconds: 60}, purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: job, jsonPath: '{.job}'}]}}}"

// East runs job A and fails; west never works; north receives job A, and keeps it until
// it was healthy in a later run.
func TestSimulation(t *testing.T) {
	t.Parallel()
	s := simulate(t, "{clusters: [{name: east}], "+jobPolicy+"}")
	s.observe("east Healthy A").run("12:00:00", "").decides("east None ApplicationHealthy")
	s.observe("east Unhealthy A").run("12:01:00", "").decides("east Wait BelowToleration")
	require.Equal(t, int64(60), *s.plan.RecheckAfterSeconds)
	s.observe("east Unknown A").run("12:01:30", "").decides("east Wait HealthUnknown")
	s.observe("east Unhealthy A").run("12:01:59", "").decides("east Wait BelowToleration")
	require.Equal(t, int64(1), *s.plan.RecheckAfterSeconds)
	s.run("12:02:00", "--to west").decides(evictEast).places("west Hold no OldCopyNotGone")
	s.run("13:02:00", "").places("west Hold no OldCopyNotGone")
	s.run("13:03:00", "--legacy east=fenced").places("west Apply yes Injected job=A")
	s.observe("west Unhealthy B").run("13:04:00", "").
		decides("east AlreadyEvicting UnderEviction", "west Wait BelowToleration").places("west Apply yes Injected job=A")
	s.run("13:05:00", "--to north").
		decides("east AlreadyEvicting UnderEviction", "west Evict ApplicationFailure").places("north Hold no OldCopyNotGone")
	s.run("13:06:00", "--legacy east=gone --legacy west=gone").places("north Apply yes Injected job=A")
	require.Equal(t, []string{"east Delete Create yes OldCopyGone", "west Delete Create yes OldCopyGone"}, factsOf(s.plan).purges)
	s.observe("north Unhealthy C").run("13:06:10", "").places("north Apply yes Injected job=A")
	s.observe("north Healthy C").run("13:07:00", "").places("north Apply no NoState")
	require.NotContains(t, s.plan.Injections[0].Manifest["metadata"], "labels", "F7: UntilHealthy")
	record, err := encodeJSON(s.plan.Record)
	require.NoError(t, err)
	require.NotContains(t, string(record), `"A"`, "the state has ended")
}

// A copy that comes back after it was fenced, and one that west worked with.
func TestSimulationOfAProvenCopy(t *testing.T) {
	t.Parallel()
	s := simulate(t, "{clusters: [{name: east}], "+jobPolicy+"}")
	s.observe("east Unhealthy A").run("12:00:00", "")
	s.run("12:01:00", "--to west --legacy east=fenced").places("west Apply yes Injected job=A")
	s.observe("west Healthy B").run("12:02:00", "--legacy east=present").places("west Apply no NoState")
	require.Equal(t, []string{"east Delete Create no FencedCopyReturned"}, factsOf(s.plan).purges)
	s.observe("west Unhealthy B").run("12:03:00", "--legacy east=gone")
	s.run("12:04:00", "--to north --legacy west=gone").decides("west Evict ApplicationFailure").places("north Apply yes Injected job=B")
}

// Each run of a case, and once more on what it gave: nothing changes and nothing is
// told twice.
func TestNextRunIsStable(t *testing.T) {
	t.Parallel()
	for name, c := range cases {
		if strings.Contains(c.args, "--record") || name == "state-unreadable" {
			continue // has a record of its own; keeps none
		}
		record := filepath.Join(t.TempDir(), "record.json")
		args := append(strings.Fields(c.args), "-o", "json", "--record", record, "--record-out", record)
		first := decodePlan(t, invoke(t, nil, args...))
		raw, err := encodeJSON(first.Binding)
		require.NoError(t, err)
		again := []string{"-f", "-", "-o", "json", "--record", record, "--record-out", record}
		for i, word := range args {
			if word == "--legacy" || word == "--from" || word == "-f" && !holdsBinding(t, args[i+1]) {
				again = append(again, word, args[i+1])
			}
		}
		if strings.Contains(c.args, "--evict") {
			again = append(again, "--evict", "nowhere") // what is due for other reasons is another story
		}
		second := decodePlan(t, invoke(t, strings.NewReader(string(raw)), again...))
		if diff := cmp.Diff(first.Binding, second.Binding); diff != "" {
			t.Errorf("%s: the binding (-first +second)\n%s", name, diff)
		}
		if diff := cmp.Diff(first.Record, second.Record); diff != "" && c.exit == exitPlanned {
			t.Errorf("%s: the record (-first +second)\n%s", name, diff)
		}
		require.Empty(t, second.Events, name)
	}
}

func holdsBinding(t *testing.T, file string) bool {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Contains(string(data), "work.karmada.io")
}

// The revision is the generation of the manifest: a second release starts afresh.
func TestRevision(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string]string{"{name: p}": "", "{name: p, generation: 7}": "7"} {
		input := minimal + "spec: {clusters: [{name: a}]}\nstatus: {aggregatedStatus: [{clusterName: a, health: Healthy}]}\n---\n{apiVersion: v1, kind: Pod, metadata: " + metadata + "}\n"
		p := decodePlan(t, invoke(t, strings.NewReader(input), "-f", "-", "-o", "json"))
		require.Equal(t, want, *p.Record.Clusters[0].HealthyRevision)
	}
}

func TestUnusableRecord(t *testing.T) {
	t.Parallel()
	table := map[string]struct{ record, want, reason string }{
		"empty":          {"", "exactly one JSON object", "never taken for a first run"},
		"not JSON":       {"{secret", "exactly one JSON object", "never taken for a first run"},
		"null":           {"null", "exactly one JSON object", "never taken for a first run"},
		"two":            {`{"version":1}{"version":1}`, "exactly one JSON object", "which one?"},
		"key twice":      {`{"version":1,"attempts":1,"attempts":2}`, "twice", "which one?"},
		"newer version":  {`{"version":99,"secret":{}}`, "the record of version 99 cannot be used: this library reads version 1", "a later release wrote it"},
		"no version":     {`{"attempts":1}`, "it has content and no version", "somebody else wrote it"},
		"text version":   {`{"version":"secret"}`, "version: must be a whole number, is text", "somebody else wrote it"},
		"unknown field":  {`{"version":1,"secret":1}`, "not a record that Plan wrote", "it would be lost"},
		"wrong type":     {`{"version":1,"moves":"secret"}`, "not a record that Plan wrote", "never guessed"},
		"unknown stage":  {`{"version":1,"moves":[{"attempt":1,"from":"a","created":null,"stageSince":null,"stage":"Later"}]}`, `stage "Later"`, "never guessed"},
		"target twice":   {`{"version":1,"deliveries":[{"to":"a","attempt":1,"at":null},{"to":"a","attempt":2,"at":null}]}`, "twice", "which one?"},
		"wrong instants": {`{"version":1,"clusters":[{"name":"a","placedAt":"secret"}]}`, "not a record that Plan wrote", "the error of the parser would quote it"},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "record.json")
			require.NoError(t, os.WriteFile(file, []byte(tc.record), 0o600))
			got := invoke(t, nil, "-f", goodBinding, "--record", file, "--record-out", file)
			require.Equal(t, exitUnusable, got.exit, tc.reason)
			require.Empty(t, got.stdout)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"))
			require.Contains(t, got.stderr, file+": ")
			require.Contains(t, got.stderr, tc.want)
			require.NotContains(t, strings.ReplaceAll(got.stderr, file, ""), "secret")
			left, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, tc.record, string(left), "the record stays as it is")
		})
	}
}

// A record is written in whole, for its owner alone, blocked or not, and only where
// it can be.
func TestWriteRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "record.json"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o644)) //nolint:gosec // that is the point
	require.NoError(t, os.Symlink(file, link))
	args := []string{"-f", "testdata/missing-state-deadline/binding.yaml", "-o", "json", "--record", link, "--record-out", link}
	got := invoke(t, nil, args...)
	require.Equal(t, exitBlocked, got.exit, got.stderr)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
	record, err := readRecord(link)
	require.NoError(t, err)
	require.NotNil(t, record.Clusters[0].BlockedSince, "the deadline counts from here")
	require.Empty(t, cmp.Diff(decodePlan(t, got).Record, record))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing is left beside it")

	for _, bad := range []string{dir, os.DevNull, filepath.Join(dir, "none", "record.json")} {
		got := invoke(t, nil, "-f", goodBinding, "--record-out", bad)
		require.Equal(t, exitUnusable, got.exit, bad)
		require.Empty(t, got.stdout)
		require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
	}
}

// Without one of the flags nobody keeps a record, so that the task keeps the state
// until a replacement was healthy (P4).
func TestWithoutARecord(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none.json")
	c := cases["directly-gone"]
	require.Equal(t, []string{eastGone}, factsOf(planOf(t, c)).purges)
	for _, flag := range []string{" --record ", " --record-out "} {
		with := c
		with.args += flag + none
		require.Equal(t, []string{"east Delete Create yes OldCopyGone"}, factsOf(planOf(t, with)).purges)
	}
	require.NotEqual(t, failover.Record{}, planOf(t, c).Record, "what this run remembers is told all the same")
}
