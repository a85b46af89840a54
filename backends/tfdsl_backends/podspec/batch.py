"""What targets share that make a Job (batch/v1) of each role: kubernetes writes the Jobs, jobset has them made.

The IR is not imported here, because the support tables are made of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from tfdsl.backend import Condition, Row, Unit, approximated, condition, translated
from tfdsl.emit.located import Data, Located, child
from tfdsl.ir.policies import completions, exit_policies, on_eviction, on_failure
from tfdsl.vocabulary.statements import RESTARTS as EVERY_RESTART
from tfdsl_backends.podspec.fields import Field, written
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.plan import indexed

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import Job, Policy, Role

# --- what policies decide ---

RESTARTS: Final = frozenset(("restart container", "restart pod"))


def action(policy: Policy | None) -> str:
    """What is done about a failure that ``policy`` decides; without one, it fails the job."""
    return "fail job" if policy is None else policy.action


def decides(job: Job, role: Role, policy: Policy) -> bool:
    """Whether ``policy`` on a failure decides anything for ``role``, not overridden by a more specific one."""
    if policy.event == "exit":
        return any(other is policy for _, other in exit_policies(job, role, policy.index))
    if policy.event == "evicted":
        return on_eviction(job, role, policy.index) is policy
    return on_failure(job, role, policy.index) is policy


def restarts_in_place(job: Job, role: Role) -> bool:
    """Whether a failed container restarts in its pod, and nothing that is decided needs a new pod."""
    failed = on_failure(job, role)
    decided = [on_eviction(job, role), *(policy for _, policy in exit_policies(job, role))]
    return failed is not None and failed.action == "restart container" and all(map(_allows_in_place, decided))


def _allows_in_place(policy: Policy | None) -> bool:
    """Whether ``policy``, on an exit status or an eviction, needs no new pod."""
    if policy is None or policy.action == "restart container":
        return True
    return policy.event == "evicted" and policy.action == "restart pod"


# --- the Job ---


def job_spec(
    job: Job,
    role: Role,
    limit: int,
    rules: Sequence[Data],
    template: Data,
    fields: Sequence[Field],
    ending: Sequence[Policy] | None,
    pods: int = 0,
) -> dict[str, Data]:
    """The ``spec`` of the Job of ``role``.

    ``limit``: of failed pods or restarts; ``rules``: of the ``podFailurePolicy``; ``fields``: what it has of the job;
    ``ending``: the policies by which single replicas end it, ``None`` for a Job of one replica; ``pods``: how many it
    has, if not as many as the role.
    """
    return {
        **({} if ending is None else indexed(role, pods or role.replicas)),
        "backoffLimit": Located(limit, "retries"),
        **written(job, fields),
        "podFailurePolicy": {"rules": list(rules)} if rules else None,
        "successPolicy": {"rules": [_succeeded(policy) for policy in ending]} if ending else None,
        "template": template,
    }


def _succeeded(policy: Policy) -> Data:
    return {"succeededIndexes": Located(str(policy.index), child(policy.path, "index"))}


def ending_alone(job: Job, role: Role) -> list[Policy]:
    """The policies by which one replica of ``role`` ends it, where it has others."""
    if role.replicas == 1:
        return []
    return [policy for policy in completions(job) if policy.role == role.name and policy.index is not None]


# --- conditions and rows of the support tables ---


queued = Condition(
    "with a queue", lambda unit, item: unit.job.queue is not None or QUEUE_LABEL in unit.job.labels_of(unit.job)
)
"""Whether Kueue admits the job, all its pods at once."""

in_kueue = Condition(
    "true, with a queue or Kueue's label", lambda unit, item: item.value is True and queued(unit, item)
)
"""``suspend``: whether Kueue manages what is to be held."""


@condition("tensorboard, unless failed => restart container or evicted => restart pod")
def not_tensorboards_own(unit: Unit, item: Item) -> bool:
    """Whether the policy is of tensorboard and not what its Job or Deployment does anyway.

    A failed container restarts in place and an evicted pod is made again.
    """
    policy = cast("Policy", item.node)
    own = {"failed": ("restart container",), "evicted": ("restart pod",)}
    return item.role == "tensorboard" and policy.action not in own.get(policy.event, ())


@condition("one replica")
def whole(unit: Unit, item: Item) -> bool:
    """``completed`` of one replica: whether its role has no other."""
    role = unit.job.role(item.role)
    return role is not None and role.replicas == 1


@condition("with a restart")
def may_complete_instead(unit: Unit, item: Item) -> bool:
    """Whether the policy starts lost replicas again, of which the Job sees how they end.

    It waits for that where it has rules about failures, or where it can replace one pod beside others that run
    (:meth:`tfdsl_backends.podspec.job_controller.ControlledJob.sees_the_end`).
    """
    policy, job = cast("Policy", item.node), unit.job
    return policy.action in (EVERY_RESTART if policy.event == "evicted" else RESTARTS) and any(
        on_eviction(job, role, policy.index) is policy and (role.replicas > 1 or _has_rules(job, role, policy))
        for role in job.training_roles
    )


def _has_rules(job: Job, role: Role, evicted: Policy) -> bool:
    """Whether the Job of a role that ``evicted`` decides about needs rules to tell failures apart."""
    return not restarts_in_place(job, role) and (evicted.event == "evicted" or bool(exit_policies(job, role)))


def drained_row(event: str, to: str) -> Row:
    """A deleted replica that ends well (seen with plain Jobs on 1.34.4, in 4 of 4 runs of JobSet 0.12)."""
    advice = "let the program exit with 143 when it has written its checkpoint"
    return approximated(
        f"policies[{event}]",
        to,
        "a drained or preempted replica whose program exits with 0 on SIGTERM counts as completed: nothing starts it "
        "again",
        "122" if event == "evicted" else "123",
        "drained-completes" if event == "evicted" else "drained-may-complete",
        edit=f"{advice}, or remove the policy" if event == "evicted" else "",
        instead="" if event == "evicted" else advice,
        when=may_complete_instead,
        default="silent",
    )


def statuses_row(to: str) -> Row:
    """Policies on exit statuses are rules, for which the Job waits until it knows how a deleted pod has ended."""
    return translated(
        "policies[exit]",
        to,
        "a rule for the statuses; with one, a deleted pod whose program exits with 0 on SIGTERM counts as completed",
    )


def last_log_row(event: str, to: str, code: str) -> Row:
    """The end of restarts in place (seen with plain Jobs and with JobSet): the pods that run are deleted."""
    return approximated(
        f"policies[{event}].restart container",
        to,
        "the restart that uses up retries is cut off at once, and the Job deletes the pod with its log",
        code,
        "last-log-lost",
        instead="write restart pod to keep the pods that have failed",
    )
