package jsonpath

import (
	"strings"
	"unicode/utf8"
)

const keyHint = `keys take single quotes: ['a']; a key with a comma is written .a\,b`

// brackets scans what stands in [ ], which the parser ends at the first "]".
func (s *scanner) brackets() *SyntaxError {
	open := s.pos
	length := strings.IndexAny(s.text[open:], "]\n")
	if length < 0 || s.text[open+length] == '\n' {
		return s.refuse(open, "the brackets are not closed", "add ]")
	}
	s.pos = open + length + 1
	content := s.text[open+1 : open+length]
	parts := strings.Split(content, ",")
	if len(parts) == 1 {
		return s.element(content, open+1)
	}
	offset := open + 1
	for _, part := range parts {
		// The parser trims blanks, and only blanks, around each part.
		blanks := len(part) - len(strings.TrimLeft(part, " "))
		if err := s.within("[", strings.Trim(part, " "), "]", offset+blanks, s.place); err != nil {
			return err
		}
		offset += len(part) + len(",")
	}
	return nil
}

// element scans one key, index or slice.
func (s *scanner) element(content string, offset int) *SyntaxError {
	if key, ok := quotedKey(content); ok {
		return s.key(key, offset+1)
	}
	if content != "*" && strings.Trim(content, "0123456789:-") != "" {
		return s.refuse(offset, "the brackets hold neither a key nor an index", keyHint)
	}
	return nil
}

func quotedKey(content string) (string, bool) {
	if len(content) < 2 || content[0] != '\'' || content[len(content)-1] != '\'' {
		return "", false
	}
	key := content[1 : len(content)-1]
	return key, !strings.Contains(key, "'")
}

// key scans a bracket key. The parser reads it as the rest of a field, so a
// character that ends a field would end the key as well.
func (s *scanner) key(key string, offset int) *SyntaxError {
	for i := 0; i < len(key); {
		r, width := utf8.DecodeRuneInString(key[i:])
		if r == '\\' {
			_, escaped := utf8.DecodeRuneInString(key[i+width:])
			i += width + escaped
			continue
		}
		if r != '.' && endsWord(r) {
			return s.refuse(offset+i, "a character in the key ends it", escapeHint)
		}
		i += width
	}
	return s.within(".", key, "", offset, inKey)
}

// filter scans [?( )]. It ends where the parser ends it: at the first ")" that
// is not inside the first pair of quotes.
func (s *scanner) filter() *SyntaxError {
	open := s.pos
	s.pos += len("[?(")
	length := filterLength(s.text[s.pos:])
	if length < 0 {
		return s.refuse(open, "the filter is not closed", "add )]")
	}
	start := s.pos
	content := s.text[start : start+length]
	s.pos += length + len(")")
	if !strings.HasPrefix(s.text[s.pos:], "]") {
		return s.refuse(s.pos, "the filter is not closed with )]", "only the first quoted text of a filter may hold a )")
	}
	s.pos++
	return s.condition(content, start)
}

func filterLength(text string) int {
	var quote byte
	closed := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n':
			return -1
		case c == '"' || c == '\'':
			if quote == 0 {
				quote = c
			} else if text[i-1] != '\\' && c == quote {
				closed = true
			}
		case c == ')' && (quote != 0) == closed:
			return i
		}
	}
	return -1
}

// condition scans what stands in the parentheses of a filter.
func (s *scanner) condition(content string, offset int) *SyntaxError {
	left, op, right := splitCondition(content)
	if op == "" {
		return s.within("", content, "", offset, inOperand)
	}
	opOffset := offset + len(left)
	switch _, known := operatorOf(op); {
	case left == "":
		return s.refuse(opOffset, "the filter starts with an operator", "filters have no negation; a comparison has a path before it")
	case !known:
		return s.refuse(opOffset, "unknown operator "+op, "the operators are == != < <= > >=; there are no regular expressions")
	case right == "":
		return s.refuse(opOffset, "the comparison has no right side", "")
	}
	if err := s.within("", left, "", offset, inOperand); err != nil {
		return err
	}
	return s.within("", right, "", opOffset+len(op), inOperand)
}

// splitCondition gives left side, operator and right side, split at the first run of operator characters, as the
// parser's regular expression does.
func splitCondition(content string) (string, string, string) {
	start := strings.IndexAny(content, operatorChars)
	if start < 0 {
		return content, "", ""
	}
	right := strings.TrimLeft(content[start:], operatorChars)
	return content[:start], content[start : len(content)-len(right)], right
}
