package eviction

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// RefusedError says that [Evict] did not carry out one eviction because it is
// invalid. A retry with the same eviction cannot help. It holds no preserved
// state (L7). errors.As also finds the single *field.Error values.
type RefusedError struct {
	// Index of the eviction in the input.
	Index int
	// Cluster that it names; may be empty.
	Cluster string
	// Errors are what [Validate] said, under the path evictions[Index].
	Errors field.ErrorList
}

// Error names the cluster and all that is wrong (L7).
func (e *RefusedError) Error() string {
	return fmt.Sprintf("eviction %d, of cluster %q, is refused: %v", e.Index, e.Cluster, e.Errors.ToAggregate())
}

// Retryable is false: the same eviction is refused again (L7).
func (*RefusedError) Retryable() bool { return false }

// Unwrap returns the single errors (L7).
func (e *RefusedError) Unwrap() []error {
	out := make([]error, 0, len(e.Errors))
	for _, one := range e.Errors {
		out = append(out, one)
	}
	return out
}
