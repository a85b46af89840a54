"""What each task of a JobSet sees: exactly the language's TF_CONFIG and flags.

The Job of a role names its pods ``<job>-<role>-0-<index>``, and the JobSet's Service gives each a DNS name.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import TaskConfig, Unit
from tfdsl.ir.cluster_spec import cluster_spec, needs_tf_config
from tfdsl_backends.jobset.names import host
from tfdsl_backends.podspec.tfconfig import Tasks, role_tasks


def spec_of(unit: Unit) -> dict[str, list[str]]:
    """Role → ``host:port`` of each replica."""
    return unit.once(_spec)


def _spec(unit: Unit) -> dict[str, list[str]]:
    return cluster_spec(unit.job, lambda role, index: f"{host(unit, role, index)}:{role.port}")


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """The TF_CONFIG and flags of every replica."""
    job, spec = unit.job, spec_of(unit)
    return Tasks([role_tasks(job, role, spec, spec if needs_tf_config(job, role) else None) for role in job.roles])
