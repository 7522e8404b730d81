package failover

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/purge"
)

// TaintEffect is what a taint does to what does not tolerate it (F4). The texts
// are core/v1's.
type TaintEffect string

const (
	// NoSchedule keeps new copies away. It evicts nothing.
	NoSchedule TaintEffect = "NoSchedule"
	// PreferNoSchedule tries to. It evicts nothing.
	PreferNoSchedule TaintEffect = "PreferNoSchedule"
	// NoExecute evicts: the only effect that counts here.
	NoExecute TaintEffect = "NoExecute"
)

// Taint is a taint of a cluster (F4). Its JSON is that of core/v1's Taint.
//
// +kubebuilder:object:generate=true
type Taint struct {
	// Key names the taint, and Value says more; empty is a text like any other.
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`
	// Effect other than NoExecute evicts nothing; an unknown one is reported.
	Effect TaintEffect `json:"effect"`
	// TimeAdded is when the taint was added. Nil, zero and a year outside 1 to
	// 9999, which JSON cannot hold, are not known; parts of a second are cut off.
	TimeAdded *metav1.Time `json:"timeAdded,omitempty"`
}

// TolerationOperator is how a toleration matches a taint of its key (F4). The
// texts are core/v1's; its Lt and Gt are not for clusters, and invalid.
type TolerationOperator string

const (
	// Equal matches the taint with the same value. Empty is Equal.
	Equal TolerationOperator = "Equal"
	// Exists matches every value, and with an empty key every key.
	Exists TolerationOperator = "Exists"
)

// Toleration tolerates the taints that it matches (F4). Its JSON is that of
// core/v1's Toleration. The zero value is invalid.
//
// +kubebuilder:object:generate=true
// +kubebuilder:validation:XValidation:rule=`(has(self.key) && self.key != "") || (has(self.operator) && self.operator == 'Exists')`,message=`only the operator Exists goes without: it then matches every key`,fieldPath=`.key`,reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`!has(self.operator) || self.operator != 'Exists' || !has(self.value) || self.value == ""`,message=`must be empty with the operator Exists, which matches every value`,fieldPath=`.value`
type Toleration struct {
	// Key of the taints; empty = every key, with Exists only.
	Key string `json:"key,omitempty"`
	// Operator compares; empty = Equal.
	// +kubebuilder:validation:Enum=Equal;Exists;""
	Operator TolerationOperator `json:"operator,omitempty"`
	// Value of the taints, with Equal only.
	Value string `json:"value,omitempty"`
	// Effect of the taints; empty = every effect.
	// +kubebuilder:validation:Enum=NoExecute;NoSchedule;PreferNoSchedule;""
	Effect TaintEffect `json:"effect,omitempty"`
	// TolerationSeconds is how long NoExecute is tolerated; nil = for ever, 0 and
	// negative = not at all. Beside another effect it means nothing.
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// TaintSeen remembers when a taint was first observed whose own time does not say
// since when it counts (F4, L2).
type TaintSeen struct {
	// Taint as it was observed, with its TimeAdded: one with another time is
	// another taint.
	Taint Taint `json:"taint"`
	// FirstSeen is the time of that call; UTC, in whole seconds. What Taint says of
	// TimeAdded holds for it, too.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	FirstSeen time.Time `json:"firstSeen,omitzero"`
}

// TaintInput is all that [Tolerate] looks at, for one cluster (F4).
type TaintInput struct {
	// Taints of the cluster, in any order.
	Taints []Taint
	// Tolerations of the application, in any order.
	Tolerations []Toleration
	// FirstSeen is what the last call answered as Seen for this cluster. A host that
	// keeps nothing gives nil: a limited toleration of a taint without time then
	// starts anew in each call, and never ends.
	FirstSeen []TaintSeen
	// Now is the caller's time (L2).
	Now time.Time
}

// TaintOutcome is what the taints of a cluster ask for (F4, L5).
type TaintOutcome string

const (
	// TaintNone means that no taint has the effect NoExecute.
	TaintNone TaintOutcome = "None"
	// TolerateForever means that all are tolerated without a limit.
	TolerateForever TaintOutcome = "TolerateForever"
	// EvictAfter means that all are tolerated, and not all for ever: the
	// application leaves the cluster at the deadline.
	EvictAfter TaintOutcome = "EvictAfter"
	// EvictNow means that one is not tolerated, or no longer.
	EvictNow TaintOutcome = "EvictNow"
	// TaintUndecided means that a toleration is invalid, and may have been meant for
	// the taints that there are: they evict nothing.
	TaintUndecided TaintOutcome = "Undecided"
)

// The reasons of a [TaintVerdict], beside [TaintUntolerated], which is that of
// EvictNow (F4, L5).
const (
	// NoNoExecuteTaint is the reason of TaintNone.
	NoNoExecuteTaint Reason = "NoNoExecuteTaint"
	// TaintTolerated is the reason of TolerateForever.
	TaintTolerated Reason = "TaintTolerated"
	// TaintToleratedUntil is the reason of EvictAfter.
	TaintToleratedUntil Reason = "TaintToleratedUntil"
	// InvalidToleration is the reason of TaintUndecided.
	InvalidToleration Reason = "InvalidToleration"
)

// UnknownTaintEffect means that a taint has an effect that is an unknown text: it
// evicts nothing, since it is not NoExecute (F4, L6).
const UnknownTaintEffect WarningReason = "UnknownTaintEffect"

// TaintVerdict is the answer for one cluster (F4, L5).
type TaintVerdict struct {
	// Outcome is never empty.
	Outcome TaintOutcome
	// Reason is never empty.
	Reason Reason
	// Message says the same to people, in one line. It names the keys of the taints
	// that decide, sorted, and no time but the deadline.
	Message string
	// Deadline is when the first toleration ends; UTC, in whole seconds, not after
	// the year 9999, and zero unless the outcome is EvictAfter.
	Deadline time.Time
	// NextCheck is when the deadline is reached; none unless EvictAfter.
	NextCheck purge.NextCheck
	// Seen replaces the caller's memory of this cluster, whatever the outcome: the
	// NoExecute taints that count from their first observation, sorted by key, value
	// and time, each once.
	Seen []TaintSeen
	// Errors are all that [ValidateTolerations] finds, under "tolerations" and in
	// the order of the list. There may be some beside TaintNone, too.
	Errors field.ErrorList
	// Warnings name the taints whose effect is unknown, without a cluster; sorted
	// by message, each once.
	Warnings []Warning
}
