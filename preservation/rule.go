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
// +kubebuilder:validation:XValidation:rule=`(has(self.target) && self.target == 'Field') || (has(self.aliasLabelName) && self.aliasLabelName != "")`,message=`name the key that receives the value`,fieldPath=`.aliasLabelName`,reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`(has(self.target) && self.target == 'Field') || !has(self.aliasLabelName) || !self.aliasLabelName.matches('^([^/]*[.])?(kubernetes|k8s)[.]io/')`,messageExpression=`'"' + self.aliasLabelName + '" is protected: other software tells objects apart by it'`,fieldPath=`.aliasLabelName`,reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`(has(self.target) && self.target == 'Field') || !has(self.fieldPath) || self.fieldPath == ""`,message=`only a rule with target Field has a path to write to`,fieldPath=`.fieldPath`,reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!(has(self.target) && self.target == 'Field') || (has(self.fieldPath) && self.fieldPath != "")`,message=`name the field that receives the value, such as .spec.job.initialSavepointPath`,fieldPath=`.fieldPath`,reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`!has(self.default) || !(!has(self.target) || self.target in ["", 'Label']) || self.default.size() <= 63`,message=`a label value has at most 63 bytes`,fieldPath=`.default`
// +kubebuilder:validation:XValidation:rule=`!has(self.default) || self.default == "" || !(!has(self.target) || self.target in ["", 'Label']) || self.default.matches('^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$')`,message=`not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends`,fieldPath=`.default`
// +kubebuilder:validation:XValidation:rule=`!has(self.default) || !has(self.reject) || self.default == "" || !(self.default in self.reject)`,message=`the rule rejects its own default`,fieldPath=`.default`
// +kubebuilder:validation:XValidation:rule=`!has(self.join) || !(!has(self.target) || self.target in ["", 'Label']) || self.join.matches('^[-A-Za-z0-9_.]{0,61}$')`,message=`use few characters that a label value may hold, such as '-', '_' or '.'`,fieldPath=`.join`
type Rule struct {
	// AliasLabelName is the key of the label or annotation to write. It must be a
	// legal label key, appear once for its target, and not be protected (S11). A
	// Field rule may leave it empty; it then only names the rule in messages.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$') && self.indexOf('/') <= 253`,message=`not a legal label key: 1 to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends, and perhaps a DNS subdomain and '/' before them`
	AliasLabelName string `json:"aliasLabelName"`
	// JSONPath is a kubectl JSONPath template rooted at the document that From
	// names, which is the status by default and not the object:
	// {.jobStatus.jobId}. Text outside braces is kept, so that
	// s3p://ckpt/{.jobStatus.jobId} is a template too. White space around the
	// template is ignored (S7). The package comment has valid and invalid ones.
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:validation:XValidation:rule=`self.matches('\\S')`,message=`name the value to carry, such as {.jobStatus.jobId}`,reason=FieldValueRequired
	// +kubebuilder:validation:XValidation:rule=`!self.matches('\\S') || self.matches('(?s)[{].*[}]')`,messageExpression=`'nothing in it reads the status: ' + (self.matches('[ /:{]') ? 'write a path as {.path.to.value}, a constant as {"' : 'did you mean {.' + self.trim().find('[^$.].*').replace('}', "") + '}? A constant is written {"') + self.trim().replace('{', "") + '"}'`
	// +kubebuilder:validation:XValidation:rule=`self.lastIndexOf('{') <= self.lastIndexOf('}')`,message=`the action is not closed (add })`
	// +kubebuilder:validation:XValidation:rule=`!self.matches('^\\s*[{](true|false|-?[0-9]+)[}]\\s*$')`,messageExpression=`'nothing in it reads the status: write a path as {.path.to.value}, a constant as {"' + self.trim().replace('{', "").replace('}', "") + '"}'`
	// +kubebuilder:validation:XValidation:rule=`!self.matches('^\\s*[{][A-Za-z_][A-Za-z0-9_.]*[}]\\s*$') || self.matches('[{](true|false)[}]')`,messageExpression=`'unknown word "' + self.find('[A-Za-z0-9_]+') + '" (a path starts with a dot: {.' + self.find('[A-Za-z0-9_.]+') + '}; a text stands in quotes)'`
	// +kubebuilder:validation:XValidation:rule=`!self.matches('^\\s*[{][^{}"\'\\\\]*[}]\\s*$') || self.split('[').size() <= self.split(']').size()`,message=`the brackets are not closed (add ])`
	JSONPath string `json:"jsonPath"`
	// From names the document to read; empty = Status.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[-A-Za-z0-9_./]*$')`,message=`use Status, Object, Failover or the name of a document: letters, digits, '-', '_', '.' and '/', at most 63`
	// +kubebuilder:validation:XValidation:rule=`self in ['Status', 'Object', 'Failover'] || !(self.lowerAscii() in ['status', 'object', 'failover'])`,messageExpression=`'did you mean ' + (self.lowerAscii() == 'status' ? 'Status' : self.lowerAscii() == 'object' ? 'Object' : 'Failover') + '?'`
	From Source `json:"from,omitempty"`
	// Target is the kind of place that receives the value; empty = Label.
	// +kubebuilder:validation:Enum=Label;Annotation;Field;""
	Target Target `json:"target,omitempty"`
	// FieldPath is where a Field rule writes: a path of keys and list indexes from
	// the root of the manifest, such as .spec.job.initialSavepointPath or
	// .spec.volumes[0].name. A dot in a key is written \. (I5).
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^[.]?([^].[{}\'"*\\\\]|\\\\[].[\\\\])+([.]([^].[{}\'"*\\\\]|\\\\[].[\\\\])+|\\[(0|[1-9][0-9]{0,6})\\])*$') && !self.matches('^[.]?[$]')`,message=`it is a path of keys and indexes, such as .spec.containers[0].image, and no template`
	// +kubebuilder:validation:XValidation:rule=`!self.matches('^[.]?(apiVersion|kind|status|metadata)([.\\[]|$)')`,messageExpression=`'nothing in ' + self.find('apiVersion|kind|status|metadata') + ' is a field for state; labels and annotations have their own targets'`,reason=FieldValueForbidden
	// +kubebuilder:validation:XValidation:rule=`!self.matches('[^\\\\](\\\\\\\\)*[.]metadata([.\\[]|$)')`,message=`the metadata of a template is not for state; its labels have their own option`,reason=FieldValueForbidden
	// +kubebuilder:validation:XValidation:rule=`!self.matches('[^\\\\](\\\\\\\\)*[.]selector([.\\[]|$)')`,message=`a selector says which pods belong to the object`,reason=FieldValueForbidden
	// +kubebuilder:validation:XValidation:rule=`!self.matches('[^\\\\](\\\\\\\\)*[.]volumeClaimTemplates([.\\[]|$)')`,message=`volumeClaimTemplates are immutable`,reason=FieldValueForbidden
	// +kubebuilder:validation:XValidation:rule=`!self.matches('^[.]?([^].[{}\'"*\\\\]|\\\\[].[\\\\])+$')`,message=`a whole top-level field is not for state`,reason=FieldValueForbidden
	FieldPath string `json:"fieldPath,omitempty"`
	// Policy says whether a failover may go on without the value; empty =
	// Required.
	// +kubebuilder:validation:Enum=Required;Optional;""
	// +kubebuilder:default=Required
	Policy RulePolicy `json:"policy,omitempty"`
	// Default is the value where the document has none; empty = no default. It
	// applies after Reject and must be legal for the target (S4). For a Field it
	// is text. It stands in for a value of class MissingKey only: a status that
	// was not collected, or that holds something else than expected, is no reason
	// to assume a value.
	// +kubebuilder:validation:MaxLength=4096
	Default string `json:"default,omitempty"`
	// Reject lists values that count as missing, such as placeholders that an
	// operator writes for "unknown" (S4). It is compared with the text of each hit
	// and with the whole, byte by byte.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=4096
	Reject []string `json:"reject,omitempty"`
	// Join is put between several hits of one path; empty = several hits are an
	// error (S5). If one hit is missing, the whole is (S4).
	// +kubebuilder:validation:MaxLength=63
	Join string `json:"join,omitempty"`
	// Conflict says what to do where the manifest holds another value already;
	// empty = Replace. What was there is always reported (I2).
	// +kubebuilder:validation:Enum=Replace;Keep;Fail;""
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
