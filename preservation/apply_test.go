package preservation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation"
)

func TestApplyConfiguration(t *testing.T) {
	t.Parallel()
	const app = `"apiVersion":"example.com/v1","kind":"App"`
	rest := `"metadata":{"name":"x","namespace":"n","uid":"u","labels":{"team":"y","a":"1","k":"old"}},"spec":{"o":{"p":1},"e":{},"l":[1],"x":{"y":{}},"n":null,"dot.key":{}}}`
	keep := []preservation.RefConflict{{Ref: label("k"), Conflict: preservation.KeepExisting}}
	cases := map[string]struct {
		reason   string
		manifest string
		state    preservation.State
		want     string
		class    preservation.Class
		detail   string
	}{
		"Nothing": {
			reason: "what identifies the object", manifest: "{" + app + "," + rest,
			want: "{" + app + `,"metadata":{"name":"x","namespace":"n"}}`,
		},
		"Cluster": {
			reason: "no namespace is made up", manifest: "{" + app + `,"metadata":{"name":"x"}}`,
			want: "{" + app + `,"metadata":{"name":"x"}}`,
		},
		"AllTargets": {
			reason: "only our keys; one that is there already stays ours; one that is kept is not ours", manifest: "{" + app + "," + rest,
			state: preservation.State{
				Labels: map[string]string{"a": "1", "b": "2", "k": "new"}, Annotations: map[string]string{"c": "s3p://b"}, Conflicts: keep,
				Fields: map[string]string{".spec.x.y.z": `{"q":[1.5]}`, ".spec.x.n": "3", `.spec.dot\.key.k`: `"v"`, ".spec.l": "[1]", ".spec.n": `{"m":1}`},
			},
			want: "{" + app + `,"metadata":{"annotations":{"c":"s3p://b"},"labels":{"a":"1","b":"2"},"name":"x","namespace":"n"},` +
				`"spec":{"dot.key":{"k":"v"},"l":[1],"n":{"m":1},"x":{"n":3,"y":{"z":{"q":[1.5]}}}}}`,
		},
		"ListItem": {
			reason: "neither its keys nor the rest of the list is known", manifest: "{" + app + "," + rest,
			state: preservation.State{Fields: map[string]string{".spec.l[0]": "2"}}, class: preservation.Refused, detail: `field ".spec.l[0]": Refused: an item of a list`,
		},
		"MergedObject": {
			reason: "the server would keep p", manifest: "{" + app + "," + rest,
			state: preservation.State{Fields: map[string]string{".spec.o": `{"q":1}`}}, class: preservation.Refused, detail: `field ".spec.o": Refused: the server would merge an object`,
		},
		"MergedList": {
			reason: "lists may have keys", manifest: "{" + app + "," + rest,
			state: preservation.State{Fields: map[string]string{".spec.l": `[2]`}}, class: preservation.Refused, detail: "merge a list",
		},
		"AsInject": {
			reason: "the error of Inject", manifest: "{" + app + "," + rest,
			state: preservation.State{Fields: map[string]string{".spec.gone.x": `1`}}, class: preservation.MissingParent, detail: "the manifest has no .spec.gone",
		},
		"NoName": {
			reason: "nothing to apply to", manifest: "{" + app + `,"metadata":{"generateName":"x-"}}`,
			class: preservation.BadManifest, detail: "say what to apply to",
		},
		"NoKind": {
			reason: "nothing to apply to", manifest: `{"apiVersion":"v1","metadata":{"name":"x"}}`,
			class: preservation.BadManifest, detail: "say what to apply to",
		},
		"NoVersion": {
			reason: "nothing to apply to", manifest: `{"kind":"App","metadata":{"name":"x"}}`,
			class: preservation.BadManifest, detail: "say what to apply to",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object, ok := decode(tc.manifest)
			if !ok {
				t.Fatal(tc.manifest)
			}
			manifest := manifestOf(object)
			out, report, err := preservation.ApplyConfiguration(manifest, tc.state, preservation.InjectOptions{})
			if after := jsonOf(t, manifest); after != jsonOf(t, manifestOf(mustDecode(t, tc.manifest))) {
				t.Errorf("the manifest was changed to %s", after)
			}
			if tc.class != "" {
				require.ErrorIs(t, err, tc.class, tc.reason)
				if !strings.Contains(err.Error(), tc.detail) || out != nil || len(report.Changes) > 0 {
					t.Errorf("%s: want %q, got %v, %v, %v", tc.reason, tc.detail, err, out, report)
				}
				return
			}
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(tc.want, jsonOf(t, out)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			_, want, err := preservation.Inject(manifest, tc.state, preservation.InjectOptions{})
			require.NoError(t, err)
			if diff := cmp.Diff(want, report); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

func mustDecode(t testing.TB, text string) map[string]any {
	t.Helper()
	object, ok := decode(text)
	if !ok {
		t.Fatal(text)
	}
	return object
}

// Labels of the pod template are applied too, and what an older failover owned is
// left to the server.
func TestApplyConfigurationOfTemplate(t *testing.T) {
	t.Parallel()
	manifest := manifestOf(mustDecode(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x","labels":{"old":"1"}},"spec":{"template":{"metadata":{"labels":{"old":"1"}}}}}`))
	options := preservation.InjectOptions{PodTemplate: true, Force: true, Owned: labels("old")}
	out, _, err := preservation.ApplyConfiguration(manifest, stateOf(map[string]string{"a": "1"}), options)
	require.NoError(t, err)
	want := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"a":"1"},"name":"x"},"spec":{"template":{"metadata":{"labels":{"a":"1"}}}}}`
	if diff := cmp.Diff(want, jsonOf(t, out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
