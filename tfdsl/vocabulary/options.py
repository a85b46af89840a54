"""Options of targets: the rows that each backend declares and that checks, completion and help read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.vocabulary.types import Type

OptionValue: TypeAlias = "str | int | bool | tuple[str, ...] | Mapping[str, OptionValue] | None"
"""An option's value; ``None`` where none is set and the backend decides."""


class Option(Record):
    """One option of a target.

    ``default`` ``None``: the backend decides. ``akin``: words of other tools for something similar.
    """

    name: str
    type: Type
    doc: str
    default: OptionValue = None
    akin: tuple[str, ...] = ()
