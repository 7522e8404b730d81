package compare_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
)

// jsonFields lists the JSON names of a struct and of those below it, as paths.
func jsonFields(of reflect.Type, at string, out map[string]bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return
	}
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case name == "" && f.Anonymous:
			jsonFields(f.Type, at, out)
		case name == "":
			panic(of.String() + "." + f.Name + " has no JSON name")
		default:
			out[at+name] = true
			jsonFields(f.Type, at+name+".", out)
		}
	}
}

// differences are the fields of a that b lacks; fields below one that is missing are
// not listed.
func differences(a, b reflect.Type) []string {
	inA, inB := map[string]bool{}, map[string]bool{}
	jsonFields(a, "", inA)
	jsonFields(b, "", inB)
	var out []string
	for _, path := range slices.Sorted(maps.Keys(inA)) {
		above, _, _ := cutLast(path)
		if !inB[path] && (above == "" || inB[above]) {
			out = append(out, path)
		}
	}
	return out
}

func cutLast(path string) (above, name string, found bool) {
	i := strings.LastIndex(path, ".")
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// What our types have and Karmada's lack is what its CRDs prune, and what the comments
// and docs/karmada.md call extensions; what Karmada has and we lack is what we do not
// read. A new version of Karmada changes this table, or a field of ours does.
func TestFieldsThatKarmadaPrunes(t *testing.T) {
	t.Parallel()
	rule := []string{"conflict", "default", "fieldPath", "from", "join", "policy", "reject", "target"}
	preservation := []string{
		"injectWhenNotDirectly", "maxStateAgeSeconds", "missingStateDeadlineSeconds", "onMissingState", "retention", "takenAt",
	}
	waits := []string{"blockPredecessorSeconds", "fencingDeadlineSeconds", "soakSeconds"}
	below := func(at string, names ...string) []string {
		out := make([]string, 0, len(names))
		for _, name := range names {
			out = append(out, at+name)
		}
		return out
	}
	block := func(at string) []string {
		return slices.Concat(below(at, waits...), below(at+"statePreservation.", preservation...), below(at+"statePreservation.rules.", rule...))
	}
	tests := map[string]struct {
		ours, karmadas reflect.Type
		pruned         []string
	}{
		"Behavior": {
			ours: reflect.TypeFor[failover.Behavior](), karmadas: reflect.TypeFor[policyv1alpha1.FailoverBehavior](),
			pruned: slices.Concat(
				below("application.decisionConditions.", "initialTolerationSeconds", "maxFailovers", "requireHealthyBefore", "windowSeconds"),
				block("application."), block("cluster."), below("cluster.", "gracePeriodSeconds", "inheritStatePreservation"),
			),
		},
		"Task": {
			ours: reflect.TypeFor[eviction.Task](), karmadas: reflect.TypeFor[workv1alpha2.GracefulEvictionTask](),
			pruned: []string{"components", "preservedState"},
		},
		"TargetCluster": {ours: reflect.TypeFor[eviction.TargetCluster](), karmadas: reflect.TypeFor[workv1alpha2.TargetCluster](), pruned: []string{"components"}},
		"AggregatedStatusItem": {
			ours: reflect.TypeFor[eviction.AggregatedStatusItem](), karmadas: reflect.TypeFor[workv1alpha2.AggregatedStatusItem](),
			pruned: []string{"observedAt"},
		},
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "karmada.md"))
	require.NoError(t, err)
	_, removed, _ := strings.Cut(string(doc), "## What Karmada's schema removes")
	removed, _, _ = strings.Cut(removed, "\n## ")
	for name, tc := range tests {
		slices.Sort(tc.pruned)
		require.Equal(t, tc.pruned, differences(tc.ours, tc.karmadas), "%s: pruned by Karmada", name)
		require.Empty(t, differences(tc.karmadas, tc.ours), "%s: not read here", name)
		for _, path := range tc.pruned {
			if _, field, _ := cutLast(path); !strings.Contains(removed, "`"+field+"`") {
				t.Errorf("docs/karmada.md does not say that %s of a %s is pruned", field, name)
			}
		}
	}
}
