"""What the targets share whose flows are a script, ``flow.sh``: in which order jobs start, and documents.

The engine of these targets has no flows. So the script is what knows the order, and its tables are made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tfdsl.record import replace
from tfdsl.rules.flows import in_order

if TYPE_CHECKING:
    from tfdsl.backend import Document
    from tfdsl.backend.flow import FlowUnit
    from tfdsl.emit.located import Data
    from tfdsl.ir.flow import Flow

SCRIPT: Final = "flow.sh"
CONDITIONS: Final = {"succeeded": "afterok", "failed": "afternotok", "ended": "afterany"}
"""The ends of a job in the words of sbatch."""


def conditions(flow: Flow) -> dict[str, list[str]]:
    """What has to be so before each job starts: ``afterok:fetch``, in the words of sbatch.

    Each job is behind those that it comes after.

    A job that did not run has not ended, but Slurm takes one that it removed for one that has failed. So a job that
    follows a failure or any end also needs the success or failure that the job before it needs.
    """
    made: dict[str, dict[str, None]] = {}
    for job in in_order({run.job: run.after for run in flow.runs}):
        run = flow.run_of(job)
        own = dict.fromkeys(f"{CONDITIONS[run.ending]}:{before}" for before in run.after)
        for before in run.after if run.ending != "succeeded" else ():
            own |= {word: None for word in made[before] if not word.startswith("afterany:")}
        made[job] = own
    return {job: list(words) for job, words in made.items()}


def documents(unit: FlowUnit, templates: Path, values: dict[str, Data]) -> Sequence[Document]:
    """``flow.sh``, and beside it a folder for each job. ``values``: of what only the target's own template has."""
    from tfdsl.backend import Document
    from tfdsl.emit.located import Located
    from tfdsl.emit.script import render
    from tfdsl.ir.flow import names_run
    from tfdsl_backends.scripts import PARTS

    flow = unit.flow
    needs = conditions(flow)
    places = {run.job: run.path for run in flow.runs}
    given: dict[str, Data] = {
        "flow": Located(flow.name, "name"),
        "names_run": any(names_run(job.unit.job) for job in unit.jobs),
        "schedule": Located(flow.schedule, "schedule") if flow.schedule else "",
        "overlap": Located(flow.overlap, "overlap"),
        "deadline": Located(str(flow.deadline.seconds), "deadline") if flow.deadline else "",
        "jobs": [Located(job, places[job]) for job in needs],
        "needs": [
            {"job": job, "words": Located(" ".join(words), f"{places[job]}.after")} for job, words in needs.items()
        ],
        **values,
    }
    script = render(templates, f"{SCRIPT}.j2", given, parts=PARTS)
    return [
        Document(script.text, SCRIPT, "text", executable=True, lines=script.lines),
        *(_of_job(unit, number, one) for number, job in enumerate(unit.jobs) for one in job.documents),
    ]


def _of_job(unit: FlowUnit, number: int, document: Document) -> Document:
    """``document`` of a job in the job's folder."""
    from tfdsl.emit.located import changed

    lines = tuple(None if path is None else unit.path_in(number, path) for path in document.lines)
    data = changed(document.data, lambda text: text, lambda path: unit.path_in(number, path))
    return replace(document, file=f"{unit.jobs[number].run.job}/{document.file}", data=data, lines=lines)
