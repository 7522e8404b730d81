package preservation

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Source names a document that rules read. Any other text than the three below
// names a document that the caller supplies, such as a FlinkStateSnapshot or a
// ConfigMap: letters, digits, '-', '_', '.' and '/', at most 63. A status that is
// not there may come (S9); any other document that is not there makes the value
// missing (S4).
type Source string

const (
	// FromStatus is the status of the application on the cluster it leaves.
	FromStatus Source = "Status"
	// FromObject is the whole object there: {.metadata.namespace}.
	FromObject Source = "Object"
	// FromFailover is about the failover itself, as [Failover] describes:
	// {.cause}, {.origin}, {.attempt}, {.time}.
	FromFailover Source = "Failover"
)

// maxSourceBytes bounds the name of a document.
const maxSourceBytes = 63

// problem says what is wrong with a source; empty = nothing.
func (s Source) problem() string {
	for _, known := range []Source{FromStatus, FromObject, FromFailover} {
		if s != known && strings.EqualFold(string(s), string(known)) {
			return "did you mean " + string(known) + "?"
		}
	}
	odd := func(r rune) bool {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !plain && !strings.ContainsRune("-_./", r)
	}
	if len(s) > maxSourceBytes || strings.ContainsFunc(string(s), odd) {
		return "use Status, Object, Failover or the name of a document: letters, digits, '-', '_', '.' and '/', at most 63"
	}
	return ""
}

// Sources are the documents that rules read; what is left out was not supplied
// (S9).
type Sources struct {
	// Cluster names where they come from, for errors; empty is fine.
	Cluster string
	// Status of the application there; the zero value was not collected.
	Status Document
	// Object as a whole; the zero value is absent.
	Object Document
	// Failover describes the move. It also becomes the provenance of the state.
	// Nil is absent.
	Failover *Failover
	// Named are the documents that the caller found, by name.
	Named map[string]Document
}

// Failover tells what kind of move it is (a marker of the move needs no other
// mechanism). As a document its keys are cause, origin, attempt and time;
// what is not known is missing (S4).
//
// +kubebuilder:object:generate=true
type Failover struct {
	// Cause of the move; empty = not known.
	Cause Cause `json:"cause,omitempty"`
	// Origin is the cluster that is left; empty = not known.
	Origin string `json:"origin,omitempty"`
	// Attempt counts the moves of the application from 1; 0 = not known.
	Attempt int64 `json:"attempt,omitempty"`
	// Time of the move in seconds since 1970, which is a legal label value, unlike
	// an RFC 3339 time; 0 = not known.
	Time int64 `json:"time,omitempty"`
}

// FailoverAt describes a move at an instant, which is cut to whole seconds (L2).
// The zero time is not known, and so missing (S4).
func FailoverAt(cause Cause, origin string, attempt int64, at time.Time) Failover {
	return Failover{Cause: cause, Origin: origin, Attempt: attempt, Time: max(at.Unix(), 0)}
}

func (f *Failover) document() Document {
	if f == nil {
		return Document{}
	}
	doc := map[string]any{}
	text := func(key, value string) {
		if value != "" {
			doc[key] = value
		}
	}
	number := func(key string, value int64) {
		if value > 0 {
			doc[key] = json.Number(strconv.FormatInt(value, 10))
		}
	}
	text("cause", string(f.Cause))
	text("origin", f.Origin)
	number("attempt", f.Attempt)
	number("time", f.Time)
	return ObjectDocument(doc)
}

// find returns the document that a rule reads.
func (s Sources) find(from Source) Document {
	switch from {
	case FromStatus:
		return s.Status
	case FromObject:
		return s.Object
	case FromFailover:
		return s.Failover.document()
	default:
		return s.Named[string(from)]
	}
}

// reader reads each document once per extraction.
type reader struct {
	sources *Sources
	found   [][]byte // what the scans found, by slot
	decoded []any    // of it, what was decoded
	budget  int      // of bytes of it to read
	read    map[Source]decoded
}

type decoded struct {
	root  map[string]any
	fault *fault
}

// root returns a document's root. A status that is not there may come; any other
// absent document makes the value missing (S9).
func (r *reader) root(from Source) (map[string]any, *fault) {
	if d, found := r.read[from]; found {
		return d.root, d.fault
	}
	doc := r.sources.find(from)
	root, f := doc.root()
	if f != nil && f.class == StatusNotCollected && from != FromStatus {
		f = &fault{MissingKey, "the document was not supplied"}
	}
	if len(doc.raw) > 0 { // which is decoded once
		if r.read == nil {
			r.read = make(map[Source]decoded)
		}
		r.read[from] = decoded{root, f}
	}
	return root, f
}
