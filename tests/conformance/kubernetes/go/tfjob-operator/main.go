// Program tfjob-operator runs the TFJob controller and the TFJob webhook of kubeflow/training-operator, nothing else of
// it: on loopback, with a certificate that it is given, and without the other kinds of jobs.
package main

import (
	"flag"
	"os"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	controller "github.com/kubeflow/training-operator/pkg/controller.v1/tensorflow"
	webhooks "github.com/kubeflow/training-operator/pkg/webhooks/tensorflow"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcanoclient "volcano.sh/apis/pkg/client/clientset/versioned"
)

const loopback = "127.0.0.1"

func main() {
	port := flag.Int("webhook-port", 0, "port of the webhook")
	certificates := flag.String("cert-dir", "", "folder of the webhook's tls.crt and tls.key")
	health := flag.String("health-address", "", "address that answers /readyz")
	gang := flag.Bool("volcano", false, "make a Volcano PodGroup for each job")
	where := flag.String("where", "", "field selector of the objects that it sees; all when empty")
	flag.Parse() // controller-runtime has added --kubeconfig
	ctrl.SetLogger(zap.New())
	if err := run(*port, *certificates, *health, *gang, *where); err != nil {
		ctrl.Log.Error(err, "tfjob-operator ends")
		os.Exit(1)
	}
}

func run(port int, certificates, health string, gang bool, where string) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{kubernetes.AddToScheme, kubeflow.AddToScheme, volcano.AddToScheme} {
		if err := add(types); err != nil {
			return err
		}
	}
	selector, err := fields.ParseSelector(where)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 types,
		Cache:                  cache.Options{DefaultFieldSelector: selector},
		Metrics:                metrics.Options{BindAddress: "0"},
		HealthProbeBindAddress: health,
		WebhookServer:          webhook.NewServer(webhook.Options{Host: loopback, Port: port, CertDir: certificates}),
	})
	if err != nil {
		return err
	}
	scheduling := common.GenNonGangSchedulerSetupFunc()
	if gang {
		scheduling = common.GenVolcanoSetupFunc(volcanoclient.NewForConfigOrDie(config))
	}
	if err := controller.NewReconciler(manager, scheduling).SetupWithManager(manager, 1); err != nil {
		return err
	}
	if err := webhooks.SetupWebhook(manager); err != nil {
		return err
	}
	if err := manager.AddReadyzCheck("webhook", manager.GetWebhookServer().StartedChecker()); err != nil {
		return err
	}
	if err := manager.AddHealthzCheck("alive", healthz.Ping); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
