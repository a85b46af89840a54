"""When the conditional rows of the support table hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl_backends.volcano.claims import in_every_container

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import ClaimMount, Job, Policy, Role

OTHER_RESTARTS = ("restart pod", "restart role", "restart job")
"""The restarts that Volcano's job counts; restarts in place are counted by the task."""


def is_number(unit: Unit, item: Item) -> bool:
    """A priority that is a number."""
    return isinstance(item.value, int)


def is_not_running(unit: Unit, item: Item) -> bool:
    """A ``cleanup`` other than ``running``."""
    return item.value != "running"


def builds_in_shell(unit: Unit, item: Item) -> bool:
    """TF_CONFIG is put together by a shell program."""
    return unit.options["tf_config"] == "shell" and unit.job.cluster.discovery in ("tf_config", "both")


def gang_loses_minimum(unit: Unit, item: Item) -> bool:
    """A minimum below ``replicas`` of a role that starts at once, in a job in which others start later.

    Volcano looks at the tasks' minimums only when their sum is the job's (scheduler/plugins/gang).
    """
    role = cast("Role", item.node)
    waits = any(other.after for other in unit.job.roles)
    return waits and not role.after and role.name != "tensorboard" and role.min_available < role.replicas


def one_replica(unit: Unit, item: Item) -> bool:
    """The role of the policy has one replica, so that one is the role."""
    role = unit.job.role(item.role)
    return role is not None and role.replicas == 1


def uses_vgpu(unit: Unit, item: Item) -> bool:
    """The role asks for a share of a device."""
    return cast("Role", item.node).gpu_memory is not None


def claim_outlives(unit: Unit, item: Item) -> bool:
    """A claim without ``keep`` that cannot be one of the job's own volumes."""
    name = cast("ClaimMount", item.node).claim
    claim = next(claim for claim in unit.job.claims if claim.name == name)
    return not claim.keep and not in_every_container(unit.job, claim)


# --- policies --------------------------------------------------------------------------------------------------


def replica(role: Role) -> int | None:
    """The index that stands for the whole role when policies are looked up: 0 where it has one replica."""
    return 0 if role.replicas == 1 else None


def restarts_in_place(job: Job, role: Role) -> bool:
    """Whether a failed container of ``role`` is started again in its pod."""
    from tfdsl.ir.policies import on_failure

    policy = on_failure(job, role, replica(role))
    return policy is not None and policy.action == "restart container"


def evicted_policy(job: Job, role: Role) -> Policy | None:
    """The ``evicted`` policy of ``role``, without the ``failed`` one that stands in for it."""
    from tfdsl.ir.policies import covering

    return next((p for p in covering(job, role, replica(role)) if p.event == "evicted"), None)


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


def lost_pod_ends_job(unit: Unit, item: Item) -> bool:
    """A restart in place of a role for which nothing says what happens when its pod is lost."""
    policy = cast("Policy", item.node)
    return policy.action == "restart container" and any(
        evicted_policy(unit.job, role) is None for role in _subjects(unit, item)
    )


def counted_apart(unit: Unit, item: Item) -> bool:
    """Restarts in place of several roles, or beside other restarts."""
    if not _subjects(unit, item):
        return False
    in_place = [role for role in _trainers(unit.job) if restarts_in_place(unit.job, role)]
    return len(in_place) > 1 or any(policy.action in OTHER_RESTARTS for policy in unit.job.policies)


def restarts_container(unit: Unit, item: Item) -> bool:
    """The policy restarts the container in place."""
    return cast("Policy", item.node).action == "restart container"


def decider_is_ignored(unit: Unit, item: Item) -> bool:
    """Failures are ignored of a role whose completion ends the job."""
    from tfdsl.ir.policies import deciders

    return any(role.name in deciders(unit.job) for role in _subjects(unit, item))


def beside_restart_in_place(unit: Unit, item: Item) -> bool:
    """An ``exit`` policy with another action on a role whose containers restart in place."""
    policy = cast("Policy", item.node)
    return policy.action != "restart container" and any(
        restarts_in_place(unit.job, role) for role in _all_subjects(unit, item)
    )


def as_any_failure(unit: Unit, item: Item) -> bool:
    """An ``exit`` policy that does what the ``failed`` policy of its roles does anyway."""
    from tfdsl.ir.policies import on_failure

    policy = cast("Policy", item.node)
    failures = [on_failure(unit.job, role, replica(role)) for role in _all_subjects(unit, item)]
    return all(failure is not None and failure.action == policy.action for failure in failures)


def pressure_is_failure(unit: Unit, item: Item) -> bool:
    """An ``evicted`` policy with another action than that of a failure, on a role that does not restart in place."""
    from tfdsl.ir.policies import on_failure

    policy = cast("Policy", item.node)
    for role in _all_subjects(unit, item):
        failure = on_failure(unit.job, role, replica(role))
        if failure is None or failure.action not in (policy.action, "restart container"):
            return True
    return False


def above_retries(unit: Unit, item: Item) -> bool:
    """A ``restarted N`` with an N that ``retries`` does not reach."""
    count = cast("Policy", item.node).count
    return count is not None and count > unit.job.retries


def is_ignored(unit: Unit, item: Item) -> bool:
    """The policy ignores its event."""
    return cast("Policy", item.node).action == "ignore"
