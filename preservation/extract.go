package preservation

import (
	"errors"
	"fmt"
	"slices"
)

// Extraction is what the rules found: the good values and all errors (S10).
type Extraction struct {
	// State holds the values of all rules that gave one, also when others failed
	// (S10). Its provenance is the Failover of the sources.
	State State
	// Errors has one entry for each rule that gave no value, in the order of the
	// rules, Optional ones included.
	Errors []*RuleError
	// TakenAt is what the status has at takenAt, as text; empty = nothing was found,
	// or nobody asked. A number has all its digits (S3). Whether the text is a time is
	// not looked at: snapshot.ParseTime reads it (R4).
	TakenAt string
	// TakenAtError says why TakenAt is empty although somebody asked; nil = it is not,
	// or nobody did. It blocks nothing and is not among Errors, since what an unknown
	// age means depends on maxStateAgeSeconds (R2).
	TakenAtError *TakenAtError
}

// Extract evaluates every rule (S2 to S10):
//
//  1. Each document is read once, and what no rule asks for is not decoded. Rules that read a status that is not there are
//     StatusNotCollected; any other document that was not supplied makes their
//     value missing. Anything but one JSON object is BadStatus (S12). A rule that
//     is a constant reads no document and has its value all the same.
//  2. Each rule is evaluated on its own. What is missing or rejected takes the
//     rule's default; other errors do not (S4).
//  3. The value is checked against its target here, before anything is evicted:
//     nothing is truncated, hashed or sanitised. An annotation or a field that no
//     longer fits beside those of the rules before it is TooLarge (S8).
//  4. takenAt is read from the status, with or without rules: exactly one hit that
//     is text, a number or a boolean (S5, S6), at most [MaxValueBytes] long. It need
//     not be legal for a target, and nothing about it blocks (R4).
//
// The result holds the good values and all errors. The returned error joins those
// of Required rules only, each a [*RuleError]: nil means that nothing blocks (S10).
// The documents are not changed, and the result does not refer to them. An
// extractor without rules and without takenAt gives an empty result whatever the
// documents are.
//
// The work is bounded by the limits that the package comment lists; what passes one
// is TooLarge (S12).
func (x *Extractor) Extract(in Sources) (Extraction, error) {
	if x == nil {
		return Extraction{}, nil
	}
	var out Extraction
	var blocking []error
	var few [fewFound][]byte
	docs := reader{sources: &in, found: few[:]}
	if x.found > len(few) {
		docs.found = make([][]byte, x.found)
	}
	docs.scan(x.plans)
	annotations, fields := room{of: "annotations", limit: MaxAnnotationsBytes}, room{of: "fields", limit: MaxFieldsBytes}
	for i := range x.rules {
		c := &x.rules[i]
		value, f := c.read(&docs)
		if f == nil {
			f = c.fit(value, &annotations, &fields)
		}
		if f == nil {
			out.add(c.key, value, c.rule.Conflict, len(x.rules))
			continue
		}
		err := c.fail(in.Cluster, f)
		out.Errors = append(out.Errors, err)
		if c.rule.Policy == Required {
			blocking = append(blocking, err)
		}
	}
	out.TakenAt, out.TakenAtError = x.readTakenAt(&docs)
	if in.Failover != nil && *in.Failover != (Failover{}) && !out.State.IsEmpty() {
		failover := *in.Failover
		out.State.Failover = &failover
	}
	return out, errors.Join(blocking...)
}

// add adds a value. The maps are the extraction's own, made for that many values.
func (x *Extraction) add(key Ref, value string, conflict Conflict, rules int) {
	into := &x.State.Labels
	switch key.Target {
	case Annotation:
		into = &x.State.Annotations
	case Field:
		into = &x.State.Fields
	case Label, PodTemplateLabel:
	}
	if *into == nil {
		*into = make(map[string]string, rules)
	}
	(*into)[key.Key] = value
	if conflict != Replace {
		x.State.Conflicts = append(x.State.Conflicts, RefConflict{key, conflict})
		slices.SortFunc(x.State.Conflicts, func(a, b RefConflict) int { return compareRefs(a.Ref, b.Ref) })
	}
}

// fit takes room for a value. Labels are small and need none.
func (c *compiled) fit(value string, annotations, fields *room) *fault {
	size := len(c.key.Key) + len(value)
	switch c.rule.Target {
	case Annotation:
		return annotations.take(size)
	case Field:
		return fields.take(size)
	case Label, PodTemplateLabel:
	}
	return nil
}

// room is what the values of one target may hold together.
type room struct {
	of          string
	limit, used int
}

func (r *room) take(size int) *fault {
	if r.used+size > r.limit {
		return &fault{TooLarge, fmt.Sprintf("the %s of an object hold at most %d bytes together", r.of, r.limit)}
	}
	r.used += size
	return nil
}

// read evaluates the rule on the document it asks for.
func (c *compiled) read(docs *reader) (string, *fault) {
	if !c.template.ReadsDocument() {
		return c.value(nil)
	}
	if value, found := c.rawValue(docs); found {
		return value, nil
	}
	root, f := docs.root(c.rule.From)
	switch {
	case f == nil:
		return c.value(root)
	case f.class == MissingKey && c.rule.Default != "":
		return c.encode(c.rule.Default), nil // Validate found it legal
	default:
		return "", f
	}
}

func (c *compiled) fail(cluster string, f *fault) *RuleError {
	err := &RuleError{
		Cluster: cluster, Rule: c.index, Alias: c.rule.AliasLabelName, Field: c.path.String(), From: c.rule.From,
		Path: c.template.String(), Policy: c.rule.Policy, Class: f.class, Detail: f.detail,
	}
	if err.From == FromStatus {
		err.From = ""
	}
	return err
}
