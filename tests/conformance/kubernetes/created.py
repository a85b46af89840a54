"""Manifests that are created for real, and what the controllers make of them."""

from __future__ import annotations

import os
import time
from itertools import count
from typing import TYPE_CHECKING, Any

from tests.conformance.kubernetes.api import YAML, RefusedError
from tests.conformance.kubernetes.stand_in_kubelet import StandInKubelet

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.compiling import Compiled, Manifest

_numbers = count(1)


def unused_name(stem: str) -> str:
    """A name that no test of any process has used: controllers remember an object of the same name for a while."""
    return f"{stem}-{int(time.time()) % 100000}-{os.getpid()}-{next(_numbers)}"


class Created:
    """All documents of a compiled job, on the server; at the end of the ``with`` block they are deleted."""

    def __init__(self, api: Api, made: Compiled) -> None:
        self._api = api
        self._made = made
        self.name = made.units[0].job.name
        self.kubelet = StandInKubelet(api, f"{self.name}-", made.documents[0].namespace)

    def __enter__(self) -> Created:
        for manifest in self._made.documents:
            path = f"{self.place(manifest)}?fieldValidation=Strict"
            answer = self._api.call("POST", path, manifest.text, YAML)
            if not answer.fine:
                raise RefusedError(f"{manifest.kind} {manifest.name}: {answer.message}")
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()
        if error[0] is None:
            self.kubelet.until(lambda: not self.kubelet.phases(), "the pods are gone", 60)

    def remove(self) -> None:
        """Delete the documents; what they own goes with them."""
        for manifest in self._made.documents:
            self._api.delete(f"{self.place(manifest)}/{manifest.name}")

    def object(self, kind: str, name: str | None = None) -> dict[str, Any]:
        """One of the documents as it is now; empty when it is gone."""
        found = [m for m in self._made.documents if m.kind == kind and name in (None, m.name)]
        assert len(found) == 1, f"{len(found)} documents of kind {kind}, name {name}"
        return self._api.get(f"{self.place(found[0])}/{found[0].name}")

    def template(self, kind: str, name: str) -> dict[str, Any]:
        """The pod spec that was sent for a role's key (TFJob) or a Job's name."""
        for manifest in self._made.documents:
            if manifest.kind == kind and kind == "TFJob":
                return manifest.data["spec"]["tfReplicaSpecs"][name]["template"]["spec"]
            if manifest.kind == kind and manifest.name == name:
                return manifest.data["spec"]["template"]["spec"]
        raise AssertionError(f"no {kind} {name}")

    def conditions(self, kind: str, name: str | None = None) -> dict[str, str]:
        """The conditions that hold → their reasons."""
        found = self.object(kind, name).get("status", {}).get("conditions", [])
        return {entry["type"]: entry.get("reason", "") for entry in found if entry["status"] == "True"}

    def until(self, holds: Callable[[], bool], what: str, seconds: float = 30) -> None:
        """Let the stand-in kubelet work until ``holds`` is true."""
        self.kubelet.until(holds, what, seconds)

    def stays(self, holds: Callable[[], bool], what: str, seconds: float = 3) -> None:
        """Let the stand-in kubelet work for a while in which ``holds`` has to stay true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.kubelet.step()
            assert holds(), f"{what}; pods {self.kubelet.phases()}"
            time.sleep(0.2)

    def place(self, manifest: Manifest) -> str:
        """The path of the collection that a document is in."""
        return self._api.place(manifest.data["apiVersion"], manifest.kind, manifest.namespace)
