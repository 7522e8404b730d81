package failover

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// decision is one opinion about a target: of its health, its taints or a person. What is
// due gets its reason when it is prepared.
type decision struct {
	outcome Outcome
	reason  Reason
	message string
	cause   preservation.Cause
	since   *metav1.Time
	next    purge.NextCheck
}

// rank orders opinions: what acts goes before what waits, and what waits before what
// does nothing.
func (d decision) rank() int {
	return slices.Index([]Outcome{Evict, Wait, Tolerated, None}, d.outcome)
}

// opinions returns what matters for a target, the most urgent first. Of two that are
// due, the cluster's wins (F10). They are appended to all, which is empty.
func (p *planner) opinions(c *ClusterRecord, all []decision) []decision {
	if p.in.Host.RequestsOnly {
		all = append(all, p.byRequest(c), decision{outcome: None, reason: NotRequested, message: "nobody asks to leave " + c.Name + ", and failover is switched off"})
	} else {
		all = append(all, p.byTaints(c), p.byRequest(c), p.byHealth(c))
	}
	slices.SortStableFunc(all, func(a, b decision) int { return cmp.Compare(a.rank(), b.rank()) })
	return all
}

func (p *planner) byRequest(c *ClusterRecord) decision {
	r, asked := p.requested(c.Name, RequestEvict)
	if !asked {
		return decision{outcome: None}
	}
	return decision{outcome: Evict, cause: r.Cause, message: "somebody asks to leave " + c.Name}
}

// byHealth is F2 and F3.
func (p *planner) byHealth(c *ClusterRecord) decision {
	seen := eviction.Observe(p.items, c.Name, time.Time{})
	d := decision{outcome: None, reason: ApplicationHealthy, message: "the application is healthy on " + c.Name}
	if seen.Health == eviction.Healthy {
		return d
	}
	if p.policy.Application == nil {
		d.reason, d.message = NotConfigured, "the application is not known to be healthy on "+c.Name+", and the policy has no failover by health"
		return d
	}
	if seen.Health != eviction.Unhealthy {
		d.reason, d.message = HealthUnknown, "the health of the application on "+c.Name+" is not known"
		if c.UnhealthySince != nil {
			d.outcome, d.cause, d.since = Wait, preservation.Application, clone(c.UnhealthySince)
			d.message += "; it was unhealthy since " + stamp(c.UnhealthySince.Time)
		}
		return d
	}
	return p.unhealthy(c)
}

// unhealthy decides about a target that is Unhealthy now.
func (p *planner) unhealthy(c *ClusterRecord) decision {
	conditions := p.policy.Application.DecisionConditions
	since := c.UnhealthySince.Time
	due := since.Add(tolerance(conditions, c))
	d := decision{
		outcome: Evict, cause: preservation.Application, since: clone(c.UnhealthySince),
		message: "the application is unhealthy on " + c.Name + " since " + stamp(since),
	}
	if conditions.RequireHealthyBefore && (c.HealthyRevision == nil || *c.HealthyRevision != p.in.Revision) {
		d.outcome, d.reason = None, NeverHealthy
		d.message += "; this revision was never healthy there, so that another cluster would not cure it"
		return d
	}
	if p.now.Before(due) {
		d.outcome, d.reason, d.next = Wait, BelowToleration, purge.CheckAt(due, p.now)
		d.message += "; it is left alone until " + stamp(due)
		return d
	}
	if free, limited := p.limitedUntil(conditions); limited {
		d.outcome, d.reason = None, FailoverLimit
		d.message += fmt.Sprintf("; this revision failed over %d times already", *conditions.MaxFailovers)
		if !free.IsZero() {
			d.outcome, d.next = Wait, purge.CheckAt(free, p.now)
			d.message += ", and may again at " + stamp(free)
		}
	}
	return d
}

// tolerance is how long the application may be unhealthy (F2, F3).
func tolerance(conditions DecisionConditions, c *ClusterRecord) time.Duration {
	seconds := conditions.TolerationSeconds
	if c.HealthyRevision == nil && conditions.InitialTolerationSeconds != nil { // never healthy here
		seconds = conditions.InitialTolerationSeconds
	}
	if seconds == nil {
		return time.Duration(DefaultTolerationSeconds) * time.Second
	}
	return time.Duration(*seconds) * time.Second
}

// limitedUntil says whether the revision failed over as often as it may, and when it
// may again; zero = never (F3).
func (p *planner) limitedUntil(conditions DecisionConditions) (time.Time, bool) {
	if conditions.MaxFailovers == nil || *conditions.MaxFailovers < 1 { // which Validate refuses
		return time.Time{}, false
	}
	var counted []time.Time
	for _, f := range p.failovers {
		if f.Revision != p.in.Revision {
			continue
		}
		end := f.At.Time
		if conditions.WindowSeconds != nil {
			end = end.Add(time.Duration(*conditions.WindowSeconds) * time.Second)
			if !p.now.Before(end) {
				continue
			}
		}
		counted = append(counted, end)
	}
	most := int(*conditions.MaxFailovers)
	if len(counted) < most {
		return time.Time{}, false
	}
	if conditions.WindowSeconds == nil {
		return time.Time{}, true
	}
	slices.SortFunc(counted, time.Time.Compare)
	return counted[len(counted)-most], true
}

// byTaints is F4.
func (p *planner) byTaints(c *ClusterRecord) decision {
	verdict := Tolerate(TaintInput{
		Taints: p.in.Clusters[c.Name].Taints, Tolerations: p.in.Tolerations, FirstSeen: c.Taints, Now: p.now,
	})
	c.Taints = verdict.Seen
	for _, w := range verdict.Warnings {
		p.warn(c.Name, w.Reason, w.Message)
	}
	d := decision{outcome: None, reason: verdict.Reason, message: verdict.Message, next: verdict.NextCheck}
	if verdict.Outcome == TaintNone {
		return d
	}
	d.cause = preservation.Cluster
	if p.policy.Cluster == nil {
		return decision{
			outcome: None, reason: NotConfigured, cause: preservation.Cluster,
			message: c.Name + " has taints that evict, and the policy has no failover by cluster",
		}
	}
	switch verdict.Outcome {
	case EvictNow:
		d.outcome, d.next = Evict, purge.NextCheck{}
	case EvictAfter:
		d.outcome = Wait
	case TolerateForever:
		d.outcome = Tolerated
	case TaintUndecided:
		p.warn(c.Name, WarningReason(verdict.Reason), verdict.Message)
	case TaintNone:
	}
	return d
}

// decide is about every target, and evicts those that are due.
func (p *planner) decide() {
	p.out.Decisions = make([]Decision, 0, len(p.targetNames()))
	for _, name := range p.targetNames() {
		c := p.cluster(name)
		if p.tasksOf(name) {
			p.say(c, decision{
				outcome: AlreadyEvicting, reason: Reason(eviction.ReasonTargetUnderEviction),
				message: name + " is a target and under eviction",
			})
			continue
		}
		var few [3]decision
		opinions := p.opinions(c, few[:0])
		d := opinions[0]
		for _, other := range opinions[1:] {
			d.next = d.next.Or(other.next)
		}
		if d.outcome == None {
			d = nothing(opinions)
		}
		if _, back := p.requested(name, RequestWithdraw); back && d.outcome == Evict && d.cause != preservation.Cluster {
			d = decision{outcome: None, reason: WithdrawRequested, message: "somebody asks to stay on " + name, next: d.next}
		}
		p.consider(c, d)
	}
	p.decideOthers()
	p.evict()
}

// decideOthers answers for clusters that are no targets.
func (p *planner) decideOthers() {
	for _, name := range p.others() {
		c := p.cluster(name)
		d := decision{outcome: None, reason: NotTarget, message: "the application is not on " + name}
		if p.tasksOf(name) {
			d = decision{outcome: AlreadyEvicting, reason: UnderEviction, message: "the application is leaving " + name + " already"}
			if m := p.underway(name); m != nil {
				d.since, d.cause = clone(&m.Created), m.Cause
			}
		}
		p.say(c, d)
	}
}

// nothing says why nothing happens: what stands in the way of a failover, else how the
// application is.
func nothing(opinions []decision) decision {
	for _, reason := range []Reason{NotRequested, InvalidToleration, NeverHealthy, FailoverLimit, NotConfigured, HealthUnknown, ApplicationHealthy} {
		for _, d := range opinions {
			if d.reason == reason {
				return d
			}
		}
	}
	return opinions[0]
}

// others are the clusters that are no targets and yet deserve an answer.
func (p *planner) others() []string {
	names := p.taskedClusters()
	for _, r := range p.in.Requests {
		names = append(names, r.Cluster)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || p.isTarget(name) })
}

// consider prepares a target that is due. An invalid policy stops it, and also what
// would be due later: nobody knows when (F11).
func (p *planner) consider(c *ClusterRecord, d decision) {
	if d.outcome == Wait && d.reason != HealthUnknown {
		if err := joined(Validate(p.policy, p.in.Host.Protection, field.NewPath("failover"))); err != nil {
			p.errs = append(p.errs, &ClusterError{c.Name, err})
			d.outcome, d.reason, d.message, d.next = Blocked, InvalidPolicy, oneLine(err.Error()), purge.NextCheck{}
		}
	}
	if d.outcome != Evict {
		if d.reason != HealthUnknown || d.outcome != Wait {
			c.BlockedSince = nil // Unknown ends nothing (F2)
		}
		p.say(c, d)
		return
	}
	prepared, err := p.prepare(c, d.cause)
	p.out.Warnings = append(p.out.Warnings, prepared.Warnings...)
	if err != nil {
		p.errs = append(p.errs, &ClusterError{c.Name, err})
		d.outcome, d.reason, d.message = prepared.Outcome, prepared.Reason, oneLine(prepared.Message)
		d.next = prepared.NextCheck.Or(d.next) // another cause may be due later, with other terms
		if prepared.Reason != MissingState {
			c.BlockedSince = nil
		} else if c.BlockedSince == nil {
			c.BlockedSince = p.at()
		}
		p.say(c, d)
		return
	}
	d.next = purge.NextCheck{}
	d.reason, d.message = prepared.Reason, d.message+": "+oneLine(prepared.Message)
	if p.ready == nil {
		p.ready = map[string]decision{}
	}
	p.ready[c.Name] = d
	p.evictions = append(p.evictions, prepared.Eviction)
}

// say gives the answer for one cluster, with an event where it is a new one.
func (p *planner) say(c *ClusterRecord, d decision) {
	p.out.Decisions = append(p.out.Decisions, Decision{
		Cluster: c.Name, Outcome: d.outcome, Reason: d.reason, Message: d.message, Cause: d.cause, Since: d.since, NextCheck: d.next,
	})
	if !c.Target || c.Decision == d.reason {
		return
	}
	c.Decision = d.reason
	switch {
	case d.outcome == Blocked || slices.Contains([]Reason{FailoverLimit, NeverHealthy, InvalidToleration}, d.reason):
		p.event(c.Name, EventWarning, string(d.reason), d.message)
	case d.outcome == Wait || d.outcome == Tolerated:
		p.event(c.Name, EventNormal, string(d.reason), d.message)
	}
}
