"""What the word under the pointer means, and what becomes of its line on each target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.backend import Backend, Row, Unit
from tfdsl.compiling import pipeline
from tfdsl.compiling.pipeline import words_of
from tfdsl.diagnostics.diagnostic import once_for_all_targets
from tfdsl.lsp.cursor import cursor_at
from tfdsl.lsp.names import Node, path_at, span_of, values_of, walk, with_axis
from tfdsl.lsp.shown import code, fenced, plain, shown
from tfdsl.lsp.snapshot import Snapshot, unheard
from tfdsl.record import Record, replace
from tfdsl.semantics.request import Choice
from tfdsl.semantics.scope import Scope
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes, functions, statements, versions
from tfdsl.vocabulary.types import describe

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item


class Hover(Record):
    """Markdown about the text at ``span``."""

    span: Span
    text: str


def hover(snapshot: Snapshot, offset: int) -> Hover | None:
    """What there is to say about the word at ``offset``, with the notes about it, which are no problems.

    While the text is still being checked it is without the notes: nobody waits for a check of a long text.
    """
    found = _hover(snapshot, offset)
    path = snapshot.source.path
    here = once_for_all_targets(
        note
        for note in (snapshot.diagnostics if snapshot.checked else ())
        if note.level == "info" and note.span.source.path == path and note.span.start <= offset <= note.span.end
    )
    if not here:
        return found
    notes = "\n".join(f"- {plain(text)}" for note in here for text in (note.message, *note.helps))
    span, about = (here[0].span, "") if found is None else (found.span, f"{found.text}\n\n")
    return Hover(span, f"{about}Notes:\n{notes}")


def _hover(snapshot: Snapshot, offset: int) -> Hover | None:
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
        case ast.FlowRun():
            job = next((one for one in snapshot.program.jobs if one.name.text == node.text), None)
            return _source("job", Span(job.span.source, job.span.start, job.name.span.end)) if job is not None else ""
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
        case ast.Mount() | ast.Output() | ast.Cluster() | ast.Build() | ast.Param() | ast.Flow():
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


def _setting(owner: Node, name: str) -> str:
    block = f"mount {owner.kind.text}" if isinstance(owner, ast.Mount) else type(owner).__name__.lower()
    row = next((row for row in statements.SETTINGS.get(block, ()) if row.name == name), None)
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


def conditions(snapshot: Snapshot) -> Iterator[tuple[ast.Condition, bool]]:
    """The conditions of the text whose value is known, each with it, in the order of the tree."""
    for declaration in snapshot.file.declarations:
        if isinstance(declaration, ast.Job | ast.Template):
            for node, above in walk(declaration):
                value = value_of(snapshot, (*above, node)) if isinstance(node, ast.Condition) else None
                if isinstance(node, ast.Condition) and value is not None:
                    yield node, value


def value_of(snapshot: Snapshot, path: Sequence[Node]) -> bool | None:
    """The value of the condition that ``path`` ends with; ``None`` if it is wrong or differs between roles or jobs."""
    from tfdsl.semantics.conditions import Conditions
    from tfdsl.semantics.scope import JobNames

    *above, condition = path
    if not isinstance(condition, ast.Condition):
        return None
    top = above[0]
    job: JobNames | None = None
    if isinstance(top, ast.Job) and len(above) > 1:
        job = JobNames(top.name.text, top.pattern is None and top.matrix is None)
    roles = [node.name.text for node in above[:-1] if isinstance(node, ast.Role)]
    return Conditions(Scope(snapshot.params, unheard, job)).value(condition, roles[-1] if roles else None)


class Fate(Record):
    """What one target does. ``target``: with its version; ``fate``: a word of the tables; ``to``: the target's field.

    ``text``: how it differs, or why it cannot be; ``when``: a condition that was not looked at.
    """

    target: str
    fate: str
    to: str
    text: str
    when: str = ""


def fates(snapshot: Snapshot, span: Span, keys: Sequence[str], job: ast.Job | None) -> list[Fate]:
    """What each target does with the item at ``span``; if no job compiles, what it does with ``keys`` in general."""
    units = units_of(snapshot, job) if job is not None else []
    found: list[Fate] = []
    for unit in units:
        backend = targets.find(unit.target)
        assert backend is not None
        found += _decided(backend, unit, span)
    return found or [fate for key in keys for fate in _in_general(key)]


def units_of(snapshot: Snapshot, job: ast.Job) -> list[Unit]:
    """``job``, of a matrix its first one, lowered for every target; empty when it has errors."""
    known = snapshot.units.get(job.name.text)
    if known is None:
        known = snapshot.units[job.name.text] = _units(snapshot, job)
    return known


def _units(snapshot: Snapshot, job: ast.Job) -> list[Unit]:
    program = snapshot.program
    choices = list(map(Choice, targets.every()))
    alone = replace(program, jobs=(job,), flows=())  # a flow would miss its other jobs
    checked = pipeline.check(alone, replace(snapshot.request, extent="first"), choices)
    if pipeline.has_errors(program.diagnostics) or pipeline.has_errors(checked.diagnostics):
        return []
    by_name = {choice.backend.name: choice.backend for choice in choices}
    return [pipeline.unit_of(by_name[values.target], values) for values in checked.jobs if values.target is not None]


def _decided(backend: Backend, unit: Unit, span: Span) -> Iterable[Fate]:
    """One fate for each row that decides about something written inside ``span``."""
    from tfdsl.ir.fields import walk

    rows: dict[int, tuple[Row, Item]] = {}
    for item in walk(unit.job, unit.origins):
        at = unit.origins.written(item.path)
        if at is not None and at.source.path == span.source.path and span.start <= at.start and at.end <= span.end:
            row = backend.support.decide(unit, item)
            if row is not None:
                rows.setdefault(id(row), (row, item))
    name = f"{unit.target} {unit.shown_version}"
    return [Fate(name, row.fate, row.to, row.text.format_map(words_of(row, unit, item))) for row, item in rows.values()]


class _Open(dict[str, str]):
    """Leaves the fields of a message open."""

    def __missing__(self, key: str) -> str:
        return "…"


def _in_general(key: str) -> Iterable[Fate]:
    for backend in targets.every():
        for row in backend.support[key]:
            when = " ".join(part for part in (f"from {row.since}" if row.since else "", row.words) if part)
            yield Fate(backend.name, row.fate, row.to, row.text.format_map(_Open()), when)


def keys_of(node: object, *, in_role: bool, step: ast.Step | None = None) -> list[str]:
    """The keys of the tables that speak of a statement; ``step``: the one that it is in."""
    if isinstance(node, ast.Step):
        return [f"steps[{node.kind}]"]
    if step is not None:
        return [f"steps[{step.kind}].{node.key.text}"] if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.Assign):
        row = attributes.BY_NAME.get(node.key.text)
        if row is None:
            return []
        whole = row.where == "job" or (row.where == "each" and not in_role)
        return [f"job.{row.name}" if whole else f"roles[].{row.name}"]
    if isinstance(node, ast.Mount):
        return [f"mounts[{node.kind.text}]"]
    if isinstance(node, ast.Output):
        return ["outputs[]"]
    if isinstance(node, ast.Policy):
        event = node.event.name.text
        return [f"policies[{event}]", f"policies[{event}].{node.action.text}"]
    return []


class Signature(Record):
    """A function. ``parameters``: each a range of ``text``; ``active``: the one being written."""

    text: str
    doc: str
    parameters: tuple[tuple[int, int], ...]
    active: int


def signature_help(snapshot: Snapshot, offset: int) -> Signature | None:
    """The innermost call around ``offset``."""
    cursor = cursor_at(snapshot, offset)
    for at in range(len(cursor.frames) - 1, -1, -1):
        frame = cursor.frames[at]
        if frame.kind != "call" or not frame.head:
            continue
        row = functions.BY_NAME.get(frame.head[-1].text)
        if row is None:
            return None
        commas = sum(token.type == "COMMA" for token in frame.statements[-1])
        parameters = _parameters(row.signature)
        return Signature(row.signature, row.doc, parameters, min(commas, max(len(parameters) - 1, 0)))
    return None


def _parameters(signature: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each parameter in ``name(a, b, …)``; a comma inside quotes does not count."""
    found: list[tuple[int, int]] = []
    start = signature.index("(") + 1
    quoted = False
    for at in range(start, len(signature)):
        char = signature[at]
        quoted ^= char == '"'
        if char in ",)" and not quoted:
            found.append((start, at))
            start = at + 2
    return tuple(found)
