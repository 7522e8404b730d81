package failovertest

import (
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
)

// Scenario is a story with expectations, in Go or in YAML (F12). The controller
// reconciles after everything that happens, and all promises of this package are checked
// each time, whatever the scenario expects.
type Scenario struct {
	// Name is required, and unique among the scenarios that run together.
	Name string `json:"name"`
	// World that it happens in.
	World World `json:"world"`
	// Steps in their order, at least one.
	Steps []ScenarioStep `json:"steps"`

	file  string
	lines map[string]int // of what was read, by path
}

// ScenarioStep lets things happen, and then looks (F12). Do stands alone, since the
// controller reconciles after each of its events. All else that a step names happens at
// once, time first, and the controller reconciles once. A step that only expects looks
// at the last reconcile again.
type ScenarioStep struct {
	// Do are events, as [ParseStep] reads them: in YAML "taint east", or a list of such.
	Do []Step `json:"do,omitempty"`

	// Advance lets time pass, in whole seconds; nil = none passes.
	Advance *metav1.Duration `json:"advance,omitempty"`
	// Until lets time pass until an instant: RFC 3339, or a duration since the beginning,
	// which is 2026-01-01T00:00:00Z. Empty = none passes; time does not go back.
	Until string `json:"until,omitempty"`
	// Edit changes the policy, and what else the world says.
	Edit *Edit `json:"edit,omitempty"`
	// Facts are news about clusters.
	Facts map[string]Facts `json:"facts,omitempty"`
	// Status is what the copy on a cluster reports from now on: any JSON object; null =
	// none.
	Status map[string]json.RawMessage `json:"status,omitempty"`
	// Health is what the copy on a cluster has from now on.
	Health map[string]eviction.Health `json:"health,omitempty"`
	// Targets are what the scheduler writes; nil = it writes nothing.
	Targets []eviction.TargetCluster `json:"targets,omitempty"`
	// Tasks are what somebody else writes in place of those that are stored; nil = nothing
	// is written.
	Tasks []eviction.Task `json:"tasks,omitempty"`
	// Requests of people.
	Requests []failover.Request `json:"requests,omitempty"`
	// RecordLost takes the record away (F1).
	RecordLost bool `json:"recordLost,omitempty"`
	// CrashBefore is the write before which the controller crashes: 1 the record, 2
	// targets and tasks, 3 purges, 4 manifests; 0 = it does not (F14).
	CrashBefore Write `json:"crashBefore,omitempty"`

	// Expect is what holds after that; nil = the promises only.
	Expect *Expectation `json:"expect,omitempty"`
}

// Edit changes a [World] (F11). What is nil stays as it is.
type Edit struct {
	// Policy takes the place of the old one; the zero value removes it.
	Policy *failover.Behavior `json:"policy,omitempty"`
	// Tolerations take the place of the old ones.
	Tolerations []failover.Toleration `json:"tolerations,omitempty"`
	// Host are the habits from now on.
	Host *failover.HostOptions `json:"host,omitempty"`
	// Copies, Dated, TaintsKnown, Status, Template, DesiredReplicas, Unscheduled and Invalid
	// are those of a [World].
	Copies          *int                       `json:"copies,omitempty"`
	Dated           *bool                      `json:"dated,omitempty"`
	TaintsKnown     *bool                      `json:"taintsKnown,omitempty"`
	Status          json.RawMessage            `json:"status,omitempty"`
	Template        *unstructured.Unstructured `json:"template,omitempty"`
	DesiredReplicas *int32                     `json:"desiredReplicas,omitempty"`
	Unscheduled     *bool                      `json:"unscheduled,omitempty"`
	Invalid         *bool                      `json:"invalid,omitempty"`
}

// ScenarioError says where a scenario went wrong (F12): what is written in it, what
// cannot happen, an expectation that does not hold, or a [*PromiseError].
type ScenarioError struct {
	// Name of the scenario, and File that it was read from; empty = not known.
	Name, File string
	// Line in the file, from 1; 0 = not known, as for scenarios in Go.
	Line int
	// Step, from 1; 0 = it is about none.
	Step int
	// Err says what is wrong.
	Err error
}

// Error says where, and what is wrong (F12).
func (e *ScenarioError) Error() string {
	var at []string
	if e.File != "" {
		at = append(at, e.File)
	}
	if e.Line > 0 {
		at = append(at, fmt.Sprintf("line %d", e.Line))
	}
	if e.Name != "" {
		at = append(at, fmt.Sprintf("scenario %q", e.Name))
	}
	if e.Step > 0 {
		at = append(at, fmt.Sprintf("step %d", e.Step))
	}
	return strings.Join(append(at, e.Err.Error()), ": ")
}

// Unwrap returns what is wrong (F12).
func (e *ScenarioError) Unwrap() error { return e.Err }

// fail says what is wrong at a path, such as steps[2].do[1].
func (sc *Scenario) fail(path string, err error) error {
	out := &ScenarioError{Name: sc.Name, File: sc.file, Err: err}
	if _, err := fmt.Sscanf(path, "steps[%d]", &out.Step); err == nil {
		out.Step++
	}
	for path != "" && out.Line == 0 {
		out.Line = sc.lines[path]
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return out
}
