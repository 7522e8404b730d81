package crd_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// server does with an object what an API server does on create, in its order.
type server struct {
	structural *schema.Structural
	schema     validation.SchemaValidator
	cel        *cel.Validator
}

// definition reads the committed CRD, as an API server gets it.
func definition(tb testing.TB) *apiextensions.CustomResourceDefinition {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "carryover.example_embeddings.yaml"))
	require.NoError(tb, err)
	var crd apiextensionsv1.CustomResourceDefinition
	require.NoError(tb, yaml.UnmarshalStrict(data, &crd))
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&crd)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	var internal apiextensions.CustomResourceDefinition
	require.NoError(tb, apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&crd, &internal, nil))
	internal.Status.StoredVersions = []string{"v1"}
	return &internal
}

func newServer(tb testing.TB) server {
	tb.Helper()
	props := definition(tb).Spec.Validation.OpenAPIV3Schema
	structural, err := schema.NewStructural(props)
	require.NoError(tb, err)
	validator, _, err := validation.NewSchemaValidator(props)
	require.NoError(tb, err)
	return server{structural, validator, cel.NewValidator(structural, true, celconfig.PerCallLimit)}
}

// admit returns the object as it would be stored, the fields that were pruned, and
// all errors. The object is changed.
func (s server) admit(tb testing.TB, object map[string]any) ([]string, field.ErrorList) {
	tb.Helper()
	pruned := pruning.PruneWithOptions(object, s.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.structural)
	defaulting.Default(object, s.structural)
	errs := validation.ValidateCustomResource(nil, object, s.schema)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	if slices.ContainsFunc(errs, blocks) {
		return pruned, errs
	}
	invalid, budget := s.cel.Validate(context.Background(), nil, s.structural, object, nil, celconfig.RuntimeCELCostBudget)
	if budget < 0 {
		tb.Errorf("the rules cost more than an API server allows")
	}
	return pruned, append(errs, invalid...)
}

// blocks says that an API server does not ask the CEL rules after this error.
func blocks(err *field.Error) bool {
	return slices.Contains([]field.ErrorType{
		field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid,
	}, err.Type)
}

// object is a resource with the given parts.
func object(spec, status any) map[string]any {
	out := map[string]any{
		"apiVersion": "carryover.example/v1", "kind": "Embedding",
		"metadata": map[string]any{"name": "a"},
	}
	if spec != nil {
		out["spec"] = spec
	}
	if status != nil {
		out["status"] = status
	}
	return out
}

// decode reads YAML as an API server does.
func decode(tb testing.TB, text string) any {
	tb.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(tb, err)
	var value any
	require.NoError(tb, utiljson.Unmarshal(data, &value))
	return value
}

func words(errs field.ErrorList) string {
	if len(errs) == 0 {
		return ""
	}
	return fmt.Sprint(errs.ToAggregate())
}
