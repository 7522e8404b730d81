package preservation

import (
	"encoding/json"
	"fmt"
)

const (
	// encodingVersion is the one version of the encoding. Another one is an error,
	// never read as empty.
	encodingVersion = 1
	// MaxEncodedBytes bounds an encoded state (S12): it is to fit into an
	// annotation, beside its key, which has at most 317 bytes (S8).
	MaxEncodedBytes = MaxAnnotationsBytes - 512
)

// envelope is the encoded form: the state beside its version.
type envelope struct {
	Version int `json:"version"`
	State   `json:",inline"`
}

// Encode writes the whole state as one text, for an annotation where a schema
// prunes what it does not know: compact JSON, the fields of [State] and
// "version": 1, without what is empty; the same state gives the same bytes (L3).
// [DecodeState] reads it.
//
// A state that DecodeState would refuse, or that would not fit into an annotation,
// is an [*InjectError] of class BadState (S8).
func (s State) Encode() (string, error) {
	if err := s.check(); err != nil {
		return "", err
	}
	text := marshal(envelope{Version: encodingVersion, State: s})
	if len(text) > MaxEncodedBytes {
		return "", badState(fmt.Sprintf("the encoded state has %d bytes, and %d is the limit", len(text), MaxEncodedBytes))
	}
	return text, nil
}

// DecodeState reads what Encode wrote, and checks it as if it came from a
// stranger. White space and the order of keys do not matter; anything else that
// Encode does not write is an [*InjectError] of class BadState, and never read as
// an empty state (L6): not exactly one JSON object, another version, an unknown,
// empty or repeated field, and keys and values that are not legal for their targets
// (S8).
func DecodeState(text string) (State, error) {
	if len(text) > MaxEncodedBytes {
		return State{}, badState(fmt.Sprintf("it has %d bytes, and %d is the limit", len(text), MaxEncodedBytes))
	}
	document, f := RawDocument([]byte(text)).root()
	if f != nil {
		return State{}, badState("it is not exactly one JSON object")
	}
	if document["version"] != json.Number("1") {
		return State{}, badState("its version is not known")
	}
	var e envelope
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return State{}, badState("a field has another type than Encode writes")
	}
	// Decoding ignores unknown fields and the case of names, and merges repeated
	// maps; what it made of them differs from the document.
	again, _ := RawDocument([]byte(marshal(e))).root()
	if marshal(again) != marshal(document) {
		return State{}, badState("it holds what Encode does not write")
	}
	if err := e.check(); err != nil {
		return State{}, err
	}
	return e.State, nil
}

// check says whether all keys and values are legal for their targets.
func (s State) check() error {
	for _, ref := range s.Keys() {
		f := ref.problem()
		if f == nil {
			f = checkValue(ref.Target, s.values(ref.Target)[ref.Key])
		}
		if f != nil {
			return &InjectError{Class: BadState, Target: ref.Target, Key: ref.Key, Detail: f.detail}
		}
	}
	return s.coherent()
}

func badState(detail string) error { return &InjectError{Class: BadState, Detail: detail} }
