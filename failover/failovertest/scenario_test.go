package failovertest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/purge"
)

// TestScenarios are what other failover controllers get wrong, each with the right end.
func TestScenarios(t *testing.T) {
	t.Parallel()
	failovertest.RunFiles(t, "testdata/scenarios/*.yaml")
}

// TestYAML reads what YAML has besides plain values: anchors as values and as keys,
// booleans, options whose names are those of Go, and one event without a list.
func TestYAML(t *testing.T) {
	t.Parallel()
	scenarios, err := failovertest.ReadScenarios([]byte(`
name: n
world:
  clusters: [&e east, west]
  host: {injection: {PodTemplate: true}}
  policy: {application: &same {purgeMode: Never}}
steps:
- do: schedule east
- status: {*e : {well: true, ill: FALSE, many: 12345678901234567890, none: null}}
- edit: {policy: {application: *same, cluster: {purgeMode: Never}}}
  expect: {targets: [*e]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if !scenarios[0].World.Host.Injection.PodTemplate || scenarios[0].Steps[2].Edit.Policy.Application.PurgeMode != purge.Never {
		t.Errorf("read %+v", scenarios[0])
	}
	want := `{"ill":false,"many":12345678901234567890,"none":null,"well":true}`
	if got := string(scenarios[0].Steps[1].Status["east"]); got != want {
		t.Errorf("want %s, got %s", want, got)
	}
	failovertest.Run(t, scenarios...)
}

// TestInvalid plays what a webhook refuses, in worlds that say so: what is invalid does
// nothing (L6).
func TestInvalid(t *testing.T) {
	t.Parallel()
	scenarios, err := failovertest.ReadScenarios([]byte(`
name: from the beginning
world:
  clusters: [east, west]
  invalid: true
  policy: {cluster: {purgeMode: Directely}}
  edited: {cluster: {gracePeriodSeconds: -5}}
  tolerations: [{operator: Exist, key: a}]
steps:
- do: [schedule east, healthy east, tick, taint east, revise]
  expect: {targets: [east], tasks: {}}
- facts: {east: {taints: [{key: a, effect: noExecute}], snapshotting: {state: Running}}}
  expect: {targets: [east], tasks: {}}
---
name: from an edit on
world:
  clusters: [east, west]
  policy: {cluster: {purgeMode: Directly}}
steps:
- do: [schedule east, healthy east, tick]
- edit: {invalid: true, policy: {cluster: {purgeMode: Directely}}}
- do: taint east
  expect: {targets: [east], tasks: {}, errors: {east: purgeMode, west: null}}
- tasks: [{fromCluster: west, gracePeriodSeconds: -5, reason: R, producer: p}]
  expect: {targets: [east]}
`))
	if err != nil {
		t.Fatal(err)
	}
	failovertest.Run(t, scenarios...)
}

// TestErrors expects what Plan says beside its answer: the reason of what is blocked, a part
// of the text, or no error.
func TestErrors(t *testing.T) {
	t.Parallel()
	const text = `
name: %s
world:
  clusters: [east, west, north]
  copies: 2
  policy:
    cluster:
      purgeMode: Directly
      statePreservation: {rules: [{aliasLabelName: example.com/job, jsonPath: "{.job}"}]}
steps:
- do: [schedule east, schedule west, healthy east, healthy west, tick, silent east]
  expect: {errors: {}}
- do: taint east
  expect: {errors: %s}
`
	tests := map[string]string{
		"{east: MissingState}":             "",
		"{east: \"cluster east: \"}":       "",
		"{east: MissingState, west: null}": "",
		"{}":                               "errors: want none, got one about east",
		"{east: null}":                     "errors.east: want none, got one",
		"{west: MissingState}":             "errors.west: there is none",
		"{east: InvalidPolicy}":            `errors.east: want "InvalidPolicy", got MissingState: cluster east: `,
	}
	for expect, want := range tests {
		t.Run(expect, func(t *testing.T) {
			t.Parallel()
			scenarios, err := failovertest.ReadScenarios(fmt.Appendf(nil, text, "n", expect))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := scenarios[0].Run(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("want %q, got %v", want, err)
			}
		})
	}
}
