"""Where names are declared and used: params and lets, templates, profiles, jobs, roles, steps and axes of a matrix.

Params and lets share one space of names, templates have their own. A role, a step and an axis belong to their job;
where the job uses templates, what they say of it belongs to it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.lsp.tree import Node, walk
from tfdsl.record import Record
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary.statements import INDEX, RESERVED_NAMES

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot
    from tfdsl.semantics.project import Program

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
    return [found for one in file.declarations for node, above in walk(one) for found in _at(node, above)]


def _at(node: Node, above: Sequence[Node]) -> Iterator[Occurrence]:
    match node:
        case ast.Param() | ast.Let():
            yield Occurrence("value", node.name.text, node.name.span, True)
        case ast.Template():
            yield Occurrence("template", node.name.text, node.name.span, True)
        case ast.Profile():
            yield Occurrence("profile", node.name.text, node.name.span, True)
            yield from (Occurrence("value", one.key.text, _inner(one.key.span)) for one in node.settings)
        case ast.Job() if node.pattern is None:
            yield Occurrence("job", node.name.text, _inner(node.name.span), True)
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
            yield from (Occurrence("axis", one.key.text, _inner(one.key.span), True, owner) for one in node.axes)
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
    """Without the quotes."""
    return Span(span.source, span.start + 1, span.end - 1) if span.text[:1] == '"' else span


def _owner(above: Sequence[Node]) -> str:
    top = above[0] if above else None
    if isinstance(top, ast.Template):
        return f"template {top.name.text}"
    return top.name.text if isinstance(top, ast.Job) else ""


# --- finding ---------------------------------------------------------------------------------------------------


def occurrence_at(snapshot: Snapshot, offset: int) -> Occurrence | None:
    """The name at ``offset``, its end included."""
    return next((one for one in occurrences(snapshot.file) if one.span.start <= offset <= one.span.end), None)


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
    home = [one.span.source.path for one in declarations_of(snapshot, chosen)] or [snapshot.source.path]
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
