package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// classUnknownField marks a field of a rule that is not known: what it was meant
// to change would not happen.
const classUnknownField = "UnknownField"

// rulePath finds the block and the index of the rule in the path of a field.
var rulePath = regexp.MustCompile(`^spec\.failover\.(application|cluster)\.statePreservation\.rules\[(\d+)\]`)

// policyProblems are all errors of a policy. None means that it may be used.
func policyProblems(b failover.Behavior, unknown []string) []problem {
	var out []problem
	for _, e := range failover.Validate(b, preservation.KarmadaProtection(), policyPath()) {
		out = append(out, fieldProblem("", b, e))
	}
	for _, path := range unknown {
		if !rulePath.MatchString(path) {
			continue
		}
		p := problem{
			Field: path, Class: classUnknownField,
			Message: "this field of a rule is not known: without it the rule would mean something else",
		}
		p.Rule, p.Alias = ruleAt(b, path)
		out = append(out, p)
	}
	return out
}

// policyNotices are what is valid in a policy and yet worth a word.
func policyNotices(b failover.Behavior, unknown []string) []notice {
	var out []notice
	for _, w := range failover.Warnings(b, policyPath()) {
		out = append(out, noticeOf(w))
	}
	for _, path := range unknown {
		if strings.HasPrefix(path, "spec.failover.") && !rulePath.MatchString(path) {
			out = append(out, notice{Field: path, Reason: classUnknownField, Message: "this field is not known and changes nothing"})
		}
	}
	if a := b.Application; a != nil {
		out = append(out, oldName(a.PurgeMode, notice{Field: policyPath().Child("application", "purgeMode").String()})...)
	}
	if c := b.Cluster; c != nil {
		out = append(out, oldName(c.PurgeMode, notice{Field: policyPath().Child("cluster", "purgeMode").String()})...)
	}
	return out
}

func policyPath() *field.Path { return field.NewPath("spec", "failover") }

func noticeOf(w failover.Warning) notice {
	return notice{Field: w.Field, Cluster: w.Cluster, Reason: string(w.Reason), Message: w.Message}
}

// oldName tells where a mode has the name of an older release.
func oldName(mode purge.Mode, n notice) []notice {
	now, old := renamed(mode)
	if !old {
		return nil
	}
	n.Reason = "OldModeName"
	n.Message = fmt.Sprintf("%s is an old name of %s, which tasks are written with", mode, now)
	return []notice{n}
}

// renamed returns the new name of a mode that has an old one.
func renamed(mode purge.Mode) (purge.Mode, bool) {
	now, err := purge.Normalize(mode)
	return now, err == nil && mode != "" && now != mode
}

// ruleAt finds the rule that a path is about, from 0; nil = none.
func ruleAt(b failover.Behavior, path string) (*int, string) {
	match := rulePath.FindStringSubmatch(path)
	if match == nil {
		return nil, ""
	}
	index, err := strconv.Atoi(match[2])
	if err != nil {
		return nil, ""
	}
	rules := rulesOf(b, match[1])
	if index >= len(rules) {
		return &index, ""
	}
	return &index, rules[index].AliasLabelName
}

func rulesOf(b failover.Behavior, block string) []preservation.Rule {
	var sp *preservation.StatePreservation
	switch {
	case block == "application" && b.Application != nil:
		sp = b.Application.StatePreservation
	case block == "cluster" && b.Cluster != nil:
		sp = b.Cluster.StatePreservation
	}
	if sp == nil {
		return nil
	}
	return sp.Rules
}

// block is the part of the policy that speaks for a cause.
func block(cause preservation.Cause) string {
	if cause == preservation.Cluster {
		return "cluster"
	}
	return "application"
}

// checkInput finds what is wrong or strange before anything is decided.
func (d *dryRun) checkInput() {
	spec := d.in.binding.Spec
	d.problems = policyProblems(spec.Failover, d.in.unknown)
	d.usable = len(d.problems) == 0
	d.problems = append(d.problems, d.in.stored.problems...)
	d.notices = append(policyNotices(spec.Failover, d.in.unknown), d.in.stored.notices...)
	for i, task := range spec.Tasks {
		path := fmt.Sprintf("spec.gracefulEvictionTasks[%d].purgeMode", i)
		d.notices = append(d.notices, oldName(task.PurgeMode, notice{Field: path, Cluster: task.FromCluster})...)
	}
	at := field.NewPath("spec", "placement", "clusterTolerations")
	for _, e := range failover.ValidateTolerations(spec.Placement.ClusterTolerations, at) {
		d.notices = append(d.notices, notice{Field: e.Field, Reason: string(failover.InvalidToleration), Message: oneLine(e.ErrorBody())})
	}
}

// checkFlags warns of what was given and nobody needs.
func (d *dryRun) checkFlags() {
	b := d.in.binding
	rules := append(rulesOf(b.Spec.Failover, "application"), rulesOf(b.Spec.Failover, "cluster")...)
	for name := range d.in.documents {
		if !slices.ContainsFunc(rules, func(rule preservation.Rule) bool { return string(rule.From) == name }) {
			d.warn("", "UnusedDocument", "--from gives the document "+name+", which no rule reads")
		}
	}
	if d.in.manifest == nil && d.in.manifests > 0 {
		d.warn("", "NoManifest", fmt.Sprintf("%d manifests were given and none is the one that spec.resource names", d.in.manifests))
	}
	moved := func(cluster string) bool {
		return hasTask(b.Spec.Tasks, cluster) || slices.Contains(d.opts.evict, cluster) ||
			slices.ContainsFunc(d.out.Record.Moves, func(m failover.Move) bool { return m.From == cluster })
	}
	for cluster := range d.in.taints {
		if !isTarget(b.Spec.Clusters, cluster) && !slices.Contains(d.opts.to, cluster) && !moved(cluster) {
			d.warn(cluster, "UnusedCluster", "the document of this cluster is not needed: nothing of the application is or was there")
		}
	}
	for _, cluster := range d.opts.evict {
		if !isTarget(b.Spec.Clusters, cluster) && !hasTask(b.Spec.Tasks, cluster) {
			d.warn(cluster, "NothingToEvict", "--evict names a cluster that is neither a target nor under eviction")
		}
	}
	for cluster := range d.opts.legacy {
		if !moved(cluster) {
			d.warn(cluster, "NotUnderEviction", "--legacy names a cluster that is not under eviction")
		}
	}
}
