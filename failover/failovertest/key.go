package failovertest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// limits are the longest times of a policy, in seconds: an age beyond one of them
// decides nothing more.
type limits struct{ toleration, task, cooldown, soak, missing, window int64 }

func (w *World) limits() limits {
	l := limits{task: 1, soak: 1, missing: 1, window: 1}
	l.policy(w.Policy)
	if w.Edited != nil {
		l.policy(*w.Edited)
	}
	for _, t := range w.Tolerations {
		if t.TolerationSeconds != nil {
			l.toleration = max(l.toleration, min(*t.TolerationSeconds, longestStory)+1)
		}
	}
	return l
}

func (l *limits) policy(b failover.Behavior) {
	if a := b.Application; a != nil {
		up(&l.toleration, a.DecisionConditions.TolerationSeconds, int64(failover.DefaultTolerationSeconds))
		up(&l.toleration, a.DecisionConditions.InitialTolerationSeconds, 0)
		up(&l.window, a.DecisionConditions.WindowSeconds, 0)
		l.block(a.PurgeMode, a.Waits, a.GracePeriodSeconds, a.StatePreservation)
	}
	if c := b.Cluster; c != nil {
		l.block(c.PurgeMode, c.Waits, c.GracePeriodSeconds, c.StatePreservation)
	}
}

// block is what both blocks have. Only Gracefully has a grace period.
func (l *limits) block(mode purge.Mode, waits failover.Waits, grace *int32, preserved *preservation.StatePreservation) {
	if known, err := purge.Normalize(mode); err != nil || known == purge.Gracefully {
		up(&l.task, grace, 600)
	}
	up(&l.task, waits.FencingDeadlineSeconds, 0)
	up(&l.soak, waits.SoakSeconds, 0)
	up(&l.cooldown, waits.BlockPredecessorSeconds, 600)
	if preserved != nil {
		up(&l.missing, preserved.MissingStateDeadlineSeconds, 0)
	}
}

// up makes a limit no shorter than a time of the policy.
func up(limit *int64, seconds *int32, otherwise int64) {
	if seconds != nil {
		otherwise = int64(*seconds)
	}
	*limit = max(*limit, otherwise+1)
}

// horizon is longer than any time of the policy, in seconds.
func (w *World) horizon() int64 {
	l := w.limits()
	return max(l.toleration, l.task, l.cooldown, l.soak, l.missing, l.window) + 1
}

// key merges what cannot differ from here on: times count from now and no further than a
// limit, numbers of copies and moves are counted anew, and there is no history.
type key struct {
	s      *state
	l      limits
	b      strings.Builder
	own    map[string]string // values that a copy reports by itself, and its job
	names  map[string]int    // values, in the order in which they appear
	moves  map[int64]int     // attempts
	ranked map[int64]string  // times whose order matters
}

func (s *state) key() [16]byte {
	k := key{s: s, l: s.world.limits(), own: s.owners(), names: map[string]int{"": 0}, moves: map[int64]int{0: 0}}
	for i, m := range s.stored.Moves {
		k.moves[m.Attempt] = i + 1
	}
	k.rank(s.stored)
	k.outside()
	k.inside(s.stored)
	sum := sha256.Sum256([]byte(k.b.String()))
	return [16]byte(sum[:16])
}

func (k *key) put(parts ...any) { fmt.Fprintln(&k.b, parts...) }

func (k *key) value(v string) int {
	if owner, known := k.own[v]; known {
		v = owner
	}
	n, known := k.names[v]
	if !known {
		n = len(k.names)
		k.names[v] = n
	}
	return n
}

func seconds(t *metav1.Time) int64 { return t.Unix() - start().Unix() }

func (k *key) age(t *metav1.Time, limit int64) int64 {
	if t == nil {
		return -1
	}
	return min(k.s.now-seconds(t), limit)
}

// rank finds the order of the times that are compared with each other.
func (k *key) rank(record failover.Record) {
	var all []int64
	for _, c := range record.Clusters {
		if c.StartedAt != nil {
			all = append(all, seconds(c.StartedAt))
		}
	}
	for _, m := range record.Moves {
		all = append(all, seconds(&m.Created))
	}
	for _, d := range record.Deliveries {
		all = append(all, seconds(&d.At))
	}
	for _, c := range k.s.clusters {
		if c.item != nil {
			all = append(all, c.item.at)
		}
		if c.copy != nil {
			all = append(all, c.copy.created)
		}
	}
	slices.Sort(all)
	k.ranked = map[int64]string{}
	for i, t := range slices.Compact(all) {
		k.ranked[t] = fmt.Sprint(i, t == k.s.now)
	}
}

func (k *key) order(t *metav1.Time) string {
	if t == nil {
		return "-"
	}
	return k.ranked[seconds(t)]
}

func (k *key) outside() {
	s := k.s
	for _, t := range s.targets {
		k.put("target", t.Name)
	}
	for _, c := range s.clusters {
		k.put(c.name, c.lost, c.fenced, c.required, c.tainted, c.tainted && s.world.Dated, min(s.now-c.since, k.l.toleration)*toInt(c.tainted))
		k.put(c.sick.age(s.now, k.l.toleration), c.surely.age(s.now, k.l.toleration), c.left.age(s.now, k.l.cooldown), c.good.age(s.now, k.l.soak), c.wellNow(s.revision), c.stay.age(s.now, k.l.missing))
		if i := c.item; i != nil { // that of a cluster which is lost next stays as it is
			k.put("item", i.health, k.value(i.job), k.ranked[i.at], c.copy != nil && i.of == c.copy.id)
		}
		if r := c.copy; r != nil {
			k.put("copy", k.value(job(r.id)), k.ranked[r.created], r.health, r.silent, r.deleting, k.value(r.received), k.value(r.had),
				r.source, r.proof, r.leaving, r.excused, r.removed, r.confirmed, r.acknowledged, r.released, k.value(r.left), r.soak)
		}
	}
	for _, o := range s.owed {
		k.put("owed", k.value(o.value), o.origin, o.source, o.optional, k.attempt(o.attempt))
	}
	k.counted()
	for _, r := range s.requests {
		k.put("asked", r.Cluster, r.Action)
	}
	k.put(s.excluded, s.due-s.now, s.crash, s.lax, s.shares, s.forgot, s.edited)
	for _, verb := range append(local(), global()...) {
		if n := s.spent[verb]; n > 0 {
			k.put(verb, n)
		}
	}
}

// counted are the failovers of this revision: no other ones count again.
func (k *key) counted() {
	for _, t := range k.s.counted {
		if t.revision == k.s.revision {
			k.put("counted", k.attempt(t.attempt), min(k.s.now-t.at, k.l.window))
		}
	}
}

func toInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (k *key) attempt(n int64) int {
	i, known := k.moves[n]
	if !known {
		return -1
	}
	return i
}

func (k *key) inside(record failover.Record) {
	for _, t := range k.s.tasks {
		state := t.State()
		k.put("task", t.FromCluster, t.PurgeMode, k.age(t.CreationTimestamp, k.l.task), k.value(k.s.value(&state)),
			t.SuppressDeletion != nil && *t.SuppressDeletion, t.SuppressDeletion != nil, t.ClustersBeforeFailover)
	}
	for _, c := range record.Clusters {
		k.cluster(c)
	}
	for _, m := range record.Moves {
		k.put("move", m.From, m.Cause, m.Mode, k.age(&m.Created, k.l.task), k.order(&m.Created), m.ClustersBeforeFailover, k.value(k.s.value(m.State)),
			m.Proven, k.attempt(m.Received), m.Stage, k.age(&m.StageSince, 1), m.Gone, m.Released, m.Away, m.Reason == "TargetRemoved",
			m.Revision == strconv.Itoa(k.s.revision), k.snapshot(m.Waits, m.InjectWhenNotDirectly))
		if m.Pending != nil {
			k.cluster(m.Pending.Cluster)
			if d := m.Pending.Delivery; d != nil {
				k.put("pending", k.attempt(d.Attempt), k.order(&d.At), d.Healthy)
			}
		}
	}
	for _, d := range record.Deliveries {
		k.put("delivery", d.To, k.attempt(d.Attempt), k.order(&d.At), d.Healthy)
	}
	for _, f := range record.Failovers {
		k.put("failover", f.Revision == strconv.Itoa(k.s.revision), k.attempt(f.Attempt), k.age(&f.At, k.l.window))
	}
}

// snapshot is what moves keep of the policy of their time, which only differs where that
// is edited.
func (k *key) snapshot(of ...any) string {
	if k.s.world.Edited == nil {
		return ""
	}
	text, _ := json.Marshal(of)
	return string(text)
}

func (k *key) cluster(c failover.ClusterRecord) {
	revision := c.HealthyRevision != nil
	k.put("cluster", c.Name, c.Target, k.order(c.StartedAt), k.age(c.UnhealthySince, k.l.toleration), k.age(c.HealthySince, k.l.soak),
		c.LastHealthy != nil, revision, revision && *c.HealthyRevision == strconv.Itoa(k.s.revision), k.age(c.BlockedSince, k.l.missing),
		k.age(c.HeldSince, k.l.missing), c.Started, k.age(c.EvictedAt, k.l.cooldown), k.snapshot(c.CooldownSeconds))
	if c.Outlived != "" {
		if known := k.s.cluster(c.Name); known != nil {
			k.put("outlived", known.outlived.health, k.value(known.outlived.job))
		}
	}
	for _, t := range c.Taints {
		k.put("taint", min(k.s.now-(t.FirstSeen.Unix()-start().Unix()), k.l.toleration))
	}
}
