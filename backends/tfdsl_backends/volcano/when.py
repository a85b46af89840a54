"""When the conditional rows of the support table hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from tfdsl.backend import Condition, Unit, condition
from tfdsl.backend.conditions import fewer
from tfdsl.ir.policies import deciders
from tfdsl_backends.volcano.features import features
from tfdsl_backends.volcano.names import claims
from tfdsl_backends.volcano.policies import KILLED, TERMINATED, RoleDecisions, decisions, eviction_statuses

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import ClaimMount, Policy, Role

asks_for_devices = Condition("beside devices", lambda unit, item: any(role.gpu for role in unit.job.roles))
uses_vgpu = Condition("with gpu_memory", lambda unit, item: cast("Role", item.node).gpu_memory is not None)


@condition('tf_config = "shell"; before 1.9 also when static would need the index')
def builds_in_shell(unit: Unit, item: Item) -> bool:
    """TF_CONFIG is put together by a shell program."""
    from tfdsl_backends.volcano import tfconfig  # needs the IR, which the table loads without

    return tfconfig.mode(unit) == "shell" and unit.job.cluster.discovery in ("tf_config", "both")


@condition("below replicas, in a job with after")
def gang_loses_minimum(unit: Unit, item: Item) -> bool:
    """A minimum below ``replicas`` of a role that starts at once, in a job in which others start later.

    Volcano looks at the tasks' minimums only when their sum is the job's (scheduler/plugins/gang).
    """
    waits = any(other.after for other in unit.job.roles)
    return waits and not cast("Role", item.node).after and fewer(unit, item)


@condition("without keep, unless every role mounts it in the same way")
def claim_outlives(unit: Unit, item: Item) -> bool:
    """A claim without ``keep`` that cannot be one of the job's own volumes."""
    claim = claims(unit).documents.get(cast("ClaimMount", item.node).claim)
    return claim is not None and not claim.keep


@condition("without keep, in steps of a role")
def claim_is_in_steps(unit: Unit, item: Item) -> bool:
    """The same because a role that mounts it, this one or another, has steps."""
    name = cast("ClaimMount", item.node).claim
    with_steps = (role for role in unit.job.roles if role.steps)
    mounted = any(mount.kind == "claim" and mount.claim == name for role in with_steps for mount in role.mounts)
    return mounted and claim_outlives(unit, item)


reads_statuses = Condition(
    "where an exit status decides", lambda unit, item: bool(decisions(unit).roles[item.role].exits)
)
"""A step: whether policies of its role distinguish exit statuses."""


@condition("where containers restart in place, up to a number")
def counts_restarts(unit: Unit, item: Item) -> bool:
    """A step: whether the restarts of its role's containers are counted."""
    decided = decisions(unit).roles[item.role]
    return decided.in_place and (decided.restarted is not None or not decided.is_tensorboard)


@condition("beside a policy for evicted that Volcano cannot tell apart from it")
def deadline_restarts(unit: Unit, item: Item) -> bool:
    """A deadline that counts as an eviction, and has another action than a failure then."""
    return any(
        role.evicted is not None and role.evicted.action != "fail job" and (role.in_place or role.evicted_by_status)
        for role in decisions(unit).trainers
    )


aborts = Condition(
    "if a policy uses abort job", lambda unit, item: any(policy.action == "abort job" for policy in unit.job.policies)
)


knows_no_gangs = Condition(
    "default-scheduler, with a gang or a queue",
    lambda unit, item: item.value == "default-scheduler" and (unit.job.gang or unit.job.queue is not None),
)
"""Kubernetes' own scheduler, in a job that wants a gang or a queue."""


@condition("with several replicas, before 1.9")
def has_no_index(unit: Unit, item: Item) -> bool:
    """An index of one of several replicas, in a release that does not write it on the pod."""
    role = unit.job.role(item.role)
    return role is not None and role.replicas > 1 and not features(unit).annotates_index


@condition("flags or servers with several replicas, before 1.9")
def flags_have_no_index(unit: Unit, item: Item) -> bool:
    """The same for ``--task_index``, and for the TF_CONFIG of a server, which only we deliver."""
    from tfdsl.ir.cluster_spec import gets_flags, gets_tf_config, needs_tf_config

    job = unit.job
    needs = [r for r in job.roles if gets_flags(job, r) or (needs_tf_config(job, r) and not gets_tf_config(job, r))]
    return not features(unit).annotates_index and any(role.replicas > 1 for role in needs)


# --- policies --------------------------------------------------------------------------------------------------


def _policy(item: Item) -> Policy:
    return cast("Policy", item.node)


def _roles(unit: Unit, item: Item) -> Sequence[RoleDecisions]:
    """The roles on whose event the policy decides, tensorboard too."""
    return decisions(unit).deciding.get(id(item.node), ())


def _trainers(unit: Unit, item: Item) -> list[RoleDecisions]:
    """The same without tensorboard."""
    return [role for role in _roles(unit, item) if not role.is_tensorboard]


restarts_container = Condition("with restart container", lambda unit, item: _policy(item).action == "restart container")
is_ignored = Condition("with ignore", lambda unit, item: _policy(item).action == "ignore")
replaces_or_aborts = Condition(
    "in a job with abort job or a policy that replaces pods", lambda unit, item: not decisions(unit).only_ends
)
begins_anew = Condition("in a job that replaces pods", lambda unit, item: decisions(unit).replaces_pods)
may_count_twice = Condition("before 1.14", lambda unit, item: not features(unit).counts_once)


@condition("role with one replica")
def one_replica(unit: Unit, item: Item) -> bool:
    """The role of the policy has one replica, so that one is the role."""
    role = unit.job.role(item.role)
    return role is not None and role.replicas == 1


@condition("with restart container, but without a policy for evicted")
def lost_pod_ends_job(unit: Unit, item: Item) -> bool:
    """A restart in place of a role for which nothing says what happens when its pod is lost."""
    roles = (role for role in _trainers(unit, item) if not role.as_written)
    return restarts_container(unit, item) and any(role.evicted is None for role in roles)


@condition('with policies = "written", without a policy for restarted')
def restarts_without_end(unit: Unit, item: Item) -> bool:
    """A restart in place whose number nothing looks at."""
    roles = _trainers(unit, item)
    return restarts_container(unit, item) and any(role.as_written and role.restarted is None for role in roles)


@condition("with several roles, or beside other restarts")
def counted_apart(unit: Unit, item: Item) -> bool:
    """Restarts in place of several roles, or beside other restarts."""
    decided = decisions(unit)
    in_place = [role for role in decided.trainers if role.in_place]
    return bool(_trainers(unit, item)) and (len(in_place) > 1 or decided.replaces_pods)


@condition("role with a policy for completed")
def decider_is_ignored(unit: Unit, item: Item) -> bool:
    """Failures are ignored of a role whose completion ends the job, or starts it again."""
    ending = deciders(unit.job)
    return any(trainer.completed is not None or trainer.role.name in ending for trainer in _trainers(unit, item))


beside_restart_in_place = Condition(
    "beside failed => restart container",
    lambda unit, item: not restarts_container(unit, item) and any(role.in_place for role in _roles(unit, item)),
)
"""An ``exit`` policy with another action on a role whose containers restart in place."""


def _as_any_failure(unit: Unit, item: Item) -> bool:
    """An ``exit`` policy that does what the ``failed`` policy of its roles does anyway."""
    failures = [role.failed for role in _roles(unit, item)]
    return all(failed is not None and failed.action == _policy(item).action for failed in failures)


restarts_on_any_failure = Condition("beside failed => restart container", _as_any_failure)
ignores_any_failure = Condition("beside failed => ignore", _as_any_failure)


sees_the_end = Condition("from 1.12.4, 1.13.2 and 1.14 on", lambda unit, item: features(unit).fails_deleted)
can_end_evicted = Condition(
    "with 137 or 143", lambda unit, item: not {KILLED, TERMINATED}.isdisjoint(_policy(item).codes)
)


pressure_is_failure = Condition(
    "with a different action than failed", lambda unit, item: any(role.evicted_differs for role in _roles(unit, item))
)
"""An ``evicted`` policy with another action than a failure has, on a role that does not restart in place."""


@condition(
    "from 1.12.4, 1.13.2 and 1.14 on, if another policy covers 137 or 143, or with ignore in a job with "
    'abort job or a policy that replaces pods; with policies = "written" if failed has another action'
)
def failure_comes_first(unit: Unit, item: Item) -> bool:
    """An ``evicted`` policy that the end of the deleted pod keeps from acting, in releases that see that end."""
    if not features(unit).fails_deleted:
        return False
    ignores = is_ignored(unit, item) and replaces_or_aborts(unit, item)
    return any(
        role.status_is_taken or (role.evicted_differs and (ignores or (role.as_written and role.failed is not None)))
        for role in _roles(unit, item)
    )


acts_by_status = Condition(
    "with a different action than failed, from 1.12.4, 1.13.2 and 1.14 on",
    lambda unit, item: any(role.evicted_by_status for role in _roles(unit, item)),
)
"""An ``evicted`` policy that acts by the exit statuses of deleted pods."""


def statuses_of(unit: Unit, item: Item) -> dict[str, str]:
    """``statuses``: those that count as an eviction, in words."""
    killed = "137 (killed, also for memory) or " if KILLED in eviction_statuses(_policy(item)) else ""
    return {"statuses": f"{killed}143 (SIGTERM)"}


deletion_completes = Condition(
    "role with a policy for completed, from 1.12.4, 1.13.2 and 1.14 on",
    lambda unit, item: features(unit).fails_deleted and any(role.completed is not None for role in _roles(unit, item)),
)
"""An ``evicted`` policy on a role for whose completion there is a policy, where a deleted pod's end counts."""


def count_of(unit: Unit, item: Item) -> dict[str, str]:
    """``count``: the N of ``restarted N``."""
    return {"count": str(_policy(item).count)}


is_above_count = Condition(
    "restarted 1, before 1.6", lambda unit, item: _policy(item).count == 1 and not features(unit).reaches_count
)
"""A ``restarted 1`` in a release that acts above the count: its least is 2, because a ``maxRetry`` of 0 means 3."""


@condition("with a count above retries")
def above_retries(unit: Unit, item: Item) -> bool:
    """A ``restarted N`` with an N that ``retries`` does not reach."""
    count = _policy(item).count
    return count is not None and count > unit.job.retries
