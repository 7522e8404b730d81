package failover

import (
	"fmt"

	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/preservation/snapshot"
)

// StateAgeError says that the state is not fresh enough to go along (R2). It holds no
// state (L7).
type StateAgeError struct {
	// Cluster that the state comes from.
	Cluster string
	// Verdict is Stale, Suspect, Unknown or Wait; what Fresh says is no error.
	Verdict snapshot.Verdict
	// Reason and Detail are those of snapshot.Freshness.
	Reason snapshot.Reason
	Detail string
}

// Error names the cluster and the verdict (L7).
func (e *StateAgeError) Error() string {
	return fmt.Sprintf("cluster %s: the state is %s (%s): %s", e.Cluster, e.Verdict, e.Reason, e.Detail)
}

// Retryable is true while a snapshot is pending: a newer status may hold it. All else
// needs a newer state or another policy (L7).
func (e *StateAgeError) Retryable() bool { return e.Verdict == snapshot.VerdictWait }

// age judges how old the state is that was found, where the policy asks (R2, R3): from
// the time that takenAt names, else from the one that the caller knows, to when the
// application was last healthy, else to now. Nil = nobody asks, or there is no state.
func (d departure) age(terms Terms, found preservation.Extraction) *snapshot.Assessment {
	most := terms.StatePreservation.MaxStateAgeSeconds
	if most == nil || found.State.IsEmpty() {
		return nil
	}
	in := snapshot.Input{
		// The state was found, whatever it is called.
		Snapshot: snapshot.Snapshot{Location: "state", TakenAt: d.TakenAt},
		Limit:    snapshot.Seconds(int64(*most)), Now: d.Now,
	}
	if last := d.LastHealthy[d.Cluster]; d.Now.IsZero() || !last.After(d.Now) { // a time of the future is now
		in.LastRunning = last
	}
	if terms.StatePreservation.TakenAt != "" {
		in.Snapshot.TakenAt, _ = snapshot.ParseTime(found.TakenAt) // zero for what is no time
	}
	if d.Snapshotting != nil {
		in.Attempt, in.Reachable = *d.Snapshotting, true
	}
	out := snapshot.Freshness(in)
	return &out
}

// ageError is nil for a state that may go along.
func (d departure) ageError(age *snapshot.Assessment) error {
	if age == nil || age.Verdict == snapshot.VerdictFresh {
		return nil
	}
	return &StateAgeError{Cluster: d.Cluster, Verdict: age.Verdict, Reason: age.Reason, Detail: age.Message}
}
