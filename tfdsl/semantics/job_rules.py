"""The rules of a job (:mod:`tfdsl.rules`), asked of resolved values and reported where these are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Report, name_rules, value_rules
from tfdsl.diagnostics.suggest import enumeration, meant
from tfdsl.record import replace
from tfdsl.rules import mounts, values
from tfdsl.rules.broken import Broken, Place
from tfdsl.rules.fields import broken_by
from tfdsl.rules.job import images, of_job, of_role
from tfdsl.semantics.conform import conform
from tfdsl.semantics.rule_views import RoleView, job_span, job_view, role_span, value_span
from tfdsl.semantics.values import Data, Entry, ListData, MapData, PodField, Reference, Value
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import NO_LIMIT, TOLERATION, TRAINERS
from tfdsl.vocabulary.statements import BLOCKS, called

if TYPE_CHECKING:
    from tfdsl.semantics import resolved


def check_job(job: resolved.Job, report: Report) -> None:
    """Report everything in ``job`` that breaks a rule of the language."""
    view = job_view(job)
    order = sorted(range(len(job.roles)), key=lambda at: job.roles[at].name_span.start)
    for broken in (*_names("job", job), *of_job(view, order)):
        if not _follows(broken, job):
            report(_with_conditions(broken.diagnostic(lambda place: job_span(job, place)), job))
    for role, its_view in zip(job.roles, view.roles, strict=True):
        _check_role(role, its_view, report)
    _check_unlimited(job, report)


def _check_unlimited(job: resolved.Job, report: Report) -> None:
    """Report limits that are ``"none"`` where none of the roles that have them requests anything."""
    for name in ("cpu", "memory"):
        holders = [role for role in job.roles if role.data(f"{name}_limit") == NO_LIMIT]
        limits = {role.settings[f"{name}_limit"].value.span: False for role in holders}
        for role in holders:
            limits[role.settings[f"{name}_limit"].value.span] |= name in role.settings
        for span, useful in limits.items():
            if not useful:
                report(value_rules.LIMIT_WITHOUT_REQUEST(span, name=name).help(f"set {name}, or remove {name}_limit"))


def _with_conditions(diagnostic: Diagnostic, job: resolved.Job) -> Diagnostic:
    """``diagnostic`` with the conditions that leave out all roles that could train."""
    trainers = [name for name in TRAINERS if name in job.absent_roles]
    if diagnostic.rule is not value_rules.NO_TRAINING_ROLE or not trainers:
        return diagnostic
    diagnostic = replace(diagnostic, helps=(), fixes=())
    for name in trainers:
        diagnostic = diagnostic.note(job.absent_roles[name], f"role {name} is left out: this condition is false")
    return diagnostic


def check_images(job: resolved.Job, report: Report) -> None:
    """Report every role without an image."""
    if job.complete and "image" not in job.meant:
        for broken in images(job_view(job)):
            report(broken.diagnostic(lambda place: job_span(job, place)))


def _follows(broken: Broken, job: resolved.Job) -> bool:
    """Whether something is missing only because the job was not read whole, or because of a misspelt name."""
    if broken.rule is value_rules.MISSING_LOGDIR and {"logdir", "checkpoint"} & job.meant:
        return True
    return broken.rule in _OF_COMPLETE_JOBS and not job.complete


_OF_COMPLETE_JOBS = (
    value_rules.NO_TRAINING_ROLE,
    value_rules.MISSING_LOGDIR,
    value_rules.SERVER_WITHOUT_CHIEF,
    name_rules.ROLE_NOT_IN_JOB,
)


def _check_role(role: resolved.Role, view: RoleView, report: Report) -> None:
    rules = [*_names("role", role), *of_role(view)]
    for at, step in enumerate(role.steps):
        rules += [broken.below("steps", at) for broken in _names("step", step)]
    if role.mounted:
        rules += mounts.durable(view, [at for at, mount in enumerate(role.mounts) if mount.outlives_job])
    for broken in rules:
        report(broken.diagnostic(lambda place: role_span(role, place)))
    for mount in role.mounts:
        _check_mount(mount, report)
    tolerated = role.data("tolerations")
    for item in tolerated.items if isinstance(tolerated, ListData) else ():
        if isinstance(item.data, MapData):
            _check_toleration(item.data.entries, item.span, report)


# --- names -----------------------------------------------------------------------------------------------------


def _names(block: str, holder: resolved.Job | resolved.Role | resolved.Step) -> Iterator[Broken]:
    """What the rules of its attributes say, each of its own value."""
    for row in BLOCKS[block]:
        data = holder.data(row.name)
        if row.name in ("env", "env_from"):
            yield from (broken.below(row.name) for broken in _references(data))
        elif data is not None:
            yield from (broken.below(row.name) for broken in broken_by(block, row.name, plain(data)))


def plain(data: Data) -> object:
    """Lists and maps as those of Python."""
    if isinstance(data, MapData):
        return {key: plain(entry.value.data) for key, entry in data.entries.items()}
    return tuple(item.data for item in data.items) if isinstance(data, ListData) else data


def _references(data: Data | None) -> Iterator[Broken]:
    """What is wrong with the objects and fields that variables take their values from."""
    places: Iterable[tuple[str | int, Value]] = ()
    if isinstance(data, MapData):
        places = ((key, entry.value) for key, entry in data.entries.items())
    elif isinstance(data, ListData):
        places = enumerate(data.items)
    for at, value in places:
        source = value.data
        parts: Mapping[str, Value | None] = {}
        if isinstance(source, PodField):
            parts = {"field": source.path}
        elif isinstance(source, Reference):
            parts = {"name": source.name, "key": source.key}
        block = source.kind if isinstance(source, Reference) else "pod_field"
        for name, part in parts.items():
            if part is not None and isinstance(part.data, str):
                yield from (broken.below(at, name) for broken in broken_by(block, name, part.data))


# --- mounts and tolerations ------------------------------------------------------------------------------------


def _check_mount(mount: resolved.Mount, report: Report) -> None:
    named = [(mount.kind.field, mount.source)] if mount.source is not None else []
    if "storage_class" in mount.options:
        named.append(("storage_class", mount.options["storage_class"].value))
    for name, value in named:
        if isinstance(value.data, str):
            for broken in broken_by(f"mount {mount.kind.name}", name, value.data):
                report(broken.at(value.span))


def _check_toleration(entries: Mapping[str, Entry], span: Span, report: Report) -> None:
    typed: dict[str, object] = {}
    for key, entry in entries.items():
        if key in TOLERATION:
            typed[key] = conform(entry.value, TOLERATION[key], called("toleration", key), report).data
        else:
            unknown = name_rules.UNKNOWN_OPTION(entry.key_span, where="a toleration", name=key)
            report(meant(unknown, key, tuple(TOLERATION), None, f"it has {enumeration(TOLERATION)}"))
            typed.setdefault("key", None)  # it may have been meant

    def place(at: Place) -> Span:
        return value_span(entries[str(at[0])].value, at[1:]) if at else span

    for broken in values.toleration(typed):
        report(broken.diagnostic(place))
