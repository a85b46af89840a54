"""Typed values to the IR, and where each of them is written.

A job that checked clean passes the models: they ask the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfdsl.ir import model
from tfdsl.ir.fields import Origins
from tfdsl.ir.model import CHECKPOINT_VARIABLE
from tfdsl.semantics.values import (
    POISON,
    Data,
    ListData,
    MapData,
    PodField,
    Reference,
    RunTime,
    RunTimeText,
    Value,
    is_number,
    show,
)
from tfdsl.vocabulary.attributes import BOARD
from tfdsl.vocabulary.statements import FLOW_RUN_VARIABLE

if TYPE_CHECKING:
    from tfdsl.ir.flow import Flow
    from tfdsl.semantics import resolved


SUBMITTER_VARIABLE = "USER"
"""Where a task finds ``job.user``: YARN sets it to the submitter, Slider's scripts do."""


_VARIABLES = {"job.user": SUBMITTER_VARIABLE, "flow.run": FLOW_RUN_VARIABLE}


def text(data: Data) -> model.Text:
    """A literal text, or one with run-time parts; numbers and bools as they print."""
    if isinstance(data, RunTimeText):
        return model.RunTimeText(parts=tuple(_part(part) for part in data.parts))
    return show(data) or ""


def _part(part: str | RunTime) -> str | model.TaskIndex | model.EnvVar:
    if isinstance(part, str):
        return part
    if part.kind == "task.index":
        return model.TaskIndex()
    return model.EnvVar(name=_VARIABLES.get(part.kind, part.name))


def plain_map(data: MapData) -> dict[str, str]:
    """A map of literal texts."""
    return {key: show(entry.value.data) or "" for key, entry in data.entries.items()}


class ClaimBook:
    """The claims of one job: one per ``mount claim`` of the source, however many roles mount it."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self._names: dict[tuple[int, int], str] = {}
        self._mounts: dict[str, resolved.Mount] = {}
        self._alike: dict[str, int] = {}  # stem → the last number behind it

    def name(self, mount: resolved.Mount) -> str:
        """The claim's name for ``mount``."""
        key = (id(mount.span.source), mount.span.start)
        if key not in self._names:
            name = self._free_name(mount.at)
            self._names[key] = name
            self._mounts[name] = mount
        return self._names[key]

    def _free_name(self, at: str) -> str:
        stem = re.sub(r"[^a-z0-9]+", "-", at.lower()).strip("-")[:20].strip("-") or "claim"
        name = stem
        while name in self._mounts:
            self._alike[stem] = self._alike.get(stem, 1) + 1
            name = f"{stem}-{self._alike[stem]}"
        return name

    def claims(self) -> tuple[model.Claim, ...]:
        """All claims, in the order of their first mounts."""
        return tuple(self._claim(name, mount) for name, mount in self._mounts.items())

    def _claim(self, name: str, mount: resolved.Mount) -> model.Claim:
        options = mount.options
        modes = options["access_modes"].value.data if "access_modes" in options else None
        return model.Claim.model_validate(
            {
                "name": name,
                "size": mount.source.data if mount.source is not None else None,
                "storage_class": _option(mount, "storage_class"),
                "access_modes": tuple(str(mode.data) for mode in modes.items) if isinstance(modes, ListData) else (),
                "keep": _option(mount, "keep") is True,
            }
        )


def mounts(role: resolved.Role, path: str, origins: Origins, claims: ClaimBook) -> tuple[model.BaseMount, ...]:
    """The mounts of ``role``, in source order."""
    base_mounts: list[model.BaseMount] = []
    for at, mount in enumerate(role.mounts):
        here = f"{path}.mounts[{at}]"
        origins.record(here, mount.head)
        origins.record(f"{here}.at", mount.at_span)
        if mount.readonly is not None:
            origins.record(f"{here}.readonly", mount.readonly)
        for name, setting in mount.options.items():
            origins.record(f"{here}.{name}", setting.value.span)
        base_mounts.append(_mount(mount, claims))
    return tuple(base_mounts)


def _mount(mount: resolved.Mount, claims: ClaimBook) -> model.BaseMount:
    kind = mount.kind.name
    fields: dict[str, object] = {"at": mount.at}
    source = mount.source.data if mount.source is not None else None
    if mount.readonly is not None:
        fields["readonly"] = True
    if "sub_path" in mount.options:
        fields["sub_path"] = text(mount.options["sub_path"].value.data)
    if kind == "claim":
        return model.ClaimMount.model_validate({**fields, "claim": claims.name(mount)})
    if kind in ("scratch", "memory"):
        size = model.ScratchMount if kind == "scratch" else model.MemoryMount
        return size.model_validate({**fields, "size": source})
    if kind == "nfs":
        return _nfs(mount, fields)
    if kind == "host":
        fields["type"] = _option(mount, "type")
    if kind in ("configmap", "secret"):
        items = _option(mount, "items")
        fields |= {"items": plain_map(items) if isinstance(items, MapData) else {}, "mode": _option(mount, "mode")}
    model_of, field = _WITH_TEXT[kind]
    return model_of.model_validate({**fields, field: text(source) if source is not None else ""})


_WITH_TEXT: dict[str, tuple[type[model.BaseMount], str]] = {
    "pvc": (model.PvcMount, "claim"),
    "host": (model.HostMount, "source"),
    "configmap": (model.ConfigMapMount, "name"),
    "secret": (model.SecretMount, "name"),
    "hdfs": (model.HdfsMount, "uri"),
    "archive": (model.ArchiveMount, "source"),
}


def _nfs(mount: resolved.Mount, fields: dict[str, object]) -> model.BaseMount:
    source = text(mount.source.data) if mount.source is not None else ""
    if isinstance(source, str):
        server, _, share = source.partition(":")
        return model.NfsMount.model_validate({**fields, "server": server, "share": share})
    head = source.parts[0] if isinstance(source.parts[0], str) else ""
    server, _, first = head.partition(":")
    rest = model.RunTimeText(parts=(*((first,) if first else ()), *source.parts[1:]))
    return model.NfsMount.model_validate({**fields, "server": server, "share": rest})


def _option(mount: resolved.Mount, name: str) -> object:
    setting = mount.options.get(name)
    return None if setting is None else setting.value.data


def lower(job: resolved.Job) -> tuple[model.Job, Origins]:
    """The IR of ``job`` and where each of its fields was written."""
    origins = Origins(job.name_span, job.derived.named_at)
    claims = ClaimBook(origins)
    roles = tuple(_role(job, role, origins, claims) for role in job.roles)
    fields: dict[str, object] = {
        "name": job.name,
        "roles": roles,
        "policies": _policies(job, origins),
        "claims": claims.claims(),
        "cluster": _cluster(job, origins),
        "build": _build(job, origins),
    }
    fields |= _attributes(model.Job, job.settings, "", origins)
    return model.Job.model_validate({name: value for name, value in fields.items() if value is not None}), origins


def _attributes(
    kind: type[model.Node], settings: Mapping[str, resolved.Setting], path: str, origins: Origins
) -> dict[str, object]:
    """The attributes that are set, as ``kind`` has them, and where they are written."""
    fields: dict[str, object] = {}
    for name, setting in settings.items():
        if name in kind.model_fields and setting.value.data is not POISON:
            _record(f"{path}.{name}" if path else name, setting.value, origins)
            fields[name] = _tolerations(setting.value.data) if name == "tolerations" else plain(setting.value.data)
    return fields


def plain(data: Data) -> object:
    """Data as the models have it: tuples, dicts, texts with parts, references."""
    match data:
        case ListData():
            return tuple(plain(item.data) for item in data.items)
        case MapData():
            return {key: plain(entry.value.data) for key, entry in data.entries.items()}
        case PodField():
            return model.PodField(field=str(data.path.data))
        case Reference(key=None):
            return (model.SecretKeys if data.kind == "secret" else model.ConfigMapKeys)(name=str(data.name.data))
        case Reference():
            reference = model.SecretRef if data.kind == "secret" else model.ConfigMapRef
            return reference(name=str(data.name.data), key=str(data.key.data if data.key is not None else ""))
        case RunTimeText():
            return text(data)
        case _:
            return data if isinstance(data, int) or not is_number(data) else text(data)  # a text as it is written


# --- roles -----------------------------------------------------------------------------------------------------


def _role(job: resolved.Job, role: resolved.Role, origins: Origins, claims: ClaimBook) -> model.Role:
    path = f"roles[{role.name}]"
    origins.record(path, role.name_span)
    fields = _attributes(model.Role, role.settings, path, origins)
    _record_checkpoint(job, role, path, origins)
    fields |= {
        "name": role.name,
        "replicas": role.replicas,
        "mounts": mounts(role, path, origins, claims),
        "outputs": _outputs(role, path, origins),
        "steps": tuple(_step(step, f"{path}.steps[{at}]", origins) for at, step in enumerate(role.steps)),
    }
    return model.Role.model_validate(fields)


def _step(step: resolved.Step, path: str, origins: Origins) -> model.Step:
    origins.record(path, step.name_span)
    fields = _attributes(model.Step, step.settings, path, origins)
    return model.Step.model_validate({"kind": step.kind, "name": step.name, **fields})


def _record_checkpoint(job: resolved.Job, role: resolved.Role, path: str, origins: Origins) -> None:
    """Where the variable comes from that every role gets besides its own."""
    folder = _checkpoint(job)
    if folder is not None and CHECKPOINT_VARIABLE not in role.entries("env"):
        origins.record(f"{path}.env[{CHECKPOINT_VARIABLE}]", folder.span)
        if not role.settings.get("env"):
            origins.record(f"{path}.env", folder.span)  # what is refused of it was written there


def _checkpoint(job: resolved.Job) -> Value | None:
    if "checkpoint" in job.settings:
        return job.settings["checkpoint"].value
    board = job.role(BOARD)
    return board.settings["logdir"].value if board is not None and "logdir" in board.settings else None


def _tolerations(data: Data) -> tuple[model.Toleration, ...]:
    return tuple(
        model.Toleration.model_validate(plain(item.data)) for item in (data.items if isinstance(data, ListData) else ())
    )


def _outputs(role: resolved.Role, path: str, origins: Origins) -> tuple[model.Output, ...]:
    outputs: list[model.Output] = []
    for at, output in enumerate(role.outputs):
        here = f"{path}.outputs[{at}]"
        origins.record(here, output.source.span.to(output.destination.span))
        origins.record(f"{here}.source", output.source.span)
        origins.record(f"{here}.destination", output.destination.span)
        if output.when_span is not None:
            origins.record(f"{here}.when", output.when_span)
        if output.subject is not None and output.index is not None:
            origins.record(f"{here}.index", output.subject)
        overwrite = output.options.get("overwrite")
        if overwrite is not None:
            origins.record(f"{here}.overwrite", overwrite.value.span)
        outputs.append(
            model.Output.model_validate(
                {
                    "source": text(output.source.data),
                    "destination": text(output.destination.data),
                    "when": output.when,
                    "index": output.index,
                    "overwrite": overwrite is not None and overwrite.value.data is True,
                }
            )
        )
    return tuple(outputs)


# --- job -------------------------------------------------------------------------------------------------------


def _policies(job: resolved.Job, origins: Origins) -> tuple[model.Policy, ...]:
    policies: list[model.Policy] = []
    for at, policy in enumerate(job.policies):
        path = f"policies[{at}]"
        origins.record(path, policy.action_span)
        origins.record(f"{path}.event", policy.event_span)
        if policy.subject is not None and policy.index is not None:
            origins.record(f"{path}.index", policy.subject)
        if policy.delay is not None:
            origins.record(f"{path}.delay", policy.delay.span)
        fields = {
            "role": policy.role,
            "index": policy.index,
            "event": policy.event,
            "codes": policy.codes,
            "count": policy.count,
            "delay": policy.delay.data if policy.delay is not None else None,
            "action": policy.action,
        }
        policies.append(model.Policy.model_validate(fields))
    return tuple(policies)


def _cluster(job: resolved.Job, origins: Origins) -> model.Cluster:
    fields: dict[str, object] = {}
    for name, setting in job.cluster.items():
        fields[name] = setting.value.data
        origins.record(f"cluster.{name}", setting.value.span)
    return model.Cluster.model_validate(fields)


def _build(job: resolved.Job, origins: Origins) -> model.Build | None:
    build = job.build
    if build is None:
        return None
    origins.record("build", build.word)
    values = {name: setting.value.data for name, setting in build.settings.items()}
    for name, setting in build.settings.items():
        origins.record(f"build.{'base' if name == 'from' else name}", setting.value.span)
        _record_parts(f"build.{name}", setting.value, origins)
    steps: list[model.CopyStep | model.RunStep] = []
    for at, step in enumerate(build.steps):
        origins.record(f"build.steps[{at}]", step.span)
        if step.destination is None:
            steps.append(model.RunStep(command=str(step.source.data)))
        else:
            source, destination = str(step.source.data), str(step.destination.data)
            steps.append(model.CopyStep(source=source, destination=destination))
    return model.Build.model_validate(
        {
            "base": values.get("from"),
            "workdir": values.get("workdir"),
            "steps": tuple(steps),
            "entrypoint": _strings(values.get("entrypoint")),
            "hadoop": values.get("hadoop"),
        }
    )


# --- flows -----------------------------------------------------------------------------------------------------


def flow(values: resolved.Flow) -> tuple[Flow, Origins]:
    """A flow that checked clean, and where its parts are written."""
    from tfdsl.ir.flow import Flow, FlowRun

    origins = Origins(values.name_span)
    for name, setting in values.settings.items():
        _record(name, setting.value, origins)
    runs: list[FlowRun] = []
    for at, run in enumerate(values.runs):
        origins.record(f"runs[{at}]", run.job_span)
        if run.after_spans:
            origins.record(f"runs[{at}].after", run.after_spans[0])
        if run.ending_span is not None:
            origins.record(f"runs[{at}].ending", run.ending_span)
        runs.append(FlowRun.model_validate({"job": run.job, "after": run.after, "ending": run.ending}))
    data = {name: setting.value.data for name, setting in values.settings.items()}
    fields = {name: plain_map(one) if isinstance(one, MapData) else one for name, one in data.items()}
    return Flow.model_validate({**fields, "name": values.name, "runs": tuple(runs)}), origins


# --- pieces ----------------------------------------------------------------------------------------------------


def _strings(data: Data | None) -> tuple[str, ...]:
    return tuple(str(item.data) for item in data.items) if isinstance(data, ListData) else ()


def _record(path: str, value: Value, origins: Origins) -> None:
    """The place of a value, and of all that is in it."""
    origins.record(path, value.span)
    _record_parts(path, value, origins)


def _record_parts(path: str, value: Value, origins: Origins) -> None:
    """The places of a map's entries and of a list's elements, each ``path[KEY]``; of a key ``path[KEY].key``."""
    if isinstance(value.data, MapData):
        for key, entry in value.data.entries.items():
            _record_parts(f"{path}[{key}]", entry.value, origins)
            origins.record(f"{path}[{key}]", entry.value.span)
            origins.record(f"{path}[{key}].key", entry.key_span)
    elif isinstance(value.data, ListData):
        for index, item in enumerate(value.data.items):
            origins.record(f"{path}[{index}]", item.span)
