package eviction_test

import (
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

// epoch is the fixed instant of all tests: not UTC and not a whole second, so
// that every rule about stored times shows.
var epoch = time.Date(2026, 3, 1, 13, 0, 0, 250_000_000, time.FixedZone("CET", 3600))

// at is a stored time, a number of seconds away from the epoch.
func at(seconds int) *metav1.Time {
	t := metav1.NewTime(epoch.UTC().Truncate(time.Second).Add(time.Duration(seconds) * time.Second))
	return &t
}

// instant is the same as an argument.
func instant(seconds int) time.Time { return at(seconds).Time }

func ptr[T any](v T) *T { return &v }

// same says that nil and empty are equal (L1).
func same() cmp.Option { return cmpopts.EquateEmpty() }

func targets(names ...string) []eviction.TargetCluster {
	out := make([]eviction.TargetCluster, 0, len(names))
	for _, name := range names {
		out = append(out, eviction.TargetCluster{Name: name})
	}
	return out
}

// leave is a valid eviction.
func leave(cluster string, changes ...func(*eviction.Eviction)) eviction.Eviction {
	e := eviction.Eviction{
		FromCluster: cluster, PurgeMode: purge.Gracefully, Reason: "ApplicationFailure", Producer: "tests",
	}
	for _, change := range changes {
		change(&e)
	}
	return e
}

// task is what a valid eviction gives, at the epoch, with one target.
func task(cluster string, changes ...func(*eviction.Task)) eviction.Task {
	t := eviction.Task{
		FromCluster: cluster, PurgeMode: purge.Gracefully, Reason: "ApplicationFailure", Producer: "tests",
		GracePeriodSeconds: ptr(int32(600)), CreationTimestamp: at(0), ClustersBeforeFailover: []string{cluster},
	}
	for _, change := range changes {
		change(&t)
	}
	return t
}

// stored is a task with one mode, made some seconds after the epoch.
func stored(cluster string, mode purge.Mode, seconds int) eviction.Task {
	return eviction.Task{
		FromCluster: cluster, PurgeMode: mode, Reason: "ApplicationFailure", Producer: "tests",
		CreationTimestamp: at(seconds), ClustersBeforeFailover: []string{cluster},
	}
}

func state(job string) map[string]string { return map[string]string{"job": job} }

// rest is state besides labels.
func rest(path string) *preservation.State {
	return &preservation.State{
		Annotations: map[string]string{"example.com/path": path},
		Fields:      map[string]string{".spec.job.path": `"` + path + `"`},
		Conflicts:   []preservation.RefConflict{{Ref: preservation.Ref{Target: preservation.Field, Key: ".spec.job.path"}, Conflict: preservation.Fail}},
		Failover:    &preservation.Failover{Cause: preservation.Application, Origin: "east", Attempt: 2, Time: 1772366400},
	}
}

func healthy(cluster string) eviction.AggregatedStatusItem {
	return eviction.AggregatedStatusItem{ClusterName: cluster, Applied: true, Health: eviction.Healthy}
}

func item(cluster string, health eviction.Health, applied bool) eviction.AggregatedStatusItem {
	return eviction.AggregatedStatusItem{ClusterName: cluster, Applied: applied, Health: health}
}
