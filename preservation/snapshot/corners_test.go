package snapshot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// TestParseTimeDigits is R4: every digit is one, and what is beside them is not.
func TestParseTimeDigits(t *testing.T) {
	t.Parallel()
	got, err := snapshot.ParseTime("1999999999")
	if err != nil || !got.Equal(time.Unix(1999999999, 0)) {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"10:30", "12a", "abc"} {
		if _, err := snapshot.ParseTime(text); err == nil || strings.Contains(err.Error(), "out of range") {
			t.Errorf("%q is read as a number: %v", text, err)
		}
	}
}

// TestFreshnessAgeOfNothing is R3: what nobody can name, or is nowhere, has no age.
func TestFreshnessAgeOfNothing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, s := range map[string]snapshot.Snapshot{
		"unnamed":             {Unnamed: true, TakenAt: now.Add(-time.Minute)},
		"unnamed, and a path": {Unnamed: true, Location: "s3p://a", TakenAt: now.Add(-time.Minute)},
		"no location":         {TakenAt: now.Add(-time.Minute)},
	} {
		if got := snapshot.Freshness(snapshot.Input{Snapshot: s, Limit: snapshot.Unlimited(), Now: now}); got.AgeKnown || got.Age != 0 {
			t.Errorf("%s: age %v, known %t", name, got.Age, got.AgeKnown)
		}
	}
}
