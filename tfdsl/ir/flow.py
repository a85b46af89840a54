"""The intermediate representation of a flow: which jobs of a file run, in which order, and when.

A flow names its jobs and holds none of them. ``runs`` stand in the order of the file.
"""

from collections.abc import Mapping
from typing import Self

from pydantic import PrivateAttr, model_validator

from tfdsl.ir.part import EMPTY, Node, refuse
from tfdsl.rules import flows as flow_rules
from tfdsl.vocabulary.quantities import Duration
from tfdsl.vocabulary.statements import FLOW, After, Overlap

FLOW_KEYS = (*(f"flow.{row.name}" for row in FLOW), "runs[]", "runs[].after", "runs[].failed", "runs[].ended")
"""What a flow can set, as keys of a target's table for flows. ``runs[].after``: after several jobs or one, whatever
their end; ``runs[].failed`` and ``.ended``: after a failure, or after any end."""


class FlowRun(Node):
    """One job of a flow. ``path`` is ``runs[N]``.

    ``after``: jobs of the same flow; empty for what starts at once. It runs when all of them have succeeded, or with
    ``ending`` ``failed`` when the one of them has failed or was aborted, with ``ended`` when all have ended somehow.
    A job that did not run has not ended.
    """

    block = "flow run"
    job: str
    after: tuple[str, ...] = ()
    ending: After = "succeeded"


class Flow(Node):
    """Several jobs in order. It has failed when a job of it has failed or was aborted, whatever ran after that."""

    block = "flow"
    name: str
    schedule: str | None = None
    time_zone: str | None = None
    overlap: Overlap = "skip"
    deadline: Duration | None = None
    namespace: str | None = None
    common_labels: Mapping[str, str] = EMPTY
    service_account: str | None = None
    runs: tuple[FlowRun, ...]
    _by_job: Mapping[str, FlowRun] = PrivateAttr(default_factory=dict)

    def run_of(self, job: str) -> FlowRun:
        """The run of a job that it has."""
        return self._by_job[job]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        refuse(f"Flow {self.name}", self, flow_rules.of_flow(self))
        vars(self)["runs"] = tuple(run.placed(f"runs[{at}]") for at, run in enumerate(self.runs))
        self._by_job = {run.job: run for run in self.runs}
        return self
