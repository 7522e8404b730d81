package main

import (
	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

const (
	normal  = "Normal"
	warning = "Warning"
)

// events are the transitions that this run makes; what stays as it is has none.
func (d *dryRun) events() []event {
	var out []event
	for _, result := range d.evicted {
		if result.Outcome == eviction.Added || result.Outcome == eviction.Merged {
			out = append(out, d.evictedEvent(result))
		}
	}
	for _, verdict := range d.assessment.Decisions {
		if verdict.Outcome == eviction.Finish {
			out = append(out, event{
				Type: normal, Reason: string(verdict.Reason), cluster: verdict.FromCluster,
				Message: oneLine("the eviction of " + verdict.FromCluster + " has ended: " + verdict.Message),
			})
		}
		if verdict.Reason == purge.FencedCopyReturned {
			out = append(out, event{
				Type: warning, Reason: string(verdict.Reason), cluster: verdict.FromCluster,
				Message: oneLine(verdict.FromCluster + ": " + verdict.Message),
			})
		}
	}
	return sortEvents(out)
}

func (d *dryRun) evictedEvent(result eviction.Result) event {
	outcome := d.outcomes[result.FromCluster]
	e := event{Type: warning, Reason: outcome.Reason, cluster: result.FromCluster, Message: outcome.Message}
	if d.opts.cause == preservation.Planned {
		e.Type = normal
	}
	if result.Outcome == eviction.Merged {
		e.Message += "; " + result.Message
	}
	return e
}
