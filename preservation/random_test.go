package preservation_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/preservation"
)

// Whatever manifest and state are, over all targets: what succeeds is undone byte
// for byte, twice is once, and nothing but the keys of the state changes.
func TestInjectAndRemoveRandom(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	seen := map[preservation.Ref]int{}
	failed := map[preservation.Class]int{}
	for range rounds(6000) {
		manifest, state, options := randomManifest(random), randomState(random), randomOptions(random)
		_, report, err := preservation.Inject(manifest, state, options)
		if err != nil {
			var typed *preservation.InjectError
			require.ErrorAs(t, err, &typed)
			failed[typed.Class]++
			continue
		}
		checkInverse(t, manifest, state, options)
		checkOnlyOurs(t, report, state, options)
		checkStored(t, manifest, state, options)
		for _, change := range report.Changes {
			seen[preservation.Ref{Target: change.Target, Key: string(change.Effect)}]++
		}
	}
	if testing.Short() {
		return // too few to have everything
	}
	for _, target := range []preservation.Target{preservation.Label, preservation.Annotation, preservation.Field, preservation.PodTemplateLabel} {
		for _, effect := range []preservation.Effect{
			preservation.Written, preservation.Replaced, preservation.Unchanged, preservation.Kept, preservation.Removed,
		} {
			if seen[preservation.Ref{Target: target, Key: string(effect)}] < 1 {
				t.Errorf("%s is hardly ever %s: %v", target, effect, seen)
			}
		}
	}
	for _, class := range []preservation.Class{
		preservation.Refused, preservation.Conflicting, preservation.MissingParent, preservation.TypeMismatch, preservation.BadState,
	} {
		if failed[class] < 1 {
			t.Errorf("hardly ever %s: %v", class, failed)
		}
	}
}

// checkStored is I6 for a manifest that went through an API server in between: its
// numbers come back in another spelling.
func checkStored(t testing.TB, manifest *unstructured.Unstructured, state preservation.State, options preservation.InjectOptions) {
	t.Helper()
	before := stored(t, manifest)
	out, report, err := preservation.Inject(before, state, options)
	require.NoError(t, err)
	there := stored(t, out)
	twice, second, err := preservation.Inject(there, state, options)
	require.NoError(t, err)
	for _, change := range second.Changes {
		if change.Effect != preservation.Unchanged && change.Effect != preservation.Kept {
			t.Errorf("stored in between, the second injection reports %+v", change)
		}
	}
	if diff := cmp.Diff(jsonOf(t, there), jsonOf(t, twice)); diff != "" {
		t.Errorf("stored in between, twice is not once (-want +got):\n%s", diff)
	}
	back, err := preservation.Remove(there, report)
	require.NoError(t, err)
	if diff := cmp.Diff(jsonOf(t, before), jsonOf(t, back)); diff != "" {
		t.Errorf("stored in between, Remove is not the inverse (-want +got):\n%s", diff)
	}
}

// stored is what an API server gives back.
func stored(t testing.TB, manifest *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	text, err := json.Marshal(manifest.Object)
	require.NoError(t, err)
	var out unstructured.Unstructured
	require.NoError(t, out.UnmarshalJSON(text))
	return &out
}

// Applied on the server side, the apply configuration has the effect of Inject.
func TestApplyConfigurationRandom(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	applied, refused := 0, 0
	for range rounds(4000) {
		manifest, state := randomManifest(random), randomState(random)
		options := randomOptions(random)
		options.Owned = nil // the server removes what is no longer applied
		injected, report, err := preservation.Inject(manifest, state, options)
		config, same, errApply := preservation.ApplyConfiguration(manifest, state, options)
		if err != nil {
			if diff := cmp.Diff(err.Error(), errApply.Error()); diff != "" || config != nil {
				t.Errorf("another error than Inject's (-want +got):\n%s", diff)
			}
			continue
		}
		if errApply != nil {
			require.ErrorIs(t, errApply, preservation.Refused)
			refused++
			continue
		}
		applied++
		if diff := cmp.Diff(report, same); diff != "" {
			t.Errorf("another report than Inject's (-want +got):\n%s", diff)
		}
		merged := merge(stored(t, manifest).Object, stored(t, config).Object)
		if diff := cmp.Diff(withoutNulls(stored(t, injected).Object), withoutNulls(merged)); diff != "" {
			t.Errorf("the server has something else (-inject +apply):\n%s\nof %s", diff, jsonOf(t, config))
		}
		checkMinimal(t, config.Object, report)
	}
	if applied < rounds(1000) || refused < 1 {
		t.Errorf("%d applied, %d refused", applied, refused)
	}
}

// merge is what server-side apply does to objects of a schema that is not known:
// maps are merged, all else is replaced.
func merge(live, applied any) any {
	to, ok := live.(map[string]any)
	from, isMap := applied.(map[string]any)
	if !ok || !isMap {
		return applied
	}
	out := maps.Clone(to)
	for key, value := range from {
		out[key] = merge(to[key], value)
	}
	return out
}

// withoutNulls drops empty labels and annotations, which an API server does too.
func withoutNulls(object any) any {
	metadata, _ := object.(map[string]any)["metadata"].(map[string]any)
	for _, name := range []string{"labels", "annotations"} {
		if texts, ok := metadata[name].(map[string]any); metadata[name] == nil || ok && len(texts) == 0 {
			delete(metadata, name)
		}
	}
	return object
}

// checkMinimal counts the leaves: one for each change that holds a value, besides
// apiVersion, kind and name.
func checkMinimal(t *testing.T, config map[string]any, report preservation.Report) {
	t.Helper()
	want := 3
	for _, change := range report.Changes {
		if change.Effect == preservation.Kept || change.Effect == preservation.Removed {
			continue
		}
		if change.Target != preservation.Field {
			want++
			continue
		}
		var value any
		require.NoError(t, json.Unmarshal([]byte(change.Value), &value))
		want += leaves(value)
	}
	if got := leaves(config); got != want {
		t.Errorf("%d leaves instead of %d in %v", got, want, config)
	}
}

func leaves(value any) int {
	object, ok := value.(map[string]any)
	if !ok {
		return 1
	}
	count := 0
	for _, inner := range object {
		count += leaves(inner)
	}
	return count
}

// rounds is how often a random test repeats: less in short mode.
func rounds(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

func randomKey(random *rand.Rand) string {
	return pick(random, "a", "a", "b", "b", "c", "c", "example.com/d", "example.com/d", "sel", "k8s.io/x")
}

var randomFields = []string{
	".spec.job.path", ".spec.job.path", ".spec.job.n", ".spec.job.n", ".spec.job", ".spec.list[0]", ".spec.list[1].x", ".spec.new",
	".data.k", `.spec.a\.b`, ".spec.replicas", ".spec.template.spec.x", ".spec.completions",
}

func randomState(random *rand.Rand) preservation.State {
	state := preservation.State{Labels: map[string]string{}, Annotations: map[string]string{}, Fields: map[string]string{}}
	for range random.IntN(3) {
		state.Labels[randomKey(random)] = pick(random, "0", "1", "2")
	}
	for range random.IntN(3) {
		state.Annotations[randomKey(random)] = pick(random, "0", "s3p://b/p", `{"x":"<"}`)
	}
	for range random.IntN(4) {
		state.Fields[pick(random, randomFields...)] = pick(random, `"s3p://b/p"`, `"0"`, `"0"`, `1`, `1.50`, `{"path":"x"}`, `[1,{"y":null}]`, `true`)
	}
	for _, key := range state.Keys() {
		if random.IntN(3) == 0 && key.Target != "" {
			state.Conflicts = append(state.Conflicts, preservation.RefConflict{
				Ref: key, Conflict: pick(random, preservation.KeepExisting, preservation.KeepExisting, preservation.Fail, preservation.Replace),
			})
		}
	}
	return state
}

func randomOptions(random *rand.Rand) preservation.InjectOptions {
	options := preservation.InjectOptions{PodTemplate: random.IntN(3) == 0, Force: random.IntN(2) == 0}
	for range random.IntN(3) {
		target := pick(random, preservation.Label, preservation.Annotation, preservation.Field, preservation.PodTemplateLabel)
		key := randomKey(random)
		if target == preservation.Field {
			key = pick(random, randomFields...)
		}
		options.Owned = append(options.Owned, preservation.Ref{Target: target, Key: key})
	}
	return options
}

func randomTexts(random *rand.Rand, metadata map[string]any, name string) {
	switch random.IntN(6) {
	case 0:
	case 1:
		metadata[name] = nil
	case 2:
		metadata[name] = map[string]any{}
	default:
		texts := map[string]any{}
		for range random.IntN(6) {
			texts[randomKey(random)] = pick(random, "", "0", "1", "2", "not/legal")
		}
		metadata[name] = texts
	}
}

func randomManifest(random *rand.Rand) *unstructured.Unstructured {
	kind := pick(random, "apps/v1/Deployment", "batch/v1/Job", "apps/v1/StatefulSet", "example.com/v1/App", "example.com/v1/App")
	i := len(kind) - len(kind[lastSlash(kind):])
	metadata := map[string]any{"name": "app"}
	randomTexts(random, metadata, "labels")
	randomTexts(random, metadata, "annotations")
	template := map[string]any{"labels": map[string]any{}}
	randomTexts(random, template, "labels")
	spec := map[string]any{
		"replicas": pick[any](random, 3, int64(3), 1.5, nil),
		"list":     []any{pick[any](random, nil, "0", 1, "x"), map[string]any{"x": pick[any](random, "0", nil, 1)}},
		"template": map[string]any{"metadata": template, "spec": map[string]any{"x": pick[any](random, "0", "x")}},
		"other":    storable(randomObject(random, 2)),
	}
	for _, key := range []string{"new", "a.b", "completions"} {
		if random.IntN(2) == 0 {
			spec[key] = storable(randomValue(random, 2))
		}
	}
	if random.IntN(8) > 0 {
		spec["job"] = pick[any](random, map[string]any{}, map[string]any{"path": "0", "n": json.Number("1.50")}, map[string]any{"path": "", "n": nil}, nil, map[string]any{"path": "old", "n": 1})
	}
	if random.IntN(2) == 0 {
		spec["selector"] = map[string]any{"sel": "1"}
	}
	object := map[string]any{"apiVersion": kind[:i], "kind": kind[i+1:], "metadata": metadata, "spec": spec}
	if random.IntN(4) > 0 {
		object["data"] = pick[any](random, map[string]any{"k": "0"}, map[string]any{}, map[string]any{"k": "s3p://b/p"})
	}
	return manifestOf(object)
}

// storable takes away numbers that no API server stores.
func storable(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = storable(v[key])
		}
	case []any:
		for i := range v {
			v[i] = storable(v[i])
		}
	case json.Number:
		if _, err := v.Float64(); err != nil {
			return nil
		}
	}
	return value
}

func lastSlash(text string) int {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '/' {
			return i
		}
	}
	return 0
}

// A field around another one, of two generations, either goes or is an error.
func TestInjectOverlappingGenerations(t *testing.T) {
	t.Parallel()
	manifest := func() *unstructured.Unstructured {
		return manifestOf(object(t, `{"metadata":{},"spec":{"job":{"path":"old","x":"y"}}}`))
	}
	within := preservation.State{Fields: map[string]string{".spec.job.path": `"new"`}}
	_, _, err := preservation.Inject(manifest(), within, preservation.InjectOptions{Owned: []preservation.Ref{fieldAt(".spec.job")}})
	require.ErrorIs(t, err, preservation.BadState)
	if want := `field ".spec.job.path": BadState: it lies within the owned field .spec.job`; err.Error() != want {
		t.Errorf("want %s, got %v: to remove the one would take the other with it", want, err)
	}
	around := preservation.State{Fields: map[string]string{".spec.job": `{"path":"new"}`}}
	options := preservation.InjectOptions{Owned: []preservation.Ref{fieldAt(".spec.job.path"), fieldAt(".spec.job.x")}}
	out, _, err := preservation.Inject(manifest(), around, options)
	require.NoError(t, err)
	if want := `{"metadata":{},"spec":{"job":{"path":"new"}}}`; jsonOf(t, out) != want {
		t.Errorf("the new value must stay whole: %s", jsonOf(t, out))
	}
	checkInverse(t, manifest(), around, options)
	nested := preservation.InjectOptions{Owned: []preservation.Ref{fieldAt(".spec.job.path"), fieldAt(".spec.job")}}
	checkInverse(t, manifest(), preservation.State{}, nested)
	nested.Owned[0], nested.Owned[1] = nested.Owned[1], nested.Owned[0]
	checkInverse(t, manifest(), preservation.State{}, nested)
}
