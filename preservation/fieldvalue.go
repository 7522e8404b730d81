package preservation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// maxFieldDepth bounds the nesting of one Field value, so that a manifest which
// received it stays within what can be copied and decoded.
const maxFieldDepth = 1000

// decodeField reads the JSON of a Field value: exactly one value that is neither
// null nor empty text, of the types that apimachinery works with. What an API
// server would change in it is InvalidValue: broken text, and numbers that neither
// an int64 nor a float64 holds (S3, S8).
func decodeField(text string) (any, *fault) {
	if len(text) > MaxValueBytes {
		return nil, tooLong()
	}
	value, err := decodeJSON(text)
	if err != nil {
		return nil, &fault{InvalidValue, "the value of a field is not exactly one JSON value"}
	}
	switch value {
	case nil, "":
		return nil, &fault{InvalidValue, "empty, which counts as missing"}
	}
	return storable(value, 0)
}

// decodeJSON reads exactly one JSON value, with numbers as text.
func decodeJSON(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return value, nil
}

// storable turns decoded JSON, which is its own to change, into what an API server
// stores without changing it.
func storable(value any, depth int) (any, *fault) {
	if depth > maxFieldDepth {
		return nil, &fault{TooLarge, fmt.Sprintf("the value of a field is nested deeper than %d", maxFieldDepth)}
	}
	switch v := value.(type) {
	case string:
		if broken(v) {
			return nil, &fault{InvalidValue, notUTF8}
		}
	case map[string]any:
		return storableMap(v, depth)
	case []any:
		return storableList(v, depth)
	case json.Number:
		return storableNumber(v)
	}
	return value, nil
}

func storableMap(object map[string]any, depth int) (any, *fault) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		inner := object[key]
		if refusal := keyRefusal(key); refusal != "" {
			return nil, &fault{Refused, "the object holds a key that no state fills: " + refusal}
		}
		if broken(key) {
			return nil, &fault{InvalidValue, notUTF8}
		}
		kept, f := storable(inner, depth+1)
		if f != nil {
			return nil, f
		}
		object[key] = kept
	}
	return object, nil
}

func storableList(list []any, depth int) (any, *fault) {
	for i, inner := range list {
		kept, f := storable(inner, depth+1)
		if f != nil {
			return nil, f
		}
		list[i] = kept
	}
	return list, nil
}

// storableNumber gives the int64 or float64 that is exactly the number.
func storableNumber(number json.Number) (any, *fault) {
	text, _, _ := jsonpath.Text(number) // past its limit of digits it is empty, which is no number below
	plain := trimZeros(text)
	if whole, err := strconv.ParseInt(plain, 10, 64); err == nil {
		return whole, nil
	}
	float, _ := strconv.ParseFloat(plain, 64) // what does not parse reads back as another text
	if shortest, _, _ := jsonpath.Text(float); shortest == plain {
		return float, nil
	}
	return nil, &fault{InvalidValue, "a field cannot hold this number, which Kubernetes would round: carry it as text, by a join"}
}

// trimZeros cuts zeros at the end of a plain decimal: 1.50 is 1.5.
func trimZeros(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// sameField compares two fields as JSON values: neither the spelling of a number
// nor that of an object matters, since the API server has its own.
func sameField(a, b string) bool {
	x, _ := decodeField(a) // what is no value is null here, and null is no value
	y, f := decodeField(b)
	return f == nil && marshal(x) == marshal(y)
}

// exactField decodes what a report kept of a manifest, so that it encodes to the
// same bytes again: numbers become what apimachinery works with where that keeps
// their spelling.
func exactField(text string) (any, error) {
	value, err := decodeJSON(text)
	if err != nil {
		return nil, &InjectError{Class: BadReport, Detail: "the old value is not JSON"}
	}
	return spelledAlike(value), nil
}

func spelledAlike(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = spelledAlike(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = spelledAlike(inner)
		}
	case json.Number:
		// What does not parse reads back as another text.
		if whole, _ := strconv.ParseInt(string(v), 10, 64); strconv.FormatInt(whole, 10) == string(v) {
			return whole
		}
		if float, _ := strconv.ParseFloat(string(v), 64); marshal(float) == string(v) {
			return float
		}
	}
	return value
}
