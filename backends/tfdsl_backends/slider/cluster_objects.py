"""What Slider has for a job: one application, with a component for each role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from tfdsl.backend import TargetObject
from tfdsl.emit.located import plain
from tfdsl.target_objects import value_at

if TYPE_CHECKING:
    from tfdsl.backend import Document, Unit


def objects(unit: Unit, documents: Sequence[Document]) -> list[TargetObject]:
    """The application, and what ``resources.json`` requests for each component."""
    own = tuple(one.file for one in documents if one.file is not None and "/" not in one.file)
    files = (*own, f"package/ ({len(documents) - len(own)} files)")
    return [TargetObject("Slider application", unit.job.name, lines=files), *_components(unit, documents)]


def _components(unit: Unit, documents: Sequence[Document]) -> Iterator[TargetObject]:
    resources = next(one for one in documents if one.file == "resources.json")
    components = cast("Mapping[str, Mapping[str, str]]", plain(value_at(resources, "components")))
    for role in unit.job.roles:
        size = components.get(role.name, {})
        lines = tuple(f"{size[key]} {unit_of}" for key, unit_of in _SIZES if key in size)
        yield TargetObject("component", role.name, role.name, lines)


_SIZES = (("yarn.memory", "MB"), ("yarn.vcores", "vcores"))
"""What a container is given, and what it is counted in."""
