package main

import (
	"bytes"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// testNow is the time of every case.
const testNow = "2025-01-10T12:00:00Z"

// A case is a command line on the files of testdata. Its goldens are NAME.txt and
// NAME.json in testdata/golden.
type testCase struct {
	args   string
	reason string
	exit   int
}

const (
	flink = " -f testdata/flinkdeployment.yaml"
	bare  = "-f testdata/"

	kubectl = bare + "kubectl/binding.yaml -f testdata/kubectl/clusters.yaml -f testdata/kubectl/flinkdeployment.yaml"
)

var cases = map[string]testCase{
	"directly-unknown": {
		args:   bare + "directly/binding.yaml" + flink + " --evict east --to west",
		reason: "nobody knows whether the old copy runs, so Directly holds the new one",
	},
	"directly-present": {
		args:   bare + "directly/binding.yaml" + flink + " --evict east --to west --legacy east=present",
		reason: "the old copy is being deleted, so Directly holds the new one",
	},
	"directly-gone": {
		args:   bare + "directly/binding.yaml" + flink + " --evict east --to west --legacy east=gone",
		reason: "the old copy is gone, so the new one gets its state, and the label that was there is replaced",
	},
	"directly-fenced": {
		args:   bare + "directly/binding.yaml" + flink + " --evict east --to west --legacy east=fenced",
		reason: "a fenced copy cannot act any more: the new one gets the state while the deletion is still due",
	},
	"directly-no-target": {
		args:   bare + "directly/binding.yaml" + flink + " --evict east --cause planned",
		reason: "without --to there is nothing to write yet, and a planned move is no warning",
	},
	"directly-no-manifest": {
		args:   bare + "directly/binding.yaml --evict east --to west --legacy east=gone",
		reason: "the gate passes and there is nothing to inject into: hold, and say so",
	},
	"gracefully": {
		args:   bare + "gracefully/binding.yaml" + flink + " --evict east --to west --legacy east=present",
		reason: "the old copy stays until the grace period of the policy ends, so the new one gets no state",
	},
	"never": {
		args:   bare + "never/binding.yaml" + flink + " --evict east --to west",
		reason: "a person has to confirm, so the task suppresses the deletion",
	},
	"old-mode-policy": {
		args:   bare + "old-mode-policy/binding.yaml" + flink + " --evict east --to west",
		reason: "Immediately behaves as Directly, and the task says Directly",
	},
	"old-mode-tasks": {
		args:   bare + "old-mode-tasks/binding.yaml" + flink,
		reason: "stored tasks with old names behave by the new ones and are written with them, the rest verbatim",
	},
	"second-failover": {
		args:   bare + "second-failover/binding.yaml" + flink + " --evict west --to north --legacy east=gone --legacy west=present",
		reason: "west was never healthy with the state of east, and its own copy is not gone: north waits",
	},
	"second-failover-gone": {
		args:   bare + "second-failover/binding.yaml" + flink + " --evict west --to north --legacy east=gone --legacy west=gone",
		reason: "both copies are gone: north gets the state of east, not what west reports",
	},
	"two-new-targets": {
		args:   bare + "two-new-targets/binding.yaml" + flink + " --evict east --to west --to north --legacy east=gone",
		reason: "one state cannot go to two copies, and none may start empty",
	},
	"both-running": {
		args:   bare + "both-running/binding.yaml" + flink + " --evict east --legacy east=gone",
		reason: "west ran before the move: it goes on and gets nothing",
	},
	"missing-status": {
		args:   bare + "missing-status/binding.yaml" + flink + " --evict east --to west",
		reason: "without a status there is nothing to carry: the application stays, both rules are named",
		exit:   exitBlocked,
	},
	"missing-key": {
		args:   bare + "missing-key/binding.yaml" + flink + " --evict east --to west",
		reason: "jobID is not jobId: the error has the hint",
		exit:   exitBlocked,
	},
	"illegal-value": {
		args:   bare + "illegal-value/binding.yaml" + flink + " --evict east --to west",
		reason: "a path is no label value, which is found before any task exists",
		exit:   exitBlocked,
	},
	"numeric-label": {
		args:   bare + "numeric-label/binding.yaml -f testdata/numeric-label/manifest.yaml --evict east --to west",
		reason: "a label that is a number blocks the trial injection, and no label is lost",
		exit:   exitBlocked,
	},
	"metadata-null": {
		args:   bare + "metadata-null/binding.yaml -f testdata/metadata-null/manifest.yaml --evict east --to west",
		reason: "a manifest without metadata cannot be injected into",
		exit:   exitBlocked,
	},
	"list": {
		args:   bare + "list/list.yaml --evict east --to west --legacy east=gone",
		reason: "binding and manifest may come in one List, as kubectl prints it",
	},
	"required-by": {
		args:   bare + "required-by/binding.yaml" + flink + " --evict east --to west",
		reason: "another binding needs the old copy: it stays and is not waited for",
	},
	"expired-no-replacement": {
		args:   bare + "expired-no-replacement/binding.yaml" + flink,
		reason: "the grace period ended and there is no other copy: the last one stays",
	},
	"expired-source-healthy": {
		args:   bare + "expired-source-healthy/binding.yaml" + flink,
		reason: "the grace period ended beside a sick replacement: a healthy old copy stays",
	},
	"cluster-cause": {
		args:   bare + "cluster-cause/binding.yaml" + flink + " --evict east --to west --cause cluster --legacy east=gone",
		reason: "rules stand only under application: nothing is carried, with a warning",
	},
	"directly-eleven-minutes": {
		args:   bare + "directly-eleven-minutes/binding.yaml" + flink,
		reason: "eleven minutes are past every default time-out, and Directly still waits, with its state",
	},
	"invalid-policy": {
		args:   bare + "invalid-policy/binding.yaml" + flink + " --evict west",
		reason: "all that is wrong is said at once, nothing is evicted, and the stored task is assessed",
		exit:   exitBlocked,
	},
	"field": {
		args:   bare + "field/binding.yaml" + flink + " --evict east --to west --legacy east=gone",
		reason: "a mixed template gives the path; empty text gives way to any value",
	},
	"field-no-job": {
		args:   bare + "field/binding.yaml -f testdata/field/no-job.yaml --evict east --to west --legacy east=gone",
		reason: "without spec.job there is no place to write to, which is found before anything is evicted",
		exit:   exitBlocked,
	},
	"field-replace": {
		args:   bare + "field/binding.yaml -f testdata/field/restored.yaml --evict east --to west --legacy east=gone",
		reason: "Replace writes over another value and says so",
	},
	"field-keep": {
		args:   bare + "field-keep/binding.yaml -f testdata/field/restored.yaml --evict east --to west --legacy east=gone",
		reason: "Keep leaves another value there and says so; the other rules are written",
	},
	"field-keep-all": {
		args:   bare + "field-keep-all/binding.yaml -f testdata/field/restored.yaml --evict east --to west --legacy east=gone",
		reason: "where every rule keeps what is there nothing is injected, and the plan says so",
	},
	"field-fail": {
		args:   bare + "field-fail/binding.yaml -f testdata/field/restored.yaml --evict east --to west --legacy east=gone",
		reason: "Fail is a conflict, found before anything is evicted",
		exit:   exitBlocked,
	},
	"field-number": {
		args:   bare + "field-number/binding.yaml -f testdata/field-number/manifest.yaml --evict east --to west --legacy east=gone",
		reason: "a single path keeps its type: a number replaces a number",
	},
	"field-number-text": {
		args:   bare + "field-number/binding.yaml -f testdata/field-number/text.yaml --evict east --to west --legacy east=gone",
		reason: "a number never replaces text",
		exit:   exitBlocked,
	},
	"annotation": {
		args:   bare + "annotation/binding.yaml" + flink + " --evict east --to west --legacy east=gone",
		reason: "a path is a legal annotation, and an object is one as compact JSON",
	},
	"annotation-numeric": {
		args:   bare + "annotation/binding.yaml -f testdata/annotation/numeric.yaml --evict east --to west --legacy east=gone",
		reason: "an annotation that is a number blocks the trial injection, and none is lost",
		exit:   exitBlocked,
	},
	"from-object": {
		args:   bare + "from-object/binding.yaml" + flink + " --evict east --to west --legacy east=gone",
		reason: "the object is the manifest with the status of the cluster",
	},
	"from-object-none": {
		args:   bare + "from-object/binding.yaml --evict east --to west --legacy east=gone",
		reason: "without a manifest there is no object, and its values are missing",
		exit:   exitBlocked,
	},
	"from-failover": {
		args:   bare + "from-failover/binding.yaml" + flink + " --evict east --to west --legacy east=gone",
		reason: "the move itself is a document; without a record nobody counted its attempts",
	},
	"from-document": {
		args:   bare + "from-document/binding.yaml" + flink + " --from flink-snapshot=testdata/from-document/snapshot.yaml --evict east --to west --legacy east=gone",
		reason: "a document that was found by somebody else",
	},
	"from-document-missing": {
		args:   bare + "from-document/binding.yaml" + flink + " --evict east --to west --legacy east=gone",
		reason: "a document that nobody gave is missing: Required blocks, Optional does not, a default stands in",
		exit:   exitBlocked,
	},
	"from-document-optional": {
		args:   bare + "from-document-optional/binding.yaml" + flink + " --evict east --to west --legacy east=gone",
		reason: "nothing Required is missing: the default goes along",
	},
	"from-document-unused": {
		args:   bare + "directly/binding.yaml" + flink + " --from flink-snapshot=testdata/from-document/snapshot.yaml --evict east --to west --legacy east=gone",
		reason: "a document that no rule reads is a slip of the pen",
	},
	"placeholder": {
		args:   bare + "placeholder/binding.yaml" + flink + " --evict east --to west --legacy east=gone",
		reason: "a rejected placeholder is no value",
		exit:   exitBlocked,
	},
	"pod-template": {
		args:   bare + "pod-template/binding.yaml -f testdata/pod-template/manifest.yaml --evict east --to west --legacy east=gone",
		reason: "a field of the pod template restarts pods, so it is refused",
		exit:   exitBlocked,
	},
	"state-stored": {
		args:   bare + "state-stored/binding.yaml" + flink + " --legacy east=gone",
		reason: "the annotation of the binding gives the task its field and annotation",
	},
	"state-stale": {
		args:   bare + "state-stale/binding.yaml" + flink + " --legacy east=gone",
		reason: "the state of an older task of the cluster is not that of the newer one",
	},
	"state-unreadable": {
		args:   bare + "state-unreadable/binding.yaml" + flink + " --evict north --legacy east=gone",
		reason: "what cannot be read is never taken for nothing: nobody leaves, no copy starts, and the annotation stays",
		exit:   exitBlocked,
	},
	"state-inside": {
		args:   bare + "state-inside/binding.yaml" + flink + " --legacy east=gone",
		reason: "a schema that keeps the state in the task: it stays there, verbatim",
	},
	"older-life-directly": {
		args:   bare + "older-life-directly/binding.yaml" + flink + " --evict east --to west",
		reason: "what was on west before is no copy of now: Directly holds",
	},
	"older-life-directly-gone": {
		args:   bare + "older-life-directly/binding.yaml" + flink + " --evict east --to west --legacy east=gone",
		reason: "what was healthy on west before ends no task: the new copy gets the state",
	},
	"older-life-gracefully": {
		args:   bare + "older-life-gracefully/binding.yaml" + flink + " --evict east --to west --legacy east=present",
		reason: "the last copy never goes because of what was healthy on west before",
	},
	"older-life-never": {
		args:   bare + "older-life-never/binding.yaml" + flink + " --evict east --to west --legacy east=present",
		reason: "what was on west before is left out in every mode",
	},
	"required-target": {
		args:   bare + "required-target/binding.yaml" + flink + " --evict east --to west --legacy east=gone",
		reason: "another binding keeps a copy on west: it runs with its own state and gets no other",
	},
	"state-left-out": {
		args:   bare + "state-left-out/binding.yaml" + flink + " --legacy east=gone --legacy west=gone",
		reason: "west may never have worked with the state of east, so what it held is left out, and a person may know better",
	},
	"health-wait": {
		args:   bare + "directly/binding.yaml" + flink,
		reason: "nobody is asked to leave: the toleration begins, and its end is the time to look again",
	},
	"health-over": {
		args:   bare + "directly/binding.yaml" + flink + " --record testdata/health/record.json --to west --legacy east=gone",
		reason: "the record knows since when: the toleration is over, and west gets the state",
	},
	"taint-wait": {
		args:   bare + "taints/binding.yaml" + flink + " -f testdata/taints/not-ready.yaml",
		reason: "half of the 60 tolerated seconds are over",
	},
	"taint-forever": {
		args:   bare + "taints/binding.yaml" + flink + " -f testdata/taints/maintenance.yaml",
		reason: "a toleration without seconds never ends",
	},
	"taint-untolerated": {
		args:   bare + "taints/binding.yaml" + flink + " -f testdata/taints/lost.yaml --to west",
		reason: "a healthy application leaves a failing cluster with its state; south is nobody's",
	},
	"taint-invalid-toleration": {
		args:   bare + "taints/invalid.yaml" + flink + " -f testdata/taints/lost.yaml",
		reason: "an invalid toleration may have been meant for this taint: no eviction, and all is told",
	},
	"missing-state-blocked": {
		args:   bare + "missing-state-deadline/binding.yaml" + flink,
		reason: "without a status nothing leaves before the deadline of the policy",
		exit:   exitBlocked,
	},
	"missing-state-deadline": {
		args:   bare + "missing-state-deadline/binding.yaml" + flink + " --record testdata/missing-state-deadline/record.json --to west",
		reason: "at the deadline the application leaves without state, and says so",
	},
	"kubectl-wait": {
		args:   kubectl,
		reason: "as kubectl prints a binding and the clusters: the taint is tolerated for two more minutes",
	},
	"kubectl-leave": {
		args:   kubectl + " --evict member1 --cause cluster --to member2",
		reason: "a person does not wait; a cluster that is not ready may still run the job, so Directly holds",
	},
	"kubectl-fenced": {
		args:   kubectl + " --evict member1 --cause cluster --to member2 --legacy member1=fenced",
		reason: "a person made sure that the old job cannot act: member2 gets its job id",
	},
	"cluster-binding": {
		args:   bare + "cluster-binding/binding.json --evict east --to west --cause cluster --legacy east=gone",
		reason: "JSON, a ClusterResourceBinding, and numbers that keep every digit",
	},
}

// outcome is what a process would leave behind.
type outcome struct {
	exit           int
	stdout, stderr string
}

// invoke runs the program at the time of the cases.
func invoke(t *testing.T, stdin io.Reader, args ...string) outcome {
	t.Helper()
	now, err := time.Parse(time.RFC3339, testNow)
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	exit := run(args, stdin, &stdout, &stderr, func() time.Time { return now })
	return outcome{exit: exit, stdout: stdout.String(), stderr: stderr.String()}
}

func (c testCase) invoke(t *testing.T, format string) outcome {
	t.Helper()
	return invoke(t, strings.NewReader(""), append(strings.Fields(c.args), "-o", format)...)
}

func TestCases(t *testing.T) {
	t.Parallel()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for format, extension := range map[string]string{"text": ".txt", "json": ".json"} {
				got := c.invoke(t, format)
				require.Equal(t, c.exit, got.exit, "%s\n%s", c.reason, got.stderr)
				require.Empty(t, got.stderr, c.reason)
				golden := filepath.Join("testdata", "golden", name+extension)
				if *update {
					require.NoError(t, os.WriteFile(golden, []byte(got.stdout), 0o600))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				if diff := cmp.Diff(string(want), got.stdout); diff != "" {
					t.Errorf("%s\n(-want +got)\n%s", c.reason, diff)
				}
			}
		})
	}
}

// A golden without its case would never be looked at again.
func TestEveryGoldenHasACase(t *testing.T) {
	t.Parallel()
	var want []string
	for name, c := range cases {
		require.NotEmpty(t, c.reason, name)
		want = append(want, name+".json", name+".txt")
	}
	files, err := os.ReadDir(filepath.Join("testdata", "golden"))
	require.NoError(t, err)
	var got []string
	for _, file := range files {
		got = append(got, file.Name())
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The three outputs are one plan: YAML holds exactly what JSON holds, and the
// text holds no value that is carried.
func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := readValues([]byte(cases[name].invoke(t, "json").stdout))
			require.NoError(t, err)
			got, err := readValues([]byte(cases[name].invoke(t, "yaml").stdout))
			require.NoError(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
