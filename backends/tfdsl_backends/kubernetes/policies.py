"""How a Job restarts the replicas of a role: restart policy, back-off limit and pod failure policy.

A container restarts in place under ``OnFailure``; everything that looks at exit statuses or evictions is a
``podFailurePolicy``, which needs ``Never`` and new pods. Seen on Kubernetes 1.34: under ``OnFailure`` a Job fails when
its restart count reaches ``backoffLimit``; under ``Never`` when more pods than ``backoffLimit`` have failed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl.ir import policies
from tfdsl.record import Record
from tfdsl_backends.podspec.template import CONTAINER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tfdsl.emit.located import Data
    from tfdsl.ir.model import Job, Policy, Role

RESTARTS = frozenset(("restart container", "restart pod"))

PolicyAction: TypeAlias = Literal["FailJob", "Ignore", "Count"]


class Restart(Record):
    """``restart_policy`` of the pods, ``backoff_limit`` of the Job, ``rules`` of its ``podFailurePolicy``."""

    restart_policy: Literal["OnFailure", "Never"]
    backoff_limit: int
    rules: tuple[Data, ...] = ()


def restart(job: Job, role: Role) -> Restart:
    """How the Job of ``role`` restarts its replicas."""
    if in_place(job, role):
        return Restart("OnFailure", job.retries + 1)
    if not restarts(job, role):
        return Restart("Never", 0)
    counts = _on_failure(job, role) in RESTARTS or bool(_statuses(job, role, RESTARTS))
    return Restart("Never", job.retries if counts else 0, tuple(_rules(job, role)))


def in_place(job: Job, role: Role) -> bool:
    """Whether containers restart in place: nothing is said about ``role`` that needs a new pod."""
    others = [policies.on_eviction(job, role), *(policy for _, policy in policies.exit_policies(job, role))]
    return _on_failure(job, role) == "restart container" and all(
        policy is None or policy.action == "restart container" or (policy.event == "evicted" and _restarts(policy))
        for policy in others
    )


def restarts(job: Job, role: Role) -> bool:
    """Whether anything that happens to a replica of ``role`` restarts it."""
    decided = [policies.on_eviction(job, role), policies.on_failure(job, role)]
    decided += [policy for _, policy in policies.exit_policies(job, role)]
    return any(_restarts(policy) for policy in decided)


def decides(job: Job, role: Role, policy: Policy) -> bool:
    """Whether ``policy`` decides anything for ``role``, not overridden by a more specific one."""
    if policy.event == "exit":
        return any(found is policy for _, found in policies.exit_policies(job, role, policy.index))
    if policy.event == "evicted":
        return policies.on_eviction(job, role, policy.index) is policy
    return policies.on_failure(job, role, policy.index) is policy


def _rules(job: Job, role: Role) -> Iterator[Data]:
    """Rules in the order they are tried.

    A rule for evictions stands before those for statuses, because an evicted container ends with a status too; where
    no policy names evictions, a pod that was lost without a status counts as a failure and stands after them.
    """
    evicted = policies.on_eviction(job, role)
    named = evicted is not None and evicted.event == "evicted"
    failed = _on_failure(job, role)
    if evicted is not None and named and (_restarts(evicted) or failed in RESTARTS or _statuses(job, role, RESTARTS)):
        yield _disrupted("Ignore" if _restarts(evicted) else "FailJob")
    if failed in RESTARTS:
        failing = _statuses(job, role, frozenset(("fail job",)))
        if failing:
            yield _exited("FailJob", "In", failing)
        return
    restarting = _statuses(job, role, RESTARTS)
    if restarting:
        yield _exited("Count", "In", restarting)
        yield _exited("FailJob", "NotIn", restarting)
        if not named:
            yield _disrupted("FailJob")


def _disrupted(action: PolicyAction) -> Data:
    return {"action": action, "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


def _exited(action: PolicyAction, operator: Literal["In", "NotIn"], statuses: Sequence[int]) -> Data:
    found: Data = {"containerName": CONTAINER, "operator": operator, "values": list(statuses)}
    return {"action": action, "onExitCodes": found}


def _statuses(job: Job, role: Role, actions: frozenset[str]) -> list[int]:
    """The statuses that an ``exit`` policy with one of ``actions`` decides, ascending."""
    groups = policies.exit_policies(job, role)
    return sorted(status for statuses, policy in groups if policy.action in actions for status in statuses)


def _on_failure(job: Job, role: Role) -> str:
    policy = policies.on_failure(job, role)
    return "fail job" if policy is None else policy.action


def _restarts(policy: Policy | None) -> bool:
    return policy is not None and policy.action in RESTARTS
