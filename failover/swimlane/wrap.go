package swimlane

import (
	"strings"
	"unicode"
)

// clean makes a text safe for one line: what does not print, or would change the
// direction of what follows, becomes a question mark.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return '?'
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// runeWidth is how many columns a terminal gives a rune at most: none to marks that belong
// to the rune before, two to those that East Asian Width calls wide, and to the symbols
// among which emoji are.
func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r < 0x1100:
		return 1
	}
	for _, span := range [...][2]rune{
		{0x1100, 0x115f},
		{0x231a, 0x231b},
		{0x2329, 0x232a},
		{0x23e9, 0x23f3},
		{0x25fd, 0x25fe},
		{0x2600, 0x27bf},
		{0x2b1b, 0x2b1c},
		{0x2b50, 0x2b55},
		{0x2e80, 0x303e},
		{0x3041, 0xa4cf},
		{0xa960, 0xa97f},
		{0xac00, 0xd7a3},
		{0xf900, 0xfaff},
		{0xfe10, 0xfe19},
		{0xfe30, 0xfe6f},
		{0xff01, 0xff60},
		{0xffe0, 0xffe6},
		{0x16fe0, 0x1b2ff},
		{0x1f000, 0x1faff},
		{0x20000, 0x3fffd},
	} {
		if span[0] <= r && r <= span[1] {
			return 2
		}
	}
	return 1
}

func width(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

// pad fills a text up with blanks.
func pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-width(text)))
}

// wrap breaks a clean text into lines of at most that many columns, at least four. Lines
// after the first begin with a blank, so that they are seen to belong to it. Words that
// are too long are broken at a seam, or after any rune.
func wrap(text string, columns int) []string {
	columns = max(4, columns)
	var lines []string
	line, lead := "", ""
	for word := range strings.FieldsSeq(text) {
		for word != "" {
			head, rest := cut(word, columns-width(line)-len(lead))
			switch {
			case rest == "":
				line, word = line+lead+head, ""
			case line != "":
				lines, line = append(lines, line), ""
			default: // it does not even fit alone
				head = seam(head)
				lines, word = append(lines, lead+head), word[len(head):]
			}
			lead = " "
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// seam is a part of the beginning of a word that was cut, up to where its last word, as in
// CamelCase, or name, as in a path, begins; or all of it.
func seam(head string) string {
	for i := len(head) - 1; i > 0; i-- {
		upper, lower := head[i] >= 'A' && head[i] <= 'Z', head[i-1] >= 'a' && head[i-1] <= 'z'
		if upper && lower || strings.IndexByte("-_./:,", head[i-1]) >= 0 {
			return head[:i]
		}
	}
	return head
}

// cut takes as many runes off as fit, with the marks that belong to them.
func cut(word string, columns int) (string, string) {
	for i, r := range word {
		if columns -= runeWidth(r); columns < 0 && runeWidth(r) > 0 {
			return word[:i], word[i:]
		}
	}
	return word, ""
}
