package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
)

// binding is the part of Karmada's ResourceBinding and ClusterResourceBinding
// that a failover looks at.
type binding struct {
	Metadata bindingMetadata `json:"metadata"`
	Spec     bindingSpec     `json:"spec"`
	Status   bindingStatus   `json:"status"`
}

type bindingMetadata struct {
	Name       string `json:"name"`
	Namespace  string `json:"namespace"`
	Generation *int64 `json:"generation"`
}

type bindingSpec struct {
	Resource   reference                `json:"resource"`
	Replicas   int32                    `json:"replicas"`
	Clusters   []eviction.TargetCluster `json:"clusters"`
	Tasks      []eviction.Task          `json:"gracefulEvictionTasks"`
	Failover   failover.Behavior        `json:"failover"`
	RequiredBy []snapshot               `json:"requiredBy"`
	Placement  placement                `json:"placement"`
}

type placement struct {
	ClusterTolerations []failover.Toleration `json:"clusterTolerations"`
}

// cluster is the part of Karmada's Cluster that a failover looks at.
type cluster struct {
	Metadata bindingMetadata `json:"metadata"`
	Spec     clusterSpec     `json:"spec"`
}

type clusterSpec struct {
	Taints []failover.Taint `json:"taints"`
}

// snapshot is another binding that needs the resource.
type snapshot struct {
	Namespace string                   `json:"namespace"`
	Name      string                   `json:"name"`
	Clusters  []eviction.TargetCluster `json:"clusters"`
}

type bindingStatus struct {
	SchedulerObservedGeneration *int64                          `json:"schedulerObservedGeneration"`
	AggregatedStatus            []eviction.AggregatedStatusItem `json:"aggregatedStatus"`
}

// check refuses entries without the name that says what they are about.
func (b binding) check() error {
	var errs []error
	require := func(name, path string, index int, key string) {
		if name == "" {
			errs = append(errs, fmt.Errorf("%s[%d].%s: is missing", path, index, key))
		}
	}
	for i, target := range b.Spec.Clusters {
		require(target.Name, "spec.clusters", i, "name")
	}
	for i, task := range b.Spec.Tasks {
		require(task.FromCluster, "spec.gracefulEvictionTasks", i, "fromCluster")
	}
	for i, item := range b.Status.AggregatedStatus {
		require(item.ClusterName, "status.aggregatedStatus", i, "clusterName")
	}
	return errors.Join(errs...)
}

// requiredOn says that another binding needs the copy on a cluster.
func (b binding) requiredOn(cluster string) bool {
	return slices.ContainsFunc(b.Spec.RequiredBy, func(other snapshot) bool { return isTarget(other.Clusters, cluster) })
}

// scheduled says that the scheduler has seen this binding; where nobody keeps
// generations it has.
func (b binding) scheduled() bool {
	generation, observed := b.Metadata.Generation, b.Status.SchedulerObservedGeneration
	return generation == nil || observed == nil || *generation == *observed
}

// desiredReplicas counts only where every target says how many it has: Karmada
// leaves the number out for kinds without replicas.
func (b binding) desiredReplicas(targets []eviction.TargetCluster) *int32 {
	if b.Spec.Replicas <= 0 {
		return nil
	}
	for _, target := range targets {
		if target.Replicas == nil {
			return nil
		}
	}
	return &b.Spec.Replicas
}
