package failovertest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation/snapshot"
)

// Facts are what the host knows of a cluster besides what happens there (F12). What is
// nil stays as it was.
type Facts struct {
	// Unseen says that the host cannot tell whether a copy is there, though the cluster is
	// not lost: its presence is Unknown (P4).
	Unseen *bool `json:"unseen,omitempty"`
	// RequiredByOthers says that something else needs the copy (P5).
	RequiredByOthers *bool `json:"requiredByOthers,omitempty"`
	// Taints of the cluster, besides the one that taint adds (F4).
	Taints []failover.Taint `json:"taints,omitempty"`
	// StateTakenAt is when the state there was taken (R4).
	StateTakenAt *metav1.Time `json:"stateTakenAt,omitempty"`
	// Snapshotting is a snapshot that the copy is taking (R2).
	Snapshotting *snapshot.Attempt `json:"snapshotting,omitempty"`
	// Object is the whole object there, and Documents are others that rules name (S9).
	Object    *runtime.RawExtension           `json:"object,omitempty"`
	Documents map[string]runtime.RawExtension `json:"documents,omitempty"`
}

// fill adds what is known to the facts of a call.
func (f *Facts) fill(facts *failover.ClusterFacts) {
	if f == nil {
		return
	}
	facts.Taints, facts.StateTakenAt, facts.Snapshotting = f.Taints, f.StateTakenAt, f.Snapshotting
	facts.Object, facts.Documents = f.Object, f.Documents
}

// learn changes what the host knows of the cluster.
func (c *cluster) learn(news Facts) {
	next := Facts{}
	if c.facts != nil {
		next = *c.facts
	}
	set(&c.unseen, news.Unseen)
	set(&c.required, news.RequiredByOthers)
	if news.Taints != nil {
		next.Taints = news.Taints
	}
	if news.StateTakenAt != nil {
		next.StateTakenAt = news.StateTakenAt
	}
	if news.Snapshotting != nil {
		next.Snapshotting = news.Snapshotting
	}
	if news.Object != nil {
		next.Object = news.Object
	}
	if news.Documents != nil {
		next.Documents = news.Documents
	}
	c.facts = &next
}
