package purge_test

import (
	"errors"
	"testing"

	"github.com/carryover-io/carryover/purge"
)

// FuzzNormalize looks for a text that is read as a mode and is none, or that
// would let Decide act (L6).
func FuzzNormalize(f *testing.F) {
	for _, mode := range modes() {
		f.Add(string(mode.text))
	}
	for _, text := range []string{"never ", "GRACIOUSLY", "Gracefully\x00", "\xff", "Graciouſly", "Dir\u200bectly", "null", "<no value>"} {
		f.Add(text)
	}
	accepted := map[string]purge.Mode{
		"Directly": purge.Directly, "Immediately": purge.Directly,
		"Gracefully": purge.Gracefully, "Graciously": purge.Gracefully, "": purge.Gracefully,
		"Never": purge.Never,
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := purge.Normalize(purge.Mode(text))
		if want := accepted[text]; got != want || (err == nil) != (want != "") {
			t.Fatalf("P1 to P3: %q is read as %q, %v", text, got, err)
		}
		if (err == nil) != (len(purge.ValidateMode(purge.Mode(text), nil)) == 0) {
			t.Fatalf("P3: validation and normalisation disagree about %q", text)
		}
		if err == nil {
			if again, err := purge.Normalize(got); again != got || err != nil {
				t.Fatalf("idempotent: %q, then %q, %v", got, again, err)
			}
			return
		}

		var refused *purge.ModeError
		if !errors.As(err, &refused) || string(refused.Mode) != text {
			t.Fatalf("L7: %q is refused with %#v", text, err)
		}
		if refused.Hint != "" && accepted[string(refused.Hint)] != refused.Hint {
			t.Fatalf("P1: the hint for %q is %q, which is no new name", text, refused.Hint)
		}
		// Everything else calls for action: the copy is gone, and a person agreed.
		d := purge.Decide(purge.Input{
			Mode: purge.Mode(text), Presence: purge.Gone, Replacement: purge.Ready, Fenced: true, Released: true,
			StateCarried: true, SuppressDeletion: ptr(false), Created: epoch, Now: epoch.Add(farFuture),
		})
		if d.Old != purge.Keep || d.New != purge.Hold || d.Done || d.Reason != purge.InvalidMode {
			t.Fatalf("L6: the mode %q fails open: %+v", text, d)
		}
	})
}
