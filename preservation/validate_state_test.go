package preservation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation"
)

// What holds for all rules together is checked whether or not there are rules.
func TestValidateState(t *testing.T) {
	t.Parallel()
	type sp = preservation.StatePreservation
	seconds := func(n int32) *int32 { return &n }
	const (
		choices    = `supported values: "Block", "EvictWithout", "UsePrevious"`
		kept       = `supported values: "UntilHealthy", "UntilNextFailover"`
		onePath    = "write one path in braces and nothing around it, such as {.path.to.time}"
		blocking   = "must not be negative: 0 does not block at all"
		noAge      = "must not be negative: without it any age is right"
		reads      = "nothing in it reads the status: did you mean "
		notKnown   = field.ErrorTypeNotSupported
		tooOften   = field.ErrorTypeTooMany
		long       = 4096
		deadline   = "p.missingStateDeadlineSeconds"
		age, taken = "p.maxStateAgeSeconds", "p.takenAt"
	)
	badTime := func(detail string) []finding { return []finding{{field.ErrorTypeInvalid, taken, detail}} }
	cases := map[string]struct {
		reason string
		in     sp
		want   []finding
	}{
		"Nothing":          {reason: "all of it is optional"},
		"Block":            {reason: "the default may be spelled out", in: sp{OnMissingState: preservation.Block}},
		"EvictWithout":     {reason: "is known", in: sp{OnMissingState: preservation.EvictWithout}},
		"UsePrevious":      {reason: "is known", in: sp{OnMissingState: preservation.UsePrevious}},
		"NoChoice":         {reason: "L6: unknown texts are errors", in: sp{OnMissingState: "Wait"}, want: []finding{{notKnown, "p.onMissingState", choices}}},
		"ChoiceCase":       {reason: "the hint names what was meant", in: sp{OnMissingState: "useprevious"}, want: []finding{{notKnown, "p.onMissingState", choices + ": did you mean UsePrevious?"}}},
		"ChoiceBlank":      {reason: "the hint names what was meant", in: sp{OnMissingState: " Block"}, want: []finding{{notKnown, "p.onMissingState", choices + ": did you mean Block?"}}},
		"OnlyBlanks":       {reason: "is not empty", in: sp{OnMissingState: " "}, want: []finding{{notKnown, "p.onMissingState", choices}}},
		"UntilHealthy":     {reason: "is known", in: sp{Retention: preservation.UntilHealthy}},
		"UntilNext":        {reason: "is known", in: sp{Retention: preservation.UntilNextFailover}},
		"NoRetention":      {reason: "L6: unknown texts are errors", in: sp{Retention: "Forever"}, want: []finding{{notKnown, "p.retention", kept}}},
		"RetentionCase":    {reason: "the hint names what was meant", in: sp{Retention: "untilHealthy"}, want: []finding{{notKnown, "p.retention", kept + ": did you mean UntilHealthy?"}}},
		"Deadline0":        {reason: "F6: does not block at all", in: sp{MissingStateDeadlineSeconds: seconds(0)}},
		"Deadline-1":       {reason: "is no time", in: sp{MissingStateDeadlineSeconds: seconds(-1)}, want: []finding{{field.ErrorTypeInvalid, deadline, blocking}}},
		"Age0":             {reason: "R2: only what was taken right now", in: sp{MaxStateAgeSeconds: seconds(0), TakenAt: "{.t}"}},
		"Age-1":            {reason: "is no age", in: sp{MaxStateAgeSeconds: seconds(-1)}, want: []finding{{field.ErrorTypeInvalid, age, noAge}}},
		"AgeWithoutTime":   {reason: "the caller may know the time", in: sp{MaxStateAgeSeconds: seconds(60)}},
		"TimeWithoutAge":   {reason: "somebody may want to know it", in: sp{TakenAt: "{.jobStatus.time}"}},
		"TimeTrimmed":      {reason: "S7: white space around does not count", in: sp{TakenAt: " {.t}\n"}},
		"TimeOfAFilter":    {reason: "one path, whatever it hits", in: sp{TakenAt: `{.c[?(@.type=="Ready")].lastTransitionTime}`}},
		"TimeOfSeveral":    {reason: "one path; how many hits it has only the status knows", in: sp{TakenAt: "{.c[*].t}"}},
		"TimeBlank":        {reason: "is not empty", in: sp{TakenAt: " "}, want: badTime("template at byte 0: the template is empty (a path is written {.a.b})")},
		"TimeBroken":       {reason: "S1: parsed on day one", in: sp{TakenAt: "{.a"}, want: badTime("template at byte 3: the action is not closed (add })")},
		"TimeWithoutBrace": {reason: "S7: would be taken as it stands", in: sp{TakenAt: ".jobStatus.time"}, want: badTime(reads + "{.jobStatus.time}?")},
		"TimeRooted":       {reason: "S7: would be taken as it stands", in: sp{TakenAt: "$.a.b"}, want: badTime(reads + "{.a.b}?")},
		"TimeOnlyRoot":     {reason: "there is no path to guess", in: sp{TakenAt: "$."}, want: badTime(onePath)},
		"TimeConstant":     {reason: "is not read from anywhere", in: sp{TakenAt: `{"1734462491693"}`}, want: badTime(onePath)},
		"TimeText":         {reason: "is not read from anywhere", in: sp{TakenAt: "2026-01-02T03:04:05Z"}, want: badTime(onePath)},
		"TimeBefore":       {reason: "text in front of the path", in: sp{TakenAt: "x{.t}"}, want: badTime(onePath)},
		"TimeBehind":       {reason: "text behind the path", in: sp{TakenAt: "{.t}Z"}, want: badTime(onePath)},
		"TwoTimes":         {reason: "two paths", in: sp{TakenAt: "{.a}{.b}"}, want: badTime(onePath)},
		"TimeLoop":         {reason: "a loop is no path", in: sp{TakenAt: "{range .a[*]}{.t}{end}"}, want: badTime(onePath)},
		"TimeLongest":      {reason: "S12: the limit belongs to the legal sizes", in: sp{TakenAt: "{." + strings.Repeat("a", long-3) + "}"}},
		"TimeTooLong":      {reason: "S12: checked before parsing", in: sp{TakenAt: "{." + strings.Repeat("a", long-2) + "}"}, want: badTime("longer than 4096 bytes")},
		"TooManyRules": {
			reason: "S12: the rest is looked at all the same",
			in:     sp{Rules: make([]preservation.Rule, 129), OnMissingState: "x"},
			want:   []finding{{tooOften, "p.rules", ""}, {notKnown, "p.onMissingState", choices}},
		},
		"AllAtOnce": {
			reason: "L7: all errors, in the order of the list in the comment, after those of the rules",
			in: sp{
				Rules: []preservation.Rule{{JSONPath: "{.a}", Policy: " required", Conflict: "replace", Target: "label"}}, OnMissingState: "x",
				MissingStateDeadlineSeconds: seconds(-9), Retention: "x", MaxStateAgeSeconds: seconds(-9), TakenAt: "t", InjectWhenNotDirectly: true,
			},
			want: []finding{
				{field.ErrorTypeRequired, "p.rules[0].aliasLabelName", ""},
				{notKnown, "p.rules[0].target", `"Field": did you mean Label?`},
				{notKnown, "p.rules[0].policy", `"Optional": did you mean Required?`},
				{notKnown, "p.rules[0].conflict", `"Fail": did you mean Replace?`},
				{notKnown, "p.onMissingState", choices},
				{field.ErrorTypeInvalid, deadline, blocking},
				{notKnown, "p.retention", kept},
				{field.ErrorTypeInvalid, age, noAge},
				{field.ErrorTypeInvalid, taken, reads + "{.t}?"},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, err := json.Marshal(tc.in)
			require.NoError(t, err)
			errs := preservation.Validate(tc.in, preservation.Protection{}, field.NewPath("p"))
			got := make([]finding, 0, len(errs))
			for i, err := range errs {
				f := finding{err.Type, err.Field, err.Detail}
				if i < len(tc.want) && strings.HasSuffix(err.Detail, tc.want[i].Detail) {
					f.Detail = tc.want[i].Detail
				}
				got = append(got, f)
				if len(err.Error()) > 1000 {
					t.Errorf("the error of %s has %d bytes", err.Field, len(err.Error()))
				}
			}
			if diff := cmp.Diff(append([]finding{}, tc.want...), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if x, err := preservation.Compile(tc.in, preservation.Protection{}); (err != nil) != (len(errs) > 0) || (x == nil) != (err != nil) {
				t.Errorf("%s: Validate says %v, Compile %v", tc.reason, errs, err)
			}
			after, err := json.Marshal(tc.in)
			require.NoError(t, err)
			if diff := cmp.Diff(string(before), string(after)); diff != "" {
				t.Errorf("the input was changed (-before +after):\n%s", diff)
			}
		})
	}
}
