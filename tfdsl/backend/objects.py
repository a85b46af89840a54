"""The objects that a target has for a job, as its documents say (``tfdsl graph``).

A target whose documents are not objects of an API server, or that makes further ones when the job runs, has a module of
its own with a function ``objects`` (:attr:`tfdsl.backend.Backend.objects`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from tfdsl.backend import Document, TargetObject, Unit
from tfdsl.emit.located import Data, Located, Plain, plain, unwrap

CLAIM = "PersistentVolumeClaim"


def objects(unit: Unit, documents: Sequence[Document]) -> list[TargetObject]:
    """One object for each document of an API server, and one for all files."""
    target_objects = [target_object for document in documents if (target_object := _object(unit, document)) is not None]
    files = tuple(document.file for document in documents if document.file is not None)
    return [*target_objects, *([TargetObject("Files", unit.job.name, lines=files)] if files else [])]


def _object(unit: Unit, document: Document) -> TargetObject | None:
    data = plain(document.data) if document.format == "yaml" else None
    if not isinstance(data, dict) or document.file is not None:
        return None
    metadata = data.get("metadata")
    kind, name = data.get("kind"), metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(kind, str) or not isinstance(name, str):
        return None
    roles = set(_roles(document.data))
    own = len(roles) == 1 and name != unit.job.name and kind != CLAIM
    return TargetObject(kind, name, roles.pop() if own else "", tuple(_lines(kind, data)))


def _roles(data: Data) -> Iterator[str]:
    """The roles that parts of ``data`` come from."""
    waiting = [data]
    while waiting:
        here = waiting.pop()
        while isinstance(here, Located):
            if here.path.startswith("roles["):
                yield here.path[len("roles[") : here.path.index("]")]
            here = here.value
        if isinstance(here, str):
            continue
        if hasattr(here, "values"):
            waiting += cast("Mapping[str, Data]", here).values()
        elif isinstance(here, list | tuple):
            waiting += cast("Sequence[Data]", here)


def _lines(kind: str, data: dict[str, Plain]) -> Iterator[str]:
    spec = data.get("spec")
    if kind != "Service" or not isinstance(spec, dict):
        return
    if spec.get("clusterIP") == "None":
        yield "headless"


def value_at(document: Document, *keys: str) -> Data:
    """What is at ``keys`` in a document; ``None`` when it is not there."""
    here = unwrap(document.data)
    for key in keys:
        here = unwrap(cast("Mapping[str, Data]", here).get(key)) if hasattr(here, "get") else None
    return here
