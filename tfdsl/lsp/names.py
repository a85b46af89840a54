"""Walking the syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias, cast

from tfdsl.lsp.snapshot import Snapshot, unheard
from tfdsl.record import Record, replace
from tfdsl.semantics.derived import Derived, derive
from tfdsl.semantics.project import Program
from tfdsl.semantics.values import Data
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary.statements import INDEX, RESERVED_NAMES

Node: TypeAlias = Record
"""Any node of :mod:`tfdsl.syntax.ast` that has a ``span``."""


def span_of(node: Node) -> Span:
    """The place of a node."""
    return cast("Span", getattr(node, "span"))  # noqa: B009  (a field that all nodes have)


def children(node: Node) -> Iterator[Node]:
    """The nodes in a node, in the order of its fields."""
    evaluated = getattr(node, "pattern", None) is not None  # the name of a job: its text is no name to follow
    for field in type(node).__fields__:
        if evaluated and field == "name":
            continue
        value: object = getattr(node, field)
        if isinstance(value, Record):
            yield value
        elif isinstance(value, tuple) and field not in ("span", "word", "readonly", "pod", "unchecked"):
            for member in cast("tuple[object, ...]", value):
                if isinstance(member, Record):
                    yield member


def path_at(file: ast.File, offset: int) -> list[Node]:
    """The nodes around ``offset``, outermost first; the end of a node counts as inside it."""
    path: list[Node] = []
    level = cast("tuple[Node, ...]", file.declarations)
    while True:
        inner = [node for node in level if span_of(node).start <= offset <= span_of(node).end]
        if not inner:
            return path
        # Where one node ends and the next begins at once, the one that begins counts.
        chosen = max(inner, key=lambda node: span_of(node).start)
        path.append(chosen)
        level = tuple(children(chosen))


def walk(node: Node, ancestors: tuple[Node, ...] = ()) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """A node and all nodes in it, each with the nodes around it, outermost first."""
    todo: list[tuple[Node, tuple[Node, ...]]] = [(node, ancestors)]
    while todo:
        one, above = todo.pop()
        yield one, above
        inner = (*above, one)
        todo.extend((child, inner) for child in reversed(list(children(one))))


Space: TypeAlias = Literal["value", "template", "profile", "job", "role", "step", "axis"]
IN_JOBS: Final = ("role", "step", "axis")
"""The spaces whose names belong to a job."""


class Occurrence(Record):
    """A name at a place. ``owner``: of a role, a step or an axis, the job or ``template NAME`` around it."""

    space: Space
    name: str
    span: Span
    declares: bool = False
    owner: str = ""


def occurrences(file: ast.File) -> list[Occurrence]:
    """All names of a file in the order of the tree."""
    return [
        found for declaration in file.declarations for node, above in walk(declaration) for found in _at(node, above)
    ]


def _at(node: Node, above: Sequence[Node]) -> Iterator[Occurrence]:
    match node:
        case ast.Param() | ast.Let():
            yield Occurrence("value", node.name.text, node.name.span, True)
        case ast.Template():
            yield Occurrence("template", node.name.text, node.name.span, True)
        case ast.Profile():
            yield Occurrence("profile", node.name.text, node.name.span, True)
            yield from (Occurrence("value", setting.key.text, _inner(setting.key.span)) for setting in node.settings)
        case ast.Job() if node.pattern is None:
            yield Occurrence("job", node.name.text, _inner(node.name.span), True)
        case ast.FlowRun():
            named = (one for one in (node.job, *node.after) if isinstance(one, ast.Name))
            yield from (Occurrence("job", one.text, _inner(one.span)) for one in named)
        case ast.Ref() if node.name not in RESERVED_NAMES:
            yield Occurrence("value", node.name, node.span)
        case ast.Use():
            yield Occurrence("template", node.name.text, node.name.span)
        case _:
            yield from _of_job(node, above, _owner(above))


def _of_job(node: Node, above: Sequence[Node], owner: str) -> Iterator[Occurrence]:
    """The names that belong to the job or template ``owner``."""
    match node:
        case ast.Role():
            yield Occurrence("role", node.name.text, node.name.span, True, owner)
        case ast.Step() | ast.UnsetStep():
            yield Occurrence("step", node.name.text, _inner(node.name.span), isinstance(node, ast.Step), owner)
        case ast.Subject():
            yield Occurrence("role", node.role.text, node.role.span, False, owner)
        case ast.Member() if isinstance(node.base, ast.Ref) and node.base.name == "roles":
            yield Occurrence("role", node.name.text, node.name.span, False, owner)
        case ast.Matrix():
            yield from (Occurrence("axis", axis.key.text, _inner(axis.key.span), True, owner) for axis in node.axes)
        case ast.Member() if isinstance(node.base, ast.Ref) and node.base.name == "matrix" and node.name.text != INDEX:
            yield Occurrence("axis", node.name.text, node.name.span, False, owner)
        case ast.Assign() if node.key.text == "after" and isinstance(node.value, ast.ListExpr) and above:
            if isinstance(above[-1], ast.Role | ast.Template):
                yield from _after(node.value, owner)
        case _:
            pass


def _after(value: ast.ListExpr, owner: str) -> Iterator[Occurrence]:
    for item in value.items:
        if isinstance(item, ast.Str) and len(item.parts) == 1 and item.form == "string":
            name = item.parts[0]
            if isinstance(name, str) and _inner(item.span).text == name:
                yield Occurrence("role", name, _inner(item.span), False, owner)


def _inner(span: Span) -> Span:
    return Span(span.source, span.start + 1, span.end - 1) if span.text[:1] == '"' else span


def _owner(above: Sequence[Node]) -> str:
    top = above[0] if above else None
    if isinstance(top, ast.Template):
        return f"template {top.name.text}"
    return top.name.text if isinstance(top, ast.Job) else ""


# --- finding ---------------------------------------------------------------------------------------------------


def occurrence_at(snapshot: Snapshot, offset: int) -> Occurrence | None:
    """The name at ``offset``, its end included."""
    return next(
        (
            occurrence
            for occurrence in occurrences(snapshot.file)
            if occurrence.span.start <= offset <= occurrence.span.end
        ),
        None,
    )


def same(snapshot: Snapshot, chosen: Occurrence) -> list[Occurrence]:
    """All places of the name that ``chosen`` is one of, in all files of the workspace that it reaches."""
    if chosen.space in IN_JOBS:
        owners = related_owners(snapshot.program, chosen.owner)
        alike = (one for one in _in(snapshot.program.files) if (one.space, one.name) == (chosen.space, chosen.name))
        return [one for one in alike if one.owner in owners]
    files = (snapshot.file,) if chosen.space in ("job", "profile") else _files(snapshot, chosen)
    if chosen.space == "profile":
        files = snapshot.program.files
    return [one for one in _in(files) if one.space == chosen.space and one.name == chosen.name]


def declarations_of(snapshot: Snapshot, chosen: Occurrence) -> list[Occurrence]:
    """Where the name is declared."""
    if chosen.space in IN_JOBS:
        return [one for one in same(snapshot, chosen) if one.declares]
    files = snapshot.program.files
    return [one for one in _in(files) if one.declares and one.space == chosen.space and one.name == chosen.name]


def _in(files: Iterable[ast.File]) -> Iterator[Occurrence]:
    for file in files:
        yield from occurrences(file)


def _files(snapshot: Snapshot, chosen: Occurrence) -> tuple[ast.File, ...]:
    """The files that see the declaration of a name: all that are part of a program with it."""
    home = [occurrence.span.source.path for occurrence in declarations_of(snapshot, chosen)] or [snapshot.source.path]
    files = {file.source.path: file for file in snapshot.program.files}
    for program in snapshot.programs(home[0]):
        for file in program.files:
            files.setdefault(file.source.path, file)
    return tuple(files.values())


def related_owners(program: Program, owner: str) -> set[str]:
    """The jobs and templates that speak of the same roles and axes as ``owner``: joined by ``use``, over and over."""
    used: dict[str, set[str]] = {}
    nodes: list[ast.Job | ast.Template] = [*program.jobs, *program.templates.values()]
    for node in nodes:
        name = node.name.text if isinstance(node, ast.Job) else f"template {node.name.text}"
        used[name] = {f"template {one.name.text}" for one, _ in walk(node) if isinstance(one, ast.Use)}
    found, todo = {owner}, [owner]
    while todo:
        name = todo.pop()
        joined = used.get(name, set()) | {other for other, names in used.items() if name in names}
        fresh = joined - found
        found |= fresh
        todo += sorted(fresh)
    return found


Kind: TypeAlias = Literal["param", "let", "template", "profile", "job", "role", "target", "flow"]
_KINDS: dict[type[Record], Kind] = {
    ast.Param: "param",
    ast.Let: "let",
    ast.Template: "template",
    ast.Profile: "profile",
    ast.Job: "job",
    ast.Role: "role",
    ast.Target: "target",
    ast.Flow: "flow",
}


class Declared(Record):
    """One name. ``lower``: without case, as it is looked for."""

    name: str
    lower: str
    kind: Kind
    span: Span
    name_span: Span


def declared(file: ast.File) -> tuple[Declared, ...]:
    """The declarations of a text and those inside them, in its order."""
    return tuple(_all(file.declarations))


def _all(nodes: Iterable[ast.Declaration | ast.Item]) -> Iterator[Declared]:
    for node in nodes:
        if isinstance(
            node,
            ast.Param | ast.Let | ast.Template | ast.Profile | ast.Job | ast.Role | ast.Target | ast.Flow,
        ):
            name = node.name.text or "…"
            yield Declared(name, name.lower(), _KINDS[type(node)], node.span, node.name.span)
            if isinstance(node, ast.Template | ast.Job | ast.Role | ast.Target):
                yield from _all(node.items)


def matching(found: Iterable[Declared], query: str) -> Iterator[Declared]:
    """Those whose name holds the letters of ``query`` in their order."""
    # The first place of a letter is as good as any later one: without going back, nothing takes long.
    holds = re.compile("".join(f"(?>.*?{re.escape(letter)})" for letter in query.lower()), re.DOTALL).match
    return (one for one in found if holds(one.lower))


def jobs_of(snapshot: Snapshot, job: ast.Job) -> list[Derived]:
    """The jobs that the block ``job`` makes, those that have a name."""
    alone = replace(snapshot.program, jobs=(job,))
    return [derived for derived in derive(alone, snapshot.params, unheard) if derived.known]


def values_of(snapshot: Snapshot, job: ast.Job, axis: str) -> list[Data]:
    """The values of an axis of the matrix of ``job``; empty if it is wrong."""
    made = [one.combination.values for one in jobs_of(snapshot, job) if one.combination is not None]
    if not made or axis not in made[0]:
        return []
    return list({id(values[axis]): values[axis].data for values in made}.values())


def with_axis(program: Program, owner: str, axis: str) -> list[ast.Job]:
    """The jobs with this axis that ``owner``, a job or ``template NAME``, can speak of."""
    owners = related_owners(program, owner)
    return [job for job in program.jobs if job.name.text in owners and axis in axes_of(job)]


def axes_of(job: ast.Job) -> Sequence[str]:
    """The names of the axes of ``job``."""
    matrix = job.matrix
    return [axis.key.text for axis in matrix.axes] if matrix is not None else []
