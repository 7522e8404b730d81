package preservation

import "fmt"

// fieldSet is the fields of a manifest that is ours to change (I5). Its keys are
// paths that have no problem.
type fieldSet struct {
	object map[string]any
}

// get returns a field as JSON. Null is there, and is no value.
func (s fieldSet) get(key string) (string, bool, error) {
	at, err := s.find(key)
	if !at.found {
		return "", false, err
	}
	return marshal(at.value), true, nil
}

// put writes a value that checkValue lets pass. What is there, unless it is null,
// has the same type.
func (s fieldSet) put(key, text string) error {
	value, _ := decodeField(text)
	at, _ := s.find(key)
	if at.value != nil && kindOf(at.value) != kindOf(value) {
		return &InjectError{Class: TypeMismatch, Detail: fmt.Sprintf("the field holds %s, the value is %s", kindOf(at.value), kindOf(value))}
	}
	at.set(value)
	return nil
}

func (s fieldSet) restore(key, text string) error {
	value, err := exactField(text)
	if err != nil {
		return err
	}
	at, _ := s.find(key)
	at.set(value)
	return nil
}

// drop removes a key. An item of a list stays, since its neighbours would move.
func (s fieldSet) drop(key string) {
	at, _ := s.find(key)
	at.drop()
}

// spot is one place in the manifest; without a parent it is none, and nothing can be
// written there.
type spot struct {
	parent any // an object or a list
	step   fieldStep
	value  any
	found  bool
}

func (s spot) set(value any) {
	switch parent := s.parent.(type) {
	case map[string]any:
		parent[s.step.key] = value
	case []any:
		parent[s.step.index] = value
	}
}

func (s spot) drop() {
	object, _ := s.parent.(map[string]any)
	delete(object, s.step.key)
}

// find walks to a field. Nothing on the way is created: a field whose parent is
// missing belongs to another kind of object than this one (I5).
func (s fieldSet) find(key string) (spot, error) {
	path, _ := parseFieldPath(key) // it has no problem
	at := spot{value: s.object}
	for i, step := range path {
		if at.value == nil {
			return spot{}, &InjectError{Class: MissingParent, Detail: fmt.Sprintf("the manifest has no %s", path[:i])}
		}
		var err error
		if at, err = child(at.value, path[:i], step); err != nil {
			return spot{}, err
		}
	}
	return at, nil
}

// child is what a step leads to. A list index behind the end is an error, since no
// list items are created.
func child(parent any, path fieldPath, step fieldStep) (spot, error) {
	at := spot{parent: parent, step: step}
	if !step.isIndex {
		object, ok := parent.(map[string]any)
		if !ok {
			return spot{}, mismatch(path, "an object", parent)
		}
		at.value, at.found = object[step.key]
		return at, nil
	}
	list, ok := parent.([]any)
	if !ok {
		return spot{}, mismatch(path, "a list", parent)
	}
	if step.index >= len(list) {
		return spot{}, &InjectError{
			Class: MissingParent, Detail: fmt.Sprintf("the list %s has %d items, and none is created", path, len(list)),
		}
	}
	at.value, at.found = list[step.index], true
	return at, nil
}

func mismatch(path fieldPath, want string, is any) error {
	return &InjectError{Class: TypeMismatch, Detail: fmt.Sprintf("%s is not %s but %s", path, want, kindOf(is))}
}
