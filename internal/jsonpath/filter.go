package jsonpath

import (
	"errors"
	"strconv"
	"strings"

	"k8s.io/client-go/util/jsonpath"
)

const operatorChars = "!<>="

// ordering is an operator as the outcomes of a three-way comparison that pass.
type ordering struct{ less, equal, greater bool }

// operatorOf knows the operators of the grammar.
func operatorOf(op string) (ordering, bool) {
	switch op {
	case "==":
		return ordering{equal: true}, true
	case "!=":
		return ordering{less: true, greater: true}, true
	case "<":
		return ordering{less: true}, true
	case "<=":
		return ordering{less: true, equal: true}, true
	case ">":
		return ordering{greater: true}, true
	case ">=":
		return ordering{greater: true, equal: true}, true
	}
	return ordering{}, false
}

func (o ordering) passes(order int) bool {
	switch {
	case order < 0:
		return o.less
	case order > 0:
		return o.greater
	}
	return o.equal
}

// isEquality is true for == and !=, the only operators for bools.
func (o ordering) isEquality() bool { return o.less == o.greater }

// exists is the parser's name for a filter without an operator.
const exists = "exists"

// filter is a compiled [?( )].
type filter struct {
	op          string
	pass        ordering
	left, right operand
}

func (c *compiler) filter(n *jsonpath.FilterNode) (step, *SyntaxError) {
	f := &filter{op: n.Operator}
	var err *SyntaxError
	if f.left, err = c.operand(n.Left.Nodes); err != nil {
		return step{}, err
	}
	if f.right, err = c.operand(n.Right.Nodes); err != nil {
		return step{}, err
	}
	var known bool
	if f.pass, known = operatorOf(f.op); !known && f.op != exists {
		return step{}, c.refuse("unknown operator "+f.op, "")
	}
	return step{kind: filterStep, filter: f, text: f.String()}, nil
}

// String gives the filter as Parse accepts it.
func (f *filter) String() string {
	if f.op == exists {
		return "[?(" + f.left.String() + ")]"
	}
	return "[?(" + f.left.String() + f.op + f.right.String() + ")]"
}

// String gives the operand as Parse accepts it inside a filter.
func (o operand) String() string {
	if !o.constant {
		return "@" + o.path.String()
	}
	if text, ok := o.literal.(string); ok {
		return strconv.Quote(text)
	}
	text, _, _ := Text(o.literal)
	return text
}

// filter keeps the matching items of each input list; null is skipped (S4).
func (r *run) filter(in []any, f *filter) ([]any, outcome, *EvalError) {
	var out []any
	for _, v := range in {
		if err := r.spend(1); err != nil {
			return nil, none, err
		}
		if v == nil {
			continue
		}
		n, ok := listLength(v)
		if !ok {
			return nil, none, &EvalError{Kind: TypeMismatch, Detail: "a filter needs a list, here is " + typeName(v)}
		}
		for i := range n {
			item := listItem(v, i)
			pass, err := r.matches(f, item)
			if err != nil {
				return nil, none, err
			}
			if pass {
				out = append(out, item)
			}
		}
	}
	return out, foundOr(out, none), nil
}

func (r *run) matches(f *filter, item any) (bool, *EvalError) {
	if err := r.spend(1); err != nil {
		return false, err
	}
	if f.op == exists {
		return r.exists(f.left, item)
	}
	left, ok, err := r.side(f.left, item)
	if err != nil || !ok {
		return false, err
	}
	right, ok, err := r.side(f.right, item)
	if err != nil || !ok {
		return false, err
	}
	if left == nil || right == nil {
		return false, nil
	}
	return r.compare(f, left, right)
}

// exists asks for a hit that is not null. As in client-go, a step on the wrong
// type means that there is none.
func (r *run) exists(o operand, item any) (bool, *EvalError) {
	if o.constant {
		return true, nil
	}
	hits, err := r.walk(item, o.path, 0)
	if err != nil && err.Kind == TooLarge {
		return false, err
	}
	for _, hit := range hits {
		if hit != nil {
			return true, nil
		}
	}
	return false, nil
}

// side gives the value of an operand; the bool is false if it has none. As in
// client-go, several values are an error.
func (r *run) side(o operand, item any) (any, bool, *EvalError) {
	if o.constant {
		return o.literal, true, nil
	}
	if o.plain {
		return r.plainSide(o.path, item)
	}
	hits, err := r.walk(item, o.path, 0)
	switch {
	case err != nil || len(hits) == 0:
		return nil, false, err
	case len(hits) > 1:
		detail := "a side of a comparison has " + strconv.Itoa(len(hits)) + " values instead of one"
		return nil, false, &EvalError{Kind: BadPath, Detail: detail}
	}
	return hits[0], true, nil
}

// plainSide is side for a path of fields, without allocations.
func (r *run) plainSide(p path, item any) (any, bool, *EvalError) {
	for i := range p {
		if err := r.spend(p[i].cost); err != nil {
			return nil, false, err
		}
		next, ok := child(item, p[i].key)
		if !ok {
			return nil, false, nil
		}
		item = next
	}
	return item, true, nil
}

// compare compares numbers by value (S3), texts by bytes, and bools for
// equality. All else is incomparable (S4).
func (r *run) compare(f *filter, left, right any) (bool, *EvalError) {
	if a, ok := left.(string); ok {
		if b, ok := right.(string); ok {
			return r.passText(f, a, b)
		}
	}
	if a, ok := left.(bool); ok {
		if b, ok := right.(bool); ok && f.pass.isEquality() {
			return (a == b) == f.pass.equal, nil
		}
	}
	if err := r.spend(numberCost(left) + numberCost(right)); err != nil {
		return false, err
	}
	order, err := compareNumbers(left, right)
	if err == nil {
		return f.pass.passes(order), nil
	}
	if errors.Is(err, errNotNumber) {
		detail := "cannot compare " + typeName(left) + " with " + typeName(right) + " by " + f.op
		return false, &EvalError{Kind: TypeMismatch, Detail: detail}
	}
	return false, tooLarge(err.Error())
}

func (r *run) passText(f *filter, a, b string) (bool, *EvalError) {
	if err := r.spend(min(len(a), len(b)) / bytesPerStep); err != nil {
		return false, err
	}
	return f.pass.passes(strings.Compare(a, b)), nil
}
