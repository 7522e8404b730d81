package preservation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// compileTakenAt gives the path to the time of the state, as a rule that has no place
// to write to; nil if none is asked for, or if it is wrong.
func compileTakenAt(text string, at *field.Path) (*compiled, field.ErrorList) {
	if text == "" {
		return nil, nil
	}
	template, err := jsonpath.Parse(text)
	switch {
	case err != nil:
		return nil, field.ErrorList{field.Invalid(at, abridge(text), err.Error())}
	case !template.SinglePath():
		return nil, field.ErrorList{field.Invalid(at, template.String(), timeHint(template))}
	}
	return &compiled{rule: Rule{}.withDefaults(), template: template}, nil
}

// timeHint says how the path to a time is written.
func timeHint(template *jsonpath.Template) string {
	if path := barePath(template.String()); path != "" && !template.ReadsDocument() {
		return fmt.Sprintf("nothing in it reads the status: did you mean {.%s}?", path)
	}
	return "write one path in braces and nothing around it, such as {.path.to.time}"
}

// readTakenAt finds the time of the state in the status (R4), if somebody asks.
func (x *Extractor) readTakenAt(docs *reader) (string, *TakenAtError) {
	if x.takenAt == nil {
		return "", nil
	}
	text, f := x.takenAt.onlyHit(docs)
	if f != nil {
		return "", &TakenAtError{docs.sources.Cluster, x.takenAt.template.String(), f.class, f.detail}
	}
	return text, nil
}

// onlyHit is the text of the one hit in the status. It need not be legal for any
// target, since it is written nowhere.
func (c *compiled) onlyHit(docs *reader) (string, *fault) {
	if text, found := c.rawOnlyHit(docs); found {
		return text, nil
	}
	root, f := docs.root(FromStatus)
	if f != nil {
		return "", f
	}
	pieces, err := c.template.Eval(root)
	if err != nil {
		return "", faultOf(err)
	}
	return c.ofOneHit(pieces)
}

// rawOnlyHit is onlyHit for what the scan found. The bool is false if there is none.
func (c *compiled) rawOnlyHit(docs *reader) (string, bool) {
	if !c.isScanned(docs) {
		return "", false
	}
	if c.template.IsFields() {
		text, f := c.rawHit(docs)
		return text, f == nil
	}
	pieces, known := c.rawPieces(docs)
	if !known {
		return "", false
	}
	text, f := c.ofOneHit(pieces)
	return text, f == nil
}

func (c *compiled) ofOneHit(pieces []jsonpath.Piece) (string, *fault) {
	// The template is one path, so there is one piece.
	switch hits := pieces[0].Values; len(hits) {
	case 0:
		return "", missing(pieces[0].Miss)
	case 1:
		text, f := c.hit(hits[0])
		if len(text) > MaxValueBytes {
			return "", tooLong()
		}
		return text, f
	default:
		return "", &fault{MultipleValues, fmt.Sprintf("the path has %d hits: narrow it", len(hits))}
	}
}
