package preservation

// Target is the kind of place that a value is written to; more will follow.
type Target string

// Label is a key of the object's metadata.labels.
const Label Target = "Label"

// Effect says what an injection did to one key.
type Effect string

const (
	// Written means that the key was not there.
	Written Effect = "Written"
	// Replaced means that the key held another value, which Change.Old keeps.
	Replaced Effect = "Replaced"
	// Unchanged means that the key held the value already.
	Unchanged Effect = "Unchanged"
	// Removed means that the key belonged to an older failover and the newer
	// state has no value for it; Change.Old keeps what it held (I6).
	Removed Effect = "Removed"
)

// Change is what an injection did to one key (I2).
type Change struct {
	// Target is the kind of place; Key names it there.
	Target Target `json:"target"`
	Key    string `json:"key"`
	// Effect says what was done.
	Effect Effect `json:"effect"`
	// Value is what the key holds now; empty for Removed.
	Value string `json:"value,omitempty"`
	// Old is what the key held before; empty for Written.
	Old string `json:"old,omitempty"`
}

// Report says what an injection did, for the caller's eyes and for [Remove] (I2,
// I6). It survives a JSON round trip. It holds state: do not print it where the
// state must not be seen. The zero value is an injection that changed nothing.
type Report struct {
	// Changes has one entry for each key of the state and each key removed,
	// sorted by key.
	Changes []Change `json:"changes,omitempty"`
	// LabelsCreated says that the manifest had no labels before, and LabelsNull
	// that it had them as null.
	LabelsCreated bool `json:"labelsCreated,omitempty"`
	LabelsNull    bool `json:"labelsNull,omitempty"`
}
