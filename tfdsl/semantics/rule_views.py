"""Resolved jobs as the rules see them (:mod:`tfdsl.rules.protocols`), and the span of each place in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tfdsl.record import Record
from tfdsl.rules.broken import KEY, Place
from tfdsl.semantics.values import Data, ListData, MapData, PodField, Reference, Value
from tfdsl.vocabulary.quantities import Quantity

if TYPE_CHECKING:
    from tfdsl.semantics import resolved
    from tfdsl.text import Span


class OutputView(Record):
    """An output, as the rules see it."""

    source: Data
    destination: Data
    index: int | None


class StepView(Record):
    """A step. ``image``: one that is not the role's; ``command``: ``True`` where it is wrong."""

    kind: str
    name: str
    image: object
    command: object
    args: Sequence[Data]
    env: Mapping[str, Value]
    ports: Mapping[str, int]


class RoleView(Record):
    """A role, as the rules see it."""

    name: str
    replicas: int
    min_available: int | None
    after: Sequence[str | None]
    server: bool
    logdir: object
    image: object
    command: Data | None
    args: Sequence[Data]
    env: Mapping[str, Value]
    cpu: Quantity | None
    memory: Quantity | None
    cpu_limit: Quantity | None
    memory_limit: Quantity | None
    port: int | None
    ports: Mapping[str, int]
    mounts: Sequence[resolved.Mount]
    outputs: Sequence[OutputView]
    steps: Sequence[StepView] = ()


class ClusterView(Record):
    """A cluster block, as the rules see it."""

    discovery: str | None


class JobView(Record):
    """A job, as the rules see it."""

    name: str
    retries: int | None
    checkpoint: object
    roles: Sequence[RoleView]
    policies: Sequence[resolved.Policy]
    cluster: ClusterView


def job_view(job: resolved.Job) -> JobView:
    """``job`` as the rules see it."""
    retries = job.data("retries")
    discovery = job.cluster["discovery"].value.data if "discovery" in job.cluster else None
    return JobView(
        job.name,
        retries if isinstance(retries, int) else None,
        job.settings.get("checkpoint"),
        tuple(_role_view(role) for role in job.roles),
        job.policies,
        ClusterView(discovery if discovery is None or isinstance(discovery, str) else ""),
    )


def _role_view(role: resolved.Role) -> RoleView:
    least = role.data("min_available")
    return RoleView(
        role.name,
        role.replicas,
        least if isinstance(least, int) and role.counted else None,
        tuple(item if isinstance(item, str) else None for item in _items(role, "after")),
        role.data("server") is True,
        role.settings.get("logdir"),
        role.settings.get("image"),
        role.data("command"),
        _items(role, "args"),
        role.entries("env"),
        _quantity(role, "cpu"),
        _quantity(role, "memory"),
        _quantity(role, "cpu_limit"),
        _quantity(role, "memory_limit"),
        port if isinstance(port := role.data("port"), int) else None,
        _ports(role),
        role.mounts,
        tuple(OutputView(output.source.data, output.destination.data, output.index) for output in role.outputs),
        tuple(_step_view(step, role) for step in role.steps),
    )


def _step_view(step: resolved.Step, role: resolved.Role) -> StepView:
    command, image = step.data("command"), step.data("image")
    if {"command", "image"} & step.meant or ("command" in step.settings and command is None):
        command = True
    if isinstance(command, ListData) and not command.items:
        command = None
    own = "image" in step.settings and (image is None or image != role.data("image"))
    return StepView(
        step.kind,
        step.name,
        step.settings["image"] if own else None,
        command,
        _items(step, "args"),
        step.entries("env"),
        _ports(step),
    )


def _items(role: resolved.Role | resolved.Step, name: str) -> tuple[Data, ...]:
    data = role.data(name)
    return tuple(item.data for item in data.items) if isinstance(data, ListData) else ()


def _ports(holder: resolved.Role | resolved.Step) -> Mapping[str, int]:
    if "ports" not in holder.settings:
        return {}
    return {name: value.data for name, value in holder.entries("ports").items() if isinstance(value.data, int)}


def _quantity(role: resolved.Role, name: str) -> Quantity | None:
    data = role.data(name)
    return data if isinstance(data, Quantity) else None


# --- where it is written ---------------------------------------------------------------------------------------


def job_span(job: resolved.Job, place: Place) -> Span:
    """The span of a place in a job."""
    match place:
        case ("roles", int(at), *rest):
            return role_span(job.roles[at], tuple(rest))
        case ("policies", int(at), field):
            policy = job.policies[at]
            return policy.event_span if field == "event" else policy.action_span
        case ("cluster", str(name)):
            return job.cluster[name].value.span
        case (str(name), *rest):
            return value_span(job.settings[name].value, tuple(rest))
        case _:
            return job.name_span


def role_span(role: resolved.Role, place: Place) -> Span:
    """The span of a place in a role."""
    match place:
        case ("outputs", int(at), _):
            return role.outputs[at].destination.span
        case ("mounts", int(at), "readonly"):
            return role.mounts[at].readonly or role.mounts[at].span
        case ("steps", int(at), *rest):
            return step_span(role.steps[at], tuple(rest))
        case (str(name), *rest):
            return value_span(role.settings[name].value, tuple(rest))
        case _:
            return role.name_span


def step_span(step: resolved.Step, place: Place) -> Span:
    """The span of a place in a step."""
    match place:
        case (str(name), *rest) if name != "name":
            return value_span(step.settings[name].value, tuple(rest))
        case _:
            return step.name_span


def value_span(value: Value, place: Place) -> Span:
    """The span of a place inside a value."""
    data = value.data
    match place:
        case (str(key), str(last)) if last == KEY and isinstance(data, MapData):
            return data.entries[key].key_span
        case (str(key), *rest) if isinstance(data, MapData):
            return value_span(data.entries[key].value, tuple(rest))
        case (int(at), *rest) if isinstance(data, ListData):
            return value_span(data.items[at], tuple(rest))
        case ("name",) if isinstance(data, Reference):
            return data.name.span
        case ("key",) if isinstance(data, Reference) and data.key is not None:
            return data.key.span
        case ("field",) if isinstance(data, PodField):
            return data.path.span
        case _:
            return value.span
