"""What each task of a TFJob sees.

The operator names pod and Service of a replica `<job>-<role>-<index>`; pods find each other by the Service's name,
which resolves in the job's namespace.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import TaskConfig, Unit
from tfdsl.ir.cluster_spec import Address, cluster_spec, gets_tf_config, has_own_config, listed
from tfdsl.ir.model import Job, Role
from tfdsl_backends.podspec.tfconfig import RoleTasks, Tasks, role_tasks
from tfdsl_backends.tfjob.policies import training_roles


def replica_name(job: Job, role: Role, index: int) -> str:
    """Name of the pod and of the Service of a replica."""
    return f"{job.name}-{role.name}-{index}"


def address(job: Job) -> Address:
    """``host:port`` by the Service's name, for a process in the job's namespace."""
    return lambda role, index: f"{replica_name(job, role, index)}:{role.port}"


def operator_spec(job: Job) -> dict[str, list[str]]:
    """The cluster as the operator writes it: with the evaluator, and with the namespace in the hosts."""
    namespace = job.namespace or "default"
    roles = sorted(training_roles(job), key=lambda role: role.name)
    return {
        role.name: [f"{replica_name(job, role, index)}.{namespace}.svc:{role.port}" for index in listed(role)]
        for role in roles
    }


def is_distributed(job: Job) -> bool:
    """Whether the operator injects TF_CONFIG: it does unless the job has one replica in all."""
    return sum(role.replicas for role in training_roles(job)) != 1


def delivers(unit: Unit, role: Role) -> bool:
    """Whether the compiler, and not the operator, sets TF_CONFIG for ``role``."""
    return unit.text("tf_config") == "static" and gets_tf_config(unit.job, role)


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """The TF_CONFIG and flags of every replica, and how they differ from the language's."""
    job = unit.job
    ours = cluster_spec(job, address(job))
    theirs = operator_spec(job) if is_distributed(job) else None
    return Tasks([_of_role(unit, role, ours, theirs) for role in job.roles])


def _of_role(unit: Unit, role: Role, ours: dict[str, list[str]], theirs: dict[str, list[str]] | None) -> RoleTasks:
    if role.name == "tensorboard" and not has_own_config(role):
        return RoleTasks(role.name, role.replicas)
    return role_tasks(unit.job, role, ours, ours if delivers(unit, role) else theirs, _differences(unit, role))


def _differences(unit: Unit, role: Role) -> tuple[str, ...]:
    """How the operator's TF_CONFIG for ``role`` differs from the language's."""
    job = unit.job
    if delivers(unit, role):
        return ()
    if not is_distributed(job):
        return ("the operator sets no TF_CONFIG for a job with one replica",) if gets_tf_config(job, role) else ()
    differences: list[str] = []
    if not gets_tf_config(job, role):
        differences.append(f"the operator sets TF_CONFIG even with discovery {job.cluster.discovery}")
    if any(other.name == "evaluator" for other in training_roles(job)):
        differences.append("the operator lists the evaluator in cluster")
    if job.namespace is None:
        differences.append("hosts contain the namespace in which the job is created; it is shown as `default` here")
    return tuple(differences)
