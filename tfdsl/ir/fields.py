"""Everything that a job can set, as keys, and everything that one job does set, as items.

Keys are what a support table speaks of:

========================================  ==============================================================
``job.queue``, ``cluster.discovery``      a field of the job, the cluster
``build``                                 the whole build block
``roles[].gpu``                           a field of a role
``mounts[pvc]``, ``mounts[pvc].sub_path``  a mount of one kind (with its place and source), an option of it
``outputs[]``, ``outputs[].when``         an output, a field of it
``steps[prepare]``, ``steps[prepare].gpu``  a step of one kind, a field of it
``policies[failed]``                      an event
``policies[failed].restart pod``          an action on an event
``policies[failed].delay`` ``.index``     ``after`` on an event; an event of one replica
``roles[].args{task.index}``              a run-time value inside a field (``{env}`` for ``${env.NAME}``)
``roles[].env{pod_field}``                a variable whose value is a field of the pod
========================================  ==============================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast, get_args

from tfdsl.diagnostics.render.html import table
from tfdsl.ir import model
from tfdsl.record import Record
from tfdsl.text import Span
from tfdsl.vocabulary.statements import (
    FLOW_RUN_VARIABLE,
    MOUNT_KINDS,
    POLICY_KEYS,
    RUN_TIME_MARKS,
    STEP_ATTRIBUTES,
    STEPS,
)


class Origins:
    """IR path → span, and which paths were written in the source (the others are defaults).

    A default has the span of what it belongs to: the role's or the job's name. ``named_at``: the place of messages
    about the job's own name, which a command line may have given.
    """

    __slots__ = ("_spans", "job", "named_at")

    def __init__(self, job: Span, named_at: Span | None = None) -> None:
        self.job = job
        self.named_at = named_at or job
        self._spans: dict[str, Span] = {}

    def record(self, path: str, span: Span) -> None:
        """Say that ``path`` was written at ``span``."""
        self._spans[path] = span

    def with_name_at(self, place: Span) -> Origins:
        """The same for a job that got its name at ``place``."""
        other = Origins(self.job, place)
        other._spans = self._spans
        return other

    def written(self, path: str) -> Span | None:
        """The span where ``path`` itself was written, or ``None`` when it is a default."""
        return self._spans.get(path)

    def span(self, path: str) -> Span:
        """The best place for ``path``: its own, else that of the nearest thing that holds it, else the job's name."""
        while path:
            found = self._spans.get(path)
            if found is not None:
                return found
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.job

    def paths(self) -> list[str]:
        """All written paths, in the order they were recorded."""
        return list(self._spans)


MOUNTS: dict[str, type[model.BaseMount]] = {
    kind.model_fields["kind"].default: kind for kind in get_args(model.AnyMount)
}

MOUNT_OPTIONS = ("readonly", "sub_path", "type", "items", "mode")
"""Fields of mounts that have a key of their own; the rest is the mount itself."""

CLAIM_OPTIONS = tuple(name for name in model.Claim.model_fields if name not in ("name", "size"))
"""Options of ``mount claim``, which live in :class:`~tfdsl.ir.model.Claim`."""

RUN_TIME = {
    "roles[].env": "env",
    "roles[].command": "command",
    "roles[].args": "args",
    "roles[].workdir": "workdir",
    "outputs[].source": "source",
    "outputs[].destination": "destination",
}
"""Fields, beside those of mounts and steps, that may hold run-time values."""

IN_STEPS = ("env", "command", "args", "workdir")
"""Fields of steps that may hold run-time values."""

IN_POD_FIELD = "{pod_field}"
POD_FIELD = f"roles[].env{IN_POD_FIELD}"

_JOB_SKIPS = ("name", "roles", "policies", "claims", "cluster", "build")
_ROLE_SKIPS = ("name", "mounts", "outputs", "steps")
_STEP_SKIPS = ("kind", "name")
_SOURCES = {
    kind.name: kind.field
    for kind in MOUNT_KINDS
    if kind.name != "claim" and kind.source != "size"  # a size and the name of an own claim are never run-time texts
}


class Item(Record):
    """One thing that a job sets. ``role`` is the role's name, or empty. ``node`` is the IR node that holds it."""

    key: str
    path: str
    node: model.Node
    value: object
    role: str = ""

    @property
    def shown(self) -> str:
        """The value for a message."""
        return shown(self.value)


def shown(value: object) -> str:
    """A value in words of the language."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, model.RunTimeText):
        return "".join(_as_written(part) for part in value.parts)
    return str(value)


def roles_table(job: model.Job) -> str:
    """The roles of ``job`` as HTML, without what none of them has."""
    names = ("name", "replicas", "image", "command", "args", "cpu", "memory", "gpu", "after")
    columns = {name: [_words(getattr(role, name)) for role in job.roles] for name in names}
    columns = {name: texts for name, texts in columns.items() if any(texts)}
    return table(tuple(columns), zip(*columns.values(), strict=True), f"job {job.name}")


def _words(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(shown, cast("tuple[object, ...]", value)))
    return shown(value) if value else ""


def _as_written(part: str | model.TaskIndex | model.EnvVar) -> str:
    if isinstance(part, str):
        return part
    if part.kind == "env" and part.name == FLOW_RUN_VARIABLE:
        return "${flow.run}"
    return "${task.index}" if part.kind == "task_index" else f"${{env.{part.name}}}"


def all_keys() -> list[str]:
    """Every key that the IR can hold, in the order of the model."""
    keys = [f"job.{name}" for name in model.Job.model_fields if name not in _JOB_SKIPS]
    keys += [f"cluster.{name}" for name in model.Cluster.model_fields]
    keys.append("build")
    keys += [f"roles[].{name}" for name in model.Role.model_fields if name not in _ROLE_SKIPS]
    for kind, mount in MOUNTS.items():
        keys.append(f"mounts[{kind}]")
        keys += [f"mounts[{kind}].{name}" for name in MOUNT_OPTIONS if name in mount.model_fields]
        if kind == "claim":
            keys += [f"mounts[claim].{name}" for name in CLAIM_OPTIONS]
        for value in RUN_TIME_MARKS:
            keys += [f"mounts[{kind}]{value}"] if kind in _SOURCES else []
            keys += [f"mounts[{kind}].sub_path{value}"] if "sub_path" in mount.model_fields else []
    keys += ["outputs[]", "outputs[].when", "outputs[].index", "outputs[].overwrite"]
    keys += [f"{key}{value}" for key in RUN_TIME for value in RUN_TIME_MARKS]
    keys.append(POD_FIELD)
    for kind in STEPS:
        key = f"steps[{kind}]"
        fields = [name for name in model.Step.model_fields if name not in _STEP_SKIPS]
        keys += [key, *(f"{key}.{name}" for name in fields if name in STEP_ATTRIBUTES[kind])]
        keys += [f"{key}.{name}{value}" for name in IN_STEPS for value in RUN_TIME_MARKS]
        keys.append(f"{key}.env{IN_POD_FIELD}")
    return [*keys, *POLICY_KEYS]


def walk(job: model.Job, origins: Origins) -> Iterator[Item]:
    """What ``job`` sets: all that is written, and the defaults that mean something."""
    for name in model.Job.model_fields:
        if name not in _JOB_SKIPS:
            yield from _field(job, f"job.{name}", name, origins)
    for name in model.Cluster.model_fields:
        yield from _field(job.cluster, f"cluster.{name}", name, origins)
    if job.build is not None:
        yield Item("build", job.build.path, job.build, job.build)
    for role in job.roles:
        yield from _role(role, origins)
    for policy in job.policies:
        yield from _policy(policy)


def _path(node: model.Node, name: str) -> str:
    return f"{node.path}.{name}" if node.path else name


def _field(node: model.Node, key: str, name: str, origins: Origins, role: str = "") -> Iterator[Item]:
    value: object = getattr(node, name)
    path = _path(node, name)
    if value or _is_chosen_zero(node, name, value) or origins.written(path) is not None:
        yield Item(key, path, node, value, role)


def _is_chosen_zero(node: model.Node, name: str, value: object) -> bool:
    """Whether a field that is nothing unless it is set is 0: the user 0 is root."""
    return type(value) is int and type(node).model_fields[name].default is None


def _role(role: model.Role, origins: Origins) -> Iterator[Item]:
    for name in model.Role.model_fields:
        if name not in _ROLE_SKIPS:
            yield from _field(role, f"roles[].{name}", name, origins, role.name)
    for name in ("env", "command", "args", "workdir"):
        yield from _run_time(role, f"roles[].{name}", _path(role, name), getattr(role, name), role.name)
    for name, value in role.env.items():
        if isinstance(value, model.PodField):
            yield Item(POD_FIELD, f"{role.path}.env[{name}]", role, value.field, role.name)
    for mount in role.mounts:
        yield from _mount(mount, origins, role.name)
    for step in role.steps:
        yield from _step(step, origins, role.name)
    for output in role.outputs:
        yield Item("outputs[]", output.path, output, output.destination, role.name)
        yield from _field(output, "outputs[].when", "when", origins, role.name)
        if output.index is not None:
            yield Item("outputs[].index", f"{output.path}.index", output, output.index, role.name)
        yield from _field(output, "outputs[].overwrite", "overwrite", origins, role.name)
        yield from _run_time(output, "outputs[].source", f"{output.path}.source", output.source, role.name)
        yield from _run_time(
            output, "outputs[].destination", f"{output.path}.destination", output.destination, role.name
        )


def _step(step: model.Step, origins: Origins, role: str) -> Iterator[Item]:
    """A step and what is written in it; what it has from its role is the role's."""
    key = f"steps[{step.kind}]"
    yield Item(key, step.path, step, step.name, role)
    for name in model.Step.model_fields:
        path = f"{step.path}.{name}"
        if name in _STEP_SKIPS or origins.written(path) is None:
            continue
        value: object = getattr(step, name)
        yield Item(f"{key}.{name}", path, step, value, role)
        if name == "env":
            own = {one: text for one, text in step.env.items() if origins.written(f"{path}[{one}]") is not None}
            yield from _run_time(step, f"{key}.{name}", path, own, role)
            for one, text in own.items():
                if isinstance(text, model.PodField):
                    yield Item(f"{key}.env{IN_POD_FIELD}", f"{path}[{one}]", step, text.field, role)
        elif name in IN_STEPS:
            yield from _run_time(step, f"{key}.{name}", path, value, role)


def _mount(mount: model.Mount, origins: Origins, role: str) -> Iterator[Item]:
    key = f"mounts[{mount.kind}]"
    yield Item(key, mount.path, mount, mount.at, role)
    for name in MOUNT_OPTIONS:
        if name in type(mount).model_fields:
            yield from _field(mount, f"{key}.{name}", name, origins, role)
    if mount.kind == "claim":
        for name in CLAIM_OPTIONS:
            if origins.written(f"{mount.path}.{name}") is not None:
                yield Item(f"{key}.{name}", f"{mount.path}.{name}", mount, name, role)
    source = _SOURCES.get(mount.kind)
    if source is not None:
        yield from _run_time(mount, key, mount.path, getattr(mount, source), role)
    if isinstance(mount, model.PvcMount | model.ClaimMount):
        yield from _run_time(mount, f"{key}.sub_path", f"{mount.path}.sub_path", mount.sub_path, role)


def _run_time(node: model.Node, key: str, path: str, value: object, role: str) -> Iterator[Item]:
    kinds = dict.fromkeys(part.kind for text in _texts(value) for part in text.parts if not isinstance(part, str))
    for kind in kinds:
        mark = "{task.index}" if kind == "task_index" else "{env}"
        shown = "${task.index}" if kind == "task_index" else "${env.NAME}"
        yield Item(f"{key}{mark}", path, node, shown, role)


def _texts(value: object) -> Iterator[model.RunTimeText]:
    if isinstance(value, model.RunTimeText):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():  # pyright: ignore[reportUnknownVariableType]  (env: values are checked below)
            yield from _texts(member)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, tuple):
        for member in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(member)  # pyright: ignore[reportUnknownArgumentType]


def _policy(policy: model.Policy) -> Iterator[Item]:
    key = f"policies[{policy.event}]"
    role = policy.role or ""
    yield Item(key, f"{policy.path}.event", policy, policy.event, role)
    yield Item(f"{key}.{policy.action}", policy.path, policy, policy.action, role)
    if policy.index is not None:
        yield Item(f"{key}.index", f"{policy.path}.index", policy, policy.index, role)
    if policy.delay is not None:
        yield Item(f"{key}.delay", f"{policy.path}.delay", policy, policy.delay, role)
