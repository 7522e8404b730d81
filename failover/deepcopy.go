package failover

// This is written by hand: controller-gen knows no time.Time, which is a value like
// any other.

// DeepCopyInto copies t into out, which must not be nil (L1).
func (t *TaintSeen) DeepCopyInto(out *TaintSeen) {
	*out = *t
	t.Taint.DeepCopyInto(&out.Taint)
}

// DeepCopy returns a copy; nil of nil (L1).
func (t *TaintSeen) DeepCopy() *TaintSeen {
	if t == nil {
		return nil
	}
	out := new(TaintSeen)
	t.DeepCopyInto(out)
	return out
}
