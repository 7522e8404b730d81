package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
)

// The exit codes are part of the contract.
const (
	exitPlanned  = 0 // a plan was made, waiting and holding included
	exitBlocked  = 1 // something is blocked; the plan so far is printed
	exitUnusable = 2 // bad usage or input; nothing is printed but one line
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, time.Now)) }

// run is the program without the process around it. It prints either the whole
// plan on stdout or one line on stderr, never both and never a part.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, now func() time.Time) int {
	opts, err := parseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return exitPlanned
	}
	if err != nil {
		return refuse(stderr, err)
	}
	in, err := load(opts, stdin)
	if err != nil {
		return refuse(stderr, err)
	}
	if opts.now.IsZero() {
		opts.now = now()
	}
	p, err := makePlan(in, opts)
	if err != nil {
		return refuse(stderr, err)
	}
	out, err := render(p, opts.output)
	if err != nil {
		return refuse(stderr, err)
	}
	if opts.recordOut != "" { // first, as a host does (F14)
		if err := writeRecord(opts.recordOut, p.Record); err != nil {
			return refuse(stderr, err)
		}
	}
	if _, err := stdout.Write(out); err != nil {
		return refuse(stderr, err)
	}
	if len(p.Errors) > 0 {
		return exitBlocked
	}
	return exitPlanned
}

func refuse(stderr io.Writer, err error) int {
	fmt.Fprintln(stderr, "dryrun: "+oneLine(err.Error()))
	return exitUnusable
}

// oneLine makes any text safe for one line of a terminal: joined errors come in
// several lines, and names come from files.
func oneLine(text string) string {
	text = strings.ReplaceAll(text, "\n", "; ")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
