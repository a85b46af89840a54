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
a number                  an object: the keys that it may have, with nodes
========================  ================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from tfdsl.emit.located import unwrap
from tfdsl.record import Record
from tfdsl.semantics.suggest import closest, listing
from tfdsl.semantics.values import Data, ListData, MapData, Value, a_kind
from tfdsl.syntax.patch_path import Key, Problem
from tfdsl.vocabulary.quantities import Duration, Quantity, Undecided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.emit import located
    from tfdsl.syntax.patch_path import Path
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


def load(folder: str, name: str) -> Schemas:
    """Read the schemas file ``name`` in ``folder``."""
    import json
    import os

    with open(os.path.join(folder, name), encoding="utf-8") as file:
        read = json.load(file)
    return Schemas(read["kinds"], tuple(read["types"]))


def kind_of(document: located.Data, file: str | None) -> str:
    """The name under which the schema of ``document`` is kept."""
    data = unwrap(document)
    if file is not None or not isinstance(data, Mapping):
        return file or ""
    kind, version = unwrap(data.get("kind")), unwrap(data.get("apiVersion"))
    full = f"{kind}.{str(version).partition('/')[0]}"
    return full if full == "Job.batch.volcano.sh" else str(kind)


def place(schemas: Schemas, kind: str, path: Path) -> Node | Problem | None:
    """What the schema asks for at ``path``; a problem at a step that it does not know; ``None`` where it is silent."""
    node = schemas.kinds.get(kind)
    for step in path.steps:
        if node is None or node == "a":
            return None
        if not isinstance(step, Key):
            node = node[1] if isinstance(node, list) and node[0] == "l" else None
        elif isinstance(node, int):
            known = schemas.types[node]
            if step.name not in known:
                near = closest(step.name, known)
                message = f"{kind} has no {step.name} here"
                return Problem(step.offset, step.end, message, (near,) if near is not None else ())
            node = known[step.name]
        elif isinstance(node, list) and node[0] == "m":
            node = node[1]
        else:
            return Problem(step.offset, step.end, f"this is {_wanted(node)}, which has no {step.name}")
    return node


def misfits(schemas: Schemas, node: Node, value: Value, *, appended: bool = False) -> Iterator[Misfit]:
    """What in ``value`` is not as ``node`` asks. ``appended``: ``+=``, where one item may stand for a list of one."""
    data = value.data
    if node == "a":
        return
    if isinstance(node, list) and node[0] == "l":
        if isinstance(data, ListData):
            for item in data.items:
                yield from misfits(schemas, node[1], item)
        elif appended:
            yield from misfits(schemas, node[1], value)
        else:
            yield _misfit(node, value)
    elif isinstance(node, int) or (isinstance(node, list) and node[0] == "m"):
        if isinstance(data, MapData):
            yield from _entries(schemas, node, data)
        else:
            yield _misfit(node, value)
    elif not _fits(node, data):
        yield _misfit(node, value)


def _entries(schemas: Schemas, node: Node, data: MapData) -> Iterator[Misfit]:
    for key, entry in data.entries.items():
        if isinstance(node, list):
            yield from misfits(schemas, node[1], entry.value)
            continue
        known = schemas.types[cast("int", node)]
        if key in known:
            yield from misfits(schemas, known[key], entry.value)
        else:
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
    return Misfit(value.span, f"this must be {_wanted(node)}, not {a_kind(value.data)}")


def _wanted(node: Node) -> str:
    if isinstance(node, int):
        return "a map"
    if isinstance(node, list):
        if node[0] == "e":
            return listing(f'"{word}"' for word in node[1:])
        return "a list" if node[0] == "l" else "a map"
    return _WORDS.get(node, "a value")
