"""TFJobs made up over the fields of their CRD, with hostile texts in them. Manifest ``n`` is always the same one.

What is drawn is what the API server takes (the conformance tests ask it), so the law of import holds for each.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

SEED: Final = "tfjobs-1"
COUNT: Final = 500

TEXTS: Final = (
    *("", " ", "plain", "--steps=5000", "a b", "double \" and single '", "back\\slash", "# no comment", "key: value"),
    *(
        "$HOME $$ `id`",
        "$(date) and $(hostname -f)",
        "$$(X)",
        "$(MODE)",
        "$(UNKNOWN_X)",
        "${not} {{ values }} {% raw %}",
        "$",
    ),
    *(
        "line one\nline two\n",
        "no end\nof line",
        "  indented\n    more\n",
        "tab\there",
        "ends\r\nCRLF\r\n",
        "'''",
        '"""',
    ),
    *("y", "no", "~", "null", "012", "1e3", "0x1F", "12:30:45", "2026-11-28", ".inf", "---", "@at &a *b !t |c >f"),
    *("naïve 中文 🚀", "next\u0085line \u2028 separator", "\x07", "x" * 300),
)
LABELS: Final = ("", "a", "fast", "v1.2-3_x", "y", "012", "1e3", "a" * 63)
KEYS: Final = ("team", "example.com/team", "Team_1.x", "a" * 63, "sidecar.istio.io/inject", "tier")
IMAGES: Final = ("registry.example.com/digits:2", "digits", "registry.example.com:5000/a/b@sha256:" + "0" * 64)
QUANTITIES: Final = ("1", "500m", "64Mi", "1.5Gi", "2G", "1e3", "0.5", "100000u", "3Ki", 2, 1, 0)
MEMORY: Final = ("64Mi", "1.5Gi", "2G", "128974848", "1e9", "12e6", 134217728, "1Ti")
CPUS: Final = ("1", "500m", "0.5", 2, "1500m", "0.1", "100m", "1e1")
ROLES: Final = ("Chief", "Master", "PS", "Worker", "Evaluator")
RESTARTS: Final = ("Never", "OnFailure", "Always", "ExitCode")
PATHS: Final = ("/data", "/runs", "/a b/$x", "/dev/shm", "/tmp", "/opt/中文", "/etc/conf.d", "/data/sub")
VARIABLES: Final = ("MODE", "a.b-c", "EPOCHS", "_x", "PATH", "TASK_INDEX", "CHECKPOINT_DIR", "NVIDIA_VISIBLE_DEVICES")


def manifest(number: int) -> str:
    """The text of manifest ``number``."""
    return json.dumps(Draw(number).job(), ensure_ascii=False, indent=2)


class Draw(Random):
    """A source of chance, and what is drawn from it."""

    def __init__(self, number: int) -> None:
        super().__init__(f"{SEED}/{number}")
        self.number = number

    def once_in(self, times: int) -> bool:
        """True once in so many times."""
        return self.randrange(times) == 0

    def some(self, odds: int, **fields: Callable[[], Any]) -> dict[str, Any]:
        """Each of ``fields`` once in ``odds`` times."""
        return {name: draw() for name, draw in fields.items() if self.once_in(odds)}

    # --- the job -------------------------------------------------------------------------------------------------

    def job(self) -> dict[str, Any]:
        """A whole TFJob."""
        leader = self.choice(("Chief", "Master", None, None))
        roles = [leader] if leader else []
        roles += ["Worker"] if not leader or not self.once_in(4) else []
        roles += [role for role in ("PS", "Evaluator") if self.once_in(3)]
        self.shuffle(roles)
        spec: dict[str, Any] = {"tfReplicaSpecs": {self.key(role): self.replicas(role) for role in roles}}
        if not self.once_in(4):
            spec["runPolicy"] = self.run_policy()
        least = spec.get("runPolicy", {}).get("schedulingPolicy", {})
        if "minAvailable" in least:
            total = sum(role.get("replicas", 1) for role in spec["tfReplicaSpecs"].values())
            least["minAvailable"] = self.choice((1, total, self.randrange(1, total + 1)))
        spec |= self.some(5, successPolicy=lambda: self.choice(("", "AllWorkers", "ChiefWorker")))
        spec |= self.some(12, enableDynamicWorker=lambda: self.choice((True, False)))
        return {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": self.metadata(), "spec": spec}

    def key(self, role: str) -> str:
        """A role in some case; two of the exact spelling of a leader are never drawn."""
        return self.choice((role, role, role, role.upper(), role.lower()))

    def metadata(self) -> dict[str, Any]:
        """The metadata of the object."""
        metadata: dict[str, Any] = {"name": self.choice((f"job-{self.number}", "a", "mnist", "x" * 40))}
        metadata |= self.some(
            4,
            namespace=lambda: self.choice(("ml", "team-1")),
            labels=lambda: self.map(KEYS, lambda: self.choice(LABELS)),
            annotations=lambda: self.map(KEYS, self.text),
        )
        if self.once_in(8):
            metadata.setdefault("labels", {})["kueue.x-k8s.io/queue-name"] = self.choice(("users", "a.b"))
        if self.once_in(10):
            metadata["generateName"] = "other-"
        return metadata

    def run_policy(self) -> dict[str, Any]:
        """``runPolicy``."""
        return self.some(
            3,
            cleanPodPolicy=lambda: self.choice(("None", "Running", "All", "Sometimes")),
            ttlSecondsAfterFinished=lambda: self.choice((0, 1, 60, 86400, 100000)),
            activeDeadlineSeconds=lambda: self.choice((1, 90, 3600, 604800)),
            backoffLimit=lambda: self.choice((0, 1, 2, 4, 4, 100, 2147483647)),
            suspend=lambda: self.choice((True, False)),
            schedulingPolicy=self.scheduling,
        )

    def scheduling(self) -> dict[str, Any]:
        """``schedulingPolicy``."""
        return self.some(
            2,
            minAvailable=lambda: 1,
            queue=lambda: self.choice(("default", "research")),
            minResources=lambda: {"cpu": self.choice(CPUS)},
            priorityClass=lambda: self.choice(("high", "low")),
            scheduleTimeoutSeconds=lambda: 60,
        )

    def replicas(self, role: str) -> dict[str, Any]:
        """A replica spec."""
        spec: dict[str, Any] = {"template": self.template()}
        if role in ("PS", "Worker"):
            spec |= self.some(1, replicas=lambda: self.choice((1, 1, 2, 3, 12)))
        else:
            spec |= self.some(2, replicas=lambda: 1)
        return spec | self.some(2, restartPolicy=lambda: self.choice(RESTARTS))

    # --- pods ----------------------------------------------------------------------------------------------------

    def template(self) -> dict[str, Any]:
        """A pod template."""
        metadata = self.some(
            4,
            labels=lambda: self.map(KEYS, lambda: self.choice(LABELS)),
            annotations=lambda: self.map(KEYS, self.text),
        )
        return ({"metadata": metadata} if metadata or self.once_in(5) else {}) | {"spec": self.pod()}

    def pod(self) -> dict[str, Any]:
        """The spec of a pod."""
        volumes = [self.volume(f"v{number}") for number in range(self.choice((0, 0, 1, 2, 3)))]
        names = [volume["name"] for volume in volumes]
        containers = [{"name": "tensorflow", **self.container(names)}]
        if self.once_in(8):
            containers.insert(self.randrange(2), {"name": "helper", **self.container(names)})
        spec: dict[str, Any] = {"containers": containers}
        if volumes:
            spec["volumes"] = volumes
        if self.once_in(6):
            spec["initContainers"] = [
                {"name": f"start-{number}", **self.container(names), **self.some(3, restartPolicy=lambda: "Always")}
                for number in range(self.choice((1, 2)))
            ]
        return spec | self.some(8, **self.pod_fields())

    def pod_fields(self) -> dict[str, Callable[[], Any]]:
        """What a pod has beside its containers and volumes."""
        return {
            "restartPolicy": lambda: self.choice(("Never", "OnFailure", "Always")),
            "terminationGracePeriodSeconds": lambda: self.choice((0, 30, 90)),
            "schedulerName": lambda: self.choice(("volcano", "default-scheduler", "my-scheduler")),
            "priorityClassName": lambda: self.choice(("high", "low")),
            "serviceAccountName": lambda: "trainer",
            "nodeSelector": lambda: self.map(KEYS, lambda: self.choice(LABELS)),
            "hostNetwork": lambda: self.choice((True, False)),
            "dnsPolicy": lambda: self.choice(("ClusterFirst", "Default", "ClusterFirstWithHostNet")),
            "imagePullSecrets": lambda: [{"name": "registry-key"}],
            "tolerations": lambda: [self.toleration() for _ in range(self.choice((1, 2)))],
            "securityContext": lambda: self.some(
                2, runAsUser=lambda: 1000, runAsGroup=lambda: 0, fsGroup=lambda: 2000, runAsNonRoot=lambda: True
            ),
            "affinity": self.affinity,
            "hostAliases": lambda: [{"ip": "10.0.0.5", "hostnames": ["db"]}],
            "shareProcessNamespace": lambda: True,
            "automountServiceAccountToken": lambda: False,
            "activeDeadlineSeconds": lambda: 60,
            "enableServiceLinks": lambda: self.choice((True, False)),
            "topologySpreadConstraints": lambda: [
                {
                    "maxSkew": 1,
                    "topologyKey": "kubernetes.io/hostname",
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": {"matchLabels": {"team": "a"}},
                }
            ],
        }

    def container(self, volumes: list[str]) -> dict[str, Any]:
        """A container without its name."""
        container: dict[str, Any] = {"image": self.choice(IMAGES)}
        if not self.once_in(3):
            container["command"] = self.choice((["python", "/app/train.py"], self.words(), self.shell()))
        mounts = [self.mount(name, path) for name, path in zip(volumes, self.sample(PATHS, len(volumes)), strict=True)]
        if mounts:
            container["volumeMounts"] = mounts
        container |= self.some(
            3,
            args=self.words,
            env=self.env,
            resources=self.resources,
        )
        return container | self.some(
            7,
            imagePullPolicy=lambda: self.choice(("Always", "IfNotPresent", "Never")),
            workingDir=lambda: self.choice(("/app", "/a b/$x", "relative")),
            envFrom=lambda: [self.choice(({"secretRef": {"name": "hub"}}, {"configMapRef": {"name": "settings"}},
                                          {"prefix": "P_", "secretRef": {"name": "hub", "optional": True}}))],
            ports=self.ports,
            securityContext=lambda: self.some(
                2,
                privileged=lambda: self.choice((True, False)),
                capabilities=lambda: {"add": ["IPC_LOCK"]},
                runAsUser=lambda: 1000,
                readOnlyRootFilesystem=lambda: True,
            ),
            livenessProbe=lambda: {"exec": {"command": ["true"]}},
            lifecycle=lambda: {"preStop": {"exec": {"command": ["sleep", "1"]}}},
            tty=lambda: True,
            terminationMessagePolicy=lambda: "FallbackToLogsOnError",
        )  # fmt: skip

    def shell(self) -> list[str]:
        """A shell and its program."""
        program = self.choice(('exec python train.py "$@"', "set -e\npython train.py\n", "echo $(date) > /tmp/x", "ls"))
        return [self.choice(("/bin/sh", "sh", "bash")), "-c", program, *self.choice(([], ["sh"]))]

    def words(self) -> list[str]:
        """Words of a command."""
        return [self.text() for _ in range(self.randrange(1, 4))]

    def env(self) -> list[dict[str, Any]]:
        """Variables of different names."""
        return [{"name": name, **self.variable()} for name in self.sample(VARIABLES, self.randrange(1, 4))]

    def variable(self) -> dict[str, Any]:
        """The value of a variable."""
        if self.once_in(4):
            return {
                "valueFrom": self.choice(
                    (
                        {"secretKeyRef": {"name": "hub", "key": "token"}},
                        {"configMapKeyRef": {"name": "settings", "key": "x.y", "optional": True}},
                        {"fieldRef": {"fieldPath": "status.podIP"}},
                        {"fieldRef": {"fieldPath": "metadata.labels['training.kubeflow.org/replica-index']"}},
                        {"resourceFieldRef": {"resource": "limits.cpu"}},
                    )
                )
            }
        return {} if self.once_in(8) else {"value": self.text()}

    def resources(self) -> dict[str, Any]:
        """Requests and limits, a limit never below its request."""
        cpu, memory = self.choice(CPUS), self.choice(MEMORY)
        limits: dict[str, Any] = {}
        requests: dict[str, Any] = {}
        if self.once_in(2):
            requests["cpu"] = cpu
        if self.once_in(2):
            limits["cpu"] = "64" if self.once_in(3) else cpu
        if self.once_in(2):
            requests["memory"] = memory
        if self.once_in(2):
            limits["memory"] = "4Ti" if self.once_in(3) else memory
        if self.once_in(2):
            name = self.choice(("nvidia.com/gpu", "nvidia.com/gpu", "amd.com/gpu", "example.com/fpga"))
            limits[name] = self.choice((1, "1", 8))
            requests |= {name: limits[name]} if self.once_in(2) else {}
        resources = {"limits": limits, "requests": requests}
        return {name: amounts for name, amounts in resources.items() if amounts or self.once_in(8)}

    def ports(self) -> list[dict[str, Any]]:
        """Ports of different names and numbers."""
        known = (
            {"name": "tfjob-port", "containerPort": self.choice((2222, 2223))},
            {"name": "metrics", "containerPort": 9090, "protocol": "TCP"},
            {"name": "udp", "containerPort": 53, "protocol": "UDP"},
            {"containerPort": 8080},
            {"name": "http", "containerPort": 80},
        )
        return self.sample(known, self.randrange(1, 3))

    def volume(self, name: str) -> dict[str, Any]:
        """A volume."""
        sources: tuple[dict[str, Any], ...] = (
            {"emptyDir": {}},
            {"emptyDir": {"sizeLimit": "20Gi"}},
            {"emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}},
            {"persistentVolumeClaim": {"claimName": "data"}},
            {"persistentVolumeClaim": {"claimName": "data", "readOnly": True}},
            {"hostPath": {"path": "/disk1/data"}},
            {"hostPath": {"path": "/disk1/data", "type": "DirectoryOrCreate"}},
            {"nfs": {"server": "10.0.0.2", "path": "/export"}},
            {"configMap": {"name": "settings"}},
            {"configMap": {"name": "settings", "items": [{"key": "a", "path": "etc/a"}], "defaultMode": 420}},
            {"secret": {"secretName": "keys", "defaultMode": 256}},
            {"secret": {"secretName": "keys", "optional": True}},
            {"downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}},
            {"azureFile": {"secretName": "azure", "shareName": "data"}},
            {"projected": {"sources": [{"secret": {"name": "keys"}}]}},
        )
        return {"name": name, **self.choice(sources)}

    def mount(self, volume: str, path: str) -> dict[str, Any]:
        """Where a volume is."""
        mount: dict[str, Any] = {"name": volume, "mountPath": path}
        return mount | self.some(
            4,
            readOnly=lambda: self.choice((True, False)),
            subPath=lambda: self.choice(("runs/1", "a b")),
        )

    def toleration(self) -> dict[str, Any]:
        """A toleration."""
        return self.choice(
            (
                {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
                {"key": "team", "value": "a"},
                {"operator": "Exists"},
                {"key": "gone", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60},
            )
        )

    def affinity(self) -> dict[str, Any]:
        """Where pods go."""
        node = {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {"matchExpressions": [{"key": "accelerator", "operator": "In", "values": ["a100", "h100"]}]}
                ]
            }
        }
        apart = {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"team": "a"}}}
            ]
        }
        return self.choice(({"nodeAffinity": node}, {"podAntiAffinity": apart}))

    # --- values --------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """A text."""
        return self.choice(TEXTS)

    def map(self, keys: tuple[str, ...], value: Callable[[], Any]) -> dict[str, Any]:
        """A map of one to three entries."""
        return {key: value() for key in self.sample(keys, self.randrange(1, 4))}
