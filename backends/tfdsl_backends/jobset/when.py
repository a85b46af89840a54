"""When the conditional rows of the support table hold, and what they fill into their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.backend import Condition, Unit, condition
from tfdsl_backends.jobset.claims import own_claims
from tfdsl_backends.jobset.policies import TENSORBOARD, decisions
from tfdsl_backends.podspec.options import QUEUE_LABEL

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import ClaimMount, Policy, Role


@condition("with a queue")
def queued(unit: Unit, item: Item) -> bool:
    """Whether Kueue admits the job, all its pods at once."""
    return unit.job.queue is not None or QUEUE_LABEL in unit.job.labels


@condition("true, with a queue or Kueue's label")
def in_kueue(unit: Unit, item: Item) -> bool:
    """``suspend``: whether Kueue manages a job that is to be held."""
    return item.value is True and queued(unit, item)


@condition("tensorboard, unless failed => restart container or evicted => restart pod")
def not_tensorboards_own(unit: Unit, item: Item) -> bool:
    """Whether the policy is of tensorboard and not what its Job does anyway."""
    policy = cast("Policy", item.node)
    own = {"failed": ("restart container",), "evicted": ("restart pod",)}
    return item.role == TENSORBOARD and policy.action not in own.get(policy.event, ())


overridden = Condition(
    "more specific policies decide",
    lambda unit, item: item.role != TENSORBOARD and not decisions(unit).deciding[id(item.node)],
)


@condition("beside other actions on statuses, evictions or replicas")
def in_new_pod(unit: Unit, item: Item) -> bool:
    """``restart container``: whether its roles distinguish failures, which takes new pods."""
    return any(not role.in_place for role in decisions(unit).deciding[id(item.node)])


restarts_pods = Condition("if pods restart, not containers", in_new_pod.test)


@condition("where containers restart in place")
def restarts_in_place(unit: Unit, item: Item) -> bool:
    """Whether the containers of the role restart in place, up to a number."""
    role = decisions(unit).roles.get(item.role)
    return role is not None and role.in_place


@condition("unless containers restart in place")
def restarts_new_pods(unit: Unit, item: Item) -> bool:
    """``restarted``: whether no role that the policy covers restarts its containers in place."""
    policy = cast("Policy", item.node)
    roles = [one for name, one in decisions(unit).roles.items() if name != TENSORBOARD]
    covered = [one for one in roles if policy.role in (None, one.role.name)]
    return not any(one.in_place for one in covered)


@condition("more than retries")
def beyond_retries(unit: Unit, item: Item) -> bool:
    """``restarted N``: whether the job has no retries left before that."""
    policy = cast("Policy", item.node)
    return policy.count is not None and policy.count > unit.job.retries


@condition("the job and pods, or several roles, restart")
def counted_apart(unit: Unit, item: Item) -> bool:
    """Whether there is more than one counter of restarts."""
    decided = decisions(unit)
    return len(decided.restarting) + decided.restarts_job > 1


def restarting_roles(unit: Unit, item: Item) -> dict[str, str]:
    """``counters``: what counts restarts on its own."""
    decided = decisions(unit)
    job = ["the job"] if decided.restarts_job else []
    return {"counters": ", ".join([*job, *(f"role {one.role.name}" for one in decided.restarting)])}


@condition("the job restarts")
def restarts_job(unit: Unit, item: Item) -> bool:
    """Whether any failure restarts the whole job."""
    return decisions(unit).restarts_job


@condition("where a role of several replicas may run on")
def keeps_less(unit: Unit, item: Item) -> bool:
    """``cleanup = "running"``: whether a replica that has ended may go with others of its Job that still run."""
    trains = [role for role in unit.job.roles if role.name != TENSORBOARD]
    return item.value == "running" and any(role.replicas > 1 for role in trains)


@condition("several roles")
def after_several(unit: Unit, item: Item) -> bool:
    """``after``: whether a role waits for more than one."""
    return len(cast("Role", item.node).after) > 1


@condition("against a restart of the role's pods")
def replica_restarts_alone(unit: Unit, item: Item) -> bool:
    """A policy of one replica: whether it restarts a pod, or others of its role do where it does not."""
    policy = cast("Policy", item.node)
    role = decisions(unit).roles.get(policy.role or "")
    acts = policy.action in ("restart pod", "restart container")
    return acts or (role is not None and policy.index in role.mixed)


@condition("one replica")
def whole(unit: Unit, item: Item) -> bool:
    """``completed`` of one replica: whether its role has no other."""
    role = unit.job.role(item.role)
    return role is not None and role.replicas == 1


@condition("without keep, from 0.11")
def goes_with_job(unit: Unit, item: Item) -> bool:
    """Whether the JobSet makes the claim, and it goes with it."""
    name = cast("ClaimMount", item.node).claim
    return any(claim.name == name for claim in own_claims(unit))


keeps_running = Condition('"none"', lambda unit, item: item.value == "none")
