package preservation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	// MaxFieldPathBytes is the largest number of bytes of a field path (S12).
	MaxFieldPathBytes = 1024
	// MaxFieldPathSteps is the largest number of keys and indexes in a field path (S12).
	MaxFieldPathSteps = 32
	// maxFieldIndex bounds a list index; no list of an object is longer.
	maxFieldIndex = 1_000_000
)

// fieldStep is one key, or one list index where isIndex says so.
type fieldStep struct {
	key     string
	index   int
	isIndex bool
}

// fieldPath is a parsed field path; it has at least one step, which is a key.
type fieldPath []fieldStep

// parseFieldPath reads a path such as .spec.containers[0].image. The leading dot
// may be left out. A backslash makes the next dot, bracket or backslash a part of
// the key.
func parseFieldPath(text string) (fieldPath, error) {
	rest := text
	if !strings.HasPrefix(rest, ".") {
		rest = "." + rest
	}
	switch {
	case len(rest) > MaxFieldPathBytes:
		return nil, fmt.Errorf("the path is longer than %d bytes", MaxFieldPathBytes)
	case broken(rest):
		return nil, errors.New("the path is not valid UTF-8")
	case strings.HasPrefix(rest, ".$"):
		return nil, errors.New("a path starts at the root of the object without $")
	}
	var path fieldPath
	for rest != "" {
		step, after, err := nextStep(rest)
		if err != nil {
			return nil, err
		}
		if path, rest = append(path, step), after; len(path) > MaxFieldPathSteps {
			return nil, fmt.Errorf("the path has more than %d steps", MaxFieldPathSteps)
		}
	}
	return path, nil
}

func nextStep(text string) (fieldStep, string, error) {
	if strings.HasPrefix(text, "[") {
		digits, after, closed := strings.Cut(text[1:], "]")
		index, _ := strconv.Atoi(digits) // what is no number is written in another way
		if !closed || index < 0 || index > maxFieldIndex || strconv.Itoa(index) != digits {
			return fieldStep{}, "", errors.New("a list index is written [0]")
		}
		return fieldStep{index: index, isIndex: true}, after, nil
	}
	if !strings.HasPrefix(text, ".") {
		return fieldStep{}, "", errors.New("a dot or an index is expected behind ]")
	}
	return nextKey(text[1:])
}

func nextKey(text string) (fieldStep, string, error) {
	var key strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '.', '[':
			return keyStep(key.String(), text[i:])
		case ']', '{', '}', '\'', '"', '*':
			return fieldStep{}, "", fmt.Errorf("%q is not part of a field path: it is a path of keys and indexes, not a template", text[i])
		case '\\':
			if i++; i == len(text) || !strings.ContainsRune(`.[]\`, rune(text[i])) {
				return fieldStep{}, "", errors.New(`a backslash stands before a dot, a bracket or a backslash`)
			}
		}
		key.WriteByte(text[i])
	}
	return keyStep(key.String(), "")
}

func keyStep(key, after string) (fieldStep, string, error) {
	if strings.TrimSpace(key) != key || key == "" {
		return fieldStep{}, "", errors.New("a key is empty or has white space around it")
	}
	return fieldStep{key: key}, after, nil
}

// String gives the one spelling of the path, with a leading dot.
func (p fieldPath) String() string {
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\\`, `.`, `\.`, `[`, `\[`, `]`, `\]`)
	for _, step := range p {
		if step.isIndex {
			fmt.Fprintf(&b, "[%d]", step.index)
			continue
		}
		b.WriteString("." + escape.Replace(step.key))
	}
	return b.String()
}

// within says that p is other, or lies below it.
func (p fieldPath) within(other fieldPath) bool {
	return len(p) >= len(other) && slices.Equal(p[:len(other)], other)
}

// fieldAround finds a field for which holds answers true and that the field of the
// given key lies within.
func fieldAround(key string, holds func(string) bool) (string, bool) {
	path, _ := parseFieldPath(key) // nothing is around what is no path
	for i := 1; i < len(path); i++ {
		if around := path[:i].String(); holds(around) {
			return around, true
		}
	}
	return "", false
}

// refusal says why no state may be written to the path, whatever the kind of the
// object is (I5); empty = it may.
func (p fieldPath) refusal() string {
	switch p[0].key {
	case "apiVersion", "kind", "status", "metadata":
		return "nothing in " + p[0].key + " is a field for state; labels and annotations have their own targets"
	}
	for _, step := range p[1:] {
		if refusal := keyRefusal(step.key); refusal != "" {
			return refusal
		}
	}
	if len(p) == 1 {
		return "a whole top-level field is not for state"
	}
	return ""
}

// keyRefusal says why no state may be written to a key, or within it, wherever it
// stands below the top; empty = it may. What such a key holds tells objects apart,
// and what is written there passes by the guards of labels and annotations.
func keyRefusal(key string) string {
	switch key {
	case "metadata":
		return "the metadata of a template is not for state; its labels have their own option"
	case "selector":
		return "a selector says which pods belong to the object"
	case "volumeClaimTemplates":
		return "volumeClaimTemplates are immutable"
	}
	return ""
}
