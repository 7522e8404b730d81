package snapshot_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// TestPhases is 1.3 of docs/flink.md, reduced to the phases of R9.
func TestPhases(t *testing.T) {
	t.Parallel()
	type predicates struct{ Active, Stopped, Failure, Terminal, TerminalMoving bool }
	tests := map[snapshot.Phase]struct {
		want   predicates
		reason string
	}{
		snapshot.PhasePending:   {predicates{}, "1.3: IsPending only"},
		snapshot.PhaseStarting:  {predicates{Active: true}, "1.3: Deploying is active"},
		snapshot.PhaseRunning:   {predicates{Active: true}, "1.3: active"},
		snapshot.PhaseSucceeded: {predicates{Stopped: true, Terminal: true, TerminalMoving: true}, "1.3: stopped, and done"},
		snapshot.PhaseFailed:    {predicates{Stopped: true, Failure: true}, "1.3: stopped; 1.4 decides whether for good"},
		snapshot.PhaseCancelled: {predicates{Stopped: true, Terminal: true}, "1.7: cancelled in order to move is not terminal"},
		snapshot.PhaseLost:      {predicates{Failure: true}, "R9, a difference: Lost is not known to have stopped"},
		snapshot.PhaseUnknown:   {predicates{}, "1.3: none of the four"},
		"running":               {predicates{}, "L6: an unknown text is nothing"},
		"":                      {predicates{}, "R9: empty is Unknown"},
	}
	for phase, tt := range tests {
		t.Run("phase="+string(phase), func(t *testing.T) {
			t.Parallel()
			got := predicates{phase.Active(), phase.Stopped(), phase.Failure(), phase.Terminal(false), phase.Terminal(true)}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
	if len(snapshot.Phases()) != len(tests)-2 {
		t.Errorf("R9: %d phases", len(snapshot.Phases()))
	}
}

func TestParsePhase(t *testing.T) {
	t.Parallel()
	for _, p := range snapshot.Phases() {
		got, err := snapshot.ParsePhase(string(p))
		require.NoError(t, err)
		if got != p {
			t.Errorf("R9: %q gives %q", p, got)
		}
	}
	got, err := snapshot.ParsePhase("")
	require.NoError(t, err)
	if got != snapshot.PhaseUnknown {
		t.Errorf("R9: empty gives %q", got)
	}
	got, err = snapshot.ParsePhase("RUNNING")
	var typed *snapshot.TextError
	require.ErrorAs(t, err, &typed)
	if got != "" || typed.Text != "RUNNING" || typed.Retryable() || typed.Error() != `phase "RUNNING" is unknown` {
		t.Errorf("L6: %q, %v", got, err)
	}
}

// TestLongText: a text from a status may be of any length, and hold anything (L4, L7).
func TestLongText(t *testing.T) {
	t.Parallel()
	_, err := snapshot.ParsePhase(strings.Repeat("ü", 64) + "secret")
	require.Error(t, err)
	if diff := cmp.Diff(`phase "`+strings.Repeat("ü", 64)+`" is unknown`, err.Error()); diff != "" {
		t.Errorf("L4: (-want +got)\n%s", diff)
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		limit  snapshot.Limit
		text   string
		errs   int
		reason string
	}{
		"zero":       {snapshot.Limit{}, "FinalOnly", 0, "R2: the default"},
		"final only": {snapshot.FinalOnly(), "FinalOnly", 0, "R2"},
		"seconds":    {snapshot.Seconds(90), "90s", 0, "R2"},
		"none":       {snapshot.Seconds(0), "0s", 0, "1.2: 0 and the same instant is fresh"},
		"unlimited":  {snapshot.Unlimited(), "Unlimited", 0, "R2"},
		"negative":   {snapshot.Seconds(-1), "-1s", 1, "1.1: min 0"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs := snapshot.ValidateLimit(tt.limit, field.NewPath("spec", "maxStateAgeSeconds"))
			if tt.limit.String() != tt.text || len(errs) != tt.errs {
				t.Errorf("%s: %s, %v", tt.reason, tt.limit, errs)
			}
			for _, err := range errs {
				if err.Field != "spec.maxStateAgeSeconds" || err.Type != field.ErrorTypeInvalid {
					t.Errorf("L7: %v", err)
				}
			}
		})
	}
	if snapshot.FinalOnly() == snapshot.Seconds(0) || snapshot.Seconds(1) == snapshot.Seconds(2) {
		t.Error("R2: limits differ")
	}
}
