package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
)

// deliver writes the manifest for every target that may have one, with the state
// that Plan gives it, and nothing for the others.
func (d *dryRun) deliver() {
	for _, placed := range d.out.Placements {
		out := d.injection(placed)
		d.injections = append(d.injections, out)
		if out.Reason != string(placed.Reason) { // what Plan allowed did not happen
			d.events = slices.DeleteFunc(d.events, func(e failover.Event) bool {
				return e.Cluster == placed.Cluster && e.Reason == string(placed.Reason)
			})
		}
	}
	blocked, _ := d.firstBlocked()
	for _, cluster := range d.apart {
		d.injections = append(d.injections, injection{
			Cluster: cluster, Action: string(failover.Hold), Reason: string(blocked.Reason), Written: []written{},
			message: "held because leaving " + blocked.Cluster + " is blocked",
		})
	}
}

func (d *dryRun) injection(placed failover.Placement) injection {
	inject, apply := placed.State != nil, placed.Action == failover.Apply
	out := injection{
		Cluster: placed.Cluster, Action: string(placed.Action), Injected: inject, Reason: string(placed.Reason),
		Written: []written{}, message: oneLine(placed.Message),
	}
	switch {
	case d.unreadable() && apply && (inject || !d.runsOn(placed.Cluster)):
		out.hold(string(preservation.BadState), "held because state is preserved and cannot be read: the copy would start without it")
	case inject && d.in.manifest == nil:
		out.hold("NoManifest", "there is no manifest to write the state of "+placed.Origin+" into")
		d.warn(placed.Cluster, out.Reason, out.message)
	case inject:
		d.inject(&out, placed)
	case apply && d.in.manifest != nil:
		out.Manifest = d.in.manifest.Object
	}
	return out
}

// hold is for what the gates let through and the manifest does not: an error is
// never "go on without".
func (i *injection) hold(reason, message string) {
	i.Action, i.Injected, i.Reason, i.message = string(failover.Hold), false, reason, message
}

func (d *dryRun) inject(out *injection, placed failover.Placement) {
	manifest, report, err := preservation.Inject(d.in.manifest, *placed.State, preservation.InjectOptions{
		Protection: d.asked.Host.Protection, Cluster: placed.Cluster,
	})
	if err != nil {
		out.hold(string(failover.InjectionRefused), oneLine(err.Error()))
		d.problems = append(d.problems, problemsOf(placed.Cluster, d.asked.Policy, d.causeOf(placed.Attempt), err)...)
		return
	}
	out.Manifest = manifest.Object
	for _, change := range report.Changes {
		if change.Effect == preservation.Kept {
			d.warn(placed.Cluster, string(change.Effect), fmt.Sprintf(
				"%s %s holds another value, which its rule keeps", strings.ToLower(string(change.Target)), change.Key))
			continue
		}
		out.Written = append(out.Written, written{
			Target: string(change.Target), Key: change.Key, Replaced: change.Effect == preservation.Replaced,
		})
	}
	if len(out.Written) == 0 {
		out.Injected, out.Reason = false, string(preservation.Kept)
		out.message = "the manifest holds other values, and the rules keep them all: the state of " + placed.Origin + " stays behind"
	}
}

// causeOf says whose rules a state was collected by.
func (d *dryRun) causeOf(attempt int64) preservation.Cause {
	i := slices.IndexFunc(d.out.Record.Moves, func(m failover.Move) bool { return m.Attempt == attempt })
	if i < 0 || d.out.Record.Moves[i].Cause == "" {
		return d.opts.cause
	}
	return d.out.Record.Moves[i].Cause
}
