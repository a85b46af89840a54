"""A unified diff of two trees as YAML, with the place that each changed line comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.emit import yaml
from tfdsl.emit.located import Data, Located
from tfdsl.manifest.nodes import Mapping, Node, Scalar
from tfdsl.record import Record
from tfdsl.tracing.trace import blocks

if TYPE_CHECKING:
    from tfdsl.text import Span

CONTEXT: Final = 3
"""Lines without a change that are shown around one."""


class Line(Record):
    """A line of a tree as YAML, and the place of the value on it."""

    text: str
    span: Span


class Row(Record):
    """A line of a diff. ``sign``: ``-`` for the first side, ``+`` for the second, a blank for both."""

    sign: str
    line: Line


class Hunk(Record):
    """Rows that belong together. ``first``, ``second``: the number of their first line on each side, from 1."""

    first: int
    second: int
    rows: tuple[Row, ...]


def lines_of(node: Node | None) -> list[Line]:
    """``node`` as YAML."""
    if node is None:
        return []
    spans: list[Span] = []
    written = yaml.write([_data(node, spans)])
    texts = written.text.split("\n")
    return [
        Line(text, spans[int(path)] if path is not None else node.span)
        for text, path in zip(texts, written.lines, strict=False)
    ]


def _data(node: Node, spans: list[Span]) -> Data:
    value: Data
    if isinstance(node, Scalar):
        value = node.value
        if value is None:
            value = "null"
    elif isinstance(node, Mapping):
        value = {key: _data(entry.value, spans) for key, entry in node.entries.items()}
    else:
        value = [_data(item, spans) for item in node.items]
    spans.append(node.span)
    return Located(value, str(len(spans) - 1))


def hunks(first: Node | None, second: Node | None) -> list[Hunk]:
    """What differs, with a few lines around each change; empty where the lines are the same."""
    rows = list(_rows(lines_of(first), lines_of(second)))
    shown = _near(rows)
    found: list[Hunk] = []
    at = [1, 1]
    current: list[Row] = []
    begin = (1, 1)
    for row, show in zip(rows, shown, strict=True):
        if show and not current:
            begin = (at[0], at[1])
        if show:
            current.append(row)
        elif current:
            found.append(Hunk(*begin, tuple(current)))
            current = []
        at[0] += row.sign != "+"
        at[1] += row.sign != "-"
    return [*found, Hunk(*begin, tuple(current))] if current else found


def _rows(first: list[Line], second: list[Line]) -> Iterator[Row]:
    one = other = 0
    for start, there, length in (
        *blocks([line.text for line in first], [line.text for line in second]),
        (len(first), len(second), 0),
    ):
        yield from (Row("-", line) for line in first[one:start])
        yield from (Row("+", line) for line in second[other:there])
        yield from (Row(" ", line) for line in first[start : start + length])
        one, other = start + length, there + length


def _near(rows: list[Row]) -> list[bool]:
    """Whether each row is a change or near one."""
    shown = [False] * len(rows)
    for number, row in enumerate(rows):
        if row.sign != " ":
            for near in range(max(number - CONTEXT, 0), min(number + CONTEXT + 1, len(rows))):
                shown[near] = True
    return shown
