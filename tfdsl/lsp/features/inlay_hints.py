"""Values that the text does not show: of params and lets, of expressions, and defaults that are worked out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from tfdsl.compiling import pipeline
from tfdsl.lsp.features.hover import conditions
from tfdsl.lsp.names import jobs_of, walk
from tfdsl.lsp.shown import shown
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.record import Record, replace
from tfdsl.semantics import resolved
from tfdsl.semantics.scope import references
from tfdsl.semantics.values import Data, ListData, MapData, Value
from tfdsl.syntax import ast
from tfdsl.text import Span

Place: TypeAlias = tuple[str, int, int]

_COMPUTED = (ast.Ref, ast.Binary, ast.Unary, ast.Choice, ast.Index, ast.Member, ast.Call)


class Hint(Record):
    """A label behind the text that ends at ``offset``."""

    offset: int
    text: str
    about: str


def inlay_hints(snapshot: Snapshot, start: int, end: int) -> list[Hint]:
    """The hints between two offsets, in the order of the text."""
    if not snapshot.settings.inlay_hints or not snapshot.program.readable:
        return []
    found = [*_globals(snapshot), *_jobs(snapshot, start, end), *_conditions(snapshot)]
    shown_ones = sorted((hint for hint in found if start <= hint.offset <= end), key=lambda hint: hint.offset)
    return [replace(hint, text=snapshot.masked(hint.text)) for hint in shown_ones]


def _globals(snapshot: Snapshot) -> Iterator[Hint]:
    """Lets that are computed, and params whose value is not the default in the text."""
    for node in snapshot.file.declarations:
        if isinstance(node, ast.Let) and _is_computed(node.value):
            yield from _value(snapshot, node.name.text, node.value.span.end, "the value of this let")
        elif isinstance(node, ast.Param):
            at = node.default.span if node.default is not None else node.type.span
            value = snapshot.params.lookup(node.name.text)
            given = value is not None and node.default is not None and value.span != node.default.span
            if node.default is None or given or _is_computed(node.default):
                yield from _value(snapshot, node.name.text, at.end, "the value of this param with the current settings")


def _value(snapshot: Snapshot, name: str, offset: int, about: str) -> Iterator[Hint]:
    value = snapshot.params.lookup(name)
    text = shown(value.data) if value is not None else None
    if text is not None:
        yield Hint(offset, f"= {text}", about)


def _conditions(snapshot: Snapshot) -> Iterator[Hint]:
    """Whether the items with a condition are there."""
    for condition, value in conditions(snapshot):
        if not isinstance(condition.value, ast.Bool):
            about = "this item is there" if value else "this item is absent"
            yield Hint(condition.span.end, f"= {'true' if value else 'false'}", f"{about} with the current settings")


def _is_computed(node: ast.Expr) -> bool:
    return any(isinstance(one, _COMPUTED) for one, _ in walk(node))


# --- jobs ------------------------------------------------------------------------------------------------------


def _jobs(snapshot: Snapshot, start: int, end: int) -> Iterator[Hint]:
    for job in snapshot.program.jobs:
        if job.span.start <= end and start <= job.span.end:
            yield from _job(snapshot, job)


def _job(snapshot: Snapshot, job: ast.Job) -> Iterator[Hint]:
    """The values of one job that are the same for all targets, and for all jobs of its matrix."""
    yield from _names(snapshot, job)
    checked = pipeline.check(replace(snapshot.program, jobs=(job,)), replace(snapshot.request, extent="first"))
    for values in checked.jobs:
        data = _data(values)
        varying = ("matrix", "job") if values.derived.combination is not None else ()
        yield from (hint for hint in _attributes(job.items, data, varying))
        if not pipeline.has_errors(checked.diagnostics) and not snapshot.program.syntax_errors:
            yield from _defaults(values)


def _names(snapshot: Snapshot, job: ast.Job) -> Iterator[Hint]:
    """The name that is evaluated, and how many jobs a matrix makes."""
    if job.pattern is None and job.matrix is None:
        return
    made = jobs_of(snapshot, job)
    if not made:
        return
    name = made[0].name if len(made) == 1 else f"{made[0].name} … {made[-1].name}"
    count = f"{len(made):,} jobs: " if made[0].combination is not None else "= "
    yield Hint(
        job.name.span.end, f"{count}{name}", "the name of the job" if count == "= " else "the jobs of the matrix"
    )


def _data(values: resolved.Job) -> Mapping[Place, Data]:
    """What the expressions of attributes give; where several roles take one, for the first."""
    found: dict[Place, Data] = {}
    for settings in (values.settings, *(role.settings for role in values.roles)):
        for setting in settings.values():
            _collect(setting.value, found)
    return found


def _collect(value: Value, found: dict[Place, Data]) -> None:
    found.setdefault(_place(value.span), value.data)
    if isinstance(value.data, ListData):
        for item in value.data.items:
            _collect(item, found)
    elif isinstance(value.data, MapData):
        for entry in value.data.entries.values():
            _collect(entry.value, found)


def _place(span: Span) -> Place:
    return span.source.path, span.start, span.end


def _attributes(items: Iterable[ast.Item], data: Mapping[Place, Data], varying: Collection[str]) -> Iterator[Hint]:
    """The computed ones among the values of attributes, and in their lists and maps; not those that use ``varying``."""
    for item in items:
        if isinstance(item, ast.Role):
            yield from _attributes(item.items, data, varying)
        elif isinstance(item, ast.Assign):
            for value in _leaves(item.value):
                if references((value,), varying):
                    continue
                text = shown(data[_place(value.span)]) if _place(value.span) in data and _is_computed(value) else None
                if text is not None and text != value.span.text:
                    yield Hint(value.span.end, f"= {text}", f"the value of {item.key.text}")


def _leaves(value: ast.Expr) -> Iterator[ast.Expr]:
    """The elements of lists and maps, else the value itself."""
    if isinstance(value, ast.ListExpr | ast.MapExpr):
        inner = value.items if isinstance(value, ast.ListExpr) else [entry.value for entry in value.entries]
        for one in inner:
            yield from _leaves(one)
    else:
        yield value


def _defaults(values: resolved.Job) -> Iterator[Hint]:
    """Defaults that follow from the rest of the job."""
    from tfdsl.compiling.lower import lower

    job, _ = lower(values)
    if "retries" not in values.settings and job.retries:
        yield _default(values.name_span, "retries", str(job.retries), "set because a policy restarts something")
    if "checkpoint" not in values.settings and isinstance(job.checkpoint, str) and job.checkpoint:
        yield _default(values.name_span, "checkpoint", f'"{job.checkpoint}"', "taken from the logdir of tensorboard")
    for role in values.roles:
        lowered = next((one for one in job.roles if one.name == role.name), None)
        logdir = lowered.logdir if lowered is not None and "logdir" not in role.settings else None
        if isinstance(logdir, str) and logdir:
            yield _default(role.name_span, "logdir", f'"{logdir}"', "taken from the checkpoint folder of the job")


def _default(span: Span, name: str, value: str, reason: str) -> Hint:
    return Hint(span.end, f"{name} = {value}", f"{name} has a default here, {reason}")
