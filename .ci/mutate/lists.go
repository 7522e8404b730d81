package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// lines returns the lines of a file without comments and blank ones. A comment
// starts at the beginning of a line, or after two spaces.
func lines(path string) (texts, comments []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		comment := ""
		if i := strings.LastIndex(line, "  # "); i >= 0 {
			line, comment = strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+len("  # "):])
		}
		texts, comments = append(texts, line), append(comments, comment)
	}
	return texts, comments, nil
}

func readDecisionFiles(path string) ([]string, error) {
	files, _, err := lines(path)
	return files, err
}

// acceptedList holds the survivors that a person looked at.
type acceptedList struct {
	names []string
	used  map[string]bool
}

func readAccepted(path string) (*acceptedList, error) {
	l := &acceptedList{used: map[string]bool{}}
	names, reasons, err := lines(path)
	if os.IsNotExist(err) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if reasons[i] == "" {
			return nil, fmt.Errorf("%s: %q has no reason: write it after two spaces and #", path, name)
		}
	}
	l.names = names
	return l, nil
}

// judge says whether a mutant is accepted, and remembers which lines are needed.
func (l *acceptedList) judge(m Mutant, o outcome) bool {
	if !slices.Contains(l.names, m.Name()) {
		return false
	}
	if o == survived {
		l.used[m.Name()] = true
	}
	return true
}

// stale are the accepted mutants of these files that are gone or killed.
func (l *acceptedList) stale(files []string) []string {
	var out []string
	for _, name := range l.names {
		file, _, _ := strings.Cut(name, ":")
		if slices.Contains(files, file) && !l.used[name] {
			out = append(out, name)
		}
	}
	return out
}

// notDecisions are methods that say what a value is, or copy it; none of them decides.
var notDecisions = []string{"Error", "String", "Unwrap", "Is", "As", "DeepCopy", "DeepCopyInto"}

// check reports listed files that do not exist, and exported functions and
// methods of the library that live in a file that is not listed.
func check(root string, decisions []string) (int, error) {
	var problems []string
	for _, file := range decisions {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
			problems = append(problems, file+": listed, but it does not exist")
		}
	}
	for _, dir := range libraryDirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			file := filepath.ToSlash(rel)
			if slices.Contains(decisions, file) {
				return nil
			}
			names, err := exportedFuncs(path)
			for _, name := range names {
				problems = append(problems, file+": "+name+" is exported, but its file is not in .ci/decision-files")
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	undocumented, err := checkPackages(root)
	if err != nil {
		return 0, err
	}
	problems = append(problems, undocumented...)
	for _, p := range problems {
		fmt.Println(p)
	}
	if len(problems) > 0 {
		fmt.Printf("%d problems\n", len(problems))
		return 1, nil
	}
	fmt.Printf("%d decision files, every exported decision is in one of them and has an Example, every exported name cites its rules\n",
		len(decisions))
	return 0, nil
}

// libraryDirs hold the packages of the library, and those below them.
var libraryDirs = []string{"purge", "preservation", "eviction", "failover"}

// checkPackages checks the comments and the examples of every package.
func checkPackages(root string) ([]string, error) {
	rules, err := readRules(filepath.Join(root, "docs", "semantics.md"))
	if err != nil {
		return nil, err
	}
	accepted, err := readAccepted(filepath.Join(root, ".ci", "examples-accepted"))
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, dir := range libraryDirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" {
				return filepath.SkipDir
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			comments, err := checkComments(root, filepath.ToSlash(rel), rules)
			if err != nil {
				return err
			}
			examples, err := checkExamples(root, filepath.ToSlash(rel), accepted)
			problems = append(append(problems, comments...), examples...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, name := range accepted.names {
		if !accepted.used[name] {
			problems = append(problems, ".ci/examples-accepted: "+name+" is no longer needed")
		}
	}
	return problems, nil
}

// exportedFuncs names the exported functions, and exported methods of exported
// types, that could decide something.
func exportedFuncs(path string) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !fn.Name.IsExported() || fn.Recv != nil && slices.Contains(notDecisions, fn.Name.Name) {
			continue
		}
		name := funcName(fn)
		if ast.IsExported(name) {
			names = append(names, name)
		}
	}
	return names, nil
}
