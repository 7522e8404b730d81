package preservation

import (
	"cmp"
	"slices"
)

// Rule extracts one value (S4) and names the place that receives it (S8).
// AliasLabelName and JSONPath are Karmada's; the other fields are extensions, which
// Karmada's CRD prunes. Never store a rule that uses them where a schema removes
// fields that it does not know: without its target a Field rule is a Label rule.
//
// +kubebuilder:object:generate=true
type Rule struct {
	// AliasLabelName is the key of the label or annotation to write. It must be a
	// legal label key, appear once for its target, and not be protected (S11). A
	// Field rule may leave it empty; it then only names the rule in messages.
	AliasLabelName string `json:"aliasLabelName"`
	// JSONPath is a kubectl JSONPath template rooted at the document that From
	// names, which is the status by default and not the object:
	// {.jobStatus.jobId}. Text outside braces is kept, so that
	// s3p://ckpt/{.jobStatus.jobId} is a template too. White space around the
	// template is ignored (S7). The package comment has valid and invalid ones.
	JSONPath string `json:"jsonPath"`
	// From names the document to read; empty = Status.
	From Source `json:"from,omitempty"`
	// Target is the kind of place that receives the value; empty = Label.
	Target Target `json:"target,omitempty"`
	// FieldPath is where a Field rule writes: a path of keys and list indexes from
	// the root of the manifest, such as .spec.job.initialSavepointPath or
	// .spec.volumes[0].name. A dot in a key is written \. (I5).
	FieldPath string `json:"fieldPath,omitempty"`
	// Policy says whether a failover may go on without the value; empty =
	// Required.
	Policy RulePolicy `json:"policy,omitempty"`
	// Default is the value where the document has none; empty = no default. It
	// applies after Reject and must be legal for the target (S4). For a Field it
	// is text. It stands in for a value of class MissingKey only: a status that
	// was not collected, or that holds something else than expected, is no reason
	// to assume a value.
	Default string `json:"default,omitempty"`
	// Reject lists values that count as missing, such as placeholders that an
	// operator writes for "unknown" (S4). It is compared with the text of each hit
	// and with the whole, byte by byte.
	Reject []string `json:"reject,omitempty"`
	// Join is put between several hits of one path; empty = several hits are an
	// error (S5). If one hit is missing, the whole is (S4).
	Join string `json:"join,omitempty"`
	// Conflict says what to do where the manifest holds another value already;
	// empty = Replace. What was there is always reported (I2).
	Conflict Conflict `json:"conflict,omitempty"`
}

// RulePolicy says what a rule without a value means (S10).
type RulePolicy string

const (
	// Required means that the application must not move without the value (S10).
	Required RulePolicy = "Required"
	// Optional means that it may (S10).
	Optional RulePolicy = "Optional"
)

// Target is the kind of place that a value is written to, and says which values are
// legal there (S8).
type Target string

const (
	// Label is a key of the object's metadata.labels (I4): 63 characters of the label
	// alphabet (S8).
	Label Target = "Label"
	// Annotation is a key of the object's metadata.annotations (I4): any text, objects
	// and lists as compact JSON (S6), 256 KiB for all annotations together (S8).
	Annotation Target = "Annotation"
	// Field is a field of the object, named by FieldPath (I5). A template that is one
	// single path keeps the type of its hit; any other gives text (S6).
	Field Target = "Field"
)

// Conflict says what to do where the manifest holds another value already. What was
// there is always reported (I2).
type Conflict string

const (
	// Replace writes the value all the same.
	Replace Conflict = "Replace"
	// KeepExisting leaves what is there.
	KeepExisting Conflict = "Keep"
	// Fail makes the injection an error (I2).
	Fail Conflict = "Fail"
)

// withDefaults returns the rule with its choices spelled out. It shares nothing
// with r but texts.
func (r Rule) withDefaults() Rule {
	r.From = cmp.Or(r.From, FromStatus)
	r.Target = cmp.Or(r.Target, Label)
	r.Policy = cmp.Or(r.Policy, Required)
	r.Conflict = cmp.Or(r.Conflict, Replace)
	r.Reject = slices.Clone(r.Reject)
	return r
}
