package purge

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Mode says what happens to the old copy when its cluster is evicted.
//
// It is a wire type without custom decoding (P1): decoding keeps the text that
// was stored, and every function that takes a mode normalises it first. What
// the library returns always has one of the three names below.
type Mode string

const (
	// Directly deletes the old copy at once and holds the new one until the old
	// one is confirmed gone, or fenced (P5).
	Directly Mode = "Directly"
	// Gracefully creates the new copy at once and keeps the old one until the
	// replacement is healthy, or the grace period ended (P6).
	Gracefully Mode = "Gracefully"
	// Never creates the new copy at once and keeps the old one until a person
	// says otherwise (P7).
	Never Mode = "Never"
)

// The names of older Karmada releases. Stored objects hold them for ever (P1).
const (
	aliasImmediately Mode = "Immediately"
	aliasGraciously  Mode = "Graciously"
)

// Modes returns the three modes, in the order of the table in the package
// comment, without their old names (P1). The slice is the caller's.
func Modes() []Mode { return []Mode{Directly, Gracefully, Never} }

// Normalize returns the mode that a stored text means (P1, P2, P3):
//
//  1. Directly, Gracefully and Never are themselves.
//  2. Immediately is Directly, Graciously is Gracefully (P1).
//  3. The empty text is Gracefully (P2).
//  4. Anything else is a [*ModeError], with a hint where only the case is wrong
//     (P3). Matching is exact; white space is not trimmed.
//
// Normalize is idempotent: what it returns without an error it returns again.
func Normalize(m Mode) (Mode, error) {
	switch m {
	case Directly, aliasImmediately:
		return Directly, nil
	case Gracefully, aliasGraciously, "":
		return Gracefully, nil
	case Never:
		return Never, nil
	default:
		return "", &ModeError{Mode: m, Hint: hint(m)}
	}
}

// hint names the mode whose name, new or old, differs from m in case or in
// surrounding white space only; empty if there is none. It never teaches an old
// name (P1).
func hint(m Mode) Mode {
	switch strings.ToLower(strings.TrimSpace(string(m))) {
	case "directly", "immediately":
		return Directly
	case "gracefully", "graciously":
		return Gracefully
	case "never":
		return Never
	default:
		return ""
	}
}

// ModeError says that a text is no purge mode (P3). A retry cannot help.
type ModeError struct {
	// Mode is the text as it was given (P1).
	Mode Mode
	// Hint is the mode that was probably meant, by its new name; empty if none is
	// close (P3).
	Hint Mode
}

// Error names the text and, where one is close, the mode that was meant (L7).
func (e *ModeError) Error() string {
	if e.Hint != "" {
		return fmt.Sprintf("purge mode %q is unknown: did you mean %q?", string(e.Mode), string(e.Hint))
	}
	return fmt.Sprintf("purge mode %q is unknown: use Directly, Gracefully or Never", string(e.Mode))
}

// Retryable is false: the same text stays no mode (L7).
func (*ModeError) Retryable() bool { return false }

// ValidateMode refuses a text that [Normalize] refuses, at path (P3, L7). Empty
// and the old names are valid. The list has one error or none; nil = valid.
func ValidateMode(m Mode, path *field.Path) field.ErrorList {
	if _, err := Normalize(m); err != nil {
		return field.ErrorList{field.Invalid(path, string(m), err.Error())}
	}
	return nil
}
