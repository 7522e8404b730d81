package jsonpath

import "strconv"

func (r *run) step(in []any, s *step) ([]any, outcome, *EvalError) {
	switch s.kind {
	case fieldStep:
		return r.field(in, s)
	case sliceStep:
		return r.slice(in, s.span)
	case wildcardStep:
		return r.wildcard(in)
	case descentStep:
		return r.descent(in)
	case unionStep:
		return r.union(in, s.parts)
	case filterStep:
		return r.filter(in, s.filter)
	}
	return nil, none, nil
}

// field looks a key up in each input. Inputs without it are skipped as long as
// one has it (S4).
func (r *run) field(in []any, s *step) ([]any, outcome, *EvalError) {
	var out []any
	for _, v := range in {
		if err := r.spend(s.cost); err != nil {
			return nil, none, err
		}
		if value, ok := child(v, s.key); ok {
			out = append(out, value)
		}
	}
	return out, foundOr(out, absent), nil
}

func foundOr(out []any, otherwise outcome) outcome {
	if len(out) > 0 {
		return found
	}
	return otherwise
}

// slice takes items of each input. Null is skipped; so is a list that is too
// short, unless all are (S4).
func (r *run) slice(in []any, s span) ([]any, outcome, *EvalError) {
	var out []any
	otherwise := none
	for _, v := range in {
		if err := r.spend(1); err != nil {
			return nil, none, err
		}
		if v == nil {
			continue
		}
		n, ok := listLength(v)
		if !ok {
			return nil, none, &EvalError{Kind: TypeMismatch, Detail: "an index needs a list, here is " + typeName(v)}
		}
		start, end := s.bounds(n)
		if start == end {
			// client-go drops all later inputs here: of [5], [] and [7] it keeps
			// the 5, a single hit where there are two (S5).
			continue
		}
		if start < 0 || end > n || start > end {
			otherwise = absent
			continue
		}
		var err *EvalError
		if out, err = r.items(out, v, start, end, s.step); err != nil {
			return nil, none, err
		}
	}
	return out, foundOr(out, otherwise), nil
}

func (r *run) items(out []any, list any, start, end, step int) ([]any, *EvalError) {
	count := (end-start-1)/step + 1
	if err := r.spend(count); err != nil {
		return nil, err
	}
	for i := range count {
		out = append(out, listItem(list, start+i*step))
	}
	return out, nil
}

// wildcard takes all children of each input; scalars have none.
func (r *run) wildcard(in []any) ([]any, outcome, *EvalError) {
	var out []any
	for _, v := range in {
		if err := r.spend(1); err != nil {
			return nil, none, err
		}
		var err *EvalError
		if out, err = r.children(out, v); err != nil {
			return nil, none, err
		}
	}
	return out, foundOr(out, none), nil
}

func (r *run) descent(in []any) ([]any, outcome, *EvalError) {
	var out []any
	for _, v := range in {
		var err *EvalError
		if out, err = r.descend(out, v, 0); err != nil {
			return nil, none, err
		}
	}
	return out, foundOr(out, none), nil
}

// descend appends a value and all below it, parents first. As in client-go,
// empty objects and lists, numbers, bools and nulls are left out and texts are
// not: no step finds anything in them, but they are hits of {..} itself.
func (r *run) descend(out []any, v any, depth int) ([]any, *EvalError) {
	if depth > MaxDepth {
		return nil, tooLarge("the document is nested deeper than " + strconv.Itoa(MaxDepth))
	}
	if err := r.spend(1); err != nil {
		return nil, err
	}
	if text, ok := v.(string); ok && text != "" {
		return append(out, v), nil
	}
	children, err := r.children(nil, v)
	if err != nil || len(children) == 0 {
		return out, err
	}
	out = append(out, v)
	for _, c := range children {
		if out, err = r.descend(out, c, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// union evaluates each part on all inputs, one part after the other. A part
// whose key or index is absent makes the whole union absent, as client-go
// fails there; a part that merely matches nothing adds nothing.
func (r *run) union(in []any, parts []path) ([]any, outcome, *EvalError) {
	var out []any
	for _, p := range parts {
		hits, how, err := r.walkAll(in, p, 0)
		if err != nil || how == absent {
			return nil, how, err
		}
		if err := r.spend(1 + len(hits)); err != nil {
			return nil, none, err
		}
		out = append(out, hits...)
	}
	return out, foundOr(out, none), nil
}
