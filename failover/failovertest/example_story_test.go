package failovertest_test

import (
	"fmt"

	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/preservation"
)

// told is a move from east to west.
func told() (failovertest.Story, error) {
	var timeline []failovertest.Step
	for _, text := range []string{"schedule east", "healthy east", "tick", "evict east", "schedule west", "deleted east"} {
		step, err := failovertest.ParseStep(text)
		if err != nil {
			return failovertest.Story{}, err
		}
		timeline = append(timeline, step)
	}
	return failovertest.Tell(failovertest.World{Clusters: []string{"east", "west"}, Policy: myPolicy()}, timeline)
}

func ExampleTell() {
	story, err := told()
	for _, m := range story.Moments {
		fmt.Printf("%s %s:", m.At.Format("15:04:05"), m.Step)
		for _, c := range m.Clusters {
			if c.Copy != nil {
				fmt.Printf(" copy %d on %s received %q", c.Copy.Number, c.Name, c.Copy.Received)
			}
		}
		fmt.Println()
	}
	fmt.Println(err)
	// Output:
	// 00:00:00 schedule east: copy 1 on east received ""
	// 00:00:00 healthy east: copy 1 on east received ""
	// 00:00:01 tick: copy 1 on east received ""
	// 00:00:01 evict east: copy 1 on east received ""
	// 00:00:01 schedule west: copy 1 on east received ""
	// 00:00:01 deleted east: copy 2 on west received "j1"
	// <nil>
}

func ExampleStory_ShortName() {
	story, err := told()
	name := story.ShortName(preservation.State{Labels: map[string]string{failovertest.Label: "j1"}})
	fmt.Println(name, err)
	// Output: j1 <nil>
}
