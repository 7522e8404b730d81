package karmada_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"
)

// crd is the schema of ResourceBinding v1alpha2 in Karmada's own release.
var crd = sync.OnceValues(func() (*apiextensions.JSONSchemaProps, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/karmada-io/karmada").Output()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(strings.TrimSpace(string(dir)), "charts", "karmada", "_crds", "bases", "work", "work.karmada.io_resourcebindings.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == "v1alpha2" })
	var out apiextensions.JSONSchemaProps
	err = apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(all.Spec.Versions[i].Schema.OpenAPIV3Schema, &out, nil)
	return &out, err
})

// admit does what an API server does with a binding that somebody writes: it fills in
// defaults, prunes, validates, and says what it pruned.
func admit(t *testing.T, object map[string]any) []string {
	t.Helper()
	schema, err := crd()
	require.NoError(t, err)
	structural, err := structuralschema.NewStructural(schema)
	require.NoError(t, err)
	before := paths("", object)
	defaulting.Default(object, structural)
	pruning.Prune(object, structural, true)
	after := paths("", object)
	validator, _, err := validation.NewSchemaValidator(schema)
	require.NoError(t, err)
	require.Empty(t, validation.ValidateCustomResource(nil, object, validator).ToAggregate())
	return slices.DeleteFunc(before, func(p string) bool { return slices.Contains(after, p) })
}

// paths are those of all fields, each once, without indexes and without those below one
// that is named.
func paths(at string, value any) []string {
	seen := map[string]bool{}
	var walk func(at string, value any)
	walk = func(at string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, v := range value {
				seen[at+"."+key] = true
				walk(at+"."+key, v)
			}
		case []any:
			for _, v := range value {
				walk(at+"[]", v)
			}
		}
	}
	walk(at, value)
	return slices.Sorted(maps.Keys(seen))
}

// stored is a binding after an API server had it.
func stored(t *testing.T, rb *workv1alpha2.ResourceBinding) *workv1alpha2.ResourceBinding {
	t.Helper()
	raw, err := json.Marshal(rb)
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, yaml.Unmarshal(raw, &object))
	require.Empty(t, admit(t, object), "the types have no field that the schema lacks")
	raw, err = json.Marshal(object)
	require.NoError(t, err)
	var out workv1alpha2.ResourceBinding
	require.NoError(t, json.Unmarshal(raw, &out))
	return &out
}
