"""Names that an expression may use, and the members of the name before a dot."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.lsp.cursor import Cursor, Frame, Tok
from tfdsl.lsp.features.completion.item import Item
from tfdsl.syntax import ast
from tfdsl.vocabulary import attributes, functions
from tfdsl.vocabulary.statements import INDEX

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot

_MEMBERS = {
    "job": (("name", "Name of the job."), ("namespace", "Namespace of the job.")),
    "role": (("name", "Name of the role."), ("replicas", "Replicas of the role.")),
    "task": (("index", "Index of the task in its role; known at run time."),),
}
REFERENCES = ("secret", "configmap", "pod_field")
"""Functions whose value only some places take."""
_DECLARED = {"PARAM": "param", "LET": "let", "TEMPLATE": "template", "PROFILE": "profile"}


class Declared(tuple[str, str, str]):
    """Kind, name and the text of a declaration."""

    __slots__ = ()


def declared(snapshot: Snapshot, cursor: Cursor) -> list[Declared]:
    """The params, lets, templates and profiles of the text and of what it includes, each once."""
    found: dict[tuple[str, str], Declared] = {}
    for statement in cursor.frames[0].statements:
        if len(statement) > 1 and statement[0].type in _DECLARED:
            name = statement[1].text
            kind = _DECLARED[statement[0].type]
            found[kind, name] = Declared((kind, name, _line(snapshot, statement[0].start)))
    loaded = snapshot.loaded
    for file in loaded.files[1:] if loaded is not None else ():
        for one in file.declarations:
            if isinstance(one, ast.Param | ast.Let | ast.Template | ast.Profile):
                kind = type(one).__name__.lower()
                text = one.span.text.partition("\n")[0]
                found.setdefault((kind, one.name.text), Declared((kind, one.name.text, text)))
    return list(found.values())


def _line(snapshot: Snapshot, offset: int) -> str:
    source = snapshot.source
    return source.line(source.position(offset)[0]).strip()


def _submitter() -> str:
    known = enumeration(target.name for target in targets.every() if target.knows_submitter)
    return f"The user who submits the job; known at run time, on {known}."


def job_roles(cursor: Cursor) -> list[str]:
    """The roles that the job around the place has; in a template all that there are."""
    job = cursor.inside("job")
    if job is None:
        return list(attributes.ROLE_NAMES)
    named = set(block_names(job, "ROLE"))
    target = cursor.inside("target")
    named |= set(block_names(target, "ROLE")) if target is not None else set()
    return [name for name in attributes.ROLE_NAMES if name in named]


def block_names(frame: Frame, keyword: str) -> list[str]:
    """The words after ``keyword`` in the statements of a block, except the statement at the cursor."""
    return [words[1].text for words in frame.statements[:-1] if len(words) > 1 and words[0].type == keyword]


def names(snapshot: Snapshot, cursor: Cursor, *, references: Collection[str], run_time: bool) -> list[Item]:
    """What may begin an expression at the place.

    ``references``: the functions that give a value of the cluster and may; ``run_time``: values that are known when a
    task runs may.
    """
    own = [word.text for word in cursor.statement[:2]] if cursor.block.kind == "file" else []
    found = [
        Item(name, "param" if kind == "param" else "let", text, rank=2)
        for kind, name, text in declared(snapshot, cursor)
        if kind in ("param", "let") and [kind, name] != own
    ]
    found += [Item(f"matrix.{name}", "member", doc, rank=4) for name, doc in _axes(snapshot, cursor)]
    inside = cursor.inside("job") is not None or cursor.inside("template") is not None
    if inside and cursor.block.kind != "matrix":
        found += [Item("job.name", "member", "Name of the job.", rank=4)]
        found += [
            Item(f"roles.{role}.replicas", "member", f"Replicas of {role}.", rank=4) for role in job_roles(cursor)
        ]
        if cursor.block.kind in ("role", "template", "mount", "output"):
            found += [Item(f"role.{name}", "member", doc, rank=4) for name, doc in _MEMBERS["role"]]
        if run_time and cursor.where == "interpolation":
            found += [
                Item("task.index", "member", _MEMBERS["task"][0][1], rank=4),
                Item("env.", "member", "An environment variable of the task.", rank=4),
                Item("job.user", "member", _submitter(), rank=4),
            ]
    found += [
        Item(row.name, "function", row.signature, row.doc, f"{row.name}($1)", snippet=True, rank=6)
        for row in functions.FUNCTIONS
        if row.name in references or row.name not in REFERENCES
    ]
    return found


def members(snapshot: Snapshot, cursor: Cursor, before: Sequence[Tok]) -> list[Item]:
    """What may follow the dot that ``before`` ends with."""
    path = _path(before)
    if not path:
        return []
    base = path[0]
    if base == "roles":
        if len(path) == 1:
            return [Item(role, "role", attributes.ROLES_BY_NAME[role].doc) for role in job_roles(cursor)]
        return [Item("replicas", "member", f"Replicas of {path[1]}.")] if len(path) == 2 else []
    if base == "matrix":
        return [Item(name, "member", doc) for name, doc in _axes(snapshot, cursor)] if len(path) == 1 else []
    if len(path) == 1 and base in _MEMBERS:
        more = (("user", _submitter()),) if base == "job" and cursor.where == "interpolation" else ()
        return [Item(name, "member", doc) for name, doc in (*_MEMBERS[base], *more)]
    return [Item(key, "member") for key in _keys(snapshot, path)]


def _axes(snapshot: Snapshot, cursor: Cursor) -> list[tuple[str, str]]:
    """The members that ``matrix`` has at the place: in a template, those of all jobs."""
    job = cursor.inside("job")
    in_name = len(cursor.frames[0].statements[-1]) > 0 and cursor.frames[0].statements[-1][0].type == "JOB"
    if cursor.block.kind == "matrix" or not (job is not None or cursor.inside("template") is not None or in_name):
        return []
    program = snapshot.loaded or snapshot.program
    named = job.name.strip('"') if job is not None else None
    found: dict[str, str] = {}
    for node in program.jobs:
        matrix = node.matrix if named in (None, node.name.text) else None
        for axis in matrix.axes if matrix is not None else ():
            found.setdefault(axis.key.text, axis.span.text.partition("\n")[0])
    return [*found.items(), (INDEX, "Number of the job in its matrix, from 0.")] if found else []


def _path(before: Sequence[Tok]) -> list[str]:
    """``roles.worker.`` → ``roles``, ``worker``."""
    path: list[str] = []
    at = len(before) - 1
    while at >= 1 and before[at].type == "DOT":
        path.insert(0, before[at - 1].text)
        at -= 2
    return path


def _keys(snapshot: Snapshot, path: Sequence[str]) -> Iterable[str]:
    """Keys of the map that a let or param holds."""
    program = snapshot.loaded or snapshot.program
    value: object = None
    if path[0] in program.lets:
        value = program.lets[path[0]].value
    elif path[0] in program.params:
        value = program.params[path[0]].default
    for key in path[1:]:
        entries = value.entries if isinstance(value, ast.MapExpr) else ()
        value = next((entry.value for entry in entries if entry.key.text == key), None)
    return [entry.key.text for entry in value.entries] if isinstance(value, ast.MapExpr) else []
