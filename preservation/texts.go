package preservation

import (
	"fmt"
	"maps"
	"slices"
)

// textSet is a map of texts in the metadata of an object or of a pod template:
// the labels or the annotations.
type textSet struct {
	target   Target
	name     string // of the map: labels, annotations
	metadata map[string]any
	values   map[string]string
	// absent and null say how an empty set is written; neither = as an empty
	// object.
	absent, null bool
	// template is where the metadata stands in a pod template, and made says that
	// there was none; only for the labels of one.
	template spot
	made     bool
}

// readTexts reads one map of texts. One that is absent or null is empty; anything
// else that is not a map of texts is BadManifest: what a reader skips, the writer
// would wipe (I3). The metadata is that of a copy that copyManifest made.
func readTexts(target Target, name, at string, metadata any) (*textSet, error) {
	owner, ok := metadata.(map[string]any)
	if !ok {
		return nil, badManifest("%s is not an object but %s", at, kindOf(metadata))
	}
	value, found := owner[name]
	texts, ok := value.(map[string]any)
	if value != nil && !ok {
		return nil, badManifest("%s.%s is not an object but %s", at, name, kindOf(value))
	}
	set := &textSet{
		target: target, name: name, metadata: owner, values: make(map[string]string, len(texts)),
		absent: !found, null: found && value == nil,
	}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		text, ok := texts[key].(string)
		if !ok {
			return nil, badManifest("the value of %s.%s[%q] is not text but %s", at, name, key, kindOf(texts[key]))
		}
		set.values[key] = text
	}
	return set, nil
}

func badManifest(format string, args ...any) error {
	return &InjectError{Class: BadManifest, Detail: fmt.Sprintf(format, args...)}
}

func (s *textSet) get(key string) (string, bool, error) {
	value, found := s.values[key]
	return value, found, nil
}

func (s *textSet) put(key, value string) error {
	s.values[key] = value
	return nil
}

func (s *textSet) restore(key, value string) error { return s.put(key, value) }

func (s *textSet) drop(key string) { delete(s.values, key) }

// size is what the set counts towards Kubernetes' limit for annotations.
func (s *textSet) size() int {
	total := 0
	for key, value := range s.values {
		total += len(key) + len(value)
	}
	return total
}

// write puts the texts back into the manifest.
func (s *textSet) write() {
	switch {
	case len(s.values) == 0 && s.absent:
		delete(s.metadata, s.name)
	case len(s.values) == 0 && s.null:
		s.metadata[s.name] = nil
	default:
		texts := make(map[string]any, len(s.values))
		for key, value := range s.values {
			texts[key] = value
		}
		s.metadata[s.name] = texts
	}
	switch {
	case s.made && len(s.metadata) == 0:
		s.template.drop()
	default:
		s.template.set(s.metadata)
	}
}
