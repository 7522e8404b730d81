package wiretest

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// rounds is how many random values of each type are checked.
const rounds = 200

// copier is what controller-gen gives the pointer to a type.
type copier[T any] interface {
	*T
	DeepCopy() *T
	DeepCopyInto(out *T)
}

// Check runs a subtest for T, named after it, over random values:
//
//   - A deep copy is equal, nil and empty told apart, and shares nothing.
//   - encoding/json and runtime.DefaultUnstructuredConverter write the same, and read
//     the same from it, which is the value, nil and empty being equal.
func Check[T any, P copier[T]](t *testing.T) {
	t.Helper()
	of := reflect.TypeFor[T]()
	t.Run(of.String(), func(t *testing.T) {
		t.Parallel()
		if P(nil).DeepCopy() != nil {
			t.Error("the copy of nil is not nil")
		}
		for seed := range uint64(rounds) {
			value := random[T](seed)
			checkCopy(t, P(&value), seed)
			checkWire(t, &value)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	})
}

func random[T any](seed uint64) T {
	var value T
	r := rand.New(rand.NewPCG(seed, 0))
	v := reflect.ValueOf(&value).Elem()
	for i := range v.NumField() { // the value itself is rarely of use if zero
		fill(v.Field(i), r, 0)
	}
	return value
}

func checkCopy[T any, P copier[T]](t *testing.T, value P, seed uint64) {
	t.Helper()
	copied := value.DeepCopy()
	if diff := cmp.Diff(*value, *copied); diff != "" {
		t.Errorf("the copy is another value (-want +got):\n%s", diff)
	}
	into := random[T](seed + 1) // what was there does not stay
	value.DeepCopyInto(&into)
	if diff := cmp.Diff(*copied, into); diff != "" {
		t.Errorf("DeepCopyInto (-DeepCopy +got):\n%s", diff)
	}
	overwrite(reflect.ValueOf(copied).Elem())
	if diff := cmp.Diff(random[T](seed), *value); diff != "" {
		t.Errorf("the copy shares with its original (-want +got):\n%s", diff)
	}
}

// sameWire takes values for equal that are the same on the wire.
func sameWire() cmp.Option {
	return cmp.Options{
		cmp.Comparer(func(a, b metav1.Time) bool { return a.Equal(&b) }),
		cmp.Comparer(func(a, b runtime.RawExtension) bool { return cmp.Equal(decoded(a.Raw), decoded(b.Raw)) }),
		cmp.FilterValues(func(a, b any) bool {
			return isEmptyList(reflect.ValueOf(a)) && isEmptyList(reflect.ValueOf(b))
		}, cmp.Ignore()),
	}
}

func isEmptyList(v reflect.Value) bool {
	return v.IsValid() && (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0
}

func checkWire[T any](t *testing.T, value *T) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("JSON: %v", err)
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(value)
	if err != nil {
		t.Fatalf("ToUnstructured: %v", err)
	}
	if diff := cmp.Diff(decoded(text), any(object)); diff != "" {
		t.Errorf("written (-JSON +unstructured):\n%s", diff)
	}
	var fromText, fromObject T
	if err := json.Unmarshal(text, &fromText); err != nil {
		t.Fatalf("JSON: %v", err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, &fromObject); err != nil {
		t.Fatalf("FromUnstructured: %v", err)
	}
	if diff := cmp.Diff(*value, fromText, sameWire()); diff != "" {
		t.Errorf("read as JSON (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(fromText, fromObject, sameWire()); diff != "" {
		t.Errorf("read (-JSON +unstructured):\n%s", diff)
	}
}

// decoded is JSON as an unstructured object holds it; numbers keep 64 bits.
func decoded(text []byte) any {
	var value any
	if err := utiljson.Unmarshal(text, &value); err != nil {
		return err.Error()
	}
	return value
}
