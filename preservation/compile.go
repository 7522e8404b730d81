package preservation

import (
	"errors"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// Extractor holds compiled rules, and the path to the time of the state. It is
// immutable, safe for concurrent use, and meant to be made once per policy, by
// [Compile] (S2). Nil and the zero value have neither.
type Extractor struct {
	rules   []compiled
	takenAt *compiled // nil = nobody asks
	plans   []plan    // of documents that are given as JSON
	found   int       // how many values the plans look for
}

// compiled is one rule with its parsed template. It shares nothing with the
// caller's rule.
type compiled struct {
	index    int
	rule     Rule
	template *jsonpath.Template
	key      Ref       // what it fills
	path     fieldPath // of a Field
	slots    []int     // of the values that the paths of the template start from
}

// Compile validates the rules and takenAt, and prepares them for
// [Extractor.Extract] (S1, S2).
//
// The error joins all that [Validate] finds with the same protection, nested under
// statePreservation; errors.As finds the first *field.Error in it. The extractor
// keeps a copy of the rules. No rules give an extractor without any, which still
// reads the time if takenAt is there.
func Compile(sp StatePreservation, protection Protection) (*Extractor, error) {
	x, found := check(sp, protection, field.NewPath("statePreservation"))
	if len(found) == 0 {
		x.plan()
		return x, nil
	}
	var errs []error
	for _, err := range found {
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}
