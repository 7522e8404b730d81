package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/carryover-io/carryover/examples/operator/api/v1alpha1"
	"github.com/carryover-io/carryover/examples/operator/member"
)

const (
	systemNamespace = "carryover-system"
	hostUser        = "system:serviceaccount:carryover-system:carryover-operator"
	memberUser      = "carryover-operator"
)

// servers are the real API servers of all stories: a host and two members.
type servers struct {
	dir         string
	scheme      *runtime.Scheme
	host        *server
	members     map[string]*server
	operator    string // the binary
	webhookArgs []string
	guard       io.WriteCloser
	running     *operator // the one without a shard, which also serves the webhooks
}

// server is one API server with its etcd.
type server struct {
	env   *envtest.Environment
	admin client.WithWatch
	// kubeconfig is that of the user by whom the operator comes.
	kubeconfig []byte
	// down says that a story killed it.
	down bool
}

// world is nil without assets.
var world *servers

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	ctrl.SetLogger(logr.Discard())
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		fmt.Println("e2e: SKIPPED, no API servers: KUBEBUILDER_ASSETS is not set (bash .ci/assets prints a folder)")
		return m.Run()
	}
	w := &servers{members: map[string]*server{}}
	defer w.stop()
	if err := w.start(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	world = w
	return m.Run()
}

// needServers skips a story where there is nothing to tell it on.
func needServers(t *testing.T) *servers {
	t.Helper()
	if world == nil {
		t.Skip("no API servers: KUBEBUILDER_ASSETS is not set")
	}
	return world
}

func (w *servers) start() error {
	var err error
	if w.dir, err = os.MkdirTemp("", "carryover-e2e-"); err != nil {
		return err
	}
	w.scheme = runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(w.scheme); err != nil {
			return err
		}
	}
	w.host = &server{env: &envtest.Environment{
		CRDDirectoryPaths: []string{"../config/crd"}, ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{"../config/webhook"}},
	}}
	for _, name := range []string{"east", "west"} {
		w.members[name] = &server{env: &envtest.Environment{
			CRDDirectoryPaths: []string{"testdata"}, ErrorIfCRDPathMissing: true,
		}}
	}
	if err := w.parallel(
		w.build,
		func() error { return w.host.start(w, filepath.Join(w.dir, "host"), hostUser) },
		func() error { return w.members["east"].start(w, filepath.Join(w.dir, "east"), memberUser) },
		func() error { return w.members["west"].start(w, filepath.Join(w.dir, "west"), memberUser) },
	); err != nil {
		return err
	}
	w.watch()
	if err := w.furnish(); err != nil {
		return err
	}
	if w.running, err = w.operate(w.webhookArgs...); err != nil {
		return err
	}
	return w.serves()
}

// serves waits until the webhooks can be called.
func (w *servers) serves() error {
	hooks := w.host.env.WebhookInstallOptions
	address := net.JoinHostPort(hooks.LocalServingHost, strconv.Itoa(hooks.LocalServingPort))
	return wait.PollUntilContextTimeout(context.Background(), 50*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return false, nil //nolint:nilerr // not yet
		}
		return true, connection.Close()
	})
}

func (*servers) parallel(steps ...func() error) error {
	errs := make([]error, len(steps))
	var all sync.WaitGroup
	for i, step := range steps {
		all.Add(1)
		go func() { defer all.Done(); errs[i] = step() }()
	}
	all.Wait()
	return errors.Join(errs...)
}

func (w *servers) build() error {
	w.operator = filepath.Join(w.dir, "operator")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", w.operator, "..").CombinedOutput()
	if err != nil {
		return fmt.Errorf("building the operator: %w\n%s", err, out)
	}
	return nil
}

func (s *server) start(w *servers, certs, user string) error {
	if err := os.Mkdir(certs, 0o700); err != nil {
		return err
	}
	s.env.ControlPlane.GetAPIServer().CertDir = certs // it outlives a stop, so that the server can come back
	s.env.ControlPlane.Etcd = &envtest.Etcd{DataDir: certs + "-etcd"}
	s.env.ControlPlaneStartTimeout, s.env.ControlPlaneStopTimeout = 2*time.Minute, time.Minute
	config, err := s.env.Start()
	if err != nil {
		return err
	}
	if s.admin, err = client.NewWithWatch(config, client.Options{Scheme: w.scheme}); err != nil {
		return err
	}
	added, err := s.env.AddUser(envtest.User{Name: user}, &rest.Config{})
	if err != nil {
		return err
	}
	s.kubeconfig, err = added.KubeConfig()
	return err
}

// furnish puts on the servers what an administrator would.
func (w *servers) furnish() error {
	ctx := context.Background()
	if err := w.host.admin.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: systemNamespace}}); err != nil {
		return err
	}
	for _, file := range []string{"role.yaml", "bindings.yaml"} {
		if err := w.host.create(filepath.Join("../config/rbac", file)); err != nil {
			return err
		}
	}
	for name, m := range w.members {
		if err := m.create("../config/rbac/member.yaml"); err != nil {
			return err
		}
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: systemNamespace, Name: name},
			Data:       map[string][]byte{member.KubeconfigKey: m.kubeconfig},
		}
		cluster := &v1alpha1.MemberCluster{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.MemberClusterSpec{SecretName: name},
		}
		for _, object := range []client.Object{secret, cluster} {
			if err := w.host.admin.Create(ctx, object); err != nil {
				return err
			}
		}
	}
	hooks := w.host.env.WebhookInstallOptions
	w.webhookArgs = []string{
		"-webhook-port=" + strconv.Itoa(hooks.LocalServingPort), "-webhook-cert-dir=" + hooks.LocalServingCertDir,
	}
	return os.WriteFile(filepath.Join(w.dir, "kubeconfig"), w.host.kubeconfig, 0o600)
}

// create creates all objects of a file.
func (s *server) create(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := s.admin.Create(context.Background(), object); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}

// operator is a running operator: the real binary, by the rights of its own manifests.
type operator struct {
	cmd     *exec.Cmd
	log     string
	metrics string
	exited  chan struct{}
}

// operate starts an operator. It is quick, so that stories are short: a second for
// everything that takes its time in life.
func (w *servers) operate(args ...string) (*operator, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	o := &operator{metrics: fmt.Sprintf("127.0.0.1:%d", port), exited: make(chan struct{})}
	log, err := os.CreateTemp(w.dir, "operator-*.log")
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the operator has its own handle
	o.log = log.Name()
	o.cmd = exec.Command(w.operator, append([]string{
		"-kubeconfig=" + filepath.Join(w.dir, "kubeconfig"), "-metrics-bind-address=" + o.metrics, "-health-probe-bind-address=0",
		"-poll=4s", "-probe-period=300ms", "-probe-threshold=2", "-leader-lease=60s",
	}, args...)...)
	o.cmd.Stdout, o.cmd.Stderr = log, log
	if err := o.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(o.exited)
		_ = o.cmd.Wait() // how it ends is not what it is asked
	}()
	w.note(o.cmd.Process.Pid)
	return o, nil
}

// kill is no farewell: nothing is released, nothing is finished.
func (o *operator) kill() {
	_ = o.cmd.Process.Kill() // it may be gone already
	<-o.exited
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

// stop ends everything, whatever was started.
func (w *servers) stop() {
	if w.running != nil {
		w.running.kill()
	}
	all := []*server{w.host}
	for _, m := range w.members {
		all = append(all, m)
	}
	for _, s := range all {
		if s != nil {
			if err := s.env.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, "e2e: stopping:", err)
			}
		}
	}
	if w.guard != nil {
		_ = w.guard.Close() // whatever is left is ended by the watchman
	}
	if w.dir != "" {
		_ = os.RemoveAll(w.dir)
	}
}

// watch starts a watchman: a shell that ends what it was told of once this process is
// no more, for a test that panics or times out takes no leave. A number of a process
// may belong to another one by then, so it looks for our folder in the command line.
func (w *servers) watch() {
	cmd := exec.Command("sh", "-c", `
while read -r pid; do all="$all $pid"; done
sleep 1
for pid in $all; do
	if grep -q -- "$1" "/proc/$pid/cmdline"; then kill -9 "$pid"; fi
done 2>/dev/null
rm -rf -- "$1"`, "watchman", w.dir)
	in, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return // a machine without a shell: then the tests have to end by themselves
	}
	w.guard = in
	w.note(children()...)
}

func (w *servers) note(pids ...int) {
	for _, pid := range pids {
		if w.guard != nil {
			_, _ = fmt.Fprintln(w.guard, pid) // a watchman that is gone watches nothing
		}
	}
}

// children are the processes that this one started, where the system tells.
func children() []int {
	var pids []int
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, file := range files {
		raw, _ := os.ReadFile(file)
		for field := range strings.FieldsSeq(string(raw)) {
			name, _ := os.ReadFile("/proc/" + field + "/comm")
			if pid, err := strconv.Atoi(field); err == nil && strings.TrimSpace(string(name)) != "sh" {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// down kills the API server of a member: the cluster is lost, and its objects with it
// until it comes back. The story brings it back at its end at the latest.
func (w *servers) down(t *testing.T, cluster string) {
	t.Helper()
	api := w.members[cluster].env.ControlPlane.APIServer
	// A server that is asked to stop waits for those who watch it. A failure does not.
	for _, pid := range children() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if process, err := os.FindProcess(pid); err == nil && strings.Contains(string(line), "--cert-dir="+api.CertDir) {
			_ = process.Kill() // it may be gone already
			for process.Signal(syscall.Signal(0)) == nil {
				time.Sleep(10 * time.Millisecond) // until it is no more
			}
		}
	}
	if err := api.Stop(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	w.members[cluster].down = true
	t.Cleanup(func() { w.up(t, cluster) })
}

// up brings it back with all that it held, if it is down.
func (w *servers) up(t *testing.T, cluster string) {
	t.Helper()
	m := w.members[cluster]
	if !m.down {
		return
	}
	if err := m.env.ControlPlane.APIServer.Start(); err != nil {
		t.Fatal(err)
	}
	m.down = false
	w.note(children()...)
}
