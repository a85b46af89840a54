"""What Volcano has for a job: the documents, and what its controller makes of the Job's gang and plugins.

Sources: ``pkg/controllers/job`` of Volcano (``createOrUpdatePodGroup``) and its plugins ``svc`` and ``ssh``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from tfdsl.backend import Document, TargetObject, Unit
from tfdsl.backend.objects import objects as of_documents, value_at
from tfdsl.emit.located import plain

_MAKER: Final = "Volcano"
_NO_POLICY: Final = "--disable-network-policy=true"


def objects(unit: Unit, documents: Sequence[Document]) -> list[TargetObject]:
    """The objects in the order in which they come to be."""
    job, *others = of_documents(unit, documents)
    return [job, *_of_controller(unit, documents[0]), *others]


def _of_controller(unit: Unit, job: Document) -> Iterator[TargetObject]:
    name = unit.job.name
    gang = plain(value_at(job, "spec", "minAvailable"))
    suffix = "-<uid>" if unit.at_least("1.5") else ""
    yield TargetObject("PodGroup", f"{name}{suffix}", lines=(f"minMember {gang}",), maker=_MAKER)
    plugins = cast("Mapping[str, Sequence[str]]", plain(value_at(job, "spec", "plugins")) or {})
    if "svc" in plugins:
        yield TargetObject("Service", name, lines=("headless",), maker=_MAKER)
        yield TargetObject("ConfigMap", f"{name}-svc", lines=("the names of all tasks",), maker=_MAKER)
        if _NO_POLICY not in plugins["svc"]:
            yield TargetObject("NetworkPolicy", name, lines=("only the job's own pods connect",), maker=_MAKER)
    if "ssh" in plugins:
        yield TargetObject("Secret", f"{name}-ssh", lines=("keys for ssh",), maker=_MAKER)
