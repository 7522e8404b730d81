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
	return c.finish(c.extract(root))
}

// finish is what comes behind extract.
func (c *compiled) finish(value string, f *fault) (string, *fault) {
	if f != nil && f.class == MissingKey && c.rule.Default != "" {
		value, f = c.encode(c.rule.Default), nil
	}
	if f != nil {
		return "", f
	}
	return value, checkValue(c.rule.Target, value)
}

// extract evaluates the template.
func (c *compiled) extract(root any) (string, *fault) {
	if hit, found := c.template.Find(root); found {
		return c.only(hit)
	}
	pieces, err := c.template.Eval(root)
	if err != nil {
		return "", faultOf(err)
	}
	return c.assemble(pieces)
}

// assemble makes the value of what the template found. Only a Field keeps types, and
// only where the template is one single path without join (S6).
func (c *compiled) assemble(pieces []jsonpath.Piece) (string, *fault) {
	text, f := c.text(pieces)
	if f != nil {
		return "", f
	}
	isText := true
	if c.native() {
		_, isText = pieces[0].Values[0].(string)
	}
	return c.written(text, isText)
}

// only is assemble for the one hit of a path of fields.
func (c *compiled) only(hit any) (string, *fault) {
	text, f := c.hit(hit)
	if f != nil {
		return "", f
	}
	_, isText := hit.(string)
	return c.written(text, isText)
}

// written turns the text of what was found into what the target holds. It is text,
// or the one hit is something else.
func (c *compiled) written(text string, isText bool) (string, *fault) {
	switch {
	case len(text) > MaxValueBytes:
		return "", tooLong()
	case c.native() && !isText:
		return text, nil
	}
	return c.encode(text), nil
}

// native says that the one hit keeps its type.
func (c *compiled) native() bool {
	return c.rule.Target == Field && c.template.SinglePath() && c.rule.Join == ""
}

// encode turns text into what the target holds.
func (c *compiled) encode(text string) string {
	if c.rule.Target == Field {
		return jsonText(text)
	}
	return text
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
	var b valueBuilder
	for _, piece := range pieces {
		if f := c.piece(&b, piece); f != nil {
			return "", f
		}
	}
	return b.text.String(), c.absent(b.text.String())
}

// valueBuilder puts a value together and stops at the limit: a short template may
// name what is long again and again (S12).
type valueBuilder struct{ text strings.Builder }

func (b *valueBuilder) add(text string) *fault {
	if b.text.Len()+len(text) > MaxValueBytes {
		return tooLong()
	}
	b.text.WriteString(text)
	return nil
}

// piece renders the hits of one action, or literal text.
func (c *compiled) piece(b *valueBuilder, p jsonpath.Piece) *fault {
	switch {
	case p.Literal:
		return b.add(p.Text)
	case len(p.Values) == 0:
		return missing(p.Miss)
	case len(p.Values) > 1 && c.rule.Join == "":
		return &fault{MultipleValues, fmt.Sprintf("the path has %d hits: narrow it, or set join", len(p.Values))}
	}
	for i, value := range p.Values {
		text, f := c.hit(value)
		if f == nil && i > 0 {
			f = b.add(c.rule.Join)
		}
		if f == nil {
			f = b.add(text)
		}
		if f != nil {
			return f
		}
	}
	return nil
}

// hit renders one value. Null, empty text and an empty list are missing (S4).
// Objects and lists are JSON where the target can hold them (S6).
func (c *compiled) hit(value any) (string, *fault) {
	text, scalar, err := jsonpath.Text(value)
	if err != nil {
		return "", faultOf(err)
	}
	if !scalar {
		var f *fault
		if text, f = c.composite(value); f != nil {
			return "", f
		}
	}
	return text, c.absent(text)
}

// composite renders what is no text, number or boolean.
func (c *compiled) composite(value any) (string, *fault) {
	switch detail := hollow(value); {
	case detail != "":
		return "", &fault{MissingKey, detail}
	case c.rule.Target == Label || c.rule.Target == Field && !c.template.SinglePath():
		return "", &fault{NotScalar, "only text, a number or a boolean can stand here, and this is " + kindOf(value)}
	}
	return jsonOf(value)
}

// hollow says that a value is null or an empty list; empty = it is neither. What
// Go programs hold as a nil map is null in JSON.
func hollow(value any) string {
	const null, empty = "the value is null", "the list is empty"
	switch v := value.(type) {
	case nil:
		return null
	case map[string]any:
		if v == nil {
			return null
		}
	case map[string]string:
		if v == nil {
			return null
		}
	case []any:
		if len(v) == 0 {
			return empty
		}
	case []string:
		if len(v) == 0 {
			return empty
		}
	}
	return ""
}

func tooLong() *fault {
	return &fault{TooLarge, fmt.Sprintf("the value is longer than %d bytes", MaxValueBytes)}
}

// jsonOf writes an object or a list as compact JSON, with sorted keys and without
// HTML escaping. Numbers keep their digits.
func jsonOf(value any) (string, *fault) {
	plain, f := copyAll(value, copier{values: MaxValueBytes, bytes: MaxValueBytes})
	switch {
	case f != nil && f.class == TooLarge:
		return "", tooLong()
	case f != nil:
		return "", &fault{f.class, "it cannot be written as JSON: " + f.detail}
	}
	return marshal(plain), nil
}

func jsonText(text string) string { return marshal(text) }

// marshal writes what copier made, or a struct of texts and numbers: both always
// encode.
func marshal(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(b.String(), "\n")
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
	eval := &jsonpath.EvalError{}
	errors.As(err, &eval)
	switch eval.Kind {
	case jsonpath.TypeMismatch:
		f.class = TypeMismatch
	case jsonpath.TooLarge:
		f.class = TooLarge
	case jsonpath.BadPath:
	}
	return f
}
