package purge_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/carryover-io/carryover/purge"
)

func ExampleNextCheck_MarshalJSON() {
	checks := []purge.NextCheck{{After: 90 * time.Second, OK: true}, {}}
	raw, err := json.Marshal(checks)
	fmt.Println(string(raw), err)
	// Output: [90,null] <nil>
}

func ExampleNextCheck_UnmarshalJSON() {
	var checks []purge.NextCheck
	err := json.Unmarshal([]byte("[90,null]"), &checks)
	fmt.Println(checks[0].After, checks[0].OK, checks[1].OK, err)
	fmt.Println(json.Unmarshal([]byte("[0]"), &checks))
	// Output:
	// 1m30s true false <nil>
	// a next check is in 1 to 9223372036 seconds, not in 0
}
