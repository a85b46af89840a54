"""A stand-in for kubelet and scheduler: pods get a node and a phase through the API, as a test says.

It does with a container that ends what the kubelet does under the pod's restart policy, and finishes pods that are
being deleted. What it does not know are images, mounts and addresses that answer: pods that really run have tests of
their own.
"""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING, Any

from tests.conformance.kubernetes.api import JSON, STRATEGIC
from tests.conformance.kubernetes.processes import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.kubernetes.api import Api

NODE = "stand-in"
MOMENT = 2.5
"""Seconds that a command takes to end after SIGTERM; the Job controller looks at pods at most once a second."""
Pod = dict[str, Any]


class StandInKubelet:
    """Runs the pods of one namespace whose names begin with ``prefix``."""

    def __init__(self, api: Api, prefix: str, namespace: str = "default") -> None:
        self._api = api
        self._path = f"/api/v1/namespaces/{namespace}/pods"
        self._prefix = prefix
        self._addresses = count(1)
        self.uids: dict[str, list[str]] = {}
        """Name → the pods that were seen under it, in order."""
        self.held: set[str] = set()
        """The tasks, as ``worker[1]``, whose pods find no node."""
        self._ends: dict[str, tuple[float, int]] = {}

    def pods(self) -> list[Pod]:
        """The pods there are, by name."""
        found = [pod for pod in self._api.items(self._path) if pod["metadata"]["name"].startswith(self._prefix)]
        for pod in found:
            seen = self.uids.setdefault(pod["metadata"]["name"], [])
            if pod["metadata"]["uid"] not in seen:
                seen.append(pod["metadata"]["uid"])
        return sorted(found, key=lambda pod: pod["metadata"]["name"])

    def phases(self) -> dict[str, str]:
        """Name → phase; ``Deleting`` for a pod that is being deleted."""
        return {pod["metadata"]["name"]: _phase(pod) for pod in self.pods()}

    def step(self) -> None:
        """Start what is pending, finish what is being deleted."""
        for pod in self.pods():
            if _phase(pod) == "Deleting":
                self._finish_deletion(pod)
            elif _phase(pod) == "Pending" and self._finds_a_node(pod):
                self._start(pod)

    def until(self, holds: Callable[[], bool], what: str, seconds: float = 30) -> None:
        """Work until ``holds`` is true; fail with ``what`` and the phases when it does not in time."""
        end = time.monotonic() + PATIENCE * seconds
        while True:
            self.step()
            if holds():
                return
            assert time.monotonic() < end, f"not in {seconds:.0f} s: {what}; pods {self.phases()}"
            time.sleep(0.1)

    def until_running(self, number: int) -> None:
        """Work until so many pods run, and no others are there."""
        self.until(lambda: list(self.phases().values()) == ["Running"] * number, f"{number} pods run")

    def exit(self, name: str, status: int, sidecar: int | None = None) -> bool:
        """The container of a pod ends with ``status``, and then its sidecar, if it has one.

        Gives whether it is started again in place.
        """
        pod = self._api.get(f"{self._path}/{name}")
        policy = pod["spec"]["restartPolicy"]
        ended = {"exitCode": status, "reason": "Error" if status else "Completed", "finishedAt": now()}
        if policy == "Always" or (policy == "OnFailure" and status != 0):
            restarts = pod["status"]["containerStatuses"][0]["restartCount"] + 1
            self._set(pod, "Running", {"running": {"startedAt": now()}}, restarts, {"terminated": ended})
            return True
        steps = None if sidecar is None else [{"terminated": {**ended, "exitCode": sidecar}}]
        self._set(pod, "Succeeded" if status == 0 else "Failed", {"terminated": ended}, steps=steps)
        return False

    def prepare_fails(self, name: str, status: int) -> None:
        """The prepare step of a pod ends with ``status`` before the command has started."""
        pod = self._api.get(f"{self._path}/{name}")
        ended = {"terminated": {"exitCode": status, "reason": "Error", "finishedAt": now()}}
        waiting = {"waiting": {"reason": "PodInitializing"}}
        if pod["spec"]["restartPolicy"] == "Never":
            self._set(pod, "Failed", waiting, steps=[ended])
        else:
            failed = {"waiting": {"reason": "CrashLoopBackOff"}}
            self._set(pod, "Pending", waiting, steps=[failed], steps_restarts=1)

    def sidecar_restarts(self, name: str, restarts: int) -> None:
        """The sidecar of a pod has been started again so many times."""
        pod = self._api.get(f"{self._path}/{name}")
        running = {"running": {"startedAt": now()}}
        self._set(pod, "Running", running, steps=[running], steps_restarts=restarts)

    def evict(self, name: str, status: int = 137) -> None:
        """The node is short of memory: the pod fails, whatever the ``status`` of its container, and says so."""
        pod = self._api.get(f"{self._path}/{name}")
        ended = {"exitCode": status, "reason": "Error" if status else "Completed", "finishedAt": now()}
        disruption = condition("DisruptionTarget", "True", "TerminationByKubelet")
        self._set(pod, "Failed", {"terminated": ended}, more={"reason": "Evicted"}, conditions=[disruption])

    def delete(self, name: str) -> None:
        """Somebody deletes the pod, as ``kubectl drain`` does."""
        self._api.delete(f"{self._path}/{name}")

    def preempt(self, name: str, status: int) -> None:
        """The pod is deleted by the eviction API, as ``kubectl drain`` does; its container ends with ``status``.

        It takes a moment for that, as a program does that writes a checkpoint.
        """
        self._ends[name] = time.monotonic() + MOMENT, status
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
        answer = self._api.call("POST", f"{self._path}/{name}/eviction", eviction)
        assert answer.fine, answer.message

    # --- how it is done --------------------------------------------------------------------------------------------

    def _finds_a_node(self, pod: Pod) -> bool:
        """One that has an address has found it, and its prepare step has failed."""
        return "podIP" not in pod["status"] and (not self.held or task_of(pod) not in self.held)

    def _start(self, pod: Pod) -> None:
        name = pod["metadata"]["name"]
        node = pod["spec"].get("nodeName")
        if node is None:
            node = NODE
            binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"name": NODE}}
            self._api.call("POST", f"{self._path}/{name}/binding", binding, JSON)
        make_node(self._api, node)
        number = next(self._addresses)
        address = f"10.244.{number // 250}.{number % 250 + 1}"
        more = {"podIP": address, "podIPs": [{"ip": address}], "startTime": now()}
        self._set(pod, "Running", {"running": {"startedAt": now()}}, more=more)

    def _set(
        self,
        pod: Pod,
        phase: str,
        state: dict[str, Any],
        restarts: int = 0,
        last: dict[str, Any] | None = None,
        more: dict[str, Any] | None = None,
        conditions: list[dict[str, str]] | None = None,
        steps: list[dict[str, Any]] | None = None,
        steps_restarts: int = 0,
    ) -> None:
        ready = phase == "Running"
        now_of = {"ready": ready, "started": ready, "restartCount": restarts, "state": state, "lastState": last or {}}
        containers = [
            {"name": container["name"], "image": container["image"], "imageID": "", **now_of}
            for container in pod["spec"]["containers"]
        ]
        told = [condition(kind, "True" if ready else "False") for kind in ("Ready", "ContainersReady")]
        status: dict[str, Any] = {
            "phase": phase,
            "containerStatuses": containers,
            "conditions": [*told, *(conditions or [])],
        }
        if steps is not None:
            inits = pod["spec"]["initContainers"]
            counts = [one["restartCount"] for one in pod["status"].get("initContainerStatuses", ())] or [0] * len(inits)
            counts[0] += steps_restarts
            rest = [{"waiting": {"reason": "PodInitializing"}}] * (len(inits) - len(steps))
            status["initContainerStatuses"] = [
                {
                    "name": container["name"],
                    "image": container["image"],
                    "imageID": "",
                    "ready": False,
                    "restartCount": count,
                    "state": one,
                    "lastState": {},
                }
                for container, one, count in zip(inits, [*steps, *rest], counts, strict=True)
            ]
        path = f"{self._path}/{pod['metadata']['name']}/status"
        answer = self._api.call("PATCH", path, {"status": {**status, **(more or {})}}, STRATEGIC)
        assert answer.fine or answer.status == 404, answer.message  # it may have been deleted meanwhile

    def _finish_deletion(self, pod: Pod) -> None:
        path = f"{self._path}/{pod['metadata']['name']}"
        if pod["status"]["phase"] == "Running":
            end, status = self._ends.get(pod["metadata"]["name"], (0, 143))
            if time.monotonic() < end:
                return
            ended = {"exitCode": status, "reason": "Error" if status else "Completed", "finishedAt": now()}
            self._set(pod, "Failed" if status else "Succeeded", {"terminated": ended})
        self._api.call("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": pod["metadata"]["uid"]}})


def make_node(api: Api, name: str) -> None:
    """A node that is ready and has room; the controllers pass over pods whose node is not there.

    A scheduler that runs beside it is not to take it.
    """
    if api.get(f"/api/v1/nodes/{name}"):
        return
    about = {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}, "spec": {"unschedulable": True}}
    if api.call("POST", "/api/v1/nodes", about).status == 409:
        return  # somebody else has just made it
    room = {"cpu": "64", "memory": "1Ti", "pods": "500", "nvidia.com/gpu": "16"}
    status = {"capacity": room, "allocatable": room, "conditions": [condition("Ready", "True")]}
    api.patch(f"/api/v1/nodes/{name}/status", {"status": status})


def condition(kind: str, status: str, reason: str = "StandIn") -> dict[str, str]:
    """A condition that begins now."""
    return {"type": kind, "status": status, "reason": reason, "message": reason, "lastTransitionTime": now()}


def now() -> str:
    """The time as the API writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def task_of(pod: Pod) -> str:
    """The task of a pod, as ``worker[1]``."""
    about = pod["metadata"]
    labels = about["labels"]
    if "training.kubeflow.org/replica-type" in labels:
        return f"{labels['training.kubeflow.org/replica-type']}[{labels['training.kubeflow.org/replica-index']}]"
    if "pod-template-hash" in labels:
        return "tensorboard[0]"
    index = about.get("annotations", {}).get("batch.kubernetes.io/job-completion-index")
    return f"{labels['tfdsl/role']}[{index if index is not None else labels['job-name'].rpartition('-')[2]}]"


def _phase(pod: Pod) -> str:
    return "Deleting" if pod["metadata"].get("deletionTimestamp") else str(pod["status"]["phase"])
