package eviction_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		change func(*eviction.Eviction)
		want   []string // type and path
	}{
		"Valid": {
			reason: "the fixture itself has no error",
			change: func(*eviction.Eviction) {},
		},
		"NothingSet": {
			reason: "all errors come at once (L7)",
			change: func(e *eviction.Eviction) { *e = eviction.Eviction{} },
			want: []string{
				"FieldValueRequired e.fromCluster", "FieldValueRequired e.producer", "FieldValueRequired e.reason",
			},
		},
		"ReasonAtTheLimit": {
			reason: "E3: 32 characters are allowed",
			change: func(e *eviction.Eviction) { e.Reason = strings.Repeat("R", 32) },
		},
		"ReasonTooLong": {
			reason: "E3: 33 are not",
			change: func(e *eviction.Eviction) { e.Reason = strings.Repeat("R", 33) },
			want:   []string{"FieldValueTooLong e.reason"},
		},
		"ReasonOfOneLetter": {
			reason: "E3: one character is enough",
			change: func(e *eviction.Eviction) { e.Reason = "R" },
		},
		"ReasonWithEveryKindOfCharacter": {
			reason: "E3: Karmada's pattern allows these inside",
			change: func(e *eviction.Eviction) { e.Reason = "a1_,:Z_" },
		},
		"ReasonIsASentence": {
			reason: "F51: one bad reason makes the API server refuse the whole update",
			change: func(e *eviction.Eviction) { e.Reason = "cluster is down: api timeout" },
			want:   []string{"FieldValueInvalid e.reason"},
		},
		"ReasonStartsWithADigit": {
			reason: "E3: a letter comes first",
			change: func(e *eviction.Eviction) { e.Reason = "1Down" },
			want:   []string{"FieldValueInvalid e.reason"},
		},
		"ReasonEndsWithAColon": {
			reason: "E3: no colon and no comma last",
			change: func(e *eviction.Eviction) { e.Reason = "Down:" },
			want:   []string{"FieldValueInvalid e.reason"},
		},
		"ReasonWithALineEnd": {
			reason: "E3: the pattern matches the whole text, not one line of it",
			change: func(e *eviction.Eviction) { e.Reason = "Down\n" },
			want:   []string{"FieldValueInvalid e.reason"},
		},
		"ReasonOfLettersThatAreNotASCII": {
			reason: "E3: the limit counts characters, the pattern refuses these",
			change: func(e *eviction.Eviction) { e.Reason = strings.Repeat("é", 20) },
			want:   []string{"FieldValueInvalid e.reason"},
		},
		"OldModeName": {
			reason: "P1: old names are valid for ever",
			change: func(e *eviction.Eviction) { e.PurgeMode = "Immediately" },
		},
		"EmptyMode": {
			reason: "P2: empty is Gracefully",
			change: func(e *eviction.Eviction) { e.PurgeMode = ""; e.GracePeriodSeconds = ptr(int32(5)) },
		},
		"UnknownMode": {
			reason: "P3: and no second error guesses whether the grace period fits",
			change: func(e *eviction.Eviction) { e.PurgeMode = "gracefully"; e.GracePeriodSeconds = ptr(int32(5)) },
			want:   []string{"FieldValueInvalid e.purgeMode"},
		},
		"GracePeriodOfOne": {
			reason: "E5: greater than 0",
			change: func(e *eviction.Eviction) { e.GracePeriodSeconds = ptr(int32(1)) },
		},
		"GracePeriodZero": {
			reason: "E5: 0 would drop the last copy at once",
			change: func(e *eviction.Eviction) { e.GracePeriodSeconds = ptr(int32(0)) },
			want:   []string{"FieldValueInvalid e.gracePeriodSeconds"},
		},
		"GracePeriodUnderAnOldName": {
			reason: "P1: Graciously is Gracefully",
			change: func(e *eviction.Eviction) { e.PurgeMode = "Graciously"; e.GracePeriodSeconds = ptr(int32(5)) },
		},
		"GracePeriodWithDirectly": {
			reason: "E5, F42",
			change: func(e *eviction.Eviction) { e.PurgeMode = "Immediately"; e.GracePeriodSeconds = ptr(int32(5)) },
			want:   []string{"FieldValueForbidden e.gracePeriodSeconds"},
		},
		"BadGracePeriodWithNever": {
			reason: "E5: both errors",
			change: func(e *eviction.Eviction) { e.PurgeMode = purge.Never; e.GracePeriodSeconds = ptr(int32(-1)) },
			want:   []string{"FieldValueForbidden e.gracePeriodSeconds", "FieldValueInvalid e.gracePeriodSeconds"},
		},
		"SuppressedWithGracePeriod": {
			reason: "P7, F38",
			change: func(e *eviction.Eviction) { e.SuppressDeletion = ptr(true); e.GracePeriodSeconds = ptr(int32(5)) },
			want:   []string{"FieldValueForbidden e.suppressDeletion"},
		},
		"Suppressed": {
			reason: "P7: alone it is valid with every mode",
			change: func(e *eviction.Eviction) { e.PurgeMode = purge.Directly; e.SuppressDeletion = ptr(true) },
		},
		"ConfirmedWithGracePeriod": {
			reason: "P7: only true excludes a grace period",
			change: func(e *eviction.Eviction) { e.SuppressDeletion = ptr(false); e.GracePeriodSeconds = ptr(int32(5)) },
		},
		"NeverConfirmedAtOnce": {
			reason: "P7: Never means that somebody confirms later",
			change: func(e *eviction.Eviction) { e.PurgeMode = purge.Never; e.SuppressDeletion = ptr(false) },
			want:   []string{"FieldValueInvalid e.suppressDeletion"},
		},
		"NeverSuppressed": {
			reason: "P7: says what Never means anyway",
			change: func(e *eviction.Eviction) { e.PurgeMode = purge.Never; e.SuppressDeletion = ptr(true) },
		},
		"State": {
			reason: "an empty value and a key with a prefix are legal",
			change: func(e *eviction.Eviction) { e.PreservedLabelState = map[string]string{"example.com/job": "", "n": "1"} },
		},
		"BadState": {
			reason: "every bad key and value, sorted",
			change: func(e *eviction.Eviction) {
				e.PreservedLabelState = map[string]string{
					"z z": "s3://secret", "a": "s3://secret", "b": "ok", "c": strings.Repeat("x", 64),
				}
			},
			want: []string{
				"FieldValueInvalid e.preservedLabelState[a]", "FieldValueInvalid e.preservedLabelState[c]",
				"FieldValueInvalid e.preservedLabelState[z z]", "FieldValueInvalid e.preservedLabelState[z z]",
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, err := range eviction.Validate(leave("east", tc.change), field.NewPath("e")) {
				got = append(got, string(err.Type)+" "+err.Field)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestValidateNeverPrintsState(t *testing.T) {
	t.Parallel()
	secret := "s3://secret/" + strings.Repeat("x", 80)
	bad := leave("east", func(e *eviction.Eviction) { e.PreservedLabelState = state(secret) })
	errs := eviction.Validate(bad, nil)
	text := errs.ToAggregate().Error()
	for _, err := range errs {
		if err.BadValue != (field.OmitValueType{}) {
			t.Errorf("the error carries a value: %v", err.BadValue)
		}
	}
	if strings.Contains(text, "secret") {
		t.Errorf("the error prints the value: %s", text)
	}
	if !strings.Contains(text, "92 bytes") || !strings.Contains(text, "preservedLabelState[job]") {
		t.Errorf("the error must name the key and the length: %s", text)
	}
}
