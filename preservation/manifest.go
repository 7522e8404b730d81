package preservation

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// maxManifestDepth bounds the nesting of a manifest, as encoding/json does. It
	// also ends the walk through a map that contains itself.
	maxManifestDepth = 10_000
	// maxManifestValues bounds how much is copied. Maps of a Go program may share
	// their values, so that a small one is huge when written out. No object that
	// etcd stores comes near.
	maxManifestValues = 1_000_000
)

// copyManifest returns a copy that shares nothing with the manifest and that
// apimachinery can deep-copy and encode: plain Go numbers become int64 or
// float64, maps and lists of strings become general ones, nil ones become nil, as
// their JSON is null. What JSON cannot hold is BadManifest, never a panic (L4, I3).
func copyManifest(manifest *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if manifest == nil || manifest.Object == nil {
		return nil, badManifest("there is no manifest")
	}
	copied, f := copyAll(manifest.Object, copier{values: maxManifestValues, bytes: math.MaxInt})
	if f != nil {
		return nil, badManifest("%s", f.detail)
	}
	object, _ := copied.(map[string]any)
	return &unstructured.Unstructured{Object: object}, nil
}

// copier is one copy of a manifest, or of a part of a document. What it still may
// copy is counted in values and in bytes of text.
type copier struct {
	values, bytes int
	sorted        bool
}

// copyAll copies a value with what c allows. Of several faults it gives the first by
// the order of sorted keys, so that map order does not show (L3); it sorts only if
// there is one.
func copyAll(value any, c copier) (any, *fault) {
	again := c
	copied, f := c.value(value, 0)
	if f == nil {
		return copied, nil
	}
	again.sorted = true
	return again.value(value, 0)
}

// value copies one value. The fault is TooLarge, InvalidValue for text that is not
// UTF-8 and would be written as another one, or NotScalar for what is no JSON.
func (c *copier) value(value any, depth int) (any, *fault) {
	if c.values--; c.values < 0 {
		return nil, &fault{TooLarge, fmt.Sprintf("more than %d values", maxManifestValues)}
	}
	if depth > maxManifestDepth {
		return nil, &fault{TooLarge, fmt.Sprintf("nested deeper than %d", maxManifestDepth)}
	}
	switch v := value.(type) {
	case nil, bool, int64:
		return value, nil
	case string:
		return value, c.text(v) // the same interface value: it needs no memory
	case map[string]any:
		return copyMap(c, v, depth)
	case map[string]string:
		return copyMap(c, v, depth)
	case []any:
		return copyList(c, v, depth)
	case []string:
		return copyList(c, v, depth)
	case []map[string]any:
		return copyList(c, v, depth)
	}
	return copyNumber(value)
}

func (c *copier) text(text string) *fault {
	if c.bytes -= len(text); c.bytes < 0 {
		return &fault{TooLarge, "its texts are too long"}
	}
	if !utf8.ValidString(text) {
		return &fault{InvalidValue, "a text is not valid UTF-8"}
	}
	return nil
}

func copyMap[V any](c *copier, in map[string]V, depth int) (any, *fault) {
	if in == nil {
		var null any
		return null, nil
	}
	out := make(map[string]any, len(in))
	if f := copyMembers(c, out, in, depth); f != nil {
		return nil, f
	}
	return out, nil
}

// copyMembers needs no list of the keys where order does not matter.
func copyMembers[V any](c *copier, out map[string]any, in map[string]V, depth int) *fault {
	if c.sorted {
		for _, key := range slices.Sorted(maps.Keys(in)) {
			if f := copyMember(c, out, key, in[key], depth); f != nil {
				return f
			}
		}
		return nil
	}
	for key, value := range in {
		if f := copyMember(c, out, key, value, depth); f != nil {
			return f
		}
	}
	return nil
}

func copyMember[V any](c *copier, out map[string]any, key string, value V, depth int) *fault {
	if f := c.text(key); f != nil {
		return f
	}
	copied, f := c.value(value, depth+1)
	out[key] = copied // which is thrown away if there is a fault
	return f
}

func copyList[V any](c *copier, in []V, depth int) (any, *fault) {
	if in == nil {
		var null any
		return null, nil
	}
	out := make([]any, 0, len(in))
	for _, value := range in {
		copied, f := c.value(value, depth+1)
		if f != nil {
			return nil, f
		}
		out = append(out, copied)
	}
	return out, nil
}

// copyNumber turns any Go number into one that apimachinery knows.
func copyNumber(value any) (any, *fault) {
	switch v := value.(type) {
	case json.Number:
		return checkNumber(v)
	case int:
		return int64(v), nil
	case int8:
		return int64(v), nil
	case int16:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case uint8:
		return int64(v), nil
	case uint16:
		return int64(v), nil
	case uint32:
		return int64(v), nil
	case uint:
		return copyUnsigned(uint64(v)), nil
	case uint64:
		return copyUnsigned(v), nil
	case float32:
		// By its shortest text: widened as it is, 0.1 would encode as
		// 0.10000000149011612.
		shortest, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64) // what was formatted parses
		return copyFloat(shortest)
	case float64:
		return copyFloat(v)
	}
	return nil, &fault{NotScalar, kindOf(value) + " cannot be part of a manifest"}
}

// checkNumber refuses text that encoding/json would refuse to write as a number.
// Other JSON values and white space around a number differ at one of the ends.
func checkNumber(v json.Number) (any, *fault) {
	isDigit := func(b byte) bool { return b >= '0' && b <= '9' }
	if !json.Valid([]byte(v)) || v[0] != '-' && !isDigit(v[0]) || !isDigit(v[len(v)-1]) {
		return nil, &fault{NotScalar, fmt.Sprintf("a json.Number of %d bytes is no number", len(v))}
	}
	return v, nil
}

func copyUnsigned(v uint64) any {
	if v <= math.MaxInt64 {
		return int64(v)
	}
	return json.Number(strconv.FormatUint(v, 10))
}

func copyFloat(v float64) (any, *fault) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, &fault{NotScalar, "a float is no number that JSON can hold"}
	}
	return v, nil
}
