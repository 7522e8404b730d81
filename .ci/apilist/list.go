package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// listPackage gives a line for each exported name of the package in dir, sorted; nil
// without Go files. Tests are not looked at.
func listPackage(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	l := lister{fset: token.NewFileSet()}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(l.fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		l.file(file)
	}
	slices.Sort(l.lines)
	return l.lines, nil
}

type lister struct {
	fset  *token.FileSet
	lines []string
}

func (l *lister) add(parts ...string) { l.lines = append(l.lines, strings.Join(parts, " ")) }

func (l *lister) file(file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			l.function(d)
		case *ast.GenDecl:
			l.group(d)
		}
	}
}

func (l *lister) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() || d.Recv != nil && !exportedReceiver(d.Recv.List[0].Type) {
		return
	}
	l.add(l.text(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type}))
}

func exportedReceiver(of ast.Expr) bool {
	switch t := of.(type) {
	case *ast.StarExpr:
		return exportedReceiver(t.X)
	case *ast.IndexExpr:
		return exportedReceiver(t.X)
	case *ast.IndexListExpr:
		return exportedReceiver(t.X)
	case *ast.Ident:
		return t.IsExported()
	default:
		return false
	}
}

func (l *lister) group(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				l.typeSpec(s)
			}
		case *ast.ValueSpec:
			l.values(d.Tok, s)
		}
	}
}

// values lists constants with their values, which are stored, and variables without.
func (l *lister) values(tok token.Token, s *ast.ValueSpec) {
	for i, name := range s.Names {
		if !name.IsExported() {
			continue
		}
		parts := []string{tok.String(), name.Name}
		if s.Type != nil {
			parts = append(parts, l.text(s.Type))
		}
		if tok == token.CONST && i < len(s.Values) {
			parts = append(parts, "=", l.text(s.Values[i]))
		}
		l.add(parts...)
	}
}

// typeSpec lists a struct field by field, with tags, since JSON names are promises.
func (l *lister) typeSpec(s *ast.TypeSpec) {
	name := "type " + s.Name.Name
	if s.TypeParams != nil {
		name += "[" + l.fields(s.TypeParams) + "]"
	}
	if s.Assign.IsValid() {
		name += " ="
	}
	of, isStruct := s.Type.(*ast.StructType)
	if !isStruct {
		l.add(name, l.text(s.Type))
		return
	}
	l.add(name, "struct")
	for _, field := range of.Fields.List {
		names := field.Names
		if names == nil { // embedded
			l.field(s.Name.Name, "(embedded)", field)
		}
		for _, n := range names {
			if n.IsExported() {
				l.field(s.Name.Name, n.Name, field)
			}
		}
	}
}

func (l *lister) field(of, name string, field *ast.Field) {
	parts := []string{"field", of + "." + name, l.text(field.Type)}
	if field.Tag != nil {
		parts = append(parts, field.Tag.Value)
	}
	l.add(parts...)
}

func (l *lister) fields(list *ast.FieldList) string {
	var out []string
	for _, field := range list.List {
		for _, name := range field.Names {
			out = append(out, name.Name+" "+l.text(field.Type))
		}
	}
	return strings.Join(out, ", ")
}

// text is source in one line.
func (l *lister) text(node any) string {
	var b bytes.Buffer
	config := printer.Config{Mode: printer.RawFormat}
	if err := config.Fprint(&b, l.fset, node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
