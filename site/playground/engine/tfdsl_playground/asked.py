"""What the page asks for, out of its JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping


class Input(Record):
    """``Input`` of the protocol. ``options``: names and values, of the target."""

    revision: int
    files: Mapping[str, str]
    main: str
    target: str
    profile: str | None = None
    params: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    job: str | None = None
    strict: bool = False

    @property
    def size(self) -> int:
        """Characters of all files."""
        return sum(map(len, self.files.values()))


def input_of(data: object) -> Input:
    """The input that the JSON ``data`` is."""
    table = cast("Mapping[str, object]", data)
    return Input(
        cast("int", table["revision"]),
        texts_of(table["files"]),
        str(table["main"]),
        str(table["target"]),
        _text(table.get("profile")),
        tuple(texts_of(table.get("params")).items()),
        tuple(texts_of(table.get("options")).items()),
        _text(table.get("job")),
        table.get("strict") is True,
    )


def texts_of(data: object) -> dict[str, str]:
    """The table of texts that ``data`` is; empty for anything else."""
    table: Mapping[str, object] = cast("Mapping[str, object]", data) if isinstance(data, dict) else {}
    return {name: value for name, value in table.items() if isinstance(value, str)}


def _text(data: object) -> str | None:
    return data if isinstance(data, str) and data else None
