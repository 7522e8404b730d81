package purge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/purge"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mode   purge.Mode
		want   purge.Mode
		reason string
	}{
		"Directly":    {"Directly", purge.Directly, "P1: a mode is itself"},
		"Gracefully":  {"Gracefully", purge.Gracefully, "P1: a mode is itself"},
		"Never":       {"Never", purge.Never, "P1: a mode is itself"},
		"Immediately": {"Immediately", purge.Directly, "P1: the old name, for ever"},
		"Graciously":  {"Graciously", purge.Gracefully, "P1: the old name, for ever"},
		"empty":       {"", purge.Gracefully, "P2: empty is Gracefully"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := purge.Normalize(tt.mode)
			require.NoError(t, err, tt.reason)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if diff := cmp.Diff(field.ErrorList(nil), purge.ValidateMode(tt.mode, field.NewPath("purgeMode"))); diff != "" {
				t.Errorf("%s: what is normalised is valid (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}

func TestNormalizeRefuses(t *testing.T) {
	t.Parallel()
	const all = "use Directly, Gracefully or Never"
	tests := map[string]struct {
		mode   purge.Mode
		want   purge.ModeError
		text   string
		reason string
	}{
		"lower case": {
			mode: "directly", want: purge.ModeError{Mode: "directly", Hint: purge.Directly},
			text:   `purge mode "directly" is unknown: did you mean "Directly"?`,
			reason: "P3: matching is exact, with a hint",
		},
		"upper case": {
			mode: "GRACEFULLY", want: purge.ModeError{Mode: "GRACEFULLY", Hint: purge.Gracefully},
			text:   `purge mode "GRACEFULLY" is unknown: did you mean "Gracefully"?`,
			reason: "P3: matching is exact, with a hint",
		},
		"mixed case": {
			mode: "nEver", want: purge.ModeError{Mode: "nEver", Hint: purge.Never},
			text:   `purge mode "nEver" is unknown: did you mean "Never"?`,
			reason: "P3: matching is exact, with a hint",
		},
		"old name in lower case": {
			mode: "immediately", want: purge.ModeError{Mode: "immediately", Hint: purge.Directly},
			text:   `purge mode "immediately" is unknown: did you mean "Directly"?`,
			reason: "P1: all that is returned has the new names",
		},
		"the other old name in lower case": {
			mode: "graciously", want: purge.ModeError{Mode: "graciously", Hint: purge.Gracefully},
			text:   `purge mode "graciously" is unknown: did you mean "Gracefully"?`,
			reason: "P1: all that is returned has the new names",
		},
		"white space": {
			mode: " Never\n", want: purge.ModeError{Mode: " Never\n", Hint: purge.Never},
			text:   `purge mode " Never\n" is unknown: did you mean "Never"?`,
			reason: "P3: nothing is trimmed, and the text is quoted",
		},
		"only white space": {
			mode: " ", want: purge.ModeError{Mode: " "},
			text:   `purge mode " " is unknown: ` + all,
			reason: "P2: only the empty text is empty",
		},
		"another word": {
			mode: "Later", want: purge.ModeError{Mode: "Later"},
			text:   `purge mode "Later" is unknown: ` + all,
			reason: "P3: never anything else = Gracefully",
		},
		"a mode and more": {
			mode: "Directly,Never", want: purge.ModeError{Mode: "Directly,Never"},
			text:   `purge mode "Directly,Never" is unknown: ` + all,
			reason: "P3: a part of the text is not the text",
		},
		"control characters": {
			mode: "\x00\xff", want: purge.ModeError{Mode: "\x00\xff"},
			text:   `purge mode "\x00\xff" is unknown: ` + all,
			reason: "L4: any bytes may be stored",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := purge.Normalize(tt.mode)
			var refused *purge.ModeError
			require.ErrorAs(t, err, &refused, tt.reason)
			if refused.Retryable() {
				t.Error("L7: the same text stays no mode")
			}
			if diff := cmp.Diff(tt.want, *refused); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.reason, diff)
			}
			if diff := cmp.Diff(tt.text, err.Error()); diff != "" {
				t.Errorf("%s: text (-want +got)\n%s", tt.reason, diff)
			}
			if diff := cmp.Diff(purge.Mode(""), got); diff != "" {
				t.Errorf("%s: no mode comes with an error (-want +got)\n%s", tt.reason, diff)
			}
			path := field.NewPath("spec", "failover").Child("application", "purgeMode")
			want := field.ErrorList{field.Invalid(path, string(tt.mode), tt.text)}
			if diff := cmp.Diff(want, purge.ValidateMode(tt.mode, path)); diff != "" {
				t.Errorf("%s: validation (-want +got)\n%s", tt.reason, diff)
			}
		})
	}
}

func TestValidateModeWithoutPath(t *testing.T) {
	t.Parallel()
	got := purge.ValidateMode("Later", nil)
	if len(got) != 1 {
		t.Errorf("L4: a nil path is no reason to panic or to pass: got %v", got)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	want := []purge.Mode{purge.Directly, purge.Gracefully, purge.Never}
	got := purge.Modes()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the order is that of the table (-want +got)\n%s", diff)
	}
	got[0] = "changed"
	if diff := cmp.Diff(want, purge.Modes()); diff != "" {
		t.Errorf("L1: the slice is the caller's (-want +got)\n%s", diff)
	}
}
