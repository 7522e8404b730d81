package main

import (
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

// makePlan is a pass of a reconcile loop: failover.Plan decides who leaves, what
// becomes of the old copies and who receives state. Where --to says what the
// scheduler chose upon that, a second pass follows at the same instant.
func makePlan(in input, opts options) (plan, error) {
	d, err := newDryRun(in, opts)
	if err != nil {
		return plan{}, err
	}
	d.checkInput()
	d.decide()
	d.place()
	d.deliver()
	return d.finish()
}

// dryRun is the state of one run, filled in that order.
type dryRun struct {
	in     input
	opts   options
	asked  failover.PlanInput // of the next pass
	usable bool               // the policy is valid

	out       failover.PlanOutput      // of the last pass
	decisions []failover.Decision      // by cluster
	purges    []failover.PurgeDecision // of all tasks, those that ended included
	events    []failover.Event

	targets []eviction.TargetCluster // the next ones
	apart   []string                 // those that --to added and no pass looked at

	injections []injection
	problems   []problem
	notices    []notice
}

func newDryRun(in input, opts options) (*dryRun, error) {
	facts, err := in.facts(opts)
	b := in.binding
	d := &dryRun{in: in, opts: opts, asked: failover.PlanInput{
		Policy: b.Spec.Failover, Now: opts.now, Producer: producer, Revision: in.revision(),
		Targets: b.Spec.Clusters, Tasks: b.Spec.Tasks, Items: b.Status.AggregatedStatus,
		Scheduled: b.scheduled(), DesiredReplicas: b.desiredReplicas(b.Spec.Clusters),
		Clusters: facts, Tolerations: b.Spec.Placement.ClusterTolerations,
		Template: in.manifest, Record: in.record,
		Host: failover.HostOptions{
			RequestsOnly: len(opts.evict) > 0, NoRecord: !opts.keepsRecord(),
			Protection: preservation.KarmadaProtection(),
		},
	}}
	for _, cluster := range opts.evict {
		d.asked.Requests = append(d.asked.Requests, leave(cluster, opts.cause))
	}
	return d, err
}

func leave(cluster string, cause preservation.Cause) failover.Request {
	return failover.Request{Cluster: cluster, Action: failover.RequestEvict, Cause: cause}
}

// decide is the pass over the binding as it was read. What Plan would evict and this
// program must not keeps its place: a pass for the others only decides instead.
func (d *dryRun) decide() {
	err := d.pass()
	d.decisions = d.out.Decisions
	if d.refuse() {
		d.asked.Host.RequestsOnly, d.asked.Requests = true, nil
		for _, one := range d.decisions {
			if one.Cause != "" && (one.Outcome == failover.Evict || one.Outcome == failover.Blocked && !refusedHere(one.Reason)) {
				d.asked.Requests = append(d.asked.Requests, leave(one.Cluster, one.Cause))
			}
		}
		err = d.pass()
	}
	d.purges, d.events, d.targets = d.out.Purges, d.out.Events, d.out.Targets
	d.blame(err)
}

// pass asks Plan, and keeps what it warns of.
func (d *dryRun) pass() error {
	out, err := failover.Plan(d.asked)
	d.out = out
	return err
}

// place adds what the scheduler chose; how many replicas go there is not known. Where
// everything stays that should leave, nobody needs another place: the next run would
// not know why the target is there, and would start a second copy. Where only some
// stay, a new target may be meant for one of them: it gets no copy in this run.
func (d *dryRun) place() {
	blocked, some := d.firstBlocked()
	leaving := slices.ContainsFunc(d.decisions, func(one failover.Decision) bool { return one.Outcome == failover.Evict })
	var chosen []string
	for _, cluster := range d.opts.to {
		switch {
		case isTarget(d.targets, cluster):
			d.warn(cluster, "AlreadyTarget", "--to names a cluster that is a target already")
		case some && !leaving:
			d.warn(cluster, "NotPlaced", "--to names a cluster that is not added: leaving "+blocked.Cluster+" is blocked, and a copy there would be a second one")
		default:
			chosen = append(chosen, cluster)
			d.targets = append(slices.Clip(d.targets), eviction.TargetCluster{Name: cluster})
		}
	}
	switch {
	case some:
		d.apart = chosen
	case len(chosen) > 0:
		d.again()
	}
}

// firstBlocked is the first cluster, by name, that may not be left.
func (d *dryRun) firstBlocked() (failover.Decision, bool) {
	return find(d.decisions, func(one failover.Decision) bool { return one.Outcome == failover.Blocked })
}

// again is the pass with the new targets.
func (d *dryRun) again() {
	first, older := d.out, d.in.olderLives(d.opts)
	d.asked.Record, d.asked.Targets, d.asked.Tasks, d.asked.Requests = first.Record, d.targets, first.Tasks, nil
	d.asked.Items = slices.DeleteFunc(slices.Clone(d.asked.Items), func(item eviction.AggregatedStatusItem) bool { return older[item.ClusterName] })
	d.asked.DesiredReplicas = d.in.binding.desiredReplicas(d.targets)
	d.asked.Host.RequestsOnly = d.asked.Host.RequestsOnly || d.unreadable() || !d.usable
	err := d.pass()
	d.targets = d.out.Targets
	d.join(first)
	d.blame(err)
}

// join puts the two passes together: who leaves is decided by the first, and by the
// second for new targets where there is something to say of them; all else is the
// second's. An answer of the first that the second replaced is no event.
func (d *dryRun) join(first failover.PlanOutput) {
	for _, one := range d.out.Decisions {
		known := func(other failover.Decision) bool { return other.Cluster == one.Cluster }
		if one.Outcome != failover.None && !slices.ContainsFunc(d.decisions, known) {
			d.decisions = append(d.decisions, one)
		}
	}
	replaced := map[string]bool{}
	for _, purge := range first.Purges {
		replaced[purge.Cluster+" "+string(purge.Reason)] = purge.Outcome != eviction.Finish
	}
	for _, purge := range d.out.Purges {
		replaced[purge.Cluster+" "+string(purge.Reason)] = false
	}
	first.Purges = slices.DeleteFunc(first.Purges, func(p failover.PurgeDecision) bool { return p.Outcome != eviction.Finish })
	first.Events = slices.DeleteFunc(first.Events, func(e failover.Event) bool { return replaced[e.Cluster+" "+e.Reason] })
	d.purges = append(first.Purges, d.out.Purges...)
	d.events = append(first.Events, d.out.Events...)
	ignored := func(w failover.Warning) bool { return w.Reason == failover.WarningReason(eviction.ReasonItemIgnored) }
	d.out.Warnings = slices.DeleteFunc(d.out.Warnings, ignored) // of clusters that the first pass was done with
	for _, w := range first.Warnings {
		counts := ignored(w) && isTarget(d.targets, w.Cluster) && d.in.binding.requiredOn(w.Cluster)
		if !counts && !replaced[w.Cluster+" "+string(w.Reason)] {
			d.out.Warnings = append(d.out.Warnings, w)
		}
	}
}

func (d *dryRun) finish() (plan, error) {
	d.checkFlags()
	binding, notices, err := nextBinding(d.in, d.targets, d.out.Tasks, d.in.olderLives(d.opts))
	if err != nil {
		return plan{}, err
	}
	d.notices = append(d.notices, notices...)
	for _, w := range d.out.Warnings {
		if w.Field == "" { // those about the policy are there already, with their place in the binding
			d.notices = append(d.notices, noticeOf(w))
		}
	}
	p := plan{
		Decisions:           []decision{},
		Binding:             binding,
		Purges:              []purgeOf{},
		Injections:          orEmpty(d.injections),
		Excluded:            []string{},
		Record:              d.out.Record,
		Events:              []event{},
		RecheckAfterSeconds: seconds(d.out.NextCheck),
		Errors:              sortProblems(d.problems),
		Warnings:            sortNotices(d.notices),
		title:               d.title(),
	}
	if d.unreadable() {
		p.Record = d.in.record // nothing began, and nothing was delivered
	}
	for _, one := range d.decisions {
		p.Decisions = append(p.Decisions, decision{
			Cluster: one.Cluster, Outcome: string(one.Outcome), Reason: string(one.Reason), Message: oneLine(one.Message),
			RecheckAfterSeconds: seconds(d.nextCheck(one)),
		})
	}
	for _, one := range d.purges {
		p.Purges = append(p.Purges, purgeOf{
			Cluster: one.Cluster, Legacy: one.Old, Replacement: one.New,
			Done: one.Outcome == eviction.Finish, Reason: one.Reason, Message: one.Message,
		})
	}
	for _, one := range d.out.Excluded {
		p.Excluded = append(p.Excluded, one.Cluster)
	}
	for _, one := range d.events {
		if one.Reason == string(failover.InvalidPolicy) {
			one.Message = invalidPolicy
		}
		p.Events = append(p.Events, event{Type: string(one.Type), Reason: one.Reason, Message: oneLine(one.Message), cluster: one.Cluster})
	}
	p.sort()
	p.picture = d.picture(p)
	return p, nil
}

// nextCheck is the earliest of all that was decided about the cluster.
func (d *dryRun) nextCheck(one failover.Decision) purge.NextCheck {
	next := one.NextCheck
	for _, other := range d.purges {
		if other.Cluster == one.Cluster {
			next = next.Or(other.NextCheck)
		}
	}
	for _, other := range d.out.Placements {
		if other.Cluster == one.Cluster {
			next = next.Or(other.NextCheck)
		}
	}
	return next
}

func (d *dryRun) title() string {
	name := d.in.binding.Metadata.Name
	if namespace := d.in.binding.Metadata.Namespace; namespace != "" {
		name = namespace + "/" + name
	}
	return strings.TrimSpace(d.in.kind+" "+name) + " at " + d.opts.now.UTC().Format(time.RFC3339)
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

func find[T any](list []T, match func(T) bool) (T, bool) {
	if i := slices.IndexFunc(list, match); i >= 0 {
		return list[i], true
	}
	var none T
	return none, false
}
