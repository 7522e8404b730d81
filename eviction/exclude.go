package eviction

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/carryover-io/carryover/purge"
)

// DefaultBlockPredecessor is how long a cluster is avoided after it was evicted,
// where nothing else is said (E12).
const DefaultBlockPredecessor = 600 * time.Second

// Cooldown says that a cluster was evicted at an instant. A failover record
// keeps it, since it outlives the task (E12).
type Cooldown struct {
	// Cluster that was evicted.
	Cluster string
	// Since is when; zero = not known, and then it has ended.
	Since time.Time
	// Seconds is how long it lasts; nil = BlockPredecessorSeconds of the input. A
	// negative number is read as the input's is.
	Seconds *int32
}

// ExcludeInput is all that [Exclude] looks at (E12).
type ExcludeInput struct {
	// Tasks are those that are not finished.
	Tasks []Task
	// Targets are the clusters chosen by the scheduler.
	Targets []TargetCluster
	// Cooldowns are the recent evictions; of several for one cluster the latest
	// counts.
	Cooldowns []Cooldown
	// BlockPredecessorSeconds is the length of a cool-down: nil = 600, 0 = none. A
	// negative one is invalid: it is reported and counts as 600.
	BlockPredecessorSeconds *int32
	// Now is the caller's time; required (L2).
	Now time.Time
}

// Excluded is one cluster that the scheduler should avoid (E12).
type Excluded struct {
	// Cluster to avoid.
	Cluster string
	// Reason is UnderEviction or InCooldown.
	Reason Reason
	// Until is when a cool-down ends, UTC, whole seconds: at that instant it has
	// ended. Zero for a cluster under eviction, whose end no clock knows.
	Until time.Time
}

// Exclusion is what [Exclude] returns (E12). Nothing in it aliases the input (L1).
type Exclusion struct {
	// Clusters to avoid, sorted, each once.
	Clusters []Excluded
	// Reports name the targets inside their cool-down, sorted, after the report
	// of an invalid length.
	Reports []Report
	// NextCheck is when time alone can change this answer.
	NextCheck purge.NextCheck
}

// Exclude says which clusters the scheduler should avoid (E12). For each:
//
//  1. It has an unfinished task, of any mode: UnderEviction.
//  2. It was evicted less than the length of the cool-down ago: InCooldown.
//
// It is advice. A target inside its cool-down, under eviction or not, is
// reported, never removed or held. Entries without a cluster name are ignored.
func Exclude(in ExcludeInput) Exclusion {
	var x Exclusion
	block, bad := blockPredecessor(in.BlockPredecessorSeconds)
	x.Reports = append(x.Reports, bad...)
	until, bad := ends(in.Cooldowns, block, in.Now)
	x.Reports = append(x.Reports, bad...)
	found := map[string]Excluded{}
	for cluster, end := range until {
		found[cluster] = Excluded{Cluster: cluster, Reason: ReasonInCooldown, Until: end}
	}
	for _, t := range in.Tasks {
		found[t.FromCluster] = Excluded{Cluster: t.FromCluster, Reason: ReasonUnderEviction}
	}
	delete(found, "")
	for _, e := range found {
		x.Clusters = append(x.Clusters, e)
		if e.Reason == ReasonInCooldown {
			x.NextCheck = x.NextCheck.Or(purge.CheckAt(e.Until, in.Now))
		}
	}
	slices.SortFunc(x.Clusters, func(a, b Excluded) int { return cmp.Compare(a.Cluster, b.Cluster) })
	for _, name := range slices.Sorted(maps.Keys(names(in.Targets))) {
		if end, cooling := until[name]; cooling {
			x.NextCheck = x.NextCheck.Or(purge.CheckAt(end, in.Now))
			x.Reports = append(x.Reports, Report{
				name, ReasonInCooldown,
				"the cluster is a target although it was evicted a short while ago; its cool-down ends at " + end.Format(time.RFC3339),
			})
		}
	}
	return x
}

func blockPredecessor(seconds *int32) (time.Duration, []Report) {
	switch {
	case seconds == nil:
		return DefaultBlockPredecessor, nil
	case *seconds < 0:
		return DefaultBlockPredecessor, []Report{{
			Reason:  ReasonInvalidBlock,
			Message: fmt.Sprintf("blockPredecessorSeconds %d is negative: it counts as 600", *seconds),
		}}
	default:
		return time.Duration(*seconds) * time.Second, nil
	}
}

// ends maps each cluster that cools down to the end of that. A time in the
// future needs no clamping: the cluster cools down either way, and the end stays
// the same from call to call.
func ends(cooldowns []Cooldown, usual time.Duration, now time.Time) (map[string]time.Time, []Report) {
	until := map[string]time.Time{}
	var bad []Report
	for _, c := range cooldowns {
		block := usual
		if c.Seconds != nil {
			var reports []Report
			block, reports = blockPredecessor(c.Seconds)
			bad = append(bad, reports...)
		}
		end := second(c.Since).Add(block)
		// Not even for an eviction in the future of a clock that runs behind does a
		// cool-down of no length begin.
		if block > 0 && now.Before(end) && end.After(until[c.Cluster]) {
			until[c.Cluster] = end
		}
	}
	delete(until, "")
	slices.SortFunc(bad, func(a, b Report) int { return cmp.Compare(a.Message, b.Message) })
	return until, slices.Compact(bad)
}

// names is the set of the targets' names.
func names(targets []TargetCluster) map[string]bool {
	set := map[string]bool{}
	for _, t := range targets {
		set[t.Name] = true
	}
	return set
}
