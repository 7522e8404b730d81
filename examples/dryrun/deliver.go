package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// deliver asks the gates, for every target, and injects where they let the state
// through, nowhere else.
func (d *dryRun) deliver() {
	ordered := d.assessment
	ordered.Decisions = d.sortedVerdicts()
	gated := failover.Gate(failover.GateInput{
		Targets: d.targets, Tasks: d.tasks, Items: d.items,
		Assessment: ordered, Clusters: d.facts, LastHealthy: d.lastHealthy, Rules: allRules(d.policy),
	})
	for _, g := range gated {
		d.injections = append(d.injections, d.injection(g))
		for _, cluster := range g.LeftOut {
			d.warn(cluster, "StateLeftOut", fmt.Sprintf(
				"the state that %s's task holds is left out: it is not known to have been healthy since it received the state of %s",
				cluster, g.Origin))
		}
	}
}

func (d *dryRun) injection(g failover.Gated) injection {
	out := injection{
		Cluster: g.Cluster, Action: string(g.Action), Injected: g.Inject, Reason: string(g.Reason),
		Written: []written{}, message: oneLine(g.Message),
	}
	switch {
	case d.unreadable() && (g.Inject || g.Action == failover.Apply && !d.runsOn(g.Cluster)):
		out.message = "held because state is preserved and cannot be read: the copy would start without it"
		hold(&out, string(preservation.BadState))
	case !g.Inject && g.Action == failover.Apply:
		d.applyAsIs(&out)
	case g.Inject && d.in.manifest == nil:
		out.message = "there is no manifest to write the state of " + g.Origin + " into"
		hold(&out, "NoManifest")
		d.warn(g.Cluster, out.Reason, out.message)
	case g.Inject:
		d.inject(&out, g)
	}
	return out
}

// applyAsIs is for a target that gets no state. One that --to names is there
// because several were to leave: where one of them is blocked, it may be meant as
// that one's replacement, and would be a second copy, and an empty one.
func (d *dryRun) applyAsIs(out *injection) {
	if blocked, found := d.firstBlocked(); found && slices.Contains(d.placed, out.Cluster) {
		out.message = "held because leaving " + blocked + " is blocked"
		hold(out, d.outcomes[blocked].Reason)
		return
	}
	if d.in.manifest != nil {
		out.Manifest = d.in.manifest.Object
	}
}

// firstBlocked is the first cluster, by name, that may not be left.
func (d *dryRun) firstBlocked() (string, bool) {
	for _, cluster := range d.opts.evict {
		if d.outcomes[cluster].Outcome == string(failover.Blocked) {
			return cluster, true
		}
	}
	return "", false
}

// hold is for what the gates let through and the manifest does not: an error is
// never "go on without".
func hold(i *injection, reason string) {
	i.Action, i.Injected, i.Reason = string(failover.Hold), false, reason
}

func (d *dryRun) inject(out *injection, g failover.Gated) {
	manifest, report, err := preservation.Inject(d.in.manifest, g.State, preservation.InjectOptions{
		Protection: preservation.KarmadaProtection(), Cluster: g.Cluster,
	})
	if err != nil {
		hold(out, string(failover.InjectionRefused))
		out.message = oneLine(err.Error())
		d.problems = append(d.problems, problemsOf(g.Cluster, d.policy, d.opts.cause, err)...)
		return
	}
	out.Manifest = manifest.Object
	for _, change := range report.Changes {
		if change.Effect == preservation.Kept {
			d.warn(g.Cluster, string(change.Effect), fmt.Sprintf(
				"%s %s holds another value, which its rule keeps", strings.ToLower(string(change.Target)), change.Key))
			continue
		}
		out.Written = append(out.Written, written{
			Target: string(change.Target), Key: change.Key, Replaced: change.Effect == preservation.Replaced,
		})
	}
	if len(out.Written) == 0 {
		out.Injected, out.Reason = false, string(preservation.Kept)
		out.message = "the manifest holds other values, and the rules keep them all: the state of " + g.Origin + " stays behind"
	}
}

// exclusion is what the scheduler should avoid.
type exclusion struct {
	names []string
	next  purge.NextCheck
}

// exclude counts cool-downs from the tasks alone: without a record those of
// older evictions are not known.
func (d *dryRun) exclude() exclusion {
	var cooldowns []eviction.Cooldown
	for _, verdict := range d.assessment.Decisions {
		cooldowns = append(cooldowns, eviction.Cooldown{Cluster: verdict.FromCluster, Since: verdict.Created.Time})
	}
	x := eviction.Exclude(eviction.ExcludeInput{
		Tasks: d.tasks, Targets: d.targets, Cooldowns: cooldowns, Now: d.now,
	})
	for _, r := range x.Reports {
		d.warn(r.Cluster, string(r.Reason), r.Message)
	}
	out := exclusion{names: []string{}, next: x.NextCheck}
	for _, excluded := range x.Clusters {
		out.names = append(out.names, excluded.Cluster)
	}
	return out
}
