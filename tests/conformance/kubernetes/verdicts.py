"""What the server says of a manifest: created as a dry run, as it is written, with strict validation of its fields.

Each pod template in it is sent once more as a ``v1`` PodTemplate: the schemas of custom resources do not hold what the
API server knows of pods. Names that a controller makes are tried as well (:mod:`tests.conformance.kubernetes.derived`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.conformance.kubernetes.api import YAML, Answer, Api
from tests.conformance.kubernetes.derived import derived, with_claims

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conformance.kubernetes.compiling import Manifest

DRY = "?dryRun=All&fieldValidation=Strict"


class Judge:
    """Asks the server of a work folder; counts the questions."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._namespaces = {"default"}
        self.asked = 0

    def complaints(self, manifest: Manifest) -> list[str]:
        """Everything that is said against a manifest, warnings too; empty when it is taken."""
        answer = self.verdict(manifest.text, manifest.data)
        found = _said(f"{manifest.kind} {manifest.name}", answer)
        if not answer.fine:
            return found
        for path, template in pod_templates(with_claims(answer.data)["spec"]):
            body = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "x"}, "template": template}
            found += _said(f"{manifest.kind} {manifest.name}{path}", self.verdict(None, body))
        for data in derived(answer.data):
            name = f"{manifest.kind} {manifest.name} -> {data['kind']} {data['metadata']['name']}"
            found += _said(name, self.verdict(None, data))
        return found

    def verdict(self, text: str | None, data: dict[str, Any]) -> Answer:
        """The server's answer to the dry run; ``text`` is sent as it is, else ``data`` as JSON."""
        namespace = data["metadata"].get("namespace", "default")
        if namespace not in self._namespaces:
            self._api.call("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})  # it may be there
            self._namespaces.add(namespace)
        self.asked += 1
        path = self._api.place(data["apiVersion"], data["kind"], namespace) + DRY
        return self._api.call("POST", path, data) if text is None else self._api.call("POST", path, text, YAML)


def pod_templates(data: object, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The pod templates in a spec, each with its path."""
    if isinstance(data, list):
        for index, item in enumerate(data):
            yield from pod_templates(item, f"{path}[{index}]")
    elif isinstance(data, dict):
        for key, value in data.items():
            if key == "template" and isinstance(value, dict) and "containers" in value.get("spec", {}):
                yield f"{path}.{key}", value
            else:
                yield from pod_templates(value, f"{path}.{key}")


def _said(what: str, answer: Answer) -> list[str]:
    refusal = [] if answer.fine else [f"{what}: {answer.status} {answer.message}"]
    return refusal + [f"{what}: warning {text}" for text in answer.warnings]
