package preservation

// StatePreservation lists the rules that say which state goes along. Its JSON is
// Karmada's.
type StatePreservation struct {
	// Rules are evaluated in order; each fills one target. Nil and empty = no
	// state is carried.
	Rules []Rule `json:"rules"`
}

// Rule extracts one value from a status and names the label that receives it.
// AliasLabelName and JSONPath are Karmada's; the other fields are extensions,
// which Karmada's CRD prunes: keep rules that use them where no schema removes
// fields that it does not know.
type Rule struct {
	// AliasLabelName is the key of the label to write. It must be a legal label
	// key, appear once, and not be protected (S11).
	AliasLabelName string `json:"aliasLabelName"`
	// JSONPath is a kubectl JSONPath template rooted at the status, not at the
	// object: {.jobStatus.jobId}. Text outside braces is kept, so that
	// job-{.jobStatus.jobId} is a template too. White space around the template
	// is ignored (S7). The package comment has valid and invalid templates.
	JSONPath string `json:"jsonPath"`
	// Policy says whether a failover may go on without the value; empty =
	// Required.
	Policy RulePolicy `json:"policy,omitempty"`
	// Default is the value where the status has none; empty = no default. It
	// applies after Reject and must be legal for the target (S4). It stands in for
	// a value of class MissingKey only: a status that was not collected, or that
	// holds something else than expected, is no reason to assume a value.
	Default string `json:"default,omitempty"`
	// Reject lists values that count as missing, such as placeholders that an
	// operator writes for "unknown" (S4). It is compared with the text of each hit
	// and with the whole, byte by byte.
	Reject []string `json:"reject,omitempty"`
	// Join is put between several hits of one path; empty = several hits are an
	// error (S5). If one hit is missing, the whole is (S4).
	Join string `json:"join,omitempty"`
}

// RulePolicy says what a rule without a value means.
type RulePolicy string

const (
	// Required means that the application must not move without the value (S10).
	Required RulePolicy = "Required"
	// Optional means that it may.
	Optional RulePolicy = "Optional"
)
