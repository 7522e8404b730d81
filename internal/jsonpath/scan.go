package jsonpath

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/client-go/util/jsonpath"
)

// place says what a scanned text is part of: the same characters are harmless
// in one place and change the meaning in another.
type place uint8

const (
	inAction place = iota
	inKey
	inOperand
)

// scanner walks a template token by token as client-go's parser does, before
// that parser runs. It finds positions, which the parser does not tell, and
// the spellings that the parser reads in another way than written.
type scanner struct {
	text    string
	pos     int
	shift   int // what to add to a position for the offset in the given text
	place   place
	depth   int
	steps   int   // path steps and literals seen in the current action
	actions []int // offsets of the actions, for the compiler
}

const escapeHint = "a backslash before a character makes it part of the key"

// scan checks the whole template and returns the offset of each action.
func scan(text string, shift int) ([]int, *SyntaxError) {
	s := &scanner{text: text, shift: shift}
	for {
		next := strings.IndexAny(s.text[s.pos:], "{}")
		if next < 0 {
			return s.actions, nil
		}
		s.pos += next
		if s.text[s.pos] == '}' {
			return nil, s.refuse(s.pos, "a closing brace without an opening one", `as text it is written {"}"}`)
		}
		s.actions = append(s.actions, s.pos+s.shift)
		if err := s.action(); err != nil {
			return nil, err
		}
	}
}

// within scans a part that the parser parses on its own, as an action: an
// element of a union, a bracket key or an operand of a filter. offset is where
// the part starts in the text of s, lead what the parser puts before it.
func (s *scanner) within(lead, part, tail string, offset int, where place) *SyntaxError {
	if s.depth >= MaxNesting {
		return s.refuse(offset, "brackets are nested too deeply", "")
	}
	inner := &scanner{
		text:  "{" + lead + part + tail + "}",
		shift: s.shift + offset - len("{"+lead),
		place: where,
		depth: s.depth + 1,
	}
	if err := inner.action(); err != nil {
		return err
	}
	if inner.pos != len(inner.text) {
		return inner.refuse(inner.pos-1, "a closing brace cuts the brackets short", escapeHint)
	}
	return nil
}

// action scans from an opening brace to behind its closing one.
func (s *scanner) action() *SyntaxError {
	s.pos++
	s.steps = 0
	for !strings.HasPrefix(s.text[s.pos:], "}") {
		if err := s.token(); err != nil {
			return err
		}
	}
	s.pos++
	return nil
}

// token scans one token inside braces, in the order of the parser's own tests.
func (s *scanner) token() *SyntaxError {
	rest := s.text[s.pos:]
	r, width := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "":
		return s.refuse(s.pos, "the action is not closed", "add }")
	case r == ' ':
		s.pos += width
		return nil
	case r == '@' || r == '$':
		return s.current(r)
	}
	s.steps++
	switch {
	case strings.HasPrefix(rest, "[?("):
		return s.filter()
	case strings.HasPrefix(rest, ".."):
		return s.descent()
	case r == '[':
		return s.brackets()
	case r == '"' || r == '\'':
		return s.quote(byte(r))
	case r == '.':
		s.pos += width
		return s.field()
	case r == '+' || r == '-' || unicode.IsDigit(r):
		return s.number()
	case isWordRune(r):
		return s.word()
	}
	return s.refuse(s.pos, "unexpected "+strconv.QuoteRune(r)+" inside braces", s.strayHint(r))
}

// current scans "@" or "$". The parser skips it wherever it stands, so that
// inside a path it would vanish without a word.
func (s *scanner) current(r rune) *SyntaxError {
	if s.steps > 0 {
		return s.refuse(s.pos, "unexpected "+strconv.QuoteRune(r)+" inside a path", escapeHint)
	}
	s.pos++
	return nil
}

func (s *scanner) strayHint(r rune) string {
	switch {
	case r == '\n' || r == '\r' || r == '\t':
		return "only blanks may separate; line breaks belong outside the braces or in quotes"
	case r == '*':
		return "a wildcard is .* or [*]; after two dots it needs a third: ...*"
	case s.place != inOperand:
		return ""
	case r == '&' || r == '|':
		return "filters have no && and no ||"
	case r == '~':
		return "filters have no regular expressions"
	case r == '!':
		return "filters have no negation"
	}
	return ""
}

func (s *scanner) descent() *SyntaxError {
	s.pos += len("..")
	if r, _ := utf8.DecodeRuneInString(s.text[s.pos:]); isWordRune(r) {
		return s.field()
	}
	return nil
}

// field scans a key up to what ends it; s.pos is behind the dot.
func (s *scanner) field() *SyntaxError {
	for s.pos < len(s.text) {
		r, width := utf8.DecodeRuneInString(s.text[s.pos:])
		if r == '\\' {
			if strings.HasPrefix(s.text[s.pos+width:], `\`) {
				return s.refuse(s.pos, "a key cannot hold a backslash", "")
			}
			_, escaped := utf8.DecodeRuneInString(s.text[s.pos+width:])
			s.pos += width + escaped
			continue
		}
		if endsWord(r) {
			return nil
		}
		if err := s.operandRune(r); err != nil {
			return err
		}
		s.pos += width
	}
	return nil
}

// operandRune refuses operators inside a word of a filter: the parser splits at
// the first operator only and takes all others for a part of a key.
func (s *scanner) operandRune(r rune) *SyntaxError {
	if s.place != inOperand {
		return nil
	}
	if strings.ContainsRune("!<>=", r) {
		return s.refuse(s.pos, "unexpected "+strconv.QuoteRune(r)+" in a filter", "a filter is one path or one comparison")
	}
	if rest := s.text[s.pos:]; strings.HasPrefix(rest, "&&") || strings.HasPrefix(rest, "||") {
		return s.refuse(s.pos, "unexpected "+strconv.Quote(rest[:2])+" in a filter", "filters have no && and no ||")
	}
	return nil
}

// quote scans a quoted text. As in the parser, a quote after a backslash does
// not end it, even where that backslash is itself escaped.
func (s *scanner) quote(mark byte) *SyntaxError {
	start := s.pos
	for s.pos++; ; s.pos++ {
		if s.pos >= len(s.text) || s.text[s.pos] == '\n' {
			return s.refuse(start, "the quoted text is not closed", `a text cannot end with a backslash, nor hold a line break except as \n`)
		}
		if s.text[s.pos] == mark && s.text[s.pos-1] != '\\' {
			break
		}
	}
	s.pos++
	text, err := jsonpath.UnquoteExtend(s.text[start:s.pos])
	if err != nil {
		return s.refuse(start, "the quoted text has an invalid escape", `escapes are those of Go, such as \n, \t, \" and \u00e9`)
	}
	if !utf8.ValidString(text) {
		return s.refuse(start, "the quoted text is not valid UTF-8", `write a character as \u00e9, not as single bytes`)
	}
	return nil
}

// number scans a number and refuses one that the parser would not keep.
func (s *scanner) number() *SyntaxError {
	start := s.pos
	if c := s.text[s.pos]; c == '+' || c == '-' {
		s.pos++
	}
	r, width := utf8.DecodeRuneInString(s.text[s.pos:])
	for r == '.' || unicode.IsDigit(r) {
		s.pos += width
		r, width = utf8.DecodeRuneInString(s.text[s.pos:])
	}
	if isWordRune(r) {
		return s.refuse(start, "a number ends where letters start", s.numberHint(start))
	}
	return s.keepsNumber(start, s.text[start:s.pos])
}

func (s *scanner) keepsNumber(start int, text string) *SyntaxError {
	if _, err := strconv.Atoi(text); err == nil {
		return nil
	}
	float, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return s.refuse(start, "not a number", s.numberHint(start))
	}
	if !sameDecimal(text, float) {
		return s.refuse(start, "the number has more digits than the parser keeps", s.numberHint(start))
	}
	return nil
}

func (s *scanner) numberHint(start int) string {
	if s.place == inOperand {
		return "write a number in full, with 17 digits at most"
	}
	number := s.text[start:]
	if end := strings.IndexAny(number, " ,[]{}"); end >= 0 {
		number = number[:end]
	}
	return "as text it is written {" + strconv.Quote(number) + "}"
}

// word scans one of the four words of the grammar.
func (s *scanner) word() *SyntaxError {
	start := s.pos
	for s.pos < len(s.text) {
		r, width := utf8.DecodeRuneInString(s.text[s.pos:])
		if endsWord(r) {
			break
		}
		if err := s.operandRune(r); err != nil {
			return err
		}
		s.pos += width
	}
	switch word := s.text[start:s.pos]; word {
	case "true", "false":
		return nil
	case "range", "end":
		if s.place != inAction {
			return s.refuse(start, strconv.Quote(word)+" inside brackets", "it stands in braces of its own")
		}
		// "@" and "$" may follow: the range is over what comes after it.
		s.steps--
		return nil
	default:
		return s.refuse(start, "unknown word "+strconv.Quote(word), s.wordHint(start, word))
	}
}

func (s *scanner) wordHint(start int, word string) string {
	if s.place == inOperand {
		if word == "null" || word == "nil" {
			return "null never matches; [?(@.x)] asks whether x is there"
		}
		return "a path starts with @. and a text stands in quotes: " + strconv.Quote(word)
	}
	rest, _, _ := strings.Cut(s.text[start:], "}")
	return "a path starts with a dot: {." + strings.TrimSpace(rest) + `}; a text stands in quotes`
}

func (s *scanner) refuse(pos int, detail, hint string) *SyntaxError {
	return &SyntaxError{Offset: max(pos+s.shift, 0), Detail: detail, Hint: hint}
}
