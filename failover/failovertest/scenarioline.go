package failovertest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
)

// syntax says what the YAML parser says, with the line where it goes wrong: the line that
// the parser names is often where what is wrong began, or counts from 0.
func syntax(err error, data []byte) error {
	text, named := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if _, err := fmt.Sscanf(text, "line %d:", &named); err == nil {
		_, text, _ = strings.Cut(text, ": ")
	}
	out := &ScenarioError{Line: wrongLine(data), Err: errors.New(text)}
	var anchor string
	switch _, err := fmt.Sscanf(text, "unknown anchor '%s", &anchor); {
	case err == nil: // found when the next token is read, perhaps lines later
		out.Line = lastLine(data, out.Line, "*"+strings.TrimSuffix(anchor, "'"))
	case strings.HasPrefix(text, "could not find expected ':'") && named > 0:
		out.Line = min(out.Line, named) // the line without it, and not the next
	}
	return out
}

// wrongLine is the first line after which the parser fails without having seen what
// follows; where it fails at the end only, it is the last line that is not blank. After
// some tokens the parser also looks for a comment in the next line, which then is it.
func wrongLine(data []byte) int {
	lines := bytes.SplitAfter(bytes.TrimRight(data, " \n\r"), []byte("\n"))
	const ahead = 8 // more bytes than the parser looks ahead
	at := sort.Search(len(lines)-1, func(i int) bool {
		in := &ending{text: append(bytes.Join(lines[:i+1], nil), strings.Repeat("\n", ahead)...)}
		next := yamlStream(in)
		for {
			if err := next(&yamlNode{}); err != nil {
				return !in.ended
			}
		}
	})
	return at + 1
}

// lastLine is the last line down to one that has a word and is no comment.
func lastLine(data []byte, line int, word string) int {
	lines := strings.Split(string(data), "\n")
	for i := min(line, len(lines)); i > 0; i-- {
		if strings.Contains(lines[i-1], word) && !strings.HasPrefix(strings.TrimSpace(lines[i-1]), "#") {
			return i
		}
	}
	return line
}

// ending is a text that remembers whether somebody asked for more than there is.
type ending struct {
	text  []byte
	ended bool
}

// Read gives what is left, [io.EOF] at the end.
func (e *ending) Read(to []byte) (int, error) {
	if len(e.text) == 0 {
		e.ended = true
		return 0, io.EOF
	}
	n := copy(to, e.text)
	e.text = e.text[n:]
	return n, nil
}
