package main

import (
	"errors"
	"slices"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// The reasons of this program for not leaving a cluster that Plan would leave,
// beside InvalidPolicy.
const (
	// reasonTooLarge means that the annotation of the binding has no room for the
	// state of one more task.
	reasonTooLarge = failover.Reason(preservation.TooLarge)
	// reasonBadState means that state is there and nobody knows which.
	reasonBadState = failover.Reason(preservation.BadState)
)

func refusedHere(reason failover.Reason) bool {
	return slices.Contains([]failover.Reason{failover.InvalidPolicy, reasonTooLarge, reasonBadState}, reason)
}

const invalidPolicy = "the policy is invalid: see the errors"

// refuse blocks what Plan would evict and what would lose state: under a policy that
// is not understood, and where the state cannot be stored. True says that it blocked
// some.
func (d *dryRun) refuse() bool {
	const unreadable = "preserved state cannot be read, and writing more would lose it: see the errors"
	var leaving []eviction.Task
	refused := false
	for i := range d.decisions {
		one := &d.decisions[i]
		due := one.Outcome == failover.Evict
		block := func(reason failover.Reason, message string) {
			one.Outcome, one.Reason, one.Message, one.NextCheck = failover.Blocked, reason, message, purge.NextCheck{}
			refused = refused || due
		}
		switch {
		case one.Reason == failover.InvalidPolicy:
			one.Message = invalidPolicy // the errors have other paths than Plan gave them
		case !d.usable && (due || one.NextCheck.OK):
			block(failover.InvalidPolicy, invalidPolicy)
		case (due || one.Outcome == failover.Blocked) && d.unreadable():
			block(reasonBadState, unreadable)
		case due:
			task, _ := find(d.out.Tasks, func(t eviction.Task) bool { return t.FromCluster == one.Cluster })
			if err := d.in.checkRoom(append(slices.Clip(leaving), task)); err != nil {
				block(reasonTooLarge, err.Error())
				d.problems = append(d.problems, problemsOf(one.Cluster, d.asked.Policy, one.Cause, err)...)
				continue
			}
			leaving = append(leaving, task)
		}
	}
	return refused
}

// unreadable says that state is there and nobody knows which.
func (d *dryRun) unreadable() bool { return len(d.in.stored.problems) > 0 }

// blame says what Plan found to block, cluster by cluster. What is wrong for all of
// them was said before.
func (d *dryRun) blame(err error) {
	var all interface{ Unwrap() []error }
	if !errors.As(err, &all) {
		return
	}
	for _, one := range all.Unwrap() {
		var blocked *failover.ClusterError
		if !errors.As(one, &blocked) {
			d.problems = append(d.problems, problemsOf("", d.asked.Policy, "", one)...)
			continue
		}
		verdict, _ := find(d.decisions, func(v failover.Decision) bool { return v.Cluster == blocked.Cluster })
		if !refusedHere(verdict.Reason) {
			d.problems = append(d.problems, problemsOf(blocked.Cluster, d.asked.Policy, verdict.Cause, blocked.Err)...)
		}
	}
}
