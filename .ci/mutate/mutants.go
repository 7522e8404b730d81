package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Mutant is one small change of one file.
type Mutant struct {
	// File is named from the root of the repository, with slashes.
	File string
	// Func is the function, method (Type.Method), constant or variable.
	Func string
	// What describes the change; it is unique within Func and holds no line
	// number, so that it stays the same while other code moves.
	What string
	Line int

	src        []byte
	start, end int
	text       string
}

// Name identifies the mutant in .ci/mutants-accepted.
func (m Mutant) Name() string { return m.File + ":" + m.Func + ":" + m.What }

// Apply returns the mutated file.
func (m Mutant) Apply() []byte {
	return slices.Concat(m.src[:m.start], []byte(m.text), m.src[m.end:])
}

// Find returns the mutants of a file, in the order of its text.
func Find(root, file string) ([]Mutant, error) {
	path := filepath.Join(root, filepath.FromSlash(file))
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	c := &collector{file: file, fset: fset, src: src, next: map[string]string{}, seen: map[string]int{}}
	if err := c.learnConstants(root, path, parsed); err != nil {
		return nil, err
	}
	for _, d := range parsed.Decls {
		c.declaration(d)
	}
	return c.out, nil
}

// collector walks one file.
type collector struct {
	file string
	fset *token.FileSet
	src  []byte
	// next maps a typed constant, qualified if it is imported, to another one
	// of its type.
	next map[string]string

	fn      string
	parents []ast.Node
	seen    map[string]int
	out     []Mutant
}

func (c *collector) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil {
			c.fn, c.parents = funcName(d), []ast.Node{d}
			c.walk(d.Body)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				for _, value := range v.Values {
					c.fn, c.parents = v.Names[0].Name, nil
					c.walk(value)
				}
			}
		}
	}
}

// funcName is Name, or Type.Name for a method.
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

func (c *collector) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			c.parents = c.parents[:len(c.parents)-1]
			return true
		}
		c.mutate(n)
		c.parents = append(c.parents, n)
		return true
	})
}

// parent returns the nth node above the one that is visited; 0 is the nearest.
func (c *collector) parent(n int) ast.Node {
	if n >= len(c.parents) {
		return nil
	}
	return c.parents[len(c.parents)-1-n]
}

func (c *collector) text(n ast.Node) string { return c.between(n.Pos(), n.End()) }

func (c *collector) between(from, to token.Pos) string {
	return string(c.src[c.fset.Position(from).Offset:c.fset.Position(to).Offset])
}

// emit records that the text of a range is replaced.
func (c *collector) emit(from, to token.Pos, text, format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = short(s)
		}
	}
	what := fmt.Sprintf(format, args...)
	key := c.fn + ":" + what
	c.seen[key]++
	if n := c.seen[key]; n > 1 {
		what += " (" + strconv.Itoa(n) + ")"
	}
	position := c.fset.Position(from)
	c.out = append(c.out, Mutant{
		File: c.file, Func: c.fn, What: what, Line: position.Line,
		src: c.src, start: position.Offset, end: c.fset.Position(to).Offset, text: text,
	})
}

// short puts a text on one line of readable length.
func short(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > 80 {
		return string(r[:77]) + "..."
	}
	return string(r)
}

// mutate offers a node to every operator.
func (c *collector) mutate(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		c.condition("if", n.Cond, true, false)
	case *ast.ForStmt:
		if n.Cond != nil {
			c.condition("for", n.Cond, false)
		}
	case *ast.RangeStmt:
		at := n.Body.Lbrace + 1
		c.emit(at, at, "\nbreak\n", "range %s -> no iteration", c.text(n.X))
	case *ast.CaseClause:
		c.caseClause(n)
	case *ast.BinaryExpr:
		c.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			c.emit(n.Pos(), n.End(), c.text(n.X), "%s -> %s", c.text(n), c.text(n.X))
		}
	case *ast.IncDecStmt:
		c.incDec(n)
	case *ast.AssignStmt:
		c.assign(n)
	case *ast.ExprStmt:
		c.emit(n.Pos(), n.End(), "", "remove %s", c.text(n))
	case *ast.BranchStmt:
		c.branch(n)
	case *ast.ReturnStmt:
		c.results(n)
	case *ast.CompositeLit:
		c.removeEach("element", n.Elts, n.Rbrace)
	case *ast.CallExpr:
		c.call(n)
	case *ast.BasicLit:
		c.integer(n)
	case *ast.Ident:
		c.ident(n)
	case *ast.SelectorExpr:
		c.constant(n, c.text(n))
	}
}

// condition forces a condition, and keeps what it evaluates and uses.
func (c *collector) condition(keyword string, cond ast.Expr, values ...bool) {
	for _, v := range values {
		forced := "(" + c.text(cond) + ") && false"
		if v {
			forced = "(" + c.text(cond) + ") || true"
		}
		c.emit(cond.Pos(), cond.End(), forced, "%s %s -> "+strconv.FormatBool(v), keyword, c.text(cond))
	}
}

// caseClause forces the conditions of a switch without a tag, and takes values
// or whole clauses out of other switches.
func (c *collector) caseClause(n *ast.CaseClause) {
	if s, ok := c.parent(1).(*ast.SwitchStmt); ok && s.Tag == nil {
		for _, cond := range n.List {
			c.condition("case", cond, true, false)
		}
	} else if body, ok := c.parent(0).(*ast.BlockStmt); ok && len(n.Body) == 0 && !hasDefault(body) {
		return // it only shows that no value was forgotten
	} else if len(n.List) > 1 {
		c.removeEach("case", n.List, n.Colon)
	} else if len(n.List) == 1 {
		c.emit(n.Pos(), n.End(), "", "remove case %s", c.text(n.List[0]))
	}
	if len(n.List) == 0 && len(n.Body) > 0 {
		c.emit(n.Pos(), n.End(), "", "remove default")
	}
}

func hasDefault(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		clause, ok := s.(*ast.CaseClause)
		return ok && clause.List == nil
	})
}

// removeEach takes one element at a time out of a list.
func (c *collector) removeEach(what string, list []ast.Expr, end token.Pos) {
	for i, e := range list {
		if kv, ok := e.(*ast.KeyValueExpr); ok && c.isSwapped(kv.Value) {
			continue // another value says more than none
		}
		switch {
		case i+1 < len(list):
			c.emit(e.Pos(), list[i+1].Pos(), "", "remove %s %s", what, c.text(e))
		case i > 0:
			c.emit(list[i-1].End(), e.End(), "", "remove %s %s", what, c.text(e))
		default:
			c.emit(e.Pos(), end, "", "remove %s %s", what, c.text(e))
		}
	}
}

// isSwapped says that a value is replaced by another one of its closed set.
func (c *collector) isSwapped(value ast.Expr) bool {
	name := c.text(value)
	return name == "true" || c.next[name] != ""
}

// binaryOperators maps an operator to its replacements: the boundary first,
// then the negation.
var binaryOperators = map[token.Token][]token.Token{
	token.LSS:  {token.LEQ, token.GEQ},
	token.LEQ:  {token.LSS, token.GTR},
	token.GTR:  {token.GEQ, token.LEQ},
	token.GEQ:  {token.GTR, token.LSS},
	token.EQL:  {token.NEQ},
	token.NEQ:  {token.EQL},
	token.LAND: {token.LOR},
	token.LOR:  {token.LAND},
	token.ADD:  {token.SUB},
	token.SUB:  {token.ADD},
	token.MUL:  {token.QUO},
	token.QUO:  {token.MUL},
	token.REM:  {token.MUL},
	token.AND:  {token.OR},
	token.OR:   {token.AND},
	token.SHL:  {token.SHR},
	token.SHR:  {token.SHL},
}

func (c *collector) binary(n *ast.BinaryExpr) {
	if n.Op == token.ADD && (isText(n.X) || isText(n.Y)) {
		return
	}
	opEnd := n.OpPos + token.Pos(len(n.Op.String()))
	for _, op := range binaryOperators[n.Op] {
		if isNegation(n.Op, op) && c.isForced(n) {
			continue // true and false say more
		}
		c.emit(n.OpPos, opEnd, op.String(), "%s -> %s", c.text(n), op.String())
	}
	// Each side alone, while the other is still evaluated.
	ignored, ok := map[token.Token]string{token.LAND: " || true)", token.LOR: " && false)"}[n.Op]
	if !ok {
		return
	}
	for _, side := range []ast.Expr{n.X, n.Y} {
		c.emit(side.Pos(), side.End(), "("+c.text(side)+ignored, "%s -> without %s", c.text(n), c.text(side))
	}
}

// isNegation says that one comparison is the opposite of the other.
func isNegation(op, other token.Token) bool {
	return map[token.Token]token.Token{
		token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ,
		token.LEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	}[op] == other
}

// isForced says that the visited node is a condition that is forced both ways.
func (c *collector) isForced(n ast.Expr) bool {
	switch p := c.parent(0).(type) {
	case *ast.IfStmt:
		return p.Cond == n
	case *ast.CaseClause:
		s, ok := c.parent(2).(*ast.SwitchStmt)
		return ok && s.Tag == nil
	default:
		return false
	}
}

// isText says that an expression contains a string literal at its ends, so
// that plus joins texts.
func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (isText(e.X) || isText(e.Y))
	default:
		return false
	}
}

func (c *collector) incDec(n *ast.IncDecStmt) {
	op := token.INC
	if n.Tok == token.INC {
		op = token.DEC
	}
	c.emit(n.TokPos, n.End(), op.String(), "%s -> %s", c.text(n), op.String())
}

// assign drops the effect of an assignment, and turns += and -= round.
func (c *collector) assign(n *ast.AssignStmt) {
	if n.Tok == token.DEFINE {
		return
	}
	turned, ok := map[token.Token]string{token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+="}[n.Tok]
	if ok && !isText(n.Rhs[0]) {
		c.emit(n.TokPos, n.TokPos+2, turned, "%s -> %s", c.text(n), turned)
	}
	blanks := slices.Repeat([]string{"_"}, len(n.Lhs))
	values := c.between(n.Rhs[0].Pos(), n.End())
	if len(n.Lhs) == 1 {
		switch left := n.Lhs[0].(type) {
		case *ast.Ident:
			if left.Name == "_" {
				return
			}
		case *ast.IndexExpr:
			blanks, values = append(blanks, "_"), c.text(left.Index)+", "+values
		}
	}
	text := strings.Join(blanks, ", ") + " = " + values
	if values == "nil" {
		text = ""
	}
	c.emit(n.Pos(), n.End(), text, "remove %s", c.text(n))
}

func (c *collector) branch(n *ast.BranchStmt) {
	swapped, ok := map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}[n.Tok]
	if ok && n.Label == nil {
		c.emit(n.Pos(), n.End(), swapped, "%s -> %s", n.Tok.String(), swapped)
	}
}

// results answers with the zero value, or with the opposite.
func (c *collector) results(n *ast.ReturnStmt) {
	types := c.resultTypes()
	if len(types) != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		if _, literal := e.(*ast.CompositeLit); literal || isZero(e) {
			continue // its elements are mutated one by one
		}
		t := c.text(types[i])
		switch t {
		case "bool":
			if id, ok := e.(*ast.Ident); !ok || id.Name != "true" {
				c.emit(e.Pos(), e.End(), "!("+c.text(e)+")", "return %s -> not", c.text(e))
			}
		case "error":
			c.emit(e.Pos(), e.End(), "nil", "return %s -> nil", c.text(e))
		default:
			c.emit(e.Pos(), e.End(), "*new("+t+")", "return %s -> zero", c.text(e))
		}
	}
}

// resultTypes are those of the function around the visited node.
func (c *collector) resultTypes() []ast.Expr {
	for i := range c.parents {
		var fields *ast.FieldList
		switch f := c.parent(i).(type) {
		case *ast.FuncDecl:
			fields = f.Type.Results
		case *ast.FuncLit:
			fields = f.Type.Results
		default:
			continue
		}
		var types []ast.Expr
		for _, field := range fieldsOf(fields) {
			for range max(1, len(field.Names)) {
				types = append(types, field.Type)
			}
		}
		return types
	}
	return nil
}

func fieldsOf(l *ast.FieldList) []*ast.Field {
	if l == nil {
		return nil
	}
	return l.List
}

func isZero(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "nil" || e.Name == "false"
	case *ast.BasicLit:
		return e.Value == "0" || e.Value == `""`
	default:
		return false
	}
}

// call changes calls whose meaning is known: min, max, append, and the order of
// times at equality.
func (c *collector) call(n *ast.CallExpr) {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		swapped, ok := map[string]string{"min": "max", "max": "min"}[f.Name]
		switch {
		case ok:
			c.emit(f.Pos(), f.End(), swapped, "%s -> %s", c.text(n), swapped)
		case f.Name == "append" && len(n.Args) > 1:
			c.emit(n.Pos(), n.End(), c.text(n.Args[0]), "%s -> %s", c.text(n), c.text(n.Args[0]))
		}
	case *ast.SelectorExpr:
		swapped, ok := map[string]string{"Before": "After", "After": "Before"}[f.Sel.Name]
		if ok && len(n.Args) == 1 {
			text := "!" + c.text(f.X) + "." + swapped + "(" + c.text(n.Args[0]) + ")"
			c.emit(n.Pos(), n.End(), text, "%s -> %s", c.text(n), text)
		}
	}
}

func (c *collector) integer(n *ast.BasicLit) {
	if n.Kind != token.INT {
		return
	}
	if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
		text := strconv.FormatInt(v+1, 10)
		around := c.text(n)
		if p, ok := c.parent(0).(ast.Expr); ok {
			around = c.text(p)
		}
		c.emit(n.Pos(), n.End(), text, "%s in %s -> %s", n.Value, around, text)
	}
}

func (c *collector) ident(n *ast.Ident) {
	switch p := c.parent(0).(type) {
	case *ast.SelectorExpr:
		return // the selector itself is visited
	case *ast.KeyValueExpr:
		if p.Key == n {
			return
		}
	}
	switch n.Name {
	case "true", "false":
		text := strconv.FormatBool(n.Name == "false")
		around := n.Name
		if p, ok := c.parent(0).(*ast.KeyValueExpr); ok {
			around = c.text(p)
		}
		c.emit(n.Pos(), n.End(), text, "%s -> %s", around, text)
	default:
		c.constant(n, n.Name)
	}
}

// constant uses another constant of the same type.
func (c *collector) constant(n ast.Expr, name string) {
	other, ok := c.next[name]
	if _, inCase := c.parent(0).(*ast.CaseClause); !ok || inCase {
		return
	}
	around := name
	switch p := c.parent(0).(type) {
	case *ast.KeyValueExpr:
		if p.Key == n {
			return
		}
		around = c.text(p)
	case *ast.BinaryExpr:
		around = c.text(p)
	}
	c.emit(n.Pos(), n.End(), other, "%s -> %s", around, other)
}
