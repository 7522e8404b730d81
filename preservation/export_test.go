package preservation

// Decoding is the extractor without its short cut for documents that are given as
// JSON: it decodes them as a whole.
func (x *Extractor) Decoding() *Extractor {
	out := &Extractor{}
	for _, c := range x.rules {
		c.slots = nil
		out.rules = append(out.rules, c)
	}
	if x.takenAt != nil {
		c := *x.takenAt
		c.slots = nil
		out.takenAt = &c
	}
	return out
}

// Plans is how many documents have the short cut.
func (x *Extractor) Plans() int { return len(x.plans) }
