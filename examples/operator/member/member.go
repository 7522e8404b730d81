// Package member reaches the member clusters: one client for each, from the kubeconfig
// in its Secret.
package member

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
)

// KubeconfigKey is the key of a Secret that holds the kubeconfig.
const KubeconfigKey = "kubeconfig"

// NoAccessError says that the operator cannot even ask a cluster. That says nothing
// about the cluster: missing credentials must not read as a dead cluster.
type NoAccessError struct {
	// Cluster that cannot be asked.
	Cluster string
	// Err says why.
	Err error
}

// Error names the cluster.
func (e *NoAccessError) Error() string {
	return fmt.Sprintf("no access to cluster %s: %v", e.Cluster, e.Err)
}

// Unwrap returns the cause.
func (e *NoAccessError) Unwrap() error { return e.Err }

// Clients makes and keeps the clients of member clusters. They read no cache: what is
// said of a copy is what its own API server says now.
type Clients struct {
	// Secrets reads the Secrets with the kubeconfigs.
	Secrets client.Reader
	// Namespace of these Secrets.
	Namespace string
	// Timeout of one request to a member; 0 = 5 s.
	Timeout time.Duration
	// Wrap changes each new client; nil = none does. Tests use it.
	Wrap func(cluster string, c client.Client) client.Client

	mu    sync.Mutex
	known map[string]*connection
}

// Watch tells of changes of the objects of a kind that carry the label, by their
// metadata alone. The error is a *NoAccessError where there is no client.
func (c *Clients) Watch(ctx context.Context, cluster *v1alpha1.MemberCluster, kind schema.GroupVersionKind, label string) (watch.Interface, error) {
	conn, err := c.connect(ctx, cluster)
	if err != nil {
		return nil, &NoAccessError{cluster.Name, err}
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind)
	return conn.watch.Watch(ctx, list, client.HasLabels{label})
}

// connection is a client and the version of the Secret that it was made of.
type connection struct {
	version string
	client  client.Client
	watch   client.WithWatch
	rest    *rest.RESTClient
}

// Client returns the client of a cluster. The error is a *NoAccessError.
func (c *Clients) Client(ctx context.Context, cluster *v1alpha1.MemberCluster) (client.Client, error) {
	conn, err := c.connect(ctx, cluster)
	if err != nil {
		return nil, &NoAccessError{cluster.Name, err}
	}
	return conn.client, nil
}

// Probe asks the API server of a cluster whether it is ready. The error is a
// *NoAccessError where it cannot be asked, or refuses to answer us; any other error
// speaks against the cluster.
func (c *Clients) Probe(ctx context.Context, cluster *v1alpha1.MemberCluster) error {
	conn, err := c.connect(ctx, cluster)
	if err != nil {
		return &NoAccessError{cluster.Name, err}
	}
	var code int
	err = conn.rest.Get().AbsPath("/readyz").Do(ctx).StatusCode(&code).Error()
	if code == 401 || code == 403 {
		return &NoAccessError{cluster.Name, err}
	}
	return err
}

func (c *Clients) connect(ctx context.Context, cluster *v1alpha1.MemberCluster) (*connection, error) {
	var secret corev1.Secret
	key := client.ObjectKey{Namespace: c.Namespace, Name: cluster.Spec.SecretName}
	if err := c.Secrets.Get(ctx, key, &secret); err != nil {
		return nil, err
	}
	version := string(secret.UID) + "/" + secret.ResourceVersion
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn := c.known[cluster.Name]; conn != nil && conn.version == version {
		return conn, nil
	}
	conn, err := c.dial(cluster.Name, secret.Data[KubeconfigKey])
	if err != nil {
		return nil, err
	}
	conn.version = version
	if c.known == nil {
		c.known = map[string]*connection{}
	}
	c.known[cluster.Name] = conn
	return conn, nil
}

// dial makes a client. It sends nothing yet: resources are looked up when they are
// first asked for.
func (c *Clients) dial(cluster string, kubeconfig []byte) (*connection, error) {
	if len(kubeconfig) == 0 {
		return nil, errors.New("the Secret has no " + KubeconfigKey)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, errors.New("the kubeconfig cannot be read") // the cause may quote credentials
	}
	config.Timeout = c.Timeout
	if config.Timeout == 0 {
		config.Timeout = 5 * time.Second
	}
	config.QPS, config.Burst = 100, 200
	direct, err := client.New(config, client.Options{})
	if err != nil {
		return nil, err
	}
	plain, err := rest.UnversionedRESTClientFor(withSerializer(config))
	if err != nil {
		return nil, err
	}
	endless := rest.CopyConfig(config)
	endless.Timeout = 0 // a watch lasts as long as it can
	watching, err := client.NewWithWatch(endless, client.Options{})
	if err != nil {
		return nil, err
	}
	if c.Wrap != nil {
		direct = c.Wrap(cluster, direct)
	}
	return &connection{client: direct, watch: watching, rest: plain}, nil
}

// withSerializer completes a configuration for requests that name no resource.
func withSerializer(config *rest.Config) *rest.Config {
	out := rest.CopyConfig(config)
	out.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	return out
}
