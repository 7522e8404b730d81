package failovertest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// How much a scenario may hold: a world is small.
const (
	maxClusters = 20
	maxSteps    = 1000
)

// check says what is wrong with a scenario before anything happens.
func (sc *Scenario) check() error {
	switch {
	case sc.Name == "":
		return sc.fail("name", errors.New("a scenario has a name"))
	case len(sc.Steps) == 0 || len(sc.Steps) > maxSteps:
		return sc.fail("steps", fmt.Errorf("a scenario has 1 to %d steps", maxSteps))
	}
	w := sc.World
	if path, err := w.check(); err != nil {
		return sc.fail(path, err)
	}
	if path, err := w.valid(field.NewPath("world")); err != nil {
		return sc.fail(path, err)
	}
	for i := range sc.Steps {
		if err := sc.checkStep(i); err != nil {
			return err
		}
		if e := sc.Steps[i].Edit; e != nil {
			e.apply(&w)
			if path, err := w.valid(field.NewPath("steps").Index(i).Child("edit")); err != nil {
				return sc.fail(path, err)
			}
		}
		if err := sc.checkValues(&w, i); err != nil {
			return err
		}
	}
	return nil
}

// object refuses a status that is no JSON object.
func (sc *Scenario) object(path string, raw json.RawMessage) error {
	if err := object(raw); err != nil {
		return sc.fail(path, err)
	}
	return nil
}

func (sc *Scenario) checkStep(i int) error {
	step, path := &sc.Steps[i], fmt.Sprintf("steps[%d]", i)
	changes := step.changes()
	switch {
	case len(step.Do) > 0 && changes:
		return sc.fail(path+".do", errors.New("do stands alone: write the rest as a step of its own"))
	case len(step.Do) == 0 && !changes && step.CrashBefore != NoCrash:
		return sc.fail(path+".crashBefore", errors.New("nothing happens: write do: nothing !"+strconv.Itoa(int(step.CrashBefore))))
	case len(step.Do) > 0 && step.CrashBefore != NoCrash:
		return sc.fail(path+".crashBefore", errors.New("write the crash behind the event: do: tick !"+strconv.Itoa(int(step.CrashBefore))))
	case len(step.Do) == 0 && !changes && step.Expect == nil:
		return sc.fail(path, errors.New("a step lets something happen or expects something"))
	case step.CrashBefore < NoCrash || step.CrashBefore > ManifestWrite:
		return sc.fail(path+".crashBefore", fmt.Errorf("the crash is before a write from %d to %d", RecordWrite, ManifestWrite))
	case i == 0 && !changes && len(step.Do) == 0:
		return sc.fail(path+".expect", errors.New("nothing has happened yet"))
	}
	for _, check := range []func(int, string) error{sc.checkEvents, sc.checkTime, sc.checkChanges, sc.checkWrites, sc.checkExpectation} {
		if err := check(i, path); err != nil {
			return err
		}
	}
	return nil
}

// changes says that something happens besides the events.
func (s *ScenarioStep) changes() bool {
	return s.Advance != nil || s.Until != "" || s.Edit != nil || len(s.Facts)+len(s.Status)+len(s.Health) > 0 ||
		s.Targets != nil || s.Tasks != nil || len(s.Requests) > 0 || s.RecordLost
}

// named are the clusters that a map of a step names.
type named struct {
	field string
	names []string
}

func (sc *Scenario) allKnown(path string, all []named) error {
	for _, one := range all {
		for _, name := range one.names {
			if err := sc.known(path+"."+one.field+"."+name, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// known refuses a cluster that is not in the world.
func (sc *Scenario) known(path, cluster string) error {
	if !slices.Contains(sc.World.Clusters, cluster) {
		return sc.fail(path, fmt.Errorf("there is no cluster %q: the world has %v", cluster, sc.World.Clusters))
	}
	return nil
}

func (sc *Scenario) checkEvents(i int, path string) error {
	for n, one := range sc.Steps[i].Do {
		at := fmt.Sprintf("%s.do[%d]", path, n)
		if _, err := ParseStep(one.String()); err != nil {
			return sc.fail(at, err)
		}
		if one.Event.Cluster != "" {
			if err := sc.known(at, one.Event.Cluster); err != nil {
				return err
			}
		}
	}
	return nil
}

func (sc *Scenario) checkTime(i int, path string) error {
	step := &sc.Steps[i]
	switch {
	case step.Advance != nil && step.Until != "":
		return sc.fail(path+".until", errors.New("use advance or until"))
	case step.Advance != nil && (step.Advance.Duration <= 0 || step.Advance.Duration%time.Second != 0):
		return sc.fail(path+".advance", fmt.Errorf("time goes on, in whole seconds: %s does not", step.Advance.Duration))
	case step.Until != "":
		if _, err := instant(step.Until); err != nil {
			return sc.fail(path+".until", err)
		}
	}
	return nil
}

// instant is in seconds since the beginning.
func instant(text string) (int64, error) {
	if d, err := time.ParseDuration(text); err == nil {
		if d%time.Second != 0 || d < 0 {
			return 0, fmt.Errorf("time goes on, in whole seconds: %s does not", text)
		}
		return int64(d / time.Second), nil
	}
	if tooLong(text) {
		return 0, errTooLong
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Nanosecond() != 0 {
		return 0, fmt.Errorf("%.64q is neither a duration since the beginning, such as 90s, nor a time, such as %s", text, start().Format(time.RFC3339))
	}
	return t.Unix() - start().Unix(), nil
}

func (sc *Scenario) checkChanges(i int, path string) error {
	step := &sc.Steps[i]
	if step.Edit != nil {
		if err := sc.object(path+".edit.status", step.Edit.Status); err != nil {
			return err
		}
	}
	err := sc.allKnown(path, []named{{"facts", keys(step.Facts)}, {"status", keys(step.Status)}, {"health", keys(step.Health)}})
	if err != nil {
		return err
	}
	for _, name := range keys(step.Status) {
		if raw := step.Status[name]; string(raw) != "null" {
			if err := sc.object(path+".status."+name, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

func keys[K cmp.Ordered, V any](of map[K]V) []K { return slices.Sorted(maps.Keys(of)) }

func (sc *Scenario) checkWrites(i int, path string) error {
	step := &sc.Steps[i]
	for n, t := range step.Targets {
		at := fmt.Sprintf("%s.targets[%d]", path, n)
		if err := sc.known(at+".name", t.Name); err != nil {
			return err
		}
		for _, other := range step.Targets[:n] {
			if other.Name == t.Name {
				return sc.fail(at+".name", fmt.Errorf("there are two targets %q", t.Name))
			}
		}
	}
	for n, t := range step.Tasks {
		if err := sc.known(fmt.Sprintf("%s.tasks[%d].fromCluster", path, n), t.FromCluster); err != nil {
			return err
		}
	}
	for n, r := range step.Requests {
		if err := sc.known(fmt.Sprintf("%s.requests[%d].cluster", path, n), r.Cluster); err != nil {
			return err
		}
	}
	return nil
}

func (sc *Scenario) checkExpectation(i int, path string) error {
	e := sc.Steps[i].Expect
	if e == nil {
		return nil
	}
	path += ".expect"
	err := sc.allKnown(path, []named{
		{"tasks", keys(e.Tasks)},
		{"decisions", keys(e.Decisions)},
		{"purges", keys(e.Purges)},
		{"placements", keys(e.Placements)},
		{"copies", keys(e.Copies)},
		{"received", keys(e.Received)},
		{"keeps", keys(e.Keeps)},
		{"errors", keys(e.Errors)},
	})
	if err != nil {
		return err
	}
	if err := sc.checkSubstance(path, e); err != nil {
		return err
	}
	for _, list := range []named{{"targets", e.Targets}, {"excluded", e.Excluded}} {
		for n, name := range list.names {
			if err := sc.known(fmt.Sprintf("%s.%s[%d]", path, list.field, n), name); err != nil {
				return err
			}
		}
	}
	if err := sc.checkNotices(path+".warnings", e.Warnings); err != nil {
		return err
	}
	if err := sc.checkNotices(path+".events", e.Events); err != nil {
		return err
	}
	if d, err := time.ParseDuration(e.Next); e.Next != "" && e.Next != "none" && (err != nil || d <= 0 || d%time.Second != 0) {
		return sc.fail(path+".next", fmt.Errorf("%.64q is neither a duration in whole seconds, such as 90s, nor none", e.Next))
	}
	return nil
}

func (sc *Scenario) checkNotices(path string, notices []NoticeExpectation) error {
	for n, notice := range notices {
		at := fmt.Sprintf("%s[%d]", path, n)
		if notice.Reason == "" {
			return sc.fail(at, errors.New("what is expected has a reason"))
		}
		if notice.Cluster == "" {
			continue
		}
		if err := sc.known(at+".cluster", notice.Cluster); err != nil {
			return err
		}
	}
	return nil
}
