package preservation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Document is a source that rules read. The zero value is a document that was
// not collected (S9).
//
// A document refers to what it was made from: do not change that while the
// document is in use.
type Document struct {
	raw        []byte
	value      map[string]any
	unreadable string
}

// RawDocument is a document given as JSON. Nothing is read before a rule asks:
// bytes that are not exactly one JSON object are BadStatus at extraction; of
// duplicate keys the last one wins (S12). No bytes, white space only, and null
// are a document that was not collected. Bytes that are not UTF-8 read as U+FFFD,
// as in encoding/json; a byte order mark is not JSON.
func RawDocument(raw []byte) Document { return Document{raw: raw} }

// ObjectDocument is a document that was decoded already, such as a part of an
// unstructured object: map[string]any, []any, map[string]string, []string, texts,
// booleans and numbers, which may be json.Number or any Go number. Rules find
// nothing in a value of another type, and give NotScalar if it is their hit. A
// float64 has lost the text it was decoded from (S3). Nil is a document that was
// not collected; an empty map is one without values.
func ObjectDocument(value map[string]any) Document { return Document{value: value} }

// UnreadableDocument is a document that the caller found and could not read, such
// as two statuses of one cluster that contradict each other. Rules that read it
// are BadStatus (S9), with the detail, which must not hold collected values (L7).
func UnreadableDocument(detail string) Document {
	if detail == "" {
		// An empty detail must not turn into "not collected", which is retried.
		detail = "the document cannot be read"
	}
	return Document{unreadable: detail}
}

// root decodes the document. Numbers keep their text and of duplicate keys the
// last one wins (S3, S12). The fault is of class StatusNotCollected or BadStatus.
func (d Document) root() (map[string]any, *fault) {
	if d.unreadable != "" {
		return nil, &fault{BadStatus, d.unreadable}
	}
	if d.value != nil {
		return d.value, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(d.raw))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, &fault{BadStatus, "not valid JSON" + position(err)}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, &fault{BadStatus, "something follows the JSON value"}
	}
	switch v := value.(type) {
	case map[string]any:
		return v, nil
	case nil:
		return nil, &fault{StatusNotCollected, "nothing was collected yet"}
	default:
		return nil, &fault{BadStatus, "not a JSON object but " + kindOf(value)}
	}
}

// position keeps where the decoder stopped and drops the text of its error, which
// quotes the document (L7). What is no syntax error is an early end: nothing else
// can go wrong with bytes in memory.
func position(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf(" at byte %d", syntax.Offset)
	}
	return ": it ends too early"
}

// kindOf names the type of a value for messages, which must not show the value.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "text"
	case bool:
		return "a boolean"
	case map[string]any, map[string]string:
		return "an object"
	case []any, []string:
		return "a list"
	case json.Number, int64, float64:
		return "a number"
	default:
		return fmt.Sprintf("a Go value of type %T", value)
	}
}
