package jsonpath

// Piece is one part of an evaluated template (S2): the text between braces, or
// the hits of one action.
type Piece struct {
	// Text is the text outside braces, if Literal.
	Text    string
	Literal bool
	// Values are the hits of an action, in template order, list order and the
	// order of sorted keys. A null that was hit is a nil. They belong to the
	// document: do not change them. A literal in braces is one hit: a string, a
	// bool, an int64 or a float64.
	Values []any
	// Miss says why Values is empty (S4); nil if it is not.
	Miss *Miss
}

// run is one evaluation.
type run struct {
	budget

	pieces []Piece
	gap    gap
	stems  []any // the next values at which paths from the root start; nil = at the root
}

// scope is what "current value" means: the root, or the item of a range.
type scope struct {
	value any
	outer *scope
	over  path // of the range that gives the items; nil at the root
}

// prefix is the path of the range around the scope, for messages.
func (s *scope) prefix() string {
	if s.outer == nil {
		return ""
	}
	return s.outer.prefix() + s.over.String()
}

// Eval evaluates the template on a document (S2): decoded JSON, with numbers
// as json.Number or as any Go number; a value of another type is opaque. The
// pieces come in template order with ranges unrolled; a range without items
// gives one piece with a [Miss]. What is absent is a Miss (S4); the error is
// always an [*EvalError]. The document is not changed. An evaluation ends
// within the bounds of this package, also on a map that contains itself (S12).
func (t *Template) Eval(root any) ([]Piece, error) {
	if t.IsFields() {
		return t.evalFields(root), nil
	}
	r := &run{budget: newBudget(), pieces: make([]Piece, 0, len(t.parts))}
	if err := r.all(t.parts, &scope{value: root}); err != nil {
		return nil, err
	}
	return r.pieces, nil
}

// evalFields is the common case {.a.b.c}, with one allocation.
func (t *Template) evalFields(root any) []Piece {
	value := root
	for i := range t.single {
		next, ok := child(value, t.single[i].key)
		if !ok {
			r := &run{budget: newBudget()}
			r.gap = gap{path: t.single, at: i, one: value}
			return []Piece{{Miss: r.miss(&scope{value: root})}}
		}
		value = next
	}
	result := &struct {
		pieces [1]Piece
		values [1]any
	}{}
	result.values[0] = value
	result.pieces[0].Values = result.values[:]
	return result.pieces[:]
}

func (r *run) all(parts []part, s *scope) *EvalError {
	for i := range parts {
		if err := r.part(&parts[i], s); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) part(p *part, s *scope) *EvalError {
	switch p.kind {
	case textPart:
		return r.add(Piece{Text: p.text, Literal: true})
	case literalPart:
		return r.add(Piece{Values: []any{p.literal}})
	case pathPart:
		hits, err := r.hits(p, s)
		if err != nil {
			return err
		}
		return r.addHits(hits, s)
	case rangePart:
		return r.loop(p, s)
	}
	return nil
}

func (r *run) loop(p *part, s *scope) *EvalError {
	items, err := r.hits(p, s)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return r.addHits(nil, s)
	}
	if len(items) == 1 && isMissing(items[0]) {
		// A body that does not look at its item would make a text of nothing.
		return r.addHits(items, s)
	}
	for _, item := range items {
		// A body without pieces must not run for free.
		if err := r.spend(1); err != nil {
			return err
		}
		if err := r.all(p.body, &scope{value: item, outer: s, over: p.path}); err != nil {
			return err
		}
	}
	return nil
}

// isMissing says that a value is null, empty text or an empty list (S4).
func isMissing(v any) bool {
	if n, isList := listLength(v); isList {
		return n == 0
	}
	return v == nil || v == ""
}

// hits evaluates the path or the literal of a part.
func (r *run) hits(p *part, s *scope) ([]any, *EvalError) {
	if p.constant {
		return []any{p.literal}, nil
	}
	start, known := s.value, 0
	if s.outer == nil && len(r.stems) > 0 {
		start, known = r.stems[0], p.path.stem()
		r.stems = r.stems[1:]
	}
	hits, err := r.walk(start, p.path, known)
	if err != nil {
		err.Path = s.prefix() + err.Path
	}
	return hits, err
}

func (r *run) addHits(hits []any, s *scope) *EvalError {
	if len(hits) == 0 {
		return r.add(Piece{Miss: r.miss(s)})
	}
	return r.add(Piece{Values: hits})
}

func (r *run) add(p Piece) *EvalError {
	if err := r.spendHits(1 + len(p.Values)); err != nil {
		return err
	}
	r.pieces = append(r.pieces, p)
	return nil
}

// outcome tells the two ways to find nothing apart, for unions (see union).
type outcome uint8

const (
	found  outcome = iota
	none           // nothing, where client-go succeeds: no match, empty, null
	absent         // nothing, where client-go's strict mode fails: no such key or index
)

// walk evaluates a path on one value, to which the first known steps, all of them
// fields, have led already. If it finds nothing, r.gap says where.
func (r *run) walk(v any, p path, known int) ([]any, *EvalError) {
	i := 0
	for ; i < len(p) && p[i].kind == fieldStep; i++ {
		if err := r.spend(p[i].cost); err != nil {
			err.Path = p[:i+1].String()
			return nil, err
		}
		if i < known {
			continue
		}
		next, ok := child(v, p[i].key)
		if !ok {
			r.gap = gap{path: p, at: i, one: v}
			return nil, nil
		}
		v = next
	}
	hits, _, err := r.walkAll([]any{v}, p, i)
	return hits, err
}

// walkAll evaluates the steps of a path from the given one on all inputs.
func (r *run) walkAll(in []any, p path, from int) ([]any, outcome, *EvalError) {
	for i := from; i < len(p); i++ {
		out, how, err := r.step(in, &p[i])
		if err != nil {
			err.Path = p[:i+1].String()
			return nil, none, err
		}
		if how == absent && p[i].kind == unionStep {
			r.gap.before = p[:i]
			return nil, absent, nil
		}
		if len(out) == 0 {
			r.gap = gap{path: p, at: i, many: in}
			return nil, how, nil
		}
		in = out
	}
	return in, found, nil
}
