"""What lint rules look at: a program, and a job with all its layers merged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import or_

from tfdsl.record import Record
from tfdsl.rules.flows import in_order
from tfdsl.semantics import resolved
from tfdsl.semantics.project import Program
from tfdsl.semantics.values import ListData, MapData, RunTime, RunTimeText, Value
from tfdsl.text import Source, Span
from tfdsl.vocabulary.attributes import TRAINERS


class ProgramView(Record):
    """A program and the names that are used in it."""

    program: Program
    used: frozenset[str]

    @property
    def source(self) -> Source:
        """The main file."""
        return self.program.files[0].source

    def owns(self, span: Span) -> bool:
        """Whether the declaration at ``span`` is for this program alone: it is in a main file that has jobs.

        An included file, or one that is meant to be included, may serve other programs too.
        """
        return span.source is self.source and bool(self.program.jobs)

    def whole_lines(self, span: Span) -> Span:
        """``span`` with the end of its line, if nothing else is on its lines."""
        source, text = span.source, span.source.text
        start = text.rfind("\n", 0, span.start) + 1
        end = text.find("\n", span.end)
        end = len(text) if end < 0 else end + 1
        alone = not text[start : span.start].strip() and not text[span.end : end].partition("#")[0].strip()
        return Span(source, start, end) if alone else span


def _name(part: RunTime) -> str:
    return f"env.{part.name}" if part.kind == "env" else part.kind


class JobView(Record):
    """One job with all layers merged. ``gpus_per_node``: what the project says about its nodes."""

    job: resolved.Job
    gpus_per_node: int | None = None

    def runners(self) -> Iterator[resolved.Role | resolved.Step]:
        """Everything that runs a command: each role, then its steps."""
        for role in self.job.roles:
            yield role
            yield from role.steps

    def trainers(self) -> Iterator[resolved.Role]:
        """The roles that run the training, in the order of :data:`TRAINERS`."""
        for name in TRAINERS:
            role = self.job.role(name)
            if role is not None and role.data("server") is not True:
                yield role

    def literal(self, value: Value) -> str:
        """The fixed parts of a text."""
        data = value.data
        if isinstance(data, RunTimeText):
            return "".join(part for part in data.parts if isinstance(part, str))
        return data if isinstance(data, str) else ""

    def shown(self, value: Value) -> str:
        """A text as it is written, for messages."""
        data = value.data
        if not isinstance(data, RunTimeText):
            return self.literal(value)
        return "".join(part if isinstance(part, str) else f"${{{_name(part)}}}" for part in data.parts)

    def texts(self, holder: resolved.Role | resolved.Step, name: str) -> Iterator[Value]:
        """The texts in an attribute of a role or step: itself, its elements or its entries."""
        setting = holder.settings.get(name)
        data = setting.value.data if setting is not None else None
        if isinstance(data, ListData):
            yield from data.items
        elif isinstance(data, MapData):
            yield from (entry.value for entry in data.entries.values())
        elif setting is not None:
            yield setting.value

    def folders(self) -> Iterator[tuple[str, Value, resolved.Role]]:
        """``checkpoint`` with the role that writes it, ``logdir`` with the role that reads it."""
        checkpoint = self.job.settings.get("checkpoint")
        if checkpoint is not None and self.job.roles:
            yield "checkpoint", checkpoint.value, self.job.roles[0]
        board = self.job.role("tensorboard")
        if board is not None and "logdir" in board.settings:
            yield "logdir", board.settings["logdir"].value, board

    def holder(self, role: resolved.Role, path: str) -> resolved.Mount | None:
        """The mount of ``role`` that contains ``path``; the deepest, if several do."""
        holding = [mount for mount in role.mounts if path == mount.at or path.startswith(mount.at.rstrip("/") + "/")]
        return max(holding, key=lambda mount: len(mount.at), default=None)


class FlowView:
    """A flow with its jobs, by their names, for one target."""

    def __init__(self, flow: resolved.Flow, jobs: Mapping[str, JobView]) -> None:
        self.jobs = jobs
        self._bits = {name: 1 << at for at, name in enumerate(jobs)}
        self._before: dict[str, int] = {}
        after = {run.job: run.after for run in flow.runs}
        for name in in_order(after):
            self._before[name] = reduce(or_, (self._before[one] | self._bits[one] for one in after[name]), 0)

    def before(self, job: str) -> list[str]:
        """All jobs that have ended when ``job`` starts."""
        return [name for name, bit in self._bits.items() if self._before[job] & bit]
