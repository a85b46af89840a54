"""What each task will see, for ``tfdsl tfconfig``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.ir.cluster_spec import gets_tf_config
from tfdsl.record import replace
from tfdsl_backends.podspec.tfconfig import INDEX, RoleTasks, Tasks, role_tasks
from tfdsl_backends.volcano import delivery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.backend import TaskConfig, Unit
    from tfdsl.ir.model import Job, Role


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """What each task sees, roles in order, indexes ascending."""
    job = unit.job
    hosts = delivery.hosts(job)
    if delivery.plugin_arguments(unit) is None:
        given = [hosts if gets_tf_config(job, role) or role.server else None for role in job.roles]
        return Tasks([role_tasks(job, role, hosts, spec) for role, spec in zip(job.roles, given, strict=True)])
    cluster = delivery.plugin_cluster(job)
    return Tasks([_by_plugin(role_tasks(job, role, hosts, None), job, role, cluster) for role in job.roles])


def _by_plugin(seen: RoleTasks, job: Job, role: Role, cluster: str | None) -> RoleTasks:
    """The tasks of ``role`` with the plugin's own TF_CONFIG (``cluster`` ``None``: it gives none)."""
    config: tuple[str, str] | None = None
    if cluster is not None:
        before, _, after = delivery.plugin_value(cluster, role, INDEX).partition(INDEX)
        config = before, after
    return replace(seen, config=config, differences=_differences(job, role, cluster))


def _differences(job: Job, role: Role, cluster: str | None) -> tuple[str, ...]:
    if role.name == "tensorboard":
        return ("the plugin sets TF_CONFIG for tensorboard too, which does not read it",)
    missing = ("the key environment is missing",) if cluster is not None else ()
    return *missing, *delivery.plugin_differences(job)
