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

// ShortCut says of each rule, and of takenAt behind them, whether the bytes alone gave
// its value.
func (x *Extractor) ShortCut(in Sources) []bool {
	docs := reader{sources: &in, found: make([][]byte, x.found)}
	docs.scan(x.plans)
	var out []bool
	for i := range x.rules {
		_, found := x.rules[i].rawValue(&docs)
		out = append(out, found)
	}
	if x.takenAt != nil {
		_, found := x.takenAt.rawOnlyHit(&docs)
		out = append(out, found)
	}
	return out
}
