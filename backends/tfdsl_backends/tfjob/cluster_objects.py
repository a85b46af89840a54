"""What Kubeflow has for a job: the documents, and what the operator makes of the TFJob beside its pods.

Source: ``pkg/controller.v1/common`` of kubeflow/training-operator (``service.go``, ``job.go``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfdsl.backend import Document, TargetObject, Unit
from tfdsl.backend.objects import objects as of_documents, value_at
from tfdsl.emit.located import plain

_MAKER: Final = "the operator"


def objects(unit: Unit, documents: Sequence[Document]) -> list[TargetObject]:
    """The objects in the order in which they come to be."""
    job, *others = of_documents(unit, documents)
    return [job, *_of_operator(unit, documents[0]), *others]


def _of_operator(unit: Unit, job: Document) -> Iterator[TargetObject]:
    gang = plain(value_at(job, "spec", "runPolicy", "schedulingPolicy", "minAvailable"))
    if gang is not None:
        yield TargetObject("PodGroup", unit.job.name, lines=(f"minMember {gang}",), maker=_MAKER)
    for role in unit.job.training_roles:
        last = role.replicas - 1
        numbers = "0" if not last else f"0 … {last:,}"
        yield TargetObject("Service", f"{unit.job.name}-{role.name}-{numbers}", role.name, maker=_MAKER)
