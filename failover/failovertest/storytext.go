package failovertest

import (
	"fmt"
	"strings"

	"github.com/carryover-io/carryover/failover"
)

// String tells the story for people: one paragraph for each moment, with the time since
// the beginning (F12).
func (s *Story) String() string {
	var b strings.Builder
	for _, m := range s.Moments {
		fmt.Fprintf(&b, "%8s  %s\n", m.At.Sub(start()), m.Step)
		for _, line := range s.lines(m) {
			fmt.Fprintf(&b, "%8s  %s\n", "", line)
		}
		if m.Failure != "" {
			fmt.Fprintf(&b, "%8s  %s\n", "FAILED", strings.ReplaceAll(m.Failure, "\n", "\n          "))
		}
	}
	for _, v := range s.Values {
		if v.speaks() {
			fmt.Fprintf(&b, "%8s  %s\n", v.Name+" =", values(v.State))
		}
	}
	return b.String()
}

// lines are what there is at a moment, and why.
func (s *Story) lines(m Moment) []string {
	var out []string
	for _, c := range m.Clusters {
		if words := c.words(); words != "" {
			out = append(out, c.Name+": "+words)
		}
	}
	for _, d := range m.Plan.Decisions {
		out = append(out, fmt.Sprintf("%s on %s: %s%s", d.Outcome, d.Cluster, d.Reason, check(d.NextCheck.OK, d.NextCheck.After.String())))
	}
	for _, t := range m.Tasks {
		state := t.State()
		out = append(out, fmt.Sprintf("task about %s: %s%s", t.FromCluster, t.PurgeMode, with(s.ShortName(state))))
	}
	for _, p := range m.Plan.Purges {
		out = append(out, fmt.Sprintf("old copy on %s: %s, new ones: %s, %s", p.Cluster, p.Old, p.New, p.Reason))
	}
	for _, p := range m.Plan.Placements {
		out = append(out, s.placement(p))
	}
	if m.Blocked != "" {
		out = append(out, "blocked: "+strings.ReplaceAll(m.Blocked, "\n", "; "))
	}
	return out
}

func (s *Story) placement(p failover.Placement) string {
	return fmt.Sprintf("%s to %s: %s%s", p.Action, p.Cluster, p.Reason, with(s.carriedBy(p)))
}

func with(name string) string {
	if name == "" {
		return ""
	}
	return ", with " + name
}

func check(ok bool, after string) string {
	if !ok {
		return ""
	}
	return ", next check in " + after
}

// words are what there is to say of a cluster; empty = nothing.
func (c ClusterMoment) words() string {
	var out []string
	for _, flag := range []struct {
		set  bool
		word string
	}{{c.Target, "target"}, {c.Evicted, "under eviction"}, {c.Lost, "lost"}, {c.Fenced, "fenced"}, {c.Tainted, "tainted"}} {
		if flag.set {
			out = append(out, flag.word)
		}
	}
	if k := c.Copy; k != nil {
		out = append(out, fmt.Sprintf("copy %d is %s", k.Number, k.Health))
		if k.Deleting {
			out = append(out, "is being deleted")
		}
		for _, value := range []struct{ verb, name string }{{"reports", k.Reports}, {"received", k.Received}, {"keeps", k.Keeps}} {
			if value.name != "" {
				out = append(out, value.verb+" "+value.name)
			}
		}
	}
	return strings.Join(out, ", ")
}
