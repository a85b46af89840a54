"""The map from the lines of an output file back to the source."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tfdsl.emit.written import Written
    from tfdsl.text import Span

VERSION: Final = 1


def source_map(written: Written, file: str, span_of: Callable[[str], Span]) -> str:
    """The text of ``FILE.map``, JSON::

        {"version": 1, "file": "mnist.yaml", "sources": ["mnist.tfjob"],
         "lines": [[12, 0, 9, 5], …]}

    Each entry of ``lines``: line of the output, index into ``sources``, line and column of the source, all but the
    index from 1. An output line that comes from no place in the source has no entry. ``span_of`` gives the best place
    for an IR path (:meth:`tfdsl.ir.fields.Origins.span`: the path itself, else what holds it).
    """
    sources: dict[str, int] = {}
    places: dict[str, tuple[int, int, int]] = {}
    entries: list[str] = []
    for number, path in enumerate(written.lines, 1):
        if path is None:
            continue
        place = places.get(path)
        if place is None:
            span = span_of(path)
            line, column = span.source.position(span.start)
            place = places[path] = (sources.setdefault(span.source.path, len(sources)), line, column)
        entries.append("    [{}, {}, {}, {}]".format(number, *place))
    head = f'"version": {VERSION},\n  "file": {json.dumps(file)},\n  "sources": {json.dumps(list(sources))}'
    lines = "[\n" + ",\n".join(entries) + "\n  ]" if entries else "[]"
    return f'{{\n  {head},\n  "lines": {lines}\n}}\n'
