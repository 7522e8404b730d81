package preservation

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
)

// State is what extraction found (S10) and the next copy of an application receives
// (I2), as one value that embeds in a custom resource. The zero value is empty.
//
// +kubebuilder:object:generate=true
type State struct {
	// Labels are written to the metadata of the object, by key. As Karmada's
	// preservedLabelState they travel in an eviction task.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations are written to the metadata of the object, by key.
	Annotations map[string]string `json:"annotations,omitempty"`
	// Fields are written to the object: by field path, with a leading dot, each
	// value as JSON text.
	Fields map[string]string `json:"fields,omitempty"`
	// Conflicts say what to do where the manifest holds another value, for the
	// keys whose rule asks for something else than Replace; sorted.
	// +listType=atomic
	Conflicts []RefConflict `json:"conflicts,omitempty"`
	// Failover tells where the values come from; nil = not known.
	Failover *Failover `json:"failover,omitempty"`
}

// Ref names one place that receives a value (I4, I5).
//
// +kubebuilder:object:generate=true
type Ref struct {
	// Target is the kind of place.
	Target Target `json:"target"`
	// Key names it there: the label, the annotation or the field path.
	Key string `json:"key"`
}

// RefConflict is the Conflict of one key (I2).
//
// +kubebuilder:object:generate=true
type RefConflict struct {
	Ref `json:",inline"`
	// Conflict is Keep or Fail; Replace needs no entry.
	Conflict Conflict `json:"conflict"`
}

// IsEmpty reports whether there is nothing to receive; nil and empty are equal
// (L1).
func (s State) IsEmpty() bool { return len(s.Labels)+len(s.Annotations)+len(s.Fields) == 0 }

// Equal reports whether both hold the same values, wherever they come from and
// whatever conflicts with them; nil and empty are equal (L1).
func (s State) Equal(other State) bool {
	return maps.Equal(s.Labels, other.Labels) && maps.Equal(s.Annotations, other.Annotations) &&
		maps.Equal(s.Fields, other.Fields)
}

// Keys lists all places that receive a value, sorted by target and key (L3).
func (s State) Keys() []Ref {
	var keys []Ref
	for _, target := range []Target{Annotation, Field, Label} {
		for _, key := range slices.Sorted(maps.Keys(s.values(target))) {
			keys = append(keys, Ref{target, key})
		}
	}
	return keys
}

// values are those of one target, by key. A label of the pod template has that of
// the label.
func (s State) values(target Target) map[string]string {
	switch target {
	case Label, PodTemplateLabel:
		return s.Labels
	case Annotation:
		return s.Annotations
	case Field:
		return s.Fields
	default:
		return nil
	}
}

// rule is the place that rules and states name: a label of the pod template stands
// for a label.
func (r Ref) rule() Ref {
	if r.Target == PodTemplateLabel {
		r.Target = Label
	}
	return r
}

// problem says what is wrong with the name of a place of a known target, whatever
// the manifest is.
func (r Ref) problem() *fault {
	if r.Target != Field {
		if len(validation.IsQualifiedName(r.Key)) > 0 {
			return &fault{InvalidValue, "not a legal key"}
		}
		return nil
	}
	path, err := parseFieldPath(r.Key)
	if err != nil {
		return &fault{InvalidValue, err.Error()}
	}
	if refusal := path.refusal(); refusal != "" {
		return &fault{Refused, refusal}
	}
	if spelled := path.String(); spelled != r.Key {
		return &fault{InvalidValue, "a state spells this path " + spelled}
	}
	return nil
}

func compareRefs(a, b Ref) int {
	return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Key, b.Key))
}

// writes says that the state has a value for a place, or for a field around it.
func (s State) writes(key Ref) bool {
	isKey := func(name string) bool { _, found := s.values(key.Target)[name]; return found }
	_, within := fieldAround(key.Key, isKey) // paths have a leading dot, and no other key has
	return isKey(key.Key) || within
}

// conflicts are those of all keys that ask for something else than Replace; of
// several entries for a key the last counts.
func (s State) conflicts() map[Ref]Conflict {
	conflicts := make(map[Ref]Conflict, len(s.Conflicts))
	for _, c := range s.Conflicts {
		conflicts[c.Ref] = c.Conflict
	}
	return conflicts
}

// coherent says whether the state can be written at all: no choice that is not
// known, and no field within another one, where what is written would depend on
// the order.
func (s State) coherent() error {
	for _, c := range s.Conflicts {
		if !slices.Contains([]Conflict{Replace, KeepExisting, Fail}, c.Conflict) {
			return &InjectError{Class: BadState, Target: c.Target, Key: c.Key, Detail: "its conflict is not known"}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Fields)) {
		isField := func(around string) bool { _, found := s.Fields[around]; return found }
		if around, found := fieldAround(key, isField); found {
			return &InjectError{Class: BadState, Target: Field, Key: key, Detail: "it lies within " + around}
		}
	}
	return nil
}
