package failovertest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover/failovertest"
)

// header is a small world, and the first six lines of a file.
const header = `name: n
world:
  clusters: [east, west]
  policy:
    cluster: {purgeMode: Directly}
steps:
`

// TestWrongScenarios are scenarios that are written wrongly: each error names the line.
func TestWrongScenarios(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text   string // whole, or the steps if it begins with "- "
		want   string
		reason string
	}{
		"nothing":         {"", "line 1: there is no scenario", "an empty file tests nothing"},
		"no mapping":      {"[]", "line 1: want keys with values, got a list", "a scenario has keys"},
		"empty document":  {"---\n", "line 2: want keys with values, got nothing", "nor does an empty document"},
		"bad YAML":        {"name: [\n", "line 1: did not find", "the parser's line is kept"},
		"unknown anchor":  {"name: n\nworld: *w\n", "line 2: unknown anchor 'w' referenced", "an alias has an anchor"},
		"commented":       {"# *w\nname: n\nworld: *w\n\n# *w\nsteps: []\n", "line 3: unknown anchor 'w' referenced", "a comment refers to nothing"},
		"a tab":           {header + "- do: tick\n\texpect: {}\n- do: tick\n", "line 8: found a tab character", "the line of the tab, and not of the scalar before it"},
		"second document": {header + "- do: tick\n---\nname: [\nworld: {}\n", "line 10: did not find expected ',' or ']'", "lines count from the beginning of the file"},
		"a colon":         {"name: n: m\n", "line 1: mapping values are not allowed", "also in the first line"},
		"no colon":        {"name: n\nworld\n\nsteps: []\n", "line 2: could not find expected ':'", "and not where the parser misses it"},
		"control":         {"name: n\nworld: \x01\n", "line 2: control characters are not allowed", "what is no text has a line"},
		"no UTF-8":        {"name: n\nworld: \xff\nsteps: []\n", "line 2: invalid leading UTF-8 octet", "as above"},
		"open quote":      {"name: 'n\nsteps: []\n\n\n", "line 2: found unexpected end of stream", "the last line that says anything"},
		"stray":           {"name: n\n}\n", "line 2: did not find expected key", "the parser names the line before"},
		"indented":        {"name: n\nworld:\n- a\n b: c\n", "line 4: mapping values are not allowed", "as above"},
		"endless anchor":  {"name: n\nworld:\n  status: &w {a: *w}\n", "line 3: scenario \"n\": it is too large or too deep", "an anchor does not contain itself"},
		"merge key":       {"name: n\nworld: &w {}\n<<: *w\n", "<< is not supported", "what is merged has no line"},
		"odd key":         {"name: n\n? [a]\n: b\n", "line 2: scenario \"n\": a key is text", "keys are names"},
		"unknown field":   {"name: n\nworlds: {}\n", `line 2: scenario "n": "worlds" is unknown here: use name, steps, world`, "a typo is no comment"},
		"deep typo":       {"name: n\nworld:\n  clusters: [east]\n  policy:\n    cluster:\n      purgemode: Never\n", `line 6: scenario "n": "purgemode" is unknown here`, "a policy is read as strictly"},
		"twice":           {"name: n\nworld: {}\nname: m\n", `line 3: scenario "n": "name" is here twice`, "which one counts?"},
		"wrong type":      {"name: 7\n", "line 1: want text, got a number: put it in quotes", "7 is no text"},
		"no list":         {"name: n\nworld:\n  clusters: east\n", "line 3: scenario \"n\": want a list, got text", "one cluster is a list of one"},
		"no number":       {"name: n\nworld:\n  copies: many\n", "line 3: scenario \"n\": want a whole number, got text", "copies are counted"},
		"a fraction":      {"name: n\nworld:\n  copies: 1.5\n", "line 3: scenario \"n\": want a whole number, got a number", "in whole copies"},
		"too large":       {"name: n\nworld:\n  desiredReplicas: 3000000000\n", "line 3: scenario \"n\": number 3000000000 is too large: 32 bits hold less", "it must fit"},
		"no boolean":      {"name: n\nworld:\n  dated: yes\n", "line 3: scenario \"n\": want true or false, got text", "yes is text"},
		"no time":         {header + "- facts: {east: {stateTakenAt: soon}}\n", "line 7: scenario \"n\": step 1: want a time, such as 2026-01-01T00:00:00Z", "times are RFC 3339"},
		"odd time":        {header + "- facts: {east: {stateTakenAt: {at: .nan}}}\n", "line 7: scenario \"n\": step 1: a number that JSON does not know", "nor is that"},
		"time of facts":   {header + "- facts: {east: {snapshotting: {triggeredAt: {}}}}\n", "line 7: scenario \"n\":", "times are text"},
		"odd number":      {header + "- do: schedule east\n- status: {east: {n: .inf}}\n", "line 8: scenario \"n\": step 2: a number that JSON does not know", "a status is JSON"},
		"no name":         {"world: {clusters: [east]}\nsteps: [{do: tick}]\n", "a scenario has a name", "failures must name it"},
		"no clusters":     {"name: n\nworld:\n  clusters: []\nsteps: [{do: tick}]\n", "line 3: scenario \"n\": a world has 1 to 20 clusters", "things happen somewhere"},
		"nameless":        {"name: n\nworld:\n  clusters: [east, \"\"]\nsteps: [{do: tick}]\n", "line 3: scenario \"n\": a cluster has a name", "expectations name it"},
		"two clusters":    {"name: n\nworld:\n  clusters:\n  - east\n  - east\nsteps: [{do: tick}]\n", "line 5: scenario \"n\": there are two clusters \"east\"", "names are unique"},
		"negative copies": {"name: n\nworld:\n  clusters: [east]\n  copies: -1\nsteps: [{do: tick}]\n", "line 4: scenario \"n\": the scheduler wants no negative number", "copies are counted"},
		"odd status":      {"name: n\nworld:\n  clusters: [east]\n  status: [1]\nsteps: [{do: tick}]\n", "line 4: scenario \"n\": a status is a JSON object", "rules start at an object"},
		"no steps":        {"name: n\nworld: {clusters: [east]}\nsteps: []\n", "line 3: scenario \"n\": a scenario has 1 to 1000 steps", "nothing happens"},
		"empty step":      {header + "- do: tick\n- {}\n", "line 8: scenario \"n\": step 2: a step lets something happen or expects something", "an empty step is a mistake"},
		"early":           {header + "- expect: {targets: []}\n", "line 7: scenario \"n\": step 1: nothing has happened yet", "there is nothing to look at"},
		"unknown verb":    {header + "- do: tick\n- do: explode east\n", "line 8: scenario \"n\": step 2: event \"explode east\" is unknown", "no event is guessed (L6)"},
		"no text":         {header + "- do: {taint: east}\n", "line 7: scenario \"n\": step 1: an event is text", "an event is one line"},
		"verb in a list":  {header + "- do:\n  - tick\n  - lose\n", "line 9: scenario \"n\": step 1: event \"lose\" names no cluster", "the line within the list"},
		"cluster":         {header + "- do:\n  - tick\n  - lose north\n", "line 9: scenario \"n\": step 1: there is no cluster \"north\": the world has [east west]", "a typo would never happen"},
		"do and more":     {header + "- do: tick\n  advance: 1s\n", "line 7: scenario \"n\": step 1: do stands alone", "which is first?"},
		"crash of do":     {header + "- do: tick\n  crashBefore: 2\n", "line 8: scenario \"n\": step 1: write the crash behind the event: do: tick !2", "one way to say it"},
		"crash alone":     {header + "- do: tick\n- crashBefore: 2\n", "line 8: scenario \"n\": step 2: nothing happens: write do: nothing !2", "one way to say it"},
		"no such write":   {header + "- advance: 1s\n  crashBefore: 5\n", "line 8: scenario \"n\": step 1: the crash is before a write from 1 to 4", "there are four (F14)"},
		"two times":       {header + "- advance: 1s\n  until: 5s\n", "line 8: scenario \"n\": step 1: use advance or until", "which one counts?"},
		"advance back":    {header + "- advance: -1s\n", "line 7: scenario \"n\": step 1: time goes on, in whole seconds: -1s does not", "time never goes back"},
		"advance a bit":   {header + "- advance: 1500ms\n", "line 7: scenario \"n\": step 1: time goes on, in whole seconds", "stored times are whole seconds (L2)"},
		"no duration":     {header + "- advance: soon\n", "line 7: scenario \"n\": step 1: want a duration, such as 90s or 120h, got \"soon\"", "a duration has a unit"},
		"no unit":         {header + "- advance: 60\n", "line 7: scenario \"n\": step 1: a duration has a unit: write 60s for seconds", "60 what?"},
		"days":            {header + "- do: tick\n- advance: 5d\n", "line 8: scenario \"n\": step 2: want a duration, such as 90s or 120h, got \"5d\"", "days have no fixed length in Go"},
		"no text at all":  {header + "- advance: [1s]\n", "line 7: scenario \"n\": step 1: want a duration, such as 90s or 120h, got a list", "a duration is text"},
		"far too long":    {header + "- advance: 99999999999h\n", "line 7: scenario \"n\": step 1: the story takes longer than 136 years", "no duration holds it"},
		"until too long":  {header + "- until: 99999999999h\n", "line 7: scenario \"n\": step 1: the story takes longer than 136 years", "as above"},
		"huge":            {"name: n\nworld:\n  copies: 99999999999999999999\n", "line 3: scenario \"n\": number 99999999999999999999 is too large: 64 bits hold less", "whatever YAML takes it for"},
		"until when":      {header + "- until: noon\n", "line 7: scenario \"n\": step 1: \"noon\" is neither a duration since the beginning", "an instant is one of two forms"},
		"until a bit":     {header + "- until: 1500ms\n", "line 7: scenario \"n\": step 1: time goes on, in whole seconds", "as above"},
		"time goes back":  {header + "- advance: 10s\n- do: tick\n- until: 10s\n", "line 9: scenario \"n\": step 3: time goes back: it is 2026-01-01T00:00:11Z already, 11s after the beginning", "time never goes back"},
		"a date back":     {header + "- until: 2025-12-31T00:00:00Z\n", "line 7: scenario \"n\": step 1: time goes back", "the beginning is known"},
		"too long":        {header + "- advance: 2000000h\n", "line 7: scenario \"n\": step 1: the story takes longer than 136 years", "no time overflows"},
		"too long again":  {"name: n\nworld:\n  clusters: [east]\n  tolerations: [{operator: Exists, tolerationSeconds: 4000000000}]\nsteps:\n- do: [later, later]\n", "line 6: scenario \"n\": step 1: the story takes longer than 136 years", "nor in little steps"},
		"facts of whom":   {header + "- facts: {north: {unseen: true}}\n", "line 7: scenario \"n\": step 1: there is no cluster \"north\"", "as for events"},
		"status of none":  {header + "- status:\n    east: {}\n", "line 8: scenario \"n\": step 1: there is no copy on east", "who would report it?"},
		"health of none":  {header + "- health: {west: Healthy}\n", "line 7: scenario \"n\": step 1: there is no copy on west", "who would be healthy?"},
		"odd report":      {header + "- do: schedule east\n- status: {east: 7}\n", "line 8: scenario \"n\": step 2: a status is a JSON object", "rules start at an object"},
		"odd edit":        {header + "- edit: {status: []}\n", "line 7: scenario \"n\": step 1: a status is a JSON object", "as for a world"},
		"target":          {header + "- targets:\n  - {name: west}\n  - {name: north}\n", "line 9: scenario \"n\": step 1: there is no cluster \"north\"", "as for events"},
		"target twice":    {header + "- targets: [{name: west}, {name: west}]\n", "line 7: scenario \"n\": step 1: there are two targets \"west\"", "a cluster is a target once"},
		"no targets":      {header + "- targets:\n", "line 7: scenario \"n\": step 1: want a list, got nothing: write [] for none", "none is said, not guessed"},
		"task":            {header + "- tasks: [{fromCluster: north, reason: R, producer: p}]\n", "line 7: scenario \"n\": step 1: there is no cluster \"north\"", "as for events"},
		"request":         {header + "- requests: [{cluster: north, action: Evict}]\n", "line 7: scenario \"n\": step 1: there is no cluster \"north\"", "as for events"},
		"expected":        {header + "- do: tick\n  expect:\n    placements:\n      north: {action: Hold}\n", "line 10: scenario \"n\": step 1: there is no cluster \"north\"", "it would hold for ever"},
		"expected name":   {header + "- do: tick\n  expect: {excluded: [north]}\n", "line 8: scenario \"n\": step 1: there is no cluster \"north\"", "as above"},
		"warning":         {header + "- do: tick\n  expect: {warnings: [{cluster: east}]}\n", "line 8: scenario \"n\": step 1: what is expected has a reason", "any warning would do"},
		"event of whom":   {header + "- do: tick\n  expect: {events: [{cluster: north, reason: Evicted}]}\n", "line 8: scenario \"n\": step 1: there is no cluster \"north\"", "as for events"},
		"next":            {header + "- do: tick\n  expect: {next: 7}\n", "line 8: scenario \"n\": step 1: want text, got a number", "a duration has a unit"},
		"next when":       {header + "- do: tick\n  expect: {next: 500ms}\n", "line 8: scenario \"n\": step 1: \"500ms\" is neither a duration in whole seconds", "checks are whole seconds (L5)"},
		"schedule twice":  {header + "- do: [schedule east, schedule east]\n", "line 7: scenario \"n\": step 1: \"schedule east\" cannot happen: east is a target already", "an event that changes nothing is a mistake"},
		"schedule more":   {header + "- do: [schedule east, schedule west]\n", "\"schedule west\" cannot happen: the scheduler wants 1, and they are [east]", "copies bounds the targets"},
		"unschedule":      {header + "- do: unschedule east\n", "\"unschedule east\" cannot happen: east is no target", "as above"},
		"no copy":         {header + "- do: healthy east\n", "\"healthy east\" cannot happen: there is no copy on east", "as above"},
		"healthy twice":   {header + "- do: [schedule east, healthy east, healthy east]\n", "\"healthy east\" cannot happen: it is so already", "as above"},
		"deleted early":   {header + "- do: [schedule east, deleted east]\n", "the copy on east is not being deleted", "nobody asked for it"},
		"deleted lost":    {header + "- do: [schedule east, lose east, deleted east]\n", "\"deleted east\" cannot happen: east is lost", "nobody would know"},
		"vanish lost":     {header + "- do: [schedule east, lose east, vanish east]\n", "\"vanish east\" cannot happen: east is lost", "wipe is the word"},
		"wipe":            {header + "- do: [schedule east, wipe east]\n", "\"wipe east\" cannot happen: east is not lost, or has no copy", "vanish is the word"},
		"return":          {header + "- do: return east\n", "\"return east\" cannot happen: it is so already", "it was never away"},
		"confirm":         {header + "- do: confirm east\n", "\"confirm east\" cannot happen: no task about east waits for a person", "nothing to confirm"},
		"wait":            {header + "- do: wait\n", "\"wait\" cannot happen: nothing is due later than in a second", "there is no next check"},
		"health":          {header + "- do: schedule east\n- health: {east: unhealthy}\n", "line 8: scenario \"n\": step 2: steps[1].health.east: Unsupported value: \"unhealthy\"", "what is unknown lets nothing happen (L6)"},
		"action":          {header + "- requests:\n  - {cluster: east, action: evict}\n", "line 8: scenario \"n\": step 1: steps[0].requests[0].action: Unsupported value: \"evict\"", "as above"},
		"cause":           {header + "- requests: [{cluster: east, action: Evict, cause: Foo}]\n", "line 7: scenario \"n\": step 1: steps[0].requests[0].cause: Unsupported value: \"Foo\"", "as above"},
		"effect":          {header + "- facts: {east: {taints: [{key: a, effect: noExecute}]}}\n", "line 7: scenario \"n\": step 1: steps[0].facts.east.taints[0].effect: Unsupported value: \"noExecute\"", "as above"},
		"snapshot":        {header + "- facts: {east: {snapshotting: {state: Running}}}\n", "line 7: scenario \"n\": step 1: steps[0].facts.east.snapshotting.state: Unsupported value: \"Running\"", "as above"},
		"mode of a task":  {header + "- tasks: [{fromCluster: east, purgeMode: Directely, reason: R, producer: p}]\n", "line 7: scenario \"n\": step 1: steps[0].tasks[0].purgeMode: Invalid value: \"Directely\"", "what is no mode keeps all (P3)"},
		"grace of a task": {header + "- tasks: [{fromCluster: east, gracePeriodSeconds: -5, reason: R, producer: p}]\n", "steps[0].tasks[0].gracePeriodSeconds: Invalid value: -5: must be positive: only a world that says invalid: true has it", "no time is negative (E5)"},
		"policy":          {"name: n\nworld:\n  clusters: [east]\n  policy:\n    cluster: {purgeMode: Directely}\nsteps: [{do: tick}]\n", "line 5: scenario \"n\": world.policy.cluster.purgeMode: Invalid value: \"Directely\"", "an invalid policy does nothing"},
		"path":            {"name: n\nworld:\n  clusters: [east]\n  policy:\n    cluster:\n      statePreservation:\n        rules:\n        - aliasLabelName: a\n          jsonPath: \"{.job\"\nsteps: [{do: tick}]\n", "line 9: scenario \"n\": world.policy.cluster.statePreservation.rules[0].jsonPath: Invalid value", "it finds nothing"},
		"grace":           {"name: n\nworld:\n  clusters: [east]\n  policy:\n    cluster:\n      gracePeriodSeconds: -5\nsteps: [{do: tick}]\n", "line 6: scenario \"n\": world.policy.cluster.gracePeriodSeconds: Invalid value: -5", "no time is negative (E5)"},
		"edited":          {"name: n\nworld:\n  clusters: [east]\n  edited:\n    cluster: {purgeMode: never}\nsteps: [{do: tick}]\n", "line 5: scenario \"n\": world.edited.cluster.purgeMode: Invalid value: \"never\"", "as above"},
		"habits":          {"name: n\nworld:\n  clusters: [east]\n  host: {clusterPurgeMode: never}\nsteps: [{do: tick}]\n", "line 4: scenario \"n\": world.host.clusterPurgeMode: Invalid value: \"never\"", "as above"},
		"operator":        {"name: n\nworld:\n  clusters: [east]\n  tolerations:\n  - {operator: Exist, key: a}\nsteps: [{do: tick}]\n", "line 5: scenario \"n\": world.tolerations[0].operator: Unsupported value: \"Exist\"", "what is unknown tolerates nothing (F4)"},
		"toleration":      {header + "- edit: {tolerations: [{operator: Exists, effect: NoExecut}]}\n", "line 7: scenario \"n\": step 1: steps[0].edit.tolerations[0].effect: Unsupported value: \"NoExecut\"", "as above"},
		"edit":            {header + "- edit:\n    policy:\n      cluster: {purgeMode: Directely}\n", "line 9: scenario \"n\": step 1: steps[0].edit.policy.cluster.purgeMode: Invalid value: \"Directely\"", "as for a world"},
		"valid again":     {header + "- edit: {invalid: true, policy: {cluster: {purgeMode: Directely}}}\n- edit:\n    invalid: false\n", "line 9: scenario \"n\": step 2: steps[1].edit.policy.cluster.purgeMode: Invalid value: \"Directely\"", "what was put in is still there"},
		"no expectation":  {header + "- do: tick\n  expect: {}\n", "line 8: scenario \"n\": step 1: nothing is expected", "it would always hold"},
		"no words":        {header + "- do: tick\n  expect: {decisions: {east: {}}}\n", "line 8: scenario \"n\": step 1: nothing is expected: leave the name out", "as above"},
		"no purge":        {header + "- do: tick\n  expect:\n    purges:\n      east: {}\n", "line 10: scenario \"n\": step 1: nothing is expected", "as above"},
		"no placement":    {header + "- do: tick\n  expect: {placements: {east: {}}}\n", "line 8: scenario \"n\": step 1: nothing is expected", "as above"},
		"no error":        {header + "- do: tick\n  expect: {errors: {east: \"\"}}\n", "line 8: scenario \"n\": step 1: nothing is expected", "every error has that part"},
		"error of whom":   {header + "- do: tick\n  expect: {errors: {north: a}}\n", "line 8: scenario \"n\": step 1: there is no cluster \"north\"", "as for events"},
		"empty text":      {header + "- do: tick\n  expect: {decisions: {east: {outcome: Wait, reason: \"\"}}}\n", "line 8: scenario \"n\": step 1: nothing is expected", "it would match every reason"},
		"empty next":      {header + "- do: tick\n  expect:\n    next: \"\"\n", "line 9: scenario \"n\": step 1: nothing is expected", "none is the word"},
		"number 0":        {header + "- do: tick\n  expect: {copies: {east: {number: 0}}}\n", "line 8: scenario \"n\": step 1: nothing is expected", "copies count from 1"},
		"no dot":          {header + "- do: tick\n  expect: {received: {east: {fields: {spec.a: null}}}}\n", "line 8: scenario \"n\": step 1: a field has a path with a leading dot: write .spec.a", "no state has such a field"},
		"no such label":   {header + "- do: tick\n  expect:\n    keeps:\n      east: {labels: {example.com/jop: null}}\n", "line 10: scenario \"n\": step 1: no rule of the policy writes the label example.com/jop", "no state has it"},
		"of a task":       {header + "- do: tick\n  expect: {tasks: {east: {state: {annotations: {a: null}}}}, placements: {east: {state: {fields: {.a: null}}}}}\n", "line 8: scenario \"n\": step 1: no rule of the policy writes the annotation a", "as above"},
		"of a placement":  {header + "- do: tick\n  expect: {placements: {east: {state: {fields: {.a: null}}}}}\n", "line 8: scenario \"n\": step 1: no rule of the policy writes the field .a", "as above"},
		"two of a name":   {header + "- do: tick\n---\n" + header + "- do: tick\n", `line 9: scenario "n": there is another scenario of this name`, "a failure must name one"},
		"too deep":        {"name: n\nworld:\n  status: " + strings.Repeat("{a: ", 120) + strings.Repeat("}", 120) + "\n", "line 3: scenario \"n\": it is too large or too deep", "work is bounded (L4)"},
		"too wide":        {"name: n\nworld:\n  status:\n    a: &a [1,1,1,1,1,1,1,1,1,1]\n    b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n    c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n    d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n    e: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n", "it is too large or too deep", "aliases count each time"},
		"too big":         {strings.Repeat("# much\n", 1<<18), "the file holds more than 1048576 bytes", "work is bounded (L4)"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenarios, err := failovertest.ReadScenarios([]byte(tc.text))
			if err == nil {
				_, err = scenarios[0].Run()
			}
			if bad := (*failovertest.ScenarioError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nwant %s\ngot  %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestWrongInGo names the step of a scenario in Go, which has no lines.
func TestWrongInGo(t *testing.T) {
	t.Parallel()
	scenario := func(steps ...failovertest.ScenarioStep) failovertest.Scenario {
		return failovertest.Scenario{Name: "n", World: failovertest.World{Clusters: []string{"east"}}, Steps: steps}
	}
	tests := map[string]struct {
		scenario failovertest.Scenario
		want     string
	}{
		"unknown verb": {
			scenario(failovertest.ScenarioStep{Do: []failovertest.Step{{Event: failovertest.Event{Verb: "explode", Cluster: "east"}}}}),
			`scenario "n": step 1: event "explode east" is unknown`,
		},
		"time": {
			scenario(
				failovertest.ScenarioStep{Advance: &metav1.Duration{Duration: time.Minute}},
				failovertest.ScenarioStep{Until: "30s"},
			),
			`scenario "n": step 2: time goes back`,
		},
		"expectation": {
			scenario(failovertest.ScenarioStep{
				Targets: []eviction.TargetCluster{{Name: "east"}}, Expect: &failovertest.Expectation{Targets: []string{}},
			}),
			`scenario "n": step 1: targets: want [], got [east]`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story, err := tc.scenario.Run()
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("want %s, got %v", tc.want, err)
			}
			if inner := errors.Unwrap(err); inner == nil || !strings.HasSuffix(err.Error(), ": "+inner.Error()) {
				t.Errorf("%v does not unwrap to what is wrong: %v", err, inner)
			}
			if n := len(story.Moments); n > 0 && story.Moments[n-1].Failure == "" {
				t.Error("the story does not say what failed")
			}
		})
	}
}

// TestFailedExpectations has one wrong expectation of each kind.
func TestFailedExpectations(t *testing.T) {
	t.Parallel()
	const before = `name: n
world:
  clusters: [east, west, north]
  status: {job: "j$n", path: "p/$n"}
  template: {apiVersion: example.com/v1, kind: App, metadata: {name: app}, spec: {path: none}}
  policy:
    application:
      purgeMode: Directly
      statePreservation:
        rules:
        - {aliasLabelName: example.com/job, jsonPath: "{.job}"}
        - {aliasLabelName: example.com/note, jsonPath: "{.job}", target: Annotation}
        - {jsonPath: "{.path}", target: Field, fieldPath: .spec.path}
        - {aliasLabelName: example.com/x, jsonPath: "{.x}", policy: Optional}
        - {jsonPath: "{.x}", target: Field, fieldPath: .spec.x, policy: Optional}
steps:
- do: [schedule east, healthy east, tick, evict east]
  expect: `
	tests := map[string]string{
		"{targets: [west]}":                                                       "line 18: scenario \"n\": step 1: targets: want [west], got []",
		"{excluded: []}":                                                          "excluded: want [], got [east]",
		"{tasks: {}}":                                                             "tasks: want none, got one about east",
		"{tasks: {east: null}}":                                                   "tasks.east: want none, got one",
		"{tasks: {west: {}}}":                                                     "tasks.west: there is none",
		"{tasks: {east: {mode: Never}}}":                                          "tasks.east.mode: want Never, got Directly",
		"{tasks: {east: {reason: Down}}}":                                         "tasks.east.reason: want Down, got PlannedMove",
		"{tasks: {east: {producer: me}}}":                                         "tasks.east.producer: want me, got failovertest",
		"{tasks: {east: {before: []}}}":                                           "tasks.east.before: want [], got [east]",
		"{tasks: {east: {replicas: 0}}}":                                          "tasks.east.replicas: want 0, got nothing",
		"{tasks: {east: {suppressDeletion: false}}}":                              "tasks.east.suppressDeletion: want false, got nothing",
		"{tasks: {east: {gracePeriodSeconds: 1}}}":                                "tasks.east.gracePeriodSeconds: want 1, got nothing",
		"{tasks: {east: {state: {}}}}":                                            "tasks.east.state: want no state, got",
		"{tasks: {east: {state: {labels: {example.com/job: j7}}}}}":               `tasks.east.state.labels.example.com/job: want "j7", got "j1"`,
		"{tasks: {east: {state: {labels: {example.com/job: null}}}}}":             `want none, got "j1"`,
		"{tasks: {east: {state: {labels: {example.com/x: x}}}}}":                  `labels.example.com/x: want "x", got nothing`,
		"{tasks: {east: {state: {annotations: {example.com/note: x}}}}}":          `annotations.example.com/note: want "x", got "j1"`,
		"{tasks: {east: {state: {fields: {.spec.path: p/7}}}}}":                   `fields..spec.path: want "p/7", got "p/1"`,
		"{tasks: {east: {state: {fields: {.spec.path: null}}}}}":                  `fields..spec.path: want none, got "p/1"`,
		"{tasks: {east: {state: {fields: {.spec.x: 1}}}}}":                        `fields..spec.x: want 1, got nothing`,
		"{decisions: {east: {outcome: Wait}}}":                                    "decisions.east.outcome: want Wait, got Evict",
		"{decisions: {east: {reason: Any, cause: Cluster}}}":                      "decisions.east.reason: want Any, got PlannedMove\ndecisions.east.cause: want Cluster, got Planned",
		"{decisions: {west: {outcome: Wait}}}":                                    "decisions.west: there is none",
		"{purges: {east: {outcome: Keep, old: Keep, new: Create, reason: Gone}}}": "purges.east.outcome: want Keep, got Purge\npurges.east.reason: want Gone, got AwaitingOldCopyGone\npurges.east.old: want Keep, got Delete\npurges.east.new: want Create, got Hold",
		"{placements: {east: {action: Apply}}}":                                   "placements.east: there is none",
		"{warnings: [{reason: Any}]}":                                             "warnings[0]: want { Any}, got [",
		"{errors: {east: MissingState}}":                                          "errors.east: there is none",
		"{events: []}":                                                            "events: want none, got [{east",
		"{events: [{cluster: west, reason: Evicted}]}":                            "events[0]: want {west Evicted}, got [{east",
		"{copies: {east: null}}":                                                  "copies.east: want none, got one",
		"{copies: {west: {}}}":                                                    "copies.west: there is none",
		"{copies: {east: {number: 2, health: Unknown, deleting: false}}}":         "copies.east.number: want 2, got 1\ncopies.east.health: want Unknown, got Healthy\ncopies.east.deleting: want false, got true",
		"{received: {east: {labels: {example.com/job: j1}}}}":                     `received.east.labels.example.com/job: want "j1", got nothing`,
		"{keeps: {east: {labels: {example.com/job: j1}}}}":                        `keeps.east.labels.example.com/job: want "j1", got nothing`,
		"{next: 599s}": "next: want 9m59s, got none",
	}
	for expect, want := range tests {
		t.Run(expect, func(t *testing.T) {
			t.Parallel()
			scenarios, err := failovertest.ReadScenarios([]byte(before + expect + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err = scenarios[0].Run(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %s\ngot  %v", want, err)
			}
		})
	}
	t.Run("placement", func(t *testing.T) {
		t.Parallel()
		scenarios, err := failovertest.ReadScenarios([]byte(before +
			"{targets: []}\n- do: [schedule west, deleted east]\n  expect: {placements: {west: {action: Hold, reason: NoState, origin: west, state: {}}}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = scenarios[0].Run()
		for _, want := range []string{
			"line 20", "placements.west.action: want Hold, got Apply", "placements.west.reason: want NoState, got Injected",
			"placements.west.origin: want west, got east", "placements.west.state: want no state",
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %s\ngot  %v", want, err)
			}
		}
	})
}

// failing records what a test would say.
type failing struct {
	testing.TB
	said string
}

func (*failing) Helper()                             {}
func (f *failing) Errorf(format string, args ...any) { f.said += fmt.Sprintf(format, args...) }

// TestCheck prints the picture of the story up to the step that failed, and no further.
func TestCheck(t *testing.T) {
	t.Parallel()
	scenarios, err := failovertest.ReadScenarios([]byte(header + "- do: [schedule east, healthy east, tick, taint east]\n  expect: {tasks: {}}\n- do: later\n"))
	if err != nil {
		t.Fatal(err)
	}
	f := &failing{TB: t}
	failovertest.Check(f, scenarios[0])
	for _, want := range []string{
		`line 8: scenario "n": step 1: tasks: want none, got one about east`, "00:00:01 taint east ---", "Evict: TaintUntolerated",
		"FAILED: tasks: want none, got one about east", "x> being deleted", "tainted",
	} {
		if !strings.Contains(f.said, want) {
			t.Errorf("want %q in\n%s", want, f.said)
		}
	}
	if strings.Contains(f.said, "later") {
		t.Errorf("the story goes on:\n%s", f.said)
	}
}

func TestReadFiles(t *testing.T) {
	t.Parallel()
	if _, err := failovertest.ReadFiles(); err == nil || !strings.Contains(err.Error(), "no pattern") {
		t.Errorf("want an error without a pattern, got %v", err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.yaml", header+"- do: tick\n")
	write("b.yaml", header+"- do: tick\n")
	write("c.yaml", header+"- do: explode\n")
	if err := os.Mkdir(filepath.Join(dir, "d.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ pattern, want string }{
		"two of a name": {"[ab].yaml", `b.yaml: line 1: scenario "n": there is another scenario of this name in ` + filepath.Join(dir, "a.yaml")},
		"wrong":         {"c.yaml", `c.yaml: line 7: scenario "n": step 1: event "explode" is unknown`},
		"none":          {"x*.yaml", "no file matches"},
		"bad pattern":   {"[", "syntax error in pattern"},
		"no file":       {"d.yaml", "is a directory"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := failovertest.ReadFiles(filepath.Join(dir, tc.pattern)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("want %s, got %v", tc.want, err)
			}
		})
	}
}
