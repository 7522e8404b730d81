package controller

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/member"
)

// Watcher tells the loop that a copy changed, so that it need not ask often. What it
// says is a hint and no fact: nothing is decided from it, and a hint that is lost costs
// the poll interval.
type Watcher struct {
	// Client reads member clusters.
	Client client.Reader
	// Members are the clients of the member clusters.
	Members *member.Clients
	// Retry is how long after a watch ended the next one begins; 0 = 2 s.
	Retry time.Duration

	hints chan event.GenericEvent
	mu    sync.Mutex
	known map[watched]bool
	ctx   context.Context // that of the manager, by which all watches end
}

// watched is one kind on one cluster.
type watched struct {
	cluster string
	kind    schema.GroupVersionKind
}

// NewWatcher makes a watcher. Add it to the manager.
func NewWatcher(reader client.Reader, members *member.Clients) *Watcher {
	return &Watcher{Client: reader, Members: members, hints: make(chan event.GenericEvent), known: map[watched]bool{}}
}

// Start is of manager.Runnable: until it is called nothing is watched.
func (w *Watcher) Start(ctx context.Context) error {
	w.mu.Lock()
	w.ctx = ctx
	w.mu.Unlock()
	<-ctx.Done()
	return nil
}

// follow watches the copies of a kind on a cluster from now on. A nil *Watcher does not.
func (w *Watcher) follow(cluster string, kind schema.GroupVersionKind) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	one := watched{cluster, kind}
	if w.ctx == nil || w.known[one] {
		return
	}
	w.known[one] = true
	go w.keep(w.ctx, one)
}

// keep watches again and again, as long as there is such a cluster.
func (w *Watcher) keep(ctx context.Context, one watched) {
	retry := w.Retry
	if retry == 0 {
		retry = 2 * time.Second
	}
	for w.pass(ctx, one) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry):
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, one)
}

// pass watches until the watch ends, and says whether another may follow.
func (w *Watcher) pass(ctx context.Context, one watched) bool {
	var m v1alpha1.MemberCluster
	if err := w.Client.Get(ctx, client.ObjectKey{Name: one.cluster}, &m); err != nil {
		return client.IgnoreNotFound(err) != nil
	}
	events, err := w.Members.Watch(ctx, &m, one.kind, PlacementLabel)
	if err != nil {
		return true // the probes tell what is wrong with the cluster
	}
	defer events.Stop()
	for e := range events.ResultChan() {
		copied, ok := e.Object.(*metav1.PartialObjectMetadata)
		if !ok {
			return true // an error of the server's: begin anew
		}
		select {
		case <-ctx.Done():
			return false
		case w.hints <- event.GenericEvent{Object: copied}:
		}
	}
	return ctx.Err() == nil
}

// placementOf is the placement that a copy says it belongs to.
func placementOf(_ context.Context, copied client.Object) []reconcile.Request {
	name := copied.GetAnnotations()[nameAnnotation]
	if name == "" {
		return nil
	}
	return []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: copied.GetNamespace(), Name: name}}}
}
