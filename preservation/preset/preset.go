package preset

import "github.com/carryover-io/carryover/preservation"

// The keys that presets write. None of them is protected by default (S11).
const (
	// FlinkJobID is a label: the id of the job on the cluster that it leaves.
	FlinkJobID = "carryover.io/job-id"
	// SparkApplicationID is a label: the id of the last submission.
	SparkApplicationID = "carryover.io/spark-application-id"
	// VolumeHandle is an annotation: the volume behind the claim, as its driver
	// names it.
	VolumeHandle = "carryover.io/volume-handle"
	// VolumeDriver is an annotation: the driver of that volume.
	VolumeDriver = "carryover.io/volume-driver"
	// SourceNode is an annotation: the node of a virtual machine on the cluster that
	// it leaves.
	SourceNode = "carryover.io/source-node"
	// FirmwareUUID is an annotation: what the guest of a virtual machine knows itself
	// by.
	FirmwareUUID = "carryover.io/firmware-uuid"
	// SourceAddress is an annotation: the address of a virtual machine on the cluster
	// that it leaves.
	SourceAddress = "carryover.io/source-address"
)

// The documents that presets read besides the status. The caller supplies them;
// without one its values are missing (S4).
const (
	// PersistentVolume is the volume behind the claim of a StatefulSet.
	PersistentVolume preservation.Source = "PersistentVolume"
	// VirtualMachineInstance is the running instance of a VirtualMachine.
	VirtualMachineInstance preservation.Source = "VirtualMachineInstance"
)

// FlinkDeployment carries the job's id as a label, and the path of the savepoint
// of the last upgrade or suspension to where the operator starts a new job from.
//
// The operator writes KUBERNETES_OPERATOR_LAST_STATE where it knows no path, and 0
// stands for none elsewhere in its status: both count as missing (S4). Since the
// path is Required, a job that crashed without a savepoint does not move under
// Directly (S10, F6).
func FlinkDeployment() preservation.StatePreservation {
	return preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: FlinkJobID, JSONPath: "{.jobStatus.jobId}"},
		{
			JSONPath: "{.jobStatus.upgradeSavepointPath}", Target: preservation.Field,
			FieldPath: ".spec.job.initialSavepointPath", Reject: flinkPlaceholders(),
		},
	}}
}

// flinkPlaceholders are what the operator writes for a path that it does not know.
func flinkPlaceholders() []string { return []string{"KUBERNETES_OPERATOR_LAST_STATE", "0"} }

// SparkApplication carries the id of the application, by which its checkpoints are
// found: a new submission gets another one. It is Required (S10).
func SparkApplication() preservation.StatePreservation {
	return preservation.StatePreservation{Rules: []preservation.Rule{
		{AliasLabelName: SparkApplicationID, JSONPath: "{.sparkApplicationId}"},
	}}
}

// StatefulSetVolumes carries the handle of one volume, and its driver if known,
// from the document [PersistentVolume] that the caller supplies. They are
// annotations, since handles may hold slashes and colons (S8). A set with several
// volumes needs a rule with its own key and document for each (S11).
func StatefulSetVolumes() preservation.StatePreservation {
	return preservation.StatePreservation{Rules: []preservation.Rule{
		{
			AliasLabelName: VolumeHandle, JSONPath: "{.spec.csi.volumeHandle}", From: PersistentVolume,
			Target: preservation.Annotation,
		},
		{
			AliasLabelName: VolumeDriver, JSONPath: "{.spec.csi.driver}", From: PersistentVolume,
			Target: preservation.Annotation, Policy: preservation.Optional,
		},
	}}
}

// VirtualMachine carries where the machine ran and what its guest knows itself by,
// from the document [VirtualMachineInstance] that the caller supplies. The node is
// Required, since whoever fetches the disks needs it (S10). Names of nodes may be
// longer than a label, and IPv6 addresses hold colons: all are annotations (S8).
func VirtualMachine() preservation.StatePreservation {
	annotation := func(key, path string, policy preservation.RulePolicy) preservation.Rule {
		return preservation.Rule{
			AliasLabelName: key, JSONPath: path, From: VirtualMachineInstance,
			Target: preservation.Annotation, Policy: policy,
		}
	}
	return preservation.StatePreservation{Rules: []preservation.Rule{
		annotation(SourceNode, "{.status.nodeName}", preservation.Required),
		annotation(FirmwareUUID, "{.spec.domain.firmware.uuid}", preservation.Optional),
		annotation(SourceAddress, "{.status.interfaces[0].ipAddress}", preservation.Optional),
	}}
}
