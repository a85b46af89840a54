"""The pods of a TFJob: what the target adds to the template of each role."""

from __future__ import annotations

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located, at, child, entry
from tfdsl.ir.cluster_spec import cluster_spec, gets_flags, has_own_config, tf_config
from tfdsl.ir.model import Role, RunTimeText
from tfdsl_backends.podspec.command import expanded
from tfdsl_backends.podspec.objects import claim_names, tensorboard_plan
from tfdsl_backends.podspec.plan import PORT_NAME, Index, PodPlan, Program, index_of, with_options
from tfdsl_backends.tfjob.tfconfig import address, delivers, is_distributed

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
    return [
        (role, tensorboard_plan(unit) if role.name == "tensorboard" else _plan(unit, role, spec))
        for role in unit.job.roles
    ]


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
