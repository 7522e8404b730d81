package preservation_test

import (
	"errors"
	"fmt"

	"github.com/carryover-io/carryover/preservation"
)

// movingState is a label and a field.
func movingState() preservation.State {
	return preservation.State{
		Labels: map[string]string{"example.com/job-id": "e6fd"},
		Fields: map[string]string{".spec.job.initialSavepointPath": `"s3p://b/sp-1"`},
	}
}

// One place has one name, however the rule spells it.
func ExampleRule_Ref() {
	for _, rule := range []preservation.Rule{
		{AliasLabelName: "example.com/job-id"},
		{AliasLabelName: "savepoint", Target: preservation.Field, FieldPath: "spec.job.initialSavepointPath"},
	} {
		fmt.Println(rule.Ref().Target, rule.Ref().Key)
	}
	// Output:
	// Label example.com/job-id
	// Field .spec.job.initialSavepointPath
}

// A state that comes back from storage is checked before it is used.
func ExampleState_Check() {
	fmt.Println(movingState().Check())
	err := preservation.State{Labels: map[string]string{"example.com/path": "s3p://b/sp-1"}}.Check()
	fmt.Println(errors.Is(err, preservation.BadState), err)
	// Output:
	// <nil>
	// true label "example.com/path": BadState: not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends
}

// The labels have a field of their own in a task.
func ExampleState_Split() {
	labels, rest := movingState().Split()
	fmt.Println(labels, rest.Fields)
	_, rest = preservation.State{Labels: labels}.Split()
	fmt.Println(rest == nil)
	// Output:
	// map[example.com/job-id:e6fd] map[.spec.job.initialSavepointPath:"s3p://b/sp-1"]
	// true
}

// What was split is whole again.
func ExampleJoin() {
	labels, rest := movingState().Split()
	fmt.Println(preservation.Join(labels, rest).Equal(movingState()))
	fmt.Println(preservation.Join(labels, nil).Keys())
	// Output:
	// true
	// [{Label example.com/job-id}]
}

func ExampleState_IsEmpty() {
	fmt.Println(preservation.State{Labels: map[string]string{}}.IsEmpty(), movingState().IsEmpty())
	// Output: true false
}

// Where values come from does not matter.
func ExampleState_Equal() {
	other := movingState()
	other.Failover = &preservation.Failover{Origin: "east"}
	fmt.Println(movingState().Equal(other))
	other.Labels["example.com/job-id"] = "77ab"
	fmt.Println(movingState().Equal(other))
	// Output:
	// true
	// false
}

func ExampleState_DeepCopy() {
	state := movingState()
	other := state.DeepCopy()
	other.Labels["example.com/job-id"] = "77ab"
	fmt.Println(state.Labels, other.Labels)
	// Output: map[example.com/job-id:e6fd] map[example.com/job-id:77ab]
}

func ExampleState_Keys() {
	for _, ref := range movingState().Keys() {
		fmt.Println(ref.Target, ref.Key)
	}
	// Output:
	// Field .spec.job.initialSavepointPath
	// Label example.com/job-id
}
