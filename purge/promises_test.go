package purge_test

import (
	"slices"
	"time"

	"github.com/carryover-io/carryover/purge"
)

type promise struct {
	rule  string
	holds func(*situation, *purge.Decision) bool
}

// implies reads better than its definition in the promises below.
func implies(a, b bool) bool { return !a || b }

func promises() []promise {
	return slices.Concat(wordPromises(), tablePromises(), rulePromises())
}

// wordPromises are about the form of an answer.
func wordPromises() []promise {
	return []promise{
		{"L5: every word of the answer is a known one", func(_ *situation, d *purge.Decision) bool {
			return (d.Old == purge.Keep || d.Old == purge.Delete) &&
				(d.New == purge.Hold || d.New == purge.Create) && isReason(d.Reason) && d.Message != ""
		}},
		{"L5: a next check is whole seconds, at least one, or nothing", func(_ *situation, d *purge.Decision) bool {
			if !d.NextCheck.OK {
				return d.NextCheck.After == 0
			}
			return d.NextCheck.After >= time.Second && d.NextCheck.After%time.Second == 0
		}},
		{"warnings come with four reasons only", func(_ *situation, d *purge.Decision) bool {
			return d.Warning == (d.Reason == purge.InvalidMode || d.Reason == purge.InvalidInput ||
				d.Reason == purge.NeedsFencing || d.Reason == purge.FencedCopyReturned)
		}},
		{"P3, L6: what cannot be read keeps and holds", func(s *situation, d *purge.Decision) bool {
			reason := purge.InvalidInput
			if s.mode == "" {
				reason = purge.InvalidMode
			}
			return s.readable || d.Old == purge.Keep && d.New == purge.Hold && !d.Done &&
				d.Reason == reason && !d.NextCheck.OK
		}},
		{"L5: a reason tells the truth", reasonIsTrue},
	}
}

// tablePromises are the rows of the table of modes.
func tablePromises() []promise {
	return []promise{
		{"Table: done only if gone and nobody holds", func(s *situation, d *purge.Decision) bool {
			return implies(d.Done, s.gone() && !s.held)
		}},
		{"Table: Directly is done once gone, and carried or healthy", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Directly && s.readable,
				d.Done == (s.gone() && !s.held && (s.StateCarried || s.ready())))
		}},
		{"Table: Gracefully is done once gone", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Gracefully && s.readable, d.Done == (s.gone() && !s.held))
		}},
		{"Table: Never is done once confirmed and gone", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Never && s.readable, d.Done == (s.gone() && s.confirmed))
		}},
		{"Table: Directly deletes at once", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Directly && s.byMode(), d.Old == purge.Delete)
		}},
		{"Table, L6: Directly creates only if gone, fenced, released or required", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Directly && d.New == purge.Create,
				s.gone() || s.Fenced || s.Released || s.RequiredByOthers)
		}},
		{"Table: Directly creates once gone or fenced, and for ever after", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Directly && s.readable && !s.held && (s.gone() || s.Fenced || s.Released),
				d.New == purge.Create)
		}},
		{"Table: Gracefully and Never create at once", func(s *situation, d *purge.Decision) bool {
			return implies(s.readable && s.mode != purge.Directly, d.New == purge.Create)
		}},
		{"Table: Gracefully keeps until healthy or expired", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Gracefully && s.byMode() && d.Old == purge.Delete,
				s.ready() && s.soakEnded || s.graceEnded)
		}},
		{"Table: Gracefully deletes once healthy", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Gracefully && s.byMode() && s.ready() && s.soakEnded, d.Old == purge.Delete)
		}},
	}
}

// rulePromises are about what stands beside and above the table.
func rulePromises() []promise {
	waits := map[purge.Replacement]purge.Reason{
		purge.None:      purge.NoReplacement,
		purge.Scheduled: purge.ReplacementNotApplied,
		purge.Applied:   purge.ReplacementNotHealthy,
		purge.Ready:     purge.Soaking,
	}
	expired := map[purge.Replacement]purge.Reason{
		purge.None:      purge.ExpiredNoReplacement,
		purge.Scheduled: purge.ExpiredNotApplied,
		purge.Applied:   purge.ExpiredSourceHealthy,
		purge.Ready:     purge.Soaking,
	}
	return []promise{
		{"L6: Gracefully and Never delete no last copy", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode != purge.Directly && d.Old == purge.Delete, s.applied() || s.confirmed || s.gone())
		}},
		{"L6, P7: Never deletes nothing unconfirmed", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Never && d.Old == purge.Delete, s.confirmed)
		}},
		{"P5: a required copy stays and is not waited for", func(s *situation, d *purge.Decision) bool {
			return implies(s.readable && s.RequiredByOthers && !s.gone() && !s.held,
				d.Old == purge.Keep && d.New == purge.Create && d.Reason == purge.RequiredByOthers)
		}},
		{"P5: Directly asks for a fence when unreachable past the deadline, and only then", func(s *situation, d *purge.Decision) bool {
			asked := s.mode == purge.Directly && s.readable && s.presence == purge.Unknown && s.fencingDue &&
				!s.Fenced && !s.Released && !s.RequiredByOthers && !s.held
			return asked == (d.Reason == purge.NeedsFencing)
		}},
		{"P5: a copy that returns after the release is deleted with a warning", func(s *situation, d *purge.Decision) bool {
			returned := s.mode == purge.Directly && s.readable && s.presence == purge.Present && s.Released &&
				!s.RequiredByOthers && !s.held
			return returned == (d.Reason == purge.FencedCopyReturned) && implies(returned, d.Old == purge.Delete)
		}},
		{"P6: an ended grace period deletes beside an applied replacement of an unhealthy copy", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Gracefully && s.byMode() && s.graceEnded,
				(d.Old == purge.Delete) == (s.ready() && s.soakEnded || s.applied() && !s.SourceHealthy))
		}},
		{"P6: what an ended grace period does not delete has its reason", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Gracefully && s.byMode() && s.graceEnded && d.Old == purge.Keep,
				d.Reason == expired[s.replacement] && (!d.NextCheck.OK || s.ready()))
		}},
		{"P6: before that each kept copy names what it waits for, and when to look", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Gracefully && s.byMode() && !s.graceEnded && d.Old == purge.Keep,
				d.Reason == waits[s.replacement] && (d.NextCheck.OK || s.ready() && s.SourceHealthy))
		}},
		{"P7: held keeps whatever happens, and under Directly holds", func(s *situation, d *purge.Decision) bool {
			wantNew := purge.Create
			if s.mode == purge.Directly && !s.Released {
				wantNew = purge.Hold
			}
			return implies(s.readable && s.held,
				d.Old == purge.Keep && d.New == wantNew && d.Reason == purge.Suppressed && !d.NextCheck.OK)
		}},
		{"P7: confirmed deletes now", func(s *situation, d *purge.Decision) bool {
			return implies(s.readable && s.confirmed && !s.RequiredByOthers, d.Old == purge.Delete)
		}},
		{"P7: confirmed is no fence", func(s *situation, d *purge.Decision) bool {
			return implies(s.mode == purge.Directly && s.confirmed && !s.gone() && !s.Fenced && !s.Released && !s.RequiredByOthers,
				d.New == purge.Hold)
		}},
	}
}

func isReason(r purge.Reason) bool {
	switch r {
	case purge.InvalidMode, purge.InvalidInput, purge.Suppressed, purge.RequiredByOthers, purge.OldCopyGone,
		purge.AwaitingReplacementHealthy, purge.AwaitingOldCopyGone, purge.OldCopyUnreachable, purge.NeedsFencing,
		purge.Fenced, purge.Released, purge.FencedCopyReturned, purge.Confirmed, purge.ReplacementHealthy,
		purge.Soaking, purge.NoReplacement, purge.ReplacementNotApplied, purge.ReplacementNotHealthy,
		purge.GracePeriodExpired, purge.ExpiredNoReplacement, purge.ExpiredNotApplied, purge.ExpiredSourceHealthy:
		return true
	default:
		return false
	}
}

// reasonIsTrue checks what the comment of each reason says.
func reasonIsTrue(s *situation, d *purge.Decision) bool {
	directly, gracefully := s.mode == purge.Directly, s.mode == purge.Gracefully
	switch d.Reason {
	case purge.InvalidMode:
		return s.mode == ""
	case purge.InvalidInput:
		return s.presence == "" || s.replacement == ""
	case purge.Suppressed:
		return s.held
	case purge.RequiredByOthers:
		return s.RequiredByOthers && !s.gone()
	case purge.OldCopyGone:
		return s.gone() && d.Done
	case purge.AwaitingReplacementHealthy:
		return directly && s.gone() && !s.ready() && !s.StateCarried && d.New == purge.Create
	case purge.AwaitingOldCopyGone:
		return directly && s.presence == purge.Present && d.New == purge.Hold && d.Old == purge.Delete
	case purge.OldCopyUnreachable, purge.NeedsFencing:
		return directly && s.presence == purge.Unknown && d.New == purge.Hold && d.Old == purge.Delete
	case purge.Fenced:
		return directly && s.Fenced && !s.gone()
	case purge.Released:
		return directly && s.Released && s.presence == purge.Unknown
	case purge.FencedCopyReturned:
		return directly && s.Released && s.presence == purge.Present
	case purge.Confirmed:
		return !directly && s.confirmed && !s.gone()
	case purge.ReplacementHealthy:
		return gracefully && s.ready() && s.soakEnded
	case purge.Soaking:
		return gracefully && s.ready() && !s.soakEnded
	case purge.NoReplacement:
		return gracefully && s.replacement == purge.None && !s.graceEnded
	case purge.ReplacementNotApplied:
		return gracefully && s.replacement == purge.Scheduled && !s.graceEnded
	case purge.ReplacementNotHealthy:
		return gracefully && s.replacement == purge.Applied && !s.graceEnded
	case purge.GracePeriodExpired:
		return gracefully && s.applied() && s.graceEnded && !s.SourceHealthy && (!s.ready() || !s.soakEnded)
	case purge.ExpiredNoReplacement:
		return gracefully && s.replacement == purge.None && s.graceEnded
	case purge.ExpiredNotApplied:
		return gracefully && s.replacement == purge.Scheduled && s.graceEnded
	case purge.ExpiredSourceHealthy:
		return gracefully && s.replacement == purge.Applied && s.graceEnded && s.SourceHealthy
	default:
		return false
	}
}
