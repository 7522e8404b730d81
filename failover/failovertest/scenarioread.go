package failovertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Bounds of a file.
const (
	maxFileBytes = 1 << 20
	maxNodes     = 100_000 // aliases count each time
	maxDepth     = 100
)

// ReadScenarios reads scenarios from YAML, one in each document (F12). Its keys are the
// JSON names of [Scenario]. It is strict: what it does not know, what is written twice
// and what has another type is a [*ScenarioError] with the line, and so is what
// [Scenario.Run] would refuse before anything happens.
func ReadScenarios(data []byte) ([]Scenario, error) {
	if len(data) > maxFileBytes {
		return nil, &ScenarioError{Err: fmt.Errorf("the file holds more than %d bytes", maxFileBytes)}
	}
	var out []Scenario
	next := yamlStream(bytes.NewReader(data))
	for {
		var root yamlNode
		err := next(&root)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, syntax(err, data)
		}
		r := reader{lines: map[string]int{}, left: maxNodes}
		sc := Scenario{}
		if len(root.Content) == 1 {
			err = r.value(root.Content[0], reflect.ValueOf(&sc).Elem(), "", 0)
		}
		sc.lines = r.lines
		if err == nil {
			err = sc.check()
		}
		if bad := (*ScenarioError)(nil); errors.As(err, &bad) {
			bad.Name = sc.Name
			return nil, err
		}
		out = append(out, sc)
	}
	if len(out) == 0 {
		return nil, &ScenarioError{Line: 1, Err: errors.New("there is no scenario")}
	}
	return out, distinct(out)
}

// reader turns nodes into values, and remembers the lines.
type reader struct {
	lines map[string]int
	left  int
}

func (*reader) fail(n *yamlNode, format string, args ...any) error {
	return &ScenarioError{Line: n.Line, Err: fmt.Errorf(format, args...)}
}

// value reads a node into a Go value.
func (r *reader) value(n *yamlNode, to reflect.Value, path string, depth int) error {
	n, err := r.enter(n, depth)
	if err != nil {
		return err
	}
	if path != "" {
		r.lines[path] = n.Line
	}
	if done, err := r.special(n, to, path, depth); done {
		return err
	}
	switch to.Kind() {
	case reflect.Pointer:
		if n.ShortTag() == "!!null" {
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return r.value(n, to.Elem(), path, depth+1)
	case reflect.Struct:
		return r.object(n, to, path, depth)
	case reflect.Map:
		return r.entries(n, to, path, depth)
	case reflect.Slice:
		return r.list(n, to, path, depth)
	default:
		return r.scalar(n, to)
	}
}

// enter follows an alias, and bounds the work.
func (r *reader) enter(n *yamlNode, depth int) (*yamlNode, error) {
	for n.Kind == yamlAlias {
		n = n.Alias
	}
	if r.left--; r.left < 0 || depth > maxDepth {
		return nil, r.fail(n, "it is too large or too deep")
	}
	return n, nil
}

// special reads what is more than its kind; false = it is not.
func (r *reader) special(n *yamlNode, to reflect.Value, path string, depth int) (bool, error) {
	switch into := to.Addr().Interface().(type) {
	case *Step:
		step, err := ParseStep(n.Value)
		if n.Kind != yamlScalar {
			err = errors.New("an event is text, such as taint east")
		}
		if err != nil {
			return true, r.fail(n, "%w", err)
		}
		*into = step
	case *[]Step:
		if n.Kind == yamlSequence {
			return false, nil
		}
		*into = make([]Step, 1)
		return true, r.value(n, to.Index(0), path+"[0]", depth+1)
	case *metav1.Duration:
		return true, r.duration(n, &into.Duration)
	case *json.RawMessage:
		return true, r.raw(n, (*[]byte)(into), depth)
	case *runtime.RawExtension:
		return true, r.raw(n, &into.Raw, depth)
	case json.Unmarshaler:
		var text []byte
		if err := r.raw(n, &text, depth); err != nil {
			return true, err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return true, r.fail(n, "%w", readable(into, err))
		}
	default:
		return false, nil
	}
	return true, nil
}

// duration reads what has a unit.
func (r *reader) duration(n *yamlNode, to *time.Duration) error {
	d, err := time.ParseDuration(n.Value)
	switch {
	case n.Kind == yamlScalar && err == nil && kindOf(n) == "text":
		*to = d
		return nil
	case n.ShortTag() == "!!int" || n.ShortTag() == "!!float":
		return r.fail(n, "a duration has a unit: write %.32ss for seconds", n.Value)
	case n.Kind == yamlScalar && tooLong(n.Value):
		return r.fail(n, "%w", errTooLong)
	default:
		return r.fail(n, "want a duration, such as 90s or 120h, got %s", quoted(n))
	}
}

// tooLong says that a text is a duration, but for its size.
func tooLong(text string) bool {
	_, err := time.ParseDuration(text)
	small := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, text)
	_, smaller := time.ParseDuration(small)
	return err != nil && smaller == nil
}

// quoted is a text as it is, and of all else its kind.
func quoted(n *yamlNode) string {
	if kindOf(n) == "text" {
		return fmt.Sprintf("%.64q", n.Value)
	}
	return kindOf(n)
}

// readable is an error of a type that reads itself, in words.
func readable(of any, err error) error {
	switch of.(type) {
	case *metav1.Time, *time.Time:
		return fmt.Errorf("want a time, such as %s", start().Format(time.RFC3339))
	}
	return err
}

func (r *reader) raw(n *yamlNode, to *[]byte, depth int) error {
	value, err := r.plain(n, depth)
	if err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return r.fail(n, "%w", err)
	}
	*to = text
	return nil
}

// fields are the JSON names of a struct, those of embedded structs included.
func fields(t reflect.Type, index []int) map[string][]int {
	out := map[string][]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			maps.Copy(out, fields(f.Type, at))
		case f.IsExported() && name != "-":
			if name == "" {
				name = f.Name
			}
			out[name] = at
		}
	}
	return out
}

func (r *reader) object(n *yamlNode, to reflect.Value, path string, depth int) error {
	known := fields(to.Type(), nil)
	return r.pairs(n, func(key, value *yamlNode) error {
		index, there := known[key.Value]
		if !there {
			return r.fail(key, "%.64q is unknown here: use %s", key.Value, strings.Join(keys(known), ", "))
		}
		if err := r.value(value, to.FieldByIndex(index), join(path, key.Value), depth+1); err != nil {
			return err
		}
		return r.vacuous(value, to.FieldByIndex(index), join(path, key.Value))
	})
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// pairs calls do for each key, which is text and there once.
func (r *reader) pairs(n *yamlNode, do func(key, value *yamlNode) error) error {
	if n.Kind != yamlMapping {
		return r.fail(n, "want keys with values, got %s", kindOf(n))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		for key.Kind == yamlAlias {
			key = key.Alias
		}
		switch {
		case key.Kind != yamlScalar:
			return r.fail(key, "a key is text")
		case key.ShortTag() == "!!merge":
			return r.fail(key, "<< is not supported: name the whole value with an anchor")
		case seen[key.Value]:
			return r.fail(key, "%.64q is here twice", key.Value)
		}
		seen[key.Value] = true
		if err := do(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func kindOf(n *yamlNode) string {
	switch {
	case n.Kind == yamlMapping:
		return "keys with values"
	case n.Kind == yamlSequence:
		return "a list"
	case n.ShortTag() == "!!null":
		return "nothing"
	case n.ShortTag() == "!!str" || n.ShortTag() == "!!timestamp":
		return "text"
	case n.ShortTag() == "!!bool":
		return "true or false"
	default:
		return "a number"
	}
}

func (r *reader) entries(n *yamlNode, to reflect.Value, path string, depth int) error {
	to.Set(reflect.MakeMap(to.Type()))
	return r.pairs(n, func(key, value *yamlNode) error {
		one := reflect.New(to.Type().Elem()).Elem()
		if err := r.value(value, one, join(path, key.Value), depth+1); err != nil {
			return err
		}
		to.SetMapIndex(reflect.ValueOf(key.Value).Convert(to.Type().Key()), one)
		return nil
	})
}

func (r *reader) list(n *yamlNode, to reflect.Value, path string, depth int) error {
	if n.Kind != yamlSequence {
		return r.fail(n, "want a list, got %s: write [] for none", kindOf(n))
	}
	to.Set(reflect.MakeSlice(to.Type(), len(n.Content), len(n.Content)))
	for i, one := range n.Content {
		if err := r.value(one, to.Index(i), path+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
			if bad := (*ScenarioError)(nil); path == "steps" && errors.As(err, &bad) {
				bad.Step = i + 1
			}
			return err
		}
	}
	return nil
}

func (r *reader) scalar(n *yamlNode, to reflect.Value) error {
	kind := to.Kind()
	switch {
	case kind == reflect.String && kindOf(n) == "text":
		to.SetString(n.Value)
		return nil
	case kind == reflect.String:
		return r.fail(n, "want text, got %s: put it in quotes", kindOf(n))
	case kind == reflect.Bool && kindOf(n) == "true or false":
		to.SetBool(strings.EqualFold(n.Value, "true"))
		return nil
	case kind == reflect.Bool:
		return r.fail(n, "want true or false, got %s", kindOf(n))
	case to.CanInt() && kindOf(n) == "a number":
		number, err := strconv.ParseInt(n.Value, 10, to.Type().Bits())
		if errors.Is(err, strconv.ErrRange) {
			return r.fail(n, "number %.32s is too large: %d bits hold less", n.Value, to.Type().Bits())
		}
		if err == nil {
			to.SetInt(number)
			return nil
		}
	}
	return r.fail(n, "want a whole number, got %s", kindOf(n))
}

// plain is a node as a JSON value. Numbers keep their digits.
func (r *reader) plain(n *yamlNode, depth int) (any, error) {
	n, err := r.enter(n, depth)
	if err != nil {
		return nil, err
	}
	switch kindOf(n) {
	case "keys with values":
		out := map[string]any{}
		err := r.pairs(n, func(key, value *yamlNode) error {
			var err error
			out[key.Value], err = r.plain(value, depth+1)
			return err
		})
		return out, err
	case "a list":
		out := make([]any, len(n.Content))
		for i, one := range n.Content {
			if out[i], err = r.plain(one, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	case "nothing":
		return nil, nil //nolint:nilnil // null is a value
	case "text":
		return n.Value, nil
	case "true or false":
		return strings.EqualFold(n.Value, "true"), nil
	}
	if number := json.Number(n.Value); json.Valid([]byte(n.Value)) {
		return number, nil
	}
	return nil, r.fail(n, "a number that JSON does not know: put it in quotes")
}
