package preservation

import "errors"

// Sources are the documents that rules read.
type Sources struct {
	// Cluster names where they come from, for errors; empty is fine.
	Cluster string
	// Status of the application there; the zero value was not collected.
	Status Document
}

// Extraction is what the rules found.
type Extraction struct {
	// State holds the values of all rules that gave one, also when others failed
	// (S10). Its labels are nil if none did.
	State State
	// Errors has one entry for each rule that gave no value, in the order of the
	// rules, Optional ones included.
	Errors []*RuleError
}

// Extract evaluates every rule (S2 to S10):
//
//  1. The status is read once. Without one, rules that read it are
//     StatusNotCollected, and with anything but one JSON object BadStatus (S12);
//     a rule that is a constant has its value all the same.
//  2. Each rule is evaluated on its own. What is missing or rejected takes the
//     rule's default; other errors do not (S4).
//  3. The value is checked against its target here, before anything is evicted:
//     nothing is truncated, hashed or sanitised (S8).
//
// The result holds the good values and all errors. The returned error joins those
// of Required rules only, each a [*RuleError]: nil means that nothing blocks (S10).
// The status is not changed, and the result does not refer to it. An extractor
// without rules gives an empty result whatever the status is.
//
// The work is bounded by the limits that the package comment lists; a rule that
// passes one is TooLarge (S12).
func (x *Extractor) Extract(in Sources) (Extraction, error) {
	if x == nil || len(x.rules) == 0 {
		return Extraction{}, nil
	}
	var out Extraction
	labels := make(map[string]string, len(x.rules))
	var blocking []error
	root, unreadable := in.Status.root()
	for i := range x.rules {
		c := &x.rules[i]
		text, f := "", unreadable
		if unreadable == nil || !c.template.ReadsDocument() {
			text, f = c.value(root)
		}
		if f == nil {
			labels[c.rule.AliasLabelName] = text
			continue
		}
		err := c.fail(in.Cluster, f)
		out.Errors = append(out.Errors, err)
		if c.rule.Policy == Required {
			blocking = append(blocking, err)
		}
	}
	if len(labels) > 0 {
		out.State.Labels = labels
	}
	return out, errors.Join(blocking...)
}

func (c *compiled) fail(cluster string, f *fault) *RuleError {
	return &RuleError{
		Cluster: cluster, Rule: c.index, Alias: c.rule.AliasLabelName, Path: c.template.String(),
		Policy: c.rule.Policy, Class: f.class, Detail: f.detail,
	}
}
