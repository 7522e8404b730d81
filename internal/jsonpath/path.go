package jsonpath

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type stepKind uint8

const (
	fieldStep stepKind = iota
	sliceStep
	wildcardStep
	descentStep
	unionStep
	filterStep
)

// step is one segment of a path; kind says which of the other fields is set.
type step struct {
	kind   stepKind
	text   string // as it reads in Miss.Path and EvalError.Path
	key    string
	cost   int // of one look-up of key
	span   span
	parts  []path
	filter *filter
}

// path is a sequence of steps from the current value; empty is that value.
type path []step

// String gives the path in a spelling that Parse accepts inside braces.
func (p path) String() string {
	var b strings.Builder
	for i := range p {
		text := p[i].text
		// "..b" reads better than the equivalent "...b".
		if i > 0 && p[i-1].kind == descentStep && len(text) > 1 && text[0] == '.' {
			if r, _ := utf8.DecodeRuneInString(text[1:]); isWordRune(r) {
				text = text[1:]
			}
		}
		b.WriteString(text)
	}
	return b.String()
}

// onlyFields says whether every step is a field, so that there is one hit at most.
func (p path) onlyFields() bool { return p.stem() == len(p) }

// keys are those of the fields that the path starts with; never nil.
func (p path) keys() []string {
	keys := make([]string, p.stem())
	for i := range keys {
		keys[i] = p[i].key
	}
	return keys
}

// stem counts the fields that the path starts with.
func (p path) stem() int {
	for i := range p {
		if p[i].kind != fieldStep {
			return i
		}
	}
	return len(p)
}

func fieldOf(key string) step {
	return step{kind: fieldStep, key: key, cost: 1 + len(key)/bytesPerStep, text: fieldText(key)}
}

// fieldText spells a key as a field, with every rune escaped that would end it.
func fieldText(key string) string {
	if key == "*" {
		return `.\*`
	}
	var b strings.Builder
	b.WriteByte('.')
	for _, r := range key {
		if endsWord(r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unionText(parts []path) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		text := p.String()
		if strings.HasPrefix(text, "[") {
			texts[i] = text[1 : len(text)-1]
		} else {
			texts[i] = "'" + text[1:] + "'"
		}
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// span is an index or a slice, with the meaning of client-go's ArrayNode.
type span struct {
	start, end, step         int
	hasStart, hasEnd, hasSep bool // hasSep is false for a single index
}

// String gives the span in its shortest spelling.
func (s span) String() string {
	switch {
	case !s.hasSep:
		return "[" + strconv.Itoa(s.start) + "]"
	case !s.hasStart && !s.hasEnd && s.step == 1:
		return "[*]"
	}
	text := "["
	if s.hasStart {
		text += strconv.Itoa(s.start)
	}
	text += ":"
	if s.hasEnd {
		text += strconv.Itoa(s.end)
	}
	if s.step != 1 {
		text += ":" + strconv.Itoa(s.step)
	}
	return text + "]"
}

// bounds gives start and end in a list of n items, before any check.
func (s span) bounds(n int) (int, int) {
	start, end := s.start, n
	if start < 0 {
		start += n
	}
	if !s.hasSep {
		// A single index is client-go's slice [i:i+1], with -1 meaning [n-1:n].
		return start, start + 1
	}
	if s.hasEnd {
		if end = s.end; end < 0 {
			end += n
		}
	}
	return start, end
}

// endsWord says whether the parser ends a field or a word at r.
func endsWord(r rune) bool {
	return strings.ContainsRune(" \t\r\n.,[]$@{}", r)
}

// isWordRune says whether a word may start with r.
func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
