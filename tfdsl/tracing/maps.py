"""Reading ``FILE.map``, which ``tfdsl compile --source-map`` writes beside an output (:mod:`tfdsl.emit.json`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from tfdsl.emit.json import VERSION
from tfdsl.record import Record


class Map(Record):
    """``lines``: line of the output → path, line and column of the source."""

    sources: tuple[str, ...]
    lines: Mapping[int, tuple[str, int, int]]


def parse(text: str) -> Map | str:
    """The map that ``text`` is, or why it is none."""
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON ({error})"
    if not isinstance(data, dict):
        return "it is not a JSON object"
    table = cast("dict[str, object]", data)
    if table.get("version") != VERSION or isinstance(table.get("version"), bool):
        return f"its version is not {VERSION}"
    sources, rows = table.get("sources"), table.get("lines")
    if not isinstance(sources, list) or not isinstance(rows, list):
        return "sources and lines must be lists"
    paths = [str(one) for one in cast("list[object]", sources)]
    lines: dict[int, tuple[str, int, int]] = {}
    for row in cast("list[object]", rows):
        numbers = _numbers(row)
        if numbers is None or numbers[1] >= len(paths):
            return "each of its lines must be four numbers: line, source, line, column"
        lines[numbers[0]] = paths[numbers[1]], numbers[2], numbers[3]
    return Map(tuple(paths), lines)


def _numbers(row: object) -> tuple[int, int, int, int] | None:
    values = cast("list[object]", row) if isinstance(row, list) else []
    numbers = [one for one in values if isinstance(one, int) and not isinstance(one, bool)]
    if len(values) != 4 or len(numbers) != 4 or numbers[1] < 0 or min(numbers[0], *numbers[2:]) < 1:
        return None
    return numbers[0], numbers[1], numbers[2], numbers[3]
