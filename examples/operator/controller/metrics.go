package controller

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/carryover-io/carryover/failover"
)

// Metrics are the numbers of one operator. A nil *Metrics counts nothing.
type Metrics struct {
	failovers *prometheus.CounterVec
	conflicts prometheus.Counter
	blocked   *prometheus.Desc
	waiting   *prometheus.Desc
	age       *prometheus.Desc
	clock     func() time.Time

	mu    sync.Mutex
	plans map[types.NamespacedName]planned
}

// planned is what the last plan of one placement says.
type planned struct {
	blocked bool
	carried time.Time // since when state waits for a healthy copy; zero = none does
}

// NewMetrics makes and registers them. The clock is for the ages; nil = time.Now.
func NewMetrics(registry prometheus.Registerer, clock func() time.Time) (*Metrics, error) {
	if clock == nil {
		clock = time.Now
	}
	m := &Metrics{
		failovers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "carryover_failovers_total", Help: "Moves of applications, by cause, each counted under every outcome that it reached, beginning with Underway.",
		}, []string{"cause", "outcome"}),
		conflicts: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "carryover_write_conflicts_total", Help: "Writes that were refused because somebody else had written.",
		}),
		blocked: prometheus.NewDesc("carryover_blocked_plans", "Placements that may not leave a cluster that they should leave.", nil, nil),
		waiting: prometheus.NewDesc("carryover_carried_states", "Placements whose carried state waits for a healthy copy.", nil, nil),
		age:     prometheus.NewDesc("carryover_carried_state_age_seconds", "Age of the oldest carried state that waits for a healthy copy, since its move began.", nil, nil),
		clock:   clock, plans: map[types.NamespacedName]planned{},
	}
	return m, registry.Register(m)
}

// Describe is of prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	m.failovers.Describe(to)
	m.conflicts.Describe(to)
	to <- m.blocked
	to <- m.waiting
	to <- m.age
}

// Collect is of prometheus.Collector.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	m.failovers.Collect(to)
	m.conflicts.Collect(to)
	m.mu.Lock()
	defer m.mu.Unlock()
	var blocked, waiting, oldest float64
	for _, p := range m.plans {
		if p.blocked {
			blocked++
		}
		if !p.carried.IsZero() {
			waiting++
			oldest = max(oldest, m.clock().Sub(p.carried).Seconds())
		}
	}
	to <- prometheus.MustNewConstMetric(m.blocked, prometheus.GaugeValue, blocked)
	to <- prometheus.MustNewConstMetric(m.waiting, prometheus.GaugeValue, waiting)
	to <- prometheus.MustNewConstMetric(m.age, prometheus.GaugeValue, oldest)
}

// count notes what one plan changed.
func (m *Metrics) count(name types.NamespacedName, in failover.PlanInput, out failover.PlanOutput) {
	if m == nil {
		return
	}
	before := map[int64]failover.MoveOutcome{}
	for _, item := range in.Record.History {
		before[item.Attempt] = item.Outcome
	}
	for _, item := range out.Record.History {
		if before[item.Attempt] != item.Outcome {
			m.failovers.WithLabelValues(string(item.Cause), string(item.Outcome)).Inc()
		}
	}
	var now planned
	for _, d := range out.Decisions {
		now.blocked = now.blocked || d.Outcome == failover.Blocked
	}
	for _, move := range out.Record.Moves {
		if move.State != nil && !move.Proven && (now.carried.IsZero() || move.Created.Time.Before(now.carried)) {
			now.carried = move.Created.Time
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.plans[name] = now
}

// forget drops a placement that is gone.
func (m *Metrics) forget(name types.NamespacedName) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.plans, name)
}

func (m *Metrics) conflict() {
	if m != nil {
		m.conflicts.Inc()
	}
}
