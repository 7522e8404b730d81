package preservation

import (
	"cmp"
	"fmt"
	"strings"
)

// Class is the kind of a run-time error (S9). It is an error itself, so that
// errors.Is(err, preservation.MissingKey) finds it in whatever wraps it.
type Class string //nolint:errname // what it is matters more than that it is an error

// The classes of S9, and those of injection.
//
//nolint:errname // the names of S9; as texts they are part of reports
const (
	// MissingKey means that the status has no value: a missing key, no match,
	// empty text, null, an empty list, an index out of range (S4).
	MissingKey Class = "MissingKey"
	// BadPath means that the template cannot be evaluated, such as a filter that
	// compares several values at once.
	BadPath Class = "BadPath"
	// NotScalar means that the hit is an object, a list, or a Go value that is no
	// JSON, which no label can hold (S6).
	NotScalar Class = "NotScalar"
	// MultipleValues means that a path has several hits and the rule no join (S5).
	MultipleValues Class = "MultipleValues"
	// TypeMismatch means that a filter compares values of different types, or that
	// an index or a filter stands on something else than a list (S4).
	TypeMismatch Class = "TypeMismatch"
	// InvalidValue means that a key or value is not legal for its target (S8).
	InvalidValue Class = "InvalidValue"
	// TooLarge means that a documented limit was passed (S12).
	TooLarge Class = "TooLarge"
	// BadStatus means that the status is not exactly one JSON object (S12).
	BadStatus Class = "BadStatus"
	// StatusNotCollected means that there is no status yet. It is the only class
	// that a retry can cure.
	StatusNotCollected Class = "StatusNotCollected"
	// BadManifest means that the manifest has no usable metadata or labels, or
	// cannot be copied (I3).
	BadManifest Class = "BadManifest"
	// MissingParent means that a field has no place in the manifest: the object or
	// the list item around it is not there (I5).
	MissingParent Class = "MissingParent"
	// Conflicting means that the manifest holds another value and the rule says
	// Fail (I2).
	Conflicting Class = "Conflict"
	// BadState means that an encoded state cannot be read.
	BadState Class = "BadState"
	// BadReport means that a report to take back holds a target or an effect that
	// this version does not know (I6).
	BadReport Class = "BadReport"
	// Refused means that the key must not be written: it is protected (S11), or
	// the object selects by it (I4).
	Refused Class = "Refused"
)

// Error returns the class itself (S9).
func (c Class) Error() string { return string(c) }

// RuleError says why one rule gave no value. It never holds the value: keys,
// paths and lengths only (L7).
type RuleError struct {
	// Cluster whose status was read; empty if the caller named none.
	Cluster string
	// Rule is the index of the rule, from 0.
	Rule int
	// Alias is the rule's aliasLabelName; a Field rule may have none.
	Alias string
	// Field is where a Field rule writes; empty for other targets.
	Field string
	// From is the document that the rule reads; empty = the status.
	From Source
	// Path is the rule's template, without white space around it.
	Path string
	// Policy of the rule; only a Required one blocks (S10).
	Policy RulePolicy
	// Class of the error; errors.Is finds it.
	Class Class
	// Detail says what was found, with a hint where there is one.
	Detail string
}

// Error names cluster, rule, alias or field, path, document and class, in that
// order (L7).
func (e *RuleError) Error() string {
	var b strings.Builder
	if e.Cluster != "" {
		fmt.Fprintf(&b, "cluster %q: ", e.Cluster)
	}
	fmt.Fprintf(&b, "rule %d (%s) %s", e.Rule, cmp.Or(e.Alias, e.Field), e.Path)
	if e.From != "" {
		fmt.Fprintf(&b, " of %s", e.From)
	}
	fmt.Fprintf(&b, ": %s", e.Class)
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// Unwrap returns the class (L7).
func (e *RuleError) Unwrap() error { return e.Class }

// Retryable reports whether the same rule may succeed later without any change
// by a person: only where the status was not collected yet (S9).
func (e *RuleError) Retryable() bool { return e.Class == StatusNotCollected }

// TakenAtError says why the status has no time at takenAt (R4). It blocks nothing
// and never holds what was found (L7).
type TakenAtError struct {
	// Cluster whose status was read; empty if the caller named none.
	Cluster string
	// Path is takenAt, without white space around it.
	Path string
	// Class of the error; errors.Is finds it.
	Class Class
	// Detail says what was found, with a hint where there is one.
	Detail string
}

// Error names cluster, path and class, in that order (L7).
func (e *TakenAtError) Error() string {
	var b strings.Builder
	if e.Cluster != "" {
		fmt.Fprintf(&b, "cluster %q: ", e.Cluster)
	}
	fmt.Fprintf(&b, "takenAt %s: %s", e.Path, e.Class)
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// Unwrap returns the class (L7).
func (e *TakenAtError) Unwrap() error { return e.Class }

// Retryable reports whether the time may be found later without any change by a
// person: only where the status was not collected yet (S9).
func (e *TakenAtError) Retryable() bool { return e.Class == StatusNotCollected }

// InjectError says why a manifest was not changed. It never holds a value (L7).
type InjectError struct {
	// Class is one of those that the package comment lists for an injection;
	// errors.Is finds it.
	Class Class
	// Cluster that the manifest is for; empty if the caller named none.
	Cluster string
	// Target and Key name the place concerned; empty if it is the manifest as a
	// whole.
	Target Target
	Key    string
	// Detail says what was found.
	Detail string
}

// Error names cluster, key and class, in that order (L7).
func (e *InjectError) Error() string {
	var b strings.Builder
	if e.Cluster != "" {
		fmt.Fprintf(&b, "cluster %q: ", e.Cluster)
	}
	if e.Key != "" {
		target := strings.ToLower(string(e.Target))
		if e.Target == PodTemplateLabel {
			target = "label of the pod template"
		}
		b.WriteString(strings.TrimSpace(fmt.Sprintf("%s %q", target, e.Key)) + ": ")
	}
	fmt.Fprintf(&b, "%s: %s", e.Class, e.Detail)
	return b.String()
}

// Unwrap returns the class (L7).
func (e *InjectError) Unwrap() error { return e.Class }

// Retryable is false: the same manifest and state give the same error again (L7).
func (*InjectError) Retryable() bool { return false }
