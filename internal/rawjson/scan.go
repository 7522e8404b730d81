package rawjson

import "math/bits"

// maxDepth is the nesting that encoding/json accepts (S12).
const maxDepth = 10_000

// bad is the position behind what is no JSON.
const bad = -1

// text is a document. Its methods take the position where something has to start and
// give the one behind it, or bad. All accept bad, too, and a position at the end, where
// nothing starts.
type text []byte

// Scan reads doc and fills values, of which there must be as many as slots: with the
// text of each value, which is a part of doc, or with nil where there is none (S12).
// It is false if doc is not exactly one JSON object; then the values mean nothing.
func (t *Tree) Scan(doc []byte, values [][]byte) bool {
	clear(values)
	d := text(doc)
	start := d.space(0)
	if d.at(start) != '{' {
		return false
	}
	end := d.value(start, 0, &t.root, values)
	return end != bad && d.space(end) == len(d)
}

// at gives the byte at a position, and 0, which is no JSON, where there is none.
func (d text) at(i int) byte {
	if uint(i) < uint(len(d)) {
		return d[i]
	}
	return 0
}

func (d text) space(i int) int {
	for c := d.at(i); c == ' ' || c == '\n' || c == '\t' || c == '\r'; c = d.at(i) {
		i++
	}
	return i
}

// value reads a value of any type. What was found for its node before, by the same
// key, no longer counts.
func (d text) value(i, depth int, n *node, values [][]byte) int {
	if n == nil {
		return d.anything(i, depth, nil, nil)
	}
	clear(values[n.below:n.next])
	end := d.anything(i, depth, n, values)
	if n.slot >= 0 && end != bad {
		values[n.slot] = d[i:end:end]
	}
	return end
}

func (d text) anything(i, depth int, n *node, values [][]byte) int {
	switch d.at(i) {
	case '"':
		return d.quoted(i)
	case '{':
		return d.object(i, depth+1, n, values)
	case '[':
		return d.list(i, depth+1)
	case 't':
		return d.word(i, "true")
	case 'f':
		return d.word(i, "false")
	case 'n':
		return d.word(i, "null")
	}
	return d.number(i)
}

func (d text) object(i, depth int, n *node, values [][]byte) int {
	if depth > maxDepth {
		return bad
	}
	if i = d.space(i + 1); d.at(i) == '}' {
		return i + 1
	}
	for {
		start := i
		if i = d.quoted(start); i == bad {
			return bad
		}
		child := n.child(d[start:i])
		if i = d.space(i); d.at(i) != ':' {
			return bad
		}
		i = d.space(d.value(d.space(i+1), depth, child, values))
		switch d.at(i) {
		case ',':
			i = d.space(i + 1)
		case '}':
			return i + 1
		default:
			return bad
		}
	}
}

func (d text) list(i, depth int) int {
	if depth > maxDepth {
		return bad
	}
	if i = d.space(i + 1); d.at(i) == ']' {
		return i + 1
	}
	for {
		i = d.space(d.anything(i, depth, nil, nil))
		switch d.at(i) {
		case ',':
			i = d.space(i + 1)
		case ']':
			return i + 1
		default:
			return bad
		}
	}
}

func (d text) word(i int, word string) int {
	end := i + len(word)
	if end <= len(d) && string(d[i:end]) == word {
		return end
	}
	return bad
}

// number reads the grammar of JSON: no sign but the minus, no zeros in front, and
// digits on both sides of a point and behind an exponent.
func (d text) number(i int) int {
	if d.at(i) == '-' {
		i++
	}
	if d.at(i) == '0' {
		i++
	} else {
		i = d.digits(i)
	}
	if d.at(i) == '.' {
		i = d.digits(i + 1)
	}
	if c := d.at(i); c == 'e' || c == 'E' {
		if sign := d.at(i + 1); sign == '+' || sign == '-' {
			i++
		}
		i = d.digits(i + 1)
	}
	return i
}

// digits reads one digit or more.
func (d text) digits(i int) int {
	start := i
	for c := d.at(i); c >= '0' && c <= '9'; c = d.at(i) {
		i++
	}
	if i == start {
		return bad
	}
	return i
}

// text reads a text. Bytes that are no UTF-8 are legal, control characters are not.
func (d text) quoted(i int) int {
	if d.at(i) != '"' {
		return bad
	}
	i++
	for {
		i = d.ordinary(i)
		switch d.at(i) {
		case '"':
			return i + 1
		case '\\':
			if i = d.escape(i + 1); i == bad {
				return bad
			}
		default:
			return bad
		}
	}
}

// Eight bytes with the same value.
const (
	ones      = 0x01_01_01_01_01_01_01_01
	highs     = 0x80 * ones
	quotes    = '"' * ones
	slashes   = '\\' * ones
	blanks    = ' ' * ones
	chunkSize = 8
)

// ordinary passes over what is neither a quote, a backslash nor a control character,
// eight bytes at a time. In each of the three terms the lowest bit that is set is
// right: a byte is zero, or below a blank, if taking something from it borrows.
func (d text) ordinary(i int) int {
	for ; i+chunkSize <= len(d); i += chunkSize {
		b := d[i : i+chunkSize : i+chunkSize]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		q, e := w^quotes, w^slashes
		if hit := ((q-ones)&^q | (e-ones)&^e | (w-blanks)&^w) & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for c := d.at(i); c >= ' ' && c != '"' && c != '\\'; c = d.at(i) {
		i++
	}
	return i
}

// escape reads what follows a backslash.
func (d text) escape(i int) int {
	switch d.at(i) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for digit := range 4 {
			if !isHex(d.at(i + 1 + digit)) {
				return bad
			}
		}
		return i + 5
	}
	return bad
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
