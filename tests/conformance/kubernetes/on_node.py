"""Jobs whose pods the node really runs, and the storage that they mount."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.conformance.kubernetes.created import Created
from tests.conformance.kubernetes.node import NAMESPACE
from tests.conformance.kubernetes.processes import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.compiling import Compiled


class OnNode(Created):
    """A job that the node runs; deleting pods is the kubelet's business here."""

    def __init__(self, api: Api, made: Compiled) -> None:
        super().__init__(api, made)
        self._server = api

    def wait(self, holds: Callable[[], bool], what: str, seconds: float = 120) -> None:
        end = time.monotonic() + PATIENCE * seconds
        while not holds():
            assert time.monotonic() < end, f"not in {seconds:.0f} s: {what}\n{self.logs()}"
            time.sleep(0.2)

    def __exit__(self, *error: object) -> None:
        self.remove()
        if error[0] is None:
            self.wait(lambda: not self.kubelet.phases(), "the pods are gone", 60)

    def logs(self) -> str:
        """The end of what each pod has said."""
        return "\n".join(f"{name} {phase}: {self.log(name)[-1500:]}" for name, phase in self.kubelet.phases().items())

    def log(self, pod: str) -> str:
        answer = self._server.call("GET", f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}/log?tailLines=60")
        return str(answer.data.get("message", answer.data))


def claim(api: Api, name: str, folder: Path) -> None:
    """A claim that is bound to ``folder``, as the controller for volumes would bind it, which does not run here."""
    about = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"]}
    volume = f"/api/v1/persistentvolumes/{name}"
    wanted = f"/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/{name}"
    for path in (wanted, volume):
        api.patch(path, {"metadata": {"finalizers": None}}) if api.get(path) else None
        api.delete(path)
    claim = api.post(
        wanted.rpartition("/")[0],
        {
            "metadata": {"name": name, "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
            "spec": {
                "accessModes": about["accessModes"],
                "resources": {"requests": about["capacity"]},
                "storageClassName": "",
                "volumeName": name,
            },
        },
    )
    owner = {"kind": "PersistentVolumeClaim", "namespace": NAMESPACE, "name": name, "uid": claim["metadata"]["uid"]}
    api.post(
        volume.rpartition("/")[0],
        {"metadata": {"name": name}, "spec": {**about, "hostPath": {"path": str(folder)}, "claimRef": owner}},
    )
    api.patch(f"{volume}/status", {"status": {"phase": "Bound"}})
    api.patch(f"{wanted}/status", {"status": {"phase": "Bound", **about}})
