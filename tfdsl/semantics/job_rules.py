"""The rules of a job (:mod:`tfdsl.rules`), asked of resolved values and reported where these are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.record import replace
from tfdsl.rules import mounts, values
from tfdsl.rules.broken import Broken, Place
from tfdsl.rules.job import images, of_job, of_role
from tfdsl.semantics.conform import conform
from tfdsl.semantics.known_names import Report, meant
from tfdsl.semantics.rule_views import RoleView, job_span, job_view, role_span, value_span
from tfdsl.semantics.values import Data, Entry, ListData, MapData, PodField, Reference, Value
from tfdsl.vocabulary.attributes import ATTRIBUTES, NO_LIMIT, TOLERATION, TRAINERS
from tfdsl.vocabulary.types import StringType

if TYPE_CHECKING:
    from tfdsl.semantics import resolved
    from tfdsl.text import Span


_NAMED_MOUNTS = {"pvc": "claim", "configmap": "ConfigMap", "secret": "Secret"}
_REFERENCES = {"secret": "Secret", "configmap": "ConfigMap"}


def check_job(job: resolved.Job, report: Report) -> None:
    """Report everything in ``job`` that breaks a rule of the language."""
    view = job_view(job)
    order = sorted(range(len(job.roles)), key=lambda at: job.roles[at].name_span.start)
    for broken in (*_job_names(job), *of_job(view, order)):
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
    return broken.rule in (value_rules.NO_TRAINING_ROLE, value_rules.MISSING_LOGDIR) and not job.complete


def _check_role(role: resolved.Role, view: RoleView, report: Report) -> None:
    rules = [*_role_names(role), *of_role(view)]
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


_TEXTS: dict[str, Callable[[str], Broken | None]] = {
    "namespace": lambda text: values.label_name(text, "namespace"),
    "priority": lambda text: values.object_name(text, "PriorityClass"),
    "image": values.image,
}
"""Attributes that are one name, and what is wrong with it."""

_OBJECTS = {row.name: row.type.names for row in ATTRIBUTES if isinstance(row.type, StringType) and row.type.names}
"""Attribute of a role → the kind of the object that it names."""


def _names(holder: resolved.Job | resolved.Role | resolved.Step, *attributes: str) -> Iterator[Broken]:
    for attribute in attributes:
        text = holder.data(attribute)
        if isinstance(text, str):
            yield from _one(_TEXTS[attribute](text), attribute)


def _job_names(job: resolved.Job) -> Iterator[Broken]:
    yield from _names(job, "namespace", "priority")
    yield from _entries(job, "labels", values.labels)
    yield from _entries(job, "annotations", values.annotation_keys)


def _role_names(role: resolved.Role) -> Iterator[Broken]:
    yield from _names(role, "image")
    for name, what in _OBJECTS.items():
        text = role.data(name)
        if isinstance(text, str):
            yield from _one(values.object_name(text, what), name)
    secrets = role.data("image_pull_secrets")
    for at, item in enumerate(secrets.items if isinstance(secrets, ListData) else ()):
        if isinstance(item.data, str):
            yield from _one(values.object_name(item.data, "Secret"), "image_pull_secrets", at)
    yield from _env_names(role)
    for at, step in enumerate(role.steps):
        yield from (broken.below("steps", at) for broken in _step_names(step))
    yield from _entries(role, "labels", values.labels)
    yield from _entries(role, "annotations", values.annotation_keys)
    yield from _entries(role, "node_selector", values.node_labels)
    yield from _entries(role, "resources", values.resources)
    yield from _ports(role)
    device = role.data("gpu_resource")
    if isinstance(device, str):
        yield from (broken.below("gpu_resource") for broken in values.resource_name(device))


def _step_names(step: resolved.Step) -> Iterator[Broken]:
    yield from _names(step, "image")
    yield from _env_names(step)
    yield from _ports(step)


def _ports(holder: resolved.Role | resolved.Step) -> Iterator[Broken]:
    if "ports" in holder.settings:
        from tfdsl.rules.job import port_names

        yield from _entries(holder, "ports", port_names)


def _env_names(holder: resolved.Role | resolved.Step) -> Iterator[Broken]:
    for name, value in holder.entries("env").items():
        yield from (broken.below("env", name) for broken in _reference(value))
    sources = holder.data("env_from")
    for at, item in enumerate(sources.items if isinstance(sources, ListData) else ()):
        yield from (broken.below("env_from", at) for broken in _reference(item))


def _reference(value: Value) -> Iterator[Broken]:
    if isinstance(value.data, PodField) and isinstance(value.data.path.data, str):
        from tfdsl.rules.values import pod_field

        yield from _one(pod_field(value.data.path.data), "field")
    if not isinstance(value.data, Reference):
        return
    kind = _REFERENCES[value.data.kind]
    name, key = value.data.name.data, value.data.key.data if value.data.key is not None else None
    if isinstance(name, str):
        yield from _one(values.object_name(name, kind), "name")
    if isinstance(key, str):
        yield from _one(values.data_key(key, kind), "key")


def _entries(
    holder: resolved.Job | resolved.Role | resolved.Step,
    name: str,
    rule: Callable[[Mapping[str, object]], Iterable[Broken]],
) -> Iterator[Broken]:
    data = holder.data(name)
    if isinstance(data, MapData):
        entries = {key: _members(entry.value.data) for key, entry in data.entries.items()}
        yield from (broken.below(name) for broken in rule(entries))


def _members(data: Data) -> object:
    """A list as a tuple of its values."""
    return tuple(item.data for item in data.items) if isinstance(data, ListData) else data


def _one(broken: Broken | None, *place: str | int) -> Iterator[Broken]:
    if broken is not None:
        yield broken.below(*place)


# --- mounts and tolerations ------------------------------------------------------------------------------------


def _check_mount(mount: resolved.Mount, report: Report) -> None:
    what = _NAMED_MOUNTS.get(mount.kind.name)
    if what is not None and mount.source is not None:
        _check_name(mount.source, what, report)
    storage_class = mount.options.get("storage_class")
    if storage_class is not None:
        _check_name(storage_class.value, "StorageClass", report)


def _check_name(value: Value, what: str, report: Report) -> None:
    broken = values.object_name(value.data, what) if isinstance(value.data, str) else None
    if broken is not None:
        report(broken.at(value.span))


def _check_toleration(entries: Mapping[str, Entry], span: Span, report: Report) -> None:
    typed: dict[str, object] = {}
    for key, entry in entries.items():
        if key in TOLERATION:
            typed[key] = conform(entry.value, TOLERATION[key], f"{key} of a toleration", report).data
        else:
            unknown = name_rules.UNKNOWN_OPTION(entry.key_span, where="a toleration", name=key)
            report(meant(unknown, key, tuple(TOLERATION), None, f"it has {enumeration(TOLERATION)}"))
            typed.setdefault("key", None)  # it may have been meant

    def place(at: Place) -> Span:
        return value_span(entries[str(at[0])].value, at[1:]) if at else span

    for broken in values.toleration(typed):
        report(broken.diagnostic(place))
