"""When the conditional rows of the support table hold, and what they fill into their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.backend import Condition, Unit, condition
from tfdsl_backends.kubernetes.policies import decisions, job_count, pinned, role_job_name, training_roles
from tfdsl_backends.podspec.batch import whole
from tfdsl_backends.podspec.when import namespace_flag

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import Policy, Role

host_ips = Condition("status.hostIPs", lambda unit, item: item.value == "status.hostIPs")

on_hosts = Condition("with hosts", lambda unit, item: pinned(unit))

one_job = Condition("one Job", lambda unit, item: sum(job_count(unit, role) for role in training_roles(unit.job)) == 1)
"""Whether all replicas are in one Job, so that its end is the end of the job."""


one_job_running = Condition('"running" and one Job', lambda unit, item: item.value == "running" and one_job(unit, item))
"""``cleanup``: whether one Job does it: it stops what runs when it ends and leaves what has ended."""

not_on_node = Condition("false with hosts", lambda unit, item: item.value is False and pinned(unit))


several_restart = Condition("several Jobs restart", lambda unit, item: _restarting_jobs(unit) > 1)


def _restarting_jobs(unit: Unit) -> int:
    restarts = decisions(unit).restarts
    return sum(job_count(unit, role) for role in training_roles(unit.job) if restarts[role.name].restarts)


overridden = Condition(
    "more specific policies decide",
    lambda unit, item: item.role != "tensorboard" and not decisions(unit).deciding[id(item.node)],
)


@condition("beside other actions on statuses or evictions")
def in_new_pod(unit: Unit, item: Item) -> bool:
    """``restart container``: whether its roles distinguish exit statuses or evictions, which takes new pods."""
    decided = decisions(unit)
    return any(not decided.restarts[role.name].in_place for role in decided.deciding[id(item.node)])


@condition("where containers restart in place")
def restarts_in_place(unit: Unit, item: Item) -> bool:
    """A step: whether the containers of its role restart in place, up to a number."""
    restart = decisions(unit).restarts.get(item.role)
    return restart is not None and restart.in_place


@condition("set, a role restarts in place")
def written_in_place(unit: Unit, item: Item) -> bool:
    """``retries``: whether they are written, and count restarts in place."""
    written = unit.origins.written(item.path) is not None
    return written and any(restart.in_place for restart in decisions(unit).restarts.values())


restarts_pods = Condition("if pods restart, not containers", in_new_pod.test)


whole_or_pinned = Condition("with hosts, or one replica", lambda unit, item: pinned(unit) or whole(unit, item))
"""``completed`` of one replica: whether that replica is a Job of its own."""


no_job_stays = Condition("no other Jobs", lambda unit, item: not _staying(unit, item))
"""Whether all Jobs have ended when the one that decides, or those of the role that does, have."""


def jobs_that_stay(unit: Unit, item: Item) -> dict[str, str]:
    """``stay``: the Jobs that do not end with the one that decides; ``namespace``: for kubectl."""
    return {"stay": ", ".join(_staying(unit, item)), **namespace_flag(unit, item)}


def _staying(unit: Unit, item: Item) -> list[str]:
    decider = cast("Policy", item.node).role if hasattr(item.node, "event") else None
    index = getattr(item.node, "index", None)
    return [
        name
        for role in training_roles(unit.job)
        for name in _jobs_of(unit, role, index if role.name == decider else None, whole=role.name == decider)
    ]


def _jobs_of(unit: Unit, role: Role, index: int | None, *, whole: bool) -> list[str]:
    """The Jobs of ``role`` except the one that decides: that of ``index``, or all of them without an index."""
    if whole and (index is None or not pinned(unit)):
        return []
    base = role_job_name(unit, role)
    if not pinned(unit):
        return [base]
    count = role.replicas - 1 if whole else role.replicas
    if count <= 2:
        return [f"{base}-{number}" for number in range(role.replicas) if not (whole and number == index)]
    return [f"the other {count} of {base}-*" if whole else f"{base}-0 to {base}-{role.replicas - 1}"]


def restarting_jobs(unit: Unit, item: Item) -> dict[str, str]:
    """``count``: how many Jobs restart replicas."""
    return {"count": str(_restarting_jobs(unit))}
