// Command operator is a small multi-cluster operator that embeds the library: it keeps
// applications on member clusters and carries their state along when they move.
// README.md says how to run it.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/controller"
	"github.com/carryover-io/carryover/examples/operator/member"
	admission "github.com/carryover-io/carryover/examples/operator/webhook"
)

// settings are the flags.
type settings struct {
	namespace, shard          string
	metricsAddr, probeAddr    string
	webhookPort               int
	webhookCerts              string
	leaderElect               bool
	poll, probePeriod, lease  time.Duration
	workers, failureThreshold int
	qps                       int
}

func parse() settings {
	var s settings
	flag.StringVar(&s.namespace, "namespace", "carryover-system", "namespace of the kubeconfig Secrets and of the leader's Lease")
	flag.StringVar(&s.shard, "shard", "", "look after the objects whose label "+controller.ShardLabel+" has this value; empty: those without the label")
	flag.StringVar(&s.metricsAddr, "metrics-bind-address", ":8080", "address of the metrics; 0: none")
	flag.StringVar(&s.probeAddr, "health-probe-bind-address", ":8081", "address of healthz and readyz; 0: none")
	flag.IntVar(&s.webhookPort, "webhook-port", 9443, "port of the webhooks; 0: none, as in all shards but one")
	flag.StringVar(&s.webhookCerts, "webhook-cert-dir", "/tmp/k8s-webhook-server/serving-certs", "folder with tls.crt and tls.key")
	flag.BoolVar(&s.leaderElect, "leader-elect", true, "of several operators of one shard only one works")
	flag.DurationVar(&s.lease, "leader-lease", 15*time.Second, "how long a leader that does not answer stays leader")
	flag.DurationVar(&s.poll, "poll", time.Minute, "how often a settled placement is looked at, whatever the watches say")
	flag.DurationVar(&s.probePeriod, "probe-period", 10*time.Second, "how often a member cluster is probed")
	flag.IntVar(&s.failureThreshold, "probe-threshold", 3, "probes in a row that change the verdict")
	flag.IntVar(&s.workers, "workers", 4, "placements looked at in parallel")
	flag.IntVar(&s.qps, "qps", 100, "requests in a second to the host's API server, twice as many in a burst")
	flag.Parse()
	return s
}

func main() {
	s := parse()
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.GetConfigOrDie(), s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(config *rest.Config, s settings) error {
	mgr, err := manager(config, s)
	if err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

// manager puts the parts together.
func manager(config *rest.Config, s settings) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = float32(s.qps), 2*s.qps
	shard, err := shardSelector(s.shard)
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme,
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			&v1alpha1.Placement{}: {Label: shard}, // a shard holds only its own in memory
			&corev1.Secret{}:      {Namespaces: map[string]cache.Config{s.namespace: {}}},
		}},
		Metrics:                 metricsserver.Options{BindAddress: s.metricsAddr},
		HealthProbeBindAddress:  s.probeAddr,
		WebhookServer:           webhook.NewServer(webhook.Options{Port: s.webhookPort, CertDir: s.webhookCerts}),
		LeaderElection:          s.leaderElect,
		LeaderElectionNamespace: s.namespace,
		LeaderElectionID:        leaderID(s.shard),
		LeaseDuration:           &s.lease,
		RenewDeadline:           ptr(s.lease * 2 / 3),
		RetryPeriod:             ptr(s.lease / 6),
		// The next leader need not wait for the Lease to end: nothing runs after Start.
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return nil, err
	}
	return mgr, add(mgr, s)
}

// add registers the loops, the webhooks and the probes of the operator itself.
func add(mgr ctrl.Manager, s settings) error {
	numbers, err := controller.NewMetrics(metrics.Registry, nil)
	if err != nil {
		return err
	}
	members := &member.Clients{Secrets: mgr.GetClient(), Namespace: s.namespace}
	placements := &controller.PlacementReconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Members: members, Watcher: controller.NewWatcher(mgr.GetClient(), members),
		Recorder: mgr.GetEventRecorderFor(controller.Producer), Metrics: numbers,
		Shard: s.shard, Poll: s.poll, Workers: s.workers,
	}
	clusters := &controller.MemberClusterReconciler{
		Client: mgr.GetClient(), Members: members, Shard: s.shard, Period: s.probePeriod, Threshold: int32(s.failureThreshold),
	}
	for _, part := range []interface{ SetupWithManager(mgr ctrl.Manager) error }{placements, clusters} {
		if err := part.SetupWithManager(mgr); err != nil {
			return err
		}
	}
	if s.webhookPort != 0 {
		for _, hook := range []interface{ SetupWithManager(mgr ctrl.Manager) error }{admission.Policies{}, admission.Placements{}} {
			if err := hook.SetupWithManager(mgr); err != nil {
				return err
			}
		}
	}
	if err := mgr.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		return err
	}
	return mgr.AddReadyzCheck("readyz", healthz.Ping)
}

// shardSelector selects the placements of a shard.
func shardSelector(shard string) (labels.Selector, error) {
	operator, values := selection.Equals, []string{shard}
	if shard == "" {
		operator, values = selection.DoesNotExist, nil
	}
	one, err := labels.NewRequirement(controller.ShardLabel, operator, values)
	if err != nil {
		return nil, err
	}
	return labels.NewSelector().Add(*one), nil
}

// leaderID gives each shard a leader of its own.
func leaderID(shard string) string {
	if shard == "" {
		return "carryover-operator"
	}
	return "carryover-operator-" + shard
}

func ptr[T any](v T) *T { return &v }
