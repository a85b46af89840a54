"""Compact schemas of documents, with which the values of patches are checked.

A schemas file is JSON: ``kinds`` maps a kind (``Job``, or ``Job.batch.volcano.sh`` where two groups have one, or
the name of a file) to a node, ``types`` is a list of objects that nodes refer to by number. A node is

========================  ================================================
``"s" "i" "n" "b"``       text, int, number, bool
``"x"``                   an int or a text (quantities, ports)
``"a"``                   anything
``["e", "A", "B"]``       one of these texts
``["l", node]``           a list
``["m", node]``           a map from any text
``["k", number, "A."]``   an object that may also have texts under keys
                          that begin with one of these prefixes
a number                  an object: the keys that it may have, with nodes
========================  ================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from tfdsl.diagnostics.suggest import closest, listing
from tfdsl.emit import located
from tfdsl.emit.located import unwrap
from tfdsl.patch.path import Key, Path, Problem
from tfdsl.record import Record
from tfdsl.semantics.values import Data, ListData, MapData, Value, a_kind
from tfdsl.vocabulary.quantities import Duration, Quantity, Undecided

if TYPE_CHECKING:
    from tfdsl.text import Span

Node: TypeAlias = str | int | list["Node"]

_WORDS: Final = {"s": "a text", "i": "an int", "n": "a number", "b": "true or false", "x": "an int or a text"}


class Schemas(Record):
    """The schemas of a family of targets."""

    kinds: Mapping[str, Node]
    types: tuple[Mapping[str, Node], ...]


class Misfit(Record):
    """A value that does not fit, with its place in the source."""

    span: Span
    message: str
    suggestion: str | None = None


@cache
def load(folder: str, name: str) -> Schemas:
    """Read the schemas file ``name`` in ``folder``, once: it is part of the program."""
    import json
    import os

    with open(os.path.join(folder, name), encoding="utf-8") as file:
        read = json.load(file)
    return Schemas(read["kinds"], tuple(read["types"]))


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
        elif isinstance(node, int):
            known = schemas.types[node]
            if step.name not in known:
                return None if unchecked else _unknown(kind, step, known)
            node = known[step.name]
        elif isinstance(node, list) and node[0] == "m":
            node = node[1]
        elif isinstance(node, list) and node[0] == "k":
            known = _keys(schemas, node)
            if not _is_key(node, known, step.name):
                return None if unchecked else _unknown(kind, step, known)
            node = known.get(step.name, "s")
        else:
            return Problem(step.offset, step.end, f"this is {_wanted(node)}, which has no {step.name}")
    return node


def _unknown(kind: str, step: Key, known: Iterable[str]) -> Problem:
    near = closest(step.name, known)
    return Problem(step.offset, step.end, f"{kind} has no {step.name} here", (near,) if near is not None else ())


def _keys(schemas: Schemas, node: list[Node]) -> Mapping[str, Node]:
    """The keys that a ``"k"`` node names."""
    return schemas.types[cast("int", node[1])]


def _is_key(node: list[Node], known: Mapping[str, Node], key: str) -> bool:
    return key in known or key.startswith(tuple(str(prefix) for prefix in node[2:]))


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
    elif isinstance(node, int) or (isinstance(node, list) and node[0] in ("m", "k")):
        if isinstance(data, MapData):
            yield from _entries(schemas, node, data, unchecked=unchecked)
        else:
            yield _misfit(node, value)
    elif not _fits(node, data):
        yield _misfit(node, value)


def _entries(schemas: Schemas, node: int | list[Node], data: MapData, *, unchecked: bool) -> Iterator[Misfit]:
    for key, entry in data.entries.items():
        if isinstance(node, list) and node[0] == "m":
            yield from misfits(schemas, node[1], entry.value, unchecked=unchecked)
            continue
        known = schemas.types[node] if isinstance(node, int) else _keys(schemas, node)
        if key in known:
            yield from misfits(schemas, known[key], entry.value, unchecked=unchecked)
        elif isinstance(node, list) and _is_key(node, known, key):
            yield from misfits(schemas, "s", entry.value)
        elif not unchecked:
            yield Misfit(entry.key_span, f"there is no {key} here", closest(key, known))


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
