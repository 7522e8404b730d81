package failover

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// WarningReason is the stable, machine-readable kind of a warning (L7).
type WarningReason string

const (
	// NeverInjected means that rules collect state which the purge mode never
	// injects (I1).
	NeverInjected WarningReason = "NeverInjected"
	// InjectedBesideOldCopy means that a new copy receives the state under a purge
	// mode that does not wait for the old one, which may run on with it (I1).
	InjectedBesideOldCopy WarningReason = "InjectedBesideOldCopy"
	// RulesOnlyUnderApplication means that a failing cluster moves the
	// application without the state that a failing application would carry (F10).
	RulesOnlyUnderApplication WarningReason = "RulesOnlyUnderApplication"
	// NoRules means that statePreservation is there and asks for nothing.
	NoRules WarningReason = "NoRules"
	// NoStateTime means that a maximal age of state stands without the path to its
	// time: unless the host knows it, all state is of unknown age and counts as
	// missing (R2).
	NoStateTime WarningReason = "NoStateTime"
	// DeadlineUnused means that missing state has a deadline and blocks nothing (F6).
	DeadlineUnused WarningReason = "DeadlineUnused"
	// NothingToInherit means that a cluster block inherits a statePreservation that is
	// not there: nothing is carried (F10).
	NothingToInherit WarningReason = "NothingToInherit"
	// ShortInitialToleration means that an application which still starts is given up
	// sooner than one that worked (F3).
	ShortInitialToleration WarningReason = "ShortInitialToleration"
	// WaitUnused means that a time is given which the purge mode never asks for (P5,
	// P6).
	WaitUnused WarningReason = "WaitUnused"
	// NoPolicy means that the policy has no block for the cause of a failover
	// (F10).
	NoPolicy WarningReason = "NoPolicy"
	// StateTooOld means that the state is not fresh enough to go along (R2).
	StateTooOld WarningReason = "StateTooOld"
	// NoCopyToAsk means that a cluster is left on which no copy was started: nothing but
	// what was carried before goes on (F6).
	NoCopyToAsk WarningReason = "NoCopyToAsk"
	// SeveralOrigins means that the states of several moves wait for a copy, and differ
	// (F9).
	SeveralOrigins WarningReason = "SeveralOrigins"
	// PartialMove means that state waits for a copy while the application has several
	// targets (F9).
	PartialMove WarningReason = "PartialMove"
	// UnusableInput means that Plan cannot use the record, or the time (F1, L2).
	UnusableInput WarningReason = "UnusableInput"
	// InvalidRequest means that a request asks for something unknown (L6).
	InvalidRequest WarningReason = "InvalidRequest"
	// OutdatedRequest means that an eviction was asked for before the application came to
	// the cluster: it was about an earlier stay (F12).
	OutdatedRequest WarningReason = "OutdatedRequest"
	// WithdrawRefused means that a request to withdraw is refused (E11).
	WithdrawRefused WarningReason = "WithdrawRefused"
	// StartedWithoutState means that a copy starts without a carried Required value,
	// since the policy says so (F6).
	StartedWithoutState WarningReason = "StartedWithoutState"
	// SourceNotAsked means that a cluster was not healthy since it received state:
	// that state goes on, and what the cluster reports does not (F6).
	SourceNotAsked WarningReason = "SourceNotAsked"
	// StateIncomplete means that a rule gave no value and that this blocks
	// nothing: the rule is Optional, or the mode never injects (S10, F6).
	StateIncomplete WarningReason = "StateIncomplete"
)

// Warning is something valid that will disappoint (L7).
//
// +kubebuilder:object:generate=true
type Warning struct {
	// Field is the path in the policy; empty where there is none.
	Field string `json:"field,omitempty"`
	// Cluster concerned; empty where there is none.
	Cluster string `json:"cluster,omitempty"`
	// Reason is never empty.
	Reason WarningReason `json:"reason"`
	// Message says the same to people, without any collected value.
	Message string `json:"message"`
}

// Warnings returns what is valid in a policy and yet will disappoint (L7), sorted
// by field:
//
//  1. NoRules: a statePreservation without rules; nothing else is said of it.
//  2. Of rules under a purge mode other than Directly (I1): InjectedBesideOldCopy
//     with injectWhenNotDirectly, else NeverInjected. A text that is no mode is left
//     to [Validate].
//  3. DeadlineUnused: missingStateDeadlineSeconds with onMissingState EvictWithout,
//     which waits for nothing (F6).
//  4. NoStateTime: maxStateAgeSeconds without takenAt (R2, R4).
//  5. RulesOnlyUnderApplication: rules under application and none under a cluster
//     block that is there (F10).
//  6. Of inheritStatePreservation: NothingToInherit without an application block, or
//     without a statePreservation in it (F10), else rule 2 for the mode of the cluster
//     block. What rules 1, 3 and 4 say of the state is said once, under application.
//  7. ShortInitialToleration: initialTolerationSeconds below tolerationSeconds, which
//     is 300 if it is nil (F3).
//  8. WaitUnused: soakSeconds, other than 0, under a mode other than Gracefully (P6), and
//     fencingDeadlineSeconds under a mode other than Directly (P5).
//
// It reads policies before and after [Default] alike. Path may be nil; the result
// is nil if nothing disappoints, and shares nothing with the policy.
func Warnings(b Behavior, path *field.Path) []Warning {
	if path == nil {
		return warningsUnder(b, "")
	}
	return warningsUnder(b, path.String()+".")
}

// warningsUnder are those of a policy whose fields are named after prefix.
func warningsUnder(b Behavior, prefix string) []Warning {
	var out []Warning
	if a := b.Application; a != nil {
		out = append(out, conditionWarnings(a.DecisionConditions, "application.decisionConditions")...)
		out = append(out, stateWarnings(a.PurgeMode, a.StatePreservation, "application.statePreservation")...)
		out = append(out, waitWarnings(a.PurgeMode, a.Waits, "application")...)
	}
	if c := b.Cluster; c != nil {
		out = append(out, stateWarnings(c.PurgeMode, c.StatePreservation, "cluster.statePreservation")...)
		out = append(out, inheritanceWarnings(b, "cluster")...)
		out = append(out, waitWarnings(c.PurgeMode, c.Waits, "cluster")...)
	}
	for i := range out {
		out[i].Field = prefix + out[i].Field
	}
	slices.SortStableFunc(out, func(a, b Warning) int { return cmp.Compare(a.Field, b.Field) })
	return out
}

func conditionWarnings(d DecisionConditions, at string) []Warning {
	toleration := *orDefault(d.TolerationSeconds, DefaultTolerationSeconds)
	if d.InitialTolerationSeconds == nil || *d.InitialTolerationSeconds >= toleration {
		return nil
	}
	return []Warning{{
		Field: at + ".initialTolerationSeconds", Reason: ShortInitialToleration,
		Message: fmt.Sprintf("an application that still starts is given up sooner than one that worked, which has %d seconds", toleration),
	}}
}

// waitWarnings are about times that the mode never asks for. A soak of 0 is no time
// under any mode.
func waitWarnings(mode purge.Mode, w Waits, at string) []Warning {
	normal, err := purge.Normalize(mode)
	if err != nil {
		return nil
	}
	var out []Warning
	unused := func(name string, of purge.Mode) {
		out = append(out, Warning{
			Field: at + "." + name, Reason: WaitUnused,
			Message: fmt.Sprintf("only %s uses it, and the purge mode is %s", of, normal),
		})
	}
	if w.SoakSeconds != nil && *w.SoakSeconds != 0 && normal != purge.Gracefully {
		unused("soakSeconds", purge.Gracefully)
	}
	if w.FencingDeadlineSeconds != nil && normal != purge.Directly {
		unused("fencingDeadlineSeconds", purge.Directly)
	}
	return out
}

// inheritanceWarnings are about what stands in one block and is missed in the other.
// The cluster block is there.
func inheritanceWarnings(b Behavior, at string) []Warning {
	if b.Cluster.InheritStatePreservation {
		at += ".inheritStatePreservation"
		if b.Application == nil || b.Application.StatePreservation == nil {
			return []Warning{{
				Field: at, Reason: NothingToInherit,
				Message: "there is no statePreservation under application: nothing is carried",
			}}
		}
		return injectionWarnings(b.Cluster.PurgeMode, *b.Application.StatePreservation, at, "", "")
	}
	if b.Application == nil || ruleCount(b.Application.StatePreservation) == 0 || ruleCount(b.Cluster.StatePreservation) > 0 {
		return nil
	}
	return []Warning{{
		Field: at + ".statePreservation", Reason: RulesOnlyUnderApplication,
		Message: "rules stand only under application: when the cluster fails, nothing is carried",
	}}
}

// stateWarnings are about a block's own statePreservation; nil = none.
func stateWarnings(mode purge.Mode, sp *preservation.StatePreservation, at string) []Warning {
	if sp == nil {
		return nil
	}
	if len(sp.Rules) == 0 {
		return []Warning{{Field: at + ".rules", Reason: NoRules, Message: "there are no rules: nothing is carried"}}
	}
	out := injectionWarnings(mode, *sp, at, ".rules", ".injectWhenNotDirectly")
	if sp.MissingStateDeadlineSeconds != nil && sp.OnMissingState == preservation.EvictWithout {
		out = append(out, Warning{
			Field: at + ".missingStateDeadlineSeconds", Reason: DeadlineUnused,
			Message: "EvictWithout waits for nothing, so the deadline changes nothing",
		})
	}
	if sp.MaxStateAgeSeconds != nil && sp.TakenAt == "" {
		out = append(out, Warning{
			Field: at + ".maxStateAgeSeconds", Reason: NoStateTime,
			Message: "without takenAt no state has an age, unless the host knows it, and counts as missing",
		})
	}
	return out
}

// injectionWarnings tell what becomes of state under the mode, at the field that is to
// blame.
func injectionWarnings(mode purge.Mode, sp preservation.StatePreservation, at, rules, inject string) []Warning {
	normal, err := purge.Normalize(mode)
	switch {
	case err != nil || normal == purge.Directly || len(sp.Rules) == 0:
		return nil
	case sp.InjectWhenNotDirectly:
		return []Warning{{
			Field: at + inject, Reason: InjectedBesideOldCopy,
			Message: "with purge mode " + string(normal) + " the old copy may run on with the state that the new one receives: only for state that is read",
		}}
	default:
		return []Warning{{
			Field: at + rules, Reason: NeverInjected,
			Message: "with purge mode " + string(normal) + " the state is collected and never injected: use Directly",
		}}
	}
}

func ruleCount(sp *preservation.StatePreservation) int {
	if sp == nil {
		return 0
	}
	return len(sp.Rules)
}
