package preservation

// StatePreservation lists the rules that say which state goes along, and what
// happens where there is none. [Validate] refuses what can never succeed (S1). Its
// JSON is Karmada's; all fields but the rules are extensions, which Karmada's CRD
// prunes, and nil or empty without them.
//
// +kubebuilder:object:generate=true
type StatePreservation struct {
	// Rules are evaluated in order; each fills one target. Nil and empty = no
	// state is carried.
	// +optional
	// +nullable
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:XValidation:rule=`self.all(a, !has(a.aliasLabelName) || a.aliasLabelName == "" || self.exists_one(b, has(b.aliasLabelName) && b.aliasLabelName == a.aliasLabelName && (has(b.target) && b.target != "" ? b.target : 'Label') == (has(a.target) && a.target != "" ? a.target : 'Label')))`,message=`two rules have the same aliasLabelName and target`
	// +kubebuilder:validation:XValidation:rule=`self.all(a, !has(a.fieldPath) || a.fieldPath == "" || self.exists_one(b, has(b.fieldPath) && b.fieldPath == a.fieldPath))`,message=`two rules have the same fieldPath`
	Rules []Rule `json:"rules"`
	// OnMissingState says what happens where a Required value is missing; empty =
	// Block (F6).
	// +kubebuilder:validation:Enum=Block;EvictWithout;UsePrevious;""
	// +kubebuilder:default=Block
	OnMissingState OnMissingState `json:"onMissingState,omitempty"`
	// MissingStateDeadlineSeconds is how long missing state blocks before the
	// previous state goes along, or none; nil = until a person acts, 0 = not at all
	// (F6).
	// +kubebuilder:validation:Minimum=0
	MissingStateDeadlineSeconds *int32 `json:"missingStateDeadlineSeconds,omitempty"`
	// Retention says how long a copy keeps the values that it received; empty =
	// UntilHealthy for labels and annotations, UntilNextFailover for fields and for
	// labels of the pod template, since removing these restarts the workload (F7).
	// +kubebuilder:validation:Enum=UntilHealthy;UntilNextFailover;""
	Retention Retention `json:"retention,omitempty"`
	// MaxStateAgeSeconds is how old the state may be that goes along; state that is
	// older, or of unknown age, counts as missing. Nil = any age (R2). It needs
	// TakenAt, unless the caller knows the time.
	// +kubebuilder:validation:Minimum=0
	MaxStateAgeSeconds *int32 `json:"maxStateAgeSeconds,omitempty"`
	// TakenAt is a template with one path, rooted at the status, to the time at
	// which the state was taken (R4): {.jobStatus.checkpointInfo.lastCheckpoint.timeStamp}.
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('(?s)^\\s*[{].*[}]\\s*$')`,message=`write one path in braces and nothing around it, such as {.path.to.time}`
	TakenAt string `json:"takenAt,omitempty"`
	// InjectWhenNotDirectly gives the state to the new copy under every purge mode.
	// The old copy may run on with it: only for consumers that read it (I1).
	InjectWhenNotDirectly bool `json:"injectWhenNotDirectly,omitempty"`
}

// OnMissingState says what happens where a Required value is missing (F6).
type OnMissingState string

const (
	// Block keeps the application where it is, and a new copy from being created
	// (F6).
	Block OnMissingState = "Block"
	// EvictWithout moves it without the state; the reason says so (F6).
	EvictWithout OnMissingState = "EvictWithout"
	// UsePrevious moves it with the state that the copy itself received, as a whole,
	// where that is still kept, else it blocks (F6).
	UsePrevious OnMissingState = "UsePrevious"
)

// Retention says how long a copy keeps the values that it received (F7).
type Retention string

const (
	// UntilHealthy ends once the copy was healthy in a later call than the one that
	// gave it the state (F7).
	UntilHealthy Retention = "UntilHealthy"
	// UntilNextFailover ends when the copy receives newer state, leaves, or somebody
	// acknowledges (F7).
	UntilNextFailover Retention = "UntilNextFailover"
)
