package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/purge"
)

const usage = `usage: dryrun -f FILE [-f FILE ...] [flags]

Shows what a failover would do to one Karmada binding. Nothing is changed.

  -f FILE                  YAML or JSON documents, - is standard input (repeatable):
                           one ResourceBinding or ClusterResourceBinding, manifests,
                           Cluster objects for their taints
  --now RFC3339            the time of the plan (default: the clock)
  --evict CLUSTER          leave this cluster, whatever its health, and no other one
                           (repeatable; default: health, tolerations and taints decide)
  --cause CAUSE            application, cluster or planned (default application)
  --to CLUSTER             a target that the scheduler chose (repeatable)
  --from NAME=FILE         a document that rules name in their field from: one YAML or
                           JSON object (repeatable)
  --legacy CLUSTER=WHAT    the old copy there is present, gone, unknown or fenced
                           (repeatable, default unknown)
  --record FILE            what the run before remembered; no file = this is the first
  --record-out FILE        write what this run remembers, for the next one; may be the
                           same file, and holds state
  -o FORMAT                text, json, yaml, or a picture of what happened so far and
                           of this plan: timeline or svg (default text)

Exit codes: 0 a plan was made, 1 blocked (the plan so far is printed), 2 bad
usage or input. "go run" makes 1 of every code but 0 and adds a line to standard
error: scripts build the program first, go build -o dryrun ./examples/dryrun.
`

// options are the command line.
type options struct {
	files  []string
	now    time.Time // zero = the clock
	evict  []string  // sorted, each once
	cause  preservation.Cause
	to     []string                  // as given, each once
	from   map[string]string         // files of documents that rules name
	legacy map[string]eviction.Facts // what is known of old copies
	output string

	record, recordOut string // files; empty = none
}

// keepsRecord says that what a run remembers is there for the next one.
func (o *options) keepsRecord() bool { return o.record != "" || o.recordOut != "" }

// parseFlags returns flag.ErrHelp where help is asked for. Every other error is
// one clear line.
func parseFlags(args []string) (options, error) {
	opts := options{cause: preservation.Application, legacy: map[string]eviction.Facts{}, from: map[string]string{}, output: "text"}
	set := flag.NewFlagSet("dryrun", flag.ContinueOnError)
	set.SetOutput(io.Discard) // the caller prints the one line
	set.Usage = func() {}
	set.Func("f", "", opts.addFile)
	set.Func("now", "", opts.setNow)
	set.Func("evict", "", func(s string) error { return addCluster(&opts.evict, s) })
	set.Func("cause", "", opts.setCause)
	set.Func("to", "", func(s string) error { return addCluster(&opts.to, s) })
	set.Func("legacy", "", opts.addLegacy)
	set.Func("o", "", opts.setOutput)
	set.Func("from", "", opts.addFrom)
	set.Func("record", "", func(s string) error { return setFile(&opts.record, s) })
	set.Func("record-out", "", func(s string) error { return setFile(&opts.recordOut, s) })
	if err := set.Parse(args); err != nil {
		return options{}, err
	}
	if set.NArg() > 0 {
		return options{}, fmt.Errorf("unexpected argument %q: files are given with -f", set.Arg(0))
	}
	if len(opts.files) == 0 {
		return options{}, errors.New("name at least one file with -f, where - is standard input")
	}
	if err := opts.checkStandardInput(); err != nil {
		return options{}, err
	}
	slices.Sort(opts.evict)
	return opts, nil
}

func setFile(name *string, text string) error {
	if text == "" || text == standardInput {
		return errors.New("name a file")
	}
	*name = text
	return nil
}

func (o *options) addFile(name string) error {
	if name == "" {
		return errors.New("name a file")
	}
	o.files = append(o.files, name)
	return nil
}

// checkStandardInput keeps a second reader from finding it empty.
func (o *options) checkStandardInput() error {
	readers := 0
	for _, name := range slices.AppendSeq(slices.Clone(o.files), maps.Values(o.from)) {
		if name == standardInput {
			readers++
		}
	}
	if readers > 1 {
		return errors.New("standard input can be read once")
	}
	return nil
}

func (o *options) setNow(text string) error {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.IsZero() {
		return errors.New("give a time such as 2025-01-10T12:00:00Z")
	}
	o.now = at
	return nil
}

func (o *options) setCause(text string) error {
	switch text {
	case "application":
		o.cause = preservation.Application
	case "cluster":
		o.cause = preservation.Cluster
	case "planned":
		o.cause = preservation.Planned
	default:
		return errors.New("use application, cluster or planned")
	}
	return nil
}

func (o *options) addLegacy(text string) error {
	cluster, what, found := strings.Cut(text, "=")
	if !found {
		return errors.New("write CLUSTER=present, CLUSTER=gone, CLUSTER=unknown or CLUSTER=fenced")
	}
	if err := checkCluster(cluster); err != nil {
		return err
	}
	var facts eviction.Facts
	switch what {
	case "present":
		facts.Presence = purge.Present
	case "gone":
		facts.Presence = purge.Gone
	case "unknown":
		facts.Presence = purge.Unknown
	case "fenced":
		facts.Presence, facts.Fenced = purge.Unknown, true
	default:
		return errors.New("an old copy is present, gone, unknown or fenced")
	}
	if before, twice := o.legacy[cluster]; twice && before != facts {
		return fmt.Errorf("%s was given before with another word", cluster)
	}
	o.legacy[cluster] = facts
	return nil
}

// addFrom takes any name that a rule may use, and none of the library's own.
func (o *options) addFrom(text string) error {
	name, file, found := strings.Cut(text, "=")
	if !found || name == "" || file == "" {
		return errors.New("write NAME=FILE")
	}
	for _, own := range []preservation.Source{preservation.FromStatus, preservation.FromObject, preservation.FromFailover} {
		if strings.EqualFold(name, string(own)) {
			return fmt.Errorf("%s is not a document to give: it comes from the binding, the manifest and the move", own)
		}
	}
	if _, twice := o.from[name]; twice {
		return fmt.Errorf("%s was given before", name)
	}
	o.from[name] = file
	return nil
}

func (o *options) setOutput(text string) error {
	switch text {
	case "text", "json", "yaml", "timeline", "svg":
		o.output = text
		return nil
	default:
		return errors.New("use text, json, yaml, timeline or svg")
	}
}

func addCluster(list *[]string, name string) error {
	if err := checkCluster(name); err != nil {
		return err
	}
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
	return nil
}

// checkCluster refuses slips of the pen. What is a legal name is Karmada's to say.
func checkCluster(name string) error {
	strange := func(r rune) bool { return r == '=' || r == ',' || unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if name == "" || strings.ContainsFunc(name, strange) {
		return errors.New("name one cluster")
	}
	return nil
}
