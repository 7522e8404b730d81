package purge

import (
	"fmt"
	"time"
)

// Decide says what happens to one old copy, to copies that do not exist yet,
// and to the task (P4). It is the one place that knows what a mode promises.
// The first rule that matches decides:
//
//  1. An unknown mode keeps the old copy and holds the new one, [InvalidMode]
//     (P3); so does an unknown presence or replacement, [InvalidInput] (L6).
//  2. suppressDeletion true, and Never without the flag, keep whatever happens,
//     [Suppressed], even where the copy is gone: a person's hold is a hold. With
//     Directly the new copy is held too, unless it was released before (P7).
//  3. An old copy that is confirmed gone ends the task, [OldCopyGone]; under
//     Directly only once its state is carried elsewhere, or a replacement was
//     healthy, else [AwaitingReplacementHealthy].
//  4. A copy that others require stays and is not waited for,
//     [RequiredByOthers] (P5). It is the one case in which Directly creates
//     beside an old copy that may run (L6).
//  5. Directly deletes, and holds the new copy until the old one is fenced
//     (P5). No time passing turns Hold into Create.
//  6. suppressDeletion false deletes now, [Confirmed] (P7).
//  7. Gracefully waits for the replacement or the end of the grace period (P6).
//
// Decide never fails: an input it cannot read is answered by rule 1. The zero
// Input is Gracefully with nothing known: keep, and create. The input and what
// it points to are not changed, and the answer does not alias them (L1).
func Decide(in Input) Decision {
	mode, err := Normalize(in.Mode)
	if err != nil {
		return Decision{Old: Keep, New: Hold, Reason: InvalidMode, Warning: true, Message: err.Error()}
	}
	if message, ok := unreadable(in); ok {
		return Decision{Old: Keep, New: Hold, Reason: InvalidInput, Warning: true, Message: message}
	}
	in = clamp(in)
	switch {
	case suppressed(mode, in.SuppressDeletion):
		return suppress(mode, in)
	case in.Presence == Gone:
		return finish(mode, in)
	case in.RequiredByOthers:
		return Decision{
			Old: Keep, New: Create, Reason: RequiredByOthers,
			Message: "something else requires the old copy: it stays and is not waited for",
		}
	case mode == Directly:
		return directly(in)
	case in.SuppressDeletion != nil:
		return Decision{
			Old: Delete, New: Create, Reason: Confirmed,
			Message: "a person confirmed that the old copy may go",
		}
	default:
		return gracefully(in)
	}
}

// unreadable says which closed set holds a text that is not in it.
func unreadable(in Input) (string, bool) {
	switch in.Presence {
	case Present, Gone, Unknown, "":
	default:
		return fmt.Sprintf("presence %q is unknown: use Present, Gone or Unknown", string(in.Presence)), true
	}
	switch in.Replacement {
	case None, Scheduled, Applied, Ready, "":
		return "", false
	default:
		return fmt.Sprintf("replacement %q is unknown: use None, Scheduled, Applied or Ready", string(in.Replacement)), true
	}
}

// clamp fills what may be left out. A creation time that is missing would have
// ended every deadline long ago, so it counts as now, as one of the future does
// (E6). A future ReadySince is left alone: its soak time ends when it ends.
func clamp(in Input) Input {
	if in.Created.IsZero() || in.Created.After(in.Now) {
		in.Created = in.Now
	}
	if in.GracePeriod <= 0 {
		in.GracePeriod = DefaultGracePeriod
	}
	return in
}

// suppressed is P7: the flag decides, and Never without it behaves as true.
func suppressed(mode Mode, flag *bool) bool {
	if flag == nil {
		return mode == Never
	}
	return *flag
}

func suppress(mode Mode, in Input) Decision {
	d := Decision{
		Old: Keep, New: Create, Reason: Suppressed,
		Message: "the old copy stays until a person sets suppressDeletion to false",
	}
	if mode == Directly && !in.Released {
		d.New = Hold
		d.Message += "; the new copy waits"
	}
	return d
}

// finish answers for an old copy that is confirmed gone. Under Directly the
// task may hold the only copy of the state, and goes only when that is safe.
func finish(mode Mode, in Input) Decision {
	if mode == Directly && !in.StateCarried && in.Replacement != Ready {
		return Decision{
			Old: Delete, New: Create, Reason: AwaitingReplacementHealthy,
			Message: "the old copy is gone; the task keeps the state until a replacement is healthy",
		}
	}
	return Decision{Old: Delete, New: Create, Done: true, Reason: OldCopyGone, Message: "the old copy is gone"}
}

// directly is P5 for an old copy that is not confirmed gone.
func directly(in Input) Decision {
	switch {
	case in.Released && in.Presence == Present:
		return Decision{
			Old: Delete, New: Create, Reason: FencedCopyReturned, Warning: true,
			Message: "the old copy is there again after its replacement was released: it is deleted at once",
		}
	case in.Fenced:
		return Decision{
			Old: Delete, New: Create, Reason: Fenced,
			Message: "the old copy is fenced; its deletion is still due",
		}
	case in.Released:
		return Decision{
			Old: Delete, New: Create, Reason: Released,
			Message: "the new copy was released before; the deletion of the old one is still due",
		}
	case in.Presence == Present:
		return Decision{
			Old: Delete, New: Hold, Reason: AwaitingOldCopyGone,
			Message: "the old copy is being deleted; the new copy waits until it is gone",
		}
	default:
		return unreachable(in)
	}
}

// unreachable waits for ever: the deadline only changes what is asked for.
func unreachable(in Input) Decision {
	d := Decision{
		Old: Delete, New: Hold, Reason: OldCopyUnreachable,
		Message: "nobody can tell whether the old copy still runs; the new copy waits until it is gone or fenced",
	}
	if in.FencingDeadline == nil {
		return d
	}
	deadline := in.Created.Add(*in.FencingDeadline)
	if in.Now.Before(deadline) {
		d.NextCheck = CheckAt(deadline, in.Now)
		return d
	}
	d.Reason, d.Warning = NeedsFencing, true
	d.Message = "nobody can tell whether the old copy still runs: fence its cluster, or confirm that it is gone"
	return d
}

// gracefully is P6 for an old copy that is not confirmed gone.
func gracefully(in Input) Decision {
	deadline := in.Created.Add(in.GracePeriod)
	expired := !in.Now.Before(deadline)
	soaked, soakEnd := soak(in)
	switch {
	case in.Replacement == Ready && soaked:
		return Decision{
			Old: Delete, New: Create, Reason: ReplacementHealthy,
			Message: "the replacement is healthy",
		}
	case expired && !in.SourceHealthy && (in.Replacement == Applied || in.Replacement == Ready):
		return Decision{
			Old: Delete, New: Create, Reason: GracePeriodExpired,
			Message: "the grace period ended at " + stamp(deadline) + " and a replacement is applied",
			// A replacement that soaks gives a better reason when it is done.
			NextCheck: soakEnd,
		}
	}
	d := Decision{Old: Keep, New: Create, NextCheck: soakEnd}
	d.Reason, d.Message = waiting(in, expired, deadline)
	// Beside a healthy old copy a soaking replacement soaks on, grace period or
	// not; a check at its end would wake the caller for nothing.
	if !expired && (in.Replacement != Ready || !in.SourceHealthy) {
		d.NextCheck = d.NextCheck.Or(CheckAt(deadline, in.Now))
	}
	return d
}

// soak says whether a ready replacement was healthy for long enough, and else
// when it will have been. Without a known start it never will: reading "not
// known since when" as "long ago" would fail open (L6).
func soak(in Input) (bool, NextCheck) {
	if in.Replacement != Ready || in.Soak <= 0 {
		return true, NextCheck{}
	}
	if in.ReadySince.IsZero() {
		return false, NextCheck{}
	}
	end := in.ReadySince.Add(in.Soak)
	if in.Now.Before(end) {
		return false, CheckAt(end, in.Now)
	}
	return true, NextCheck{}
}

// waiting names what a kept old copy waits for.
func waiting(in Input, expired bool, deadline time.Time) (Reason, string) {
	ended := "the grace period ended at " + stamp(deadline) + " "
	switch in.Replacement {
	case Ready:
		if in.ReadySince.IsZero() {
			return Soaking, "the replacement is healthy, but it is not known since when"
		}
		return Soaking, "the replacement is healthy since " + stamp(in.ReadySince) + ", not yet for long enough"
	case Applied:
		if expired {
			return ExpiredSourceHealthy, ended + "but the old copy is healthy and its replacement is not"
		}
		return ReplacementNotHealthy, "the old copy stays until its replacement is healthy"
	case Scheduled:
		if expired {
			return ExpiredNotApplied, ended + "before a replacement was applied: the last copy stays"
		}
		return ReplacementNotApplied, "the old copy stays until its replacement is applied and healthy"
	case None:
	}
	if expired {
		return ExpiredNoReplacement, ended + "without any replacement: the last copy stays"
	}
	return NoReplacement, "the old copy stays until a replacement is scheduled and healthy"
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
