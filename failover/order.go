package failover

import (
	"cmp"
	"math"
	"slices"

	"github.com/carryover-io/carryover/preservation"
)

// CompareDecisions orders the decisions about many applications by what a host that
// evicts in turn should write first (F12): evictions before all else; of those failing
// clusters, then failing applications, then planned moves; then what began earlier;
// then by cluster. A host that does not write an answer has not evicted: the next call
// decides again.
func CompareDecisions(a, b Decision) int {
	return cmp.Or(
		cmp.Compare(urgency(a), urgency(b)),
		timeOf(a.Since).Compare(timeOf(b.Since)),
		cmp.Compare(a.Cluster, b.Cluster),
	)
}

func urgency(d Decision) int {
	if d.Outcome != Evict {
		return math.MaxInt
	}
	causes := []preservation.Cause{preservation.Cluster, preservation.Application, preservation.Planned}
	if i := slices.Index(causes, d.Cause); i >= 0 {
		return i
	}
	return len(causes) // nobody says why
}
