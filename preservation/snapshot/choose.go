package snapshot

// Candidates are the states that a restore can take (R5).
type Candidates struct {
	// Explicit is the location that a person wrote into the specification; empty,
	// blank, "0" and "null" = none (R5).
	Explicit string
	// ExplicitChanged says that the specification changed since the last run, so
	// that Explicit is a person's new wish and not an old pin (R5).
	ExplicitChanged bool
	// Latest is the latest recorded snapshot; zero = none (R5).
	Latest Snapshot
	// Inherited is what the last run was started from; zero = nothing (R5).
	Inherited Snapshot
}

// Loser is a state that was not chosen (R5).
type Loser struct {
	// Source is where it is from; each source is there at most once (R5).
	Source Source
	// Snapshot is the state. It can serve if the chosen one is gone (R5).
	Snapshot Snapshot
	// Reason is why it lost: Outranked or PinNotNew (R5).
	Reason Reason
}

// Choice is the answer of Choose (R5).
type Choice struct {
	// Source of the chosen state; SourceNone and SourceUnknown come without one (R5).
	Source Source
	// Snapshot is the chosen one; without a location there is none (R5).
	Snapshot Snapshot
	// Lost are the other states, best first; nil = none (R5).
	Lost []Loser
	// Reason is never empty (L5).
	Reason Reason
	// Message says the same to people, without any location (L7).
	Message string
}

// Choose says which state a restore takes (R5). The first rule that matches
// decides:
//
//  1. The explicit location, if the specification changed, [RevisionChanged]: a
//     person has just asked for it, also where the latest state cannot be named.
//  2. A latest state that nobody can name is SourceUnknown, [StateUnnamed]: an
//     older one in its place would lose work without a word.
//  3. The latest recorded snapshot, [LatestRecorded].
//  4. What the last run was started from, [LastStartPoint], which may itself be
//     [StateUnnamed].
//  5. The explicit location, [FirstStart].
//  6. SourceNone, [NothingRecorded]. It is no permission to start empty: [Restart]
//     says what a policy makes of it.
//
// An explicit location comes as a snapshot of that location only: it never inherits
// the time, or the finality, of another. How old a state is plays no part. Time
// does neither, so there is no next check.
func Choose(c Candidates) Choice {
	list := ranked(c)
	if len(list) == 0 {
		out := Choice{Source: SourceNone}
		out.Reason, out.Message = whyChosen(out.Source, c.ExplicitChanged)
		return out
	}
	first := list[0]
	out := Choice{Source: first.Source, Snapshot: first.Snapshot}
	for _, l := range list[1:] {
		l.Reason = Outranked
		if l.Source == SourceExplicit {
			l.Reason = PinNotNew
		}
		out.Lost = append(out.Lost, l)
	}
	if first.Snapshot.Unnamed {
		out.Source, out.Snapshot = SourceUnknown, first.Snapshot
		// What stands beside the mark is no location.
		out.Snapshot.Location = ""
	}
	out.Reason, out.Message = whyChosen(out.Source, c.ExplicitChanged)
	return out
}

// ranked lists the candidates that there are, best first.
func ranked(c Candidates) []Loser {
	explicit := Loser{Source: SourceExplicit, Snapshot: Snapshot{Location: c.Explicit}}
	var list []Loser
	if c.ExplicitChanged && named(c.Explicit) {
		list = append(list, explicit)
	}
	if c.Latest.Unnamed || named(c.Latest.Location) {
		list = append(list, Loser{Source: SourceLatest, Snapshot: c.Latest})
	}
	if c.Inherited.Unnamed || named(c.Inherited.Location) {
		list = append(list, Loser{Source: SourceInherited, Snapshot: c.Inherited})
	}
	if !c.ExplicitChanged && named(c.Explicit) {
		list = append(list, explicit)
	}
	return list
}

func whyChosen(s Source, changed bool) (Reason, string) {
	switch s {
	case SourceExplicit:
		if changed {
			return RevisionChanged, "the changed specification names the start point"
		}
		return FirstStart, "the specification names the start point, and nothing was recorded since"
	case SourceLatest:
		return LatestRecorded, "the latest recorded snapshot"
	case SourceInherited:
		return LastStartPoint, "no snapshot was recorded: the last run was started from this one"
	case SourceUnknown:
		return StateUnnamed, "a newer state exists but nobody can say where: name a start point"
	case SourceNone:
	}
	return NothingRecorded, "there is no state to restore from"
}
