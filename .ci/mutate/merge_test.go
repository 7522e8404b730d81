package main

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// kinds has a function of every kind, each with a change that a test notices.
// What no test notices has missed in its name.
const kinds = `package p

import "strings"

type gate struct{ open int }

type box[T any] struct{ in T }

type empty struct{}

var table = map[int]int{1: 1 + 1}

var trace []string

func init() { trace = append(trace, "first") }

func init() { trace = append(trace, "second") }

func (g gate) value(_ int, by int) int { return g.open + by }

func (g *gate) pointer(by int) { g.open += by }

func (empty) unnamed(int, string) int { return 1 + 1 }

func (_ empty) blank() (_ int, _ error) { return 1 + 1, nil }

func (b box[_]) generic(more bool) bool { return !more }

func count[T, _ any](list ...T) int { return len(list) + 1 }

func named(by int) (sum int, err error) {
	defer func() { sum += 1 }()
	sum = by + 1
	return
}

func literal(by int) int {
	add := func(to int) int { return to + by }
	return add(1)
}

func fact(n int) int {
	if n == 0 {
		return 1
	}
	return n * fact(n-1)
}

func upTo(n int) int {
	i := 0
	for i < n {
		i++
	}
	return i
}

func missed(by int) int { return by + 1 }

// Used is tested by its users.
func Used(by int) int { return by + 1 }

func loud(text string) string { return strings.ToUpper(text) }

func unused(by int) int {
	sum := by
	return sum
}

func caught() (text any) {
	func() {
		defer guard(&text)
		panic("caught")
	}()
	return text
}

func guard(text *any) {
	if v := recover(); v != nil {
		*text = v
	}
}
`

const kindsTest = `package p

import "testing"

func TestAll(t *testing.T) {
	g := gate{1}
	g.pointer(2)
	e := empty{}
	blank, _ := e.blank()
	named, _ := named(2)
	got := []int{
		g.open, g.value(0, 1), e.unnamed(0, ""), blank, count[int, string](1, 2), named,
		literal(2), fact(3), upTo(3), missed(1) * 0, table[1], len(trace),
	}
	for i, want := range []int{3, 4, 2, 2, 3, 4, 3, 6, 3, 0, 2, 2} {
		if got[i] != want {
			t.Errorf("%d: want %d, got %d", i, want, got[i])
		}
	}
	if (box[int]{}).generic(true) || loud("a") != "A" {
		t.Error("not as it was")
	}
}

// It fails in a merged file: only what is deferred itself can recover.
func TestCaught(t *testing.T) {
	if caught() == nil {
		t.Error("nothing was caught")
	}
}
`

// kindsOutcomes says what becomes of some mutants.
var kindsOutcomes = map[string]outcome{
	`table:1 + 1 -> -`: killed,
	`init:remove trace = append(trace, "second")`: killed,
	`gate.value:g.open + by -> -`:                 killed,
	`gate.pointer:g.open += by -> -=`:             killed,
	`empty.unnamed:1 + 1 -> -`:                    killed,
	`empty.blank:1 + 1 -> -`:                      killed,
	`box.generic:!more -> more`:                   killed,
	`count:len(list) + 1 -> -`:                    killed,
	`named:sum += 1 -> -=`:                        killed,
	`literal:to + by -> -`:                        killed,
	`fact:n * fact(n-1) -> /`:                     killed,
	`upTo:i++ -> --`:                              timedOut,
	`missed:by + 1 -> -`:                          survived,
	`Used:by + 1 -> -`:                            killed,
	`loud:return strings.ToUpper(text) -> zero`:   notViable,
	`unused:return sum -> zero`:                   notViable,
	`guard:if v != nil -> false`:                  killed,
}

// kindsModule has two packages, and returns the mutants above.
func kindsModule(t *testing.T) (root string, mutants []Mutant) {
	t.Helper()
	root = module(t, map[string]string{
		"go.mod": "module m\n\ngo 1.24.0\n", "p/p.go": kinds, "p/p_test.go": kindsTest,
		"q/q_test.go": "package q\n\nimport (\n\t\"m/p\"\n\t\"testing\"\n)\n\n" +
			"func TestUsed(t *testing.T) {\n\tif p.Used(1) != 2 {\n\t\tt.Fail()\n\t}\n}\n",
	})
	all, err := Find(root, "p/p.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, m := range all {
		if name := m.Func + ":" + m.What; kindsOutcomes[name] != "" {
			mutants, found[name] = append(mutants, m), true
		}
	}
	for name := range kindsOutcomes {
		if !found[name] {
			t.Errorf("there is no mutant %s", name)
		}
	}
	return root, mutants
}

// Whether mutants share a binary makes no difference to what becomes of them.
func TestTogetherIsLikeAlone(t *testing.T) {
	t.Parallel()
	root, mutants := kindsModule(t)
	r, err := newRunner(t.Context(), root, options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if err := r.baseline(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	r.timeouts["p"] = 3 * time.Second
	// Without the one that makes a test fail, survivors are believed at once.
	merges := slices.DeleteFunc(slices.Clone(mutants), func(m Mutant) bool { return m.Func == "guard" })
	for name, run := range map[string]struct {
		alone   bool
		mutants []Mutant
	}{"alone": {true, mutants}, "together": {false, mutants}, "all merge": {false, merges}} {
		results, err := testAll(t.Context(), r, options{alone: run.alone, workers: 2}, run.mutants)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range run.mutants {
			if want := kindsOutcomes[m.Func+":"+m.What]; results[i] != want {
				t.Errorf("%s: %s: want %s, got %s", name, m.Name(), want, results[i])
			}
		}
	}
}

// Only what cannot be merged is left for a binary of its own.
func TestTogetherLeavesFew(t *testing.T) {
	t.Parallel()
	_, mutants := kindsModule(t)
	m, results, err := newMerger(mutants)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for i, mutant := range mutants {
		if results[i] == "" && !slices.Contains(m.numbers(), i+1) {
			left = append(left, mutant.Func)
		}
	}
	compare(t, []string{"table", "loud"}, left)
}

func TestMergedFunctionsCallTheirCopies(t *testing.T) {
	t.Parallel()
	m, _, err := newMerger(find(t, kinds))
	if err != nil {
		t.Fatal(err)
	}
	text := string(m.source())
	if _, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"func (g gate) value(mutantArg1 int, by int) int {\nswitch mutantSelected {\n",
		"default:\nreturn g.original2_value(mutantArg1, by)\n}\n}\n\nfunc (g gate) original2_value(_ int, by int) int { return g.open + by }",
		"default:\ng.original3_pointer(by)\n",
		"func (mutantArg1 empty) unnamed(mutantArg2 int, mutantArg3 string) int {",
		"func (mutantArg1 empty) blank() (_ int, _ error) {",
		"return mutantArg1.original5_blank()",
		"func count[T, mutantArg1 any](list ...T) int {",
		"return original7_count[T, mutantArg1](list...)",
		"_init() { trace = trace }",
		"return n / fact(n-1)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing:\n%s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestErrorsDropTheirMutants(t *testing.T) {
	t.Parallel()
	m, _, err := newMerger(find(t, kinds))
	if err != nil {
		t.Fatal(err)
	}
	before := m.numbers()
	n := before[3]
	line := filepath.Join("p", mutantFile(n)) + ":2:3: declared and not used: x\n"
	if got := m.drop([]byte("# m/p\n" + line + line + "p/p.go:1:1: " + mutantPrefix(before[0]) + "\n")); !slices.Equal(got, []int{n}) {
		t.Errorf("want %d, got %v", n, got)
	}
	if got := len(m.numbers()); got != len(before)-1 || strings.Contains(string(m.source()), mutantPrefix(n)) {
		t.Errorf("it is still there: %d of %d", got, len(before))
	}
}

func TestSlowTestsCountTheirSubtests(t *testing.T) {
	t.Parallel()
	slow := slowTests([]byte("--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (1.00s)\n--- PASS: TestB (0.10s)\n--- SKIP: TestC (0.00s)\n"))
	if !slow["TestA"] || slow["TestB"] || slow["TestC"] {
		t.Errorf("got %v", slow)
	}
	compare(t, []string{"TestA", "TestC"}, failedTests([]byte(
		"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n--- PASS: TestB (0.10s)\n--- FAIL: TestC (0.00s)\npanic: x\n")))
}

func TestAPartIsEachNth(t *testing.T) {
	t.Parallel()
	all := []Mutant{{Line: 1}, {Line: 2}, {Line: 3}, {Line: 4}, {Line: 5}}
	got, err := options{part: "2/3"}.sample(all)
	if err != nil || len(got) != 2 || got[0].Line != 2 || got[1].Line != 5 {
		t.Errorf("got %v, %v", got, err)
	}
	for _, wrong := range []string{"", "0/2", "3/2", "x"} {
		if _, err := (options{part: wrong}).sample(all); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
