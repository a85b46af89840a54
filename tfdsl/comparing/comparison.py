"""Two sides, job by job and target by target, and what differs, in words and as lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence as Many
from typing import TYPE_CHECKING, Final

from tfdsl.backend import Backend, Document
from tfdsl.comparing.sides import Job, Manifest, Side, choices_of, jobs_of, path_of, projects_of, source_of
from tfdsl.compiling.output_files import places
from tfdsl.compiling.pipeline import Output
from tfdsl.diagnostics import Report
from tfdsl.diagnostics.command_rules import NOT_COMPARED, OTHER_TARGET
from tfdsl.emit import yaml
from tfdsl.emit.located import Data, Located
from tfdsl.importing.compare import At, Pair, differences, name_of, pairs, path_text, same
from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence, plain, tree
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Span
from tfdsl.tracing.trace import blocks

if TYPE_CHECKING:
    from tfdsl.backend.reading import Reading
    from tfdsl.ir.fields import Origins


# --- objects in the normal form of the target, those about the same thing side by side ---------------------------


class Compared(Record):
    """Two jobs of one name, object by object.

    ``left_out``: the objects that are not compared, because the other side is a manifest of one object alone: on the
    first side, on the second side. ``paths``: the IR path of the place of a value, by the identity of its span.
    """

    objects: tuple[Pair, ...]
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


def compare(job: Job, other: Job, backend: Backend) -> Compared:
    """The objects of two jobs, in normal form; of a target that writes files, file by file."""
    paths = Paths()
    reading = backend.load_reading() if backend.output == "stream" else None
    if reading is None:
        return Compared(tuple(_files(job, other, paths)), ((), ()), paths)
    first = tuple(reading.normal(_documents(job, paths), _version(job, other, backend)))
    second = tuple(reading.normal(_documents(other, paths), _version(other, job, backend)))
    first, second, left_out = _without_companions(job, other, first, second)
    if job.made is not None and other.made is None:
        second = _aligned(reading, second, first)
    else:
        first = _aligned(reading, first, second)
    return Compared(tuple(map(_in_order, pairs(first, second))), left_out, paths)


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
        return tuple(document.node for document in job.documents)
    return tuple(
        tree(document.data, _putting(paths, made, document))
        for document in made.documents
        if document.format in ("yaml", "json")
    )


def _putting(paths: Paths, made: Output, document: Document) -> Callable[[str], Span]:
    place_of = places(made, document)
    return lambda path: paths.put(*place_of(path))


def _files(job: Job, other: Job, paths: Paths) -> list[Pair]:
    first, second = _by_file(job, paths), _by_file(other, paths)
    return [_in_order(Pair(name, first.get(name), second.get(name))) for name in {**first, **second}]


def _by_file(job: Job, paths: Paths) -> dict[str, Node]:
    """The files of a job; a script is the list of its lines."""
    if job.made is None:
        return {name_of(manifest.node, number): manifest.node for number, manifest in enumerate(job.documents)}
    nodes: dict[str, Node] = {}
    for number, document in enumerate(job.made.documents):
        data: Data = document.data
        if isinstance(data, str):
            rows = data.split("\n")
            lines = document.lines or (None,) * len(rows)
            data = [Located(row, path) if path else row for row, path in zip(rows, (*lines, None), strict=False)]
        shown = tree(data, _putting(paths, job.made, document))
        nodes[document.file or name_of(shown, number)] = shown
    return nodes


def _in_order(pair: Pair) -> Pair:
    """``pair`` with the keys of both in the same order: that of the first, then those that only the second has."""
    if pair.first is None or pair.second is None:
        return pair
    return Pair(pair.name, pair.first, like(pair.second, pair.first))


def like(node: Node, other: Node | None) -> Node:
    """``node`` with its keys in the order of ``other``."""
    if isinstance(node, Mapping) and isinstance(other, Mapping):
        keys = [key for key in other.entries if key in node.entries]
        keys += [key for key in node.entries if key not in other.entries]
        entries = {key: node.entries[key] for key in keys}
        return Mapping(
            {key: Entry(key, entry.key_span, like(entry.value, other.get(key))) for key, entry in entries.items()},
            node.span,
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


# --- jobs and targets --------------------------------------------------------------------------------------------


class Result(Record):
    """Two jobs that were compared for a target; ``compared`` is ``None`` for a job that only one side has.

    ``first``, ``second``: the job's name on each side.
    """

    target: str
    version: str
    first: str | None
    second: str | None
    compared: Compared | None

    @property
    def same(self) -> bool:
        """Whether both sides were compared and nothing differs."""
        return self.compared is not None and all(same(pair.first, pair.second) for pair in self.compared.objects)


def targets_for(
    first: Side, second: Side, named: Many[Choice], place: Span, report: Report, allowed: Many[str] = ()
) -> list[Choice]:
    """The targets to compare for: those that are named, else of a manifest, else of the project, else of the blocks.

    None, with a report, where the sides cannot be compared. ``allowed``: folders outside of the root that settings may
    be in.
    """
    manifests = [(side, choices_of(side)) for side in (first, second) if isinstance(side, Manifest)]
    choices = list(named)
    for _, own in manifests:
        choices = choices or own
    choices = choices or [*projects_of(first, allowed)] or [*projects_of(second, allowed)]
    choices = choices or choices_of(first) or choices_of(second)
    for side, own in manifests:
        wrong = [choice for choice in choices if all(choice.backend is not other.backend for other in own)]
        if own and wrong:
            other = second if side is first else first
            shown = "the command line" if named else path_of(other)
            error = OTHER_TARGET(place, one=shown, target=wrong[0].backend.name, other=path_of(side))
            report(error.help(f"compare for the target of the manifest: -t {own[0].backend.name}"))
            return []
    return choices


def compared(
    sides: tuple[Side, Side],
    choices: Many[Choice],
    request: Request,
    report: Report,
    allowed: Many[str] = (),
) -> list[Result] | None:
    """Every job of two sides for every target; ``None`` with a report where a side has an error.

    ``allowed``: as for :func:`targets_for`.
    """
    results: list[Result] = []
    for choice in choices:
        jobs = [jobs_of(side, choice, request, report, allowed) for side in sides]
        if jobs[0] is None or jobs[1] is None:
            return None
        results += [_result(job, other, choice, sides, report) for job, other in _pairs(jobs[0], jobs[1])]
    return results


def _pairs(first: Many[Job], second: Many[Job]) -> list[tuple[Job | None, Job | None]]:
    """Jobs by name, in the order of the first side; the only job of each side is the same one in any case."""
    if len(first) == 1 and len(second) == 1:
        return [(first[0], second[0])]
    by_name = ({job.name: job for job in first}, {job.name: job for job in second})
    return [(by_name[0].get(name), by_name[1].get(name)) for name in {**by_name[0], **by_name[1]}]


def _result(one: Job | None, other: Job | None, choice: Choice, sides: tuple[Side, Side], report: Report) -> Result:
    made = next((job.made for job in (one, other) if job is not None and job.made is not None), None)
    version = made.unit.shown_version if made is not None else choice.version or choice.backend.default_version
    names = one.name if one is not None else None, other.name if other is not None else None
    compared = compare(one, other, choice.backend) if one is not None and other is not None else None
    for at, left_out in enumerate(compared.left_out if compared is not None else ()):
        if left_out and compared is not None:
            report(
                NOT_COMPARED(
                    Span(source_of(sides[at]), 0, 0),
                    objects=", ".join(left_out),
                    verb="is" if len(left_out) == 1 else "are",
                    one=path_of(sides[at]),
                    other=path_of(sides[1 - at]),
                    main=compared.objects[0].name if compared.objects else "one object",
                )
            )
    return Result(choice.backend.name, version, *names, compared)


# --- differences in the words of the language where they are known, else by the path in the document -------------


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
    return [change for pair in compared.objects for change in _of(pair, compared.paths)]


def _of(pair: Pair, paths: Paths) -> Iterator[Change]:
    if pair.first is None or pair.second is None:
        if pair.first is not None or pair.second is not None:
            yield Change(pair.name, "", None, pair.first, pair.second)
        return
    for difference in differences(pair.first, pair.second):
        for path, first, second in _items(difference.path, difference.wanted, difference.got):
            yield Change(pair.name, path_text(path), _words((second, first), paths), first, second)


def _items(
    path: tuple[At, ...], first: Node | None, second: Node | None
) -> Iterator[tuple[tuple[At, ...], Node | None, Node | None]]:
    """A difference, or of lists with as many items those of the items."""
    if not isinstance(first, Sequence) or not isinstance(second, Sequence) or len(first.items) != len(second.items):
        yield path, first, second
        return
    for number, (node, other) in enumerate(zip(first.items, second.items, strict=True)):
        for inner in differences(node, other):
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


CONTEXT: Final = 3
"""Lines without a change that are shown around one."""


# --- a unified diff of two trees as YAML, with the place that each changed line comes from -----------------------


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
    """``node`` as YAML, or the lines of a script as they are, each with its place; nothing without a node."""
    if node is None:
        return []
    if isinstance(node, Sequence):
        return [Line(str(item.value), item.span) for item in node.items if isinstance(item, Scalar)]
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
    result: list[Hunk] = []
    at = [1, 1]
    current: list[Row] = []
    begin = (1, 1)
    for row, show in zip(rows, shown, strict=True):
        if show and not current:
            begin = (at[0], at[1])
        if show:
            current.append(row)
        elif current:
            result.append(Hunk(*begin, tuple(current)))
            current = []
        at[0] += row.sign != "+"
        at[1] += row.sign != "-"
    return [*result, Hunk(*begin, tuple(current))] if current else result


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
