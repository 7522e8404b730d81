package failovertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/failover"
)

// World is where things happen: clusters, the policy of one application, and the habits
// of its host and scheduler (F12).
type World struct {
	// Clusters that there are, at least one; the scheduler prefers them in this order.
	Clusters []string `json:"clusters"`
	// Policy of the application.
	Policy failover.Behavior `json:"policy"`
	// Edited is the policy that revise puts in the place of Policy, and back; nil = none.
	Edited *failover.Behavior `json:"edited,omitempty"`
	// Tolerations of the application (F4).
	Tolerations []failover.Toleration `json:"tolerations,omitempty"`
	// Host are the habits of the host.
	Host failover.HostOptions `json:"host"`
	// Copies is how many targets the scheduler wants at most; 0 = 1.
	Copies int `json:"copies,omitempty"`
	// Dated says that the host knows when it observed a status, and when a taint was
	// added (E8, F4).
	Dated bool `json:"dated,omitempty"`
	// TaintsKnown says that the host knows when a cluster has no taint any more (E11).
	TaintsKnown bool `json:"taintsKnown,omitempty"`
	// Status is what a copy reports, as a JSON object: $n in it is the number of the
	// copy. Empty = {"job":"j$n"}, which a rule with the path {.job} and the alias [Label]
	// carries (S2).
	Status json.RawMessage `json:"status,omitempty"`
	// Template for the trial injection; nil = no trial (I2).
	Template *unstructured.Unstructured `json:"template,omitempty"`
	// DesiredReplicas are what the targets must have together; nil = do not count (E8).
	DesiredReplicas *int32 `json:"desiredReplicas,omitempty"`
	// Unscheduled says that the scheduler has not seen the current generation (E9).
	Unscheduled bool `json:"unscheduled,omitempty"`
	// Invalid lets the world have what a webhook refuses: a policy or tolerations that
	// [failover.Validate] and [failover.ValidateTolerations] refuse, taints with an unknown
	// effect, and tasks with an unknown mode or no positive grace period (L6). Without it
	// they are errors, since nothing happens with them.
	Invalid bool `json:"invalid,omitempty"`
}

// Verb is what happens (F12).
type Verb string

const (
	// Schedule makes a cluster a target.
	Schedule Verb = "schedule"
	// Unschedule takes a target away without a task (F9).
	Unschedule Verb = "unschedule"
	// Healthy makes the copy healthy (F2).
	Healthy Verb = "healthy"
	// Unhealthy makes it unhealthy (F2).
	Unhealthy Verb = "unhealthy"
	// Unknown hides the health of the copy (F2).
	Unknown Verb = "unknown"
	// Silent stops the copy from reporting a status (F6).
	Silent Verb = "silent"
	// Talk ends that (F6).
	Talk Verb = "talk"
	// Lose makes a cluster unreachable: its copy goes on, and its status is frozen (P5).
	Lose Verb = "lose"
	// Return ends that, with the copy as it was (P5).
	Return Verb = "return"
	// Wipe ends it without the copy (P5).
	Wipe Verb = "wipe"
	// Fence makes sure that the copy there cannot act (P5).
	Fence Verb = "fence"
	// Unfence ends that (P5).
	Unfence Verb = "unfence"
	// Taint adds a taint that evicts (F4).
	Taint Verb = "taint"
	// Untaint removes it (F4).
	Untaint Verb = "untaint"
	// Deleted ends the deletion of a copy: it is gone (P4).
	Deleted Verb = "deleted"
	// Vanish removes a copy that nobody deleted (P4).
	Vanish Verb = "vanish"
	// Evict is the request of a person to leave a cluster (F12).
	Evict Verb = "evict"
	// Withdraw is the request to take an eviction back (E11).
	Withdraw Verb = "withdraw"
	// Acknowledge is the request to end a state (F7).
	Acknowledge Verb = "acknowledge"
	// Confirm allows the deletion of the old copy on a cluster (P7).
	Confirm Verb = "confirm"
	// Require lets something else need the copy on a cluster (P5).
	Require Verb = "require"
	// Unrequire ends that (P5).
	Unrequire Verb = "unrequire"
	// Intrude is an eviction by another controller: Directly, and without any state (F14).
	Intrude Verb = "intrude"
	// Cancel takes the task of a cluster away, which nobody may do (F14).
	Cancel Verb = "cancel"
	// Nothing happens, and the controller reconciles again.
	Nothing Verb = "nothing"
	// Tick lets a second pass.
	Tick Verb = "tick"
	// Wait lets the time to the next check pass (L5).
	Wait Verb = "wait"
	// Later lets more time pass than any of the policy.
	Later Verb = "later"
	// Release changes the revision of the application (F3).
	Release Verb = "release"
	// Revise changes the policy to the other one of the world (F11).
	Revise Verb = "revise"
	// Forget loses the record of the controller (F14).
	Forget Verb = "forget"
)

// local are the verbs about one cluster, in the order in which they are tried.
func local() []Verb {
	return []Verb{
		Schedule, Unschedule, Healthy, Unhealthy, Unknown, Silent, Talk, Lose, Return, Wipe, Fence, Unfence,
		Taint, Untaint, Deleted, Vanish, Evict, Withdraw, Acknowledge, Confirm,
		Require, Unrequire, Intrude, Cancel,
	}
}

func global() []Verb { return []Verb{Nothing, Tick, Wait, Later, Release, Revise, Forget} }

// Event is one thing that happens (F12).
type Event struct {
	// Verb is required.
	Verb Verb
	// Cluster where it happens; empty for those that concern none.
	Cluster string
}

// String is the event in words, as [ParseStep] reads it (F12).
func (e Event) String() string { return strings.TrimSpace(string(e.Verb) + " " + e.Cluster) }

// parseEvent reads "verb" or "verb cluster". It does not know which clusters there are.
func parseEvent(text string) (Event, error) {
	words := strings.Fields(text)
	switch {
	case len(words) == 2 && slices.Contains(local(), Verb(words[0])):
		return Event{Verb(words[0]), words[1]}, nil
	case len(words) == 1 && slices.Contains(global(), Verb(words[0])):
		return Event{Verb: Verb(words[0])}, nil
	case len(words) == 1 && slices.Contains(local(), Verb(words[0])):
		return Event{}, fmt.Errorf("event %.64q names no cluster", text)
	case len(words) == 2 && slices.Contains(global(), Verb(words[0])):
		return Event{}, fmt.Errorf("event %.64q concerns no cluster", text)
	}
	return Event{}, fmt.Errorf("event %.64q is unknown: use one of %v with a cluster, or one of %v", text, local(), global())
}

// Write is one of the writes of a controller, in their order (F14).
type Write int

const (
	// NoCrash is for a reconcile that gets through (F14).
	NoCrash Write = iota
	// RecordWrite persists the record (F14).
	RecordWrite
	// BindingWrite stores targets and tasks (F14).
	BindingWrite
	// PurgeWrite deletes copies (F14).
	PurgeWrite
	// ManifestWrite writes manifests to clusters (F14).
	ManifestWrite
)

// Step is an event and the reconcile after it (F14).
type Step struct {
	// Event that happens first.
	Event Event
	// CrashBefore is the write before which the controller crashes.
	CrashBefore Write
}

// String is the step in words, as [ParseStep] reads it (F14).
func (s Step) String() string {
	if s.CrashBefore == NoCrash {
		return s.Event.String()
	}
	return s.Event.String() + " !" + strconv.Itoa(int(s.CrashBefore))
}

// ParseStep reads an event, as "tick" or "lose east", and "!" with the number of a write
// if the controller crashes before it: "taint east !2" (F14). It does not know which
// clusters there are.
func ParseStep(text string) (Step, error) {
	words, crash, crashes := strings.Cut(text, "!")
	event, err := parseEvent(words)
	if err != nil || !crashes {
		return Step{Event: event}, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(crash))
	if err != nil || n < int(RecordWrite) || n > int(ManifestWrite) {
		return Step{}, fmt.Errorf("step %.64q: the crash is before a write from %d to %d", text, RecordWrite, ManifestWrite)
	}
	return Step{event, Write(n)}, nil
}
