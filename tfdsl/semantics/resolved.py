"""A job resolved for one target, as typed values with their source text.

The rules of the language, the lint rules and the lowering to the IR read this. Every value has the type of its
attribute's row (language reference, "Attributes"); a wrong value is poison and has been reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from tfdsl.record import Record
from tfdsl.rules.broken import Place
from tfdsl.semantics.values import Data, MapData, Poison, Value

if TYPE_CHECKING:
    from tfdsl.semantics.derived import Derived
    from tfdsl.syntax.patch_path import Path
    from tfdsl.text import Span
    from tfdsl.vocabulary.statements import MountKind
    from tfdsl.vocabulary.types import OptionValue


class Setting(Record):
    """A written attribute or option: its name in the source and its typed value."""

    key: Span
    value: Value


class Mount(Record):
    """A mount. ``at``: its path, without a ``/`` at the end; ``head``: the span of its kind and source."""

    kind: MountKind
    source: Value | None
    at: str
    at_span: Span
    readonly: Span | None
    options: Mapping[str, Setting]
    head: Span
    span: Span

    @property
    def outlives_job(self) -> bool:
        """Whether what is written to it outlives the job."""
        keep = self.options.get("keep")
        return self.kind.durable or (keep is not None and keep.value.data is True)


class Output(Record):
    """An output of one role. ``index``: only that replica; ``None``: every one."""

    source: Value
    destination: Value
    when: str
    when_span: Span | None
    index: int | None
    subject: Span | None
    options: Mapping[str, Setting]
    span: Span


class Policy(Record):
    """A policy. ``role``, ``index``: its subject; ``codes``: of ``exit``, ascending; ``count``: of ``restarted``."""

    role: str | None
    index: int | None
    subject: Span | None
    event: str
    event_span: Span
    codes: tuple[int, ...]
    count: int | None
    delay: Value | None
    action: str
    action_span: Span
    span: Span


class _Holder(Record):
    """Has attributes, with all layers merged."""

    settings: Mapping[str, Setting]

    def data(self, name: str) -> Data | None:
        """Data of an attribute; ``None`` when it is not written or wrong."""
        setting = self.settings.get(name)
        return None if setting is None or isinstance(setting.value.data, Poison) else setting.value.data

    def entries(self, name: str) -> Mapping[str, Value]:
        """Entries of a map attribute; empty when it is not written or wrong."""
        data = self.data(name)
        return {key: entry.value for key, entry in data.entries.items()} if isinstance(data, MapData) else {}


class Step(_Holder):
    """A prepare or sidecar step of a role. ``name_span``: its name in its lowest block.

    ``meant``: attributes that misspelt names were probably meant to be.
    """

    kind: Literal["prepare", "sidecar"]
    name: str
    name_span: Span
    meant: frozenset[str] = frozenset()


class Role(_Holder):
    """A role. ``name_span``: its name in its block.

    ``counted``: whether ``replicas`` is right (else it has been reported); ``mounted``: whether all mounts are.
    """

    name: str
    name_span: Span
    replicas: int
    mounts: tuple[Mount, ...]
    outputs: tuple[Output, ...]
    counted: bool
    mounted: bool
    steps: tuple[Step, ...] = ()


class BuildStep(Record):
    """``copy`` (with a destination) or ``run`` of a build."""

    source: Value
    destination: Value | None
    span: Span


class Build(Record):
    """The ``build`` block of a job."""

    word: Span
    settings: Mapping[str, Setting]
    steps: tuple[BuildStep, ...]


class Patch(Record):
    """A patch of the target being compiled.

    ``pod``: the span of the word, if the path starts at the pod template of ``role`` (``None``: of every role).
    ``unchecked``: fields that the schema does not know are allowed.
    """

    op: Literal["set", "merge", "remove"]
    pod: Span | None
    role: str | None
    path: Path
    path_span: Span
    value: Value | None
    unchecked: bool
    span: Span


class FlowRun(Record):
    """A job that runs in a flow, after others; ``after_spans`` has the place of each of these."""

    job: str
    job_span: Span
    after: tuple[str, ...]
    after_spans: tuple[Span, ...]
    ending: str
    ending_span: Span | None
    span: Span


class PatchedVolume(Record):
    """A volume of the pods of ``role`` (``None``: of every role) that only a patch of ``target`` makes."""

    target: str
    role: str | None
    name: str
    span: Span


class Job(_Holder):
    """A job with all layers merged for ``target`` (``None``: without any target block).

    ``name_span``: where the name of its block is. ``derived``: how it got its name.
    ``roles``: those with replicas, in the order chief, master, ps, worker, evaluator, tensorboard.
    ``options``: a value for every option of the target; ``option_spans``: the spans of those that are set.
    ``pods``: its replicas are pods, as far as it is known: without a target its target blocks say it.
    ``gpus_by_label``: see :class:`~tfdsl.backend.Backend`.
    ``complete``: no part of it was lost to an error, so what is missing really is; ``meant``: attributes that
    misspelt names were probably meant to be. ``absent_roles``: those that are left out, with the
    conditions that are false. ``patched_volumes``: those of the target blocks that are not compiled.
    """

    name: str
    name_span: Span
    target: str | None
    version: str | None
    roles: tuple[Role, ...]
    policies: tuple[Policy, ...]
    cluster: Mapping[str, Setting]
    build: Build | None
    options: Mapping[str, OptionValue]
    option_spans: Mapping[str, Span]
    patches: tuple[Patch, ...]
    derived: Derived
    pods: bool
    gpus_by_label: bool
    complete: bool
    meant: frozenset[str]
    absent_roles: Mapping[str, Span] = {}
    patched_volumes: tuple[PatchedVolume, ...] = ()

    def role(self, name: str) -> Role | None:
        """The role of that name, if the job has it."""
        return next((role for role in self.roles if role.name == name), None)


class Flow(_Holder):
    """A flow: its present jobs, those of a matrix one by one. ``name_span``: where its name is.

    ``named``: all jobs that it names, absent ones too. ``complete``: all of them were found.
    """

    name: str
    name_span: Span
    runs: tuple[FlowRun, ...]
    named: frozenset[str]
    complete: bool

    def _text(self, name: str) -> str | None:
        data = self.data(name)
        return data if isinstance(data, str) else None

    @property
    def schedule(self) -> str | None:
        """When it runs."""
        return self._text("schedule")

    @property
    def time_zone(self) -> str | None:
        """Where the schedule's clock is."""
        return self._text("time_zone")

    def span(self, place: Place) -> Span:
        """Where a place of its model is written."""
        if place[:1] != ("runs",):
            setting = self.settings.get(str(place[0])) if place else None
            return self.name_span if setting is None else setting.value.span
        run = self.runs[int(place[1])]
        if place[2:3] == ("after",):
            return run.after_spans[int(place[3])]
        return run.ending_span or run.span if place[2:3] == ("ending",) else run.job_span
