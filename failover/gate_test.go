package failover_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// story is one moment: what is stored and known, and what each target gets.
type story struct {
	reason  string
	targets string
	tasks   []eviction.Task
	items   []eviction.AggregatedStatusItem
	facts   map[string]eviction.Facts
	healthy map[string]time.Time
	rules   []preservation.Rule
	// forgotten leaves the assessment empty.
	forgotten bool
	want      map[string]string
}

func (s story) input() failover.GateInput {
	in := failover.GateInput{
		Targets: on(s.targets), Tasks: s.tasks, Items: s.items, Clusters: s.facts, LastHealthy: s.healthy, Rules: s.rules,
	}
	if s.forgotten {
		return in
	}
	return assessed(in, at(3600))
}

// only is a state that no rule requires.
func only() []preservation.Rule { return []preservation.Rule{optional(job, "{.job}")} }

func oneMove() map[string]story {
	east := []eviction.Task{left("east", 0, "east", "A")}
	return map[string]story{
		"no task":             {reason: "nothing to inject", targets: "west", want: map[string]string{"west": "Apply NoState"}},
		"no state":            {reason: "the task carries nothing", targets: "west", tasks: []eviction.Task{left("east", 0, "east", "")}, facts: gone("east"), want: map[string]string{"west": "Apply NoState"}},
		"no target":           {reason: "nobody to answer for", tasks: east, facts: gone("east"), want: map[string]string{}},
		"gone":                {reason: "the usual case", targets: "west", tasks: east, facts: gone("east"), want: map[string]string{"west": "Apply Injected A of east"}},
		"gone, copy there":    {reason: "a copy that no move lists is the one that received it: the label stays", targets: "west", tasks: east, facts: gone("east"), items: copies("west"), want: map[string]string{"west": "Apply Injected A of east"}},
		"present":             {reason: "the old copy goes first (P5)", targets: "west", tasks: east, facts: map[string]eviction.Facts{"east": {Presence: purge.Present}}, want: map[string]string{"west": "Hold OldCopyNotGone"}},
		"unknown":             {reason: "no news is no success (L6)", targets: "west", tasks: east, want: map[string]string{"west": "Hold OldCopyNotGone"}},
		"strange presence":    {reason: "an unknown text is no success (L6)", targets: "west", tasks: east, facts: map[string]eviction.Facts{"east": {Presence: "gone"}}, want: map[string]string{"west": "Hold InvalidInput"}},
		"unknown, copy there": {reason: "a copy that exists is never frozen, and gets nothing (P5)", targets: "west", tasks: east, items: copies("west"), want: map[string]string{"west": "Apply OldCopyNotGone"}},
		"target required by others": {
			reason: "others keep a copy on west, whatever moves: it never receives foreign state (I1)", targets: "west", tasks: east, items: copies("west"),
			facts: map[string]eviction.Facts{"east": {Presence: purge.Gone}, "west": {RequiredByOthers: true}}, want: map[string]string{"west": "Apply AlreadyRunning"},
		},
		"own task not assessed": {
			reason: "what runs on east is to be deleted, whether the assessment knows or not (E13)", targets: "east", tasks: east, items: copies("east"), forgotten: true,
			want: map[string]string{"east": "Hold OldCopyNotGone"},
		},
		"own task not assessed, gone": {
			reason: "a copy there is a new one (E13)", targets: "east", tasks: east, facts: gone("east"), forgotten: true, want: map[string]string{"east": "Apply Injected A of east"},
		},
		"own graceful task not assessed": {
			reason: "it counts as withdrawn (E13)", targets: "east", tasks: []eviction.Task{leaving(purge.Gracefully, "east", 0, "east", "A")}, items: copies("east"), forgotten: true,
			want: map[string]string{"east": "Apply AlreadyRunning"},
		},
		"fenced":                {reason: "a fence is as good as gone (P5)", targets: "west", tasks: east, facts: map[string]eviction.Facts{"east": {Fenced: true}}, want: map[string]string{"west": "Apply Injected A of east"}},
		"released":              {reason: "release is never taken back (P5)", targets: "west", tasks: east, facts: map[string]eviction.Facts{"east": {Presence: purge.Present, Released: true}}, items: copies("west"), want: map[string]string{"west": "Apply Injected A of east"}},
		"required by others":    {reason: "what others require is not awaited (P5, K19), and runs on with the state", targets: "west", tasks: east, facts: map[string]eviction.Facts{"east": {Presence: purge.Present, RequiredByOthers: true}}, want: map[string]string{"west": "Apply OldCopyNotGone"}},
		"forgotten assessment":  {reason: "a Directly task holds even if the assessment lacks it (L6)", targets: "west", tasks: east, forgotten: true, want: map[string]string{"west": "Hold OldCopyNotGone"}},
		"forgotten, no state":   {reason: "Directly holds with or without state (P5)", targets: "west", tasks: []eviction.Task{left("east", 0, "east", "")}, forgotten: true, want: map[string]string{"west": "Hold OldCopyNotGone"}},
		"forgotten, copy there": {reason: "a copy that exists is never frozen (P5)", targets: "west", tasks: east, forgotten: true, items: copies("west"), want: map[string]string{"west": "Apply OldCopyNotGone"}},
		"forgotten, old target": {reason: "a hold concerns new targets only (P5)", targets: "west", tasks: []eviction.Task{left("east", 0, "east west", "A")}, forgotten: true, want: map[string]string{"west": "Apply AlreadyRunning"}},
		"suppressed": {
			reason: "with Directly a person's hold holds the new copy (P7)", targets: "west", facts: gone("east"), want: map[string]string{"west": "Hold Suppressed"},
			tasks: []eviction.Task{func() eviction.Task { x := left("east", 0, "east", "A"); x.SuppressDeletion = ptr(true); return x }()},
		},
		"confirmed": {
			reason: "a person's confirmation is no fence (P7)", targets: "west", want: map[string]string{"west": "Hold OldCopyNotGone"},
			tasks: []eviction.Task{func() eviction.Task { x := left("east", 0, "east", "A"); x.SuppressDeletion = ptr(false); return x }()},
		},
		"old name":          {reason: "Immediately is Directly (P1)", targets: "west", tasks: []eviction.Task{leaving("Immediately", "east", 0, "east", "A")}, facts: gone("east"), want: map[string]string{"west": "Apply Injected A of east"}},
		"gracefully":        {reason: "the old copy runs on with its state (F88)", targets: "west", tasks: []eviction.Task{leaving(purge.Gracefully, "east", 0, "east", "A")}, want: map[string]string{"west": "Apply ModeNotDirectly"}},
		"gracefully, gone":  {reason: "the mode counts, not the moment", targets: "west", tasks: []eviction.Task{leaving(purge.Gracefully, "east", 0, "east", "A")}, facts: gone("east"), want: map[string]string{"west": "Apply ModeNotDirectly"}},
		"never":             {reason: "the old copy runs on with its state", targets: "west", tasks: []eviction.Task{leaving(purge.Never, "east", 0, "east", "A")}, want: map[string]string{"west": "Apply ModeNotDirectly"}},
		"empty mode":        {reason: "empty is Gracefully (P2)", targets: "west", tasks: []eviction.Task{leaving("", "east", 0, "east", "A")}, want: map[string]string{"west": "Apply ModeNotDirectly"}},
		"no mode":           {reason: "a stored text that is no mode holds (P3)", targets: "west", tasks: []eviction.Task{leaving("Later", "east", 0, "east", "A")}, facts: gone("east"), want: map[string]string{"west": "Hold InvalidMode"}},
		"no mode, running":  {reason: "and never injects", targets: "west", tasks: []eviction.Task{leaving("Later", "east", 0, "east", "A")}, facts: gone("east"), items: copies("west"), want: map[string]string{"west": "Apply ModeNotDirectly"}},
		"no list":           {reason: "any target may run already (F86): no empty start either", targets: "west", tasks: []eviction.Task{left("east", 0, "", "A")}, facts: gone("east"), want: map[string]string{"west": "Hold UnknownOrigin"}},
		"no list, running":  {reason: "a copy that exists gets nothing", targets: "west", tasks: []eviction.Task{left("east", 0, "", "A")}, facts: gone("east"), items: copies("west"), want: map[string]string{"west": "Apply UnknownOrigin"}},
		"no list, optional": {reason: "what nobody requires holds nobody", targets: "west", tasks: []eviction.Task{left("east", 0, "", "A")}, facts: gone("east"), rules: only(), want: map[string]string{"west": "Apply UnknownOrigin"}},
		"no list, graceful": {reason: "what the mode never injects holds nobody (F6)", targets: "west", tasks: []eviction.Task{leaving(purge.Gracefully, "east", 0, "", "A")}, want: map[string]string{"west": "Apply UnknownOrigin"}},
		"no time":           {reason: "a task without a time is judged like any other", targets: "west", tasks: []eviction.Task{undated(left("east", 0, "east", "A"))}, facts: gone("east"), want: map[string]string{"west": "Apply Injected A of east"}},
	}
}

func severalCopies() map[string]story {
	both := []eviction.Task{left("east", 0, "east west", "A")}
	each := []eviction.Task{left("east", 0, "east west", "A"), left("west", 0, "east west", "B")}
	return map[string]story{
		"targets were east and west":  {reason: "west runs its own copy and gets nothing (F86)", targets: "west", tasks: both, items: copies("west"), want: map[string]string{"west": "Apply AlreadyRunning"}},
		"east gone":                   {reason: "gone or not, west ran before", targets: "west", tasks: both, facts: gone("east"), items: copies("west"), want: map[string]string{"west": "Apply AlreadyRunning"}},
		"west gone":                   {reason: "west's copy is confirmed gone: what comes there is new", targets: "west", tasks: both, facts: gone("east west"), want: map[string]string{"west": "Apply Injected A of east"}},
		"one of two moves on":         {reason: "a partial move: the state is not of the whole (F9)", targets: "north west", tasks: both, facts: gone("east"), items: copies("west"), want: map[string]string{"west": "Apply AlreadyRunning", "north": "Hold SeveralTargets"}},
		"one of two, optional":        {reason: "what nobody requires holds nobody", targets: "north west", tasks: both, facts: gone("east"), rules: only(), want: map[string]string{"west": "Apply AlreadyRunning", "north": "Apply SeveralTargets"}},
		"both, different state":       {reason: "two states, one copy (AmbiguousOrigin)", targets: "north", tasks: each, facts: gone("east west"), want: map[string]string{"north": "Hold AmbiguousOrigin"}},
		"both, running":               {reason: "a copy that exists goes on without", targets: "north", tasks: each, facts: gone("east west"), items: copies("north"), want: map[string]string{"north": "Apply AmbiguousOrigin"}},
		"both, optional":              {reason: "what nobody requires holds nobody", targets: "north", tasks: each, facts: gone("east west"), rules: only(), want: map[string]string{"north": "Apply AmbiguousOrigin"}},
		"both, same state":            {reason: "it does not matter whose it is", targets: "north", tasks: []eviction.Task{left("east", 0, "east west", "A"), left("west", 0, "east west", "A")}, facts: gone("east west"), want: map[string]string{"north": "Apply Injected A of east"}},
		"both, west not gone":         {reason: "every old copy that goes first is awaited", targets: "north", tasks: []eviction.Task{left("east", 0, "east west", "A"), left("west", 0, "east west", "A")}, facts: gone("east"), want: map[string]string{"north": "Hold OldCopyNotGone"}},
		"both, one graceful":          {reason: "what is never injected makes nothing ambiguous", targets: "north", tasks: []eviction.Task{left("east", 0, "east west", "A"), leaving(purge.Gracefully, "west", 60, "west", "B")}, facts: gone("east"), want: map[string]string{"north": "Apply Injected A of east"}},
		"both, one suppressed":        {reason: "the same for Never", targets: "north", tasks: []eviction.Task{left("east", 0, "east west", "A"), leaving(purge.Never, "west", 60, "west", "B")}, facts: gone("east"), want: map[string]string{"north": "Apply Injected A of east"}},
		"both, one graceful, no list": {reason: "nor anything unknown", targets: "north", tasks: []eviction.Task{left("east", 0, "east west", "A"), leaving(purge.Gracefully, "west", 60, "", "B")}, facts: gone("east"), want: map[string]string{"north": "Apply Injected A of east"}},
		"both, one without a mode":    {reason: "what is no mode may be meant to inject", targets: "north", tasks: []eviction.Task{left("east", 0, "east west", "A"), leaving("Later", "west", 60, "west", "B")}, facts: gone("east west"), items: copies("north"), want: map[string]string{"north": "Apply AmbiguousOrigin"}},
		"the same, in one state":      {reason: "and then it keeps the state from Directly, too", targets: "north", tasks: []eviction.Task{left("east", 0, "east west", "A"), leaving("Later", "west", 60, "west", "A")}, facts: gone("east west"), items: copies("north"), want: map[string]string{"north": "Apply ModeNotDirectly"}},
		"both graceful, one required": {reason: "under Gracefully nothing waits", targets: "north", tasks: []eviction.Task{leaving(purge.Gracefully, "east", 0, "east west", "A"), leaving(purge.Gracefully, "west", 0, "east west", "B")}, want: map[string]string{"north": "Apply AmbiguousOrigin"}},
		"two new ones":                {reason: "one state, two copies", targets: "north south", tasks: []eviction.Task{left("east", 0, "east", "A")}, facts: gone("east"), want: map[string]string{"north": "Hold SeveralTargets", "south": "Hold SeveralTargets"}},
		"scaled out": {
			reason: "without a record nobody knows that west received it; north gets no second copy of the state", targets: "west north",
			tasks: []eviction.Task{left("east", 0, "east", "A")}, facts: gone("east"), items: copies("west"), want: map[string]string{"west": "Apply SeveralTargets", "north": "Hold SeveralTargets"},
		},
		"only one old copy awaited": {
			reason: "west's task lists north: it need not wait for west, but for east", targets: "north",
			tasks: []eviction.Task{left("east", 0, "east", ""), left("west", 60, "north west", "")}, want: map[string]string{"north": "Hold OldCopyNotGone"},
		},
		"listed by the awaited": {
			reason: "north ran when west left: it is not held", targets: "north",
			tasks: []eviction.Task{left("west", 60, "north west", "")}, want: map[string]string{"north": "Apply NoState"},
		},
	}
}

func secondFailover() map[string]story {
	ab := []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "B")}
	a0 := []eviction.Task{left("east", 0, "east", "A"), left("west", 60, "west", "")}
	return map[string]story{
		"west never healthy":             {reason: "A goes on (F62)", targets: "north", tasks: ab, facts: gone("east west"), want: map[string]string{"north": "Apply Injected A of east"}},
		"west never healthy, no state":   {reason: "A goes on", targets: "north", tasks: a0, facts: gone("east west"), want: map[string]string{"north": "Apply Injected A of east"}},
		"west healthy":                   {reason: "B, and no value of A", targets: "north", tasks: ab, facts: gone("east west"), healthy: healthy("west", 30), want: map[string]string{"north": "Apply Injected B of west"}},
		"west healthy, no state":         {reason: "A is of the past", targets: "north", tasks: a0, facts: gone("east west"), healthy: healthy("west", 30), want: map[string]string{"north": "Apply NoState"}},
		"east not gone":                  {reason: "every old copy is awaited", targets: "north", tasks: ab, facts: gone("west"), healthy: healthy("west", 30), want: map[string]string{"north": "Hold OldCopyNotGone"}},
		"west not gone":                  {reason: "every old copy is awaited", targets: "north", tasks: ab, facts: gone("east"), want: map[string]string{"north": "Hold OldCopyNotGone"}},
		"east required by others":        {reason: "it is not awaited, west is", targets: "north", tasks: a0, facts: map[string]eviction.Facts{"east": {Presence: purge.Present, RequiredByOthers: true}, "west": {Presence: purge.Present}}, want: map[string]string{"north": "Hold OldCopyNotGone"}},
		"west not gone, north runs":      {reason: "west leaves Directly: its copy is awaited, whatever it received", targets: "north", tasks: a0, facts: gone("east"), items: copies("north"), want: map[string]string{"north": "Apply OldCopyNotGone"}},
		"west leaves gracefully":         {reason: "west received A and may run on with it: never two", targets: "north", tasks: []eviction.Task{left("east", 0, "east", "A"), leaving(purge.Gracefully, "west", 60, "west", "")}, facts: gone("east"), want: map[string]string{"north": "Apply ModeNotDirectly"}},
		"west leaves for good":           {reason: "the same under Never", targets: "north", tasks: []eviction.Task{left("east", 0, "east", "A"), leaving(purge.Never, "west", 60, "west", "B")}, facts: gone("east"), want: map[string]string{"north": "Apply ModeNotDirectly"}},
		"west left gracefully":           {reason: "west is gone, A is free", targets: "north", tasks: []eviction.Task{left("east", 0, "east", "A"), leaving(purge.Gracefully, "west", 60, "west", "")}, facts: gone("east west"), want: map[string]string{"north": "Apply Injected A of east"}},
		"west leaves gracefully, fenced": {reason: "west cannot act, A is free", targets: "north", tasks: []eviction.Task{left("east", 0, "east", "A"), leaving(purge.Gracefully, "west", 60, "west", "")}, facts: map[string]eviction.Facts{"east": {Presence: purge.Gone}, "west": {Fenced: true}}, want: map[string]string{"north": "Apply Injected A of east"}},
		"west healthy, leaves gracefully": {
			reason: "B stays with west", targets: "north", tasks: []eviction.Task{left("east", 0, "east", "A"), leaving(purge.Gracefully, "west", 60, "west", "B")},
			facts: gone("east"), healthy: healthy("west", 30), want: map[string]string{"north": "Apply ModeNotDirectly"},
		},
		"east left gracefully": {
			reason: "A was never given to west, so B counts, healthy or not", targets: "north",
			tasks: []eviction.Task{leaving(purge.Gracefully, "east", 0, "east", "A"), left("west", 60, "west", "B")}, facts: gone("west"), want: map[string]string{"north": "Apply Injected B of west"},
		},
		"east and west left gracefully": {
			reason: "two states that are never injected, and two moves: the first gate that fails is named", targets: "north",
			tasks: []eviction.Task{leaving(purge.Gracefully, "east", 0, "east", "A"), leaving(purge.Gracefully, "west", 60, "west", "A")}, want: map[string]string{"north": "Apply ModeNotDirectly"},
		},
		"east's list unknown": {
			reason: "west may have run beside east", targets: "north", tasks: []eviction.Task{left("east", 0, "", "A"), left("west", 60, "west", "B")},
			facts: gone("east west"), healthy: healthy("west", 30), want: map[string]string{"north": "Hold UnknownOrigin"},
		},
		"in one second": {
			reason: "nobody can tell which is the newer", targets: "north", tasks: []eviction.Task{left("east", 0, "east", "A"), left("west", 0, "west", "B")},
			facts: gone("east west"), healthy: healthy("west", 30), want: map[string]string{"north": "Hold AmbiguousOrigin"},
		},
		"back to east":                 {reason: "two clusters only, both gone: east gets A back", targets: "east", tasks: a0, facts: gone("east west"), want: map[string]string{"east": "Apply Injected A of east"}},
		"back to east, west healthy":   {reason: "east is new for B", targets: "east", tasks: ab, facts: gone("east west"), healthy: healthy("west", 30), want: map[string]string{"east": "Apply Injected B of west"}},
		"back to east, east not gone":  {reason: "the old copy there goes first (E13)", targets: "east", tasks: a0, facts: gone("west"), items: copies("east"), want: map[string]string{"east": "Hold OldCopyNotGone"}},
		"back to east, west not gone":  {reason: "so does the other", targets: "east", tasks: a0, facts: gone("east"), want: map[string]string{"east": "Hold OldCopyNotGone"}},
		"back to east, old items":      {reason: "an undated item of a gone copy is its memory, no copy", targets: "east", tasks: a0, facts: gone("east"), items: copies("east"), want: map[string]string{"east": "Hold OldCopyNotGone"}},
		"back to east, running":        {reason: "the label stays on the new copy", targets: "east", tasks: a0, facts: gone("east west"), items: copies("east"), want: map[string]string{"east": "Apply Injected A of east"}},
		"and back to west":             {reason: "east, back with A, was never healthy: merged and evicted again", targets: "west", tasks: []eviction.Task{left("west", 60, "west", ""), left("east", 120, "east", "A")}, facts: gone("east west"), want: map[string]string{"west": "Apply Injected A of east"}},
		"and back to west, with B":     {reason: "B went to east, which was never healthy: B goes back", targets: "west", tasks: []eviction.Task{left("west", 60, "west", "B"), left("east", 120, "east", "A")}, facts: gone("east west"), healthy: healthy("west", 30), want: map[string]string{"west": "Apply Injected B of west"}},
		"gone is about an older copy":  {reason: "west left before, came back, and ran when east left: its Gone is about the older copy", targets: "west", tasks: []eviction.Task{left("west", 0, "west", ""), left("east", 60, "east west", "A")}, facts: gone("east west"), want: map[string]string{"west": "Apply AlreadyRunning"}},
		"gone at the same time":        {reason: "west left in the same call: its Gone is about the copy of then", targets: "west", tasks: []eviction.Task{left("west", 60, "east west", ""), left("east", 60, "east west", "A")}, facts: gone("east west"), want: map[string]string{"west": "Apply Injected A of east"}},
		"gone, the newest task counts": {reason: "west's second task is as new as the move", targets: "west", tasks: []eviction.Task{left("west", 0, "west", ""), left("west", 60, "east west", ""), left("east", 60, "east west", "A")}, facts: gone("east west"), want: map[string]string{"west": "Apply Injected A of east"}},
	}
}

func observations() map[string]story {
	east := []eviction.Task{left("east", 60, "east", "A")}
	dated := func(item eviction.AggregatedStatusItem, second int) []eviction.AggregatedStatusItem {
		item.ObservedAt = stamp(second)
		return []eviction.AggregatedStatusItem{item}
	}
	west := eviction.AggregatedStatusItem{ClusterName: "west", Applied: true}
	back := []eviction.Task{left("east", 60, "east", "A"), left("west", 120, "west", "")}
	held, applied := map[string]string{"west": "Hold OldCopyNotGone"}, map[string]string{"west": "Apply OldCopyNotGone"}
	return map[string]story{
		"applied":     {reason: "something was applied there", targets: "west", tasks: east, items: copies("west"), want: applied},
		"status only": {reason: "a status is of a copy", targets: "west", tasks: east, items: []eviction.AggregatedStatusItem{{ClusterName: "west", Status: reporting("", "", "{}").Status}}, want: applied},
		"no bytes": {reason: "nothing was collected", targets: "west", tasks: east, items: []eviction.AggregatedStatusItem{func() eviction.AggregatedStatusItem {
			x := reporting("west", "", "{}")
			x.Applied = false
			x.Status.Raw = nil
			return x
		}()}, want: held},
		"one byte": {reason: "whatever it says, something was collected", targets: "west", tasks: east, items: []eviction.AggregatedStatusItem{{ClusterName: "west", Status: reporting("", "", "1").Status}}, want: applied},
		"listed by one": {
			reason: "west was a target when east left, and came after north: the item is of that copy", targets: "west", want: map[string]string{"west": "Apply NoState"},
			tasks: []eviction.Task{left("north", 0, "north", ""), left("east", 60, "east west", "")}, items: dated(west, 30),
		},
		"health only":     {reason: "health alone is no copy: waiting is safe", targets: "west", tasks: east, items: []eviction.AggregatedStatusItem{{ClusterName: "west", Health: eviction.Healthy}}, want: held},
		"another cluster": {reason: "somebody else's copy", targets: "west", tasks: east, items: copies("north"), want: held},
		"an older life":   {reason: "west was no target when east left: the copy seen before is of an older life (F30)", targets: "west", tasks: east, items: dated(west, 59), want: held},
		"since then":      {reason: "seen when east left or later", targets: "west", tasks: east, items: dated(west, 60), want: applied},
		"zero time": {reason: "no time is not known", targets: "west", tasks: east, items: func() []eviction.AggregatedStatusItem {
			x := dated(west, 0)
			x[0].ObservedAt.Time = time.Time{}
			return x
		}(), want: applied},
		"an older life, again": {reason: "one item of the right time is enough", targets: "west", tasks: east, items: append(dated(west, 0), dated(west, 90)...), want: applied},
		"list unknown":         {reason: "west may not have been a target", targets: "west", tasks: []eviction.Task{left("east", 60, "", "")}, items: dated(west, 59), want: held},
		"task not dated":       {reason: "seen before now, and the task is of now", targets: "west", tasks: []eviction.Task{undated(left("east", 60, "east", ""))}, items: dated(west, 60), want: held},
		"listed":               {reason: "west was a target already: the old news is of its copy", targets: "west", tasks: []eviction.Task{left("east", 60, "east west", ""), left("north", 60, "north west", "")}, items: dated(west, 0), want: map[string]string{"west": "Apply NoState"}},
		"own copy gone, older": {reason: "seen before west left", targets: "west", tasks: back, facts: gone("west"), items: dated(west, 100), want: held},
		"own copy gone, newer": {reason: "seen since west left: it is the new one", targets: "west", tasks: back, facts: gone("west"), items: dated(west, 120), want: applied},
		"own copy fenced":      {reason: "a fenced copy is there, and goes first", targets: "west", tasks: back, facts: map[string]eviction.Facts{"west": {Fenced: true}, "east": {Presence: purge.Gone}}, items: dated(west, 120), want: map[string]string{"west": "Hold Fenced"}},
		"own copy required": {
			reason: "it stays: it is a copy, and no new one", targets: "west", tasks: []eviction.Task{left("west", 120, "west", "A"), left("east", 0, "east", "")},
			facts: map[string]eviction.Facts{"west": {Presence: purge.Present, RequiredByOthers: true}}, items: copies("west"), want: map[string]string{"west": "Apply AlreadyRunning"},
		},
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	for group, stories := range map[string]map[string]story{
		"one move": oneMove(), "several copies": severalCopies(), "second failover": secondFailover(), "observations": observations(),
	} {
		for name, tc := range stories {
			t.Run(group+"/"+name, func(t *testing.T) {
				t.Parallel()
				in := tc.input()
				before := text(t, in)
				got := failover.Gate(in)
				if diff := cmp.Diff(tc.want, briefs(got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s\n%+v", tc.reason, diff, got)
				}
				checkAnswers(t, in, got)
				checkOrder(t, in, got)
				for _, g := range got {
					for key := range g.State.Labels {
						g.State.Labels[key] = "changed"
					}
				}
				if diff := cmp.Diff(before, text(t, in)); diff != "" {
					t.Errorf("the input was changed, or the result shares memory with it (-before +after):\n%s", diff)
				}
			})
		}
	}
}

// A decision about another cluster says nothing of this one's own task.
func TestGateHoldsWhatIsNotAssessed(t *testing.T) {
	t.Parallel()
	own, other := left("east", 0, "east", "A"), left("west", 0, "west east", "")
	in := assessed(failover.GateInput{Targets: on("east"), Tasks: []eviction.Task{other}, Items: copies("east"), Clusters: gone("west")}, at(3600))
	in.Tasks = []eviction.Task{own, other}
	if got := failover.Gate(in); got[0].Action != failover.Hold || got[0].Reason != failover.OldCopyNotGone {
		t.Errorf("E13: what runs on east is to be deleted: %+v", got)
	}
}

func TestGateTellsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	a, b := left("east", 0, "east", "A"), left("west", 60, "west", "B")
	cases := map[string]struct {
		reason  string
		tasks   []eviction.Task
		healthy map[string]time.Time
		want    []string
	}{
		"not known":  {reason: "west may have been healthy with B: a person may want to know", tasks: []eviction.Task{b, a}, want: []string{"west"}},
		"sorted":     {reason: "names are sorted, whatever is newest (L3)", tasks: []eviction.Task{a, left("far", 60, "far", "B"), left("west", 120, "west", "C")}, want: []string{"far", "west"}},
		"healthy":    {reason: "B is used", tasks: []eviction.Task{a, b}, healthy: map[string]time.Time{"west": at(30)}},
		"no state":   {reason: "there is nothing to leave out", tasks: []eviction.Task{a, left("west", 60, "west", "")}},
		"same state": {reason: "nothing is lost", tasks: []eviction.Task{a, left("west", 60, "west", "A")}},
		"graceful":   {reason: "what Gracefully preserved is never injected", tasks: []eviction.Task{a, leaving(purge.Gracefully, "west", 60, "east west", "B")}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := failover.Gate(assessed(failover.GateInput{
				Targets: on("north"), Tasks: tc.tasks, Clusters: gone("east far west"), LastHealthy: tc.healthy,
			}, at(3600)))
			if diff := cmp.Diff([][]string{tc.want}, [][]string{got[0].LeftOut}); diff != "" || !got[0].Inject {
				t.Errorf("%s (-want +got):\n%s\n%+v", tc.reason, diff, got)
			}
		})
	}
}

// checkAnswers asserts what holds for every input.
func checkAnswers(tb testing.TB, in failover.GateInput, got []failover.Gated) {
	tb.Helper()
	injected := 0
	for i, g := range got {
		switch {
		case g.Reason == "" || g.Message == "":
			tb.Errorf("no reason or message: %+v", g)
		case g.Action != failover.Apply && g.Action != failover.Hold:
			tb.Errorf("strange action: %+v", g)
		case g.Inject && g.Action == failover.Hold:
			tb.Errorf("held and injected: %+v", g)
		case g.Inject != (g.Reason == failover.Injected), g.Inject == g.State.IsEmpty(), g.Inject == (g.Origin == ""):
			tb.Errorf("inject, reason, state and origin disagree: %+v", g)
		case i > 0 && got[i-1].Cluster >= g.Cluster:
			tb.Errorf("not sorted: %+v", got)
		}
		if g.Inject {
			injected++
			checkInjection(tb, in, g)
		}
	}
	if injected > 1 {
		tb.Errorf("the state goes to %d copies: %+v", injected, got)
	}
}

// checkInjection asserts that the target is new for the move, and that nothing
// that goes first may still run.
func checkInjection(tb testing.TB, in failover.GateInput, g failover.Gated) {
	tb.Helper()
	given := false
	for _, move := range failover.Carry(in.Tasks, in.LastHealthy) {
		if move.Mode != purge.Directly {
			continue
		}
		given = given || move.Origin == g.Origin && move.State.Equal(g.State)
		listed := slices.Contains(move.ClustersBeforeFailover, g.Cluster)
		if len(move.ClustersBeforeFailover) == 0 || listed && in.Clusters[g.Cluster].Presence != purge.Gone {
			tb.Errorf("%s may have run before %s left: %+v", g.Cluster, move.Origin, g)
		}
		if !move.State.Equal(g.State) {
			tb.Errorf("the state of %s is another: %+v", move.Origin, g)
		}
	}
	if !given {
		tb.Errorf("no Directly task of %s carries this state: %+v", g.Origin, g)
	}
	for _, task := range in.Tasks {
		mode, err := purge.Normalize(task.PurgeMode)
		facts := in.Clusters[task.FromCluster]
		free := facts.Presence == purge.Gone || facts.Fenced || facts.Released
		if err == nil && mode == purge.Directly && !free && !slices.Contains(task.ClustersBeforeFailover, g.Cluster) {
			tb.Errorf("the old copy on %s may still run: %+v", task.FromCluster, g)
		}
	}
}

// checkOrder asserts that neither order nor repetition shows.
func checkOrder(tb testing.TB, in failover.GateInput, want []failover.Gated) {
	tb.Helper()
	random := rand.New(rand.NewPCG(1, 2)) // the same each time
	for range 3 {
		in.Targets, in.Tasks, in.Items = twice(random, in.Targets), twice(random, in.Tasks), twice(random, in.Items)
		in.Rules = twice(random, in.Rules)
		if diff := cmp.Diff(text(tb, want), text(tb, failover.Gate(in))); diff != "" {
			tb.Errorf("order or repetition shows (-want +got):\n%s", diff)
		}
	}
}

func twice[T any](random *rand.Rand, list []T) []T {
	out := append(slices.Clone(list), list...)
	random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func TestGateReadsRulesCarefully(t *testing.T) {
	t.Parallel()
	odd := rule(job, "{.job}")
	odd.Policy = "optional"
	tests := map[string]struct {
		reason string
		rules  []preservation.Rule
		want   failover.Action
	}{
		"none":                            {reason: "a value without a rule is Required", want: failover.Hold},
		"required":                        {reason: "empty is Required", rules: []preservation.Rule{rule(job, "{.job}")}, want: failover.Hold},
		"optional":                        {reason: "it may be missing", rules: only(), want: failover.Apply},
		"another":                         {reason: "a rule for another key says nothing", rules: []preservation.Rule{optional(step, "{.step}")}, want: failover.Hold},
		"optional, beside a required one": {reason: "a rule for another key says nothing", rules: append(only(), rule(step, "{.step}")), want: failover.Apply},
		"strange policy":                  {reason: "an unknown text is Required (L6)", rules: []preservation.Rule{odd}, want: failover.Hold},
		"both":                            {reason: "both blocks have a rule for it, one requires it", rules: append(only(), rule(job, "{.job}")), want: failover.Hold},
		"both reversed":                   {reason: "in any order", rules: append([]preservation.Rule{rule(job, "{.job}")}, only()...), want: failover.Hold},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := story{targets: "north south", tasks: []eviction.Task{left("east", 0, "east", "A")}, facts: gone("east"), rules: tc.rules}.input()
			for _, g := range failover.Gate(in) {
				if g.Action != tc.want || g.Reason != failover.SeveralTargets {
					t.Errorf("%s: want %s, got %+v", tc.reason, tc.want, g)
				}
			}
		})
	}
}

// Gate reads of the policy what becomes of missing state (F6), and whether the mode matters (I1).
func TestGateReadsThePolicy(t *testing.T) {
	t.Parallel()
	graceful := []eviction.Task{leaving(purge.Gracefully, "east", 0, "east", "A")}
	directly := []eviction.Task{left("east", 0, "east", "A")}
	receiverLeft := append(slices.Clone(directly), leaving(purge.Gracefully, "south", 60, "south", ""))
	tests := map[string]struct {
		reason    string
		targets   string
		tasks     []eviction.Task
		onMissing preservation.OnMissingState
		anyMode   bool
		want      string
	}{
		"without":            {reason: "a copy may start empty", targets: "west north", tasks: directly, onMissing: preservation.EvictWithout, want: "Apply SeveralTargets"},
		"previous":           {reason: "there is none to choose", targets: "west north", tasks: directly, onMissing: preservation.UsePrevious, want: "Hold SeveralTargets"},
		"block":              {reason: "waits for a person", targets: "west north", tasks: directly, onMissing: preservation.Block, want: "Hold SeveralTargets"},
		"no text":            {reason: "what is unknown lets nothing start (L6)", targets: "west north", tasks: directly, onMissing: "Evictwithout", want: "Hold SeveralTargets"},
		"gracefully":         {reason: "the mode counts, not that east is gone", targets: "west", tasks: graceful, want: "Apply ModeNotDirectly"},
		"gracefully, inject": {reason: "the new copy has it, too", targets: "west", tasks: graceful, anyMode: true, want: "Apply Injected A of east"},
		"gracefully, no one": {reason: "what nobody injects is missed by nobody", targets: "west north", tasks: graceful, want: "Apply SeveralTargets"},
		"receiver left":      {reason: "its old copy has the state", targets: "west", tasks: receiverLeft, want: "Apply ModeNotDirectly"},
		"receiver, inject":   {reason: "and shares it", targets: "west", tasks: receiverLeft, anyMode: true, want: "Apply Injected A of east"},
		"gracefully, misses": {reason: "what is injected is missing state", targets: "west north", tasks: graceful, anyMode: true, want: "Hold SeveralTargets"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := story{targets: tc.targets, tasks: tc.tasks, facts: gone("east")}.input()
			in.OnMissingState, in.InjectWhenNotDirectly = tc.onMissing, tc.anyMode
			for _, g := range failover.Gate(in) {
				if diff := cmp.Diff(tc.want, brief(g)); diff != "" {
					t.Errorf("%s: %s (-want +got):\n%s", tc.reason, g.Cluster, diff)
				}
			}
		})
	}
}

func TestGateNamesFencingAsWaiting(t *testing.T) {
	t.Parallel()
	in := failover.GateInput{Targets: on("west"), Tasks: []eviction.Task{left("east", 0, "east", "A")}}
	in.Assessment = eviction.Assess(eviction.AssessInput{Tasks: in.Tasks, Targets: in.Targets, FencingDeadline: ptr(time.Minute), Now: at(60)})
	if diff := cmp.Diff(purge.NeedsFencing, in.Assessment.Decisions[0].Reason); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"west": "Hold OldCopyNotGone"}, briefs(failover.Gate(in))); diff != "" {
		t.Errorf("whatever is asked of a person, the old copy is awaited (-want +got):\n%s", diff)
	}
}

func TestGateSkipsTargetsWithoutName(t *testing.T) {
	t.Parallel()
	in := story{targets: "west", tasks: []eviction.Task{left("east", 0, "east", "A")}, facts: gone("east")}.input()
	in.Targets = append(in.Targets, eviction.TargetCluster{})
	if diff := cmp.Diff(map[string]string{"west": "Apply Injected A of east"}, briefs(failover.Gate(in))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGateMessages(t *testing.T) {
	t.Parallel()
	east := []eviction.Task{left("east", 0, "east west", "A")}
	tests := map[string]struct {
		story
		message string
	}{
		"no state":   {story{targets: "west"}, "no state waits for a copy"},
		"unknown":    {story{targets: "west", tasks: []eviction.Task{left("east", 0, "", "A")}, facts: gone("east")}, "the task of east does not say which clusters ran the application before; the copy would start without it, so it waits"},
		"running":    {story{targets: "west", tasks: east}, "west ran the application before east was evicted"},
		"ambiguous":  {story{targets: "north", tasks: []eviction.Task{left("east", 0, "east west", "A"), left("west", 0, "east west", "B")}, facts: gone("east west"), items: copies("north")}, "the states of east and west differ"},
		"several":    {story{targets: "north south", tasks: east, facts: gone("east"), rules: only()}, "the state of east can go to one copy only, and the application has several"},
		"mode":       {story{targets: "north", tasks: []eviction.Task{leaving(purge.Never, "east", 0, "east", "A")}}, "the old copy on east does not go first and keeps the state"},
		"carrier":    {story{targets: "north", tasks: []eviction.Task{left("east", 0, "east", "A"), leaving(purge.Never, "west", 60, "west", "")}, facts: gone("east")}, "the old copy on west does not go first and keeps the state"},
		"not gone":   {story{targets: "north", tasks: east, items: copies("north")}, "the old copy on east is neither gone nor fenced"},
		"forgotten":  {story{targets: "north", tasks: east, forgotten: true}, "the old copy on east is neither gone nor fenced: the new copy waits"},
		"injected":   {story{targets: "north", tasks: east, facts: gone("east")}, "the state of east goes along"},
		"a decision": {story{targets: "north", tasks: east}, "held because of east: nobody can tell whether the old copy still runs; the new copy waits until it is gone or fenced"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.message, failover.Gate(tc.input())[0].Message); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestGateNeverTellsState(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t"
	for group, stories := range map[string]map[string]story{"one": oneMove(), "several": severalCopies(), "second": secondFailover()} {
		for name, tc := range stories {
			for i := range tc.tasks {
				for key, value := range tc.tasks[i].PreservedLabelState {
					tc.tasks[i].PreservedLabelState[key] = secret + value
				}
			}
			for _, g := range failover.Gate(tc.input()) {
				if strings.Contains(g.Message+string(g.Reason), secret) {
					t.Errorf("%s/%s: the message tells state: %q", group, name, g.Message)
				}
			}
		}
	}
}
