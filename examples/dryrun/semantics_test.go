package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/failover"
)

// planOf is the JSON of a case, decoded.
func planOf(t *testing.T, c testCase) plan {
	t.Helper()
	return decodePlan(t, c.invoke(t, "json"))
}

func decodePlan(t *testing.T, got outcome) plan {
	t.Helper()
	require.NotEmpty(t, got.stdout, got.stderr)
	decoder := json.NewDecoder(bytes.NewReader([]byte(got.stdout)))
	decoder.UseNumber()
	var p plan
	require.NoError(t, decoder.Decode(&p))
	return p
}

// facts are what the contract promises about one case, in words short enough to
// compare: the goldens show the rest.
type facts struct {
	decisions  []string // cluster outcome reason
	purges     []string // cluster legacy replacement done reason
	injections []string // cluster action injected reason keys
	errors     []string // cluster rule class
	warnings   []string // reason
}

func factsOf(p plan) facts {
	var f facts
	yes := func(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }
	for _, d := range p.Decisions {
		f.decisions = append(f.decisions, strings.Join([]string{d.Cluster, d.Outcome, d.Reason}, " "))
	}
	for _, o := range p.Purges {
		f.purges = append(f.purges, strings.Join([]string{o.Cluster, string(o.Legacy), string(o.Replacement), yes(o.Done), string(o.Reason)}, " "))
	}
	for _, i := range p.Injections {
		words := []string{i.Cluster, i.Action, yes(i.Injected), i.Reason}
		for _, w := range i.Written {
			words = append(words, w.Key+"="+yes(w.Replaced))
		}
		f.injections = append(f.injections, strings.Join(words, " "))
	}
	for _, e := range p.Errors {
		rule := "-"
		if e.Rule != nil {
			rule = string(rune('0' + *e.Rule))
		}
		f.errors = append(f.errors, strings.TrimSpace(strings.Join([]string{e.Cluster, rule, e.Class}, " ")))
	}
	for _, w := range p.Warnings {
		f.warnings = append(f.warnings, w.Reason)
	}
	return f
}

const (
	evictEast    = "east Evict ApplicationFailure"
	blockEast    = "east Blocked MissingState"
	eastWaits    = "east Delete Hold no OldCopyUnreachable"
	eastGone     = "east Delete Create no AwaitingReplacementHealthy"
	westHeld     = "west Hold no OldCopyNotGone"
	eastAsIs     = "east Apply no NoState"
	notPlaced    = "NotPlaced" // what --to names, where nothing may leave
	westInjected = "west Apply yes Injected orders.example.com/checkpoint-time=no orders.example.com/job-id=yes"
)

var wantFacts = map[string]facts{
	"directly-unknown": {decisions: []string{evictEast}, purges: []string{eastWaits}, injections: []string{westHeld}},
	"directly-present": {
		decisions: []string{evictEast}, purges: []string{"east Delete Hold no AwaitingOldCopyGone"}, injections: []string{westHeld},
	},
	"directly-gone":   {decisions: []string{evictEast}, purges: []string{eastGone}, injections: []string{westInjected}},
	"directly-fenced": {decisions: []string{evictEast}, purges: []string{"east Delete Create no Fenced"}, injections: []string{westInjected}},
	"list":            {decisions: []string{evictEast}, purges: []string{eastGone}, injections: []string{westInjected}},
	"directly-no-target": {
		decisions: []string{"east Evict PlannedMove"}, purges: []string{eastWaits},
	},
	"directly-no-manifest": {
		decisions: []string{evictEast}, purges: []string{eastGone},
		injections: []string{"west Hold no NoManifest"}, warnings: []string{"NoManifest"},
	},
	"gracefully": {
		decisions: []string{evictEast}, purges: []string{"east Keep Create no ReplacementNotApplied"},
		injections: []string{"west Apply no ModeNotDirectly"}, warnings: []string{"NeverInjected"},
	},
	"never": {
		decisions: []string{evictEast}, purges: []string{"east Keep Create no Suppressed"}, injections: []string{eastless},
	},
	"old-mode-policy": {
		decisions: []string{evictEast}, purges: []string{eastWaits}, injections: []string{westHeld}, warnings: []string{"OldModeName"},
	},
	"old-mode-tasks": {
		decisions:  []string{"east AlreadyEvicting UnderEviction", "north None HealthUnknown", "west AlreadyEvicting UnderEviction"},
		purges:     []string{eastWaits, "west Keep Create no ReplacementNotApplied"},
		injections: []string{"north Hold no OldCopyNotGone"}, warnings: []string{"OldModeName", "OldModeName"},
	},
	"second-failover": {
		decisions:  []string{"east AlreadyEvicting UnderEviction", "west Evict ApplicationFailure"},
		purges:     []string{eastGone, "west Delete Hold no AwaitingOldCopyGone"},
		injections: []string{"north Hold no OldCopyNotGone"}, warnings: []string{"SourceNotAsked"},
	},
	"second-failover-gone": {
		decisions:  []string{"east AlreadyEvicting UnderEviction", "west Evict ApplicationFailure"},
		purges:     []string{eastGone, "west Delete Create no AwaitingReplacementHealthy"},
		injections: []string{strings.Replace(westInjected, "west", "north", 1)}, warnings: []string{"SourceNotAsked"},
	},
	"two-new-targets": {
		decisions: []string{evictEast}, purges: []string{eastGone},
		injections: []string{"north Hold no SeveralTargets", "west Hold no SeveralTargets"}, warnings: []string{"PartialMove"},
	},
	"both-running": {
		decisions: []string{evictEast, "west None NotRequested"}, purges: []string{eastGone},
		injections: []string{"west Apply no AlreadyRunning"},
	},
	"missing-status": {
		decisions: []string{blockEast}, injections: []string{eastAsIs}, warnings: []string{notPlaced},
		errors: []string{"east 0 StatusNotCollected", "east 1 StatusNotCollected"},
	},
	"missing-key": {
		decisions: []string{blockEast}, injections: []string{eastAsIs}, warnings: []string{notPlaced},
		errors: []string{"east 0 MissingKey"},
	},
	"illegal-value": {
		decisions: []string{blockEast}, injections: []string{eastAsIs}, warnings: []string{notPlaced},
		errors: []string{"east 2 InvalidValue"},
	},
	"numeric-label": {
		decisions:  []string{"east Blocked InjectionRefused"},
		injections: []string{eastAsIs}, errors: []string{"east - BadManifest"}, warnings: []string{notPlaced},
	},
	"metadata-null": {
		decisions:  []string{"east Blocked InjectionRefused"},
		injections: []string{eastAsIs}, errors: []string{"east - BadManifest"}, warnings: []string{notPlaced},
	},
	"required-by": {
		decisions: []string{evictEast}, purges: []string{"east Keep Create no RequiredByOthers"}, injections: []string{"west Apply no OldCopyNotGone"},
	},
	"expired-no-replacement": {
		decisions: []string{"east AlreadyEvicting UnderEviction"}, purges: []string{"east Keep Create no ExpiredNoReplacement"},
	},
	"expired-source-healthy": {
		decisions: []string{"east AlreadyEvicting UnderEviction", "west Wait BelowToleration"},
		purges:    []string{"east Keep Create no ExpiredSourceHealthy"}, injections: []string{eastless},
	},
	"cluster-cause": {
		decisions: []string{"east Evict TaintUntolerated"}, purges: []string{eastGone}, injections: []string{eastless},
		warnings: []string{"RulesOnlyUnderApplication", "RulesOnlyUnderApplication"},
	},
	"directly-eleven-minutes": {
		decisions: []string{"east AlreadyEvicting UnderEviction", "west None HealthUnknown"},
		purges:    []string{eastWaits}, injections: []string{westHeld},
	},
	"invalid-policy": {
		decisions: []string{"east AlreadyEvicting UnderEviction", "west Blocked InvalidPolicy"}, purges: []string{eastWaits},
		injections: []string{"west Apply no OldCopyNotGone"},
		errors: []string{
			"- FieldValueInvalid", "- FieldValueInvalid", "0 FieldValueInvalid", "1 FieldValueForbidden",
			"2 UnknownField", "3 FieldValueDuplicate",
		},
		warnings: []string{"UnknownField"},
	},
	"field":              moved("west Apply yes Injected .spec.job.initialSavepointPath=yes"),
	"field-no-job":       refused("east 0 MissingParent"),
	"field-replace":      moved("west Apply yes Injected .spec.job.initialSavepointPath=yes"),
	"field-keep":         moved("west Apply yes Injected orders.example.com/job-id=no", "Kept"),
	"field-keep-all":     moved("west Apply no Kept", "Kept"),
	"field-fail":         refused("east 0 Conflict"),
	"field-number":       moved("west Apply yes Injected .spec.job.checkpoint=yes"),
	"field-number-text":  refused("east 0 TypeMismatch"),
	"annotation":         moved("west Apply yes Injected orders.example.com/checkpoint=no orders.example.com/savepoint=no"),
	"annotation-numeric": refused("east - BadManifest"),
	"from-object":        moved("west Apply yes Injected orders.example.com/job-id=yes orders.example.com/namespace=no orders.example.com/parallelism=no"),
	"from-object-none":   missing(nil, "east 0 MissingKey", "east 1 MissingKey", "east 2 MissingKey"),
	"from-failover": moved("west Apply yes Injected orders.example.com/cause=no orders.example.com/origin=no orders.example.com/time=no",
		"StateIncomplete"),
	"from-document":          moved("west Apply yes Injected .spec.job.initialSavepointPath=yes orders.example.com/default=no orders.example.com/state=no"),
	"from-document-missing":  missing([]string{"StateIncomplete"}, "east 2 MissingKey"),
	"from-document-optional": moved("west Apply yes Injected orders.example.com/default=no", "StateIncomplete"),
	"from-document-unused":   moved(westInjected, "UnusedDocument"),
	"placeholder":            missing(nil, "east 0 MissingKey"),
	"pod-template":           refused("east 0 Refused"),
	"state-stored": waiting("west", "None HealthUnknown",
		"Apply yes Injected orders.example.com/savepoint=no .spec.job.initialSavepointPath=yes orders.example.com/job-id=yes"),
	"state-stale":      waiting("west", "None HealthUnknown", "Apply yes Injected orders.example.com/job-id=yes", "StateWithoutTask"),
	"state-inside":     waiting("west", "None HealthUnknown", "Apply yes Injected .spec.job.initialSavepointPath=yes"),
	"state-unreadable": unreadable(),
	"older-life-directly": {
		decisions: []string{evictEast}, purges: []string{eastWaits}, injections: []string{westHeld}, warnings: []string{"ItemIgnored"},
	},
	"older-life-directly-gone": moved(westInjected, "ItemIgnored"),
	"older-life-gracefully": {
		decisions: []string{evictEast}, purges: []string{"east Keep Create no ReplacementNotApplied"},
		injections: []string{"west Apply no ModeNotDirectly"}, warnings: []string{"NeverInjected", "ItemIgnored"},
	},
	"older-life-never": {
		decisions: []string{evictEast}, purges: []string{"east Keep Create no Suppressed"}, injections: []string{eastless},
		warnings: []string{"ItemIgnored"},
	},
	"required-target": moved("west Apply no AlreadyRunning"),
	"state-left-out": {
		decisions:  []string{"east AlreadyEvicting UnderEviction", "north None HealthUnknown", "west AlreadyEvicting UnderEviction"},
		purges:     []string{eastGone, "west Delete Create no AwaitingReplacementHealthy"},
		injections: []string{strings.Replace(westInjected, "west", "north", 1)}, warnings: []string{"SourceNotAsked"},
	},
	"health-wait": {decisions: []string{"east Wait BelowToleration"}, injections: []string{eastAsIs}},
	"health-over": {
		decisions: []string{evictEast}, purges: []string{"east Delete Create yes OldCopyGone"}, injections: []string{westInjected},
	},
	"taint-wait":    {decisions: []string{"east Wait TaintToleratedUntil"}, injections: []string{eastAsIs}},
	"taint-forever": {decisions: []string{"east Tolerate TaintTolerated"}, injections: []string{eastAsIs}},
	"taint-untolerated": {
		decisions: []string{"east Evict TaintUntolerated"}, purges: []string{eastWaits}, injections: []string{westHeld},
		warnings: []string{"UnusedCluster"},
	},
	"kubectl-wait": {
		decisions: []string{"member1 Wait TaintToleratedUntil"}, injections: []string{"member1 Apply no NoState"},
		warnings: []string{"UnusedCluster", "UnusedCluster"},
	},
	"kubectl-leave": {
		decisions: []string{"member1 Evict TaintUntolerated"}, purges: []string{"member1 Delete Hold no OldCopyUnreachable"},
		injections: []string{"member2 Hold no OldCopyNotGone"}, warnings: []string{"UnusedCluster"},
	},
	"kubectl-fenced": {
		decisions: []string{"member1 Evict TaintUntolerated"}, purges: []string{"member1 Delete Create no Fenced"},
		injections: []string{"member2 Apply yes Injected resourcebinding.karmada.io/flink-job-id=no"}, warnings: []string{"UnusedCluster"},
	},
	"taint-invalid-toleration": {
		decisions: []string{"east None InvalidToleration"}, injections: []string{eastAsIs},
		warnings: []string{"InvalidToleration", "InvalidToleration", "UnusedCluster"},
	},
	"missing-state-blocked": {
		decisions: []string{blockEast}, injections: []string{eastAsIs},
		errors: []string{"east 0 StatusNotCollected", "east 1 StatusNotCollected"},
	},
	"missing-state-deadline": {
		decisions: []string{"east Evict MissingStateDeadline"}, purges: []string{eastWaits}, injections: []string{westHeld},
		warnings: []string{"MissingStateDeadline", "StateIncomplete", "StateIncomplete"},
	},
	"cluster-binding": {
		decisions: []string{"east Evict TaintUntolerated"}, purges: []string{eastGone},
		injections: []string{"west Apply yes Injected example.com/big=no example.com/id=no example.com/lag=no example.com/offset=no example.com/plain=no"},
		warnings:   []string{"StateIncomplete"},
	},
}

// eastless is a target that gets the manifest as it is, since no task has state.
const eastless = "west Apply no NoState"

// moved is a move from east, whose copy is gone, with what west gets.
func moved(injection string, warnings ...string) facts {
	return facts{
		decisions: []string{evictEast}, purges: []string{eastGone}, injections: []string{injection}, warnings: warnings,
	}
}

// refused is a move from east that the trial injection blocks.
func refused(errs ...string) facts {
	return facts{
		decisions:  []string{"east Blocked InjectionRefused"},
		injections: []string{eastAsIs}, errors: errs, warnings: []string{notPlaced},
	}
}

// missing is a move from east that the rules block.
func missing(warnings []string, errs ...string) facts {
	return facts{
		decisions: []string{blockEast}, injections: []string{eastAsIs}, errors: errs, warnings: append(warnings, notPlaced),
	}
}

// waiting is the pass after a move from east, whose copy is gone.
func waiting(target, decision, injection string, warnings ...string) facts {
	return facts{
		decisions: []string{"east AlreadyEvicting UnderEviction", target + " " + decision}, purges: []string{eastGone},
		injections: []string{target + " " + injection}, warnings: warnings,
	}
}

func unreadable() facts {
	f := waiting("north", "Blocked BadState", "Hold no BadState")
	f.errors = []string{"east - BadState"}
	return f
}

func TestFacts(t *testing.T) {
	t.Parallel()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, found := wantFacts[name]
			require.True(t, found, "a case without facts: its goldens were recorded, not reviewed")
			if diff := cmp.Diff(want, factsOf(planOf(t, c)), cmp.AllowUnexported(facts{})); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", c.reason, diff)
			}
		})
	}
}

// specOf digs in the next binding.
func specOf(t *testing.T, p plan) map[string]any {
	t.Helper()
	spec, ok := p.Binding["spec"].(map[string]any)
	require.True(t, ok)
	return spec
}

func firstTask(t *testing.T, p plan) map[string]any {
	t.Helper()
	tasks, ok := specOf(t, p)["gracefulEvictionTasks"].([]any)
	require.True(t, ok)
	require.NotEmpty(t, tasks)
	return tasks[0].(map[string]any)
}

func TestNewTask(t *testing.T) {
	t.Parallel()
	state := map[string]any{
		"orders.example.com/checkpoint-time": "1734462491693",
		"orders.example.com/job-id":          "e6fd3cc1b8a64ba2b3a3d1c5a2f6c1f2",
	}
	task := func(mode string, more map[string]any) map[string]any {
		out := map[string]any{
			"fromCluster": "east", "purgeMode": mode, "replicas": json.Number("2"), "reason": "ApplicationFailure",
			"message":  "the application leaves east with purge mode " + mode,
			"producer": "carryover-dryrun", "creationTimestamp": testNow, "clustersBeforeFailover": []any{"east"},
		}
		maps.Copy(out, more)
		return out
	}
	table := map[string]struct {
		want   map[string]any
		reason string
	}{
		"directly-gone":   {task("Directly", map[string]any{"preservedLabelState": state}), "the task carries the state, digits and all"},
		"old-mode-policy": {task("Directly", map[string]any{"preservedLabelState": state}), "the task has the new name"},
		"gracefully": {task("Gracefully", map[string]any{
			"preservedLabelState": state, "gracePeriodSeconds": json.Number("900"),
		}), "the grace period is the policy's"},
		"never": {task("Never", map[string]any{"suppressDeletion": true}), "Never suppresses the deletion and has no grace period"},
	}
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, firstTask(t, planOf(t, cases[name]))); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNumbersKeepEveryDigit(t *testing.T) {
	t.Parallel()
	p := planOf(t, cases["cluster-binding"])
	want := map[string]any{
		"example.com/big": "12345678901234567890", "example.com/id": "5", "example.com/lag": "1000000.5",
		"example.com/offset": "9007199254740993", "example.com/plain": "1000",
	}
	metadata, ok := p.Injections[0].Manifest["metadata"].(map[string]any)
	require.True(t, ok)
	if diff := cmp.Diff(want, metadata["labels"]); diff != "" {
		t.Error(diff)
	}
	spec := map[string]any{"limit": json.Number("12345678901234567890"), "ratio": json.Number("1e3")}
	if diff := cmp.Diff(spec, p.Injections[0].Manifest["spec"]); diff != "" {
		t.Error("the rest of the manifest is verbatim", diff)
	}
}

// A block stops one cluster and no other.
func TestOneBlockStopsNoOther(t *testing.T) {
	t.Parallel()
	document := readOne(t, "testdata/both-running/binding.yaml")
	items := dig(t, document, "status", "aggregatedStatus").([]any)
	delete(items[1].(map[string]any), "status")
	got := invoke(t, jsonReader(t, document), strings.Fields("-f - --evict west --evict east -o json")...)
	require.Equal(t, exitBlocked, got.exit)
	p := decodePlan(t, got)
	want := []string{evictEast, "west Blocked MissingState"}
	if diff := cmp.Diff(want, factsOf(p).decisions); diff != "" {
		t.Error(diff)
	}
	clusters := []any{map[string]any{"name": "west", "replicas": json.Number("2")}}
	if diff := cmp.Diff(clusters, specOf(t, p)["clusters"]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{"east", "west"}, firstTask(t, p)["clustersBeforeFailover"]); diff != "" {
		t.Error(diff)
	}
}

// An invalid policy is exit 1 even where nobody is to leave.
func TestInvalidPolicyWithoutEviction(t *testing.T) {
	t.Parallel()
	got := invoke(t, nil, "-f", "testdata/invalid-policy/binding.yaml", "-o", "json")
	require.Equal(t, exitBlocked, got.exit)
	p := decodePlan(t, got)
	require.Len(t, p.Errors, 6)
	require.Equal(t, "None", p.Decisions[1].Outcome)
}

// What is carried is a secret until somebody asks for the manifest.
func TestTextHoldsNoState(t *testing.T) {
	t.Parallel()
	for name, c := range cases {
		out := c.invoke(t, "text").stdout
		for _, value := range []string{"e6fd3cc1", "1734462491693", "00000bad", "77d1f0aa", "s3p://b", "12345678901234567890", "1000000.5", "s3p://ckpt", "chk-42", "s3p://savepoints", "KUBERNETES_OPERATOR"} {
			require.NotContains(t, out, value, name)
		}
		p := planOf(t, c)
		p.Binding, p.Injections, p.Record = nil, nil, failover.Record{}
		rest, err := encodeJSON(p)
		require.NoError(t, err)
		require.NotContains(t, string(rest), "e6fd3cc1", "messages and errors hold no state: %s", name)
		require.NotContains(t, string(rest), "s3p://", name)
	}
}

// The lists of the contract are lists, and recheckAfterSeconds is a whole number
// or not there.
func TestShapeOfTheOutput(t *testing.T) {
	t.Parallel()
	for name, c := range cases {
		values, err := readValues([]byte(c.invoke(t, "json").stdout))
		require.NoError(t, err)
		out := values[0].(map[string]any)
		for _, key := range []string{"decisions", "purges", "injections", "excluded", "events", "errors", "warnings"} {
			require.IsType(t, []any{}, out[key], "%s: %s", name, key)
		}
		require.IsType(t, map[string]any{}, out["binding"], name)
		require.IsType(t, map[string]any{}, out["record"], name)
		for _, one := range out["injections"].([]any) {
			i := one.(map[string]any)
			require.IsType(t, []any{}, i["written"], name)
			if i["action"] == "Hold" {
				require.NotContains(t, i, "manifest", name)
				require.Equal(t, false, i["injected"], name)
			}
		}
	}
	require.Equal(t, int64(900), *planOf(t, cases["gracefully"]).RecheckAfterSeconds)
	require.Equal(t, int64(900), *planOf(t, cases["gracefully"]).Decisions[0].RecheckAfterSeconds)
	require.Nil(t, planOf(t, cases["directly-unknown"]).RecheckAfterSeconds)
	for name, want := range map[string]int64{"health-wait": 120, "taint-wait": 30, "missing-state-blocked": 600} {
		require.Equal(t, want, *planOf(t, cases[name]).RecheckAfterSeconds, name)
		require.Equal(t, want, *planOf(t, cases[name]).Decisions[0].RecheckAfterSeconds, name)
	}
	require.Equal(t, []string{"east", "west"}, planOf(t, cases["second-failover"]).Excluded)
}
