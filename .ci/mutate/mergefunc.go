package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// mergedFunc is a function that has mutants; start, name and end are offsets in
// its file.
type mergedFunc struct {
	src              []byte
	start, name, end int
	// head is the text up to the body, with a name for everything that is passed on.
	head string
	// A call is pass, the prefix of a copy, and called.
	pass, called string
	// mutants by their number.
	mutants map[int]Mutant
}

// readFunc takes a function apart.
func readFunc(fset *token.FileSet, src []byte, fn *ast.FuncDecl) *mergedFunc {
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	f := &mergedFunc{
		src: src, start: offset(fn.Pos()), name: offset(fn.Name.Pos()), end: offset(fn.End()),
		called: fn.Name.Name, mutants: map[int]Mutant{},
	}
	h := header{src: src, offset: offset, done: f.start}
	if fn.Type.Results.NumFields() > 0 {
		f.pass = "return "
	}
	if receiver := h.names(fn.Recv); len(receiver) > 0 {
		f.pass += receiver[0] + "."
	}
	if types := h.names(fn.Type.TypeParams); len(types) > 0 {
		f.called += "[" + strings.Join(types, ", ") + "]"
	}
	f.called += "(" + strings.Join(h.names(fn.Type.Params), ", ") + ")"
	h.copy(fn.Body.Pos())
	f.head = h.text.String()
	return f
}

// header copies the head of a function and names what has no name.
type header struct {
	src     []byte
	offset  func(token.Pos) int
	text    strings.Builder
	done    int // what is copied
	unnamed int
}

func (h *header) copy(to token.Pos) {
	h.text.Write(h.src[h.done:h.offset(to)])
	h.done = h.offset(to)
}

// names are those of a list, as they are passed on.
func (h *header) names(list *ast.FieldList) []string {
	var out []string
	for _, field := range fieldsOf(list) {
		if len(field.Names) == 0 {
			h.copy(field.Pos())
			out = append(out, h.name())
			h.text.WriteString(" ")
		}
		for _, id := range field.Names {
			name := id.Name
			if name == "_" {
				h.copy(id.Pos())
				name = h.name()
				h.done = h.offset(id.End())
			}
			out = append(out, name)
		}
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			out[len(out)-1] += "..."
		}
	}
	return out
}

// name writes a new name.
func (h *header) name() string {
	h.unnamed++
	name := "mutantArg" + strconv.Itoa(h.unnamed)
	h.text.WriteString(name)
	return name
}

// dispatch is the function as its callers see it, and the original that it calls
// where no mutant is selected.
func (f *mergedFunc) dispatch(original string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s{\nswitch %s {\n", f.head, selectorVar)
	for _, n := range slices.Sorted(maps.Keys(f.mutants)) {
		fmt.Fprintf(&out, "case %d:\n%s%s%s\n", n, f.pass, mutantPrefix(n), f.called)
	}
	fmt.Fprintf(&out, "default:\n%s%s%s\n}\n}\n\n", f.pass, original, f.called)
	return out.String() + f.renamed(original) + string(f.src[f.name:f.end])
}

// copies are the mutants. Each has lines of its own, for the errors of a compiler.
func (f *mergedFunc) copies() string {
	var out strings.Builder
	for _, n := range slices.Sorted(maps.Keys(f.mutants)) {
		m := f.mutants[n]
		fmt.Fprintf(&out, "\n//line %s:1\n%s%s%s%s\n", mutantFile(n),
			f.renamed(mutantPrefix(n)), f.src[f.name:m.start], m.text, f.src[m.end:f.end])
	}
	return out.String()
}

// renamed is the head of a copy up to its name. A copy of a method is not
// exported, so that no test finds it by reflection.
func (f *mergedFunc) renamed(prefix string) string {
	return string(f.src[f.start:f.name]) + prefix
}

func mutantPrefix(n int) string { return fmt.Sprintf("mutant%d_", n) }

// mutantFile is what errors of a compiler call the place of a mutant.
func mutantFile(n int) string { return fmt.Sprintf("mutant-%d.go", n) }
