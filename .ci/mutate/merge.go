package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// selectorFile is added to the package. Its name comes first, so that the
	// selector is set before any variable of the package calls a function.
	selectorFile = "0mutant.go"
	selectorVar  = "mutantSelected"
	// selectorEnv is where a test binary finds the number of its mutant; 0 or
	// nothing is the original.
	selectorEnv = "MUTANT"
)

// merger makes one file of many mutants. A function that has mutants is copied,
// once for each of them and once as it was, and what remains of it calls the copy
// that is selected:
//
//	func (g gate) open(at time.Time) bool {
//		switch mutantSelected {
//		case 7:
//			return g.mutant7_open(at)
//		default:
//			return g.original0_open(at)
//		}
//	}
//
// The original is a copy, too, so that nothing but the mutation tells a mutant
// from it: a test that notices the way through the switch, because it counts
// allocations or calls, already fails where no mutant is selected.
type merger struct {
	src       []byte
	pkg       string
	functions []*mergedFunc
}

// newMerger takes the mutants of one file that fit, and gives them the number of
// their place + 1. What does not even parse is not viable. What has no outcome
// and is in no function needs a build of its own: mutants of variables and
// constants, and those that may leave an import without use.
func newMerger(mutants []Mutant) (*merger, []outcome, error) {
	m := &merger{src: mutants[0].src}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, mutants[0].File, m.src, 0)
	if err != nil {
		return nil, nil, err
	}
	m.pkg = file.Name.Name
	used := usedImports(file)
	results := make([]outcome, len(mutants))
	functions := map[*ast.FuncDecl]*mergedFunc{}
	for i, mutant := range mutants {
		mutated, err := parser.ParseFile(token.NewFileSet(), mutant.File, mutant.Apply(), 0)
		if err != nil {
			results[i] = notViable
			continue
		}
		fn := funcAround(fset, file, mutant)
		if fn == nil || !maps.Equal(used, usedImports(mutated)) {
			continue
		}
		if functions[fn] == nil {
			functions[fn] = readFunc(fset, m.src, fn)
			m.functions = append(m.functions, functions[fn])
		}
		functions[fn].mutants[i+1] = mutant
	}
	return m, results, nil
}

// funcAround is the function whose body holds a mutant, or nil.
func funcAround(fset *token.FileSet, file *ast.File, m Mutant) *ast.FuncDecl {
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Body != nil && fset.Position(fn.Body.Pos()).Offset < m.start && m.end < fset.Position(fn.End()).Offset {
			return fn
		}
	}
	return nil
}

// usedImports are the names before a dot that look like those of imports.
func usedImports(file *ast.File) map[string]bool {
	free := map[*ast.Ident]bool{}
	for _, id := range file.Unresolved {
		free[id] = slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
			return i.Name == nil && strings.Contains(i.Path.Value, id.Name) || i.Name != nil && i.Name.Name == id.Name
		})
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && free[id] {
				used[id.Name] = true
			}
		}
		return true
	})
	return used
}

// numbers are those of the mutants that are merged.
func (m *merger) numbers() []int {
	var out []int
	for _, f := range m.functions {
		out = slices.AppendSeq(out, maps.Keys(f.mutants))
	}
	slices.Sort(out)
	return out
}

// source is the merged file.
func (m *merger) source() []byte {
	var text, copies strings.Builder
	done := 0
	for i, f := range m.functions {
		text.Write(m.src[done:f.start])
		text.WriteString(f.dispatch(fmt.Sprintf("original%d_", i)))
		copies.WriteString(f.copies())
		done = f.end
	}
	text.Write(m.src[done:])
	return []byte(text.String() + copies.String())
}

// selector is the file that reads which mutant runs, once.
func (m *merger) selector() []byte {
	return fmt.Appendf(nil, "package %s\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\nvar %s, _ = strconv.Atoi(os.Getenv(%q))\n",
		m.pkg, selectorVar, selectorEnv)
}

var inMutant = regexp.MustCompile(`mutant-(\d+)\.go:\d`)

// drop takes out the mutants that the errors of a compiler name, and returns
// their numbers.
func (m *merger) drop(errors []byte) []int {
	var dropped []int
	for _, found := range inMutant.FindAllSubmatch(errors, -1) {
		n, _ := strconv.Atoi(string(found[1]))
		for _, f := range m.functions {
			if _, merged := f.mutants[n]; merged {
				delete(f.mutants, n)
				dropped = append(dropped, n)
			}
		}
	}
	return dropped
}
