package snapshot

// These two are written by hand: controller-gen knows no time.Time, which is a value
// like any other.

// DeepCopyInto copies s into out, which must not be nil (L1).
func (s *Snapshot) DeepCopyInto(out *Snapshot) { *out = *s }

// DeepCopy returns a copy; nil of nil (L1).
func (s *Snapshot) DeepCopy() *Snapshot {
	if s == nil {
		return nil
	}
	out := new(Snapshot)
	s.DeepCopyInto(out)
	return out
}

// DeepCopyInto copies a into out, which must not be nil (L1).
func (a *Attempt) DeepCopyInto(out *Attempt) { *out = *a }

// DeepCopy returns a copy; nil of nil (L1).
func (a *Attempt) DeepCopy() *Attempt {
	if a == nil {
		return nil
	}
	out := new(Attempt)
	a.DeepCopyInto(out)
	return out
}
