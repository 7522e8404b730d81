package preservation

import (
	"maps"
	"slices"
)

// Ref is the place that the rule fills (I4). For a Field the key is the one spelling
// of its path, or the text as it stands if that is no path (I5).
func (r Rule) Ref() Ref {
	ref := Ref{r.withDefaults().Target, r.AliasLabelName}
	if ref.Target != Field {
		return ref
	}
	ref.Key = r.FieldPath
	if path, err := parseFieldPath(r.FieldPath); err == nil {
		ref.Key = path.String()
	}
	return ref
}

// Check says what keeps a state from being what a rule could have given: a key or
// a value that is not legal for its target (S8), fields that lie within each other
// (S11), a conflict that is not known (L6). The error is an [*InjectError] of class
// BadState; nil means that it is fine. An empty state is fine.
func (s State) Check() error { return s.check() }

// Split separates the labels, which travel as Karmada's preservedLabelState, from
// the rest; nil if there is neither another value nor a label with a conflict. [Join]
// puts them together again. Neither part shares anything with s (L1).
func (s State) Split() (map[string]string, *State) {
	rest := s.DeepCopy()
	labels := rest.Labels
	rest.Labels = nil
	ofLabel := func(c RefConflict) bool { return c.Target == Label }
	if rest.IsEmpty() && !slices.ContainsFunc(rest.Conflicts, ofLabel) {
		return labels, nil
	}
	return labels, rest
}

// Join is the inverse of [State.Split]. The labels of rest do not count. The result
// shares nothing with the arguments (L1).
func Join(labels map[string]string, rest *State) State {
	out := State{}
	if rest != nil {
		rest.DeepCopyInto(&out)
	}
	out.Labels = maps.Clone(labels)
	return out
}
