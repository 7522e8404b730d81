package failover_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/failovertest"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

var updateStories = flag.Bool("update-stories", false, "rewrite what testdata/stories expect")

// TestStories tells each of testdata/stories, and compares all that Plan answers and
// remembers, step by step. A story begins with its reason, the name of a world and the
// timeline in the words of failovertest; the rest is what came of it: + is new, - is over.
// All promises of failovertest are checked, too. After a change that is meant, run the
// test with -update-stories and read what changed.
func TestStories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "stories", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	worlds := storyWorlds()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			head, want, _ := strings.Cut(string(raw), "\n\n")
			lines := strings.Split(head, "\n")
			require.Len(t, lines, 3, "a reason, a world and the steps")
			world, known := worlds[lines[1]]
			require.True(t, known, "world %q", lines[1])
			story, err := failovertest.Tell(world, timeline(t, lines[2]))
			require.NoError(t, err, lines[0])
			got := tell(t, story)
			if *updateStories {
				require.NoError(t, os.WriteFile(file, []byte(strings.TrimSpace(head)+"\n\n"+got), 0o600))
				return
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got)\n%s", lines[0], diff)
			}
		})
	}
}

func storyWorlds() map[string]failovertest.World {
	out := map[string]failovertest.World{
		"directly": short(purge.Directly), "gracefully": short(purge.Gracefully), "never": short(purge.Never),
	}
	change := func(name, of string, edit func(*failovertest.World)) {
		w := out[of]
		w.Policy = *w.Policy.DeepCopy()
		edit(&w)
		out[name] = w
	}
	change("directly and dated", "directly", func(w *failovertest.World) { w.Dated = true })
	change("gracefully and dated", "gracefully", func(w *failovertest.World) { w.Dated = true })
	change("gracefully with state", "gracefully", func(w *failovertest.World) {
		w.Policy.Application.StatePreservation.InjectWhenNotDirectly = true
		w.Policy.Cluster.StatePreservation.InjectWhenNotDirectly = true
	})
	change("directly, two copies", "directly", func(w *failovertest.World) {
		w.Clusters, w.Copies = []string{"east", "west", "north"}, 2
	})
	change("directly, three clusters", "directly", func(w *failovertest.World) { w.Clusters = []string{"east", "west", "north"} })
	change("directly, limited", "directly", func(w *failovertest.World) {
		w.Policy.Application.DecisionConditions.MaxFailovers = ptr[int32](1)
		w.Policy.Application.DecisionConditions.WindowSeconds = ptr[int32](30)
	})
	change("directly, tolerating", "directly", func(w *failovertest.World) {
		w.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr[int64](3)}}
	})
	change("directly, with a deadline", "directly", func(w *failovertest.World) {
		w.Policy.Application.StatePreservation.MissingStateDeadlineSeconds = ptr[int32](3)
		w.Policy.Cluster.StatePreservation.MissingStateDeadlineSeconds = ptr[int32](3)
	})
	change("directly, until the next failover", "directly", func(w *failovertest.World) {
		w.Policy.Application.StatePreservation.Retention = preservation.UntilNextFailover
		w.Policy.Cluster.StatePreservation.Retention = preservation.UntilNextFailover
	})
	change("directly, two copies, going without", "directly, two copies", func(w *failovertest.World) {
		w.Policy.Application.StatePreservation.OnMissingState = preservation.EvictWithout
		w.Policy.Cluster.StatePreservation.OnMissingState = preservation.EvictWithout
	})
	change("directly, two copies, sharing", "directly, two copies", func(w *failovertest.World) { // which Directly does not
		w.Policy.Application.StatePreservation.InjectWhenNotDirectly = true
		w.Policy.Cluster.StatePreservation.InjectWhenNotDirectly = true
	})
	change("gracefully, two copies", "gracefully", func(w *failovertest.World) {
		w.Clusters, w.Copies = []string{"east", "west", "north"}, 2
	})
	change("gracefully with state, two copies", "gracefully with state", func(w *failovertest.World) {
		w.Clusters, w.Copies = []string{"east", "west", "north"}, 2
	})
	change("gracefully, tolerating", "gracefully", func(w *failovertest.World) {
		w.Tolerations = []failover.Toleration{{Operator: failover.Exists, TolerationSeconds: ptr[int64](3)}}
	})
	for _, of := range []string{"directly", "gracefully", "gracefully, two copies"} {
		change(of+", taints known", of, func(w *failovertest.World) { w.TaintsKnown = true })
	}
	change("gracefully, requests only", "gracefully", func(w *failovertest.World) { w.Host.RequestsOnly = true })
	for _, of := range []string{"directly", "gracefully"} {
		change(of+", dropping on purge", of, func(w *failovertest.World) { w.Host.DropOnPurge = true })
	}
	return out
}

// timeline reads steps in words.
func timeline(t *testing.T, text string) []failovertest.Step {
	t.Helper()
	var out []failovertest.Step
	for one := range strings.SplitSeq(text, ", ") {
		step, err := failovertest.ParseStep(one)
		require.NoError(t, err)
		out = append(out, step)
	}
	return out
}

// tell writes down each step, and what Plan answers and remembers where that is another
// than in the step before: one line for each decision, move and so on.
func tell(t *testing.T, story failovertest.Story) string {
	t.Helper()
	var out strings.Builder
	before := map[string]string{}
	for _, m := range story.Moments {
		fmt.Fprintf(&out, "%s %s\n", m.At.Format("15:04:05"), m.Step)
		if m.Blocked != "" {
			fmt.Fprintf(&out, "  blocked: %s\n", m.Blocked)
		}
		raw, err := json.Marshal(m.Plan)
		require.NoError(t, err)
		var answer map[string]any
		require.NoError(t, json.Unmarshal(raw, &answer))
		now := map[string]string{}
		lines(t, now, "", answer)
		for _, path := range slices.Sorted(maps.Keys(before)) {
			if _, stays := now[path]; !stays && !strings.HasPrefix(path, "events") {
				fmt.Fprintf(&out, "  - %s\n", path)
			}
		}
		for _, path := range slices.Sorted(maps.Keys(now)) {
			if now[path] != before[path] || strings.HasPrefix(path, "events") {
				fmt.Fprintf(&out, "  + %s %s\n", path, now[path])
			}
		}
		before = now
	}
	return out.String()
}

// lines has one for each element of the lists of an answer, by what it is known by.
func lines(t *testing.T, out map[string]string, path string, answer map[string]any) {
	t.Helper()
	for key, value := range answer {
		at := strings.TrimPrefix(path+"."+key, ".")
		switch v := value.(type) {
		case map[string]any:
			lines(t, out, at, v)
		case []any:
			for _, one := range v {
				object, is := one.(map[string]any)
				require.True(t, is, at)
				name := at + " " + nameOf(at, object)
				text, err := json.Marshal(object)
				require.NoError(t, err)
				out[name] += string(text) // the same name twice
			}
		default:
			out[at] = fmt.Sprint(v)
		}
	}
}

// nameOf is what an element of a list is known by, whatever its place. That is left out of
// its text.
func nameOf(path string, object map[string]any) string {
	keys := []string{"cluster", "name", "fromCluster", "created", "creationTimestamp"}
	switch path {
	case "events", "warnings":
		keys = []string{"cluster", "type", "field", "reason"}
	case "record.moves", "record.history", "record.failovers":
		keys = []string{"attempt"}
	case "record.deliveries":
		keys = []string{"to"}
	}
	var name []string
	for _, key := range keys {
		if text, has := object[key]; has {
			name = append(name, fmt.Sprint(text))
			delete(object, key)
		}
	}
	return strings.Join(name, " ")
}
