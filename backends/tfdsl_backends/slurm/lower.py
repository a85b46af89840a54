"""A job as files for Slurm: the batch script, what runs in each of its steps, and a script that submits it."""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import Document, TaskConfig, Unit
from tfdsl.emit.located import Data, Located, Written
from tfdsl.emit.script import render
from tfdsl_backends.scripts.tfconfig import placeholder_tasks
from tfdsl_backends.slurm.checks import check
from tfdsl_backends.slurm.job_script import TEMPLATES, job_script, minutes, task_script
from tfdsl_backends.slurm.options import in_containers

__all__ = ["check", "generate", "tasks"]


def generate(unit: Unit) -> Sequence[Document]:
    """The script that submits, the batch script, and the script of each replica."""
    made = (("submit.sh", submit_script(unit)), ("job.sbatch", job_script(unit)), ("task.sh", task_script(unit)))
    return [Document(script.text, name, "text", executable=True, lines=script.lines) for name, script in made]


def submit_script(unit: Unit) -> Written:
    """The script that submits the job of ``unit``."""
    values: dict[str, Data] = {
        "job": Located(unit.job.name, "name"),
        "options": pending(unit),
        "run_dir": unit.text("run_dir"),
        "containers": in_containers(unit),
    }
    return render(TEMPLATES, "submit.sh.j2", values)


def pending(unit: Unit) -> list[Data]:
    """``--deadline``: Slurm removes a job that cannot end by then, so the time that it needs is added."""
    waits = [(p, p.delay) for p in unit.job.policies if p.event == "pending" and p.delay is not None]
    if not waits:
        return []
    policy, delay = min(waits, key=lambda wait: wait[1].ms)
    limit = -(-delay.ms // 1000) + minutes(unit) * 60
    return [Located(f"--deadline=now+{limit}", f"{policy.path}.delay")]


ADDRESSES = (
    "addresses are known when the job runs: HOST-ROLE-INDEX stands for the node, and PORT for the next port of the job"
)


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """Roles in order, indexes ascending."""
    return placeholder_tasks(unit.job, lambda role, index: f"HOST-{role.name}-{index}:PORT", (ADDRESSES,))
