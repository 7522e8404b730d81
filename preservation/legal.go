package preservation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
)

// MaxAnnotationsBytes is what the annotations of an object may hold together, keys
// and values, by Kubernetes' own limit (S8).
const MaxAnnotationsBytes = 256 << 10

// checkValue is S8: whether a value is legal for its target. For a Field it is
// JSON. The messages hold lengths only.
func checkValue(target Target, value string) *fault {
	switch target {
	case Label:
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
	case len(validation.IsValidLabelValue(text)) > 0:
		return &fault{InvalidValue, "not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends"}
	}
	return nil
}

func checkAnnotation(text string) *fault {
	switch {
	case text == "":
		return &fault{InvalidValue, "empty, which counts as missing"}
	case len(text) > MaxValueBytes:
		return tooLong()
	case !utf8.ValidString(text):
		return &fault{InvalidValue, "not valid UTF-8"}
	}
	return nil
}

// decodeField reads the JSON of a Field value: exactly one value that is not null.
func decodeField(text string) (any, *fault) {
	if len(text) > MaxValueBytes {
		return nil, tooLong()
	}
	if !utf8.ValidString(text) {
		return nil, &fault{InvalidValue, "not valid UTF-8"}
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, &fault{InvalidValue, "the value of a field is not valid JSON"}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, &fault{InvalidValue, "something follows the JSON of a field"}
	}
	switch value {
	case nil, "":
		return nil, &fault{InvalidValue, "empty, which counts as missing"}
	}
	return value, nil
}
