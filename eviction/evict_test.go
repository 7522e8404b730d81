package eviction_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/purge"
)

// done is an expected result; messages have their own test.
func done(cluster string, outcome eviction.EvictOutcome, reason eviction.Reason) eviction.Result {
	return eviction.Result{FromCluster: cluster, Outcome: outcome, Reason: reason}
}

func TestEvict(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		in     eviction.EvictInput
		want   eviction.Evicted
	}{
		"NothingToDo": {
			reason: "nil and empty are one; lists without evictions come back as they are",
			in:     eviction.EvictInput{Targets: targets("west", "east"), Tasks: []eviction.Task{stored("north", "Immediately", -5)}},
			want:   eviction.Evicted{Targets: targets("west", "east"), Tasks: []eviction.Task{stored("north", "Immediately", -5)}},
		},
		"Added": {
			reason: "E1, E4, E6: off the targets, last in the list, all targets recorded, sorted",
			in: eviction.EvictInput{
				Targets: targets("west", "east", "north"), Tasks: []eviction.Task{stored("south", purge.Never, -5)},
				Evictions: []eviction.Eviction{leave("east")},
			},
			want: eviction.Evicted{
				Targets: targets("west", "north"),
				Tasks: []eviction.Task{
					stored("south", purge.Never, -5),
					task("east", func(t *eviction.Task) { t.ClustersBeforeFailover = []string{"east", "north", "west"} }),
				},
				Results: []eviction.Result{done("east", eviction.Added, eviction.ReasonEvicted)},
			},
		},
		"SeveralRecordTheSameTargets": {
			reason: "E4: the targets at the start of the call, evicted ones included, not what is left over",
			in: eviction.EvictInput{
				Targets:   targets("west", "east"),
				Evictions: []eviction.Eviction{leave("west"), leave("east")},
			},
			want: eviction.Evicted{
				Tasks: []eviction.Task{
					task("west", func(t *eviction.Task) { t.ClustersBeforeFailover = []string{"east", "west"} }),
					task("east", func(t *eviction.Task) { t.ClustersBeforeFailover = []string{"east", "west"} }),
				},
				Results: []eviction.Result{
					done("west", eviction.Added, eviction.ReasonEvicted), done("east", eviction.Added, eviction.ReasonEvicted),
				},
			},
		},
		"NotTarget": {
			reason: "E1: neither a target nor under eviction",
			in:     eviction.EvictInput{Targets: targets("west"), Evictions: []eviction.Eviction{leave("east")}},
			want: eviction.Evicted{
				Targets: targets("west"),
				Results: []eviction.Result{done("east", eviction.NotTarget, eviction.ReasonNotTarget)},
			},
		},
		"AlreadyEvicting": {
			reason: "a controller that evicts on every reconcile must not restart the grace period for ever",
			in: eviction.EvictInput{
				Targets: targets("west"), Tasks: []eviction.Task{stored("east", purge.Never, -500), stored("east", "odd", -9)},
				Evictions: []eviction.Eviction{leave("east", func(e *eviction.Eviction) { e.PreservedLabelState = state("B") })},
			},
			want: eviction.Evicted{
				Targets: targets("west"), Tasks: []eviction.Task{stored("east", purge.Never, -500), stored("east", "odd", -9)},
				Results: []eviction.Result{done("east", eviction.Unchanged, eviction.ReasonAlreadyEvicting)},
			},
		},
		"MergedMovesToTheEnd": {
			reason: "E2: all fields are the newer eviction's, suppression and grace included; Karmada looks at the last task",
			in: eviction.EvictInput{
				Targets: []eviction.TargetCluster{{Name: "east", Replicas: ptr(int32(2))}},
				Tasks: []eviction.Task{
					{
						FromCluster: "east", PurgeMode: purge.Never, SuppressDeletion: ptr(true), Replicas: ptr(int32(9)),
						Components: []eviction.Component{{Name: "jm", Replicas: 1}}, Reason: "Old", Message: "old", Producer: "old",
						CreationTimestamp: at(-60),
					},
					stored("south", purge.Directly, -5),
				},
				Evictions: []eviction.Eviction{leave("east")},
			},
			want: eviction.Evicted{
				Tasks: []eviction.Task{
					stored("south", purge.Directly, -5),
					task("east", func(t *eviction.Task) { t.Replicas = ptr(int32(2)) }),
				},
				Results: []eviction.Result{done("east", eviction.Merged, eviction.ReasonNewerStateUsed)},
			},
		},
		"SameTask": {
			reason: "a merge that gives the stored task changes nothing, its place in the list included",
			in: eviction.EvictInput{
				Targets: targets("east"), Tasks: []eviction.Task{task("east"), stored("south", purge.Directly, -5)},
				Evictions: []eviction.Eviction{leave("east")},
			},
			want: eviction.Evicted{
				Tasks:   []eviction.Task{task("east"), stored("south", purge.Directly, -5)},
				Results: []eviction.Result{done("east", eviction.Unchanged, eviction.ReasonSameTask)},
			},
		},
		"SameTaskBesideAnother": {
			reason: "several stored tasks of one cluster fold into one, even if the newest is what merging gives",
			in: eviction.EvictInput{
				Targets: targets("east"), Tasks: []eviction.Task{stored("east", purge.Gracefully, -5), task("east")},
				Evictions: []eviction.Eviction{leave("east")},
			},
			want: eviction.Evicted{
				Tasks:   []eviction.Task{task("east")},
				Results: []eviction.Result{done("east", eviction.Merged, eviction.ReasonNewerStateUsed)},
			},
		},
		"TwiceInOneCall": {
			reason: "E2: the second merges with the first, whose state belongs to the life that was evicted",
			in: eviction.EvictInput{
				Targets: targets("east"),
				Evictions: []eviction.Eviction{
					leave("east", func(e *eviction.Eviction) { e.PreservedLabelState = state("A") }),
					leave("east", func(e *eviction.Eviction) {
						e.PurgeMode, e.PreservedLabelState, e.LastHealthy = purge.Directly, state("B"), epoch
					}),
				},
			},
			want: eviction.Evicted{
				Tasks: []eviction.Task{task("east", func(t *eviction.Task) {
					t.PurgeMode, t.GracePeriodSeconds, t.PreservedLabelState = purge.Directly, nil, state("A")
				})},
				Results: []eviction.Result{
					done("east", eviction.Added, eviction.ReasonEvicted),
					done("east", eviction.Merged, eviction.ReasonOlderStateKept),
				},
			},
		},
		"RepeatedInOneCall": {
			reason: "the same eviction twice is one",
			in: eviction.EvictInput{
				Targets: targets("east"), Evictions: []eviction.Eviction{leave("east"), leave("east")},
			},
			want: eviction.Evicted{
				Tasks: []eviction.Task{task("east")},
				Results: []eviction.Result{
					done("east", eviction.Added, eviction.ReasonEvicted),
					done("east", eviction.Unchanged, eviction.ReasonSameTask),
				},
			},
		},
		"RefusedDoesNotBlock": {
			reason: "F5: one cluster's error never blocks another's eviction",
			in: eviction.EvictInput{
				Targets:   targets("east", "west"),
				Evictions: []eviction.Eviction{leave("west", func(e *eviction.Eviction) { e.Reason = "not a word" }), leave("east")},
			},
			want: eviction.Evicted{
				Targets: targets("west"),
				Tasks:   []eviction.Task{task("east", func(t *eviction.Task) { t.ClustersBeforeFailover = []string{"east", "west"} })},
				Results: []eviction.Result{
					done("west", eviction.Refused, eviction.ReasonInvalidEviction), done("east", eviction.Added, eviction.ReasonEvicted),
				},
			},
		},
		"TargetTwice": {
			reason: "E4: every entry of the name goes, the first one gives the replicas, the record is deduplicated",
			in: eviction.EvictInput{
				Targets: []eviction.TargetCluster{
					{Name: "east", Replicas: ptr(int32(3))}, {Name: ""}, {Name: "west"}, {Name: "east", Replicas: ptr(int32(4))},
				},
				Evictions: []eviction.Eviction{leave("east")},
			},
			want: eviction.Evicted{
				Targets: targets("", "west"),
				Tasks: []eviction.Task{task("east", func(t *eviction.Task) {
					t.Replicas, t.ClustersBeforeFailover = ptr(int32(3)), []string{"east", "west"}
				})},
				Results: []eviction.Result{done("east", eviction.Added, eviction.ReasonEvicted)},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.in.Now = epoch
			got, _ := eviction.Evict(tc.in)
			if diff := cmp.Diff(tc.want, got, same(), cmpopts.IgnoreFields(eviction.Result{}, "Message")); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			for _, r := range got.Results {
				if r.Message == "" {
					t.Errorf("L5: no message beside %s", r.Reason)
				}
			}
		})
	}
}

// E2: which pair of state and clustersBeforeFailover a merged task has.
func TestEvictMergesState(t *testing.T) {
	t.Parallel()
	older := func(job string, made *metav1.Time) eviction.Task {
		return eviction.Task{
			FromCluster: "east", PurgeMode: purge.Directly, PreservedLabelState: state(job), CreationTimestamp: made,
			ClustersBeforeFailover: []string{"before-" + job},
		}
	}
	without := func(made *metav1.Time) eviction.Task {
		t := older("", made)
		t.PreservedLabelState = map[string]string{}
		return t
	}
	fresh := []string{"east"}
	tests := map[string]struct {
		reason      string
		tasks       []eviction.Task
		state       map[string]string
		lastHealthy time.Time
		want        map[string]string
		before      []string
	}{
		"HealthyBetween": {
			reason: "F44: the workload came back, made progress and failed again: its newer state wins",
			tasks:  []eviction.Task{older("A", at(-60))}, state: state("B"), lastHealthy: instant(-59),
			want: state("B"), before: fresh,
		},
		"HealthyInTheVerySecond": {
			reason: "health in the second of the eviction belongs to the life that was evicted",
			tasks:  []eviction.Task{older("A", at(-60))}, state: state("B"), lastHealthy: instant(-59).Add(-time.Nanosecond),
			want: state("A"), before: []string{"before-A"},
		},
		"HealthyBefore": {
			reason: "F62: it never ran, so its status is worth nothing",
			tasks:  []eviction.Task{older("A", at(-60))}, state: state("B"), lastHealthy: instant(-61),
			want: state("A"), before: []string{"before-A"},
		},
		"HealthNotKnown": {
			reason: "E2: zero is not known",
			tasks:  []eviction.Task{older("A", at(-60))}, state: state("B"),
			want: state("A"), before: []string{"before-A"},
		},
		"HealthInTheFuture": {
			reason: "a clock ahead of ours says healthy now",
			tasks:  []eviction.Task{older("A", at(-60))}, state: state("B"), lastHealthy: instant(3600),
			want: state("B"), before: fresh,
		},
		"NewerIsEmpty": {
			reason: "nothing never replaces something, and the pair is not torn",
			tasks:  []eviction.Task{older("A", at(-60))}, lastHealthy: instant(-1),
			want: state("A"), before: []string{"before-A"},
		},
		"OlderIsEmpty": {
			reason: "there is nothing to keep, whatever the health",
			tasks:  []eviction.Task{without(at(-60))}, state: state("B"),
			want: state("B"), before: fresh,
		},
		"BothEmpty": {
			reason: "the newer pair: the origin list belongs to this eviction",
			tasks:  []eviction.Task{without(at(-60))},
			before: fresh,
		},
		"OlderHasNoTime": {
			reason: "E6: it was made now, so no health can be shown to be newer",
			tasks:  []eviction.Task{older("A", nil)}, state: state("B"), lastHealthy: instant(0),
			want: state("A"), before: []string{"before-A"},
		},
		"OlderIsFromTheFuture": {
			reason: "E6: it was made now; health from an even farther future does not beat it",
			tasks:  []eviction.Task{older("A", at(60))}, state: state("B"), lastHealthy: instant(3600),
			want: state("A"), before: []string{"before-A"},
		},
		"SeveralAndHealthyAfterAll": {
			reason: "newest first, pair by pair",
			tasks:  []eviction.Task{older("A", at(-60)), older("C", at(-30))}, state: state("B"), lastHealthy: instant(-29),
			want: state("B"), before: fresh,
		},
		"SeveralAndHealthyBetween": {
			reason: "it ran between the two stored tasks: the newer of these has its progress",
			tasks:  []eviction.Task{older("C", at(-30)), older("A", at(-60))}, state: state("B"), lastHealthy: instant(-30),
			want: state("C"), before: []string{"before-C"},
		},
		"SeveralAndNotKnown": {
			reason: "nothing shows that any later life worked",
			tasks:  []eviction.Task{older("A", at(-60)), older("C", at(-30))}, state: state("B"),
			want: state("A"), before: []string{"before-A"},
		},
		"SeveralAndTheNewestIsEmpty": {
			reason: "an empty one between does not hide an older one",
			tasks:  []eviction.Task{older("A", at(-60)), without(at(-30))}, lastHealthy: instant(-1),
			want: state("A"), before: []string{"before-A"},
		},
		"SeveralOfOneSecond": {
			reason: "of two made in one second the later in the list is the newer; it was not healthy after either",
			tasks:  []eviction.Task{older("A", at(-60)), older("C", at(-60))}, lastHealthy: instant(-59),
			want: state("C"), before: []string{"before-C"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := eviction.Evict(eviction.EvictInput{
				Targets: targets("east"), Tasks: tc.tasks, Now: epoch,
				Evictions: []eviction.Eviction{leave("east", func(e *eviction.Eviction) {
					e.PreservedLabelState, e.LastHealthy = tc.state, tc.lastHealthy
				})},
			})
			require.NoError(t, err)
			want := []eviction.Task{task("east", func(t *eviction.Task) {
				t.PreservedLabelState, t.ClustersBeforeFailover = tc.want, tc.before
			})}
			if diff := cmp.Diff(want, got.Tasks, same()); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			reason := eviction.ReasonNewerStateUsed
			if cmp.Diff(fresh, tc.before) != "" {
				reason = eviction.ReasonOlderStateKept
			}
			message := "the cluster's task was renewed, with the state of the newer eviction"
			if reason == eviction.ReasonOlderStateKept {
				message = "the cluster's task was renewed, with the state of the older eviction"
			}
			if diff := cmp.Diff([]eviction.Result{{
				FromCluster: "east", Outcome: eviction.Merged, Reason: reason, Message: message,
			}}, got.Results); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// What Evict makes of the fields of one eviction.
func TestEvictBuilds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		target eviction.TargetCluster
		change func(*eviction.Eviction)
		want   func(*eviction.Task)
	}{
		"GivenGracePeriod": {
			reason: "E5: no default over a given one",
			change: func(e *eviction.Eviction) { e.GracePeriodSeconds = ptr(int32(2147483647)) },
			want:   func(t *eviction.Task) { t.GracePeriodSeconds = ptr(int32(2147483647)) },
		},
		"EmptyMode": {
			reason: "P2, F41: empty is Gracefully, with its default grace period",
			change: func(e *eviction.Eviction) { e.PurgeMode = "" },
			want:   func(*eviction.Task) {},
		},
		"OldName": {
			reason: "P1, F40: emit only new names, and default by the normalised mode",
			change: func(e *eviction.Eviction) { e.PurgeMode = "Graciously" },
			want:   func(*eviction.Task) {},
		},
		"Directly": {
			reason: "E5: no grace period and no suppression",
			change: func(e *eviction.Eviction) { e.PurgeMode = "Immediately" },
			want:   func(t *eviction.Task) { t.PurgeMode, t.GracePeriodSeconds = purge.Directly, nil },
		},
		"Never": {
			reason: "E5, F39: Never always yields a suppressed task",
			change: func(e *eviction.Eviction) { e.PurgeMode = purge.Never },
			want: func(t *eviction.Task) {
				t.PurgeMode, t.GracePeriodSeconds, t.SuppressDeletion = purge.Never, nil, ptr(true)
			},
		},
		"SuppressedGracefully": {
			reason: "E5: the default would make the task invalid",
			change: func(e *eviction.Eviction) { e.SuppressDeletion = ptr(true) },
			want:   func(t *eviction.Task) { t.GracePeriodSeconds, t.SuppressDeletion = nil, ptr(true) },
		},
		"ConfirmedGracefully": {
			reason: "P7: false is not true",
			change: func(e *eviction.Eviction) { e.SuppressDeletion = ptr(false) },
			want:   func(t *eviction.Task) { t.SuppressDeletion = ptr(false) },
		},
		"ZeroReplicas": {
			reason: "F50: scaled to zero is not the same as without replicas",
			target: eviction.TargetCluster{Replicas: ptr(int32(0))},
			change: func(*eviction.Eviction) {},
			want:   func(t *eviction.Task) { t.Replicas = ptr(int32(0)) },
		},
		"Components": {
			reason: "F50: per-component replicas are carried",
			target: eviction.TargetCluster{Components: []eviction.Component{{Name: "jm", Replicas: 1}, {Name: "tm", Replicas: 4}}},
			change: func(*eviction.Eviction) {},
			want: func(t *eviction.Task) {
				t.Components = []eviction.Component{{Name: "jm", Replicas: 1}, {Name: "tm", Replicas: 4}}
			},
		},
		"Texts": {
			reason: "E3: reason, message and producer as given",
			change: func(e *eviction.Eviction) { e.Reason, e.Message, e.Producer = "Other", "said", "me" },
			want:   func(t *eviction.Task) { t.Reason, t.Message, t.Producer = "Other", "said", "me" },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.target.Name = "east"
			got, err := eviction.Evict(eviction.EvictInput{
				Targets: []eviction.TargetCluster{tc.target}, Now: epoch,
				Evictions: []eviction.Eviction{leave("east", tc.change)},
			})
			require.NoError(t, err)
			if diff := cmp.Diff([]eviction.Task{task("east", tc.want)}, got.Tasks); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			if zone := got.Tasks[0].CreationTimestamp.Location(); zone != time.UTC {
				t.Errorf("L2: stored times are UTC, not %v", zone)
			}
		})
	}
}

// E3, F51: the message is cut by rune and is always text.
func TestEvictCutsMessage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ reason, message, want string }{
		"Empty":         {"nothing to cut", "", ""},
		"AtTheLimit":    {"1024 runes stay", strings.Repeat("é", 1024), strings.Repeat("é", 1024)},
		"OverTheLimit":  {"the 1025th goes", strings.Repeat("é", 1023) + "xy", strings.Repeat("é", 1023) + "x"},
		"NotUTF8":       {"the API server refuses what is not UTF-8", "a\xff\xfeb", "a\uFFFDb"},
		"HalfARune":     {"a rune that an earlier cut halved", "tail \xe2\x82", "tail \uFFFD"},
		"LongAndBroken": {"broken bytes count too, so the result is never too long", strings.Repeat("\xffa", 600), strings.Repeat("\uFFFDa", 512)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := eviction.Evict(eviction.EvictInput{
				Targets: targets("east"), Now: epoch,
				Evictions: []eviction.Eviction{leave("east", func(e *eviction.Eviction) { e.Message = tc.message })},
			})
			require.NoError(t, err)
			message := got.Tasks[0].Message
			if diff := cmp.Diff(tc.want, message); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
			if !utf8.ValidString(message) || utf8.RuneCountInString(message) > eviction.MaxMessageLength {
				t.Errorf("%s: not storable", tc.reason)
			}
		})
	}
}

func TestEvictErrors(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("secret", 20)
	got, err := eviction.Evict(eviction.EvictInput{
		Targets: targets("east", "west"), Now: epoch,
		Evictions: []eviction.Eviction{
			leave("east"),
			leave("west", func(e *eviction.Eviction) { e.PreservedLabelState = state(secret) }),
			leave("", func(e *eviction.Eviction) { e.Producer = "" }),
		},
	})
	require.Error(t, err)

	var refused *eviction.RefusedError
	require.ErrorAs(t, err, &refused)
	if refused.Retryable() {
		t.Error("L7: the same eviction is refused again")
	}
	if singles := refused.Unwrap(); len(singles) != 1 || !errors.Is(singles[0], refused.Errors[0]) {
		t.Errorf("L7: it unwraps to exactly its errors: %v", singles)
	}
	if refused.Index != 1 || refused.Cluster != "west" || len(refused.Errors) != 1 {
		t.Errorf("the first refused eviction is the second one: %+v", refused)
	}
	var single *field.Error
	require.ErrorAs(t, err, &single)
	if diff := cmp.Diff("evictions[1].preservedLabelState[job]", single.Field); diff != "" {
		t.Errorf("the path names the eviction (-want +got):\n%s", diff)
	}
	for _, part := range []string{`"west"`, "evictions[2].fromCluster", "evictions[2].producer"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("L7: the joined error lacks %s: %v", part, err)
		}
	}
	if text := err.Error() + got.Results[1].Message; strings.Contains(text, "secret") {
		t.Errorf("L7: state is never printed: %s", text)
	}
	if got.Results[1].Message != refused.Error() {
		t.Errorf("the result says what the error says: %s", got.Results[1].Message)
	}
}
