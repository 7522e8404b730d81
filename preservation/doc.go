// Package preservation carries the state of an application from the cluster that
// failed to the next one.
//
// # Problem
//
// A Flink job that moves must go on from its last checkpoint. Where that is stands
// in the status of the old copy: the job's id, a path, a time stamp. Whoever starts
// the new copy reads it from the new manifest: from a label, an annotation or a
// field of its spec. In between, a wrong value is worse than none: a job id read as
// null, a time stamp with a rounded digit or a path cut to 63 characters starts the
// job from nothing, and nobody notices. So every value is either exact and legal,
// or an error that says what to change.
//
// # Example
//
// Rules name what to read and the place that receives it. They are compiled once,
// read the documents of the failed copy before it is evicted, and the state goes
// into the manifest for the next cluster:
//
//	rules, err := preservation.Compile(preservation.StatePreservation{Rules: []preservation.Rule{{
//		AliasLabelName: "resume.example.com/job-id",
//		JSONPath:       "{.jobStatus.jobId}",
//	}, {
//		JSONPath:  "s3p://ckpt/{.jobStatus.jobId}/chk-{.jobStatus.n}",
//		Target:    preservation.Field,
//		FieldPath: ".spec.job.initialSavepointPath",
//	}}}, preservation.KarmadaProtection())
//	found, err := rules.Extract(preservation.Sources{
//		Cluster: "east", Status: preservation.RawDocument(status),
//	})
//	// err != nil: a Required rule has no value, so do not evict yet
//	manifest, report, err := preservation.Inject(manifest, found.State, preservation.InjectOptions{})
//	// later: preservation.Remove(manifest, report)
//
// [Validate] is for a webhook, and returns what is wrong as a field.ErrorList. An
// injection into the template, before the eviction, shows what would fail after it.
// Nothing here decides whether to fail over, whom to evict, or who may receive the
// state. Package preset has ready rules.
//
// # Targets
//
//	Label        metadata.labels, by key: at most 63 bytes of the label alphabet
//	Annotation   metadata.annotations, by key: any text; objects and lists as
//	             compact JSON with sorted keys
//	Field        any field of the object that is for state, by path:
//	             .spec.job.initialSavepointPath, .spec.env[0].value, .spec.a\.b
//
// A Field rule whose template is one single path, without join, keeps the type of
// its hit: a number stays a number, an object an object. Any other template gives
// text, and so does a default. The parent of a field must be there, what is there
// must have its type, and no list items are created. Refused are status, apiVersion
// and kind, metadata, selectors and volumeClaimTemplates wherever they stand, in a
// path or in an object, whole pod templates, and whole top-level fields; without [InjectOptions] that ask for it,
// the pod template and what is immutable in kinds of Kubernetes itself.
//
// # Sources
//
// A rule reads the status unless from names another document: Object is the whole
// object there, Failover is the move itself ([Failover]: cause, origin, attempt,
// time), and any other name is a document that the caller found and supplies. A
// status that is not there may come; any other document that is not there makes
// the value missing.
//
// takenAt is one path more, to the time at which the state was taken; it is always
// read from the status. [Extraction] has its text, or why there is none, apart from
// the rules: it blocks nothing here.
//
// # Conflicts
//
// Where the manifest holds another value, conflict decides: Replace writes, Keep
// leaves it, Fail is an error. The [Report] has what was there. Null and empty text
// are no value to conflict with.
//
// # Templates
//
// A rule's jsonPath is a kubectl JSONPath template, rooted at the document. Valid:
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
//	s3p://ckpt/{.jobId}         for a Label, which cannot hold "://"
//	{"a b"}                     for a Label: a constant that none can be
//
// Valid, and an error when they meet the wrong status:
//
//	{.status.jobStatus.jobId}   MissingKey: the status is the root; the hint says so
//	{.jobStatus.jobID}          MissingKey if the key is jobId; the hint names it
//	{.parts[*].id}              MultipleValues without join
//	{.jobStatus}                NotScalar for a Label: an object is no label value
//	{.savepointPath}            InvalidValue for a Label and s3p://b/p
//
// # What is refused
//
// Keys that are not legal, that two rules share, that are protected ([Protection]),
// or that the manifest selects pods by. Values that are empty or not legal for
// their target. Text that was not UTF-8, and for a Field numbers that an API server
// would round. Manifests without metadata, or with a label that is not text.
// Nothing is repaired, truncated, encoded or skipped, and no error shows a
// collected value: it may be a secret.
//
// # Classes of errors
//
// Every run-time error has a [Class], which errors.Is finds, and says by Retryable
// whether waiting helps:
//
//	MissingKey          the document has no value; default applies
//	BadPath             the template cannot be evaluated on this document
//	NotScalar           the hit is an object or a list, and the target holds none
//	MultipleValues      several hits and no join
//	TypeMismatch        a filter, an index or a field meets another type than it needs
//	InvalidValue        a key or a value is not legal for its target
//	TooLarge            a limit was passed
//	BadStatus           the document is not exactly one JSON object
//	StatusNotCollected  no status yet: the only one that a retry can cure
//	BadManifest         the manifest has no usable metadata, labels or annotations
//	MissingParent       the object or the list item around a field is not there
//	Conflict            another value is there, and the rule says Fail
//	Refused             the key or the field must not be written
//	BadState            the state, or its encoding, is not one
//	BadReport           the report to take back is of another version
//
// The first nine come from [Extractor.Extract] as [*RuleError], and but for
// InvalidValue as [*TakenAtError]; those from
// BadManifest on, and TypeMismatch, InvalidValue and TooLarge, from [Inject],
// [ApplyConfiguration], [Remove], [RemoveRules], [State.Encode] and [DecodeState]
// as [*InjectError].
//
// # Limits
//
//	template             4096 bytes, 32 levels of nesting, checked before parsing
//	one evaluation       10,000 values, 1,000,000 steps
//	a number             400 digits
//	a value              [MaxValueBytes]
//	a Field value        1,000 levels of nesting
//	a policy             [MaxRules]
//	all annotations      [MaxAnnotationsBytes], keys included
//	all fields           [MaxFieldsBytes], paths included
//	a field path         [MaxFieldPathBytes], [MaxFieldPathSteps]
//	an encoded state     [MaxEncodedBytes]
//	documents, manifests 10,000 levels of nesting; a manifest 1,000,000 values
//
// # Stability
//
// Settled: the JSON of [StatePreservation], [Rule] and [State], the encoding of
// version 1, the classes, and what each target receives. Not settled before v1: the
// Go names, the details of messages, and [Report], [Change] and [Sources], which may
// gain fields. Classes, effects and targets may be added.
package preservation
