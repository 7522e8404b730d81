package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	goodBinding = "testdata/directly/binding.yaml"
	minimal     = "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: b}\n"
)

func TestUnusable(t *testing.T) {
	t.Parallel()
	table := map[string]struct {
		args   []string
		stdin  string
		want   string // part of the line
		reason string
	}{
		"no file":          {args: []string{}, want: "-f", reason: "there is nothing to read"},
		"unknown flag":     {args: []string{"-f", goodBinding, "--evcit", "east"}, want: "evcit", reason: "a typing error must not be ignored"},
		"flag without arg": {args: []string{"-f"}, want: "needs an argument", reason: "a flag without its value"},
		"empty file name":  {args: []string{"-f", ""}, want: "name a file", reason: "an unset shell variable"},
		"stray argument":   {args: []string{"-f", goodBinding, "east"}, want: `"east"`, reason: "it was meant for a flag"},
		"stray\nargument":  {args: []string{"-f", goodBinding, "a\nb"}, want: "unexpected", reason: "an argument of two lines is still one line"},
		"bad now":          {args: []string{"-f", goodBinding, "--now", "today"}, want: "2025-01-10T12:00:00Z", reason: "RFC 3339 only"},
		"zero now":         {args: []string{"-f", goodBinding, "--now", "0001-01-01T00:00:00Z"}, want: "now", reason: "it would mean the clock"},
		"zoneless now":     {args: []string{"-f", goodBinding, "--now", "2025-01-10T12:00:00"}, want: "now", reason: "whose noon?"},
		"bad cause":        {args: []string{"-f", goodBinding, "--cause", "Application"}, want: "application, cluster or planned", reason: "a closed set"},
		"bad output":       {args: []string{"-f", goodBinding, "-o", "wide"}, want: "text, json, yaml, timeline or svg", reason: "a closed set"},
		"bad legacy":       {args: []string{"-f", goodBinding, "--legacy", "east"}, want: "CLUSTER=gone", reason: "the state is missing"},
		"bad legacy word":  {args: []string{"-f", goodBinding, "--legacy", "east=dead"}, want: "fenced", reason: "never read as gone"},
		"bad legacy name":  {args: []string{"-f", goodBinding, "--legacy", "=gone"}, want: "cluster", reason: "whose copy?"},
		"two legacies":     {args: []string{"-f", goodBinding, "--legacy", "east=gone", "--legacy", "east=present"}, want: "another word", reason: "one of them is wrong"},
		"empty cluster":    {args: []string{"-f", goodBinding, "--evict", ""}, want: "name one cluster", reason: "an unset shell variable"},
		"cluster list":     {args: []string{"-f", goodBinding, "--to", "west,north"}, want: "name one cluster", reason: "the flag is repeated instead"},
		"from no file":     {args: []string{"-f", goodBinding, "--from", "snapshot=x.yaml"}, want: "x.yaml", reason: "the file is named"},
		"from nothing":     {args: []string{"-f", goodBinding, "--from", "snapshot"}, want: "NAME=FILE", reason: "the file is missing"},
		"from no name":     {args: []string{"-f", goodBinding, "--from", "=x.yaml"}, want: "NAME=FILE", reason: "the name is missing"},
		"from status":      {args: []string{"-f", goodBinding, "--from", "status=x.yaml"}, want: "Status is not a document to give", reason: "it would be read by nobody"},
		"from twice":       {args: []string{"-f", goodBinding, "--from", "a=x.yaml", "--from", "a=y.yaml"}, want: "given before", reason: "one of them is wrong"},
		"from and stdin":   {args: []string{"-f", "-", "--from", "a=-"}, stdin: minimal, want: "once", reason: "the second would be empty"},
		"from two stdins":  {args: []string{"-f", goodBinding, "--from", "a=-", "--from", "b=-"}, stdin: "{}", want: "once", reason: "the second would be empty"},
		"from two":         {args: []string{"-f", goodBinding, "--from", "a=-"}, stdin: "a: 1\n---\nb: 2\n", want: "standard input: give exactly one document, not 2", reason: "which one?"},
		"from empty":       {args: []string{"-f", goodBinding, "--from", "a=-"}, stdin: "---\n", want: "not 0", reason: "nothing is no document"},
		"from text":        {args: []string{"-f", goodBinding, "--from", "a=-"}, stdin: "secret", want: "must be an object, is text", reason: "rules read keys"},
		"from not YAML":    {args: []string{"-f", goodBinding, "--from", "a=-"}, stdin: "a: [secret", want: "standard input: document 1", reason: "the place is named"},
		"bad annotations":  {stdin: minimal[:len(minimal)-2] + ", annotations: [secret]}\n", want: "metadata.annotations: must be an object, is a list", reason: "one annotation cannot be written into a list"},
		"wrong state type": {stdin: minimal + "spec: {gracefulEvictionTasks: [{fromCluster: a, preservedState: {fields: {.a: 1}}}]}", want: "preservedState.fields[.a]", reason: "fields are JSON in text"},
		"record no name":   {args: []string{"-f", goodBinding, "--record", ""}, want: "name a file", reason: "an unset shell variable"},
		"record stdin":     {args: []string{"-f", goodBinding, "--record-out", "-"}, want: "name a file", reason: "it is replaced as a whole"},
		"record directory": {args: []string{"-f", goodBinding, "--record", "testdata"}, want: "testdata", reason: "no first run"},
		"no cluster name":  {stdin: minimal + "---\n{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster}", want: "document 2: metadata.name", reason: "whose taints?"},
		"cluster twice":    {stdin: minimal + strings.Repeat("---\n{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: a}}\n", 2), want: "document 3: metadata.name", reason: "which one?"},
		"wrong taints":     {stdin: minimal + "---\n{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: a}, spec: {taints: secret}}", want: "document 2: spec.taints: must be a list", reason: "the field is named"},
		"wrong tolerance":  {stdin: minimal + "spec: {placement: {clusterTolerations: [{tolerationSeconds: secret}]}}", want: "clusterTolerations[0].tolerationSeconds", reason: "the field is named"},
		"no such file":     {args: []string{"-f", "testdata/none.yaml"}, want: "testdata/none.yaml", reason: "the file is named"},
		"directory":        {args: []string{"-f", "testdata"}, want: "testdata", reason: "the file is named"},
		"stdin twice":      {args: []string{"-f", "-", "-f", "-"}, want: "once", reason: "the second would be empty"},
		"no binding":       {args: []string{"-f", "testdata/flinkdeployment.yaml"}, want: "not 0", reason: "there is nothing to plan"},
		"two bindings":     {args: []string{"-f", goodBinding, "-f", "testdata/list/list.yaml"}, want: "not 2", reason: "which one?"},
		"nothing at all":   {stdin: "", want: "not 0", reason: "empty input"},
		"not YAML":         {stdin: "a: [secret", want: "document 1", reason: "the place is named"},
		"second document":  {stdin: minimal + "---\n{", want: "document 2", reason: "the place is named"},
		"no object":        {stdin: "- secret", want: "not a Kubernetes object", reason: "a list at the top"},
		"no kind":          {stdin: minimal + "---\nsecret: 1", want: "document 2: apiVersion and kind", reason: "it cannot be told what it is"},
		"bad item":         {stdin: "apiVersion: v1\nkind: List\nitems: [secret]", want: "document 1, item 1", reason: "the item is named"},
		"bad items":        {stdin: "apiVersion: v1\nkind: List\nitems: secret", want: "items must be a list", reason: "a broken List is no empty one"},
		"key twice":        {stdin: minimal + "spec:\n  secret: 1\n  secret: 2", want: "line 6", reason: "one of them would be lost"},
		"JSON key twice":   {stdin: `{"secret":1,"secret":2}`, want: "appears twice", reason: "also in JSON"},
		"infinite":         {stdin: minimal + "spec: {replicas: .inf}", want: "JSON cannot hold", reason: "no number in JSON"},
		"self reference":   {stdin: "a: &secret [*secret]", want: "contains itself", reason: "it never ends"},
		"no anchor":        {stdin: "a: *secret", want: "no anchor", reason: "the parser would quote the name"},
		"tag":              {stdin: minimal + "spec: !secret {}", want: "tag", reason: "it cannot be known what it means"},
		"wrong type":       {stdin: minimal + "spec: {clusters: secret}", want: "spec.clusters: must be a list, is text", reason: "the field is named"},
		"wrong inner type": {stdin: minimal + "spec: {clusters: [{name: a, replicas: '2'}]}", want: "spec.clusters[0].replicas", reason: "the field is named"},
		"wrong label type": {stdin: minimal + "spec: {gracefulEvictionTasks: [{fromCluster: a, preservedLabelState: {k: 1}}]}", want: "spec.gracefulEvictionTasks[0].preservedLabelState[k]", reason: "state is text"},
		"wrong rule type":  {stdin: minimal + "spec: {failover: {application: {statePreservation: {rules: [{jsonPath: 1}]}}}}", want: "rules[0].jsonPath", reason: "the field is named"},
		"too big":          {stdin: minimal + "spec: {replicas: 3000000000}", want: "spec.replicas: must be a whole number of 32 bits", reason: "nothing wraps"},
		"fraction":         {stdin: minimal + "spec: {replicas: 1.5}", want: "spec.replicas", reason: "nothing is rounded"},
		"bad time":         {stdin: minimal + "spec: {gracefulEvictionTasks: [{fromCluster: a, creationTimestamp: secret}]}", want: "creationTimestamp", reason: "when?"},
		"no target name":   {stdin: minimal + "spec: {clusters: [{replicas: 1}]}", want: "spec.clusters[0].name: is missing", reason: "whose?"},
		"null target":      {stdin: minimal + "spec: {clusters: [null]}", want: "spec.clusters[0].name", reason: "whose?"},
		"no task cluster":  {stdin: minimal + "spec: {gracefulEvictionTasks: [{}]}", want: "fromCluster", reason: "whose?"},
		"no item cluster":  {stdin: minimal + "status: {aggregatedStatus: [{}]}", want: "clusterName", reason: "whose?"},
		"spec no object":   {stdin: minimal + "spec: [secret]", want: "spec: must be an object", reason: "the field is named"},
		"two manifests": {
			stdin: minimal + "spec: {resource: {apiVersion: v1, kind: Pod, name: p}}" +
				strings.Repeat("\n---\n{apiVersion: v1, kind: Pod, metadata: {name: p}}", 2),
			want: "second manifest", reason: "the answer would depend on their order",
		},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := tc.args
			if args == nil {
				args = []string{"-f", "-"}
			}
			got := invoke(t, strings.NewReader(tc.stdin), args...)
			require.Equal(t, exitUnusable, got.exit, tc.reason)
			require.Empty(t, got.stdout, tc.reason)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), "one line: %q", got.stderr)
			require.True(t, strings.HasSuffix(got.stderr, "\n"))
			require.Contains(t, got.stderr, tc.want, tc.reason)
			require.NotContains(t, got.stderr, "secret", "an error never quotes a document")
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"-h", "--help"} {
		got := invoke(t, nil, flag)
		require.Equal(t, outcome{exit: exitPlanned, stdout: usage}, got)
	}
}

// The clock is read only where --now does not say the time.
func TestNow(t *testing.T) {
	t.Parallel()
	got := invoke(t, nil, "-f", goodBinding, "--now", "2030-05-05T07:00:00.9+02:00", "--evict", "east", "-o", "json")
	require.Equal(t, "2030-05-05T05:00:00Z", firstTask(t, decodePlan(t, got))["creationTimestamp"])
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func (brokenPipe) Read([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenPipes(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	require.Equal(t, exitUnusable, run([]string{"-f", goodBinding, "--now", testNow}, nil, brokenPipe{}, &stderr, nil))
	require.Equal(t, "dryrun: broken pipe\n", stderr.String())
	got := invoke(t, brokenPipe{}, "-f", "-")
	require.Equal(t, outcome{exit: exitUnusable, stderr: "dryrun: broken pipe\n"}, got)
}

func TestTwoHundredDocuments(t *testing.T) {
	t.Parallel()
	got := invoke(t, strings.NewReader("\ufeff"+strings.Repeat("---\n# nothing\n", 200)+"---\n"+minimal), "-f", "-")
	require.Equal(t, exitPlanned, got.exit, got.stderr)
}
