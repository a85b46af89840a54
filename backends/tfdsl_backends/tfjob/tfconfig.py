"""What each task of a TFJob sees, and what is added to its pods.

The operator names pod and Service of a replica `<job>-<role>-<index>`; pods find each other by the Service's name,
which resolves in the job's namespace.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import TaskConfig, Unit
from tfdsl.emit.located import Data, Located, at, child, entry
from tfdsl.ir.cluster_spec import Address, cluster_spec, gets_flags, gets_tf_config, has_own_config, listed, tf_config
from tfdsl.ir.model import Job, Role, RunTimeText
from tfdsl.record import replace
from tfdsl_backends.podspec.command import expanded
from tfdsl_backends.podspec.objects import claim_names, tensorboard_plan
from tfdsl_backends.podspec.plan import PORT_NAME, Index, PodPlan, Program, index_of, with_options
from tfdsl_backends.podspec.tfconfig import INDEX, RoleTasks, Tasks, role_tasks
from tfdsl_backends.tfjob.options import features


def replica_name(job: Job, role: Role, index: int) -> str:
    """Name of the pod and of the Service of a replica."""
    return f"{job.name}-{role.name}-{index}"


def address(job: Job) -> Address:
    """``host:port`` by the Service's name, for a process in the job's namespace."""
    return lambda role, index: f"{replica_name(job, role, index)}:{role.port}"


def operator_spec(job: Job) -> dict[str, list[str]]:
    """The cluster as the operator writes it: with the evaluator, and with the namespace in the hosts."""
    namespace = job.namespace or "default"
    roles = sorted(job.training_roles, key=lambda role: role.name)
    return {
        role.name: [f"{replica_name(job, role, index)}.{namespace}.svc:{role.port}" for index in listed(role)]
        for role in roles
    }


def operator_config(unit: Unit, role: Role, index: str) -> str:
    """The TF_CONFIG that the operator sets for a replica of ``role``; ``index``: as text."""
    if not unit.flag("dynamic_workers"):
        return tf_config(operator_spec(unit.job), role.name, index)
    return sparse_config(unit, role).replace(INDEX, index)


def sparse_config(unit: Unit, role: Role) -> str:
    """The TF_CONFIG beside ``enableDynamicWorker``, with :data:`INDEX` for the index (``SparseClusterSpec``).

    A worker sees itself and the parameter servers, which each see only themselves; the others see nobody.
    """
    from json import dumps

    job, namespace = unit.job, unit.job.namespace or "default"
    own = f"{job.name}-{role.name}-{INDEX}.{namespace}.svc:{role.port}"
    workers = {INDEX: own} if role.name == "worker" else {}
    servers = [own] if role.name == "ps" else operator_spec(job).get("ps") if workers else []
    cluster = dumps({"worker": workers, "ps": servers}, separators=(",", ":")).replace("\\u0000", INDEX)
    key = "cluster" if features(unit).sparse_in_cluster else "sparseCluster"
    return f'{{"{key}":{cluster},"task":{{"type":"{role.name}","index":{INDEX}}}}}'


def is_distributed(job: Job) -> bool:
    """Whether the operator injects TF_CONFIG: it does unless the job has one replica in all."""
    return sum(role.replicas for role in job.training_roles) != 1


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
    if role.is_board and not has_own_config(role):
        return RoleTasks(role.name, role.replicas)
    made = role_tasks(unit.job, role, ours, ours if delivers(unit, role) else theirs, _differences(unit, role))
    if unit.flag("dynamic_workers") and theirs is not None and made.own is None and not delivers(unit, role):
        return replace(made, config=sparse_config(unit, role))
    return made


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
    if unit.flag("dynamic_workers"):
        differences.append("with dynamic_workers, cluster has only this task, and for a worker the ps")
    elif any(other.name == "evaluator" for other in job.training_roles):
        differences.append("the operator lists the evaluator in cluster")
    if job.namespace is None:
        differences.append("hosts contain the namespace in which the job is created; it is shown as `default` here")
    return tuple(differences)


DEFAULT_PORT = 2222
"""The port that the operator adds to a container without a port named ``tfjob-port``."""

INDEX_FIELD = "metadata.labels['training.kubeflow.org/replica-index']"
"""Where the pod has its replica's index, in all versions."""

SET_TF_CONFIG = 'TF_CONFIG=$1\nexport TF_CONFIG\nshift\nexec "$@"\n'
"""Starts the command with our TF_CONFIG, or with the job's own.

The operator appends its own entry to the env and the last of a name wins.
"""


def plans(unit: Unit) -> list[tuple[Role, PodPlan]]:
    """What is added to the pods of each role, in the job's order of roles."""
    needs_spec = any(delivers(unit, role) or gets_flags(unit.job, role) for role in unit.job.roles)
    spec = cluster_spec(unit.job, address(unit.job)) if needs_spec else {}
    return [(role, tensorboard_plan(unit) if role.is_board else _plan(unit, role, spec)) for role in unit.job.roles]


def _plan(unit: Unit, role: Role, spec: dict[str, list[str]]) -> PodPlan:
    job = unit.job
    index = index_of(role, INDEX_FIELD)
    config = tf_config(spec, role.name, index.reference) if delivers(unit, role) else None
    parameter = _own_config(role, index) if has_own_config(role) else config
    wrapped = parameter is not None and is_distributed(job)
    plan = PodPlan(
        index,
        tf_config=None if wrapped else config,
        wrapper=Program(SET_TF_CONFIG, (parameter,)) if wrapped else None,
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
    return with_options(unit, plan)


def _own_config(role: Role, index: Index) -> Data:
    """The TF_CONFIG that the job sets, as a parameter; ``None`` for what is not a text, which is refused."""
    value = role.env["TF_CONFIG"]
    if not isinstance(value, str | RunTimeText):
        return None
    return Located(expanded(value, index), entry(child(role.path, "env"), "TF_CONFIG"))
