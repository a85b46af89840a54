"""A flow to be generated for one target, and what a target says of flows.

On a target that has flows, :attr:`tfdsl.backend.Backend.flows` names the module whose ``LOWERING`` is a
:class:`FlowLowering`. Its
``SUPPORT`` is a table like that of jobs, with the keys of :data:`tfdsl.ir.flow.FLOW_KEYS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from tfdsl.backend import remembered
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.backend import Document, Support, Unit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.emit.located import Data
    from tfdsl.ir.fields import Origins
    from tfdsl.ir.flow import Flow, FlowRun

T = TypeVar("T")


class FlowJob(Record):
    """One job of a flow: its ``run``, and its unit and documents.

    The job of ``unit`` is called FLOW-JOB, on targets with a mark FLOW-JOB-MARK; ``run.job`` is its own name, which
    ``${job.name}`` in its texts stands for.
    """

    run: FlowRun
    unit: Unit
    documents: tuple[Document, ...]


class FlowUnit(Record):
    """A flow with its jobs, in the order of ``flow.runs``, for one target at one version.

    ``origins``: where the fields of the flow are written (``schedule``, ``runs[2].after``). ``mark``: the text that
    stands in the names of objects for what tells one run from another, and in no other text of the jobs; empty on
    targets whose objects need none. ``labels``: of every object, beside those of the jobs.
    """

    target: str
    version: str
    flow: Flow
    origins: Origins
    jobs: tuple[FlowJob, ...]
    mark: str = ""
    labels: Mapping[str, Data] = {}
    worked_out: dict[object, tuple[object, object]] = {}  # noqa: RUF012  (each unit gets a dict of its own)

    def once(self, work_out: Callable[[FlowUnit], T]) -> T:
        """What ``work_out`` makes of this flow, worked out when it is first asked for (:meth:`Unit.once`)."""
        return remembered(self, self.worked_out, work_out)

    def path_in(self, number: int, path: str) -> str:
        """``path`` of job ``number`` as the path of a line of the flow's documents."""
        return f"{number}:{path}"

    def place_of(self, path: str) -> tuple[Origins, str]:
        """The origins that the path of a line belongs to, the flow's or those of a job, and the path there."""
        number, colon, inner = path.partition(":")
        return (self.jobs[int(number)].unit.origins, inner) if colon else (self.origins, path)

    @property
    def name(self) -> str:
        """The flow's name."""
        return self.flow.name

    @property
    def shown_version(self) -> str:
        """The version in the user's words."""
        return self.jobs[0].unit.shown_version

    def at_least(self, version: str) -> bool:
        """Whether the target's version is ``version`` or newer."""
        return self.jobs[0].unit.at_least(version)

    def by_name(self) -> Mapping[str, FlowJob]:
        """The jobs by their own names."""
        return {job.run.job: job for job in self.jobs}


class FlowLowering(Protocol):
    """What makes the flows of a target."""

    SUPPORT: Support
    MARK: int
    """How many characters the mark of a run has; 0 where names need none."""

    def check(self, unit: FlowUnit, /) -> Iterable[Diagnostic]:
        """The target's own rules about flows, beyond the table."""
        ...

    def generate(self, unit: FlowUnit, /) -> Sequence[Document]:
        """The documents of a flow, with all that its jobs need; each has a file name unless there is only one."""
        ...
