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

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.kubernetes.api import Api

NODE = "stand-in"
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
            elif _phase(pod) == "Pending" and "podIP" not in pod["status"]:  # else its prepare step has failed
                self._start(pod)

    def until(self, holds: Callable[[], bool], what: str, seconds: float = 30) -> None:
        """Work until ``holds`` is true; fail with ``what`` and the phases when it does not in time."""
        end = time.monotonic() + seconds
        while True:
            self.step()
            if holds():
                return
            assert time.monotonic() < end, f"not in {seconds:.0f} s: {what}; pods {self.phases()}"
            time.sleep(0.1)

    def until_running(self, number: int) -> None:
        """Work until so many pods run, and no others are there."""
        self.until(lambda: list(self.phases().values()) == ["Running"] * number, f"{number} pods run")

    def exit(self, name: str, status: int, sidecar: int | None = None) -> None:
        """The container of a pod ends with ``status``, and then its sidecar, if it has one."""
        pod = self._api.get(f"{self._path}/{name}")
        policy = pod["spec"]["restartPolicy"]
        ended = {"exitCode": status, "reason": "Error" if status else "Completed", "finishedAt": now()}
        if policy == "Always" or (policy == "OnFailure" and status != 0):
            restarts = pod["status"]["containerStatuses"][0]["restartCount"] + 1
            self._set(pod, "Running", {"running": {"startedAt": now()}}, restarts, {"terminated": ended})
        else:
            steps = None if sidecar is None else [{"terminated": {**ended, "exitCode": sidecar}}]
            self._set(pod, "Succeeded" if status == 0 else "Failed", {"terminated": ended}, steps=steps)

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

    def evict(self, name: str) -> None:
        """The node is short of memory: the pod fails and says so."""
        pod = self._api.get(f"{self._path}/{name}")
        ended = {"exitCode": 137, "reason": "Error", "finishedAt": now()}
        disruption = condition("DisruptionTarget", "True", "TerminationByKubelet")
        self._set(pod, "Failed", {"terminated": ended}, more={"reason": "Evicted"}, conditions=[disruption])

    def delete(self, name: str) -> None:
        """Somebody deletes the pod, as ``kubectl drain`` does."""
        self._api.delete(f"{self._path}/{name}")

    # --- how it is done --------------------------------------------------------------------------------------------

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
            self._set(pod, "Failed", {"terminated": {"exitCode": 143, "reason": "Error", "finishedAt": now()}})
        self._api.call("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": pod["metadata"]["uid"]}})


def make_node(api: Api, name: str) -> None:
    """A node that is ready and has room; the controllers pass over pods whose node is not there."""
    if api.get(f"/api/v1/nodes/{name}"):
        return
    api.post("/api/v1/nodes", {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}})
    room = {"cpu": "64", "memory": "1Ti", "pods": "500", "nvidia.com/gpu": "16"}
    status = {"capacity": room, "allocatable": room, "conditions": [condition("Ready", "True")]}
    api.patch(f"/api/v1/nodes/{name}/status", {"status": status})


def condition(kind: str, status: str, reason: str = "StandIn") -> dict[str, str]:
    """A condition that begins now."""
    return {"type": kind, "status": status, "reason": reason, "message": reason, "lastTransitionTime": now()}


def now() -> str:
    """The time as the API writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _phase(pod: Pod) -> str:
    return "Deleting" if pod["metadata"].get("deletionTimestamp") else str(pod["status"]["phase"])
