"""etcd, API server and controllers, on loopback, with the custom resources and the TFJob operator."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

from tests.conformance.kubernetes.api import YAML, Api, RefusedError
from tests.conformance.kubernetes.processes import PATIENCE, NotStartedError, Processes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conformance.kubernetes.work import Work

SCHEMAS = Path(__file__).parents[2] / "data" / "crds"
CUSTOM_RESOURCES = (
    "kubeflow.org_tfjobs.yaml.gz",
    "batch.volcano.sh_jobs.yaml.gz",
    "scheduling.volcano.sh_queues.yaml.gz",
    "scheduling.volcano.sh_podgroups.yaml.gz",
    "jobset.x-k8s.io_jobsets.yaml.gz",
)
VOLCANO_POLICY = "policy_jobs-validating.yaml.gz"

CONTROLLERS = (
    "job-controller",
    "namespace-controller",
    "serviceaccount-controller",
    "root-ca-certificate-publisher-controller",
    "garbage-collector-controller",
    "ttl-after-finished-controller",
    "pod-garbage-collector-controller",
    "endpointslice-controller",
    "deployment-controller",
    "replicaset-controller",
    "disruption-controller",
)
"""Without the node controllers: nothing sends the heartbeats of the nodes that the stand-in kubelet makes up."""

NODE = "10.87.0.1"
"""The address at which pods that run reach this machine: that of the node's bridge."""

GANG = "gang"
"""The namespace whose TFJobs have an operator of their own, which makes PodGroups."""


@contextmanager
def serving(work: Work, processes: Processes, api: Api) -> Iterator[None]:
    """Start everything, and stop it at the end. What already runs (``… up``) is used, and left as it is."""
    if processes.running("kube-apiserver"):
        install_resources(api)  # it may be older than a target
        yield
        return
    try:
        start(work, processes, api)
        yield
    finally:
        processes.stop(*processes.names())


def start(work: Work, processes: Processes, api: Api) -> None:
    """Start everything and wait until it serves. The cluster is empty, whatever an earlier run has left."""
    _keys(work)
    _start_api_server(work, processes)
    processes.wait("kube-apiserver", api.ready)
    install_resources(api)
    _start_controllers(work, processes)  # after the resources: the garbage collector learns of new ones late
    start_operator(work, processes)
    install(api, gzip.decompress((SCHEMAS / VOLCANO_POLICY).read_bytes()).decode())
    install(api, _webhook(work))
    processes.wait("kube-controller-manager", lambda: _has_account(api, "default"))
    _wait_until_enforced(api)


def make_namespace(api: Api, processes: Processes, name: str, annotations: dict[str, object] | None = None) -> None:
    """Make a namespace, if it is not there, and wait until pods can be created in it."""
    about = {"name": name, "annotations": {key: json.dumps(value) for key, value in (annotations or {}).items()}}
    api.call("POST", "/api/v1/namespaces", {"metadata": about})
    processes.wait("kube-controller-manager", lambda: _has_account(api, name))


def _has_account(api: Api, namespace: str) -> bool:
    return bool(api.get(f"/api/v1/namespaces/{namespace}/serviceaccounts/default"))


def install_resources(api: Api) -> None:
    """The custom resources that the server does not serve yet."""
    served = {one["metadata"]["name"] for one in api.items("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")}
    for name in CUSTOM_RESOURCES:
        group, _, kind = name.removesuffix(".yaml.gz").partition("_")
        if f"{kind}.{group}" not in served:
            install(api, gzip.decompress((SCHEMAS / name).read_bytes()).decode())


def install(api: Api, text: str) -> None:
    """Create the objects of a YAML stream, with strict validation; custom resources are served when it returns."""
    for document in re.split(r"^---.*$", text, flags=re.MULTILINE):
        if not re.search(r"^\w", document, re.MULTILINE):
            continue
        version, kind = (_top(document, key) for key in ("apiVersion", "kind"))
        answer = api.call("POST", f"{api.place(version, kind)}?fieldValidation=Strict", document, YAML)
        if not answer.fine:
            raise RefusedError(f"{kind}: {answer.message}")
        if kind == "CustomResourceDefinition":
            _wait_until_served(api, f"{api.place(version, kind)}/{answer.data['metadata']['name']}")


def _top(document: str, key: str) -> str:
    match = re.search(rf"^{key}: *[\"']?([^\s\"']+)", document, re.MULTILINE)
    assert match is not None, f"no {key} in the document"
    return match[1]


def _wait_until_served(api: Api, path: str) -> None:
    end = time.monotonic() + 30 * PATIENCE
    while time.monotonic() < end:
        conditions = api.get(path).get("status", {}).get("conditions") or []
        if any(c["type"] == "Established" and c["status"] == "True" for c in conditions):
            return
        time.sleep(0.05)
    raise NotStartedError(f"{path} is not served")


def _wait_until_enforced(api: Api) -> None:
    """Volcano's policy and the webhook act a moment after they are made: wait until they refuse what they must."""
    end = time.monotonic() + 30 * PATIENCE
    bad = {
        "batch.volcano.sh/v1alpha1/Job": {"minAvailable": 9, "tasks": [{"name": "a", "replicas": 1, "template": {}}]},
        "kubeflow.org/v1/TFJob": {"tfReplicaSpecs": {"Worker": {"replicas": 1}}},
    }
    for key, spec in bad.items():
        version, _, kind = key.rpartition("/")
        body = {"apiVersion": version, "kind": kind, "metadata": {"name": "not-enforced"}, "spec": spec}
        while api.call("POST", f"{api.place(version, kind)}?dryRun=All", body).fine:
            if time.monotonic() > end:
                raise NotStartedError(f"a {kind} that admission has to refuse is still accepted")
            time.sleep(0.1)


# --- the programs --------------------------------------------------------------------------------------------------


def _start_api_server(work: Work, processes: Processes) -> None:
    cluster = work.programs / "cluster"
    client, peer = (f"http://127.0.0.1:{work.port(name)}" for name in ("etcd", "etcd-peer"))
    shutil.rmtree(work.folder / "etcd", ignore_errors=True)
    processes.start(
        "etcd",
        [
            *(cluster, "etcd", "--data-dir", work.folder / "etcd", "--unsafe-no-fsync", "--log-level", "warn"),
            *("--listen-client-urls", client, "--advertise-client-urls", client),
            *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
            *("--initial-cluster", f"default={peer}"),
        ],
    )
    processes.start(
        "kube-apiserver",
        [
            *(cluster, "kube-apiserver", "--etcd-servers", client, "--bind-address", "127.0.0.1"),
            *("--secure-port", str(work.port("kube-apiserver")), "--advertise-address", "127.0.0.1"),
            *("--endpoint-reconciler-type", "none", "--service-cluster-ip-range", "10.96.0.0/16"),
            *("--tls-cert-file", work.certificate, "--tls-private-key-file", work.key),
            *("--token-auth-file", work.keys / "tokens.csv", "--authorization-mode", "RBAC"),
            *("--service-account-issuer", "https://conformance.invalid"),
            *("--service-account-key-file", work.keys / "accounts.pub"),
            *("--service-account-signing-key-file", work.keys / "accounts.key"),
            *("--kubelet-preferred-address-types", "InternalIP", "--cert-dir", work.sub("apiserver")),
            "--allow-privileged",  # as kubeadm and the clouds start it
            # Only the pods of one namespace go to the node that really runs them.
            *("--enable-admission-plugins", "PodTolerationRestriction"),
            # No controller takes the taint of a new node away here.
            *("--disable-admission-plugins", "TaintNodesByCondition", "--profiling=false"),
        ],
    )


def _start_controllers(work: Work, processes: Processes) -> None:
    processes.start(
        "kube-controller-manager",
        [
            *(work.programs / "cluster", "kube-controller-manager", "--kubeconfig", work.kubeconfig),
            *("--bind-address", "127.0.0.1", "--secure-port", str(work.port("kube-controller-manager"))),
            *("--cert-dir", work.sub("controllers"), "--leader-elect=false", "--authentication-skip-lookup"),
            *("--service-account-private-key-file", work.keys / "accounts.key", "--root-ca-file", work.certificate),
            *("--controllers", ",".join(CONTROLLERS), "--profiling=false"),
        ],
    )


def start_scheduler(work: Work, processes: Processes) -> None:
    """Start the scheduler; without it only the stand-in kubelet binds pods."""
    processes.start(
        "kube-scheduler",
        [
            *(work.programs / "cluster", "kube-scheduler", "--kubeconfig", work.kubeconfig),
            *("--bind-address", "127.0.0.1", "--secure-port", str(work.port("kube-scheduler"))),
            *("--cert-dir", work.sub("scheduler"), "--leader-elect=false", "--authentication-skip-lookup"),
            "--profiling=false",
        ],
    )


def start_operator(work: Work, processes: Processes) -> None:
    """Start the TFJob operator with its webhook."""
    certificates = work.sub("pki/webhook")
    shutil.copy(work.certificate, certificates / "tls.crt")
    shutil.copy(work.key, certificates / "tls.key")
    _operator(work, processes, "tfjob-operator", ("webhook", "operator-health"), f"metadata.namespace!={GANG}")


def start_gang_operator(work: Work, processes: Processes, api: Api) -> None:
    """Start the operator of the namespace ``gang``; the webhook of all is that of the other operator."""
    make_namespace(api, processes, GANG)
    _operator(
        work, processes, "gang-operator", ("gang-webhook", "gang-health"), f"metadata.namespace={GANG}", "--volcano"
    )


def _operator(work: Work, processes: Processes, name: str, ports: tuple[str, str], where: str, *flags: str) -> None:
    webhook, health = (str(work.port(port)) for port in ports)
    processes.start(
        name,
        [
            *(work.programs / "tfjob-operator", "--kubeconfig", work.kubeconfig, "--webhook-port", webhook),
            *("--cert-dir", work.sub("pki/webhook"), "--health-address", f"127.0.0.1:{health}", "--where", where),
            *flags,
        ],
    )
    processes.wait(name, lambda: answers(f"http://127.0.0.1:{health}/readyz"), 60)


def answers(url: str) -> bool:
    """Whether a program answers that it is fine."""
    try:
        with urlopen(url, timeout=5) as response:
            return response.status == 200
    except OSError:
        return False


def _webhook(work: Work) -> str:
    authority = base64.b64encode(work.certificate.read_bytes()).decode()
    return f"""\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {{name: validator.training-operator.kubeflow.org}}
webhooks:
- name: validator.tfjob.training-operator.kubeflow.org
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  clientConfig:
    url: https://127.0.0.1:{work.port("webhook")}/validate-kubeflow-org-v1-tfjob
    caBundle: {authority}
  rules:
  - {{apiGroups: [kubeflow.org], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [tfjobs]}}
"""


# --- keys ----------------------------------------------------------------------------------------------------------


def _keys(work: Work) -> None:
    if not _certified(work):
        _openssl("genrsa", "-out", work.keys / "accounts.key", "2048")
        _openssl("rsa", "-in", work.keys / "accounts.key", "-pubout", "-out", work.keys / "accounts.pub")
        _openssl(
            *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=conformance"),
            *("-addext", f"subjectAltName=IP:127.0.0.1,DNS:localhost,IP:{NODE}"),
            *("-keyout", work.key, "-out", work.certificate),
        )
    (work.keys / "tokens.csv").write_text(f"{work.token()},admin,admin,system:masters\n")
    work.kubeconfig.write_text(f"""\
apiVersion: v1
kind: Config
current-context: it
contexts: [{{name: it, context: {{cluster: it, user: admin}}}}]
users: [{{name: admin, user: {{token: "{work.token()}"}}}}]
clusters:
- name: it
  cluster: {{server: "https://127.0.0.1:{work.port("kube-apiserver")}", certificate-authority: "{work.certificate}"}}
""")


def _certified(work: Work) -> bool:
    """Whether the folder has keys, and they are for every address that the API server is called by."""
    if not work.key.exists():
        return False
    return "NOT match" not in _openssl("x509", "-in", work.certificate, "-noout", "-checkip", NODE)


def _openssl(*arguments: str | Path) -> str:
    if shutil.which("openssl") is None:
        raise NotStartedError("keys cannot be made: the program `openssl` is not on the path")
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise NotStartedError(f"openssl: {done.stderr.strip()}")
    return done.stdout
