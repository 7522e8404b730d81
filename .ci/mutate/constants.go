package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// learnConstants finds the closed sets that a file can use: the typed constants
// of its own package and of the packages of this module that it imports.
func (c *collector) learnConstants(root, path string, file *ast.File) error {
	if err := c.learnFrom(filepath.Dir(path), ""); err != nil {
		return err
	}
	module := modulePath(filepath.Join(root, "go.mod"))
	for _, imp := range file.Imports {
		target, err := strconv.Unquote(imp.Path.Value)
		rel, inModule := strings.CutPrefix(target, module+"/")
		if err != nil || module == "" || !inModule {
			continue
		}
		name := filepath.Base(rel)
		if imp.Name != nil {
			name = imp.Name.Name
		}
		if err := c.learnFrom(filepath.Join(root, filepath.FromSlash(rel)), name+"."); err != nil {
			return err
		}
	}
	return nil
}

// learnFrom reads the constants of one directory; prefix qualifies them.
func (c *collector) learnFrom(dir, prefix string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	sets := map[string][]string{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				collectSets(g, prefix, sets)
			}
		}
	}
	for _, names := range sets {
		for i, name := range names {
			if len(names) > 1 {
				c.next[name] = names[(i+1)%len(names)]
			}
		}
	}
	return nil
}

// collectSets adds the constants with an explicit, named type to their set.
func collectSets(g *ast.GenDecl, prefix string, sets map[string][]string) {
	for _, s := range g.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		t, ok := v.Type.(*ast.Ident)
		if !ok {
			continue
		}
		for _, name := range v.Names {
			if prefix == "" || name.IsExported() {
				sets[t.Name] = append(sets[t.Name], prefix+name.Name)
			}
		}
	}
}

// modulePath reads the module line of a go.mod.
func modulePath(goMod string) string {
	data, err := os.ReadFile(goMod)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
