package preservation

// PodTemplateLabel is a label of the pod template, as it stands in a report: it
// is written beside Label where [InjectOptions] ask for it, and no rule names it
// (I4).
const PodTemplateLabel Target = "PodTemplateLabel"

// Effect says what an injection did to one key (I2).
type Effect string

const (
	// Written means that the key was not there.
	Written Effect = "Written"
	// Replaced means that the key held another value, which Change.Old keeps.
	Replaced Effect = "Replaced"
	// Unchanged means that the key held the value already.
	Unchanged Effect = "Unchanged"
	// Kept means that the key holds another value and that its rule keeps it;
	// Change.Old is what it holds.
	Kept Effect = "Kept"
	// Conflicted means that the key holds another value and that its rule says
	// Fail, so that nothing was injected; Change.Old is what it holds, and
	// Change.Value what it was to hold.
	Conflicted Effect = "Conflict"
	// Removed means that the key belonged to an older failover and the newer
	// state has no value for it; Change.Old keeps what it held (I6).
	Removed Effect = "Removed"
)

// Change is what an injection did to one key (I2).
//
// +kubebuilder:object:generate=true
type Change struct {
	Ref `json:",inline"`
	// Effect says what was done.
	Effect Effect `json:"effect"`
	// Value is what the key holds now; for a Field as JSON. Empty for Kept and
	// Removed.
	Value string `json:"value,omitempty"`
	// Old is what the key held before; for a Field as JSON. Empty for Written.
	Old string `json:"old,omitempty"`
}

// Report says what an injection did, for the caller's eyes and for [Remove] (I2,
// I6). It survives a JSON round trip. It holds state: do not print it where the
// state must not be seen. The zero value is an injection that changed nothing.
//
// +kubebuilder:object:generate=true
type Report struct {
	// Changes has one entry for each key of the state and each key removed,
	// sorted by target and key.
	// +listType=atomic
	Changes []Change `json:"changes,omitempty"`
	// Created lists the targets whose map of texts the manifest did not have, and
	// Null those that it had as null; sorted.
	// +listType=atomic
	Created []Target `json:"created,omitempty"`
	// +listType=atomic
	Null []Target `json:"null,omitempty"`
	// PodMetadataCreated says that the pod template had no metadata to hold labels.
	PodMetadataCreated bool `json:"podMetadataCreated,omitempty"`
}
