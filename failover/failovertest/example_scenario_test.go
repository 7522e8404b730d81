package failovertest_test

import (
	"fmt"

	"github.com/carryover-io/carryover/failover/failovertest"
)

const moved = `
name: a job moves with its id
world:
  clusters: [east, west]
  policy:
    application:
      purgeMode: Directly
      statePreservation:
        rules: [{aliasLabelName: example.com/job, jsonPath: "{.job}"}]
steps:
  - do: [schedule east, healthy east, tick, evict east, schedule west]
    expect:
      placements: {west: {action: Hold, reason: OldCopyNotGone}}
  - do: deleted east
    expect:
      targets: [west]
      received: {west: {labels: {example.com/job: j1}}}
`

func ExampleReadScenarios() {
	scenarios, err := failovertest.ReadScenarios([]byte(moved))
	fmt.Println(len(scenarios), scenarios[0].Name, err)
	_, err = failovertest.ReadScenarios([]byte("name: a\nworld: {clusters: [east]}\nsteps:\n- do: tick\n- do: lose west\n"))
	fmt.Println(err)
	// Output:
	// 1 a job moves with its id <nil>
	// line 5: scenario "a": step 2: there is no cluster "west": the world has [east]
}

func ExampleReadFiles() {
	scenarios, err := failovertest.ReadFiles("testdata/scenarios/last-copy-*.yaml")
	fmt.Println(scenarios[0].Name, err)
	// Output: the last copy stays while nothing replaces it <nil>
}

func ExampleScenario_Run() {
	scenarios, err := failovertest.ReadScenarios([]byte(moved))
	if err != nil {
		fmt.Println(err)
		return
	}
	story, err := scenarios[0].Run()
	last := story.Moments[len(story.Moments)-1]
	fmt.Println(last.Step, last.Clusters[1].Copy.Received, err)
	// Output: deleted east j1 <nil>
}
