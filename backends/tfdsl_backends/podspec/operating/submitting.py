"""Creating and deleting the objects of a job: with notes on whose they are, and by uid, so nothing else is touched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, cast

from tfdsl.backend import Document
from tfdsl.backend.cluster import Call, Part, Place, Step, digest
from tfdsl.emit.located import plain
from tfdsl.patterns import regex
from tfdsl_backends.podspec.objects import DIGEST, SUBMISSION
from tfdsl_backends.podspec.operating.kubectl import NAME, Object, kubectl, text

CLAIM: Final = "PersistentVolumeClaim"
RIGHTS: Final = ("ServiceAccount", "Role", "RoleBinding")
"""Kinds that not everybody may create."""
STAYING: Final = (CLAIM, *RIGHTS)
"""Kinds of which an object that is there is used, because other runs use it, too."""
BESIDE: Final = ("services", "persistentvolumeclaims", "deployments.apps")
"""What a job's own object does not take along when it is deleted."""


def asks(place: Place, documents: Sequence[Document]) -> list[Call]:
    """Whether the server would take the objects."""
    text = "".join(_json(one) + "\n" for one in _annotated(documents, "dry-run"))
    return [Call(kubectl(place, "create", "--dry-run=server", "-f", "-", "-o", "name"), "the server", text)]


def steps(place: Place, documents: Sequence[Document], submission: str, whole: str = "") -> list[Step]:
    """A call for each object. A claim that is there is used: its data outlive the job.

    ``whole``: the digest of what was compiled, if that is not ``documents``.
    """
    return [_step(place, one) for one in _annotated(documents, submission, whole)]


def _step(place: Place, manifest: dict[str, Any]) -> Step:
    kind, metadata = manifest["kind"], manifest["metadata"]
    begins = metadata.get("generateName", "")
    columns = ".metadata.uid", ".metadata.namespace", ".metadata.name"
    call = Call(
        kubectl(
            place, "create", "-f", "-", "-o", "jsonpath=" + '{"\\t"}'.join(f"{{{one}}}" for one in columns) + '{"\\n"}'
        ),
        f"{kind.lower()}/{metadata.get('name', begins)}",
        _json(manifest),
    )

    def answered(answer: str) -> tuple[str, str, str]:
        uid, _, rest = answer.strip().rpartition("\n")[2].partition("\t")
        namespace, _, name = rest.partition("\t")
        return uid, namespace, name

    def undo(answer: str) -> Call | None:
        uid, namespace, name = answered(answer)
        path = _path(manifest["apiVersion"], f"{kind.lower()}s", name or metadata.get("name", ""))
        return _raw_deletion(place, path.replace("{namespace}", namespace), call.about, uid) if uid else None

    def made(answer: str) -> str:
        return f"{kind.lower()}/{answered(answer)[2]}" if begins else call.about

    looks = Call(kubectl(place, "get", call.about, "-o", "name"), call.about) if kind in RIGHTS else None
    return Step(call, call.about, undo, stays_if_there=kind in STAYING, made=made, looks=looks)


def _path(api: str, plural: str, name: str) -> str:
    root = f"/api/{api}" if "/" not in api else f"/apis/{api}"
    return f"{root}/namespaces/{{namespace}}/{plural}/{name}"


def _raw_deletion(place: Place, path: str, what: str, uid: str) -> Call:
    """Delete one object if it is still the one with ``uid``."""
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": uid}}
    body = _json({**options, "propagationPolicy": "Foreground"})
    return Call(("kubectl", *place.flags, "delete", "--raw", path, "-f", "-"), what, body)


_VERSION: Final = regex(r"v[0-9][a-z0-9]*")


def part(place: Place, resource: str, row: Object) -> Part | None:
    """An object of a list as a part of a job; ``None`` if it is not of the kind and namespace that were asked for."""
    plural, _, group = resource.partition(".")
    api, kind, name, namespace, uid = (str(row[key]) for key in ("api", "kind", "name", "namespace", "uid"))
    version = api.removeprefix(f"{group}/") if group else api
    is_asked = _VERSION.fullmatch(version) and f"{kind.lower()}s" == plural and NAME.fullmatch(namespace)
    if not is_asked or (place.namespace and namespace != place.namespace):
        return None
    what = f"{kind.lower()}/{name}"
    end = _raw_deletion(place, _path(api, plural, name).replace("{namespace}", namespace), what, uid)
    return Part(what, uid, text(row["annotations"], SUBMISSION), end, stays=kind == CLAIM)


def _annotated(documents: Sequence[Document], submission: str, whole: str = "") -> list[dict[str, Any]]:
    notes = {SUBMISSION: submission, DIGEST: whole or digest(documents)}
    manifests: list[dict[str, Any]] = []
    for document in documents:
        manifest = cast("dict[str, Any]", plain(document.data))
        metadata: dict[str, Any] = manifest.get("metadata") or {}
        annotations: dict[str, Any] = {**(metadata.get("annotations") or {}), **notes}
        manifests.append({**manifest, "metadata": {**metadata, "annotations": annotations}})
    return manifests


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=True)
