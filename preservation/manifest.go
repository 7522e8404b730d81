package preservation

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

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
	c := copier{left: maxManifestValues}
	copied, err := c.value(manifest.Object, 0)
	if err != nil {
		return nil, badManifest("%v", err)
	}
	object, _ := copied.(map[string]any)
	return &unstructured.Unstructured{Object: object}, nil
}

// copier is one copy of a manifest.
type copier struct {
	left int
}

func (c *copier) value(value any, depth int) (any, error) {
	if c.left--; c.left < 0 {
		return nil, fmt.Errorf("more than %d values", maxManifestValues)
	}
	if depth > maxManifestDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxManifestDepth)
	}
	switch v := value.(type) {
	case nil, bool, string, int64:
		return v, nil
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

func copyMap[V any](c *copier, in map[string]V, depth int) (any, error) {
	if in == nil {
		var null any
		return null, nil
	}
	out := make(map[string]any, len(in))
	for key, value := range in {
		copied, err := c.value(value, depth+1)
		if err != nil {
			return nil, err
		}
		out[key] = copied
	}
	return out, nil
}

func copyList[V any](c *copier, in []V, depth int) (any, error) {
	if in == nil {
		var null any
		return null, nil
	}
	out := make([]any, 0, len(in))
	for _, value := range in {
		copied, err := c.value(value, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, copied)
	}
	return out, nil
}

// copyNumber turns any Go number into one that apimachinery knows.
func copyNumber(value any) (any, error) {
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
		return copyFloat(strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64))
	case float64:
		return copyFloat(v, nil)
	}
	return nil, fmt.Errorf("%s cannot be part of a manifest", kindOf(value))
}

// checkNumber refuses text that encoding/json would refuse to write as a number.
// Other JSON values and white space around a number differ at one of the ends.
func checkNumber(v json.Number) (any, error) {
	isDigit := func(b byte) bool { return b >= '0' && b <= '9' }
	if !json.Valid([]byte(v)) || v[0] != '-' && !isDigit(v[0]) || !isDigit(v[len(v)-1]) {
		return nil, fmt.Errorf("a json.Number of %d bytes is no number", len(v))
	}
	return v, nil
}

func copyUnsigned(v uint64) any {
	if v <= math.MaxInt64 {
		return int64(v)
	}
	return json.Number(strconv.FormatUint(v, 10))
}

func copyFloat(v float64, err error) (any, error) {
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, errors.New("a float is no number that JSON can hold")
	}
	return v, nil
}
