package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package p

type Mode string

const (
	A Mode = "a"
	b Mode = "b"
)

var Err, hidden = 1, 2

type T struct {
	// Comment.
	X, Y *int32 ` + "`json:\"x,omitempty\"`" + `
	z int
	Mode
}

type Alias = T

type G[K comparable, V any] struct{ M map[K]V }

type hiddenType struct{ X int }

func (hiddenType) M() {}

func F(a,
	b int) (string, error) { return "", nil }

func (t *T) Do(f func(int) bool) {}

func (g G[K, V]) Len() int { return 0 }

func g() {}
`

func TestListPackage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"p.go": source, "p_test.go": "package p\n\nfunc InATest() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := listPackage(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"const A Mode = \"a\"",
		"field G.M map[K]V",
		"field T.(embedded) Mode",
		"field T.X *int32 `json:\"x,omitempty\"`",
		"field T.Y *int32 `json:\"x,omitempty\"`",
		"func (g G[K, V]) Len() int",
		"func (t *T) Do(f func(int) bool)",
		"func F(a, b int) (string, error)",
		"type Alias = T",
		"type G[K comparable, V any] struct",
		"type Mode string",
		"type T struct",
		"var Err",
	}
	if !slices.Equal(want, got) {
		t.Errorf("want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

func TestCompare(t *testing.T) {
	root := t.TempDir()
	before := map[string][]string{"a.txt": {"func F()", "func G()"}, "b.txt": {"func H()"}}
	if err := write(root, before); err != nil {
		t.Fatal(err)
	}
	if err := compare(root, before); err != nil {
		t.Errorf("what was written is not what is read: %v", err)
	}
	after := map[string][]string{"a.txt": {"func F()", "func New()"}}
	err := compare(root, after)
	if err == nil {
		t.Fatal("a change is not seen")
	}
	for _, want := range []string{"- a.txt: func G()\n", "- b.txt: func H()\n", "+ a.txt: func New()\n", "make api-list", "CHANGELOG.md"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in:\n%v", want, err)
		}
	}
	grown := map[string][]string{"a.txt": {"func F()", "func G()", "func New()"}, "b.txt": {"func H()"}}
	if err := compare(root, grown); err == nil || strings.Contains(err.Error(), "CHANGELOG") {
		t.Errorf("a new name breaks nobody: %v", err)
	}
}
