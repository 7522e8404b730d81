package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// text tells the plan to people. It names keys and never a carried value.
func (p plan) text() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "Dry run of %s\n", oneLine(p.title))
	for _, cluster := range p.clusters() {
		fmt.Fprintf(&out, "\n%s\n", oneLine(cluster))
		p.textOf(&out, cluster)
	}
	out.WriteString("\n")
	if len(p.Excluded) > 0 {
		fmt.Fprintf(&out, "The scheduler should avoid: %s\n", oneLine(strings.Join(p.Excluded, ", ")))
	}
	p.textOfLists(&out)
	out.WriteString(p.textOfRecheck())
	return out.Bytes()
}

// clusters are all that the plan says something about.
func (p plan) clusters() []string {
	names := map[string]bool{}
	for _, d := range p.Decisions {
		names[d.Cluster] = true
	}
	for _, o := range p.Purges {
		names[o.Cluster] = true
	}
	for _, i := range p.Injections {
		names[i.Cluster] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// textOf is the story of one cluster: shall it go, what of the old copy, what of
// the new one.
func (p plan) textOf(out *bytes.Buffer, cluster string) {
	line := func(label, word, reason, message string) {
		fmt.Fprintf(out, "  %-9s %s (%s): %s\n", label, word, reason, oneLine(message))
	}
	for _, d := range p.Decisions {
		if d.Cluster == cluster {
			line("decision", d.Outcome, d.Reason, d.Message)
			if d.RecheckAfterSeconds != nil {
				fmt.Fprintf(out, "  %-9s again after %s\n", "look", duration(*d.RecheckAfterSeconds))
			}
		}
	}
	for _, o := range p.Purges {
		if o.Cluster == cluster {
			word := string(o.Legacy)
			if o.Done {
				word = "finished"
			}
			line("old copy", word, string(o.Reason), o.Message)
		}
	}
	for _, i := range p.Injections {
		if i.Cluster == cluster {
			line("manifest", i.Action, i.Reason, i.message)
			i.textOfKeys(out)
		}
	}
}

func (i *injection) textOfKeys(out *bytes.Buffer) {
	for _, w := range i.Written {
		how := "added"
		if w.Replaced {
			how = "replaced"
		}
		fmt.Fprintf(out, "            %s %s %s\n", strings.ToLower(w.Target), oneLine(w.Key), how)
	}
}

func (p plan) textOfLists(out *bytes.Buffer) {
	heading := func(title string, n int) {
		if n > 0 {
			fmt.Fprintln(out, title)
		}
	}
	heading("Events:", len(p.Events))
	for _, e := range p.Events {
		fmt.Fprintf(out, "  %s %s: %s\n", e.Type, e.Reason, oneLine(e.Message))
	}
	heading("Warnings:", len(p.Warnings))
	for _, w := range p.Warnings {
		fmt.Fprintf(out, "  %s: %s%s\n", w.Reason, place(w.Cluster, w.Field), oneLine(w.Message))
	}
	heading("Blocked by:", len(p.Errors))
	for _, e := range p.Errors {
		if strings.HasPrefix(e.Message, "cluster ") {
			fmt.Fprintf(out, "  %s\n", e.Message) // of a rule: names cluster, rule and class itself
			continue
		}
		fmt.Fprintf(out, "  %s: %s%s\n", e.Class, place(e.Cluster, e.Field), e.Message)
	}
}

func place(cluster, field string) string {
	var parts []string
	for _, part := range []string{cluster, field} {
		if part != "" {
			parts = append(parts, oneLine(part))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ": "
}

func duration(seconds int64) time.Duration { return time.Duration(seconds) * time.Second }

func (p plan) textOfRecheck() string {
	if p.RecheckAfterSeconds == nil {
		return "Look again when something changes: time alone changes nothing.\n"
	}
	return fmt.Sprintf("Look again after %s, or when something changes.\n", duration(*p.RecheckAfterSeconds))
}
