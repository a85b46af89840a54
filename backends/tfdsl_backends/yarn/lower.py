"""A job as what stock DistributedShell runs: ``submit.sh``, and ``job.sh``, which it sends to every container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import Document
from tfdsl_backends.yarn.checks import check
from tfdsl_backends.yarn.job_script import job_script
from tfdsl_backends.yarn.submission import submit_script
from tfdsl_backends.yarn.tfconfig import tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.backend import Unit

__all__ = ["check", "generate", "tasks"]


def generate(unit: Unit) -> Sequence[Document]:
    """The two scripts."""
    return [
        Document(submit_script(unit).text, "submit.sh", "text", executable=True),
        Document(job_script(unit).text, "job.sh", "text", executable=True),
    ]
