package failovertest

import (
	"slices"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// checkTerms is F10: an eviction that Plan makes has the mode of its cause.
func (s *state) checkTerms(r round) error {
	for _, d := range r.out.Decisions {
		if d.Outcome != failover.Evict {
			continue
		}
		want := s.terms(d.Cause).mode
		for _, t := range r.out.Tasks {
			if got := modeOf(t.PurgeMode); t.FromCluster == d.Cluster && !contains(r.in.Tasks, t) && got != want {
				return broken("F10", "%s is evicted with the mode %s, and for %s it is %s", d.Cluster, got, d.Cause, want)
			}
		}
	}
	return nil
}

// checkRequests is F12 and E11: what somebody asks for is done, or answered.
func checkRequests(r round) error {
	for _, q := range r.in.Requests {
		switch {
		case q.Action == failover.RequestEvict && !answered(r, q):
			return broken("F12", "somebody asks to leave %s, and nothing happens", q.Cluster)
		case q.Action == failover.RequestWithdraw && !withdrawn(r, q.Cluster):
			return broken("E11", "somebody asks to withdraw the eviction of %s, which is neither done nor refused", q.Cluster)
		}
	}
	return nil
}

// answered says that a target is evicted, or that it is said why not. A cluster that is left
// already, and one that is no target, get an answer all the same.
func answered(r round, q failover.Request) bool {
	at := slices.IndexFunc(r.out.Decisions, func(d failover.Decision) bool { return d.Cluster == q.Cluster })
	switch {
	case at < 0:
		return false
	case !targets(r.in.Targets, q.Cluster), warned(r, q.Cluster, failover.OutdatedRequest), asked(r, q.Cluster, failover.RequestWithdraw):
		return true
	case evicts(r.in.Tasks, q.Cluster), !targets(r.out.Targets, q.Cluster):
		return true
	}
	return r.out.Decisions[at].Outcome == failover.Blocked
}

// withdrawn says that no eviction of the cluster is left that can be taken back, or that
// it is refused.
func withdrawn(r round, cluster string) bool {
	if warned(r, cluster, failover.WithdrawRefused) {
		return true
	}
	return !slices.ContainsFunc(r.in.Tasks, func(t eviction.Task) bool {
		mode := modeOf(t.PurgeMode)
		return t.FromCluster == cluster && (mode == purge.Gracefully || mode == purge.Never) && contains(r.out.Tasks, t)
	})
}

func warned(r round, cluster string, reason failover.WarningReason) bool {
	return slices.ContainsFunc(r.out.Warnings, func(w failover.Warning) bool { return w.Cluster == cluster && w.Reason == reason })
}

// checkReplaced is E11: nobody but a person puts a cluster back beside its replacement.
func checkReplaced(r round) error {
	for _, t := range r.in.Tasks {
		back := !targets(r.in.Targets, t.FromCluster) && targets(r.out.Targets, t.FromCluster) && !contains(r.out.Tasks, t)
		if !back || asked(r, t.FromCluster, failover.RequestWithdraw) {
			continue
		}
		for _, other := range r.in.Targets {
			if targets(r.out.Targets, other.Name) && !slices.Contains(t.ClustersBeforeFailover, other.Name) {
				return broken("E11", "the eviction of %s is withdrawn although %s was chosen meanwhile", t.FromCluster, other.Name)
			}
		}
	}
	return nil
}

// checkBlocked is L7: there is an error for each cluster that is blocked, and for no other.
func checkBlocked(r round) error {
	errs := map[string]bool{}
	for _, name := range clustersOf(r.err) {
		errs[name] = true
	}
	for _, d := range r.out.Decisions {
		blocked := d.Outcome == failover.Blocked && d.Reason != failover.Reason(failover.UnusableInput)
		if blocked && !errs[d.Cluster] {
			return broken("L7", "%s is blocked, and no error says so", d.Cluster)
		}
		if !blocked && errs[d.Cluster] {
			return broken("L7", "there is an error for %s, which is not blocked", d.Cluster)
		}
		delete(errs, d.Cluster)
	}
	if len(errs) > 0 {
		return broken("L7", "there is an error for clusters about which nothing is decided: %v", errs)
	}
	return nil
}

// clustersOf are the clusters that an error names.
func clustersOf(err error) []string {
	switch e := err.(type) { //nolint:errorlint // the tree is walked here
	case *failover.ClusterError:
		return []string{e.Cluster}
	case interface{ Unwrap() []error }:
		var all []string
		for _, one := range e.Unwrap() {
			all = append(all, clustersOf(one)...)
		}
		return all
	}
	return nil
}
