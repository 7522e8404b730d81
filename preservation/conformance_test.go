package preservation_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/preservation"
)

// vector is described in testdata/conformance/README.md.
type vector struct {
	Name    string             `json:"name"`
	Reason  string             `json:"reason"`
	Status  string             `json:"status"`
	Rule    preservation.Rule  `json:"rule"`
	Value   string             `json:"value"`
	Class   preservation.Class `json:"class"`
	Refused string             `json:"refused"`
	Detail  string             `json:"detail"`
}

func readVectors(t *testing.T) []vector {
	t.Helper()
	files, err := filepath.Glob("testdata/conformance/*.yaml")
	require.NoError(t, err)
	var all []vector
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var some []vector
		require.NoError(t, yaml.UnmarshalStrict(text, &some), file)
		all = append(all, some...)
	}
	if len(all) < 100 {
		t.Fatalf("only %d vectors in %v", len(all), files)
	}
	return all
}

func TestConformance(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range readVectors(t) {
		answers := 0
		for _, answer := range []string{v.Value, string(v.Class), v.Refused} {
			if answer != "" {
				answers++
			}
		}
		if v.Reason == "" || answers != 1 || seen[v.Name] {
			t.Fatalf("%q: no reason, a name used twice, or not exactly one answer", v.Name)
		}
		seen[v.Name] = true
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			v.Rule.AliasLabelName = "example.com/v"
			runVector(t, v)
		})
	}
}

func runVector(t *testing.T, v vector) {
	t.Helper()
	rules := preservation.StatePreservation{Rules: []preservation.Rule{v.Rule}}
	errs := preservation.Validate(rules, preservation.Protection{}, field.NewPath("p"))
	x, err := preservation.Compile(rules, preservation.Protection{})
	if v.Refused != "" {
		if len(errs) != 1 || errs[0].Field != "p.rules[0].jsonPath" || !strings.Contains(errs[0].Detail, v.Refused) {
			t.Errorf("%s:\nwant one error of p.rules[0].jsonPath with %q\ngot %v", v.Reason, v.Refused, errs)
		}
		if err == nil || x != nil {
			t.Errorf("%s: Compile accepts what Validate refuses", v.Reason)
		}
		return
	}
	require.NoError(t, errs.ToAggregate(), v.Reason)
	require.NoError(t, err, v.Reason)

	got := answer(t, x, preservation.RawDocument([]byte(v.Status)))
	want := got
	want.Value, want.Class = v.Value, v.Class
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", v.Reason, diff)
	}
	if !strings.Contains(got.Detail, v.Detail) {
		t.Errorf("%s:\nwant a detail with %q\ngot %q", v.Reason, v.Detail, got.Detail)
	}
	if object, ok := decode(v.Status); ok {
		if diff := cmp.Diff(got, answer(t, x, preservation.ObjectDocument(object))); diff != "" {
			t.Errorf("%s: the decoded object differs (-raw +decoded):\n%s", v.Reason, diff)
		}
	}
}

// answer is the outcome of one rule, in the fields of a vector.
func answer(t *testing.T, x *preservation.Extractor, d preservation.Document) vector {
	t.Helper()
	out, err := x.Extract(preservation.Sources{Status: d})
	v := vector{Value: out.State.Labels["example.com/v"]}
	if len(out.Errors) > 0 {
		e := out.Errors[0]
		v.Class, v.Detail = e.Class, e.Detail
		if (err != nil) != (e.Policy == preservation.Required) {
			t.Errorf("a rule that is %s gives the error %v", e.Policy, err)
		}
	} else {
		require.NoError(t, err)
	}
	return v
}

// decode is what a host does that decodes itself; false if it is no object.
func decode(text string) (map[string]any, bool) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var object map[string]any
	if decoder.Decode(&object) != nil || object == nil {
		return nil, false
	}
	_, err := decoder.Token()
	return object, errors.Is(err, io.EOF)
}
