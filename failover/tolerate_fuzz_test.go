package failover_test

import (
	"encoding/json"
	"testing"

	"github.com/carryover-io/carryover/failover"
)

// FuzzTolerate reads foreign taints, tolerations and memory.
func FuzzTolerate(f *testing.F) {
	f.Add(`{"taints":[{"key":"a","effect":"NoExecute"}],"tolerations":[{"key":"a","operator":"Exists","tolerationSeconds":300}]}`, int32(100))
	f.Add(`{"taints":[{"key":"a","value":"1","effect":"NoExecute","timeAdded":"2026-03-01T10:00:00Z"},{"key":"b","effect":"noexecute"}],
		"tolerations":[{"key":"a","value":"1","effect":"NoExecute","tolerationSeconds":9223372036854775807},{"operator":"Exists","tolerationSeconds":-1}]}`, int32(0))
	f.Add(`{"taints":[{"key":"a","effect":"NoExecute","timeAdded":"9999-12-31T23:59:59-23:59"}],"tolerations":[{"operator":"Exists","tolerationSeconds":60}],
		"firstSeen":[{"taint":{"key":"a","effect":"NoExecute"},"firstSeen":"2026-03-01T10:00:00.5+01:00"}]}`, int32(5))
	f.Add(`{"taints":[{"key":"a","effect":"NoExecute","timeAdded":"0000-01-01T00:00:00+23:59"}],"tolerations":[{"key":"a","operator":"Gt","value":"0"},{}],
		"firstSeen":[{"taint":{"key":"a","effect":"NoExecute","timeAdded":null}},{"taint":{},"firstSeen":"0000-01-01T00:00:00+23:59"}]}`, int32(-1))
	f.Fuzz(func(t *testing.T, raw string, second int32) {
		var foreign struct {
			Taints      []failover.Taint
			Tolerations []failover.Toleration
			FirstSeen   []failover.TaintSeen
		}
		if json.Unmarshal([]byte(raw), &foreign) != nil {
			return
		}
		in := failover.TaintInput{Taints: foreign.Taints, Tolerations: foreign.Tolerations, FirstSeen: foreign.FirstSeen, Now: at(int(second))}
		checkVerdict(t, in, failover.Tolerate(in))
	})
}
