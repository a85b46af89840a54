"""The intermediate representation of a flow: which jobs of a file run, in which order, and when.

A flow names its jobs and holds none of them. ``runs`` stand in the order of the file.
"""

from collections.abc import Mapping
from typing import Self, cast

from pydantic import PrivateAttr, TypeAdapter, model_validator

from tfdsl.ir.model import EnvVar, Job, RunTimeText, TaskIndex
from tfdsl.ir.part import EMPTY, Node, Part, refuse, variables
from tfdsl.rules import flows as flow_rules
from tfdsl.vocabulary.quantities import Duration
from tfdsl.vocabulary.statements import FLOW, FLOW_RUN_VARIABLE, After, Overlap

FLOW_KEYS = (
    *(f"flow.{row.name}" for row in FLOW),
    "flow.run",
    "runs[]",
    "runs[].after",
    "runs[].failed",
    "runs[].ended",
)
"""What a flow can set, as keys of a target's table for flows. ``runs[].after``: after several jobs or one, whatever
their end; ``runs[].failed`` and ``.ended``: after a failure, or after any end. ``flow.run``: a job has the name of the
run in its texts."""


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


class WholeFlow(Flow):
    """A flow with its jobs, as it is written in JSON and made in Python. A job that no run names stands beside it."""

    block = "flow whole"
    jobs: tuple[Job, ...]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        refuse(f"Flow {self.name}", self, flow_rules.of_whole(self, self.namespace, self.jobs))
        return self


def schema() -> object:
    """The JSON Schema of what is read as JSON: a job, or a flow with its jobs."""
    return TypeAdapter[Job | WholeFlow](Job | WholeFlow).json_schema()


# --- the name of a run in the texts of its jobs --------------------------------------------------------------------


def names_run(job: Job) -> bool:
    """Whether a text of ``job`` has ``flow.run`` in it."""
    return FLOW_RUN_VARIABLE in variables(job)


def with_run(job: Job, run: str) -> Job:
    """``job`` with the text ``run`` for ``flow.run``."""
    return Job.model_validate(_with_run(job.stated(), run))


def _with_run(value: object, run: str) -> object:
    match value:
        case RunTimeText():
            parts: list[str | TaskIndex | EnvVar] = [""]
            for one in value.parts:
                part = run if isinstance(one, EnvVar) and one.name == FLOW_RUN_VARIABLE else one
                if isinstance(part, str) and isinstance(parts[-1], str):
                    parts[-1] += part
                else:
                    parts.append(part)
            return parts[0] if len(parts) == 1 else value.but(parts=tuple(part for part in parts if part != ""))
        case Part():
            return type(value).model_validate({name: _with_run(one, run) for name, one in value.stated().items()})
        case tuple():
            return tuple(_with_run(one, run) for one in cast("tuple[object, ...]", value))
        case dict():
            return {key: _with_run(one, run) for key, one in cast("dict[str, object]", value).items()}
        case _:
            return value
