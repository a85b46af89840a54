"""What each task of plain Jobs will see: exactly the language's TF_CONFIG and flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.ir.cluster_spec import cluster_spec
from tfdsl_backends.kubernetes.pods import address, gets_config
from tfdsl_backends.podspec.tfconfig import Tasks, role_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.backend import TaskConfig, Unit


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """The TF_CONFIG and flags of every replica."""
    job = unit.job
    spec = cluster_spec(job, address(unit))
    return Tasks([role_tasks(job, role, spec, spec if gets_config(job, role) else None) for role in job.roles])
