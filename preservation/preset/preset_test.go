package preset_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/preservation"
	"github.com/carryover-io/carryover/preservation/preset"
)

func presets() map[string]func() preservation.StatePreservation {
	return map[string]func() preservation.StatePreservation{
		"FlinkDeployment": preset.FlinkDeployment, "SparkApplication": preset.SparkApplication,
		"StatefulSetVolumes": preset.StatefulSetVolumes, "VirtualMachine": preset.VirtualMachine,
	}
}

func TestPresetsAreValid(t *testing.T) {
	t.Parallel()
	for name, rules := range presets() {
		errs := preservation.Validate(rules(), preservation.KarmadaProtection(), field.NewPath(name))
		require.NoError(t, errs.ToAggregate(), "a preset must pass any webhook")
		first := rules()
		first.Rules[0].JSONPath = "changed"
		for i := range first.Rules {
			if len(first.Rules[i].Reject) > 0 {
				first.Rules[i].Reject[0] = "changed"
			}
		}
		if diff := gocmp.Diff(first, rules()); !strings.Contains(diff, "changed") || strings.Contains(fmt.Sprint(rules()), "changed") {
			t.Errorf("%s: what one caller changes must not reach another", name)
		}
	}
}

// vector is described in testdata/README.md.
type vector struct {
	Preset    string                        `json:"preset"`
	Status    map[string]any                `json:"status"`
	Documents map[string]map[string]any     `json:"documents"`
	Manifest  map[string]any                `json:"manifest"`
	State     preservation.State            `json:"state"`
	Injected  map[string]any                `json:"injected"`
	Errors    map[string]preservation.Class `json:"errors"`
}

func TestVectors(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var v vector
		require.NoError(t, yaml.UnmarshalStrict(text, &v), file)
		seen[v.Preset] = true
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			runVector(t, v)
		})
	}
	if len(seen) != len(presets()) {
		t.Errorf("every preset has a vector, and only these do: %v", seen)
	}
}

func runVector(t *testing.T, v vector) {
	t.Helper()
	rules, err := preservation.Compile(presets()[v.Preset](), preservation.KarmadaProtection())
	require.NoError(t, err)
	sources := preservation.Sources{Status: preservation.ObjectDocument(v.Status), Named: map[string]preservation.Document{}}
	for name, document := range v.Documents {
		sources.Named[name] = preservation.ObjectDocument(document)
	}
	found, err := rules.Extract(sources)
	if blocked := len(v.Errors) > 0; (err != nil) != blocked {
		t.Errorf("blocked must be %t, got %v", blocked, err)
	}
	classes := map[string]preservation.Class{}
	for _, e := range found.Errors {
		classes[cmp.Or(e.Alias, e.Field)] = e.Class
	}
	if diff := gocmp.Diff(v.Errors, classes); diff != "" && len(v.Errors)+len(classes) > 0 {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(v.State, found.State); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	manifest := &unstructured.Unstructured{Object: v.Manifest}
	out, report, err := preservation.Inject(manifest, found.State, preservation.InjectOptions{Protection: preservation.KarmadaProtection()})
	require.NoError(t, err)
	checkSame(t, "injected", v.Injected, out)
	back, err := preservation.Remove(out, report)
	require.NoError(t, err)
	checkSame(t, "removed", v.Manifest, back)
}

func checkSame(t *testing.T, what string, want map[string]any, got *unstructured.Unstructured) {
	t.Helper()
	wanted, err := yaml.Marshal(want)
	require.NoError(t, err)
	text, err := yaml.Marshal(got.Object)
	require.NoError(t, err)
	if diff := gocmp.Diff(string(wanted), string(text)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// What a recipe tells people to write is valid, and what it shows of a preset is
// the preset.
func TestRecipes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../docs/recipes/*.md")
	require.NoError(t, err)
	count := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var policies []preservation.StatePreservation
		for _, block := range strings.Split(string(text), "```yaml\n")[1:] {
			block, _, _ = strings.Cut(block, "```")
			var policy preservation.StatePreservation
			require.NoError(t, yaml.UnmarshalStrict([]byte(block), &policy), file)
			errs := preservation.Validate(policy, preservation.KarmadaProtection(), field.NewPath(filepath.Base(file)))
			require.NoError(t, errs.ToAggregate(), block)
			policies = append(policies, policy)
		}
		count[filepath.Base(file)] = len(policies)
		for name, rules := range presets() {
			if strings.Contains(string(text), "`preset."+name+"()`") {
				if diff := gocmp.Diff(rules(), policies[0], gocmp.Transformer("", requiredIsDefault)); diff != "" {
					t.Errorf("%s: the preset is another one (-preset +recipe):\n%s", file, diff)
				}
				delete(count, filepath.Base(file))
			}
		}
	}
	if diff := gocmp.Diff(map[string]int{
		"README.md": 0, "failover-marker.md": 1, "karmada.md": 0, "open-cluster-management.md": 0, "controller-runtime.md": 0,
	}, count); diff != "" {
		t.Errorf("pages without a preset, and the policies in them (-want +got):\n%s", diff)
	}
}

func requiredIsDefault(policy preservation.RulePolicy) string {
	return string(cmp.Or(policy, preservation.Required))
}
