"""What ``tfdsl diff`` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.cli.streams import out_takes_colour
from tfdsl.comparing.comparison import Change, changes, value_texts
from tfdsl.comparing.lines import Hunk, Row, hunks
from tfdsl.compiling.masking import Hidden, hide
from tfdsl.diagnostics.render.columns import line_of
from tfdsl.diagnostics.render.json import dumped
from tfdsl.manifest.nodes import Node, plain
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.comparing.comparison import Result

_VERSION: Final = 1
_COLUMN: Final = 56
"""Where the places of changed lines begin, unless a line is longer."""
_COLOURS: Final = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m"}


def shown(results: Sequence[Result], names: tuple[str, str], hidden: Hidden, form: str) -> str:
    """The differences in one of the formats; in those for people nothing where nothing differs."""
    if form == "json":
        return _document(results, names, hidden)
    lines = [
        line for one in results if not one.same for line in (_summary if form == "summary" else _unified)(one, names)
    ]
    colour = form == "text" and out_takes_colour()
    return "".join(_line(hide(line, hidden), colour=colour) for line in lines)


def _line(line: str, *, colour: bool) -> str:
    text = line_of(line)
    start = _COLOURS.get(text[:1]) if colour else None
    return f"{text}\n" if start is None else f"{start}{text}\x1b[0m\n"


# --- a unified diff --------------------------------------------------------------------------------------------


def _unified(result: Result, names: tuple[str, str]) -> Iterator[str]:
    target = f"{result.target} {result.version}"
    yield f"--- {names[0]}: {result.first or 'no such job'} ({target})"
    yield f"+++ {names[1]}: {result.second or 'no such job'} ({target})"
    for one in result.compared.objects if result.compared is not None else ():
        for hunk in hunks(one.first, one.second):
            yield from _hunk(hunk, one.name)


def _hunk(hunk: Hunk, name: str) -> Iterator[str]:
    counts = [sum(row.sign != sign for row in hunk.rows) for sign in "+-"]
    yield f"@@ -{hunk.first},{counts[0]} +{hunk.second},{counts[1]} @@ {name}"
    yield from map(_row, hunk.rows)


def _row(row: Row) -> str:
    text = f"{row.sign}{row.line.text}"
    return text if row.sign == " " else f"{text:<{_COLUMN}}  # {_place(row.line.span)}"


def _place(span: Span) -> str:
    return f"{span.source.path}:{span.source.position(span.start)[0]}"


# --- a summary -------------------------------------------------------------------------------------------------


def _summary(result: Result, names: tuple[str, str]) -> Iterator[str]:
    if result.compared is None:
        yield f"{result.first or result.second} ({result.target}): only in {names[0] if result.first else names[1]}"
        return
    name = result.first if result.first == result.second else f"{result.first} → {result.second}"
    yield f"{name} ({result.target} {result.version})"
    several = len(result.compared.objects) > 1
    # a request and its limit come from one attribute; whose line it is, is said by the first of them
    lines: dict[tuple[str, str, str], str] = {}
    for change in changes(result.compared):
        key = (change.words or f"{change.object} {change.path}", *value_texts(change.first, change.second))
        lines.setdefault(key, f"  {_change(change, names, several=several)}")
    yield from lines.values()


def _change(change: Change, names: tuple[str, str], *, several: bool) -> str:
    if not change.path:
        return f"{change.object}: only in {names[0] if change.second is None else names[1]}"
    what = change.words or (f"{change.object} {change.path}" if several else change.path)
    places = ", ".join(dict.fromkeys(_place(node.span) for node in (change.first, change.second) if node is not None))
    first, second = value_texts(change.first, change.second)
    return f"{what} {first} → {second}  ({places})"


# --- JSON ------------------------------------------------------------------------------------------------------


def _document(results: Sequence[Result], names: tuple[str, str], hidden: Hidden) -> str:
    data = {
        "version": _VERSION,
        "same": all(result.same for result in results),
        "a": names[0],
        "b": names[1],
        "jobs": [_job(result, hidden) for result in results],
    }
    return dumped(data)


def _job(result: Result, hidden: Hidden) -> dict[str, object]:
    found = changes(result.compared) if result.compared is not None else []
    return {
        "a": result.first,
        "b": result.second,
        "target": result.target,
        "target_version": result.version,
        "same": result.same,
        "differences": [_difference(one, hidden) for one in found],
    }


def _difference(change: Change, hidden: Hidden) -> dict[str, object]:
    return {
        "object": change.object,
        "path": change.path,
        "words": change.words,
        "a": _side(change.first, hidden),
        "b": _side(change.second, hidden),
    }


def _side(node: Node | None, hidden: Hidden) -> dict[str, object] | None:
    """The value of one side and where it is from; ``null`` where the side has none."""
    if node is None:
        return None
    line, column = node.span.source.position(node.span.start)
    value: object = plain(node)
    if hidden.values:
        value = json.loads(hide(json.dumps(value, ensure_ascii=False), hidden))
    return {"value": value, "path": node.span.source.path, "line": line, "column": column}
