"""A job as what stock DistributedShell runs: ``submit.sh``, and ``job.sh``, which it sends to every container."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.backend import Document, TaskConfig, Unit
from tfdsl_backends.scripts.tfconfig import placeholder_tasks
from tfdsl_backends.yarn.checks import check
from tfdsl_backends.yarn.job_script import job_script
from tfdsl_backends.yarn.options import is_yarn_tf
from tfdsl_backends.yarn.submission import submit_script

if TYPE_CHECKING:
    from tfdsl.ir.model import Role


__all__ = ["check", "generate", "tasks"]


def generate(unit: Unit) -> Sequence[Document]:
    """The two scripts."""
    submit, job = submit_script(unit), job_script(unit)
    return [
        Document(submit.text, "submit.sh", "text", executable=True, lines=submit.lines),
        Document(job.text, "job.sh", "text", executable=True, lines=job.lines),
    ]


STOCK = "addresses are known once all tasks are there: HOST-ROLE-INDEX:PORT stands for a node and a free port on it"
YARN_TF = (
    "addresses come from the modified client: HOST-ROLE-INDEX:PORT stands for them; TF_CONFIG is built from its flags"
)


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """Roles in order, indexes ascending."""
    return placeholder_tasks(unit.job, _placeholder, (YARN_TF if is_yarn_tf(unit) else STOCK,))


def _placeholder(role: Role, index: int) -> str:
    return f"HOST-{role.name}-{index}:PORT"
