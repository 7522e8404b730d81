package preservation

import "fmt"

// fieldSet is the fields of a manifest that is ours to change (I5).
type fieldSet struct {
	object map[string]any
}

// get returns a field as JSON. Null is there, and is no value.
func (s fieldSet) get(key string) (string, bool, error) {
	parent, last, err := s.parent(key)
	if err != nil {
		return "", false, err
	}
	value, found, err := parent.child(last)
	if err != nil || !found {
		return "", false, err
	}
	return marshal(value), true, nil
}

// put writes a field. What is there, unless it is null, has the same type.
func (s fieldSet) put(key, text string) error {
	value, f := decodeField(text)
	if f != nil {
		return &InjectError{Class: f.class, Detail: f.detail}
	}
	parent, last, err := s.parent(key)
	if err != nil {
		return err
	}
	old, found, err := parent.child(last)
	if err != nil {
		return err
	}
	if found && old != nil && kindOf(old) != kindOf(value) {
		return &InjectError{Class: TypeMismatch, Detail: fmt.Sprintf("the field holds %s, the value is %s", kindOf(old), kindOf(value))}
	}
	parent.set(last, value)
	return nil
}

func (s fieldSet) restore(key, text string) error {
	value, err := exactField(text)
	if err != nil {
		return err
	}
	parent, last, err := s.parent(key)
	if err != nil {
		return err
	}
	parent.set(last, value)
	return nil
}

func (s fieldSet) drop(key string) {
	parent, last, err := s.parent(key)
	if object, ok := parent.value.(map[string]any); err == nil && ok && !last.isIndex {
		delete(object, last.key)
	}
}

// parent walks to what holds the field. Nothing on the way is created: a field
// whose parent is missing belongs to another kind of object than this one (I5).
func (s fieldSet) parent(key string) (node, fieldStep, error) {
	path, err := parseFieldPath(key)
	if err != nil {
		return node{}, fieldStep{}, &InjectError{Class: InvalidValue, Detail: err.Error()}
	}
	at := node{value: s.object}
	for i, step := range path[:len(path)-1] {
		value, found, err := at.child(step)
		if err != nil {
			return node{}, fieldStep{}, err
		}
		at = node{path: path[:i+1], value: value}
		if !found || value == nil {
			return node{}, fieldStep{}, &InjectError{Class: MissingParent, Detail: fmt.Sprintf("the manifest has no %s", at.path)}
		}
	}
	return at, path[len(path)-1], nil
}

// node is a value of the manifest and where it is.
type node struct {
	path  fieldPath
	value any
}

// child returns what a step leads to. A list index behind the end is an error,
// since no list items are created.
func (n node) child(step fieldStep) (any, bool, error) {
	if !step.isIndex {
		object, ok := n.value.(map[string]any)
		if !ok {
			return nil, false, n.mismatch("an object")
		}
		value, found := object[step.key]
		return value, found, nil
	}
	list, ok := n.value.([]any)
	if !ok {
		return nil, false, n.mismatch("a list")
	}
	if step.index >= len(list) {
		return nil, false, &InjectError{
			Class: MissingParent, Detail: fmt.Sprintf("the list %s has %d items, and none is created", n.path, len(list)),
		}
	}
	return list[step.index], true, nil
}

func (n node) mismatch(want string) error {
	return &InjectError{Class: TypeMismatch, Detail: fmt.Sprintf("%s is not %s but %s", n.path, want, kindOf(n.value))}
}

// set writes where child found the place.
func (n node) set(step fieldStep, value any) {
	switch parent := n.value.(type) {
	case map[string]any:
		parent[step.key] = value
	case []any:
		parent[step.index] = value
	}
}
