package failover

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/preservation/snapshot"
	"github.com/carryover-io/carryover/purge"
)

// Outcome is what was decided about leaving a cluster (L5).
type Outcome string

const (
	// Evict means that the application leaves the cluster now.
	Evict Outcome = "Evict"
	// Blocked means that it should and must not: the reason says what is missing
	// or invalid (F6, F11).
	Blocked Outcome = "Blocked"
	// AlreadyEvicting means that it is leaving already.
	AlreadyEvicting Outcome = "AlreadyEvicting"
	// Wait means that it is to leave when time has passed, unless something changes.
	Wait Outcome = "Wait"
	// Tolerated means that its cluster fails, and the application stays (F4).
	Tolerated Outcome = "Tolerate"
	// None means that there is nothing to do.
	None Outcome = "None"
)

// Reason is the stable, machine-readable cause of an outcome (L5).
type Reason string

const (
	// ApplicationFailure is the reason of evictions with the cause Application.
	ApplicationFailure Reason = "ApplicationFailure"
	// TaintUntolerated is the reason of evictions with the cause Cluster.
	TaintUntolerated Reason = "TaintUntolerated"
	// PlannedMove is the reason of evictions with the cause Planned.
	PlannedMove Reason = "PlannedMove"
	// ApplicationHealthy means that the application is Healthy there (F2).
	ApplicationHealthy Reason = "ApplicationHealthy"
	// HealthUnknown means that nobody can tell whether it is (F2).
	HealthUnknown Reason = "HealthUnknown"
	// BelowToleration means that it is unhealthy, not yet for as long as the policy
	// tolerates (F2).
	BelowToleration Reason = "BelowToleration"
	// NeverHealthy means that its revision was never healthy there, and the policy asks
	// for that (F3).
	NeverHealthy Reason = "NeverHealthy"
	// FailoverLimit means that its revision failed over as often as it may (F3).
	FailoverLimit Reason = "FailoverLimit"
	// NotConfigured means that the policy has no block for what is wrong (F10).
	NotConfigured Reason = "NotConfigured"
	// NotRequested means that the host switched failover off and nobody asks to leave
	// (F12).
	NotRequested Reason = "NotRequested"
	// WithdrawRequested means that somebody asks to stay there (E11).
	WithdrawRequested Reason = "WithdrawRequested"
	// UnderEviction means that the cluster has a task and is no target.
	UnderEviction Reason = "UnderEviction"
	// NotTarget means that the application is not on the cluster.
	NotTarget Reason = "NotTarget"
	// InvalidCause means that the cause is an unknown text (L6).
	InvalidCause Reason = "InvalidCause"
	// InvalidPolicy means that Validate refuses the policy (F11).
	InvalidPolicy Reason = "InvalidPolicy"
	// MissingState means that a Required rule gave no value (F6).
	MissingState Reason = "MissingState"
	// InjectionRefused means that the trial injection failed: the state could not
	// be written into the manifest for the next cluster (I2).
	InjectionRefused Reason = "InjectionRefused"
	// InvalidEviction means that eviction.Evict would refuse the eviction, such as
	// one without a producer (E3).
	InvalidEviction Reason = "InvalidEviction"
	// EvictedWithoutState means that the application leaves without a Required value,
	// since onMissingState is EvictWithout (F6).
	EvictedWithoutState Reason = "EvictedWithoutState"
	// PreviousStateUsed means that the state goes along that the copy itself received,
	// since onMissingState is UsePrevious (F6).
	PreviousStateUsed Reason = "PreviousStateUsed"
	// MissingStateDeadline means that state was missing for as long as the policy
	// waits: the previous state goes along, or none (F6).
	MissingStateDeadline Reason = "MissingStateDeadline"
)

// PrepareInput is all that [Prepare] looks at, for one cluster to leave (F6, F10).
type PrepareInput struct {
	// Policy of the application; the zero value = none. It need not be defaulted.
	Policy Behavior
	// Cause of the eviction (F10).
	Cause preservation.Cause
	// Cluster to leave.
	Cluster string
	// Targets, Tasks and Items as they are now.
	Targets []eviction.TargetCluster
	Tasks   []eviction.Task
	Items   []eviction.AggregatedStatusItem
	// LastHealthy as for [Carry]; Items are not read for it, since Carry needs it
	// again in later passes. A host that keeps nothing gives nil, or the clusters
	// whose items are Healthy now: without any, what was carried before wins over
	// what a second cluster reports.
	LastHealthy map[string]time.Time
	// Object is the whole object on the cluster, for rules that read it; the zero
	// value is absent.
	Object preservation.Document
	// Documents are those that the host found for rules that name them.
	Documents map[string]preservation.Document
	// Attempt counts the moves of the application from 1, and Now is the caller's
	// time: both are for rules that read the failover itself, and for the
	// provenance of the state. Zero = not known.
	Attempt int64
	Now     time.Time
	// TakenAt is when the state was taken, for maxStateAgeSeconds where the policy has
	// no takenAt; zero = not known (R4).
	TakenAt time.Time
	// Snapshotting is a snapshot that the source is taking, if it can be reached: state
	// that is too old is then waited for; nil = none (R2).
	Snapshotting *snapshot.Attempt
	// BlockedSince is since when missing state keeps the application on the cluster,
	// for the deadline of the policy; zero = since now (F6).
	BlockedSince time.Time
	// Template is the manifest for the trial injection; nil = no trial (I2).
	Template *unstructured.Unstructured
	// Injection are the options of the host's injections, for the trial; Protection
	// below counts for them too, and their Cluster does not: a template is for none.
	Injection preservation.InjectOptions
	// Protection adds to the keys that rules must not write (S11).
	Protection preservation.Protection
	// Producer of the task; required (E3).
	Producer string
	// Message of the task; empty = the message of the answer.
	Message string
}

// Preparation is the answer for one cluster (L5).
type Preparation struct {
	// Cluster asked about.
	Cluster string
	// Outcome is never empty.
	Outcome Outcome
	// Reason is never empty.
	Reason Reason
	// Message says the same to people, in one line, without any state (L7).
	Message string
	// Eviction to give to eviction.Evict; the zero value unless the outcome is
	// Evict.
	Eviction eviction.Eviction
	// RuleErrors are all rules that gave no value, in their order, blocking or not
	// (S10).
	RuleErrors []*preservation.RuleError
	// Warnings are about this cluster only; [Warnings] has those about the policy.
	Warnings []Warning
	// Age is the verdict about the age of the state; nil = nobody asks, or there is
	// none (R2).
	Age *snapshot.Assessment
	// NextCheck says when time alone can change the answer: at the deadline for
	// missing state, or when its age does.
	NextCheck purge.NextCheck
}

// Prepare decides whether an application may leave a cluster, extracts what goes
// along, and builds the eviction. Nothing is evicted before everything that can
// fail was tried. The first rule that matches decides:
//
//  1. A cluster that is no target is AlreadyEvicting if it has a task, else None.
//  2. An unknown cause, and an invalid policy, are Blocked (L6, F11).
//  3. A cluster that received state and is not known to have been healthy since
//     is not asked ([Carry]): the older state goes on, and the cluster's own
//     errors are warnings (F6).
//  4. A failing Required rule, or a status that was not collected, is missing
//     state, but only for a mode that injects: what is never injected never blocks
//     (F6). Statuses of one cluster that differ are unreadable. onMissingState
//     decides: EvictWithout goes with the values that there are; UsePrevious with
//     the state that the copy itself received, as a whole, if there is any; else
//     MissingState is Blocked, until BlockedSince + missingStateDeadlineSeconds, when
//     the previous state goes along, or what there is, MissingStateDeadline.
//     State that is older than maxStateAgeSeconds, or whose age nobody knows, is
//     missing as a whole; one that a pending snapshot replaces is awaited (R2).
//  5. What the next copy would receive is injected into the template: if that
//     fails, Blocked (I2).
//  6. What eviction.Validate refuses is Blocked (E3).
//  7. Else Evict, with the terms of the policy for the cause (F10). Without such
//     a block the mode is Gracefully and nothing goes along, with a warning.
//
// The error is nil unless the outcome is Blocked. It joins all that blocks, for
// errors.As: *preservation.RuleError, *preservation.InjectError or *field.Error,
// whose paths start at "cause", at "failover" for the policy, and at "eviction" for
// rule 6.
// A retry with the same input can help with none of them, but for the deadline;
// with a newer status, where RuleError.Retryable says so. Inputs are not changed,
// and the result shares nothing with them.
func Prepare(in PrepareInput) (Preparation, error) {
	d := departure{PrepareInput: in}
	older := movesOf(in.Tasks)
	received, unproven := receivedUnproven(in.Cluster, older, in.LastHealthy[in.Cluster])
	d.received = received.State
	if unproven {
		d.goesOn = received.Origin
	}
	anyMode := TermsFor(in.Policy, in.Cause).StatePreservation.InjectWhenNotDirectly
	d.next = func(mode purge.Mode, state preservation.State) []preservation.State {
		labels, rest := state.Split()
		// Nothing is newer than this task, so nobody asks what ran before it.
		tasks := append(slices.Clone(in.Tasks), eviction.Task{
			FromCluster: in.Cluster, PurgeMode: mode, PreservedLabelState: labels, PreservedState: rest,
		})
		var out []preservation.State
		for _, carried := range Carry(tasks, in.LastHealthy) {
			if anyMode || injects(carried.Mode) {
				out = append(out, carried.State)
			}
		}
		return out
	}
	return d.prepare()
}

// departure is one cluster to leave, with what is known of its copy.
type departure struct {
	PrepareInput
	// goesOn is the origin of a state that the copy received and was not healthy with:
	// that state goes on, and the copy is not asked (F6). Empty = it is.
	goesOn string
	// received is the state that the copy received; empty = none, or not known.
	received preservation.State
	// absent says that no copy was ever let start there, so that there is nobody to ask.
	absent bool
	// next are the states that wait for a copy once this one has left with a state.
	next func(mode purge.Mode, state preservation.State) []preservation.State
}

func (d departure) prepare() (Preparation, error) {
	p := Preparation{Cluster: d.Cluster}
	if !slices.Contains(targetNames(d.Targets), d.Cluster) {
		return p.notTarget(d.Tasks), nil
	}
	reason, err := reasonOf(d.Cause)
	if err != nil {
		return p.block(InvalidCause, err)
	}
	if err := joined(Validate(d.Policy, d.Protection, field.NewPath("failover"))); err != nil {
		return p.block(InvalidPolicy, err)
	}
	terms := TermsFor(d.Policy, d.Cause)
	p.Reason = reason
	p.Message = fmt.Sprintf("the application leaves %s with purge mode %s", d.Cluster, terms.Mode)
	p.Warnings = termWarnings(d.PrepareInput, terms)
	p, state, err := d.collect(p, terms)
	if err != nil {
		return p.block(MissingState, err)
	}
	if err := d.trial(terms, state); err != nil {
		return p.block(InjectionRefused, err)
	}
	labels, rest := state.Split()
	leave := eviction.Eviction{
		FromCluster: d.Cluster, PurgeMode: terms.Mode, Reason: string(reason),
		Message: cmp.Or(d.Message, p.Message), Producer: d.Producer,
		GracePeriodSeconds: terms.GracePeriodSeconds, PreservedLabelState: labels, PreservedState: rest,
		LastHealthy: d.LastHealthy[d.Cluster],
	}
	if err := joined(eviction.Validate(leave, field.NewPath("eviction"))); err != nil {
		return p.block(InvalidEviction, err)
	}
	p.Outcome, p.Eviction = Evict, leave
	return p, nil
}

// targetNames are sorted, each once, without empty ones.
func targetNames(targets []eviction.TargetCluster) []string {
	names := make([]string, 0, len(targets))
	for _, target := range targets {
		if target.Name != "" {
			names = append(names, target.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// joined keeps each error within reach of errors.As, which the aggregate of
// apimachinery does not.
func joined(list field.ErrorList) error {
	errs := make([]error, 0, len(list))
	for _, err := range list {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (p Preparation) notTarget(tasks []eviction.Task) Preparation {
	evicting := slices.ContainsFunc(tasks, func(t eviction.Task) bool { return t.FromCluster == p.Cluster })
	if evicting {
		p.Outcome, p.Reason = AlreadyEvicting, UnderEviction
		p.Message = "the application is leaving " + p.Cluster + " already"
		return p
	}
	p.Outcome, p.Reason, p.Message = None, NotTarget, "the application is not on "+p.Cluster
	return p
}

func (p Preparation) block(reason Reason, err error) (Preparation, error) {
	p.Outcome, p.Reason = Blocked, reason
	p.Message = strings.ReplaceAll(err.Error(), "\n", "; ")
	return p, err
}

// reasonOf is the reason of the task, too.
func reasonOf(cause preservation.Cause) (Reason, error) {
	switch cause {
	case preservation.Application:
		return ApplicationFailure, nil
	case preservation.Cluster:
		return TaintUntolerated, nil
	case preservation.Planned:
		return PlannedMove, nil
	default:
		known := []preservation.Cause{preservation.Application, preservation.Cluster, preservation.Planned}
		return "", field.NotSupported(field.NewPath("cause"), cause, known)
	}
}

// termWarnings tells what the policy leaves out for this cause.
func termWarnings(in PrepareInput, terms Terms) []Warning {
	var out []Warning
	if !terms.Configured {
		out = append(out, Warning{
			Cluster: in.Cluster, Reason: NoPolicy,
			Message: fmt.Sprintf("the policy says nothing for the cause %s: Gracefully, and nothing is carried", in.Cause),
		})
	}
	application := TermsFor(in.Policy, preservation.Application)
	if len(terms.StatePreservation.Rules) == 0 && len(application.StatePreservation.Rules) > 0 {
		out = append(out, Warning{
			Cluster: in.Cluster, Reason: RulesOnlyUnderApplication,
			Message: "rules stand only under application: the cluster failed, so nothing is carried",
		})
	}
	return out
}

// collect extracts what goes along. The error joins what blocks.
func (d departure) collect(p Preparation, terms Terms) (Preparation, preservation.State, error) {
	extractor, err := preservation.Compile(terms.StatePreservation, d.Protection)
	if err != nil {
		return p, preservation.State{}, err // Validate passed it: cannot happen, and must not be dropped
	}
	if d.absent {
		return p.warn(NoCopyToAsk, "no copy was started on "+d.Cluster+": it has no state of its own"), preservation.State{}, nil
	}
	extraction, missing := extractor.Extract(sourcesOf(d.PrepareInput))
	p.RuleErrors = extraction.Errors
	if d.goesOn != "" {
		extraction.State = preservation.State{}
		whose := d.Cluster + " received the state of " + d.goesOn
		if d.goesOn == d.Cluster {
			whose = d.Cluster + " was left with a state before"
		}
		p = p.warn(SourceNotAsked, whose+" and is not known to have been healthy since: what it reports is left out")
	}
	if p.Age = d.age(terms, extraction); p.Age != nil {
		p.NextCheck = purge.NextCheck(p.Age.NextCheck)
	}
	if err := d.ageError(p.Age); err != nil {
		p = p.warn(StateTooOld, err.Error())
		if requires(terms.StatePreservation.Rules) {
			missing = errors.Join(missing, err)
		}
		extraction.State = preservation.State{} // all of it is of that time
	}
	if missing != nil && d.goesOn == "" && terms.injects() {
		return d.without(p, terms, extraction, missing)
	}
	return p.incomplete(extraction.Errors), extraction.State, nil
}

func requires(rules []preservation.Rule) bool {
	return slices.ContainsFunc(rules, func(r preservation.Rule) bool { return r.Policy != preservation.Optional })
}

func (t Terms) injects() bool {
	return t.Mode == purge.Directly || t.StatePreservation.InjectWhenNotDirectly
}

// without is what the policy says about missing state (F6).
func (d departure) without(p Preparation, terms Terms, found preservation.Extraction, missing error) (Preparation, preservation.State, error) {
	sp := terms.StatePreservation
	over, check := d.deadline(sp)
	previous := !d.received.IsEmpty() && (over || sp.OnMissingState == preservation.UsePrevious)
	switch {
	case previous:
		p.Reason = PreviousStateUsed
		p.Message += ": its state is missing, and the state that it received goes along"
	case over || sp.OnMissingState == preservation.EvictWithout:
		p.Reason = EvictedWithoutState
		p.Message += ": a Required value is missing and does not go along"
	default:
		p.NextCheck = p.NextCheck.Or(check)
		return p.incomplete(optional(found.Errors)), preservation.State{}, missing
	}
	if over && (!previous || sp.OnMissingState != preservation.UsePrevious) {
		p.Reason = MissingStateDeadline
	}
	p = p.warn(WarningReason(p.Reason), p.Message).incomplete(found.Errors)
	if previous {
		return p, *d.received.DeepCopy(), nil
	}
	return p, found.State, nil
}

// optional are the errors that block nothing (S10).
func optional(errs []*preservation.RuleError) []*preservation.RuleError {
	return slices.DeleteFunc(slices.Clone(errs), func(e *preservation.RuleError) bool { return e.Policy != preservation.Optional })
}

// deadline says whether missing state has blocked for long enough, and else when it
// will have (F6). Without a time nothing ends, and EvictWithout waits for nothing.
func (d departure) deadline(sp preservation.StatePreservation) (bool, purge.NextCheck) {
	if sp.MissingStateDeadlineSeconds == nil || sp.OnMissingState == preservation.EvictWithout || d.Now.IsZero() {
		return false, purge.NextCheck{}
	}
	since := d.BlockedSince
	if since.IsZero() || since.After(d.Now) {
		since = d.Now
	}
	end := since.UTC().Truncate(time.Second).Add(time.Duration(*sp.MissingStateDeadlineSeconds) * time.Second)
	if d.Now.Before(end) {
		return false, purge.CheckAt(end, d.Now)
	}
	return true, purge.NextCheck{}
}

func (p Preparation) warn(reason WarningReason, message string) Preparation {
	p.Warnings = append(slices.Clip(p.Warnings), Warning{Cluster: p.Cluster, Reason: reason, Message: message})
	return p
}

func (p Preparation) incomplete(errs []*preservation.RuleError) Preparation {
	for _, err := range errs {
		p = p.warn(StateIncomplete, err.Error())
	}
	return p
}

// sourcesOf are the documents that rules may read.
func sourcesOf(in PrepareInput) preservation.Sources {
	move := preservation.FailoverAt(in.Cause, in.Cluster, in.Attempt, in.Now)
	return preservation.Sources{
		Cluster: in.Cluster, Status: statusOf(in.Items, in.Cluster), Object: in.Object,
		Failover: &move, Named: in.Documents,
	}
}

// statusOf finds the status of a cluster. Items that contradict each other are
// unreadable: none of them is taken for the truth (L6).
func statusOf(items []eviction.AggregatedStatusItem, cluster string) preservation.Document {
	var raw []byte
	for _, item := range items {
		if item.ClusterName != cluster || item.Status == nil || len(item.Status.Raw) == 0 {
			continue
		}
		if raw != nil && !bytes.Equal(raw, item.Status.Raw) {
			return preservation.UnreadableDocument("several items of the cluster hold different statuses")
		}
		raw = item.Status.Raw
	}
	return preservation.RawDocument(raw)
}

// trial injects into the template what the next copy would receive (I2).
func (d departure) trial(terms Terms, state preservation.State) error {
	if d.Template == nil || !terms.injects() {
		return nil
	}
	options := d.Injection
	options.Cluster = "" // a template belongs to none
	options.Protection.Domains = slices.Concat(options.Protection.Domains, d.Protection.Domains)
	options.Protection.Keys = slices.Concat(options.Protection.Keys, d.Protection.Keys)
	var errs []error
	for _, next := range d.next(terms.Mode, state) {
		_, _, err := preservation.Inject(d.Template, next, options)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
