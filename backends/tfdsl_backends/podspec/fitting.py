"""What of a manifest the API server drops or refuses, as the schemas say with which patches are checked.

The server drops a field that its schema does not know (and refuses it where the client asks for strict validation, as
``kubectl`` does today), and refuses a value of another type. A null is as good as nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from tfdsl.manifest import nodes
from tfdsl.manifest.nodes import Mapping, Scalar, Sequence
from tfdsl.record import Record, replace
from tfdsl_backends.podspec import SCHEMAS

if TYPE_CHECKING:
    from tfdsl.text import Span

Path: TypeAlias = tuple[str | int, ...]
Node: TypeAlias = str | int | list["Node"]
"""A node of a schema, in the notation of ``tfdsl.patch.schema``."""

_WANTED: Final = {
    "s": "a text",
    "i": "a whole number",
    "n": "a number",
    "b": "true or false",
    "x": "a number or a text",
}


class Schemas(Record):
    """The schemas of a family: kind → node, and the objects that nodes refer to by number."""

    kinds: dict[str, Node]
    types: list[dict[str, Node]]


@cache
def schemas() -> Schemas:
    """The schemas of the family, read once."""
    import json

    with open(SCHEMAS, encoding="utf-8") as file:
        read = json.load(file)
    return Schemas(read["kinds"], read["types"])


class Unfit(Record):
    """A part of a manifest that is not as the schema asks.

    ``span``: of its key, for a field that the server does not know (``unknown``), else of its value. ``wanted``: what
    the value should be; nothing for an unknown field.
    """

    path: Path
    span: Span
    wanted: str = ""

    @property
    def unknown(self) -> bool:
        """Whether the server drops it, and does not refuse it."""
        return not self.wanted

    @property
    def name(self) -> str:
        """The path in words: ``spec.runPolicy.cleanPodPolicy``."""
        return dotted(self.path)


def dotted(path: Path) -> str:
    """A path as people write it: ``spec.containers[0].image``."""
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return words.removeprefix(".")


def unfit(document: nodes.Node, kind: str) -> Iterator[Unfit]:
    """The parts of ``document`` that do not fit the schema of ``kind``, the outermost of each, in their order."""
    yield from _unfit(schemas().kinds[kind], document, ())


def pruned(document: nodes.Node, kind: str) -> nodes.Node:
    """``document`` without the fields that the server drops."""
    paths = frozenset(one.path for one in unfit(document, kind) if one.unknown)
    return _without(document, paths, ()) if paths else document


def _without(node: nodes.Node, paths: frozenset[Path], path: Path) -> nodes.Node:
    if isinstance(node, Mapping):
        entries = {
            key: replace(entry, value=_without(entry.value, paths, (*path, key)))
            for key, entry in node.entries.items()
            if (*path, key) not in paths
        }
        return Mapping(entries, node.span)
    if isinstance(node, Sequence):
        items = (_without(item, paths, (*path, number)) for number, item in enumerate(node.items))
        return Sequence(tuple(items), node.span)
    return node


def _unfit(wanted: Node, node: nodes.Node, path: Path) -> Iterator[Unfit]:
    if wanted == "a" or (isinstance(node, Scalar) and node.value is None):
        return
    if isinstance(wanted, list) and wanted[0] == "l":
        if isinstance(node, Sequence):
            for number, item in enumerate(node.items):
                yield from _unfit(wanted[1], item, (*path, number))
        else:
            yield Unfit(path, node.span, "a list")
    elif isinstance(wanted, int) or (isinstance(wanted, list) and wanted[0] in ("m", "k")):
        if isinstance(node, Mapping):
            yield from _entries(wanted, node, path)
        else:
            yield Unfit(path, node.span, "a map")
    elif not _fits(wanted, node):
        yield Unfit(path, node.span, _wanted(wanted))


def _entries(wanted: int | list[Node], node: Mapping, path: Path) -> Iterator[Unfit]:
    for key, entry in node.entries.items():
        below = _of_key(wanted, key)
        if below is None:
            yield Unfit((*path, key), entry.key_span)
        else:
            yield from _unfit(below, entry.value, (*path, key))


def _of_key(wanted: int | list[Node], key: str) -> Node | None:
    """The schema of the value of ``key``; ``None`` where there is no such field."""
    if isinstance(wanted, int):
        return schemas().types[wanted].get(key)
    if wanted[0] == "m":
        return wanted[1]
    number = wanted[1]
    known = schemas().types[number].get(key) if isinstance(number, int) else None
    if known is None and key.startswith(tuple(str(prefix) for prefix in wanted[2:])):
        return "s"
    return known


def _fits(wanted: Node, node: nodes.Node) -> bool:
    if not isinstance(node, Scalar):
        return False
    value = node.value
    if isinstance(wanted, list):
        return isinstance(value, str) and value in wanted[1:]
    whole = (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, float) and value.is_integer()
    )
    return {
        "s": isinstance(value, str),
        "i": whole,
        "n": isinstance(value, int | float) and not isinstance(value, bool),
        "b": isinstance(value, bool),
        "x": isinstance(value, int | float | str) and not isinstance(value, bool),
    }.get(str(wanted), True)


def _wanted(wanted: Node) -> str:
    if isinstance(wanted, list):
        return " or ".join(f'"{word}"' for word in wanted[1:])
    return _WANTED.get(str(wanted), "another value")
