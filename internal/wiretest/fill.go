package wiretest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/purge"
)

// maxDepth bounds values of types that contain themselves.
const maxDepth = 8

// fill sets v, and all that it refers to, to random values: zero ones, nil and empty
// collections and the limits of numbers included.
func fill(v reflect.Value, r *rand.Rand, depth int) {
	if r.IntN(5) == 0 || depth > maxDepth {
		return // zero
	}
	if special(v, r) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), r, depth+1)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if !special(v.Elem(), r) { // zero ones are null, which is nil
			fill(v.Elem(), r, depth+1)
		}
	case reflect.Slice:
		n := r.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n+r.IntN(2)))
		for i := range n {
			fill(v.Index(i), r, depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(text(r))
			fill(value, r, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(text(r))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(pick[int64](r, 1, -1, math.MaxInt64, math.MinInt64, 1<<53+1))
	default: // an int32: reflect stops the test of a type that holds anything else
		v.SetInt(pick[int64](r, 1, -1, math.MaxInt32, math.MinInt32))
	}
}

// special sets values of types with a JSON form of their own. Times are those that
// this library stores: UTC, whole seconds.
func special(v reflect.Value, r *rand.Rand) bool {
	second := time.Unix(r.Int64N(1<<33), 0).UTC()
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(second))
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.Time{Time: second}))
	case purge.NextCheck:
		v.Set(reflect.ValueOf(purge.NextCheck{After: time.Duration(1+r.Int64N(1<<20)) * time.Second, OK: true}))
	case runtime.RawExtension:
		raw := fmt.Sprintf(`{"a":%q,"n":[%d,null,{}],"t":true}`, strings.Repeat("x", r.IntN(3)), r.Int64())
		v.Set(reflect.ValueOf(runtime.RawExtension{Raw: []byte(raw)}))
	default:
		return false
	}
	return true
}

// text has what JSON escapes, and what it escapes for HTML only.
func text(r *rand.Rand) string {
	parts := []string{"a", "Z", "9", "", " ", `"`, `\`, "<", "&", "\n", "\u2028", "é", "世", "😀", "\x7f", "0", "null", "true"}
	var b strings.Builder
	for range r.IntN(4) {
		b.WriteString(pick(r, parts...))
	}
	return b.String()
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// overwrite changes every scalar that v refers to, in place.
func overwrite(v reflect.Value) {
	if at, ok := v.Interface().(time.Time); ok {
		v.Set(reflect.ValueOf(at.Add(time.Hour)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				overwrite(v.Field(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			overwrite(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			overwrite(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			overwrite(value)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() ^ 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() ^ 1)
	default: // an interface, which no wire type sets
	}
}
