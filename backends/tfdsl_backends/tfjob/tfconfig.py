"""What each task of a TFJob will see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.ir.cluster_spec import cluster_spec, gets_tf_config
from tfdsl_backends.podspec.tfconfig import RoleTasks, Tasks, role_tasks
from tfdsl_backends.tfjob.pods import address, delivers, is_distributed, operator_spec
from tfdsl_backends.tfjob.policies import training_roles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.backend import TaskConfig, Unit
    from tfdsl.ir.model import Role


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """The TF_CONFIG and flags of every replica, and how they differ from the language's."""
    job = unit.job
    ours = cluster_spec(job, address(job))
    theirs = operator_spec(job) if is_distributed(job) else None
    return Tasks([_of_role(unit, role, ours, theirs) for role in job.roles])


def _of_role(unit: Unit, role: Role, ours: dict[str, list[str]], theirs: dict[str, list[str]] | None) -> RoleTasks:
    if role.name == "tensorboard":
        return RoleTasks(role.name, role.replicas)
    return role_tasks(unit.job, role, ours, ours if delivers(unit, role) else theirs, differences(unit, role))


def differences(unit: Unit, role: Role) -> tuple[str, ...]:
    """How what the operator gives ``role`` differs from the language's TF_CONFIG."""
    job = unit.job
    if delivers(unit, role):
        return ()
    if not is_distributed(job):
        return ("the operator sets no TF_CONFIG for a job of one replica",) if gets_tf_config(job, role) else ()
    differences: list[str] = []
    if not gets_tf_config(job, role):
        differences.append(f"the operator sets TF_CONFIG even with discovery {job.cluster.discovery}")
    if any(other.name == "evaluator" for other in training_roles(job)):
        differences.append("the operator lists the evaluator in cluster")
    if job.namespace is None:
        differences.append("hosts contain the namespace in which the job is created; it is shown as `default` here")
    return tuple(differences)
