package preservation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/preservation"
)

func TestPodTemplateLabels(t *testing.T) {
	t.Parallel()
	const asked, forced = 1, 2
	const restarts, immutable, unknown = "it restarts the pods", "it is immutable", "it is not known"
	plain := `"metadata":{},"spec":{"template":{"metadata":{"labels":{"app":"x"}}}}}`
	want := `"metadata":{"labels":{"a":"1"}},"spec":{"template":{"metadata":{"labels":{"a":"1","app":"x"}}}}}`
	kind := func(apiVersion, kind, rest string) string {
		return `{"apiVersion":"` + apiVersion + `","kind":"` + kind + `",` + rest
	}
	cron := `"metadata":{},"spec":{"jobTemplate":{"spec":{"template":{"metadata":{}}}}}}`
	cases := map[string]struct {
		reason   string
		manifest string
		options  int
		want     string
		refused  string
	}{
		"NotAsked":         {"object metadata only", kind("apps/v1", "Deployment", plain), forced, strings.Replace(kind("apps/v1", "Deployment", plain), "{}", `{"labels":{"a":"1"}}`, 1), ""},
		"Deployment":       {"asking is not enough", kind("apps/v1", "Deployment", plain), asked, "", restarts},
		"DeploymentForced": {"both copies of the key", kind("apps/v1", "Deployment", plain), asked | forced, kind("apps/v1", "Deployment", want), ""},
		"OtherVersion":     {"the group counts", kind("apps/v1beta2", "Deployment", plain), asked, "", restarts},
		"OtherGroup":       {"not every Deployment is one", kind("example.com/v1", "Deployment", plain), asked, "", unknown},
		"ReplicaSet":       {"", kind("apps/v1", "ReplicaSet", plain), asked, "", restarts},
		"DaemonSet":        {"", kind("apps/v1", "DaemonSet", plain), asked, "", restarts},
		"StatefulSet":      {"", kind("apps/v1", "StatefulSet", plain), asked, "", restarts},
		"StatefulSetForce": {"the template of a StatefulSet may change", kind("apps/v1", "StatefulSet", plain), asked | forced, kind("apps/v1", "StatefulSet", want), ""},
		"Controller":       {"", kind("v1", "ReplicationController", plain), asked, "", restarts},
		"Job":              {"I4", kind("batch/v1", "Job", plain), asked, "", immutable},
		"JobForced":        {"before its copy exists it can be written", kind("batch/v1", "Job", plain), asked | forced, kind("batch/v1", "Job", want), ""},
		"CronJob":          {"its next job has it, no pod restarts", kind("batch/v1", "CronJob", cron), asked, kind("batch/v1", "CronJob", `"metadata":{"labels":{"a":"1"}},"spec":{"jobTemplate":{"spec":{"template":{"metadata":{"labels":{"a":"1"}}}}}}}`), ""},
		"Unknown":          {"who knows", kind("example.com/v1", "App", plain), asked, "", unknown},
		"UnknownForced":    {"nobody knows where it is", kind("example.com/v1", "App", plain), asked | forced, "", "where this kind has its pod template"},
		"Selected": {
			"the key would move pods away", kind("apps/v1", "Deployment", `"metadata":{},"spec":{"selector":{"matchLabels":{"a":"0"}},"template":{"metadata":{}}}}`), asked | forced, "",
			`label of the pod template "a": Refused: spec.selector uses the key`,
		},
		"SelectedByJobs": {
			"a selector inside the template of jobs", kind("batch/v1", "CronJob", `"metadata":{},"spec":{"jobTemplate":{"spec":{"selector":{"matchLabels":{"a":"0"}},"template":{"metadata":{}}}}}}`), asked, "",
			"spec.selector uses the key",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object, ok := decode(tc.manifest)
			if !ok {
				t.Fatal(tc.manifest)
			}
			options := preservation.InjectOptions{PodTemplate: tc.options&asked > 0, Force: tc.options&forced > 0}
			state := stateOf(map[string]string{"a": "1"})
			out, _, err := preservation.Inject(manifestOf(object), state, options)
			if tc.refused != "" {
				require.ErrorIs(t, err, preservation.Refused, tc.reason)
				var typed *preservation.InjectError
				require.ErrorAs(t, err, &typed)
				if !strings.Contains(err.Error(), tc.refused) || typed.Key == "" && typed.Target != preservation.PodTemplateLabel {
					t.Errorf("%s: want %q, got %s %v", tc.reason, tc.refused, typed.Target, err)
				}
				return
			}
			require.NoError(t, err, tc.reason)
			if diff := cmp.Diff(tc.want, jsonOf(t, out)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			checkInverse(t, manifestOf(object), state, options)
		})
	}
}

// A pod template that cannot be read whole is as bad as such metadata.
func TestPodTemplateMustBeReadable(t *testing.T) {
	t.Parallel()
	options := preservation.InjectOptions{PodTemplate: true, Force: true}
	for spec, want := range map[string]string{
		`{}`:                             `MissingParent: the manifest has no .spec.template`,
		`{"template":7}`:                 `TypeMismatch: .spec.template is not an object but a number`,
		`{"template":{}}`:                ``,
		`{"template":{"metadata":null}}`: `BadManifest: spec.template.metadata is not an object but null`,
		`{"template":{"metadata":{"labels":{"x":1}}}}`:      `BadManifest: the value of spec.template.metadata.labels["x"] is not text but a number`,
		`{"template":{"metadata":{"labels":["x"]}}}`:        `BadManifest: spec.template.metadata.labels is not an object but a list`,
		`{"template":{"metadata":{"annotations":{"x":1}}}}`: ``,
	} {
		object, _ := decode(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{},"spec":` + spec + `}`)
		_, _, err := preservation.Inject(manifestOf(object), stateOf(map[string]string{"a": "1"}), options)
		if got := textOf(err); got != want {
			t.Errorf("%s: want %q, got %q", spec, want, got)
		}
		_, _, err = preservation.Inject(manifestOf(object), preservation.State{Annotations: map[string]string{"a": "1"}}, options)
		require.NoError(t, err, "without labels the template is not read")
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Fields of the pod template, and those that nobody can change later.
func TestProtectedFields(t *testing.T) {
	t.Parallel()
	const asked, forced = 1, 2
	const optIn, restarts, immutable, unknown, whole, may = "only where PodTemplate asks for it", "it restarts the pods", "is immutable", "it is not known", "as a whole is not for state", ""
	cases := map[string]struct {
		reason  string
		kind    string
		path    string
		options int
		want    string
	}{
		"Replicas":           {"of a Deployment, nothing is immutable but the selector", "apps/v1/Deployment", ".spec.replicas", 0, may},
		"Template":           {"opt-in", "apps/v1/Deployment", ".spec.template.x", 0, optIn},
		"TemplateOnlyForced": {"force alone is no opt-in", "apps/v1/Deployment", ".spec.template.x", forced, optIn},
		"TemplateAsked":      {"restarts", "apps/v1/Deployment", ".spec.template.x", asked, restarts},
		"TemplateForced":     {"asked twice", "apps/v1/Deployment", ".spec.template.x", asked | forced, may},
		"TemplateItself":     {"its labels would go with it", "apps/v1/Deployment", ".spec.template", forced, whole},
		"NotTheTemplate":     {"known kinds have it in one place", "apps/v1/Deployment", ".spec.strategy.template", 0, may},
		"Job":                {"its template is immutable", "batch/v1/Job", ".spec.template.x", asked, immutable},
		"JobCompletions":     {"immutable", "batch/v1/Job", ".spec.completions", 0, immutable},
		"JobForced":          {"a fresh copy may have any", "batch/v1/Job", ".spec.completions", forced, may},
		"JobSuspend":         {"may change", "batch/v1/Job", ".spec.suspend", 0, may},
		"StatefulSet":        {"most is immutable", "apps/v1/StatefulSet", ".spec.serviceName", 0, immutable},
		"StatefulSetForced":  {"a fresh copy may have any", "apps/v1/StatefulSet", ".spec.serviceName", forced, may},
		"StatefulSetMay":     {"some is not", "apps/v1/StatefulSet", ".spec.replicas", 0, may},
		"StatefulSetOther":   {"not in spec", "apps/v1/StatefulSet", ".data.x", 0, may},
		"CronJob":            {"nothing happens to pods", "batch/v1/CronJob", ".spec.jobTemplate.spec.template.x", asked, may},
		"CronJobNotAsked":    {"opt-in all the same", "batch/v1/CronJob", ".spec.jobTemplate.spec.template.x", 0, optIn},
		"CronJobAround":      {"the field around holds it", "batch/v1/CronJob", ".spec.jobTemplate.spec", forced, whole},
		"UnknownWhole":       {"what is called one is one", "x.io/v1/Job", ".spec.podTemplate", forced, whole},
		"CronJobBeside":      {"beside it", "batch/v1/CronJob", ".spec.jobTemplate.spec.suspend", 0, may},
		"CronJobSuspend":     {"beside it", "batch/v1/CronJob", ".spec.suspend", 0, may},
		"SetUpdateStrategy":  {"may change", "apps/v1/StatefulSet", ".spec.updateStrategy", 0, may},
		"SetHistory":         {"may change", "apps/v1/StatefulSet", ".spec.revisionHistoryLimit", 0, may},
		"SetOrdinals":        {"may change", "apps/v1/StatefulSet", ".spec.ordinals", 0, may},
		"SetMinReady":        {"may change", "apps/v1/StatefulSet", ".spec.minReadySeconds", 0, may},
		"SetRetention":       {"may change", "apps/v1/StatefulSet", ".spec.persistentVolumeClaimRetentionPolicy", 0, may},
		"SetTemplate":        {"may change, by asking", "apps/v1/StatefulSet", ".spec.template.x", asked | forced, may},
		"JobMode":            {"immutable", "batch/v1/Job", ".spec.completionMode", 0, immutable},
		"JobFailure":         {"immutable", "batch/v1/Job", ".spec.podFailurePolicy", 0, immutable},
		"JobSuccess":         {"immutable", "batch/v1/Job", ".spec.successPolicy", 0, immutable},
		"JobBackoff":         {"immutable", "batch/v1/Job", ".spec.backoffLimitPerIndex", 0, immutable},
		"JobManagedBy":       {"immutable", "batch/v1/Job", ".spec.managedBy", 0, immutable},
		"JobManualSelector":  {"immutable", "batch/v1/Job", ".spec.manualSelector", 0, immutable},
		"UnknownWholeToo":    {"by its other name", "x.io/v1/Job", ".spec.a.template", asked | forced, whole},
		"Unknown":            {"any field", "example.com/v1/App", ".spec.serviceName", 0, may},
		"UnknownTemplate":    {"what is called one is one", "example.com/v1/App", ".spec.a.template.x", asked, unknown},
		"UnknownOptIn":       {"opt-in", "example.com/v1/App", ".spec.a.template.x", 0, optIn},
		"UnknownPodTemplate": {"as Flink calls it", "flink.apache.org/v1/FlinkDeployment", ".spec.podTemplate.x", asked, unknown},
		"UnknownForced":      {"the caller knows", "flink.apache.org/v1/FlinkDeployment", ".spec.podTemplate.x", asked | forced, may},
		"UnknownAlike":       {"a longer name", "example.com/v1/App", ".spec.templateName", 0, may},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slash := strings.LastIndex(tc.kind, "/")
			anything := map[string]any{}
			for _, key := range []string{"template", "strategy", "a", "podTemplate"} {
				anything[key] = map[string]any{"template": map[string]any{}}
			}
			anything["jobTemplate"] = map[string]any{"spec": map[string]any{"template": map[string]any{}}}
			manifest := manifestOf(map[string]any{
				"apiVersion": tc.kind[:slash], "kind": tc.kind[slash+1:], "metadata": map[string]any{}, "spec": anything, "data": map[string]any{},
			})
			value := "1"
			if strings.HasSuffix(tc.path, ".spec") || strings.HasSuffix(tc.path, "template") {
				value = "{}"
			}
			state := preservation.State{Fields: map[string]string{tc.path: value}}
			options := preservation.InjectOptions{PodTemplate: tc.options&asked > 0, Force: tc.options&forced > 0}
			_, _, err := preservation.Inject(manifest, state, options)
			if tc.want == may {
				require.NoError(t, err, tc.reason)
				checkInverse(t, manifest, state, options)
				return
			}
			require.ErrorIs(t, err, preservation.Refused, tc.reason)
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}
