"""What the word under the pointer means, and what becomes of its line on each target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.lsp.conditions import value_of
from tfdsl.lsp.fates import Fate, fates, keys_of
from tfdsl.lsp.markdown import code, fenced, plain
from tfdsl.lsp.matrices import values_of, with_axis
from tfdsl.lsp.shown import shown
from tfdsl.lsp.tree import Node, path_at, span_of
from tfdsl.record import Record
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes, functions, statements, versions
from tfdsl.vocabulary.types import describe

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot


class Hover(Record):
    """Markdown about the text at ``span``."""

    span: Span
    text: str


def hover(snapshot: Snapshot, offset: int) -> Hover | None:
    """What there is to say about the word at ``offset``."""
    path = path_at(snapshot.file, offset)
    for at in range(len(path) - 1, -1, -1):
        text = _about(snapshot, path[: at + 1])
        if text:
            return Hover(span_of(path[at]), snapshot.masked(text))
        node = path[at]
        if isinstance(node, ast.Patch):
            return Hover(node.path.span, _patch(node))
        word = _word(snapshot, path[: at + 1])
        if word is not None:
            return word
        if isinstance(path[at], ast.Mount | ast.Output | ast.Policy):
            text = _table(snapshot, path[: at + 1])
            return Hover(span_of(path[at]), snapshot.masked(text)) if text else None
        if isinstance(node, ast.Step) and offset <= node.name.span.end:
            return Hover(node.name.span, snapshot.masked(_step(snapshot, path[: at + 1])))
        if isinstance(path[at], ast.Assign | ast.Step | ast.Role | ast.Job | ast.Target):
            return None
    return None


def _step(snapshot: Snapshot, path: Sequence[Node]) -> str:
    node = path[-1]
    assert isinstance(node, ast.Step)
    about = f"```\n{node.kind} NAME {{ … }}\n```\n{statements.STEPS[node.kind]}"
    return _with_table(snapshot, about, path, node.name.span)


def _patch(node: ast.Patch) -> str:
    form, doc = statements.PATCHES["unpatch" if node.op == "remove" else "patch"]
    return f"```\n{form}\n```\n{doc}"


def _word(snapshot: Snapshot, path: Sequence[Node]) -> Hover | None:
    """About a condition, with its value, ``unset`` and ``matrix``; the place is the keyword."""
    node, value = path[-1], None
    if isinstance(node, ast.Condition):
        word, value = "when", value_of(snapshot, path)
    elif isinstance(node, ast.Matrix):
        word = "matrix"
    elif isinstance(node, ast.UNSET):
        word = "unset"
    else:
        return None
    span = span_of(node)
    about = _described(word)
    if value is not None:
        about += f"\n\nValue: {'`true`' if value else '`false`: the item is absent'}"
    return Hover(Span(span.source, span.start, span.start + len(word)), about)


def _described(word: str) -> str:
    form, doc = statements.WORDS[word]
    return f"```\n{form}\n```\n{doc}"


def _about(snapshot: Snapshot, path: Sequence[Node]) -> str:
    node = path[-1]
    owner = path[-2] if len(path) > 1 else None
    if isinstance(node, ast.Ref) and node.name == "matrix":
        return _described("matrix")
    if isinstance(node, ast.Ref):
        return _global(snapshot, node.name)
    if not isinstance(node, ast.Name) or owner is None:
        return ""
    if isinstance(owner, ast.Assign) and owner.key is node:
        return _key(snapshot, path)
    return _name(snapshot, node, owner, path)


def _name(snapshot: Snapshot, node: ast.Name, owner: Node, path: Sequence[Node]) -> str:
    match owner:
        case ast.Role() | ast.Subject():
            row = attributes.ROLES_BY_NAME.get(node.text)
            return f"**{row.name}** role\n\n{row.doc}" if row is not None else ""
        case ast.Target():
            return _target(node.text)
        case ast.Use():
            template = snapshot.program.templates.get(node.text)
            return _source("template", template.span) if template is not None else ""
        case ast.Mount():
            kind = statements.MOUNTS_BY_NAME.get(node.text)
            about = f"**{kind.name}** kind of mount\n\n{kind.doc}\n\nSource: {kind.source_doc}" if kind else ""
            return _with_table(snapshot, about, path[:-1])
        case ast.Event() | ast.Policy():
            return _with_table(snapshot, _policy_word(node.text), [part for part in path if not _inner(part)])
        case ast.Call():
            function = functions.BY_NAME.get(node.text)
            return f"```\n{function.signature}\n```\n{function.doc}" if function is not None else ""
        case ast.Param() | ast.Let():
            return _global(snapshot, node.text)
        case ast.Member() if isinstance(owner.base, ast.Ref) and owner.base.name == "matrix":
            return _axis(snapshot, node.text, path[0])
        case ast.Template():
            return _source("template", owner.span)
        case _:
            return ""


def _inner(node: Node) -> bool:
    return isinstance(node, ast.Name | ast.Event)


def _policy_word(word: str) -> str:
    for event in statements.EVENTS:
        if event.name == word:
            return f"**{event.name}** event\n\n{event.doc}\n\nActions: {', '.join(event.actions)}"
    for action in statements.ACTIONS:
        if action.name == word:
            return f"**{action.name}** action\n\n{action.doc}"
    return ""


def _target(name: str) -> str:
    backend = targets.find(name)
    if backend is None:
        return ""
    lines = [f"**{backend.name}** target: {backend.title}", f"Versions: {', '.join(backend.versions)}"]
    lines += [f"- `{option.name}` {describe(option.type)}. {option.doc}" for option in backend.options]
    return "\n\n".join(lines[:2]) + "\n\n" + "\n".join(lines[2:])


# --- keys ------------------------------------------------------------------------------------------------------


def _key(snapshot: Snapshot, path: Sequence[Node]) -> str:
    """About the name before a ``=``."""
    assign = path[-2]
    assert isinstance(assign, ast.Assign)
    name = assign.key.text
    owner = path[-3] if len(path) > 2 else None
    match owner:
        case ast.Profile():
            return _global(snapshot, name)
        case ast.Matrix():
            return _axis(snapshot, name, path[0])
        case ast.Job() | ast.Role() | ast.Template():
            return _attribute(snapshot, path)
        case ast.Step():
            return _attribute(snapshot, path) if name in statements.STEP_ATTRIBUTES[owner.kind] else ""
        case ast.Target():
            return _option(owner.name.text, name) or _attribute(snapshot, path)
        case ast.Mount() | ast.Output() | ast.Cluster() | ast.Build() | ast.Param():
            return _setting(owner, name)
        case _:
            return ""


def _attribute(snapshot: Snapshot, path: Sequence[Node]) -> str:
    assign = path[-2]
    assert isinstance(assign, ast.Assign)
    row = attributes.BY_NAME.get(assign.key.text)
    if row is None:
        return ""
    where = {"job": "job", "role": "role", "both": "job, role", "each": "job, role"}[row.where]
    about = f"**{row.name}** ({where}) {code(describe(row.type))}\n\n{row.doc}\n\nDefault: {row.default}"
    return _with_table(snapshot, about, path[:-1])


def _option(target: str, name: str) -> str:
    backend = targets.find(target)
    if backend is None:
        return ""
    if name == "version":
        doc = versions.described(backend.versions)
        return f"**version** of {backend.name}\n\n{doc} The default is {backend.default_version}."
    for option in backend.options:
        if option.name == name:
            default = "computed" if option.default is None else f"`{option.default}`"
            kind = code(describe(option.type))
            return f"**{name}** option of {backend.name}, {kind}\n\n{option.doc}\n\nDefault: {default}"
    return ""


_SETTINGS = {
    "Output": statements.OUTPUT_OPTIONS,
    "Cluster": statements.CLUSTER,
    "Build": statements.BUILD,
    "Param": statements.PARAM_SETTINGS,
}


def _setting(owner: Node, name: str) -> str:
    if isinstance(owner, ast.Mount):
        kind = statements.MOUNTS_BY_NAME.get(owner.kind.text)
        rows = kind.options if kind is not None else ()
    else:
        rows = _SETTINGS[type(owner).__name__]
    row = next((row for row in rows if row.name == name), None)
    if row is None:
        return ""
    return f"**{row.name}** {code(describe(row.type)) if row.type is not None else ''}\n\n{row.doc}"


# --- a matrix --------------------------------------------------------------------------------------------------


def _axis(snapshot: Snapshot, name: str, around: Node) -> str:
    """About ``matrix.name``, in the jobs that use the template ``around`` or in the job that it is."""
    if not isinstance(around, ast.Job | ast.Template):
        return ""
    owner = around.name.text if isinstance(around, ast.Job) else f"template {around.name.text}"
    if name == statements.INDEX:
        return "**matrix.index**: the number of the job among those of its matrix, from 0."
    lines: list[str] = []
    for job in with_axis(snapshot.program, owner, name)[:_MOST_JOBS]:
        texts = [code(text) for value in values_of(snapshot, job, name) if (text := shown(value)) is not None]
        more = [f"… ({len(texts)} in all)"] if len(texts) > _MOST_VALUES else []
        listed = ", ".join([*texts[:_MOST_VALUES], *more]) or "unknown"
        lines.append(f"**{plain(name)}** axis of the matrix of {plain(job.name.text)}\n\nValues: {listed}")
    return snapshot.masked("\n\n".join(lines))


_MOST_JOBS = 3
_MOST_VALUES = 10


# --- params and lets -------------------------------------------------------------------------------------------


def _global(snapshot: Snapshot, name: str) -> str:
    """About a param or let: how it is declared and what its value is."""
    program = snapshot.program
    declared = program.params.get(name) or program.lets.get(name)
    if declared is None:
        return ""
    value = snapshot.params.lookup(name)
    text = shown(value.data) if value is not None else None
    about = _source(type(declared).__name__.lower(), declared.span)
    return f"{about}\n\nValue: {code(text)}" if text is not None else about


def _source(kind: str, span: Span) -> str:
    lines = span.text.split("\n")
    more = ["…"] if len(lines) > _LINES else []
    where = plain(span.source.path.rsplit("/", 1)[-1])
    line = span.source.position(span.start)[0]
    return f"{kind}, {where}:{line}\n\n" + fenced("\n".join([*lines[:_LINES], *more]))


_LINES = 20


# --- targets ---------------------------------------------------------------------------------------------------


def _with_table(snapshot: Snapshot, about: str, path: Sequence[Node], span: Span | None = None) -> str:
    table = _table(snapshot, path, span) if about else ""
    return f"{about}\n\n{table}" if table else about


def _table(snapshot: Snapshot, path: Sequence[Node], span: Span | None = None) -> str:
    """What the targets do with the statement that ``path`` ends with, or with what of it is at ``span``."""
    node = path[-1]
    job = next((part for part in path if isinstance(part, ast.Job)), None)
    step = next((part for part in path[:-1] if isinstance(part, ast.Step)), None)
    keys = keys_of(node, in_role=any(isinstance(part, ast.Role) for part in path), step=step)
    found = fates(snapshot, span or span_of(node), keys, job) if keys else []
    return "\n".join(dict.fromkeys(map(_line, found)))


def _line(fate: Fate) -> str:
    to = f" as {code(fate.to)}" if fate.to else ""
    when = f" ({plain(fate.when)})" if fate.when else ""
    text = f": {plain(fate.text)}" if fate.text else ""
    word = fate.fate if fate.fate == "kept" else f"**{fate.fate}**"
    return f"- {plain(fate.target)}{when} {word}{to}{text}"
