"""What the tasks see, with placeholders for the addresses: a job learns them when it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfdsl.backend import TaskConfig
from tfdsl.ir.cluster_spec import (
    cluster_spec,
    flag_hosts,
    flag_task,
    gets_flags,
    needs_tf_config,
    own_config,
    tf_config,
)
from tfdsl.ir.model import Job, Role


def placeholder_tasks(
    job: Job, placeholder: Callable[[Role, int], str], differences: tuple[str, ...]
) -> Sequence[TaskConfig]:
    """Every task, roles in order, indexes ascending; ``differences`` for those that get a TF_CONFIG or flags."""
    spec = cluster_spec(job, placeholder)
    return [_task(job, role, index, spec, differences) for role in job.roles for index in range(role.replicas)]


def _task(job: Job, role: Role, index: int, spec: dict[str, list[str]], differences: tuple[str, ...]) -> TaskConfig:
    ours = tf_config(spec, role.name, str(index)) if needs_tf_config(job, role) else None
    flags: tuple[str, ...] = ()
    if gets_flags(job, role) and not role.server:
        ps_hosts, worker_hosts = flag_hosts(spec)
        name, offset = flag_task(job, role)
        flags = (
            f"--ps_hosts={ps_hosts}",
            f"--worker_hosts={worker_hosts}",
            f"--job_name={name}",
            f"--task_index={index + offset}",
        )
    config = own_config(role, index) if ours is None else ours
    return TaskConfig(role.name, index, config, flags, differences if ours is not None or flags else ())
