package eviction

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// second is how times are stored: UTC, whole seconds (L2).
func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// created is the creation time to use for a stored one: a missing or future
// time is now (E6).
func created(stored *metav1.Time, now time.Time) time.Time {
	now = second(now)
	if stored.IsZero() { // nil too
		return now
	}
	if at := second(stored.Time); at.Before(now) {
		return at
	}
	return now
}

// key is what tells tasks apart (E10). A missing creation time equals a missing
// one, and a null in JSON is missing too.
type key struct {
	cluster string
	second  int64
	dated   bool
}

func keyOf(cluster string, stored *metav1.Time) key {
	if stored.IsZero() { // nil too
		return key{cluster: cluster}
	}
	return key{cluster: cluster, second: stored.Unix(), dated: true}
}
