package eviction

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Observation is what the status items of one cluster say together (E8, F2).
type Observation struct {
	// Health is the worst of the items: Healthy, Unhealthy, or Unknown. NotApplicable
	// is Healthy once applied.
	Health Health
	// Applied says that there are items, and all say so.
	Applied bool
}

// Observe reads the status items of one cluster (E8, F2). Without any, and where an
// item is known to be from before since, the health is Unknown and nothing is
// applied: what was observed then is about an older copy. Zero = no matter when. An
// empty or unknown health is Unknown, never healthy (L6).
func Observe(items []AggregatedStatusItem, cluster string, since time.Time) Observation {
	o := observedOn(items, cluster)
	switch {
	case o.items == 0 || o.olderThan(second(since)):
		return Observation{Health: HealthUnknown}
	case o.ready():
		return Observation{Health: Healthy, Applied: o.applied}
	case o.health == Unhealthy:
		return Observation{Health: Unhealthy, Applied: o.applied}
	default:
		return Observation{Health: HealthUnknown, Applied: o.applied}
	}
}

// observed is what all status items of one cluster say together (E8): the worst
// health of any, and applied only if all are.
type observed struct {
	cluster  string
	items    int
	health   Health
	applied  bool
	earliest time.Time // of the dated items; zero = none is dated
	undated  bool
	strange  []string // health texts that are not known
}

// observe returns what was observed on each cluster, by cluster. It is appended to all,
// which is empty.
func observe(items []AggregatedStatusItem, all []observed) []observed {
	for _, item := range items {
		i, found := slices.BinarySearchFunc(all, item.ClusterName, observed.compare)
		if !found {
			all = slices.Insert(all, i, observed{cluster: item.ClusterName})
		}
		all[i] = all[i].with(item)
	}
	return all
}

func (o observed) compare(cluster string) int { return cmp.Compare(o.cluster, cluster) }

// observedOn is what the items of one cluster say.
func observedOn(items []AggregatedStatusItem, cluster string) observed {
	var o observed
	for _, item := range items {
		if item.ClusterName == cluster {
			o = o.with(item)
		}
	}
	return o
}

func (o observed) with(item AggregatedStatusItem) observed {
	health, known := normalHealth(item.Health)
	if !known {
		o.strange = append(o.strange, string(item.Health))
	}
	if o.items == 0 {
		o.health, o.applied = health, item.Applied
	} else {
		o.health, o.applied = worse(o.health, health), o.applied && item.Applied
	}
	o.items++
	switch at := item.ObservedAt; {
	case at.IsZero(): // nil too
		o.undated = true
	case o.earliest.IsZero() || at.Time.Before(o.earliest):
		o.earliest = at.Time
	}
	return o
}

// normalHealth reads a stored text; what is not known is Unknown, never healthy.
func normalHealth(h Health) (Health, bool) {
	switch h {
	case Healthy, Unhealthy, HealthUnknown, NotApplicable:
		return h, true
	case "":
		return HealthUnknown, true
	default:
		return HealthUnknown, false
	}
}

func worse(a, b Health) Health {
	for _, h := range []Health{Unhealthy, HealthUnknown, NotApplicable} {
		if a == h || b == h {
			return h
		}
	}
	return Healthy
}

// ready says that the copy works, as far as its kind can tell.
func (o observed) ready() bool {
	return o.health == Healthy || o.health == NotApplicable && o.applied
}

// exists says that there is a copy at all.
func (o observed) exists() bool { return o.applied || o.health == Healthy }

// olderThan says that an item is known to be from before the instant.
func (o observed) olderThan(at time.Time) bool {
	return !o.earliest.IsZero() && o.earliest.Before(at)
}

// reports lists what is wrong with the items themselves.
func (o observed) reports() []Report {
	var out []Report
	if o.items > 1 {
		out = append(out, Report{
			o.cluster, ReasonDuplicateItems,
			fmt.Sprintf("%d status items: the worst health counts, and applied only if all are", o.items),
		})
	}
	for _, text := range o.strange {
		out = append(out, Report{o.cluster, ReasonUnknownHealth, fmt.Sprintf("health %.64q is unknown: it counts as Unknown", text)})
	}
	return out
}
