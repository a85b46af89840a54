"""Where the pod templates of documents are, and of which role each is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.emit.located import Data, Located, unwrap
from tfdsl.patterns import regex
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.patch.rules import Steps

_ROLE: Final = regex(r"roles\[([a-z]+)\]")


class PodTemplate(Record):
    """A pod template. ``document``: its position; ``at``: its place there; ``role``: whose pods are made of it."""

    document: int
    at: Steps
    role: str | None


def pod_templates(documents: Sequence[Data]) -> Iterator[PodTemplate]:
    """All pod templates: whatever is called ``template`` and has containers."""
    for number, data in enumerate(documents):
        for at, role in _templates(data, (), None):
            yield PodTemplate(number, at, role)


def _templates(data: Data, at: Steps, role: str | None) -> Iterator[tuple[Steps, str | None]]:
    while isinstance(data, Located):
        found = _ROLE.match(data.path)
        role = found.group(1) if found else role
        data = data.value
    if isinstance(data, Mapping):
        if at and at[-1] == "template" and _has_containers(data):
            yield at, role
            return
        for key, value in data.items():
            yield from _templates(value, (*at, key), role)
    elif isinstance(data, list | tuple):
        present = [item for item in data if unwrap(item) is not None]
        for number, item in enumerate(present):
            yield from _templates(item, (*at, number), role)


def _has_containers(template: Mapping[str, Data]) -> bool:
    spec = unwrap(template.get("spec"))
    return isinstance(spec, Mapping) and unwrap(spec.get("containers")) is not None
