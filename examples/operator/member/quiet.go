package member

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Quiet is the error of a write without the words of the API server: those quote what
// it refused, and what is written here holds preserved state, which may be secret (L7).
// The reason and the fields are kept. Other errors, and nil, stay as they are.
func Quiet(err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err
	}
	text := "the API server refuses: " + string(apierrors.ReasonForError(err))
	if details := status.Status().Details; details != nil {
		var fields []string
		for _, cause := range details.Causes {
			if cause.Field != "" {
				fields = append(fields, cause.Field)
			}
		}
		if len(fields) > 0 {
			text += " (" + strings.Join(fields, ", ") + ")"
		}
	}
	return &quietError{text, err}
}

type quietError struct {
	text string
	err  error
}

func (e *quietError) Error() string { return e.text }

func (e *quietError) Unwrap() error { return e.err }
