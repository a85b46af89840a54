"""Volcano jobs made up over the fields of their CRD and the rules of their webhook. Manifest ``n`` is always the same.

What is drawn is what the API server takes (the conformance tests ask it) and the webhook does not refuse (its rules are
kept here), so the law of import holds for each. Pods are drawn as those of TFJobs are.
"""

from __future__ import annotations

import json
from typing import Any, Final

from tests.importing.generated_tfjobs import CPUS, Draw

COUNT: Final = 500
_OTHERS: Final = 1_000_000
"""TFJobs have the numbers below."""

SHAPES: Final = (
    ("worker",),
    ("trainer",),
    ("default-nginx",),
    ("chief",),
    ("ps", "worker"),
    ("ps", "worker"),
    ("chief", "ps", "worker"),
    ("master", "worker"),
    ("mpimaster", "mpiworker"),
    ("scheduler", "server", "worker"),
    ("worker", "evaluator"),
)
LEADERS: Final = ("chief", "master", "mpimaster", "scheduler", "evaluator")
EVENTS: Final = ("PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated")
ACTIONS: Final = (
    *("RestartJob", "RestartJob", "TerminateJob", "AbortJob", "CompleteJob", "CompleteJob", "RestartTask"),
    *("RestartPod", "ResumeJob", "RestartPartition"),
)
STATUSES: Final = (1, 2, 3, 4, 127, 137, 143, 255)
TIMEOUTS: Final = ("10m", "90s", "1h30m", "1h0m0s", "1500ms", "0.5h")
RESTARTS: Final = ("Never", "Never", "OnFailure", "OnFailure", "Always", None)
SVC: Final = ("--publish-not-ready-addresses=true", "--disable-network-policy=true", "-publish-not-ready-addresses")


def manifest(number: int) -> str:
    """The text of manifest ``number``."""
    return json.dumps(VolcanoDraw(number).job(), ensure_ascii=False, indent=2)


class VolcanoDraw(Draw):
    """A source of chance, and the Volcano job that is drawn from it."""

    def __init__(self, number: int) -> None:
        super().__init__(_OTHERS + number)

    def job(self) -> dict[str, Any]:
        """A whole job."""
        names = [*self.choice(SHAPES)]
        self.shuffle(names)
        tasks = [self.task(name) for name in names]
        if len(tasks) > 1 and self.once_in(5):
            self.wait(tasks)
        spec: dict[str, Any] = {"tasks": tasks}
        self.gang(spec, sum(task["replicas"] for task in tasks))
        if not self.once_in(3):
            spec["plugins"] = self.plugins(names)
        if not self.once_in(4):
            spec["policies"] = self.policies()
        spec |= self.some(
            4,
            queue=lambda: self.choice(("default", "research", "a.b")),
            schedulerName=lambda: self.choice(("volcano", "own-scheduler")),
            priorityClassName=lambda: self.choice(("high", "low")),
            maxRetry=lambda: self.choice((0, 1, 2, 3, 4, 5, 100000)),
            ttlSecondsAfterFinished=lambda: self.choice((0, 60, 90, 86400)),
        )
        spec |= self.some(
            10,
            minSuccess=lambda: self.randrange(1, 3),
            networkTopology=lambda: {"mode": self.choice(("hard", "soft")), "highestTierAllowed": self.randrange(3)},
            volumes=self.volumes,
        )
        header = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job"}
        metadata = self.metadata()
        metadata.pop("generateName", None)
        if metadata["name"] == "x" * 40:  # and the names of pods have 63 characters at most
            metadata["name"] = "x" * 30
        return {**header, "metadata": metadata, "spec": spec}

    def task(self, name: str) -> dict[str, Any]:
        """A task."""
        replicas = 1 if name in LEADERS else self.choice((1, 1, 2, 3, 12))
        task: dict[str, Any] = {"name": name, "replicas": replicas, "template": self.template()}
        pod = task["template"]["spec"]
        pod.pop("restartPolicy", None)
        restarts = self.choice(RESTARTS)
        if restarts is not None:
            pod["restartPolicy"] = restarts
        if not self.once_in(2):
            task["policies"] = self.policies()
        if replicas == 12 and self.once_in(3):
            size = self.choice((2, 3, 4))
            task["partitionPolicy"] = {"totalPartitions": 12 // size, "partitionSize": size}
        return task | self.some(
            5,
            minAvailable=lambda: self.randrange(replicas + 1),
            maxRetry=lambda: self.choice((0, 1, 3, 5)),
            topologyPolicy=lambda: "none",
        )

    def wait(self, tasks: list[dict[str, Any]]) -> None:
        """Let the last task wait for one or all of those before it."""
        others = [task["name"] for task in tasks[:-1]]
        tasks[-1]["dependsOn"] = {"name": self.choice((others, others[:1]))}
        if self.once_in(4):
            tasks[-1]["dependsOn"]["iteration"] = self.choice(("any", "all"))

    def gang(self, spec: dict[str, Any], total: int) -> None:
        """``minAvailable`` of the job."""
        if self.once_in(3):
            return
        spec["minAvailable"] = self.choice((0, 1, total, total, self.randrange(1, total + 1)))

    def plugins(self, tasks: list[str]) -> dict[str, list[str]]:
        """Plugins with their arguments."""
        plugins: dict[str, list[str]] = {}
        if not self.once_in(3):
            plugins["env"] = []
        if not self.once_in(3):
            plugins["svc"] = self.sample(SVC, self.choice((0, 0, 1, 2)))
        if self.once_in(3):
            plugins["ssh"] = self.choice(([], ["--ssh-key-file-path=/home/user/.ssh"]))
        if self.once_in(4):
            known = [f"--{role}={role}" for role in ("ps", "worker", "chief") if role in tasks]
            plugins["tensorflow"] = self.choice(([], [*known, "--port=2222"], ["--port=3333"]))
        if "mpimaster" in tasks and self.once_in(2):
            plugins["mpi"] = ["--master=mpimaster", "--worker=mpiworker", "--port=22"]
        return plugins

    # --- policies ------------------------------------------------------------------------------------------------

    def policies(self) -> list[dict[str, Any]]:
        """Policies, each event and status once."""
        if self.once_in(12):
            return [{"event": "*", "action": self.choice(ACTIONS)}]
        events = self.sample(EVENTS, self.choice((0, 1, 1, 2, 3)))
        policies: list[dict[str, Any]] = []
        while events:
            count = 2 if len(events) > 1 and self.once_in(4) else 1
            taken, events = events[:count], events[count:]
            policies.append(({"event": taken[0]} if count == 1 else {"events": taken}) | {"action": self.action()})
        for status in self.sample(STATUSES, self.choice((0, 0, 0, 1, 2))):
            policies.insert(self.randrange(len(policies) + 1), {"exitCode": status, "action": self.action()})
        for policy in policies:
            policy.update(self.some(5, timeout=lambda: self.choice(TIMEOUTS)))
        return policies

    def action(self) -> str:
        """An action."""
        return self.choice(ACTIONS)

    def volumes(self) -> list[dict[str, Any]]:
        """Volumes of the job."""
        claim = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": self.choice(("1Gi", "20Gi"))}}}
        known = (
            {"mountPath": "/job/data", "volumeClaimName": "data"},
            {"mountPath": "/job/again", "volumeClaimName": "data"},
            {"mountPath": "/job/runs", "volumeClaim": claim},
            {"mountPath": "/job/fast", "volumeClaim": {**claim, "storageClassName": "fast"}},
            {"mountPath": "/job/block", "volumeClaim": {**claim, "volumeMode": "Filesystem"}},
        )
        return self.sample(known, self.randrange(1, 3))

    def resources(self) -> dict[str, Any]:
        """Requests and limits; now and then a share of a device."""
        found = super().resources()
        if self.once_in(12):
            found["limits"] = {"volcano.sh/vgpu-number": 1, "volcano.sh/vgpu-memory": self.choice((1024, 2000))}
            found["requests"] = {"cpu": self.choice(CPUS)}
        return found
