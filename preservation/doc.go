// Package preservation carries the state of an application from the cluster that
// failed to the next one.
//
// # Problem
//
// A Flink job that moves must go on from its last checkpoint. Where that is stands
// in the status of the old copy: the job's id, a time stamp. Whoever starts the new
// copy reads it from a label of the new manifest. In between, a wrong value is
// worse than none: a job id read as null, a time stamp with a rounded digit or a
// path cut to 63 characters starts the job from nothing, and nobody notices. So
// every value is either exact and legal, or an error that says what to change.
//
// # Example
//
// Rules name what to read and the label that receives it. They are compiled once,
// read the status of the failed copy before it is evicted, and the state goes into
// the manifest for the next cluster:
//
//	rules, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{{
//		AliasLabelName: "resume.example.com/job-id",
//		JSONPath:       "{.jobStatus.jobId}",
//	}}}, preservation.KarmadaProtection())
//	found, err := rules.Extract(preservation.Sources{
//		Cluster: "east", Status: preservation.RawDocument(status),
//	})
//	// err != nil: a Required rule has no value, so do not evict yet
//	manifest, report, err := preservation.Inject(manifest, found.State, preservation.InjectOptions{})
//	// later: preservation.Remove(manifest, report)
//
// [Validate] is for a webhook, and returns what is wrong as a field.ErrorList.
// Nothing here decides whether to fail over, whom to evict, or who may receive the
// state.
//
// # Templates
//
// A rule's jsonPath is a kubectl JSONPath template, rooted at the status. Valid:
//
//	{.jobStatus.jobId}                            a path
//	job-{.jobStatus.jobId}                        text around a path
//	{.conditions[?(@.type=="Ready")].status}      a filter with one match
//	{.savepoints[-1].id}                          the last item of a list
//	{.parts[*].id}                                several hits, with join: "-"
//	{range .parts[*]}p{.id}{end}                  a loop; its text is one value
//	{.labels.app\.example\.com/id}                dots in a key are escaped
//	{"true"}                                      a constant
//
// Refused by [Validate]:
//
//	jobStatus.jobId             reads nothing: it would be copied as it stands
//	{true}                      reads nothing either; a constant is quoted
//	{.a["b"]}                   keys take single quotes, and dots the rest
//	{.c[?(@.a=="x" && @.b)]}    the grammar has no && and no =~
//	s3p://ckpt/{.jobId}         no label value can hold "://"
//	{"a b"}                     a constant that no label value can be
//
// Valid, and an error when they meet the wrong status:
//
//	{.status.jobStatus.jobId}   MissingKey: the status is the root; the hint says so
//	{.jobStatus.jobID}          MissingKey if the key is jobId; the hint names it
//	{.parts[*].id}              MultipleValues without join
//	{.jobStatus}                NotScalar: an object is no label value
//	{.savepointPath}            InvalidValue for s3p://b/p
//
// # What is refused
//
// Keys that are not legal, that two rules share, that are protected ([Protection]),
// or that the manifest selects pods by. Values that are empty, longer than 63 bytes
// or hold other characters than a label value may. Manifests without metadata, or
// with a label that is not text. Nothing is repaired, truncated, encoded or
// skipped, and no error shows a collected value: it may be a secret.
//
// # Classes of errors
//
// Every run-time error has a [Class], which errors.Is finds, and says by Retryable
// whether waiting helps:
//
//	MissingKey          the status has no value; default applies
//	BadPath             the template cannot be evaluated on this status
//	NotScalar           the hit is an object or a list
//	MultipleValues      several hits and no join
//	TypeMismatch        a filter or an index meets another type than it needs
//	InvalidValue        a key or a value is not legal for its target
//	TooLarge            a limit was passed
//	BadStatus           the status is not exactly one JSON object
//	StatusNotCollected  no status yet: the only one that a retry can cure
//	BadManifest         the manifest has no usable metadata or labels
//	BadReport           the report to take back is of another version
//	Refused             the key must not be written
//
// The first nine come from [Extractor.Extract] as [*RuleError], the others and
// InvalidValue from [Inject], [Remove] and [RemoveRules] as [*InjectError].
//
// # Limits
//
// A template has at most 4096 bytes and 32 levels of nesting, checked before it is
// parsed. One evaluation gives at most 10,000 values and takes at most 1,000,000
// steps; a number has at most 400 digits, a text at most [MaxValueBytes]. Documents
// and manifests are nested at most 10,000 deep; a manifest has at most 1,000,000
// values.
//
// # Stability
//
// Settled: the JSON of [StatePreservation], [Rule] and [State], the classes, and
// what a label receives. Not settled before v1: the Go names, the details of
// messages, and [Report], [Change] and [Sources], which gain fields as more
// targets and documents come. Classes, effects and targets may be added.
package preservation
