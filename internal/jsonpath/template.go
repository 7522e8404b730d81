package jsonpath

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/client-go/util/jsonpath"
)

// Template is a compiled template (S2). It never changes and is safe for
// concurrent use. Parse makes it; the zero value is an empty template.
type Template struct {
	text   string
	parts  []part
	reads  bool
	quotes bool
	single path // of a template that is one path and nothing else
	isOne  bool
	fields []string // of a single path of fields; nil for any other template
}

// Parse compiles a kubectl JSONPath template (S1, S2). In this order:
//
//  1. White space around the text is trimmed, never inside it (S7).
//  2. An empty text, one past [MaxTemplateBytes] and invalid UTF-8 are refused.
//  3. Spellings that client-go's parser accepts but reads in another way than
//     written are refused: a "}" outside braces; an action or a key cut short
//     by "}"; a blank, "@" or "$" inside a bracket key; "@" or "$" after the
//     first step of a path; an escaped backslash in a key; numbers with an
//     exponent or with more digits than are kept; quoted bytes that are not
//     UTF-8; words and operators that do not exist; a second operator in a
//     filter; a literal beside a path or another literal in one action;
//     "range" or "end" beside another, a stray "end"; slices that run
//     backwards or have a step below one.
//  4. The rest is client-go's own parser. Its errors have no position.
//
// The error is always a [*SyntaxError].
func Parse(text string) (*Template, error) {
	trimmed := strings.TrimSpace(text)
	if err := checkText(trimmed); err != nil {
		return nil, err
	}
	actions, refused := scan(trimmed, strings.Index(text, trimmed))
	if refused != nil {
		return nil, refused
	}
	parser, err := jsonpath.Parse("template", trimmed)
	if err != nil {
		return nil, &SyntaxError{Offset: -1, Detail: err.Error()}
	}
	t, refused := compile(parser.Root, actions)
	if refused != nil {
		return nil, refused
	}
	t.text = trimmed
	return t, nil
}

func checkText(text string) error {
	switch {
	case text == "":
		return &SyntaxError{Offset: 0, Detail: "the template is empty", Hint: "a path is written {.a.b}"}
	case len(text) > MaxTemplateBytes:
		return &SyntaxError{Offset: -1, Detail: "the template is longer than " + strconv.Itoa(MaxTemplateBytes) + " bytes"}
	case !utf8.ValidString(text):
		return &SyntaxError{Offset: -1, Detail: "the template is not valid UTF-8"}
	}
	return nil
}

// String returns the source text without the white space around it (S7).
func (t *Template) String() string { return t.text }

// ReadsDocument reports whether at least one action is a path; {}, {@} and {$}
// are paths to the current value (S7).
func (t *Template) ReadsDocument() bool { return t.reads }

// Quotes reports whether at least one action is a quoted text, such as
// {"true"} (S7). {true} and {1} are not quoted.
func (t *Template) Quotes() bool { return t.quotes }

// SinglePath reports whether the template is one path in braces with nothing
// around it, so that its hit can keep its type (S6).
func (t *Template) SinglePath() bool { return t.isOne }
