"""Where the name or file at a place comes from."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.gc_pause import without_gc
from tfdsl.lsp.names import (
    IN_JOBS,
    Declared,
    Node,
    Occurrence,
    declarations_of,
    matching,
    occurrence_at,
    occurrences,
    path_at,
    related_owners,
    same,
    span_of,
    walk,
    with_axis,
)
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.record import Record
from tfdsl.rules.job import step_name
from tfdsl.semantics.project import Program
from tfdsl.syntax import ast, parse, parse_expression
from tfdsl.text import Source, Span
from tfdsl.vocabulary.attributes import ROLE_NAMES
from tfdsl.vocabulary.statements import INDEX, RESERVED_NAMES


def definition(snapshot: Snapshot, offset: int) -> list[Span]:
    """The declarations of the name at ``offset``; of an include the start of the file."""
    occurrence = occurrence_at(snapshot, offset)
    if occurrence is not None:
        return [one.span for one in declarations_of(snapshot, occurrence)]
    path = path_at(snapshot.file, offset)
    include = next((node for node in path if isinstance(node, ast.Include)), None)
    if include is not None:
        target = target_of(snapshot.source.origin, include)
        return [Span(file.source, 0, 0) for file in snapshot.program.files if file.source.path == target]
    return _word_of_the_language(path)


def target_of(origin: str | None, include: ast.Include) -> str | None:
    """The path of the file that an include of the file at ``origin`` names."""
    parts = include.path.parts
    if origin is None or not parts or not all(isinstance(part, str) for part in parts):
        return None
    name = "".join(part for part in parts if isinstance(part, str))
    if posixpath.isabs(name) or "\\" in name or "\0" in name:
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), name))


def _word_of_the_language(path: Sequence[Node]) -> list[Span]:
    """``job.name`` leads to the job's name, ``role.replicas`` to the role's ``replicas`` or its name."""
    member = next((node for node in reversed(path) if isinstance(node, ast.Member)), None)
    if member is None or not isinstance(member.base, ast.Ref):
        return []
    job = next((node for node in path if isinstance(node, ast.Job)), None)
    role = next((node for node in reversed(path) if isinstance(node, ast.Role)), None)
    owner = {"job": job, "role": role}.get(member.base.name)
    if owner is None:
        return []
    for item in owner.items:
        if isinstance(item, ast.Assign) and item.key.text == member.name.text:
            return [item.key.span]
    return [owner.name.span]


def references(snapshot: Snapshot, offset: int, *, declaration: bool) -> list[Span]:
    """Where the name at ``offset`` is used in the workspace. ``declaration``: and where it is declared."""
    chosen = occurrence_at(snapshot, offset)
    if chosen is None:
        return []
    return [one.span for one in same(snapshot, chosen) if declaration or not one.declares]


def highlight(snapshot: Snapshot, offset: int) -> list[Occurrence]:
    """The places of the name at ``offset`` in its text."""
    chosen = occurrence_at(snapshot, offset)
    if chosen is None:
        return []
    owners = related_owners(snapshot.program, chosen.owner) if chosen.space in IN_JOBS else {""}
    return [
        occurrence
        for occurrence in occurrences(snapshot.file)
        if (occurrence.space, occurrence.name) == (chosen.space, chosen.name) and occurrence.owner in owners
    ]


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
    if not any(place.declares for place in places):
        return f"{chosen.name} is not declared"
    if name == chosen.name:
        return []
    wrong = _wrong_name(snapshot, chosen, name)
    if wrong is not None:
        return wrong
    edits = list({(place.span.source.path, place.span.start): Edit(place.span, name) for place in places}.values())
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
    found = (occurrence for file in program.files for occurrence in occurrences(file))
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


_ESCAPED = frozenset('"\\$\n')
"""Characters that a text cannot have as they are. Paths with them are rare: their includes are left to the user."""


def moving(programs: Iterable[Program], moves: Mapping[str, str]) -> list[Edit]:
    """The edits of the texts as they are named now. ``moves``: old paths to new ones, of files or folders."""
    edits: dict[tuple[str, int], Edit] = {}
    for program in programs:
        for file in program.files:
            for node in file.declarations:
                edit = _edit(file, node, moves) if isinstance(node, ast.Include) else None
                if edit is not None:
                    edits[edit.span.source.path, edit.span.start] = edit
    return list(edits.values())


def _edit(file: ast.File, include: ast.Include, moves: Mapping[str, str]) -> Edit | None:
    origin = file.source.origin
    target = target_of(origin, include)
    if origin is None or target is None:
        return None
    place, wanted = _after(origin, moves), _after(target, moves)
    if posixpath.dirname(place) == posixpath.dirname(origin) and wanted == target:
        return None
    name = posixpath.relpath(wanted, posixpath.dirname(place))
    span = Span(include.path.span.source, include.path.span.start + 1, include.path.span.end - 1)
    return None if span.text == name or _ESCAPED.intersection(name) else Edit(span, name)


def _after(path: str, moves: Mapping[str, str]) -> str:
    """Where a file is after the moves; that of the innermost folder counts."""
    for old in sorted(moves, key=len, reverse=True):
        if path == old or path.startswith(f"{old}/"):
            return moves[old] + path[len(old) :]
    return path


Kind: TypeAlias = Literal["include", "param", "let", "template", "profile", "job", "role", "target", "mount", "output",
                          "policy", "block", "attribute", "flow", "run"]  # fmt: skip
MOST = 500
"""Symbols that one search gives."""


class Symbol(Record):
    """A declaration or a statement. ``span``: all of it; ``name_span``: what is selected."""

    name: str
    kind: Kind
    detail: str
    span: Span
    name_span: Span
    children: tuple[Symbol, ...] = ()


def outline(file: ast.File) -> list[Symbol]:
    """The symbols of a text in its order."""
    return list(_symbols(file.declarations))


@without_gc
def search(declared: Iterable[Iterable[Declared]], query: str) -> list[Symbol]:
    """The declarations and roles of files whose name holds the letters of ``query`` in their order."""
    symbols: list[Symbol] = []
    for one in (one for of_file in declared for one in matching(of_file, query)):
        symbols.append(Symbol(one.name, one.kind, "", one.span, one.name_span))
        if len(symbols) == MOST:
            break
    return symbols


def _symbols(nodes: Iterable[Node]) -> Iterator[Symbol]:
    for node in nodes:
        symbol = _symbol(node)
        if symbol is not None:
            yield symbol


def _symbol(node: Node) -> Symbol | None:
    match node:
        case ast.Include():
            return Symbol(node.path.span.text, "include", "", node.span, node.path.span)
        case ast.Param():
            return Symbol(node.name.text, "param", node.type.span.text, node.span, node.name.span)
        case ast.Let():
            return Symbol(node.name.text, "let", _short(node.value), node.span, node.name.span)
        case ast.Profile():
            return Symbol(node.name.text, "profile", "", node.span, node.name.span)
        case ast.Template() | ast.Job() | ast.Role() | ast.Target() | ast.Flow():
            kind = _BLOCKS[type(node).__name__]
            return Symbol(node.name.text or "…", kind, "", node.span, node.name.span, tuple(_symbols(node.items)))
        case ast.Step():
            name = f"{node.kind} {node.name.text or '…'}"
            return Symbol(name, "block", "", node.span, node.name.span, tuple(_symbols(node.items)))
        case ast.FlowRun():
            after = ", ".join(one.span.text for one in node.after)
            return Symbol(f"run {node.job.span.text}", "run", after and f"after {after}", node.span, node.job.span)
        case ast.Mount():
            return Symbol(f"mount {_short(node.path)}", "mount", node.kind.text, node.span, node.path.span)
        case ast.Output():
            return Symbol(f"output {_short(node.source)}", "output", "", node.span, node.source.span)
        case ast.Policy():
            name = " ".join(node.span.text.partition("=>")[0].split())
            return Symbol(name, "policy", node.action.text, node.span, node.event.span)
        case ast.Cluster() | ast.Build() | ast.Matrix():
            return Symbol(node.word.text, "block", "", node.span, node.word)
        case ast.Assign():
            return Symbol(node.key.text or "…", "attribute", _short(node.value), node.span, node.key.span)
        case _:
            return None


_BLOCKS: dict[str, Kind] = {"Template": "template", "Job": "job", "Role": "role", "Target": "target", "Flow": "flow"}


def _short(node: Node) -> str:
    text = " ".join(span_of(node).text.split())
    return text if len(text) <= 40 else f"{text[:39]}…"


def links(snapshot: Snapshot) -> list[tuple[Span, str]]:
    """The includes of a text that name a file, whether it is there or not, each with the path of the file."""
    includes = [node for node in snapshot.file.declarations if isinstance(node, ast.Include)]
    paths = [(node.path.span, target_of(snapshot.source.origin, node)) for node in includes]
    return [(Span(span.source, span.start + 1, span.end - 1), path) for span, path in paths if path is not None]
