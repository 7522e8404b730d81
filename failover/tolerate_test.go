package failover_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// ruling is a call of Tolerate at second 100, and its verdict without Errors.
type ruling struct {
	reason string
	in     failover.TaintInput
	want   failover.TaintVerdict
}

func none() failover.TaintVerdict {
	return failover.TaintVerdict{Outcome: failover.TaintNone, Reason: failover.NoNoExecuteTaint, Message: "no taint has the effect NoExecute"}
}

func forEver(keys string, seen ...failover.TaintSeen) failover.TaintVerdict {
	return failover.TaintVerdict{
		Outcome: failover.TolerateForever, Reason: failover.TaintTolerated,
		Message: "taints that are tolerated for ever: " + keys, Seen: seen,
	}
}

func untolerated(keys string, seen ...failover.TaintSeen) failover.TaintVerdict {
	return failover.TaintVerdict{
		Outcome: failover.EvictNow, Reason: failover.TaintUntolerated,
		Message: "taints that are not tolerated: " + keys, Seen: seen,
	}
}

func wording(second int) string { return at(second).Format(time.RFC3339) }

func overdue(second int, keys string, seen ...failover.TaintSeen) failover.TaintVerdict {
	return failover.TaintVerdict{
		Outcome: failover.EvictNow, Reason: failover.TaintUntolerated,
		Message: "taints that were tolerated until " + wording(second) + ": " + keys, Seen: seen,
	}
}

func until(second int, keys string, seen ...failover.TaintSeen) failover.TaintVerdict {
	return failover.TaintVerdict{
		Outcome: failover.EvictAfter, Reason: failover.TaintToleratedUntil,
		Message: "taints that are tolerated until " + wording(second) + ": " + keys, Seen: seen,
		Deadline: at(second), NextCheck: purge.NextCheck{After: time.Duration(second-100) * time.Second, OK: true},
	}
}

func undecided(keys string, seen ...failover.TaintSeen) failover.TaintVerdict {
	return failover.TaintVerdict{
		Outcome: failover.TaintUndecided, Reason: failover.InvalidToleration,
		Message: "taints that evict nothing while a toleration is invalid: " + keys, Seen: seen,
	}
}

func warned(v failover.TaintVerdict, messages ...string) failover.TaintVerdict {
	for _, message := range messages {
		v.Warnings = append(v.Warnings, failover.Warning{Reason: failover.UnknownTaintEffect, Message: message})
	}
	return v
}

func asking(taints []failover.Taint, tolerations ...failover.Toleration) failover.TaintInput {
	return failover.TaintInput{Taints: taints, Tolerations: tolerations}
}

func remembering(in failover.TaintInput, seen ...failover.TaintSeen) failover.TaintInput {
	in.FirstSeen = seen
	return in
}

func taints(list ...failover.Taint) []failover.Taint { return list }

func matching() map[string]ruling {
	a := taints(evictingSince("a", 40))
	valued := taints(failover.Taint{Key: "a", Value: "1", Effect: failover.NoExecute, TimeAdded: stamp(40)})
	return map[string]ruling{
		"nothing":            {reason: "there is nothing to tolerate", want: none()},
		"no schedule":        {reason: "only NoExecute counts (F4)", in: asking(taints(failover.Taint{Key: "a", Effect: failover.NoSchedule}, failover.Taint{Key: "b", Effect: failover.PreferNoSchedule})), want: none()},
		"no toleration":      {reason: "nothing matches", in: asking(a), want: untolerated(`"a"`)},
		"exists":             {reason: "no seconds are for ever (F4)", in: asking(a, exists("a")), want: forEver(`"a"`)},
		"another key":        {reason: "does not match", in: asking(a, exists("b")), want: untolerated(`"a"`)},
		"longer key":         {reason: "keys match as a whole", in: asking(a, exists("aa")), want: untolerated(`"a"`)},
		"every key":          {reason: "an empty key with Exists", in: asking(a, exists("")), want: forEver(`"a"`)},
		"exists and a value": {reason: "Exists ignores the taint's value", in: asking(valued, exists("a")), want: forEver(`"a"`)},
		"equal":              {reason: "the same value", in: asking(valued, failover.Toleration{Key: "a", Operator: failover.Equal, Value: "1"}), want: forEver(`"a"`)},
		"no operator":        {reason: "is Equal", in: asking(valued, failover.Toleration{Key: "a", Value: "1"}), want: forEver(`"a"`)},
		"another value":      {reason: "does not match", in: asking(valued, failover.Toleration{Key: "a", Value: "2"}), want: untolerated(`"a"`)},
		"no value":           {reason: "is a value like any other", in: asking(valued, failover.Toleration{Key: "a"}), want: untolerated(`"a"`)},
		"both without value": {reason: "are equal", in: asking(a, failover.Toleration{Key: "a"}), want: forEver(`"a"`)},
		"effect":             {reason: "the same effect", in: asking(a, failover.Toleration{Key: "a", Effect: failover.NoExecute}), want: forEver(`"a"`)},
		"another effect":     {reason: "does not match", in: asking(a, failover.Toleration{Key: "a", Effect: failover.NoSchedule}), want: untolerated(`"a"`)},
		"another effect, seconds": {
			reason: "cannot match NoExecute, whatever the seconds",
			in:     asking(a, failover.Toleration{Key: "a", Effect: failover.PreferNoSchedule, TolerationSeconds: ptr(int64(1000))}), want: untolerated(`"a"`),
		},
		"untolerated beside tolerated": {
			reason: "one is enough; only it is named",
			in:     asking(taints(evictingSince("a", 40), evictingSince("b", 40), evictingSince("c", 40)), exists("b"), existsFor("c", 10)), want: untolerated(`"a"`),
		},
		"several untolerated": {reason: "sorted, each key once", in: asking(taints(evicting("b"), evictingSince("a", 3), evictingSince("a", 2))), want: untolerated(`"a", "b"`, seenAt("b", 100))},
		"no key":              {reason: "a taint without a key is untolerated like any other", in: asking(taints(evictingSince("", 40)), exists("a")), want: untolerated(`""`)},
		"no key, every key":   {reason: "every key is also none", in: asking(taints(evictingSince("", 40)), exists("")), want: forEver(`""`)},
	}
}

func timing() map[string]ruling {
	a := taints(evictingSince("a", 40))
	early := &metav1.Time{Time: at(40).Add(700 * time.Millisecond)}
	return map[string]ruling{
		"later":           {reason: "40 + 80 (F4)", in: asking(a, existsFor("a", 80)), want: until(120, `"a"`)},
		"one second left": {reason: "before the deadline it stays", in: asking(a, existsFor("a", 61)), want: until(101, `"a"`)},
		"exactly now":     {reason: "the deadline counts as reached", in: asking(a, existsFor("a", 60)), want: overdue(100, `"a"`)},
		"past":            {reason: "40 + 10", in: asking(a, existsFor("a", 10)), want: overdue(50, `"a"`)},
		"zero":            {reason: "at once", in: asking(taints(evicting("a")), existsFor("a", 0)), want: overdue(100, `"a"`, seenAt("a", 100))},
		"negative":        {reason: "is 0 (F4)", in: asking(taints(evictingSince("a", 99)), existsFor("a", -50)), want: overdue(99, `"a"`)},
		"most negative":   {reason: "does not wrap", in: asking(a, existsFor("a", math.MinInt64)), want: overdue(40, `"a"`)},
		"largest":         {reason: "is for ever", in: asking(a, existsFor("a", math.MaxInt64)), want: forEver(`"a"`)},
		"longest":         {reason: "the longest of a taint counts (F4), not the first", in: asking(a, existsFor("a", 70), existsFor("", 90), existsFor("a", 80)), want: until(130, `"a"`)},
		"longest is zero": {reason: "negative is never the longer one", in: asking(a, existsFor("a", -5), existsFor("a", 0)), want: overdue(40, `"a"`)},
		"for ever wins":   {reason: "over any seconds", in: asking(a, existsFor("a", 70), exists(""), existsFor("a", 80)), want: forEver(`"a"`)},
		"longest matches": {reason: "only what matches is compared", in: asking(a, existsFor("a", 70), existsFor("b", 90), exists("c")), want: until(110, `"a"`)},
		"shortest of taints": {
			reason: "the shortest across taints counts (F4); only it is named",
			in:     asking(taints(evictingSince("a", 40), evictingSince("b", 90), evictingSince("c", 0)), existsFor("a", 80), existsFor("b", 20), exists("c")), want: until(110, `"b"`),
		},
		"shortest, the other way": {
			reason: "whichever comes first",
			in:     asking(taints(evictingSince("a", 40), evictingSince("b", 90)), existsFor("a", 80), existsFor("b", 50)), want: until(120, `"a"`),
		},
		"same deadline": {
			reason: "all that end then are named",
			in:     asking(taints(evictingSince("b", 90), evictingSince("a", 40), evictingSince("c", 99)), existsFor("a", 80), existsFor("b", 30), existsFor("c", 30)), want: until(120, `"a", "b"`),
		},
		"duplicates":        {reason: "do no harm", in: asking(append(a, a...), existsFor("a", 80), existsFor("a", 80)), want: until(120, `"a"`)},
		"two times":         {reason: "the earlier one ends first", in: asking(taints(evictingSince("a", 60), evictingSince("a", 40)), existsFor("a", 80)), want: until(120, `"a"`)},
		"two values":        {reason: "are two taints with one key", in: asking(taints(evictingSince("a", 60), failover.Taint{Key: "a", Value: "1", Effect: failover.NoExecute, TimeAdded: stamp(50)}), exists("a"), existsFor("", 1)), want: forEver(`"a"`)},
		"parts of a second": {reason: "are cut off, as JSON does", in: asking(taints(failover.Taint{Key: "a", Effect: failover.NoExecute, TimeAdded: early}), existsFor("a", 60)), want: overdue(100, `"a"`)},
		"end of the year 9999": {
			reason: "later deadlines are there: JSON holds no later time", in: asking(a, existsFor("a", math.MaxInt64-1)),
			want: failover.TaintVerdict{
				Outcome: failover.EvictAfter, Reason: failover.TaintToleratedUntil, Message: `taints that are tolerated until 9999-12-31T23:59:59Z: "a"`,
				Deadline:  time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC),
				NextCheck: purge.NextCheck{After: math.MaxInt64 / time.Second * time.Second, OK: true},
			},
		},
	}
}

func observing() map[string]ruling {
	zone := time.FixedZone("east", 3600)
	named := func(at time.Time) failover.Taint {
		return failover.Taint{Key: "a", Effect: failover.NoExecute, TimeAdded: &metav1.Time{Time: at}}
	}
	future := evictingSince("a", 130)
	seenFuture := func(second int) failover.TaintSeen {
		return failover.TaintSeen{Taint: future, FirstSeen: at(second)}
	}
	valued := failover.Taint{Key: "a", Value: "1", Effect: failover.NoExecute}
	return map[string]ruling{
		"first call":        {reason: "a taint without a time counts from first observed (F4)", in: asking(taints(evicting("a")), existsFor("a", 60)), want: until(160, `"a"`, seenAt("a", 100))},
		"second call":       {reason: "the earlier time is kept", in: remembering(asking(taints(evicting("a")), existsFor("a", 60)), seenAt("a", 70)), want: until(130, `"a"`, seenAt("a", 70))},
		"last call":         {reason: "the deadline counts as reached", in: remembering(asking(taints(evicting("a")), existsFor("a", 60)), seenAt("a", 40)), want: overdue(100, `"a"`, seenAt("a", 40))},
		"zero time":         {reason: "is no time", in: asking(taints(named(time.Time{})), existsFor("a", 60)), want: until(160, `"a"`, seenAt("a", 100))},
		"part of zero":      {reason: "is no time in whole seconds", in: asking(taints(named(time.Time{}.Add(time.Millisecond))), existsFor("a", 60)), want: until(160, `"a"`, seenAt("a", 100))},
		"first second":      {reason: "is a time, and long ago", in: asking(taints(named(time.Time{}.Add(time.Second))), existsFor("a", 60)), want: failover.TaintVerdict{Outcome: failover.EvictNow, Reason: failover.TaintUntolerated, Message: `taints that were tolerated until 0001-01-01T00:01:01Z: "a"`}},
		"before year 1":     {reason: "JSON cannot hold it", in: asking(taints(named(time.Time{}.Add(-time.Hour))), existsFor("a", 60)), want: until(160, `"a"`, seenAt("a", 100))},
		"after year 9999":   {reason: "JSON cannot hold it", in: asking(taints(named(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))), existsFor("a", 60)), want: until(160, `"a"`, seenAt("a", 100))},
		"end of year 9999":  {reason: "is in the future", in: asking(taints(named(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))), existsFor("a", 60)), want: until(160, `"a"`, failover.TaintSeen{Taint: named(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)), FirstSeen: at(100)})},
		"future":            {reason: "counts from first observed (F4)", in: asking(taints(future), existsFor("a", 60)), want: until(160, `"a"`, seenFuture(100))},
		"future, again":     {reason: "the first observation is kept", in: remembering(asking(taints(future), existsFor("a", 60)), seenFuture(70)), want: until(130, `"a"`, seenFuture(70))},
		"now":               {reason: "is not the future", in: asking(taints(evictingSince("a", 100)), existsFor("a", 60)), want: until(160, `"a"`)},
		"future, come true": {reason: "time alone must not push the deadline out (F13)", in: remembering(asking(taints(evictingSince("a", 90)), existsFor("a", 60)), failover.TaintSeen{Taint: evictingSince("a", 90), FirstSeen: at(70)}), want: until(130, `"a"`, failover.TaintSeen{Taint: evictingSince("a", 90), FirstSeen: at(70)})},
		"seen after added":  {reason: "the taint's own time is earlier", in: remembering(asking(taints(evictingSince("a", 70)), existsFor("a", 60)), failover.TaintSeen{Taint: evictingSince("a", 70), FirstSeen: at(90)}), want: until(130, `"a"`)},
		"added later":       {reason: "a taint with a time is another one than it was without", in: remembering(asking(taints(evictingSince("a", 90)), existsFor("a", 60)), seenAt("a", 70)), want: until(150, `"a"`)},
		"time lost":         {reason: "a taint without a time is another one than it was with it", in: remembering(asking(taints(evicting("a")), existsFor("a", 60)), seenFuture(70)), want: until(160, `"a"`, seenAt("a", 100))},
		"another value seen": {
			reason: "is another taint", in: remembering(asking(taints(evicting("a")), existsFor("a", 60)), failover.TaintSeen{Taint: valued, FirstSeen: at(70)}), want: until(160, `"a"`, seenAt("a", 100)),
		},
		"another effect seen": {
			reason: "it did not evict then", in: remembering(asking(taints(evicting("a")), existsFor("a", 60)), failover.TaintSeen{Taint: failover.Taint{Key: "a", Effect: failover.NoSchedule}, FirstSeen: at(70)}), want: until(160, `"a"`, seenAt("a", 100)),
		},
		"vanished":              {reason: "is forgotten", in: remembering(asking(taints(evicting("a")), exists("")), seenAt("b", 10)), want: forEver(`"a"`, seenAt("a", 100))},
		"all vanished":          {reason: "are forgotten", in: remembering(asking(nil), seenAt("b", 10)), want: none()},
		"seen in the future":    {reason: "counts as now", in: remembering(asking(taints(evicting("a")), existsFor("a", 60)), seenAt("a", 500)), want: until(160, `"a"`, seenAt("a", 100))},
		"seen never":            {reason: "is no time", in: remembering(asking(taints(evicting("a")), existsFor("a", 60)), failover.TaintSeen{Taint: evicting("a")}), want: until(160, `"a"`, seenAt("a", 100))},
		"seen twice":            {reason: "the earlier counts", in: remembering(asking(taints(evicting("a")), existsFor("a", 60)), seenAt("a", 80), seenAt("a", 70), seenAt("a", 90)), want: until(130, `"a"`, seenAt("a", 70))},
		"remembered for ever":   {reason: "memory goes on under each outcome: tolerations change", in: remembering(asking(taints(evicting("a")), exists("a")), seenAt("a", 10)), want: forEver(`"a"`, seenAt("a", 10))},
		"remembered, evicting":  {reason: "memory goes on under each outcome", in: remembering(asking(taints(evicting("a"))), seenAt("a", 10)), want: untolerated(`"a"`, seenAt("a", 10))},
		"remembered, undecided": {reason: "the time runs on while a toleration is invalid", in: remembering(asking(taints(evicting("a")), failover.Toleration{}), seenAt("a", 10)), want: undecided(`"a"`, seenAt("a", 10))},
		"with and without time": {reason: "two taints, of which the earlier ends first", in: asking(taints(evicting("a"), evictingSince("a", 70)), existsFor("a", 60)), want: until(130, `"a"`, seenAt("a", 100))},
		"sorted": {
			reason: "by key, value and time, each once",
			in:     remembering(asking(taints(evicting("b"), future, valued, evicting("a"), evicting("b")), exists("")), seenFuture(60), seenAt("b", 50)),
			want:   forEver(`"a", "b"`, seenAt("a", 100), seenFuture(60), failover.TaintSeen{Taint: valued, FirstSeen: at(100)}, seenAt("b", 50)),
		},
		"other zone, parts of a second": {
			reason: "times are UTC and whole seconds (L2), and the memory of one is found",
			in: remembering(asking(taints(named(at(130).In(zone).Add(300*time.Millisecond))), existsFor("a", 60)), failover.TaintSeen{
				Taint: named(at(130).Add(900 * time.Millisecond)), FirstSeen: at(70).In(zone).Add(800 * time.Millisecond),
			}),
			want: until(130, `"a"`, seenFuture(70)),
		},
	}
}

func doubting() map[string]ruling {
	a := taints(evictingSince("a", 40))
	unknown := failover.Taint{Key: "x", Effect: "NoExec\nute"}
	const said = `the taint "x" evicts nothing: its effect "NoExec\nute" is none of NoExecute, NoSchedule and PreferNoSchedule`
	const empty = `the taint "a" evicts nothing: its effect "" is none of NoExecute, NoSchedule and PreferNoSchedule`
	return map[string]ruling{
		"invalid, untolerated": {reason: "it may have been meant for the taint (L6)", in: asking(a, failover.Toleration{Key: "a", Operator: "Gt", Value: "1"}), want: undecided(`"a"`)},
		"invalid, tolerated":   {reason: "invalid wins over what the others say", in: asking(taints(evictingSince("b", 1), evictingSince("a", 2)), exists(""), failover.Toleration{Key: "a", Effect: "Evict"}), want: undecided(`"a", "b"`)},
		"invalid, overdue":     {reason: "no eviction by taints at all (F4)", in: asking(a, existsFor("a", 10), failover.Toleration{}), want: undecided(`"a"`)},
		"invalid, no taint":    {reason: "nothing evicts, whatever was meant", in: asking(taints(failover.Taint{Key: "a", Effect: failover.NoSchedule}), failover.Toleration{}), want: none()},
		"unknown effect":       {reason: "is not NoExecute, and is told", in: asking(taints(unknown)), want: warned(none(), said)},
		"unknown effects":      {reason: "each once, sorted", in: asking(taints(unknown, failover.Taint{Key: "a"}, unknown), exists("")), want: warned(none(), empty, said)},
		"unknown beside known": {reason: "the others are decided as ever", in: asking(append(a, unknown), exists("a")), want: warned(forEver(`"a"`), said)},
		"unknown and invalid":  {reason: "both are told", in: asking(append(a, unknown), failover.Toleration{}), want: warned(undecided(`"a"`), said)},
		"keys of any text":     {reason: "the message stays one line", in: asking(taints(evictingSince("a\nb", 1))), want: untolerated(`"a\nb"`)},
	}
}

func TestTolerate(t *testing.T) {
	t.Parallel()
	for _, rulings := range []map[string]ruling{matching(), timing(), observing(), doubting()} {
		for name, tc := range rulings {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tc.in.Now = at(100)
				got := failover.Tolerate(tc.in)
				checkVerdict(t, tc.in, got)
				got.Errors = nil
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
				}
			})
		}
	}
}

func TestTolerateReportsEveryError(t *testing.T) {
	t.Parallel()
	tolerations := []failover.Toleration{{}, exists("a"), {Key: "a", Operator: "In", Effect: "Evict"}}
	want := found(failover.ValidateTolerations(tolerations, field.NewPath("tolerations")))
	for _, list := range [][]failover.Taint{nil, taints(evicting("a"))} {
		got := failover.Tolerate(failover.TaintInput{Taints: list, Tolerations: tolerations, Now: at(100)})
		if diff := cmp.Diff(want, found(got.Errors)); diff != "" || len(want) != 3 {
			t.Errorf("errors with %d taints (-want +got):\n%s", len(list), diff)
		}
	}
}

// A call between two whole seconds decides as one at the second before, and its
// next check is not before the deadline.
func TestTolerateBetweenSeconds(t *testing.T) {
	t.Parallel()
	for _, part := range []time.Duration{0, 1, 500 * time.Millisecond, time.Second - 1} {
		in := asking(taints(evicting("a"), evictingSince("b", 100)), existsFor("", 60))
		in.Now = at(100).Add(part).In(time.FixedZone("west", -7200))
		want := until(160, `"a", "b"`, seenAt("a", 100))
		if diff := cmp.Diff(want, failover.Tolerate(in)); diff != "" {
			t.Errorf("%s after the second (-want +got):\n%s", part, diff)
		}
		if diff := cmp.Diff(text(t, want), text(t, failover.Tolerate(in))); diff != "" {
			t.Errorf("%s after the second, as JSON (-want +got):\n%s", part, diff)
		}
		in.FirstSeen = want.Seen
		in.Now = at(160).Add(-1)
		if got := failover.Tolerate(in); got.Outcome != failover.EvictAfter || got.NextCheck != purge.CheckAt(at(160), in.Now) {
			t.Errorf("just before the deadline: %+v", got)
		}
		in.Now = at(160)
		if got := failover.Tolerate(in); got.Outcome != failover.EvictNow {
			t.Errorf("at the deadline: %+v", got)
		}
	}
}

// A longer toleration takes back what was announced, and even what is overdue.
func TestTolerateAgain(t *testing.T) {
	t.Parallel()
	in := asking(taints(evicting("a")), existsFor("a", 60))
	in.Now = at(100)
	for _, step := range []struct {
		second  int
		seconds int64
		want    failover.TaintOutcome
		end     int
	}{
		{second: 100, seconds: 60, want: failover.EvictAfter, end: 160},
		{second: 130, seconds: 3600, want: failover.EvictAfter, end: 3700},
		{second: 140, seconds: 20, want: failover.EvictNow},
		{second: 150, seconds: 90, want: failover.EvictAfter, end: 190},
		{second: 189, seconds: 90, want: failover.EvictAfter, end: 190},
		{second: 190, seconds: 90, want: failover.EvictNow},
	} {
		in.Now, in.Tolerations = at(step.second), []failover.Toleration{existsFor("a", step.seconds)}
		got := failover.Tolerate(in)
		if got.Outcome != step.want || got.Outcome == failover.EvictAfter && !got.Deadline.Equal(at(step.end)) {
			t.Errorf("second %d: %+v", step.second, got)
		}
		in.FirstSeen = got.Seen
	}
}

// checkVerdict asserts what holds for every input whose time is a whole second.
func checkVerdict(tb testing.TB, in failover.TaintInput, got failover.TaintVerdict) {
	tb.Helper()
	before := text(tb, in)
	if diff := cmp.Diff(text(tb, got), text(tb, failover.Tolerate(in))); diff != "" {
		tb.Errorf("the second call differs (-first +second):\n%s", diff)
	}
	spoilSeen(failover.Tolerate(in))
	if diff := cmp.Diff(before, text(tb, in)); diff != "" {
		tb.Errorf("the input was changed, or is shared (-before +after):\n%s", diff)
	}
	limited := got.Outcome == failover.EvictAfter
	if limited == got.Deadline.IsZero() || limited != got.NextCheck.OK || limited && got.NextCheck != purge.CheckAt(got.Deadline, in.Now) {
		tb.Errorf("deadline and next check do not fit: %+v", got)
	}
	if got.Reason == "" || got.Message == "" || got.Deadline.Location() != time.UTC || got.Deadline.Nanosecond() != 0 {
		tb.Errorf("incomplete: %+v", got)
	}
	if undecided := len(got.Errors) > 0 && got.Outcome != failover.TaintNone; undecided != (got.Outcome == failover.TaintUndecided) {
		tb.Errorf("errors and outcome do not fit: %+v", got)
	}
	checkSeen(tb, in, got)
	checkTaintOrder(tb, in, got)
	checkTime(tb, in, got)
	if tb.Failed() {
		tb.Logf("in %s", before)
	}
}

func spoilSeen(v failover.TaintVerdict) {
	for _, seen := range v.Seen {
		if seen.Taint.TimeAdded != nil {
			seen.Taint.TimeAdded.Time = at(-1)
		}
	}
}

// checkSeen asserts that the memory is sound, and survives being stored.
func checkSeen(tb testing.TB, in failover.TaintInput, got failover.TaintVerdict) {
	tb.Helper()
	for i, seen := range got.Seen {
		if seen.FirstSeen.After(in.Now) || seen.FirstSeen.Nanosecond() != 0 || seen.FirstSeen.Location() != time.UTC {
			tb.Errorf("first seen %v at %v", seen.FirstSeen, in.Now)
		}
		if seen.Taint.Effect != failover.NoExecute || i > 0 && got.Seen[i-1].Taint.Key > seen.Taint.Key {
			tb.Errorf("seen %+v", got.Seen)
		}
		if added := seen.Taint.TimeAdded; added != nil && !added.After(seen.FirstSeen) {
			tb.Errorf("%+v has a time of its own", seen)
		}
	}
	if diff := cmp.Diff(got, failover.Tolerate(storing(tb, in, got))); diff != "" {
		tb.Errorf("its own memory changes the answer (-before +after):\n%s", diff)
	}
}

// storing is the input of the next call, after the memory was stored as JSON.
func storing(tb testing.TB, in failover.TaintInput, got failover.TaintVerdict) failover.TaintInput {
	tb.Helper()
	in.FirstSeen = nil
	require.NoError(tb, json.Unmarshal([]byte(text(tb, got.Seen)), &in.FirstSeen))
	return in
}

// checkTaintOrder asserts that order and repetition do not matter. The paths of
// errors follow the order.
func checkTaintOrder(tb testing.TB, in failover.TaintInput, want failover.TaintVerdict) {
	tb.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		shuffled := failover.TaintInput{
			Taints: twice(random, in.Taints), Tolerations: twice(random, in.Tolerations), FirstSeen: twice(random, in.FirstSeen), Now: in.Now,
		}
		got := failover.Tolerate(shuffled)
		if len(got.Errors) != 2*len(want.Errors) {
			tb.Errorf("%d errors, and with each toleration twice %d", len(want.Errors), len(got.Errors))
		}
		got.Errors = want.Errors
		if diff := cmp.Diff(want, got); diff != "" {
			tb.Errorf("order or repetition matters (-want +got):\n%s", diff)
		}
	}
}

// checkTime asserts that before the next check time alone changes nothing, and at
// any time if there is none; and that at the check it does.
func checkTime(tb testing.TB, in failover.TaintInput, got failover.TaintVerdict) {
	tb.Helper()
	limit := 200 * 365 * 24 * time.Hour
	stored := storing(tb, in, got)
	if got.NextCheck.OK {
		limit = got.NextCheck.After
		stored.Now = in.Now.Add(limit)
		if v := failover.Tolerate(stored); v.Outcome != failover.EvictNow && !v.Deadline.After(stored.Now) {
			tb.Errorf("at the next check: %+v", v)
		}
		limit -= time.Second
	}
	for _, wait := range []time.Duration{0, 1, time.Second, 30 * time.Second, limit / 2, limit} {
		if wait > limit {
			continue
		}
		later := in
		later.Now = in.Now.Add(wait)
		if v := failover.Tolerate(later); v.Outcome != got.Outcome {
			tb.Errorf("%s later, without memory: %s, not %s", wait, v.Outcome, got.Outcome)
		}
		stored.Now = later.Now
		v := failover.Tolerate(stored)
		v.NextCheck = got.NextCheck
		if diff := cmp.Diff(got, v); diff != "" {
			tb.Errorf("%s later (-before +after):\n%s", wait, diff)
		}
	}
}

// Every text of an outcome and a reason occurs, and each outcome has its reason.
func TestEveryTaintOutcomeOccurs(t *testing.T) {
	t.Parallel()
	got := map[failover.TaintOutcome][]failover.Reason{}
	for _, rulings := range []map[string]ruling{matching(), timing(), observing(), doubting()} {
		for _, tc := range rulings {
			tc.in.Now = at(100)
			v := failover.Tolerate(tc.in)
			if !slices.Contains(got[v.Outcome], v.Reason) {
				got[v.Outcome] = append(got[v.Outcome], v.Reason)
			}
		}
	}
	want := map[failover.TaintOutcome][]failover.Reason{
		"None": {"NoNoExecuteTaint"}, "TolerateForever": {"TaintTolerated"}, "EvictAfter": {"TaintToleratedUntil"},
		"EvictNow": {"TaintUntolerated"}, "Undecided": {"InvalidToleration"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}
