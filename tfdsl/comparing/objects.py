"""The objects of two jobs in the normal form of their target, those about the same thing side by side."""

from __future__ import annotations

from collections.abc import Sequence as Many
from typing import TYPE_CHECKING

from tfdsl.emit.located import Data, Located
from tfdsl.importing.compare import name_of, pairs
from tfdsl.manifest.data import tree
from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence
from tfdsl.record import Record
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.backend import Backend
    from tfdsl.comparing.sides import Job
    from tfdsl.ir.fields import Origins
    from tfdsl.reading import Reading


class Object(Record):
    """An object of two jobs; one of them may not have it. ``name``: ``TFJob/mnist``, or the name of a file."""

    name: str
    first: Node | None
    second: Node | None


class Compared(Record):
    """Two jobs of one name, object by object.

    ``left_out``: the objects that are not compared, because the other side is a manifest of one object alone: on the
    first side, on the second side. ``paths``: the IR path of the place of a value, by the identity of its span.
    """

    objects: tuple[Object, ...]
    left_out: tuple[tuple[str, ...], tuple[str, ...]]
    paths: Paths


class Paths:
    """Where the values of compiled documents come from in the IR.

    A place can be that of several paths, so each value has a span of its own, which a normal form keeps.
    """

    def __init__(self) -> None:
        self._paths: dict[int, tuple[Span, str]] = {}

    def put(self, origins: Origins, path: str) -> Span:
        """A span like that of ``path`` that stands for it. A limit that is not written is what is asked for."""
        own = Span(*origins.span(path))
        asked = path.removesuffix("_limit")
        self._paths[id(own)] = own, path if origins.written(path) is not None else asked
        return own

    def path(self, node: Node | None) -> str | None:
        """The IR path of ``node``."""
        found = self._paths.get(id(node.span)) if node is not None else None
        return found[1] if found is not None else None


def compare(one: Job, other: Job, backend: Backend) -> Compared:
    """The objects of two jobs, in normal form; of a target that writes files, file by file."""
    paths = Paths()
    reading = backend.load_reading() if backend.output == "stream" else None
    if reading is None:
        return Compared(tuple(_files(one, other, paths)), ((), ()), paths)
    first = tuple(reading.normal(_documents(one, paths), _version(one, other, backend)))
    second = tuple(reading.normal(_documents(other, paths), _version(other, one, backend)))
    first, second, left_out = _without_companions(one, other, first, second)
    if one.made is not None and other.made is None:
        second = _aligned(reading, second, first)
    else:
        first = _aligned(reading, first, second)
    found = [Object(pair.name, pair.wanted, pair.got) for pair in pairs(first, second)]
    return Compared(tuple(_in_order(one) for one in found), left_out, paths)


def _version(job: Job, other: Job, backend: Backend) -> str:
    """The version that a job is for: a manifest is taken for one of that of the other side."""
    made = job.made or other.made
    return made.unit.version if made is not None else backend.default_version


def _aligned(reading: Reading, documents: Many[Node], written: Many[Node]) -> tuple[Node, ...]:
    return tuple(reading.aligned(documents, written)) if written else tuple(documents)


def _without_companions(
    one: Job, other: Job, first: tuple[Node, ...], second: tuple[Node, ...]
) -> tuple[tuple[Node, ...], tuple[Node, ...], tuple[tuple[str, ...], tuple[str, ...]]]:
    """Without what stands beside the main object where the other side is a manifest of that one alone.

    This is what ``kubectl get`` gives for one object.
    """
    left: list[tuple[str, ...]] = []
    for job, others in ((other, first), (one, second)):
        alone = job.made is None and len(job.documents) == 1
        left.append(tuple(name_of(node, number) for number, node in enumerate(others))[1:] if alone else ())
    return (first[:1] if left[0] else first), (second[:1] if left[1] else second), (left[0], left[1])


def _documents(job: Job, paths: Paths) -> tuple[Node, ...]:
    made = job.made
    if made is None:
        return tuple(one.node for one in job.documents)
    origins = made.unit.origins
    return tuple(
        tree(one.data, lambda path: paths.put(origins, path))
        for one in made.documents
        if one.format in ("yaml", "json")
    )


def _files(one: Job, other: Job, paths: Paths) -> list[Object]:
    first, second = _by_file(one, paths), _by_file(other, paths)
    found = [Object(name, first.get(name), second.get(name)) for name in {**first, **second}]
    return [_in_order(each) for each in found]


def _by_file(job: Job, paths: Paths) -> dict[str, Node]:
    """The files of a job; a script is the list of its lines."""
    if job.made is None:
        return {name_of(one.node, number): one.node for number, one in enumerate(job.documents)}
    origins = job.made.unit.origins
    found: dict[str, Node] = {}
    for number, document in enumerate(job.made.documents):
        data: Data = document.data
        if isinstance(data, str):
            rows = data.split("\n")
            lines = document.lines or (None,) * len(rows)
            data = [Located(row, path) if path else row for row, path in zip(rows, (*lines, None), strict=False)]
        shown = tree(data, lambda path: paths.put(origins, path))
        found[document.file or name_of(shown, number)] = shown
    return found


def _in_order(pair: Object) -> Object:
    """``pair`` with the keys of both in the same order: that of the first, then those that only the second has."""
    if pair.first is None or pair.second is None:
        return pair
    return Object(pair.name, pair.first, like(pair.second, pair.first))


def like(node: Node, other: Node | None) -> Node:
    """``node`` with its keys in the order of ``other``."""
    if isinstance(node, Mapping) and isinstance(other, Mapping):
        keys = [key for key in other.entries if key in node.entries]
        keys += [key for key in node.entries if key not in other.entries]
        entries = {key: node.entries[key] for key in keys}
        return Mapping(
            {key: Entry(key, one.key_span, like(one.value, other.get(key))) for key, one in entries.items()}, node.span
        )
    if isinstance(node, Sequence) and isinstance(other, Sequence):
        known = {name: item for item in other.items if (name := _known_by(item)) is not None}
        beside = [
            known.get(_known_by(item) or "") or (other.items[at] if at < len(other.items) else None)
            for at, item in enumerate(node.items)
        ]
        return Sequence(tuple(map(like, node.items, beside)), node.span)
    return node


def _known_by(item: Node) -> str | None:
    name = item.get("name") if isinstance(item, Mapping) else None
    return str(name.value) if isinstance(name, Scalar) else None
