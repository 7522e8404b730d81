package karmada

import (
	"time"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	workv1alpha1 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// Producer is what tasks say in their field of that name.
const Producer = "carryover"

// Observed is what a controller knows beside the binding.
type Observed struct {
	// Now is required.
	Now time.Time
	// Revision names the release that runs, such as the generation of the template.
	Revision string
	// Clusters are the members. One that is not among them is unknown.
	Clusters []clusterv1alpha1.Cluster
	// Works are those of the binding: those with its permanent-id label, in any
	// namespace.
	Works []workv1alpha1.Work
	// Fenced are the clusters whose copy cannot act, as an administrator or a fencing
	// system says.
	Fenced map[string]bool
	// Requests of people, from wherever they are written down.
	Requests []failover.Request
	// Template is the resource template, for the trial injection; nil = no trial.
	Template *unstructured.Unstructured
	// ClusterPurgeMode is for policies without a cluster block, as Karmada's flag
	// no-execute-taint-eviction-purge-mode; empty = such applications stay.
	ClusterPurgeMode purge.Mode
}

// Stored is what a binding holds.
type Stored struct {
	Policy  failover.Behavior
	Targets []eviction.TargetCluster
	Tasks   []eviction.Task
	Items   []eviction.AggregatedStatusItem
	Record  failover.Record
}

// Read takes a binding apart. It is the inverse of Output and of SetPolicy.
func Read(rb *workv1alpha2.ResourceBinding) (Stored, error) {
	var out Stored
	var k kept
	if err := decode(rb, KeptAnnotation, &k); err != nil {
		return out, err
	}
	if err := decode(rb, RecordAnnotation, &out.Record); err != nil {
		return out, err
	}
	if err := out.Record.Check(); err != nil {
		return out, err
	}
	var err error
	if out.Policy, err = readPolicy(rb, k); err != nil {
		return out, err
	}
	for _, stored := range rb.Spec.Clusters {
		known, found := k.Targets[stored.Name]
		target, err := restore(stored, known, found)
		if err != nil {
			return out, err
		}
		out.Targets = append(out.Targets, target)
	}
	if out.Tasks, err = readTasks(rb, k); err != nil {
		return out, err
	}
	out.Items, err = into[[]eviction.AggregatedStatusItem](rb.Status.AggregatedStatus)
	return out, err
}

func readPolicy(rb *workv1alpha2.ResourceBinding, k kept) (failover.Behavior, error) {
	if k.Policy != nil && current(rb, *k.Policy) {
		return *k.Policy, nil
	}
	return into[failover.Behavior](rb.Spec.Failover)
}

func readTasks(rb *workv1alpha2.ResourceBinding, k kept) ([]eviction.Task, error) {
	preserved, err := states(rb)
	if err != nil {
		return nil, err
	}
	var out []eviction.Task
	for _, stored := range rb.Spec.GracefulEvictionTasks {
		task, err := into[eviction.Task](stored)
		if err != nil {
			return nil, err
		}
		key := taskKey(task)
		known, found := k.Tasks[key]
		if task, err = restore(stored, known, found); err != nil {
			return nil, err
		}
		if state, found := preserved[key]; found {
			task.PreservedState = &state
		}
		out = append(out, task)
	}
	return out, nil
}

// Input is all that Plan looks at.
func Input(rb *workv1alpha2.ResourceBinding, o Observed) (failover.PlanInput, error) {
	stored, err := Read(rb)
	if err != nil {
		return failover.PlanInput{}, err
	}
	facts, err := facts(rb, o)
	if err != nil {
		return failover.PlanInput{}, err
	}
	in := failover.PlanInput{
		Policy: stored.Policy, Now: o.Now, Producer: Producer, Revision: o.Revision,
		Targets: stored.Targets, Tasks: stored.Tasks, Items: stored.Items,
		Scheduled:       rb.Status.SchedulerObservedGeneration == rb.Generation,
		DesiredReplicas: desiredReplicas(rb, stored.Targets),
		Clusters:        facts, Requests: o.Requests, Template: o.Template, Record: stored.Record,
		Host: failover.HostOptions{
			ClusterPurgeMode: o.ClusterPurgeMode, DropOnPurge: true, Protection: preservation.KarmadaProtection(),
		},
	}
	if rb.Spec.Placement != nil {
		in.Tolerations, err = into[[]failover.Toleration](rb.Spec.Placement.ClusterTolerations)
	}
	return in, err
}

// desiredReplicas counts only where every target says how many it has: Karmada leaves
// the number out for kinds without replicas.
func desiredReplicas(rb *workv1alpha2.ResourceBinding, targets []eviction.TargetCluster) *int32 {
	if rb.Spec.Replicas <= 0 {
		return nil
	}
	for _, t := range targets {
		if t.Replicas == nil {
			return nil
		}
	}
	replicas := rb.Spec.Replicas
	return &replicas
}

// facts are those of every cluster that is known, or that the binding is about.
func facts(rb *workv1alpha2.ResourceBinding, o Observed) (map[string]failover.ClusterFacts, error) {
	out := map[string]failover.ClusterFacts{}
	for _, c := range o.Clusters {
		taints, err := into[[]failover.Taint](c.Spec.Taints)
		if err != nil {
			return nil, err
		}
		out[c.Name] = failover.ClusterFacts{
			Presence: presence(rb, c, o.Works), Fenced: o.Fenced[c.Name], Taints: taints, TaintsKnown: true,
		}
	}
	for name := range o.Fenced {
		f := out[name]
		f.Fenced = o.Fenced[name]
		out[name] = f
	}
	for _, other := range rb.Spec.RequiredBy {
		for _, target := range other.Clusters {
			f := out[target.Name]
			f.RequiredByOthers = true
			out[target.Name] = f
		}
	}
	return out, nil
}

// presence says whether the copy is there. Karmada deletes it before it takes the
// finalizer off the Work, so that no Work means no copy: but not where resources are
// preserved on deletion, nor where the cluster cannot be reached, since a Work also goes
// when its cluster is taken out of the federation.
func presence(rb *workv1alpha2.ResourceBinding, c clusterv1alpha1.Cluster, works []workv1alpha1.Work) purge.Presence {
	if !meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady) {
		return purge.Unknown
	}
	for _, w := range works {
		if w.Namespace == ExecutionNamespace(c.Name) {
			return purge.Present
		}
	}
	if preserve := rb.Spec.PreserveResourcesOnDeletion; preserve != nil && *preserve {
		return purge.Unknown
	}
	return purge.Gone
}

// ExecutionNamespace is where Karmada keeps the Works of a cluster.
func ExecutionNamespace(cluster string) string { return "karmada-es-" + cluster }
