package jsonpath

// IsFields reports whether the template is one path of fields and nothing else, such
// as {.a.b}, so that it has one hit at most (S2).
func (t *Template) IsFields() bool { return t.fields != nil }

// Find is Eval for such a template, without any allocation (S2). The bool is false if
// there is no such value, and for any other template.
func (t *Template) Find(root any) (any, bool) {
	if t.fields == nil {
		return nil, false
	}
	value := root
	for _, key := range t.fields {
		next, found := child(value, key)
		if !found {
			return nil, false
		}
		value = next
	}
	return value, true
}

// Stems gives the keys of the fields that each path starts with, for all paths that
// start at the document, in order: those outside ranges and filters (S2). Nothing but
// what is at the end of a stem is looked at, so that it is enough to know that.
func (t *Template) Stems() [][]string {
	var stems [][]string
	for i := range t.parts {
		if p := &t.parts[i]; p.fromRoot() {
			stems = append(stems, p.path.keys())
		}
	}
	return stems
}

// EvalAt is Eval on a document that is known at the ends of its stems only (S2): at has
// a value for each stem, in the order of Stems, which must be there in the document.
// The result is the same, but for the hint of a Miss, which knows no more than this.
func (t *Template) EvalAt(at []any) ([]Piece, error) {
	r := &run{budget: newBudget(), pieces: make([]Piece, 0, len(t.parts)), stems: at}
	if err := r.all(t.parts, &scope{}); err != nil {
		return nil, err
	}
	return r.pieces, nil
}

// fromRoot says whether the part is an action or a range with a path. It is asked for
// the parts outside ranges only.
func (p *part) fromRoot() bool {
	return (p.kind == pathPart || p.kind == rangePart) && !p.constant
}
