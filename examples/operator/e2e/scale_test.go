package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/controller"
	"github.com/carryover-io/carryover/purge"
)

const (
	many, fail = 1000, 100
	bigShard   = "big"
)

// A thousand applications of a shard of its own, of which a hundred fail at once: all
// of these move, none of the others, and no copy is made twice.
func TestThousandPlacements(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute or two")
	}
	s := newStory(t)
	policy := failing(purge.Directly)
	policy.Application.DecisionConditions.TolerationSeconds = ptr(int32(0))
	s.policy("policy", policy)

	big, err := s.operate("-shard="+bigShard, "-webhook-port=0", "-poll=10m", "-workers=16", "-qps=1000")
	s.must(err)
	t.Cleanup(big.kill)

	started := time.Now()
	s.forAll(many, func(name string) error {
		return s.host.admin.Create(context.Background(), s.manifest(name, "policy", func(p *v1alpha1.Placement) {
			p.Labels = map[string]string{controller.ShardLabel: bigShard}
		}))
	})
	made := s.watchCopies("west")
	s.forAll(many, func(name string) error {
		return s.patiently(func() error { return s.report("east", name, "RUNNING") })
	})
	before := s.uids("east")
	s.forAll(many, func(name string) error { return s.patiently(s.known(name, "east")) })
	t.Logf("%d placements run, after %s; %s", many, time.Since(started).Round(time.Second/10), big.figures(t))

	earlier := big.figures(t)
	started = time.Now()
	s.forAll(fail, func(name string) error { return s.report("east", name, "FAILED") })
	s.forAll(fail, func(name string) error { return s.patiently(s.known(name, "west")) })
	s.forAll(fail, func(name string) error {
		return s.patiently(func() error {
			if p := s.get(name); len(p.Spec.GracefulEvictionTasks) > 0 || len(p.Spec.Clusters) != 1 {
				return fmt.Errorf("tasks %s", asText(p.Spec.GracefulEvictionTasks))
			}
			return nil
		})
	})
	fmt.Printf("scale: %d placements, %d fail at once: all moved after %s; %s; %d processors\n",
		many, fail, time.Since(started).Round(time.Second/10), big.figures(t).since(earlier), runtime.NumCPU())

	s.noneTwice(made, before)
}

// noneTwice compares the copies with those of before.
func (s *story) noneTwice(made *sightings, before map[string]string) {
	s.Helper()
	east, west := s.uids("east"), s.uids("west")
	for i := range many {
		name := nameOf(i)
		made := made.of(name)
		switch {
		case i < fail && (east[name] != "" || west[name] == "" || made != 1):
			s.Errorf("%s failed: on east %q, on west %q, made %d times", name, east[name], west[name], made)
		case i >= fail && (east[name] != before[name] || west[name] != "" || made != 0):
			s.Errorf("%s did not fail: on east %q (was %q), on west %q, made %d times", name, east[name], before[name], west[name], made)
		}
	}
	path, _, err := unstructured.NestedString(s.on("west", nameOf(0)).Object, "spec", "job", "initialSavepointPath")
	s.must(err)
	if path != savepoint {
		s.Errorf("the path is %q", path)
	}
}

func nameOf(i int) string { return fmt.Sprintf("job-%04d", i) }

// forAll does the same for the first n placements, some at a time.
func (s *story) forAll(n int, do func(name string) error) {
	s.Helper()
	errs := make([]error, n)
	next := make(chan int)
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range next {
				errs[i] = do(nameOf(i))
			}
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	s.must(errors.Join(errs...))
}

// patiently tries until it works. It is eventually for many goroutines.
func (*story) patiently(do func() error) error {
	deadline := time.Now().Add(2 * patience)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		err := do()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		<-tick.C
	}
}

// uids are the identities of all copies of the story on a cluster, by name.
func (s *story) uids(cluster string) map[string]string {
	s.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(flinkKind)
	s.must(s.members[cluster].admin.List(context.Background(), list, client.InNamespace(s.ns)))
	out := map[string]string{}
	for _, item := range list.Items {
		out[item.GetName()] = string(item.GetUID())
	}
	return out
}

// sightings count how often a copy was made.
type sightings struct {
	mu    sync.Mutex
	times map[string]int
}

func (s *sightings) of(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.times[name]
}

// watchCopies counts the copies that are made on a cluster, and plays its Flink
// operator: what is made runs.
func (s *story) watchCopies(cluster string) *sightings {
	s.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(flinkKind)
	events, err := s.members[cluster].admin.Watch(context.Background(), list, client.InNamespace(s.ns))
	s.must(err)
	seen := &sightings{times: map[string]int{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range events.ResultChan() {
			object, ok := e.Object.(*unstructured.Unstructured)
			if e.Type != watch.Added || !ok {
				continue
			}
			seen.mu.Lock()
			seen.times[object.GetName()]++
			seen.mu.Unlock()
			if err := s.patiently(func() error { return s.report(cluster, object.GetName(), "RUNNING") }); err != nil {
				s.Errorf("%s: %v", object.GetName(), err)
			}
		}
	}()
	s.Cleanup(func() { events.Stop(); <-done })
	return seen
}

// figures are what an operator did.
type figures struct{ reconciles, conflicts, requests float64 }

func (o *operator) figures(t *testing.T) figures {
	t.Helper()
	return figures{
		reconciles: o.sum(t, `controller_runtime_reconcile_total{controller="placement"`),
		conflicts:  o.sum(t, "carryover_write_conflicts_total"),
		requests:   o.sum(t, "rest_client_requests_total{"),
	}
}

func (f figures) since(earlier figures) figures {
	return figures{f.reconciles - earlier.reconciles, f.conflicts - earlier.conflicts, f.requests - earlier.requests}
}

func (f figures) String() string {
	return fmt.Sprintf("%.0f reconciles, %.0f conflicts, %.0f requests", f.reconciles, f.conflicts, f.requests)
}
