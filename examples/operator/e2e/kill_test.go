package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/controller"
	"github.com/carryover-io/carryover/examples/operator/member"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/purge"
)

// killShard keeps the operator that runs beside these tests away from them.
const killShard = "kill"

var errKilled = errors.New("the operator was killed")

// fate says before which write an operator dies; 0 = never. That is also after the write
// before it, whose answer it does not live to use.
type fate struct {
	at     int32
	writes atomic.Int32
}

// dying is a client of an operator with a fate: from its death on it writes nothing.
type dying struct {
	client.Client
	fate *fate
}

func (d dying) write(do func() error) error {
	if n := d.fate.writes.Add(1); d.fate.at != 0 && n >= d.fate.at {
		return errKilled
	}
	return do()
}

func (d dying) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	return d.write(func() error { return d.Client.Update(ctx, obj, opts...) })
}

func (d dying) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	return d.write(func() error { return d.Client.Delete(ctx, obj, opts...) })
}

func (d dying) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	return d.write(func() error { return d.Client.Apply(ctx, obj, opts...) })
}

func (d dying) Status() client.SubResourceWriter { return dyingStatus{d.Client.Status(), d} }

type dyingStatus struct {
	client.SubResourceWriter
	of dying
}

func (d dyingStatus) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	return d.of.write(func() error { return d.SubResourceWriter.Update(ctx, obj, opts...) })
}

// life is one application whose operator may be killed. Its clock is the test's.
type life struct {
	*story
	name  string
	fate  *fate // of the first operator
	next  int32 // of each that follows: before which write it dies
	clock time.Time
	loop  *controller.PlacementReconciler
}

// boot starts an operator that remembers nothing.
func (l *life) boot(f *fate) {
	host := dying{l.host.admin, f}
	l.loop = &controller.PlacementReconciler{
		Client: host, Live: host, Shard: killShard, Recorder: &record.FakeRecorder{},
		Members: &member.Clients{
			Secrets: host, Namespace: systemNamespace,
			Wrap: func(_ string, c client.Client) client.Client { return dying{c, f} },
		},
		Clock: func() time.Time { return l.clock },
	}
}

// until passes, a second each, until something is there. A dead operator is replaced.
func (l *life) until(what string, there func() error) {
	l.Helper()
	var err error
	for range 60 {
		l.clock = l.clock.Add(time.Second)
		_, failed := l.loop.Reconcile(context.Background(), reconcile.Request{NamespacedName: objectKey(l.ns, l.name)})
		if errors.Is(failed, errKilled) {
			l.boot(&fate{at: l.next})
		} else if failed != nil {
			l.Fatalf("%s: %v", what, failed)
		}
		if err = there(); err == nil {
			return
		}
	}
	l.Fatalf("%s: %v", what, err)
}

// tell tells a whole life: the job runs on east, fails, goes on on west, and is deleted.
// It returns how things stand before the end.
func (l *life) tell(mode purge.Mode) final {
	l.Helper()
	l.boot(l.fate)
	l.placement(l.name, lower(mode), func(p *v1alpha1.Placement) {
		p.Labels = map[string]string{controller.ShardLabel: killShard}
	})
	is := func(cluster string, want bool) func() error {
		return func() error {
			if (l.on(cluster, l.name) != nil) != want {
				return fmt.Errorf("copy on %s: want %t", cluster, want)
			}
			return nil
		}
	}
	l.until("it comes to east", is("east", true))
	l.reports("east", l.name, "RUNNING")
	l.until("it is settled on east", l.settledOn("east"))
	l.reports("east", l.name, "FAILED")
	l.until("it comes to west", is("west", true))
	if mode == purge.Directly && l.on("east", l.name) != nil {
		l.Error("P5: two copies")
	}
	first := l.on("west", l.name).GetUID()
	l.received(l.on("west", l.name), mode == purge.Directly)
	l.reports("west", l.name, "RUNNING")
	if mode == purge.Never {
		l.until("a person is needed", func() error {
			if moves := l.get(l.name).Status.Record.Moves; len(moves) != 1 || moves[0].Reason != purge.Suppressed {
				return fmt.Errorf("moves %s", asText(moves))
			}
			return nil
		})
		l.edit(l.name, func(p *v1alpha1.Placement) { p.Spec.GracefulEvictionTasks[0].SuppressDeletion = ptr(false) })
	}
	l.until("it leaves east", is("east", false))
	l.until("it is settled on west", l.settledOn("west"))
	cluster := "west"
	if mode == purge.Directly {
		cluster = "east"
		first = l.movesBack()
	}
	l.until("the copy has what it keeps", func() error {
		if _, there := l.on(cluster, l.name).GetLabels()[checkpointLabel]; there {
			return errors.New("the label is still there (F7)")
		}
		return nil
	})
	out := l.final(cluster)
	if l.on(cluster, l.name).GetUID() != first {
		l.Error("the copy was made twice")
	}
	l.must(l.host.admin.Delete(context.Background(), l.get(l.name)))
	l.until("it is deleted", func() error {
		var p v1alpha1.Placement
		err := l.host.admin.Get(context.Background(), objectKey(l.ns, l.name), &p)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there (%w)", err)
	})
	if l.on("east", l.name) != nil || l.on("west", l.name) != nil {
		l.Error("a copy outlives its placement")
	}
	return out
}

// movesBack is a person who moves the job from west to east again. It returns the
// identity of the new copy.
func (l *life) movesBack() types.UID {
	l.Helper()
	l.edit(l.name, func(p *v1alpha1.Placement) {
		p.Spec.Requests = []failover.Request{{Cluster: "west", Action: failover.RequestEvict}}
	})
	l.until("it comes to east again", func() error {
		if l.on("east", l.name) == nil {
			return errors.New("it is not there")
		}
		return nil
	})
	if l.on("west", l.name) != nil {
		l.Error("P5: two copies")
	}
	east := l.on("east", l.name)
	l.received(east, true)
	l.reports("east", l.name, "RUNNING")
	l.until("it is settled on east again", l.settledOn("east"))
	if requests := l.get(l.name).Spec.Requests; len(requests) > 0 {
		l.Errorf("requests that were answered stay: %s", asText(requests))
	}
	return east.GetUID()
}

func (l *life) settledOn(cluster string) func() error {
	return func() error {
		p := l.get(l.name)
		if len(p.Spec.Clusters) != 1 || p.Spec.Clusters[0].Name != cluster || len(p.Spec.GracefulEvictionTasks) > 0 ||
			!meta.IsStatusConditionTrue(p.Status.Conditions, controller.Settled) || len(p.Status.Record.Clusters) == 0 {
			return fmt.Errorf("spec %s, conditions %s", asText(p.Spec.Clusters), asText(p.Status.Conditions))
		}
		for _, c := range p.Status.Record.Clusters {
			if c.Name == cluster && c.HealthySince != nil {
				return nil
			}
		}
		return errors.New("it is not known to be healthy")
	}
}

// final is what is compared: all that was stored, without names, identities and times.
type final struct {
	Clusters, Moves, Deliveries, History string
	Spec, Labels                         map[string]any
	Conditions                           []string
}

func (l *life) final(cluster string) final {
	l.Helper()
	p, copied := l.get(l.name), l.on(cluster, l.name)
	spec, _ := copied.Object["spec"].(map[string]any)
	out := final{Clusters: asText(p.Spec.Clusters), Spec: spec, Labels: map[string]any{}}
	for key, value := range copied.GetLabels() {
		if key != controller.PlacementLabel && key != "app" {
			out.Labels[key] = value
		}
	}
	for _, m := range p.Status.Record.Moves {
		out.Moves += fmt.Sprintln(m.Attempt, m.From, m.Cause, m.Mode, m.Stage, m.Gone, m.Proven, m.State != nil)
	}
	for _, d := range p.Status.Record.Deliveries {
		out.Deliveries += fmt.Sprintln(d.To, d.Attempt, d.Healthy)
	}
	for _, h := range p.Status.Record.History {
		out.History += fmt.Sprintln(h.Attempt, h.From, h.To, h.Cause, h.Outcome)
	}
	for _, c := range p.Status.Conditions {
		out.Conditions = append(out.Conditions, c.Type+" "+string(c.Status)+" "+c.Reason)
	}
	return out
}

// F14: wherever the operator dies between two writes, the next one comes to the same
// end; so does one in a crash loop, which lives for two writes each time.
func TestKilledAtEachWrite(t *testing.T) {
	s := newStory(t)
	for _, mode := range purge.Modes() {
		policy := failing(mode)
		policy.Application.DecisionConditions.TolerationSeconds = ptr(int32(2))
		policy.Application.BlockPredecessorSeconds = ptr(int32(0)) // so that it can come back
		s.policy(lower(mode), policy)
	}
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	for _, mode := range purge.Modes() {
		t.Run(string(mode), func(t *testing.T) {
			undisturbed := &life{story: s.in(t), name: lower(mode) + "-undisturbed", fate: &fate{}, clock: start}
			want := undisturbed.tell(mode)
			writes := undisturbed.fate.writes.Load()
			t.Logf("%d writes: %+v", writes, want)
			if writes < 10 {
				t.Fatalf("only %d writes: nothing is killed", writes)
			}
			check := func(name string, l *life) {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					l.story, l.name, l.clock = s.in(t), lower(mode)+"-"+name, start
					if diff := cmp.Diff(want, l.tell(mode)); diff != "" {
						t.Errorf("another end (-undisturbed +killed)\n%s", diff)
					}
				})
			}
			for at := range writes {
				check(fmt.Sprint("before-write-", at+1), &life{fate: &fate{at: at + 1}})
			}
			check("after-every-second-write", &life{fate: &fate{at: 3}, next: 3})
		})
	}
}

// racing lets somebody else write just after a placement was read.
type racing struct {
	client.Client
	times int
}

func (r *racing) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := r.Client.Get(ctx, key, obj, opts...); err != nil || r.times == 0 {
		return err
	}
	r.times--
	other := obj.DeepCopyObject().(client.Object)
	other.SetAnnotations(map[string]string{"example.com/race": fmt.Sprint(r.times)})
	return r.Client.Update(ctx, other)
}

// Of two who write at once the operator yields before it did anything to a cluster.
func TestConflict(t *testing.T) {
	s := newStory(t)
	s.placement("orders", "", func(p *v1alpha1.Placement) { p.Labels = map[string]string{controller.ShardLabel: killShard} })
	numbers, err := controller.NewMetrics(prometheus.NewRegistry(), nil)
	s.must(err)
	l := &life{story: s, name: "orders", clock: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
	l.boot(&fate{})
	l.loop.Metrics = numbers
	l.loop.Live = &racing{Client: s.host.admin, times: 2}
	request := reconcile.Request{NamespacedName: objectKey(s.ns, "orders")}
	for range 2 {
		result, err := l.loop.Reconcile(context.Background(), request)
		if err != nil || result.RequeueAfter != 100*time.Millisecond {
			t.Errorf("a conflict is no error and is tried again soon: %v, %v", result, err)
		}
	}
	if p := s.get("orders"); len(p.Spec.Clusters) > 0 || p.Status.Record.Version != 0 {
		t.Errorf("something was written over: %s", asText(p.Spec.Clusters))
	}
	if got := testutil.CollectAndCount(numbers, "carryover_write_conflicts_total"); got != 1 {
		t.Errorf("no series of conflicts: %d", got)
	}
	l.until("it comes to east", func() error {
		if s.on("east", "orders") == nil {
			return errors.New("it is not there")
		}
		return nil
	})
}

// lower makes a name of a mode.
func lower(mode purge.Mode) string { return strings.ToLower(string(mode)) }

// in is the same story, told to a test of its own.
func (s *story) in(t *testing.T) *story {
	t.Helper()
	return &story{T: t, servers: s.servers, ns: s.ns}
}
