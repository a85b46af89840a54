"""Jobs of a namespace of the real API server, through the commands of ``tfdsl``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tests.conformance.operated import OnCluster
from tests.unit.cli.shell import Ran, tfdsl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.work import Work

JOB = """\
job NAME {
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "train.py"]
  mount claim 1Gi at "/data"
  role chief { cpu = 4, memory = 16Gi }
  role worker { replicas = 2, cpu = 4, memory = 16Gi }
  MORE
}
"""


class Operated(OnCluster):
    """Jobs of a namespace of its own, through the commands."""

    def __init__(self, api: Api, work: Work, folder: Path, namespace: str) -> None:
        self.api, self.work, self.folder, self.namespace = api, work, folder, namespace
        self.settings = work.kubeconfig
        api.call("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})

    def run(self, *words: str, settings: Path | None = None) -> Ran:
        return tfdsl(*words, "-n", self.namespace, "--kubeconfig", str(settings or self.settings), cwd=self.folder)

    def write(self, name: str, more: str = "") -> str:
        (self.folder / f"{name}.tfjob").write_text(JOB.replace("NAME", name).replace("MORE", more))
        return f"{name}.tfjob"

    def account(self, name: str, **rights: str) -> Path:
        """The configuration of a ServiceAccount that may do what ``rights`` say: its verbs, and on what."""
        names, metadata = f"/api/v1/namespaces/{self.namespace}/serviceaccounts", {"name": name}
        self.api.post(names, {"metadata": metadata})
        rules = [
            {"apiGroups": ["*"], "resources": words.split(), "verbs": verbs.split("_")}
            for verbs, words in rights.items()
        ]
        group = "rbac.authorization.k8s.io"
        path = f"/apis/{group}/v1/namespaces/{self.namespace}"
        self.api.post(f"{path}/roles", {"metadata": metadata, "rules": rules})
        subject = {"kind": "ServiceAccount", "name": name, "namespace": self.namespace}
        role = {"apiGroup": group, "kind": "Role", "name": name}
        self.api.post(f"{path}/rolebindings", {"metadata": metadata, "subjects": [subject], "roleRef": role})
        token = self.api.post(f"{names}/{name}/token", {"spec": {}})["status"]["token"]
        made = self.folder / f"{name}.kubeconfig"
        made.write_text(self.settings.read_text().replace(self.work.token(), token))
        return made

    def items(self, kind: str, group: str = "/api/v1") -> list[dict[str, Any]]:
        """The metadata of all objects of a kind."""
        return [one["metadata"] for one in self.api.items(f"{group}/namespaces/{self.namespace}/{kind}")]

    def until_gone(self, kind: str, group: str = "/api/v1") -> None:
        """Wait until there is no object of a kind: the server deletes what was asked for a moment later."""
        end = time.monotonic() + 60
        while left := self.items(kind, group):
            assert time.monotonic() < end, left
            time.sleep(0.2)
