package preservation

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
)

// MaxAnnotationsBytes is what the annotations of an object may hold together, keys
// and values, by Kubernetes' own limit (S8).
const MaxAnnotationsBytes = 256 << 10

// MaxFieldsBytes is what the fields of a state may hold together, paths and values
// (S12): a task that carries them is an object of its own.
const MaxFieldsBytes = 2 * MaxValueBytes

// checkValue is S8: whether a value is legal for its target. For a Field it is
// JSON. The messages hold lengths only.
func checkValue(target Target, value string) *fault {
	switch target {
	case Label, PodTemplateLabel:
		return checkLabel(value)
	case Annotation:
		return checkAnnotation(value)
	case Field:
		_, f := decodeField(value)
		return f
	default:
		return &fault{InvalidValue, "the target is not known"}
	}
}

// checkLabel is S8 for the target Label. Empty text is a legal label value and no
// state: whoever reads it would start with nothing (S4).
func checkLabel(text string) *fault {
	switch {
	case text == "":
		return &fault{InvalidValue, "empty, which counts as missing"}
	case len(text) > validation.LabelValueMaxLength:
		return &fault{InvalidValue, fmt.Sprintf("%d bytes long, a label value has at most %d", len(text), validation.LabelValueMaxLength)}
	case !isLabelText(text):
		return &fault{InvalidValue, "not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends"}
	}
	return nil
}

// isLabelText is Kubernetes' own check of a label value that is not too long, without
// its regular expression.
func isLabelText(text string) bool {
	for i := range len(text) {
		c := text[i]
		inner := c == '-' || c == '_' || c == '.'
		atEnd := i == 0 || i == len(text)-1
		if !isAlphanumeric(c) && (!inner || atEnd) {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func checkAnnotation(text string) *fault {
	switch {
	case text == "":
		return &fault{InvalidValue, "empty, which counts as missing"}
	case len(text) > MaxValueBytes:
		return tooLong()
	case broken(text):
		return &fault{InvalidValue, notUTF8}
	}
	return nil
}

const notUTF8 = "it is not valid UTF-8, or its document was not: U+FFFD stands for what is lost"

// broken says that a text is not UTF-8, or that it was decoded from what was not.
// A path with a replaced character is another path.
func broken(text string) bool {
	return strings.ContainsRune(text, utf8.RuneError) // which finds what is no rune too
}
