package failover_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/carryover-io/carryover/failover"
)

// TestTolerateOverASmallWorld asks for every combination of up to two taints and
// two tolerations, with and without memory, and compares with a second,
// independent reading of F4 that knows seconds as numbers and infinity.
func TestTolerateOverASmallWorld(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	outcomes := map[failover.TaintOutcome]int{}
	asked := 0
	ask := func(taints []failover.Taint, tolerations []failover.Toleration) {
		for _, seen := range memories() {
			for _, second := range []int{100, 130} {
				in := failover.TaintInput{Taints: taints, Tolerations: tolerations, FirstSeen: seen, Now: at(second)}
				got := failover.Tolerate(in)
				asked++
				outcomes[got.Outcome]++
				if want := oracle(in, second); got.Outcome != want.outcome || got.NextCheck.OK && !got.Deadline.Equal(at(want.end)) {
					t.Errorf("%s until %s, want %s until %d", got.Outcome, got.Deadline, want.outcome, want.end)
				}
				if asked%499 == 0 { // all of them would take minutes
					checkVerdict(t, in, got)
				}
				if t.Failed() {
					t.Fatalf("in %s", text(t, in))
				}
			}
		}
	}
	for _, list := range upToTwo(manyTaints()) {
		for _, toleration := range manyTolerations() {
			ask(list, []failover.Toleration{toleration})
		}
	}
	for _, list := range upToTwo(fewTaints()) {
		for _, tolerations := range upToTwo(fewTolerations()) {
			ask(list, tolerations)
		}
	}
	if len(outcomes) != 5 || asked < 100_000 {
		t.Errorf("%d calls, outcomes %v", asked, outcomes)
	}
}

func upToTwo[T any](from []T) [][]T {
	out := [][]T{nil}
	for _, first := range from {
		out = append(out, []T{first})
		for _, second := range from {
			out = append(out, []T{first, second})
		}
	}
	return out
}

func manyTaints() []failover.Taint {
	var out []failover.Taint
	for _, key := range []string{"a", "b"} {
		for _, value := range []string{"", "1"} {
			for _, effect := range []failover.TaintEffect{failover.NoExecute, failover.NoSchedule} {
				out = append(out, failover.Taint{Key: key, Value: value, Effect: effect})
			}
			out = append(out, failover.Taint{Key: key, Value: value, Effect: failover.NoExecute, TimeAdded: stamp(90)})
		}
	}
	return out
}

func fewTaints() []failover.Taint {
	return []failover.Taint{
		evicting("a"), evictingSince("a", 90), evictingSince("a", 115), evicting("b"),
		{Key: "a", Effect: "Evict"},
		{Key: "a", Value: "1", Effect: failover.NoExecute, TimeAdded: stamp(60)},
	}
}

func manyTolerations() []failover.Toleration {
	var out []failover.Toleration
	for _, key := range []string{"", "a", "b"} {
		for _, operator := range []failover.TolerationOperator{"", failover.Equal, failover.Exists, "Lt"} {
			for _, value := range []string{"", "1"} {
				for _, effect := range []failover.TaintEffect{"", failover.NoExecute, failover.NoSchedule, "Evict"} {
					for _, seconds := range []*int64{nil, ptr(int64(-1)), ptr(int64(20))} {
						out = append(out, failover.Toleration{Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: seconds})
					}
				}
			}
		}
	}
	return out
}

func fewTolerations() []failover.Toleration {
	return []failover.Toleration{
		exists("a"), exists("b"), exists(""), existsFor("a", 0), existsFor("a", 25), existsFor("b", 30), existsFor("", 40), existsFor("", math.MaxInt64),
		{Key: "a"},
		{Key: "a", Value: "1", TolerationSeconds: ptr(int64(50))},
		{Key: "a", Effect: failover.NoSchedule},
		{Key: "a", Operator: "Gt", Value: "0"},
	}
}

func memories() [][]failover.TaintSeen {
	return [][]failover.TaintSeen{
		nil,
		{seenAt("b", 80), seenAt("a", 85), {Taint: evictingSince("a", 115), FirstSeen: at(95)}},
	}
}

type reading struct {
	outcome failover.TaintOutcome
	end     int
}

// oracle reads F4 with floating-point seconds: an invalid toleration stops
// everything, each taint ends at its latest end, and the earliest of those counts.
func oracle(in failover.TaintInput, now int) reading {
	var ends []float64
	invalid := false
	for _, toleration := range in.Tolerations {
		invalid = invalid || !legal(toleration)
	}
	for _, taint := range in.Taints {
		if taint.Effect != "NoExecute" {
			continue
		}
		start := startOf(taint, in.FirstSeen, now)
		end := math.Inf(-1)
		for _, toleration := range in.Tolerations {
			if covers(toleration, taint) {
				end = math.Max(end, start+lasting(toleration))
			}
		}
		ends = append(ends, end)
	}
	if len(ends) == 0 {
		return reading{outcome: "None"}
	}
	end := slices.Min(ends)
	switch {
	case invalid:
		return reading{outcome: "Undecided"}
	case math.IsInf(end, 1):
		return reading{outcome: "TolerateForever"}
	case end <= float64(now):
		return reading{outcome: "EvictNow"}
	default:
		return reading{outcome: "EvictAfter", end: int(end)}
	}
}

// legal is a list of what is allowed.
func legal(t failover.Toleration) bool {
	effects := map[failover.TaintEffect]bool{"": true, "NoExecute": true, "NoSchedule": true, "PreferNoSchedule": true}
	shapes := map[[3]bool]bool{ // Exists, with key, with value
		{true, true, false}: true, {true, false, false}: true, {false, true, true}: true, {false, true, false}: true,
	}
	known := slices.Contains([]string{"", "Equal", "Exists"}, string(t.Operator))
	return known && effects[t.Effect] && shapes[[3]bool{t.Operator == "Exists", t.Key != "", t.Value != ""}]
}

// covers lists all that a legal toleration covers, and looks the taint up.
func covers(t failover.Toleration, taint failover.Taint) bool {
	keys, values, effects := []string{t.Key}, []string{t.Value}, []failover.TaintEffect{t.Effect}
	if t.Key == "" {
		keys = []string{"a", "b"}
	}
	if t.Operator == "Exists" {
		values = []string{"", "1"}
	}
	if t.Effect == "" {
		effects = []failover.TaintEffect{"NoExecute", "NoSchedule"}
	}
	return slices.Contains(keys, taint.Key) && slices.Contains(values, taint.Value) && slices.Contains(effects, taint.Effect)
}

func lasting(t failover.Toleration) float64 {
	if t.TolerationSeconds == nil || *t.TolerationSeconds == math.MaxInt64 {
		return math.Inf(1)
	}
	return math.Max(0, float64(*t.TolerationSeconds))
}

// startOf is the earliest of what is known: now, the time of the taint, and that
// of its first observation.
func startOf(taint failover.Taint, memory []failover.TaintSeen, now int) float64 {
	known := map[float64]bool{float64(now): true}
	second := func(unix int64) float64 { return float64(unix - at(0).Unix()) }
	if taint.TimeAdded != nil {
		known[second(taint.TimeAdded.Unix())] = true
	}
	for _, seen := range memory {
		same := seen.Taint.Key == taint.Key && seen.Taint.Value == taint.Value && seen.Taint.TimeAdded.Equal(taint.TimeAdded)
		if same {
			known[second(seen.FirstSeen.Unix())] = true
		}
	}
	return slices.Min(slices.Collect(maps.Keys(known)))
}
