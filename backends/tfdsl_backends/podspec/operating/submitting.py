"""Creating and deleting the objects of a job: with notes on whose they are, and by uid, so nothing else is touched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, cast

from tfdsl.backend import Document
from tfdsl.backend.cluster import Call, Part, Place, Step, digest
from tfdsl.emit.located import plain
from tfdsl_backends.podspec.objects import DIGEST, SUBMISSION
from tfdsl_backends.podspec.operating.kubectl import Object, kubectl

CLAIM: Final = "PersistentVolumeClaim"
BESIDE: Final = ("services", "persistentvolumeclaims", "deployments.apps")
"""What a job's own object does not take along when it is deleted."""


def asks(place: Place, documents: Sequence[Document]) -> list[Call]:
    """Whether the server would take the objects."""
    text = "".join(_json(one) + "\n" for one in _annotated(documents, "dry-run"))
    return [Call(kubectl(place, "create", "--dry-run=server", "-f", "-", "-o", "name"), "the server", text)]


def steps(place: Place, documents: Sequence[Document], submission: str) -> list[Step]:
    """A call for each object. A claim that is there is used: its data outlive the job."""
    return [_step(place, one) for one in _annotated(documents, submission)]


def _step(place: Place, manifest: dict[str, Any]) -> Step:
    kind, name = manifest["kind"], manifest["metadata"]["name"]
    path = _path(manifest)
    call = Call(
        kubectl(place, "create", "-f", "-", "-o", 'jsonpath={.metadata.uid}{"\\t"}{.metadata.namespace}{"\\n"}'),
        f"{kind.lower()}/{name}",
        _json(manifest),
    )

    def undo(answer: str) -> Call | None:
        uid, _, namespace = answer.strip().rpartition("\n")[2].partition("\t")
        return _raw_deletion(place, path.replace("{namespace}", namespace), call.about, uid) if uid else None

    return Step(call, call.about, undo, stays_if_there=kind == CLAIM)


def _path(manifest: dict[str, Any]) -> str:
    group = manifest["apiVersion"]
    root = f"/api/{group}" if "/" not in group else f"/apis/{group}"
    return f"{root}/namespaces/{{namespace}}/{manifest['kind'].lower()}s/{manifest['metadata']['name']}"


def _raw_deletion(place: Place, path: str, what: str, uid: str) -> Call:
    """Delete one object if it is still the one with ``uid``."""
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": uid}}
    body = _json({**options, "propagationPolicy": "Foreground"})
    return Call(("kubectl", *place.flags, "delete", "--raw", path, "-f", "-"), what, body)


def part(place: Place, row: Object) -> Part:
    """An object as a part of a job."""
    kind, name, uid = (str(row[key]) for key in ("kind", "name", "uid"))
    path = _path({"apiVersion": row["api"], "kind": kind, "metadata": {"name": name}})
    what = f"{kind.lower()}/{name}"
    end = _raw_deletion(place, path.replace("{namespace}", str(row["namespace"])), what, uid)
    return Part(what, uid, str(row["submission"]), end, stays=kind == CLAIM)


def _annotated(documents: Sequence[Document], submission: str) -> list[dict[str, Any]]:
    notes = {SUBMISSION: submission, DIGEST: digest(documents)}
    manifests: list[dict[str, Any]] = []
    for document in documents:
        manifest = cast("dict[str, Any]", plain(document.data))
        metadata: dict[str, Any] = manifest.get("metadata") or {}
        annotations: dict[str, Any] = {**(metadata.get("annotations") or {}), **notes}
        manifests.append({**manifest, "metadata": {**metadata, "annotations": annotations}})
    return manifests


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=True)
