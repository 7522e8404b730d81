package jsonpath

import (
	"strconv"

	"k8s.io/client-go/util/jsonpath"
)

type partKind uint8

const (
	textPart partKind = iota
	literalPart
	pathPart
	rangePart
)

// part is a piece of a compiled template; kind says which fields are set.
type part struct {
	kind     partKind
	text     string // literal text outside braces
	literal  any    // of a literal in braces and of a range over one
	path     path   // of an action and of a range
	constant bool   // a range over literal instead of path
	body     []part // of a range
}

// action is one element of the parser's flat list before ranges are matched.
type action struct {
	part   part
	isEnd  bool
	offset int
}

// compiler collects what the template as a whole is.
type compiler struct {
	offset   int // of the action being compiled, for refusals
	template Template
}

const internalDetail = "the parser gave a tree that is not understood"

// compile turns the parser's tree into a template. actions are the offsets of
// the actions in the given text, in order.
func compile(root *jsonpath.ListNode, offsets []int) (*Template, *SyntaxError) {
	c := &compiler{}
	flat := make([]action, 0, len(root.Nodes))
	for _, node := range root.Nodes {
		a, err := c.top(node, &offsets)
		if err != nil {
			return nil, err
		}
		flat = append(flat, a)
	}
	if err := checkRanges(flat); err != nil {
		return nil, err
	}
	t := &c.template
	t.parts = unflatten(flat)
	if len(t.parts) == 1 && t.parts[0].kind == pathPart {
		t.isOne, t.single = true, t.parts[0].path
		if t.single.onlyFields() {
			t.fields = t.single.keys()
		}
	}
	return t, nil
}

func (c *compiler) top(node jsonpath.Node, offsets *[]int) (action, *SyntaxError) {
	switch n := node.(type) {
	case *jsonpath.TextNode:
		return action{part: part{kind: textPart, text: n.Text}}, nil
	case *jsonpath.ListNode:
		if len(*offsets) == 0 {
			return action{}, &SyntaxError{Offset: -1, Detail: internalDetail}
		}
		c.offset, *offsets = (*offsets)[0], (*offsets)[1:]
		return c.action(n)
	}
	return action{}, &SyntaxError{Offset: -1, Detail: internalDetail}
}

// action compiles what stands in one pair of braces.
func (c *compiler) action(list *jsonpath.ListNode) (action, *SyntaxError) {
	words, nodes := splitWords(list.Nodes)
	a := action{offset: c.offset}
	if len(words) > 1 {
		return a, c.refuse("several of range and end in one action", "each stands in braces of its own")
	}
	if len(words) == 1 && words[0] == "end" {
		if len(nodes) > 0 {
			return a, c.refuse("a path beside end", "{end} stands alone")
		}
		a.isEnd = true
		return a, nil
	}
	o, err := c.operand(nodes)
	if err != nil {
		return a, err
	}
	a.part = part{kind: pathPart, path: o.path, literal: o.literal, constant: o.constant}
	switch {
	case len(words) == 1:
		a.part.kind = rangePart
	case o.constant:
		a.part.kind = literalPart
	}
	c.note(o)
	return a, nil
}

func (c *compiler) note(o operand) {
	_, quoted := o.literal.(string)
	c.template.quotes = c.template.quotes || quoted
	c.template.reads = c.template.reads || !o.constant
}

// splitWords takes range and end out of a list of nodes.
func splitWords(nodes []jsonpath.Node) ([]string, []jsonpath.Node) {
	var words []string
	var rest []jsonpath.Node
	for _, node := range nodes {
		if word, ok := node.(*jsonpath.IdentifierNode); ok {
			words = append(words, word.Name)
		} else {
			rest = append(rest, node)
		}
	}
	return words, rest
}

// checkRanges refuses a stray end and ranges nested too deeply. A missing end
// is legal, as in client-go.
func checkRanges(flat []action) *SyntaxError {
	depth := 0
	for _, a := range flat {
		switch {
		case a.isEnd:
			depth--
		case a.part.kind == rangePart:
			depth++
		}
		if depth < 0 {
			return &SyntaxError{Offset: a.offset, Detail: "end without a range", Hint: "a loop is {range .items[*]}{.name}{end}"}
		}
		if depth > MaxNesting {
			return &SyntaxError{Offset: a.offset, Detail: "ranges are nested deeper than " + strconv.Itoa(MaxNesting)}
		}
	}
	return nil
}

// unflatten matches ranges with their ends. The body of a range without an end
// is all the rest; behind such a range client-go goes on after the last end of
// that body, or, if it has none, with the body once more.
func unflatten(flat []action) []part {
	var parts []part
	for i := 0; i < len(flat); i++ {
		p := flat[i].part
		if p.kind == rangePart {
			end := matchingEnd(flat, i)
			if end < 0 {
				p.body = unflatten(flat[i+1:])
				parts = append(parts, p)
				if last := lastEnd(flat); last > i {
					return append(parts, unflatten(flat[last+1:])...)
				}
				return append(parts, p.body...)
			}
			p.body = unflatten(flat[i+1 : end])
			i = end
		}
		parts = append(parts, p)
	}
	return parts
}

func matchingEnd(flat []action, start int) int {
	depth := 0
	for i := start; i < len(flat); i++ {
		switch {
		case flat[i].isEnd:
			if depth--; depth == 0 {
				return i
			}
		case flat[i].part.kind == rangePart:
			depth++
		}
	}
	return -1
}

func lastEnd(flat []action) int {
	last := -1
	for i := range flat {
		if flat[i].isEnd {
			last = i
		}
	}
	return last
}

// operand is a path or a literal, of an action or of one side of a filter.
type operand struct {
	path     path
	literal  any
	constant bool // literal is set, path is not
	plain    bool // path has fields only
}

// operand compiles a list of nodes. A literal replaces whatever stands before
// it, so beside a path one of the two would be lost: it must stand alone.
func (c *compiler) operand(nodes []jsonpath.Node) (operand, *SyntaxError) {
	for _, node := range nodes {
		value, ok := literalOf(node)
		if !ok {
			continue
		}
		if len(nodes) > 1 {
			return operand{}, c.refuse("a literal beside a path or another literal", "each stands in braces of its own")
		}
		return operand{literal: value, constant: true}, nil
	}
	p, err := c.path(nodes)
	return operand{path: p, plain: p.onlyFields()}, err
}

func literalOf(node jsonpath.Node) (any, bool) {
	switch n := node.(type) {
	case *jsonpath.TextNode:
		return n.Text, true
	case *jsonpath.IntNode:
		return int64(n.Value), true
	case *jsonpath.FloatNode:
		return n.Value, true
	case *jsonpath.BoolNode:
		return n.Value, true
	}
	return nil, false
}

func (c *compiler) path(nodes []jsonpath.Node) (path, *SyntaxError) {
	p := make(path, len(nodes))
	for i, node := range nodes {
		var err *SyntaxError
		if p[i], err = c.step(node); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (c *compiler) step(node jsonpath.Node) (step, *SyntaxError) {
	switch n := node.(type) {
	case *jsonpath.FieldNode:
		return fieldOf(n.Value), nil
	case *jsonpath.WildcardNode:
		return step{kind: wildcardStep, text: ".*"}, nil
	case *jsonpath.RecursiveNode:
		return step{kind: descentStep, text: ".."}, nil
	case *jsonpath.ArrayNode:
		return c.slice(n)
	case *jsonpath.UnionNode:
		return c.union(n)
	case *jsonpath.FilterNode:
		return c.filter(n)
	}
	return step{}, c.refuse(internalDetail, "")
}

func (c *compiler) slice(n *jsonpath.ArrayNode) (step, *SyntaxError) {
	s := span{
		start: n.Params[0].Value, hasStart: n.Params[0].Known,
		end: n.Params[1].Value, hasEnd: n.Params[1].Known,
		step: 1, hasSep: !n.Params[1].Derived,
	}
	if n.Params[2].Known {
		s.step = n.Params[2].Value
	}
	switch {
	case s.step < 1:
		return step{}, c.refuse("the step of a slice is below 1", "")
	case s.hasSep && s.hasEnd && s.start > s.end && (s.start < 0) == (s.end < 0):
		return step{}, c.refuse("the slice starts behind its end", "a slice is [from:to] with to left out")
	}
	return step{kind: sliceStep, span: s, text: s.String()}, nil
}

func (c *compiler) union(n *jsonpath.UnionNode) (step, *SyntaxError) {
	parts := make([]path, len(n.Nodes))
	for i, list := range n.Nodes {
		var err *SyntaxError
		if parts[i], err = c.path(list.Nodes); err != nil {
			return step{}, err
		}
	}
	return step{kind: unionStep, parts: parts, text: unionText(parts)}, nil
}

func (c *compiler) refuse(detail, hint string) *SyntaxError {
	return &SyntaxError{Offset: c.offset, Detail: detail, Hint: hint}
}
