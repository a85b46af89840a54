"""Manifests of plain Jobs made up from the fields of the API, as people and tools write them.

Manifest ``n`` is always the same one (``SEED``). Some of them no server takes; the conformance tests ask a real one.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 20261128
IMAGES = ("registry.example.com/ml/digits:1.4", "digits", "registry.example.com:5000/a@sha256:" + "0" * 64)
TEXTS = (
    "fast",
    "",
    "012",
    "true",
    "$HOME $(NAME) $$(X) `id`",
    "{{ .Values }} ${x}",
    "double \" and single '",
    "back\\slash",
    "two\nlines\n",
    "naïve 中文 🚀",
    "# no comment",
    "12:30",
)
NAMES = ("digits", "pi", "train-2026.11", "a", "run-7", "x" * 60)
PROBE = {"exec": {"command": ["cat", "/tmp/ready"]}, "periodSeconds": 5}
RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
SHM = ("/dev/shm", "/shm", "/tmp")
INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


class Maker:
    """One manifest in the making."""

    def __init__(self, number: int) -> None:
        self.random = Random(f"{SEED} {number}")

    def some(self, chance: float, fields: dict[str, Any], name: str, make: Callable[[], Any]) -> None:
        """Add the field ``name`` to ``fields``, by chance."""
        if self.random.random() < chance:
            fields[name] = make()

    def one(self, *values: Any) -> Any:
        """One of ``values``."""
        return self.random.choice(values)

    def number(self, lowest: int, highest: int) -> int:
        """A number."""
        return self.random.randint(lowest, highest)

    # --- pods ---

    def resources(self) -> dict[str, Any]:
        limits: dict[str, Any] = {}
        self.some(0.7, limits, "memory", lambda: self.one("16Gi", "512Mi", "1G", 1073741824, "1.5Gi"))
        self.some(0.5, limits, "cpu", lambda: self.one(4, "500m", "2", 0.5, "1.25"))
        self.some(0.4, limits, "nvidia.com/gpu", lambda: self.one(1, "2", 8))
        self.some(0.1, limits, "example.com/fpga", lambda: 1)
        self.some(0.1, limits, "ephemeral-storage", lambda: "10Gi")
        found: dict[str, Any] = {"limits": limits} if limits else {}
        requests = {key: value for key, value in limits.items() if self.random.random() < 0.5}
        self.some(0.2, requests, "cpu", lambda: "100m")
        if requests:
            found["requests"] = requests
        return found

    def variable(self, number: int) -> dict[str, Any]:
        name = f"V{number}"
        source = self.one(
            {"secretKeyRef": {"name": "keys", "key": "token"}},
            {"secretKeyRef": {"name": "keys", "key": "token", "optional": True}},
            {"configMapKeyRef": {"name": "settings", "key": "a.conf"}},
            {"fieldRef": {"fieldPath": self.one("status.podIP", "metadata.name", "metadata.labels['team']")}},
            {"fieldRef": {"fieldPath": "metadata.namespace", "apiVersion": "v1"}},
            {"resourceFieldRef": {"resource": "limits.cpu"}},
        )
        if self.random.random() < 0.3:
            return {"name": name, "valueFrom": source}
        return {"name": name, "value": self.one(*TEXTS, f"$(V{max(number - 1, 0)})/x")}

    def container(self, name: str, volumes: list[dict[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {"name": name, "image": self.one(*IMAGES)}
        shell = (["sh", "-c", "make all"], ["/bin/sh", "-c", "exec train", "sh"])
        self.some(0.6, made, "command", lambda: self.one(["python", "/app/train.py"], *shell, ["a", *TEXTS[:4]]))
        self.some(0.5, made, "args", lambda: [self.one("--steps=5", *TEXTS) for _ in range(self.number(1, 3))])
        self.some(0.2, made, "workingDir", lambda: "/app")
        self.some(0.2, made, "imagePullPolicy", lambda: self.one("Always", "IfNotPresent", "Never"))
        self.some(0.5, made, "env", lambda: [self.variable(number) for number in range(self.number(1, 4))])
        sources = ({"secretRef": {"name": "keys"}}, {"configMapRef": {"name": "settings"}})
        self.some(0.2, made, "envFrom", lambda: [self.one(*sources, {"prefix": "P_", "configMapRef": {"name": "s"}})])
        self.some(0.6, made, "resources", self.resources)
        self.some(0.2, made, "ports", lambda: [self.one({"containerPort": 2222}, {"name": "http", "containerPort": 80},
                                                        {"containerPort": 9, "protocol": "UDP"})])  # fmt: skip
        self.some(0.1, made, "livenessProbe", lambda: PROBE)
        self.some(0.1, made, "lifecycle", lambda: {"preStop": {"exec": {"command": ["sleep", "5"]}}})
        self.some(0.2, made, "securityContext", lambda: self.one({"runAsUser": 1000}, {"privileged": True},
                                                                 {"capabilities": {"add": ["SYS_PTRACE"]}},
                                                                 {"readOnlyRootFilesystem": True}, RESTRICTED,
                                                                 {}))  # fmt: skip
        self.some(0.1, made, "tty", lambda: True)
        self.some(0.1, made, "terminationMessagePolicy", lambda: self.one("File", "FallbackToLogsOnError"))
        mounts = [self.mount(volume["name"], number) for number, volume in enumerate(volumes)]
        mounts = [mount for mount in mounts if self.random.random() < 0.8]
        if mounts:
            made["volumeMounts"] = mounts
        return made

    def mount(self, name: str, number: int) -> dict[str, Any]:
        made: dict[str, Any] = {
            "name": name,
            "mountPath": self.one(f"/data{number}", f"/mnt/{number}/", SHM[number % 3]),
        }
        self.some(0.2, made, "readOnly", lambda: self.one(True, False))
        self.some(0.2, made, "subPath", lambda: "runs/a")
        self.some(0.05, made, "subPathExpr", lambda: "$(V0)")
        self.some(0.05, made, "mountPropagation", lambda: "None")
        return made

    def volume(self, number: int) -> dict[str, Any]:
        source = self.one(
            {"persistentVolumeClaim": {"claimName": "digits-data"}},
            {"persistentVolumeClaim": {"claimName": "digits-data", "readOnly": True}},
            {"hostPath": {"path": "/disk1"}},
            {"hostPath": {"path": "/disk1", "type": "Directory"}},
            {"nfs": {"server": "10.0.0.2", "path": "/export"}},
            {"configMap": {"name": "settings"}},
            {"configMap": {"name": "settings", "defaultMode": 256, "items": [{"key": "a", "path": "b"}]}},
            {"secret": {"secretName": "keys", "optional": True}},
            {"secret": {"secretName": "keys", "defaultMode": 384}},
            {"emptyDir": {}},
            self.one({"emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}, {"emptyDir": {"medium": "Memory"}}),
            {"emptyDir": {"sizeLimit": "20Gi"}},
            {"projected": {"sources": [{"secret": {"name": "keys"}}]}},
            {"csi": {"driver": "x.example.com"}},
        )
        return {"name": f"vol-{number}", **source}

    def pod(self) -> dict[str, Any]:
        volumes = [self.volume(number) for number in range(self.one(0, 0, 1, 2, 3))]
        made: dict[str, Any] = {}
        self.some(0.98, made, "restartPolicy", lambda: self.one(*["Never", "OnFailure"] * 10, "Always"))
        names = self.one(["main"], ["main"], ["main"], ["train", "log"], ["tensorflow", "side"])
        made["containers"] = [self.container(name, volumes) for name in names]
        self.some(0.15, made, "initContainers", lambda: [self.container("fetch", volumes)])
        if volumes:
            made["volumes"] = volumes
        self.some(0.15, made, "nodeSelector", lambda: {"accelerator": "a100"})
        taints = ({"key": "gpu", "operator": "Exists"}, {"key": "a", "value": "b", "effect": "NoSchedule"})
        self.some(0.15, made, "tolerations", lambda: [self.one(*taints, {"operator": "Exists"})])
        self.some(0.1, made, "affinity", self.affinity)
        self.some(0.1, made, "serviceAccountName", lambda: "trainer")
        self.some(0.1, made, "terminationGracePeriodSeconds", lambda: self.one(0, 30, 90))
        self.some(0.1, made, "imagePullSecrets", lambda: [{"name": "hub"}])
        self.some(0.1, made, "securityContext", lambda: self.one({"runAsUser": 0, "fsGroup": 7}, {},
                                                                 {"supplementalGroups": [4]}))  # fmt: skip
        self.some(0.1, made, "priorityClassName", lambda: "high")
        self.some(0.1, made, "schedulerName", lambda: self.one("default-scheduler", "volcano"))
        self.some(0.08, made, "hostNetwork", lambda: self.one(True, False))
        self.some(0.08, made, "dnsPolicy", lambda: self.one("ClusterFirst", "Default", "ClusterFirstWithHostNet"))
        self.some(0.05, made, "nodeName", lambda: "node-1")
        self.some(0.05, made, "subdomain", lambda: "peers")
        self.some(0.05, made, "hostname", lambda: "one")
        self.some(0.05, made, "activeDeadlineSeconds", lambda: 60)
        self.some(0.05, made, "shareProcessNamespace", lambda: True)
        self.some(0.05, made, "enableServiceLinks", lambda: self.one(True, False))
        self.some(0.05, made, "automountServiceAccountToken", lambda: False)
        self.some(0.05, made, "hostAliases", lambda: [{"ip": "10.0.0.1", "hostnames": ["db"]}])
        self.some(0.05, made, "topologySpreadConstraints", lambda: [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
             "labelSelector": {"matchLabels": {"a": "b"}}}])  # fmt: skip
        return made

    def affinity(self) -> dict[str, Any]:
        terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "preference": terms[0]}]}
        return {"nodeAffinity": self.one(required, preferred)}

    def template(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        metadata: dict[str, Any] = {}
        self.some(0.3, metadata, "labels", lambda: {"team": "vision", "app": "digits"})
        self.some(0.2, metadata, "annotations", lambda: self.one({"sidecar.istio.io/inject": "false"}, {"a/b": "c d"}))
        self.some(0.05, metadata, "name", lambda: "digits")
        self.some(0.05, metadata, "creationTimestamp", lambda: None)
        if metadata:
            made["metadata"] = metadata
        return {**made, "spec": self.pod()}

    # --- Jobs ---

    def failure_policy(self) -> dict[str, Any]:
        rules: list[dict[str, Any]] = []
        lost: dict[str, Any] = {"onPodConditions": [{"type": "DisruptionTarget"}]}
        if self.random.random() < 0.4:
            rules.append({"action": self.one("Ignore", "FailJob", "Count"), **lost})
        for _ in range(self.one(0, 1, 1, 2)):
            values = sorted({self.number(1, 150) for _ in range(self.number(1, 5))})
            if self.random.random() < 0.2:
                values = list(range(1, self.one(4, 128)))
            codes: dict[str, Any] = {"operator": self.one("In", "In", "NotIn"), "values": values}
            self.some(0.05, codes, "containerName", lambda: "main")
            rules.append({"action": self.one("FailJob", "FailJob", "Count", "Ignore"), "onExitCodes": codes})
        return {"rules": rules or [{"action": "Ignore", **lost}]}

    def job_spec(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        shape = self.one(*["one", "one", "indexed", "indexed", "queue", "all"] * 3, "broken")
        if shape == "indexed":
            count = self.number(1, 4)
            made.update(completionMode="Indexed", completions=count, parallelism=self.one(count, count, 1))
            self.some(0.2, made, "successPolicy", lambda: {"rules": [self.one({"succeededIndexes": "0"},
                                                                             {"succeededIndexes": "0-1"},
                                                                             {"succeededCount": 1})]})  # fmt: skip
            self.some(0.15, made, "backoffLimitPerIndex", lambda: self.number(0, 3))
            if "backoffLimitPerIndex" in made:
                self.some(0.5, made, "maxFailedIndexes", lambda: self.number(0, 1))
        elif shape == "queue":
            made["parallelism"] = self.number(0, 4)
            self.some(0.4, made, "completionMode", lambda: "NonIndexed")
        elif shape == "all":
            made.update(completions=self.number(1, 5), parallelism=self.number(1, 5))
        elif shape == "broken":
            made.update(self.one({"completionMode": "Indexed"}, {"selector": {"matchLabels": {"a": "b"}}},
                                 {"completions": -1}, {"backoffLimitPerIndex": 1}, {"parallelism": "2"},
                                 {"unknownField": 1}))  # fmt: skip
        self.some(0.6, made, "backoffLimit", lambda: self.one(0, 1, 2, 3, 4, 6, 100))
        self.some(0.2, made, "ttlSecondsAfterFinished", lambda: self.one(0, 100, 86400))
        self.some(0.2, made, "activeDeadlineSeconds", lambda: self.one(1, 3600))
        self.some(0.1, made, "suspend", lambda: self.one(True, False))
        made["template"] = self.template()
        if made["template"]["spec"].get("restartPolicy") == "Never" or self.random.random() < 0.05:
            self.some(0.4, made, "podFailurePolicy", self.failure_policy)
        self.some(0.05, made, "podReplacementPolicy", lambda: self.one("Failed", "TerminatingOrFailed"))
        self.some(0.05, made, "managedBy", lambda: self.one("kubernetes.io/job-controller", "example.com/other"))
        self.some(0.05, made, "manualSelector", lambda: False)
        return made

    def metadata(self, name: str) -> dict[str, Any]:
        made: dict[str, Any] = {"name": name}
        self.some(0.3, made, "namespace", lambda: "ml")
        self.some(0.3, made, "labels", lambda: self.one({"team": "vision"}, {"kueue.x-k8s.io/queue-name": "gpu"}))
        self.some(0.2, made, "annotations", lambda: {"example.com/owner": "someone else"})
        return made

    def job(self) -> list[dict[str, Any]]:
        metadata = self.metadata(self.one(*NAMES))
        if self.random.random() < 0.05:
            metadata["generateName"] = metadata.pop("name")[:20] + "-"
        return [{"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": self.job_spec()}]

    def cron(self) -> list[dict[str, Any]]:
        [job] = self.job()
        spec = {"schedule": "30 2 * * *", "jobTemplate": {"spec": job["spec"]}}
        name = {"name": "nightly", **{key: one for key, one in job["metadata"].items() if key == "namespace"}}
        return [{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": name, "spec": spec}]

    def indexed_set(self) -> list[dict[str, Any]]:
        """Indexed Jobs of several roles, that find each other by a headless Service."""
        roles = {"worker": self.number(1, 3), self.one("ps", "chief"): 1}
        cluster = {
            role: [f"digits-{role}-{index}.digits:2222" for index in range(count)] for role, count in roles.items()
        }
        documents: list[dict[str, Any]] = []
        for role, count in roles.items():
            spec = self.job_spec()
            for key in ("successPolicy", "backoffLimitPerIndex", "maxFailedIndexes", "selector"):
                spec.pop(key, None)
            spec.update(completionMode="Indexed", completions=count, parallelism=count)
            pod = spec["template"]["spec"]
            pod["subdomain"] = "digits"
            pod.pop("hostname", None)
            spec["template"].setdefault("metadata", {})["labels"] = {"app": "digits"}
            quoted = str(cluster).replace("'", '"')
            index = "$(JOB_COMPLETION_INDEX)"
            config = f'{{"cluster": {quoted}, "task": {{"type": "{role}", "index": {index}}}}}'
            pod["containers"][0]["env"] = [
                {"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"fieldPath": INDEX}}},
                {"name": "TF_CONFIG", "value": config},
            ]
            documents.append(
                {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"digits-{role}"}, "spec": spec}
            )
        service = {"clusterIP": "None", "selector": {"app": "digits"}}
        self.some(0.8, service, "publishNotReadyAddresses", lambda: True)
        self.some(0.2, service, "ports", lambda: [{"port": 2222}])
        documents.append({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "digits"}, "spec": service})
        return documents

    def on_hosts(self) -> list[dict[str, Any]]:
        """One Job for each task on its node, as simpletfjob makes them of a template."""
        servers, workers = self.number(1, 2), self.number(1, 3)
        hosts = [f"h{number}" for number in range(10, 10 + servers + workers)]
        cluster = {"ps": hosts[:servers], "worker": hosts[servers:]}
        quoted = str({role: [f"{host}:2222" for host in of_role] for role, of_role in cluster.items()}).replace(
            "'", '"'
        )
        spec = self.job_spec()
        for key in ("completionMode", "completions", "parallelism", "successPolicy", "backoffLimitPerIndex",
                    "maxFailedIndexes", "selector"):  # fmt: skip
            spec.pop(key, None)
        documents: list[dict[str, Any]] = []
        for role, of_role in cluster.items():
            for index, host in enumerate(of_role):
                config = f'{{\n  "cluster": {quoted},\n  "task": {{"index": {index}, "type": "{role}"}}\n}}\n'
                pod = {**spec["template"]["spec"], "nodeName": host, "hostNetwork": True}
                first = {**pod["containers"][0], "env": [{"name": "TF_CONFIG", "value": config}]}
                pod["containers"] = [first, *pod["containers"][1:]]
                own = {**spec, "template": {**spec["template"], "spec": pod}}
                metadata = {"name": f"digits-{role}-{index}"}
                documents.append({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": own})
        return documents


def manifest(number: int) -> list[dict[str, Any]]:
    """The documents of manifest ``number``."""
    made = Maker(number)
    kind = made.one("job", "job", "job", "job", "job", "job", "cron", "indexed", "indexed", "hosts")
    return {"job": made.job, "cron": made.cron, "indexed": made.indexed_set, "hosts": made.on_hosts}[kind]()
