package failover_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/failover"
)

// evicting is a taint that counts, without a time.
func evicting(key string) failover.Taint {
	return failover.Taint{Key: key, Effect: failover.NoExecute}
}

// evictingSince is a taint that counts, added at a second.
func evictingSince(key string, second int) failover.Taint {
	return failover.Taint{Key: key, Effect: failover.NoExecute, TimeAdded: stamp(second)}
}

// exists tolerates a key for ever.
func exists(key string) failover.Toleration {
	return failover.Toleration{Key: key, Operator: failover.Exists}
}

// existsFor tolerates a key for some seconds.
func existsFor(key string, seconds int64) failover.Toleration {
	return failover.Toleration{Key: key, Operator: failover.Exists, TolerationSeconds: &seconds}
}

// seenAt is a memory of a taint without a time.
func seenAt(key string, second int) failover.TaintSeen {
	return failover.TaintSeen{Taint: evicting(key), FirstSeen: at(second)}
}

func TestTaintsReadAndWriteCoresJSON(t *testing.T) {
	t.Parallel()
	added := metav1.NewTime(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
	tests := map[string]struct {
		reason string
		in     any
		want   string
	}{
		"taint": {
			reason: "the names of core/v1",
			in:     &failover.Taint{Key: "a", Value: "b", Effect: failover.NoExecute, TimeAdded: &added},
			want:   `{"key":"a","value":"b","effect":"NoExecute","timeAdded":"2026-01-01T00:00:00Z"}`,
		},
		"empty taint": {reason: "key and effect are always there", in: &failover.Taint{}, want: `{"key":"","effect":""}`},
		"toleration": {
			reason: "the names of core/v1",
			in: &failover.Toleration{
				Key: "a", Operator: failover.Equal, Value: "b", Effect: failover.PreferNoSchedule, TolerationSeconds: ptr(int64(0)),
			},
			want: `{"key":"a","operator":"Equal","value":"b","effect":"PreferNoSchedule","tolerationSeconds":0}`,
		},
		"empty toleration": {reason: "nothing is always there", in: &failover.Toleration{}, want: `{}`},
		"large number": {
			reason: "64 bits", in: &failover.Toleration{TolerationSeconds: ptr(int64(math.MaxInt64))}, want: `{"tolerationSeconds":9223372036854775807}`,
		},
		"seen": {
			reason: "the taint stays readable as one",
			in:     &failover.TaintSeen{Taint: failover.Taint{Key: "a", Effect: failover.NoExecute}, FirstSeen: added.Time},
			want:   `{"taint":{"key":"a","effect":"NoExecute"},"firstSeen":"2026-01-01T00:00:00Z"}`,
		},
		"seen never": {reason: "a zero time is left out", in: &failover.TaintSeen{}, want: `{"taint":{"key":"","effect":""}}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, text(t, tc.in)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			require.NoError(t, json.Unmarshal([]byte(tc.want), tc.in))
			if diff := cmp.Diff(tc.want, text(t, tc.in)); diff != "" {
				t.Errorf("%s, after reading it (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestValidateTolerations(t *testing.T) {
	t.Parallel()
	const at = "spec.clusterTolerations[0]"
	const invalid, required, unsupported = string(field.ErrorTypeInvalid), string(field.ErrorTypeRequired), string(field.ErrorTypeNotSupported)
	one := func(t failover.Toleration) []failover.Toleration { return []failover.Toleration{t} }
	tests := map[string]struct {
		reason string
		in     []failover.Toleration
		want   []string
	}{
		"none":             {reason: "nothing can be wrong"},
		"equal":            {reason: "is an operator", in: one(failover.Toleration{Key: "a", Operator: failover.Equal, Value: "1"})},
		"no operator":      {reason: "is Equal", in: one(failover.Toleration{Key: "a", Value: "1"})},
		"exists":           {reason: "is an operator", in: one(exists("a"))},
		"everything":       {reason: "Exists without a key matches every key", in: one(exists(""))},
		"every effect":     {reason: "all three are known", in: []failover.Toleration{{Key: "a", Effect: failover.NoSchedule}, {Key: "a", Effect: failover.PreferNoSchedule}, {Key: "a", Effect: failover.NoExecute}}},
		"seconds":          {reason: "beside another effect mean nothing, and harm nothing", in: one(failover.Toleration{Key: "a", Effect: failover.NoSchedule, TolerationSeconds: ptr(int64(5))})},
		"negative seconds": {reason: "are 0 (F4)", in: one(existsFor("a", -1))},
		"odd texts":        {reason: "match the same texts or nothing", in: one(failover.Toleration{Key: "no key!", Value: "no\nvalue"})},
		"zero value":       {reason: "Equal needs a key", in: one(failover.Toleration{}), want: []string{required + " " + at + ".key"}},
		"equal, no key":    {reason: "Equal needs a key", in: one(failover.Toleration{Operator: failover.Equal, Value: "1"}), want: []string{required + " " + at + ".key"}},
		"exists, value":    {reason: "it is not clear what is meant", in: one(failover.Toleration{Key: "a", Operator: failover.Exists, Value: "1"}), want: []string{invalid + " " + at + ".value"}},
		"gt":               {reason: "is an operator for nodes only", in: one(failover.Toleration{Key: "a", Operator: "Gt", Value: "1"}), want: []string{unsupported + " " + at + ".operator"}},
		"lt":               {reason: "is an operator for nodes only", in: one(failover.Toleration{Key: "a", Operator: "Lt", Value: "1"}), want: []string{unsupported + " " + at + ".operator"}},
		"wrong case":       {reason: "is an unknown text (L6)", in: one(failover.Toleration{Key: "a", Operator: "exists"}), want: []string{unsupported + " " + at + ".operator"}},
		"unknown operator": {reason: "one error, not guesses about the key", in: one(failover.Toleration{Operator: "In"}), want: []string{unsupported + " " + at + ".operator"}},
		"unknown effect":   {reason: "is an unknown text (L6)", in: one(failover.Toleration{Key: "a", Effect: "noexecute"}), want: []string{unsupported + " " + at + ".effect"}},
		"all at once": {
			reason: "every error of every toleration (L7), in their order",
			in:     []failover.Toleration{{Operator: "In", Effect: "Evict"}, exists("a"), {Value: "1"}},
			want:   []string{unsupported + " " + at + ".operator", unsupported + " " + at + ".effect", required + " spec.clusterTolerations[2].key"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs := failover.ValidateTolerations(tc.in, field.NewPath("spec", "clusterTolerations"))
			if diff := cmp.Diff(append([]string{}, tc.want...), found(errs)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if len(errs) != len(failover.ValidateTolerations(tc.in, nil)) {
				t.Error("a nil path changes what is valid")
			}
		})
	}
}

func TestValidateTolerationsTellsWhatIsRight(t *testing.T) {
	t.Parallel()
	var got []string
	for _, err := range failover.ValidateTolerations([]failover.Toleration{
		{Key: "a", Operator: "Gt", Value: "1"}, {Key: "a", Effect: "Evict"}, {}, {Key: "a", Operator: failover.Exists, Value: "1"},
	}, field.NewPath("tolerations")) {
		got = append(got, err.Error())
	}
	want := []string{
		`tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists"`,
		`tolerations[1].effect: Unsupported value: "Evict": supported values: "NoExecute", "NoSchedule", "PreferNoSchedule"`,
		`tolerations[2].key: Required value: only the operator Exists goes without: it then matches every key`,
		`tolerations[3].value: Invalid value: "1": must be empty with the operator Exists, which matches every value`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}
