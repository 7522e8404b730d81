package preservation_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/carryover-io/carryover/preservation"
)

// vector is described in testdata/conformance/README.md.
type vector struct {
	Name        string                 `json:"name"`
	Reason      string                 `json:"reason"`
	Status      string                 `json:"status"`
	Documents   map[string]string      `json:"documents"`
	Failover    *preservation.Failover `json:"failover"`
	Rule        preservation.Rule      `json:"rule"`
	Value       string                 `json:"value"`
	Class       preservation.Class     `json:"class"`
	Refused     string                 `json:"refused"`
	RefusedAt   string                 `json:"refusedAt"`
	Detail      string                 `json:"detail"`
	Manifest    string                 `json:"manifest"`
	Injected    string                 `json:"injected"`
	Effect      preservation.Effect    `json:"effect"`
	Old         string                 `json:"old"`
	InjectClass preservation.Class     `json:"injectClass"`
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
		at := "p.rules[0]." + cmp.Or(v.RefusedAt, "jsonPath")
		if len(errs) != 1 || errs[0].Field != at || !strings.Contains(errs[0].Error(), v.Refused) {
			t.Errorf("%s:\nwant one error of %s with %q\ngot %v", v.Reason, at, v.Refused, errs)
		}
		if err == nil || x != nil {
			t.Errorf("%s: Compile accepts what Validate refuses", v.Reason)
		}
		return
	}
	require.NoError(t, errs.ToAggregate(), v.Reason)
	require.NoError(t, err, v.Reason)

	got := answerOf(t, x, v.sources(preservation.RawDocument([]byte(v.Status))))
	want := got
	want.Value, want.Class = v.Value, v.Class
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", v.Reason, diff)
	}
	if v.Manifest == "" && !strings.Contains(got.Detail, v.Detail) {
		t.Errorf("%s:\nwant a detail with %q\ngot %q", v.Reason, v.Detail, got.Detail)
	}
	if object, ok := decode(v.Status); ok {
		if diff := gocmp.Diff(got, answerOf(t, x, v.sources(preservation.ObjectDocument(object)))); diff != "" {
			t.Errorf("%s: the decoded object differs (-raw +decoded):\n%s", v.Reason, diff)
		}
	}
	if v.Manifest != "" {
		found, err := x.Extract(v.sources(preservation.RawDocument([]byte(v.Status))))
		require.NoError(t, err)
		runInjection(t, v, found.State)
	}
}

// runInjection writes the value into the vector's manifest, and takes it back.
func runInjection(t *testing.T, v vector, state preservation.State) {
	t.Helper()
	object, ok := decode(v.Manifest)
	if !ok || (v.InjectClass == "") != (v.Effect != "") {
		t.Fatal("the manifest is no object, or not exactly one of effect and injectClass is there")
	}
	out, report, err := preservation.Inject(manifestOf(object), state, preservation.InjectOptions{})
	if v.InjectClass != "" {
		require.ErrorIs(t, err, v.InjectClass, v.Reason)
		if !strings.Contains(err.Error(), v.Detail) {
			t.Errorf("%s:\nwant an error with %q\ngot %v", v.Reason, v.Detail, err)
		}
		return
	}
	require.NoError(t, err, v.Reason)
	if diff := gocmp.Diff(v.Injected, jsonOf(t, out)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", v.Reason, diff)
	}
	if change := report.Changes[0]; change.Effect != v.Effect || change.Old != v.Old {
		t.Errorf("%s: want %s and the old value %q, got %+v", v.Reason, v.Effect, v.Old, change)
	}
	checkInverse(t, manifestOf(object), state, preservation.InjectOptions{})
}

func (v vector) sources(status preservation.Document) preservation.Sources {
	in := preservation.Sources{Status: status, Failover: v.Failover, Named: map[string]preservation.Document{}}
	for name, text := range v.Documents {
		in.Named[name] = preservation.RawDocument([]byte(text))
	}
	in.Object = in.Named["Object"]
	delete(in.Named, "Object")
	return in
}

// answer is the outcome of one rule on a status, in the fields of a vector.
func answer(t *testing.T, x *preservation.Extractor, d preservation.Document) vector {
	t.Helper()
	return answerOf(t, x, preservation.Sources{Status: d})
}

func answerOf(t *testing.T, x *preservation.Extractor, in preservation.Sources) vector {
	t.Helper()
	out, err := x.Extract(in)
	v := vector{}
	for _, values := range []map[string]string{out.State.Labels, out.State.Annotations, out.State.Fields} {
		for _, value := range values {
			v.Value += value
		}
	}
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
