package eviction

import "github.com/carryover-io/carryover/purge"

// Reason is the stable, machine-readable cause of an answer (L5). It is package
// purge's type, so that one decision carries one kind of word: the reason of a
// [Decision] is one of package purge's constants, or one of those below.
type Reason = purge.Reason

// Reasons of a [Result].
const (
	// ReasonEvicted means that a task was added.
	ReasonEvicted Reason = "Evicted"
	// ReasonNewerStateUsed means that two evictions were merged and the task
	// carries the state of the newer one (E2).
	ReasonNewerStateUsed Reason = "NewerStateUsed"
	// ReasonOlderStateKept means that two evictions were merged and the task
	// still carries the state of an older one (E2).
	ReasonOlderStateKept Reason = "OlderStateKept"
	// ReasonAlreadyEvicting means that the cluster is no target any more and has
	// its task, which goes on as it is.
	ReasonAlreadyEvicting Reason = "AlreadyEvicting"
	// ReasonSameTask means that merging gave exactly the task that was stored.
	ReasonSameTask Reason = "SameTask"
	// ReasonNotTarget means that there is nothing to evict.
	ReasonNotTarget Reason = "NotTarget"
	// ReasonInvalidEviction means that [Validate] refuses the eviction.
	ReasonInvalidEviction Reason = "InvalidEviction"
)

// Reasons of a [Decision], beside those of package purge.
const (
	// ReasonWithdrawn means that the cluster is a target again, which under
	// Gracefully withdraws its eviction (E13).
	ReasonWithdrawn Reason = "Withdrawn"
	// ReasonTargetUnderEviction means that the cluster is a target and under
	// eviction with the mode Never, which only a person can resolve (E13). As the
	// reason of a [Report] it is given for every mode.
	ReasonTargetUnderEviction Reason = "TargetUnderEviction"
)

// Reasons of a [Report].
const (
	// ReasonDuplicateItems means that one cluster has several status items (E8).
	ReasonDuplicateItems Reason = "DuplicateItems"
	// ReasonUnknownHealth means that an item's health is no known text (L6).
	ReasonUnknownHealth Reason = "UnknownHealth"
	// ReasonItemIgnored means that an item belongs to a cluster that is neither a
	// target nor under eviction (F5).
	ReasonItemIgnored Reason = "ItemIgnored"
	// ReasonInvalidGracePeriod means that a stored grace period is not positive
	// and the default counts instead (E5).
	ReasonInvalidGracePeriod Reason = "InvalidGracePeriod"
	// ReasonInvalidBlock means that the length of the cool-down is negative and
	// the default counts instead (E12).
	ReasonInvalidBlock Reason = "InvalidBlockPredecessorSeconds"
)

// Reasons of a [Withdrawal], beside purge.InvalidMode and purge.Confirmed.
const (
	// ReasonRequested means that a person asked for the withdrawal.
	ReasonRequested Reason = "Requested"
	// ReasonSourceHealthy means that the cluster is healthy again and nothing
	// replaced it yet.
	ReasonSourceHealthy Reason = "SourceHealthy"
	// ReasonAlreadyTarget means that the cluster is a target already, so that only
	// its task goes (E13).
	ReasonAlreadyTarget Reason = "AlreadyTarget"
	// ReasonNotEvicting means that the cluster has no task.
	ReasonNotEvicting Reason = "NotEvicting"
	// ReasonModeDirectly means that the old copy is being deleted already.
	ReasonModeDirectly Reason = "ModeDirectly"
	// ReasonNeedsRequest means that only a person may withdraw this eviction.
	ReasonNeedsRequest Reason = "NeedsRequest"
	// ReasonSourceNotHealthy means that the cluster is not known to be healthy
	// since it was evicted.
	ReasonSourceNotHealthy Reason = "SourceNotHealthy"
	// ReasonReplacementChosen means that another cluster was chosen already.
	ReasonReplacementChosen Reason = "ReplacementChosen"
)

// Reasons of an [Excluded] cluster.
const (
	// ReasonUnderEviction means that the cluster has an unfinished task.
	ReasonUnderEviction Reason = "UnderEviction"
	// ReasonInCooldown means that the cluster was evicted a short while ago. As
	// the reason of a [Report] it marks a target inside its cool-down.
	ReasonInCooldown Reason = "InCooldown"
)
