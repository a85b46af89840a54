"""A job as what stock DistributedShell runs: ``submit.sh``, and ``job.sh``, which it sends to every container."""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import Document, Unit
from tfdsl_backends.yarn.checks import check
from tfdsl_backends.yarn.job_script import job_script
from tfdsl_backends.yarn.submission import submit_script
from tfdsl_backends.yarn.tfconfig import tasks

__all__ = ["check", "generate", "tasks"]


def generate(unit: Unit) -> Sequence[Document]:
    """The two scripts."""
    submit, job = submit_script(unit), job_script(unit)
    return [
        Document(submit.text, "submit.sh", "text", executable=True, lines=submit.lines),
        Document(job.text, "job.sh", "text", executable=True, lines=job.lines),
    ]
