"""A job as what stock DistributedShell runs: ``submit.sh``, and ``job.sh``, which it sends to every container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import Document, TaskConfig
from tfdsl.ir.cluster_spec import cluster_spec, flag_hosts, flag_task, gets_flags, gets_tf_config, tf_config
from tfdsl_backends.yarn.checks import check
from tfdsl_backends.yarn.job_script import job_script
from tfdsl_backends.yarn.options import is_yarn_tf
from tfdsl_backends.yarn.submission import submit_script

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.backend import Unit
    from tfdsl.ir.model import Job, Role

__all__ = ["check", "generate", "tasks"]

MEETING = "addresses are known when the tasks have met: HOST-ROLE-INDEX:PORT stands for a node and a free port on it"
GIVEN = (
    "addresses come from the modified client: HOST-ROLE-INDEX:PORT stands for them; TF_CONFIG is made from its flags"
)


def generate(unit: Unit) -> Sequence[Document]:
    """The two scripts."""
    return [
        Document(submit_script(unit).text, "submit.sh", "text", executable=True),
        Document(job_script(unit).text, "job.sh", "text", executable=True),
    ]


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """What each task will see, with placeholders for the addresses."""
    spec = cluster_spec(unit.job, placeholder)
    told = (GIVEN if is_yarn_tf(unit) else MEETING,)
    return [task(unit.job, role, index, spec, told) for role in unit.job.roles for index in range(role.replicas)]


def task(job: Job, role: Role, index: int, spec: dict[str, list[str]], told: tuple[str, ...]) -> TaskConfig:
    """One task's TF_CONFIG and flags."""
    config = tf_config(spec, role.name, str(index)) if gets_tf_config(job, role) or role.server else None
    flags: tuple[str, ...] = ()
    if gets_flags(job, role) and not role.server:
        ps, workers = flag_hosts(spec)
        name, offset = flag_task(job, role)
        flags = (
            f"--ps_hosts={ps}",
            f"--worker_hosts={workers}",
            f"--job_name={name}",
            f"--task_index={index + offset}",
        )
    return TaskConfig(role.name, index, config, flags, told if config is not None or flags else ())


def placeholder(role: Role, index: int) -> str:
    """What stands for the address of a task."""
    return f"HOST-{role.name}-{index}:PORT"
