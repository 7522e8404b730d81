package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carryover-io/carryover/internal/rawjson"
)

// wanted are paths that lie within, beside and across each other.
func wanted() [][]string {
	return [][]string{
		{"a"},
		{"a", "b"},
		{"a", "b", "c"},
		{"b", "c"},
		{"a", "b"}, // twice: one slot
		{"", ""},
		{"b", "\ufffd"},
		{"é"},
		{"a", "a", "a"},
		{`"\`},
	}
}

// decode is what a scan has to agree with.
func decode(doc []byte) (map[string]any, bool) {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil, false
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	object, ok := value.(map[string]any)
	return object, ok
}

func find(value any, path []string) (any, bool) {
	for _, key := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = object[key]; !ok {
			return nil, false
		}
	}
	return value, true
}

// check compares a scan with what encoding/json finds.
func check(tb testing.TB, doc []byte, paths [][]string) {
	tb.Helper()
	tree, slots := rawjson.NewTree(paths)
	values := make([][]byte, tree.Slots())
	root, want := decode(doc)
	if got := tree.Scan(doc, values); got != want {
		tb.Fatalf("%q: accepted = %t, want %t", doc, got, want)
	}
	if !want {
		return
	}
	for i, path := range paths {
		value, found := find(root, path)
		text := values[slots[i]]
		if (text != nil) != found {
			tb.Fatalf("%q: %q is there = %t, want %t", doc, path, text != nil, found)
		}
		if !found {
			continue
		}
		// cmp.Diff takes for ever on what is nested deeply.
		if got := rawjson.Decode(text); !reflect.DeepEqual(value, got) {
			tb.Fatalf("%q: %q is %v, want %v", doc, path, got, value)
		}
		if plain, isText := value.(string); isText && rawjson.Text(text) != plain {
			tb.Fatalf("%q: %q is %q, want %q", doc, path, rawjson.Text(text), plain)
		}
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	for reason, doc := range map[string]string{
		"empty":                       `{}`,
		"white space":                 " \t\r\n{ \"a\" : { \"b\" : 1 , \"c\" : [ ] } , \"b\" : { } } \n",
		"other white space":           "\v{}",
		"no bytes":                    "",
		"blank":                       "  ",
		"null":                        "null",
		"a list":                      "[]",
		"a text":                      `"a"`,
		"trailing":                    `{}x`,
		"two":                         `{}{}`,
		"a byte order mark":           "\ufeff{}",
		"all types":                   `{"a":{"b":{"c":null}},"b":{"c":[true,false,null,"",{},[],-0,0.1,1e1,1E+1,1e-1,12]}}`,
		"the last wins":               `{"a":{"b":1},"a":{"c":2}}`,
		"the last wins, below":        `{"a":{"b":{"c":1}},"a":{"b":{}}}`,
		"the last wins, and is none":  `{"a":{"b":{"c":1}},"a":7}`,
		"the last wins, and is a":     `{"a":7,"a":{"b":{"c":1}}}`,
		"a list is no object":         `{"a":[{"b":1}],"b":[[{"c":1}]]}`,
		"an escaped key":              `{"\u0061":{"\u0062":1},"\"\\":"x"}`,
		"an escaped key, after plain": `{"a":{"b":1},"\u0061":{}}`,
		"no UTF-8 in a key":           "{\"b\":{\"\xff\":1}}",
		"a surrogate in a key":        `{"b":{"\ud800":1}}`,
		"not ASCII":                   `{"é":1,"\u00e9":2}`,
		"empty keys":                  `{"":{"":1}}`,
		"no UTF-8 in a value":         "{\"a\":\"x\xffy\xc3\"}",
		"surrogates":                  `{"a":"\ud83d\ude00\ud83d\ud83d\ude00\ude00\uD800x"}`,
		"all escapes":                 `{"a":"\"\\\/\b\f\n\r\t\u00Af"}`,
		"a wrong escape":              `{"a":"\x"}`,
		"a short escape":              `{"a":"\u00a"}`,
		"an escape at the end":        `{"a":"\`,
		"hexadecimal":                 `{"a":"\u00g0"}`,
		"a control character":         "{\"a\":\"\x1f\"}",
		"delete":                      "{\"a\":\"\x7f\"}",
		"a control character, long":   "{\"a\":\"0123456789abcdef\n\"}",
		"zero":                        "{\"a\":\"\x00\"}",
		"an open text":                `{"a":"0123456789abcdef`,
		"an open object":              `{"a":{"b":1}`,
		"an open list":                `{"a":[1`,
		"an open key":                 `{"a`,
		"a key alone":                 `{"a"}`,
		"a key and a colon":           `{"a":}`,
		"a trailing comma":            `{"a":1,}`,
		"a comma in a list":           `{"a":[1,]}`,
		"a comma alone":               `{,}`,
		"no comma":                    `{"a":1 "b":2}`,
		"no comma in a list":          `{"a":[1 2]}`,
		"a bare key":                  `{a:1}`,
		"crossed":                     `{"a":[}]`,
		"words":                       `{"a":true,"b":false}`,
		"a wrong word":                `{"a":tru}`,
		"a word cut short":            `{"a":nul`,
		"a long word":                 `{"a":truex}`,
		"zeros in front":              `{"a":01}`,
		"a plus":                      `{"a":+1}`,
		"a minus":                     `{"a":-}`,
		"a point":                     `{"a":1.}`,
		"a point in front":            `{"a":.1}`,
		"a minus and a point":         `{"a":-.1}`,
		"an exponent":                 `{"a":1e}`,
		"a sign in an exponent":       `{"a":1e+}`,
		"two signs":                   `{"a":1e+-1}`,
		"a fraction of an exponent":   `{"a":1e1.1}`,
		"minus zero":                  `{"a":-0,"b":{"c":-0.0e-0}}`,
		"a long number":               `{"a":` + strings.Repeat("1", 500) + `}`,
		"infinity":                    `{"a":Infinity}`,
		"the deepest":                 `{"b":{"c":1},"a":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + `}`,
		"too deep":                    `{"b":{"c":1},"a":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`,
		"the deepest objects":         strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
		"objects too deep":            strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001),
		"a depth bomb":                `{"a":` + strings.Repeat("[", 20_000),
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			check(t, []byte(doc), wanted())
			check(t, []byte(doc), [][]string{{}, {"a"}})
			check(t, []byte(doc), nil)
		})
	}
}

// TestScanBytes puts every byte at every place of a chunk of a text.
func TestScanBytes(t *testing.T) {
	t.Parallel()
	for b := range 256 {
		for at := range 20 {
			text := []byte(`{"a":{"b":"` + strings.Repeat("x", 20) + `"},"é":1}`)
			text[11+at] = byte(b)
			check(t, text, wanted())
			// Behind a byte that borrows, another must not be seen where there is none.
			text[12+at] = byte(b) + 1
			check(t, text, wanted())
			text[11+at], text[12+at] = 0x80, byte(b)
			check(t, text, wanted())
		}
	}
}

// TestScanMutated breaks valid documents in one place or two.
func TestScanMutated(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 12))
	accepted := 0
	for range 30_000 {
		doc := randomDocument(random)
		check(t, doc, wanted())
		for range 1 + random.IntN(2) {
			at := random.IntN(len(doc))
			switch random.IntN(3) {
			case 0:
				doc[at] = `{}[]",:\0129-.eEtfnu `[random.IntN(21)]
			case 1:
				doc = append(doc[:at:at], doc[at+1:]...)
			default:
				doc = append(doc[:at:at], append([]byte{doc[random.IntN(len(doc))]}, doc[at:]...)...)
			}
			if len(doc) == 0 {
				break
			}
		}
		check(t, doc, wanted())
		if _, ok := decode(doc); ok {
			accepted++
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d of the broken documents are valid", accepted)
	}
}

func randomDocument(random *rand.Rand) []byte {
	var b bytes.Buffer
	object(&b, random, 4)
	return b.Bytes()
}

func space(b *bytes.Buffer, random *rand.Rand) {
	if random.IntN(6) == 0 {
		b.WriteString([]string{" ", "\n", "\t\r"}[random.IntN(3)])
	}
}

func object(b *bytes.Buffer, random *rand.Rand, depth int) {
	b.WriteByte('{')
	for i := range random.IntN(5) {
		if i > 0 {
			b.WriteByte(',')
		}
		space(b, random)
		b.WriteString([]string{`"a"`, `"b"`, `"c"`, `"a"`, `"b"`, `"\u0061"`, `""`, "\"\xff\"", `"\"\\"`, `"é"`, `"\ud800"`, `"long-enough-for-a-chunk"`}[random.IntN(12)])
		space(b, random)
		b.WriteByte(':')
		space(b, random)
		value(b, random, depth-1)
		space(b, random)
	}
	b.WriteByte('}')
}

func value(b *bytes.Buffer, random *rand.Rand, depth int) {
	switch kind := random.IntN(8); {
	case kind < 4 && depth > 0:
		object(b, random, depth)
	case kind < 5 && depth > 0:
		b.WriteByte('[')
		for i := range random.IntN(4) {
			if i > 0 {
				b.WriteByte(',')
			}
			space(b, random)
			value(b, random, depth-1)
		}
		b.WriteByte(']')
	default:
		b.WriteString([]string{
			"0", "-0", "1.50", "1e400", "12345678901234567890", "true", "false", "null", `""`, `"x"`, `"s3p:\/\/b"`, "\"\xc3\xa9\xff\"", `"a text of more than eight bytes\n"`,
		}[random.IntN(13)])
	}
}

func FuzzScan(f *testing.F) {
	random := rand.New(rand.NewPCG(13, 14))
	for range 50 {
		f.Add(randomDocument(random), "a", "b")
	}
	f.Add([]byte("{\"\\u0061\":{\"\xff\":1}}"), "a", "\ufffd")
	f.Fuzz(func(t *testing.T, doc []byte, outer, inner string) {
		before := bytes.Clone(doc)
		check(t, doc, [][]string{{outer}, {outer, inner}, {inner}, {inner, outer, outer}})
		if !bytes.Equal(before, doc) {
			t.Error("the document was changed")
		}
	})
}

// TestTree numbers the slots so that those below a node stand together.
func TestTree(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reason string
		paths  [][]string
		slots  []int
		count  int
	}{
		"None":   {"nothing is wanted", nil, []int{}, 0},
		"Root":   {"the root has no key", [][]string{{}}, []int{0}, 1},
		"Twice":  {"one slot for one place", [][]string{{"a", "b"}, {"a", "b"}}, []int{0, 0}, 1},
		"Across": {"in the order of the places", [][]string{{"a", "b"}, {"c"}, {"a", "d"}, {"a"}}, []int{1, 3, 2, 0}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree, slots := rawjson.NewTree(tc.paths)
			if diff := cmp.Diff(tc.slots, slots); diff != "" || tree.Slots() != tc.count {
				t.Errorf("%s: %d slots, want %d (-want +got):\n%s", tc.reason, tree.Slots(), tc.count, diff)
			}
		})
	}
}

// TestScanAgain uses one tree and the same values for another document.
func TestScanAgain(t *testing.T) {
	t.Parallel()
	tree, slots := rawjson.NewTree([][]string{{"a"}, {"b"}})
	values := make([][]byte, tree.Slots())
	if !tree.Scan([]byte(`{"a":1,"b":2}`), values) || !tree.Scan([]byte(`{"b":3}`), values) {
		t.Fatal("both are objects")
	}
	if values[slots[0]] != nil || string(values[slots[1]]) != "3" {
		t.Errorf("something is left of the first document: %q", values)
	}
}

// TestScanAllocations scans without any.
func TestScanAllocations(t *testing.T) { //nolint:paralleltest // counts allocations of the whole process
	tree, _ := rawjson.NewTree(wanted())
	values := make([][]byte, tree.Slots())
	doc := []byte(`{"a":{"b":{"c":"x"}},"b":{"c":[1,2,{"x":"y"}]},"other":"text"}`)
	if got := testing.AllocsPerRun(100, func() { tree.Scan(doc, values) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkScan(b *testing.B) {
	for _, size := range []int{1, 80} {
		doc := []byte(`{"jobStatus":{"jobId":"e6fd1d0c"},"list":[` + strings.Repeat(`{"name":"checkpoint-000017","n":1734462491693,"path":"s3p://bucket/checkpoints/17","ok":true},`, 12*size) + `0]}`)
		tree, _ := rawjson.NewTree([][]string{{"jobStatus", "jobId"}})
		values := make([][]byte, tree.Slots())
		b.Run(fmt.Sprintf("%dB/scan", len(doc)), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				tree.Scan(doc, values)
			}
		})
		b.Run(fmt.Sprintf("%dB/valid", len(doc)), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				json.Valid(doc)
			}
		})
	}
}
