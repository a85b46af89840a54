"""Where a key is in a TOML file; the parser of the standard library does not say.

It is enough for a settings file: it understands headers, plain and dotted keys, and quotes. A key inside an inline
table is searched for in the line of that table.
"""

from __future__ import annotations

import re
from typing import Final

from tfdsl.patterns import regex
from tfdsl.text import Source, Span

_PART: Final = r"[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*'"
_KEY: Final = regex(rf"(?:{_PART})(?:[ \t]*\.[ \t]*(?:{_PART}))*")
_HEADER: Final = regex(r"[ \t]*\[\[?[ \t]*")
_LINE: Final = regex(r"^.*$", re.MULTILINE)


def place_of(source: Source, path: tuple[str, ...]) -> Span:
    """The first occurrence of the key at ``path``, else its table, else the beginning of the file."""
    table: tuple[str, ...] = ()
    nearest = Span(source, 0, 0)
    reached = 0
    for line in _LINE.finditer(source.text):
        header = _HEADER.match(source.text, line.start(), line.end())
        start = header.end() if header else line.end() - len(line[0].lstrip(" \t"))
        key = _KEY.match(source.text, start, line.end())
        if key is None:
            continue
        parts = [(part[0].strip("\"'"), part.start(), part.end()) for part in re.finditer(_PART, key[0])]
        names = (*(() if header else table), *(name for name, _, _ in parts))
        table = names if header else table
        common = _common(names, path)
        if common > reached and common > len(names) - len(parts):
            _, at, end = parts[common - 1 - len(names)]
            nearest, reached = Span(source, key.start() + at, key.start() + end), common
            inner = None if header or common != len(names) else _inside(source, key.end(), line.end(), path[common:])
            nearest = inner or nearest
        if reached == len(path):
            break
    return nearest


def _common(names: tuple[str, ...], path: tuple[str, ...]) -> int:
    """How many parts ``names`` and ``path`` have in common at their beginning."""
    same = [one == other for one, other in zip(names, path, strict=False)]
    return same.index(False) if False in same else len(same)


def _inside(source: Source, start: int, end: int, rest: tuple[str, ...]) -> Span | None:
    """The last of ``rest`` in the inline table between ``start`` and ``end``."""
    if not rest:
        return None
    match = re.compile(rf"[{{,.][ \t]*[\"']?({re.escape(rest[-1])})[\"']?[ \t]*=").search(source.text, start, end)
    return Span(source, match.start(1), match.end(1)) if match is not None else None


def element_place(key: Span, text: str) -> Span:
    """Where the element ``text`` of the array of strings behind ``key`` is, without its quotes; else the key."""
    if not text:
        return key
    match = re.compile(rf"[\"']({re.escape(text)})[\"']").search(key.source.text, key.end)
    return Span(key.source, match.start(1), match.end(1)) if match is not None else key
