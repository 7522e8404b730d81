package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// producer is what tasks of a dry run say in their field of that name.
const producer = "carryover-dryrun"

// makePlan is the reconcile loop of a host that keeps no record, in the order in
// which a host does it: decide who leaves, evict, learn the scheduler's choice,
// assess the old copies, and deliver to the targets. Every decision is the
// library's; here they are only put together.
func makePlan(in input, opts options) (plan, error) {
	d := newDryRun(in, opts)
	d.checkPolicy()
	d.leave()
	d.place()
	d.assess()
	d.deliver()
	return d.finish()
}

// dryRun is the state of one run, filled in that order.
type dryRun struct {
	in   input
	opts options
	now  time.Time

	items       []eviction.AggregatedStatusItem // those that count
	older       map[string]bool                 // clusters whose items do not
	facts       map[string]eviction.Facts
	lastHealthy map[string]time.Time
	policy      failover.Behavior
	usable      bool // the policy is valid

	outcomes map[string]decision      // of the clusters to leave
	evicted  []eviction.Result        // what eviction.Evict did
	targets  []eviction.TargetCluster // the next ones
	moved    bool                     // an eviction changed the targets
	placed   []string                 // targets that --to added

	assessed   []eviction.Task // the tasks that the assessment is about
	assessment eviction.Assessment
	tasks      []eviction.Task // those that it leaves

	injections []injection
	problems   []problem
	notices    []notice
}

func newDryRun(in input, opts options) *dryRun {
	d := &dryRun{
		in: in, opts: opts,
		now:      opts.now.UTC(), // the library cuts it to whole seconds (L2)
		older:    olderLives(in.binding, opts.to),
		facts:    map[string]eviction.Facts{},
		policy:   in.binding.Spec.Failover,
		outcomes: map[string]decision{},
		targets:  in.binding.Spec.Clusters,
	}
	d.items = itemsThatCount(in.binding.Status.AggregatedStatus, d.older)
	d.lastHealthy = healthyNow(d.items, d.now)
	maps.Copy(d.facts, opts.legacy)
	for _, other := range in.binding.Spec.RequiredBy {
		for _, target := range other.Clusters {
			facts := d.facts[target.Name]
			facts.RequiredByOthers = true
			d.facts[target.Name] = facts
		}
	}
	return d
}

func (d *dryRun) checkPolicy() {
	d.problems = policyProblems(d.policy, d.in.unknown)
	d.usable = len(d.problems) == 0
	d.problems = append(d.problems, d.in.stored.problems...)
	d.notices = append(policyNotices(d.policy, d.in.unknown), d.in.stored.notices...)
	for i, task := range d.in.binding.Spec.Tasks {
		path := fmt.Sprintf("spec.gracefulEvictionTasks[%d].purgeMode", i)
		d.notices = append(d.notices, oldName(task.PurgeMode, notice{Field: path, Cluster: task.FromCluster})...)
	}
	for name := range d.in.documents {
		reads := func(rule preservation.Rule) bool { return string(rule.From) == name }
		if !slices.ContainsFunc(allRules(d.policy), reads) {
			d.warn("", "UnusedDocument", "--from gives the document "+name+", which no rule reads")
		}
	}
	if d.in.manifest == nil && d.in.manifests > 0 {
		d.warn("", "NoManifest", fmt.Sprintf("%d manifests were given and none is the one that spec.resource names", d.in.manifests))
	}
}

// leave prepares every cluster to leave on its own, so that what blocks one never
// stops another, and then evicts those that may go, in one call.
func (d *dryRun) leave() {
	spec := d.in.binding.Spec
	var evictions []eviction.Eviction
	for _, cluster := range d.opts.evict {
		if blocked, always := d.standstill(); always && isTarget(spec.Clusters, cluster) {
			d.outcomes[cluster] = blocked
			continue
		}
		p, err := d.prepare(cluster)
		if p.Outcome == failover.Evict {
			if err = d.in.checkRoom(append(slices.Clone(evictions), p.Eviction), d.now); err != nil {
				p.Outcome, p.Reason, p.Message = failover.Blocked, reasonTooLarge, err.Error()
			}
		}
		d.outcomes[cluster] = decision{Outcome: string(p.Outcome), Reason: string(p.Reason), Message: oneLine(p.Message)}
		d.problems = append(d.problems, problemsOf(cluster, d.policy, d.opts.cause, err)...)
		d.notices = append(d.notices, preparationNotices(p)...)
		if p.Outcome == failover.Evict {
			evictions = append(evictions, p.Eviction)
		}
	}
	d.evict(evictions)
}

// reasonTooLarge means that the annotation of the binding has no room for the
// state of one more task.
const reasonTooLarge = failover.Reason(preservation.TooLarge)

// standstill is what keeps every cluster from being left, if anything does.
func (d *dryRun) standstill() (decision, bool) {
	blocked := decision{Outcome: string(failover.Blocked)}
	switch {
	case !d.usable:
		blocked.Reason, blocked.Message = string(failover.InvalidPolicy), "the policy is invalid: see the errors"
	case d.unreadable():
		blocked.Reason = string(preservation.BadState)
		blocked.Message = "preserved state cannot be read, and writing more would lose it: see the errors"
	default:
		return decision{}, false
	}
	return blocked, true
}

// unreadable says that state is there and nobody knows which.
func (d *dryRun) unreadable() bool { return len(d.in.stored.problems) > 0 }

func (d *dryRun) prepare(cluster string) (failover.Preparation, error) {
	spec := d.in.binding.Spec
	return failover.Prepare(failover.PrepareInput{
		Policy: d.policy, Cause: d.opts.cause, Cluster: cluster,
		Targets: spec.Clusters, Tasks: spec.Tasks, Items: d.items,
		LastHealthy: d.lastHealthy, Object: d.objectOn(cluster), Documents: d.in.documents,
		Now: d.now, Template: d.in.manifest,
		Protection: preservation.KarmadaProtection(), Producer: producer,
	})
}

func (d *dryRun) evict(evictions []eviction.Eviction) {
	spec := d.in.binding.Spec
	evicted, err := eviction.Evict(eviction.EvictInput{
		Targets: spec.Clusters, Tasks: spec.Tasks, Evictions: evictions, Now: d.now,
	})
	for _, result := range evicted.Results {
		if result.Outcome == eviction.Refused {
			d.outcomes[result.FromCluster] = decision{
				Outcome: string(failover.Blocked), Reason: string(result.Reason), Message: oneLine(result.Message),
			}
		}
	}
	d.problems = append(d.problems, problemsOf("", d.policy, d.opts.cause, err)...)
	d.evicted, d.targets, d.assessed = evicted.Results, evicted.Targets, evicted.Tasks
	d.moved = len(d.targets) < len(spec.Clusters)
}

// place adds what the scheduler chose. How many replicas go there is not known.
// Where everything stays that should leave, nobody needs another place: the next
// run would not know why the target is there, and would start a second copy.
func (d *dryRun) place() {
	d.warnOlderLives()
	blocked, stays := d.nothingLeaves()
	for _, cluster := range d.opts.to {
		switch {
		case isTarget(d.targets, cluster):
			d.warn(cluster, "AlreadyTarget", "--to names a cluster that is a target already")
		case stays:
			d.warn(cluster, "NotPlaced", "--to names a cluster that is not added: leaving "+blocked+" is blocked, and a copy there would be a second one")
		default:
			d.targets = append(d.targets, eviction.TargetCluster{Name: cluster})
			d.placed = append(d.placed, cluster)
		}
	}
	for cluster := range d.opts.legacy {
		if !hasTask(d.assessed, cluster) && !slices.Contains(d.opts.evict, cluster) {
			d.warn(cluster, "NotUnderEviction", "--legacy names a cluster that is not under eviction")
		}
	}
}

// nothingLeaves says that something is to leave and nothing does, since it may
// not, and names the first such cluster. What is leaving already, or is no target,
// does not count: the run can be repeated without it.
func (d *dryRun) nothingLeaves() (string, bool) {
	for _, one := range d.outcomes {
		if one.Outcome == string(failover.Evict) {
			return "", false
		}
	}
	return d.firstBlocked()
}

func (d *dryRun) assess() {
	b := d.in.binding
	d.assessment = eviction.Assess(eviction.AssessInput{
		Tasks: d.assessed, Targets: d.targets, Items: d.items,
		// Nobody scheduled yet what this run unscheduled, unless --to says so.
		Scheduled:       b.scheduled() && (!d.moved || len(d.opts.to) > 0),
		DesiredReplicas: b.desiredReplicas(d.targets),
		Clusters:        d.facts,
		Now:             d.now,
	})
	// A task stays until its copy is gone, so that the output shows both.
	d.tasks = eviction.Apply(d.assessed, d.assessment.Decisions, eviction.ApplyOptions{})
	for _, r := range d.assessment.Reports {
		d.warn(r.Cluster, string(r.Reason), r.Message)
	}
	for _, verdict := range d.assessment.Decisions {
		if verdict.Warning {
			d.warn(verdict.FromCluster, string(verdict.Reason), verdict.Message)
		}
	}
}

func (d *dryRun) finish() (plan, error) {
	exclusion := d.exclude()
	binding, notices, err := nextBinding(d.in, d.targets, d.tasks, d.older)
	if err != nil {
		return plan{}, err
	}
	d.notices = append(d.notices, notices...)
	return plan{
		Decisions:           d.decisions(),
		Binding:             binding,
		Purges:              d.purges(),
		Injections:          orEmpty(d.injections),
		Excluded:            exclusion.names,
		Events:              d.events(),
		RecheckAfterSeconds: seconds(d.assessment.NextCheck.Or(exclusion.next)),
		Errors:              sortProblems(d.problems),
		Warnings:            sortNotices(d.notices),
		title:               d.title(),
	}, nil
}

func (d *dryRun) title() string {
	name := d.in.binding.Metadata.Name
	if namespace := d.in.binding.Metadata.Namespace; namespace != "" {
		name = namespace + "/" + name
	}
	return strings.TrimSpace(d.in.kind+" "+name) + " at " + d.now.Format(time.RFC3339)
}

// decisions has an entry for every cluster that is a target, leaves already, or
// was asked about.
func (d *dryRun) decisions() []decision {
	all := map[string]decision{}
	for _, task := range d.in.binding.Spec.Tasks {
		all[task.FromCluster] = decision{
			Outcome: string(failover.AlreadyEvicting), Reason: string(failover.UnderEviction),
			Message: "the application is leaving " + task.FromCluster + " already",
		}
	}
	for _, target := range d.in.binding.Spec.Clusters {
		all[target.Name] = decision{
			Outcome: string(failover.None), Reason: "NotRequested",
			Message: "nobody asked to leave " + target.Name + ": for now evictions come from --evict only",
		}
	}
	maps.Copy(all, d.outcomes)
	out := make([]decision, 0, len(all))
	for cluster, one := range all {
		one.Cluster = cluster
		one.RecheckAfterSeconds = seconds(d.nextCheck(cluster))
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b decision) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return out
}

// nextCheck is the earliest of the cluster's tasks.
func (d *dryRun) nextCheck(cluster string) purge.NextCheck {
	var next purge.NextCheck
	for _, verdict := range d.assessment.Decisions {
		if verdict.FromCluster == cluster {
			next = next.Or(verdict.NextCheck)
		}
	}
	return next
}

func (d *dryRun) purges() []purgeOf {
	out := make([]purgeOf, 0, len(d.assessment.Decisions))
	for _, verdict := range d.sortedVerdicts() {
		out = append(out, purgeOf{
			Cluster: verdict.FromCluster, Legacy: verdict.Old, Replacement: verdict.New,
			Done: verdict.Outcome == eviction.Finish, Reason: verdict.Reason, Message: verdict.Message,
		})
	}
	return out
}

// sortedVerdicts are the decisions about old copies in an order that does not
// depend on the order of the tasks.
func (d *dryRun) sortedVerdicts() []eviction.Decision {
	out := slices.Clone(d.assessment.Decisions)
	slices.SortStableFunc(out, func(a, b eviction.Decision) int {
		return cmp.Or(cmp.Compare(a.FromCluster, b.FromCluster), a.Created.Compare(b.Created.Time),
			cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

func (d *dryRun) warn(cluster, reason, message string) {
	d.notices = append(d.notices, notice{Cluster: cluster, Reason: reason, Message: oneLine(message)})
}

func isTarget(targets []eviction.TargetCluster, cluster string) bool {
	return slices.ContainsFunc(targets, func(t eviction.TargetCluster) bool { return t.Name == cluster })
}

func hasTask(tasks []eviction.Task, cluster string) bool {
	return slices.ContainsFunc(tasks, func(t eviction.Task) bool { return t.FromCluster == cluster })
}
