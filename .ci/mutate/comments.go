package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// citation is a rule in a comment: (E8), P1 to P3.
var citation = regexp.MustCompile(`\b[LPESIFR][0-9]+\b`)

// definition is where docs/semantics.md says what a rule is: in the first column
// of a table, or in bold.
var definition = regexp.MustCompile(`(?m)^\| ([LPESIFR][0-9]+) \||\*\*([LPESIFR][0-9]+)\*\*`)

// readRules names the rules that a document defines.
func readRules(path string) (map[string]bool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rules := map[string]bool{}
	for _, found := range definition.FindAllStringSubmatch(string(data), -1) {
		rules[found[1]+found[2]] = true
	}
	return rules, nil
}

// docChecker reads one package, without its tests, and collects what its
// comments lack.
type docChecker struct {
	dir      string
	fset     *token.FileSet
	rules    map[string]bool
	typeDocs map[string]string
	problems []string
}

// checkComments says which exported names of a package have no comment or cite
// no rule, and which comments cite a rule that does not exist. What counts is
// written in the comment of the command.
func checkComments(root, dir string, rules map[string]bool) ([]string, error) {
	c := docChecker{dir: dir, fset: token.NewFileSet(), rules: rules, typeDocs: map[string]string{}}
	files, err := c.parse(root, func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		c.learnTypes(f)
	}
	for _, f := range files {
		for _, group := range f.Comments {
			c.unknownRules(group)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if name := funcName(d); d.Name.IsExported() && ast.IsExported(name) {
					c.name(d.Pos(), name, d.Doc.Text())
				}
			case *ast.GenDecl:
				c.group(d)
			}
		}
	}
	return c.problems, nil
}

// parse reads the files of the package that people wrote, in the order of their
// names.
func (c *docChecker) parse(root string, want func(name string) bool) ([]*ast.File, error) {
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(c.dir), "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, path := range paths {
		name := filepath.Base(path)
		if !want(name) {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(c.fset, c.dir+"/"+name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if !ast.IsGenerated(f) {
			files = append(files, f)
		}
	}
	return files, nil
}

func (c *docChecker) problem(pos token.Pos, format string, args ...any) {
	at := c.fset.Position(pos)
	c.problems = append(c.problems, fmt.Sprintf("%s:%d: %s", at.Filename, at.Line, fmt.Sprintf(format, args...)))
}

// unknownRules finds citations that lead nowhere.
func (c *docChecker) unknownRules(group *ast.CommentGroup) {
	for _, line := range group.List {
		for _, rule := range citation.FindAllString(line.Text, -1) {
			if !c.rules[rule] {
				c.problem(line.Pos(), "cites %s, which docs/semantics.md does not define", rule)
			}
		}
	}
}

// name checks one exported name: a comment of its own, and a rule there or in
// one of the comments that it belongs to.
func (c *docChecker) name(pos token.Pos, name, own string, around ...string) {
	if strings.TrimSpace(own) == "" {
		c.problem(pos, "%s has no comment", name)
		return
	}
	if !slices.ContainsFunc(append(around, own), citation.MatchString) {
		c.problem(pos, "%s cites no rule", name)
	}
}

// specDoc is the comment of one declaration; where it stands without brackets
// that is the comment of the keyword.
func specDoc(d *ast.GenDecl, own *ast.CommentGroup) string {
	if own == nil && !d.Lparen.IsValid() {
		own = d.Doc
	}
	return own.Text()
}

func (c *docChecker) learnTypes(f *ast.File) {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, s := range g.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					c.typeDocs[t.Name.Name] = specDoc(g, t.Doc)
				}
			}
		}
	}
}

// group checks a declaration of types, constants or variables.
func (c *docChecker) group(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				c.name(s.Pos(), s.Name.Name, specDoc(d, s.Doc))
				c.fields(s)
			}
		case *ast.ValueSpec:
			around := []string{d.Doc.Text()}
			if t, ok := s.Type.(*ast.Ident); ok {
				around = append(around, c.typeDocs[t.Name])
			}
			for _, name := range s.Names {
				if name.IsExported() {
					c.name(name.Pos(), name.Name, specDoc(d, s.Doc), around...)
				}
			}
		}
	}
}

// fields checks that the exported fields of a struct have a comment. One comment
// may be for the fields right below it as well, if it names them.
func (c *docChecker) fields(t *ast.TypeSpec) {
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	above := ""
	for _, f := range s.Fields.List {
		if f.Doc != nil {
			above = f.Doc.Text()
		}
		for _, name := range f.Names {
			named := regexp.MustCompile(`\b` + name.Name + `\b`).MatchString(above)
			if name.IsExported() && f.Doc == nil && !named {
				c.problem(name.Pos(), "%s.%s has no comment", t.Name.Name, name.Name)
			}
		}
	}
}

// notShown are methods that need no example besides those that decide nothing.
var notShown = append([]string{"Retryable"}, notDecisions...)

// checkExamples names the exported functions and methods of a package that
// return something and have no Example with checked output.
func checkExamples(root, dir string, accepted *acceptedList) ([]string, error) {
	c := docChecker{dir: dir, fset: token.NewFileSet()}
	tests, err := c.parse(root, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	if err != nil {
		return nil, err
	}
	shown := map[string]bool{}
	for _, e := range doc.Examples(tests...) {
		// A suffix starts with a small letter: Type_Method_suffix.
		parts := strings.Split(e.Name, "_")
		if n := len(parts); n > 1 && !ast.IsExported(parts[n-1]) {
			parts = parts[:n-1]
		}
		if e.Output != "" || e.EmptyOutput {
			shown[strings.Join(parts, ".")] = true
		}
	}
	files, err := c.parse(root, func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Type.Results == nil || fn.Recv != nil && slices.Contains(notShown, fn.Name.Name) {
				continue
			}
			name := funcName(fn)
			if !ast.IsExported(name) || shown[name] {
				continue
			}
			if full := dir + "." + name; slices.Contains(accepted.names, full) {
				accepted.used[full] = true
				continue
			}
			c.problem(fn.Pos(), "%s has no Example%s with checked output", name, strings.ReplaceAll(name, ".", "_"))
		}
	}
	return c.problems, nil
}
