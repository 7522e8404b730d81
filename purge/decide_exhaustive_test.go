package purge_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/purge"
)

// The exhaustive test runs Decide over every combination of its inputs and
// checks what the rules promise. A promise says what an answer must never, or
// must always, be; none of them knows how Decide finds the answer.
//
// One thing is pruned: inputs with a text that is in no closed set have every
// seventh choice of times. Their promise names the whole answer, so no time can
// change it unseen, they are half of all inputs, and quoting the text makes them
// the slowest. TestDecideUnreadable has all times for a few of them.

const (
	grace     = 60 * time.Second
	soakTime  = 30 * time.Second
	fencing   = 90 * time.Second
	farFuture = 1000 * time.Hour
)

var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// spelling is a text of a closed set, and what the rules say that it means.
type spelling[T ~string] struct {
	text T
	// means is empty for a text that is in no closed set.
	means T
}

func modes() []spelling[purge.Mode] {
	return []spelling[purge.Mode]{
		{"Directly", purge.Directly},
		{"Gracefully", purge.Gracefully},
		{"Never", purge.Never},
		{"Immediately", purge.Directly},
		{"Graciously", purge.Gracefully},
		{"", purge.Gracefully},
		{"Later", ""},
		{"directly", ""},
	}
}

func presences() []spelling[purge.Presence] {
	return []spelling[purge.Presence]{
		{"Present", purge.Present},
		{"Gone", purge.Gone},
		{"Unknown", purge.Unknown},
		{"", purge.Unknown},
		{"gone", ""},
	}
}

func replacements() []spelling[purge.Replacement] {
	return []spelling[purge.Replacement]{
		{"None", purge.None},
		{"Scheduled", purge.Scheduled},
		{"Applied", purge.Applied},
		{"Ready", purge.Ready},
		{"", purge.None},
		{"ready", ""},
	}
}

// timing is one choice of all that is timed but now.
type timing struct {
	created    time.Time
	grace      time.Duration
	soak       time.Duration
	readySince time.Time
	fencing    *time.Duration
	nows       []time.Time
}

func timings() []timing {
	var all []timing
	for _, created := range []time.Time{{}, epoch, epoch.Add(farFuture / 2)} {
		for _, g := range []time.Duration{0, grace, -grace} {
			for _, s := range []time.Duration{0, soakTime} {
				for _, since := range []time.Time{{}, epoch.Add(45 * time.Second), epoch.Add(2000 * time.Second)} {
					for _, f := range []*time.Duration{nil, ptr(fencing), ptr(time.Duration(0))} {
						t := timing{created: created, grace: g, soak: s, readySince: since, fencing: f}
						t.nows = aroundDeadlines(t)
						all = append(all, t)
					}
				}
			}
		}
	}
	return all
}

// aroundDeadlines returns the second before, at and after all deadlines that a
// task of the epoch can have.
func aroundDeadlines(t timing) []time.Time {
	deadlines := []time.Time{epoch.Add(graceOf(t.grace))}
	if t.soak > 0 && !t.readySince.IsZero() {
		deadlines = append(deadlines, t.readySince.Add(t.soak))
	}
	if t.fencing != nil {
		deadlines = append(deadlines, epoch.Add(*t.fencing))
	}
	var nows []time.Time
	for _, deadline := range deadlines {
		nows = append(nows, deadline.Add(-time.Second), deadline, deadline.Add(time.Second))
	}
	return nows
}

func graceOf(d time.Duration) time.Duration {
	if d <= 0 {
		return 600 * time.Second
	}
	return d
}

// everySeventh thins the timings. Seven shares no factor with the sizes of their
// dimensions, so each value of each dimension stays.
func everySeventh(all []timing) []timing {
	var some []timing
	for i := 0; i < len(all); i += 7 {
		some = append(some, all[i])
	}
	return some
}

func ptr[T any](v T) *T { return &v }

// situation is an input with what its texts mean and which times have passed.
type situation struct {
	purge.Input

	mode        purge.Mode
	presence    purge.Presence
	replacement purge.Replacement
	readable    bool
	held        bool // a person, or the mode Never, holds the old copy
	confirmed   bool // a person confirmed its deletion
	graceEnded  bool
	soakEnded   bool
	fencingDue  bool
	timeFixed   bool // the creation time is neither missing nor in the future
}

func (s *situation) gone() bool    { return s.presence == purge.Gone }
func (s *situation) ready() bool   { return s.replacement == purge.Ready }
func (s *situation) applied() bool { return s.replacement == purge.Applied || s.ready() }

// byMode says that nothing stands above the table of modes.
func (s *situation) byMode() bool {
	return s.readable && !s.held && !s.confirmed && !s.RequiredByOthers && !s.gone()
}

// look fills what depends on now.
func (s *situation) look(now time.Time) {
	s.Now = now
	s.timeFixed = !s.Created.IsZero() && !s.Created.After(now)
	s.graceEnded = s.timeFixed && now.Sub(s.Created) >= graceOf(s.GracePeriod)
	s.soakEnded = s.Soak == 0 || !s.ReadySince.IsZero() && now.Sub(s.ReadySince) >= s.Soak
	s.fencingDue = s.FencingDeadline != nil &&
		(s.timeFixed && now.Sub(s.Created) >= *s.FencingDeadline || *s.FencingDeadline == 0)
}

func TestDecideExhaustively(t *testing.T) {
	t.Parallel()
	for _, mode := range modes() {
		t.Run("mode="+string(mode.text), func(t *testing.T) {
			t.Parallel()
			e := explorer{t: t, promises: promises(), timings: timings(), thinned: everySeventh(timings())}
			// The race detector is ten times slower, and has nothing to find in a
			// function of values.
			if testing.Short() || raceDetector {
				e.timings = e.thinned
			}
			e.mode(mode)
			t.Logf("%d inputs, %d decisions", e.inputs, e.decisions)
		})
	}
}

// TestDecideUnreadable has the times that the exhaustive test leaves out for
// texts that are in no closed set, with all else at its most tempting.
func TestDecideUnreadable(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mode        spelling[purge.Mode]
		presence    spelling[purge.Presence]
		replacement spelling[purge.Replacement]
		reason      string
	}{
		"mode":        {modes()[6], presences()[1], replacements()[3], "P3: an unknown mode is never read as another"},
		"presence":    {modes()[0], presences()[4], replacements()[3], "L6: gone in the wrong case is not Gone"},
		"replacement": {modes()[1], presences()[0], replacements()[5], "L6: ready in the wrong case is not Ready"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := explorer{t: t, promises: promises()}
			for _, timing := range timings() {
				s := situate(tt.mode, tt.presence, tt.replacement, ptr(false))
				s.Fenced, s.Released, s.StateCarried = true, true, true
				e.explore(s, timing)
			}
			if t.Failed() {
				t.Log(tt.reason)
			}
		})
	}
}

func situate(
	mode spelling[purge.Mode], presence spelling[purge.Presence], replacement spelling[purge.Replacement], suppress *bool,
) situation {
	s := situation{mode: mode.means, presence: presence.means, replacement: replacement.means}
	s.Mode, s.Presence, s.Replacement, s.SuppressDeletion = mode.text, presence.text, replacement.text, suppress
	s.readable = s.mode != "" && s.presence != "" && s.replacement != ""
	s.held = suppress != nil && *suppress || suppress == nil && s.mode == purge.Never
	s.confirmed = suppress != nil && !*suppress
	return s
}

// explorer runs Decide over inputs, and counts.
type explorer struct {
	t         *testing.T
	promises  []promise
	timings   []timing
	thinned   []timing // for texts that are in no closed set
	inputs    int
	decisions int
}

func (e *explorer) mode(mode spelling[purge.Mode]) {
	for _, presence := range presences() {
		for _, replacement := range replacements() {
			for _, suppress := range []*bool{nil, ptr(true), ptr(false)} {
				e.flags(situate(mode, presence, replacement, suppress))
			}
		}
	}
}

// flags runs the timings under each combination of the five lone flags.
func (e *explorer) flags(s situation) {
	all := e.timings
	if !s.readable {
		all = e.thinned
	}
	for bits := range 1 << 5 {
		s.Fenced, s.SourceHealthy, s.Released = bits&1 != 0, bits&2 != 0, bits&4 != 0
		s.RequiredByOthers, s.StateCarried = bits&8 != 0, bits&16 != 0
		for _, timing := range all {
			e.explore(s, timing)
		}
	}
}

// explore checks one input at each of its instants.
func (e *explorer) explore(s situation, at timing) {
	s.Created, s.GracePeriod, s.Soak, s.ReadySince = at.created, at.grace, at.soak, at.readySince
	s.FencingDeadline = at.fencing
	var before purge.Decision
	for i, now := range at.nows {
		s.look(now)
		e.inputs++
		got := e.decide(s.Input)
		for _, p := range e.promises {
			if !p.holds(&s, &got) {
				e.fail(s.Input, got, p.rule)
			}
		}
		// A name that means itself is only called again, so one instant will do.
		if i == 0 || s.Mode != s.mode {
			e.checkName(&s, &got)
		}
		e.checkTime(&s, &got)
		if i > 0 && s.mode == purge.Directly && (got.Old != before.Old || got.New != before.New || got.Done != before.Done) {
			e.fail(s.Input, got, "P5: under Directly time alone changes what is asked for, not what is done")
		}
		before = got
	}
}

// decide calls Decide, and checks that what the input points to is as it was.
// The input itself is a copy.
func (e *explorer) decide(in purge.Input) purge.Decision {
	e.decisions++
	var suppress bool
	var deadline time.Duration
	if in.SuppressDeletion != nil {
		suppress = *in.SuppressDeletion
	}
	if in.FencingDeadline != nil {
		deadline = *in.FencingDeadline
	}
	got := purge.Decide(in)
	if in.SuppressDeletion != nil && suppress != *in.SuppressDeletion ||
		in.FencingDeadline != nil && deadline != *in.FencingDeadline {
		e.fail(in, got, "L1: inputs are never changed")
	}
	return got
}

// checkName checks that the text of the mode does not matter, only what it
// means; for a text that means itself, that a second call gives the same.
func (e *explorer) checkName(s *situation, got *purge.Decision) {
	in := s.Input
	if s.mode != "" {
		in.Mode = s.mode
	}
	if again := e.decide(in); again != *got {
		e.fail(in, again, "P1, P2, L3: the same decision for each name of a mode, and for each call")
	}
}

// checkTime checks that the decision stays until its next check, and changes
// then; without one, that it stays for ever.
func (e *explorer) checkTime(s *situation, got *purge.Decision) {
	check := got.NextCheck
	if !check.OK {
		e.expectSame(s.Input, *got, farFuture)
		return
	}
	for _, wait := range []time.Duration{time.Second, check.After / 2 / time.Second * time.Second, check.After - time.Second} {
		if wait < check.After {
			e.expectSame(s.Input, *got, wait)
		}
	}
	in := s.Input
	in.Now = in.Now.Add(check.After)
	// The deadlines of a task without a creation time, or with one of the future,
	// move along with now, so only the check is promised (E6).
	if then := e.decide(in); s.timeFixed && sameButCheck(*got, then) {
		e.fail(in, then, "L5: something changes at the next check")
	}
}

func (e *explorer) expectSame(in purge.Input, want purge.Decision, wait time.Duration) {
	in.Now = in.Now.Add(wait)
	if got := e.decide(in); !sameButCheck(want, got) {
		e.fail(in, got, "L5: nothing changes before the next check, or ever without one; "+cmp.Diff(want, got))
	}
}

func sameButCheck(a, b purge.Decision) bool {
	a.NextCheck, b.NextCheck = purge.NextCheck{}, purge.NextCheck{}
	return a == b
}

func (e *explorer) fail(in purge.Input, got purge.Decision, rule string) {
	e.t.Helper()
	flag, deadline := "nil", "nil"
	if in.SuppressDeletion != nil {
		flag = strconv.FormatBool(*in.SuppressDeletion)
	}
	if in.FencingDeadline != nil {
		deadline = in.FencingDeadline.String()
	}
	e.t.Fatalf("%s\ninput: %+v\nsuppressDeletion: %s, fencing deadline: %s\ngot: %+v", rule, in, flag, deadline, got)
}
