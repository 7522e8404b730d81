package failovertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/preservation/snapshot"
	"github.com/carryover-io/carryover/purge"
)

// sound refuses an exploration that would try nothing, or something else than it seems.
func (x *Exploration) sound() error {
	if err := x.World.sound(); err != nil {
		return err
	}
	tries := false
	for _, verb := range keys(x.Limits) {
		if !slices.Contains(local(), verb) && !slices.Contains(global(), verb) {
			return fmt.Errorf("limits: event %.64q is unknown: use %v or %v", verb, local(), global())
		}
		tries = tries || x.Limits[verb] != 0
	}
	switch {
	case !tries:
		return errors.New("limits: no event may happen, so nothing is tried")
	case x.Depth < 1:
		return fmt.Errorf("depth: %d steps try nothing", x.Depth)
	case x.Crashes < 0 || x.States < 0:
		return errors.New("crashes and states are not negative")
	}
	return nil
}

// sound says what is wrong with a world for the explorer and for timelines (F13).
func (w *World) sound() error {
	path, err := w.check()
	if err == nil {
		path, err = w.valid(field.NewPath("world"))
	}
	if invalid := (*field.Error)(nil); err == nil || errors.As(err, &invalid) {
		return err // which names the path
	}
	return fmt.Errorf("%s: %w", path, err)
}

// check says what is wrong with a world, and where.
func (w *World) check() (string, error) {
	switch {
	case len(w.Clusters) == 0 || len(w.Clusters) > maxClusters:
		return "world.clusters", fmt.Errorf("a world has 1 to %d clusters", maxClusters)
	case w.Copies < 0:
		return "world.copies", errors.New("the scheduler wants no negative number of targets")
	}
	for i, name := range w.Clusters {
		path := fmt.Sprintf("world.clusters[%d]", i)
		switch {
		case name == "":
			return path, errors.New("a cluster has a name")
		case slices.Contains(w.Clusters[:i], name):
			return path, fmt.Errorf("there are two clusters %q", name)
		}
	}
	return "world.status", object(w.Status)
}

// object refuses a status that is no JSON object.
func object(raw json.RawMessage) error {
	var value map[string]any
	if len(raw) > 0 && (json.Unmarshal(raw, &value) != nil || value == nil) {
		return errors.New("a status is a JSON object")
	}
	return nil
}

// valid refuses what a webhook would refuse, and says where: with it, nothing happens, and
// a test that expects nothing passes (L6).
func (w *World) valid(at *field.Path) (string, error) {
	if w.Invalid {
		return "", nil
	}
	errs := failover.Validate(w.Policy, w.Host.Protection, at.Child("policy"))
	if w.Edited != nil {
		errs = append(errs, failover.Validate(*w.Edited, w.Host.Protection, at.Child("edited"))...)
	}
	errs = append(errs, failover.ValidateTolerations(w.Tolerations, at.Child("tolerations"))...)
	errs = append(errs, purge.ValidateMode(w.Host.ClusterPurgeMode, at.Child("host", "clusterPurgeMode"))...)
	return refusal(errs)
}

// refusal is the first error of a validation, and where it is.
func refusal(errs field.ErrorList) (string, error) {
	if len(errs) == 0 {
		return "", nil
	}
	return errs[0].Field, fmt.Errorf("%w: only a world that says invalid: true has it", errs[0])
}

// checkValues refuses words of a step that nobody knows.
func (sc *Scenario) checkValues(w *World, i int) error {
	step, at := &sc.Steps[i], field.NewPath("steps").Index(i)
	var errs field.ErrorList
	for _, name := range keys(step.Health) {
		errs = append(errs, oneOf(at.Child("health", name), step.Health[name], "", eviction.Healthy, eviction.Unhealthy, eviction.HealthUnknown, eviction.NotApplicable)...)
	}
	for n, r := range step.Requests {
		one := at.Child("requests").Index(n)
		errs = append(errs, oneOf(one.Child("action"), r.Action, failover.RequestEvict, failover.RequestWithdraw, failover.RequestAcknowledge)...)
		errs = append(errs, oneOf(one.Child("cause"), r.Cause, "", preservation.Application, preservation.Cluster, preservation.Planned)...)
	}
	if len(errs) > 0 {
		return sc.fail(errs[0].Field, errs[0])
	}
	if w.Invalid {
		return nil
	}
	if path, err := refusal(slices.Concat(step.invalidFacts(at), step.invalidTasks(at))); err != nil {
		return sc.fail(path, err)
	}
	return nil
}

// invalidFacts are words in facts that nobody knows.
func (s *ScenarioStep) invalidFacts(at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range keys(s.Facts) {
		facts, one := s.Facts[name], at.Child("facts", name)
		for n, t := range facts.Taints {
			errs = append(errs, oneOf(one.Child("taints").Index(n).Child("effect"), t.Effect, failover.NoExecute, failover.NoSchedule, failover.PreferNoSchedule)...)
		}
		if a := facts.Snapshotting; a != nil {
			errs = append(errs, oneOf(
				one.Child("snapshotting", "state"), a.State, "", snapshot.AttemptNone, snapshot.AttemptInProgress,
				snapshot.AttemptTriggerFailed, snapshot.AttemptSucceeded, snapshot.AttemptFailed, snapshot.AttemptAbandoned,
			)...)
		}
	}
	return errs
}

// invalidTasks are modes that are none, and grace periods that are no time.
func (s *ScenarioStep) invalidTasks(at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for n, t := range s.Tasks {
		one := at.Child("tasks").Index(n)
		errs = append(errs, purge.ValidateMode(t.PurgeMode, one.Child("purgeMode"))...)
		if grace := t.GracePeriodSeconds; grace != nil && *grace <= 0 {
			errs = append(errs, field.Invalid(one.Child("gracePeriodSeconds"), *grace, "must be positive"))
		}
	}
	return errs
}

// oneOf refuses a text that is none of a closed set.
func oneOf[T ~string](path *field.Path, value T, known ...T) field.ErrorList {
	if slices.Contains(known, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, slices.DeleteFunc(known, func(k T) bool { return k == "" }))}
}
