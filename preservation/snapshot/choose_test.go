package snapshot_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// TestChoose is 1.5 of docs/flink.md row by row, and what is beyond it.
func TestChoose(t *testing.T) {
	t.Parallel()
	const pin = "s3p://bucket/pin"
	latest := aged(0)
	inherited := snapshot.Snapshot{Location: "s3p://bucket/inherited", TakenAt: noon.Add(-hour)}
	explicit := snapshot.Snapshot{Location: pin}
	unnamed := snapshot.Snapshot{Location: "KUBERNETES_OPERATOR_LAST_STATE", Unnamed: true}
	lostLatest := snapshot.Loser{Source: snapshot.SourceLatest, Snapshot: latest, Reason: snapshot.Outranked}
	lostInherited := snapshot.Loser{Source: snapshot.SourceInherited, Snapshot: inherited, Reason: snapshot.Outranked}
	lostPin := snapshot.Loser{Source: snapshot.SourceExplicit, Snapshot: explicit, Reason: snapshot.PinNotNew}
	tests := map[string]struct {
		c      snapshot.Candidates
		want   snapshot.Choice
		reason string
	}{
		"1.5 changed, explicit set": {
			snapshot.Candidates{Explicit: pin, ExplicitChanged: true, Latest: latest, Inherited: inherited},
			snapshot.Choice{
				Source: snapshot.SourceExplicit, Snapshot: explicit, Reason: snapshot.RevisionChanged,
				Lost: []snapshot.Loser{lostLatest, lostInherited},
			},
			"explicit, and without the time of the latest (1.1: a difference)",
		},
		"1.5 changed, explicit blank": {
			snapshot.Candidates{Explicit: "  ", ExplicitChanged: true, Latest: latest, Inherited: inherited},
			snapshot.Choice{
				Source: snapshot.SourceLatest, Snapshot: latest, Reason: snapshot.LatestRecorded, Lost: []snapshot.Loser{lostInherited},
			},
			"latest",
		},
		"1.5 changed, explicit blank, no latest": {
			snapshot.Candidates{ExplicitChanged: true, Inherited: inherited},
			snapshot.Choice{Source: snapshot.SourceInherited, Snapshot: inherited, Reason: snapshot.LastStartPoint},
			"what the old job was started from",
		},
		"1.5 unchanged, latest": {
			snapshot.Candidates{Explicit: pin, Latest: latest, Inherited: inherited},
			snapshot.Choice{
				Source: snapshot.SourceLatest, Snapshot: latest, Reason: snapshot.LatestRecorded,
				Lost: []snapshot.Loser{lostInherited, lostPin},
			},
			"F82: an old pin does not win, and is reported",
		},
		"1.5 unchanged, no latest": {
			snapshot.Candidates{Explicit: pin, Inherited: inherited},
			snapshot.Choice{
				Source: snapshot.SourceInherited, Snapshot: inherited, Reason: snapshot.LastStartPoint, Lost: []snapshot.Loser{lostPin},
			},
			"inherited",
		},
		"1.5 first start": {
			snapshot.Candidates{Explicit: pin},
			snapshot.Choice{Source: snapshot.SourceExplicit, Snapshot: explicit, Reason: snapshot.FirstStart},
			"explicit",
		},
		"1.5 first start, changed": {
			snapshot.Candidates{Explicit: pin, ExplicitChanged: true},
			snapshot.Choice{Source: snapshot.SourceExplicit, Snapshot: explicit, Reason: snapshot.RevisionChanged},
			"explicit",
		},
		"1.5 nothing": {
			snapshot.Candidates{Explicit: "0", Latest: snapshot.Snapshot{Location: "null", Final: true}, Inherited: snapshot.Snapshot{Location: " "}},
			snapshot.Choice{Source: snapshot.SourceNone, Reason: snapshot.NothingRecorded},
			"none, and it says so: spotify starts empty in silence",
		},
		"2.2 latest unnamed": {
			snapshot.Candidates{Explicit: pin, Latest: unnamed, Inherited: inherited},
			snapshot.Choice{
				Source: snapshot.SourceUnknown, Snapshot: snapshot.Snapshot{Unnamed: true}, Reason: snapshot.StateUnnamed,
				Lost: []snapshot.Loser{lostInherited, lostPin},
			},
			"row 3: manual restore required, never an older one",
		},
		"2.5 latest unnamed, manual": {
			snapshot.Candidates{Explicit: pin, ExplicitChanged: true, Latest: unnamed},
			snapshot.Choice{
				Source: snapshot.SourceExplicit, Snapshot: explicit, Reason: snapshot.RevisionChanged,
				Lost: []snapshot.Loser{{Source: snapshot.SourceLatest, Snapshot: unnamed, Reason: snapshot.Outranked}},
			},
			"the manual restore",
		},
		"2.3 latest unnamed, no text at all": {
			snapshot.Candidates{Latest: snapshot.Snapshot{Unnamed: true}, Inherited: inherited},
			snapshot.Choice{
				Source: snapshot.SourceUnknown, Snapshot: snapshot.Snapshot{Unnamed: true}, Reason: snapshot.StateUnnamed,
				Lost: []snapshot.Loser{lostInherited},
			},
			"the mark alone says that a state exists",
		},
		"inherited unnamed, no text at all": {
			snapshot.Candidates{Explicit: pin, Inherited: snapshot.Snapshot{Unnamed: true}},
			snapshot.Choice{
				Source: snapshot.SourceUnknown, Snapshot: snapshot.Snapshot{Unnamed: true}, Reason: snapshot.StateUnnamed,
				Lost: []snapshot.Loser{lostPin},
			},
			"the mark alone says that a state exists",
		},
		"explicit, final latest": {
			snapshot.Candidates{Explicit: pin, ExplicitChanged: true, Latest: final()},
			snapshot.Choice{
				Source: snapshot.SourceExplicit, Snapshot: explicit, Reason: snapshot.RevisionChanged,
				Lost: []snapshot.Loser{{Source: snapshot.SourceLatest, Snapshot: final(), Reason: snapshot.Outranked}},
			},
			"R5: it does not inherit finality either",
		},
		"inherited unnamed": {
			snapshot.Candidates{Inherited: unnamed},
			snapshot.Choice{Source: snapshot.SourceUnknown, Snapshot: snapshot.Snapshot{Unnamed: true}, Reason: snapshot.StateUnnamed},
			"R2: a state exists",
		},
		"zero": {
			snapshot.Candidates{}, snapshot.Choice{Source: snapshot.SourceNone, Reason: snapshot.NothingRecorded}, "R5",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := snapshot.Choose(tt.c)
			tt.want.Message = got.Message
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if got.Message == "" || strings.Contains(got.Message, "s3p") {
				t.Errorf("L5, L7: message %q", got.Message)
			}
			if diff := cmp.Diff(got, snapshot.Choose(tt.c)); diff != "" {
				t.Errorf("L3: (-first +second)\n%s", diff)
			}
		})
	}
}
