package failover

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/preservation/snapshot"
	"github.com/carryover-io/carryover/purge"
)

// PlanInput is all that [Plan] looks at, for one application (F12).
type PlanInput struct {
	// Policy of the application; the zero value = none. It need not be defaulted.
	Policy Behavior `json:"policy"`
	// Now is the caller's time; required (L2).
	Now time.Time `json:"now"`
	// Producer names the controller in the tasks; required for an eviction (E3).
	Producer string `json:"producer"`
	// Revision names the release that runs, such as a generation or a hash of the
	// template; empty is a revision like any other (F3).
	Revision string `json:"revision,omitempty"`
	// Targets, Tasks and Items as they are stored now.
	Targets []eviction.TargetCluster        `json:"targets,omitempty"`
	Tasks   []eviction.Task                 `json:"tasks,omitempty"`
	Items   []eviction.AggregatedStatusItem `json:"items,omitempty"`
	// Scheduled says that the scheduler has seen the current generation (E9).
	Scheduled bool `json:"scheduled,omitempty"`
	// DesiredReplicas is how many the targets must have together; nil = do not count
	// (E8).
	DesiredReplicas *int32 `json:"desiredReplicas,omitempty"`
	// Clusters is what the host knows of each cluster, by name: of targets, of those
	// under eviction, and of those that the record names. A missing one is unknown.
	Clusters map[string]ClusterFacts `json:"clusters,omitempty"`
	// Tolerations of the application for the taints of clusters (F4).
	Tolerations []Toleration `json:"tolerations,omitempty"`
	// Requests of people. One that was answered is not kept: the host takes it away, or
	// says when it was made.
	Requests []Request `json:"requests,omitempty"`
	// Template is the manifest for the trial injection; nil = no trial (I2).
	Template *unstructured.Unstructured `json:"template,omitempty"`
	// Record of the last call, as it was returned; the zero value at the first.
	Record Record `json:"record"`
	// Host are the habits of the host.
	Host HostOptions `json:"host"`
}

// HostOptions are what a host sets once, for all applications (F12).
type HostOptions struct {
	// ClusterPurgeMode is for failing clusters where the policy has no cluster block;
	// empty = such applications stay (F10).
	ClusterPurgeMode purge.Mode `json:"clusterPurgeMode,omitempty"`
	// RequestsOnly switches failover by health and by taints off: only what people ask
	// for is evicted.
	RequestsOnly bool `json:"requestsOnly,omitempty"`
	// NoRecord says that the record is not kept from call to call, so that the tasks
	// keep the state until a replacement was healthy (P4).
	NoRecord bool `json:"noRecord,omitempty"`
	// DropOnPurge is for hosts that delete a copy because its cluster is in no list any
	// more (E7).
	DropOnPurge bool `json:"dropOnPurge,omitempty"`
	// Injection are the options of the host's injections, for the trial.
	Injection preservation.InjectOptions `json:"injection"`
	// Protection adds to the keys that rules must not write (S11).
	Protection preservation.Protection `json:"protection"`
}

// ClusterFacts are what a host knows of one cluster (F12). The zero value knows
// nothing.
type ClusterFacts struct {
	// Presence of the copy that is there now, or of the old one while the cluster is
	// under eviction; empty = Unknown. Gone of an old copy need not be said again, since
	// the record remembers, and must not be said of a newer copy that runs (P4).
	Presence purge.Presence `json:"presence,omitempty"`
	// Fenced says that the host made sure that the copy cannot act (P5).
	Fenced bool `json:"fenced,omitempty"`
	// RequiredByOthers says that something else needs the copy (P5).
	RequiredByOthers bool `json:"requiredByOthers,omitempty"`
	// Taints of the cluster (F4). None is only read as "no taint any more" if
	// TaintsKnown says so.
	Taints      []Taint `json:"taints,omitempty"`
	TaintsKnown bool    `json:"taintsKnown,omitempty"`
	// StateTakenAt is when the state there was taken, where the policy has no takenAt;
	// nil = not known (R4).
	StateTakenAt *metav1.Time `json:"stateTakenAt,omitempty"`
	// Snapshotting is a snapshot that the copy is taking, if the cluster can be
	// reached; nil = none (R2).
	Snapshotting *snapshot.Attempt `json:"snapshotting,omitempty"`
	// Object is the whole object there, for rules that read it; nil = not collected.
	Object *runtime.RawExtension `json:"object,omitempty"`
	// Documents are those that rules name, each one JSON object (S9).
	Documents map[string]runtime.RawExtension `json:"documents,omitempty"`
}

// RequestAction is what a person asks for (F12).
type RequestAction string

const (
	// RequestEvict asks to leave the cluster, for the cause of the request (F10).
	RequestEvict RequestAction = "Evict"
	// RequestWithdraw asks to take an eviction back (E11).
	RequestWithdraw RequestAction = "Withdraw"
	// RequestAcknowledge says that the copy on the cluster has what it needs, which
	// ends the state that it received; where it received none, it ends the state that
	// came from there and that no target received (F7).
	RequestAcknowledge RequestAction = "Acknowledge"
)

// Request is what a person asks for (F12).
//
// +kubebuilder:object:generate=true
type Request struct {
	// Cluster that it is about.
	Cluster string `json:"cluster"`
	// Action is required.
	// +kubebuilder:validation:Enum=Evict;Withdraw;Acknowledge
	Action RequestAction `json:"action"`
	// Cause of an eviction; empty = Planned.
	// +kubebuilder:validation:Enum=Application;Cluster;Planned;""
	Cause preservation.Cause `json:"cause,omitempty"`
	// At is when it was asked for; nil = in this call. A host that may give a request
	// again, after a crash or because it stands in a specification, must say: an eviction
	// is about the stay of then and not about a later one, and an acknowledgement about
	// state that had left or been received by then. A withdrawal counts as long as it is
	// given, whatever its time.
	At *metav1.Time `json:"at,omitempty"`
}

// PlanOutput is the answer of [Plan] (F12). Write it in this order: the record; then
// targets and tasks in one write; then purges and manifests (F14).
type PlanOutput struct {
	// Record to persist first, and to give back.
	Record Record `json:"record"`
	// Targets and Tasks to store in one write. Plan adds no target but by a
	// withdrawal.
	Targets []eviction.TargetCluster `json:"targets"`
	Tasks   []eviction.Task          `json:"tasks"`
	// Decisions has one for each target, each cluster under eviction and each that a
	// request names, by name.
	Decisions []Decision `json:"decisions"`
	// Purges has one for each task, by cluster and creation.
	Purges []PurgeDecision `json:"purges"`
	// Placements has one for each of Targets, by name.
	Placements []Placement `json:"placements"`
	// Excluded are the clusters that the scheduler should avoid, by name (E12).
	Excluded []ExcludedCluster `json:"excluded"`
	// Events are what changed in this call, by cluster; nothing that stays as it is has
	// one.
	Events []Event `json:"events"`
	// Warnings are what a person may want to know, by cluster, whether it is new or
	// not.
	Warnings []Warning `json:"warnings"`
	// NextCheck says when time alone can change the answer (L5). As JSON it is the
	// number of seconds.
	NextCheck purge.NextCheck `json:"recheckAfterSeconds,omitzero"`
}

// Decision says what was decided about the application on one cluster (F12).
//
// +kubebuilder:object:generate=true
type Decision struct {
	// Cluster that it is about.
	Cluster string `json:"cluster"`
	// Outcome is never empty.
	Outcome Outcome `json:"outcome"`
	// Reason is never empty.
	Reason Reason `json:"reason"`
	// Message says the same to people. It holds no state and no relative times.
	Message string `json:"message"`
	// Cause of the failover that is due or waited for; empty = none is.
	Cause preservation.Cause `json:"cause,omitempty"`
	// Since is when that began, for hosts that evict in turn; nil = just now, or
	// nothing began.
	Since *metav1.Time `json:"since,omitempty"`
	// NextCheck says when time alone can change this decision.
	NextCheck purge.NextCheck `json:"recheckAfterSeconds,omitzero"`
}

// PurgeDecision says what happens to one old copy (F12).
//
// +kubebuilder:object:generate=true
type PurgeDecision struct {
	// Cluster of the old copy.
	Cluster string `json:"cluster"`
	// Created is the creation time of the task.
	Created metav1.Time `json:"created"`
	// Outcome says what became of the task: Keep and Purge leave it in the list.
	Outcome eviction.Outcome `json:"outcome"`
	// Old says what to do with the old copy.
	Old purge.OldCopy `json:"old"`
	// New says whether the task lets new copies be created.
	New purge.NewCopy `json:"new"`
	// Reason is never empty.
	Reason eviction.Reason `json:"reason"`
	// Message says the same to people. It holds no state and no relative times.
	Message string `json:"message"`
	// Warning says that a person should look.
	Warning bool `json:"warning,omitempty"`
	// NextCheck says when time alone can change this decision.
	NextCheck purge.NextCheck `json:"recheckAfterSeconds,omitzero"`
}

// Placement says what happens to the manifest for one target (I1). Plan gives state
// and no manifests, since hosts inject after their overrides: with
// preservation.Inject, or preservation.ApplyConfiguration.
//
// +kubebuilder:object:generate=true
type Placement struct {
	// Cluster is the target.
	Cluster string `json:"cluster"`
	// Action says whether the manifest may be written there.
	Action Action `json:"action"`
	// State to inject; nil = none.
	State *preservation.State `json:"state,omitempty"`
	// Origin is the cluster that the state comes from; empty without state.
	Origin string `json:"origin,omitempty"`
	// Attempt is the move that the state comes from; 0 without state.
	Attempt int64 `json:"attempt,omitempty"`
	// Reason is never empty.
	Reason GateReason `json:"reason"`
	// Message says the same to people. It holds no state and no relative times.
	Message string `json:"message"`
	// NextCheck says when time alone can change this placement.
	NextCheck purge.NextCheck `json:"recheckAfterSeconds,omitzero"`
}

// ExcludedCluster is one cluster that the scheduler should avoid (E12).
//
// +kubebuilder:object:generate=true
type ExcludedCluster struct {
	// Cluster to avoid.
	Cluster string `json:"cluster"`
	// Reason is UnderEviction or InCooldown.
	Reason eviction.Reason `json:"reason"`
	// Until is when a cool-down ends; nil = no clock knows.
	Until *metav1.Time `json:"until,omitempty"`
}

// EventType is one of the two types of Kubernetes events (F12).
type EventType string

const (
	// EventNormal is for what went as intended.
	EventNormal EventType = "Normal"
	// EventWarning is for what a person may have to look at.
	EventWarning EventType = "Warning"
)

// Event is a change, ready for an EventRecorder (F12).
type Event struct {
	// Cluster that it is about; empty = none in particular.
	Cluster string `json:"cluster,omitempty"`
	// Type is never empty.
	Type EventType `json:"type"`
	// Reason is a CamelCase word, never empty.
	Reason string `json:"reason"`
	// Message is for people, in one line. It holds no state.
	Message string `json:"message"`
}
