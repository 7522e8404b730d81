package preservation

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/carryover-io/carryover/internal/jsonpath"
	"github.com/carryover-io/carryover/internal/rawjson"
)

// Documents that are given as JSON are not decoded as a whole: one pass finds what the
// rules ask for. That is a short cut to values and not to errors. A rule that gets no
// value on it is evaluated on the decoded document, which knows why, and what is near.

// plan is what the rules ask one document for.
type plan struct {
	from Source
	tree *rawjson.Tree
	// The values of the document are found[first:next], of all that an extraction finds.
	first, next int
}

// fewFound is how many values an extraction holds without allocating.
const fewFound = 16

// plan prepares the rules for documents that are given as JSON. A document that one
// rule needs as a whole is decoded for all of them.
func (x *Extractor) plan() {
	all := make([]*compiled, 0, len(x.rules)+1)
	for i := range x.rules {
		all = append(all, &x.rules[i])
	}
	if x.takenAt != nil {
		all = append(all, x.takenAt)
	}
	planned := []Source{FromFailover} // which never is JSON
	for _, c := range all {
		if !slices.Contains(planned, c.rule.From) {
			planned = append(planned, c.rule.From)
			x.planFor(c.rule.From, all)
		}
	}
}

func (x *Extractor) planFor(from Source, all []*compiled) {
	var readers []*compiled
	var stems [][]string
	for _, c := range all {
		if c.rule.From != from || !c.template.ReadsDocument() {
			continue
		}
		for _, stem := range c.template.Stems() {
			if len(stem) == 0 {
				return
			}
			stems = append(stems, stem)
		}
		readers = append(readers, c)
	}
	if len(readers) == 0 {
		return
	}
	tree, slots := rawjson.NewTree(stems)
	p := plan{from, tree, x.found, x.found + tree.Slots()}
	for _, c := range readers {
		for range c.template.Stems() {
			c.slots = append(c.slots, p.first+slots[0])
			slots = slots[1:]
		}
	}
	x.plans = append(x.plans, p)
	x.found = p.next
}

// scan finds the values of all documents that are given as JSON. Those of the others,
// which have no bytes, and of what is no JSON object are not known.
func (r *reader) scan(plans []plan) {
	for i := range plans {
		p := &plans[i]
		found := r.found[p.first:p.next]
		if d := r.sources.find(p.from); p.tree.Scan(d.raw, found) {
			r.budget += 2 * len(d.raw)
			continue
		}
		for slot := range found {
			found[slot] = unknown()
		}
	}
}

// unknown stands for the text of a value that was not looked for. No JSON value is
// empty, and one that is not there is nil.
func unknown() []byte { return []byte{} }

// spend says whether a value that was found may still be read. Rules may ask for values
// that lie within each other, or for one again and again: past twice the documents it is
// less work to decode them (S12).
func (r *reader) spend(found []byte) bool {
	r.budget -= len(found)
	return r.budget >= 0
}

// decode decodes a value that was found, once. The bool is false if it is not known.
func (r *reader) decode(slot int) (any, bool) {
	if r.decoded == nil {
		r.decoded = make([]any, len(r.found))
	}
	if r.decoded[slot] == nil {
		if len(r.found[slot]) == 0 || !r.spend(r.found[slot]) {
			return nil, false
		}
		r.decoded[slot] = rawjson.Decode(r.found[slot])
	}
	return r.decoded[slot], true
}

// isScanned says whether the document of the rule was scanned for it.
func (c *compiled) isScanned(r *reader) bool {
	if len(c.slots) == 0 {
		return false
	}
	found := r.found[c.slots[0]]
	return found == nil || len(found) > 0
}

// rawValue is value for what the scan found. The bool is false if there is none.
func (c *compiled) rawValue(r *reader) (string, bool) {
	if !c.isScanned(r) {
		return "", false
	}
	value, f := c.finish(c.rawExtract(r))
	return value, f == nil
}

// rawExtract is extract. Its faults are of the right class, or of one that takes no
// default.
func (c *compiled) rawExtract(r *reader) (string, *fault) {
	if c.template.SinglePath() && r.found[c.slots[0]] == nil {
		return "", &fault{class: MissingKey}
	}
	if c.template.IsFields() {
		return c.rawHit(r)
	}
	pieces, known := c.rawPieces(r)
	if !known {
		return "", unread()
	}
	return c.assemble(pieces)
}

// rawPieces evaluates the template on the values that its paths start from.
func (c *compiled) rawPieces(r *reader) ([]jsonpath.Piece, bool) {
	stems := make([]any, len(c.slots))
	for i, slot := range c.slots {
		var known bool
		if stems[i], known = r.decode(slot); !known {
			return nil, false
		}
	}
	pieces, err := c.template.EvalAt(stems)
	return pieces, err == nil
}

// rawHit is the one hit of a path of fields. Only an object or a list is decoded.
func (c *compiled) rawHit(r *reader) (string, *fault) {
	found := r.found[c.slots[0]]
	switch {
	case len(found) == 0:
		return "", unread()
	case found[0] == '{' || found[0] == '[' || found[0] == 'n':
		hit, known := r.decode(c.slots[0])
		if !known {
			return "", unread()
		}
		return c.only(hit)
	case !r.spend(found):
		return "", unread()
	case found[0] == '"':
		return c.scalar(rawjson.Text(found), true)
	case found[0] == 't' || found[0] == 'f':
		return c.scalar(string(found), false)
	}
	return c.rawNumber(string(found))
}

// rawNumber is a number, which is its own text but for exponents (S3).
func (c *compiled) rawNumber(text string) (string, *fault) {
	if len(text) > jsonpath.MaxNumberDigits || strings.ContainsAny(text, "eE") {
		return c.only(json.Number(text))
	}
	return c.scalar(text, false)
}

// unread sends a rule to the decoded document. It is of a class that takes no default.
func unread() *fault { return &fault{class: BadStatus} }

// scalar is the one hit of a path of fields, as text.
func (c *compiled) scalar(text string, isText bool) (string, *fault) {
	if f := c.absent(text); f != nil {
		return "", f
	}
	return c.written(text, isText)
}
