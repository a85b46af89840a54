"""Differences in the words of the language where they are known, else by the path in the document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.importing.compare import differences
from tfdsl.importing.residue import path_text
from tfdsl.manifest.nodes import Node, Scalar, Sequence, plain
from tfdsl.patterns import regex
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.comparing.objects import Compared, Object, Paths
    from tfdsl.importing.residue import At

_ROLE: Final = regex(r"roles\[([a-z]+)\]\.(.+)")
_WORD: Final = regex(r"[a-z_]+(?:\[[^\[\]]*\])?(?:\.(?:env|ports|resources)\[[^\[\]]*\])?")
LONGEST: Final = 80
"""Characters of a value in a summary."""


class Change(Record):
    """One difference. ``object``: whose; ``path``: where in it; ``words``: of the language, if they are known."""

    object: str
    path: str
    words: str | None
    first: Node | None
    second: Node | None


def changes(compared: Compared) -> list[Change]:
    """Every difference of two jobs."""
    return [change for one in compared.objects for change in _of(one, compared.paths)]


def _of(pair: Object, paths: Paths) -> Iterator[Change]:
    if pair.first is None or pair.second is None:
        if pair.first is not None or pair.second is not None:
            yield Change(pair.name, "", None, pair.first, pair.second)
        return
    for difference in differences(pair.first, pair.second):
        for path, first, second in _items(difference.path, difference.wanted, difference.got):
            words = _words((second, first), paths)
            yield Change(pair.name, path_text(path), words, first, second)


def _items(
    path: tuple[At, ...], first: Node | None, second: Node | None
) -> Iterator[tuple[tuple[At, ...], Node | None, Node | None]]:
    """A difference, or of lists with as many items those of the items."""
    if not isinstance(first, Sequence) or not isinstance(second, Sequence) or len(first.items) != len(second.items):
        yield path, first, second
        return
    for number, (one, other) in enumerate(zip(first.items, second.items, strict=True)):
        for inner in differences(one, other):
            yield from _items((*path, number, *inner.path), inner.wanted, inner.got)


def _words(nodes: tuple[Node | None, ...], paths: Paths) -> str | None:
    """``worker: replicas`` for a value that comes from one attribute."""
    for node in nodes:
        path = paths.path(node)
        words = spoken(path) if path is not None else None
        if words is not None:
            return words
    return None


def spoken(path: str) -> str | None:
    """An IR path as the language says it; ``None`` for what is no attribute."""
    from tfdsl.vocabulary import attributes

    match = _ROLE.fullmatch(path)
    name = match[2] if match is not None else path
    if _WORD.fullmatch(name) is None or name.partition("[")[0] not in attributes.BY_NAME:
        return None
    return f"{match[1]}: {name}" if match is not None else name


def value_texts(first: Node | None, second: Node | None) -> tuple[str, str]:
    """Two values for a summary, each on one line; of long ones the part that differs."""
    one, other = _value_text(first), _value_text(second)
    if max(len(one), len(other)) <= LONGEST:
        return one, other
    same = next((at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), 0)
    start = max(same - LONGEST // 4, 0) if same > LONGEST // 2 else 0
    return _cut(one, start), _cut(other, start)


def _cut(text: str, start: int) -> str:
    head = "…" if start else ""
    return f"{head}{text[start : start + LONGEST - 1]}…" if len(text) - start > LONGEST else f"{head}{text[start:]}"


def _value_text(node: Node | None) -> str:
    if node is None:
        return "nothing"
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value.isprintable() and node.value:
        return node.value
    return json.dumps(plain(node), ensure_ascii=False)
