package preservation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
	if repeats(text) {
		return State{}, badState("a key stands twice in one object")
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
	if f := s.Failover; f != nil && !f.legal() {
		return badState("its failover is empty, or holds a cause or a number that is none")
	}
	seen := map[Ref]bool{}
	for _, c := range s.Conflicts {
		known := slices.Contains([]Target{Label, Annotation, Field}, c.Target)
		if !known || seen[c.Ref] || c.Conflict == Replace {
			return &InjectError{
				Class: BadState, Target: c.Target, Key: c.Key,
				Detail: "a conflict needs a known target, stands once, and is not needed for Replace",
			}
		}
		seen[c.Ref] = true
	}
	return s.coherent()
}

// legal says that something is known of the move, and that it can be.
func (f *Failover) legal() bool {
	causes := []Cause{"", Application, Cluster, Planned}
	return *f != (Failover{}) && slices.Contains(causes, f.Cause) && f.Attempt >= 0 && f.Time >= 0
}

// repeats says that a key stands twice in one object of valid JSON. Decoders take
// the last one in silence, which a stranger may use to say two things at once.
func repeats(text string) bool {
	decoder := json.NewDecoder(strings.NewReader(text))
	var (
		open  []map[string]bool // the objects around; nil for a list
		isKey bool              // a text would be a key
	)
	for {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, map[string]bool{})
		case json.Delim('['):
			open = append(open, nil)
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		default:
			if isKey {
				seen, key := open[len(open)-1], fmt.Sprint(token)
				if seen[key] {
					return true
				}
				seen[key], isKey = true, false
				continue
			}
		}
		isKey = len(open) > 0 && open[len(open)-1] != nil
	}
}

func badState(detail string) error { return &InjectError{Class: BadState, Detail: detail} }
