"""Checks of the values of patches against the schemas of documents (:class:`tfdsl.backend.patch_rules.Schemas`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tfdsl.backend.patch_rules import Node, Schemas, is_map
from tfdsl.diagnostics.suggest import closest, listing
from tfdsl.emit import located
from tfdsl.emit.located import unwrap
from tfdsl.record import Record
from tfdsl.semantics.values import Data, ListData, MapData, Value, a_kind
from tfdsl.syntax.patch_path import Key, Path, Problem
from tfdsl.text import Span
from tfdsl.vocabulary.quantities import Duration, Quantity, Undecided

_WORDS: Final = {"s": "a text", "i": "an int", "n": "a number", "b": "true or false", "x": "an int or a text"}


class Misfit(Record):
    """A value that does not fit, with its place in the source."""

    span: Span
    message: str
    suggestion: str | None = None


def kind_of(document: located.Data, file: str | None, schemas: Schemas | None) -> str:
    """The name under which the schema of ``document`` is kept: with its group where ``schemas`` tell groups apart."""
    data = unwrap(document)
    if file is not None or not isinstance(data, Mapping):
        return file or ""
    kind, version = unwrap(data.get("kind")), unwrap(data.get("apiVersion"))
    full = f"{kind}.{str(version).partition('/')[0]}"
    return full if schemas is not None and full in schemas.kinds else str(kind)


def place(schemas: Schemas, kind: str, path: Path, *, unchecked: bool = False) -> Node | Problem | None:
    """What the schema asks for at ``path``; a problem at a step that it does not know; ``None`` where it is silent.

    ``unchecked``: it is silent about fields that it does not know.
    """
    node = schemas.kinds.get(kind)
    for step in path.steps:
        if node is None or node == "a":
            return None
        if not isinstance(step, Key):
            node = node[1] if isinstance(node, list) and node[0] == "l" else None
        elif is_map(node):
            below = schemas.below(node, step.name)
            if below is None:
                return None if unchecked else _unknown(kind, step, schemas.keys(node))
            node = below
        else:
            return Problem(step.offset, step.end, f"this is {_wanted(node)}, which has no {step.name}")
    return node


def _unknown(kind: str, step: Key, known: Iterable[str]) -> Problem:
    near = closest(step.name, known)
    return Problem(step.offset, step.end, f"{kind} has no {step.name} here", (near,) if near is not None else ())


def misfits(
    schemas: Schemas, node: Node, value: Value, *, appended: bool = False, unchecked: bool = False
) -> Iterator[Misfit]:
    """What in ``value`` is not as ``node`` asks.

    ``appended``: ``+=``, where one item may stand for a list of one. ``unchecked``: unknown fields are let through.
    """
    data = value.data
    if node == "a":
        return
    if isinstance(node, list) and node[0] == "l":
        if isinstance(data, ListData):
            for item in data.items:
                yield from misfits(schemas, node[1], item, unchecked=unchecked)
        elif appended:
            yield from misfits(schemas, node[1], value, unchecked=unchecked)
        else:
            yield _misfit(node, value)
    elif is_map(node):
        if isinstance(data, MapData):
            for key, entry in data.entries.items():
                below = schemas.below(node, key)
                if below is not None:
                    yield from misfits(schemas, below, entry.value, unchecked=unchecked)
                elif not unchecked:
                    yield Misfit(entry.key_span, f"there is no {key} here", closest(key, schemas.keys(node)))
        else:
            yield _misfit(node, value)
    elif not _fits(node, data):
        yield _misfit(node, value)


def _fits(node: Node, data: Data) -> bool:
    if isinstance(node, list):
        return isinstance(data, str) and data in node[1:]
    whole = isinstance(data, int) and not isinstance(data, bool)
    amount = isinstance(data, Quantity | Duration | Undecided)  # written as text
    return {
        "s": isinstance(data, str) or amount,
        "i": whole,
        "n": whole or a_kind(data) == "a number",
        "b": isinstance(data, bool),
        "x": whole or isinstance(data, str) or amount,
    }.get(str(node), True)


def _misfit(node: Node, value: Value) -> Misfit:
    data = value.data
    if isinstance(node, list) and node[0] == "e" and isinstance(data, str):
        words = [str(word) for word in node[1:]]
        return Misfit(value.span, f"this must be {_wanted(node)}, not {data!r}", closest(data, words))
    return Misfit(value.span, f"this must be {_wanted(node)}, not {a_kind(data)}")


def _wanted(node: Node) -> str:
    if isinstance(node, int):
        return "a map"
    if isinstance(node, list):
        if node[0] == "e":
            return listing(f'"{word}"' for word in node[1:])
        return "a list" if node[0] == "l" else "a map"
    return _WORDS.get(node, "a value")
