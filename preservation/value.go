package preservation

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// MaxValueBytes bounds the value of one rule. Without it a short template could
// repeat a long text of the status thousands of times (S12). It is what all
// annotations of an object may hold together; a label holds much less.
const MaxValueBytes = 256 << 10

// fault is an error of one rule before it is known which.
type fault struct {
	class  Class
	detail string
}

// value evaluates one rule: extract, then reject, then default, then the check
// against the target (S4, S8). For a Field it is JSON, else text.
func (c *compiled) value(root any) (string, *fault) {
	value, f := c.extract(root)
	if f != nil && f.class == MissingKey && c.rule.Default != "" {
		value, f = c.encode(c.rule.Default), nil
	}
	if f != nil {
		return "", f
	}
	return value, checkValue(c.rule.Target, value)
}

// extract evaluates the template. Only a Field keeps types, and only where the
// template is one single path (S6).
func (c *compiled) extract(root any) (string, *fault) {
	pieces, err := c.template.Eval(root)
	if err != nil {
		return "", faultOf(err)
	}
	if c.rule.Target == Field && c.template.SinglePath() && c.rule.Join == "" {
		return c.native(pieces[0])
	}
	text, f := c.text(pieces)
	if f == nil {
		f = c.absent(text)
	}
	if f != nil {
		return "", f
	}
	return c.encode(text), nil
}

// encode turns text into what the target holds.
func (c *compiled) encode(text string) string {
	if c.rule.Target == Field {
		return jsonText(text)
	}
	return text
}

// native is the one hit of a single path, as JSON.
func (c *compiled) native(piece jsonpath.Piece) (string, *fault) {
	text, f := c.piece(piece)
	if f == nil {
		f = c.absent(text)
	}
	if f != nil {
		return "", f
	}
	if _, isText := piece.Values[0].(string); isText {
		return jsonText(text), nil
	}
	return text, nil
}

// absent says whether a text counts as missing: empty, or one that the rule
// rejects (S4). It is asked for every hit, so that a placeholder cannot hide in a
// longer text, and for the whole.
func (c *compiled) absent(text string) *fault {
	switch {
	case text == "":
		return &fault{MissingKey, "the text is empty"}
	case slices.Contains(c.rule.Reject, text):
		return &fault{MissingKey, "the value is one that the rule rejects"}
	}
	return nil
}

// text puts the pieces of the template together. One missing piece makes the
// whole missing (S4).
func (c *compiled) text(pieces []jsonpath.Piece) (string, *fault) {
	texts := make([]string, 0, len(pieces))
	for _, piece := range pieces {
		text, f := c.piece(piece)
		if f != nil {
			return "", f
		}
		texts = append(texts, text)
	}
	return concat(texts, "")
}

// piece renders the hits of one action, or literal text.
func (c *compiled) piece(p jsonpath.Piece) (string, *fault) {
	switch {
	case p.Literal:
		return p.Text, nil
	case len(p.Values) == 0:
		return "", missing(p.Miss)
	case len(p.Values) > 1 && c.rule.Join == "":
		return "", &fault{MultipleValues, fmt.Sprintf("the path has %d hits: narrow it, or set join", len(p.Values))}
	}
	texts := make([]string, 0, len(p.Values))
	for _, value := range p.Values {
		text, f := c.hit(value)
		if f != nil {
			return "", f
		}
		texts = append(texts, text)
	}
	return concat(texts, c.rule.Join)
}

// hit renders one value. Null, empty text and an empty list are missing (S4).
// Objects and lists are JSON where the target can hold them (S6).
func (c *compiled) hit(value any) (string, *fault) {
	text, scalar, err := jsonpath.Text(value)
	switch {
	case err != nil:
		return "", faultOf(err)
	case scalar:
		return text, c.absent(text)
	case value == nil:
		return "", &fault{MissingKey, "the value is null"}
	case isEmptyList(value):
		return "", &fault{MissingKey, "the list is empty"}
	case c.rule.Target == Label || c.rule.Target == Field && !c.template.SinglePath():
		return "", &fault{NotScalar, "only text, a number or a boolean can stand here, and this is " + kindOf(value)}
	}
	return jsonOf(value)
}

func isEmptyList(value any) bool {
	switch v := value.(type) {
	case []any:
		return len(v) == 0
	case []string:
		return len(v) == 0
	}
	return false
}

// concat joins texts as long as the result is no longer than MaxValueBytes.
func concat(texts []string, join string) (string, *fault) {
	size := -len(join)
	for _, text := range texts {
		if size += len(join) + len(text); size > MaxValueBytes {
			return "", tooLong()
		}
	}
	return strings.Join(texts, join), nil
}

func tooLong() *fault {
	return &fault{TooLarge, fmt.Sprintf("the value is longer than %d bytes", MaxValueBytes)}
}

// jsonOf writes an object or a list as compact JSON, with sorted keys and without
// HTML escaping. Numbers keep their digits.
func jsonOf(value any) (string, *fault) {
	c := copier{left: MaxValueBytes}
	plain, err := c.value(value, 0)
	if err != nil {
		return "", &fault{NotScalar, "it cannot be written as JSON: " + err.Error()}
	}
	text, err := marshal(plain)
	if err != nil {
		return "", &fault{NotScalar, "it cannot be written as JSON"}
	}
	if len(text) > MaxValueBytes {
		return "", tooLong()
	}
	return text, nil
}

func jsonText(text string) string {
	encoded, _ := marshal(text) // text always encodes
	return encoded
}

func marshal(value any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func missing(miss *jsonpath.Miss) *fault {
	detail := "nothing at " + miss.Path
	if miss.Hint != "" {
		detail += ": " + miss.Hint
	}
	return &fault{MissingKey, detail}
}

// faultOf gives an evaluation error its class.
func faultOf(err error) *fault {
	f := &fault{BadPath, err.Error()}
	var eval *jsonpath.EvalError
	if errors.As(err, &eval) {
		switch eval.Kind {
		case jsonpath.TypeMismatch:
			f.class = TypeMismatch
		case jsonpath.TooLarge:
			f.class = TooLarge
		case jsonpath.BadPath:
		}
	}
	return f
}
