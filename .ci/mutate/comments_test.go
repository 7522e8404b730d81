package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const documented = `// Package p decides (L1).
package p

// Word is a closed set (P4).
type Word string

const (
	// Keep keeps.
	Keep Word = "Keep"
	Drop Word = "Drop"
)

// Limits (S12).
const (
	// Most is the limit.
	Most = 10
	// least is another one, see F28.
	least = 1
)

// Free has no rule.
const Free = 3

// Loose is a type without one.
type Loose struct {
	// From and To are times.
	From int
	To   int

	Lost int
	own  int
}

// Decide decides (P4).
func Decide() int { return least }

func Bare() {}

// Wait says how long (P9).
func (l *Loose) Wait() int { return l.own }

// Error says what is wrong (P4).
func (Loose) Error() string { return "" }

// Shown is shown (P4).
func (Loose) Shown() int { return 0 }

type hidden struct{ Field int }

// Exported is out of reach.
func (hidden) Exported() int { return 0 }
`

const examples = `package p_test

func ExampleDecide_suffix() {
	// Output: 1
}

// It is compiled, and its output is not checked.
func ExampleLoose_Wait() {}

func ExampleLoose_Shown() {
	// Output:
}
`

// module writes files and returns their root.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, data := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func compare(t *testing.T, want, got []string) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Errorf("want\n%s\n\ngot\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

func TestCommentsLackARule(t *testing.T) {
	t.Parallel()
	root := module(t, map[string]string{
		"p/p.go": documented,
		"semantics.md": "| rule | law |\n| L1 | Values. |\n\n- **P4** decides for one old copy (P9).\n" +
			"- **S12** A raw status.\n",
	})
	rules, err := readRules(filepath.Join(root, "semantics.md"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := checkComments(root, "p", rules)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	compare(t, []string{
		"p/p.go:10: Drop has no comment",
		"p/p.go:17: cites F28, which docs/semantics.md does not define",
		"p/p.go:22: Free cites no rule",
		"p/p.go:25: Loose cites no rule",
		"p/p.go:30: Loose.Lost has no comment",
		"p/p.go:37: Bare has no comment",
		"p/p.go:39: cites P9, which docs/semantics.md does not define",
	}, got)
}

func TestExamplesAreMissing(t *testing.T) {
	t.Parallel()
	root := module(t, map[string]string{"p/p.go": documented, "p/example_test.go": examples})
	accepted := &acceptedList{used: map[string]bool{}}
	got, err := checkExamples(root, "p", accepted)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, []string{"p/p.go:40: Loose.Wait has no ExampleLoose_Wait with checked output"}, got)

	accepted.names = []string{"p.Loose.Wait"}
	if got, err = checkExamples(root, "p", accepted); err != nil {
		t.Fatal(err)
	}
	compare(t, nil, got)
	if !accepted.used["p.Loose.Wait"] {
		t.Error("the line that is needed is not known to be")
	}
}
