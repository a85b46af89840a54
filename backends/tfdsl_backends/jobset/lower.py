"""A job as a JobSet, top to bottom in the order of the manifest."""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import Document, Unit
from tfdsl.emit.located import Data, Located, at, child
from tfdsl.ir.model import Job, Role
from tfdsl.ir.policies import deciders
from tfdsl_backends.jobset import when
from tfdsl_backends.jobset.checks import check
from tfdsl_backends.jobset.options import API_VERSION, EXCLUSIVE
from tfdsl_backends.jobset.policies import decisions, job_name, jobs_of, jobset_rules, pod_labels, pod_rules, pods_of
from tfdsl_backends.jobset.tfconfig import plan, tasks
from tfdsl_backends.podspec.batch import ending_alone, job_spec
from tfdsl_backends.podspec.fields import DEADLINE, SUSPEND, TTL, written
from tfdsl_backends.podspec.objects import claim_document, job_metadata, tensorboard_service
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.pods import pod_template

__all__ = ["check", "generate", "tasks"]


def generate(unit: Unit) -> Sequence[Document]:
    """The JobSet, which is the main document; the claims that outlive it; TensorBoard's Service."""
    job = unit.job
    documents = [jobset(unit), *(claim_document(job, claim) for claim in when.documents(unit))]
    board = job.board
    if board is not None:
        documents.append(tensorboard_service(job, board, pod_labels(unit, board)))
    return [Document(data) for data in documents]


def jobset(unit: Unit) -> Data:
    """The JobSet of a job, without the documents beside it."""
    job = unit.job
    return {
        "apiVersion": API_VERSION,
        "kind": "JobSet",
        "metadata": metadata(unit),
        "spec": {
            **written(job, (SUSPEND, TTL)),
            "network": network(unit),
            "coordinator": coordinator(unit),
            "successPolicy": success_policy(unit),
            "failurePolicy": failure_policy(unit),
            "volumeClaimPolicies": when.policies(unit),
            "replicatedJobs": [replicated_job(unit, role) for role in in_order(job)],
        },
    }


def metadata(unit: Unit) -> dict[str, Data]:
    """Name, namespace, labels with the one that Kueue reads, annotations with the one for exclusive placement."""
    job, topology = unit.job, unit.text("exclusive_topology")
    queue = at(job, "queue")
    made = job_metadata(job, {QUEUE_LABEL: queue} if queue else None)
    if topology:
        own = {key: Located(value, f"annotations.{key}") for key, value in job.annotations.items()}
        made["annotations"] = {**own, EXCLUSIVE: topology}
    return made


def network(unit: Unit) -> dict[str, Data]:
    """The headless Service by which every replica has a DNS name, even before it is ready."""
    if not unit.flag("service"):
        return {"enableDNSHostnames": False}
    return {
        "enableDNSHostnames": True,
        "subdomain": unit.text("subdomain") or None,
        "publishNotReadyAddresses": True,
    }


def coordinator(unit: Unit) -> Data:
    """The replica whose address all others get."""
    role = unit.job.role(unit.text("coordinator"))
    return {"replicatedJob": job_name(unit, role), "jobIndex": 0, "podIndex": 0} if role is not None else None


def success_policy(unit: Unit) -> Data:
    """Whose end is the end of the job; of several roles, the first, unless the option says all."""
    ends, every = deciders(unit.job), unit.text("success") == "all"
    roles = [role for role in unit.job.roles if (not role.is_board if every else role.name in ends)]
    return {
        "operator": "All" if every or len(roles) == 1 else "Any",
        "targetReplicatedJobs": [job_name(unit, role) for role in roles],
    }


def failure_policy(unit: Unit) -> dict[str, Data]:
    """What a failed Job does to the job; of a restart, nothing begins before all that was there is gone."""
    restarts = decisions(unit).restarts_job
    return {
        "maxRestarts": Located(unit.job.retries if restarts else 0, "retries"),
        "restartStrategy": unit.text("restart_strategy"),
        "rules": jobset_rules(unit) or None,
    }


def replicated_job(unit: Unit, role: Role) -> Data:
    """The Jobs of ``role``, one unless the option says otherwise."""
    job = unit.job
    decided = decisions(unit).roles[role.name]
    return Located(
        {
            "name": Located(job_name(unit, role), role.path),
            "replicas": jobs_of(unit, role),
            "dependsOn": depends_on(unit, role),
            "template": {
                "spec": job_spec(
                    job,
                    role,
                    decided.limit,
                    pod_rules(decided).rules,
                    pod_template(job, role, plan(unit, role)),
                    (DEADLINE,) if not role.is_board else (),
                    sorted(ending_alone(job, role), key=lambda policy: policy.index or 0),
                    pods_of(unit, role),
                ),
            },
        },
        role.path,
    )


def depends_on(unit: Unit, role: Role) -> Data:
    """The roles whose replicas run before those of ``role`` are made."""
    others = [other for name in role.after if (other := unit.job.role(name)) is not None]
    dependencies: list[Data] = [{"name": job_name(unit, other), "status": "Ready"} for other in others]
    return Located(dependencies, child(role.path, "after")) if dependencies else None


def in_order(job: Job) -> list[Role]:
    """The roles, each after those of its ``after``, and otherwise in their own order."""
    placed: list[Role] = []
    waiting = list(job.roles)
    while waiting:
        names = {role.name for role in placed}
        ready = next((role for role in waiting if names.issuperset(role.after)), waiting[0])
        placed.append(ready)
        waiting.remove(ready)
    return placed
