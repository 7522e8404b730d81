package wiretest

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/purge"
)

// Full returns a value all of whose fields are set, on every level, so that nothing
// of the type is missing in its JSON. The texts in it mean nothing.
func Full[T any]() T {
	var value T
	set(reflect.ValueOf(&value).Elem())
	return value
}

func set(v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(1, 0).UTC()))
		return
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.Unix(1, 0)))
		return
	case purge.NextCheck:
		v.Set(reflect.ValueOf(purge.NextCheck{After: time.Second, OK: true}))
		return
	case runtime.RawExtension:
		v.Set(reflect.ValueOf(runtime.RawExtension{Raw: []byte(`{"a":{"b":[1]}}`)}))
		return
	case metav1.TypeMeta, metav1.ObjectMeta:
		return // not ours
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			set(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		set(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		set(v.Index(0))
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		set(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x").Convert(v.Type().Key()), value)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.SetInt(1)
	}
}
