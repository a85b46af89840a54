"""Renaming: a name is replaced wherever it is used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.lsp.matrices import with_axis
from tfdsl.lsp.occurrences import Occurrence, occurrence_at, occurrences, related_owners, same
from tfdsl.lsp.tree import walk
from tfdsl.rules.job import step_name
from tfdsl.syntax import ast, parse, parse_expression
from tfdsl.text import Source, Span
from tfdsl.vocabulary.attributes import ROLE_NAMES
from tfdsl.vocabulary.statements import INDEX, RESERVED_NAMES

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot
    from tfdsl.semantics.project import Program

_WORDS = {
    "value": "param or let",
    "template": "template",
    "profile": "profile",
    "job": "job",
    "role": "role",
    "step": "step",
    "axis": "axis",
}


def renamable(snapshot: Snapshot, offset: int) -> Span | None:
    """The name at ``offset``; ``None`` if nothing there can be renamed."""
    chosen = occurrence_at(snapshot, offset)
    if chosen is None or not any(one.declares for one in same(snapshot, chosen)):
        return None
    return chosen.span


def rename(snapshot: Snapshot, offset: int, name: str) -> list[Edit] | str:
    """The edits that rename the name at ``offset``, or why it cannot be renamed."""
    chosen = occurrence_at(snapshot, offset)
    if chosen is None:
        return "there is nothing to rename here"
    places = same(snapshot, chosen)
    if not any(one.declares for one in places):
        return f"{chosen.name} is not declared"
    if name == chosen.name:
        return []
    wrong = _wrong_name(snapshot, chosen, name)
    if wrong is not None:
        return wrong
    once = {(one.span.source.path, one.span.start): Edit(one.span, name) for one in places}
    edits = list(once.values())
    return edits if _keeps_sense(edits) else f"{name} cannot be the name of a {_WORDS[chosen.space]}"


def _wrong_name(snapshot: Snapshot, chosen: Occurrence, name: str) -> str | None:
    """Why ``name`` will not do."""
    if chosen.space == "role":
        if name not in ROLE_NAMES:
            return f"a role must be one of {', '.join(ROLE_NAMES)}"
        if name in _roles(snapshot.program, related_owners(snapshot.program, chosen.owner)):
            return f"there is a role {name} already"
        return None
    if chosen.space == "step":
        if step_name(name, "") is not None:
            return f"{name} cannot be the name of a step"
        owners = related_owners(snapshot.program, chosen.owner)
        return f"there is a step {name} already" if name in _steps(snapshot.program, owners) else None
    if chosen.space in ("value", "template", "axis"):
        expression, found = parse_expression(Source("", name))
        if found or not isinstance(expression, ast.Ref):
            return f"{name} is not a valid name"
        if chosen.space == "axis":
            return _wrong_axis(snapshot.program, chosen.owner, name)
        if name in RESERVED_NAMES:
            return f"{name} is a reserved word"
    for program in (snapshot.program, *snapshot.programs(snapshot.source.path)):
        if name in _declared(program, chosen.space):
            return f"there is a {_WORDS[chosen.space]} {name} already"
    return None


def _wrong_axis(program: Program, owner: str, name: str) -> str | None:
    if name == INDEX:
        return "matrix.index counts the jobs"
    return f"there is an axis {name} already" if with_axis(program, owner, name) else None


def _declared(program: Program, space: str) -> Iterable[str]:
    tables = {
        "value": [*program.params, *program.lets],
        "template": program.templates,
        "profile": program.profiles,
        "job": [job.name.text for job in program.jobs],
    }
    return tables[space]


def _roles(program: Program, owners: set[str]) -> set[str]:
    return {
        node.name.text
        for job in program.jobs
        if job.name.text in owners
        for node, _ in walk(job)
        if isinstance(node, ast.Role)
    }


def _steps(program: Program, owners: set[str]) -> set[str]:
    found = (one for file in program.files for one in occurrences(file))
    return {one.name for one in found if one.space == "step" and one.declares and one.owner in owners}


def _keeps_sense(edits: Iterable[Edit]) -> bool:
    """Whether the texts have no syntax error more than before."""
    by_source: dict[str, list[Edit]] = {}
    for edit in edits:
        by_source.setdefault(edit.span.source.path, []).append(edit)
    for found in by_source.values():
        source = found[0].span.source
        text = source.text
        for edit in sorted(found, key=lambda edit: edit.span.start, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        if len(parse(Source("", text)).diagnostics) > len(parse(source).diagnostics):
            return False
    return True
