"""A job as files for Slurm: the batch script, what runs in each of its steps, and a script that submits it."""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import Document, Unit
from tfdsl_backends.slurm.checks import check
from tfdsl_backends.slurm.job_script import job_script
from tfdsl_backends.slurm.submission import submit_script
from tfdsl_backends.slurm.task_script import task_script
from tfdsl_backends.slurm.tfconfig import tasks

__all__ = ["check", "generate", "tasks"]


def generate(unit: Unit) -> Sequence[Document]:
    """The three scripts."""
    made = (("submit.sh", submit_script(unit)), ("job.sbatch", job_script(unit)), ("task.sh", task_script(unit)))
    return [Document(script.text, name, "text", executable=True, lines=script.lines) for name, script in made]
