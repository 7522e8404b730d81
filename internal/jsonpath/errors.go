package jsonpath

import "strconv"

// SyntaxError says why a template was refused (S1).
type SyntaxError struct {
	// Offset is the byte offset in the text given to Parse, -1 if unknown.
	Offset int
	// Detail is what is wrong.
	Detail string
	// Hint is the remedy; it may be empty.
	Hint string
}

// Error gives the position when known, the detail and the hint (S1).
func (e *SyntaxError) Error() string {
	text := "template: "
	if e.Offset >= 0 {
		text = "template at byte " + strconv.Itoa(e.Offset) + ": "
	}
	text += e.Detail
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Kind is the class of an [EvalError] (S9).
type Kind string

const (
	// BadPath is a path that cannot be evaluated on this document, such as a
	// filter with several values on one side (S9).
	BadPath Kind = "BadPath"
	// TypeMismatch is a step on the wrong type, such as an index on an object,
	// or a filter that compares incomparable types (S4, S9).
	TypeMismatch Kind = "TypeMismatch"
	// TooLarge is a bound of this package that was exceeded (S9, S12).
	TooLarge Kind = "TooLarge"
)

// EvalError says why a template could not be evaluated (S9). A value that is
// merely absent is a [Miss] instead. It never holds a value of the document.
type EvalError struct {
	Kind Kind
	// Path is the path up to the failing segment; empty if there is none.
	Path   string
	Detail string
}

// Error gives the path and the detail (S9).
func (e *EvalError) Error() string {
	if e.Path == "" {
		return e.Detail
	}
	return e.Path + ": " + e.Detail
}
