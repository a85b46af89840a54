"""The pods of a TFJob: their names and addresses, and what the target adds to each role's template.

The operator names pod and Service of a replica `<job>-<role>-<index>` and labels them; pods find each other by the
Service's name, which resolves in the job's namespace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import at
from tfdsl.ir.cluster_spec import cluster_spec, gets_flags, gets_tf_config, listed, tf_config
from tfdsl_backends.podspec.objects import claim_names
from tfdsl_backends.podspec.plan import PORT_NAME, Index, PodPlan, Program, index_of, with_options
from tfdsl_backends.tfjob.policies import training_roles

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.cluster_spec import Address
    from tfdsl.ir.model import Job, Role

DEFAULT_PORT = 2222
"""The port that the operator gives a container without a port called ``tfjob-port``."""

INDEX_FIELD = "metadata.labels['training.kubeflow.org/replica-index']"
"""Where the pod has its replica's index, in all versions."""

SET_TF_CONFIG = 'TF_CONFIG=$1\nexport TF_CONFIG\nshift\nexec "$@"\n'
"""Starts the command with our TF_CONFIG. The operator appends its own entry to the env and the last of a name wins."""


def replica_name(job: Job, role: Role, index: int) -> str:
    """Name of the pod and of the Service of a replica."""
    return f"{job.name}-{role.name}-{index}"


def address(job: Job) -> Address:
    """``host:port`` by the Service's name, for a process in the job's namespace."""
    return lambda role, index: f"{replica_name(job, role, index)}:{role.port}"


def operator_spec(job: Job) -> dict[str, list[str]]:
    """The cluster as the operator writes it: the evaluator is in it, and hosts hold the namespace."""
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
    """Whether the compiler, and not the operator, gives ``role`` its TF_CONFIG."""
    return unit.text("tf_config") == "static" and gets_tf_config(unit.job, role)


def plans(unit: Unit) -> list[tuple[Role, PodPlan]]:
    """What is added to the pods of each role, in the job's order of roles."""
    needs_spec = any(delivers(unit, role) or gets_flags(unit.job, role) for role in unit.job.roles)
    spec = cluster_spec(unit.job, address(unit.job)) if needs_spec else {}
    return [(role, with_options(unit, _plan(unit, role, spec))) for role in unit.job.roles]


def _plan(unit: Unit, role: Role, spec: dict[str, list[str]]) -> PodPlan:
    job = unit.job
    if role.name == "tensorboard":
        labels = tensorboard_labels(job)
        return PodPlan(
            Index(constant=0), restart_policy="Always", labels=labels, spread_labels=labels, claims=claim_names(job)
        )
    index = index_of(role, INDEX_FIELD)
    config = tf_config(spec, role.name, index.reference) if delivers(unit, role) else None
    wrapped = config is not None and is_distributed(job)
    return PodPlan(
        index,
        tf_config=None if wrapped else config,
        wrapper=Program(SET_TF_CONFIG, (config,)) if wrapped and config is not None else None,
        hosts=spec if gets_flags(job, role) else {},
        spread_labels={
            "training.kubeflow.org/job-name": job.name,
            "training.kubeflow.org/replica-type": role.name,
        },
        claims=claim_names(job),
        port_name=None if role.port == DEFAULT_PORT else PORT_NAME,
        priority_class=at(job, "priority"),
        scheduler=at(job, "scheduler"),
    )


def tensorboard_labels(job: Job) -> dict[str, str]:
    """Labels of TensorBoard's Deployment, Service and pod."""
    return {"tfdsl/tensorboard": job.name}
