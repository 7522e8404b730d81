package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// decode fills a Go value from decoded JSON, and lists the fields that the type
// does not have. Unlike encoding/json alone it compares names exactly, as an API
// server does, and its errors name the whole path and never a value.
func decode[T any](value any) (T, []string, error) {
	var out T
	var s shape
	known, err := s.fit(value, reflect.TypeFor[T](), nil)
	if err != nil {
		return out, nil, err
	}
	raw, err := encodeJSON(known)
	if err != nil {
		return out, nil, err
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, nil, errors.New("cannot be decoded") // fit let it pass; its text might quote
	}
	return out, s.unknown, nil
}

// shape compares decoded JSON with a Go type.
type shape struct{ unknown []string }

// fit returns the part of the value that the type has. Null fits everything, as
// it does in encoding/json.
func (s *shape) fit(value any, t reflect.Type, at *field.Path) (any, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case value == nil || t == reflect.TypeFor[runtime.RawExtension]():
		return value, nil
	case t == reflect.TypeFor[metav1.Time]():
		return value, fitTime(value, at)
	}
	switch t.Kind() {
	case reflect.Struct:
		return s.fitStruct(value, t, at)
	case reflect.Slice:
		return s.fitSlice(value, t, at)
	case reflect.Map:
		return s.fitMap(value, t, at)
	case reflect.String:
		_, ok := value.(string)
		return value, expect(ok, value, "text", at)
	case reflect.Bool:
		_, ok := value.(bool)
		return value, expect(ok, value, "true or false", at)
	case reflect.Int32, reflect.Int64:
		return value, fitInteger(value, t.Bits(), at)
	default:
		return nil, fmt.Errorf("%s: no rule for %s", at, t)
	}
}

func (s *shape) fitStruct(value any, t reflect.Type, at *field.Path) (any, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, expect(false, value, "an object", at)
	}
	types := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			types[name] = f.Type
		}
	}
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		child := at.Child(name)
		if types[name] == nil {
			s.unknown = append(s.unknown, child.String())
			continue
		}
		fitted, err := s.fit(object[name], types[name], child)
		if err != nil {
			return nil, err
		}
		out[name] = fitted
	}
	return out, nil
}

func (s *shape) fitSlice(value any, t reflect.Type, at *field.Path) (any, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, expect(false, value, "a list", at)
	}
	out := make([]any, 0, len(list))
	for i, element := range list {
		fitted, err := s.fit(element, t.Elem(), at.Index(i))
		if err != nil {
			return nil, err
		}
		out = append(out, fitted)
	}
	return out, nil
}

func (s *shape) fitMap(value any, t reflect.Type, at *field.Path) (any, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, expect(false, value, "an object", at)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if _, err := s.fit(object[name], t.Elem(), at.Key(name)); err != nil {
			return nil, err
		}
	}
	return object, nil
}

func fitInteger(value any, bits int, at *field.Path) error {
	number, ok := value.(json.Number)
	if !ok {
		return expect(false, value, "a whole number", at)
	}
	if _, err := strconv.ParseInt(number.String(), 10, bits); err != nil {
		return fmt.Errorf("%s: must be a whole number of %d bits", at, bits)
	}
	return nil
}

func fitTime(value any, at *field.Path) error {
	stamp, ok := value.(string)
	if _, err := time.Parse(time.RFC3339, stamp); !ok || err != nil {
		return fmt.Errorf("%s: must be a time such as 2025-01-10T12:00:00Z", at)
	}
	return nil
}

func expect(ok bool, value any, wanted string, at *field.Path) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s: must be %s, is %s", at, wanted, kindOf(value))
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "text"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return "a number"
	}
}
