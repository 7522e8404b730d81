package failover

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RecordError says that a record cannot be used (F1). It is never taken as empty: a
// retry with the same record cannot help, a newer version of the library can. It
// holds no state (L7).
type RecordError struct {
	// Version of the record.
	Version int32
	// Detail says what is wrong.
	Detail string
}

// Error says what is wrong (L7).
func (e *RecordError) Error() string {
	return fmt.Sprintf("the record of version %d cannot be used: %s", e.Version, e.Detail)
}

// Retryable is false: the same record stays unusable (L7).
func (*RecordError) Retryable() bool { return false }

// Check says whether this version of the library can use the record (F1): its
// version is [RecordVersion], or it has no content at all; each cluster, each
// attempt and each receiving target is there once; and all stages are known. The
// error is a [*RecordError].
func (r Record) Check() error {
	bad := func(detail string) error { return &RecordError{r.Version, detail} }
	switch {
	case r.Version == 0 && !r.isEmpty():
		return bad("it has content and no version")
	case r.Version != 0 && r.Version != RecordVersion:
		return bad(fmt.Sprintf("this library reads version %d", RecordVersion))
	}
	clusters, attempts, receivers := map[string]bool{}, map[int64]bool{}, map[string]bool{}
	for _, c := range r.Clusters {
		if clusters[c.Name] {
			return bad(fmt.Sprintf("the cluster %.64q is there twice", c.Name))
		}
		clusters[c.Name] = true
	}
	for _, m := range r.Moves {
		switch {
		case attempts[m.Attempt]:
			return bad(fmt.Sprintf("the attempt %d is there twice", m.Attempt))
		case !slices.Contains([]Stage{StagePending, StageEvicting, StageWithdrawing, StageEnded}, m.Stage):
			return bad(fmt.Sprintf("the stage %.64q of attempt %d is unknown", string(m.Stage), m.Attempt))
		case m.Stage == StagePending && m.Pending == nil:
			return bad(fmt.Sprintf("the pending attempt %d has no task", m.Attempt))
		}
		attempts[m.Attempt] = true
	}
	for _, d := range r.Deliveries {
		if receivers[d.To] {
			return bad(fmt.Sprintf("the target %.64q received state twice", d.To))
		}
		receivers[d.To] = true
	}
	return nil
}

func (r Record) isEmpty() bool {
	return r.Attempts == 0 && len(r.Clusters)+len(r.Moves)+len(r.Deliveries)+len(r.Failovers)+len(r.History) == 0
}

// memory is a record taken apart, which nothing else refers to.
type memory struct {
	attempts   int64
	clusters   []*ClusterRecord // by name
	known      []ClusterRecord  // those of the record, by name: what clusters mostly points to
	moves      []*Move          // oldest first
	deliveries map[string]*Delivery
	failovers  []Failover
	history    []HistoryItem
}

// remember copies a record that passed Check. Times in the future are now (F1).
func remember(r Record, now time.Time) memory {
	m := memory{
		attempts: r.Attempts, clusters: make([]*ClusterRecord, len(r.Clusters)), known: slices.Clone(r.Clusters),
		failovers: slices.Clone(r.Failovers), history: slices.Clone(r.History),
	}
	slices.SortFunc(m.known, func(a, b ClusterRecord) int { return cmp.Compare(a.Name, b.Name) })
	own := newCopies(len(m.known))
	for i := range m.known {
		m.known[i].detach(now, &own)
		m.clusters[i] = &m.known[i]
	}
	for _, move := range r.Moves {
		m.moves = append(m.moves, move.clone(now))
		m.attempts = max(m.attempts, move.Attempt)
	}
	slices.SortFunc(m.moves, func(a, b *Move) int { return cmp.Compare(a.Attempt, b.Attempt) })
	for _, d := range r.Deliveries {
		clamp(&d.At, now)
		m.receive(&d)
	}
	for i := range m.failovers {
		clamp(&m.failovers[i].At, now)
	}
	for i := range m.history {
		clamp(&m.history[i].At, now)
	}
	return m
}

// cluster is what is known of a cluster; it is remembered from now on.
func (m *memory) cluster(name string) *ClusterRecord {
	i, found := slices.BinarySearchFunc(m.clusters, name, func(c *ClusterRecord, name string) int { return cmp.Compare(c.Name, name) })
	if !found {
		m.clusters = slices.Insert(m.clusters, i, &ClusterRecord{Name: name})
	}
	return m.clusters[i]
}

// receive remembers a delivery.
func (m *memory) receive(d *Delivery) {
	if m.deliveries == nil {
		m.deliveries = map[string]*Delivery{}
	}
	m.deliveries[d.To] = d
}

// record puts the memory together again, in its order.
func (m *memory) record() Record {
	r := Record{Version: RecordVersion, Attempts: m.attempts, Clusters: m.clusterRecords(), Failovers: m.failovers, History: m.history}
	for _, move := range m.moves {
		r.Moves = append(r.Moves, *move)
	}
	for _, d := range m.deliveries {
		r.Deliveries = append(r.Deliveries, *d)
	}
	slices.SortFunc(r.Deliveries, func(a, b Delivery) int { return cmp.Compare(a.To, b.To) })
	return r
}

// clusterRecords is the list that was made for them where no cluster came or went.
func (m *memory) clusterRecords() []ClusterRecord {
	if slices.EqualFunc(m.clusters, m.known, func(c *ClusterRecord, known ClusterRecord) bool { return c.Name == known.Name }) {
		return m.known
	}
	out := make([]ClusterRecord, 0, len(m.clusters))
	for _, c := range m.clusters {
		out = append(out, *c)
	}
	return out
}

// clamp makes a stored time one that this library stores: UTC, whole seconds, not
// after now.
func clamp(t *metav1.Time, now time.Time) {
	if t.IsZero() { // nil, too
		return
	}
	if t.After(now) {
		t.Time = now
	}
	t.Time = t.UTC().Truncate(time.Second)
}

// copies holds what many pointers point to, in few allocations.
type copies struct {
	times block[metav1.Time]
	texts block[string]
}

// newCopies has place for what clusters mostly have: two times and a revision each.
func newCopies(clusters int) copies {
	return copies{make([]metav1.Time, 0, 2*clusters), make([]string, 0, clusters)}
}

type block[T any] []T

// clone returns a pointer to a copy; nil stays nil.
func (b *block[T]) clone(v *T) *T {
	if v == nil {
		return nil
	}
	*b = append(*b, *v) // where it grows, pointers into the old one stay
	return &(*b)[len(*b)-1]
}

// times are all times of a cluster but those of its taints.
func (c *ClusterRecord) times() [8]**metav1.Time {
	return [...]**metav1.Time{
		&c.PlacedAt, &c.StartedAt, &c.UnhealthySince, &c.HealthySince, &c.LastHealthy, &c.BlockedSince, &c.HeldSince, &c.EvictedAt,
	}
}

// detach makes all that c points to its own.
func (c *ClusterRecord) detach(now time.Time, own *copies) {
	for _, t := range c.times() {
		*t = own.times.clone(*t)
		clamp(*t, now)
	}
	c.HealthyRevision, c.CooldownSeconds = own.texts.clone(c.HealthyRevision), clone(c.CooldownSeconds)
	c.Taints = slices.Clone(c.Taints)
	for i := range c.Taints {
		c.Taints[i].Taint.TimeAdded = clone(c.Taints[i].Taint.TimeAdded)
	}
}

// clone copies a move, and clamps the times that decide something.
func (m *Move) clone(now time.Time) *Move {
	out := m.DeepCopy()
	clamp(&out.Created, now)
	clamp(&out.StageSince, now)
	if out.Pending != nil {
		for _, t := range out.Pending.Cluster.times() {
			clamp(*t, now)
		}
	}
	return out
}
