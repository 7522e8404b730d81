package failovertest_test

import (
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/failover/swimlane"
	"github.com/carryover-io/carryover/preservation"
)

func ExampleStory_Picture() {
	story, err := told()
	story.Name = "a planned move"
	fmt.Print(story.Picture().Text())
	fmt.Println(err)
	// Output:
	// a planned move
	//
	//    east                                    west
	// 2026-01-01
	// 00:00:00 schedule east ---------------------------------------------------------
	// ?+ health unknown, state j1             .
	// ?  None: HealthUnknown                  .
	// ?  Apply: NoState                       .
	// 00:00:00 healthy east ----------------------------------------------------------
	// #+ healthy, state j1                    .
	// #  None: ApplicationHealthy             .
	// 00:00:01 tick ------------------------------------------------------------------
	// #+ healthy, state j1                    .
	// 00:00:01 evict east ------------------------------------------------------------
	// x> being deleted, state j1              .
	// x  task Directly, with j1               .
	// x  Evict: PlannedMove                   .
	// x  Delete old copy: AwaitingOldCopyGone .
	// 00:00:01 schedule west ---------------------------------------------------------
	// x> being deleted, state j1              .+ None: HealthUnknown
	// x  AlreadyEvicting: UnderEviction       .  Hold: OldCopyNotGone
	// 00:00:01 deleted east ----------------------------------------------------------
	//          next check in 10m0s
	// .  task finished: OldCopyGone           ?+ health unknown, state j2
	// .                                       ?  receives j1 of east
	// .                                       ?  keeps j1
	// .                                       ?  Apply: Injected, with j1
	//
	// # healthy   ! unhealthy   ? unknown   x being deleted   . no copy
	// + target   > under eviction
	// <nil>
}

var update = flag.Bool("update", false, "rewrite the picture in docs")

// The picture in the docs is one of a story that is played here.
func TestPictureInDocs(t *testing.T) {
	t.Parallel()
	policy := myPolicy()
	seconds := int32(60)
	policy.Application.DecisionConditions.TolerationSeconds = &seconds
	story, err := failovertest.Tell(failovertest.World{Clusters: []string{"east", "west"}, Policy: policy}, steps(t,
		"schedule east", "healthy east", "tick", "unhealthy east", "lose east", "wait", "schedule west", "fence east", "healthy west",
		"tick", "return east", "deleted east"))
	require.NoError(t, err)
	story.Name = "Directly: a failed job moves with its state"
	file, got := filepath.Join("..", "..", "docs", "timeline.svg"), story.Picture().SVG()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What went wrong is in the picture, with all that there was then.
func TestPictureOfWhatGoesWrong(t *testing.T) {
	t.Parallel()
	world := failovertest.World{Clusters: []string{"east", "west"}, Policy: myPolicy()}
	story, err := failovertest.Tell(world, steps(t, "schedule east", "silent east", "unhealthy east", "later", "lose east !2", "fence east", "taint east", "wipe west"))
	require.Error(t, err)
	text := story.Picture().Text()
	for _, want := range []string{
		"the controller crashes before it writes targets and tasks", "unreachable", "fenced", "tainted",
		"FAILED: step \"wipe west\" has no effect here", "next check in ",
	} {
		require.Contains(t, text, want)
	}
	last := story.Picture().Moments[7]
	require.Greater(t, len(last.Cells[0].Notes), 2, "a story that failed ends with all that there was")
}

// Each health and each write has its picture.
func TestPictureOfEveryHealthAndCrash(t *testing.T) {
	t.Parallel()
	story := failovertest.Story{Clusters: []string{"a", "b", "c", "d", "e", "f", "g"}}
	m := failovertest.Moment{Blocked: "state is missing"}
	want := []swimlane.Copy{"healthy", "unhealthy", "unknown", "unknown", "NotApplicable", "being deleted", ""}
	for i, health := range []string{"Healthy", "Unhealthy", "Unknown", "", "NotApplicable", "Healthy", "none"} {
		c := failovertest.ClusterMoment{Name: story.Clusters[i]}
		if health != "none" {
			c.Copy = &failovertest.CopyMoment{Number: i, Deleting: i == 5}
			require.NoError(t, json.Unmarshal([]byte(`"`+health+`"`), &c.Copy.Health))
		}
		m.Clusters = append(m.Clusters, c)
	}
	for crash := failovertest.NoCrash; crash <= failovertest.ManifestWrite; crash++ {
		m.Crash = crash
		story.Moments = append(story.Moments, m)
	}
	p := story.Picture()
	for i, c := range p.Moments[0].Cells {
		require.Equal(t, want[i], c.Copy, story.Clusters[i])
	}
	blocked := swimlane.Note{Kind: swimlane.Problem, Text: "blocked: state is missing"}
	require.Equal(t, []swimlane.Note{blocked}, p.Moments[0].Notes)
	for i, name := range []string{"the record", "targets and tasks", "purges", "manifests"} {
		require.Equal(t, []swimlane.Note{{Text: "the controller crashes before it writes " + name}, blocked}, p.Moments[i+1].Notes)
	}
}

// A state with several values, or with a long one, is explained; one whose name is its
// value is not.
func TestPictureExplainsNames(t *testing.T) {
	t.Parallel()
	p := (&failovertest.Story{Values: []failovertest.NamedState{
		{Name: "j1", State: preservation.State{Labels: map[string]string{"job": "j1"}}},
		{Name: "A", State: preservation.State{Labels: map[string]string{"job": "a-long-value", "more": "x"}}},
	}}).Picture()
	require.Len(t, p.Legend, 1)
	require.Equal(t, "A", p.Legend[0].Name)
	require.Contains(t, p.Legend[0].Text, "a-long-value")
}

// An arrow leads to each new copy that received state, once.
func TestPictureCarriesState(t *testing.T) {
	t.Parallel()
	story, err := told()
	require.NoError(t, err)
	var got []swimlane.Carried
	for _, m := range story.Picture().Moments {
		got = append(got, m.Carried...)
	}
	if diff := cmp.Diff([]swimlane.Carried{{State: "j1", From: "east", To: "west"}}, got); diff != "" {
		t.Error(diff)
	}
}

// Every scenario can be drawn: within 80 columns, with every step and cluster, as XML,
// and without a change of the story.
func TestPicturesOfScenarios(t *testing.T) {
	t.Parallel()
	scenarios, err := failovertest.ReadFiles("testdata/scenarios/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, scenarios)
	for _, scenario := range scenarios {
		story, err := scenario.Run()
		require.NoError(t, err)
		before, err := json.Marshal(story)
		require.NoError(t, err)
		text, svg := story.Picture().Text(), story.Picture().SVG()
		after, err := json.Marshal(story)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after))
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, len([]rune(line)), swimlane.Columns+1, line)
		}
		joined := strings.Join(strings.Fields(text), " ")
		for _, m := range story.Moments {
			require.Contains(t, joined, m.Step)
		}
		for _, name := range story.Clusters {
			require.Contains(t, text, name)
		}
		d := xml.NewDecoder(strings.NewReader(svg))
		for err == nil {
			_, err = d.Token()
		}
		require.ErrorIs(t, err, io.EOF)
	}
}
