"""JSON from document data, with the IR path of every line, and compact JSON for ``TF_CONFIG``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from json.encoder import encode_basestring, encode_basestring_ascii
from math import isfinite
from typing import Final

from tfdsl.emit.located import Data, Located, Written, plain, without_exponent
from tfdsl.patterns import regex
from tfdsl.text import Span
from tfdsl.vocabulary.quantities import Duration, Quantity

_INDENT: Final = "  "
_SURROGATE: Final = regex("[\ud800-\udfff]")


def write(document: Data) -> Written:
    r"""One JSON document: two spaces, one value per line, keys in the order given, text as it is (not ``\u`` escapes).

    Absent values are left out; an absent document gives an empty text. Raises ``ValueError`` for an infinite number or
    NaN, which JSON does not have.
    """
    lines: list[str] = []
    paths: list[str | None] = []
    path: str | None = None
    while isinstance(document, Located):
        document, path = document
    if document is None:
        return Written("", ())
    _put(lines, paths, "", "", document, path)
    lines.append("")
    return Written("\n".join(lines), tuple(paths))


def compact(data: Data, *, sort_keys: bool = False) -> str:
    """JSON on one line without blanks, ASCII only, so that it survives any shell, locale and environment."""
    return json.dumps(plain(data), separators=(",", ":"), sort_keys=sort_keys, allow_nan=False)


def scalar(value: Data) -> str:
    """A text, number or bool as JSON. Lone surrogates are escaped, so the result can always be encoded."""
    if isinstance(value, Quantity | Duration):
        value = value.text
    if isinstance(value, str):
        return encode_basestring_ascii(value) if _SURROGATE.search(value) else encode_basestring(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"JSON has no {value}")
        return without_exponent(value)
    raise TypeError(f"no document data: {type(value).__name__}")


def _put(lines: list[str], paths: list[str | None], head: str, indent: str, value: Data, path: str | None) -> None:
    """Append ``value`` after ``head`` (indentation and key), its closing bracket indented by ``indent``."""
    if isinstance(value, Mapping):
        entries: Sequence[tuple[str, Data]] = [(scalar(key) + ": ", item) for key, item in value.items()]
        brackets = "{}"
    elif isinstance(value, list | tuple):
        entries = [("", item) for item in value]
        brackets = "[]"
    else:
        lines.append(head + scalar(value))
        paths.append(path)
        return
    lines.append(head + brackets[0])
    paths.append(path)
    start = len(lines)
    inner = indent + _INDENT
    for name, item in entries:
        place = path
        while isinstance(item, Located):
            item, place = item
        if item is None:
            continue
        if len(lines) > start:
            lines[-1] += ","
        _put(lines, paths, inner + name, inner, item, place)
    if len(lines) == start:
        lines[-1] += brackets[1]
    else:
        lines.append(indent + brackets[1])
        paths.append(path)


# --- sourcemap ---
#
# The map from the lines of an output file back to the source.

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
