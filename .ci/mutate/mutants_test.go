package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package p

import "time"

type Word string

const (
	Keep   Word = "Keep"
	Delete Word = "Delete"
)

type answer struct {
	Word Word
	Last bool
}

const limit = 10

func decide(xs []int, now, end time.Time, w Word) (answer, error) {
	total := 0
	for _, x := range xs {
		if x < limit && x != 3 {
			continue
		}
		total += x
	}
	switch w {
	case Keep, "":
		return answer{Word: Keep, Last: true}, nil
	case Delete:
		xs = append(xs, max(total, 1))
	case "neither":
	}
	switch {
	case now.Before(end):
		return answer{Word: w}, nil
	}
	return answer{}, err()
}
`

// find writes the source into a module of its own and returns its mutants.
func find(t *testing.T, text string) []Mutant {
	t.Helper()
	root := t.TempDir()
	for name, data := range map[string]string{"go.mod": "module m\n", "p/p.go": text} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mutants, err := Find(root, "p/p.go")
	if err != nil {
		t.Fatal(err)
	}
	return mutants
}

func TestFindNamesEveryKindOfChange(t *testing.T) {
	t.Parallel()
	var got []string
	for _, m := range find(t, source) {
		got = append(got, strings.TrimPrefix(m.Name(), "p/p.go:"))
	}
	want := []string{
		`limit:10 in 10 -> 11`,
		`decide:0 in 0 -> 1`,
		`decide:range xs -> no iteration`,
		`decide:if x < limit && x != 3 -> true`,
		`decide:if x < limit && x != 3 -> false`,
		`decide:x < limit && x != 3 -> ||`,
		`decide:x < limit && x != 3 -> without x < limit`,
		`decide:x < limit && x != 3 -> without x != 3`,
		`decide:x < limit -> <=`,
		`decide:x < limit -> >=`,
		`decide:x != 3 -> ==`,
		`decide:3 in x != 3 -> 4`,
		`decide:continue -> break`,
		`decide:total += x -> -=`,
		`decide:remove total += x`,
		`decide:remove case Keep`,
		`decide:remove case ""`,
		`decide:Word: Keep -> Delete`,
		`decide:Last: true -> false`,
		`decide:remove case Delete`,
		`decide:remove xs = append(xs, max(total, 1))`,
		`decide:append(xs, max(total, 1)) -> xs`,
		`decide:max(total, 1) -> min`,
		`decide:1 in max(total, 1) -> 2`,
		`decide:case now.Before(end) -> true`,
		`decide:case now.Before(end) -> false`,
		`decide:now.Before(end) -> !now.After(end)`,
		`decide:remove element Word: w`,
		`decide:return err() -> nil`,
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("missing: %s", name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("unexpected: %s", name)
		}
	}
}

// A name points to one mutant, and no mutant is lost to a slip of an operator:
// what is not viable must be so for its types, not for its syntax.
func TestMutantsAreUniqueAndParse(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, m := range find(t, source) {
		if names[m.Name()] {
			t.Errorf("twice: %s", m.Name())
		}
		names[m.Name()] = true
		if string(m.Apply()) == source {
			t.Errorf("changes nothing: %s", m.Name())
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", m.Apply(), 0); err != nil {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}

func TestAcceptedSurvivorsNeedAReason(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "accepted")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# comment\n\na.go:f:x -> y  # equal instants are the same\n")
	list, err := readAccepted(path)
	if err != nil {
		t.Fatal(err)
	}
	m := Mutant{File: "a.go", Func: "f", What: "x -> y"}
	if got := list.stale([]string{"a.go"}); len(got) != 1 {
		t.Errorf("unused line is not reported: %v", got)
	}
	if !list.judge(m, survived) || len(list.stale([]string{"a.go"})) != 0 {
		t.Error("the survivor is not accepted")
	}
	write("a.go:f:x -> y\n")
	if _, err := readAccepted(path); err == nil {
		t.Error("a line without a reason is accepted")
	}
}
