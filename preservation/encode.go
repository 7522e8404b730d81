package preservation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// encodingVersion is the one version of the encoding. Another one is an error,
	// never read as empty.
	encodingVersion = 1
	// MaxEncodedBytes bounds an encoded state: it is to fit into an annotation.
	MaxEncodedBytes = MaxAnnotationsBytes
)

// envelope is the encoded form: the state beside its version.
type envelope struct {
	Version int `json:"version"`
	State   `json:",inline"`
}

// Encode writes the whole state as one text, for an annotation where a schema
// prunes what it does not know: compact JSON with sorted keys, the fields of
// [State] and "version": 1. The error is of class BadState, if the text would not
// fit into an annotation. [DecodeState] reads it.
func (s State) Encode() (string, error) {
	text, err := marshal(envelope{Version: encodingVersion, State: s})
	if err != nil || len(text) > MaxEncodedBytes {
		return "", badState(fmt.Sprintf("the encoded state has %d bytes, and %d is the limit", len(text), MaxEncodedBytes))
	}
	return text, nil
}

// DecodeState reads what Encode wrote, and checks it as if it came from a
// stranger: exactly one JSON object of version 1 without unknown fields, and keys
// and values that are legal for their targets. Anything else is an [*InjectError]
// of class BadState: it is never read as an empty state.
func DecodeState(text string) (State, error) {
	if len(text) > MaxEncodedBytes {
		return State{}, badState(fmt.Sprintf("it has %d bytes, and %d is the limit", len(text), MaxEncodedBytes))
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var e envelope
	if err := decoder.Decode(&e); err != nil {
		return State{}, badState("it is not the JSON object that Encode writes")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return State{}, badState("something follows the JSON object")
	}
	if e.Version != encodingVersion {
		return State{}, badState(fmt.Sprintf("version %d is not known", e.Version))
	}
	if err := e.State.check(); err != nil {
		return State{}, err
	}
	return e.State, nil
}

// check says whether all keys and values are legal for their targets.
func (s State) check() error {
	for _, ref := range s.Keys() {
		if problem := ref.problem(); problem != "" {
			return &InjectError{Class: BadState, Target: ref.Target, Key: ref.Key, Detail: problem}
		}
		if f := checkValue(ref.Target, s.value(ref)); f != nil {
			return &InjectError{Class: BadState, Target: ref.Target, Key: ref.Key, Detail: f.detail}
		}
	}
	if err := s.overlap(); err != nil {
		return err
	}
	for _, c := range s.Conflicts {
		if c.Conflict != KeepExisting && c.Conflict != Fail && c.Conflict != Replace {
			return &InjectError{Class: BadState, Target: c.Target, Key: c.Key, Detail: "its conflict is not known"}
		}
	}
	return nil
}

// overlap finds a field that lies within another one: what is written would depend
// on the order.
func (s State) overlap() error {
	for _, key := range slices.Sorted(maps.Keys(s.Fields)) {
		path, err := parseFieldPath(key)
		for i := 1; err == nil && i < len(path); i++ {
			if _, found := s.Fields[path[:i].String()]; found {
				return &InjectError{Class: BadState, Target: Field, Key: key, Detail: fmt.Sprintf("it lies within %s", path[:i])}
			}
		}
	}
	return nil
}

// problem says what is wrong with the name of a place; empty = nothing.
func (r Ref) problem() string {
	if r.Target != Field {
		if len(validation.IsQualifiedName(r.Key)) > 0 {
			return "not a legal key"
		}
		return ""
	}
	path, err := parseFieldPath(r.Key)
	switch {
	case err != nil:
		return err.Error()
	case path.String() != r.Key:
		return "a state spells this path " + path.String()
	}
	return path.refusal()
}

func badState(detail string) error { return &InjectError{Class: BadState, Detail: detail} }
