"""When the conditional rows of the support table hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.support import Condition, condition
from tfdsl_backends.volcano import evictions
from tfdsl_backends.volcano.claims import in_every_container
from tfdsl_backends.volcano.evictions import evicted_policy
from tfdsl_backends.volcano.features import features
from tfdsl_backends.volcano.replicas import only_ends, replaces_pods, replica, restarts_in_place

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import ClaimMount, Job, Policy, Role
    from tfdsl_backends.volcano.features import Features


@condition("a number")
def is_number(unit: Unit, item: Item) -> bool:
    """A priority that is a number."""
    return isinstance(item.value, int)


@condition('tf_config = "shell"; before 1.9 also where static would need the index')
def builds_in_shell(unit: Unit, item: Item) -> bool:
    """TF_CONFIG is put together by a shell program."""
    from tfdsl_backends.volcano import tfconfig  # needs the IR, which the table loads without

    return tfconfig.mode(unit) == "shell" and unit.job.cluster.discovery in ("tf_config", "both")


@condition("below replicas, in a job that has an after")
def gang_loses_minimum(unit: Unit, item: Item) -> bool:
    """A minimum below ``replicas`` of a role that starts at once, in a job in which others start later.

    Volcano looks at the tasks' minimums only when their sum is the job's (scheduler/plugins/gang).
    """
    role = cast("Role", item.node)
    waits = any(other.after for other in unit.job.roles)
    return waits and not role.after and role.name != "tensorboard" and role.min_available < role.replicas


@condition("of a role with one replica")
def one_replica(unit: Unit, item: Item) -> bool:
    """The role of the policy has one replica, so that one is the role."""
    role = unit.job.role(item.role)
    return role is not None and role.replicas == 1


@condition("beside gpu_memory")
def uses_vgpu(unit: Unit, item: Item) -> bool:
    """The role asks for a share of a device."""
    return cast("Role", item.node).gpu_memory is not None


@condition("without keep, and not mounted alike by every role")
def claim_outlives(unit: Unit, item: Item) -> bool:
    """A claim without ``keep`` that cannot be one of the job's own volumes."""
    name = cast("ClaimMount", item.node).claim
    claim = next(claim for claim in unit.job.claims if claim.name == name)
    return not claim.keep and not in_every_container(unit.job, claim)


# --- policies --------------------------------------------------------------------------------------------------


def _trainers(job: Job) -> list[Role]:
    return [role for role in job.roles if role.name != "tensorboard"]


def _subjects(unit: Unit, item: Item) -> list[Role]:
    """The roles for which the item's policy is the one that decides on its event, without tensorboard."""
    return [role for role in _all_subjects(unit, item) if role.name != "tensorboard"]


def _all_subjects(unit: Unit, item: Item) -> list[Role]:
    """The same with tensorboard."""
    from tfdsl.ir.policies import covering, exit_policies

    policy = cast("Policy", item.node)
    found: list[Role] = []
    for role in unit.job.roles:
        if policy.event == "exit":
            decides = any(other is policy for _, other in exit_policies(unit.job, role, replica(role)))
        else:
            first = next((p for p in covering(unit.job, role, replica(role)) if p.event == policy.event), None)
            decides = first is policy
        if decides:
            found.append(role)
    return found


@condition("with restart container, and without a policy for evicted")
def lost_pod_ends_job(unit: Unit, item: Item) -> bool:
    """A restart in place of a role for which nothing says what happens when its pod is lost."""
    policy = cast("Policy", item.node)
    return policy.action == "restart container" and any(
        evicted_policy(unit.job, role) is None for role in _subjects(unit, item)
    )


@condition("for several roles, or beside other restarts")
def counted_apart(unit: Unit, item: Item) -> bool:
    """Restarts in place of several roles, or beside other restarts."""
    if not _subjects(unit, item):
        return False
    in_place = [role for role in _trainers(unit.job) if restarts_in_place(unit.job, role)]
    return len(in_place) > 1 or replaces_pods(unit.job)


@condition("with restart container")
def restarts_container(unit: Unit, item: Item) -> bool:
    """The policy restarts the container in place."""
    return cast("Policy", item.node).action == "restart container"


@condition("of a role that decides the job's end")
def decider_is_ignored(unit: Unit, item: Item) -> bool:
    """Failures are ignored of a role whose completion ends the job."""
    from tfdsl.ir.policies import deciders

    return any(role.name in deciders(unit.job) for role in _subjects(unit, item))


@condition("beside failed => restart container")
def beside_restart_in_place(unit: Unit, item: Item) -> bool:
    """An ``exit`` policy with another action on a role whose containers restart in place."""
    policy = cast("Policy", item.node)
    return policy.action != "restart container" and any(
        restarts_in_place(unit.job, role) for role in _all_subjects(unit, item)
    )


def _as_any_failure(unit: Unit, item: Item) -> bool:
    """An ``exit`` policy that does what the ``failed`` policy of its roles does anyway."""
    from tfdsl.ir.policies import on_failure

    policy = cast("Policy", item.node)
    failures = [on_failure(unit.job, role, replica(role)) for role in _all_subjects(unit, item)]
    return all(failure is not None and failure.action == policy.action for failure in failures)


restarts_on_any_failure = Condition("beside failed => restart container", _as_any_failure)
ignores_any_failure = Condition("beside failed => ignore", _as_any_failure)


@condition("with another action than a failure has")
def pressure_is_failure(unit: Unit, item: Item) -> bool:
    """An ``evicted`` policy with another action than that of a failure, on a role that does not restart in place."""
    return any(evictions.differs_from_failure(unit.job, role) for role in _all_subjects(unit, item))


@condition(
    "from 1.12.4, 1.13.2 and 1.14 on, where another policy covers 137 or 143, or to ignore in a job with abort job or "
    "a restart of pods"
)
def failure_comes_first(unit: Unit, item: Item) -> bool:
    """An ``evicted`` policy that the end of the deleted pod keeps from acting, in the releases that see that end."""
    if not features(unit).fails_deleted:
        return False
    ignores = cast("Policy", item.node).action == "ignore" and replaces_or_aborts(unit, item)
    return any(
        evictions.status_is_taken(unit.job, role) or (ignores and evictions.differs_from_failure(unit.job, role))
        for role in _all_subjects(unit, item)
    )


@condition("with another action than a failure has, from 1.12.4, 1.13.2 and 1.14 on")
def is_told_by_status(unit: Unit, item: Item) -> bool:
    """An ``evicted`` policy that acts by the statuses with which deleted pods end."""
    can = features(unit)
    return any(evictions.is_told_by_status(unit.job, role, can) for role in _all_subjects(unit, item))


def statuses_of(unit: Unit, item: Item) -> dict[str, str]:
    """``statuses``: those that are taken for an eviction, in words."""
    taken = evictions.statuses(cast("Policy", item.node))
    killed = "137 (killed, also for memory) or " if evictions.KILLED in taken else ""
    return {"statuses": f"{killed}143 (SIGTERM)"}


@condition("of a role that has a policy for completed, from 1.12.4, 1.13.2 and 1.14 on")
def deletion_completes(unit: Unit, item: Item) -> bool:
    """An ``evicted`` policy on a role for whose completion there is a policy, where a deleted pod's end counts."""
    from tfdsl.ir.policies import on_completion

    return features(unit).fails_deleted and any(
        on_completion(unit.job, role, replica(role)) is not None for role in _all_subjects(unit, item)
    )


@condition("in a job with abort job or a restart of pods")
def replaces_or_aborts(unit: Unit, item: Item) -> bool:
    """A policy of the job makes pods anew, or stops the job in a way that an ignored status would end."""
    return not only_ends(unit.job)


@condition("before 1.14")
def may_count_twice(unit: Unit, item: Item) -> bool:
    """The release may count a restart of a pod or role twice."""
    return not features(unit).counts_once


@condition("in a job that replaces pods")
def begins_anew(unit: Unit, item: Item) -> bool:
    """A count of restarts in place in a job whose pods are made anew."""
    return replaces_pods(unit.job)


def count_of(unit: Unit, item: Item) -> dict[str, str]:
    """``count``: the N of ``restarted N``."""
    return {"count": str(cast("Policy", item.node).count)}


@condition("restarted 1, before 1.6")
def is_above_count(unit: Unit, item: Item) -> bool:
    """A ``restarted 1`` in a release that acts above the count: its least is 2, for a ``maxRetry`` of 0 means 3."""
    return cast("Policy", item.node).count == 1 and not features(unit).reaches_count


@condition("beside a policy for evicted that Volcano cannot tell from it")
def deadline_restarts(unit: Unit, item: Item) -> bool:
    """A deadline that is taken for an eviction, and has another action than a failure then."""
    can = features(unit)
    return any(_is_lost_at_deadline(unit.job, role, can) for role in _trainers(unit.job))


def _is_lost_at_deadline(job: Job, role: Role, can: Features) -> bool:
    lost = evicted_policy(job, role)
    if lost is None or lost.action == "fail job":
        return False
    return restarts_in_place(job, role) or evictions.is_told_by_status(job, role, can)


@condition("in a job with abort job")
def aborts(unit: Unit, item: Item) -> bool:
    """A policy of the job aborts it."""
    return any(policy.action == "abort job" for policy in unit.job.policies)


@condition("default-scheduler, with a gang or a queue")
def knows_no_gangs(unit: Unit, item: Item) -> bool:
    """Kubernetes' own scheduler, in a job that wants a gang or a queue."""
    return item.value == "default-scheduler" and (unit.job.gang or unit.job.queue is not None)


@condition("of several replicas, before 1.9")
def has_no_index(unit: Unit, item: Item) -> bool:
    """An index of one of several replicas, in a release that does not write it on the pod."""
    role = unit.job.role(item.role)
    return role is not None and role.replicas > 1 and not features(unit).annotates_index


@condition("flags or servers of several replicas, before 1.9")
def flags_have_no_index(unit: Unit, item: Item) -> bool:
    """The same for ``--task_index``, and for the TF_CONFIG of a server that no other delivery gives."""
    from tfdsl.ir.cluster_spec import gets_flags, gets_tf_config

    job = unit.job
    needs = [r for r in job.roles if gets_flags(job, r) or (r.server and not gets_tf_config(job, r))]
    return not features(unit).annotates_index and any(role.replicas > 1 for role in needs)


@condition("with a count above retries")
def above_retries(unit: Unit, item: Item) -> bool:
    """A ``restarted N`` with an N that ``retries`` does not reach."""
    count = cast("Policy", item.node).count
    return count is not None and count > unit.job.retries


@condition("with ignore")
def is_ignored(unit: Unit, item: Item) -> bool:
    """The policy ignores its event."""
    return cast("Policy", item.node).action == "ignore"
