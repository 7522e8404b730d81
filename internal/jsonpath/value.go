package jsonpath

import (
	"encoding/json"
	"slices"
)

// child looks up a key; only objects have any.
func child(v any, key string) (any, bool) {
	switch m := v.(type) {
	case map[string]any:
		value, ok := m[key]
		return value, ok
	case map[string]string:
		value, ok := m[key]
		return value, ok
	}
	return nil, false
}

// listLength gives the length of a list; the bool is false for everything else.
func listLength(v any) (int, bool) {
	switch l := v.(type) {
	case []any:
		return len(l), true
	case []string:
		return len(l), true
	}
	return 0, false
}

// listItem gives an item of what listLength accepts.
func listItem(v any, i int) any {
	switch l := v.(type) {
	case []any:
		return l[i]
	case []string:
		return l[i]
	}
	return nil
}

// children appends the values of an object in the order of its sorted keys
// (S2), or the items of a list.
func (b *budget) children(out []any, v any) ([]any, *EvalError) {
	switch c := v.(type) {
	case []any:
		if err := b.spend(len(c)); err != nil {
			return nil, err
		}
		return append(out, c...), nil
	case []string:
		if err := b.spend(len(c)); err != nil {
			return nil, err
		}
		for _, item := range c {
			out = append(out, item)
		}
	case map[string]any:
		return appendSorted(b, out, c)
	case map[string]string:
		return appendSorted(b, out, c)
	}
	return out, nil
}

func appendSorted[V any](b *budget, out []any, m map[string]V) ([]any, *EvalError) {
	// Paid before the keys are collected, so that no map is too large to refuse.
	if err := b.spend(keyCost * len(m)); err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(m))
	bytes := 0
	for key := range m {
		keys = append(keys, key)
		bytes += len(key)
	}
	if err := b.spend(bytes / bytesPerStep); err != nil {
		return nil, err
	}
	slices.Sort(keys)
	for _, key := range keys {
		out = append(out, m[key])
	}
	return out, nil
}

// typeName names the type of a value for messages.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a bool"
	case map[string]any, map[string]string:
		return "an object"
	case []any, []string:
		return "a list"
	case json.Number, float64, float32, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return "a number"
	}
	return "an unknown type"
}
