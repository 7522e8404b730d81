package flink

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/carryover-io/carryover/preservation/snapshot"
)

// reader reads fields of a status and collects what cannot be read: one bad field
// never hides the others.
type reader struct {
	status map[string]any
	errs   []error
}

func (r *reader) fail(path string, err error) {
	r.errs = append(r.errs, &FieldError{Path: path, Err: err})
}

// err joins what could not be read, in the order of the reads, each field once.
func (r *reader) err() error { return errors.Join(r.errs...) }

// value returns what stands at a path; nil = missing or null. An object on the way
// that is none is reported by object, once.
func (r *reader) value(path string) any {
	var at any = r.status
	for key := range strings.SplitSeq(path, ".") {
		m, _ := at.(map[string]any)
		at = m[key]
	}
	return at
}

// objects reports the paths that hold something else than an object.
func (r *reader) objects(paths ...string) {
	for _, path := range paths {
		v := r.value(path)
		if _, ok := v.(map[string]any); v != nil && !ok {
			r.fail(path, fmt.Errorf("a %T, not an object", v))
		}
	}
}

func (r *reader) text(path string) string {
	v := r.value(path)
	text, ok := v.(string)
	if v != nil && !ok {
		r.fail(path, fmt.Errorf("a %T, not a text", v))
	}
	return text
}

// location is like text, but what cannot be read may be a state: it is never none
// (L6).
func (r *reader) location(path string) string {
	before := len(r.errs)
	text := r.text(path)
	if len(r.errs) > before {
		return LastState
	}
	return text
}

// whole returns a snapshot with a location or a mark. In a status that cannot be read
// in full, none is a state that nobody can name (L6).
func (r *reader) whole(s snapshot.Snapshot) snapshot.Snapshot {
	switch {
	case s.Unnamed, located(s.Location):
		return s
	case s.Location == LastState || len(r.errs) > 0:
		return snapshot.Snapshot{Unnamed: true, JobID: s.JobID, Cluster: s.Cluster}
	default:
		return snapshot.Snapshot{}
	}
}

// producer is the job that a snapshot is of: the present one only if the snapshot is
// its end, or was taken since it began (R1). Empty = not known.
func producer(s snapshot.Snapshot, jobID string, started time.Time) string {
	if s.Final || since(s, started) {
		return jobID
	}
	return ""
}

// since says whether a snapshot is known to be taken since a start that is known.
func since(s snapshot.Snapshot, started time.Time) bool {
	taken := s.TakenAt
	if taken.IsZero() {
		taken = s.ObservedAt
	}
	return !started.IsZero() && !taken.Before(started)
}

func (r *reader) flag(path string) bool {
	v := r.value(path)
	flag, ok := v.(bool)
	if v != nil && !ok {
		r.fail(path, fmt.Errorf("a %T, not true or false", v))
	}
	return flag
}

func (r *reader) time(path string) time.Time {
	t, err := snapshot.ParseTime(r.value(path))
	if err != nil && !errors.Is(err, snapshot.ErrNoTime) {
		r.fail(path, err)
	}
	return t
}

func (r *reader) count(path string) int64 {
	switch v := r.value(path).(type) {
	case nil:
		return 0
	case int64:
		return v
	case int:
		return int64(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
	}
	r.fail(path, errors.New("not a whole number"))
	return 0
}

// unknown reports a text that is in no closed set (L6).
func (r *reader) unknown(path, set, text string) {
	r.fail(path, &snapshot.TextError{Set: set, Text: text})
}

// located says whether a text is the location of a state; the placeholder is not.
func located(text string) bool {
	switch strings.TrimSpace(text) {
	case "", "0", "null", LastState:
		return false
	default:
		return true
	}
}

// trigger is the word of package snapshot for the word of a source, where there is
// one. No word is what package snapshot has for one that nobody knows.
func trigger(text string) string {
	switch text {
	case "PERIODIC", "scheduled", "scheduled initial":
		return snapshot.TriggerPeriodic
	case "MANUAL", "user requested":
		return snapshot.TriggerManual
	case "UNKNOWN":
		return ""
	default:
		return text
	}
}
