package preservation

import "maps"

// State is what the next copy of an application receives. The zero value is empty.
type State struct {
	// Labels are written to the metadata of the object, by key. As Karmada's
	// preservedLabelState they travel in an eviction task.
	Labels map[string]string `json:"labels,omitempty"`
}

// IsEmpty reports whether there is nothing to receive.
func (s State) IsEmpty() bool { return len(s.Labels) == 0 }

// Equal reports whether both hold the same values; nil and empty are equal.
func (s State) Equal(other State) bool { return maps.Equal(s.Labels, other.Labels) }
