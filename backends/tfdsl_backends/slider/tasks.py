"""What each task will see. Addresses are allocated by the agents, so placeholders stand for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import TaskConfig
from tfdsl.ir.cluster_spec import cluster_spec, flag_hosts, flag_task, gets_flags, gets_tf_config, tf_config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role

ADDRESSES = "hosts and ports are allocated when the containers start; the script puts them in"
AGAIN = "when a container is replaced, every other task starts again with its new address"


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """Roles in order, indexes ascending."""
    job = unit.job
    spec = cluster_spec(job, placeholder)
    ps_hosts, worker_hosts = flag_hosts(spec)
    found: list[TaskConfig] = []
    for role in job.roles:
        told = role.server or gets_tf_config(job, role)
        name, offset = flag_task(job, role)
        for index in range(role.replicas):
            config = tf_config(spec, role.name, str(index)) if told else None
            flags: tuple[str, ...] = ()
            if gets_flags(job, role) and not role.server:
                flags = (
                    f"--ps_hosts={ps_hosts}",
                    f"--worker_hosts={worker_hosts}",
                    f"--job_name={name}",
                    f"--task_index={index + offset}",
                )
            found.append(TaskConfig(role.name, index, config, flags, (ADDRESSES, AGAIN) if config or flags else ()))
    return found


def placeholder(role: Role, index: int) -> str:
    """What stands for the address of a replica."""
    return f"<host of {role.name}[{index}]>:<port>"
