package compare_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	"github.com/karmada-io/karmada/pkg/util/helper"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/carryover-io/carryover/preservation"
)

const alias = "example.com/v"

// extraction is what both made of one rule and one status.
type extraction struct {
	template, status string
	theirs           string
	theirErr         error
	ours             string
	refused          error // by validation
	ourErr           error
}

var errPanicked = errors.New("it panics")

func karmadaRules(paths ...string) *policyv1alpha1.StatePreservation {
	rules := &policyv1alpha1.StatePreservation{}
	for i, path := range paths {
		rules.Rules = append(rules.Rules, policyv1alpha1.StatePreservationRule{AliasLabelName: label(i), JSONPath: path})
	}
	return rules
}

func label(i int) string {
	if i == 0 {
		return alias
	}
	return alias + strconv.Itoa(i)
}

// theirValue is Karmada's, with a panic as an error.
func theirValue(template, status string) (value string, err error) {
	defer func() {
		if recover() != nil {
			err = errPanicked
		}
	}()
	state, err := helper.BuildPreservedLabelState(karmadaRules(template), []byte(status))
	return state[alias], err
}

func extractBoth(template, status string) extraction {
	e := extraction{template: template, status: status}
	e.theirs, e.theirErr = theirValue(template, status)
	x, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{{AliasLabelName: alias, JSONPath: template}}}, preservation.Protection{})
	if err != nil {
		e.refused = err
		return e
	}
	out, err := x.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(status))})
	e.ours, e.ourErr = out.State.Labels[alias], err
	return e
}

func (e extraction) differs() bool {
	weFail, theyFail := e.refused != nil || e.ourErr != nil, e.theirErr != nil
	return errors.Is(e.theirErr, errPanicked) || weFail != theyFail || !weFail && e.ours != e.theirs
}

// class says that they have a value and we an error of that class.
func class(c preservation.Class, and func(extraction) bool) func(extraction) bool {
	return func(e extraction) bool {
		return e.theirErr == nil && errors.Is(e.ourErr, c) && and(e)
	}
}

func always(extraction) bool { return true }

var extractionDifferences = []difference[extraction]{
	{
		"what panics there", "L4", "no data makes anything panic",
		func(e extraction) bool { return errors.Is(e.theirErr, errPanicked) },
	},
	{
		"a template without a path is refused", "S7", "its text would be a legal label with the wrong content",
		func(e extraction) bool { return e.refused != nil && !strings.ContainsAny(e.template, ".@$*[") },
	},
	{
		"a template that is read in another way than written is refused", "S1", "what cannot mean what it says is told on day one",
		func(e extraction) bool { return e.refused != nil },
	},
	{
		"a constant reads no status", "S7", "there it needs one that it does not look at",
		func(e extraction) bool { return e.theirErr != nil && e.template == `{"x"}` },
	},
	{
		"a status that was not collected", "S9", "it may come, so that this and nothing else is worth a retry",
		class(preservation.StatusNotCollected, always),
	},
	{
		"a status that is no object", "S12", "no path of a rule can lead there",
		class(preservation.BadStatus, always),
	},
	{
		"an operand that fails does not exist", "S4", "there an index past the end counts as true",
		class(preservation.MissingKey, func(e extraction) bool { return strings.Contains(e.template, "?(@[5])") }),
	},
	{
		"what is not there is missing", "S4", "a job must not start from the word null, nor from nothing",
		class(preservation.MissingKey, func(e extraction) bool {
			return e.theirs == "" || holdsNothing(e.status) || e.template == "{range .a[*]}x{end}"
		}),
	},
	{
		"several hits are an error", "S5", "they are joined by a blank there, which no label holds",
		class(preservation.MultipleValues, func(e extraction) bool { return strings.Contains(e.theirs, " ") }),
	},
	{
		"an empty list does not hide the hits after it", "S5", "there they are lost without notice",
		func(e extraction) bool {
			return e.theirErr == nil && strings.Contains(e.status, "[]") && strings.Contains(e.template, "[*]")
		},
	},
	{
		"an object or a list is no label", "S6", "their JSON is not legal",
		class(preservation.NotScalar, func(e extraction) bool { return strings.ContainsAny(e.theirs, "{[") }),
	},
	{
		"what is not legal is an error before anything is evicted", "S8", "the API server of the next cluster would refuse the manifest for ever",
		class(preservation.InvalidValue, func(e extraction) bool { return len(validation.IsValidLabelValue(e.theirs)) > 0 }),
	},
	{
		"a number that a float cannot hold spoils nothing else", "S3", "there it fails the whole status",
		func(e extraction) bool {
			return e.theirErr != nil && strings.Contains(e.theirErr.Error(), "cannot unmarshal number")
		},
	},
	{
		"a filter compares numbers by their value", "S3", "there whole numbers and floats cannot be compared",
		func(e extraction) bool {
			return e.theirErr != nil && strings.Contains(e.theirErr.Error(), "incompatible types")
		},
	},
	{
		"a filter passes over null and what has no operand", "S4", "there it fails",
		func(e extraction) bool {
			return e.theirErr != nil && e.ourErr == nil && strings.Contains(e.template, "?(")
		},
	},
	{
		"lists that are too short are passed over", "S4", "one that is long enough has the value",
		func(e extraction) bool {
			return e.theirErr != nil && e.ourErr == nil && strings.Contains(e.theirErr.Error(), "out of bounds")
		},
	},
	{
		"numbers keep their digits", "S3", "there they are floats: digits are lost, and the plus of an exponent is not legal",
		func(e extraction) bool { return e.theirErr == nil && e.ourErr == nil && holdsNoFloat(e.status) },
	},
	{
		"values of an object come in the order of its keys", "S2", "there the order is random",
		func(e extraction) bool {
			return e.theirErr == nil && (strings.Contains(e.template, "*") || strings.Contains(e.template, ".."))
		},
	},
}

// holdsNothing says that a status holds an empty value.
func holdsNothing(status string) bool {
	return strings.Contains(status, "null") || strings.Contains(status, `""`) || strings.Contains(status, "[]")
}

var number = regexp.MustCompile(`-?[0-9][-+0-9.eE]*`)

// holdsNoFloat says that a number of the status is not written as its float is.
func holdsNoFloat(status string) bool {
	return slices.ContainsFunc(number.FindAllString(status, -1), func(text string) bool {
		float, err := strconv.ParseFloat(text, 64)
		return err == nil && fmt.Sprint(float) != text
	})
}

var templates = []string{
	"{.a}", "{.a.b}", "{.a.b.c}", "{.b}", "{.c}", "{.a[0]}", "{.a[-1]}", "{.a[1:]}", "{.a[0:2]}", "{.a[*]}", "{.a[*].b}", "{.a[*].c}", "{.b[*][1]}",
	"{.a[?(@.b>1)].b}", "{.a[?(@.b==2)].c}", `{.a[?(@.b=="x")].c}`, "{.a[?(@.c)].b}", "{.a['b','c']}", "{.*}", "{.a.*}", "{..b}", "{..}", "{.a..c}",
	"{range .a[*]}{.b}{end}", "{range .a[*]}x{end}", "{range .b[*]}{@}-{end}", "x{.a}", "{.a}{.b}", "{.a}-{.a.b}", "{.A}", `{.a\.b}`, "{['a']}", "{@.a}", "{$.a}",
	"a", "", "{}", `{"x"}`, "{a}", "{.a", "{.a}}", "{true}", "{1}", "{.a[?(@.b=~1)]}", "{.a[?(@.b>1 && @.c)]}", "{.a['b}{c']}", "{end}", "{.a[0", "{[0]}",
	"{range .a[*]}{[0]}{end}", "{.a[?(@[5])].b}", "{.a[5]}", "{.status.a}",
}

var statuses = []string{
	`{"a":"x"}`, `{"a":1}`, `{"a":1753939200000}`, `{"a":9007199254740993}`, `{"a":1.50,"b":1e21}`, `{"a":true,"b":false}`, `{"a":null}`, `{"a":""}`, `{"a":[]}`, `{"a":{}}`,
	`{"a":{"b":"x","c":"y"}}`, `{"a":{"b":{"c":"z"}}}`, `{"a":["x"]}`, `{"a":["x","y"]}`, `{"a":["x",null]}`, `{"a":[{"b":1,"c":"one"},{"b":2,"c":"two"}]}`,
	`{"a":[{"b":"x","c":"y"},{"b":""}]}`, `{"a":[{"b":1.5},{"c":"x"}]}`, `{"a":[null,{"b":2}]}`, `{"b":[[1],[2,3]]}`, `{"b":[[],["x"]]}`, `{"b":["x","",null]}`,
	`{"a":"s3p://b/p"}`, `{"a":"-x"}`, `{"a":"` + strings.Repeat("x", 64) + `"}`, `{"a":"\u00e9"}`, "{\"a\":\"\xff\"}", `{"a.b":"x","A":"y"}`, `{"a":1e400}`, `{"a":1e308}`,
	`{"a":1,"b":1e400}`, `{"a":"x","a":"y"}`, `{"a":0}`, `{"a":-0}`, `{"a":1e-7}`, `{"a":[{"b":null}]}`, `null`, ``, ` `, `[]`, `["x"]`, `"x"`, `1`, `{`, `{"a":"x"}}`, `{"a":"x"} {}`,
	`{"a":[{"b":[],"c":1},{"b":["x"]}]}`, `{"a":[[],["x"]]}`, `{"a":{"b":[1,2]}}`, `{}`, `{"a":1.0}`,
}

// TestExtraction compares every template with every status, and with random ones.
func TestExtraction(t *testing.T) {
	t.Parallel()
	e := explain(extractionDifferences)
	random := rand.New(rand.NewPCG(1, 2))
	all := statuses
	for range 150 {
		text, err := json.Marshal(randomValue(random, 4, true))
		require.NoError(t, err)
		all = append(all, string(text))
	}
	for _, template := range templates {
		for _, status := range all {
			outcome := extractBoth(template, status)
			e.check(t, outcome.differs(), outcome)
		}
	}
	e.done(t)
}

func randomValue(random *rand.Rand, depth int, object bool) any {
	switch kind := random.IntN(5); {
	case object || kind < 2 && depth > 0:
		out := map[string]any{}
		for _, key := range []string{"a", "b", "c"} {
			if random.IntN(3) > 0 {
				out[key] = randomValue(random, depth-1, false)
			}
		}
		return out
	case kind < 4 && depth > 0:
		out := []any{}
		for range random.IntN(4) {
			out = append(out, randomValue(random, depth-1, false))
		}
		return out
	}
	return []any{nil, "", "x", "y", 1, 2, 1.5, true, json.Number("12345678901234567890")}[random.IntN(9)]
}

// TestExtractionOfSeveralRules: where all rules find a legal value, both have the same
// labels. Where one does not, they lose all (S10).
func TestExtractionOfSeveralRules(t *testing.T) {
	t.Parallel()
	status := string(flinkStatus(3))
	paths := []string{"{.jobStatus.jobId}", "{.observedGeneration}", `{.conditions[?(@.type=="Running")].reason}`, "{.jobStatus.jobID}"}
	for n := 1; n <= len(paths); n++ {
		theirs, theirErr := helper.BuildPreservedLabelState(karmadaRules(paths[:n]...), []byte(status))
		var rules []preservation.Rule
		for i, path := range paths[:n] {
			rules = append(rules, preservation.Rule{AliasLabelName: label(i), JSONPath: path})
		}
		x, err := preservation.Compile(preservation.StatePreservation{Rules: rules}, preservation.Protection{})
		require.NoError(t, err)
		out, ourErr := x.Extract(preservation.Sources{Status: preservation.RawDocument([]byte(status))})
		if (theirErr == nil) != (ourErr == nil) {
			t.Errorf("%d rules: %v, %v", n, theirErr, ourErr)
		}
		if theirErr == nil && jsonOf(t, theirs) != jsonOf(t, out.State.Labels) {
			t.Errorf("%d rules: %v instead of %v", n, out.State.Labels, theirs)
		}
		if theirErr != nil && (len(theirs) != 0 || len(out.State.Labels) != n-1) {
			t.Errorf("%d rules: they have %v, we have %v", n, theirs, out.State.Labels)
		}
	}
}

// flinkStatus is the status of a FlinkDeployment, 1.2 KB of it, with a list of that
// many checkpoints besides.
func flinkStatus(checkpoints int) []byte {
	history := make([]string, checkpoints)
	for i := range history {
		history[i] = fmt.Sprintf(`{"id":%d,"path":"s3p://bucket/checkpoints/e6fd1d0c/chk-%d","size":"%d","trigger":"PERIODIC","restored":false}`, i, i, 48213904+i)
	}
	return []byte(`{"clusterInfo":{"flink-revision":"a1b2c3d @ 2025-06-02T08:11:24+02:00","flink-version":"1.20.1","state-size":"48213904","total-cpu":"3.0","total-memory":"6442450944"},` +
		`"conditions":[{"lastTransitionTime":"2025-07-31T08:00:04Z","message":"JobManager is running and ready to receive REST API calls","reason":"Ready","status":"True","type":"Running"},` +
		`{"lastTransitionTime":"2025-07-31T08:00:04Z","message":"","reason":"","status":"False","type":"Suspended"}],` +
		`"jobManagerDeploymentStatus":"READY","jobStatus":{"checkpointInfo":{"formatType":"FULL","lastCheckpoint":{"formatType":"FULL","timeStamp":1753948861123,"triggerNonce":17,"triggerType":"PERIODIC"},` +
		`"lastPeriodicCheckpointTimestamp":1753948861123},"jobId":"e6fd1d0c2b9a4f7c8d3e5a6b7c8d9e0f","jobName":"orders-enrichment","startTime":"1753948804000","state":"RUNNING","updateTime":"1753948863000",` +
		`"upgradeSavepointPath":"s3p://bucket/savepoints/savepoint-e6fd1d-0a1b2c3d4e5f"},"lifecycleState":"STABLE","observedGeneration":7,` +
		`"reconciliationStatus":{"lastReconciledSpec":"{\"spec\":{\"job\":{\"parallelism\":4,\"state\":\"running\"}}}","reconciliationTimestamp":1753948800000,"state":"DEPLOYED"},` +
		`"taskManager":{"labelSelector":"component=taskmanager,app=orders-enrichment","replicas":2},"history":[` + strings.Join(history, ",") + `]}`)
}
